#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""screen.py on what terminals show, and on what it must refuse."""
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "screen.py")
NAMES = {"svg": "http://www.w3.org/2000/svg"}

# text, size, the error
REFUSED = {
    "no text": ("", "80", "there is no text"),
    "nothing but spaces": (" \x1b[1m  \x1b[m\n\n", "80", "there is no text"),
    "a line that is wider": ("12345\n123456\n", "5", "a line of 6 columns, of a terminal of 5"),
    "a wide character beyond": ("1234\u4e2d\n", "5", "a line of 6 columns"),
    "coloured spaces beyond": ("1234 \x1b[7m \x1b[m\n", "5", "a line of 6 columns"),
    "more lines": ("1\n2\n3\n", "5 2", "3 lines, of a terminal of 2"),
    "a control character": ("a\x07\n", "5", "U+0007"),
    "another sequence": ("a\x1b[2J\n", "5", "U+001B"),
    "another colour": ("\x1b[38mx\n", "5", "ESC [ 38 m"),
}

# text, columns, [text, x in cells, fill, weight]
DRAWN = {
    "colours, and spaces around": ("a \x1b[1;31m b \x1b[mc\n", 8,
                                   [("a", 0, None, None), ("b", 3, "#e5534b", "bold"),
                                    ("c", 5, None, None)]),
    "words far from each other": ("a b   c\n", 7, [("a b", 0, None, None), ("c", 6, None, None)]),
    "a carriage return and an erasure": ("1 s, 20 samples\r\x1b[Kdone\n", 15,
                                         [("done", 0, None, None)]),
    "a colour of the line before": ("\x1b[33ma\nb\x1b[39mc\n", 2,
                                    [("a", 0, "#d9b64c", None), ("b", 0, "#d9b64c", None),
                                     ("c", 1, None, None)]),
    "XML's own": ("<a> & b\n", 7, [("<a> & b", 0, None, None)]),
    "spaces beyond are none": ("ab    \n", 2, [("ab", 0, None, None)]),
    "wide and combined characters": ("\u4e2de\u0301\x1b[1mx\n", 4,
                                     [("\u4e2de\u0301", 0, None, None), ("x", 3, None, "bold")]),
}


def draw(text, size):
    return subprocess.run([TOOL, *size.split()], input=text.encode(), capture_output=True,
                          check=False)


class Screen(unittest.TestCase):
    def test_what_does_not_fit_is_refused(self):
        for name, (text, size, error) in REFUSED.items():
            with self.subTest(name):
                done = draw(text, size)
                self.assertEqual((done.returncode, done.stdout), (1, b""))
                self.assertIn(error, done.stderr.decode())

    def test_text_is_where_it_was(self):
        for name, (text, columns, wanted) in DRAWN.items():
            with self.subTest(name):
                done = draw(text, str(columns))
                self.assertEqual(done.stderr, b"")
                found = [(part.text, (int(part.get("x")) - 8) / 8, part.get("fill"),
                          part.get("font-weight"))
                         for part in xml.etree.ElementTree.fromstring(done.stdout)
                         .findall("svg:text", NAMES)]
                self.assertEqual(found, wanted)

    def test_reversed_text_has_a_background(self):
        drawn = draw("\x1b[7mab\x1b[27m\n", "2").stdout.decode()
        self.assertRegex(drawn, r'<rect x="8" y="8" width="16" height="17" fill="#d4d4d4"/>')
        self.assertRegex(drawn, r'fill="#1b1e23">ab<')

    def test_the_size_is_that_of_the_terminal(self):
        self.assertTrue(re.search(r'width="656" height="424"',
                                  draw("x\n", "80 24").stdout.decode()))


unittest.main()
