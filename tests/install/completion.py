#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# covers: in bash, with and without the package bash-completion, and in zsh, on a terminal, the Tab
# key completes options, their words, files, events, formats, sessions and the command that operf
# profiles; every option that a command's help lists is in both completions
#
#	completion.py SOURCE BUILD bash|bash-completion|zsh
#
# bash-completion loads the completion of a command itself; plain bash has to be told.

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE, BUILD, WAY = sys.argv[1:4]
SHELL = "zsh" if WAY == "zsh" else "bash"
LOADER = "/usr/share/bash-completion/bash_completion"
CPU_TYPE = "x86-64/zen1" # of the events to complete
LIMIT = 60 # seconds for an answer, on a busy host

COMMANDS = {"opreport": "pp", "opdiff": "pp", "opannotate": "pp", "oparchive": "pp", "opgprof": "pp",
            "opimport": "pp", "opexport": "pp", "opcontrol": "utils/opcontrol",
            "opdb": "utils/opdb", "ocount": "utils/ocount", "oppush": "utils/oppush", "ophelp": "utils/ophelp",
            "operf": "daemon/operf", "optop": "utils/optop", "oprofiled": "daemon",
            "oprofile-selftest": "utils/selftest"}

# What is typed before Tab, and the line after it
CASES = [
    ("opreport --no-chi", "opreport --no-children "),
    ("opreport --forma", "opreport --format="),
    ("opreport --format=dcpic", "opreport --format=dcpicat "),
    ("opreport --color nev", "opreport --color never "),
    ("opannotate --disass", "opannotate --disassembler-options="),
    ("oparchive --output-d", "oparchive --output-directory="),
    ("opreport --session-dir=oth", "opreport --session-dir=other/"),
    ("opreport session:bef", "opreport session:before "),
    ("opreport --session-dir=other session:aft", "opreport --session-dir=other session:after "),
    ("opreport session:before,aft", "opreport session:before,aft"),
    ("opdiff --no-sy", "opdiff --no-symbols "),
    ("opdiff session:bef", "opdiff session:before "),
    ("opgprof image-excl", "opgprof image-exclude:"),
    ("operf -e page-f", "operf -e page-faults"),
    ("operf --events=cpu-clock,context-sw", "operf --events=cpu-clock,context-switches"),
    ("opcontrol --event=RETIRED_UO", "opcontrol --event=RETIRED_UOPS"),
    ("ocount --eve", "ocount --events="),
    ("oprofile-selftest --see", "oprofile-selftest --see"),
    ("oprofile-selftest --sec", "oprofile-selftest --seconds="),
    ("operf --call-graph dw", "operf --call-graph dwarf "),
    ("operf --vmlinux=vml", "operf --vmlinux=vmlinux-debug "),
    ("operf --freq=99 unlik", "operf --freq=99 unlikely_name "),
    ("operf unlikely_name --separ", "operf unlikely_name --separ"),
    ("opcontrol --stat", "opcontrol --status "),
    ("opdb rep", "opdb repair "),
    ("opdb check vml", "opdb check vmlinux-debug "),
    ("opexport --to=fold", "opexport --to=folded "),
    ("opimport vml", "opimport vmlinux-debug "),
    ("ophelp --cpu-type=i386/athl", "ophelp --cpu-type=i386/athlon "),
    ("oprofiled --separate-th", "oprofiled --separate-thread="),
]


class Terminal:
    """A shell that believes that somebody types."""

    def __init__(self, words, folder, environment):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        self.text = ""

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def wait(self, pattern):
        """Reads until there is such a line; forgets all up to it.  None: there is none."""
        end = time.monotonic() + LIMIT
        while not (found := re.search(pattern, self.text, re.MULTILINE)):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                return None
            try:
                self.text += os.read(self.fd, 65536).decode(errors="replace").replace("\r", "")
            except OSError:
                return None
        self.text = self.text[found.end():]
        return found

    def close(self):
        os.close(self.fd)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def prepare(folder):
    """Sessions and files to complete, and the commands."""
    for path in ("oprofile_data/samples/before", "oprofile_data/samples/current",
                 "other/samples/after", "bin", "completions"):
        os.makedirs(os.path.join(folder, path))
    open(os.path.join(folder, "vmlinux-debug"), "w").close()
    os.symlink("/bin/true", os.path.join(folder, "bin/unlikely_name"))
    made = os.path.join(BUILD, "system/completion")
    for command, place in COMMANDS.items():
        os.symlink(os.path.join(BUILD, place, command), os.path.join(folder, "bin", command))
        shutil.copy(os.path.join(made, "opreport"), os.path.join(folder, "completions", command))
    shutil.copy(os.path.join(made, "_oprofile"), os.path.join(folder, "completions"))
    os.mkdir(os.path.join(folder, "oprofilefs"))
    with open(os.path.join(folder, "oprofilefs/cpu_type"), "w", encoding="utf-8") as file:
        file.write(CPU_TYPE)


def start(folder):
    environment = {"PATH": folder + "/bin:" + os.environ["PATH"], "HOME": folder, "TERM": "dumb",
                   "LC_ALL": "C", "OPROFILE_EVENTS_DIR": SOURCE + "/events",
                   "OPROFILE_FS_DIR": folder + "/oprofilefs",
                   "BASH_COMPLETION_USER_DIR": folder}
    if SHELL == "bash":
        terminal = Terminal(["bash", "--norc", "--noprofile", "-i"], folder, environment)
        load = LOADER if WAY == "bash-completion" else "completions/opreport"
        terminal.type(f"bind 'set enable-bracketed-paste off'; . {load}; PS1='rea''dy> '\n")
    else:
        terminal = Terminal(["zsh", "-f", "-i"], folder, environment)
        terminal.type("unset zle_bracketed_paste; bindkey -e; setopt nolistbeep noprompt_sp;"
                      " fpath=($PWD/completions $fpath); autoload -Uz compinit;"
                      " compinit -u -D; PS1='rea''dy> '\n")
    if not terminal.wait(r"^ready> "):
        sys.exit(f"{SHELL} does not start: {terminal.text}")
    return terminal


def completed(terminal, typed):
    """The line after Tab."""
    # the line is put between quotes, by the keys for its begin and end, and printed
    terminal.type(typed + "\t\x01echo \"LINE:\x05\"\n")
    found = terminal.wait(r"^LINE:(.*)$")
    line = found and found.group(1)
    if not terminal.wait(r"^ready> "):
        return None
    return line


def listed(command):
    """The options that the help lists."""
    said = subprocess.run([os.path.join(BUILD, COMMANDS[command], command), "--help"],
                          check=True, text=True, stdout=subprocess.PIPE).stdout
    return set(re.findall(r"^  (?:-., |    )?(--[a-z-]+)", said, re.MULTILINE))


def check_options():
    """Return: the options of help that the completion has not."""
    path = os.path.join(BUILD, "system/completion", {"bash": "opreport", "zsh": "_oprofile"}[SHELL])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    failures = 0
    end = {"bash": "\n\t\t;;", "zsh": "\n\t;;"}[SHELL]
    for command in COMMANDS:
        begin = re.search(rf"^\t?{command}\)$", text, re.MULTILINE).start()
        options = listed(command)
        has = set(re.findall(r"--[a-z-]+", text[begin:text.index(end, begin)]))
        if not options or not options <= has:
            print(f"NOT OK {command}: {' '.join(options - has) or 'no options'} not completed")
            failures += 1
    return failures


def main():
    if not shutil.which(SHELL) or WAY == "bash-completion" and not os.path.exists(LOADER):
        print(f"skip: there is no {WAY}")
        sys.exit(77)
    failures = check_options()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        terminal = start(folder)
        for typed, line in CASES:
            got = completed(terminal, typed)
            if SHELL == "zsh": # which takes away a suffix that nothing follows
                line = line.rstrip(" =/")
            if got != line:
                print(f"NOT OK {WAY}: \"{typed}\" becomes \"{got}\", not \"{line}\"")
                failures += 1
        terminal.close()
    print(f"{WAY}: {len(CASES)} lines, {failures} failures")
    sys.exit(failures > 0)


main()
