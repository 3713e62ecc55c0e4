#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Others' backends: oppush to servers that take profiles by HTTP, several at once.

    backends_test.py BUILD MAKE_SESSION

What arrives is decoded by readers that know nothing of OProfile, and must say what opreport says of
the session, exactly; whatever a server answers, nothing is lost but what it will not have.
"""
import base64
import codecs
import collections
import gzip
import http.server
import json
import os
import random
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

import metrics
from common import (BUILD, START, TOP, check, environment, equal, finish, make_image, run, skip,
                    stacks, stamp, until)
from sessions import HOSTILE, make_session, name_of, report

sys.path.insert(0, os.path.join(TOP, "tests", "weights"))
import otlp  # noqa: E402
import sources  # noqa: E402

HERE = os.path.dirname(os.path.realpath(__file__))
N = 3  # sessions
Request = collections.namedtuple("Request", "path query headers body time")


# ---- servers ----

class Handler(http.server.BaseHTTPRequestHandler):
    """Keeps what comes, and answers by the next of its server's answers, the last one for ever."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urllib.parse.urlsplit(self.path)
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        self.server.requests.append(Request(parts.path, parts.query, self.headers, body,
                                            time.monotonic()))
        try:
            answer(self)
        except OSError:  # the client has seen enough
            self.server.n_left += 1
        self.close_connection = True

    do_GET = do_POST

    def log_message(self, *_):
        pass


def says(status, body=b"", **headers):
    def answer(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
    return answer


def endless_body(status):
    def answer(handler):
        handler.send_response(status)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x" * 65536)
    return answer


def endless_head(handler):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X-More: " + b"x" * 8000 + b"\r\n")


def slow(handler):
    """A byte a second, which is no silence."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while not handler.server.is_over.wait(1):
        handler.wfile.write(b"x")


def silent(handler):
    handler.server.is_over.wait()


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 32

    def __init__(self, *answers, context=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = list(answers) or [says(200)]
        self.requests, self.n_left, self.is_over = [], 0, threading.Event()
        self.scheme = "https" if context else "http"
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True)
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def url(self, path, host="127.0.0.1"):
        return f"{self.scheme}://{host}:{self.server_address[1]}{path}"

    def handle_error(self, request, client_address):
        pass  # a client that does not trust the certificate

    def stop(self):
        self.is_over.set()
        self.shutdown()
        self.server_close()


# ---- commands ----

class Place:
    """A folder with sessions, a spool for each test, and what opreport says of the sessions."""

    def __init__(self, folder):
        self.folder, self.sessions, self.n_spools = folder, f"{folder}/sessions", 0
        os.makedirs(self.sessions)
        for name in ("prog", HOSTILE):
            make_image(self.sessions, name)
        for i in range(N):
            make_session(self.sessions, i)
        self.reports = [report(self.sessions, i) for i in range(N)]
        self.spool = None

    def words(self, *words):
        self.n_spools += 1
        self.spool = f"{self.folder}/spool{self.n_spools}"
        return ["oppush", f"--session-dir={self.sessions}", f"--spool={self.spool}", *words]

    def push(self, *words, **more):
        return run(*self.words("--once", *words), **more)

    def push_again(self, *words, **more):
        return run("oppush", f"--session-dir={self.sessions}", f"--spool={self.spool}",
                   "--once", *words, **more)

    def waiting(self):
        """Files by folder of the spool, of those that have one."""
        found = {}
        for folder in os.listdir(self.spool):
            files = [name for name in os.listdir(f"{self.spool}/{folder}")
                     if name.endswith((".pprof", ".otlp", ".fleet"))]
            found[folder] = len(files)
        return found

    def n_waiting(self):
        return sum(self.waiting().values())


# ---- independent readers ----

def of_pprof(data):
    """Samples by program."""
    sums = collections.Counter()
    for sample in sources.read_pprof(data).samples:
        sums[sample.program] += sample.count
    return dict(sums)


def of_otlp(profiles):
    """Samples by program, and what they stand for."""
    sums = collections.Counter(), collections.Counter()
    for _, _, rows in otlp.events_of(profiles):
        for _, attributes, samples, events in rows:
            sums[0][otlp.program_of(attributes)] += samples
            sums[1][otlp.program_of(attributes)] += events
    return tuple(dict(table) for table in sums)


PROTOC_TOKEN = re.compile(r'\s*(?:(\w+) \{|(\w+): ("(?:[^"\\]|\\.)*"|\S+)|(\}))')


def protoc_tree(text):
    """What protoc --decode prints: {name: [values]}."""
    stack = [collections.defaultdict(list)]
    for opened, name, value, _ in PROTOC_TOKEN.findall(text):
        if opened:
            inner = collections.defaultdict(list)
            stack[-1][opened].append(inner)
            stack.append(inner)
        elif name:
            value = value[1:-1] if value.startswith('"') else int(value)
            stack[-1][name].append(value)
        else:
            stack.pop()
    (top,) = stack
    return top


def test_protoc(data, wanted):
    """By the published messages: no field is unknown, and the sums are the same."""
    if not shutil.which("protoc"):
        skip("protoc reads what is sent", "there is no protoc")
        return
    done = subprocess.run(
        ["protoc", "-I", f"{HERE}/otlp", "--decode=opentelemetry.proto.collector.profiles."
         "v1development.ExportProfilesServiceRequest",
         "opentelemetry/proto/collector/profiles/v1development/profiles_service.proto"],
        input=gzip.decompress(data), capture_output=True, check=False)
    text = done.stdout.decode()
    equal("protoc reads what is sent", (done.returncode, done.stderr), (0, b""))
    equal("protoc knows all fields", re.findall(r"^ *\d+(?:: .*| \{)$", text, re.M), [])
    top = protoc_tree(text)
    (resource,), (dictionary,) = top["resource_profiles"], top["dictionary"]
    sums = []
    for profile in resource["scope_profiles"][0]["profiles"]:
        stacks = {sample["stack_index"][0] for sample in profile["samples"]}
        check("protoc: stacks are in the table", max(stacks) < len(dictionary["stack_table"]))
        equal("protoc: an id has 16 bytes",
              len(codecs.escape_decode(profile["profile_id"][0])[0]), 16)
        sums.append(sum(sample["values"][0] for sample in profile["samples"]))
    equal("protoc: samples, and what they stand for", sums, wanted)


def test_pprof_tool(data, wanted, folder):
    if not shutil.which("go"):
        skip("go tool pprof reads what is sent", "there is no go")
        return
    with open(f"{folder}/sent.pb.gz", "wb") as file:
        file.write(data)
    done = run("go", "tool", "pprof", "-top", "-sample_index=0", f"{folder}/sent.pb.gz",
               home=folder,
               variables={"PPROF_TMPDIR": folder})
    check("go tool pprof reads what is sent", f" of {wanted} total" in done.stdout,
          done.stdout + done.stderr)


# ---- tests ----

def test_pyroscope(place):
    server = Server()
    done = place.push(f"--to={server.url('/ingest')}", "--tenant=team-1", "--service-name=fleet.a",
                      "--label=role=we}b,app.release=7")
    equal("Pyroscope: all is sent", (done.returncode, done.stderr, place.n_waiting()), (0, "", 0))
    equal("Pyroscope: once", len(server.requests), N)
    for i, request in enumerate(server.requests):
        query = urllib.parse.parse_qs(request.query, strict_parsing=True)
        equal(f"Pyroscope: the query of session {i}", query,
              {"name": [f"fleet.a{{host={os.uname().nodename},role=we_b,app_release=7}}"], "format": ["pprof"],
               "from": [str(START + 600 * i)], "until": [str(START + 600 * (i + 1))]})
        equal(f"Pyroscope: the samples of session {i}", of_pprof(request.body), place.reports[i])
    equal("Pyroscope: the path", server.requests[0].path, "/ingest")
    equal("Pyroscope: the tenant", server.requests[0].headers["X-Scope-OrgID"], "team-1")
    test_pprof_tool(server.requests[0].body, sum(place.reports[0].values()), place.folder)
    done = place.push_again(f"--to={server.url('/ingest')}")
    equal("Pyroscope: nothing is sent twice", (done.returncode, len(server.requests)), (0, N))
    server.stop()


def test_parca(place):
    server = Server()
    done = place.push(f"--to={server.url('/profiles/writeraw')}", '--label=a-b=q"uote')
    equal("Parca: all is sent", (done.returncode, done.stderr, place.n_waiting()), (0, "", 0))
    for i, request in enumerate(server.requests):
        (series,) = json.loads(request.body)["series"]
        labels = {label["name"]: label["value"] for label in series["labels"]["labels"]}
        equal(f"Parca: the labels of session {i}", labels,
              {"__name__": "oprofile", "instance": os.uname().nodename, "a_b": 'q"uote'})
        (sample,) = series["samples"]
        equal(f"Parca: the samples of session {i}",
              of_pprof(base64.b64decode(sample["raw_profile"], validate=True)), place.reports[i])
        equal(f"Parca: the type of session {i}", request.headers["Content-Type"],
              "application/json")
    server.stop()


def test_otlp(place):
    server = Server(says(200), says(200, b"\x0a\x04\x12\x02ok"),
                    says(200, b"\x0a\x07\x08\x02\x12\x03bad"))
    done = place.push(f"--to={server.url('/v1development/profiles')}", "--service-name=fleet.a",
                      "--label=role=web")
    equal("OTLP: all is sent", (done.returncode, place.n_waiting(), len(server.requests)),
          (0, 0, N))
    check("OTLP: profiles that are not taken are said", "not 2 profiles in it" in done.stderr and
          done.stderr.count("\n") == 1, done.stderr)
    for i, request in enumerate(server.requests):
        equal(f"OTLP: the head of session {i}",
              (request.headers["Content-Type"], request.headers["Content-Encoding"]),
              ("application/x-protobuf", "gzip"))
        resource, profiles = otlp.read_otlp(request.body)
        equal(f"OTLP: the resource of session {i}",
              [resource[name] for name in ("service.name", "host.name", "role")],
              ["fleet.a", "alpha", "web"])
        equal(f"OTLP: the samples of session {i}", of_otlp(profiles), (place.reports[i],) * 2)
        for profile in profiles:
            equal(f"OTLP: {profile.type} of session {i}, when and what was lost",
                  (profile.time, profile.duration, profile.attributes),
                  ((START + 600 * i) * 10 ** 9, 600 * 10 ** 9, {"oprofile.samples.lost": 7}))
    test_protoc(server.requests[0].body, [sum(place.reports[0].values())] * 2)
    equal("otlp+http: any path", place.push(f"--to=otlp+{server.url('/x')}").returncode, 0)
    equal("is OTLP", server.requests[-1].headers["Content-Type"], "application/x-protobuf")
    server.stop()


def test_plain(place):
    server = Server(says(204))
    url = server.url("/any/path?key=value&x=%7B")
    equal("pprof as it is: all is sent", place.push(f"--to={url}").returncode, 0)
    for i, request in enumerate(server.requests):
        equal(f"pprof as it is: where session {i} goes", (request.path, request.query),
              ("/any/path", "key=value&x=%7B"))
        equal(f"pprof as it is: session {i}", of_pprof(request.body), place.reports[i])
    equal("pprof+http: ends in /ingest, and is Pyroscope",
          place.push(f"--to=pprof+{server.url('/ingest')}").returncode, 0)
    check("its query", "format=pprof" in server.requests[-1].query, server.requests[-1].query)
    server.stop()


def test_command_line(place):
    for what, words, wanted in (
            ("no destination", [], "--to=URL is needed"),
            ("the same twice", ["--to=http://a/b", "--to=http://a/b"], "twice"),
            ("a user in the URL", ["--to=http://me:secret@a/b"], "~/.netrc"),
            ("no such format", ["--to=folded+http://a/b"], "no such format"),
            ("a format that the path is not", ["--to=otlp+ftp://a/b"], "no such kind"),
            ("a line end in the URL", ["--to=http://a/b\r\nX:y"], "no URL has"),
            ("a fragment", ["--to=http://a/b#c"], "no URL has"),
            ("a token before all", ["--token-file=x", "--to=http://a/b"], "before it"),
            ("a tenant with a line end", ["--to=http://a/b", "--tenant=a\r\nb"], "--tenant"),
            ("a service with braces", ["--to=http://a/b", "--service-name=a{b}"],
             "--service-name"),
            ("a schema of another", ["--to=http://a/b", "--install-schema"], "--install-schema")):
        done = place.push(*words)
        check(f"refused: {what}", done.returncode == 2 and wanted in done.stderr, done.stderr)


def test_several(place):
    """Each has its own part of the spool, and what one does not take, others have."""
    first, second = Server(), Server()
    dead = "http://127.0.0.1:1/ingest"
    urls = [first.url("/ingest"), dead, second.url("/profiles/writeraw")]
    done = place.push(*(f"--to={url}" for url in urls))
    equal("one of three is dead: an error", done.returncode, 1)
    check("that names it", dead in done.stderr, done.stderr)
    equal("the others have all", (len(first.requests), len(second.requests)), (N, N))
    waiting = place.waiting()
    equal("what is for the dead one waits", sorted(waiting.values()), [0, 0, N])
    check("folders are named by URLs",
          all(name.startswith("http-127.0.0.1-") and "/" not in name for name in waiting),
          waiting)
    # TO= of the service, with what is left
    done = place.push_again(f"--to={urls[0]} {urls[2]}")
    equal("two in one argument", (done.returncode, len(first.requests), len(second.requests)),
          (0, N, N))
    first.stop()
    second.stop()
    place.push(f"--to={dead} http://127.0.0.1:1/x otlp+http://127.0.0.1:1/x")
    links = [os.stat(f"{folder}/{name}").st_nlink for folder, _, names in os.walk(place.spool)
             for name in names if name.endswith((".pprof", ".otlp"))]
    equal("destinations of one format share the files", sorted(links), [1] * N + [2] * 2 * N)


def test_refusals(place):
    """By their status: what is bad is dropped, and else nothing."""
    for status in (400, 413, 422):
        server = Server(says(status, b"this is no profile\nand more"))
        done = place.push(f"--to={server.url('/ingest')}")
        equal(f"HTTP {status}: dropped at once", (done.returncode, place.n_waiting()), (0, 0))
        equal(f"HTTP {status}: sent once", len(server.requests), N)
        check(f"HTTP {status}: and that is said",
              done.stderr.count(f"HTTP {status}): this is no profile") == N, done.stderr)
        server.stop()
    elsewhere = Server()
    for status in (301, 302, 307, 308, 401, 403, 404, 408, 429, 500, 502, 503):
        server = Server(says(status, b"no", Location=elsewhere.url("/ingest")))
        done = place.push(f"--to={server.url('/ingest')}")
        equal(f"HTTP {status}: kept", (done.returncode, place.n_waiting(), len(server.requests)),
              (1, N, 1))
        server.stop()
    equal("no redirect is followed", len(elsewhere.requests), 0)
    elsewhere.stop()


def test_lies(place):
    """Answers without end: bounded by time and size."""
    for name, answer, limit, wanted in (
            ("a body without end, of success", endless_body(200), "5m", (0, 0)),
            ("a body without end, of failure", endless_body(500), "5m", (1, N)),
            ("a head without end", endless_head, "5m", (1, N)),
            ("a byte a second", slow, "2s", (1, N)),
            ("no answer", silent, "2s", (1, N))):
        server = Server(answer)
        done = place.push(f"--to={server.url('/ingest')}", f"--timeout={limit}")
        equal(name, (done.returncode, place.n_waiting()), wanted)
        if answer is endless_head:  # libcurl has a limit of its own, of late
            check("is stopped by us", "the head of the answer has no end" in done.stderr,
                  done.stderr)
        server.stop()


def test_token(place):
    server, elsewhere = Server(), Server()
    token = f"{place.folder}/token"
    with open(token, "w", encoding="utf-8") as file:
        file.write("secret-1\n")
    os.chmod(token, 0o644)
    to = [f"--to={server.url('/ingest')}", f"--token-file={token}",
          f"--to={elsewhere.url('/ingest')}"]
    done = place.push(*to)
    check("a token that others can read is refused",
          done.returncode == 1 and "mode 0644" in done.stderr, done.stderr)
    equal("and nothing is sent", len(server.requests), 0)
    os.chmod(token, 0o660)
    equal("nor one that a group can write to", place.push(*to).returncode, 1)
    os.chmod(token, 0o600)
    equal("a token", place.push(*to).returncode, 0)
    equal("is sent to its server", {r.headers["Authorization"] for r in server.requests},
          {"Bearer secret-1"})
    equal("and to no other", {r.headers["Authorization"] for r in elsewhere.requests}, {None})
    with open(token, "w", encoding="utf-8") as file:
        file.write("sec ret\n")
    done = place.push(*to)
    check("a token with a blank is refused",
          done.returncode == 1 and "sec" not in done.stderr, done.stderr)
    netrc = f"{place.folder}/.netrc"
    with open(netrc, "w", encoding="utf-8") as file:
        file.write("machine 127.0.0.1 login reader password pass\n")
    equal("a password of ~/.netrc", place.push(to[2], home=place.folder).returncode, 0)
    equal("is sent", elsewhere.requests[-1].headers["Authorization"],
          "Basic " + base64.b64encode(b"reader:pass").decode())
    os.unlink(netrc)
    server.stop()
    elsewhere.stop()


def make_certificate(folder, name):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", "/CN=test", "-addext", f"subjectAltName={name}",
                    "-keyout", f"{folder}/key.pem", "-out", f"{folder}/certificate.pem"],
                   check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
    return context, f"{folder}/certificate.pem"


def test_tls(place):
    if not shutil.which("openssl"):
        skip("certificates", "there is no openssl")
        return
    context, bundle = make_certificate(place.folder, "IP:127.0.0.1")
    server = Server(context=context)
    for url in (server.url("/ingest"), server.url("/fleet").replace("https", "clickhouses")):
        kind = url.split(":")[0]
        done = place.push(f"--to={url}")
        check(f"{kind}: a certificate of nobody is refused",
              done.returncode == 1 and "certificate" in done.stderr, done.stderr)
        equal(f"{kind}: nothing is sent", (len(server.requests), place.n_waiting()), (0, N))
        done = place.push_again(f"--to={url}", variables={"CURL_CA_BUNDLE": bundle})
        equal(f"{kind}: it is taken with CURL_CA_BUNDLE",
              (done.returncode, done.stderr, place.n_waiting()), (0, "", 0))
        check(f"{kind}: all is sent", len(server.requests) >= N)
        del server.requests[:]
    done = run("opreport", server.url("/fleet").replace("https", "clickhouses"))
    check("opreport: a certificate of nobody is refused",
          done.returncode == 1 and "certificate" in done.stderr, done.stderr)
    equal("opreport: nothing is asked", len(server.requests), 0)
    server.stop()
    context, bundle = make_certificate(place.folder, "DNS:elsewhere.example")
    server = Server(context=context)
    done = place.push(f"--to={server.url('/ingest')}", variables={"CURL_CA_BUNDLE": bundle})
    check("a certificate of another host is refused",
          done.returncode == 1 and not server.requests, done.stderr)
    server.stop()


def read_file(path):
    with open(path, "rb") as file:
        return metrics.read_metrics(file.read())


def test_metrics(place):
    """Of one server that works, one that will have nothing, and one that is not there."""
    good, bad, file = Server(), Server(says(400)), f"{place.folder}/oppush.prom"
    urls = [good.url("/ingest"), bad.url("/ingest?key=secret"), "http://127.0.0.1:1/x"]
    before = int(time.time())
    place.push(*(f"--to={url}" for url in urls), f"--metrics={file}")
    samples = read_file(file)
    names = sorted({value for _, _, value in samples}, key=lambda name: [
        i for i, url in enumerate(urls) if name.startswith(
            re.sub(r"[^0-9a-z.]+", "-", url.partition("?")[0]))])
    equal("metrics: a label for each destination", sorted(names), sorted(os.listdir(place.spool)))
    check("metrics: no query is in them", not any("secret" in name for name in names), names)

    def numbers(name):
        return [samples[f"oppush_{name}", "destination", value] for value in names]

    for name, wanted in (("sessions_sent_total", [N, 0, 0]),
                         ("sessions_rejected_total", [0, N, 0]),
                         ("sessions_dropped_total", [0, 0, 0]),
                         ("sessions_unreadable_total", [0, 0, 0]),
                         ("sessions_waiting", [0, 0, N]),
                         ("failures_total", [0, 0, 1]),
                         ("sent_bytes_total", [sum(len(r.body) for r in good.requests), 0, 0])):
        equal(f"metrics: {name}", numbers(name), wanted)
    waiting = sum(os.stat(f"{place.spool}/{names[2]}/{name}").st_blocks * 512
                  for name in os.listdir(f"{place.spool}/{names[2]}") if name.endswith(".pprof"))
    equal("metrics: spool_bytes", numbers("spool_bytes"), [0, 0, waiting])
    sent = numbers("last_sent_timestamp_seconds")
    check("metrics: when a session was sent last",
          before <= sent[0] <= time.time() and sent[1:] == [0, 0], sent)
    equal("metrics: all may read them", os.lstat(file).st_mode & 0o7777, 0o644)
    equal("metrics: nothing else is left beside them",
          [name for name in os.listdir(place.folder) if "prom" in name], ["oppush.prom"])
    done = place.push(f"--to={good.url('/ingest')}", f"--metrics={place.folder}/no/file")
    check("metrics that cannot be written are said, and all is sent",
          done.returncode == 0 and f"{place.folder}/no/file" in done.stderr, done.stderr)
    good.stop()
    bad.stop()


def test_service(place):
    """Servers that are dead, silent or refuse for a while cost the others nothing."""
    good, hung, busy = Server(), Server(silent), Server(
        says(503, b"busy", Retry_After="6"), says(200))
    bad = Server(says(400))
    urls = ["http://127.0.0.1:1/ingest", hung.url("/ingest"), busy.url("/ingest"),
            bad.url("/ingest"), good.url("/ingest")]
    prom = f"{place.folder}/service.prom"
    words = place.words("--to=" + " ".join(urls), "--jitter=0", f"--metrics={prom}")
    with subprocess.Popen(words, env=environment(), stderr=subprocess.PIPE,
                          text=True) as service:
        check("a good server has all while others hang",
              until(lambda: len(good.requests) == N and hung.requests), len(good.requests))
        check("one that was busy has all later", until(lambda: len(busy.requests) == N + 1),
              len(busy.requests))
        check("what is bad is sent once", until(lambda: len(bad.requests) == N),
              len(bad.requests))
        make_session(place.sessions, N)
        check("what is closed later is sent", until(lambda: len(good.requests) == N + 1),
              len(good.requests))
        hung.stop()
        service.send_signal(signal.SIGTERM)
        said = service.communicate(timeout=60)[1]
    equal("the service ends", service.returncode, 0)
    check("no sooner than the busy server said",
          busy.requests[1].time - busy.requests[0].time >= 6,
          busy.requests[1].time - busy.requests[0].time)
    equal("what was refused comes first", [of_pprof(r.body) for r in busy.requests[:2]],
          [place.reports[0]] * 2)
    samples = read_file(prom)
    of = {name: sorted(number for (other, _, _), number in samples.items() if other == name)
          for name, _, _ in samples}
    equal("metrics of the service: what was sent", of["oppush_sessions_sent_total"][2:],
          [0, len(busy.requests) - 1, len(good.requests)])
    check("metrics of the service: the dead one is backed off from",
          of["oppush_back_off_seconds"][-1] >= 5 and of["oppush_back_off_seconds_total"][-1] >= 2.5,
          of)
    check("each trouble is said once", said.count("it is tried again") <= 3, said)
    shutil.rmtree(f"{place.sessions}/samples/{name_of(N)}")
    for server in (good, busy, bad):
        server.stop()


def test_unit(place):
    """The service's command line, with variables as systemd has them: ${TO} is one word."""
    first, second, third = Server(), Server(), Server()
    with open(f"{TOP}/system/oprofile-push.service.in", encoding="utf-8") as unit:
        (command,) = re.findall(r"^ExecStart=\S*/oppush (.*)$", unit.read(), re.M)
    for to, options, wanted in (
            (first.url("/x"), "", (N, 0, 0)),
            (f"{first.url('/x')} {second.url('/x')}", "", (N, N, 0)),
            (first.url("/x"), f"--tenant=a --to={third.url('/x')} --tenant=b", (N, 0, N))):
        words = command.replace("$OPTIONS", options).split()
        done = place.push(*(word.replace("${TO}", to) for word in words))
        equal(f"the unit with TO={'URL ' * len(to.split())}OPTIONS={options.split('=')[0]}",
              (done.returncode, tuple(len(s.requests) for s in (first, second, third))),
              (0, wanted))
        tenants = {s.requests[0].headers["X-Scope-OrgID"] for s in (first, third) if s.requests}
        equal("tenants", tenants, {"a", "b"} if options else {None})
        for server in (first, second, third):
            del server.requests[:]
    for server in (first, second, third):
        server.stop()


def test_bounds(place):
    done = place.push("--to=http://127.0.0.1:1/x", "--spool-size=4")
    old = f"{place.spool}/{os.listdir(place.spool)[0]}/{stamp(START - 600)}-{stamp(START)}.pprof"
    with open(old, "wb") as file:
        file.write(bytes(5 << 20))
    done = place.push_again("--to=http://127.0.0.1:1/x", "--spool-size=4")
    check("beyond --spool-size the oldest is dropped",
          not os.path.exists(old) and "more than 4 MiB wait" in done.stderr, done.stderr)
    equal("others wait", place.n_waiting(), N)
    chance = random.Random(1)
    make_session(place.sessions, N, more="".join(
        f"0x{0x100000 + chance.getrandbits(44):x} 1\n" for _ in range(200000)))
    done = place.push_again("--to=http://127.0.0.1:1/x", "--spool-size=4")
    equal("all wait", place.n_waiting(), N + 1)
    made = old.replace(os.path.basename(old), f"{name_of(N)}.pprof")
    check("a session that would push out all others has a quarter",
          os.path.getsize(made) <= 1 << 20 and "more than 4 MiB" not in done.stderr, done.stderr)
    sums = stacks(f"--from={made}")
    equal("and its sum", sum(sums.values()),
          sum(stacks(f"--session-dir={place.sessions}", f"session:{name_of(N)}").values()))
    check("what finds no room is said", any("[left out]" in stack for stack in sums), sums)
    shutil.rmtree(f"{place.sessions}/samples/{name_of(N)}")


def test_no_tables(place):
    """What a ClickHouse without the schema says is what its user is told."""
    server = Server(says(404, b"Code: 60, e.displayText() = DB::Exception: Table fleet.sessions "
                              b"doesn't exist.\n"))
    done = place.push(server.url("/fleet").replace("http://", "--to=clickhouse://"))
    check("a ClickHouse without tables", done.returncode == 1 and done.stderr.count("\n") == 1 and
          "HTTP 404" in done.stderr and "fleet.sessions doesn't exist" in done.stderr, done.stderr)
    server.stop()


def opexport_after(place, words):
    """Variables with an opexport that does some words of a shell before."""
    folder = f"{place.folder}/opexport{place.n_spools}"
    os.makedirs(folder)
    with open(f"{folder}/opexport", "w", encoding="utf-8") as script:
        script.write(f'#!/bin/sh\n{words}\nexec "{BUILD}/pp/opexport" "$@"\n')
    os.chmod(f"{folder}/opexport", 0o755)
    return {"PATH": f"{folder}:{environment()['PATH']}"}


def test_late(place):
    """A session that is read later than younger ones is sent, and they are not sent again."""
    for i in range(N, N + 2):
        make_session(place.sessions, i)
    server = Server()
    fails = opexport_after(place, f'case "$*" in *{name_of(0)}*) exit 1 ;; esac')
    done = place.push(f"--to={server.url('/x')}", variables=fails)
    check("a session that cannot be read is said", done.returncode == 1 and
          done.stderr.count(name_of(0)) == 1, done.stderr)
    equal("others are sent", len(server.requests), N + 1)
    done = place.push_again(f"--to={server.url('/x')}")
    equal("it is sent later", (done.returncode, len(server.requests)), (0, N + 2))
    for i in range(N, N + 2):
        shutil.rmtree(f"{place.sessions}/samples/{name_of(i)}")
    server.stop()


def test_end(place):
    """A signal ends the service after the session that it reads, however many there are."""
    begun, go = f"{place.folder}/begun", f"{place.folder}/go"
    waits = opexport_after(place, f'echo >>"{begun}"; until [ -e "{go}" ]; do sleep 0.05; done')
    words = place.words("--to=http://127.0.0.1:1/x")
    with subprocess.Popen(words, env=environment(**waits), stderr=subprocess.PIPE,
                          text=True) as service:
        check("it reads the first session", until(lambda: os.path.exists(begun)))
        service.send_signal(signal.SIGTERM)
        with open(go, "w", encoding="utf-8"):
            pass
        said = service.communicate(timeout=60)[1]
    equal("the service ends", (service.returncode, said), (0, ""))
    equal("sessions that it has begun to read", len(read_text(begun)), 1)
    equal("what it has read waits", place.n_waiting(), 1)
    server = Server()
    equal("it goes on later", (place.push_again(f"--to={server.url('/x')}").returncode,
                               len(server.requests)), (0, N))
    server.stop()


def read_text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def test_backlog(place):
    """The spool keeps to its bound while sessions of weeks are read, not only afterwards."""
    options = ["--to=http://127.0.0.1:1/x", "--spool-size=4"]
    place.push(*options)
    folder = f"{place.spool}/{os.listdir(place.spool)[0]}"
    for i in range(15):
        with open(f"{folder}/{stamp(START - 600 * (i + 2))}-{stamp(START - 600 * (i + 1))}.pprof",
                  "wb") as file:
            file.write(bytes(1 << 18))
    chance = random.Random(2)
    for i in range(N, N + 8):
        make_session(place.sessions, i, more="".join(
            f"0x{0x100000 + chance.getrandbits(44):x} 1\n" for _ in range(100000)))
    sizes = f"{place.folder}/sizes"
    watched = opexport_after(place, f'du -sk --apparent-size "{place.spool}" >>"{sizes}"')
    done = place.push_again(*options, variables=watched)
    numbers = [int(line.split()[0]) for line in read_text(sizes).splitlines()]
    check("sessions are dropped", done.stderr.count("more than 4 MiB wait") >= 2, done.stderr)
    check("it is never beyond its bound", 3000 < max(numbers) <= 4096, numbers)
    for i in range(N, N + 8):
        shutil.rmtree(f"{place.sessions}/samples/{name_of(i)}")


def main():
    with tempfile.TemporaryDirectory(prefix="backends.") as folder:
        place = Place(folder)
        test_command_line(place)
        test_pyroscope(place)
        test_parca(place)
        test_otlp(place)
        test_plain(place)
        test_several(place)
        test_refusals(place)
        test_lies(place)
        test_token(place)
        test_tls(place)
        test_unit(place)
        test_bounds(place)
        test_no_tables(place)
        test_late(place)
        test_end(place)
        test_backlog(place)
        test_metrics(place)
        test_service(place)
    finish()


main()
