#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Names and lines of random addresses are those of gdb and addr2line.

addresses.py MAKE_SESSION OPREPORT SOURCES

Programs are built in many ways, from SOURCES.  Where gdb and addr2line differ, either will do;
where neither says what opreport does, the address is printed.
"""
import collections
import csv
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from symbol_names import Names, listing_of

ADDRESSES = 2000

# name: commands; "{src}" is SOURCES.  Each makes "prog"; "whole" has the same code, and debug
# information that addr2line can read, if that of "prog" is not.
BUILDS = {
    "gcc -O0": ["g++ -O0 -g -o prog {src}/inlined.cc"],
    "gcc -O1, dwarf 4": ["g++ -O1 -gdwarf-4 -o prog {src}/inlined.cc"],
    "gcc -O2": ["g++ -O2 -g -o prog {src}/inlined.cc"],
    "gcc -O3 -flto": ["g++ -O3 -g -flto -o prog {src}/inlined.cc"],
    "gcc, split dwarf": ["g++ -O2 -g -gsplit-dwarf -o prog {src}/inlined.cc",
                         "g++ -O2 -g -o whole {src}/inlined.cc"],
    "gcc, removed functions": ["g++ -O2 -g -ffunction-sections -Wl,--gc-sections -o prog "
                               "{src}/inlined.cc"],
    "gcc, strip -s": ["g++ -O2 -g -rdynamic -o prog {src}/inlined.cc", "strip -s prog"],
    "gcc, strip -x": ["g++ -O2 -g -o prog {src}/inlined.cc", "strip -x prog"],
    "gcc, strip -g": ["g++ -O2 -g -o prog {src}/inlined.cc", "strip -g prog"],
    "gcc, debug link": ["g++ -O2 -g -o prog {src}/inlined.cc",
                        "objcopy --only-keep-debug prog prog.debug",
                        "strip -s prog", "objcopy --add-gnu-debuglink=prog.debug prog"],
    "clang -O2": ["clang++ -O2 -g -o prog {src}/inlined.cc"],
    "clang -O3 -flto": ["clang++ -O3 -g -flto -fuse-ld=lld -o prog {src}/inlined.cc"],
    "clang, split dwarf": ["clang++ -O2 -g -gsplit-dwarf -o prog {src}/inlined.cc",
                           "clang++ -O2 -g -o whole {src}/inlined.cc"],
    "assembly": ["gcc -g -nostdlib -static -o prog {src}/prog.s"],
    "rust": ["rustc -O -g -o prog {src}/words.rs"],
}


def run(command, check=True, **arguments):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, check=check,
                          stderr=subprocess.DEVNULL, **arguments).stdout


def code_sections(program):
    """(address, file offset, size) of the sections with code, but for stubs of libraries, which
    have no symbols of their own."""
    sections = []
    for line in run(["readelf", "-SW", program]).splitlines():
        words = re.sub(r"^ *\[ *\d+\] *", "", line).split()
        if len(words) > 6 and "X" in words[6] and not words[0].startswith(".plt"):
            sections.append((int(words[2], 16), int(words[3], 16), int(words[4], 16)))
    return sections


def choose(program):
    """Addresses, with their offsets in the file."""
    rng = random.Random(7)
    places = [(address + i, offset + i) for address, offset, size in code_sections(program)
              for i in range(size)]
    return dict(sorted(rng.sample(places, min(ADDRESSES, len(places)))))


def opinion(function, line):
    return (function or None, line if line and line > 0 else None)


def ask_opreport(tools, program, offsets):
    session = tempfile.mkdtemp()
    make_session, opreport = tools
    described = f"image {program} TIMER\n" + "\n".join(
        f"{offset:#x} 1" for offset in offsets.values())
    run([make_session, session], input=described)
    table = run([opreport, "--session-dir=" + session, "-d", "-g", "--csv", "--demangle=none"],
                env=dict(os.environ, DEBUGINFOD_URLS=""))
    shutil.rmtree(session)
    said = {}
    for row in csv.DictReader(line for line in table.splitlines() if line[0] != "#"):
        is_named = row["symbol"] != program and not row["symbol"].startswith("anonymous symbol")
        name = row["symbol"] if is_named else None
        said[int(row["address"], 16)] = opinion(name, int(row["line"] or 0))
    return said


def ask_addr2line(program, addresses):
    out = run(["addr2line", "-a", "-i", "-f", "-e", program],
              input="\n".join(f"{address:#x}" for address in addresses)).splitlines()
    said, at = {}, 0
    while at < len(out):
        address = int(out[at], 16)
        end = at + 1
        while end < len(out) and not re.match("0x[0-9a-f]+$", out[end]):
            end += 2
        line = re.sub(r" \(discriminator.*", "", out[at + 2]).rsplit(":", 1)[1]
        function = out[end - 2]
        said[address] = opinion(function if function != "??" else None,
                                int(line) if line.isdigit() else 0)
        at = end
    return said


def ask_gdb(program, addresses):
    script = ["set demangle off", "set print asm-demangle off", "set width 0", "set confirm off",
              "set prompt"]
    for address in addresses:
        script += [f"echo @{address:#x}\\n", f"info symbol {address:#x}",
                   f"info line *{address:#x}"]
    # by stdin: an error, as where there is no symbol, ends a script
    out = run(["gdb", "-nx", "-q", program], check=False, input="\n".join(script) + "\n")
    said = {}
    for part in out.split("@0x")[1:]:
        lines = part.splitlines()
        text = " ".join(lines[1:])
        symbol = re.match(r"(.*?)(?: \+ \d+)? in section", text)
        line = re.search(r"Line (\d+) of", text)
        name = symbol and symbol[1].replace("[cold]", ".cold")
        said[int(lines[0], 16)] = opinion(name, int(line[1]) if line else 0)
    return said


def plain(listing):
    """Demangled, and with words joined."""
    lines = (line.split(None, 2) for line in run(["c++filt"], input=listing).splitlines())
    return "\n".join(" ".join([*words[:2], words[2].replace(" ", "_")])
                     for words in lines if len(words) == 3)


def demangle(said):
    names = sorted({name for name, _ in said.values() if name})
    shown = dict(zip(names, run(["c++filt"], input="\n".join(names)).splitlines()))
    return {address: (name and shown[name].replace(" ", "_"), line)
            for address, (name, line) in said.items()}


def compare(name, program, said, addresses):
    ours, gdb, addr2line = map(demangle, said)
    debug = program + ".debug"
    names = Names(plain(listing_of(program)),
                  plain(listing_of(debug)) if os.path.exists(debug) else "")
    counts = collections.Counter()
    examples = []

    def same(left, right):
        return left == right or (left and right and names.find(left) == names.find(right))

    for address in addresses:
        for what, mine, others in (
                ("name", ours[address][0], (gdb[address][0], addr2line[address][0])),
                ("line", ours[address][1], (gdb[address][1], addr2line[address][1]))):
            agree = [same(mine, other) if what == "name" else mine == other for other in others]
            counts[what, "both" if all(agree) else "one" if any(agree) else "none"] += 1
            if not any(agree):
                examples.append(f"    {address:#x} {what}: {mine}, gdb: {others[0]}, "
                                f"addr2line: {others[1]}")
    none = counts["name", "none"] + counts["line", "none"]
    print(f"{'NOT OK' if none else 'ok    '} {name}: {len(addresses)} addresses; names: "
          f"{counts['name', 'both']} as both, {counts['name', 'one']} as one of them, "
          f"{counts['name', 'none']} as neither; lines: {counts['line', 'both']}, "
          f"{counts['line', 'one']}, {counts['line', 'none']}")
    print("\n".join(examples[:20]))
    return none


def main():
    tools, sources = sys.argv[1:3], os.path.abspath(sys.argv[3])
    failures, skipped = 0, []
    for needed in ("gdb", "addr2line"):
        if not shutil.which(needed):
            print(f"skipped: there is no {needed}")
            sys.exit(77)
    for name, commands in BUILDS.items():
        if not shutil.which(commands[0].split()[0]):
            skipped.append(name)
            continue
        directory = tempfile.mkdtemp()
        for command in commands:
            run(command.format(src=sources).split(), cwd=directory)
        program = directory + "/prog"
        whole = directory + "/whole"
        readable = program
        if os.path.exists(whole):
            assert code_sections(whole) == code_sections(program)
            readable = whole
        offsets = choose(program)
        failures += bool(compare(name, program,
                                 (ask_opreport(tools, program, offsets),
                                  ask_gdb(program, offsets), ask_addr2line(readable, offsets)),
                                 offsets))
        shutil.rmtree(directory)
    for name in skipped:
        print(f"skipped: {name}: no compiler")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
