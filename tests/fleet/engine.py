#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A ClickHouse server of today for tests: HTTP in front of libchdb.so, which is its engine.

    engine.py LIBRARY FOLDER PORT [SETTING=VALUE...]

It speaks as much of ClickHouse's HTTP interface as a client of tests needs: database, query and
settings in the address, a body that is gzip or not, one external table.  One request at a time.
Settings given here are the server's own, as those of a profile.  There are no users, and one
cluster, "fleet", of this server alone: a Distributed table reads and writes by itself, statements ON
CLUSTER are done here, and Replicated engines are those without.  Inserts that are not waited for,
which the engine leaves to its server, come to the table LATE_SECONDS after the answer.
"""
import ctypes
import gzip
import http.server
import os
import re
import sys
import threading
import urllib.parse

# How a server answers, beside 500: by the code of the error (exceptionCodeToHTTPStatus).
STATUS = {"60": 404, "81": 404, "62": 400, "115": 400}
NOT_SETTINGS = {"database", "query", "wait_end_of_query"}
LATE_SECONDS = 3
CONFIG = """<clickhouse><tcp_port>9000</tcp_port><remote_servers><fleet><shard>
<internal_replication>true</internal_replication>
<replica><host>127.0.0.1</host><port>9000</port></replica>
</shard></fleet></remote_servers></clickhouse>"""


class Refused(Exception):
    pass


class Engine:
    def __init__(self, library, folder, settings):
        self.lock, self.settings = threading.Lock(), settings
        self.library = library = ctypes.CDLL(library)
        library.chdb_connect.restype = ctypes.POINTER(ctypes.c_void_p)
        library.chdb_query_n.restype = ctypes.c_void_p
        library.chdb_query_n.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t,
                                         ctypes.c_char_p, ctypes.c_size_t]
        for name, kind in (("buffer", ctypes.c_void_p), ("length", ctypes.c_size_t),
                           ("error", ctypes.c_char_p)):
            function = getattr(library, f"chdb_result_{name}")
            function.restype, function.argtypes = kind, [ctypes.c_void_p]
        library.chdb_destroy_query_result.argtypes = [ctypes.c_void_p]
        with open(f"{folder}/config.xml", "w", encoding="utf-8") as config:
            config.write(CONFIG)
        words = [b"clickhouse", f"--path={folder}/data".encode(),
                 f"--config-file={folder}/config.xml".encode()]
        self.connection = library.chdb_connect(len(words), (ctypes.c_char_p * len(words))(*words))
        if not self.connection:
            sys.exit("the engine does not start")
        for name, value in settings.items():
            self.query(f"SET {name} = '{value}'".encode())

    def query(self, text):
        result = self.library.chdb_query_n(self.connection[0], text, len(text), b"TSV", 3)
        error = self.library.chdb_result_error(result)
        answer = b"" if error else ctypes.string_at(self.library.chdb_result_buffer(result),
                                                    self.library.chdb_result_length(result))
        self.library.chdb_destroy_query_result(result)
        if error:
            raise Refused(error.decode(errors="replace"))
        return answer

    def do(self, text, body, settings, database):
        whole = text + b"\n" + body if body else text
        if (text.startswith(b"INSERT ") and body and settings.get("async_insert") == "1" and
                settings.get("wait_for_async_insert") == "0"):
            threading.Timer(LATE_SECONDS, self.insert_late, [whole, database]).start()
            return b""
        return self.query(whole)

    def insert_late(self, whole, database):
        with self.lock:
            self.query(f"USE `{database}`".encode())
            self.query(whole)
            self.query(b"USE default")

    def answer(self, words, body, tables):
        """Of one request: its settings and its tables are gone afterwards."""
        settings = {name: value for name, value in words.items()
                    if name not in NOT_SETTINGS and not name.startswith("_")}
        with self.lock:
            before = {name: self.query(f"SELECT value FROM system.settings WHERE name = '{name}'".encode())
                      for name in settings}
            made, changed = [], []
            try:
                self.query(f"USE `{words.get('database', 'default')}`".encode())
                for name, value in settings.items():
                    self.query(f"SET {name} = '{value}'".encode())
                    changed.append(name)
                for name, rows in tables.items():
                    self.query(f"CREATE TEMPORARY TABLE {name} ({words[name + '_structure']}) "
                               "ENGINE = Memory".encode())
                    made.append(name)
                    if rows:
                        self.query(f"INSERT INTO {name} FORMAT {words[name + '_format']}\n".encode() + rows)
                return self.do(of_one_server(words.get("query", "").encode()), body,
                               {**self.settings, **settings}, words.get("database", "default"))
            finally:
                for name in made:
                    self.query(f"DROP TEMPORARY TABLE {name}".encode())
                for name in changed:
                    self.query(f"SET {name} = '{before[name].decode().strip()}'".encode())
                # another request may drop the database
                self.query(b"USE default")


def of_one_server(statement):
    """What a cluster of one server would do, without a Keeper."""
    statement = re.sub(rb" ON CLUSTER fleet\b", b"", statement)
    return re.sub(rb"\bReplicated(\w*MergeTree)\('[^']*', '[^']*'\)", rb"\1", statement)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    engine = None

    def read_body(self):
        """Return: what follows the query, and rows of external tables by name."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        kind = self.headers.get("Content-Type", "")
        if not kind.startswith("multipart/form-data"):
            return body, {}
        boundary = re.search(r"boundary=(\S+)", kind).group(1).encode()
        tables = {}
        for part in body.split(b"--" + boundary)[1:-1]:
            head, _, rows = part.partition(b"\r\n\r\n")
            tables[re.search(rb'name="(\w+)"', head).group(1).decode()] = rows[:-len(b"\r\n")]
        return b"", tables

    def answer(self):
        address = urllib.parse.urlsplit(self.path)
        words = dict(urllib.parse.parse_qsl(address.query, keep_blank_values=True))
        body, tables = self.read_body()
        try:
            status, text = 200, self.engine.answer(words, body, tables)
        except Refused as refused:
            code = re.match(r"Code: (\d+)", str(refused))
            status, text = STATUS.get(code and code.group(1), 500), str(refused).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


def main():
    library, folder, port, *settings = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    Handler.engine = Engine(library, folder, dict(setting.split("=") for setting in settings))
    http.server.ThreadingHTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()


if __name__ == "__main__":
    main()
