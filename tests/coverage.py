#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Adds up which lines of the kernel module the guests executed, and prints how many, by file.

	coverage.py [--least PERCENT] [--missed FILE] FOLDER...

Below each FOLDER lie the archives that guests leave (coverage.tar.gz, see vm/guest/closing):
gcov's counters, each by the absolute path of the object that was compiled here, so that its
.gcno is still beside it.  Objects of any build count, KUnit's too, because it is lines of
module/ that are added up.  --missed gets the lines that nothing reached, as "FILE:FIRST-LAST".

Exit codes: 0 done, 1 less than PERCENT of the lines (default 0), 2 nothing to go by."""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent


def unpack(archive, folder):
    """Puts the counters below folder, each with its .gcno; returns their paths, by build."""
    builds = collections.defaultdict(list)
    with tarfile.open(archive) as members:
        for member in members:
            if not member.isfile() or not member.name.endswith(".gcda"):
                continue
            object_path = pathlib.Path("/", member.name)
            if ".." in object_path.parts:
                raise ValueError(f"{archive}: a path leads outside: {member.name}")
            notes = object_path.with_suffix(".gcno")
            if not notes.exists():
                raise ValueError(f"{archive}: {notes} is gone")
            copy = folder / object_path.relative_to("/")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(members.extractfile(member).read())
            copy.with_suffix(".gcno").symlink_to(notes)
            builds[object_path.parent].append(copy)
    return builds


def source_of(name, build):
    """The file of module/ that gcov means, relative to the top; None: it is another's."""
    path = pathlib.Path(os.path.realpath(build / name))
    try:
        path = path.relative_to(TOP)
    except ValueError:
        return None
    return str(path) if path.parts[0] == "module" else None


def add(archive, lines):
    """Adds what one guest executed to lines: {source: {number: count}}."""
    with tempfile.TemporaryDirectory() as folder:
        for build, counters in unpack(archive, pathlib.Path(folder)).items():
            said = subprocess.run(
                ["gcov", "--json-format", "--stdout", *(str(c) for c in counters)],
                cwd=folder, check=True, capture_output=True, text=True)
            if "stamp mismatch" in said.stderr:
                raise ValueError(f"{archive}: the objects in {build} were built anew since")
            for text in said.stdout.splitlines():
                report = json.loads(text)
                for file in report["files"]:
                    source = source_of(file["file"], pathlib.Path(
                        report["current_working_directory"]))
                    if source is None:
                        continue
                    for line in file["lines"]:
                        lines[source][line["line_number"]] += line["count"]


def ranges(numbers):
    """[1, 2, 3, 7] -> "1-3", "7" """
    begin = last = None
    for number in [*sorted(numbers), None]:
        if last is not None and number == last + 1:
            last = number
            continue
        if begin is not None:
            yield str(begin) if begin == last else f"{begin}-{last}"
        begin = last = number


def print_table(lines):
    """Returns the total's percentage."""
    rows = [(source, sum(map(bool, counts.values())), len(counts))
            for source, counts in sorted(lines.items())]
    rows.append(("module/ in all", sum(r[1] for r in rows), sum(r[2] for r in rows)))
    width = max(len(row[0]) for row in rows)
    print(f"{'file':{width}}  reached  lines  percent")
    for name, reached, all_lines in rows:
        print(f"{name:{width}}  {reached:7}  {all_lines:5}  {100 * reached / all_lines:6.1f}%")
    return 100 * rows[-1][1] / rows[-1][2]


def main():
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--least", type=float, default=0)
    parser.add_argument("--missed")
    parser.add_argument("folders", nargs="+")
    options = parser.parse_args()

    archives = [path for folder in options.folders
                for path in pathlib.Path(folder).rglob("coverage.tar.gz") if path.stat().st_size]
    lines = collections.defaultdict(collections.Counter)
    try:
        for archive in archives:
            add(archive, lines)
    except (OSError, ValueError, tarfile.TarError, subprocess.CalledProcessError) as error:
        print(f"coverage: error: {getattr(error, 'stderr', None) or error}", file=sys.stderr)
        return 2
    if not lines:
        print(f"coverage: error: no guest left any below {' '.join(options.folders)}",
              file=sys.stderr)
        return 2
    percent = print_table(lines)
    print(f"from {len(archives)} guests")
    if options.missed:
        with open(options.missed, "w", encoding="utf-8") as missed:
            for source, counts in sorted(lines.items()):
                for part in ranges(n for n, count in counts.items() if not count):
                    print(f"{source}:{part}", file=missed)
    return 1 if percent < options.least else 0


if __name__ == "__main__":
    sys.exit(main())
