#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Source lines of stacks, as addr2line has them.

lines_of_stacks.py make PROGRAM FIRST LAST	session with random stacks of addresses, to stdout
lines_of_stacks.py compare PROGRAM SESSION CSV	differences from opreport --lines --csv
"""
import collections
import csv
import random
import subprocess
import sys

STACKS = 1500


def make(program, first, last):
    rng = random.Random(5)
    leaves, stacks = collections.Counter(), collections.Counter()
    few = [rng.randrange(first, last) for _ in range(40)]
    for _ in range(STACKS):
        count = rng.randrange(1, 9)
        # few addresses: the same line is in a stack more than once
        stack = tuple(rng.choice(few) for _ in range(rng.randrange(1, 7)))
        leaves[stack[0]] += count
        if len(stack) > 1:
            stacks[stack] += count
    print(f"image {program} TIMER")
    for leaf, count in sorted(leaves.items()):
        print(f"{leaf:#x} {count}")
    print(f"stacks {program} TIMER")
    for stack, count in sorted(stacks.items()):
        print("stack", count, *(f"{program}+{frame:#x}" for frame in stack))


def read_session(lines):
    """Stacks of addresses, leaf first, with their samples; those without a stack, too."""
    leaves, stacks = collections.Counter(), []
    for line in lines:
        words = line.split()
        if words[0].startswith("0x"):
            leaves[int(words[0], 16)] += int(words[1])
        elif words[0] == "stack":
            frames = [int(word.rsplit("+", 1)[1], 16) for word in words[2:]]
            stacks.append((frames[:1] + [frame - 1 for frame in frames[1:]], int(words[1])))
            leaves[frames[0]] -= int(words[1])
    return stacks + [([leaf], count) for leaf, count in leaves.items() if count]


def places_of(program, addresses):
    """By address: (function, file:line) of each function there, the innermost first."""
    text = "\n".join(f"{address:#x}" for address in addresses)
    out = subprocess.run(["addr2line", "-a", "-i", "-f", "-e", program], input=text, text=True,
                         stdout=subprocess.PIPE, check=True).stdout.split("\n")[:-1]
    places, address = {}, None
    at = 0
    while at < len(out):
        if out[at].startswith("0x"):
            address = int(out[at], 16)
            places[address] = []
            at += 1
        else:
            places[address].append((out[at], out[at + 1].split(" (discriminator")[0]))
            at += 2
    return places


def expect(program, lines):
    """Samples, inclusive samples and functions of each line."""
    stacks = read_session(lines)
    places = places_of(program, sorted({frame for stack, _ in stacks for frame in stack}))
    table = collections.defaultdict(lambda: [0, 0, set()])
    for stack, count in stacks:
        seen = {place for frame in stack for place in places[frame]}
        for function, line in seen:
            table[line][2].add(function)
        for line in {line for _, line in seen}:
            table[line][1] += count
        table[places[stack[0]][0][1]][0] += count
    return table


def found(lines):
    table = collections.defaultdict(lambda: [0, 0, set()])
    for row in csv.DictReader(line for line in lines if line[0] != "#"):
        entry = table[f"{row['file']}:{row['line']}"]
        samples, inclusive = list(row.values())[:2]
        entry[0] += int(samples)
        entry[1] += int(inclusive)
        entry[2].add(row["symbol"])
    return table


def compare(theirs, ours):
    """Lines of more than one function have a row each, whose inclusive samples do not add up."""
    known = [line for line in theirs if line[:2] != "??" and line[-2:] != ":?"]
    single = [line for line in known if len(theirs[line][2]) == 1 and len(ours[line][2]) <= 1]
    for line in sorted(known):
        if theirs[line][0] != ours[line][0]:
            print(f"{line}: {ours[line][0]} samples, addr2line: {theirs[line][0]}")
    for line in sorted(single):
        if theirs[line][1] != ours[line][1]:
            print(f"{line}: {ours[line][1]} inclusive, addr2line: {theirs[line][1]}")
    enough = len(single) >= 50 and len(single) > 0.8 * len(known)
    print("enough lines" if enough else f"{len(single)} of {len(known)} lines")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3], 0), int(sys.argv[4], 0))
    else:
        with open(sys.argv[3]) as session, open(sys.argv[4]) as table:
            compare(expect(sys.argv[2], session), found(table))
