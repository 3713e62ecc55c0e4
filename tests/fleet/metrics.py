#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A strict reader of Prometheus' text format (version 0.0.4), and of the conventions of names.

    metrics.py FILE...	prints the samples: NAME{LABEL=VALUE} NUMBER

Where prometheus_client is installed, it must read the same.
"""
import re
import sys

HELP = re.compile(r"# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\\n]|\\\\|\\n)+)$")
TYPE = re.compile(r"# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge)$")
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)'
                    r'(?:\{([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"\})?'
                    r' (\d+(?:\.\d+)?)$')
ESCAPE = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


def read_metrics(data):
    """{(name, label, value): number}; raises ValueError."""
    text = data.decode("utf-8")
    if not text.endswith("\n"):
        raise ValueError("the last line has no end")
    samples, types, helped, current = {}, {}, set(), None
    for line in text[:-1].split("\n"):
        if found := HELP.match(line):
            current = found[1]
            if current in helped:
                raise ValueError(f"{current} is there twice")
            helped.add(current)
        elif found := TYPE.match(line):
            if found[1] != current or current in types:
                raise ValueError(f"{line}: not behind its help")
            types[current] = found[2]
            if (found[2] == "counter") != current.endswith("_total"):
                raise ValueError(f"{line}: counters, and no others, end in _total")
        elif found := SAMPLE.match(line):
            name, label, value, number = found.groups()
            if name != current or name not in types:
                raise ValueError(f"{line}: not behind its type")
            value = re.sub(r"\\.", lambda m: ESCAPE[m[0]], value) if label else None
            if (name, label, value) in samples:
                raise ValueError(f"{line}: it is there twice")
            samples[name, label, value] = float(number)
        else:
            raise ValueError(f"no line of the format: {line!r}")
    if set(types) != {name for name, _, _ in samples}:
        raise ValueError("metrics without a sample, or samples without a type")
    compare_with_client(text, samples)
    return samples


def compare_with_client(text, samples):
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError:
        return
    theirs = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            label, value = next(iter(sample.labels.items()), (None, None))
            theirs[sample.name, label, value] = sample.value
    if theirs != samples:
        raise ValueError("prometheus_client reads something else")


def main():
    for path in sys.argv[1:]:
        with open(path, "rb") as file:
            try:
                samples = read_metrics(file.read())
            except ValueError as why:
                sys.exit(f"{path}: {why}")
        for (name, label, value), number in samples.items():
            print(name + (f"{{{label}={value}}}" if label else ""), f"{number:.15g}")


if __name__ == "__main__":
    main()
