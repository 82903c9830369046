#!/usr/bin/env python3
"""A server whose system refuses a call: it says so, as an error of the server, and is right again
with the next request. The failure is never kept as the state of the bag."""

import errno
import http.client
import os
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from failing_system import FailingSystem  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

CALLS = {"open": (errno.EMFILE, 6), "read": (errno.EIO, 6), "stat": (errno.EIO, 6),
         "list": (errno.EMFILE, 2)}
SLICE = "/bags/a.bag/player?start_time=0&end_time=4000000000"
PATIENCE = 5  # seconds; a list is at most half a second old


class SystemErrors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.bags = cls.folder / "bags"
        cls.system = FailingSystem(cls.folder, under=cls.bags)
        cls.bags.mkdir()
        kitbag("convert", "demo://?seconds=1&seed=3", cls.bags / "a.bag")
        with Server(cls.bags) as server:
            cls.sound = server.ask(SLICE).body
        cls.messages = cls.sound.count(b'"__stamp"')

    def test_the_next_request_is_answered(self):
        refused = 0
        for kind, (number, calls) in CALLS.items():
            for at in range(1, calls + 1):
                with self.subTest(kind=kind, at=at):
                    try:
                        server = Server(self.bags, env=self.system.environment([kind], at, number))
                    except AssertionError as error:  # it refuses to start, and says why
                        self.assertIn(os.strerror(number).lower(), str(error))
                        continue
                    with server:
                        refused += self.ask_until_right(server)
        self.assertGreater(refused, 3)

    def ask_until_right(self, server):
        """How many answers were errors of the server."""
        refused = 0
        end = time.monotonic() + PATIENCE
        while True:
            bags = server.list()
            if bags and bags[0].get("messages") == self.messages:
                self.assertNotIn("damaged", bags[0])
                break
            self.assertTrue(not bags or "error" in bags[0], bags)
            refused += 1
            self.assertLess(time.monotonic(), end, bags)
            time.sleep(0.1)  # a list may be half a second old
        for _ in range(3):
            try:
                reply = server.ask(SLICE)
            except http.client.IncompleteRead:
                refused += 1
                continue
            if reply.status == 200:
                self.assertEqual(reply.body, self.sound)
                return refused
            self.assertEqual(reply.status, 500, reply.body)
            self.assertEqual(reply.headers["Cache-Control"], "no-store")
            refused += 1
        self.fail("still refused")


if __name__ == "__main__":
    peers.main()
