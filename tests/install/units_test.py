#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The units of a fleet, run by systemd in a root file system that has our package in /debs.

    unshare --net units_test.py ROOT

A server keeps what oprofile-push sends; it must be what reports of the sessions say.  The network
is one of its own, as the server listens to all of it.
"""
import collections
import http.server
import json
import os
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "weights"))
import sources  # noqa: E402

PORT = 4040
KERNEL = {"kallsyms": "[kernel.kallsyms]"}  # whose name is pprof's in what is sent
TOKENS = {"/first": None, "/second": "Bearer secret"}


class Handler(http.server.BaseHTTPRequestHandler):
    """Takes profiles, and is no ClickHouse."""

    folder = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path not in TOKENS:
            with open(f"{self.folder}/authorization", "w", encoding="utf-8") as file:
                file.write(self.headers["Authorization"] or "none")
        status = 404 if self.path not in TOKENS else \
            401 if self.headers["Authorization"] != TOKENS[self.path] else 200
        if status == 200:
            folder = self.folder + self.path
            with open(f"{folder}/new", "wb") as file:
                file.write(body)
            os.rename(f"{folder}/new", f"{folder}/{len(os.listdir(folder))}")
        answer = b"<html>\n<body>\nnothing\nhere\n</body>\n</html>\n"
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_GET = do_POST

    def log_message(self, *_):
        pass


def received(folder):
    """Samples by program."""
    sums = collections.Counter()
    for name in os.listdir(folder):
        with open(f"{folder}/{name}", "rb") as file:
            for sample in sources.read_pprof(file.read()).samples:
                sums[sample.program] += sample.count
    return dict(sums)


def reported(path):
    sums = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for image in json.load(file)["images"]:
            # without which mount namespace it is of: units have their own
            name = os.path.basename(image["application"].split(" (")[0])
            sums[KERNEL.get(name, name)] += sum(image["counts"])
    return dict(sums)


def main():
    root = sys.argv[1]
    Handler.folder = f"{root}/received"
    for path in TOKENS:
        os.makedirs(Handler.folder + path)
    server = http.server.HTTPServer(("", PORT), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    done = subprocess.run([f"{HERE}/boot.sh", root, f"{HERE}/inside_units.sh", str(PORT)],
                          check=False)
    if done.returncode:
        return done.returncode
    wanted = reported(f"{Handler.folder}/report.json")
    for path in TOKENS:
        got = received(Handler.folder + path)
        if got != wanted or not sum(got.values()):
            print(f"NOT OK: {path} has {got}, reports have {wanted}")
            return 1
    print(f"{sum(wanted.values())} samples have come to each destination")
    return 0


sys.exit(main())
