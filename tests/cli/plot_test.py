#!/usr/bin/env python3
"""`kitbag plot`: what is drawn is compared with what `kitbag cat` prints of the same messages."""

import csv
import importlib.util
import io
import math
import re
import struct
import unicodedata
import xml.etree.ElementTree as ET

from cli import BagFile, CliTest, main, u32
from peers import need
from terminal_test import STYLE, WIDTHS, Terminal, width_of

SVG = "{http://www.w3.org/2000/svg}"
SPEED = "/odom.twist.twist.linear.x"
TURN = "/odom.twist.twist.angular.z"
X, Y = "/odom.pose.pose.position.x", "/odom.pose.pose.position.y"
SECOND = 10**9
FIRST_COLORS = ("#1f77b4", "#d62728", "#2ca02c")
BRAILLE = re.compile("[\u2801-\u28ff]")


def f64(value):
    return struct.pack("<d", value)


class Drawn:
    """An SVG that was drawn, as XML."""

    def __init__(self, text):
        self.root = ET.fromstring(text)
        self.title = self.root.find(f"{SVG}title").text
        self.texts = [(float(each.get("x")), float(each.get("y")), each.get("text-anchor"),
                       each.text) for each in self.root.iter(f"{SVG}text")]
        self.curves = {}
        for path in self.root.iter(f"{SVG}path"):
            if (name := path.find(f"{SVG}title")) is not None:
                self.curves[name.text] = path

    def lines(self, name):
        """The lines of a curve, each a list of places."""
        lines = []
        for part in self.curves[name].get("d").split("M")[1:]:
            numbers = [float(each) for each in re.findall(r"-?[\d.]+", part.replace("h0", ""))]
            lines.append(list(zip(numbers[::2], numbers[1::2], strict=True)))
        return lines

    def spots(self, name):
        return [spot for line in self.lines(name) for spot in line]

    def scale(self, of_x):
        """What turns a value into a place, by the labels of an axis."""
        if of_x:
            bottom = max(y for _, y, anchor, _ in self.texts if anchor == "middle")
            ticks = [(x, text) for x, y, anchor, text in self.texts
                     if anchor == "middle" and bottom - 30 < y < bottom]
        else:
            ticks = [(y - 4, text) for _, y, anchor, text in self.texts if anchor == "end"]
        (at, first), (end, last) = ticks[0], ticks[-1]
        unit = (end - at) / (float(last) - float(first))
        return lambda value: at + (value - float(first)) * unit


class PlotTest(CliTest):
    def setUp(self):
        super().setUp()
        self.drive = self.path("drive.bag")
        self.kitbag("convert", "demo://?seconds=4&seed=7", self.drive)

    def plot(self, *arguments, out="plot.svg"):
        self.kitbag("plot", *arguments, "-o", out, "--force")
        content = (self.folder / out).read_bytes()
        return Drawn(content) if out.endswith("svg") else content

    def text(self, *arguments):
        return self.kitbag("plot", *arguments)

    def rows(self, field, *arguments):
        """(time in seconds, value) of each message, as `cat` has them."""
        topic, _, path = field.partition(".")
        text = self.kitbag("cat", self.drive, "--topics", topic, "--format", "csv", "--fields",
                           path, *arguments)
        rows = csv.DictReader(io.StringIO(text))
        return [(int(row["log_time_ns"]) / SECOND, float(row[path])) for row in rows]

    def make(self, name, definition, messages, topic="/a"):
        """A bag with one topic; `messages` are (seconds, payload)."""
        bag = BagFile(self.path(name))
        conn = bag.connection(topic, "test/Type", definition=definition)
        for begin in range(0, len(messages), 1000):
            bag.add_chunk([(conn, round(time * SECOND), payload)
                           for time, payload in messages[begin:begin + 1000]])
        bag.close()
        return self.path(name)

    def refused(self, *arguments):
        done = self.run_program("plot", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    # what is drawn

    def test_svg_has_the_values_that_cat_prints(self):
        drawn = self.plot(self.drive, SPEED, TURN, "--title", "Speed & <turn>")
        self.assertEqual(drawn.title, "Speed & <turn>")
        self.assertEqual(list(drawn.curves), [SPEED, TURN])
        start = 1767225600
        x_of, y_of = drawn.scale(True), drawn.scale(False)
        for field in (SPEED, TURN):
            rows = self.rows(field)
            spots = drawn.spots(field)
            self.assertEqual(len(rows), 200)
            self.assertEqual(len(spots), 200)
            for (time, value), (x, y) in zip(rows, spots, strict=True):
                self.assertAlmostEqual(x, x_of(time - start), delta=0.5)
                self.assertAlmostEqual(y, y_of(value), delta=0.7)
        for field in (SPEED, TURN):
            self.assertIn(field, [text for *_, text in drawn.texts])

    def test_png_has_the_curve_where_svg_has_it(self):
        need(importlib.util.find_spec("PIL"), "python3-pil is not installed")
        from PIL import Image
        # One value in ten columns: the curve is where the line between two is.
        options = (self.drive, SPEED, TURN, "--start", "+1s", "--duration", "1s")
        drawn = self.plot(*options)
        picture = Image.open(io.BytesIO(self.plot(*options, out="plot.png")))
        self.assertEqual((picture.size, picture.mode), ((1200, 600), "RGB"))
        for field, color in zip((SPEED, TURN), FIRST_COLORS, strict=False):
            wanted = tuple(bytes.fromhex(color[1:]))
            spots = drawn.spots(field)
            self.assertEqual(len(spots), 50)
            for (x0, y0), (x1, y1) in zip(spots, spots[1:], strict=False):
                middle = ((x0 + x1) / 2, (y0 + y1) / 2)
                near = [picture.getpixel((int(middle[0]), int(middle[1]) + dy))
                        for dy in (-1, 0, 1)]
                distance = min(max(abs(a - b) for a, b in zip(pixel, wanted, strict=True))
                               for pixel in near)
                self.assertLess(distance, 90, (field, middle, near))
        self.assertEqual(picture.getpixel((600, 590 // 2))[0] > 200, True)  # between the curves
        dark = Image.open(io.BytesIO(self.plot(*options, "--theme", "dark", "--size", "300x200",
                                               out="dark.png")))
        self.assertEqual(dark.size, (300, 200))
        self.assertLess(max(dark.getpixel((0, 0))), 50)

    def test_a_million_values_keep_their_peaks(self):
        """Ten bags of one topic, and one with a single peak, are one curve."""
        count = 100_000
        base = self.make("base.bag", "float64 x\n",
                         [(100 + i / 10_000, f64(math.sin(i / 50))) for i in range(count)])
        bags = [base]
        for i in range(1, 10):
            bags.append(self.path(f"{i}.bag"))
            self.kitbag("convert", base, bags[-1], "--shift", f"{10 * i}s")
        peak = self.make("peak.bag", "float64 x\n", [(153.2, f64(99.5))])
        done = self.kitbag("plot", *bags, peak, "/a.x", "-o", "all.svg")
        self.assertRegex(done, r"\Aall.svg: 1,000,001 values of 1 field, \d+\.\d KiB\n\Z")
        text = (self.folder / "all.svg").read_text()
        self.assertLess(len(text), 100_000)
        drawn = Drawn(text)
        spots = drawn.spots("/a.x")
        x_of, y_of = drawn.scale(True), drawn.scale(False)
        highest = min(spots, key=lambda spot: spot[1])
        self.assertAlmostEqual(highest[0], x_of(53.2), delta=1)
        self.assertAlmostEqual(highest[1], y_of(99.5), delta=0.7)
        # Each column of pixels spans some periods, and shows all of the sine. Places are rounded to
        # tenths, so a spot may be just beside its column.
        columns = {}
        for x, y in spots:
            for column in {int(x - 0.06), int(x), int(x + 0.06)}:
                columns.setdefault(column, []).append(y)
        self.assertGreater(len(columns), 1000)
        self.assertLessEqual(len(spots), 4 * len(columns))
        for column in range(int(x_of(0)) + 1, int(x_of(100)) - 1):
            self.assertAlmostEqual(max(columns[column]), y_of(-1), delta=0.7)

    def test_gaps(self):
        nan = float("nan")
        values = [1, 2, nan, 3, 4, float("inf"), 5, 6]
        bag = self.make("gaps.bag", "float64 x\n",
                        [(100 + i, f64(value)) for i, value in enumerate(values)])
        done = self.run_program("plot", bag, "/a.x", "-o", "gaps.svg")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr,
                         "kitbag: warning: /a.x: 1 infinite value is shown as gaps\n")
        drawn = Drawn((self.folder / "gaps.svg").read_text())
        self.assertEqual([len(line) for line in drawn.lines("/a.x")], [2, 2, 2])
        pause = self.make("pause.bag", "float64 x\n",
                          [(100 + i / 10 + (20 if i >= 50 else 0), f64(i)) for i in range(100)])
        self.assertEqual(len(self.plot(pause, "/a.x").lines("/a.x")), 2)
        self.assertEqual(len(self.plot(pause, "/a.x", "--gap", "30s").lines("/a.x")), 1)

    def test_states_and_whole_numbers(self):
        bag = self.make("states.bag", "bool on\nint8 n\n",
                        [(100 + i, bytes([i % 2, i])) for i in range(4)])
        drawn = self.plot(bag, "/a.on")
        labels = [text for _, _, anchor, text in drawn.texts if anchor == "end"]
        self.assertEqual(labels, ["false", "true"])
        self.assertEqual(len(drawn.spots("/a.on")), 7)  # steps
        labels = [text for _, _, anchor, text in self.plot(bag, "/a.n").texts if anchor == "end"]
        self.assertEqual(labels, ["0", "1", "2", "3"])

    def test_stacked(self):
        drawn = self.plot(self.drive, SPEED, TURN, "/imu.angular_velocity.z", "--stack")
        clips = [each for each in self.of_curves(drawn)]
        self.assertEqual(len({each.get("x") for each in clips}), 1)
        self.assertEqual(len({each.get("width") for each in clips}), 1)
        tops = [float(each.get("y")) for each in clips]
        heights = [float(each.get("height")) for each in clips]
        self.assertEqual(tops, sorted(tops))
        for top, height, below in zip(tops, heights, tops[1:], strict=False):
            self.assertLess(top + height, below)

    @staticmethod
    def of_curves(drawn):
        return list(drawn.root.iter(f"{SVG}svg"))[1:]

    def test_range_of_the_vertical_axis(self):
        drawn = self.plot(self.drive, SPEED, "--y", "0:0.42")
        clip = self.of_curves(drawn)[0]
        y_of = drawn.scale(False)
        self.assertAlmostEqual(y_of(0), float(clip.get("y")) + float(clip.get("height")) - 1,
                               delta=1)
        self.assertAlmostEqual(y_of(0.42), float(clip.get("y")) + 1, delta=1)

    def test_against_another_field(self):
        drawn = self.plot(self.drive, Y, "--against", X, "--equal")
        x_of, y_of = drawn.scale(True), drawn.scale(False)
        self.assertAlmostEqual(x_of(1) - x_of(0), y_of(0) - y_of(1), delta=1)
        spots = drawn.spots(Y)
        for (_, x), (_, y) in zip(self.rows(X), self.rows(Y), strict=True):
            nearest = min(math.hypot(a - x_of(x), b - y_of(y)) for a, b in spots)
            self.assertLess(nearest, 1)
        self.assertIn(X, [text for *_, text in drawn.texts])

    def test_times(self):
        texts = [text for *_, text in self.plot(self.drive, SPEED, "--times", "utc").texts]
        self.assertIn("2026-01-01 UTC", texts)
        self.assertIn("00:00:02.0", texts)
        texts = [text for *_, text in self.plot(self.drive, SPEED).texts]
        self.assertIn("seconds from 2026-01-01T00:00:00Z", texts)
        definition = ("Header header\nfloat64 x\n===\nMSG: std_msgs/Header\nuint32 seq\n"
                      "time stamp\nstring frame_id\n")
        bag = self.make("stamps.bag", definition,
                        [(100 + i, u32(i) + u32(50 + 2 * i) + u32(0) + u32(0) + f64(i))
                         for i in range(5)])
        drawn = self.plot(bag, "/a.x", "--by", "header_stamp")
        self.assertIn("header.stamp, seconds from 1970-01-01T00:00:50Z",
                      [text for *_, text in drawn.texts])
        self.assertAlmostEqual(drawn.spots("/a.x")[-1][0], drawn.scale(True)(8), delta=0.5)
        drawn = self.plot(bag, "/a.x", "--by", "publish_time")
        self.assertAlmostEqual(drawn.spots("/a.x")[-1][0], drawn.scale(True)(4), delta=0.5)

    def test_selections(self):
        for options in (["--start", "+1s"], ["--end", "-1s"], ["--count", "7"],
                        ["--start", "+1s", "--duration", "1s"],
                        ["--where", "twist.twist.linear.x > 0.42"]):
            rows = self.rows(SPEED, *options)
            self.assertLess(len(rows), 200)
            done = self.kitbag("plot", self.drive, SPEED, *options, "-o", "s.svg", "-f")
            self.assertIn(f"s.svg: {len(rows)} values of 1 field", done)
        drawn = self.plot(self.drive, "--fields", "header.seq", "--topics", "/imu", "/odom")
        self.assertEqual(list(drawn.curves), ["/imu.header.seq", "/odom.header.seq"])
        drawn = self.plot(self.drive, "--fields", "header.seq", "--exclude", "/[!io]*")
        self.assertEqual(list(drawn.curves), ["/imu.header.seq", "/odom.header.seq"])
        drawn = self.plot(self.drive, "/scan/ranges[3]",
                          "/scan.ranges[4],/odom/twist/twist/linear/x")
        self.assertEqual(list(drawn.curves), ["/scan.ranges[3]", "/scan.ranges[4]", SPEED])

    def test_bags_in_a_pipe_and_in_folders(self):
        self.kitbag("convert", self.drive, self.path("drive.mcap"))
        content = (self.folder / "drive.mcap").read_bytes()
        file = self.run_program("plot", "drive.mcap", SPEED, text=False).stdout
        pipe = self.run_program("plot", "-", SPEED, text=False, input=content)
        self.assertEqual((pipe.returncode, pipe.stderr), (0, b""))
        shape = [line for line in pipe.stdout.splitlines() if b"seconds" not in line]
        self.assertEqual(shape, [line for line in file.splitlines() if b"seconds" not in line])
        wrong = self.run_program("plot", "-", SPEED + "x", text=False, input=content)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn(b"has no field twist.twist.linear.xx; similar fields: twist.twist.linear.x",
                      wrong.stderr)
        folder = self.folder / "folder"
        folder.mkdir()
        self.kitbag("split", self.drive, folder / "part.bag", "--split-duration", "2s")
        done = self.kitbag("plot", "-r", "folder", SPEED, "-o", "r.svg")
        self.assertIn("r.svg: 200 values", done)

    # text

    def test_text_fits_the_terminal(self):
        for columns in WIDTHS:
            terminal = Terminal(self, columns, *self.program_line("plot", self.drive, SPEED, TURN),
                                TERM="xterm", NO_COLOR="")
            self.assertEqual(terminal.until_the_end(), 0, terminal.shown)
            shown = terminal.shown.replace("\r", "")
            self.assertIn("\x1b[36m", shown)
            self.assertIn("\x1b[33m", shown)
            lines = STYLE.sub("", shown[shown.index(" \x1b[36m──"):]).splitlines()
            self.assertEqual(len(lines), 23)  # and one for the prompt
            self.assertLessEqual(max(map(width_of, lines)), columns)
            self.assertGreater(max(map(width_of, lines)), columns - 3)
            self.assertIn(SPEED, lines[0])
            self.assertTrue(all(BRAILLE.search(shown) for line in lines[1:2]))

    @staticmethod
    def program_line(*words):
        from peers import program
        return [program(), *map(str, words)]

    def test_text_in_a_pipe(self):
        text = self.text(self.drive, SPEED, TURN)
        self.assertNotIn("\x1b", text)
        lines = text.splitlines()
        self.assertEqual(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 80)
        # Without colors, each field has a plot of its own.
        self.assertEqual([line.split()[1] for line in lines if "──" in line and "/" in line],
                         [SPEED, TURN])
        text = self.text(self.drive, SPEED, TURN, "--color", "always", "--width", "50", "--height",
                         "12")
        self.assertEqual(len(text.splitlines()), 12)
        self.assertIn("\x1b[36m", text)
        self.assertNotIn("\x1b", self.text(self.drive, SPEED, "--color", "never"))

    def test_a_low_text_has_two_labels_at_least(self):
        """The values span less than a step of their labels at that height would."""
        bag = self.make("low.bag", "float64 x\n", [(100 + i, f64(i / 10 - 4)) for i in range(101)])
        for height in ("8", "9", "10"):
            lines = self.text(bag, "/a.x", "--width", "60", "--height", height).splitlines()
            self.assertGreaterEqual(sum("┤" in line for line in lines), 2, lines)

    def test_text_shows_the_values(self):
        bag = self.make("line.bag", "float64 x\n", [(100 + i, f64(i)) for i in range(101)])
        lines = self.text(bag, "/a.x", "--width", "60", "--height", "20").splitlines()
        columns = {}
        for row, line in enumerate(lines):
            for column, letter in enumerate(line):
                if BRAILLE.match(letter):
                    columns.setdefault(column, []).append(row)
        ordered = [sum(rows) / len(rows) for _, rows in sorted(columns.items())]
        self.assertGreater(len(ordered), 50)
        self.assertEqual(ordered, sorted(ordered, reverse=True))
        self.assertEqual(unicodedata.category(lines[1].strip()[-1]), "So")

    # what goes wrong

    def test_wrong_names(self):
        self.assertIn("/odom has no field twist.twist.linar.x; similar fields: twist.twist.linear",
                      self.refused(self.drive, "/odom.twist.twist.linar.x"))
        self.assertIn("no topic for the field /odon.x; similar topics: /odom",
                      self.refused(self.drive, "/odon.x"))
        self.assertIn("name a field of /odom, such as", self.refused(self.drive, "/odom"))
        self.assertIn("/odom.child_frame_id is not a number; choose a number in it",
                      self.refused(self.drive, "/odom.child_frame_id"))
        self.assertIn("an element: ranges[3]", self.refused(self.drive, "/scan.ranges"))
        self.assertIn("name at least one field to plot, such as /", self.refused(self.drive))
        self.assertIn("if it is a field, put the name of its topic in front: /odom.x",
                      self.refused(self.drive, "x"))
        self.assertIn("; did you mean /odom.twist.twist.linear.x?",
                      self.refused(self.drive, "odom.twist.twist.linear.x"))
        self.assertIn("no bag given; there is no file /nowhere.bag",
                      self.refused("/nowhere.bag", SPEED))
        self.assertIn("no topic matches", self.refused(self.drive, SPEED, "--topics", "/nowhere"))
        self.assertIn("no selected topic has a field sped",
                      self.refused(self.drive, "--fields", "sped"))
        self.assertIn("at most 16",
                      self.refused(self.drive, *(f"/scan.ranges[{i}]" for i in range(17))))

    def test_options_that_do_not_fit(self):
        for options, text in ((["-o", "x.pdf"], "cannot determine the format"),
                              (["--size", "300x200"], "--size is of SVG and PNG"),
                              (["--theme", "dark"], "--theme is of SVG and PNG"),
                              (["--format", "svg"], "--format svg and png require -o"),
                              (["--width", "40", "-o", "x.svg"], "--width and --height are"),
                              (["--color", "never", "-o", "x.svg"], "--color is of text"),
                              (["--equal"], "--equal requires --against"),
                              (["--against", X, "--times", "utc"], "--times is of the axis"),
                              (["--against", X, "--gap", "1s"], "--gap is of the axis of time"),
                              (["--against", X, "--equal", "--y", "0:1"], "exclude each other"),
                              (["--y", "1:0"], "invalid range"), (["--y", "0"], "invalid range"),
                              (["--y", "nan:1"], "invalid range"),
                              (["--size", "99x300", "-o", "x.svg"], "invalid size"),
                              (["--size", "300", "-o", "x.svg"], "invalid size"),
                              (["--width", "10"], "from 30 to 1000"),
                              (["--height", "3"], "from 8 to 1000"),
                              (["--stack", "--height", "8", TURN, X, Y], "do not fit into 8")):
            self.assertIn(text, self.refused(self.drive, SPEED, *options), options)
        self.assertNotIn("x.svg", self.files())

    def test_files_are_replaced_on_request_only(self):
        for out in ("plot.svg", "plot.png", "plot.txt"):
            self.kitbag("plot", self.drive, SPEED, "-o", out)
            before = (self.folder / out).read_bytes()
            self.assertIn("already exists", self.refused(self.drive, TURN, "-o", out))
            self.assertEqual((self.folder / out).read_bytes(), before)
            self.kitbag("plot", self.drive, TURN, "-o", out, "--force")
            self.assertNotEqual((self.folder / out).read_bytes(), before)
        self.assertIn("does not exist", self.refused(self.drive, SPEED, "-o", "no/where.svg"))
        svg = self.kitbag("plot", self.drive, SPEED, "-o", "-", "--format", "svg")
        self.assertEqual(list(Drawn(svg).curves), [SPEED])

    def test_messages_that_cannot_be_decoded(self):
        bag = self.make("short.bag", "float64 x\n",
                        [(100, f64(1)), (101, f64(2)), (102, b"xyz"), (103, f64(4)), (104, f64(5))])
        done = self.run_program("plot", bag, "/a.x", "-o", "short.svg")
        self.assertEqual(done.returncode, 0)
        self.assertIn("/a: 1 message", done.stderr)
        lines = Drawn((self.folder / "short.svg").read_text()).lines("/a.x")
        self.assertEqual([len(line) for line in lines], [4])
        self.run_program("plot", bag, "/a.x", "-o", "short.svg", "-f", "--on-error", "raw")
        lines = Drawn((self.folder / "short.svg").read_text()).lines("/a.x")
        self.assertEqual([len(line) for line in lines], [2, 2])
        self.assertIn("/a", self.refused(bag, "/a.x", "--on-error", "stop"))

    def test_hostile_names(self):
        topic = '/<script>alert("1")</script>\x1b[31m&\udcff'
        bag = self.make("hostile.bag", "float64 x\n", [(100, f64(1)), (101, f64(2))], topic=topic)
        self.kitbag("plot", bag, "--fields", "x", "-o", "h.svg", "--title", "]]>\x07<b>")
        text = (self.folder / "h.svg").read_text()
        self.assertNotIn("<script", text)
        self.assertNotIn("\x1b", text)
        drawn = Drawn(text)
        self.assertEqual(list(drawn.curves),
                         ['/<script>alert("1")</script>\\x1b[31m&\\xff.x'])
        self.assertNotIn("\x1b", self.text(bag, "--fields", "x", "--title", "\x1b[31mred"))
        self.kitbag("plot", bag, "--fields", "x", "-o", "h.png")


if __name__ == "__main__":
    main()
