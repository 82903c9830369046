#!/usr/bin/env python3
"""Every real bag of version 2.0 in the collection: counts as in its manifest and in real rosbag."""

import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
import ros1  # noqa: E402
from peers import REAL_BAGS, digest, kitbag, kitbag_digest, need_real_bags  # noqa: E402

VERSION = b"#ROSBAG V2.0"
COUNT = re.compile(r"(\S+)\(([^)]+)\)=(\d+)")


def manifest():
    with open(REAL_BAGS / "MANIFEST.tsv", newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t")
                if row["version line"].encode() == VERSION and row["messages"]]


def bags():
    return [bag for bag in sorted(REAL_BAGS.rglob("*.bag*")) if bag.read_bytes()[:12] == VERSION]


def counts(info):
    """{(topic, type): messages} of `kitbag info --json` or of rosbag's own."""
    found = {}
    for channel in info["channels"]:
        key = (channel["topic"], channel["type"])
        found[key] = found.get(key, 0) + channel["messages"]
    return found


def info_of(bag):
    return peers.run_json(peers.program(), "info", bag, "--json")


def kitbag_result(*arguments):
    """(exit code, standard output, standard error)"""
    done = subprocess.run([peers.program(), *map(str, arguments)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Manifest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_real_bags()

    def test_counts(self):
        rows = manifest()
        self.assertGreater(len(rows), 10)
        for row in rows:
            with self.subTest(row["file"]):
                info = info_of(REAL_BAGS / row["file"])
                expected = {(topic, type_): int(count)
                            for topic, type_, count in COUNT.findall(row["topics(type)=count"])}
                self.assertEqual(counts(info), expected)
                self.assertEqual(info["messages"], int(row["messages"]))
                self.assertEqual(info["chunks"], int(row["chunks"]))
                self.assertEqual(info["size_bytes"], int(row["size"]))
                self.assertEqual((info["format"], info["version"]), ("rosbag", "2.0"))

    def test_agrees_with_the_real_rosbag(self):
        ros1.need_rosbag()
        readable = 0
        for bag in bags():
            with self.subTest(bag.name):
                try:
                    theirs = ros1.info(bag)
                except ros1.rosbag.ROSBagException:
                    continue  # cut off or unindexed: tested below
                readable += 1
                ours = info_of(bag)
                self.assertEqual(ours["messages"], theirs.get("messages", 0))
                self.assertEqual(by_topic(ours["channels"]), by_topic(theirs.get("topics", [])))
                self.assertEqual(kitbag_digest(bag), digest(ros1.messages(bag)))
        self.assertGreater(readable, 12)

    def test_sound_bags_check(self):
        unsorted = ("rosbag.js_example_2dee46e1", "rosbag.js_example-unsorted-chunks")
        for row in manifest():
            with self.subTest(row["file"]):
                code, out, _ = kitbag_result("check", REAL_BAGS / row["file"])
                findings = out.splitlines()[:-1]
                if any(name in row["file"] for name in unsorted):
                    self.assertEqual((code, len(findings)), (0, 1), out)
                    self.assertRegex(findings[0], r"\Anote: .* comes? after later ones")
                elif "empty-message-definition" in row["file"]:  # the real one warns of it too
                    self.assertEqual((code, len(findings)), (1, 1), out)
                    self.assertIn("the definition of its type", findings[0])
                else:
                    self.assertEqual(code, 0, out)


def by_topic(channels):
    found = {}
    for channel in channels:
        found[channel["topic"]] = found.get(channel["topic"], 0) + channel["messages"]
    return found


class Damaged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_real_bags()
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def assert_read_with_warning(self, bag, code=0):
        read, out, err = kitbag_result("info", bag)
        self.assertEqual(read, code, err)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn(bag.name, err)
        self.assertEqual(kitbag_result("info", "--strict", bag)[0], 2)
        self.assertEqual(kitbag_result("check", bag)[0], 1)

    def reindexed(self, bag):
        """How many messages real `rosbag reindex` finds."""
        copy = self.folder / f"{bag.stem}.bag"
        shutil.copy(bag, copy)
        peers.run("rosbag", "reindex", copy)
        return len(ros1.messages(copy))

    def test_cut_off_in_the_first_chunk(self):
        bag = REAL_BAGS / "derived" / "v2.0_truncated_first_chunk.bag"
        self.assert_read_with_warning(bag, code=1)
        info = json.loads(kitbag("info", bag, "--json", code=1))
        self.assertFalse(info["indexed"])
        self.assertGreater(info["messages"], 0)

    def test_killed_while_recording(self):
        ros1.need_rosbag()
        bag = REAL_BAGS / "derived" / "v2.0_kill9_chunksize4k.bag.active"
        self.assert_read_with_warning(bag)
        self.assertGreaterEqual(info_of(bag)["messages"], self.reindexed(bag))

    def test_cut_off_in_the_file_header(self):
        bag = next(REAL_BAGS.glob("v2.0_webviz_invalid_*.bag"))
        code, _, err = kitbag_result("info", bag)
        self.assertEqual(code, 2)
        self.assertRegex(err, rf"{bag.name}.*\b(cut off|ends|truncated)")

    def test_empty_file(self):
        bag = next(REAL_BAGS.glob("vempty_*.bag"))
        for verb, expected in (("info", 0), ("cat", 0), ("check", 1)):
            code, out, err = kitbag_result(verb, bag)
            self.assertEqual(code, expected, verb)
            self.assertIn("empty", out + err)


if __name__ == "__main__":
    peers.main()
