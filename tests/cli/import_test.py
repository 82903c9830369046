#!/usr/bin/env python3
"""`kitbag import`: what kitbag exported and printed becomes the same bag again; tables of pandas;
what is said of tables that fit no type; and that nothing partial stays. Files of other writers of
Parquet are for tests/interop/parquet_test.py."""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import every_type  # noqa: E402
import peers  # noqa: E402
from peers import kitbag, program  # noqa: E402

DATA = peers.ROOT.parent / "shared" / "data"
REAL = ("ros1/*.bag", "mcap/**/*.mcap", "rosbag2/**/*.mcap", "rosbag2/**/*.db3")


def run(*arguments, **more):
    return subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                          check=False, **more)


class Import(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.root)
        cls.bag = cls.root / "drive.bag"
        kitbag("convert", "demo://?seconds=2&seed=7", cls.bag)
        cls.native = cls.root / "native.mcap"
        kitbag("convert", cls.bag, cls.native, "--encoding", "cdr")

    def setUp(self):
        self.folder = self.root / self.id().rsplit(".", 1)[1]
        self.folder.mkdir()
        self.out = self.folder / "out.mcap"

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    def rows(self, *options):
        return [json.loads(line) for line in kitbag(
            "cat", self.out, "--nan", "string", *options).splitlines()]

    def data(self):
        return [row["data"] for row in self.rows()]

    def imports(self, *arguments, out=None):
        done = run("import", *arguments, "-f", "-o", out or self.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refuses(self, *arguments, code=2):
        """Returns the error. Nothing was written."""
        before = sorted(self.folder.iterdir())
        done = run("import", *arguments, "-o", self.out)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)
        return done.stderr.splitlines()[-1]

    # --- what kitbag wrote ---

    def test_an_export_becomes_the_bag_that_it_was(self):
        for name, bag in (("ros1", self.bag), ("cdr", self.native)):
            kitbag("export", bag, "-o", self.folder / name)
            out = self.folder / f"{name}{bag.suffix}"
            done = self.imports(self.folder / name, out=out)
            self.assertEqual(done.stderr, "")
            kitbag("diff", bag, out)

    def test_another_encoding(self):
        kitbag("export", self.bag, "-o", self.folder / "t", "--topics", "/odom", "/imu")
        self.imports(self.folder / "t", "--encoding", "cdr")
        wanted = self.folder / "wanted.mcap"
        kitbag("filter", self.native, wanted, "--topics", "/odom", "/imu")
        kitbag("diff", wanted, self.out)

    def test_real_bags(self):
        """Of each that can be exported, columns are equal: what cat says of the messages."""
        peers.need_real_bags()
        bags = 0
        for bag in sorted(each for pattern in REAL for each in DATA.glob(pattern))[::3]:
            if not 0 < bag.stat().st_size < 1_000_000:
                continue
            tables = self.folder / f"t{bags}"
            done = run("export", bag, "-o", tables, "--on-error", "skip")
            if done.returncode != 0 or not (tables.is_dir() and any(tables.iterdir())):
                continue
            topics = [json.loads(line)["topic"] for line in run(
                "export", bag, "-o", tables, "--on-error", "skip", "--json", "-f"
            ).stdout.splitlines()]
            with self.subTest(bag.name):
                self.imports(tables)
                told = [sorted(run("cat", each, "--order", "file", "--topics", *topics, "--nan",
                                   "string", "--on-error", "skip").stdout.splitlines())
                        for each in (bag, self.out)]
                self.assertEqual(len(told[0]), len(told[1]))
                for was, now in zip(map(json.loads, told[0]), map(json.loads, told[1])):
                    self.assertEqual((was["topic"], was["type"], was["log_time_ns"], was["data"]),
                                     (now["topic"], now["type"], now["log_time_ns"], now["data"]))
                bags += 1
        self.assertGreater(bags, 8)

    def test_csv_of_cat(self):
        """In each form of times. CSV has no definition: the type is named."""
        for form in ("ns", "seconds", "iso"):
            for topic, type_ in (("/odom", "nav_msgs/Odometry"), ("/tf", "tf2_msgs/TFMessage"),
                                 ("/scan", "sensor_msgs/LaserScan"),
                                 ("/battery", "sensor_msgs/BatteryState")):
                with self.subTest(form=form, topic=topic):
                    table = self.write("x.csv", kitbag(
                        "cat", self.native, "--topics", topic, "--format", "csv", "--time-format",
                        form))
                    done = self.imports(table, "--type", type_)
                    self.assertEqual(done.stderr, "")
                    wanted = self.folder / "wanted.mcap"
                    kitbag("filter", self.native, wanted, "-f", "--topics", topic)
                    kitbag("diff", wanted, self.out)

    def test_csv_of_every_type(self):
        every_type.make(self.folder / "every.bag")
        package = self.folder / "definitions" / "test_msgs" / "msg"
        package.mkdir(parents=True)
        for name, text in every_type.STRUCTURES.items():
            (package / f"{name}.msg").write_text(text)
        options = ("--topics", "/every", "--format", "csv")
        table = self.write("x.csv", kitbag("cat", self.folder / "every.bag", *options))
        self.imports(table, "--type", "test_msgs/Every", "--definitions",
                     self.folder / "definitions", out=self.folder / "out.bag")
        # Control characters in texts are escaped in CSV, so it is what CSV has that is compared.
        self.maxDiff = 2000
        self.assertEqual(kitbag("cat", self.folder / "out.bag", *options), table.read_text())

    # --- what others wrote ---

    def test_csv_of_pandas(self):
        try:
            import pandas
        except ImportError:
            peers.need(False, "pandas is not installed", "package")
        frame = pandas.DataFrame({
            "time": pandas.to_datetime(["2026-01-01 00:00:00.25", "2026-01-01 00:00:01"], utc=True),
            "voltage": [25.5, None], "percentage": [float("inf"), 1e-3],
            "power_supply_status": pandas.Series([3, None], dtype="Float64"),
            "present": [True, False], "location": ['say "hi", you', "two\nlines"],
            "cell_voltage": ["[1.5, 2.5]", "[]"],
        })
        path = self.folder / "robot__battery.csv"
        frame.to_csv(path)
        done = self.imports(path, "--type", "sensor_msgs/BatteryState")
        self.assertIn("left out: the column without a name", done.stderr)
        self.assertIn("missing values became NaN or the default: voltage (1), "
                      "power_supply_status (1)", done.stderr)
        first, second = self.rows()
        self.assertEqual((first["topic"], first["log_time_ns"]),
                         ("/robot/battery", 1767225600250000000))
        self.assertEqual((first["data"]["voltage"], second["data"]["voltage"]), (25.5, "NaN"))
        self.assertEqual(first["data"]["percentage"], "Infinity")
        self.assertEqual([first["data"]["power_supply_status"],
                          second["data"]["power_supply_status"]], [3, 0])
        self.assertEqual([first["data"]["location"], second["data"]["location"]],
                         ['say "hi", you', "two\nlines"])
        self.assertEqual([first["data"]["cell_voltage"], second["data"]["cell_voltage"]],
                         [[1.5, 2.5], []])
        self.assertEqual([first["data"]["present"], second["data"]["present"]], [True, False])

    def test_forms_of_csv(self):
        for name, text, options in (
                ("a.csv", "\ufefftime,data\r\n5,one\r\n\r\n6,\"a,\"\"b\"\"\r\n\"", ()),
                ("a.tsv", "time\tdata\n5\tone\n6\t\"a,\"\"b\"\"\r\n\"\n", ()),
                ("b.csv", "time;data\n5;one\n6;\"a,\"\"b\"\"\r\n\"", ("--delimiter", ";"))):
            with self.subTest(name):
                self.imports(self.write(name, text), "--type", "std_msgs/String", *options)
                self.assertEqual([(row["log_time_ns"], row["data"]["data"]) for row in self.rows()],
                                 [(5, "one"), (6, 'a,"b"\r\n')])

    def test_standard_input(self):
        done = run("import", "-", "-o", self.out, "--topic", "/x", "--type", "std_msgs/Float64",
                   input="time,data\n1.5,nan\n2.0,-inf\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([(row["log_time_ns"], row["data"]["data"]) for row in self.rows()],
                         [(1500000000, "NaN"), (2000000000, "-Infinity")])
        self.assertIn("the topic", self.refuses_input("time,data\n", "--type", "std_msgs/Float64"))

    def refuses_input(self, text, *options):
        done = run("import", "-", "-o", self.folder / "none.mcap", *options, input=text)
        self.assertEqual(done.returncode, 2)
        return done.stderr

    def test_times(self):
        table = self.write("x.csv", "when,data,log_time\n7,1,9\n")
        for options, ns in (((), 9), (("--time-column", "when", "--ignore-columns"), 7),
                            (("--time-unit", "ms", "--ignore-columns"), 9_000_000)):
            with self.subTest(options):
                if options == ():
                    self.assertIn("columns that fit no field of std_msgs/msg/Float64: ",
                                  self.refuses(table, "--type", "std_msgs/Float64"))
                    continue
                self.imports(table, "--type", "std_msgs/Float64", *options)
                self.assertEqual([row["log_time_ns"] for row in self.rows()], [ns])

    def test_infinities_in_lists_come_back(self):
        kind = "--type", "std_msgs/Float64MultiArray"
        self.imports(self.write("x.csv", 'time,data\n1,"[null,1,""Infinity"",""-Infinity""]"\n'),
                     *kind)
        self.assertEqual(self.data()[0]["data"], ["NaN", 1, "Infinity", "-Infinity"])
        kitbag("export", self.out, "-o", self.folder / "tables", "--format", "csv")
        self.imports(self.folder / "tables", *kind, out=self.folder / "again.mcap")
        kitbag("diff", self.out, self.folder / "again.mcap")

    def test_a_column_of_times_has_one_unit(self):
        table = self.write("x.csv", "time,data\n1,1\n1.5,2\n2,3\n")
        self.assertIn("line 3: column time: 1.5 is not a whole number, but 1 in line 2 is one, so "
                      "their unit is not clear; name the unit of the times",
                      self.refuses(table, "--type", "std_msgs/Float64"))
        self.imports(table, "--type", "std_msgs/Float64", "--time-unit", "s")
        self.assertEqual([row["log_time_ns"] for row in self.rows()],
                         [1_000_000_000, 1_500_000_000, 2_000_000_000])
        fields = self.write("y.csv", "time,data\n1,1e-3\n2,2026-01-01\n3,7\n")
        self.assertIn("line 4: column data: 7 is a whole number, but 1e-3 in line 2 is not",
                      self.refuses(fields, "--type", "std_msgs/Time", "--encoding", "ros1",
                                   "--force"))

    def test_topics_of_rows(self):
        self.imports(self.write("x.csv", "log_time_ns,publish_time_ns,topic,data\n"
                                "5,4,/a,1\n6,6,/b,2\n7,7,/a,3\n"), "--type", "std_msgs/Int8")
        self.assertEqual([(row["topic"], row["publish_time_ns"], row["data"]["data"])
                          for row in self.rows()], [("/a", 4, 1), ("/b", 6, 2), ("/a", 7, 3)])
        self.imports(self.folder / "x.csv", "--type", "std_msgs/Int8", "--topic", "/all")
        self.assertEqual({row["topic"] for row in self.rows()}, {"/all"})

    def test_encoding_by_target(self):
        table = self.write("x.csv", "time,data\n5,1\n")
        for out, options, encoding in (("a.bag", (), "ros1"), ("a.mcap", (), "cdr"),
                                       ("b.mcap", ("--encoding", "ros1"), "ros1"),
                                       ("c.mcap", ("--encoding", "json"), "json")):
            with self.subTest(out):
                path = self.folder / out
                self.imports(table, "--type", "std_msgs/Int8", *options, out=path)
                info = json.loads(kitbag("info", path, "--json"))
                self.assertIn(encoding, json.dumps(info))
                self.assertEqual(json.loads(kitbag("cat", path))["data"], {"data": 1})

    def test_rows_in_no_order(self):
        """They are all there, and read in order."""
        self.imports(self.write("x.csv", "time,data\n50,1\n10,2\n30,3\n"), "--type",
                     "std_msgs/Int8")
        self.assertEqual([row["data"]["data"] for row in self.rows()], [2, 3, 1])

    def test_json(self):
        done = self.imports(self.write("x.csv", "time,data\n5,1\n"), "--type", "std_msgs/Int8",
                            "--json")
        self.assertEqual(json.loads(done.stdout)["messages"], 1)

    # --- what does not fit ---

    def test_columns_that_fit_no_field(self):
        table = self.write("x.csv", "time,voltag,voltage,nothing\n5,1,2,3\n")
        error = self.refuses(table, "--type", "sensor_msgs/BatteryState")
        self.assertIn(f"{table}: columns that fit no field of ", error)
        self.assertIn("voltag ", error)
        self.assertIn("similar: voltage", error)
        self.assertIn("nothing", error)
        self.assertIn("--ignore-columns", error)
        done = self.imports(table, "--type", "sensor_msgs/BatteryState", "--ignore-columns")
        self.assertIn("columns that fit no field are left out: ", done.stderr)
        self.assertEqual(self.data()[0]["voltage"], 2)

    def test_values_that_do_not_fit(self):
        for type_, value, wanted in (
                ("Int8", "300", 'the text "300" is out of range for int8'),
                ("UInt16", "-1", "out of range for uint16"),
                ("UInt64", "1.5", 'expected uint64, got the text "1.5"'),
                ("Int32", "abc", "expected int32"),
                ("Float32", "1e300", "out of range for float32"),
                ("Float64", "1,5", "line 3: 3 values, and the first line has 2 names"),
                ("Bool", "perhaps", "expected bool"),
                ("String", "\"open", "line 3: the quoted value that begins here does not end"),
                ("Int32MultiArray", "1", "columns that fit no field")):
            with self.subTest(type_):
                table = self.write("x.csv", f"time,data\n4,\"0\"\n5,{value}\n")
                error = self.refuses(table, "--type", f"std_msgs/{type_}") \
                    if type_ != "Int32MultiArray" else None
                if error:
                    self.assertIn(f"{table}: line 3: ", error)
                    self.assertIn(wanted, error)

    def test_lists_that_do_not_fit(self):
        for value, wanted in (("[1,2", "column cell_voltage: "), ("{}", "column cell_voltage: "),
                              ('"[1,""x""]"', "column cell_voltage: ")):
            table = self.write("x.csv", f"time;cell_voltage\n5;{value}\n")
            error = self.refuses(table, "--type", "sensor_msgs/BatteryState", "--delimiter", ";")
            self.assertIn(f"line 2: {wanted}", error)

    def test_rows_without_a_time(self):
        self.assertIn("no column \"time\"", self.refuses(
            self.write("x.csv", "tim,data\n5,1\n"), "--type", "std_msgs/Int8"))
        self.assertIn("line 2: column time: ", self.refuses(
            self.write("x.csv", "time,data\nsoon,1\n"), "--type", "std_msgs/Int8"))
        kitbag("export", self.bag, "-o", self.folder / "t", "--topics", "/battery")
        error = self.refuses(self.folder / "t" / "battery.parquet", "--time-column", "when")
        self.assertIn("there is no column \"when\"", error)

    def test_types_that_are_not_known(self):
        table = self.write("x.csv", "time,data\n5,1\n")
        self.assertIn("does not say the type of its messages", self.refuses(table))
        self.assertIn("there is no definition of the type no_msgs/None",
                      self.refuses(table, "--type", "no_msgs/None"))

    def test_files_that_are_no_tables(self):
        for name, content, wanted in (
                ("a.parquet", b"PAR1 and no end of it, none at all", "cut off"),
                ("b.parquet", b"nothing of the kind", "not a Parquet file"),
                ("c.arrow", b"ARROW1\0\0", "Arrow IPC"), ("d.csv", b"", "is empty"),
                ("e.csv", b"time,data\n5,\xff\n", "line 2: the text is not UTF-8"),
                ("f.csv", b"time,time\n", "two columns have the name")):
            with self.subTest(name):
                path = self.folder / name
                path.write_bytes(content)
                error = self.refuses(path, "--type", "std_msgs/String")
                self.assertIn(wanted, error)
                self.assertIn(str(path), error)
        (self.folder / "empty").mkdir()
        self.assertIn("has no .parquet", self.refuses(self.folder / "empty"))
        self.assertIn("none.csv", self.refuses(self.folder / "none.csv"))

    def test_a_cut_parquet_file(self):
        kitbag("export", self.bag, "-o", self.folder / "t", "--topics", "/odom")
        path = self.folder / "t" / "odom.parquet"
        whole = path.read_bytes()
        path.write_bytes(whole[:1000] + whole[1500:])
        self.assertIn(str(path), self.refuses(path))

    # --- nothing partial ---

    def test_an_existing_bag_stays(self):
        table = self.write("x.csv", "time,data\n5,1\n")
        self.out.write_text("mine")
        self.assertIn("already exists", self.refuses(table, "--type", "std_msgs/Int8"))
        self.assertEqual(self.out.read_text(), "mine")
        bad = self.write("y.csv", "time,data\n5,300\n")
        done = run("import", bad, "-f", "-o", self.out, "--type", "std_msgs/Int8")
        self.assertEqual((done.returncode, self.out.read_text()), (2, "mine"))

    def test_a_full_disk(self):
        table = self.write("x.csv", "time,data\n" + "5,abcdefghijklmnopqrstuvwxyz\n" * 100_000)
        before = sorted(self.folder.iterdir())
        done = subprocess.run(
            f"ulimit -f 500; trap '' XFSZ; exec '{program()}' import '{table}' -o '{self.out}' "
            "--type std_msgs/String", shell=True, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(str(self.out), done.stderr)
        self.assertNotIn("damage", done.stderr)
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_ctrl_c(self):
        before = sorted(self.folder.iterdir())
        process = subprocess.Popen([program(), "import", "-", "-o", self.out, "--topic", "/x",
                                    "--type", "std_msgs/Int8"], stdin=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        process.stdin.write("time,data\n" + "5,1\n" * 200_000)
        process.stdin.flush()
        deadline = time.monotonic() + 20
        while sorted(self.folder.iterdir()) == before and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertNotEqual(sorted(self.folder.iterdir()), before, "it has begun")
        process.send_signal(signal.SIGINT)  # while it waits for more
        process.wait(timeout=20)
        self.assertEqual(process.returncode, 2)
        self.assertIn("interrupted", process.stderr.read())
        process.stdin.close()
        process.stderr.close()
        self.assertEqual(sorted(self.folder.iterdir()), before)


if __name__ == "__main__":
    peers.main()
