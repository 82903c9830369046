#!/usr/bin/env python3
"""`kitbag export`. The content of the files is for tests/interop/parquet_test.py; here is which
files there are, what is left out and said, and that nothing partial stays."""

import csv
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

import duckdb_c  # noqa: E402
import peers  # noqa: E402
from peers import kitbag, program  # noqa: E402


def run(*arguments):
    return subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                          check=False)


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.bag = cls.folder / "drive.bag"
        kitbag("convert", "demo://?seconds=2&seed=7", cls.bag)

    def setUp(self):
        self.out = self.folder / self.id().rsplit(".", 1)[1]

    def export(self, *arguments, code=0):
        done = run("export", *arguments, "-o", self.out)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def names(self):
        return sorted(each.name for each in self.out.iterdir())

    def test_a_file_for_each_topic(self):
        done = self.export(self.bag)
        counts = {}
        for line in kitbag("cat", self.bag, "--format", "digest").splitlines():
            topic, _, count, _ = line.split("\t")
            counts[topic] = int(count)
        self.assertEqual(len(self.names()), len(counts))
        self.assertIn("camera__image.parquet", self.names())
        self.assertIn(f"odom.parquet: {counts['/odom']} messages of /odom, ", done.stdout)
        self.assertEqual(done.stderr, "")
        for each in self.out.iterdir():
            content = each.read_bytes()
            self.assertEqual((content[:4], content[-4:]), (b"PAR1", b"PAR1"))

    def test_says_it_as_json(self):
        done = self.export(self.bag, "--json", "--topics", "/odom", "/imu")
        tables = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(each["topic"], each["file"], each["messages"]) for each in tables],
                         [("/imu", f"{self.out}/imu.parquet", 200),
                          ("/odom", f"{self.out}/odom.parquet", 100)])
        for each in tables:
            self.assertEqual(each["size_bytes"], Path(each["file"]).stat().st_size)

    def test_selects(self):
        done = self.export(self.bag, "--json", "--topics", "/odom", "--start", "+1s", "--duration",
                           "0.5s", "--where", "pose.pose.position.x > -1000", "--count", "20")
        self.assertEqual(json.loads(done.stdout)["messages"], 20)

    def test_times(self):
        for times, column in ("header_stamp", '"header".stamp'), ("log_time", "NULL"):
            self.export(self.bag, "--topics", "/odom", "--time", times, "--force")
            database = duckdb_c.Database(duckdb_c.library())
            self.addCleanup(database.close)
            rows = database.query(f"SELECT count(*), count(*) FILTER (time = {column}) FROM "
                                  f"read_parquet('{self.out}/odom.parquet')")
            self.assertEqual([tuple(map(int, row)) for row in rows],
                             [(100, 100 if times == "header_stamp" else 0)])

    def test_arrow(self):
        self.export(self.bag, "--format", "arrow", "--topics", "/odom")
        self.assertEqual(self.names(), ["odom.arrow"])
        self.assertEqual((self.out / "odom.arrow").read_bytes()[:6], b"ARROW1")

    def test_the_times_of_headers(self):
        bag = self.folder / "shifted.bag"
        kitbag("convert", "-f", self.bag, bag, "--topics", "/odom", "--shift", "5s")
        log_ns, header_ns = (int(json.loads(kitbag(
            "head", each, "--topics", "/odom", "-n", "1", "--format", "json"))["log_time_ns"])
            for each in (bag, self.bag))
        for time_, expected, other in (("log_time", log_ns, header_ns),
                                       ("header_stamp", log_ns - 5_000_000_000, log_ns)):
            self.export(bag, "--format", "arrow", "--fields", "pose.pose.position.x", "--time",
                        time_, "--force")
            content = (self.out / "odom.arrow").read_bytes()
            self.assertIn(expected.to_bytes(8, "little"), content, time_)
            self.assertNotIn(other.to_bytes(8, "little"), content, time_)

    def test_csv_is_what_cat_prints(self):
        for i, (options, topic) in enumerate(
                [((), "/odom"), (("--time-format", "iso"), "/imu"),
                 (("--escape-formulas", "--fields", "name", "level"), "/rosout")]):
            self.out = self.folder / f"csv{i}"
            self.export(self.bag, "--format", "csv", "--topics", topic, *options)
            self.assertEqual(self.names(), [topic[1:] + ".csv"])
            wanted = kitbag("cat", self.bag, "--format", "csv", "--topics", topic, *options)
            self.assertEqual((self.out / self.names()[0]).read_text(), wanted)

    def test_a_folder_may_have_the_name_of_a_file_in_its_format_only(self):
        """One that is there already may have any name."""
        self.out = self.out.with_suffix(".csv")
        said = self.export(self.bag, "--topics", "/odom", code=2).stderr
        self.assertIn("would be a folder of parquet files; to write csv files use -o DIR "
                      "--format csv", said)
        self.assertFalse(self.out.exists())
        self.export(self.bag, "--topics", "/odom", "--format", "csv")
        self.assertEqual(self.names(), ["odom.csv"])
        self.assertEqual((self.out / "odom.csv").read_text(),
                         kitbag("cat", self.bag, "--format", "csv", "--topics", "/odom"))
        self.export(self.bag, "--topics", "/odom")
        self.assertEqual(self.names(), ["odom.csv", "odom.parquet"])

    def test_csv_of_all_topics(self):
        done = self.export(self.bag, "--format", "csv", "--json")
        for each in map(json.loads, done.stdout.splitlines()):
            with open(each["file"], newline="", encoding="utf-8") as file:
                csv.field_size_limit(1 << 24)
                rows = list(csv.reader(file))
            self.assertEqual(len(rows) - 1, each["messages"], each["topic"])
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})

    def test_csv_counts_what_it_leaves_out(self):
        bag = self.damaged()
        self.assertIn("/odom", self.export(bag, "--format", "csv", code=2).stderr)
        done = self.export(bag, "--format", "csv", "--json", "--on-error", "skip")
        rows = {each["topic"]: each["messages"]
                for each in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(rows["/odom"], 99)
        self.assertIn("/odom: 1 message left out", done.stderr)
        self.out = self.folder / "raw"
        self.assertIn("CSV cannot hold",
                      self.export(bag, "--format", "csv", "--on-error", "raw", code=2).stderr)

    def test_csv_has_columns_for_one_type(self):
        other = self.folder / "types.bag"
        kitbag("convert", "-f", self.bag, other, "--topics", "/imu", "--rename", "/imu:=/odom")
        done = self.export(self.bag, other, "--format", "csv", "--topics", "/odom", code=2)
        self.assertIn("/odom has types with different fields, nav_msgs/Odometry and "
                      "sensor_msgs/Imu", done.stderr)
        self.export(self.bag, other, "--format", "csv", "--topics", "/odom", "--partition", "bag")

    def test_options_of_csv_are_for_csv(self):
        for option in (("--time-format", "iso"), ("--escape-formulas",)):
            self.assertIn("require --format csv", self.export(self.bag, *option, code=2).stderr)
        self.assertIn("the header stamp is a field like others",
                      self.export(self.bag, "--format", "csv", "--time", "header_stamp",
                                  code=2).stderr)

    def files(self):
        return sorted(str(each.relative_to(self.out)) for each in self.out.rglob("*.*")
                      if each.is_file())

    def test_files_by_day(self):
        """The second bag is two days later, and the third one in the night after it."""
        bags = [self.bag]
        for i, shift in enumerate(("2d", "61h")):
            bags.append(self.folder / f"day{i}.bag")
            kitbag("convert", "-f", self.bag, bags[-1], "--shift", shift)
        done = self.export(*bags, "--topics", "/odom", "--partition", "day", "--json")
        told = json.loads(done.stdout)
        begin = json.loads(kitbag("cat", self.bag, "--count", "1"))["log_time_ns"]
        days = sorted({time.strftime("%Y-%m-%d", time.gmtime(begin // 10**9 + hours * 3600))
                       for hours in (0, 48, 61)})
        self.assertEqual(self.files(), [f"odom/day={day}/part.parquet" for day in days])
        self.assertEqual((told["file"], told["messages"], told["files"]),
                         (f"{self.out}/odom/", 300, len(days)))
        self.assertEqual(told["size_bytes"],
                         sum((self.out / each).stat().st_size for each in self.files()))

    def test_files_by_bag(self):
        """Bags whose times overlap, and two with the same name."""
        for name in ("a", "b"):
            (self.folder / name).mkdir()
            kitbag("convert", "-f", self.bag, self.folder / name / "run.bag", "--topics", "/odom",
                   "/imu")
        bags = [self.bag, self.folder / "a" / "run.bag", self.folder / "b" / "run.bag"]
        done = self.export(*bags, "--topics", "/odom", "/rosout", "--partition", "bag", "--format",
                           "csv")
        self.assertEqual(self.files(), ["odom/bag=a%2Frun.bag/part.csv",
                                        "odom/bag=b%2Frun.bag/part.csv",
                                        "odom/bag=drive.bag/part.csv",
                                        "rosout/bag=drive.bag/part.csv"])
        self.assertIn("odom/: 300 messages of /odom in 3 files, ", done.stdout)
        self.assertEqual((self.out / "odom/bag=a%2Frun.bag/part.csv").read_text(),
                         kitbag("cat", bags[1], "--topics", "/odom", "--format", "csv"))

    def test_a_topic_without_messages_has_no_parts(self):
        done = self.export(self.bag, "--topics", "/odom", "/imu", "--where",
                           "header.frame_id == 'odom'", "--partition", "day")
        self.assertIn("/imu has no messages, so it has no files", done.stderr)
        self.assertEqual({each.split("/")[0] for each in self.files()}, {"odom"})

    def test_several_bags_are_united(self):
        other = self.folder / "other.bag"
        kitbag("convert", "-f", "demo://?seconds=1&seed=8", other)
        done = self.export(self.bag, other, "--json", "--topics", "/odom")
        self.assertEqual(json.loads(done.stdout)["messages"], 150)

    def test_existing_files_are_replaced_with_force_only(self):
        self.export(self.bag, "--topics", "/odom")
        before = (self.out / "odom.parquet").stat()
        done = self.export(self.bag, "--topics", "/imu", "/odom", code=2)
        self.assertIn(f"{self.out}/odom.parquet: already exists; use --force to replace it",
                      done.stderr)
        self.assertEqual(self.names(), ["odom.parquet"])
        self.assertEqual((self.out / "odom.parquet").stat(), before)
        self.export(self.bag, "--topics", "/imu", "/odom", "--force")
        self.assertEqual(self.names(), ["imu.parquet", "odom.parquet"])

    def test_fields_that_a_topic_lacks_are_told(self):
        done = self.export(self.bag, "--topics", "/odom", "/imu", "--fields",
                           "pose.pose.position,header.stamp")
        self.assertIn("/imu has only 1 of the 2 fields: header.stamp", done.stderr)
        self.assertEqual(self.names(), ["imu.parquet", "odom.parquet"])

    def test_topics_without_the_fields_are_left_out_and_told(self):
        done = self.export(self.bag, "--topics", "/odom", "/imu", "--fields", "pose.pose.position")
        self.assertIn("/imu has none of the fields; the topic is left out", done.stderr)
        self.assertEqual(self.names(), ["odom.parquet"])

    def test_a_field_that_no_topic_has_is_an_error(self):
        done = self.export(self.bag, "--topics", "/odom", "--fields", "pose.pose.positon", code=2)
        self.assertIn("no selected topic has a field pose.pose.positon", done.stderr)
        self.assertIn("pose.pose.position", done.stderr)
        self.assertFalse(self.out.exists())

    def test_topics_with_one_name_are_an_error(self):
        bag = self.folder / "names.bag"
        kitbag("convert", "-f", self.bag, bag, "--topics", "/odom", "/imu", "--rename",
               "/odom:=/a/b", "/imu:=/A__b")
        done = self.export(bag, code=2)
        self.assertIn("would have the same file", done.stderr)
        self.assertEqual(self.names(), [])

    def test_names_are_safe(self):
        bag = self.folder / "safe.bag"
        kitbag("convert", "-f", self.bag, bag, "--topics", "/odom", "--rename", "/odom:=/../é x")
        self.export(bag)
        self.assertEqual(self.names(), ["%2E.__%C3%A9%20x.parquet"])

    def damaged(self):
        """A bag of which one message of /odom cannot be decoded."""
        bag = self.folder / "damaged.bag"
        kitbag("convert", "-f", self.bag, bag, "--topics", "/rosout", "/odom", "--compression",
               "none")
        content = bytearray(bag.read_bytes())
        place = content.index(b"\x09\0\0\0base_link")
        content[place:place + 4] = b"\xff\xff\xff\x7f"
        bag.write_bytes(content)
        return bag

    def test_messages_that_cannot_be_decoded(self):
        bag = self.damaged()
        done = self.export(bag, code=2)
        self.assertIn("/odom", done.stderr)
        self.assertEqual(self.names(), [])
        done = self.export(bag, "--json", "--on-error", "skip")
        rows = {each["topic"]: each["messages"]
                for each in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(rows["/odom"], 99)
        self.assertIn("/odom: 1 message left out", done.stderr)
        done = self.export(bag, "--json", "--on-error", "raw", "--force")
        rows = {each["topic"]: each["messages"]
                for each in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(rows["/odom"], 100)
        self.assertIn("/odom: 1 message not decoded", done.stderr)

    def test_a_full_disk_leaves_nothing(self):
        self.out.mkdir()
        limit = f"ulimit -f 100; trap '' XFSZ; exec {program()} export {self.bag} -o {self.out}"
        done = subprocess.run(["sh", "-c", limit], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, rf"{self.out}/\w+\.parquet: .*[Ff]ile too large")
        self.assertEqual(self.names(), [])

    def test_an_interrupt_leaves_nothing(self):
        self.out.mkdir()
        process = subprocess.Popen([program(), "export", "demo://?seconds=100000", "-o", self.out],
                                   stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while not any(self.out.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(any(self.out.iterdir()), "it has begun")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 2)
        self.assertRegex(told, "interrupted")
        self.assertEqual(self.names(), [])


if __name__ == "__main__":
    peers.main()
