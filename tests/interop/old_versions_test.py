#!/usr/bin/env python3
"""Bags of versions 0 to 1.2: what is in them by their own bytes, migrated to 2.0 and back."""

import bz2
import csv
import gzip
import re
import shutil
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
import ros1  # noqa: E402
from peers import REAL_BAGS, digest, kitbag, kitbag_digest, need, need_real_bags, run  # noqa: E402

COUNT = re.compile(r"(\S+)\(([^)]+)\)=(\d+)")
CHATTER = {("chatter", "std_msgs/String"): 5, ("other", "std_msgs/String"): 5}
SCAN = {("scan", "sensor_msgs/LaserScan"): 561, ("tf", "tf/tfMessage"): 2800}
DERIVED = {
    "synthetic_v0_single_topic.bag": ("0", {("/chatter", "std_msgs/String"): 10}),
    "synthetic_v1.0_md5_then_type_FORMATS.bag": ("1.0", CHATTER),
    "synthetic_v1.0_type_then_md5_recorder.bag": ("1.0", CHATTER),
    "synthetic_v1.1_ROSLOG.bag": ("1.1", {("/chatter", "std_msgs/String"): 5,
                                          ("/other", "std_msgs/String"): 5}),
    "v1.2_crashed_index_pos0_from_f102c6b5.bag": ("1.2", SCAN),
    "v1.2_unindexed_nofileheader_from_f102c6b5.bag": ("1.2", SCAN),
}
NOT_CLOSED = "v1.2_crashed_index_pos0_from_f102c6b5.bag"
CPP_READER = Path("/usr/lib/rosbag/encrypt")


def expected_bags():
    """{path: (version, {(topic, type): messages})} of every old bag in the collection."""
    bags = {REAL_BAGS / "derived" / name: facts for name, facts in DERIVED.items()}
    with open(REAL_BAGS / "MANIFEST.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if " V1." in row["version line"]:
                counts = {(topic, type_): int(count) for topic, type_, count
                          in COUNT.findall(row["topics(type)=count"])}
                bags[REAL_BAGS / row["file"]] = (row["version line"][-3:], counts)
    return bags


def info_of(bag):
    return peers.run_json(peers.program(), "info", bag, "--json")


def counts(info):
    found = {}
    for channel in info["channels"]:
        key = (channel["topic"], channel["type"])
        found[key] = found.get(key, 0) + channel["messages"]
    return found


def line(data, at):
    end = data.index(b"\n", at)
    return data[at:end].decode(), end + 1


def message(data, at):
    """(time_ns, payload, where it ends)"""
    sec, nsec, size = struct.unpack_from("<3I", data, at)
    return sec * 10**9 + nsec, data[at + 12:at + 12 + size], at + 12 + size


def messages_of_lines(data):
    """(topic, time_ns, payload, {}) of versions 0 to 1.1."""
    at, table = 0, not data.startswith(b"#")
    if not table:
        version, at = line(data, at)
        if version.endswith("1.0"):
            count, at = line(data, at)
            for _ in range(3 * int(count)):
                _, at = line(data, at)
    else:
        topic, at = line(data, at)
        at = line(data, line(data, at)[1])[1]
    while at < len(data):
        if not table:
            topic, at = line(data, at)
            if version.endswith("1.1"):
                at = line(data, line(data, at)[1])[1]
        time_ns, payload, at = message(data, at)
        yield topic, time_ns, payload, {}


def fields_of(header):
    at, fields = 0, {}
    while at < len(header):
        (size,) = struct.unpack_from("<I", header, at)
        name, _, value = header[at + 4:at + 4 + size].partition(b"=")
        fields[name.decode()] = value
        at += 4 + size
    return fields


def messages_of_records(data):
    """(topic, time_ns, payload, what it says of its node) of version 1.2."""
    at = 16
    while at < len(data):
        (header_size,) = struct.unpack_from("<I", data, at)
        fields = fields_of(data[at + 4:at + 4 + header_size])
        at += 4 + header_size
        (size,) = struct.unpack_from("<I", data, at)
        payload, at = data[at + 4:at + 4 + size], at + 4 + size
        if fields["op"] == b"\x02":
            sec, nsec = (struct.unpack("<I", fields[name])[0] for name in ("sec", "nsec"))
            node = {name: fields[name].decode() for name in ("callerid", "latching")
                    if name in fields}
            yield fields["topic"].decode(), sec * 10**9 + nsec, payload, node


def messages_by_bytes(bag):
    """All messages by time, read by nothing but this file."""
    data = bag.read_bytes()
    is_1_2 = data.startswith(b"#ROSRECORD V1.2")
    found = list(messages_of_records(data) if is_1_2 else messages_of_lines(data))
    return sorted(found, key=lambda m: m[1])


def messages_by_real_rosbag(bag):
    """The same of a 2.0 bag as real rosbag reads it, message by message."""
    found = []
    with ros1.rosbag.Bag(str(bag)) as opened:
        for topic, raw, time, header in opened.read_messages(raw=True,
                                                             return_connection_header=True):
            header = ros1.as_text(header)
            node = {name: header[name] for name in ("callerid", "latching") if name in header}
            found.append((time.to_nsec(), raw[3], topic, raw[1], node))
    found.sort(key=lambda m: m[:2])
    return [(topic, time_ns, bytes(data), node) for time_ns, _, topic, data, node in found]


class WithOldBags(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_real_bags()
        cls.bags = expected_bags()
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)


class ReadHere(WithOldBags):
    def test_counts(self):
        self.assertGreaterEqual(len(self.bags), 10)
        for bag, (version, expected) in self.bags.items():
            with self.subTest(bag.name):
                info = info_of(bag)
                self.assertEqual((info["format"], info["version"]), ("rosbag", version))
                self.assertEqual(counts(info), expected)
                self.assertEqual(info["messages"], sum(expected.values()))
                self.assertEqual(info["certainty"], 60 if version == "0" else 100)
                self.assertEqual(info["indexed"], version == "1.2" and "derived" not in bag.parts)

    def test_content(self):
        for bag, (_, expected) in self.bags.items():
            with self.subTest(bag.name):
                types = {topic: type_ for topic, type_ in expected}
                self.assertEqual(kitbag_digest(bag), digest(
                    (topic, types[topic], time_ns, payload)
                    for topic, time_ns, payload, _ in messages_by_bytes(bag)))

    def test_check(self):
        for bag in self.bags:
            with self.subTest(bag.name):
                findings = kitbag("check", bag, code=None).splitlines()[:-1]
                findings = [f for f in findings if "definition" not in f]
                if bag.name == NOT_CLOSED:
                    self.assertEqual(len(findings), 1)
                    self.assertIn("was not closed", findings[0])
                else:
                    self.assertEqual(findings, [])

    def test_whole_file_compression(self):
        for bag, (version, expected) in self.bags.items():
            for name, pack in (("gz", gzip.compress), ("bz2", bz2.compress)):
                with self.subTest(f"{bag.name}.{name}"):
                    packed = self.folder / f"packed.bag.{name}"
                    packed.write_bytes(pack(bag.read_bytes()))
                    info = info_of(packed)
                    self.assertEqual(counts(info), expected)
                    self.assertEqual((info["version"], info["compression"]), (version, name))
                    self.assertEqual(info["size_bytes"], packed.stat().st_size)
                    self.assertEqual(kitbag_digest(packed), kitbag_digest(bag))


class Migrated(WithOldBags):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ros1.need_rosbag()

    def test_real_rosbag_reads_the_same(self):
        nodes = 0
        for bag, (_, expected) in self.bags.items():
            with self.subTest(bag.name):
                out = self.folder / bag.name
                kitbag("convert", "-f", bag, out)
                here = messages_by_bytes(bag)
                self.assertEqual(messages_by_real_rosbag(out), here)
                nodes += sum(bool(node) for *_, node in here)
                info = run("rosbag", "info", out)
                self.assertRegex(info, rf"messages: +{len(here)}\n")
                for (topic, type_), count in expected.items():
                    self.assertRegex(info, rf"{topic} +{count} msgs? +: {type_}")
        self.assertEqual(nodes, 91, "those of the bag with gps_odom")


class Written(WithOldBags):
    """Bags of version 2.0 by way of an old one."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ros1.need_rosbag()
        made = cls.folder / "made.bag"
        ros1.write_bag(made)
        cls.sources = [made, *sorted(REAL_BAGS.glob("v2.0_rosbag.js_example*.bag")),
                       *sorted(REAL_BAGS.glob("v2.0_*_arm_*.bag")),
                       REAL_BAGS / "derived" / "v2.0_demo_latched_live.bag"]

    def converted(self, source, version, *options):
        out = self.folder / f"{source.stem}_{version}.bag"
        kitbag("convert", "-f", source, out, "--format-version", version, *options)
        return out

    def test_roundtrip(self):
        for source in self.sources:
            for version in ("1.2", "1.1"):
                with self.subTest(f"{source.name} by {version}"):
                    old = self.converted(source, version)
                    self.assertEqual(info_of(old)["version"], version)
                    back = self.converted(old, "2.0")
                    self.assertEqual(kitbag_digest(old), kitbag_digest(source))
                    self.assertEqual(kitbag_digest(back), kitbag_digest(source))
                    self.assertEqual(digest(ros1.messages(back)), digest(ros1.messages(source)))
                    findings = kitbag("check", old, code=None).splitlines()[:-1]
                    self.assertEqual([f for f in findings if "definition" not in f], [])

    def test_version_1_2_keeps_nodes_and_latching(self):
        for source in self.sources:
            with self.subTest(source.name):
                back = self.converted(self.converted(source, "1.2"), "2.0")
                self.assertEqual(messages_by_real_rosbag(back), messages_by_real_rosbag(source))

    def test_real_rosbag_info_reads_version_1_2(self):
        for source in self.sources:
            with self.subTest(source.name):
                old = self.converted(source, "1.2")
                here, there = info_of(old), ros1.info(old)
                self.assertEqual((there["version"], there["indexed"]), (1.2, True))
                self.assertEqual(there["messages"], here["messages"])
                self.assertEqual((there["start"], there["end"]),
                                 tuple(round(here[key] / 1e9, 6) for key in ("start_ns", "end_ns")))
                self.assertEqual({t["topic"]: t["type"] for t in there["topics"]},
                                 {c["topic"]: c["type"] for c in here["channels"]})

    def test_the_real_cpp_reader_reads_version_1_2(self):
        """The encryptor of real rosbag, told not to encrypt, copies what its C++ View reads."""
        need(CPP_READER.exists(), "the C++ programs of the real rosbag are not installed")
        for order in ("time", "reverse_time", "file"):
            for source in self.sources:
                with self.subTest(f"{source.name} in order {order}"):
                    old = self.converted(source, "1.2", "--order", order)
                    out = self.folder / "read.bag"
                    run(CPP_READER, "-q", "-p", "rosbag/NoEncryptor", "--inbag", old, "-o", out)
                    self.assertEqual(kitbag_digest(out), kitbag_digest(source))

    def test_version_1_2_is_what_its_recorder_wrote(self):
        """Read and written again, a real bag is the same to the byte."""
        for bag, (version, _) in self.bags.items():
            if version != "1.2" or "derived" in bag.parts:
                continue
            with self.subTest(bag.name):
                again = self.converted(bag, "1.2", "--order", "file")
                self.assertEqual(again.read_bytes(), bag.read_bytes())


if __name__ == "__main__":
    peers.main()
