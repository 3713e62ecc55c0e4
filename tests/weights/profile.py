# SPDX-License-Identifier: GPL-2.0-or-later
"""What a profile says, whatever its format: samples, each with its event, its stack of names and
what it weighs.  Nothing here knows how OProfile has it.
"""

import collections
import re
import struct
import subprocess

# image: its path, or what else the format calls it; base: its base name, as views show it
# line: where the sample or the call is, 0 if unknown; is_inlined: into the frame before it
# has_name: the format, or a symbol table, named it
Frame = collections.namedtuple("Frame", "name image line is_inlined has_name")

# program: what was executed; comm: what it called itself; frames: root first
# count: samples, None where the format does not say; events: what they stand for
Sample = collections.namedtuple("Sample", "event program comm frames count events")

UNKNOWN = "[unknown]"


def frame(name, image, line=0, is_inlined=False, has_name=True):
    return Frame(name, image, line, is_inlined, has_name)


def base(path):
    """What views call an image."""
    return path.rstrip("/").rpartition("/")[2] or path


def in_brackets(image):
    """What a place without a symbol is called."""
    name = base(image)
    if re.search(r"\.ko(\.\w+)?$", name):  # a module is called as the kernel calls it
        name = name[:name.index(".ko")].replace("-", "_")
    return name if name.startswith("[") else "[%s]" % name


class Source:
    """A file of a format, as its independent reader has it."""

    def __init__(self, form, samples, units=None, physical=False, notes=(), calls=()):
        self.form = form
        self.samples = samples
        self.units = units or {}  # of events: "nanoseconds", "bytes"; else "count"
        self.physical = physical  # frames are addresses in images
        self.notes = notes
        self.calls = calls  # without stacks: (event, caller's frame, callee's frame, cost)

    def events(self):
        return sorted({sample.event for sample in self.samples})


class Sums:
    """Numbers by key: samples, None if one of them is not known, and events."""

    def __init__(self):
        self.table = {}

    def add(self, key, count, events):
        have = self.table.get(key)
        if have is None:
            self.table[key] = [count, events]
            return
        have[0] = None if have[0] is None or count is None else have[0] + count
        have[1] = None if have[1] is None or events is None else have[1] + events

    def counts(self):
        return {key: n[0] for key, n in self.table.items() if n[0]}

    def weights(self):
        return {key: n[1] for key, n in self.table.items() if n[1]}


# ---- texts ----

UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff"
                    "\udc80-\udcff]")


def escaped(name):
    """Names in texts: a byte of what would move the cursor, or is not UTF-8, is \\xHH."""
    return UNSAFE.sub(lambda found: "".join(
        "\\x%02x" % byte for byte in found.group().encode("utf-8", "surrogateescape")), name)


def text_of(data):
    return data.decode("utf-8", "surrogateescape")


# ---- containers ----

def unpacked(data):
    """Without gzip, zstd, xz or bzip2 around it."""
    import bz2
    import lzma
    import zlib
    if data.startswith(b"\x1f\x8b"):
        return zlib.decompressobj(31).decompress(data)
    if data.startswith(b"BZh"):
        return bz2.decompress(data)
    if data.startswith(b"\xfd7zXZ\0"):
        return lzma.decompress(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        return subprocess.run(["zstd", "-dcq"], input=data, stdout=subprocess.PIPE,
                              check=True).stdout
    return data


# ---- protocol buffers ----

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value & (1 << 64) - 1, at


def fields(data):
    """Number, and value or bytes, of each field of a message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 2:
            length, at = varint(data, at)
            value, at = bytes(data[at:at + length]), at + length
        else:
            size = {1: 8, 5: 4}[kind]
            value, at = int.from_bytes(data[at:at + size], "little"), at + size
        yield key >> 3, value


def numbers(value):
    """Of a repeated field, packed or not."""
    if isinstance(value, int):
        return [value]
    found, at = [], 0
    while at < len(value):
        number, at = varint(value, at)
        found.append(number)
    return found


def signed(value):
    return value - (1 << 64) if value >> 63 else value


# ---- ELF ----

class Symbols:
    """Functions of an ELF file of 64 bits, by offset in the file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        (self.segments, self.functions) = ([], [])
        phoff, shoff = struct.unpack_from("<QQ", data, 32)
        phsize, phnum, shsize, shnum = struct.unpack_from("<4H", data, 54)
        for i in range(phnum):
            kind, _, offset, address, _, size = struct.unpack_from("<IIQQQQ", data,
                                                                   phoff + i * phsize)
            if kind == 1:
                self.segments.append((offset, address, size))
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * shsize)
                    for i in range(shnum)]
        for section in sections:
            if section[1] != 2:
                continue
            strings = sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], 24):
                name, info, _, _, value, size = struct.unpack_from("<IBBHQQ", data, at)
                if info & 15 == 2:
                    end = data.index(b"\0", strings + name)
                    self.functions.append((value, size, text_of(data[strings + name:end])))

    def name(self, offset):
        for begin, address, size in self.segments:
            if begin <= offset < begin + size:
                at = offset - begin + address
                for value, length, name in self.functions:
                    if value <= at < value + length:
                        return name
        return None
