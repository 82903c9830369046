#!/usr/bin/env python3
"""An encoding from outside of the tree: built against what is installed, loaded by the program."""

import base64
import json
import math
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import REAL_BAGS, kitbag, need, need_real_bags, program  # noqa: E402
from examples import build_plugin  # noqa: E402

try:
    import cbor2
except ImportError:
    cbor2 = None

# RFC 8746: how elements of a typed array are packed, by its tag.
ARRAYS = {64: "B", 69: "<H", 70: "<I", 71: "<Q", 72: "b", 77: "<h", 78: "<i", 79: "<q",
          85: "<f", 86: "<d"}


def plain(value):
    """What cbor2 gives as `cat --bytes array --nan string` prints it."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, bytes):
        return list(value)
    if isinstance(value, cbor2.CBORTag):
        return [plain(each) for each, in struct.iter_unpack(ARRAYS[value.tag], value.value)]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def close(ours, theirs):
    """Equal, floats to the seven digits that a float32 is printed with."""
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(close(ours[k], theirs[k]) for k in ours)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(close, ours, theirs))
    if isinstance(ours, float) and isinstance(theirs, (float, int)):
        return ours == theirs or math.isclose(ours, theirs, rel_tol=1e-7)
    return ours == theirs


class CborTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.plugin = build_plugin("cbor", cls.folder)
        cls.robot = cls.folder / "robot.bag"
        kitbag("convert", "-f", "demo://?seconds=1&seed=7", cls.robot)

    def with_cbor(self, *arguments, **more):
        return kitbag(*arguments, "--plugin", self.plugin, **more)

    def converted(self, bag, name):
        self.with_cbor("convert", "-f", bag, self.folder / name, "--encoding", "cbor")
        return self.folder / name

    def test_it_goes_there_and_back(self):
        back = self.folder / "back.bag"
        self.with_cbor("convert", self.converted(self.robot, "there.mcap"), back, "--encoding",
                       "ros1")
        self.assertIn("hold the same", kitbag("diff", self.robot, back))

    def test_every_real_bag_survives_it(self):
        need_real_bags()
        count = 0
        for bag in sorted(REAL_BAGS.glob("v2.0_*.bag")):
            there, back = self.folder / "real.mcap", self.folder / "real.bag"
            done = subprocess.run([program(), "convert", "-f", bag, there, "--encoding", "cbor",
                                   "--plugin", self.plugin, "--on-error", "raw"],
                                  capture_output=True)
            if done.returncode != 0:
                continue  # damaged, or encrypted: other tests' business
            self.with_cbor("convert", "-f", there, back, "--encoding", "ros1", "--on-error", "raw")
            self.assertIn("hold the same", kitbag("diff", bag, back), bag)
            count += 1
        self.assertGreater(count, 3)

    def test_another_reader_of_cbor_reads_the_same(self):
        need(cbor2, "python3-cbor2 is not installed")
        bag = self.converted(self.robot, "robot.mcap")
        options = ["--bytes", "array", "--nan", "string"]
        decoded = self.with_cbor("cat", bag, *options).splitlines()
        opaque = kitbag("cat", bag).splitlines()  # without the plugin: bytes
        self.assertEqual(len(decoded), 231)
        for ours, theirs in zip(map(json.loads, decoded), map(json.loads, opaque), strict=True):
            payload = cbor2.loads(base64.b64decode(theirs["data_base64"]))
            self.assertTrue(close(ours["data"], plain(payload)), ours["topic"])

    def test_payloads_need_no_schema(self):
        bag = self.folder / "bare.db3"
        kitbag("convert", "-f", self.converted(self.robot, "robot.mcap"), bag)
        with sqlite3.connect(bag) as database:
            database.execute("DELETE FROM message_definitions")
            database.execute("DELETE FROM kitbag_channels")
        options = ["--topics", "/odom", "/scan", "--count", "20", "--fields",
                   "header.stamp,ranges,pose.pose.position.x"]
        rows = [json.loads(line)["data"] for line in self.with_cbor("cat", bag,
                                                                   *options[:-2]).splitlines()]
        known = [json.loads(line)["data"] for line in
                 kitbag("cat", self.robot, *options[:-2]).splitlines()]
        self.assertEqual(len(rows), 20)
        for ours, theirs in zip(rows, known, strict=True):
            self.assertTrue(close(ours, theirs))

    def test_what_others_write_is_read(self):
        need(cbor2, "python3-cbor2 is not installed")
        values = [{"z": 1, "a": [1.5, None, True]}, {"n": -7, "text": "grün", "deep": {"x": [[]]}},
                  {"half": 0.5, "big": 2**64 - 1, "bytes": b"\x01\x02"}, [], "text", 12, None]
        payloads = [cbor2.dumps(value, canonical=True) for value in values]
        payloads += [b"\xbf\x61a\x9f\x01\x02\xff\xff", b"\xd8\x45\x44\x01\x00\x02\x00"]
        values += [{"a": [1, 2]}, [1, 2]]
        bag = self.bag_of(payloads)
        lines = self.with_cbor("cat", bag, "--bytes", "array").splitlines()
        self.assertEqual([json.loads(line)["data"] for line in lines],
                         [plain(value) for value in values])

    def test_damaged_payloads_are_told(self):
        whole = bytes.fromhex("a2616182fb3ff80000000000002061624401020304")
        cut = [whole[:end] for end in range(len(whole))]
        hostile = [b"\x9b" + b"\xff" * 8, b"\x5b\x7f" + b"\xff" * 7, b"\x81" * 5000, b"\xff",
                   b"\xa1\x01\x02", b"\x1c", b"\x5f\x41\x01\xff", whole + b"\x00",
                   b"\x9f" * 300 + b"\xff" * 300, b"\x3b" + b"\xff" * 8]
        for payload in cut + hostile:
            bag = self.bag_of([payload, whole])
            done = subprocess.run([program(), "cat", bag, "--plugin", self.plugin],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, payload)
            self.assertEqual(len(done.stdout.splitlines()), 1, payload)
            self.assertRegex(done.stderr, r"\A[^\n]*/cbor at 1970-01-01T00:00:00[^\n]*\n\Z")
        self.assertIn("kitbag: /cbor at", self.stopped(self.bag_of([cut[9]])))

    def stopped(self, bag):
        done = subprocess.run([program(), "cat", bag, "--plugin", self.plugin, "--on-error",
                               "stop"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        return done.stderr

    def bag_of(self, payloads):
        """A bag of one topic without a schema and these payloads, a second apart."""
        bag = self.folder / "own.db3"
        bag.unlink(missing_ok=True)
        kitbag("filter", "-f", self.robot, bag, "--topics", "/battery")
        with sqlite3.connect(bag) as database:
            for table in ("message_definitions", "kitbag_channels", "messages"):
                database.execute(f"DELETE FROM {table}")
            database.execute("UPDATE topics SET id = 1, name = '/cbor', type = '', "
                             "serialization_format = 'cbor'")
            database.executemany("INSERT INTO messages (topic_id, timestamp, data) "
                                 "VALUES (1, ?, ?)",
                                 [(i * 10**9, payload) for i, payload in enumerate(payloads)])
        return bag


if __name__ == "__main__":
    peers.main()
