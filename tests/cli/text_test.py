#!/usr/bin/env python3
"""Messages as text: CSV for other programs, fields in the order asked for, files by topic, and what
a terminal shows."""

import csv
import fcntl
import importlib.util
import io
import json
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

from cli import START_NS, BagFile, CliTest, main
from peers import need, program

WALL = """time stamp
duration late
float64 value
float32[] many
uint8[] raw
Point[] points
================
MSG: test_msgs/Point
float64 x
string name
"""


def wall(value, many=(), points=()):
    data = struct.pack("<IIiid", 1_700_000_000, 5, -2, 500_000_000, value)
    data += struct.pack(f"<I{len(many)}f", len(many), *many)
    data += struct.pack("<I3B", 3, 1, 2, 3) + struct.pack("<I", len(points))
    for x, name in points:
        data += struct.pack("<dI", x, len(name)) + name.encode()
    return data


class TextTest(CliTest):
    def write(self, name, messages):
        bag = BagFile(self.path(name))
        connections = {}
        for topic, _ in messages:
            if topic not in connections:
                connections[topic] = bag.connection(topic, "test_msgs/Wall", definition=WALL)
        bag.add_chunk([(connections[topic], START_NS + i * 10**9, payload)
                       for i, (topic, payload) in enumerate(messages)])
        bag.close()
        return self.path(name)

    def walls(self):
        nan = float("nan")
        return self.write("walls.bag", [("/wall", payload) for payload in (
            wall(1.5, range(40), [(1, "a"), (2, "b")]), wall(nan), wall(float("inf")),
            wall(-float("inf"), [nan]))])

    def rows(self, *arguments):
        return list(csv.reader(io.StringIO(self.kitbag("cat", "--format", "csv", *arguments))))


class CsvTest(TextTest):
    def test_numbers_that_are_none(self):
        rows = self.rows(self.walls(), "--fields", "value,many[0]")
        self.assertEqual(rows[0][3:], ["value", "many[0]"])
        self.assertEqual([row[3:] for row in rows[1:]],
                         [["1.5", "0"], ["nan", ""], ["inf", ""], ["-inf", "nan"]])

    def test_pandas_reads_them_as_numbers(self):
        need(importlib.util.find_spec("pandas"), "pandas is not installed")
        import pandas
        text = self.kitbag("cat", self.walls(), "--format", "csv", "--fields", "value",
                           "--time-format", "iso")
        table = pandas.read_csv(io.StringIO(text), parse_dates=["log_time"])
        self.assertEqual(str(table["value"].dtype), "float64")
        self.assertEqual(table["value"].isna().tolist(), [False, True, False, False])
        self.assertEqual(table["value"][2], float("inf"))
        self.assertEqual([time.value for time in table["log_time"]],
                         [START_NS + i * 10**9 for i in range(4)])

    def test_times(self):
        def first(form):
            rows = self.rows(self.walls(), "--count", "1", "--fields", "stamp,late",
                             "--time-format", form)
            return dict(zip(*rows))
        self.assertEqual(first("ns"), {"log_time_ns": str(START_NS),
                                       "publish_time_ns": str(START_NS), "topic": "/wall",
                                       "stamp.sec": "1700000000", "stamp.nsec": "5",
                                       "late.sec": "-2", "late.nsec": "500000000"})
        self.assertEqual(first("seconds"), {"log_time": "1700000000.000000000",
                                            "publish_time": "1700000000.000000000",
                                            "topic": "/wall", "stamp": "1700000000.000000005",
                                            "late": "-1.500000000"})
        iso = first("iso")
        self.assertEqual(iso["stamp"], "2023-11-14T22:13:20.000000005Z")
        self.assertEqual(iso["late"], "-1.500000000")
        self.fails("cat", self.bag, "--time-format", "iso", saying="requires --format csv")


class FieldsTest(TextTest):
    def test_order_and_elements(self):
        bag = self.walls()
        def first(fields):
            line = self.kitbag("cat", bag, "--count", "1", "--fields", fields)
            return json.dumps(json.loads(line)["data"], separators=(",", ":"))
        self.assertEqual(first("value,stamp"),
                         '{"value":1.5,"stamp":{"sec":1700000000,"nsec":5}}')
        self.assertEqual(first("points[1].name,many[-1],points[1].x"),
                         '{"points":[{"name":"b","x":2}],"many":[39]}')
        self.assertEqual(first("points.name,points[0].x"),
                         '{"points":[{"name":"a","x":1},{"name":"b"}]}')
        self.assertEqual(first("points[7].x"), '{"points":[]}')
        rows = self.rows(bag, "--fields", "points[1].x,value,points.name,points[-2].name",
                         "--count", "2")
        self.assertEqual(rows[0][3:], ["points[1].x", "value", "points.name", "points[-2].name"])
        self.assertEqual([row[3:] for row in rows[1:]],
                         [["2", "1.5", '["a","b"]', "a"], ["", "nan", "[]", ""]])

    def test_fields_that_exist_nowhere(self):
        bag = self.walls()
        self.fails("cat", bag, "--fields", "valeu", saying="no field valeu .*; similar: value")
        self.fails("cat", bag, "--fields", "points[0].y", saying="similar: points")
        self.fails("cat", bag, self.bag, "--fields", "valeu", saying="; similar: value")
        self.fails("cat", bag, "--fields", "value[0]", saying="value is no list")
        self.fails("cat", bag, "--fields", "value..x", saying="invalid field path")
        self.fails("nth", bag, "/wall", "0", "--fields", "nope", saying="no field nope")


class SplitTest(TextTest):
    def test_a_file_for_each_topic(self):
        self.kitbag("cat", self.bag, "--format", "csv", "--split-by-topic", "out")
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         ["chatter.csv", "count.csv", "tick.csv"])
        for name in ("chatter", "count", "tick"):
            text = Path(self.path(f"out/{name}.csv")).read_text()
            self.assertEqual(text, self.kitbag("cat", self.bag, "--format", "csv", "--topics",
                                               f"/{name}"))
        self.fails("cat", self.bag, "--format", "csv", "--split-by-topic", "out",
                   saying="the file exists; choose another folder")
        self.fails("cat", self.bag, "--format", "raw", "--split-by-topic", "raw",
                   saying="requires --format json, yaml or csv")

    def test_names_of_topics_from_strangers(self):
        topics = ["/a/b", "/a_b", "/A_B", "a_b-2", "../../up", "/", ".hidden", "/x\ny", "/con:",
                  "/" + 300 * "long", "/" + 300 * "long" + "er"]
        bag = self.write("hostile.bag", [(topic, wall(1)) for topic in topics])
        before = self.files()
        self.kitbag("cat", bag, "--format", "csv", "--split-by-topic", "out")
        self.assertEqual(self.files(), sorted([*before, "out"]))
        files = list(Path(self.path("out")).iterdir())
        self.assertEqual(len({file.name.lower() for file in files}), len(topics))
        found = set()
        for file in files:
            self.assertRegex(file.name, r"\A[A-Za-z0-9_-]{1,110}\.csv\Z")
            rows = list(csv.reader(io.StringIO(file.read_text())))
            self.assertEqual(len(rows), 2)
            found.add(rows[1][2])
        self.assertEqual(len(found), len(topics))


class TerminalTest(TextTest):
    def shown(self, *arguments, width=80, **environment):
        """What a terminal of that width gets."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        known = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        process = subprocess.Popen([program(), "cat", *arguments], stdout=slave, stderr=slave,
                                   stdin=subprocess.DEVNULL, env={**known, **environment})
        os.close(slave)
        text = b""
        try:
            while piece := os.read(master, 1 << 16):
                text += piece
        except OSError:  # the other side is closed
            pass
        os.close(master)
        self.assertEqual(process.wait(60), 0, text)
        return text.decode().replace("\r\n", "\n")

    def test_long_lists_are_cut(self):
        bag = self.walls()
        whole = self.kitbag("cat", bag)
        for width in (60, 80, 120):
            lines = self.shown(bag, "--color", "never", width=width).splitlines()
            data = json.loads(lines[0])["data"]
            self.assertEqual(data["many"], [*range(16), "... 24 more"])
            self.assertEqual([point["name"] for point in data["points"]], ["a", "b"])
        self.assertEqual(self.shown(bag, "--color", "never", "--full"), whole)
        self.assertIn('"many":[0,1,"... 38 more"],"raw":"... 3 bytes"',
                      self.shown(bag, "--color", "never", "--elide", "2"))
        self.assertIn("many: [0, 1, \"... 38 more\"]",
                      self.shown(bag, "--format", "yaml", "--elide", "2"))
        self.assertEqual(json.loads(whole.splitlines()[0])["data"]["many"], list(range(40)))
        cut = json.loads(self.kitbag("cat", bag, "--elide", "1", "--count", "1"))["data"]
        self.assertEqual(cut["points"], [{"x": 1, "name": "a"}, "... 1 more"])
        self.fails("cat", bag, "--elide", "2", "--full", saying="--elide")

    def test_csv_of_several_types_is_one_warning(self):
        done = self.run_program("cat", self.bag, "--format", "csv")
        self.assertEqual(done.returncode, 0)
        [first] = {line.split(",")[2] for line in done.stdout.splitlines()[1:]}
        self.assertEqual(done.stderr, (
            f"kitbag: warning: CSV has columns for one type, here that of {first}; 200 messages of "
            "2 topics with other types left out; choose with --topics, or write a file for each "
            "topic with kitbag cat --split-by-topic DIR\n"))

    def test_topics_have_colors(self):
        bag = self.walls()
        colored = re.compile("\x1b\\[\\d+m")
        for options in ([], ["--format", "yaml"], ["--format", "csv"]):
            text = self.shown(bag, *options)
            self.assertEqual(len(colored.findall(text)), 8, text)
            plain = self.shown(bag, *options, "--color", "never")
            self.assertEqual(colored.sub("", text), plain)
            self.assertNotIn("\x1b", plain)
            self.assertEqual(self.shown(bag, *options, NO_COLOR="1"), plain)
            self.assertIn("\x1b", self.shown(bag, *options, "--color", "always", NO_COLOR="1"))
            self.assertNotIn("\x1b", self.kitbag("cat", bag, *options))
            self.assertIn("\x1b", self.kitbag("cat", bag, *options, "--color", "always"))


if __name__ == "__main__":
    main()
