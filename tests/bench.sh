#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Runs the programs of tests/bench, built for speed, one after the other, and says first what
# machine their numbers are of.  Then what a sample costs, in instructions: in guests, so the
# machine does not matter.

set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
BUILD=${BUILD:-$top/build}/release
export BUILD

"$top/tools/packages.sh" --tests
"$top/tools/build.sh" --buildtype=release

printf 'machine  %s, %s CPUs, Linux %s\n' \
	"$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$(uname -r)"
printf 'memory   %s kB, load %s\n' "$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)" \
	"$(cut -d ' ' -f 1-3 /proc/loadavg)"
printf 'built    by %s, %s\n' "$(gcc --version | head -n 1)" "$(git -C "$top" describe --always \
	--dirty 2>/dev/null || echo 'no git')"

status=0
meson introspect --benchmarks "$BUILD" | python3 -c '
import json, os, subprocess, sys

failed = 0
for bench in json.load(sys.stdin):
    print("\n" + bench["name"], flush=True)
    env = dict(os.environ, **bench["env"])
    if subprocess.call(bench["cmd"], cwd=bench["workdir"], env=env) != 0:
        print("bench: error:", bench["name"], "failed", file=sys.stderr)
        failed = 1
sys.exit(failed)' || status=$?

printf '\ncost of a sample\n'
"$top/tests/vm/pmu/bench.sh" || status=$?
exit $status
