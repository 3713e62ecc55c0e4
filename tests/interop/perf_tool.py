# SPDX-License-Identifier: GPL-2.0-or-later
"""What "perf report" says of "recording", which is in the current folder."""

import collections
import os
import re
import shutil
import sys

import fixed
from checks import run
from symbol_names import Names, listing_of

UNKNOWN = re.compile("(0x)?[0-9a-f]*")


class Symbols:
    """Names of all images of a recording."""

    def __init__(self, images):
        self.names = Names(*[listing_of(image) for image in ["kernel", *images]])

    def find(self, name):
        """@name as it stands in a report, perhaps with an image in brackets behind it."""
        if "[vdso]" in name or name.startswith("__vdso_"):
            return "[vdso]"
        if "[unknown]" in name:
            return "?"
        name = re.sub(" +\\[.*\\]$", "", name)
        # perf has no name for some stubs of calls, and names what stands behind a call
        if name.endswith("@plt"):
            return "?"
        if name == "_dl_start_user":
            return "_start"
        name = re.sub("@.*", "", name)
        if name in self.names.first:
            return self.names.find(name)
        return "?" if "/" in name or UNKNOWN.fullmatch(name) else name


def perf_report(*options):
    return run("perf", "report", "-i", "recording", "--stdio", "--percent-limit", "0",
               "--no-demangle", *options).splitlines()


def images_of():
    files = run("perf", "script", "-i", "recording", "--show-mmap-events").splitlines()
    return sorted({words[-1] for words in map(str.split, files)
                   if words and words[-1].startswith("/") and os.path.isfile(words[-1])})


def perf_list(symbols):
    """The same, and of how many rounded numbers they are sums."""
    rows = collections.defaultdict(lambda: [0, 0, 0])
    for line in perf_report("--children", "-g", "none", "-F", "overhead_children,overhead,sym",
                            "-t;"):
        found = re.fullmatch(r" *([0-9.]+)% *; *([0-9.]+)% *;\[.\] (.*?) *", line)
        if found:
            row = rows[symbols.find(found.group(3))]
            row[0] += float(found.group(1))
            row[1] += float(found.group(2))
            row[2] += 1
    return rows


def perf_chains(symbols):
    """Chains, the sampled function first, and how many samples have them."""
    chains = []
    for line in perf_report("--no-children", "-g", "folded,0,0,callee,function,count", "-F",
                            "overhead,sym"):
        found = re.fullmatch(r"(\d+) (.*)", line)
        if found:
            chain = [symbols.find(name) for name in found.group(2).split(";")]
            chains.append((int(found.group(1)), chain))
    return chains


def perf_tree(chains, is_inverted):
    nodes = collections.Counter()
    for count, chain in chains:
        path = chain if is_inverted else chain[::-1]
        for depth in range(len(path)):
            nodes[tuple(path[:depth + 1])] += count
    return nodes


def record(kind, busy, seconds):
    """Makes it, of BUSY.  Ends with a reason if perf is absent."""
    if kind != "live":
        if not shutil.which("perf"):
            sys.exit("there is no perf (Debian: linux-perf)")
        fixed.write_perf("recording", busy)
        return
    run("perf", "record", "-qB", "-e", "cpu-clock", "-c", "500000", "-g", "-o", "recording", busy,
        seconds)
