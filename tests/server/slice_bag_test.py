#!/usr/bin/env python3
"""Slices as .bag files, compared with what rosbag and `kitbag cat` read of the whole bags."""

import json
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag, need  # noqa: E402
from server import Server  # noqa: E402

try:
    import rosbag
except ImportError:
    rosbag = None

DEMO = "demo://?seconds=4&seed=3"
S = 10**9
BEGIN = 1767225600  # of the demo


class SliceBag(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.bags = cls.folder / "bags"
        cls.bags.mkdir()
        kitbag("convert", DEMO, cls.bags / "one.bag", "--encoding", "ros1")
        kitbag("convert", DEMO, cls.bags / "two.mcap", "--encoding", "cdr")
        whole = (cls.bags / "one.bag").read_bytes()
        (cls.bags / "torn.bag").write_bytes(whole[:len(whole) // 2])
        file = McapFile(cls.bags / "odd.mcap")
        odd = file.channel("/odd", "x-other", "pkg/O", "x-other", "?")
        text = file.channel("/text", "ros1", "std_msgs/String", "ros1msg", "string data\n")
        file.message(odd, BEGIN * S, b"123")
        file.message(text, BEGIN * S, b"\x02\0\0\0hi")
        file.close()
        cls.server = cls.serve()
        cls.addClassCleanup(cls.server.end)

    @classmethod
    def serve(cls, *options):
        return Server(cls.bags, *options)

    def target(self, bag, more=""):
        return (f"/bags/{bag}/player?start_time={BEGIN + 1}&end_time={BEGIN + 2}&format=bag{more}")

    def slice(self, bag, more=""):
        """The file."""
        reply = self.server.ask(self.target(bag, more))
        self.assertEqual(reply.status, 200, reply.body[:500])
        path = self.folder / "slice.bag"
        path.write_bytes(reply.body)
        return path

    def expected(self, bag, latched):
        """(topic, time, values): the messages of the slice, after the last latched ones before."""
        state, messages = {}, []
        for topic, ns, data in cat(self.bags / bag):
            if ns < (BEGIN + 1) * S and topic in latched:
                state[topic] = (topic, ns, data)
            elif (BEGIN + 1) * S <= ns < (BEGIN + 2) * S:
                messages.append((topic, ns, data))
        return sorted([*state.values(), *messages], key=lambda row: (row[1], row[0]))

    def rows(self, path):
        return sorted(((topic, ns, data) for topic, ns, data in cat(path)),
                      key=lambda row: (row[1], row[0]))

    def test_every_value_of_a_parameter_is_another_file(self):
        alone = self.server.ask(self.target("one.bag", "&topics=/battery"))
        both = self.server.ask(self.target("one.bag", "&topics=/battery&topics=/imu"))
        self.assertNotEqual(both.headers["ETag"], alone.headers["ETag"])
        path = self.folder / "both.bag"
        path.write_bytes(both.body)
        state = self.server.ask(self.target("one.bag", "&topics=/battery&topics=/imu&state=/imu"
                                            "&state=/battery"))
        self.assertGreater(len(state.body), len(both.body))
        self.assertEqual({topic for topic, _, _ in cat(path)}, {"/battery", "/imu"})

    def test_a_slice_of_ros_1_is_what_rosbag_reads(self):
        need(rosbag is not None, "rosbag is not installed")
        latched = ("/map", "/tf_static", "/path")
        with rosbag.Bag(str(self.slice("one.bag"))) as opened:
            found = [(topic, message[0], stamp.to_nsec(), message[1])
                     for topic, message, stamp in opened.read_messages(raw=True)]
        state, expected = {}, []
        with rosbag.Bag(str(self.bags / "one.bag")) as opened:
            for topic, message, stamp in opened.read_messages(raw=True):
                row = (topic, message[0], stamp.to_nsec(), message[1])
                if row[2] < (BEGIN + 1) * S and topic in latched:
                    state[topic] = row
                elif (BEGIN + 1) * S <= row[2] < (BEGIN + 2) * S:
                    expected.append(row)
        self.assertGreater(len(expected), 150)
        self.assertEqual(sorted(found), sorted([*state.values(), *expected]))

    def test_messages_and_the_state_before_them(self):
        rows = self.rows(self.slice("one.bag"))
        self.assertEqual(rows, self.expected("one.bag", ("/map", "/tf_static", "/path")))
        self.assertEqual({topic for topic, ns, _ in rows if ns < (BEGIN + 1) * S},
                         {"/map", "/tf_static", "/path"})
        some = self.rows(self.slice("one.bag", "&topics=/odom&limit=5&state=none"))
        self.assertEqual([topic for topic, _, _ in some], ["/odom"] * 5)

    def test_messages_of_ros_2_are_converted(self):
        path = self.slice("two.mcap", "&state=none")
        info = json.loads(kitbag("info", path, "--json"))
        types = {each["topic"]: (each["type"], each["encoding"]) for each in info["channels"]}
        self.assertEqual(types["/odom"], ("nav_msgs/Odometry", "ros1"))
        self.assertEqual(types["/tf"], ("tf2_msgs/TFMessage", "ros1"))
        converted = self.folder / "whole.bag"
        kitbag("convert", self.bags / "two.mcap", converted, "--encoding", "ros1")
        expected = [row for row in self.rows(converted)
                    if (BEGIN + 1) * S <= row[1] < (BEGIN + 2) * S]
        self.assertGreater(len(expected), 150)
        self.assertEqual(self.rows(path), expected)

    def test_what_cannot_be_ros_1_is_refused_with_the_reason(self):
        reply = self.server.ask(self.target("odd.mcap"))
        self.assertEqual(reply.status, 400)
        self.assertIn("/odd", reply.json()["error"])
        self.assertIn("format=mcap", reply.json()["error"])
        reply = self.server.ask(f"/bags/odd.mcap/player?start_time={BEGIN}&end_time={BEGIN + 1}"
                                "&format=bag&topics=/text")
        path = self.folder / "text.bag"
        path.write_bytes(reply.body)
        self.assertEqual([data for _, _, data in cat(path)], [{"data": "hi"}])
        for more in "&fields=a", "&int64=string":
            self.assertEqual(self.server.ask(self.target("one.bag", more)).status, 400)

    def test_damage_is_listed_in_the_bag(self):
        path = self.slice("torn.bag")
        said = json.loads(kitbag("get", path, "metadata", "damage"))
        json_ = self.server.ask(self.target("torn.bag").replace("=bag", "=json")).json()
        self.assertEqual(list(said.values())[0], json_["damage"][0])
        self.assertEqual(len(self.rows(path)), len(json_["messages"]))

    def test_ranges_and_conditions(self):
        whole = self.server.ask(self.target("one.bag"))
        self.assertEqual(int(whole.headers["Content-Length"]), len(whole.body))
        part = self.server.ask(self.target("one.bag"), Range="bytes=0-12")
        self.assertEqual((part.status, part.body), (206, b"#ROSBAG V2.0\n"))
        tag = whole.headers["ETag"]
        same = self.server.ask(self.target("one.bag"), If_None_Match=tag)
        self.assertEqual(same.status, 304)
        other = self.server.ask(self.target("one.bag", "&topics=/odom"), method="HEAD")
        self.assertNotEqual(other.headers["ETag"], tag)
        self.assertLess(int(other.headers["Content-Length"]), len(whole.body))

    def test_limits_and_the_cache(self):
        for option, why in (("--max-slice-size", "slice"), ("--max-cache-size", "cache")):
            with self.serve("--cache-dir", self.folder / option[2:], option, "50kB") as server:
                reply = server.ask(self.target("one.bag"))
                self.assertEqual(reply.status, 413, option)
                self.assertIn(why, reply.json()["error"])
                self.assertEqual(
                    [each.name for each in (self.folder / option[2:]).rglob("*") if each.is_file()],
                    [])
        with self.serve("--cache-dir", self.folder / "work", "--max-work", "1ns") as server:
            self.assertEqual(server.ask(self.target("one.bag")).status, 413)


if __name__ == "__main__":
    peers.main()
