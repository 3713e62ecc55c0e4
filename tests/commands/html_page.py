#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads the data of a page of --to=html, by the format in pp/formats/html/columns.h.

html_page.py FILE folded [EVENT]	folded stacks, as opexport --to=folded writes them
html_page.py FILE facts			the rest: facts, events, threads, threads' samples
html_page.py FILE times			"TIME EVENT SAMPLES EVENTS STACK" of each moment
html_page.py FILE images		samples of the first event of each side, by image
html_page.py FILE code			listings: samples of the first event, and rows
html_page.py FILE verdicts		"~", "?" or "!" of each function that has samples: its own
					by counts, seconds and shares; with what it calls
"""
import base64
import json
import re
import sys
import zlib


class Columns:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def number(self):
        value, shift = 0, 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length:self.at].decode()

    def rest(self):
        """All numbers of the next column."""
        end = self.number() + self.at
        found = []
        while self.at < end:
            found.append(self.number())
        return found

    def numbers(self, n):
        """The next column; None if it is empty."""
        end = self.number() + self.at
        if end == self.at and n:
            return None
        found = [self.number() for _ in range(n)]
        assert self.at == end, "a column has another length"
        return found


def data_of(path):
    page = open(path, encoding="utf-8").read()
    found = re.search('<script type="text/plain" id="data">([^<]*)</script>', page)
    return zlib.decompress(base64.b64decode(found.group(1)))


class Page:
    def __init__(self, path):
        columns = Columns(data_of(path))
        self.about = about = json.loads(columns.text())
        self.parents, labels = self.read_tree(columns, about["nodes"])
        self.functions = [label // 2 for label in labels]
        self.inlined = [label % 2 for label in labels]
        n, kinds = about["entries"], len(about["events"])
        deltas = columns.numbers(n)
        self.nodes = [sum(deltas[:i + 1]) for i in range(n)]
        self.threads = columns.numbers(n)
        self.chains = self.chains_of(columns.numbers(n) or [0] * n)
        self.callers, self.places = self.read_tree(columns, about["chains"])
        self.values = []
        for _ in range(kinds):
            samples = columns.numbers(n)
            self.values.append((samples, columns.numbers(n)))
        moments = about["moments"]
        self.verdicts = [columns.numbers(len(about["functions"])) for _ in about["judged"]]
        self.times = columns.numbers(moments) or []
        self.moments = [divmod(both, kinds) for both in columns.numbers(moments) or []]
        self.counts = columns.numbers(moments)
        self.weights = columns.numbers(moments) or self.counts
        assert columns.at == len(columns.data), "something follows the columns"

    @staticmethod
    def parents_of(ups):
        parents = []
        for i, up in enumerate(ups):
            at = i - 1
            for _ in range(up):
                at = parents[at]
            parents.append(at)
        return parents

    @staticmethod
    def chains_of(steps):
        chain, chains = 0, []
        for step in steps:
            chain += 0 if not step else -(step // 2) if step % 2 else step // 2
            chains.append(chain if step else 0)
        return chains

    def read_tree(self, columns, n):
        """Parents and labels."""
        parents = self.parents_of(columns.numbers(n))
        below, labels, ranks, firsts = {}, [], columns.numbers(n), iter(columns.rest())
        for rank, parent in zip(ranks, parents):
            known = below.setdefault(0 if parent < 0 else labels[parent], [])
            if rank == len(known):
                known.append(next(firsts))
            labels.append(known[rank])
        assert next(firsts, None) is None, "a label that no node has"
        return parents, labels

    def stack(self, node):
        names = []
        while node >= 0:
            names.insert(0, self.about["functions"][self.functions[node]][0])
            node = self.parents[node]
        return ";".join(names)

    def folded(self, event):
        sums = {}
        for node, samples in zip(self.nodes, self.values[event][0]):
            if samples:
                stack = self.stack(node)
                sums[stack] = sums.get(stack, 0) + samples
        for stack in sorted(sums, key=lambda text: text.encode()):
            print(stack, sums[stack])

    def images(self):
        sums = {}
        for event, of in enumerate(self.about["events"]):
            for node, samples in zip(self.nodes, self.values[event][0]):
                image = self.about["functions"][self.functions[node]][1]
                sums.setdefault(image, [0, 0])[of["side"]] += samples
        for line in sorted(f"{old} {new} {self.about['images'][image][0]}"
                           for image, (old, new) in sums.items()):
            print(line)

    def facts(self):
        about = self.about
        for key in ("title", "sides", "events"):
            print(f"{key}: {json.dumps(about[key])}")
        for i, (program, pid, tid, cpu, *labels) in enumerate(about["threads"]):
            samples = [sum(s for s, t in zip(values[0], self.threads) if t == i)
                       for values in self.values]
            print("thread", about["functions"][program][0], pid, tid, cpu, *samples,
                  *(f"{name}={value}" for name, value in zip(about["labels"], labels) if value))
        for i, (samples, events) in enumerate(self.values):
            print("event", i, sum(samples), "samples,", sum(events) if events else "equal", "events")

    def print_times(self):
        time = 0
        for i, (entry, event) in enumerate(self.moments):
            time += self.times[i]
            print(time, event, self.counts[i], self.weights[i], self.stack(self.nodes[entry]))

    def places_of(self, chain):
        """The places of an entry's chain, the innermost first; 0 is none."""
        places = []
        at = chain - 1
        while at >= 0:
            places.append(self.places[at])
            at = self.callers[at]
        return places

    def counts_of(self, listing):
        """By row: samples of its own, with what is inlined there, with what is called there."""
        numbers = listing["places"]
        rows = {}
        for row, place, is_own in zip(numbers[::3], numbers[1::3], numbers[2::3]):
            rows.setdefault(place, []).append((row, is_own))
        found = {}
        for chain, samples in zip(self.chains, self.values[0][0]):
            places = self.places_of(chain)
            own = {row for row, is_own in rows.get(places[0], []) if is_own} if places else set()
            within = {row for row, _ in rows.get(places[0], [])} if places else set()
            both = {row for place in places for row, _ in rows.get(place, [])}
            for i, of in enumerate((own, within, both)):
                for row in of if samples else ():
                    found.setdefault(row, [0, 0, 0])[i] += samples
        return found

    def print_verdicts(self):
        print(self.about["chance"])
        for verdicts in self.verdicts:
            for (name, *_), bits in zip(self.about["functions"], verdicts):
                marks = ["!~?"[bits >> 2 * i & 3] for i in range(12)]
                print(name, *("".join(marks[i:i + 3]) for i in range(0, 12, 3)))

    def print_code(self):
        for listing in self.about["listings"]:
            names = ", ".join(self.about["functions"][i][0] for i in listing["functions"])
            print(listing["kind"], listing["name"], "of", names, listing.get("trouble", ""))
            counts = self.counts_of(listing)
            for i, row in enumerate(listing["rows"]):
                own, within, both = counts.get(i, ("", "", ""))
                print(f"{own:>4} {within:>4} {both:>4}", *row)


def main():
    page = Page(sys.argv[1])
    if sys.argv[2] == "folded":
        page.folded(int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    elif sys.argv[2] == "facts":
        page.facts()
    elif sys.argv[2] == "images":
        page.images()
    elif sys.argv[2] == "verdicts":
        page.print_verdicts()
    elif sys.argv[2] == "code":
        page.print_code()
    else:
        page.print_times()


if __name__ == "__main__":
    main()
