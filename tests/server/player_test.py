#!/usr/bin/env python3
"""Time slices: the same messages as `kitbag cat` and real rosbag, in the form of the document."""

import base64
import gzip
import os
import struct
import sys
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import DEMO, MONTH, InFolder, cat, plain, stamp_ns  # noqa: E402
from peers import REAL_BAGS, kitbag, need, need_real_bags  # noqa: E402

try:
    import genpy
    import rosbag
except ImportError:
    rosbag = None


class Player(InFolder):
    def test_metadata(self):
        messages = cat(self.folder / "a.bag")
        self.assertEqual(self.metadata("a.bag"), {
            "total_messages": len(messages), "start_time": messages[0][1] // 10**9,
            "end_time": messages[-1][1] // 10**9})

    def test_a_client_that_knows_whole_seconds_gets_every_message(self):
        reply = self.whole("a.bag")
        expected = cat(self.folder / "a.bag")
        self.assertEqual(list(reply.json())[:3], ["total_messages", "start_time", "end_time"])
        self.assertEqual([(message["topic"], plain(message)) for message in reply.messages],
                         [(topic, data) for topic, _, data in expected])
        self.assertEqual(stamp_ns(reply.body), [ns for _, ns, _ in expected])

    def test_what_is_no_list_is_given_once(self):
        target = "/bags/a.bag/player?start_time=1767225600&end_time=1767225601"
        for more in ("&limit=1&limit=2", "&where=true&where=false", "&start_time=1767225600",
                     "&format=json&format=csv"):
            reply = self.server.ask(target + more)
            self.assertEqual(reply.status, 400, more)
            self.assertIn("is given twice", reply.json()["error"])
        reply = self.server.ask("/bags/a.bag/search?q=true&q=false")
        self.assertEqual(reply.json(), {"error": "q is given twice"})

    def test_slices_tile(self):
        known = self.metadata("a.bag")
        stamps = []
        at = known["start_time"]
        while at < known["end_time"]:
            reply = self.slice("a.bag", at, at + 1)
            begin = at * 10**9
            stamps += [ns for ns in stamp_ns(reply.body) if ns >= begin]
            at += 1
        self.assertEqual(stamps, [ns for _, ns, _ in cat(self.folder / "a.bag")])

    def test_the_start_is_included_and_the_end_is_not(self):
        messages = cat(self.folder / "a.bag")
        begin, end = messages[40][1], messages[80][1]
        as_text = "{}.{:09}".format
        reply = self.slice("a.bag", as_text(*divmod(begin, 10**9)), as_text(*divmod(end, 10**9)))
        expected = [ns for _, ns, _ in messages if begin <= ns < end]
        self.assertEqual([ns for ns in stamp_ns(reply.body) if ns >= begin], expected)

    def test_what_a_latched_topic_said_before_comes_first(self):
        known = self.metadata("a.bag")
        begin = known["start_time"] + 2
        reply = self.slice("a.bag", begin, begin + 1)
        latched = [message["topic"] for message in reply.messages if message["__latched"]]
        before = {topic: data for topic, ns, data in cat(self.folder / "a.bag")
                  if ns < begin * 10**9}
        self.assertIn("/tf_static", latched)
        for message, ns in zip(reply.messages, stamp_ns(reply.body), strict=True):
            if ns < begin * 10**9:
                self.assertTrue(message["__latched"])
                self.assertEqual(plain(message), before[message["topic"]])
        self.assertIn("/map", latched)

    def test_fields_are_those_of_rosbag(self):
        need(rosbag is not None, "rosbag is not installed")
        kitbag_messages = self.whole("a.bag").messages
        with rosbag.Bag(str(self.folder / "a.bag")) as opened:
            theirs = list(opened.read_messages())
        self.assertEqual(len(kitbag_messages), len(theirs))
        for ours, (topic, message, stamp) in zip(kitbag_messages, theirs, strict=True):
            self.assertEqual(ours["topic"], topic)
            self.assertAlmostEqual(ours["__stamp"], stamp.to_sec(), 6)
            self.assertEqual(plain(ours), as_json(message))

    def test_choices(self):
        whole = self.whole("a.bag").messages
        odometry = self.whole("a.bag", "&topics=/odom").messages
        self.assertEqual(odometry, [message for message in whole if message["topic"] == "/odom"])
        self.assertEqual(self.whole("a.bag", "&topics=/odom,/scan&limit=5").messages,
                         [message for message in whole
                          if message["topic"] in ("/odom", "/scan")][:5])
        x = self.whole("a.bag", "&topics=/odom&fields=pose.pose.position.x").messages
        self.assertEqual([set(plain(message)) for message in x], [{"pose"}] * len(odometry))

    def test_topics_without_the_fields_are_left_out(self):
        """Also of the state before the slice."""
        known = self.metadata("a.bag")
        begin, end = known["start_time"] + 1, known["end_time"]
        expected = [message for message in self.slice("a.bag", begin, end).messages
                    if message["topic"] == "/battery"]
        self.assertGreater(len(expected), 1)
        found = self.slice("a.bag", begin, end, "&where=" + quote("voltage > 0")).messages
        self.assertEqual(found, expected)
        found = self.slice("a.bag", begin, end, "&fields=voltage").messages
        self.assertEqual([plain(message) for message in found],
                         [{"voltage": message["voltage"]} for message in expected])

    def test_conditions(self):
        odometry = self.whole("a.bag", "&topics=/odom").messages
        fast = self.whole("a.bag", "&topics=/odom&where=" +
                          quote("twist.twist.linear.x > 0.3")).messages
        self.assertEqual(fast, [message for message in odometry
                                if message["twist"]["twist"]["linear"]["x"] > 0.3])

    def test_caching(self):
        reply = self.whole("a.bag")
        self.assertEqual(reply.headers["Cache-Control"], f"public, max-age={MONTH}")
        again = self.server.ask("/bags/a.bag/player", If_None_Match=reply.headers["ETag"])
        self.assertEqual((again.status, again.body), (304, b""))

    def test_what_is_asked_wrongly(self):
        for query in ("start_time=1", "end_time=1", "start_time=nan&end_time=2",
                      "start_time=1&end_time=inf", "start_time=x&end_time=2",
                      "start_time=2&end_time=1", "start_time=&end_time=",
                      "start_time=1&end_time=2&limit=x", "start_time=1&end_time=2&where=((",
                      "start_time=1e300&end_time=2e300", "topic=/odom",
                      "start_time=1&end_time=2&where=nope%3E1",
                      "start_time=1&end_time=2&topics=/nope", "topics=/odom,/nope*",
                      "start_time=1&end_time=2&fields=nope",
                      "start_time=1&end_time=2&topics=/odom&fields=voltage"):
            reply = self.server.ask(f"/bags/a.bag/player?{query}")
            self.assertEqual(reply.status, 400, query)
            self.assertEqual(list(reply.json()), ["error"])
            self.assertEqual(reply.headers["Cache-Control"], "no-store")
        self.assertEqual(self.server.ask("/bags/none.bag/player").status, 400)

    def test_other_methods_and_paths(self):
        self.assertEqual(self.server.ask("/bags/a.bag/player", method="PUT").status, 405)
        self.assertEqual(self.server.ask("/bags/a.bag/player", method="DELETE").status, 403)
        for path in ("/bags/a.bag", "/bags/a.bag/", "/bags/a.bag/x", "/bags/a.bag/player/x",
                     "/bags/none.bag/x"):
            self.assertEqual(self.server.ask(path).status, 404, path)


def shortest(value):
    """The decimal with the fewest digits that is this number of 32 bits."""
    return next(short for short in (float(f"{value:.{digits}g}") for digits in range(1, 10))
                if struct.pack("<f", short) == struct.pack("<f", value))


def as_json(value):
    """A message of ROS 1's Python as the API is to give it."""
    if isinstance(value, genpy.Message):
        return {name: as_json_field(getattr(value, name), type_)
                for name, type_ in zip(value.__slots__, value._slot_types, strict=True)}
    return value


def as_json_field(value, type_):
    if type_.startswith(("uint8[", "char[")):
        return base64.b64encode(bytes(value)).decode()
    if type_ in ("time", "duration"):
        return {"sec": value.secs, "nsec": value.nsecs}
    if isinstance(value, (list, tuple)):
        base = type_.split("[")[0]
        return [as_json_field(each, base) for each in value]
    if isinstance(value, float) and value != value:
        return None
    if type_ == "float32":  # the shortest text that is this number, and not its double
        return shortest(value)
    return as_json(value)


class EveryFormat(InFolder):
    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.folder / "a.mcap")
        for name in ("b.db3", "directory/"):
            kitbag("convert", cls.folder / "a.mcap", f"{cls.folder}/{name}")
        (cls.folder / "c.mcap.gz").write_bytes(gzip.compress((cls.folder / "a.mcap").read_bytes()))

    def test_all_give_the_same(self):
        listed = [bag["filename"] for bag in self.server.list()]
        self.assertEqual(len(listed), 4)
        known = self.metadata("a.mcap")
        begin = known["start_time"] + 1.5
        expected = self.slice("a.mcap", begin, begin + 1).messages
        self.assertGreater(len(expected), 100)
        for name in listed:
            self.assertEqual(self.metadata(name), known)
            self.assertEqual(self.slice(name, begin, begin + 1).messages, expected, name)


class RealBags(InFolder):
    @classmethod
    def setUpClass(cls):
        need_real_bags()
        super().setUpClass()

    @classmethod
    def fill(cls):
        for bag in REAL_BAGS.glob("*.bag"):
            os.symlink(bag, cls.folder / bag.name)
        cls.options = (REAL_BAGS,)
        cls.folder = cls.folder / "empty"
        cls.folder.mkdir()

    def test_every_message_of_every_bag(self):
        for bag in self.server.list():
            if "error" in bag:
                continue
            path = REAL_BAGS / bag["filename"]
            expected = cat(path, "--on-error", "raw")
            with self.subTest(bag["filename"]):
                reply = self.whole(quote(bag["filename"]))
                self.assertEqual(stamp_ns(reply.body), [ns for _, ns, _ in expected])


class Damaged(InFolder):
    @classmethod
    def fill(cls):
        super().fill()
        content = bytearray((cls.folder / "a.bag").read_bytes())
        (cls.folder / "cut.bag").write_bytes(content[:len(content) // 2])
        (cls.folder / "nothing.bag").write_bytes(content[:500])
        kitbag("convert", DEMO, cls.folder / "state.mcap", "--chunk-size", "100kB")
        content = bytearray((cls.folder / "state.mcap").read_bytes())
        content[content.index(b"base_link")] ^= 1  # in the payload of /tf_static
        (cls.folder / "state.mcap").write_bytes(content)

    def test_damage_in_the_state_before_a_slice(self):
        """Each time: what is known of the state is kept, and the damage with it."""
        known = self.metadata("state.mcap")
        target = (f"/bags/state.mcap/player?start_time={known['end_time']}"
                  f"&end_time={known['end_time'] + 1}&topics=/tf_static")
        for _ in range(2):
            reply = self.server.ask(target).json()
            self.assertEqual(len(reply["damage"]), 1)
            self.assertIn("CRC", reply["damage"][0])

    def test_what_is_whole_is_served(self):
        reply = self.whole("cut.bag")
        self.assertGreater(len(reply.messages), 10)
        self.assertTrue(reply.json()["damage"])

    def test_a_bag_of_which_nothing_can_be_read(self):
        reply = self.server.ask("/bags/nothing.bag/player")
        if reply.status == 200:  # its header was whole: an empty bag with damage
            self.assertEqual(reply.json()["total_messages"], 0)
        else:
            self.assertEqual((reply.status, list(reply.json())), (400, ["error"]))


class NotDecodable(InFolder):
    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.folder / "a.bag", "--encoding", "ros1", "--topics", "/odom")
        content = (cls.folder / "a.bag").read_bytes()
        # A definition that does not parse.
        broken = content.replace(b"Header header", b"Heade? header")
        (cls.folder / "broken.bag").write_bytes(broken)

    def test_its_bytes_are_given(self):
        messages = self.whole("broken.bag").messages
        self.assertGreater(len(messages), 10)
        for message in messages:
            self.assertEqual(message["__encoding"], "ros1")
            self.assertGreater(len(base64.b64decode(message["__data_base64"])), 100)


if __name__ == "__main__":
    peers.main()
