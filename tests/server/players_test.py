#!/usr/bin/env python3
"""Many players at once, which read slowly: each gets what one that is alone gets."""

import contextlib
import http.client
import socket
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

PLAYERS = 40
WAIT_S = 1.5  # longer than the server holds what a client that waits may need


class Players(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        # Two bags of the same times, so that there are always several messages with one time.
        for name, topic in (("one", "/imu"), ("two", "/other")):
            kitbag("convert", "demo://?seconds=8&seed=3", f"{folder.name}/{name}.mcap", "--rename",
                   f"/imu:={topic}")
        (Path(folder.name) / "bags").mkdir()
        kitbag("merge", f"{folder.name}/one.mcap", f"{folder.name}/two.mcap",
               f"{folder.name}/bags/a.mcap", "--compression", "zstd", "--chunk-size", "200kB")
        cls.server = Server(f"{folder.name}/bags")
        cls.addClassCleanup(cls.server.end)
        known = cls.server.ask("/bags/a.mcap/player").json()
        cls.target = (f"/bags/a.mcap/player?start_time={known['start_time'] + 1}"
                      f"&end_time={known['end_time']}")

    def begin(self, target):
        """Asks, with a small buffer, and does not read."""
        host, _, port = self.server.host.partition(":")
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16 << 10)
        client.settimeout(60)
        client.connect((host, int(port)))
        client.sendall(f"GET {target} HTTP/1.1\r\nHost: {self.server.host}\r\n\r\n".encode())
        return client

    @staticmethod
    def read(client, pause=None):
        reply = http.client.HTTPResponse(client)
        reply.begin()
        if pause is None:
            return reply.read()
        body = reply.read(300_000)
        time.sleep(pause)
        return body + reply.read()

    def test_each_gets_the_same_as_one_alone(self):
        targets = [self.target, f"{self.target}&topics=/imu,/other",
                   f"{self.target}&limit=150", f"{self.target}&where=header.seq%20%3E%20120"]
        alone = {target: self.server.ask(target) for target in targets}
        self.assertEqual({reply.status for reply in alone.values()}, {200})
        self.assertGreater(len(alone[self.target].body), 4_000_000)
        with contextlib.ExitStack() as clients:
            asked = [(target, clients.enter_context(self.begin(target)))
                     for target in targets * (PLAYERS // len(targets))]
            time.sleep(WAIT_S)
            for i, (target, client) in enumerate(asked):
                body = self.read(client, WAIT_S if i == 0 else None)
                self.assertTrue(body == alone[target].body, target)


if __name__ == "__main__":
    peers.main()
