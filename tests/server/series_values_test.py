#!/usr/bin/env python3
"""Plots of values that are out of the ordinary, and of any range: every number equals what is
computed from the messages, whether the series is read for the request or made of a kept one."""

import json
import random
import struct
import sys
import urllib.parse
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import InFolder  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

SECOND = 10**9
DEFINITION = "float64 v\nbool on\nint64 big\nuint64 ubig\nstring s\nfloat32[] r\nduration d\n"
NAN, INFINITE = float("nan"), float("inf")
# v, on, big, ubig, r
ROWS = [(NAN, True, 2**53 + 1, 2**64 - 1, [1, 2, 3, 4]),
        (2.5, False, -2**63, 0, []),
        (-1.0, True, 2**62 + 1, 2**63 + 1, [1, 2, 3, -4, 5]),
        (1e308, False, 0, 1, [1, 2, 3]),
        (-1e308, True, 7, 7, [0, 0, 0, 0.5])]


def varint(number):
    number %= 2**64
    text = b""
    while number > 127:
        text += bytes([number % 128 + 128])
        number //= 128
    return text + bytes([number])


def proto(number, value):
    """A field of a protobuf message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def proto_descriptor():
    """message T { double v = 1; bool on = 2; int64 big = 3; uint64 ubig = 4; string s = 5;
    repeated float r = 6; State state = 7; } enum State { IDLE = 0; MOVING = 4; }"""
    fields = b""
    for number, name, kind in ((1, "v", 1), (2, "on", 8), (3, "big", 3), (4, "ubig", 4),
                               (5, "s", 9), (6, "r", 2), (7, "state", 14)):
        fields += proto(2, proto(1, name) + proto(3, number) + proto(4, 3 if name == "r" else 1) +
                        proto(5, kind) + (proto(6, ".t.State") if name == "state" else b""))
    values = b"".join(proto(2, proto(1, name) + proto(2, number))
                      for name, number in (("IDLE", 0), ("MOVING", 4)))
    file = (proto(1, "t.proto") + proto(2, "t") + proto(4, proto(1, "T") + fields) +
            proto(5, proto(1, "State") + values) + proto(12, "proto3"))
    return proto(1, file)


def ros1_payload(row):
    v, on, big, ubig, r = row
    return (struct.pack("<d?qQ", v, on, big, ubig) + struct.pack("<I", 1) + b"s" +
            struct.pack(f"<I{len(r)}f", len(r), *r) + struct.pack("<ii", -2, 500_000_000))


def proto_payload(row):
    v, on, big, ubig, r = row
    packed = struct.pack(f"<{len(r)}f", *r)
    return (proto(1, v) + proto(2, int(on)) + proto(3, big) + proto(4, ubig) + proto(5, "s") +
            proto(6, packed) + proto(7, 4 if on else 0))


def json_payload(row):
    v, on, big, ubig, r = row
    return json.dumps({"v": None if v != v else v, "on": on, "big": big, "ubig": ubig, "s": "s",
                       "r": r}).encode()


JSON_SCHEMA = json.dumps({"type": "object", "properties": {
    "v": {"type": "number"}, "on": {"type": "boolean"}, "big": {"type": "integer"},
    "ubig": {"type": "number"}, "s": {"type": "string"},  # an integer would be int64
    "r": {"type": "array", "items": {"type": "number"}}}})
IDL = "module t { enum Color { RED, GREEN, BLUE }; struct C { Color c; }; };"


def single(value):
    """The float32 of which `kitbag cat` prints as many digits as it has."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def summary(values):
    """(count, min, max, mean, last), without those that are NaN; numbers are doubles."""
    values = [float(value) for value in values if value is not None and value == value]
    if not values:
        return 0, None, None, None, None
    mean = sum(value / len(values) for value in values)
    return len(values), min(values), max(values), mean, values[-1]


class SeriesValuesTest(InFolder):
    @classmethod
    def fill(cls):
        file = McapFile(cls.folder / "odd.mcap")
        channels = {
            "/ros1": (file.channel("/ros1", "ros1", "t/T", "ros1msg", DEFINITION), ros1_payload),
            "/proto": (file.channel("/proto", "protobuf", "t.T", "protobuf", proto_descriptor()),
                       proto_payload),
            "/json": (file.channel("/json", "json", "t", "jsonschema", JSON_SCHEMA), json_payload)}
        file.channel("/empty", "ros1", "t/E", "ros1msg", "uint8 none\n")
        one = file.channel("/one", "ros1", "t/O", "ros1msg", "float32 alone\n")
        infinite = file.channel("/infinite", "ros1", "t/I", "ros1msg", "float32 i\n")
        colors = file.channel("/colors", "cdr", "t/msg/C", "ros2idl", IDL)
        for i, row in enumerate(ROWS):
            for channel, payload in channels.values():
                file.message(channel, (10 + i) * SECOND, payload(row))
        file.message(one, 12 * SECOND, struct.pack("<f", 0.5))
        for i, value in enumerate((1, INFINITE, -INFINITE, 3)):
            file.message(infinite, (10 + i) * SECOND, struct.pack("<f", value))
        for i, color in enumerate((2, 0, 1)):
            file.message(colors, (10 + i) * SECOND, b"\0\1\0\0" + struct.pack("<I", color))
        file.close()
        for encoding in "ros1", "protobuf", "json":
            kitbag("convert", "demo://?seconds=8&seed=3", cls.folder / f"{encoding}.mcap",
                   "--encoding", encoding)

    def ask(self, bag, server=None, **query):
        target = f"/bags/{bag}/series?{urllib.parse.urlencode(query)}"
        return (server or self.server).ask(target)

    def series(self, bag, **query):
        reply = self.ask(bag, **query)
        self.assertEqual(reply.status, 200, reply.body)
        return json.loads(reply.body, parse_float=Decimal)

    def only(self, topic, field, bag="odd.mcap"):
        """(count, min, max, mean, last) of a field of a whole topic."""
        found = self.series(bag, topics=topic, fields=field, buckets=1)
        self.assertEqual(len(found["series"]), 1)
        values = [found["series"][0][name][0] for name in ("count", "min", "max", "mean", "last")]
        return tuple(value if value is None else float(value) for value in values)

    def test_numbers_of_all_encodings(self):
        for topic in "/ros1", "/proto", "/json":
            for column, field in enumerate(("v", "on", "big", "ubig")):
                expected = summary(row[column] for row in ROWS)
                found = self.only(topic, field)
                where = f"{topic} {field}"
                for mine, his in zip(found[:3] + found[4:], expected[:3] + expected[4:]):
                    self.assertEqual(mine, his, where)
                scale = max(map(abs, expected[1:3]))
                self.assertAlmostEqual(found[3] / scale, expected[3] / scale, 12, where)
            elements = [row[4][3] for row in ROWS if len(row[4]) > 3]
            self.assertEqual(self.only(topic, "r[3]"), summary(elements))

    def test_a_duration_is_in_seconds(self):
        self.assertEqual(self.only("/ros1", "d"), (5, -1.5, -1.5, -1.5, -1.5))

    def test_an_enumeration_is_its_number(self):
        self.assertEqual(self.only("/colors", "c"), (3, 0, 2, 1, 1))
        self.assertEqual(self.only("/proto", "state"), (5, 0, 4, 2.4, 4))

    def test_json_has_no_infinity(self):
        self.assertEqual(self.only("/infinite", "i"), (4, None, None, None, 3))

    def test_texts_and_lists_are_refused(self):
        for topic in "/ros1", "/proto", "/json":
            for field in "s", "r":
                reply = self.ask("odd.mcap", topics=topic, fields=field)
                self.assertEqual(reply.status, 400)
                self.assertIn(f"{topic}.{field} is not a number", reply.json()["error"])

    def test_a_topic_without_messages_has_no_values(self):
        self.assertEqual(self.only("/empty", "none"), (0, None, None, None, None))

    def test_one_message(self):
        self.assertEqual(self.only("/one", "alone"), (1, 0.5, 0.5, 0.5, 0.5))
        found = self.series("odd.mcap", topics="/one", fields="alone", buckets=10000)
        counts = found["series"][0]["count"]
        self.assertEqual((len(counts), sum(counts)), (found["buckets"], 1))

    def test_times_outside_of_the_bag(self):
        for start, end in (1, 5), (100, 200), (12, 12):
            found = self.series("odd.mcap", fields="alone", start_time=start, end_time=end)
            self.assertEqual(found["buckets"], 0)
            self.assertEqual(found["series"][0]["count"], [])
        found = self.series("odd.mcap", fields="alone", start_time=1, end_time=200, buckets=1)
        self.assertEqual(found["series"][0]["count"], [1])
        self.assertEqual(found["start_time"], 10)

    def check_range(self, rows, fields, asked, reply):
        """Every part holds what the messages in it say; the parts cover what was asked for."""
        found = json.loads(reply, parse_float=Decimal)
        start = int(found["start_time"] * SECOND)
        width = int(found["bucket_duration"] * SECOND)
        first = max(asked["begin"], min(ns for ns, _ in rows["all"]))
        last = min(asked["end"] - 1, max(ns for ns, _ in rows["all"]))
        if first > last:
            self.assertEqual(found["buckets"], 0)
            return
        self.assertLessEqual(found["buckets"], asked["buckets"])
        self.assertTrue(start <= first < start + width)
        self.assertLess(last, start + width * found["buckets"])
        for each in found["series"]:
            parts = [[] for _ in range(found["buckets"])]
            for ns, data in rows[each["topic"]]:
                index = (ns - start) // width
                if 0 <= index < len(parts):
                    parts[index].append(fields[each["field"]](data))
            for index, values in enumerate(parts):
                mine = [each[name][index] for name in ("count", "min", "max", "mean", "last")]
                mine = [value if value is None else float(value) for value in mine]
                expected = list(summary(values))
                if values:
                    self.assertAlmostEqual(mine.pop(3), expected.pop(3), 9)
                self.assertEqual(mine, expected)

    def test_any_range_and_number_of_parts(self):
        fields = {"pose.pose.position.x": lambda data: data["pose"]["pose"]["position"]["x"],
                  "voltage": lambda data: single(data["voltage"]),
                  "linear_acceleration.y": lambda data: data["linear_acceleration"]["y"]}
        chance = random.Random(17)
        for bag in "ros1.mcap", "protobuf.mcap", "json.mcap":
            rows = {"all": []}
            for line in kitbag("cat", self.folder / bag).splitlines():
                row = json.loads(line)
                rows.setdefault(row["topic"], []).append((row["log_time_ns"], row["data"]))
                rows["all"].append((row["log_time_ns"], None))
            begin, end = rows["all"][0][0], rows["all"][-1][0]
            requests = []
            for _ in range(25):
                length = int((end - begin) * chance.choice((1e-5, 1e-3, 0.02, 0.3, 1.2)))
                at = chance.randrange(begin - length // 4, end)
                requests.append({"begin": at, "end": at + chance.randrange(length + 1) + 1,
                                 "buckets": chance.choice((1, 2, 3, 50, 1000, 10000))})
            asked = {"fields": ",".join(fields)}
            with Server(self.folder) as server:
                replies = []
                for is_kept in False, True:
                    if is_kept:
                        self.assertEqual(self.ask(bag, server, **asked).status, 200)
                    for each in requests:
                        reply = self.ask(bag, server, **asked, buckets=each["buckets"],
                                         start_time=Decimal(each["begin"]) / SECOND,
                                         end_time=Decimal(each["end"]) / SECOND)
                        self.assertEqual(reply.status, 200, reply.body)
                        self.check_range(rows, fields, each, reply.body)
                        replies.append(json.loads(reply.body, parse_float=Decimal))
            for mine, his in zip(replies, replies[len(requests):]):
                for name in "start_time", "bucket_duration", "buckets":
                    self.assertEqual(mine[name], his[name], "kept or not, the parts are the same")


if __name__ == "__main__":
    peers.main()
