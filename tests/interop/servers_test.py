#!/usr/bin/env python3
"""Two servers with one catalog behind nginx, over a Ceph Object Gateway and PostgreSQL: equal
answers, and nobody notices when one of them goes."""

import contextlib
import http.client
import itertools
import re
import signal
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import nginx  # noqa: E402
import peers  # noqa: E402
import postgres  # noqa: E402
from nginx import Nginx  # noqa: E402
from peers import kitbag, need  # noqa: E402
from postgres import Postgres, free_port  # noqa: E402
from server import Reply, Server  # noqa: E402
from store_case import StoreCase  # noqa: E402

NAME = "bags.example"
BEGIN = 1767225600
SLICE = f"start_time={BEGIN + 1}&end_time={BEGIN + 2}"
ANSWERS = (
    "info", "topics", "schemas", "player", f"player?{SLICE}",
    f"player?{SLICE}&format=csv&topics=/odom",
    f"player?{SLICE}&format=mcap", f"player?{SLICE}&format=bag&topics=/odom",
    "timeline?buckets=8", "timeline?buckets=8&delay=1",
    "series?topics=/odom&fields=pose.pose.position.x&buckets=8",
    "series?topics=/odom&fields=pose.pose.position.x&buckets=8&format=arrow",
    "thumbnail?topic=/camera/image", "search?q=voltage%20%3E%2025&limit=3",
    "search?text=map&limit=3", "sql?q=SELECT%20count(*)%20AS%20n%20FROM%20odom", "events",
    "download")
THREADS = 8
PROXY = """
    upstream kitbag {{
      server {first} max_fails=1 fail_timeout=1s;
      server {second} max_fails=1 fail_timeout=1s;
      keepalive 16;
    }}
    server {{
      listen unix:{{folder}}/bags;
      location / {{
        proxy_pass http://kitbag;
        proxy_http_version 1.1;
        proxy_set_header Host {name};
        proxy_set_header Connection "";
        proxy_buffering off;
        proxy_next_upstream error timeout http_503;
      }}
    }}"""


class Load:
    """Threads that ask without a pause. `failed`: what was not answered as it should be."""

    def __init__(self, socket, targets):
        self.socket = socket
        self.targets = targets  # with the body that each must have
        self.answered = 0
        self.failed = []
        self.is_over = threading.Event()
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, args=(i,)) for i in range(THREADS)]
        for thread in self.threads:
            thread.start()

    def run(self, begin):
        connection = nginx.Connection(self.socket, NAME)
        for target, body in itertools.islice(itertools.cycle(self.targets), begin, None):
            if self.is_over.is_set():
                break
            try:
                connection.request("GET", target)
                response = connection.getresponse()
                got = response.status, response.read() == body
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                got = repr(error)
            with self.lock:
                self.answered += 1
                if got != (200, True):
                    self.failed.append((target, got))
        connection.close()

    def wait_for(self, more):
        """Until so many more are answered."""
        wanted = self.answered + more
        deadline = time.monotonic() + 120
        while self.answered < wanted:
            assert time.monotonic() < deadline, self.failed
            time.sleep(0.01)

    def end(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()
        return self.failed


class Servers(StoreCase):
    @classmethod
    def setUpClass(cls):
        need(nginx.find_nginx(), "nginx is not installed")
        need(postgres.is_installed(), "PostgreSQL is not installed")
        super().setUpClass()
        cls.database = Postgres()
        cls.addClassCleanup(cls.database.end)
        cls.address = cls.database.url()
        for name, more in (("drive.bag", ()), ("drive.mcap", ("--encoding", "cdr")),
                           ("run/", ("--encoding", "cdr"))):
            kitbag("convert", "demo://?seconds=4&seed=7", f"{cls.folder}/{name}", *more)
        for path in ("drive.bag", "drive.mcap"):
            cls.store.put("bags", f"2026/{path}", (cls.folder / path).read_bytes())
        for path in (cls.folder / "run").iterdir():
            cls.store.put("bags", f"2026/run/{path.name}", path.read_bytes())

    def setUp(self):
        if not hasattr(Servers, "names"):
            self.run_kitbag("catalog", "init", self.address)
            self.run_kitbag("catalog", "scan", self.address, "s3://bags/2026")
        self.ports = [free_port(), free_port()]
        self.servers = [self.start(port) for port in self.ports]
        Servers.names = {bag["title"]: quote(bag["filename"])
                         for bag in self.servers[0].ask("/bags/").json()}
        self.assertEqual(set(self.names), {"drive.bag", "drive.mcap", "run"})
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        first, second = (f"127.0.0.1:{port}" for port in self.ports)
        self.nginx = Nginx(folder, PROXY.format(first=first, second=second, name=NAME))
        self.addCleanup(self.nginx.end)
        self.socket = self.nginx.wait_for("bags")

    def start(self, port):
        server = Server("--catalog", self.address, "--public-url", f"http://{NAME}", "--allow-sql",
                        "--drain-time", "600s", env=self.environment(), port=port)
        self.addCleanup(self.end, server)
        return server

    @staticmethod
    def end(server):
        with contextlib.suppress(ProcessLookupError):
            server.process.kill()
        server.process.wait(60)
        server.end()

    def through_nginx(self, target):
        with contextlib.closing(nginx.Connection(self.socket, NAME)) as connection:
            connection.request("GET", target)
            return Reply(connection.getresponse())

    def targets(self):
        yield "/bags/"
        yield "/bags/?limit=2&count=1"
        yield "/bags/?types=*/Image&order=oldest"
        yield "/openapi.json"
        for name in self.names.values():
            yield f"/view/{name}.mcap"
            yield f"/view/{name}.mcap?topics=/odom&start={BEGIN + 1}"
            for answer in ANSWERS:
                yield f"/bags/{name}/{answer}"

    def test_equal_answers(self):
        for target in self.targets():
            with self.subTest(target):
                replies = [server.ask(target) for server in self.servers]
                replies.append(self.through_nginx(target))
                self.assertEqual([reply.status for reply in replies], [200] * 3,
                                 replies[0].body[:300])
                first = replies[0]
                for reply in replies[1:]:
                    self.assertTrue(reply.body == first.body)
                    for header in "ETag", "Last-Modified", "Content-Type", "Link", "Kitbag-Count":
                        self.assertEqual(reply.headers[header], first.headers[header], header)
                etag = first.headers["ETag"]
                if etag:
                    other = self.servers[1].ask(target, if_none_match=etag)
                    self.assertEqual(other.status, 304)
        etag = self.servers[0].ask(f"/bags/{self.names['drive.bag']}/download").headers["ETag"]
        part = self.servers[1].ask(f"/bags/{self.names['drive.bag']}/download",
                                   range="bytes=100-299", if_range=etag)
        self.assertEqual((part.status, part.body),
                         (206, (self.folder / "drive.bag").read_bytes()[100:300]))

    def test_a_download_from_the_store(self):
        reply = self.through_nginx(f"/bags/{self.names['drive.bag']}/download?redirect=1")
        self.assertEqual((reply.status, reply.headers["Cache-Control"]), (307, "no-store"))
        with urlopen(reply.headers["Location"]) as there:
            self.assertTrue(there.read() == (self.folder / "drive.bag").read_bytes())

    def load(self):
        targets = [f"/bags/{name}/{answer}" for name in self.names.values()
                   for answer in ("topics", f"player?{SLICE}&topics=/odom", "download",
                                  "timeline?buckets=8")]
        targets.append("/bags/?limit=2")
        return Load(self.socket, [(target, self.servers[0].ask(target).body)
                                  for target in targets])

    def wait_until_asked(self, server):
        """nginx does not ask one that has failed for a second."""
        deadline = time.monotonic() + 120
        while True:
            metrics = server.ask("/metrics").body.decode()
            if int(re.search(r'requests_total{status="2xx"} (\d+)', metrics)[1]) > 200:
                return
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_one_is_killed_under_load(self):
        load = self.load()
        load.wait_for(100)
        with load.lock:
            self.assertEqual(load.failed, [])
        self.servers[0].process.send_signal(signal.SIGKILL)
        load.wait_for(300)
        failed = load.end()
        # Those in flight may fail: of some of them, half has been sent already.
        self.assertLessEqual(len(failed), THREADS, failed)

    def test_one_is_stopped_under_load_and_comes_back(self):
        load = self.load()
        load.wait_for(100)
        self.servers[0].process.send_signal(signal.SIGTERM)
        load.wait_for(100)
        self.assertEqual(self.servers[0].process.wait(60), 0)
        load.wait_for(100)
        again = self.start(self.ports[0])
        self.wait_until_asked(again)
        self.servers[1].process.send_signal(signal.SIGTERM)
        load.wait_for(100)
        self.assertEqual(load.end(), [])


if __name__ == "__main__":
    peers.main()
