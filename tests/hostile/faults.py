#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Each system call of operf and of oprofiled --perf fails, at every n-th call up to 200.

Whatever fails: the program ends by itself, with one of its exit statuses, and the report that
follows says received = stored + lost; if the program said that all went well, nothing is missing,
and what a dump acknowledged is there.

    faults.py BUILD [operf|daemon]          a sample, for --seconds
    faults.py BUILD [operf|daemon] --all    all of them, in the order of --seed; takes hours
    faults.py BUILD ... --share=3/20        each 20th of them, from the third on
    faults.py BUILD ... --most=20           only at each n-th call up to 20
"""

import argparse
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import ending

CALLS_MOST = 200
SAMPLE = (1, 4, 12)  # of the calls that fail: the same in each run, as far as there is time
ANSWERING = 5  # seconds of sleep without an answer after which a daemon has no socket
TELL_EVERY = 500  # faults
SKIP = 77
NOT_EXECUTED, NOT_FOUND = 126, 127  # operf, of its program; the dynamic linker ends with 127, too


def parse_share(text):
    """Returns the two numbers of a share."""
    part, parts = map(int, text.split("/"))
    if not 1 <= part <= parts:
        raise ValueError(text)
    return part, parts


arguments = argparse.ArgumentParser()
arguments.add_argument("build")
arguments.add_argument("what", nargs="?", choices=["operf", "daemon"])
arguments.add_argument("--all", action="store_true")
arguments.add_argument("--seconds", type=int)
arguments.add_argument("--seed", type=int, default=int(time.time()))
arguments.add_argument("--share", type=parse_share, metavar="I/N", default=(1, 1),
                       help="the I-th of N equal parts of --all, from 1")
arguments.add_argument("--most", type=int, default=CALLS_MOST, help="at the n-th call up to this")
arguments.add_argument("--call", help="only this one")
arguments.add_argument("--n", type=int, help="only this one of its calls")
OPTIONS = arguments.parse_args()
BUILD = OPTIONS.build
OPTIONS.all |= OPTIONS.share != (1, 1) or OPTIONS.most != CALLS_MOST
OPTIONS.seconds = OPTIONS.seconds or (10**9 if OPTIONS.all else 12)
FAIL_CALL = f"{BUILD}/tests/hostile/fail_call"
OPERF = f"{BUILD}/daemon/operf/operf"
OPROFILED = f"{BUILD}/daemon/oprofiled"
OPREPORT = f"{BUILD}/pp/opreport"
SPIN = [f"{BUILD}/tests/native/workloads/churn", "spin", "30"]

SCRATCH = tempfile.mkdtemp(prefix="faults.", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
SESSION = f"{SCRATCH}/session"
COUNTS = f"{SCRATCH}/counts"
ENVIRONMENT = dict(os.environ, OPROFILE_SYMBOLS=f"{SCRATCH}/symbols", LC_ALL="C")


class Wrong(Exception):
    """What must not be."""


def stop(process):
    """Ends a process that hangs."""
    if process.poll() is None:
        process.kill()
        process.wait()


def limited(command):
    """Runs a command; returns its exit status and what it wrote to stdout and stderr."""
    with open(f"{SCRATCH}/out", "w+", encoding="utf-8", errors="replace") as out, \
         open(f"{SCRATCH}/err", "w+", encoding="utf-8", errors="replace") as err:
        process = subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err)
        try:
            status = ending.wait(process)
        except ending.Hangs as verdict:
            raise Wrong(f"{command[0]}: {verdict}") from verdict
        finally:
            stop(process)
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read()


def run_operf(fault):
    """Returns the exit status of operf, what it said, and what it acknowledged."""
    status, _, said = limited([FAIL_CALL, COUNTS, fault, OPERF, f"--session-dir={SESSION}",
                               "-e", "cpu-clock:250000", *SPIN])
    return status, said, 0


def ask(command):
    """Sends a command to the daemon; returns its reply, "" if there is none."""
    reply = b""
    try:
        with socket.socket(socket.AF_UNIX) as control:
            control.settimeout(5)
            control.connect(f"{SESSION}/control")
            control.sendall(f"{command}\n".encode())
            while not re.search(rb"^(ok|error.*)$", reply, re.M):
                part = control.recv(4096)
                if not part:
                    break
                reply += part
    except OSError:
        pass  # it cannot accept, or answer
    return reply.decode()


def wait_until_it_answers(daemon):
    """Waits for a daemon; one without a socket is ended as any other."""
    patience = ending.Patience(daemon.pid, ANSWERING)
    try:
        while daemon.poll() is None and "ok" not in ask("status"):
            patience.look()
            time.sleep(ending.LOOK_EVERY)
    except ending.Hangs:
        pass


def run_daemon(fault):
    """The same for the daemon: it is asked for a dump, and ended."""
    acknowledged = 0
    with open(f"{SCRATCH}/said", "w+", encoding="utf-8", errors="replace") as said:
        daemon = subprocess.Popen([FAIL_CALL, COUNTS, fault, OPROFILED, "--perf", "--foreground",
                                   "--no-vmlinux", f"--session-dir={SESSION}",
                                   "--events=cpu-clock:0:0:1000000:0:1:1"],
                                  env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=said)
        try:
            wait_until_it_answers(daemon)
            subprocess.run(SPIN, check=True)
            before = re.search(r"^samples (\d+)$", ask("status"), re.M)
            if before and ask("dump").endswith("ok\n"):
                acknowledged = int(before[1])
            daemon.terminate()
            status = ending.wait(daemon)
        except ending.Hangs as verdict:
            raise Wrong(f"oprofiled, told to end: {verdict}") from verdict
        finally:
            stop(daemon)
        said.seek(0)
        return status, said.read(), acknowledged


def check(status, acknowledged):
    """Compares what the program promised with its report."""
    if status not in (0, 1, 2, NOT_EXECUTED, NOT_FOUND):
        raise Wrong(f"ended with {status}")
    account = f"{SESSION}/samples/current/account"
    if not os.path.exists(account) and not os.path.exists(f"{SESSION}/samples/current/pack"):
        if status == 0 or acknowledged:
            raise Wrong(f"no session, exit status {status}")
        return "no session"
    report, out, said = limited([OPREPORT, f"--session-dir={SESSION}"])
    doubts = re.findall(r"^Account: .*", out, re.M)
    numbers = re.search(r"^Samples: (\d+) received, (\d+) stored(?: \([^)]*\))?, "
                        r"(?:(\d+) lost|none (?:of them )?lost|no losses noted)", out, re.M)
    if report or not numbers:
        if report == 1 and "no sample" in said and not acknowledged:
            if status == 0:
                raise Wrong(f"nothing to report, exit status 0: {said}")
            return "no samples"
        raise Wrong(f"opreport: {report}: {out[:300]}{said[:300]}")
    received, stored, lost = (int(n or 0) for n in numbers.groups())
    if received != stored + lost:
        raise Wrong(f"received {received}, stored {stored}, lost {lost}")
    if status == 0 and doubts:
        raise Wrong(f"exit status 0, and: {doubts}")
    if stored < acknowledged and not doubts:
        raise Wrong(f"{acknowledged} acknowledged, {stored} stored")
    return "lost" if lost else "whole"


PROGRAMS = {"operf": run_operf, "daemon": run_daemon}


def clean():
    """Removes the session, and what is kept for all sessions."""
    for folder in (SESSION, f"{SCRATCH}/symbols"):
        shutil.rmtree(folder, ignore_errors=True)


def counts():
    """Returns the calls that were made: (number, name, errno, how often)."""
    with open(COUNTS, encoding="utf-8") as lines:
        return [(int(a), b, int(c), int(d)) for a, b, c, d in map(str.split, lines)]


def plan(program):
    """Returns all faults of a program, (name, n, stays, fault)."""
    clean()
    status, said, acknowledged = PROGRAMS[program]("-")
    if status == SKIP:
        print(f"skip: {said.strip()}")
        sys.exit(SKIP)
    outcome = check(status, acknowledged)
    if status or outcome == "no samples":
        raise Wrong(f"{program} without a fault: {status}: {outcome}: {said}")
    faults = []
    for number, name, code, calls in counts():
        for n in range(1, min(calls, OPTIONS.most) + 1):
            for stays in ("", "+"):
                faults.append((name, n, stays, f"{number}:{n}{stays}:{code}"))
    # the dynamic linker does not survive that its first mmap() fails
    faults = [f for f in faults if f[:2] != ("mmap", 1)]
    return [f for f in faults if OPTIONS.call in (None, f[0]) and OPTIONS.n in (None, f[1])]


def run(program, end):
    """Runs faults of a program until the time is over; returns how many were wrong."""
    faults = plan(program)
    if OPTIONS.all:
        part, parts = OPTIONS.share
        # the order of the names, for how often a call is made differs between runs
        faults = sorted(faults)[part - 1::parts]
        random.Random(OPTIONS.seed).shuffle(faults)
    else:
        faults = [f for f in faults if f[1] in SAMPLE]
        faults.sort(key=lambda fault: (SAMPLE.index(fault[1]), fault[2] == "", fault[0]))
    outcomes, wrong, tried = {}, 0, set()
    for name, n, stays, fault in faults:
        if time.monotonic() > end:
            break
        clean()
        said = ""
        try:
            status, said, acknowledged = PROGRAMS[program](fault)
            outcome = f"exit {status}, {check(status, acknowledged)}"
        except Wrong as error:
            wrong += 1
            outcome = "wrong"
            print(f"{program}: {name}:{n}{stays}: {error}\n{said[-600:]}", flush=True)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        tried.add(name)
        if sum(outcomes.values()) % TELL_EVERY == 0:
            tell(program, outcomes, faults, tried)
    tell(program, outcomes, faults, tried)
    return wrong


def tell(program, outcomes, faults, tried):
    """Prints how far it is."""
    print(f"{program}: {sum(outcomes.values())} of {len(faults)} faults, "
          f"{len(tried)} calls: {dict(sorted(outcomes.items()))}", flush=True)


def main():
    """Runs a sample, or all."""
    programs = [OPTIONS.what] if OPTIONS.what else list(PROGRAMS)
    if os.geteuid():
        programs = [p for p in programs if p != "daemon"]
    print(f"seed {OPTIONS.seed}")
    seconds = OPTIONS.seconds / len(programs)
    wrong = sum(run(p, time.monotonic() + seconds) for p in programs)
    return 1 if wrong else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
