#!/usr/bin/env python3
"""What messages say: printed, selected by, brought to other encodings and definitions."""

import csv
import json
import struct
from pathlib import Path

from cli import START_NS, BagFile, CliTest, main

SCAN = "Header header\nfloat32[] ranges\nuint8[] raw\nfloat64[3] fixed\n" + "=" * 80 + (
    "\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n")


def scan(seq, ranges, frame="base"):
    text = frame.encode()
    data = struct.pack("<IIII", seq, 10, 20, len(text)) + text
    data += struct.pack(f"<I{len(ranges)}f", len(ranges), *ranges)
    return data + struct.pack("<I3B", 3, 1, 2, 3) + struct.pack("<3d", 1, 2.5, float("nan"))


class PayloadTest(CliTest):
    def setUp(self):
        super().setUp()
        self.scans = self.path("scans.bag")
        self.write_scans("scans.bag", [scan(7, [0.5, 1.5]), scan(8, [3.0]), scan(9, [], "map")])

    def write_scans(self, name, payloads):
        self.write(name, "/scan", "test_msgs/Scan", SCAN, payloads)

    def write(self, name, topic, type_, text, payloads):
        bag = BagFile(self.path(name))
        conn = bag.connection(topic, type_, definition=text)
        bag.add_chunk([(conn, START_NS + i * 10**9, payload)
                       for i, payload in enumerate(payloads)])
        bag.close()

    def frames(self, *arguments):
        return [each["data"]["header"]["frame_id"] for each in self.messages(*arguments)]


class PrintTest(PayloadTest):
    def test_json_is_the_message(self):
        first = self.messages(self.scans)[0]["data"]
        self.assertEqual(first, {"header": {"seq": 7, "stamp": {"sec": 10, "nsec": 20},
                                            "frame_id": "base"},
                                 "ranges": [0.5, 1.5], "raw": "AQID", "fixed": [1, 2.5, None]})

    def test_nan_and_bytes_as_asked(self):
        def first(*options):
            return self.messages(self.scans, "--count", "1", *options)[0]["data"]
        self.assertEqual(first("--nan", "string")["fixed"], [1, 2.5, "NaN"])
        self.assertEqual(first("--bytes", "array")["raw"], [1, 2, 3])
        self.assertIsNone(first("--bytes", "omit")["raw"])

    def test_fields(self):
        only = self.messages(self.scans, "--fields", "header.stamp,ranges", "--count", "1")[0]
        self.assertEqual(only["data"], {"header": {"stamp": {"sec": 10, "nsec": 20}},
                                        "ranges": [0.5, 1.5]})
        self.fails("cat", self.scans, "--fields", "header.nothing", "--on-error", "stop",
                   saying="std_msgs/Header has no field nothing")
        self.fails("cat", self.scans, "--fields", "header", "--format", "raw", saying="--fields")

    def test_csv_has_a_column_a_field(self):
        rows = list(csv.reader(self.kitbag("cat", self.scans, "--format", "csv").splitlines()))
        self.assertEqual(rows[0][3:], ["header.seq", "header.stamp.sec", "header.stamp.nsec",
                                       "header.frame_id", "ranges", "raw", "fixed[0]", "fixed[1]",
                                       "fixed[2]"])
        self.assertEqual(rows[1][3:], ["7", "10", "20", "base", "[0.5,1.5]", '"AQID"', "1", "2.5",
                                       "nan"])
        self.assertEqual(len(rows), 4)
        some = self.kitbag("cat", self.scans, "--format", "csv", "--fields", "header.frame_id")
        self.assertEqual([row[3] for row in csv.reader(some.splitlines())],
                         ["header.frame_id", "base", "base", "map"])
        self.fails("cat", self.bag, "--format", "csv", "--on-error", "stop",
                   saying="columns for one type")

    def test_csv_refuses_two_definitions_of_one_name(self):
        """Values would stand in the wrong columns."""
        two = struct.pack("<2d", 1, 2)
        self.write("old.bag", "/p", "a/P", "float64 width\nfloat64 height\n", [two])
        self.write("new.bag", "/p", "a/P", "float64 height\nfloat64 width\n", [two])
        self.write("same.bag", "/p", "a/P", "float64 width  # m\nfloat64 height\n", [two])
        for options in ([], ["--fields", "width"]):
            self.fails("cat", "old.bag", "new.bag", "--format", "csv", "--on-error", "stop",
                       *options, saying="two definitions of a/P")
            done = self.run_program("cat", "old.bag", "new.bag", "--format", "csv", *options)
            self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 2))
            self.assertIn("/p: 1 message left out", done.stderr)
            self.assertEqual(len(self.kitbag("cat", "old.bag", "same.bag", "--format", "csv",
                                             *options).splitlines()), 3)

    def test_csv_names_each_column_differently(self):
        self.write("x.bag", "/p", "a/P", "float64 topic\nfloat64 topic_\n",
                   [struct.pack("<2d", 1, 2)])
        head = self.kitbag("cat", "x.bag", "--format", "csv").splitlines()[0]
        self.assertEqual(head, "log_time_ns,publish_time_ns,topic,topic_,topic__")

    def test_yaml_is_read_as_what_it_is(self):
        text = self.kitbag("cat", self.scans, "--format", "yaml", "--count", "1")
        self.assertIn('frame_id: "base"\n', text)
        self.assertIn("ranges: [0.5, 1.5]\n", text)
        self.assertIn("fixed: [1, 2.5, .nan]\n", text)
        self.assertTrue(text.endswith("\n---\n"))

    def test_nth_prints_the_same(self):
        one = json.loads(self.kitbag("nth", self.scans, "/scan", "1", "--fields", "ranges"))
        self.assertEqual(one["data"], {"ranges": [3.0]})

    def test_what_cannot_be_decoded(self):
        self.write_scans("bad.bag", [scan(1, []), b"\1\2\3", scan(2, [])])
        bad = self.path("bad.bag")
        done = self.run_program("cat", bad)
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 2))
        self.assertIn("/scan: 1 message left out; /scan at 2023-11-14T22:13:21", done.stderr)
        self.assertIn("field header.seq", done.stderr)
        done = self.run_program("cat", bad, "--on-error", "raw")
        self.assertEqual(json.loads(done.stdout.splitlines()[1])["data_base64"], "AQID")
        done = self.run_program("nth", bad, "/scan", "1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("the requested message cannot be decoded", done.stderr)
        done = self.run_program("nth", bad, "/scan", "1", "--on-error", "raw")
        self.assertEqual((done.returncode, "AQID" in done.stdout), (0, True), done.stderr)
        self.fails("cat", bad, "--on-error", "stop", saying="field header.seq: .* missing")
        self.fails("convert", bad, "out.mcap", "--encoding", "cdr", saying="field header.seq")
        self.assertNotIn("out.mcap", self.files())
        done = self.run_program("convert", bad, "out.mcap", "--encoding", "cdr", "--on-error",
                                "skip")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 message left out", done.stderr)
        self.assertEqual(len(self.messages("out.mcap")), 2)


class WhereTest(PayloadTest):
    def test_cat_and_convert(self):
        self.assertEqual(self.frames(self.scans, "--where", "ranges > 1.0"), ["base", "base"])
        self.assertEqual(self.frames(self.scans, "--where", 'header.frame_id == "map"'), ["map"])
        self.assertEqual(self.frames(self.scans, "--where", "ranges > 1.0", "--count", "1"),
                         ["base"])
        self.kitbag("filter", self.scans, "out.bag", "--where", "header.seq >= 8")
        self.assertEqual(self.frames("out.bag"), ["base", "map"])

    def test_a_bag_of_nothing_is_told(self):
        done = self.run_program("filter", self.scans, "out.bag", "--where", "header.seq > 1000")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "kitbag: warning: no message meets the condition\n"))
        self.assertEqual(self.info("out.bag")["messages"], 0)
        self.kitbag("filter", "-f", self.scans, "out.bag", "--where", "header.seq > 1000",
                    "--count", "0")

    def test_a_field_that_no_topic_has(self):
        saying = 'no topic has all fields of the condition "nope > 1"'
        self.fails("cat", self.scans, "--where", "nope > 1", saying=saying)
        self.fails("filter", self.scans, "out.bag", "--where", "nope > 1", saying=saying)
        self.assertNotIn("out.bag", self.files())

    def test_a_topic_that_cannot_be_decoded(self):
        self.write("broken.bag", "/scan", "test_msgs/Scan", "Heade? header\n", [scan(1, [])])
        done = self.run_program("cat", "broken.bag", "--where", "header.seq > 0")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("is not a valid type; the topic is left out", done.stderr)
        done = self.run_program("convert", "broken.bag", "out.mcap", "--encoding", "cdr",
                                "--on-error", "skip")
        self.assertIn("is not a valid type; the topic is left out", done.stderr)

    def test_a_condition_that_is_none(self):
        self.fails("cat", self.scans, "--where", "ranges >", saying="character 9, got the end")


class EncodingTest(PayloadTest):
    def test_there_and_back(self):
        for encoding in ("cdr", "protobuf", "json"):
            with self.subTest(encoding):
                there, back = f"{encoding}.mcap", f"{encoding}.bag"
                self.kitbag("convert", self.scans, there, "--encoding", encoding)
                self.kitbag("convert", there, back, "--encoding", "ros1")
                self.assertEqual(self.digest(back), self.digest(self.scans))

    def test_a_sequence_for_a_counter(self):
        self.kitbag("convert", self.scans, "cdr.mcap", "--encoding", "cdr")
        seen = self.messages("cdr.mcap")
        self.assertEqual([each["sequence"] for each in seen], [7, 8, 9])
        self.assertEqual(list(seen[0]["data"]["header"]), ["stamp", "frame_id"])
        channel = self.info("cdr.mcap")["channels"][0]
        self.assertEqual((channel["encoding"], channel["type"], channel["schema_language"]),
                         ("cdr", "test_msgs/msg/Scan", "ros2msg"))

    def test_counters_inside_are_told(self):
        inside = "Header[] headers\n" + SCAN[SCAN.index("=" * 80):]
        stamped = struct.pack("<IIIII", 1, 5, 0, 0, 0)
        self.write("inside.bag", "/many", "test_msgs/Many", inside, [stamped])
        done = self.run_program("convert", "inside.bag", "out.mcap", "--encoding", "cdr")
        self.assertEqual(done.returncode, 0)
        self.assertIn("/many: the counter (seq) of a nested header is dropped in 1 message",
                      done.stderr)

    def test_an_encoding_that_is_none(self):
        self.fails("convert", self.scans, "out.mcap", "--encoding", "morse",
                   saying="supported encodings: ros1, cdr")


class EvolutionTest(PayloadTest):
    def setUp(self):
        super().setUp()
        self.define("test_msgs", "Scan",
                    "std_msgs/Header header\nfloat64[] ranges\nstring note\nuint8[] raw\n")
        self.define("std_msgs", "Header", "uint32 seq\ntime stamp\nstring frame_id\n")

    def define(self, package, name, text):
        folder = self.folder / "definitions" / package / "msg"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.msg").write_text(text)

    def test_to_new_definitions(self):
        self.kitbag("convert", self.scans, "new.bag", "--to-definitions", "definitions")
        first = self.messages("new.bag")[0]["data"]
        self.assertEqual(list(first), ["header", "ranges", "note", "raw"])
        self.assertEqual((first["ranges"], first["note"]), ([0.5, 1.5], ""))
        self.assertIn("sound", self.kitbag("check", "new.bag"))
        self.assertEqual(self.messages(self.scans, "--to-definitions", "definitions")[0]["data"],
                         first)

    def test_rules(self):
        Path(self.path("rules.yaml")).write_text(
            "types: {test_msgs/Scan: test_msgs/Sweep}\n"
            "fields: {test_msgs/Sweep: {ranges: distances}}\n"
            "fill: {test_msgs/Sweep: {note: from a scan}}\n")
        self.define("test_msgs", "Sweep", "string note\nfloat32[] distances\n")
        self.kitbag("convert", self.scans, "new.bag", "--to-definitions", "definitions",
                    "--migrate", "rules.yaml")
        message = self.messages("new.bag")[0]
        self.assertEqual(message["type"], "test_msgs/Sweep")
        self.assertEqual(message["data"], {"note": "from a scan", "distances": [0.5, 1.5]})
        self.fails("convert", self.scans, "x.bag", "--migrate", "rules.yaml",
                   saying="requires --to-definitions DIR or --encoding")
        Path(self.path("idle.yaml")).write_text(
            "types: {test_msgs/Typo: test_msgs/Sweep}\nfields: {test_msgs/Scan: {typo: note}}\n")
        self.fails("convert", self.scans, "idle.bag", "--to-definitions", "definitions",
                   "--migrate", "idle.yaml", code=0,
                   saying="the rules for test_msgs/Scan, test_msgs/Typo apply to no topic")
        Path(self.path("bad.yaml")).write_text("nonsense: {}\n")
        self.fails("convert", self.scans, "x.bag", "--to-definitions", "definitions", "--migrate",
                   "bad.yaml", saying="bad.yaml: rules, line 1")

    def test_what_cannot_be_carried(self):
        self.define("test_msgs", "Scan", "std_msgs/Header header\nint32[] ranges\n")
        self.fails("convert", self.scans, "new.bag", "--to-definitions", "definitions",
                   saying=r"/scan as test_msgs/Scan: ranges\[\]: float32 cannot be converted to "
                          r"int32")
        self.assertNotIn("new.bag", self.files())
        told = self.kitbag("check", self.scans, "--to-definitions", "definitions", code=1)
        self.assertIn("cannot be converted: ranges[]: float32", told)

    def test_check_tells_where_each_channel_stands(self):
        told = self.kitbag("check", self.scans, "--to-definitions", "definitions")
        self.assertIn("/scan (test_msgs/Scan): another definition, can be converted", told)
        told = self.kitbag("check", self.bag, "--to-definitions", "definitions")
        self.assertEqual(told.count("not compared"), 3)
        self.fails("check", self.bag, "--to-definitions", "nowhere", saying="folder does not exist")


class TypesTest(PayloadTest):
    def test_names_and_definitions(self):
        self.assertRegex(self.kitbag("types", self.scans),
                         r"(?m)^test_msgs/Scan +ros1msg +/scan$")
        self.assertEqual(self.kitbag("types", self.scans, "test_msgs/Scan"), SCAN)
        ros2 = self.kitbag("types", self.scans, "test_msgs/Scan", "--language", "ros2msg")
        self.assertTrue(ros2.startswith("std_msgs/Header header\nfloat32[] ranges\n"), ros2)
        idl = self.kitbag("types", self.scans, "test_msgs/Scan", "--language", "ros2idl")
        self.assertIn("sequence<float> ranges;", idl)
        self.fails("types", self.scans, "test_msgs/Other", saying="no channel")
        self.fails("types", self.scans, "test_msgs/Scan", "--language", "latin", saying="latin")


if __name__ == "__main__":
    main()
