#!/usr/bin/env python3
"""What messages say: every message of the real ROS 1 bags as kitbag decodes it and as ROS 1's own
Python does, bit by bit; by the installed class of the type where it is the bag's version, else by
the one that genpy makes of the bag's definition."""

import importlib
import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, need, need_real_bags, program  # noqa: E402

try:
    import genpy
    import rosbag
    from genmsg.msgs import parse_type
except ImportError:
    rosbag = None

AS_THEY_ARE = ("--bytes", "array", "--nan", "string")
FLOATS = {"float32": "<f", "float64": "<d"}
NOT_A_NUMBER = {"NaN", "Infinity", "-Infinity"}


def float_bits(value, form):
    """Of a NaN just that it is one: its bits are not in JSON."""
    number = float(value)
    return "NaN" if number != number else struct.pack(form, number)


def is_same(ours, theirs, type_):
    """Does kitbag's JSON say what the Python value of that ROS type is?"""
    base, is_list, _ = parse_type(type_)
    if is_list:
        return len(ours) == len(theirs) and all(
            is_same(a, b, base) for a, b in zip(ours, theirs, strict=True))
    if base in FLOATS:
        if isinstance(ours, str) and ours not in NOT_A_NUMBER:
            return False
        return float_bits(ours, FLOATS[base]) == float_bits(theirs, FLOATS[base])
    if base in ("time", "duration"):
        return ours == {"sec": theirs.secs, "nsec": theirs.nsecs}
    if isinstance(theirs, genpy.Message):
        return is_same_message(ours, theirs)
    return ours == theirs


def is_same_message(ours, theirs):
    return list(ours) == list(theirs.__slots__) and all(
        is_same(ours[name], getattr(theirs, name), type_)
        for name, type_ in zip(theirs.__slots__, theirs._slot_types, strict=True))


def installed_class(datatype, md5sum):
    """The class of Debian's package, if there is one and it is that version."""
    package, name = datatype.split("/")
    try:
        found = getattr(importlib.import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError):
        return None
    return found if found._md5sum == md5sum else None


def decoded_by_python(bag):
    """{(topic, time): [message]}, and the types that installed classes have decoded."""
    messages, by_package = {}, set()
    with rosbag.Bag(str(bag)) as opened:
        for topic, (datatype, data, md5sum, _, made), time in opened.read_messages(raw=True):
            installed = installed_class(datatype, md5sum)
            if installed:
                by_package.add(datatype)
            message = (installed or made)()
            message.deserialize(data)
            messages.setdefault((topic, time.to_nsec()), []).append(message)
    return messages, by_package


class PythonMessages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(rosbag, "python3-rosbag is not installed")

    def compare(self, bag):
        """How many messages were compared, and the types that have a package."""
        theirs, by_package = decoded_by_python(bag)
        count = 0
        for line in kitbag("cat", bag, *AS_THEY_ARE).splitlines():
            ours = json.loads(line)
            # Those of one time come in any order.
            those = theirs[ours["topic"], ours["log_time_ns"]]
            found = next((m for m in those if is_same_message(ours["data"], m)), None)
            self.assertIsNotNone(found, f"{bag}: {line[:300]}")
            those.remove(found)
            count += 1
        self.assertEqual(sum(map(len, theirs.values())), 0)
        return count, by_package

    def test_the_simulated_robot(self):
        with tempfile.TemporaryDirectory() as folder:
            bag = Path(folder) / "robot.bag"
            kitbag("convert", "-f", "demo://?seconds=3&seed=7", bag)
            count, by_package = self.compare(bag)
        self.assertGreater(count, 600)
        self.assertLessEqual({"nav_msgs/Odometry", "sensor_msgs/PointCloud2",
                              "sensor_msgs/LaserScan", "tf2_msgs/TFMessage"}, by_package)

    def test_the_real_bags(self):
        need_real_bags()
        count = 0
        for bag in sorted(peers.REAL_BAGS.glob("v2.0_*.bag")):
            if subprocess.run([program(), "check", bag], capture_output=True).returncode != 0:
                continue  # damaged, or encrypted: other tests' business
            with self.subTest(bag.name):
                count += self.compare(bag)[0]
        self.assertGreater(count, 10_000)

    def test_a_difference_is_seen(self):
        import std_msgs.msg as std
        self.assertTrue(is_same_message({"data": 0.1}, std.Float32(0.1)))
        self.assertFalse(is_same_message({"data": 0.10000001}, std.Float32(0.1)))
        self.assertFalse(is_same_message({"data": 0.1}, std.Float64(float.fromhex("0x1p-3"))))
        self.assertFalse(is_same_message({"data": -0.0}, std.Float64(0.0)))
        self.assertTrue(is_same_message({"data": "NaN"}, std.Float64(float("nan"))))
        self.assertFalse(is_same_message({"data": "b"}, std.String("a")))


if __name__ == "__main__":
    peers.main()
