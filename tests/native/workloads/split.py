# SPDX-License-Identifier: GPL-2.0-or-later
"""A profile of Python known by construction: 60 % of the time below heavy, 40 % below light.

python3 -X perf split.py SECONDS

prints its pid, and runs for that much CPU time.
"""
import os
import random
import sys
import time


def heavy(iterations):
    value = 1.0
    while iterations > 0:
        value = value * 0.5 + 1.0
        iterations -= 1


def light(iterations):
    value = 1.0
    while iterations > 0:
        value = value * 0.5 + 1.0
        iterations -= 1


def main():
    seconds = float(sys.argv[1])
    print(os.getpid(), flush=True)
    while time.process_time() < seconds:
        part = random.randint(500, 1500)
        heavy(6 * part)
        light(4 * part)


main()
