#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of "A fleet in three steps" in README.md, as they stand there, on this machine.

    readme_test.py BUILD MAKE_SESSION

Only the server's address is another.  The programs are installed into a folder that the commands
see in the place of the prefix, as they see other folders in those of /etc, /var/lib and /var/cache.
What systemd would do is done by the words of the installed units.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

import servers
from common import BUILD, TOP, check, environment, equal, finish, until

HEADING = "## A fleet in three steps\n"
ADDRESS = "clickhouse://db/"
SPLIT = f"{BUILD}/tests/vm/workloads/split"


def skip_all(why):
    print(f"skip: {why}")
    sys.exit(77)


def bare(lines):
    """Commands without comments and empty lines."""
    words = [re.sub(r"\s+#.*", "", line).strip() for line in lines]
    return [line for line in words if line]


def readme_commands():
    with open(f"{TOP}/README.md", encoding="utf-8") as file:
        section = file.read().split(HEADING)[1].split("\n## ")[0]
    return bare(line for line in section.splitlines() if line.startswith("    "))


def manual_commands():
    with open(f"{TOP}/doc/oppush.1", encoding="utf-8") as file:
        block = re.search(r"^\.Bd -literal.*\n((?:.*\n)*?)\.Ed", file.read(), re.M).group(1)
    return bare(block.splitlines())


# ---- a machine ----

class Machine:
    """Folders that commands see in the place of this machine's."""

    def __init__(self, folder):
        self.folder, self.home = folder, f"{folder}/home"
        done = subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet",
                               "--destdir", f"{folder}/installed"], capture_output=True, text=True,
                              check=False)
        if done.returncode:
            sys.exit(done.stderr)
        unit, = self.find("oprofile-push.service")
        with open(unit, encoding="utf-8") as file:
            self.bin, = re.findall(r"^ExecStart=(\S+)/oppush ", file.read(), re.M)
        self.prefix = os.path.dirname(self.bin)
        self.session = f"{folder}/lib/oprofile"
        for name in ("home", "lib", "cache/oprofile/symbols"):
            os.makedirs(f"{folder}/{name}")
        shutil.copytree("/etc", f"{folder}/etc", symlinks=True, ignore_dangling_symlinks=True)
        os.makedirs(self.session, 0o750)  # as systemd-tmpfiles does
        # /etc/oprofile-push.conf of this machine is not the test's
        if os.path.exists(f"{folder}/etc/oprofile-push.conf"):
            os.unlink(f"{folder}/etc/oprofile-push.conf")
        self.environment = environment(self.home, PATH=f"{self.bin}:{os.environ['PATH']}")

    def find(self, name):
        return [f"{folder}/{name}" for folder, _, names in os.walk(f"{self.folder}/installed")
                if name in names]

    def words(self, command):
        """A command that sees it."""
        places = {f"installed{self.prefix}": self.prefix, "etc": "/etc", "lib": "/var/lib",
                  "cache": "/var/cache"}
        mounts = "".join(f"mount --bind {shlex.quote(f'{self.folder}/{name}')} {place} && "
                         for name, place in places.items())
        return ["unshare", "--mount", "--propagation", "private", "sh", "-c",
                f'{mounts}exec "$@"', "sh", *command]

    def run(self, command, **variables):
        return subprocess.run(self.words(command), capture_output=True, text=True, timeout=300,
                              env={**self.environment, **variables}, check=False)

    def shell(self, line):
        return self.run(["sh", "-c", line])

    def closed(self):
        folder = f"{self.session}/samples"
        return [name for name in os.listdir(folder) if re.fullmatch(r"2\w+Z-2\w+Z", name)] \
            if os.path.isdir(folder) else []

    def sent(self):
        """Sessions that the server has taken, none of which waits still."""
        spool = f"{self.folder}/lib/oprofile-push"
        names = [(folder, name) for folder, _, found in os.walk(spool) for name in found]
        if any(name.endswith(".fleet") for _, name in names):
            return []
        done = [f"{folder}/{name}" for folder, name in names if name == "done"]
        if not done:
            return []
        with open(done[0], encoding="utf-8") as file:
            return file.read().split()


class Unit:
    """What systemd would do with it."""

    def __init__(self, machine, name):
        path, = machine.find(f"{name}.service")
        self.machine, self.name, self.lines, self.process = machine, name, {}, None
        with open(path, encoding="utf-8") as file:
            for key, value in re.findall(r"^(\w+)=(.*)$", file.read(), re.M):
                self.lines.setdefault(key, []).append(value)
        self.variables = dict(pair.split("=", 1) for pair in self.lines.get("Environment", []))
        for path in self.lines.get("EnvironmentFile", []):
            with open(f"{machine.folder}{path}", encoding="utf-8") as file:
                self.variables.update(line.split("=", 1) for line in file.read().splitlines())
        for state in self.lines.get("StateDirectory", []):
            os.makedirs(f"{machine.folder}/lib/{state}", 0o700)

    def commands(self, key):
        """Words, as systemd has them: ${NAME} within one, $NAME as several."""
        for line in self.lines.get(key, []):
            words = []
            for word in line.lstrip("-+").split():
                if word.startswith("$") and not word.startswith("${"):
                    words += self.variables.get(word[1:], "").split()
                else:
                    words.append(re.sub(r"\$\{(\w+)\}",
                                        lambda match: self.variables.get(match[1], ""), word))
            yield words

    def start(self):
        command, = self.commands("ExecStart")
        if self.lines.get("Type") == ["forking"]:
            done = self.machine.run(command, **self.variables)
            equal(f"systemctl starts {self.name}", (done.returncode, done.stderr), (0, ""))
        else:
            self.process = subprocess.Popen(
                self.machine.words(command), stderr=subprocess.PIPE, text=True,
                env={**self.machine.environment, **self.variables})

    def stop(self):
        if self.process:
            self.process.terminate()
            said = self.process.communicate(timeout=60)[1]
            equal(f"{self.name} ends", (self.process.returncode, said), (0, ""))
        for command in self.commands("ExecStop"):
            done = self.machine.run(command, **self.variables)
            equal(f"{self.name} ends", (done.returncode, done.stderr), (0, ""))


# ---- the test ----

def start_units(machine, line):
    words = line.split()
    equal("the words for systemd", words[:3], ["systemctl", "enable", "--now"])
    # what a test cannot wait for: sessions of ten minutes, and a minute between closing and sending
    done = machine.run(["opcontrol", "--setup", "--close-every=1s"])
    equal("sessions of a second", (done.returncode, done.stderr), (0, ""))
    with open(f"{machine.folder}/etc/oprofile-push.conf", "a", encoding="utf-8") as conf:
        conf.write("OPTIONS=--jitter=0\n")
    units = [Unit(machine, name) for name in words[3:]]
    for unit in units:
        unit.start()
    return units


def profile(machine, units):
    """Work, until enough sessions are closed, and all that are closed are sent."""
    until(lambda: subprocess.run([SPLIT, "1"], stdout=subprocess.DEVNULL, check=True)
          and len(machine.closed()) >= 3)
    units[0].stop()
    closed = machine.closed()
    check("sessions are closed", len(closed) >= 3, closed)
    check("and sent", until(lambda: set(closed) <= set(machine.sent()), 120), machine.sent())
    for unit in units[1:]:
        unit.stop()


def numbers_of(report):
    """All samples, and those of the functions of the program that worked."""
    rows = re.findall(r"^(\d+) +[\d.]+ .*?(\S+)$", report, re.M)
    return sum(int(n) for n, _ in rows), {name: int(n) for n, name in rows
                                          if name.startswith("split_")}


def main():
    if os.geteuid():
        skip_all("only root profiles the whole system")
    if subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        skip_all("there are no mount namespaces here")
    if subprocess.run([f"{BUILD}/utils/ocount/ocount", "-e", "cpu-clock", "-f", "/dev/null", "true"],
                      capture_output=True, check=False).returncode:
        skip_all("this machine allows no perf events")
    root = servers.root_or_skip()
    commands = readme_commands()
    equal("README and oppush(1) have the same commands", manual_commands(), commands)
    units = []
    with tempfile.TemporaryDirectory(prefix="fleet.") as folder:
        server = servers.Server(root, f"{folder}/server")
        machine = Machine(folder)
        try:
            server.start()
            for line in commands:
                line = line.replace(ADDRESS, f"clickhouse://127.0.0.1:{server.port}/")
                if line.startswith("systemctl "):
                    units = start_units(machine, line)
                    profile(machine, units)
                    continue
                done = machine.shell(line)
                equal(line, (done.returncode, done.stderr), (0, ""))
            fleet = numbers_of(done.stdout)
            local = machine.run(["opreport", "--symbols", "session:2*"])
            equal("samples of the fleet are those of the sessions", fleet,
                  numbers_of(local.stdout))
            check("work is there", fleet[1].get("split_seventy", 0) > 0, fleet)
        finally:
            machine.run(["opcontrol", "--shutdown"])
            for unit in units:
                if unit.process:
                    unit.process.kill()
            server.stop()
    finish()


main()
