#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Finds files that userspace opens to read beside the door for foreign files
# (libop/foreign/door.h), files and directories that it makes, renames or changes by a path beside
# libop/foreign/output.h, paths whose links it follows before either of the two sees them, and calls
# of libraries that parse what is in files: root has that done apart (libop/foreign/apart.h), in
# files that tools/lint/exempt lists.
#
#	doors.py FILE...
#
# What lists is no finding, nor is a path that only names something (O_DIRECTORY, O_PATH), nor a
# path of /proc or /sys, or /dev/null, that stands there.  Prints "file:line: text".

import re
import sys

CALL = re.compile(r"(?<![\w.>])(open|open64|openat|openat64|fopen|fopen64|freopen|op_file_read|"
                  r"posix_spawn_file_actions_addopen|"
                  r"bfd_openr|bfd_fopen|dwfl_report_offline|dwfl_report_elf)\(")
# Where a library begins to read a file that is open, or bytes of it; and our own that do.
PARSER = re.compile(r"(?<![\w.>])(elf_begin|elf_memory|dwarf_begin|dwarf_begin_elf|dwfl_begin|"
                    r"bfd_fdopenr|bfd_openstreamr|disassembler|lzma_stream_decoder|gzdopen|"
                    r"inflateInit2?|ZSTD_createDCtx|pp_elf_open|pp_bfd_open|pp_bfd_open_descriptor|"
                    r"pp_debug_link_find|pp_segments_of|pp_debug_info_read|"
                    r"symbol_part_open)\(")
# What makes a file or a directory, gives it a name, or changes it by its path.
WRITER = re.compile(r"(?<![\w.>])(op_file_replace|op_file_write|op_mkdir_parents|mkdir|mkdirat|mkstemp|"
                    r"mkostemp|mkdtemp|creat|archive_write_disk_new|mkfifo|mknod|truncate|bind|"
                    r"rename|renameat2?|link|linkat|symlink|symlinkat|unlink|unlinkat|rmdir|"
                    r"chmod|fchmodat|chown|lchown|fchownat|utimensat)\(")
# What follows the links of a path: what comes of it is any file.
RESOLVER = re.compile(r"(?<![\w.>])(realpath|canonicalize_file_name)\(")
WRITES = re.compile(r"\bO_CREAT\b|\"[wax][bex+]*\"")
HARMLESS = re.compile(r"^\s*(?:&\w+, \w+, )?\"/(?:proc/|sys/|dev/null\")|\bO_(WRONLY|CREAT|DIRECTORY|PATH)\b|\bDIRECTORY\b|\"[wa][bex+]*\"")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def arguments(text, start):
    """The text from @start, behind a parenthesis, to the one that closes it."""
    depth, at = 1, start
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[start:at - 1]


def findings(path):
    with open(path, encoding="utf-8", errors="replace") as source:
        text = COMMENT.sub(blank, source.read())
    for match in CALL.finditer(text):
        given = arguments(text, match.end())
        if match[1].startswith("dwfl") and not given.rstrip().endswith("-1"):
            continue  # libdwfl gets a descriptor that is open
        line = text.count("\n", 0, match.start()) + 1
        if WRITES.search(given):
            yield f"{path}:{line}: {match[1]}() writes beside libop/foreign/output.h [output]"
        elif not HARMLESS.search(given):
            yield f"{path}:{line}: {match[1]}() beside the door of libop/foreign [door]"
    if not path.endswith(".h"):
        for match in WRITER.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {match[1]}() makes beside libop/foreign/output.h [output]"
        for match in RESOLVER.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {match[1]}() follows links before libop/foreign does [resolver]"
        for match in PARSER.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {match[1]}() parses, perhaps as root [parser]"


found = [finding for path in sys.argv[1:] for finding in findings(path)]
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
