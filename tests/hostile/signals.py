#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: users whose programs root looks at cannot stop, slow down or end the processes that read
# covers: them: reports of eight users' programs, each of whom tries to, have all names
#
#	signals.py BUILD

import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

USERS = range(61100, 61108)
LIMIT = 60  # seconds, for a report that takes one; with stopped processes it took 66


def children(parent):
    """The processes that a process has started."""
    try:
        with open(f"/proc/{parent}/task/{parent}/children", encoding="ascii") as listed:
            return [int(pid) for pid in listed.read().split()]
    except OSError:
        return []


def attack(pid):
    """Does to a process what a user may do to his own; returns what was allowed."""
    ways = (lambda: os.kill(pid, signal.SIGSTOP),
            lambda: os.kill(pid, signal.SIGKILL),
            lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)),
            lambda: os.setpriority(os.PRIO_PROCESS, pid, 19),
            lambda: resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0)))
    allowed = 0
    for way in ways:
        try:
            way()
            allowed += 1
        except ProcessLookupError:
            return allowed, 0
        except PermissionError:
            pass
    return allowed, 1


def attacker(user, parent):
    """Attacks all children of @parent while it lives; writes how many attacks, and successes."""
    ready, out = os.pipe()
    children(parent)  # what Python loads for it, the user may not be able to read
    pid = os.fork()
    if pid:
        os.close(out)
        return pid, ready
    try:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
        tries = successes = 0
        while os.path.exists(f"/proc/{parent}"):
            for child in children(parent):
                allowed, met = attack(child)
                successes += allowed
                tries += met
        os.write(out, f"{tries} {successes}".encode())
    finally:
        os._exit(0)


def hot(program):
    """The offset of a function."""
    names = subprocess.run(["nm", program], capture_output=True, text=True, check=True)
    return int(re.search(r"^(\w+) t storm_spin", names.stdout, re.M)[1], 16)


def report(build, top, attacked):
    """Reports on the users' programs; returns the output, attacks, and successful ones."""
    read, write = os.pipe()
    # it begins when the attackers are there
    command = ["sh", "-c", f"read _ <&{read}; exec \"$@\"", "sh", f"{build}/pp/opreport",
               f"--session-dir={top}", "-l", "-g"]
    with open(f"{top}/said", "w+", encoding="utf-8") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, pass_fds=[read])
        attackers = [attacker(user, process.pid) for user in USERS] if attacked else []
        os.write(write, b"\n")
        begun = time.monotonic()
        try:
            status = process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        seconds = time.monotonic() - begun
        results = []
        for pid, ready in attackers:
            os.waitpid(pid, 0)
            results.append([int(n) for n in os.read(ready, 100).split()])
            os.close(ready)
        said.seek(0)
        text = said.read()
    os.close(read)
    os.close(write)
    return status, text, sum(n for n, _ in results), sum(n for _, n in results), seconds


def main():
    if os.geteuid():
        print("skip: not root")
        return 77
    build = sys.argv[1]
    program = f"{build}/tests/native/workloads/storm"
    with tempfile.TemporaryDirectory(prefix="hostile-signals-") as top:
        os.chmod(top, 0o755)
        os.environ.update(HOME=top, OPROFILE_SYMBOLS=f"{top}/symbols", LC_ALL="C")
        images = ""
        for user in USERS:
            path = f"{top}/program-{user}"
            shutil.copy(program, path)
            os.chown(path, user, user)
            images += f"image {path} TIMER\n0x{hot(program):x} 3\n"
        subprocess.run([f"{build}/tests/commands/make_session", top], input=images, text=True,
                       check=True)
        tries = 0
        for attacked in (False, True, True, True):
            status, text, met, successes, seconds = report(build, top, attacked)
            found = len(re.findall(r"storm_spin", text))
            print(f"{'attacked' if attacked else 'alone':8} {met} attacks, {successes} allowed, "
                  f"{found} names, {seconds:.1f} s")
            tries += met
            if status or successes or found < len(USERS):
                print("NOT OK\n" + text[-3000:])
                return 1
        if not tries:
            print("NOT OK: nobody has attacked")
            return 1
    return 0


sys.exit(main())
