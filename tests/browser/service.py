# SPDX-License-Identifier: GPL-2.0-or-later
"""A recording as perf makes it, of a service: two programs' processes, four threads, two control
groups, half a minute, with a burst in it; the same at each run.

The program is service.cc; samples are at its instructions, and callers at those behind its calls.
Those of a function with a line of "// CENTRE" are around that line, whatever a compiler makes of the
others.
"""
import random
import re
import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("service.cc")
BASE = 0x400000  # of the program, which is linked there
CALL_CHAIN, CGROUP = 0x20, 0x200000  # sample types
CONTEXT_USER = "q0xfffffffffffffe00"
CONTEXT_KERNEL = "q0xffffffffffffff80"
PERIOD = 4000000  # ns
SAMPLES = 5000
STEP = 6000000  # ns from one sample to the next
SPREAD = 6  # instructions, of samples around a line
CENTRES = [n for n, line in enumerate(SOURCE.read_text().splitlines(), 1) if "// CENTRE" in line]

# Process, thread, control group, and what it does: callers first, weight.
SERVE = ("main", "serve")
INDEX = ("main", "build_index", "count")
TASKS = {
    (700, 700, 5): [(SERVE + ("parse", "normalise"), 30), (SERVE + ("parse", "next_word"), 18),
                    (SERVE + ("rank", "hash_bytes"), 14), (SERVE + ("rank",), 12),
                    (SERVE + ("render",), 16), (SERVE + ("serve", "parse", "normalise"), 6),
                    (SERVE + ("serve", "rank", "hash_bytes"), 3), (SERVE + ("kernel",), 4)],
    (800, 800, 6): [(INDEX + ("normalise",), 40), (INDEX + ("next_word",), 22), (INDEX, 20),
                    (("main", "build_index"), 2), (INDEX + ("kernel",), 5), (("normalise",), 3)],
}
TASKS[700, 701, 5] = TASKS[700, 700, 5]
TASKS[800, 801, 6] = TASKS[800, 800, 6]
NEW = {("parse", "normalise"): 0.3, ("rank", "hash_bytes"): 2}  # in the new recording


class Program:
    """The functions of the program: their instructions, and where they come back from calls."""

    def __init__(self, path):
        self.path = path
        subprocess.run(["g++", "-g", "-O1", "-no-pie", "-fno-pie", f"-Wl,-Ttext-segment={BASE:#x}",
                        "-o", path, SOURCE], check=True)
        text = subprocess.run(["objdump", "-dlC", "--no-show-raw-insn", path], check=True,
                              capture_output=True, text=True).stdout
        self.places, self.returns, self.centres = {}, {}, {}
        caller, callee, is_centre = None, None, False
        for line in text.splitlines():
            head = re.match(r"([0-9a-f]+) <(.*)>:$", line)
            if head:
                caller, callee = self.short(head[2]), None
                continue
            place = re.match(r"/.*/([^/]+):(\d+)( \(discriminator \d+\))?$", line)
            if place:
                is_centre = place[1] == SOURCE.name and int(place[2]) in CENTRES
            found = re.match(r" +([0-9a-f]+):\t(.*)", line)
            if not found or not caller:
                continue
            address = int(found[1], 16)
            if callee:
                self.returns.setdefault((caller, callee), address)
            if is_centre:
                self.centres.setdefault(caller, []).append(len(self.places.get(caller, [])))
            self.places.setdefault(caller, []).append(address)
            call = re.match(r"call +[0-9a-f]+ <(.*)>", found[2])
            callee = self.short(call[1]) if call else None
        assert self.centres, "no instruction is of a line that is marked"

    @staticmethod
    def short(name):
        """"count" of "void count<std::map<...> >(std::string const&...)"."""
        while "<" in name:
            name = re.sub(r"<[^<>]*>", "", name) if re.search(r"<[^<>]*>", name) else ""
        return re.sub(r"(\(|\[abi:).*", "", name).split(" ")[-1]

    def chain(self, rng, names):
        """Fields of a sample: its address, and its chain, the leaf first."""
        names, fields = list(names), []
        if names[-1] == "kernel":
            names.pop()
            fields = [CONTEXT_KERNEL, f"q{0xffffffff81000000 + rng.randrange(64) * 16:#x}"]
            user = [self.returns.get((names[-1], "next_word"), self.places[names[-1]][4])]
        else:
            # most samples are in a few of its instructions
            places, centres = self.places[names[-1]], self.centres.get(names[-1])
            if centres:
                at = int(rng.gauss(centres[len(centres) // 2], SPREAD))
            else:
                at = int(len(places) * rng.gauss(0.6, 0.12))
            user = [places[min(len(places) - 1, max(0, at))]]
        user += [self.returns[pair] for pair in reversed(list(zip(names, names[1:])))]
        fields += [CONTEXT_USER, *(f"q{address:#x}" for address in user)]
        return fields


def weight(names, base, is_new, share):
    """The burst, in the third quarter of the time, is of the index."""
    factor = NEW.get(names[-2:], 1) if is_new else 1
    return base * factor * (4 if "count" in names and 0.5 < share < 0.75 else 1)


def samples(program, is_new):
    """(record, its time) of each sample."""
    rng = random.Random(33)
    for i in range(SAMPLES):
        ways = [(task, names, weight(names, base, is_new, i / SAMPLES))
                for task, all_of_it in TASKS.items() for names, base in all_of_it]
        (pid, tid, cgroup), names, _ = rng.choices(ways, [way[2] for way in ways])[0]
        # it has more to do in the burst, and the new one has less to do
        if rng.random() < (0.2 if is_new else 0) + (0 if 0.5 < i / SAMPLES < 0.75 else 0.4):
            continue
        chain, time = program.chain(rng, names), 10 ** 9 + i * STEP
        yield (f"record 9 2 q11 {chain[1]} d{pid} d{tid} q{time} q{PERIOD} "
               f"q{len(chain)} {' '.join(chain)} q{cgroup}", time)


def description(program, is_new, is_kept=lambda time: True):
    """What make_profile reads; of samples whose time, in ns, is_kept() says True of."""
    lines = [f"event type=1 period={PERIOD} sample_type={CALL_CHAIN | CGROUP:#x} id=11", "file 112",
             "record 19 0 q5 '/system.slice/web.service d700 d700 q1 q11",
             "record 19 0 q6 '/system.slice/indexer.service/workers d800 d800 q1 q11",
             "record 1 1 d0xffffffff d0 q0xffffffff81000000 q0x3e000000 q0xffffffff81000000 "
             "'[kernel.kallsyms]_text d0 d0 q1 q11"]
    for pid, tid, _ in TASKS:
        name = "web" if pid == 700 else "indexer"
        lines += [f"record 3 8192 d{pid} d{tid} '{name} d{pid} d{tid} q1 q11",
                  f"record 1 2 d{pid} d{tid} q{BASE:#x} q0x40000 q0 '{program.path} d{pid} d{tid} q2 q11"]
    lines += [line for line, time in samples(program, is_new) if is_kept(time)]
    # 90 samples did not fit into the buffer
    lines += ["record 2 0 q11 q90 d700 d700 q1 q11", "finish"]
    return "\n".join(lines) + "\n"


def write(path, make_profile, text):
    made = subprocess.run([make_profile], input=text.encode(), check=True, capture_output=True)
    path.write_bytes(made.stdout)
    return path


def record(folder, make_profile):
    """Paths of an old and a new recording."""
    program = Program(folder / "service")
    return [write(folder / name, make_profile, description(program, is_new))
            for is_new, name in enumerate(("before.data", "after.data"))]


def cut(folder, make_profile, begin, end):
    """The path of the old recording's part of some time: microseconds since its first sample."""
    program = Program(folder / "service")
    first = next(samples(program, False))[1]
    return write(folder / "part.data", make_profile, description(
        program, False, lambda time: begin <= (time - first) / 1000 < end))
