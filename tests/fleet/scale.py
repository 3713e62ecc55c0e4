#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A fleet as large as the machine takes: figures, and totals that have to be equal.

    scale.py BUILD MAKE_SESSION TABLES [--hosts=N] [--hours=N] [--rows=N] [--cluster] [--at-once]

TABLES is a real session: "opexport --to=fleet" of some seconds of a whole system.  Each host has six
sessions an hour of --rows rows of it, one in a hundred of a stack of its own; the bodies are those
that oppush sends, by as many connections as there are CPUs.  Printed are rows and bytes a second
that the server takes, bytes of the disk, and the time of reports.  Of one hour, a day is made: its
other hours have the sums of this one.

With --at-once the sessions of a host are one body, unlike those of oppush: to fill a store that is
larger than this machine could fill in an hour.
"""
import collections
import os
import random
import struct
import sys
import tempfile
import threading
import time
import zlib
import http.client
import urllib.parse

import servers
from common import SCHEMA, check, columns_of_tables, equal, finish, read_tables, run, stacks

START = 1699920000  # a day begins
PERIOD = 10000000  # ns, of the recording of 100 Hz
VARIANTS = 48  # sessions that differ in rows and counts
TYPES = {"b": 1, "h": 2, "i": 4, "q": 8, "x": 16}


def option(name, default):
    for word in sys.argv[4:]:
        if word.startswith(f"--{name}="):
            return int(word.split("=")[1])
    return default


# ---- rows ----

def leb128(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return value, at


def put_leb128(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def put_string(text):
    return put_leb128(len(text)) + text


def split_row(data, at, types):
    """Where each column ends."""
    ends = []
    for kind in types:
        if kind in TYPES:
            at += TYPES[kind]
        elif kind == "s":
            n, at = leb128(data, at)
            at += n
        else:
            n, at = leb128(data, at)
            for _ in range(n):
                if kind == "Q":
                    at += 8
                else:
                    length, at = leb128(data, at)
                    at += length
        ends.append(at)
    return ends


class Template:
    """Rows of a real session without what is of the host, and what they are of."""

    def __init__(self, path):
        self.tables = read_tables(path)
        self.stacks, self.rows = {}, []  # rows: (event to cgroup, stack, samples, weight)
        data, at = self.tables["stacks"], 0
        while at < len(data):
            ends = split_row(data, at, "xQ")
            self.stacks[data[at:ends[0]]] = data[ends[0]:ends[1]]
            at = ends[1]
        data, at = self.tables["samples"], 0
        while at < len(data):
            ends = split_row(data, at, "hisqqqsssxqq")
            samples, weight = struct.unpack_from("<QQ", data, ends[9])
            self.rows.append((data[ends[4]:ends[8]], data[ends[8]:ends[9]], samples, weight))
            at = ends[11]
        data = self.tables["sessions"]
        self.session = data[split_row(data, 0, "hisqqq")[5]:]
        # half of the hosts have each release
        self.label_sets = [b"release" + release for release in (b"1", b"2")]
        self.tables["label_sets"] = b"".join(
            one + b"\1" + put_string(b"release") + b"\1" + put_string(one[-1:])
            for one in self.label_sets)


class Variant:
    """Rows of a session, ready but for the columns of the host."""

    def __init__(self, template, chance, n):
        # the hottest rows are in all sessions, others in some
        rows = sorted(template.rows, key=lambda row: -row[2])
        rows = rows[:n // 2] + chance.sample(rows[n // 2:], min(n - n // 2, len(rows) - n // 2))
        self.counts = collections.Counter()
        self.pieces = [b""]
        for middle, stack, samples, _ in rows:
            count = max(1, int(samples * chance.uniform(0.5, 1.5)))
            self.counts[middle, stack] += count
            self.pieces.append(middle + stack + struct.pack("<QQ", count, count * PERIOD))
        self.total = sum(self.counts.values())


# ---- sending ----

class Link:
    """A connection that is kept."""

    def __init__(self, server, columns):
        self.link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=600)
        self.columns, self.raw, self.packed = columns, 0, 0

    def insert(self, table, rows):
        if not rows:
            return
        body = zlib.compress(rows, 1, 31)
        statement = urllib.parse.quote(f"INSERT INTO {table} ({self.columns[table]}) FORMAT RowBinary")
        while True:
            self.link.request("POST", f"/?database=fleet&insert_distributed_sync=1&query={statement}",
                              body, {"Content-Encoding": "gzip"})
            answer = self.link.getresponse()
            text = answer.read().decode(errors="replace")
            if answer.status == 200:
                break
            if "Code: 252" not in text:  # too many parts: later, as oppush does
                raise RuntimeError(text)
            time.sleep(1)
        self.raw += len(rows)
        self.packed += len(body)


class Fleet:
    def __init__(self, template, chance, n_rows):
        self.template, self.at_once = template, "--at-once" in sys.argv
        self.variants = [Variant(template, chance, n_rows) for _ in range(VARIANTS)]
        self.lock = threading.Lock()
        self.used = collections.Counter()
        self.own = collections.Counter()  # samples of stacks of one host only
        self.n_rows = 0

    def send_host(self, link, host, hours, chance):
        name = b"host-%06d" % host
        label_set = self.template.label_sets[host % 2]
        middle, stack, _, _ = self.template.rows[chance.randrange(len(self.template.rows))]
        own = [chance.randbytes(16) for _ in range(len(self.variants[0].pieces) // 100)]
        link.insert("stacks", b"".join(one + self.template.stacks[stack] for one in own))
        samples, sessions = [], []
        for i in range(6 * hours):
            begin = START + 600 * i + chance.randrange(3)
            number = chance.randrange(len(self.variants))
            variant = self.variants[number]
            session = chance.randbytes(8)
            prefix = (struct.pack("<HI", begin // 86400, begin) + put_string(name) + session +
                      label_set)
            extra = [middle + one + struct.pack("<QQ", 1, PERIOD) for one in own]
            samples.append(prefix.join(variant.pieces + extra))
            n = len(variant.pieces) - 1 + len(extra)
            tail = self.template.session[:-16] + struct.pack("<QQ", n, variant.total + len(extra))
            sessions.append(prefix + chance.randbytes(8) + tail)
            if not self.at_once or i + 1 == 6 * hours:
                link.insert("samples", b"".join(samples))
                link.insert("sessions", b"".join(sessions))
                samples, sessions = [], []
            with self.lock:
                self.used[number] += 1
                self.own[middle, stack] += len(extra)
                self.n_rows += n

    def send(self, places, columns, hosts, hours):
        """All hosts; each of the places has a connection in turn.  Return: bytes raw, packed."""
        links = [Link(place, columns) for place in places]
        for table in ("events", "images", "frames", "stacks", "label_sets"):
            links[0].insert(table, self.template.tables[table])
        errors = []

        def work(link, first):
            chance = random.Random(first)
            try:
                for host in range(first, hosts, len(links)):
                    self.send_host(link, host, hours, chance)
            except Exception as error:  # pylint: disable=broad-except
                errors.append(error)

        threads = [threading.Thread(target=work, args=(link, i)) for i, link in enumerate(links)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        return sum(link.raw for link in links), sum(link.packed for link in links)

    def write_sum(self, path):
        """All of it as one session: what reports have to say."""
        counts = collections.Counter(self.own)
        for number, times in self.used.items():
            for key, count in self.variants[number].counts.items():
                counts[key] += count * times
        prefix = struct.pack("<HI", START // 86400, START) + put_string(b"all") + bytes(8) + \
            self.template.label_sets[0]
        rows = b"".join(prefix + middle + stack + struct.pack("<QQ", count, count * PERIOD)
                        for (middle, stack), count in counts.items())
        with open(path, "wb") as file:
            file.write(b"oprofile-fleet 2\n")
            for name, data in self.template.tables.items():
                data = rows if name == "samples" else data
                file.write(put_string(name.encode()) + struct.pack("<Q", len(data)) + data)
        return sum(counts.values())


# ---- figures ----

def timed(what, *words):
    begin = time.monotonic()
    done = run(*words)
    seconds = time.monotonic() - begin
    print(f"        {what}: {seconds:.2f} s", flush=True)
    if done.returncode:
        check(what, False, done.stderr)
    return done


def disk_bytes(places):
    return sum(int(place.query("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND "
                               "database = 'fleet'") or 0) for place in places)


def main():
    hosts, hours = option("hosts", 1000), option("hours", 1)
    is_cluster = "--cluster" in sys.argv
    template = Template(sys.argv[3])
    root = servers.root_or_skip()
    with tempfile.TemporaryDirectory(prefix="fleet.", dir="/var/tmp") as folder:
        if is_cluster:
            cluster = servers.Cluster(root, folder)
            places = cluster.all()
        else:
            cluster = servers.Server(root, f"{folder}/server")
            places = [cluster]
        try:
            cluster.start()
            measure(places, is_cluster, template, hosts, hours, folder)
        finally:
            cluster.stop()
    finish()


def measure(places, is_cluster, template, hosts, hours, folder):
    place = places[0]
    install = ["oppush", f"--to={place.url()}", "--install-schema", f"--schema={SCHEMA}"]
    check("the schema", not run(*install, *(["--cluster=fleet"] if is_cluster else [])).returncode)
    fleet = Fleet(template, random.Random(1), option("rows", 2000))
    begin = time.monotonic()
    raw, packed = fleet.send(places if is_cluster else places * os.cpu_count(), columns_of_tables(),
                             hosts, hours)
    seconds = time.monotonic() - begin
    print(f"        {hosts} hosts, {6 * hours} sessions each: {fleet.n_rows} rows in {seconds:.0f} s: "
          f"{fleet.n_rows / seconds:.0f} rows, {raw / seconds / 1e6:.1f} MB ({packed / seconds / 1e6:.1f} "
          f"packed) a second; {sum(fleet.used.values()) / seconds:.1f} sessions a second, "
          f"{hosts * hours * 6 / 3600 / hours:.1f} are closed", flush=True)
    if is_cluster:
        for one in places:
            servers.wait_until("replicas have all", one.has_all, 900)
    total = fleet.write_sum(f"{folder}/sum")
    wanted = stacks(f"{folder}/sum")
    equal("the sum is that of all sessions", sum(wanted.values()), total * PERIOD)
    equal("totals of all stacks", stacks(place.url()), wanted)
    timed("top 50 of the fleet, from samples", "opreport", "-l", place.url())
    at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(START + 605))
    timed("top 50 of a host for 10 minutes", "opreport", "-l",
          place.url(wanted=f"?host=host-000007&to={at}"))
    timed("sums by hours", "oppush", f"--to={place.url()}", "--add-up", "--add-up-days=36500")
    timed("top 50 of the fleet, from sums", "opreport", "-l", place.url())
    equal("totals of all stacks, from sums", stacks(place.url()), wanted)
    timed("two releases compared", "opdiff",
          *[place.url(wanted=f"?label=release={release}") for release in "12"])
    fleet_bytes(places, is_cluster, fleet, hosts, hours)
    if hours == 1:
        measure_day(place, wanted)


def measure_day(place, wanted):
    """The other hours of the day have the same sums, and sessions without samples."""
    def copy(statement):
        place.query(statement, seconds=600)

    for hour in range(1, 24):
        later = 3600 * hour
        copy(f"INSERT INTO fleet.sums SELECT level, start + {later}, batch + {hour}, label_set, "
             f"event, app, stack, samples, weight FROM fleet.sums WHERE level = 3600 AND "
             f"start = toDateTime({START})")
        copy(f"INSERT INTO fleet.sessions SELECT day, time + {later}, host, session, label_set, "
             f"origin, duration, os, arch, cpu, cpu_type, cpu_mhz, command, rows, samples FROM "
             f"fleet.sessions WHERE time < toDateTime({START + 3600})")
        copy(f"INSERT INTO fleet.batches SELECT level, start + {later}, generation, "
             f"batch + {hour}, sessions, checksum, samples FROM fleet.batches WHERE "
             f"level = 3600 AND start = toDateTime({START})")
    day = {stack: 24 * n for stack, n in wanted.items()}
    servers.wait_until("rows are there", lambda: stacks(place.url()) == day, 120)
    timed("top 50 of the fleet for a day, from 24 hours", "opreport", "-l", place.url())
    timed("sums of the day", "oppush", f"--to={place.url()}", "--add-up", "--add-up-days=36500")
    timed("top 50 of the fleet for a day, from its sums", "opreport", "-l", place.url())
    equal("totals of all stacks of a day", stacks(place.url()), day)


def fleet_bytes(places, is_cluster, fleet, hosts, hours):
    for table in ("samples", "stacks", "frames", "sums"):
        local = f"{table}_local" if is_cluster else table
        size = sum(int(one.query(f"SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND "
                                 f"database = 'fleet' AND table = '{local}'") or 0) for one in places)
        print(f"        {table}: {size / 1e6:.1f} MB", flush=True)
    copies = 2 if is_cluster else 1
    size = disk_bytes(places) / copies
    print(f"        disk: {size / 1e6:.0f} MB, {size / fleet.n_rows:.2f} bytes a row, "
          f"{size / hosts / hours * 24 / 1e6:.2f} MB a host and day", flush=True)


main()
