#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Folded stacks like those of a large C++ server: stacks.py DISTINCT [random] >FILE

Samples walk through a call graph that is made once: 20,000 functions, each with 1 to 8 callees of
Zipf's popularity (1, 1/2, 1/3...), most of them in a window of functions behind it, so that stacks
get deep; one function of eight is called from everywhere (allocators, copies, locks).  A walk ends
in a function with its own probability: 1 to 6 % in those that call on, 60 % in those called from
everywhere.  Instead of walking one sample at a time, each node splits its samples among its callees
by the multinomial distribution, which gives the same stacks.  So they share what stacks of one
program share: everything up to the call in which they differ.  The seed is fixed.

With "random", each stack has 26 frames by chance and shares nothing: the worst that can be.
"""
import random
import sys

FUNCTIONS = 20000
DEPTH = 100
WORDS = ("Buffer Channel Request Session Visitor Node Handler Index Query Cache Router Stream Parser "
         "Token Table Column Merge Plan Batch Codec Record Arena Worker Future Promise Queue").split()
VERBS = ("begin read write visit merge apply find insert erase resolve execute flush poll decode "
         "encode advance compare assign resize reserve dispatch complete").split()


def name(rng):
    """A name of a C++ function; one of three is of a template."""
    one, two = rng.choice(WORDS), rng.choice(WORDS)
    verb, n = rng.choice(VERBS), rng.randrange(1000)
    if rng.random() < 0.33:
        return (f"server::{one}{n}<server::{two}<std::pair<unsigned long, "
                f"std::basic_string_view<char> > >, server::{rng.choice(WORDS)}Traits<{n}>, "
                f"std::allocator<server::{two}> >::{verb}(server::{two} const&, unsigned long)")
    return f"server::{one}{n}::{verb}{two}(server::{two}&)"


class Graph:
    def __init__(self, rng):
        self.names = [f"{name(rng)}#{i}" for i in range(FUNCTIONS)]
        self.names[0] = "main"
        self.callees, self.ends = [], []
        for i in range(FUNCTIONS):
            n = min(8, 1 + int(rng.expovariate(0.35)))
            is_leaf = i % 8 == 7
            callees = []
            for _ in range(n):
                behind = min(FUNCTIONS - 1, i + 1 + int(rng.expovariate(1 / 150)))
                callees.append(rng.randrange(FUNCTIONS // 8) * 8 + 7 if rng.random() < 0.15
                               else behind)
            self.callees.append(callees)
            self.ends.append(0.6 if is_leaf else rng.uniform(0.01, 0.06))


def split(rng, n, weights):
    """n samples in parts, by the multinomial distribution."""
    parts = [0] * len(weights)
    if n < 200:
        for i in rng.choices(range(len(weights)), weights, k=n):
            parts[i] += 1
        return parts
    left = sum(weights)
    for i, weight in enumerate(weights):
        share = min(1.0, weight / left) if left > 0 else 1.0
        mean, deviation = n * share, (n * share * (1 - share)) ** 0.5
        parts[i] = min(n, max(0, round(rng.gauss(mean, deviation))))
        n -= parts[i]
        left -= weight
    parts[-1] += n
    return parts


def stacks(graph, rng, samples, most):
    """Yields (path, count) of at most so many distinct stacks."""
    todo = [(0, 0, samples, None)]
    zipf = [1 / (i + 1) for i in range(8)]
    found = 0
    while todo and found < most:
        function, depth, n, above = todo.pop()
        path = (graph.names[function], above)
        callees = graph.callees[function]
        end = 1.0 if depth >= DEPTH else graph.ends[function]
        own, rest = split(rng, n, [end, 1 - end])
        if own:
            found += 1
            yield path, own
        for callee, part in zip(callees, split(rng, rest, zipf[:len(callees)])):
            if part:
                todo.append((callee, depth + 1, part, path))


def main():
    distinct = int(sys.argv[1])
    rng = random.Random(18)
    graph = Graph(rng)
    out = sys.stdout
    if sys.argv[2:] == ["random"]:
        for _ in range(distinct):
            out.write(f"server;{';'.join(rng.choices(graph.names, k=26))} 1\n")
        return
    for path, count in stacks(graph, rng, distinct * 18, distinct):
        frames = []
        while path:
            frames.append(path[0])
            path = path[1]
        frames.append("server")
        out.write(f"{';'.join(reversed(frames))} {count}\n")


main()
