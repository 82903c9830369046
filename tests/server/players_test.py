#!/usr/bin/env python3
"""Many players at once: each gets what one that is alone gets, also when it reads slowly, and a
compressed chunk that several need is decoded for all of them."""

import contextlib
import http.client
import re
import socket
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from make_bag import BagFile, stamp, u32  # noqa: E402
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


def make_bag_with_wrong_times(path):
    """In the index, every second chunk ends too early, or begins and ends too late."""
    start, second = 1_700_000_000 * 10**9, 10**9
    bag = BagFile(path)
    channels = [bag.connection(topic, "std_msgs/String") for topic in ("/right", "/wrong")]
    for i in range(12):
        begin = start + i * second
        for channel in channels:
            text = f"{i} {'right or wrong' * 1000}".encode()
            times = [begin + k * second // 20 + channel for k in range(20)]
            bag.add_chunk([(channel, time, u32(len(text)) + text) for time in times])
            if channel == channels[0]:
                continue
            if i % 2:
                changes = [("end", times[-1], begin + 1)]
            else:
                changes = [(name, time, time + 2 * second)
                           for name, time in (("start", times[0]), ("end", times[-1]))]
            for name, old, new in changes:
                field = f"{name}_time=".encode()
                bag.change_last_info(field + stamp(old), field + stamp(new))
    bag.close()


def make_bag_with_broken_messages(path):
    """Every tenth message promises more bytes than there are."""
    start, step = 1_700_000_000 * 10**9, 10**7
    bag = BagFile(path)
    channel = bag.connection("/text", "std_msgs/String")
    for chunk in range(20):
        messages = []
        for i in range(chunk * 20, chunk * 20 + 20):
            text = f"{i} {'some words ' * 2000}".encode()
            size = len(text) + (1 if i % 10 == 0 else 0)
            messages.append((channel, start + i * step, u32(size) + text))
        bag.add_chunk(messages)
    bag.close()


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
        make_bag_with_wrong_times(f"{folder.name}/bags/wrong.bag")
        make_bag_with_broken_messages(f"{folder.name}/bags/broken.bag")
        kitbag("convert", f"{folder.name}/bags/broken.bag", f"{folder.name}/bags/broken.db3")
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

    def check(self, targets, players=PLAYERS):
        alone = {target: self.server.ask(target) for target in targets}
        self.assertEqual({reply.status for reply in alone.values()}, {200})
        self.assertGreater(len(alone[targets[0]].body), 4_000_000)
        with contextlib.ExitStack() as clients:
            asked = [(target, clients.enter_context(begin(self.server, target, 16 << 10)))
                     for target in targets * (players // len(targets))]
            time.sleep(WAIT_S)
            for i, (target, client) in enumerate(asked):
                body = self.read(client, WAIT_S if i == 0 else None)
                self.assertTrue(body == alone[target].body, target)

    def test_each_gets_the_same_as_one_alone(self):
        self.check([self.target, f"{self.target}&topics=/imu,/other", f"{self.target}&limit=150",
                    f"{self.target}&state=all",
                    f"{self.target}&where=header.seq%20%3E%20120"])

    def test_chunks_whose_times_are_wrong(self):
        target = "/bags/wrong.bag/player?start_time=1700000001&end_time=1700000011"
        whole = self.server.ask(target)
        self.assertIn("holds messages outside the time range", whole.json()["damage"][0])
        self.check([target, f"{target}&topics=/wrong"], 8)


    def test_what_cannot_be_decoded_is_counted_once(self):
        for bag in "broken.bag", "broken.db3":
            target = f"/bags/{bag}/search?text=words&limit=1000"
            with self.subTest(bag):
                self.assertIn("/text: 40 messages cannot be decoded",
                              self.server.ask(target).json()["damage"][0])
                self.check([target], 8)


class WaitingPlayers(unittest.TestCase):
    MESSAGE_BYTES = 1 << 20
    PLAYERS = 30

    def memory(self, server):
        text = Path(f"/proc/{server.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024

    def test_each_holds_what_it_has_not_taken_and_nothing_else(self):
        start, second = 1_700_000_000 * 10**9, 10**9
        with tempfile.TemporaryDirectory() as folder:
            bag = BagFile(f"{folder}/a.bag")
            channel = bag.connection("/text", "std_msgs/String")
            for i in range(8):
                payload = u32(self.MESSAGE_BYTES) + b"x" * self.MESSAGE_BYTES
                bag.add_chunk([(channel, start + i * second, payload)])
            bag.close()
            target = "/bags/a.bag/player?start_time=1700000000&end_time=1700000007"
            with Server(folder) as server, contextlib.ExitStack() as clients:
                held = []
                for _ in range(2):  # the first ones also fill what all share
                    for _ in range(self.PLAYERS):
                        client = clients.enter_context(begin(server, target, 16 << 10))
                        self.assertTrue(client.recv(1000))
                    time.sleep(WAIT_S)
                    held.append(self.memory(server))
                each = (held[1] - held[0]) / self.PLAYERS
                self.assertLess(each, 1.5 * self.MESSAGE_BYTES)


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

    def test_a_chunk_that_many_need_is_decoded_for_all(self):
        for bag in ("a.mcap", "b.bag"):
            with self.subTest(bag):
                (alone,), wanted = self.play(bag, 1)
                self.assertGreater(alone.count(b"__stamp"), 10)
                self.assertGreater(wanted["kitbag_chunks_loaded_total"], 2)
                bodies, counts = self.play(bag, SHARING_PLAYERS)
                self.assertEqual(set(bodies), {alone})
                # Not always once: reading ahead for so many may push a kept chunk out.
                self.assertLess(counts["kitbag_chunks_loaded_total"],
                                wanted["kitbag_chunks_loaded_total"] * SHARING_PLAYERS / 10)
                self.assertGreater(counts["kitbag_chunks_shared_total"], SHARING_PLAYERS)
                self.assertGreater(counts["kitbag_chunks_awaited_total"], 0)
                self.assertGreater(counts["kitbag_chunks_kept_bytes"], 0)


if __name__ == "__main__":
    peers.main()
