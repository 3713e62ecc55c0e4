# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of a fleet share: checks, sessions as the daemon closes them, commands.

The program that imports it has the arguments BUILD MAKE_SESSION.
"""
import os
import re
import shutil
import struct
import subprocess
import sys
import time

BUILD, MAKE_SESSION = (os.path.realpath(path) for path in sys.argv[1:3])
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SCHEMA = os.path.join(TOP, "system", "clickhouse")
START = 1700000000  # of the first session
passed = failed = skipped = 0


def check(what, good, said=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("ok     " if good else "NOT OK ", what, "" if good else f": {said}", flush=True)


def equal(what, got, wanted):
    check(what, got == wanted, f"{got!r}, not {wanted!r}")


def skip(what, why):
    global skipped
    skipped += 1
    print("skip   ", f"{what}: {why}", flush=True)


def finish():
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed else 0)


def until(condition, seconds=60):
    """Waits for a condition.  Return: what it was at the end."""
    for _ in range(seconds * 20):
        result = condition()
        if result:
            return result
        time.sleep(0.05)
    return condition()


# ---- sessions ----

def stamp(seconds):
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(seconds))


def make_image(folder, name="prog"):
    sources = os.path.join(TOP, "tests", "unit", "pp")
    subprocess.run(["gcc", "-nostdlib", "-static", "-Wl,-Ttext=0x401000",
                    "-Wl,--section-start=.odd=0x403000", "-o", f"{folder}/{name}",
                    f"{sources}/prog.s"], check=True)


def write_session(folder, name, text, **files):
    """It appears as a whole, as one that the daemon closes."""
    subprocess.run([MAKE_SESSION, "--name=making", folder], input=text, text=True, check=True)
    for file, content in files.items():
        with open(f"{folder}/samples/making/{file}", "w", encoding="utf-8") as out:
            out.write(content)
    shutil.rmtree(f"{folder}/samples/{name}", ignore_errors=True)
    os.rename(f"{folder}/samples/making", f"{folder}/samples/{name}")


def make_sessions(folder, host, chance, n, start=None, step=600):
    """As the daemon closes them: n sessions of ten minutes."""
    start = START if start is None else start
    for i in range(n):
        begin = start + step * i
        name = f"{stamp(begin)}-{stamp(begin + 600)}"
        counts = [chance.randrange(1, 1000) for _ in range(4)]
        total = sum(counts)
        text = f"""image prog TIMER
0x1010 {counts[0]}, 0x1030 {counts[1] + counts[3]}
image prog {{kern}}/kallsyms TIMER
0x10 {counts[2]}
stacks prog TIMER
stack {counts[3]} prog+0x1030 prog+0x1012 prog+0x1032
stat total_samples {total + 7}
stat samples_stored {total}
stat lost_no_space 7
"""
        write_session(folder, name, text, source="source perf\n",
                      kallsyms="ffffffff81000000 T _stext\nffffffff81000010 T first\n",
                      origin=f"hostname {host}\nstart-time {begin}000000000\n"
                             f"end-time {begin + 600}000000000\n")


# ---- commands ----

def environment(home="/nonexistent", **variables):
    """Of a command: the programs that were built, and nothing of this user's."""
    path = ":".join([f"{BUILD}/pp", f"{BUILD}/utils/oppush", os.environ["PATH"]])
    result = {key: value for key, value in os.environ.items()
              if not key.lower().endswith("_proxy") and key != "CURL_CA_BUNDLE"}
    return {**result, "PATH": path, "HOME": home, **variables}


def run(name, *words, home="/nonexistent", variables=None, **options):
    return subprocess.run([name, *words], capture_output=True, text=True, timeout=300,
                          env=environment(home, **(variables or {})), **options)


def push(to, folder, spool, *words):
    return run("oppush", f"--to={to}", f"--session-dir={folder}", f"--spool={spool}", "--once",
               *words)


def waiting_in(spool):
    """Files of sessions in the part that ClickHouse has."""
    return [name for _, _, names in os.walk(spool) for name in names if name.endswith(".fleet")]


def stacks(*words):
    """The samples of each stack, as opexport writes them: the sum over sessions and hosts."""
    sums = {}
    done = run("opexport", "--to=folded", "--output=-", *words)
    for line in done.stdout.splitlines():
        stack, _, number = line.rpartition(" ")
        sums[stack] = sums.get(stack, 0) + int(number)
    return sums or done.stderr


def added(*sums):
    total = {}
    for some in sums:
        for stack, number in some.items():
            total[stack] = total.get(stack, 0) + number
    return total


# ---- tables of a session ----

def columns_of_tables():
    """As tables.h has them: name to columns."""
    with open(f"{TOP}/pp/formats/store/tables.h", encoding="utf-8") as header:
        rows = re.findall(r'ROW\(FLEET_\w+, "(\w+)",((?:\s|\\|"[^"]*")+),', header.read())
    return {name: "".join(re.findall('"([^"]*)"', columns)) for name, columns in rows}


def read_tables(path):
    """Name to rows of each table of a file."""
    with open(path, "rb") as file:
        data = file.read()
    tables, at = {}, data.index(b"\n") + 1
    while at < len(data):
        n = data[at]
        length, = struct.unpack_from("<Q", data, at + 1 + n)
        tables[data[at + 1:at + 1 + n].decode()] = data[at + 9 + n:at + 9 + n + length]
        at += 9 + n + length
    return tables


def tables_of(folder, session, *options):
    """The tables of a session, as opexport writes them."""
    done = run("opexport", "--to=fleet", f"--session-dir={folder}", f"session:{session}",
               f"--output={folder}/tables", *options)
    if done.returncode:
        sys.exit(done.stderr)
    return read_tables(f"{folder}/tables")
