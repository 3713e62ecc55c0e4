#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws what a terminal shows, with its colours, as an SVG picture.

screen.py COLUMNS [ROWS] <TEXT >PICTURE

TEXT is what a program writes to a terminal, or `tmux capture-pane -e -J -p`: lines, SGR sequences
(ECMA-48), carriage returns and erasures to the end of the line, nothing else.  Without ROWS the
picture is as high as the text.  Exit status 1: there is no text, it does not fit into the terminal,
or has something else in it; no picture is written.
"""
import re
import sys
import unicodedata
from typing import NamedTuple, Optional
from xml.sax.saxutils import escape

WIDTH, HEIGHT, MARGIN = 8, 17, 8  # of a cell, around all cells; pixels
TEXT, BACKGROUND = "#d4d4d4", "#1b1e23"
COLORS = ("#000000", "#e5534b", "#57ab5a", "#d9b64c", "#539bf5", "#b083f0", "#39c5cf", "#c6cdd5",
          "#768390", "#ff7b72", "#7ee787", "#f2cc60", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff")
WIDE = "\0"  # the second column of a wide character
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)([mK])")


class Failure(Exception):
    pass


class Style(NamedTuple):
    """How a cell is drawn; colours are None if they are the terminal's."""
    color: Optional[str] = None
    behind: Optional[str] = None
    bold: bool = False
    dim: bool = False
    underlined: bool = False
    reverse: bool = False

    def shown(self):
        """The colours of the text and behind it; None if nothing is drawn behind it."""
        if self.reverse:
            return self.behind or BACKGROUND, self.color or TEXT
        return self.color or TEXT, self.behind


PLAIN = Style()
SWITCHES = {0: dict(PLAIN._asdict()), 1: {"bold": True}, 2: {"dim": True}, 4: {"underlined": True},
            7: {"reverse": True}, 22: {"bold": False, "dim": False}, 24: {"underlined": False},
            27: {"reverse": False}, 39: {"color": None}, 49: {"behind": None}}
for number, shade in enumerate(COLORS):
    first = 30 + number if number < 8 else 82 + number
    SWITCHES[first] = {"color": shade}
    SWITCHES[first + 10] = {"behind": shade}


def restyle(style, codes):
    """The style after an SGR sequence with these codes."""
    for code in codes.split(";"):
        if int(code or 0) not in SWITCHES:
            raise Failure(f"the sequence ESC [ {codes} m has no meaning here")
        style = style._replace(**SWITCHES[int(code or 0)])
    return style


def columns_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cells_of(line, style):
    """Return: [character, style] of each column, the second column of a wide one being "", and the
    style at the end."""
    cells, at, column = [], 0, 0
    while at < len(line):
        sequence = SEQUENCE.match(line, at)
        if sequence:
            at = sequence.end()
            if sequence[2] == "m":
                style = restyle(style, sequence[1])
            else:
                del cells[column:]
            continue
        character = line[at]
        at += 1
        if character == "\r":
            column = 0
        elif not character.isprintable():
            raise Failure(f"U+{ord(character):04X} in the line {line!r}")
        elif not columns_of(character):
            cells[column - 1][0] += character
        else:
            cells[column:column + columns_of(character)] = (
                [[character, style]] + [["", style]] * (columns_of(character) - 1))
            column += columns_of(character)
    return cells, style


def lines_of(text, columns):
    """The cells of each line."""
    lines, style = [], PLAIN
    for line in text.removesuffix("\n").split("\n"):
        cells, style = cells_of(line, style)
        while cells and cells[-1] == [" ", PLAIN]:
            cells.pop()
        if len(cells) > columns:
            raise Failure(f"a line of {len(cells)} columns, of a terminal of {columns}: {line!r}")
        lines.append(cells)
    if not any(character.strip() for cells in lines for character, _ in cells):
        raise Failure("there is no text")
    return lines


def runs_of(cells):
    """Cells of one style side by side.  Yields: column, cells."""
    begin = 0
    for end in range(1, len(cells) + 1):
        if end == len(cells) or cells[end][1] != cells[begin][1]:
            yield begin, cells[begin:end]
            begin = end


def words_of(cells):
    """Words with single spaces between them: others are not drawn everywhere.  Yields: column, text,
    columns."""
    characters = [character or WIDE for character, _ in cells]
    for words in re.finditer(r"\S+( \S+)*", "".join(character[0] for character in characters)):
        text = "".join(characters[words.start():words.end()]).replace(WIDE, "")
        yield words.start(), text, words.end() - words.start()


def draw_run(column, row, cells):
    style = cells[0][1]
    color, behind = style.shown()
    left, top = MARGIN + column * WIDTH, MARGIN + row * HEIGHT
    if behind:
        yield (f'<rect x="{left}" y="{top}" width="{len(cells) * WIDTH}" height="{HEIGHT}" '
               f'fill="{behind}"/>')
    looks = "" if color == TEXT else f' fill="{color}"'
    looks += ' font-weight="bold"' if style.bold else ""
    looks += ' opacity="0.6"' if style.dim else ""
    looks += ' text-decoration="underline"' if style.underlined else ""
    for first, text, columns in words_of(cells):
        yield (f'<text x="{left + first * WIDTH}" y="{top + HEIGHT - 4}" '
               f'textLength="{columns * WIDTH}"{looks}>{escape(text)}</text>')


def draw(text, columns, rows=None):
    """The picture of a terminal of so many columns that shows the text."""
    lines = lines_of(text, columns)
    if rows and len(lines) > rows:
        raise Failure(f"{len(lines)} lines, of a terminal of {rows}")
    width = 2 * MARGIN + columns * WIDTH
    height = 2 * MARGIN + (rows or len(lines)) * HEIGHT
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" font-size="13" fill="{TEXT}" '
           'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace">')
    yield f'<rect width="{width}" height="{height}" rx="6" fill="{BACKGROUND}"/>'
    for row, cells in enumerate(lines):
        for column, run in runs_of(cells):
            yield from draw_run(column, row, run)
    yield "</svg>"


def main():
    numbers = [int(number) for number in sys.argv[1:]]
    text = sys.stdin.buffer.read().decode()
    try:
        sys.stdout.write("\n".join(draw(text, *numbers)) + "\n")
    except Failure as failure:
        sys.exit(f"screen.py: error: {failure}")


if __name__ == "__main__":
    main()
