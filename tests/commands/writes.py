#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""writes.py COMMAND... - runs it; writes which files of counters below fs/ it wrote, in order"""

import ctypes
import os
import struct
import subprocess
import sys

IN_MODIFY = 2
libc = ctypes.CDLL(None)
queue = libc.inotify_init1(os.O_NONBLOCK)
counters = {}
for name in filter(str.isdigit, os.listdir("fs")):
    counters[libc.inotify_add_watch(queue, ("fs/" + name).encode(), IN_MODIFY)] = name
result = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=False).returncode
events = os.read(queue, 1 << 16)
last = None
while events:
    watch, _, _, length = struct.unpack("iIII", events[:16])
    file = f"{counters[watch]}/{events[16:16 + length].rstrip(bytes(1)).decode()}"
    events = events[16 + length:]
    print("\n" * (last not in (None, counters[watch])) + file, end=" ")
    last = counters[watch]
print()
sys.exit(result)
