#!/usr/bin/env python3
"""Bags written here, read by npm's @foxglove/rosbag."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import make_bag  # noqa: E402
import peers  # noqa: E402
from peers import kitbag, kitbag_digest, need, run_json  # noqa: E402


class ReadByNpm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(shutil.which("node"), "node is not installed")
        need((HERE / "node_modules").is_dir(), "the npm readers are not there: npm ci in "
             "tests/interop brings them")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.source = cls.folder / "source.bag"
        make_bag.make_bag(cls.source, connections=2, latching=True, overlap=True)
        cls.written = {name: cls.folder / f"{name}.bag" for name in ("none", "lz4", "bz2")}
        for compression, out in cls.written.items():
            kitbag("convert", "-f", cls.source, out, "--compression", compression,
                   "--chunk-size", "4kB")
        cls.found = run_json("node", HERE / "read_bag.mjs", cls.source, *cls.written.values())

    def test_same_content(self):
        expected = kitbag_digest(self.source)
        self.assertEqual(sum(count for count, _ in expected.values()), 300)
        for bag in (self.source, *self.written.values()):
            with self.subTest(bag.name):
                topics = self.found[str(bag)]["topics"]
                self.assertEqual({(t, type_): rest for t, type_, *rest in topics}, expected)

    def test_same_channels(self):
        expected = sorted(self.found[str(self.source)]["channels"], key=str)
        self.assertEqual(sum(channel["latching"] is True for channel in expected), 2)
        for bag in self.written.values():
            with self.subTest(bag.name):
                self.assertEqual(sorted(self.found[str(bag)]["channels"], key=str), expected)


if __name__ == "__main__":
    peers.main()
