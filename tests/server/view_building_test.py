#!/usr/bin/env python3
"""Views that have to be made as a file: they are given up with their last client and not before,
and a disk that is full costs nothing but that view."""

import fcntl
import http.client
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, kitbag_digest, need, preloaded, run  # noqa: E402
from server import Server  # noqa: E402

VIEW = "/view/a.bag.mcap"
SMALL_VIEW = f"{VIEW}?topics=/battery"
PATIENCE_S = 30


class Building(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.bags = cls.folder / "bags"
        cls.bags.mkdir()
        kitbag("convert", "demo://?seconds=40&seed=3", cls.bags / "a.bag", "--encoding", "ros1")

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name) / "cache"

    def serve(self, **more):
        server = Server(self.bags, "--cache-dir", self.cache, **more)
        self.addCleanup(server.end)
        return server

    def eventually(self, condition):
        end = time.monotonic() + PATIENCE_S
        while not (value := condition()):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return value

    def parts(self):
        return [path for path in self.cache.glob(".*") if path.name.endswith(".part")]

    def views(self):
        return list(self.cache.glob("*.mcap"))


class WithClients(Building):
    """Whatever is written into the cache waits until the test lets it go on."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shim = preloaded("held_writes", cls.folder)

    def setUp(self):
        super().setUp()
        lock = self.cache.parent / "lock"
        self.lock = lock.open("w")
        self.addCleanup(self.lock.close)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.server = self.serve(env={"LD_PRELOAD": str(self.shim), "KITBAG_HOLD_LOCK": str(lock),
                                      "KITBAG_HOLD_UNDER": str(self.cache)})

    def go_on(self):
        fcntl.flock(self.lock, fcntl.LOCK_UN)

    def connections(self):
        """How many there are, without the one that asks."""
        lines = self.server.ask("/metrics").body.decode().splitlines()
        return next(int(line.split()[1]) for line in lines
                    if line.startswith("kitbag_http_connections ")) - 1

    def begin(self):
        host, _, port = self.server.host.partition(":")
        client = socket.create_connection((host, int(port)), timeout=PATIENCE_S)
        self.addCleanup(client.close)
        client.sendall(f"GET {VIEW} HTTP/1.1\r\nHost: {self.server.host}\r\n\r\n".encode())
        return client

    def begin_two(self):
        """The one whose request makes the view, and one that waits for it."""
        first = self.begin()
        self.eventually(self.parts)
        second = self.begin()
        self.eventually(lambda: self.connections() == 2)
        return first, second

    def leave(self, client):
        # At once, by a reset: one that only closes its side may still read.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        # The server learns of it in the order of what comes to it.
        for _ in range(3):
            self.assertEqual(self.server.ask("/healthz").status, 200)

    def test_one_of_two_that_goes_leaves_the_view_to_the_other(self):
        first, second = self.begin_two()
        file = self.parts()[0].stat().st_ino
        self.leave(first)
        self.go_on()
        reply = http.client.HTTPResponse(second)
        reply.begin()
        self.assertEqual(reply.status, 200)
        view = self.cache / "got.mcap"
        view.write_bytes(reply.read())
        self.assertEqual(kitbag_digest(view), kitbag_digest(self.bags / "a.bag"))
        view.unlink()
        self.assertEqual([path.stat().st_ino for path in self.views()], [file], "it was made once")
        self.assertEqual(self.parts(), [])

    def test_the_last_one_that_goes_ends_it(self):
        first, second = self.begin_two()
        self.leave(second)
        self.eventually(lambda: self.connections() == 1)
        self.leave(first)
        self.assertEqual(len(self.parts()), 1)
        self.go_on()
        self.eventually(lambda: self.connections() == 0)
        self.assertEqual((self.parts(), self.views()), ([], []))
        self.assertEqual(self.server.ask(VIEW).status, 200, "who comes later has it made again")


class OnAFullDisk(Building):
    def check(self, server):
        reply = server.ask(VIEW)
        self.assertEqual(reply.status, 507, reply.body)
        self.assertIn("cannot be stored in the cache", reply.json()["error"])
        self.assertEqual(reply.headers["Cache-Control"], "no-store")
        self.assertEqual((self.parts(), self.views()), ([], []))
        self.assertEqual(server.ask(SMALL_VIEW).status, 200)
        self.assertEqual(server.ask("/bags/a.bag/download", "HEAD").status, 200)
        self.assertEqual((len(self.parts()), len(self.views())), (0, 1))

    def test_no_space(self):
        self.cache.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", self.cache],
                                 capture_output=True)
        need(mounted.returncode == 0, "only root can mount a small disk", "mount")
        self.addCleanup(run, "umount", "--lazy", self.cache)
        self.check(self.serve())

    def test_a_limit_of_the_file_size(self):
        server = self.serve()
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        self.check(server)


if __name__ == "__main__":
    peers.main()
