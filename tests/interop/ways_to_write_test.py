#!/usr/bin/env python3
"""Whatever way a bag is written, directly or not, compressed by one thread or many, in batches or
in pieces: the real peers read it, and find the same."""

import hashlib
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import make_bag  # noqa: E402
import peers  # noqa: E402
import ros1  # noqa: E402
from examples import build_example  # noqa: E402
from peers import digest, kitbag, kitbag_digest, need, run, run_json  # noqa: E402

WAYS = ("direct", "buffered", "auto")
COMPRESSIONS = {".bag": ("none", "lz4", "bz2"), ".mcap": ("none", "lz4", "zstd"),
                ".db3": ("none", "zstd")}
THREADS = (1, 3)
START_S = 1_700_000_000


def read_by_npm(bag):
    if bag.suffix == ".bag":
        found = [run_json("node", HERE / "read_bag.mjs", bag)]
    else:
        found = [run_json("node", HERE / "read_mcap.mjs", mode, bag)
                 for mode in ("indexed", "stream")]
    return [{(topic, type_): rest for topic, type_, *rest in each[str(bag)]["topics"]}
            for each in found]


class Ways(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ros1.need_rosbag()
        need(shutil.which("node"), "node is not installed")
        need((HERE / "node_modules").is_dir(), "the npm readers are not there: npm ci in "
             "tests/interop brings them")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.recorder = build_example("record-images", cls.folder / "example") / "record-images"

    def record(self, name, way, count=12):
        target = self.folder / name
        run(self.recorder, target, count, way)
        return target

    def assert_peers_find(self, bag, expected):
        if bag.suffix == ".db3":
            return
        for found in read_by_npm(bag):
            self.assertEqual(found, expected, bag)
        if bag.suffix == ".bag":
            self.assertEqual(digest(ros1.messages(bag)), expected, bag)

    def test_the_bytes_are_the_same_in_every_way(self):
        small = self.folder / "small.bag"
        make_bag.make_bag(small, messages=3000, start_ns=START_S * 10**9)
        large = self.record("large.bag", "buffered", 6)
        source = self.folder / "source.bag"
        kitbag("convert", "-f", small, large, source)
        expected = kitbag_digest(source)
        self.assertEqual(sum(count for count, _ in expected.values()), 3012)
        for suffix, compressions in COMPRESSIONS.items():
            for compression in compressions:
                written = {}
                for way in WAYS:
                    for threads in THREADS if compression != "none" else THREADS[:1]:
                        # A file of SQLite says its own name.
                        target = self.folder / f"{compression}_{way}_{threads}" / f"bag{suffix}"
                        target.parent.mkdir(exist_ok=True)
                        kitbag("convert", "-f", source, target, "--compression", compression,
                               "--io", way, "--threads", threads)
                        content = target.read_bytes()
                        written.setdefault(hashlib.sha256(content).hexdigest(), target)
                with self.subTest(suffix=suffix, compression=compression):
                    self.assertEqual(len(written), 1, written)
                    target = next(iter(written.values()))
                    kitbag("check", target)
                    self.assertEqual(kitbag_digest(target), expected)
                    self.assert_peers_find(target, expected)

    def test_messages_in_pieces_are_read_by_everybody(self):
        expected = kitbag_digest(self.record("buffered.bag", "buffered"))
        for suffix in (".bag", ".mcap"):
            bag = self.record(f"direct{suffix}", "direct")
            with self.subTest(bag.name):
                kitbag("check", bag)
                self.assertEqual(kitbag_digest(bag), expected)
                self.assert_peers_find(bag, expected)


if __name__ == "__main__":
    peers.main()
