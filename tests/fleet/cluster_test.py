#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The store of a fleet on a cluster: two shards of two replicas, with ZooKeeper.

    cluster_test.py BUILD MAKE_SESSION

What reports say, by any server, must be the sum of all sessions, exactly, whatever fails while
they are sent: a replica is killed, a shard is stopped, ZooKeeper restarts, the network is cut in
a block, blocks are sent twice, clocks are wrong, a host is a copy of another one.  Sessions that
could not be sent wait, and what cannot be known is an error, not a smaller number.
"""
import os
import random
import re
import shutil
import signal
import socket
import tempfile
import threading

import servers
from common import (SCHEMA, added, check, equal, finish, make_image, make_sessions, push, run,
                    stacks, waiting_in)


class Fleet:
    """Hosts with sessions, and what all that were made add up to."""

    def __init__(self, folder, cluster):
        self.folder, self.cluster, self.chance = folder, cluster, random.Random(36)
        self.wanted, self.n = {}, 0

    def add_host(self, name=None, n=2, begin=None):
        """Return: the session directory and the spool of a new host."""
        folder, spool = (f"{self.folder}/{kind}{self.n}" for kind in ("sessions", "spool"))
        os.makedirs(folder)
        make_image(folder)
        make_sessions(folder, name or f"host{self.n}", self.chance, n, begin)
        self.wanted = added(self.wanted, stacks(f"--session-dir={folder}", "session:2*"))
        self.n += 1
        return folder, spool

    def check_sums(self, when, has_hosts=True):
        """Each server says the same, once all of them have what the others have."""
        alive = [server for server in self.cluster.all() if server.process]
        for server in alive:
            servers.wait_until(f"{server.folder} has all", server.has_all)
        for server in alive:
            equal(f"{when}: {os.path.basename(server.folder)}", stacks(server.url()), self.wanted)
            if not has_hosts:
                continue
            lines = run("opreport", "--by=host", "-n", server.url()).stdout
            equal(f"{when}: lines of hosts",
                  sum(map(int, re.findall(r"^(\d+) ", lines, re.M))), sum(self.wanted.values()))


def waiting(spool):
    return len(waiting_in(spool))


class Cut:
    """A way to a server that is cut after a number of bytes."""

    def __init__(self, port, most):
        self.target, self.left = port, most
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                here, _ = self.listener.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self.target))
            for pair in ((here, there, True), (there, here, False)):
                threading.Thread(target=self.carry, args=pair, daemon=True).start()

    def carry(self, source, sink, is_counted):
        try:
            while self.left > 0:
                data = source.recv(min(4096, self.left))
                if not data:
                    break
                sink.sendall(data)
                self.left -= len(data) if is_counted else 0
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.left = 0
        self.listener.close()

    def url(self):
        return f"clickhouse://127.0.0.1:{self.port}/fleet"


# ---- tests ----

def test_schema(cluster, folder):
    server = cluster.servers[0][0]
    install = ["oppush", f"--to={server.url()}", "--install-schema", f"--schema={SCHEMA}"]
    first = run(*install, "--cluster=fleet")
    equal("the schema is installed", (first.returncode, first.stdout, first.stderr),
          (0, "1-tables.sql\n", ""))
    again = run(*install, "--cluster=fleet")
    equal("and once only", (again.returncode, again.stdout), (0, ""))
    for one in cluster.all():
        equal(f"tables of {os.path.basename(one.folder)}",
              one.query("SELECT countIf(engine LIKE 'Replicated%'), countIf(engine = 'Distributed') "
                        "FROM system.tables WHERE database = 'fleet'"), "12\t12\n")
    plain = run(*install)
    check("it is not made one of a server", plain.returncode == 1 and "--cluster" in plain.stderr,
          plain.stderr)
    alone = ["oppush", f"--to={server.url('alone')}", "--install-schema", f"--schema={SCHEMA}"]
    equal("a database of one server", run(*alone).returncode, 0)
    plain = run(*alone, "--cluster=fleet")
    check("it is not made one of a cluster", plain.returncode == 1 and "--cluster" in plain.stderr,
          plain.stderr)
    newer = f"{folder}/schema"
    shutil.copytree(SCHEMA, newer)
    with open(f"{newer}/2-more.sql", "w", encoding="utf-8") as file:
        file.write("-- sharded by cityHash64(host)\nALTER TABLE sessions\nADD COLUMN more UInt8;\n")
    done = run(*install[:3], f"--schema={newer}", "--cluster=fleet")
    check("a change of a table has its name on the first line", done.returncode == 1, done.stdout)
    with open(f"{newer}/2-more.sql", "w", encoding="utf-8") as file:
        file.write("-- sharded by cityHash64(host)\nALTER TABLE sessions ADD COLUMN more UInt8;\n")
    done = run(*install[:3], f"--schema={newer}", "--cluster=fleet")
    equal("a later schema", (done.returncode, done.stdout, done.stderr), (0, "2-more.sql\n", ""))
    equal("its column is there", cluster.servers[1][1].query("SELECT count(more) FROM sessions",
                                                             "fleet"), "0\n")


def test_push(fleet):
    for server in fleet.cluster.all():
        folder, spool = fleet.add_host()
        done = push(server.url(), folder, spool)
        equal(f"{os.path.basename(server.folder)} takes sessions", (done.returncode, done.stderr), (0, ""))
    fleet.check_sums("sent")
    counts = [shard[0].query("SELECT count() FROM sessions_local", "fleet")
              for shard in fleet.cluster.servers]
    equal("sessions are on one shard each", sum(map(int, counts)), 8)


def test_replica_killed(fleet):
    killed, other = fleet.cluster.servers[0]
    killed.stop(signal.SIGKILL)
    for server in (other, fleet.cluster.servers[1][0]):
        folder, spool = fleet.add_host()
        equal("sent without a replica", push(server.url(), folder, spool).returncode, 0)
    fleet.check_sums("a replica is away")
    killed.start()
    fleet.check_sums("it is back")


def test_shard_stopped(fleet):
    """Sessions of its hosts wait; those who ask get an error."""
    server = fleet.cluster.servers[0][0]
    for one in fleet.cluster.servers[1]:
        one.stop(signal.SIGKILL)
    hosts = [fleet.add_host() for _ in range(4)]
    results = [push(server.url(), *host).returncode for host in hosts]
    check("what cannot be sent waits", 1 in results, str(results))
    equal("all that failed waits", [bool(waiting(spool)) for _, spool in hosts],
          [result == 1 for result in results])
    done = run("opreport", server.url())
    check("a report is an error", done.returncode == 1 and "refuses" in done.stderr, done.stderr)
    for one in fleet.cluster.servers[1]:
        one.start()
    for host in hosts:
        servers.wait_until("it is sent", lambda: push(server.url(), *host).returncode == 0)
        equal("nothing waits", waiting(host[1]), 0)
    fleet.check_sums("a shard was away")


def test_zookeeper_restarted(fleet):
    server = fleet.cluster.servers[0][1]
    fleet.cluster.zookeeper.stop(signal.SIGKILL)
    folder, spool = fleet.add_host()
    equal("it waits without ZooKeeper", push(server.url(), folder, spool).returncode, 1)
    fleet.cluster.zookeeper.start()
    servers.wait_until("it is sent", lambda: push(server.url(), folder, spool).returncode == 0)
    fleet.check_sums("ZooKeeper was away")


def test_network_cut(fleet):
    """Wherever it is cut, a session is there once."""
    server = fleet.cluster.servers[0][0]
    for most in (100, 1000, 2000, 3000, 4000, 5000):
        folder, spool = fleet.add_host()
        way = Cut(server.port, most)
        done = push(way.url(), folder, spool)
        way.close()
        check(f"cut after {most} bytes, and said", done.returncode == 1, done.stderr)
        equal("it is sent later", push(server.url(), folder, spool).returncode, 0)
    fleet.check_sums("the network was cut")


def test_twice(fleet):
    """All sessions again, by another server."""
    for i in range(fleet.n):
        spool = f"{fleet.folder}/spool{i}"
        shutil.rmtree(spool)
        server = fleet.cluster.all()[i % 4]
        equal("sent again", push(server.url(), f"{fleet.folder}/sessions{i}", spool).returncode, 0)
    fleet.check_sums("sent twice")


def test_clocks_and_copies(fleet):
    server = fleet.cluster.servers[1][0]
    for begin in (946684800, 4102444800):
        equal(f"a clock at {begin}",
              push(server.url(), *fleet.add_host(begin=begin)).returncode, 0)
    for _ in range(2):
        equal("hosts of one name", push(server.url(), *fleet.add_host("copy")).returncode, 0)
    fleet.check_sums("wrong clocks, copied hosts")


def test_add_up(fleet):
    """Sums are made by one server and read by all, with a replica that comes back without them."""
    killed, other = fleet.cluster.servers[1]
    killed.stop(signal.SIGKILL)
    add_up = ["oppush", f"--to={other.url()}", "--add-up", "--add-up-days=36500"]
    done = run(*add_up)
    check("it is added up", done.returncode == 0 and "sums are made" in done.stdout, done.stderr)
    killed.start()
    fleet.check_sums("added up")
    equal("nothing is left to add up", run(*add_up).stdout, "")
    equal("a late host", push(other.url(), *fleet.add_host()).returncode, 0)
    fleet.check_sums("a late host")
    done = run(*add_up)
    check("it is added", done.returncode == 0 and "sums are made" in done.stdout, done.stderr)
    fleet.check_sums("it is added")
    done = run(*add_up, "--keep-days=1")
    check("samples are removed", done.returncode == 0 and "days are removed" in done.stdout,
          done.stdout + done.stderr)
    for server in fleet.cluster.all():
        # the host whose clock is wrong has days to come
        old = "SELECT count() FROM samples_local WHERE day < today()"
        servers.wait_for_equal(lambda: server.query(old, "fleet"), "0\n", 30)
        equal("from all servers", server.query(old, "fleet"), "0\n")
    fleet.check_sums("samples were removed", has_hosts=False)


def test_account(fleet):
    home = f"{fleet.folder}/home"
    os.makedirs(home)
    with open(f"{home}/.netrc", "w", encoding="utf-8") as netrc:
        netrc.write("machine 127.0.0.1 login reader password secret\n")
    os.chmod(f"{home}/.netrc", 0o600)
    done = run("opreport", fleet.cluster.servers[1][0].url(wanted="?host=copy"), home=home)
    equal("an account that reads", (done.returncode, "prog" in done.stdout), (0, True))


def main():
    root = servers.root_or_skip()
    with tempfile.TemporaryDirectory(prefix="fleet.") as folder:
        cluster = servers.Cluster(root, folder)
        try:
            cluster.start()
            test_schema(cluster, folder)
            fleet = Fleet(folder, cluster)
            test_push(fleet)
            test_replica_killed(fleet)
            test_shard_stopped(fleet)
            test_zookeeper_restarted(fleet)
            test_network_cut(fleet)
            test_twice(fleet)
            test_clocks_and_copies(fleet)
            test_account(fleet)
            test_add_up(fleet)
        finally:
            cluster.stop()
    finish()


main()
