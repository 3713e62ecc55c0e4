#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The SQL that a store is asked, without one: what versions of ClickHouse judge differently.

    sql_test.py BUILD MAKE_SESSION

A server of the test's own answers each question with one row of the types that it asks for, so that
all questions come.  What real servers say: store_test.py.
"""
import http.server
import re
import struct
import threading
import urllib.parse

from common import check, equal, finish, run

COLUMN = re.compile(r"assumeNotNull\(CAST\(.* AS ([\w()]+)\)\)")
TABLES = {"batches", "events", "frames", "images", "label_sets", "losses", "samples", "sessions",
          "stacks", "summed", "sums", "tables", "settings"}
JOIN = re.compile(r"\b(?:ANY LEFT|ALL INNER) JOIN ")
ALIAS = re.compile(r" AS \w+ ")


def closing(text, at):
    """Where what is opened at @at is closed; strings have no brackets that are alone."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([") - (text[i] in ")]")
        if not depth:
            return i
    raise ValueError(text[at:])


def columns_of(question):
    """The expressions of the outermost SELECT."""
    columns, at = [""], len("SELECT ")
    while at < len(question) and not question.startswith(" FROM ", at):
        end = closing(question, at) + 1 if question[at] in "([" else at + 1
        if question[at] == ",":
            columns.append("")
        else:
            columns[-1] += question[at:end]
        at = end
    return [column.strip() for column in columns]


def value_of(kind, number):
    sizes = {"UInt8": "B", "UInt16": "<H", "UInt32": "<I", "UInt64": "<Q"}
    if kind.startswith("Array("):
        return b"\x01" + value_of(kind[len("Array("):-1], number)
    if kind in sizes:
        return struct.pack(sizes[kind], number)
    return {"String": b"\x01x", "FixedString(16)": b"x" * 16}[kind]


class Handler(http.server.BaseHTTPRequestHandler):
    asked, number = [], 1

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        words = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        text = words["query"]
        self.asked.append((text, words))
        row = b""
        if text.startswith("SELECT "):
            kinds = [COLUMN.fullmatch(column) for column in columns_of(text)]
            row = b"".join(value_of(kind.group(1), self.number) for kind in kinds if kind)
        self.send_response(200)
        self.send_header("Content-Length", str(len(row)))
        self.end_headers()
        self.wfile.write(row)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


def ask(server):
    """All that is asked for a report of any kind, and for sums."""
    url = f"clickhouse://127.0.0.1:{server.server_address[1]}/fleet"
    for wanted, words in (("", ()), ("?host=x", ("-l",)), ("?label=a=b", ("--by=role",)),
                          ("?from=2023-11-14T00:00:01", ("--by=host",)), ("?by=thread,cgroup", ())):
        run("opreport", *words, url + wanted)
    run("oppush", f"--to={url}", "--add-up", "--add-up-days=36500", "--keep-days=1")


def without_alias(text):
    """Subqueries that are joined and have no name."""
    found = []
    for join in JOIN.finditer(text):
        right = closing(text, join.end()) + 1 if text[join.end()] == "(" else None
        if right and not ALIAS.match(text, right):
            found.append(text[join.end():right])
        if re.search(r"\) $", text[:join.start()]):
            found.append(text[:join.start()])
    return found


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for Handler.number in (0, 1):
        ask(server)
    server.shutdown()
    texts = [text for text, _ in Handler.asked]
    questions = [text for text in texts if text.startswith("SELECT ")]
    equal("each table is asked for", {name for text in texts for name in
                                      re.findall(r"FROM (?:system\.)?(\w+)", text)} - {"_values"}, TABLES)
    equal("each column of an answer has a type",
          [(column, text) for text in questions for column in columns_of(text)
           if not COLUMN.fullmatch(column)], [])
    equal("each answer is RowBinary", [text for text in questions
                                       if not text.endswith(" FORMAT RowBinary")], [])
    check("subqueries are joined", any(JOIN.search(text) for text in questions), questions)
    equal("each of them has a name", [found for text in texts for found in without_alias(text)], [])
    inserts = [words for text, words in Handler.asked if text.startswith("INSERT ")]
    equal("an answer to an insert says that its rows are there",
          {(words.get("insert_distributed_sync"), words.get("wait_for_async_insert")) for words in inserts},
          {("1", "1"), (None, None)})
    finish()


main()
