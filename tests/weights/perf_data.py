# SPDX-License-Identifier: GPL-2.0-or-later
"""A reader of perf.data, and of what perf writes to a pipe: files of both byte orders."""

import bisect
import struct

from profile import UNKNOWN, Sample, Source, frame, in_brackets, text_of

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, BRANCH, REGS, STACK, \
    WEIGHT, DATA_SRC, IDENTIFIER = (1 << bit for bit in range(17))
MMAP, LOST, COMM, EXIT, FORK, SAMPLE, MMAP2, ATTR, EVENT_TYPE, TRACING_DATA, BUILD_ID, \
    COMPRESSED, HEADER_FEATURE, COMPRESSED2 = 1, 2, 3, 4, 7, 9, 10, 64, 65, 66, 67, 81, 80, 83
EVENT_UPDATE = 78
FREQUENCY, ID_ALL, PRECISE = 1 << 10, 1 << 18, 3 << 15
CONTEXT_MOST = (1 << 64) - 4096
CONTEXT_KERNEL, CONTEXT_USER, CONTEXT_HV = ((1 << 64) - n for n in (128, 512, 32))
MODE_KERNEL, MODE_USER = 1, 2
NAMES = {0: "cycles instructions cache-references cache-misses branches branch-misses bus-cycles "
            "stalled-cycles-frontend stalled-cycles-backend ref-cycles".split(),
         1: "cpu-clock task-clock page-faults context-switches cpu-migrations minor-faults "
            "major-faults alignment-faults emulation-faults dummy bpf-output cgroup-switches"
            .split()}


class LeftOut(Exception):
    """What this reader has not, for its reason."""


class Attr:
    def __init__(self, order, data):
        self.type, self.size, self.config, self.period, self.sample_type, self.read_format, \
            self.flags = struct.unpack_from(order + "IIQQQQQ", data.ljust(48, b"\0"))
        self.branch = struct.unpack_from(order + "Q", data, 72)[0] if len(data) >= 80 else 0
        self.name = None
        self.ids = ()

    def called(self):
        if self.name is None:
            names = NAMES.get(self.type, ())
            self.name = names[self.config] if self.config < len(names) else \
                "type%d-%#x" % (self.type, self.config)
        return self.name


class Mappings:
    """Of a process, or of the kernel; a later one takes the place of what was there."""

    def __init__(self, other=None):
        self.starts = list(other.starts) if other else []
        self.items = dict(other.items) if other else {}

    def add(self, start, end, offset, path):
        for at in self.starts[max(bisect.bisect_right(self.starts, start) - 1, 0):]:
            have = self.items[at]
            if at >= end:
                break
            if have[0] <= start:
                continue
            self.drop(at)
            if at < start:
                self.put(at, (start, *have[1:]))
            if have[0] > end:
                self.put(end, (have[0], have[1] + end - at, have[2]))
        self.put(start, (end, offset, path))

    def drop(self, at):
        self.starts.remove(at)
        del self.items[at]

    def put(self, start, item):
        if start not in self.items:
            bisect.insort(self.starts, start)
        self.items[start] = item

    def find(self, address):
        """(offset, path), or None."""
        i = bisect.bisect_right(self.starts, address) - 1
        if i < 0:
            return None
        start = self.starts[i]
        end, offset, path = self.items[start]
        return (address - start + offset, path) if address < end else None


class Reader:
    def __init__(self, data, names):
        self.data, self.names = data, names or {}
        self.attrs, self.by_id, self.records = [], {}, []
        self.order = "<" if data[:8] in (b"PERFILE2", b"PERFFILE") else ">"
        if data[:8] not in (b"PERFILE2", b"2ELIFREP", b"PERFFILE"):
            raise ValueError("no perf.data")
        self.head_size, = self.unpack("Q", 8)
        self.is_pipe = self.head_size == 16
        if self.is_pipe:
            self.take_records(16, len(data))
        else:
            self.take_file()

    def unpack(self, fields, at, data=None):
        return struct.unpack_from(self.order + fields, self.data if data is None else data, at)

    # ---- what is around the records ----

    def take_file(self):
        attr_size, attrs_at, attrs_size, data_at, data_size = self.unpack("QQQQQ", 16)
        ids_size = 16
        for at in range(attrs_at, attrs_at + attrs_size, attr_size):
            attr = Attr(self.order, self.data[at:at + attr_size - ids_size])
            ids_at, ids_length = self.unpack("QQ", at + attr_size - ids_size)
            self.add_attr(attr, [self.unpack("Q", ids_at + 8 * i)[0]
                                 for i in range(ids_length // 8)])
        features, = self.unpack("Q", 72)
        end = data_at + data_size if data_size else len(self.data)
        at = data_at + data_size
        for bit in range(64):
            if features >> bit & 1:
                offset, size = self.unpack("QQ", at)
                at += 16
                if bit == 12:
                    self.take_descriptions(offset)
        self.take_records(data_at, min(end, len(self.data)))

    def add_attr(self, attr, ids):
        self.attrs.append(attr)
        attr.ids = ids
        for ident in ids:
            self.by_id[ident] = attr

    def take_descriptions(self, at, data=None):
        n, size = self.unpack("II", at, data)
        at += 8
        for i in range(n):
            at += size
            n_ids, length = self.unpack("II", at, data)
            name = (self.data if data is None else data)[at + 8:at + 8 + length]
            at += 8 + length
            ids = [self.unpack("Q", at + 8 * k, data)[0] for k in range(n_ids)]
            at += 8 * n_ids
            attr = self.by_id.get(ids[0]) if ids else None
            if attr is None and i < len(self.attrs):
                attr = self.attrs[i]
            if attr is not None:
                attr.name = text_of(name.split(b"\0")[0])

    def take_records(self, at, end):
        data, late = self.data, []
        while at + 8 <= end:
            kind, misc, size = struct.unpack_from(self.order + "IHH", data, at)
            if size < 8 or at + size > end:
                break
            body = data[at + 8:at + size]
            at += size
            if kind in (COMPRESSED, COMPRESSED2):
                raise LeftOut("compressed records")
            if kind == ATTR:
                attr_size, = self.unpack("I", 4, body)
                attr_size = attr_size or 64
                self.add_attr(Attr(self.order, body[:attr_size]),
                              [self.unpack("Q", i, body)[0]
                               for i in range(attr_size, len(body) - 7, 8)])
            elif kind == HEADER_FEATURE and self.unpack("Q", 0, body)[0] == 12:
                late.append(body[8:])
            elif kind == EVENT_UPDATE:
                self.take_update(body)
            elif kind == EVENT_TYPE:
                self.take_type(body)
            elif kind == TRACING_DATA:
                at += (self.unpack("I", 0, body)[0] + 7) & ~7
            elif kind == 71:  # AUXTRACE has data behind it
                at += self.unpack("Q", 0, body)[0]
            else:
                self.records.append((kind, misc, body))
        for body in late:
            self.take_descriptions(0, body)

    def take_update(self, body):
        kind, ident = self.unpack("QQ", 0, body)
        if kind == 2 and ident in self.by_id:
            self.by_id[ident].name = text_of(body[16:].split(b"\0")[0])

    def take_type(self, body):
        config, = self.unpack("Q", 0, body)
        for attr in self.attrs:
            if attr.config == config and attr.name is None:
                attr.name = text_of(body[8:72].split(b"\0")[0])

    # ---- samples ----

    def attr_of_sample(self, body):
        first = self.attrs[0]
        at = 0
        if first.sample_type & IDENTIFIER:
            return self.by_id.get(self.unpack("Q", 0, body)[0], first)
        for bit in (IP, TID, TIME, ADDR):
            at += 8 if first.sample_type & bit else 0
        if first.sample_type & ID:
            return self.by_id.get(self.unpack("Q", at, body)[0], first)
        return first

    def read_values(self, attr, body, at):
        form = attr.read_format
        if not form & 8:
            return at + 8 + 8 * (form & 1) + 8 * (form >> 1 & 1) + 8 * (form >> 2 & 1) + \
                8 * (form >> 4 & 1)
        n, = self.unpack("Q", at, body)
        at += 8 + 8 * (form & 1) + 8 * (form >> 1 & 1)
        return at + n * (8 + 8 * (form >> 2 & 1) + 8 * (form >> 4 & 1))

    def sample(self, misc, body):
        attr, at = self.attr_of_sample(body), 0
        kind = attr.sample_type
        found = {"attr": attr, "chain": None, "period": attr.period, "ip": 0, "pid": -1,
                 "tid": -1, "time": 0, "mode": misc & 7}
        at += 8 if kind & IDENTIFIER else 0
        if kind & IP:
            found["ip"], = self.unpack("Q", at, body)
            at += 8
        if kind & TID:
            found["pid"], found["tid"] = self.unpack("II", at, body)
            at += 8
        if kind & TIME:
            found["time"], = self.unpack("Q", at, body)
            at += 8
        for bit in (ADDR, ID, STREAM_ID, CPU):
            at += 8 if kind & bit else 0
        if kind & PERIOD:
            found["period"], = self.unpack("Q", at, body)
            at += 8
        elif attr.flags & FREQUENCY:
            found["period"] = None
        if kind & READ:
            at = self.read_values(attr, body, at)
        if kind & CALLCHAIN:
            n, = self.unpack("Q", at, body)
            found["chain"] = self.unpack("%dQ" % n, at + 8, body)
        if kind & BRANCH and attr.branch & 1 << 11:
            raise LeftOut("call chains of branch records")
        if kind & STACK:
            raise LeftOut("copies of stacks")
        return found

    def time_of(self, kind, body):
        if not self.attrs or not self.attrs[0].flags & ID_ALL:
            return None
        sample_type = self.attrs[0].sample_type
        behind = sum(8 for bit in (CPU, STREAM_ID, ID, IDENTIFIER) if sample_type & bit)
        if not sample_type & TIME:
            return None
        return self.unpack("Q", len(body) - behind - 8, body)[0]

    # ---- what processes are ----

    def run(self):
        maps, comms, kernel, samples, units = {}, {}, Mappings(), [], {}
        order, last = [], 0
        for i, (kind, misc, body) in enumerate(self.records):
            time = None
            parsed = None
            if kind == SAMPLE:
                parsed = self.sample(misc, body)
                time = parsed["time"]
            elif kind in (MMAP, MMAP2, COMM, FORK):
                time = self.time_of(kind, body)
            if time is None:
                time = last
            order.append((time, i, kind, misc, body, parsed))
        order.sort(key=lambda item: item[:2])
        for _, _, kind, misc, body, parsed in order:
            if kind in (MMAP, MMAP2):
                pid, _, start, size, offset = self.unpack("IIQQQ", 0, body)
                path = text_of(body[32 if kind == MMAP else 64:].split(b"\0")[0])
                table = kernel if misc & 7 == MODE_KERNEL else maps.setdefault(pid, Mappings())
                if table is kernel and not start and not offset:
                    continue  # its addresses were hidden from the recorder
                table.add(start, start + size, offset, path)
            elif kind == COMM:
                pid, tid = self.unpack("II", 0, body)
                comms[tid] = text_of(body[8:].split(b"\0")[0])
                if misc & 1 << 13 and pid == tid:
                    maps[pid] = Mappings()
            elif kind == FORK:
                pid, parent, tid, parent_tid = self.unpack("IIII", 0, body)
                if parent_tid in comms:
                    comms[tid] = comms[parent_tid]
                if pid != parent and parent in maps:
                    maps[pid] = Mappings(maps[parent])
            elif kind == SAMPLE:
                samples.append(self.make(parsed, maps, comms, kernel, units))
        return Source("perf", samples, units, physical=True)

    def make(self, parsed, maps, comms, kernel, units):
        attr = parsed["attr"]
        name = attr.called()
        if name.split(":")[0] in ("cpu-clock", "task-clock"):
            units[name] = "nanoseconds"
        own = maps.get(parsed["pid"], Mappings())
        mode, frames = parsed["mode"], []
        chain = parsed["chain"]
        addresses = []
        if chain:
            for address in chain:
                if address >= CONTEXT_MOST:
                    mode = {CONTEXT_KERNEL: MODE_KERNEL, CONTEXT_USER: MODE_USER}.get(address, 0)
                else:
                    addresses.append((mode, address))
        if not addresses:
            addresses = [(parsed["mode"], parsed["ip"])]
        before = None
        for i, (mode, address) in enumerate(addresses):
            is_return = i and not (before == MODE_KERNEL and mode == MODE_USER)
            before = mode
            at = address - (1 if is_return and address else 0)
            frames.append(self.frame_of(mode, at, own, kernel))
        comm = comms.get(parsed["tid"], comms.get(parsed["pid"], ""))
        return Sample(name, None, comm or None, frames[::-1], 1, parsed["period"])

    def frame_of(self, mode, address, own, kernel):
        found = (kernel if mode == MODE_KERNEL else own).find(address)
        if not found:
            return frame("[no-vmlinux]" if mode == MODE_KERNEL else UNKNOWN, "", 0, False, False)
        offset, path = found
        name = self.names[path].name(offset) if path in self.names else None
        shown = path
        if path.startswith("[kernel.kallsyms]"):
            shown = "[kernel.kallsyms]"
        elif mode == MODE_KERNEL:
            shown = path
        elif path.startswith("//anon"):
            shown = "anon\0%x" % (address - offset)
            return frame("[anon]", shown, 0, False, False)
        return frame(name or in_brackets(shown), shown, 0, False, bool(name))


def read_perf(data, path=None, names=None):
    return Reader(data, names).run()
