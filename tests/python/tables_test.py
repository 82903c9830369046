#!/usr/bin/env python3
"""kitbag.export(), import_tables() and plot(): files, bags and plots are those of the program, byte
for byte, and what is raised meanwhile ends them."""

import csv
import json
import shutil
import sys
import threading
import warnings
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from make_bag import BagFile  # noqa: E402
from peers import kitbag as program  # noqa: E402
from peers import main  # noqa: E402
from python_package import FolderTest, kitbag, make_demo  # noqa: E402

FIELD = "/odom.twist.twist.linear.x"
X = "pose.pose.position.x"


def contents(folder):
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file()}


class TablesTest(FolderTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bag = make_demo(cls.folder / "demo.bag", 2)

    def setUp(self):
        super().setUp()
        self.ours, self.theirs = self.folder / "ours", self.folder / "theirs"

    def left(self):
        return [path.name for path in self.folder.iterdir()]

    def warned(self, call, *arguments, **more):
        """What it returns, and its warnings, which are of types and not of damage."""
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            result = call(*arguments, **more)
        self.assertEqual({each.category for each in seen} - {kitbag.TypeWarning}, set())
        return result, [str(each.message) for each in seen]


class Export(TablesTest):
    def test_files_are_those_of_the_program(self):
        for format_, topics, options, words in (
                ("parquet", ["/odom", "/imu"], {}, ()),
                ("parquet", "/odom", {"fields": [X, "header"], "time": "header_stamp"},
                 ("--fields", f"{X},header", "--time", "header_stamp")),
                ("parquet", ["/odom"], {"start": "+0.5s", "end": "+1s", "where": f"{X} > 0",
                                        "partition": "day"},
                 ("--start", "+0.5s", "--end", "+1s", "--where", f"{X} > 0", "--partition", "day")),
                ("arrow", "/imu", {}, ()),
                ("csv", ["/odom", "/battery"], {"time_format": "iso", "escape_formulas": True},
                 ("--time-format", "iso", "--escape-formulas")),
                ("images", "/camera/image", {"on_error": "skip"}, ("--on-error", "skip")),
                ("ply", "/points", {}, ()),
                ("tum", "/odom", {}, ()),
                ("tum", "/tf", {"frame": ("odom", "base_link")}, ("--frame", "odom:base_link"))):
            with self.subTest(format=format_, options=options):
                ours, theirs = self.ours, self.theirs
                shutil.rmtree(ours, ignore_errors=True)
                shutil.rmtree(theirs, ignore_errors=True)
                written = kitbag.export(self.bag, ours, topics, format=format_, **options)
                names = [topics] if isinstance(topics, str) else topics
                said = program("export", self.bag, "-o", theirs, "--format", format_, "--json",
                               "--topics", *names, *words)
                self.assertEqual(contents(ours), contents(theirs))
                self.assertEqual(
                    [(each.topic, each.messages, each.files, each.size_bytes) for each in written],
                    [(each["topic"], each["messages"], each["files"], each["size_bytes"])
                     for each in map(json.loads, said.splitlines())])
                self.assertTrue(all(each.path.startswith(f"{ours}/") for each in written))

    def test_values(self):
        kitbag.export(kitbag.open(self.bag), self.ours, "/odom", X, format="csv")
        with open(self.ours / "odom.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([(int(row["log_time_ns"]), float(row[X])) for row in rows],
                         [(m.time, m.data.pose.pose.position.x)
                          for m in kitbag.open(self.bag)["/odom"]])

    def test_parts_have_the_names_of_bags(self):
        paths = []
        for day in ("a", "b"):
            (self.folder / day).mkdir()
            paths.append(make_demo(self.folder / day / "run.bag", 1))
        for module_paths in (paths, [paths[0], self.bag]):
            kitbag.export(module_paths, self.ours, "/odom", partition="bag")
            program("export", *module_paths, "-o", self.theirs, "--topics", "/odom",
                    "--partition", "bag")
            self.assertEqual(contents(self.ours), contents(self.theirs))
            self.assertEqual(len(contents(self.ours)), 2)
            self.ours, self.theirs = self.folder / "ours2", self.folder / "theirs2"

    def test_how_parquet_is_written(self):
        bag = make_demo(self.folder / "long.bag", 20)
        kitbag.export(bag, self.ours, "/camera/image")
        plain = (self.ours / "camera__image.parquet").read_bytes()
        for options in ({"zstd_level": 0}, {"zstd_level": 19}, {"row_group_bytes": 10_000},
                        {"page_bytes": 1000}, {"metadata": {"made by": "a test"}},
                        {"held_bytes": 10_000}):
            with self.subTest(options):
                kitbag.export(bag, self.ours, "/camera/image", replace=True, **options)
                changed = (self.ours / "camera__image.parquet").read_bytes()
                self.assertTrue(changed != plain)
                self.assertEqual(b"made by" in changed, "metadata" in options)
                again = self.folder / "again.bag"
                kitbag.import_tables(self.ours, again, replace=True)
                program("diff", bag, again, "--topics", "/camera/image")

    def test_a_dataset_is_described_by_a_file_or_a_dict(self):
        description = {"fps": 10, "features": {
            "observation.state": {"topic": "/odom", "fields": [X]},
            "action": {"topic": "/odom", "fields": ["twist.twist.linear.x"]}},
            "task": "drive around"}
        file = self.folder / "dataset.yaml"
        file.write_text(json.dumps(description))
        program("export", self.bag, "-o", self.theirs, "--format", "lerobot", "--config", file)
        for dataset in (description, file):
            kitbag.export(self.bag, self.ours, format="lerobot", dataset=dataset)
            self.assertEqual(contents(self.ours), contents(self.theirs))
            self.ours = self.folder / "ours2"

    def test_what_is_refused(self):
        with self.assertRaisesRegex(kitbag.Error, "xml.*parquet") as caught:
            kitbag.export(self.bag, self.ours, format="xml")
        self.assertEqual(caught.exception.code, "invalid")
        for options in ({"time_format": "iso"}, {"crf": 3}, {"dataset": {}},
                        {"format": "csv", "zstd_level": 3}, {"format": "lerobot"}):
            with self.assertRaises(ValueError):
                kitbag.export(self.bag, self.ours, **options)
        for options in ({"speed": 1}, {"zstd_level": "high"}, {"crf": -1, "format": "mp4"}):
            with self.assertRaises(TypeError):
                kitbag.export(self.bag, self.ours, **options)
        for options in ({"time": "now"}, {"partition": "hour"}, {"on_error": "cry"},
                        {"format": "csv", "time_format": "x"}):
            with self.assertRaisesRegex(kitbag.Error, "unknown"):
                kitbag.export(self.bag, self.ours, **options)
        self.assertEqual(self.left(), [])
        kitbag.export(self.bag, self.ours, "/imu")
        before = contents(self.ours)
        with self.assertRaises(kitbag.Error) as caught:
            kitbag.export(self.bag, self.ours, ["/imu", "/odom"])
        self.assertEqual(caught.exception.code, "exists")
        self.assertEqual(contents(self.ours), before)

    def test_what_is_left_out_is_a_warning(self):
        written, said = self.warned(kitbag.export, self.bag, self.ours, ["/odom", "/camera/image"],
                                    format="images")
        self.assertEqual([each.topic for each in written], ["/camera/image"])
        self.assertRegex(" ".join(said), "/odom")

    def test_progress(self):
        seen = []
        kitbag.export(self.bag, self.ours, "/odom", progress=lambda *s: seen.append(s))
        self.assertEqual(seen[-1], (100, len(kitbag.open(self.bag))))

        def stop(*_):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            kitbag.export("demo://?seconds=1000000", self.folder / "never", progress=stop)
        self.assertEqual(contents(self.folder / "never"), {})

    def test_other_threads_run_meanwhile(self):
        is_over, runs, raised = threading.Event(), threading.Event(), []

        def go_on(done, _):
            if done:
                runs.set()
            if is_over.is_set():
                raise ZeroDivisionError

        def work():
            try:
                kitbag.export("demo://?seconds=1000000", self.ours, "/odom", progress=go_on)
            except ZeroDivisionError as error:
                raised.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        self.assertTrue(runs.wait(60))
        is_over.set()
        thread.join(60)
        self.assertEqual(len(raised), 1)


class Import(TablesTest):
    def test_what_was_exported_is_the_bag_again(self):
        seen = []
        kitbag.export(self.bag, self.ours)
        for tables in (self.ours, sorted(self.ours.iterdir())):
            done = kitbag.import_tables(tables, self.folder / "again.bag", replace=True,
                                        progress=lambda *s: seen.append(s))
            program("diff", self.bag, self.folder / "again.bag")
        total = len(kitbag.open(self.bag))
        self.assertEqual((done["messages"], seen[-1]), (total, (total, total)))
        _, said = self.warned(kitbag.import_tables, self.ours, self.folder / "x.mcap",
                              encoding="cdr", compression="zstd")
        self.assertEqual(kitbag.open(self.folder / "x.mcap")["/odom"].encoding, "cdr")
        self.assertRegex(" ".join(said), "/rosout: rcl_interfaces/msg/Log has no place for")

    def test_csv(self):
        table = self.folder / "speed.tsv"
        table.write_text("when\tdata\tnote\n1500\t2.5\tx\n2500\t3.5\ty\n")
        target = self.folder / "x.mcap"
        how = {"type": "std_msgs/Float64", "time_column": "when", "time_unit": "ms"}
        for left_out, says in (("ignore_columns", "ignore_columns=True"), ("type", "type="),
                               ("time_column", "time_column=")):
            with self.assertRaisesRegex(kitbag.Error, says):
                kitbag.import_tables(table, target, **{
                    name: value for name, value in {**how, "ignore_columns": True}.items()
                    if name != left_out})
        _, said = self.warned(kitbag.import_tables, table, target, ignore_columns=True, **how)
        self.assertRegex(" ".join(said), "left out: .*note")
        self.assertEqual([(m.topic, m.time, m.data.data) for m in kitbag.open(target)],
                         [("/speed", 1_500_000_000, 2.5), ("/speed", 2_500_000_000, 3.5)])
        table.write_text("time;data\n1;7\n2;8\n")
        kitbag.import_tables(table, target, topic="/n", type="std_msgs/msg/UInt8", delimiter=";",
                             replace=True)
        self.assertEqual([(m.topic, m.time, m.data.data) for m in kitbag.open(target)],
                         [("/n", 1, 7), ("/n", 2, 8)])
        with self.assertRaisesRegex(kitbag.Error, "exists"):
            kitbag.import_tables(table, target, type="std_msgs/UInt8", delimiter=";")
        table.write_text("time;data\n1;7\n2;300\n")
        with self.assertRaisesRegex(kitbag.Error, "speed.tsv: line 3: column data.*300"):
            kitbag.import_tables(table, self.folder / "y.mcap", type="std_msgs/UInt8",
                                 delimiter=";")
        self.assertEqual(sorted(self.left()), ["speed.tsv", "x.mcap"])

    def test_definitions(self):
        (self.folder / "my_msgs" / "msg").mkdir(parents=True)
        (self.folder / "my_msgs" / "msg" / "Pair.msg").write_text("int32 a\nint32 b\n")
        table = self.folder / "pair.csv"
        table.write_text("time,a,b\n5,1,2\n")
        target = self.folder / "x.mcap"
        with self.assertRaisesRegex(kitbag.Error, "definitions="):
            kitbag.import_tables(table, target, type="my_msgs/Pair")
        kitbag.import_tables(table, target, type="my_msgs/Pair", definitions=[self.folder])
        self.assertEqual(kitbag.as_dict(kitbag.open(target)["/pair"][0].data), {"a": 1, "b": 2})

    def test_streams_of_arrow(self):
        bag, target = kitbag.open(self.bag), self.folder / "x.bag"
        done = kitbag.import_tables(bag["/odom"], target, topic="/odom", type="nav_msgs/Odometry")
        self.assertEqual(done["messages"], 100)
        self.assertEqual([(m.time, m.data) for m in kitbag.open(target)["/odom"]],
                         [(m.time, m.data) for m in bag["/odom"]])
        with self.assertRaisesRegex(kitbag.Error, "topic="):
            kitbag.import_tables(bag["/odom"], target, type="nav_msgs/Odometry", replace=True)
        capsule = bag["/odom"].__arrow_c_stream__()

        class Used:
            def __arrow_c_stream__(self, requested_schema=None):
                return capsule

        kitbag.import_tables([Used(), bag["/odom"]], target, topic="/x", type="nav_msgs/Odometry",
                             replace=True)
        self.assertEqual(len(kitbag.open(target)), 200)
        with self.assertRaisesRegex(kitbag.Error, "read already"):
            kitbag.import_tables(Used(), target, topic="/x", type="nav_msgs/Odometry",
                                 replace=True)

    def test_what_is_refused(self):
        target = self.folder / "x.mcap"
        with self.assertRaisesRegex(kitbag.Error, "no such file"):
            kitbag.import_tables("none.csv", target, type="std_msgs/UInt8")
        with self.assertRaises(FileNotFoundError):
            kitbag.import_tables(self.folder, target)
        with self.assertRaises(ValueError):
            kitbag.import_tables([], target)
        for options in ({"time_unit": "h"}, {"delimiter": ", "}):
            with self.assertRaises(kitbag.Error):
                kitbag.import_tables("none.csv", target, **options)
        for options in ({"speed": 1}, {"topic": 5}):
            with self.assertRaises(TypeError):
                kitbag.import_tables("none.csv", target, **options)
        self.assertEqual(self.left(), [])


class Plots(TablesTest):
    def test_plots_are_those_of_the_program(self):
        for curves, options, words in (
                ([FIELD, "/imu.angular_velocity.z"], {"title": "Speed & turning"},
                 (FIELD, "/imu.angular_velocity.z", "--title", "Speed & turning")),
                (FIELD, {"width": 500, "height": 300, "dark": True, "y": (0, 1), "times": "utc"},
                 (FIELD, "--size", "500x300", "--theme", "dark", "--y", "0:1", "--times", "utc")),
                ("/odom.pose.pose.position.y", {"against": f"/odom.{X}", "equal": True},
                 ("/odom.pose.pose.position.y", "--against", f"/odom.{X}", "--equal")),
                ((), {"fields": "header.seq", "topics": ["/imu", "/odom"], "stack": True},
                 ("--fields", "header.seq", "--topics", "/imu", "/odom", "--stack")),
                (FIELD, {"start": "+0.5s", "time": "header_stamp", "gap": 10_000_000,
                         "on_error": "raw"},
                 (FIELD, "--start", "+0.5s", "--by", "header_stamp", "--gap", "10ms",
                  "--on-error", "raw")),
                (FIELD, {"end": "+1s", "time": "publish_time", "where": f"{X} > 0"},
                 (FIELD, "--end", "+1s", "--by", "publish_time", "--where", f"{X} > 0"))):
            with self.subTest(options):
                plot = kitbag.plot(self.bag, curves, **options)
                for name, drawn in (("x.svg", plot.svg().encode()), ("x.png", plot.png())):
                    theirs = self.folder / name
                    program("plot", self.bag, "-o", theirs, "--force", *words)
                    self.assertEqual(drawn, theirs.read_bytes())
                    plot.save(self.folder / f"our_{name}", replace=True)
                    self.assertEqual((self.folder / f"our_{name}").read_bytes(), drawn)
                self.assertEqual(plot._repr_svg_(), plot.svg())

    def test_text(self):
        plot = kitbag.plot(self.bag, FIELD)
        words = ("plot", self.bag, FIELD, "--width", 60, "--height", 12)
        self.assertEqual(plot.text(60, 12), program(*words, "--color", "never"))
        self.assertEqual(plot.text(60, 12, colors=True), program(*words, "--color", "always"))
        plot.save(self.folder / "x.txt")
        self.assertEqual((self.folder / "x.txt").read_text(), plot.text())

    def test_what_was_read(self):
        seen = []
        plot = kitbag.plot(kitbag.open(self.bag), [FIELD, "/imu.angular_velocity.x"],
                           progress=lambda *s: seen.append(s))
        self.assertEqual([(each.topic, each.field, each.values, each.infinite)
                          for each in plot.curves],
                         [("/odom", "twist.twist.linear.x", 100, 0),
                          ("/imu", "angular_velocity.x", 200, 0)])
        self.assertEqual(repr(plot), f"<kitbag.Plot {FIELD}, /imu.angular_velocity.x: 300 values>")
        self.assertEqual(seen[-1], (300, len(kitbag.open(self.bag))))
        rough = kitbag.plot(self.bag, FIELD, parts=4)
        self.assertLess(len(rough.svg()), len(kitbag.plot(self.bag, FIELD).svg()))

    def test_topics_that_are_not_utf8(self):
        path, name = self.folder / "x.bag", "/a\udcff"
        bag = BagFile(path)
        topic = bag.connection(name, "a/A", definition="uint8 a\n")
        bag.add_chunk([(topic, 10**18, b"\1")])
        bag.close()
        plot = kitbag.plot(path, f"{name}.a")
        self.assertEqual([(each.topic, each.values) for each in plot.curves], [(name, 1)])
        self.assertIn(r"<title>/a\xff.a</title>", plot.svg())

    def test_infinite_values_are_a_warning(self):
        path = self.folder / "x.mcap"
        with kitbag.create(path) as writer:
            writer.topic("/a", "a/msg/A", "float64 a\n")
            for time_ns, value in ((1, 1.0), (2, float("inf")), (3, 2.0)):
                writer.write("/a", {"a": value}, time_ns)
        plot, said = self.warned(kitbag.plot, path, "/a")
        self.assertEqual((plot.curves[0].values, plot.curves[0].infinite), (2, 1))
        self.assertRegex(" ".join(said), "infinite")

    def test_what_is_refused(self):
        with self.assertRaisesRegex(kitbag.Error, "twist.twist.linar.x; similar"):
            kitbag.plot(self.bag, "/odom.twist.twist.linar.x")
        with self.assertRaises(kitbag.Error):
            kitbag.plot(self.bag)
        for options in ({"equal": True}, {"against": FIELD, "times": "utc"},
                        {"against": FIELD, "gap": 5},
                        {"against": FIELD, "equal": True, "y": (0, 1)}):
            with self.assertRaises(ValueError):
                kitbag.plot(self.bag, FIELD, **options)
        plot = kitbag.plot(self.bag, FIELD, width=5)
        self.assertRaises(kitbag.Error, plot.svg)
        with self.assertRaises(TypeError):
            kitbag.plot(self.bag, FIELD, width="wide").svg()
        with self.assertRaises(ValueError):
            plot.save(self.folder / "x.gif")
        path = self.folder / "x.svg"
        path.write_text("mine")
        with self.assertRaises(kitbag.Error) as caught:
            kitbag.plot(self.bag, FIELD).save(path)
        self.assertEqual((caught.exception.code, path.read_text()), ("exists", "mine"))


if __name__ == "__main__":
    main()
