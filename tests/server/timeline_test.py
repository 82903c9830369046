#!/usr/bin/env python3
"""Messages over time, compared with times that rosbag reads; and the limits of one request."""

import collections
import http.client
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, need  # noqa: E402
from server import Server  # noqa: E402

try:
    import rosbag
except ImportError:
    rosbag = None

DEMO = "demo://?seconds=6&seed=3"


class Timeline(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        kitbag("convert", DEMO, cls.folder / "a.bag", "--encoding", "ros1", "--compression", "lz4")
        for name in "b.mcap", "b.db3", "directory/":
            kitbag("convert", DEMO, f"{cls.folder}/{name}")
        kitbag("cut", cls.folder / "a.bag", cls.folder / "left.bag", "--end", "+2s")
        kitbag("cut", cls.folder / "a.bag", cls.folder / "right.bag", "--start", "+4s")
        kitbag("merge", cls.folder / "left.bag", cls.folder / "right.bag",
               cls.folder / "gap.bag")
        cls.server = Server(cls.folder)
        cls.addClassCleanup(cls.server.end)

    def timeline(self, bag, more=""):
        reply = self.server.ask(f"/bags/{bag}/timeline?buckets=7{more}")
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(reply.headers["Content-Type"], "application/json")
        return reply.json()

    def times(self, bag):
        """{topic: its times in ns} as rosbag reads them, and {topic: delays in s}."""
        need(rosbag is not None, "rosbag is not installed")
        times, delays = collections.defaultdict(list), collections.defaultdict(list)
        with rosbag.Bag(str(self.folder / bag)) as opened:
            for topic, message, stamp in opened.read_messages():
                times[topic].append(stamp.to_nsec())
                if hasattr(message, "header") and message.header.stamp.to_nsec():
                    delay = stamp.to_nsec() - message.header.stamp.to_nsec()
                    delays[topic].append(delay / 1e9)
        return times, delays

    def test_counts_are_those_of_rosbag(self):
        times, _ = self.times("a.bag")
        begin = min(min(each) for each in times.values())
        end = max(max(each) for each in times.values())
        width = (end - begin) // 7 + 1
        found = self.timeline("a.bag")
        self.assertEqual(round(found["bucket_duration"] * 1e9), width)
        self.assertEqual([topic["topic"] for topic in found["topics"]], sorted(times))
        for topic in found["topics"]:
            expected = [0] * 7
            for time in times[topic["topic"]]:
                expected[(time - begin) // width] += 1
            self.assertEqual(topic["counts"], expected, topic["topic"])
            self.assertEqual(topic["messages"], len(times[topic["topic"]]))
        imu = next(topic for topic in found["topics"] if topic["topic"] == "/imu")
        self.assertAlmostEqual(imu["median_period"], 0.01, 3)
        self.assertEqual(imu["gaps"], [])

    def test_all_formats_tell_the_same(self):
        expected = self.timeline("b.mcap")
        for bag in "b.db3", "directory":
            self.assertEqual(self.timeline(bag), expected, bag)

    def test_a_gap_is_where_rosbag_has_no_message(self):
        times, _ = self.times("gap.bag")
        found = self.timeline("gap.bag", "&topics=/imu,/odom")
        self.assertEqual([topic["topic"] for topic in found["topics"]], ["/imu", "/odom"])
        for topic in found["topics"]:
            mine = times[topic["topic"]]
            longest = max(zip(mine, mine[1:]), key=lambda pair: pair[1] - pair[0])
            self.assertGreater(longest[1] - longest[0], 15 * 10**8)
            self.assertEqual(len(topic["gaps"]), 1)
            self.assertAlmostEqual(topic["gaps"][0]["start_time"], longest[0] / 1e9, 5)
            self.assertAlmostEqual(topic["gaps"][0]["end_time"], longest[1] / 1e9, 5)

    def test_delays_are_those_of_rosbag(self):
        _, delays = self.times("a.bag")
        self.assertTrue(delays)
        for topic in self.timeline("a.bag", "&delay=1")["topics"]:
            mine = sorted(delays.get(topic["topic"], []))
            if not mine:
                self.assertNotIn("delay", topic)
                continue
            self.assertAlmostEqual(topic["delay"]["least"], mine[0], 6)
            self.assertAlmostEqual(topic["delay"]["most"], mine[-1], 6)
            median = mine[(len(mine) - 1) // 2]
            self.assertAlmostEqual(topic["delay"]["median"], median, delta=abs(median) / 50 + 1e-9)

    def test_it_is_kept_and_cached(self):
        first = self.server.ask("/bags/a.bag/timeline")
        self.assertEqual(first.headers["Cache-Control"], "public, max-age=2592000")
        self.assertEqual(self.server.ask("/bags/a.bag/timeline").body, first.body)
        other = self.server.ask("/bags/a.bag/timeline?topics=/imu")
        self.assertNotEqual(other.body, first.body)
        tag = first.headers["ETag"]
        self.assertEqual(self.server.ask("/bags/a.bag/timeline", if_none_match=tag).status, 304)

    def test_what_is_asked_wrongly(self):
        for query in "buckets=0", "buckets=10001", "buckets=x", "gap_factor=1", "delay=2", "x=1":
            reply = self.server.ask(f"/bags/a.bag/timeline?{query}")
            self.assertEqual((reply.status, list(reply.json())), (400, ["error"]), query)

    def test_limits_known_beforehand_are_413(self):
        with Server(self.folder, "--max-slice-size", "100kB", "--max-work", "1ns") as server:
            known = server.ask("/bags/a.bag/player").json()
            target = (f"/bags/a.bag/player?start_time={known['start_time']}"
                      f"&end_time={known['end_time'] + 1}")
            reply = server.ask(target)
            self.assertEqual((reply.status, list(reply.json())), (413, ["error"]))
            self.assertEqual(reply.headers["Cache-Control"], "no-store")
            reply = server.ask("/bags/a.bag/timeline")
            self.assertEqual((reply.status, list(reply.json())), (413, ["error"]))

    def test_a_limit_met_on_the_way_ends_the_connection(self):
        for option in ("--max-slice-size", "100kB"), ("--max-work", "1ns"):
            with Server(self.folder, *option) as server, server.connect() as connection:
                known = server.ask("/bags/a.bag/player").json()
                connection.request("GET", f"/bags/a.bag/player?start_time={known['start_time']}"
                                          f"&end_time={known['end_time'] + 1}&topics=/*")
                response = connection.getresponse()
                self.assertEqual(response.status, 200)
                with self.assertRaises((http.client.IncompleteRead, ConnectionError)):
                    response.read()


if __name__ == "__main__":
    peers.main()
