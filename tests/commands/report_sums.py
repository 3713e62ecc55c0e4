#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random sessions, and sums of reports, for tests of commands.

report_sums.py make SEED SEPARATION...     a description for make_session; "stored N" goes to stderr
report_sums.py check DOC STORED FILE...    each report holds as many samples, and fits its schema

The suffix of a file is the kind of report: .summary, .symbols and .details are text of opreport,
.annotation of opannotate; .xml, .json and .csv.  Of ./part* only the schema is checked.
A schema that cannot be checked here, because xmllint or jsonschema is missing, is passed over.
"""

import csv
import json
import random
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as tree

IMAGES = ["prog", "lib.so", "stripped", "broken", "gone"]


def name(by):
    app, image = random.choice(IMAGES), random.choice(IMAGES)
    kind = random.randrange(8)
    if "anon" in by and kind == 0:
        image = f"{{anon:anon}}/{random.randrange(3)}.0x1000.{random.randrange(2, 5):#x}000"
    elif "kernel" in by and kind < 3:
        image = "{kern}/" + random.choice(["kallsyms", "ext4"])
    elif "lib" not in by:
        image = app
    process = 10 if "one-process" in by else random.choice([10, 11])
    what = "all.all.all"
    if "thread" in by:
        what = f"{process}.{random.randrange(100, 103)}.all"
    elif "cpu" in by:
        what = f"all.all.{random.randrange(12)}"
    event = "CYCLES.6000.0" if "events" in by and random.randrange(2) else "TIMER.0.0"
    return app, image, f"{event}.{what}"


def make(seed, *by):
    """Keys in and around the code, large ones, and counts that need more than 32 bits."""
    random.seed(int(seed))
    stored = 0
    for i in range(70):
        app, image, event = name(by)
        arcs = i >= 60
        callee = random.choice(IMAGES) + " " if arcs else ""
        print("arcs" if arcs else "image", app, f"{image} {callee}{event}")
        for _ in range(20):
            start = random.choice([0, 0xff0, 0x1000, 0x2000, 0x10000, 0xffffffff81000000])
            count = random.randrange(1, 1000) if random.randrange(50) else 0xffffffff + 9999
            print(start + random.randrange(0x80), count)
            stored += 0 if arcs else count
    print(stored, file=sys.stderr)


def pairs(line):
    """The sum of counts, each before a percentage, at the start of a line."""
    total = 0
    while found := re.match(r" *(\d+) +[\d.e+-]+(?=\s)", line):
        total += int(found[1])
        line = line[found.end():]
    return total


def text(path, kind):
    total = 0
    for line in open(path, errors="replace"):
        if kind == "details":
            total += pairs(line[2:].partition(" ")[2]) if line[0] == " " else 0
        elif kind == "annotation":
            line = line.partition(":")[2] if line.startswith("/* Samples ") else line
            total += 0 if line.lstrip(" ").startswith(":") else pairs(line)
        elif line[0] != "\t" and (kind == "summary" or line[0] != " "):
            total += pairs(line)
    return [total]


def of_csv(path, _):
    rows = list(csv.reader(open(path, encoding="utf-8", errors="replace")))
    counts = rows[0].index("application")
    return [sum(int(c) for row in rows[1:] if not row[0].startswith("#") for c in row[:counts])]


def of_json(path, doc):
    report = json.load(open(path, encoding="utf-8"))
    try:
        import jsonschema
        jsonschema.validate(report, json.load(open(f"{doc}/opreport.schema.json")))
    except ImportError:
        pass
    symbols = report.get("symbols", [])
    for arc in report.get("arcs", []):
        assert max(arc["caller"], arc["callee"]) < len(symbols), f"{path}: arcs have symbols"
    for symbol in symbols:
        for detail in [symbol["details"]] if "details" in symbol else []:
            assert sum(sum(d["counts"]) for d in detail) == sum(symbol["counts"]), path
    return [sum(sum(r["counts"]) for r in report[key])
            for key in ("images", "symbols") if key in report]


def of_xml(path, doc):
    if shutil.which("xmllint"):
        schema = ["xmllint", "--noout", "--schema", f"{doc}/opreport.xsd", path]
        subprocess.run(schema, check=True, stderr=subprocess.DEVNULL)
    root = tree.parse(path).getroot()

    def count(elements):
        return sum(int(c.text) for e in elements for c in e.findall("count"))

    totals = [count(root.findall("binary") + root.findall("binary/module") +
                    root.findall("process")),
              count(s for b in root.iter() if b.tag in ("binary", "module")
                    for s in b.findall("symbol"))]
    if root.find("detailtable") is not None:
        totals.append(count(root.iter("detaildata")))
    return totals


def check(doc, stored, *paths):
    kinds = {"csv": of_csv, "json": of_json, "xml": of_xml}
    for path in paths:
        kind = path.rpartition(".")[2]
        totals = kinds[kind](path, doc) if kind in kinds else text(path, kind)
        if "/part" not in path and any(total != int(stored) for total in totals):
            sys.exit(f"{path}: {totals}, but the files hold {stored}")


{"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
