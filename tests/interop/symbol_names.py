# SPDX-License-Identifier: GPL-2.0-or-later
"""Names of symbols that two tools agree on: a symbol may have several at one address."""

import glob
import re
import subprocess


class Names:
    """Names of the symbols of images; those of one address are one."""

    def __init__(self, *listings):
        self.first = {}
        for listing in listings:
            self.add(listing)

    def add(self, listing):
        at = {}
        for line in listing.splitlines():
            words = line.split()
            if len(words) < 3 or words[1] in "Uw":
                continue
            name = words[2].split("@")[0]
            first = at.setdefault(words[0], name)
            self.join(name, first)

    def find(self, name):
        while self.first.get(name, name) != name:
            name = self.first[name]
        return name

    def join(self, name, other):
        name, other = self.find(name), self.find(other)
        self.first[name] = other
        self.first.setdefault(other, other)


def listing_of(path):
    """nm of an image, of its dynamic symbols and of its debug file; or of the "kernel"."""
    if path == "kernel":
        with open("/proc/kallsyms", encoding="ascii", errors="replace") as kallsyms:
            return kallsyms.read()
    files = [path]
    notes = subprocess.run(["readelf", "-n", path], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, check=False).stdout.decode(errors="replace")
    found = re.search("Build ID: (..)([0-9a-f]+)", notes)
    if found:
        files += glob.glob("/usr/lib/debug/.build-id/%s/%s.debug" % found.groups())
    return "".join(subprocess.run(["nm", *dynamic, file], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL,
                                  check=False).stdout.decode(errors="replace")
                   for file in files for dynamic in ([], ["-D"]))


KNOWN = {}


def names_of(path):
    if path not in KNOWN:
        KNOWN[path] = Names(listing_of(path))
    return KNOWN[path]
