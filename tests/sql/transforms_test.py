#!/usr/bin/env python3
"""The tables `tf` and `tf_lookup` of `kitbag sql` from the messages of Foxglove: FrameTransform and
FrameTransforms, in protobuf and JSON."""

import json
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import make_bag  # noqa: E402
import mcap_file  # noqa: E402
import peers  # noqa: E402
from peers import kitbag  # noqa: E402

START_NS = 10**18
PERIOD_NS = 10**8
PARTS = """
================================================================================
MSG: foxglove/Vector3
float64 x
float64 y
float64 z
================================================================================
MSG: foxglove/Quaternion
float64 x
float64 y
float64 z
float64 w
"""
ONE = """time timestamp
string parent_frame_id
string child_frame_id
foxglove/Vector3 translation
foxglove/Quaternion rotation
"""
MANY = ("foxglove/FrameTransform[] transforms\n" + "=" * 80 + "\nMSG: foxglove/FrameTransform\n"
        + ONE + PARTS)


def number(name):
    return {name: {"type": "number"}}


def json_schema(title):
    """As Foxglove publishes it."""
    transform = {"title": "foxglove.FrameTransform", "type": "object", "properties": {
        "timestamp": {"type": "object", "title": "time", "properties": {
            "sec": {"type": "integer", "minimum": 0},
            "nsec": {"type": "integer", "minimum": 0, "maximum": 999999999}}},
        "parent_frame_id": {"type": "string"}, "child_frame_id": {"type": "string"},
        "translation": {"title": "foxglove.Vector3", "type": "object",
                        "properties": number("x") | number("y") | number("z")},
        "rotation": {"title": "foxglove.Quaternion", "type": "object",
                     "properties": number("x") | number("y") | number("z") | number("w")}}}
    if title == "foxglove.FrameTransform":
        return json.dumps(transform)
    return json.dumps({"title": title, "type": "object", "properties": {
        "transforms": {"type": "array", "items": transform}}})


def moved(i):
    """The base, 0.5 further each time, and the laser on it."""
    return [("map", "base", START_NS + i * PERIOD_NS, i / 2), ("base", "laser", START_NS, 0.25)]


def in_ros1(parent, child, stamp_ns, x):
    def text(value):
        return struct.pack("<I", len(value)) + value.encode()
    return (struct.pack("<II", *divmod(stamp_ns, 10**9)) + text(parent) + text(child)
            + struct.pack("<7d", x, 0, 0, 0, 0, 0, 1))


def in_json(parent, child, stamp_ns, x):
    sec, nsec = divmod(stamp_ns, 10**9)
    return {"timestamp": {"sec": sec, "nsec": nsec}, "parent_frame_id": parent,
            "child_frame_id": child, "translation": {"x": x, "y": 0, "z": 0},
            "rotation": {"x": 0, "y": 0, "z": 0, "w": 1}}


def make_json(path):
    file = mcap_file.McapFile(path)
    one, many = (file.channel(topic, "json", f"foxglove.{name}", "jsonschema",
                              json_schema(f"foxglove.{name}"))
                 for topic, name in (("/one", "FrameTransform"), ("/many", "FrameTransforms")))
    for i in range(5):
        base, laser = moved(i)
        file.message(one, base[2], json.dumps(in_json(*base)).encode())
        file.message(many, base[2], json.dumps({"transforms": [in_json(*laser)] * 2}).encode())
    file.close()


def make_ros1(path):
    file = make_bag.BagFile(path)
    one = file.connection("/one", "foxglove/FrameTransform", definition=ONE + PARTS)
    many = file.connection("/many", "foxglove/FrameTransforms", definition=MANY)
    messages = []
    for i in range(5):
        base, laser = moved(i)
        messages.append((one, base[2], in_ros1(*base)))
        messages.append((many, base[2], struct.pack("<I", 2) + in_ros1(*laser) * 2))
    file.add_chunk(messages)
    file.close()


class FoxgloveTransforms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def rows(self, bag, query):
        return [tuple(row.values())
                for row in json.loads(kitbag("sql", "--format", "json", query, bag))]

    def check(self, bag):
        rows = self.rows(bag, "SELECT time, stamp, parent, child, x, qw, is_static, topic FROM tf "
                              "ORDER BY time, topic")
        expected = []
        for i in range(5):
            base, laser = moved(i)
            for topic, each in (("/many", laser), ("/many", laser), ("/one", base)):
                parent, child, stamp, x = each
                expected.append((base[2], stamp, parent, child, x, 1, 0, topic))
        self.assertEqual(rows, expected)
        self.assertEqual(self.rows(bag, "SELECT count(*) FROM tf WHERE topic = '/one' OR x = 0.25"),
                         [(15,)])
        self.assertEqual(self.rows(bag, "SELECT x FROM tf_lookup('map', 'base', "
                                        f"{START_NS + PERIOD_NS * 3 // 2})"), [(0.75,)])

    def test_json(self):
        make_json(self.folder / "json.mcap")
        self.check(self.folder / "json.mcap")

    def test_protobuf(self):
        make_ros1(self.folder / "ros1.bag")
        bag = self.folder / "protobuf.mcap"
        kitbag("convert", self.folder / "ros1.bag", bag, "--encoding", "protobuf")
        self.assertEqual(self.rows(bag, "SELECT DISTINCT type, encoding FROM topics ORDER BY type"),
                         [("foxglove.FrameTransform", "protobuf"),
                          ("foxglove.FrameTransforms", "protobuf")])
        self.check(bag)


if __name__ == "__main__":
    peers.main()
