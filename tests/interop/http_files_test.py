#!/usr/bin/env python3
"""Bags on web servers: read by ranges, equal to those on the disk, also on a server's bad days."""

import contextlib
import json
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from nginx import Nginx, find_nginx  # noqa: E402
from peers import REAL_BAGS, kitbag, need, need_real_bags, program  # noqa: E402
from range_server import Fault, RangeServer  # noqa: E402

SECRET = "AKIASECRET"


def run(*arguments, **more):
    return subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                          check=False, **more)


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def copyfile(self, *files):
        with contextlib.suppress(ConnectionError):  # it is enough to see that the file is large
            super().copyfile(*files)


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, *_):
        pass


class HttpFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        plugin = Path(program()).resolve().parent / "plugins/files_remote.so"
        need(plugin.exists(), "libcurl4-openssl-dev is not installed")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for name in "drive.bag", "drive.mcap", "drive.db3":
            kitbag("convert", "demo://?seconds=10&seed=7", cls.folder / name)
        kitbag("convert", "demo://?seconds=60&seed=7", cls.folder / "long.mcap", "--compression",
               "zstd")
        cls.server = RangeServer(cls.folder)
        cls.addClassCleanup(cls.server.end)

    def setUp(self):
        self.server.reset()

    def url(self, name):
        return f"{self.server.url}/{name}"

    def digest(self, bag):
        done = run("cat", bag, "--format", "digest")
        self.assertEqual((done.returncode, done.stderr), (0, ""), bag)
        return done.stdout

    def test_every_format_reads_equal(self):
        for name in "drive.bag", "drive.mcap", "drive.db3":
            with self.subTest(name=name):
                self.assertEqual(self.digest(self.url(name)), self.digest(self.folder / name))

    def test_real_bags_from_nginx(self):
        need_real_bags()
        need(find_nginx(), "nginx is not installed")
        port = free_port()
        place = self.folder / "nginx"
        place.mkdir()
        nginx = Nginx(place, "server { listen unix:{folder}/socket; listen 127.0.0.1:" +
                      f"{port}; root {REAL_BAGS.parent}; }}")
        self.addCleanup(nginx.process.wait)
        self.addCleanup(nginx.process.terminate)
        nginx.wait_for("socket")
        bags = sorted(REAL_BAGS.glob("*.bag"))[:8] + sorted(
            (REAL_BAGS.parent / "mcap").rglob("*.mcap"))[:4] + sorted(
            (REAL_BAGS.parent / "rosbag2").rglob("*.db3"))[:4]
        for bag in bags:
            with self.subTest(bag=bag.name):
                url = f"http://127.0.0.1:{port}/{bag.relative_to(REAL_BAGS.parent)}"
                here, there = (run("cat", each, "--format", "digest") for each in (bag, url))
                self.assertEqual(there.stdout, here.stdout)
                self.assertEqual(there.returncode, here.returncode, there.stderr)

    def test_few_requests(self):
        """Of info; of the first message; of one per cent of the time."""
        size = (self.folder / "long.mcap").stat().st_size
        for name, most in (("long.mcap", 4), ("drive.db3", 8)):
            self.server.reset()
            self.assertEqual(json.loads(kitbag("info", "--json", self.url(name)))["messages"],
                             json.loads(kitbag("info", "--json", self.folder / name))["messages"])
            self.assertLessEqual(len(self.server.requests), most, self.server.requests)
        self.server.reset()
        kitbag("cat", self.url("long.mcap"), "--start", "+30s", "--duration", "1s")
        self.assertLessEqual(len(self.server.requests), 6, self.server.requests)
        # How much of the last range is sent before kitbag has what it needs, is chance.
        bounds = [tuple(map(int, asked.removeprefix("bytes=").split("-")))
                  for _, asked in self.server.requests]
        self.assertLess(sum(last + 1 - first for first, last in bounds), size / 3)

    def test_a_bad_day_is_survived(self):
        wanted = self.digest(self.folder / "long.mcap")
        for kind in 500, 503, 429, "cut off", "trickle":
            for after in 0, 1, 2:
                with self.subTest(kind=kind, after=after):
                    self.server.reset()
                    self.server.fault = Fault(kind, times=2, after=after)
                    self.assertEqual(self.digest(self.url("long.mcap")), wanted)

    def failed(self, name, code=2):
        done = run("cat", self.url(name), "--format", "digest")
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_a_server_that_stays_broken_is_an_error(self):
        self.server.fault = Fault(500, times=1000, after=2)
        self.assertIn("the server answers with HTTP 500", self.failed("long.mcap"))
        self.server.fault = Fault("cut off", times=100000, after=2)
        wanted = self.digest(self.folder / "long.mcap")
        done = run("cat", self.url("long.mcap"), "--format", "digest")
        self.assertTrue(done.stdout == wanted or done.returncode == 2, done.stderr)

    def test_a_file_that_is_replaced_is_an_error_never_a_mixture(self):
        self.server.fault = Fault("other version", times=1000, after=2)
        self.assertIn("the file was replaced while it was read", self.failed("long.mcap"))

    def test_what_was_not_asked_for_is_an_error(self):
        self.server.fault = Fault("another range", times=1000, after=2)
        self.assertIn("another range", self.failed("long.mcap"))
        self.server.fault = Fault("whole file", times=1000, after=2)
        self.assertIn("instead of a range", self.failed("long.mcap"))

    def test_redirects(self):
        self.assertEqual(self.digest(self.url("redirect/3/drive.bag")),
                         self.digest(self.folder / "drive.bag"))
        self.assertIn("redirects", self.failed("redirect/4/drive.bag"))
        self.assertRegex(self.failed("away"), "[Pp]rotocol")

    def test_what_is_not_there(self):
        self.assertIn(f"{self.url('none.bag')}: no such file", self.failed("none.bag"))
        self.assertIn("HTTP 403: access is denied", self.failed("forbidden.bag"))
        done = run("info", f"http://127.0.0.1:{free_port()}/x.bag")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot be read", done.stderr)

    def test_empty_and_foreign_files(self):
        (self.folder / "empty.bag").write_bytes(b"")
        done = run("info", self.url("empty.bag"))
        here = run("info", self.folder / "empty.bag")
        self.assertEqual(done.returncode, here.returncode)
        (self.folder / "page.html").write_text("<html></html>")
        self.assertIn("unrecognized format", self.failed("page.html"))

    def test_a_server_without_ranges(self):
        handler = partial(Quiet, directory=str(self.folder))
        server = QuietServer(("127.0.0.1", 0), handler)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/drive.bag"
        self.assertEqual(self.digest(url), self.digest(self.folder / "drive.bag"))

    def test_keys_are_not_shown(self):
        for name in (f"none.bag?X-Amz-Signature={SECRET}&t=1", f"forbidden.bag?token={SECRET}"):
            self.assertNotIn(SECRET, self.failed(name))
        with_password = self.url("none.bag").replace("//", f"//user:{SECRET}@")
        done = run("cat", with_password)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn(SECRET, done.stderr)

    def test_the_verbs_take_urls(self):
        target = self.folder / "copy.mcap"
        kitbag("convert", self.url("drive.bag"), target, "--topics", "/odom", "--encoding", "ros1")
        self.assertEqual(
            run("cat", self.url("drive.bag"), "--topics", "/odom", "--format", "digest").stdout,
            run("cat", target, "--format", "digest").stdout)
        kitbag("check", self.url("drive.mcap"))
        rows = kitbag("sql", "SELECT count(*) FROM odom", self.url("drive.bag"), "--format", "csv")
        self.assertIn("500", rows)
        kitbag("diff", self.url("drive.bag"), self.folder / "drive.bag")

    def test_nothing_is_written_to_a_web_server(self):
        done = run("convert", self.folder / "drive.bag", self.url("new.bag"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("read-only", done.stderr)

    def test_an_interrupt_ends_a_read(self):
        self.server.fault = Fault("trickle", times=1000)
        process = subprocess.Popen([program(), "cat", self.url("long.mcap")],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with self.assertRaises(subprocess.TimeoutExpired):
            process.wait(timeout=0.3)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        process.stderr.close()
        self.assertNotEqual(process.returncode, 0)


if __name__ == "__main__":
    peers.main()
