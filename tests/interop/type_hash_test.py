#!/usr/bin/env python3
"""MD5 sums and type hashes that kitbag computes, against those that real bags and ROS publish."""

import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import make_bag  # noqa: E402
import peers  # noqa: E402
from peers import kitbag, program, run  # noqa: E402

RECORDED = (peers.ROOT.parent / "shared" / "data" / "mcap" / "ros2+rosbag2" / "rosbag2_cpp" / "test"
            / "rosbag2_cpp" / "bags" / "topics_and_services.mcap")
# As docs.ros.org and every Jazzy system have them.
PUBLISHED = {
    "std_msgs/msg/String":
        "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18",
    "geometry_msgs/msg/Vector3":
        "RIHS01_cc12fe83e4c02719f1ce8070bfd14aecd40f75a96696a67a2a1f37f7dbb0765d",
}
DEFINITIONS = {"std_msgs/String": "string data\n",
               "geometry_msgs/Vector3": "float64 x\nfloat64 y\nfloat64 z\n"}


def channels(bag):
    return json.loads(kitbag("info", bag, "--json"))["channels"]


def hashes(bag):
    return {channel["type"]: channel["metadata"].get("topic_type_hash") for channel in
            channels(bag)}


class Sums(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def test_hashes_as_they_were_recorded(self):
        peers.need_data(RECORDED)
        middle, back = self.folder / "middle.mcap", self.folder / "back.mcap"
        kitbag("convert", "-f", RECORDED, middle, "--encoding", "json")
        kitbag("convert", "-f", middle, back, "--encoding", "cdr")
        self.assertEqual(len(hashes(RECORDED)), 4)
        self.assertEqual(hashes(back), hashes(RECORDED))

    def test_hashes_as_they_are_published(self):
        self.assertEqual(PUBLISHED.keys(), {f"{a}/msg/{b}" for a, b in
                                            (name.split("/") for name in DEFINITIONS)})
        for name, text in DEFINITIONS.items():
            with self.subTest(name):
                bag, out = self.folder / "one.bag", self.folder / "one.mcap"
                make_bag.make_bag(bag, messages=1, topics=["/a"])
                folder = self.folder / "definitions" / name.split("/")[0] / "msg"
                folder.mkdir(parents=True, exist_ok=True)
                (folder / f"{name.split('/')[1]}.msg").write_text(text)
                rules = self.folder / "rules.yaml"
                rules.write_text(f"types: {{std_msgs/String: {name}}}\n")
                kitbag("convert", "-f", bag, out, "--encoding", "cdr", "--to-definitions",
                       self.folder / "definitions", "--migrate", rules)
                self.assertEqual(hashes(out), {name.replace("/", "/msg/"):
                                               PUBLISHED[name.replace("/", "/msg/")]})

    def test_md5_sums_as_they_were_recorded(self):
        peers.need_real_bags()
        seen = 0
        for bag in sorted(peers.REAL_BAGS.glob("v2*.bag")):
            if "md5" in run(program(), "check", bag, code=None).lower():
                self.fail(f"{bag.name}: an MD5 sum is not that of its text")
            seen += 1
        self.assertGreater(seen, 10)


if __name__ == "__main__":
    peers.main()
