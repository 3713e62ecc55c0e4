#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Recordings of perf hold for us what "perf script" prints: for each process, image and offset the
# same number of samples, and with call chains, of frames; and the same names of functions.  Then
# the same of what we write as perf.data.
#
#	perf_script.py fixed|live TOOLS SHOW_PROFILE BUSY
#
# fixed: of recordings that are always the same (fixed.py).  live: of fresh ones, in all the forms
# that perf has.
# TOOLS: the folder of opimport and opexport.  BUSY: something to profile.
# Exit codes: 0 all is the same, 1 something is not, 77 perf is absent, or it may not record.

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import fixed
from checks import SKIP, check, finish, leave_out, run

# -B: perf 6.1 crashes when it looks for build-ids, if at the same time somebody else has the kernel
# tell those of mappings: the kernel then says of all mappings that they have one.  perf script may
# crash on such a recording, too.
RECORD = ("perf", "record", "-qB", "-F", "999")
CHAINS = ("-e", "cpu-clock", "-g")
WAYS = {
    "plain": ("-e", "cpu-clock"),
    "chains": CHAINS,
    "pipe": CHAINS,
    "directory": (*CHAINS, "--threads"),
    "build-ids": (*CHAINS, "--buildid-mmap"),
    "compressed": (*CHAINS, "-z"),
    "two events": ("-e", "cpu-clock,task-clock", "-g"),
    "dwarf": ("-e", "cpu-clock", "--call-graph", "dwarf,1024"),
}
FIXED_WAYS = {
    "plain": {"has_chains": False},
    "chains": {},
    "pipe": {"is_pipe": True},
    "two events": {"events": ("cpu-clock", "task-clock")},
    "frequency": {"has_periods": True},
}
CRASHES_MOST = 5
UNKNOWN = "[unknown]"  # sessions keep no addresses of such frames


def segments(image):
    """Where a file has code: (address in its symbol table, offset in the file, size)."""
    if image not in segments.known:
        text = run("readelf", "-lW", image) if image.startswith("/") else ""
        segments.known[image] = [
            (int(address, 16), int(offset, 16), int(size, 16)) for offset, address, size in
            re.findall(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)", text)]
    return segments.known[image]


segments.known = {}


def offset_of(mappings, image, address):
    """In the image, of an address of its symbol table, or of a process."""
    if image == UNKNOWN:
        return 0
    for start, end, offset in mappings.get(image, ()):
        if start <= address < end:
            return address - start + offset
    for start, offset, size in segments(image):
        if start <= address < start + size:
            return address - start + offset
    return address


def mappings_of(path):
    mappings = collections.defaultdict(list)
    for image, *numbers in re.findall(r"^image (.*) ([0-9a-f]+)-([0-9a-f]+) @([0-9a-f]+)",
                                      run(show_profile, "-v", "perf", path), re.MULTILINE):
        mappings[image].append([int(number, 16) for number in numbers])
    return mappings


def imported(path):
    """
    What we read: samples by process, image and offset, how many there are, and names of functions
    by offset: those of the program, since tools differ in which of several names they choose.
    """
    run(tool("opexport"), "--from=" + path, "--to=pprof", "-o", "exported")
    table, total, names = collections.Counter(), 0, {}
    for line in run(show_profile, "pprof", "exported").splitlines():
        count = sum(int(n) for n in re.findall(r"(?:^| )(\d+)/\d+(?= )", line))
        total += count
        pid = int(re.search(r" pid=(\d+)", line).group(1))
        # " IMAGE+OFFSET[INLINED FILE:LINE][FUNCTION FILE:LINE]"
        frames = re.findall(r" (\S+?)\+([0-9a-f]+)(?:\[([^] ]*)[^]]*\])*(?= |$)", line)
        for image, offset, function in frames:
            offset = 0 if image == UNKNOWN else int(offset, 16)
            table[pid, image, offset] += count
            if image == busy:
                names[offset] = function
    os.remove("exported")
    return table, total, names


def script(path, is_pipe=False, is_unwound=False):
    """
    The same of what perf script prints, or None if it crashes.  Callers that perf has unwound are
    addresses in their calls, not behind them.
    """
    with open(path if is_pipe else os.devnull, "rb") as pipe:
        out = subprocess.run(["perf", "script", "-i", "-" if is_pipe else path, "--no-inline",
                              "-F", "pid,ip,sym,symoff,dso"], stdin=pipe, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if out.returncode < 0:
        return None
    if out.returncode:
        sys.exit("perf script: " + out.stderr.decode())
    table, total, names = collections.Counter(), 0, {}
    pid, depth, was_kernel = None, 0, False
    mappings = mappings_of(path)
    for line in out.stdout.decode().splitlines():
        # A sample begins with its process; its frames are on that line or on the next.
        begin = re.match(r" *(\d+) *(?:$|(?=[0-9a-f]+ ))", line) if line[:1] != "\t" else None
        if begin:
            pid, line, depth, was_kernel = int(begin.group(1)), line[begin.end():], 0, False
            total += 1
        # "55d4c0de1179 cmp+0x4 (/tmp/busy)"
        frame = re.match(r"\s*([0-9a-f]+) (.+?)(?:\+0x([0-9a-f]+))? \((.*)\)$", line)
        if frame:
            address, function, distance, image = frame.groups()
            # callers are looked up inside of their calls, but nothing called what is behind the
            # kernel's frames: the kernel was entered there
            offset = offset_of(mappings, image, int(address, 16))
            is_kernel = image == "[kernel.kallsyms]"
            is_return = depth and (is_kernel or not (was_kernel or is_unwound))
            was_kernel = is_kernel
            offset -= bool(offset and is_return)
            table[pid, image, offset] += 1
            # a call at the end of a function returns behind it
            if image == busy and not (is_return and distance == "0"):
                names[offset] = function
            depth += 1
    return table, total, names


# Of frames that were unwound: perf knows the frames of the vdso, and a few others.
UNWOUND_MOST = 0.05


def compare(what, ours, theirs, is_unwound=False):
    check(what + ": number of samples", ours[1], theirs[1])
    check(what + ": enough samples", ours[1] > 50, True)
    if is_unwound:
        for side in ours[0], theirs[0]: # perf goes on where the copy of the stack ends
            for place in [place for place in side if place[1] == UNKNOWN]:
                del side[place]
        apart = (ours[0] - theirs[0]).total() + (theirs[0] - ours[0]).total()
        print("        %s: %d of %d frames differ" % (what, apart, theirs[0].total()))
        check(what + ": places", apart <= UNWOUND_MOST * theirs[0].total(), True)
        check(what + ": names", {offset: ours[2][offset] for offset in ours[2]
                                 if offset in theirs[2]},
              {offset: theirs[2][offset] for offset in ours[2] if offset in theirs[2]})
        return
    check(what + ": places", dict(ours[0] - theirs[0]), dict(theirs[0] - ours[0]))
    check(what + ": names", {offset: ours[2].get(offset) for offset in theirs[2]}, theirs[2])


def tool(name):
    return os.path.join(tools, name)


def notes(path):
    return re.findall("^note .*", run(show_profile, "-v", "perf", path), re.MULTILINE)


def record(path, *options, seconds="0.15"):
    run(*RECORD, *options, "-o", path, busy, seconds)


def fixed_recordings_hold_what_perf_prints():
    for way, options in FIXED_WAYS.items():
        fixed.write_perf("recording", busy, **options)
        compare(way, imported("recording"), script("recording", way == "pipe"))


def recordings_hold_what_perf_prints(way):
    path = way.replace(" ", "_")
    for _ in range(CRASHES_MOST):
        if way == "pipe":
            with open(path, "wb") as pipe:
                subprocess.run([*RECORD, *WAYS[way], "-o", "-", busy, "0.15"], stdout=pipe,
                               stderr=subprocess.PIPE, check=True)
        else:
            record(path, *WAYS[way])
        theirs = script(path, way == "pipe", way == "dwarf")
        if theirs:
            compare(way, imported(path), theirs, way == "dwarf")
            check(way + ": copies of stacks are noted",
                  any("copies of the stack" in note for note in notes(path)), way == "dwarf")
            return
        run("rm", "-r", path)
    leave_out(way, "perf script crashes on what perf record made")


def perf_prints_what_we_wrote():
    if is_live:
        record("own.data", "-e", "cpu-clock,task-clock", "-g")
    else:
        fixed.write_perf("own.data", busy, events=("cpu-clock", "task-clock"))
    ours = imported("own.data")
    run(tool("opexport"), "--from=own.data", "--to=perf", "-o", "file")
    run("sh", "-c", '"$1" --from=own.data --to=perf | cat >pipe', "sh", tool("opexport"))
    for form in "file", "pipe":
        is_pipe = form == "pipe"
        compare("written " + form, ours, script(form, is_pipe=is_pipe))
        report = ("perf", "report", "-i", "-" if is_pipe else form)
        with open(form, "rb") as pipe:
            stats = subprocess.run([*report, "--stats"], stdin=pipe, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, check=True).stdout.decode()
        check(form + ": perf report counts all samples",
              int(re.search(r"SAMPLE events: *(\d+)", stats).group(1)), ours[1])
        with open(form, "rb") as pipe:
            functions = subprocess.run([*report, "--stdio", "--no-children", "-g", "none",
                                        "--percent-limit", "0"], stdin=pipe, check=True,
                                       stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE).stdout.decode()
        check(form + ": perf report shows functions",
              bool(re.search(" (enter_kernel|descend|scatter)", functions)), True)


def recordings_of_killed_recorders_are_recovered():
    """They are files that perf itself does not read."""
    enough_bytes, seconds = 100000, 60
    end = time.monotonic() + seconds
    with subprocess.Popen(["perf", "record", "-qB", "-F", "20000", *CHAINS, "-m", "16", "-o",
                           "killed.data", busy, "2"], stderr=subprocess.PIPE) as recorder:
        while time.monotonic() < end and not (
                os.path.exists("killed.data") and
                os.path.getsize("killed.data") >= enough_bytes):
            time.sleep(0.01)
        recorder.kill()
    shown = run(show_profile, "-v", "perf", "killed.data")
    check("killed: it is noted", bool(re.search("^note .*killed", shown, re.MULTILINE)), True)
    samples = sum(int(n) for n in re.findall(r"^(\d+)/\d+ ", shown, re.MULTILINE))
    check("killed: samples are recovered", samples > 100, True)


def sessions_hold_what_perf_prints():
    """A pipe becomes a session, and that a file for perf, with as much of each function."""
    if is_live:
        recorder = (*RECORD, *CHAINS, "-o", "-", busy, "0.15")
    else:
        fixed.write_perf("recorded", busy, is_pipe=True)
        recorder = ("cat", "recorded")
    run("sh", "-c", '"$@" 2>record.log | tee pipe.data | "$0" --separate=lib,thread -o session -',
        tool("opimport"), *recorder)
    run(tool("opexport"), "--to=perf", "--session-dir=session", "-o", "of_session")
    compare("session", imported("pipe.data"), script("of_session"))


def live():
    try:
        record("try.data", "-e", "cpu-clock", seconds="0.1")
    except (FileNotFoundError, SystemExit):
        print("skipped: perf is absent, or may not record here")
        sys.exit(SKIP)
    for way in WAYS:
        recordings_hold_what_perf_prints(way)
    perf_prints_what_we_wrote()
    recordings_of_killed_recorders_are_recovered()
    sessions_hold_what_perf_prints()


def main():
    if is_live:
        live()
    elif not shutil.which("perf"):
        print("skipped: there is no perf (Debian: linux-perf)")
        sys.exit(SKIP)
    else:
        fixed_recordings_hold_what_perf_prints()
        perf_prints_what_we_wrote()
        sessions_hold_what_perf_prints()
    finish()


is_live = sys.argv[1] == "live"
tools, show_profile, busy = (os.path.realpath(word) for word in sys.argv[2:])
with tempfile.TemporaryDirectory(prefix="perf_script.") as scratch:
    os.chdir(scratch)
    main()
