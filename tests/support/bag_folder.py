"""A folder of bags and `kitbag serve` on it, for tests of the Bag API."""

import json
import re
import tempfile
import unittest
from pathlib import Path

from peers import kitbag
from server import Server

DEMO = "demo://?seconds=4&seed=3"
MONTH = 2592000  # in seconds: how long answers about a complete bag may be cached


def cat(bag, *options):
    """[(topic, log time in ns, data)] as `kitbag cat` prints it."""
    rows = [json.loads(line) for line in kitbag("cat", bag, *options).splitlines()]
    return [(row["topic"], row["log_time_ns"], row.get("data")) for row in rows]


def stamp_ns(body):
    """The stamps of a body, exactly: a double has too few digits."""
    return [int(seconds) * 10**9 + int(nanoseconds)
            for seconds, nanoseconds in re.findall(rb'"__stamp":(\d+)\.(\d{9})', body)]


def plain(message):
    return {key: value for key, value in message.items()
            if key not in ("topic", "__stamp", "__latched")}


class OwnFolder(unittest.TestCase):
    """Each test has a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()


class InFolder(unittest.TestCase):
    """Bags in a folder, and a server of it."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.fill()
        cls.server = Server(cls.folder, *cls.options)
        cls.addClassCleanup(cls.server.end)

    options = ()

    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.folder / "a.bag", "--encoding", "ros1")

    def metadata(self, name):
        reply = self.server.ask(f"/bags/{name}/player")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def slice(self, name, begin, end, more=""):
        reply = self.server.ask(f"/bags/{name}/player?start_time={begin}&end_time={end}{more}")
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(reply.headers["Content-Type"], "application/json")
        reply.messages = reply.json()["messages"]
        return reply

    def whole(self, name, more=""):
        known = self.metadata(name)
        begin, end = known["start_time"], known["end_time"]
        return self.slice(name, begin, end + (begin == end), more)
