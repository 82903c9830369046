#!/usr/bin/env python3
"""Many players at once: each gets what one that is alone gets, also when it reads slowly, and a
compressed chunk that several need is decoded once."""

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
SHARING_PLAYERS = 120
WAIT_S = 1.5  # longer than the server holds what a client that waits may need


def begin(server, target, receive_bytes=None):
    """Asks and does not read; with a buffer of `receive_bytes`."""
    host, _, port = server.host.partition(":")
    client = socket.socket()
    if receive_bytes:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    client.settimeout(60)
    client.connect((host, int(port)))
    client.sendall(f"GET {target} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
    return client


class SlowPlayers(unittest.TestCase):
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
            asked = [(target, clients.enter_context(begin(self.server, target, 16 << 10)))
                     for target in targets * (PLAYERS // len(targets))]
            time.sleep(WAIT_S)
            for i, (target, client) in enumerate(asked):
                body = self.read(client, WAIT_S if i == 0 else None)
                self.assertTrue(body == alone[target].body, target)


class SharedChunks(unittest.TestCase):
    """A slice whose chunks are large and whose answer is small: the players meet in the decoder."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.bags = Path(folder.name)
        kitbag("convert", "demo://?seconds=20&seed=3", cls.bags / "a.mcap", "--compression", "zstd",
               "--chunk-size", "8MB")
        kitbag("convert", cls.bags / "a.mcap", cls.bags / "b.bag", "--encoding", "ros1",
               "--compression", "lz4", "--chunk-size", "8MB")

    def play(self, bag, players):
        """What each got of a server that has no chunk in memory yet; its counts of chunks."""
        with Server(self.bags) as server:
            known = server.ask(f"/bags/{bag}/player").json()
            target = (f"/bags/{bag}/player?start_time={known['start_time'] + 1}"
                      f"&end_time={known['end_time']}&topics=/battery")
            with contextlib.ExitStack() as clients:
                asked = [clients.enter_context(begin(server, target)) for _ in range(players)]
                bodies = [self.read(client) for client in asked]
            lines = server.ask("/metrics").body.decode().splitlines()
        counts = {name: int(value) for name, _, value in (line.partition(" ") for line in lines)
                  if name.startswith("kitbag_chunks_")}
        return bodies, counts

    @staticmethod
    def read(client):
        reply = http.client.HTTPResponse(client)
        reply.begin()
        return reply.read()

    def test_a_chunk_that_many_need_is_decoded_once(self):
        for bag in ("a.mcap", "b.bag"):
            with self.subTest(bag):
                (alone,), wanted = self.play(bag, 1)
                self.assertGreater(alone.count(b"__stamp"), 10)
                self.assertGreater(wanted["kitbag_chunks_loaded_total"], 2)
                bodies, counts = self.play(bag, SHARING_PLAYERS)
                self.assertEqual(set(bodies), {alone})
                self.assertEqual(counts["kitbag_chunks_loaded_total"],
                                 wanted["kitbag_chunks_loaded_total"])
                self.assertGreater(counts["kitbag_chunks_shared_total"], SHARING_PLAYERS)
                self.assertGreater(counts["kitbag_chunks_awaited_total"], 0)
                self.assertGreater(counts["kitbag_chunks_kept_bytes"], 0)


if __name__ == "__main__":
    peers.main()
