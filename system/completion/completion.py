#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Makes the completions of shells from the option tables of the commands, which they print
# themselves (libop/base/option.h), and the code beside this file.
#
#	completion.py bash|zsh CODE PROGRAM... >COMPLETION

import os
import re
import subprocess
import sys

# What the argument of an option is, by its name in the help; others are not completed.
KINDS = {"FILE": "file", "PATH": "file", "DIR": "directory", "DIRS": "directories",
         "PID,...": "processes", "TID,...": "processes", "TYPE": "cpu_type"}
EVENTS = {"events", "event"}


class Option:
    def __init__(self, line):
        self.name, self.letter, self.argument, optional, words, self.help = line.split("\t")
        self.optional = bool(optional)
        self.words = words.split()

    def kind(self, command):
        if self.words:
            return "words"
        if self.name in EVENTS:
            return "events"
        if (command, self.name) == ("opexport", "to"):
            return "formats"
        return KINDS.get(self.argument, "none")

    def forms(self):
        return [form for form in (self.name and "--" + self.name,
                                  self.letter and "-" + self.letter) if form]


class Command:
    def __init__(self, program):
        self.name = os.path.basename(program)
        said = subprocess.run([program, "--option-table"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.splitlines()
        self.synopsis = said[0]
        self.options = [Option(line) for line in said[1:]]
        # what --help itself is not a row of
        self.options.append(Option("help\t?\t\t\t\tshow the options"))
        self.options.append(Option("usage\t\t\t\t\tshow the options in short"))

    def operands(self):
        """What the words are that are no options."""
        for word, kind in (("TAG:", "specification"), ("COMMAND", "command"), ("EVENT", "events"),
                           ("FILE", "file")):
            if word in self.synopsis:
                return kind
        return "none"

    def subcommands(self):
        """"check|dump FILE | pack DIR": the first words."""
        return re.findall(r"(?:(?<=\|)|(?<=^)|(?<=\| ))[a-z]+(?=[| ])", self.synopsis)


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


# ---- bash ----

def bash_case(command):
    yield f"\t{command.name})"
    options = []
    for option in command.options:
        ends = "=" if option.argument and not option.optional else ""
        options += [form + (ends if form.startswith("--") else "") for form in option.forms()]
    yield f"\t\toptions={quoted(' '.join(options))}"
    yield f"\t\toperands={command.operands()} subcommands={quoted(' '.join(command.subcommands()))}"
    yield "\t\tcase $2 in"
    for option in command.options:
        if not option.argument:
            continue
        sets = f"kind={option.kind(command.name)}"
        if option.optional:
            sets += " optional=yes"
        if option.words:
            sets += f" choices={quoted(' '.join(option.words))}"
        yield f"\t\t{' | '.join(map(quoted, option.forms()))}) {sets} ;;"
    yield "\t\tesac"
    yield "\t\t;;"


def bash(commands):
    yield "# _oprofile_table COMMAND OPTION - sets what is known of a command, and of an option of it"
    yield "_oprofile_table()"
    yield "{"
    yield "\tkind= optional= choices="
    yield "\tcase $1 in"
    for command in commands:
        yield from bash_case(command)
    yield "\tesac"
    yield "}"
    yield "complete -F _oprofile " + " ".join(command.name for command in commands)


# ---- zsh ----

def zsh_escaped(text):
    return re.sub(r"([\\\[\]:])", r"\\\1", text)


def zsh_action(option, command):
    if option.words:
        return "(" + " ".join(option.words) + ")"
    kind = option.kind(command)
    return " " if kind == "none" else "_oprofile_" + kind


def zsh_specifications(command):
    for option in command.options:
        forms, text = option.forms(), f"[{zsh_escaped(option.help)}]"
        value = ""
        if option.argument:
            value = (f"{':' * (1 + option.optional)}{zsh_escaped(option.argument)}:"
                     f"{zsh_action(option, command.name)}")
        for form in forms:
            sign = ""
            if option.argument:
                sign = "=" if form.startswith("--") else "+"
            if option.optional:
                sign = "=-" if form.startswith("--") else "-"
            # lists grow
            repeats = "*" if option.kind(command.name) == "events" else ""
            others = f"({' '.join(forms)})" if len(forms) > 1 and not repeats else ""
            yield quoted(others + repeats + form + sign + text + value)
    if command.subcommands():
        yield quoted(f"1:command:({' '.join(command.subcommands())})")
        yield quoted("*:file:_files")
    elif command.operands() == "command":
        yield quoted("(-)1:command:_command_names -e")
        yield quoted("*::argument:_normal")
    elif command.operands() != "none":
        yield quoted(f"*:{command.operands()}:_oprofile_{command.operands()}")


def zsh(commands):
    yield "case $service in"
    for command in commands:
        yield f"{command.name})"
        yield "\t_arguments -s -S \\"
        yield " \\\n".join("\t\t" + one for one in zsh_specifications(command))
        yield "\t;;"
    yield "esac"


def main():
    shell, code = sys.argv[1:3]
    commands = [Command(program) for program in sys.argv[3:]]
    with open(code, encoding="utf-8") as file:
        text = file.read()
    if shell == "zsh":
        print("#compdef " + " ".join(command.name for command in commands))
    print(text)
    print("\n".join({"bash": bash, "zsh": zsh}[shell](commands)))


main()
