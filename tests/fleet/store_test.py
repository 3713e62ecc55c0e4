#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The store of a fleet: oppush to a real ClickHouse, and reports of what is there.

    store_test.py BUILD MAKE_SESSION old|today

old: the server 18.16 of Debian.  today: the engine of 26.7 (engine.py).

Sessions of several hosts are made as the daemon closes them.  What a report of the store says must
be what reports of the sessions say, exactly, whatever happens on the way: servers that are dead,
refuse or answer with rubbish, blocks that are sent twice.
"""
import functools
import http.server
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import servers
from common import (BUILD, SCHEMA, START, added, check, columns_of_tables, equal, finish,
                    make_image, make_sessions, push, run, skip, stacks, stamp, tables_of,
                    waiting_in)

HOSTS = ("alpha", "beta", "it's \\ \"gamma\"")


# ---- what servers may do instead ----

class Answer(http.server.BaseHTTPRequestHandler):
    status, body, headers_sent = 200, b"", {}

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        self.send_response(self.status)
        for name, value in self.headers_sent.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class Pretender:
    """A server that answers everything with one answer."""

    def __init__(self, status, body, headers=None):
        handler = type("Handler", (Answer,), {"status": status, "body": body,
                                              "headers_sent": headers or {}})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self):
        return f"clickhouse://127.0.0.1:{self.port}/fleet"


# ---- tests ----

def test_schema(server):
    first = run("oppush", f"--to={server.url()}", "--install-schema", f"--schema={SCHEMA}")
    equal("the schema is installed", (first.returncode, first.stdout), (0, "1-tables.sql\n"))
    again = run("oppush", f"--to={server.url()}", "--install-schema", f"--schema={SCHEMA}")
    equal("and once only", (again.returncode, again.stdout), (0, ""))


def test_push(server, folders, spools):
    for host in HOSTS:
        done = push(server.url(), folders[host], spools[host])
        equal(f"sessions of {host} are sent", (done.returncode, done.stderr), (0, ""))
        left = waiting_in(spools[host])
        equal(f"nothing of {host} waits", left, [])


def test_sums(server, folders, when):
    wanted = {host: stacks(f"--session-dir={folders[host]}", "session:2*") for host in HOSTS}
    equal(f"{when}: the fleet is the sum of all sessions", stacks(server.url()),
          added(*wanted.values()))
    for host in HOSTS:
        name = urllib.parse.quote(host, safe="'\\\" ")
        equal(f"{when}: {host} alone", stacks(server.url(wanted=f"?host={name}")), wanted[host])
    equal(f"{when}: two hosts", stacks(server.url(wanted="?host=alpha,beta")),
          added(wanted["alpha"], wanted["beta"]))
    first = f"session:{stamp(START)}-{stamp(START + 600)}"
    until = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(START + 599))
    equal(f"{when}: one session of a host",
          stacks(server.url(wanted=f"?host=beta&to={until}")),
          stacks(f"--session-dir={folders['beta']}", first))


def test_reports(server, folders):
    done = run("opreport", "--by=host", "-n", server.url(wanted="?by=host"))
    rows = dict(re.findall(r"^(\d+) +[\d.]+ +(.+?) +prog", done.stdout, re.M))
    sums = {host: sum(stacks(f"--session-dir={folders[host]}", "session:2*").values())
            for host in HOSTS}
    equal("rows of hosts", {name.strip(): int(n) for n, name in rows.items()}, sums)
    # the server adds up programs; with stacks, and from sessions of each host, it is the same
    lines = [re.sub(r"(?s)^.*?(?=^samples)", "", run("opreport", "--by=host", server.url(), *words).stdout,
                    flags=re.M) for words in ((), ("image:*",))]
    check("lines of hosts", "prog" in lines[0] and lines[0] == lines[1], lines)
    for last, expected in (("1h", 1), ("36500d", 0)):
        done = run("opreport", f"--last={last}", server.url(wanted="?host=alpha"))
        equal(f"--last={last}", (done.returncode, "of that time" in done.stderr), (expected, expected == 1))
    names = run("opreport", "-l", "-n", server.url()).stdout
    check("functions have names", all(name in names for name in ("hot", "first")), names)
    losses = run("opreport", "--verbose=stats", server.url()).stdout
    equal("losses are added up", re.findall(r"(\d+)[^,\n]* lost\b", losses)[:1], [str(7 * 3 * 4)])
    none = run("opreport", server.url(wanted="?host=nobody"))
    equal("a host that is not there", (none.returncode, "these hosts" in none.stderr), (1, True))
    evil = run("opreport", server.url(wanted="?host=x') OR ('1'='1"))
    equal("a host that is SQL", (evil.returncode, "these hosts" in evil.stderr), (1, True))


def test_account(server, folder):
    """An account that may only read is enough for reports, and not for more."""
    if not server.has_users:
        skip("an account that may only read", "the engine alone has no users")
        return
    home = f"{folder}/home"
    os.makedirs(home)
    with open(f"{home}/.netrc", "w", encoding="utf-8") as netrc:
        netrc.write("machine 127.0.0.1 login reader password secret\n")
    os.chmod(f"{home}/.netrc", 0o600)
    done = run("opreport", "-n", server.url(wanted="?host=alpha"), home=home)
    equal("an account that reads", (done.returncode, "prog" in done.stdout), (0, True))
    done = run("oppush", f"--to={server.url('other')}", "--install-schema", f"--schema={SCHEMA}",
               home=home)
    check("it cannot write", done.returncode == 1 and "readonly" in done.stderr, done.stderr)


def test_again(server, folders, spools):
    """All of it is sent again, as after the loss of a spool."""
    for host in HOSTS:
        shutil.rmtree(spools[host])
        equal(f"{host} again", push(server.url(), folders[host], spools[host]).returncode, 0)
    test_sums(server, folders, "sent twice")
    server.query("OPTIMIZE TABLE samples FINAL", "fleet")
    test_sums(server, folders, "merged")


def test_half(server, folders):
    """A session of which the last table did not come is not read."""
    before = stacks(server.url())
    server.query("INSERT INTO samples SELECT day, time, host, session + 1, label_set, event, app, thread, cgroup, "
                 "stack, samples, weight FROM samples", "fleet")
    equal("half a session", stacks(server.url()), before)


def test_labels(server, folder, chance):
    """Hosts by what their operators call them, and by what all hosts have."""
    columns, sums = columns_of_tables(), {}
    for role, release in (("web", "1"), ("web", "2"), ("db's \\", "1")):
        sessions = f"{folder}/labels{len(sums)}"
        os.makedirs(sessions)
        make_image(sessions)
        make_sessions(sessions, f"labels{len(sums)}", chance, 1, START + 86400)
        name = f"{stamp(START + 86400)}-{stamp(START + 87000)}"
        for table, rows in tables_of(sessions, name, f"--host-label=role={role},release={release}").items():
            if rows:
                server.insert(table, columns[table], rows)
        sums[role, release] = stacks(f"--session-dir={sessions}", f"session:{name}")
    since = time.strftime("from=%Y-%m-%dT%H:%M:%S", time.gmtime(START + 86400))
    web = added(sums["web", "1"], sums["web", "2"])
    for wanted, expected in (("label=role=web", web), ("label=role=web&label=release=2", sums["web", "2"]),
                             ("label=release=1&label=release=2", added(*sums.values())),
                             ("label=role=db's%20\\", None)):
        got = stacks(server.url(wanted=f"?{since}&{wanted}"))
        if expected is None:
            check(f"{wanted}: nothing is decoded", "no session" in got, got)
        else:
            equal(wanted, got, expected)
    equal("a text with quotes", stacks(server.url(wanted=f"?{since}&label=role=db's \\")),
          sums["db's \\", "1"])
    for by, expected in (("role", {"web": sum(web.values()),
                                   "db's \\": sum(sums["db's \\", "1"].values())}),
                         ("release", {"1": sum(added(sums["web", "1"], sums["db's \\", "1"]).values()),
                                      "2": sum(sums["web", "2"].values())})):
        done = run("opreport", f"--by={by}", "-n", server.url(wanted=f"?{since}"))
        rows = {name.strip(): int(n) for n, name in re.findall(r"^(\d+) +[\d.]+ +(.+?) +prog", done.stdout, re.M)}
        equal(f"--by={by}", rows, expected)
    done = run("opreport", "label:release=1", "-n", server.url(wanted=f"?{since}"))
    equal("a selection by a label", sum(map(int, re.findall(r"^ {5}(\d+)", done.stdout, re.M))),
          sum(added(sums["web", "1"], sums["db's \\", "1"]).values()))
    none = run("opreport", server.url(wanted=f"?{since}&label=role=none"))
    check("a label that no host has", none.returncode == 1 and "these labels" in none.stderr, none.stderr)
    for bad in ("label=role", "label=ro'le=x", "by=ro'le", "label==x"):
        done = run("opreport", server.url(wanted=f"?{bad}"))
        equal(f"{bad} is refused", (done.returncode, "label=NAME=TEXT" in done.stderr), (1, True))


DAY = 1699920000  # begins then


def test_add_up(server, folder, chance):
    """What is read from sums of hours and days is what is read from samples, whatever comes."""
    install = run("oppush", f"--to={server.url('hours')}", "--install-schema", f"--schema={SCHEMA}")
    equal("another database", install.returncode, 0)
    hosts = [f"{folder}/hours{i}" for i in range(3)]
    for i, host in enumerate(hosts):
        os.makedirs(host)
        make_image(host)
        make_sessions(host, f"hours{i}", chance, 26, DAY, 3600)

    def send(i, spool):
        equal(f"host {i} is sent",
              push(server.url("hours"), hosts[i], spool, f"--label=role=r{i}").returncode, 0)

    def add_up(wanted):
        done = run("oppush", f"--to={server.url('hours')}", "--add-up", "--add-up-days=36500")
        equal("it is added up", (done.returncode, done.stderr, done.stdout),
              (0, "", f"{wanted} sums are made\n" if wanted else ""))

    def sessions_of(begin, end):
        return [f"session:{stamp(DAY + 3600 * i)}-{stamp(DAY + 3600 * i + 600)}"
                for i in range(26) if begin <= DAY + 3600 * i <= end]

    spans = ((DAY + 3600, DAY + 7199), (DAY + 1, DAY + 90000), (DAY, DAY + 99999))
    sums = {(host, span): stacks(f"--session-dir={host}", *sessions_of(*span))
            for host in hosts for span in spans}

    def compare(when, n_hosts):
        for begin, end in spans:
            times = [time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at)) for at in (begin, end)]
            equal(f"{when}: from {begin - DAY} to {end - DAY}",
                  stacks(server.url("hours", f"?from={times[0]}&to={times[1]}")),
                  added(*[sums[host, (begin, end)] for host in hosts[:n_hosts]]))
        for wanted in ("host=hours0", "label=role=r0"):
            equal(f"{when}: {wanted}", stacks(server.url("hours", f"?{wanted}")),
                  sums[hosts[0], spans[-1]])
        done = run("opreport", "--by=role", "-n", server.url("hours"))
        rows = {name: int(n) for n, name in re.findall(r"^(\d+) +[\d.]+ +(\w+) +prog", done.stdout, re.M)}
        equal(f"{when}: by a label", rows, {f"r{i}": sum(sums[host, spans[-1]].values())
                                           for i, host in enumerate(hosts[:n_hosts])})

    send(0, f"{folder}/hours-spool0")
    send(1, f"{folder}/hours-spool1")
    compare("not added up", 2)
    add_up(28)
    compare("added up", 2)
    add_up(0)
    send(2, f"{folder}/hours-spool2")
    compare("a host came late", 3)
    add_up(28)
    compare("it is added", 3)
    equal("to what was there", server.query("SELECT max(generation) FROM batches WHERE level = 3600",
                                            "hours"), "1\n")
    for i in range(3):
        send(i, f"{folder}/hours-again{i}")
    compare("all came again", 3)
    add_up(0)
    server.query("INSERT INTO sessions SELECT day, time, host, 18446744073709551615, label_set, origin, "
                 "duration, os, arch, cpu, cpu_type, cpu_mhz, command, rows, samples FROM sessions "
                 f"WHERE host = 'hours0' AND time = toDateTime({DAY})", "hours")
    server.query("INSERT INTO samples SELECT day, time, host, 18446744073709551615, label_set, event, app, "
                 "thread, cgroup, stack, any(samples), any(weight) FROM samples WHERE host = 'hours0' AND "
                 f"time = toDateTime({DAY}) GROUP BY day, time, host, label_set, event, app, thread, "
                 "cgroup, stack", "hours")
    compare("a session came with other names", 3)
    add_up(2)
    compare("its hour is added up anew", 3)
    server.query(f"ALTER TABLE sums DELETE WHERE level = 86400 OR start = toDateTime({DAY + 7200})",
                 "hours")
    servers.wait_for_equal(lambda: server.query("SELECT count() FROM sums WHERE level = 86400",
                                                "hours"), "0\n", 30)
    compare("sums are damaged", 3)
    add_up(3)
    compare("they are made anew", 3)
    server.query(f"ALTER TABLE sums DELETE WHERE level = 86400 OR intDiv(toUInt32(start), 3600) % 3 = 0",
                 "hours")
    servers.wait_for_equal(lambda: server.query("SELECT count() FROM sums WHERE level = 86400",
                                                "hours"), "0\n", 30)
    compare("every third hour is damaged", 3)
    add_up(11)
    server.query("INSERT INTO sessions SELECT day, time, host, 5, label_set, 6, duration, os, arch, cpu, "
                 f"cpu_type, cpu_mhz, command, 0, 0 FROM sessions WHERE day = toDate({(DAY + 86400) // 86400}) "
                 "LIMIT 1", "hours")
    for days in (36500, 0):
        done = run("oppush", f"--to={server.url('hours')}", "--add-up", "--add-up-days=1",
                   f"--keep-days={days}")
        equal("none are removed before that", (done.returncode, done.stdout), (0, ""))
    done = run("oppush", f"--to={server.url('hours')}", "--add-up", "--add-up-days=1", "--keep-days=1")
    equal("samples of days that are added up are removed", (done.returncode, done.stderr, done.stdout),
          (0, "", "samples of 1 days are removed\n"))
    equal("and only they", server.query("SELECT DISTINCT day FROM samples", "hours"),
          time.strftime("%Y-%m-%d\n", time.gmtime(DAY + 86400)))
    equal("without the samples that they are of", stacks(server.url("hours")),
          added(*[sums[host, spans[-1]] for host in hosts]))


def test_label_option(server, folder, chance):
    sessions = f"{folder}/called"
    os.makedirs(sessions)
    make_image(sessions)
    make_sessions(sessions, "called", chance, 1)
    done = push(server.url(), sessions, f"{folder}/spool-called", "--label=role=cache,release=9")
    equal("a host with labels", (done.returncode, done.stderr), (0, ""))
    equal("is found by them", stacks(server.url(wanted="?label=role=cache&label=release=9")),
          stacks(f"--session-dir={sessions}", "session:2*"))
    before = stacks(server.url(wanted="?host=called"))
    done = push(server.url(), sessions, f"{folder}/spool-renamed", "--label=role=cache,release=10")
    equal("sent again with other labels", (done.returncode, done.stderr), (0, ""))
    equal("it counts once", stacks(server.url(wanted="?host=called")), before)
    done = push(server.url(), sessions, f"{folder}/spool-called", "--label=host=x")
    check("a label that all hosts have", done.returncode == 2 and "--label=host=x" in done.stderr,
          done.stderr)


def test_missing(server):
    """What one host has left out costs the names of its samples, not the report."""
    before = stacks(server.url())
    server.query("INSERT INTO samples SELECT day, time, host, 77, label_set + 1, event + 1, app, thread, cgroup, "
                 "'0123456789abcdef', samples, weight FROM samples LIMIT 1", "fleet")
    server.query("INSERT INTO sessions SELECT day, time, host, 77, label_set + 1, 78, duration, os, arch, cpu, "
                 "cpu_type, cpu_mhz, command, 1, (SELECT any(samples) FROM samples WHERE session = 77) "
                 "FROM sessions LIMIT 1", "fleet")
    done = run("opreport", "-l", "-n", server.url())
    check("what is missing has a name", "[stack not known]" in done.stdout, done.stdout + done.stderr)
    check("and is told", "2 rows refer to" in done.stderr, done.stderr)
    # and what it has made up
    server.query("INSERT INTO events SELECT event, '', '', 0, 0, 0 FROM samples WHERE session = 77",
                 "fleet")
    server.query("INSERT INTO stacks VALUES ('0123456789abcdef', [7, 8])", "fleet")
    server.query(f"INSERT INTO frames VALUES (7, 9, '{'long' * 5000}', '', 0, 0), (8, 9, '', '', 0, 1)",
                 "fleet")
    server.query("INSERT INTO images VALUES (9, 99, '/no/such', 'xyz')", "fleet")
    many = ", ".join(f"'n{i}'" for i in range(100))
    server.query(f"INSERT INTO label_sets SELECT label_set, [{many}], ['x'] FROM samples WHERE session = 77",
                 "fleet")
    for words in (("-l",), ("--by=n0", "event:unknown")):
        done = run("opreport", "-n", *words, server.url())
        check(f"what is made up is reported: {words[0]}",
              done.returncode == 0 and ("longlong" if words[0] == "-l" else " x ") in done.stdout,
              done.stdout[-300:] + done.stderr)
    for table in ("samples", "sessions"):
        server.query(f"ALTER TABLE {table} DELETE WHERE session = 77", "fleet")
    server.query("ALTER TABLE label_sets DELETE WHERE has(names, 'n0')", "fleet")
    servers.wait_for_equal(lambda: stacks(server.url()), before, 30)
    equal("as it was", stacks(server.url()), before)


def test_dead(server, folders, spools, chance):
    """What is closed while the server is dead waits, and comes once it is back."""
    server.stop()
    make_sessions(folders["alpha"], "alpha", chance, 5)
    shutil.rmtree(f"{folders['alpha']}/samples/{stamp(START)}-{stamp(START + 600)}")
    done = push(server.url(), folders["alpha"], spools["alpha"])
    equal("a dead server is an error", (done.returncode, "connect" in done.stderr), (1, True))
    waiting = waiting_in(spools["alpha"])
    equal("the new session waits", len(waiting), 1)
    shutil.rmtree(f"{folders['alpha']}/samples/{stamp(START + 2400)}-{stamp(START + 3000)}")
    server.start()
    before = sum(stacks(server.url()).values())
    equal("it is sent later, without the session",
          push(server.url(), folders["alpha"], spools["alpha"]).returncode, 0)
    check("and is there", sum(stacks(server.url()).values()) > before)


def test_pretenders(folders, folder):
    """None of them loses what waits."""
    cases = {
        "refuses": (500, b"Code: 241, e.displayText() = DB::Exception: Memory limit\n", None),
        "asks for a password": (401, b"who are you?\n", None),
        "sends elsewhere": (302, b"", {"Location": "http://127.0.0.1:1/"}),
    }
    for name, (status, body, headers) in cases.items():
        server = Pretender(status, body, headers)
        spool = f"{folder}/spool-{status}"
        done = push(server.url(), folders["beta"], spool)
        waiting = waiting_in(spool)
        equal(f"a server that {name}", (done.returncode, len(waiting)), (1, 4))
        done = run("opreport", server.url())
        equal(f"a report of one that {name}", done.returncode, 1)
    rubbish = Pretender(200, random.Random(1).randbytes(5000))
    done = run("opreport", rubbish.url())
    check("a server that answers rubbish", done.returncode == 1 and "byte" in done.stderr, done.stderr)


def test_bound(folders, folder):
    """The spool is bounded: the oldest is dropped, and that is said."""
    spool = f"{folder}/spool-bound"
    push("clickhouse://127.0.0.1:1/x", folders["beta"], spool)
    old = f"{spool}/{os.listdir(spool)[0]}/{stamp(START - 600)}-{stamp(START)}.fleet"
    with open(old, "wb") as file:
        file.write(bytes(5 << 20))
    done = push("clickhouse://127.0.0.1:1/x", folders["beta"], spool, "--spool-size=4")
    check("the oldest is dropped", not os.path.exists(old) and "more than 4 MiB wait" in done.stderr,
          done.stderr)
    equal("the others wait", len(waiting_in(spool)), 4)


def test_full_disk(server, folders, folder):
    """What cannot be written to the spool is not taken for done: it comes later."""
    spool = f"{folder}/spool-full"
    before = stacks(server.url(wanted="?host=beta"))
    limited = ["sh", "-c", "ulimit -f 1; exec oppush \"$@\"", "sh", f"--to={server.url()}",
               f"--session-dir={folders['beta']}", f"--spool={spool}", "--once"]
    done = run(*limited)
    check("a session that cannot be taken is said",
          done.returncode == 1 and "cannot be read" in done.stderr, done.stderr)
    done = push(server.url(), folders["beta"], spool)
    equal("it is taken later", (done.returncode, done.stderr), (0, ""))
    equal("and is what it was", stacks(server.url(wanted="?host=beta")), before)


def test_service_without_server(folders, folder):
    """It takes sessions while the server is dead, and a signal ends it at any time."""
    spool = f"{folder}/spool-dead"
    environment = {**os.environ, "PATH": f"{BUILD}/pp:" + os.environ["PATH"]}
    for jitter in ("0", "1h"):
        shutil.rmtree(spool, ignore_errors=True)
        with subprocess.Popen([f"{BUILD}/utils/oppush/oppush", "--to=clickhouse://127.0.0.1:1/x",
                               f"--session-dir={folders['beta']}", f"--spool={spool}",
                               f"--jitter={jitter}"], env=environment,
                              stderr=subprocess.DEVNULL) as service:
            for _ in range(300):
                if len(waiting_in(spool)) == 4:
                    break
                time.sleep(0.1)
            service.terminate()
            try:
                status = service.wait(timeout=30)
            except subprocess.TimeoutExpired:
                service.kill()
                status = "killed"
        equal(f"jitter {jitter}: the service ends", status, 0)
        equal(f"jitter {jitter}: all wait",
              len(waiting_in(spool)), 4)


def test_foreign_spool(server, folders, folder):
    """A spool that others can write to is refused: they could have it send what they like."""
    spool = f"{folder}/spool-open"
    os.makedirs(spool)
    os.chmod(spool, 0o777)
    done = push(server.url(), folders["beta"], spool)
    check("a spool of everybody", done.returncode == 1 and spool in done.stderr, done.stderr)
    equal("nothing is written to it", os.listdir(spool), [])


def test_service(server, folder, chance):
    """It sends what is closed while it runs, and ends when it is told to."""
    spool = f"{folder}/spool-service"
    before = sum(stacks(server.url(wanted="?host=delta")).values()) \
        if isinstance(stacks(server.url(wanted="?host=delta")), dict) else 0
    environment = {**os.environ, "PATH": f"{BUILD}/pp:" + os.environ["PATH"]}
    sessions = f"{folder}/delta"
    os.makedirs(sessions)
    make_image(sessions)
    make_sessions(sessions, "delta", chance, 1)
    with subprocess.Popen([f"{BUILD}/utils/oppush/oppush", f"--to={server.url()}", "--jitter=0",
                           f"--session-dir={sessions}", f"--spool={spool}"],
                          env=environment) as service:
        for _ in range(300):
            got = stacks(server.url(wanted="?host=delta"))
            if isinstance(got, dict):
                break
            time.sleep(0.1)
        service.terminate()
        status = service.wait(timeout=60)
    equal("the service ends", status, 0)
    equal("and has sent", got, stacks(f"--session-dir={sessions}", "session:2*"))
    equal("what was not there", before, 0)


def test_sent_once(server, folder, chance):
    """What rows mean is sent once by a service, and again to tables that were made anew."""
    sessions = f"{folder}/kept"
    os.makedirs(sessions)
    make_image(sessions)
    environment = {**os.environ, "PATH": f"{BUILD}/pp:" + os.environ["PATH"]}

    def install():
        done = run("oppush", f"--to={server.url('kept')}", "--install-schema", f"--schema={SCHEMA}")
        equal("tables are made", done.returncode, 0)
        server.query("SYSTEM STOP MERGES")

    def rows():
        return server.query("SELECT (SELECT count() FROM frames), (SELECT count() FROM stacks), "
                            "(SELECT count() FROM label_sets)", "kept").split()

    def add_session(i):
        make_sessions(sessions, "kept", chance, 1, START + 600 * i)
        name = f"session:{stamp(START + 600 * i)}-{stamp(START + 600 * i + 600)}"
        begin = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(START + 600 * i))
        wanted = stacks(f"--session-dir={sessions}", name)
        servers.wait_for_equal(lambda: stacks(server.url("kept", f"?from={begin}&to={begin}")), wanted, 60)
        equal(f"session {i} is there", stacks(server.url("kept", f"?from={begin}&to={begin}")), wanted)

    install()
    with subprocess.Popen([f"{BUILD}/utils/oppush/oppush", f"--to={server.url('kept')}", "--jitter=0",
                           f"--session-dir={sessions}", f"--spool={folder}/spool-kept"],
                          env=environment) as service:
        add_session(0)
        first = rows()
        add_session(1)
        equal("nothing that it means is sent again", rows(), first)
        server.query("DROP DATABASE kept")
        time.sleep(1)  # tables are known by the second of their making
        install()
        add_session(2)
        service.terminate()
        service.wait(timeout=60)
    server.query("SYSTEM START MERGES")


# What operators may set in a profile, and SQL means something else then.
ODD_SETTINGS = ("join_use_nulls=1", "cast_keep_nullable=1", "aggregate_functions_null_for_empty=1",
                "transform_null_in=1", "prefer_column_name_to_alias=1", "group_by_use_nulls=1",
                "async_insert=1", "wait_for_async_insert=0")


def test_copy(server, folders, folder, name, *words):
    """Another database, with two hosts: reports of it, before and after they are added up."""
    done = run("oppush", f"--to={server.url(name)}", "--install-schema", f"--schema={SCHEMA}", *words)
    equal(f"{name}: tables are made", (done.returncode, done.stderr), (0, ""))
    sums = []
    for host in HOSTS[:2]:
        done = push(server.url(name), folders[host], f"{folder}/spool-{name}-{host}",
                    f"--label=role={host}")
        equal(f"{name}: {host} is sent", (done.returncode, done.stderr), (0, ""))
        sums.append(stacks(f"--session-dir={folders[host]}", "session:2*"))
    for when, made in (("sent", "sums are made"), ("added up", "")):
        equal(f"{name}: {when}", stacks(server.url(name)), added(*sums))
        for by in ("host", "role"):
            done = run("opreport", f"--by={by}", "-n", server.url(name))
            rows = {label: int(n) for n, label in
                    re.findall(r"^(\d+) +[\d.]+ +(\w+) +prog", done.stdout, re.M)}
            equal(f"{name}: {when}: rows by {by}", rows,
                  {host: sum(sums[k].values()) for k, host in enumerate(HOSTS[:2])})
        done = run("oppush", f"--to={server.url(name)}", "--add-up", "--add-up-days=36500")
        equal(f"{name}: {when}: --add-up", (done.returncode, done.stderr, made in done.stdout),
              (0, "", True))
    done = run("oppush", f"--to={server.url(name)}", "--add-up", "--keep-days=1")
    equal(f"{name}: samples of days that are added up are removed",
          (done.returncode, done.stderr, done.stdout), (0, "", "samples of 1 days are removed\n"))
    equal(f"{name}: without them", stacks(server.url(name)), added(*sums))
    done = run("opreport", server.url(name, "?host=alpha"))
    check(f"{name}: sessions without their samples are told", "not there as a whole" in done.stderr,
          done.stderr)


def test_settings(server, folders, folder):
    """Reports are the same whatever is set in a profile, and what is sent is there at once."""
    if server.has_users:
        skip("another profile", "18.16 has not these settings")
        return
    for analyzer in ("old", "new"):
        server.stop()
        server.settings = (*ODD_SETTINGS, f"enable_analyzer={int(analyzer == 'new')}")
        server.start()
        test_copy(server, folders, folder, f"{analyzer}_analyzer")
    test_copy(server, folders, folder, "distributed", "--cluster=fleet")


def old_server():
    return functools.partial(servers.Server, servers.root_or_skip())


def todays_server():
    return functools.partial(servers.TodaysServer, servers.library_or_skip())


def main():
    make = {"old": old_server, "today": todays_server}[sys.argv[3]]()
    chance = random.Random(34)
    with tempfile.TemporaryDirectory(prefix="fleet.") as folder:
        server = make(f"{folder}/server")
        folders = {host: f"{folder}/sessions{i}" for i, host in enumerate(HOSTS)}
        spools = {host: f"{folder}/spool{i}" for i, host in enumerate(HOSTS)}
        for host in HOSTS:
            os.makedirs(folders[host])
            make_image(folders[host])
            make_sessions(folders[host], host, chance, 4)
        try:
            server.start()
            test_schema(server)
            test_push(server, folders, spools)
            test_sums(server, folders, "sent")
            test_reports(server, folders)
            test_account(server, folder)
            test_again(server, folders, spools)
            test_half(server, folders)
            test_labels(server, folder, chance)
            test_label_option(server, folder, chance)
            test_missing(server)
            test_add_up(server, folder, chance)
            test_dead(server, folders, spools, chance)
            test_pretenders(folders, folder)
            test_bound(folders, folder)
            test_foreign_spool(server, folders, folder)
            test_full_disk(server, folders, folder)
            test_service_without_server(folders, folder)
            test_service(server, folder, chance)
            test_sent_once(server, folder, chance)
            test_settings(server, folders, folder)
        finally:
            server.stop()
    finish()


main()
