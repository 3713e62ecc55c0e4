#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How fast reports are.  Each is made several times with a warm page cache; the best time counts,
# and the least CPU time, which tells more on a machine that others use.  One metric a line: name,
# value, unit.
#
#	reports.py sessions COST OPREPORT MAKE_SESSION
#	reports.py images COST OPREPORT MAKE_SESSION [IMAGE]
#
# sessions: one of 200 images with 2000 offsets each (400 thousand keys); a call graph of 20 {cg}
# files with 4000 arcs each; 4000 files of threads merged into one; a list of symbols from 100
# thousand sample files.  The first and the last one are packed as well.  The images are ELF files
# of 100 functions of 80 bytes, with a symbol table; ten of them are linked, the others are copies.
#
# images: symbols, lines and inlined functions of 5000 random addresses in a large image, without
# the cache of tables on the disk and with it.  Without IMAGE, a C++ program is made of as many
# units as have about 10 MB of debug information.

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

IMAGES, OFFSETS, FUNCTIONS, SIZE, LINKED = 200, 2000, 100, 80, 10
ARC_FILES, ARCS = 20, 4000
THREADS, THREAD_IMAGES = 4000, 10
FILES = 100000
REPEAT = 5
ADDRESSES, UNITS, REPEAT_IMAGES = 5000, 40, 3

UNIT = """#include <algorithm>
#include <map>
#include <string>
#include <vector>
struct item%(n)d { int key; std::string name;
	bool operator<(const item%(n)d &o) const { return key < o.key; } };
size_t work%(n)d(int n)
{
	std::vector<item%(n)d> v;
	std::map<int, item%(n)d> m;
	for (int i = 0; i < n; i++) {
		v.push_back({i * %(step)d %% 17, "x"});
		m[i %% 5] = v.back();
	}
	std::sort(v.begin(), v.end());
	return v[n / 2].name.size() + m.size();
}
"""


def run(*words, text=None):
    subprocess.run(words, input=text, check=True)


def metric(name, value, unit):
    print("%s\t%.1f\t%s" % (name, value, unit), flush=True)


def cost(*words):
    """Runs a command.  Return: seconds, of CPU time, megabytes, lines that it writes."""
    result = subprocess.run([cost_program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            check=False)
    if result.returncode:
        sys.exit("%s: %s" % (" ".join(words), result.stderr.decode()))
    seconds, cpu, kib = result.stderr.decode().splitlines()[-1].split()
    return float(seconds), float(cpu), int(kib) / 1024, result.stdout.count(b"\n")


class Session:
    """A session in a directory that is removed at the end."""

    def __init__(self, parent=None):
        self.scratch = tempfile.TemporaryDirectory(prefix="op-bench-", dir=parent)
        self.dir = self.scratch.name
        os.environ["OPROFILE_EVENTS_DIR"] = self.dir + "/events"
        os.environ["XDG_CACHE_HOME"] = self.dir + "/cache"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.scratch.cleanup()

    def add(self, description):
        run(make_session, self.dir, text="\n".join(description).encode())

    def cost(self, repeat, *options):
        runs = [cost(opreport, "--session-dir=" + self.dir, *options) for _ in range(repeat)]
        return (min(run[0] for run in runs), min(run[1] for run in runs),
                max(run[2] for run in runs), runs[0][3])

    def measure(self, name, *options):
        seconds, cpu, megabytes, lines = self.cost(REPEAT, *options)
        metric("opreport_%s_time" % name, 1000 * seconds, "ms")
        metric("opreport_%s_cpu" % name, 1000 * cpu, "ms")
        metric("opreport_%s_rss" % name, megabytes, "MB")
        print("opreport_%s_lines\t%d\tlines" % (name, lines), flush=True)

    def pack(self, name):
        metric(name + "_cpu", 1000 * cost(make_session, "--pack", self.dir)[1], "ms")
        packs = [entry for entry in os.scandir(self.dir + "/samples/current")
                 if entry.name.endswith("pack")]
        print("%s_size\t%d\tbytes" % (name, packs[0].stat().st_size), flush=True)


def text_of(image):
    """Offset and size of its .text."""
    sections = subprocess.run(["readelf", "-SW", image], stdout=subprocess.PIPE, check=True)
    numbers = re.search(r" \.text +PROGBITS +\w+ (\w+) (\w+)", sections.stdout.decode())
    return [int(number, 16) for number in numbers.groups()]


def make_images(session):
    """Return: the offset of the first function in all of them."""
    for image in range(IMAGES):
        path = "%s/image%d" % (session.dir, image)
        if image >= LINKED:
            shutil.copy("%s/image%d" % (session.dir, image % LINKED), path)
            continue
        with open(path + ".s", "w", encoding="ascii") as source:
            source.write('\t.file "image.c"\n\t.text\n\t.globl _start\n_start:\n\tnop\n'
                         "\t.p2align 4\n")
            for function in range(FUNCTIONS):
                name = "image%d_function_%d" % (image, function)
                source.write("\t.globl %s\n\t.type %s, @function\n%s:\n\t.skip %d, 0x90\n"
                             "\t.size %s, .-%s\n" % (name, name, name, SIZE, name, name))
        run("gcc", "-nostdlib", "-static", "-Wa,-g", "-o", path, path + ".s")
    return text_of(session.dir + "/image0")[0] + 16


def summaries():
    with Session() as session:
        text = make_images(session)
        description = []
        for image in range(IMAGES):
            description.append("image image%d TIMER" % image)
            description += ["%d %d" % (text + 4 * ((i * 7919 + image) % OFFSETS),
                                       random.randint(1, 50)) for i in range(OFFSETS)]
        session.add(description)
        session.measure("summary")
        session.measure("symbols", "-l")
        session.measure("symbols_lines", "-l", "-g")
        session.measure("details", "-l", "-d")
        session.measure("xml", "-X")
        session.measure("json", "--json", "-l")
        session.pack("packing")
        session.measure("packed_summary")
        session.measure("packed_symbols", "-l")


def callgraph():
    with Session() as session:
        text = make_images(session)
        description = []
        for image in range(ARC_FILES):
            description += ["image image%d TIMER" % image, "%d 1" % text,
                            "arcs image%d image%d TIMER" % (image, (image + 1) % ARC_FILES)]
            description += ["%d>%d %d" % (text + 4 * (i * 7919 % OFFSETS),
                                          text + 4 * ((i * 104729 + i // OFFSETS) % OFFSETS),
                                          random.randint(1, 50)) for i in range(ARCS)]
        session.add(description)
        session.measure("callgraph", "-c")


def threads():
    with Session() as session:
        text = make_images(session)
        description = []
        for i in range(THREADS):
            description += ["image image%d TIMER.0.0.100.%d.all" % (i % THREAD_IMAGES, 100 + i),
                            "%d 1" % (text + 4 * (i % OFFSETS))]
        session.add(description)
        session.measure("threads_merged", "-l", "-mtid")


def many_files():
    # In memory: the directories of so many files are more than a disk's cache may hold.
    with Session("/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as session:
        text = make_images(session)
        session.add(word for image in range(IMAGES) for word in
                    ("image model image%d TIMER" % image, "%d 1" % (text + 4 * image)))
        own = "%s/samples/current/{root}%s/" % (session.dir, session.dir)
        library = "/{dep}/{root}%s/image%d/"
        for i in range(FILES):
            inner = library % (session.dir, i % IMAGES)
            os.makedirs("%sapp%d%s" % (own, i, inner))
            shutil.copyfile(own + "model" + inner + "TIMER.0.0.all.all.all",
                            "%sapp%d%sTIMER.0.0.all.all.all" % (own, i, inner))
        shutil.rmtree(own + "model")
        session.measure("many_files_summary")
        session.measure("many_files", "-l")
        session.pack("packing_many_files")
        session.measure("packed_many_files_summary")
        session.measure("packed_many_files", "-l")


def make_large_image(folder):
    """Of code that brings much of the standard library along."""
    for unit in range(UNITS):
        with open("%s/unit%d.cc" % (folder, unit), "w", encoding="ascii") as source:
            source.write(UNIT % {"n": unit, "step": unit + 3})
    with open(folder + "/main.cc", "w", encoding="ascii") as source:
        source.write("#include <cstddef>\n")
        source.writelines("size_t work%d(int);\n" % unit for unit in range(UNITS))
        source.write("int main(int argc, char **)\n{\n\treturn (0\n")
        source.writelines("\t\t+ work%d(argc)\n" % unit for unit in range(UNITS))
        source.write("\t\t) & 1;\n}\n")
    run("sh", "-c", 'cd "$0" && ls ./*.cc | xargs -n 8 -P 2 g++ -O2 -g -c && '
        "g++ -Wl,--build-id -o image ./*.o", folder)
    return folder + "/image"


def large_image(path=None):
    with Session() as session:
        path = os.path.realpath(path) if path else make_large_image(session.dir)
        offset, size = text_of(path)
        session.add(["image %s TIMER" % path] +
                    ["%d 1" % random.randrange(offset, offset + size) for _ in range(ADDRESSES)])
        cache = os.environ["XDG_CACHE_HOME"]
        for name, option in ("symbols", "-l"), ("lines", "-lg"), ("inlined", "--inline"):
            best = []
            # A cache can't be made below a file.
            for end, place in ("", "/dev/null"), ("_cached", cache):
                os.environ["XDG_CACHE_HOME"] = place
                seconds, _, megabytes, _ = session.cost(REPEAT_IMAGES, option)
                metric("images_%s%s_time" % (name, end), 1000 * seconds, "ms")
                metric("images_%s%s_rss" % (name, end), megabytes, "MB")
                best.append(seconds)
            metric("images_%s_cached_ratio" % name, best[0] / best[1], "x")


random.seed(1)
what, cost_program, opreport, make_session = sys.argv[1:5]
os.environ["LC_ALL"] = "C"
if what == "images":
    large_image(*sys.argv[5:])
else:
    summaries()
    callgraph()
    threads()
    many_files()
