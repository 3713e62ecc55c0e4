#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""oprofiled is killed at random moments of a replay.

Every sample file must open, nothing that a dump has acknowledged may be missing, nothing may be
counted that was not in the recording, and the next daemon must mend what it finds.

    kills.py BUILD [KILLS]
"""

import collections
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

BUILD = sys.argv[1]
KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
OPROFILED = f"{BUILD}/daemon/oprofiled"
OPDB = f"{BUILD}/utils/opdb/opdb"

BUFFERS = 50
SAMPLES = 400  # of each buffer
IMAGES = 12
PLACES = 512  # of each image: enough for files to grow while they are used
FIRST_COOKIE = 0x100


def sample(buffer, i):
    """Returns image and place; new places turn up all the time."""
    number = (buffer * SAMPLES + i) * 2654435761 % 2**32
    number ^= number >> 15
    return number % IMAGES, (number >> 8) % (1 + buffer * PLACES // BUFFERS)


RECORDED = [[sample(buffer, i) for i in range(SAMPLES)] for buffer in range(BUFFERS)]
# One sample of each image, at a place that the other recording has not.
NEXT = [[(image, PLACES) for image in range(IMAGES)]]


def record(path, buffers):
    """Writes a recording."""
    lines = [r"facts pointer_size 8\ncpu_type timer\ncpu_mhz 2000.000\n"]
    lines += [f"image {FIRST_COOKIE + image} 0 1000 /lib/{image}" for image in range(IMAGES)]
    for buffer in buffers:
        words = [f"cookie {FIRST_COOKIE + image} {place} 0" for image, place in buffer]
        lines.append(f"words cpu 0 context 1 1 {FIRST_COOKIE} user {' '.join(words)}")
    with open(path, "wb") as out:
        subprocess.run([f"{BUILD}/tests/commands/make_recording"], input="\n".join(lines),
                       text=True, stdout=out, check=True)


def start(recording):
    """Returns a daemon that is ready."""
    daemon = subprocess.Popen(
        [OPROFILED, f"--replay={recording}", "--session-dir=session", "--no-vmlinux"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = ""
    while "is ready" not in said:
        line = daemon.stdout.readline()
        assert line, f"the daemon has ended: {said}"
        said += line
    return daemon


def dump():
    """Returns how many buffers the daemon acknowledges; None: it has ended."""
    with socket.socket(socket.AF_UNIX) as control:
        try:
            control.connect("session/control")
            control.sendall(b"dump\n")
            reply = control.makefile().read()
        except (FileNotFoundError, ConnectionError):
            return None
    assert not reply.startswith("error"), reply
    return int(reply.split()[1]) if reply.endswith("\nok\n") else None


def dump_until(deadline):
    """Returns the buffers that the last dump has acknowledged."""
    acknowledged = 0
    while time.monotonic() < deadline:
        buffers = dump()
        if buffers is None:
            break
        acknowledged = buffers
    return acknowledged


def count(buffers):
    return collections.Counter(one for buffer in buffers for one in buffer)


def sample_files():
    """Returns the path of each image's sample file that exists."""
    paths = {image: f"session/samples/current/{{root}}/lib/{image}/{{dep}}/{{root}}/lib/{image}"
                    "/TIMER.0.0.all.all.all" for image in range(IMAGES)}
    return {image: path for image, path in paths.items() if os.path.exists(path)}


def counted():
    """Returns the samples of the session's files, each of which must open."""
    files = sample_files()
    if not files:
        return collections.Counter()
    shown = subprocess.run([OPDB, "dump", "--merged", "--json", *files.values()],
                           capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert len(lines) == len(files), shown.stdout
    return collections.Counter({(image, int(key, 16)): samples
                                for image, line in zip(files, lines)
                                for key, samples in json.loads(line)["entries"]})


def problems():
    """Returns what breaks the rules of sample files."""
    files = sample_files().values()
    return files and subprocess.run([OPDB, "check", *files], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True, check=False).stdout


def assert_between(least, samples, most):
    missing, added = least - samples, samples - most
    assert not missing, f"acknowledged and lost, by image and place: {missing}"
    assert not added, f"counted and not recorded, by image and place: {added}"


def nothing_acknowledged_is_lost():
    record("recording", RECORDED)
    record("next", NEXT)
    total, after = count(RECORDED), count(NEXT)
    daemon = start("recording")
    began = time.monotonic()
    daemon.communicate()
    assert daemon.returncode == 0
    duration = time.monotonic() - began
    assert_between(total, counted(), total)
    shutil.rmtree("session")

    tally = collections.Counter()
    random.seed(1)
    # a replay that ends before its kill does not count, on a slow machine either
    while tally["killed"] < KILLS or tally["acknowledged"] < KILLS // 4:
        daemon = start("recording")
        # dumps slow it down
        buffers = dump_until(time.monotonic() + random.random() * 4 * duration)
        daemon.kill()
        daemon.communicate()
        assert daemon.returncode in (0, -9), daemon.returncode
        tally["killed" if daemon.returncode else "ended"] += 1
        tally["acknowledged"] += buffers > 0

        acknowledged = count(RECORDED[:buffers] if daemon.returncode else RECORDED)
        samples = counted()
        tally["samples"] += sum(samples.values())
        assert_between(acknowledged, samples, total)
        # a file may be a store short of its rules; the next daemon mends that
        if problems():
            tally["mended"] += 1
            start("next").communicate()
            assert not problems(), problems()
            assert_between(acknowledged + after, counted(), total + after)
        shutil.rmtree("session")
    assert tally["samples"], "no sample was ever counted"
    print(dict(tally))


def fast_directory():
    """Returns where files are in memory: most of the time goes to writing and removing them, and
    a kill leaves the same there as on a disk.  None: there is no room."""
    shared = "/dev/shm"
    room = os.statvfs(shared) if os.access(shared, os.W_OK) else None
    return shared if room and room.f_bavail * room.f_frsize > 64 << 20 else None


with tempfile.TemporaryDirectory(prefix="op-kills.", dir=fast_directory()) as directory:
    os.chdir(directory)
    try:
        nothing_acknowledged_is_lost()
    finally:
        os.chdir("/")
