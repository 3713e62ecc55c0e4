# SPDX-License-Identifier: GPL-2.0-or-later
"""ClickHouse and ZooKeeper from servers.sh, and the engine of today, on ports of 127.0.0.1."""
import fcntl
import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

# ClickHouse 26.7, as libchdb.so
ENGINE = "chdb@3.4.0"
HERE = os.path.dirname(os.path.realpath(__file__))


def skip_all(why):
    print(f"skip: no ClickHouse: {why}")
    sys.exit(77)


def root_or_skip():
    """The folder of servers.sh; a machine that cannot have them ends the test."""
    fetched = subprocess.run([f"{HERE}/servers.sh"], capture_output=True, text=True, check=False)
    if fetched.returncode:
        skip_all(fetched.stderr.strip())
    return fetched.stdout.strip()


def install_library(place):
    """570 MB, unless another one has done it."""
    if os.path.exists(f"{place}/complete"):
        return
    done = subprocess.run(["npm", "install", "--prefix", place, "--no-audit", "--no-fund",
                           "--ignore-scripts", ENGINE], capture_output=True, text=True, timeout=600,
                          check=False, cwd=place)
    if done.returncode:
        skip_all(f"npm cannot install {ENGINE}: {done.stderr.strip()[-200:]}")
    with open(f"{place}/complete", "w", encoding="utf-8"):
        pass


def library_or_skip():
    """The engine of today, which npm installs into the cache."""
    given = os.environ.get("CHDB_LIBRARY")
    if given:
        return given
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    place = f"{cache}/oprofile/npm/{ENGINE}"
    if not os.path.exists(f"{place}/complete"):
        if not shutil.which("npm"):
            skip_all("there is no npm")
        os.makedirs(place, exist_ok=True)
        with open(f"{place}/lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            install_library(place)
    found = glob.glob(f"{place}/node_modules/@chdb/*/libchdb.so")
    return found[0] if found else skip_all(f"{ENGINE} has no library for this machine")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(what, happened, seconds=60):
    """Waits for a condition; a limit that is reached ends the test."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if happened():
            return
        time.sleep(0.1)
    sys.exit(f"not in {seconds} s: {what}")


def wait_for_equal(ask, wanted, seconds):
    """Waits for an answer; what is said in the end is the caller's to check."""
    end = time.monotonic() + seconds
    while ask() != wanted and time.monotonic() < end:
        time.sleep(0.1)


class Program:
    """A process with a log, that can be ended and started again."""

    def __init__(self, folder):
        self.folder, self.process = folder, None

    def run(self, command, environment=None):
        with open(f"{self.folder}/log", "ab") as log:
            self.process = subprocess.Popen(command, env={**os.environ, **(environment or {})},
                                            stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def wait_for(self, answers):
        for _ in range(900):
            try:
                if answers():
                    return
            except OSError:
                pass
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        with open(f"{self.folder}/log", encoding="utf-8", errors="replace") as log:
            sys.exit(f"it does not start: {log.read()[-2000:]}")

    def send(self, number):
        self.process.send_signal(number)

    def stop(self, number=signal.SIGKILL):
        if self.process:
            self.process.send_signal(number)
            self.process.wait()
        self.process = None


class ZooKeeper(Program):
    def __init__(self, root, folder):
        super().__init__(folder)
        self.root, self.port = root, free_port()
        os.makedirs(f"{folder}/data")
        with open(f"{folder}/zoo.cfg", "w", encoding="utf-8") as config:
            config.write(f"tickTime=500\ndataDir={folder}/data\nclientPort={self.port}\n"
                         "clientPortAddress=127.0.0.1\nadmin.enableServer=false\n"
                         "maxClientCnxns=0\n4lw.commands.whitelist=*\n")

    def is_up(self):
        with socket.create_connection(("127.0.0.1", self.port), timeout=2) as link:
            link.sendall(b"ruok")
            return link.recv(4) == b"imok"

    def start(self):
        java = glob.glob(f"{self.root}/usr/lib/jvm/java-*-openjdk-*/bin/java")[0]
        jars = ":".join(glob.glob(f"{self.root}/usr/share/java/*.jar"))
        self.run([java, "-Xmx256m", "-cp", jars,
                  "org.apache.zookeeper.server.quorum.QuorumPeerMain", f"{self.folder}/zoo.cfg"],
                 {"LD_LIBRARY_PATH": ""})
        self.wait_for(self.is_up)


class HttpServer(Program):
    """What a client of ClickHouse sees of one."""

    has_users = True

    def __init__(self, folder):
        super().__init__(folder)
        self.port = free_port()

    def query(self, text, database="default", seconds=60):
        address = f"http://127.0.0.1:{self.port}/?database={database}"
        try:
            with urllib.request.urlopen(address, text.encode(), timeout=seconds) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{text}: {error.read().decode(errors='replace')}") from error

    def insert(self, table, columns, rows, database="fleet"):
        """Rows as RowBinary has them."""
        statement = urllib.parse.quote(f"INSERT INTO {table} ({columns}) FORMAT RowBinary")
        address = f"http://127.0.0.1:{self.port}/?database={database}&query={statement}"
        with urllib.request.urlopen(address, rows, timeout=60) as answer:
            answer.read()

    def url(self, database="fleet", wanted=""):
        return f"clickhouse://127.0.0.1:{self.port}/{database}{wanted}"


class Server(HttpServer):
    """A ClickHouse 18.16 of its own folder."""

    def __init__(self, root, folder):
        super().__init__(folder)
        self.root = root
        self.tcp_port, self.interserver_port = free_port(), free_port()
        os.makedirs(folder)
        self.write_config("")
        with open(f"{folder}/users.xml", "w", encoding="utf-8") as users:
            users.write("""<yandex>
<profiles><default/><readonly><readonly>1</readonly></readonly></profiles>
<quotas><default/></quotas>
<users>
<default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default>
<reader><password>secret</password><networks><ip>127.0.0.1</ip></networks>
<profile>readonly</profile><quota>default</quota></reader>
</users></yandex>""")

    def write_config(self, more):
        with open(f"{self.folder}/config.xml", "w", encoding="utf-8") as config:
            config.write(f"""<yandex>
<logger><level>warning</level><console>1</console></logger>
<http_port>{self.port}</http_port><tcp_port>{self.tcp_port}</tcp_port>
<interserver_http_port>{self.interserver_port}</interserver_http_port>
<interserver_http_host>127.0.0.1</interserver_http_host>
<listen_host>127.0.0.1</listen_host>
<path>{self.folder}/data/</path><tmp_path>{self.folder}/tmp/</tmp_path>
<users_config>{self.folder}/users.xml</users_config>
<default_profile>default</default_profile><default_database>default</default_database>
<mark_cache_size>100000000</mark_cache_size><timezone>UTC</timezone>
<max_concurrent_queries>500</max_concurrent_queries>
{more or '<remote_servers></remote_servers>'}
</yandex>""")

    def start(self):
        libraries = sorted({folder for folder, _, names in os.walk(self.root)
                            if any(".so" in name for name in names) and "/jvm/" not in folder})
        self.run([f"{self.root}/usr/sbin/clickhouse-server",
                  f"--config-file={self.folder}/config.xml"],
                 {"LD_LIBRARY_PATH": ":".join(libraries)})
        self.wait_for(lambda: self.query("SELECT 1") == "1\n")

    def has_all(self):
        """Whether its tables have what was inserted on other replicas."""
        behind = self.query("SELECT log_max_index, zookeeper_path FROM system.replicas WHERE "
                            "is_readonly OR is_session_expired OR log_pointer <= log_max_index "
                            "OR inserts_in_queue > 0")
        for line in behind.splitlines():
            last, path = line.split("\t")
            # 0 is the number of the first entry, and that of a log without any
            if last != "0" or self.query("SELECT count() FROM system.zookeeper WHERE "
                                         f"path = '{path}/log'") != "0\n":
                return False
        return True


class TodaysServer(HttpServer):
    """The engine of ClickHouse 26.7 behind engine.py.  @settings: as those of a profile."""

    has_users = False

    def __init__(self, library, folder, settings=()):
        super().__init__(folder)
        self.library, self.settings = library, settings
        os.makedirs(folder)

    def start(self):
        self.run([sys.executable, f"{HERE}/engine.py", self.library, self.folder, str(self.port), *self.settings])
        self.wait_for(lambda: self.query("SELECT 1") == "1\n")


class Cluster:
    """Shards of replicas, with one ZooKeeper: servers[shard][replica]."""

    name = "fleet"

    def __init__(self, root, folder, shards=2, replicas=2):
        self.zookeeper = ZooKeeper(root, f"{folder}/zookeeper")
        self.servers = [[Server(root, f"{folder}/server-{shard}-{replica}")
                         for replica in range(replicas)] for shard in range(shards)]
        everywhere = "".join(
            "<shard><internal_replication>true</internal_replication>" + "".join(
                f"<replica><host>127.0.0.1</host><port>{server.tcp_port}</port></replica>"
                for server in shard) + "</shard>" for shard in self.servers)
        for i, shard in enumerate(self.servers):
            for k, server in enumerate(shard):
                server.write_config(
                    f"<remote_servers><{self.name}>{everywhere}</{self.name}></remote_servers>"
                    f"<zookeeper><node><host>127.0.0.1</host><port>{self.zookeeper.port}</port></node>"
                    "<session_timeout_ms>5000</session_timeout_ms></zookeeper>"
                    f"<macros><shard>{i}</shard><replica>{k}</replica></macros>"
                    "<distributed_ddl><path>/clickhouse/ddl</path></distributed_ddl>")

    def all(self):
        return [server for shard in self.servers for server in shard]

    def start(self):
        self.zookeeper.start()
        for server in self.all():
            server.start()

    def stop(self):
        for server in self.all():
            server.stop()
        self.zookeeper.stop()
