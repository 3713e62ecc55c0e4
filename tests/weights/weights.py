#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One invariant: what an event weighs in a stack of names is the same in a profile of another
# profiler (read by sources.py, which is no code of ours), in what opexport --from makes of it, in
# what opexport makes of a session that opimport made of it, and in opreport's symbols of that
# session, their own samples and inclusive ones.  For each format that is written.
#
#	weights.py TOOLS [--seeds=N] [--first=SEED] [--only=FORMAT] [--to=FORMAT,...] [--keep=DIR]
#		[FILE...]
#
# TOOLS: the folder of opimport, opexport and opreport.  Without a FILE the inputs are made by
# generate.py, N of each format (4) or of one, and the files below $OPROFILE_CORPORA, if it is set.
# --to: only what is written in these formats.  --keep: leave the files in this directory.
# Exit codes: 0 all is the same, 1 something is not.

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

import exports
import sources
from perf_data import LeftOut
from profile import UNKNOWN, Sums

FORMATS = ("folded", "callgrind", "speedscope", "firefox", "html", "pprof", "otlp", "perf",
           "cpuprofile", "dcpi", "opreport")
SHOWN_MOST = 3
# oprofile-session(5): an import of more is counted in units of a power of two
WEIGHT_MOST, COUNT_MOST = 1 << 44, 1 << 40
RECORDS_MOST = 4194304  # of perf.data: beyond, there is one for each stack


def quotient(a, b):
    """The nearest integer; a float has 53 bits."""
    return (2 * a + b) // (2 * b)


# What opexport refuses, and says so
NO_PLACES = {
    b"folded stacks have one event": "several events: of a session, one file an event",
    b"a CPU profile holds one event": "several events: of a session, one file an event",
    b"samples and bytes of text at most": "2^32 samples or bytes of text of an image, or more",
}


class Failed(Exception):
    pass


class NoPlace(Exception):
    pass


class Judge:
    """What was compared, what differs, and what a format has no place for."""

    def __init__(self):
        self.compared, self.failed = collections.Counter(), collections.Counter()
        self.places = collections.defaultdict(collections.Counter)
        self.numbers = 0

    def fail(self, what, form, text):
        self.failed[form] += 1
        print("NOT OK  %s: %s: %s" % (what, form, text), flush=True)

    def no_place(self, form, why):
        self.places[form][why] += 1

    def compare(self, what, form, got, want, slack=0):
        """Tables of numbers; slack: by how much numbers may be apart, a number or by key."""
        self.compared[form] += 1
        self.numbers += len(want)
        apart = [key for key in got.keys() | want.keys()
                 if abs(got.get(key, 0) - want.get(key, 0)) >
                 (slack(key) if callable(slack) else slack)]
        if not apart:
            return True
        apart.sort(key=lambda key: -abs(got.get(key, 0) - want.get(key, 0)))
        rows = ["%r: %s, should be %s" % (key, got.get(key), want.get(key))
                for key in apart[:SHOWN_MOST]]
        self.fail(what, form, "%d of %d differ\n    " % (len(apart), len(want)) +
                  "\n    ".join(rows))
        return False


def unit_of(total, most):
    unit = 1
    while total // unit > most:
        unit *= 2
    return unit


class Case:
    """One input, and all that is made of it."""

    def __init__(self, judge, tools, name, path, form, symbols=None):
        self.judge, self.tools, self.name, self.path = judge, tools, name, path
        self.symbols = symbols or {}
        self.options = ["-R", os.path.abspath("nothing")] if not symbols else []
        self.source = sources.read(form, path, self.symbols)
        self.totals = Sums()
        self.stacks = collections.Counter()
        for sample in self.source.samples:
            self.totals.add(sample.event, sample.count, sample.events)
            self.stacks[sample.event] += 1
        self.way = None
        self.is_damaged = False  # what is before the damage is read all the same, with status 1

    def is_empty(self):
        return not any(sample.count or sample.events for sample in self.source.samples)

    def run(self, tool, *words):
        result = subprocess.run([os.path.join(self.tools, tool), *words], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False, timeout=120)
        for text, why in NO_PLACES.items():
            if text in result.stderr:
                raise NoPlace(why)
        if result.returncode and not self.is_damaged:
            raise Failed("%s: exit code %d: %s" % (tool, result.returncode,
                                                   result.stderr.decode(errors="replace")[-300:]))
        return result.stdout

    def export(self, form, *words):
        path = "exported." + form
        shutil.rmtree(path, ignore_errors=True)
        origin = ["--session-dir=session"] if self.way.is_session else ["--from=" + self.path]
        self.run("opexport", *origin, *self.options, "-t", form, "-o", path, *words)
        return path

    def what(self):
        return "%s %s" % (self.name, self.way.name)

    # ---- how exact ----

    def slack(self, event, of_samples=False):
        """In a session, a sum of more than 2^44 is counted in units: each stack is rounded, and so
        is each leaf; one that is rounded up has a sample without callers."""
        if not self.way.is_session:
            return 0
        for name, (count, events) in self.totals.table.items():
            if event in (name, exports.Way.select(name)):
                unit = unit_of(events or 0, WEIGHT_MOST)
                if unit == 1 and unit_of(count or 0, COUNT_MOST) == 1:
                    return 0
                return self.stacks[name] * (1 if of_samples else unit)
        return 0

    def same_both(self, form, got, want):
        """Both numbers of each stack, as far as the source has them."""
        want = self.in_sample_units(want)
        counts = {key: n for key, n in want.table.items() if n[0] is not None}
        self.judge.compare(self.what(), form + " samples",
                           {key: n for key, n in got.counts().items()
                            if key in counts or key not in want.table},
                           {key: n[0] for key, n in counts.items() if n[0]},
                           lambda key: self.slack(key[0], True))
        events = {key: n for key, n in want.table.items() if n[1] is not None}
        self.judge.compare(self.what(), form + " events",
                           {key: got.table[key][1] if got.table[key][1] is not None else
                            self.of_period(got, want, key)
                            for key in got.table if key in events or key not in want.table},
                           {key: n[1] for key, n in events.items() if n[1]},
                           lambda key: self.slack(key[0]))

    def of_period(self, got, want, key):
        """Events of an output that has samples alone, because all weigh the same."""
        count = sum(n[0] or 0 for k, n in got.table.items() if k[0] == key[0])
        events = sum(n[1] or 0 for k, n in want.table.items() if k[0] == key[0])
        mine = got.table[key][0]
        return mine * quotient(events, count) if count and mine else mine

    def sample_unit(self, event):
        for name, (count, _) in self.totals.table.items():
            if self.way.is_session and event in (name, exports.Way.select(name)):
                return unit_of(count or 0, COUNT_MOST)
        return 1

    def in_sample_units(self, want):
        """oprofile-session(5): of more than 2^40 samples, each one counts for several."""
        units = Sums()
        for key, (count, events) in want.table.items():
            unit = self.sample_unit(key[0])
            units.table[key] = [None if count is None else -(-count // unit), events]
        return units

    def same_number(self, form, got, want):
        """The one number of each stack: events, or samples if all samples weigh the same."""
        given, events = got.weights(), want.weights()
        scaled = {}
        for event in {key[0] for key in given}:
            mine = {key: n for key, n in given.items() if key[0] == event}
            theirs = {key: n for key, n in events.items() if key[0] == event}
            period = 1
            if mine != theirs and theirs:
                period = quotient(sum(theirs.values()), sum(mine.values())) or 1
                # the source knows how many samples there were
                known = {key: n[0] for key, n in want.table.items()
                         if key[0] == event and n[0]}
                if known and known != mine and not self.slack(event):
                    period = 1
            scaled.update({key: n * period for key, n in mine.items()})
        self.judge.compare(self.what(), form, scaled, events, lambda key: self.slack(key[0]))

    # ---- formats ----

    def named(self, form, read, shown=lambda name: name, want=None):
        want = want or exports.stacks(self.source, self.way, shown)
        got = read
        if any(key[1] is None for key in want.table):
            got_sums, want_sums = Sums(), Sums()
            for sums, to in ((got, got_sums), (want, want_sums)):
                for (event, _, names), n in sums.table.items():
                    to.add((event, None, names), *n)
            got, want = got_sums, want_sums
        return got, want

    def select(self, event, events):
        """For a format of one event."""
        if len(events) < 2 or not self.way.is_session:
            return []
        return ["event:" + exports.Way.select(event)]

    def check_folded(self):
        names = self.source.events()
        if set(names) == {"before", "after"}:
            self.check_two_columns()
            return
        for name in names:
            path = self.export("folded", *(self.select(name, names)))
            got, want = self.named("folded", exports.read_folded(path, name), exports.folded_name,
                                   exports.stacks(self.source, self.way, exports.folded_name,
                                                  name))
            self.same_number("folded", got, want)

    def check_two_columns(self):
        """What was read from two columns has two again."""
        path = self.export("folded")
        want = exports.stacks(self.source, self.way, exports.folded_name)
        got = exports.read_two_columns(path)
        self.judge.compare(self.what(), "folded", got.weights(), want.weights(),
                           lambda key: self.slack(key[0]))

    def check_callgrind(self):
        path = self.export("callgrind")
        for part, got, want in zip(("own", "calls"), exports.read_callgrind(path),
                                   exports.callgrind_of(self.source, self.way)):
            if None in {key[-1] for key in want.table}:
                continue
            self.same_number("callgrind " + part, got, want)

    def check_speedscope(self):
        got, want = self.named("speedscope", exports.read_speedscope(self.export("speedscope")))
        self.same_number("speedscope", got, want)

    def check_firefox(self):
        events = self.source.events()
        got, want = self.named("firefox",
                               exports.read_firefox(self.export("firefox"), events))
        self.same_number("firefox", got, want)

    def check_html(self):
        self.same_both("html", *self.named("html", exports.read_html(self.export("html"))))

    def check_pprof(self):
        # kernel code in no image is an address there, as user code in none is
        def shown(name):
            return UNKNOWN if name == "[no-vmlinux]" else name

        self.same_both("pprof", *self.named("pprof", exports.read_pprof(self.export("pprof")),
                                            shown))

    def check_otlp(self):
        # as of pprof
        def shown(name):
            return UNKNOWN if name == "[no-vmlinux]" else name

        self.same_both("otlp", *self.named("otlp", exports.read_otlp(self.export("otlp")), shown))

    def check_perf(self):
        path = self.export("perf")
        got = exports.read_perf(path, self.symbols)
        want = exports.image_stacks(self.source, self.symbols)
        if sum(n or 0 for n, _ in self.totals.table.values()) > RECORDS_MOST:
            self.judge.no_place("perf samples", "more than 4194304: a record for each stack")
            for sums in got, want:
                for numbers in sums.table.values():
                    numbers[0] = None
        self.same_both("perf", got, want)

    def check_cpuprofile(self):
        events = self.source.events()
        if any(f.name in (UNKNOWN, "[no-vmlinux]") and not f.image and not f.has_name
               for sample in self.source.samples for f in sample.frames):
            self.judge.no_place("cpuprofile", "addresses in no image: they may lie in another's")
            return
        for event in events:
            path = self.export("cpuprofile", *(self.select(event, events)))
            want = exports.image_stacks(self.source, self.symbols)
            got = exports.read_cpuprofile(path, event, self.symbols)
            want = self.in_sample_units(want)
            counts = {key: n for key, n in want.counts().items() if key[0] == event}
            if all(want.table[key][0] is not None for key in want.table):
                self.judge.compare(self.what(), "cpuprofile", got.counts(), counts,
                                   lambda key: self.slack(key[0], True))

    def check_dcpi(self):
        want = self.in_sample_units(exports.leaves(self.source))
        got = exports.read_dcpi(self.export("dcpi"))
        if all(n[0] is not None for n in want.table.values()):
            self.judge.compare(self.what(), "dcpi", got.counts(), want.counts(),
                               lambda key: self.slack(key[0], True))

    def check_opreport(self):
        if not self.way.is_session:
            return
        for option, part in (("--symbols", "own"), ("--callgraph", "inclusive")):
            text = self.run("opreport", "--session-dir=session", *self.options, option, "--json",
                            "--demangle=none")
            what = "counts" if part == "own" else "inclusive"
            weights = "weights" if part == "own" else "inclusive_weights"
            got = exports.read_report(text, what, weights)
            self.same_both("opreport " + part, got,
                           exports.report_of(self.source, part == "inclusive"))

    def check(self, wanted):
        for way in exports.Way("--from", False), exports.Way("session", True):
            self.way = way
            shutil.rmtree("session", ignore_errors=True)
            if way.is_session and 0 in [n[1] for n in self.totals.table.values()]:
                self.judge.no_place("session", "an event that weighs nothing: its samples do")
                return
            if way.is_session:
                try:
                    self.run("opimport", "-o", "session", self.path)
                except Failed as error:
                    self.judge.fail(self.what(), "opimport", str(error))
                    return
            for form in wanted:
                try:
                    getattr(self, "check_" + form)()
                except NoPlace as why:
                    self.judge.no_place(form, str(why))
                except Failed as error:
                    self.judge.fail(self.what(), form, str(error))


def form_of(tools, path):
    """What opimport takes it for; the reader of another format would fail."""
    text = subprocess.run([os.path.join(tools, "opimport"), "--info", path],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    found = re.search(r"^format: (\S+)", text.stdout.decode(errors="replace"), re.M)
    return found[1] if found else None, bool(text.returncode)


def files_below(folder):
    for place, folders, names in os.walk(folder):
        folders.sort()
        yield from (os.path.join(place, name) for name in sorted(names))


def main():
    options = argparse.ArgumentParser()
    options.add_argument("tools", type=os.path.abspath)
    options.add_argument("--seeds", type=int, default=4)
    options.add_argument("--first", type=int, default=1)
    options.add_argument("--keep", type=os.path.abspath)
    options.add_argument("--to", default=",".join(FORMATS))
    options.add_argument("--only", default="")
    options.add_argument("files", nargs="*", type=os.path.abspath)
    given = options.parse_args()
    wanted = given.to.split(",")
    judge, inputs = Judge(), 0
    files = list(given.files)
    if not files and os.environ.get("OPROFILE_CORPORA"):
        files = list(files_below(os.path.abspath(os.environ["OPROFILE_CORPORA"])))
    with tempfile.TemporaryDirectory(prefix="op-weights-") as scratch:
        os.chdir(given.keep or scratch)
        os.makedirs("nothing", exist_ok=True)
        if not given.files:
            import generate
            for name, path, form, symbols, want in generate.inputs(given.first, given.seeds,
                                                                   given.only):
                case = Case(judge, given.tools, name, path, form, symbols)
                generate.check_reader(judge, name, case.source, want)
                if case.is_empty():
                    continue
                case.check(wanted)
                inputs += 1
        for path in files:
            form, is_damaged = form_of(given.tools, path)
            name = os.path.basename(path)
            if form not in sources.READERS:
                judge.no_place("(input)", "no reader of format %s" % form)
                continue
            try:
                case = Case(judge, given.tools, name, path, form)
            except (LeftOut, NotImplementedError) as why:
                judge.no_place("(input)", "%s: %s" % (form, why))
                continue
            except Exception as error:
                judge.fail(name, "reader of " + form, repr(error))
                continue
            if case.is_empty():
                judge.no_place("(input)", "no samples")
                continue
            case.is_damaged = is_damaged
            case.check(wanted)
            inputs += 1
    for form in sorted(judge.compared):
        print("%-22s %5d tables compared, %d differ" % (form, judge.compared[form],
                                                        judge.failed[form]))
    for form in sorted(judge.places):
        for why, n in judge.places[form].items():
            print("%-22s no place: %s (%d)" % (form, why, n))
    failed = sum(judge.failed.values())
    print("%d inputs, %d tables of %d numbers compared, %d differ" % (
        inputs, sum(judge.compared.values()), judge.numbers, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
