# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions with names that users choose, and what opreport says of them."""
import json
import os

from common import START, run, stamp, write_session

HOSTILE = "a\"b\\}=,c"  # the name of a program


def name_of(i):
    """Of the i-th session, of ten minutes."""
    return f"{stamp(START + 600 * i)}-{stamp(START + 600 * (i + 1))}"


def make_session(folder, i, host="alpha", more=""):
    """Stacks, a program with a hostile name, and losses."""
    a, b, c, d = (100 + 17 * i + k for k in range(4))
    text = f"""image prog TIMER
0x1010 {a}, 0x1030 {b + d}
image {HOSTILE} TIMER
0x1010 {c}
{more}stacks prog TIMER
stack {d} prog+0x1030 prog+0x1012 prog+0x1032
stat total_samples {a + b + c + d + 7}
stat samples_stored {a + b + c + d}
stat lost_no_space 7
"""
    write_session(folder, name_of(i), text, source="source perf\n",
                  origin=f"hostname {host}\nstart-time {START + 600 * i}000000000\n"
                         f"end-time {START + 600 * (i + 1)}000000000\n")


def report(folder, i):
    """What opreport says of a session: samples by program."""
    done = run("opreport", "--json", f"--session-dir={folder}", f"session:{name_of(i)}")
    images = json.loads(done.stdout)["images"]
    return {os.path.basename(image["application"]): sum(image["counts"]) for image in images}
