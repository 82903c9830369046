#!/usr/bin/env python3
"""Bags and views that are served, read by npm's @mcap/core and @foxglove/rosbag by HTTP ranges."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import peers  # noqa: E402
from peers import kitbag, kitbag_digest, need, run_json  # noqa: E402
from server import Server  # noqa: E402

DEMO = "demo://?seconds=6&seed=5"


def digests(found):
    return {(topic, type_): rest for topic, type_, *rest in found["topics"]}


class OverHttp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(shutil.which("node"), "node is not installed")
        need((HERE / "node_modules").is_dir(), "the npm readers are not there: npm ci in "
             "tests/interop brings them")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        (cls.folder / "bags").mkdir()
        for name, *options in (("a.bag", "--compression", "lz4"),
                               ("z.mcap", "--compression", "zstd"), ("s.db3",)):
            kitbag("convert", DEMO, cls.folder / "bags" / name, *options)
        cls.server = Server(cls.folder / "bags", "--cache-dir", cls.folder / "cache")
        cls.addClassCleanup(cls.server.end)
        cls.start = cls.server.list()[0]["start_time"]

    def url(self, target):
        return f"http://{self.server.host}{target}"

    def read(self, script, target, *mode):
        url = self.url(target)
        return run_json("node", HERE / script, *mode, url)[url]

    def expect(self, found, bag, *options):
        expected = kitbag_digest(self.folder / "bags" / bag, *options)
        self.assertGreater(sum(count for count, _ in expected.values()), 0)
        self.assertEqual(digests(found), expected)

    def test_a_download_of_a_bag(self):
        self.expect(self.read("read_bag.mjs", "/bags/a.bag/download/a.bag"), "a.bag")

    def test_a_download_of_an_mcap_file(self):
        self.expect(self.read("read_mcap.mjs", "/bags/z.mcap/download/z.mcap", "indexed"), "z.mcap")

    def test_views_of_every_format(self):
        for bag in ("a.bag", "z.mcap", "s.db3"):
            with self.subTest(bag):
                found = self.read("read_mcap.mjs", f"/view/{bag}.mcap", "indexed")
                self.expect(found, bag)

    def test_views_of_a_part(self):
        start, end = self.start + 1.5, self.start + 4.25
        for bag in ("a.bag", "z.mcap"):
            for topics in ("", "/odom,/tf*"):
                with self.subTest(bag=bag, topics=topics):
                    query = f"start={start:.9f}&end={end:.9f}&topics={topics}"
                    found = self.read("read_mcap.mjs", f"/view/{bag}.mcap?{query}", "indexed")
                    selected = ["--topics", *topics.split(",")] if topics else []
                    self.expect(found, bag, "--start", f"{start:.9f}", "--end", f"{end:.9f}",
                                *selected)

    def test_a_view_in_another_encoding(self):
        found = self.read("read_mcap.mjs", "/view/a.bag.mcap?encoding=cdr", "indexed")
        kitbag("convert", self.folder / "bags" / "a.bag", self.folder / "cdr.mcap", "--encoding",
               "cdr")
        self.assertEqual(digests(found), kitbag_digest(self.folder / "cdr.mcap"))
        self.assertEqual(found["header"]["profile"], "ros2")

    def test_the_links_of_the_list(self):
        for bag in self.server.list():
            url = bag["view_url"]
            found = run_json("node", HERE / "read_mcap.mjs", "indexed", url)[url]
            self.assertEqual(found["statistics"]["messages"], bag["messages"])


if __name__ == "__main__":
    peers.main()
