#!/usr/bin/env python3
"""Parquet files, read by three independent readers: DuckDB, parquet-wasm (the Rust library) and
hyparquet. Each value must be the one that Python reads from the same columns by the Arrow C
interface, which columns_test.py compares with `kitbag cat`.

And files that DuckDB and parquet-wasm have written, read by `kitbag import`: what kitbag exported,
written again by them in all encodings and compressions, must become the same messages."""

import base64
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import column_stream  # noqa: E402
import duckdb_c  # noqa: E402
import every_type  # noqa: E402
import peers  # noqa: E402
from column_stream import comparable, is_json  # noqa: E402
from peers import kitbag  # noqa: E402

DATA = peers.ROOT.parent / "shared" / "data"
REAL = ("ros1/*.bag", "mcap/**/*.mcap", "rosbag2/**/*.mcap", "rosbag2/**/*.db3")
NOT_A_BAG = "v2.0_webviz_invalid_e6cf0d0e.bag"
READERS = ("hyparquet", "hyparquet-compressors", "parquet-wasm", "apache-arrow")


def need_npm():
    peers.need(shutil.which("node"), "node is not installed")
    for name in READERS:
        peers.need((HERE / "node_modules" / name).is_dir(), "the npm readers are not there: npm ci "
                   "in tests/interop brings them")


def from_npm(column, value):
    """A value as Python has it, of read_arrow.mjs or read_parquet.mjs."""
    form = column.format
    if value is None:
        return None
    if form in ("f", "g"):
        return float(value)
    if form in "cCsSiIlL" and not column.dictionary or form.startswith(("tsn:", "tDn")):
        return int(value)
    if form == "z" or form.startswith("w:"):
        return base64.b64decode(value)
    if form == "+l" or form.startswith("+w:"):
        return [from_npm(column.children[0], each) for each in value]
    if form == "+s" and column.children:
        return {child.name: from_npm(child, value[child.name]) for child in column.children}
    return {} if form == "+s" else value


def from_duckdb(column, value):
    if isinstance(value, dict):
        return {child.name: from_duckdb(child, value[child.name]) for child in column.children}
    if isinstance(value, list):
        return [from_duckdb(column.children[0], each) for each in value]
    return value


class ParquetFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_npm()
        cls.duckdb = duckdb_c.Database(duckdb_c.library())
        cls.addClassCleanup(cls.duckdb.close)
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.drive = cls.folder / "drive.bag"
        kitbag("convert", "demo://?seconds=3&seed=7", cls.drive)
        cls.every = cls.folder / "every.bag"
        every_type.make(cls.every)

    def compare(self, type_, found, wanted, about):
        self.assertEqual(len(found), len(wanted), about)
        for i, (row, expected) in enumerate(zip(found, wanted)):
            for column in type_.children:
                self.assertEqual(comparable(column, row[column.name]),
                                 comparable(column, expected[column.name]),
                                 f"{about}, row {i}, {column.name}")

    def check(self, type_, rows, path):
        """The three readers find `rows` in the file. Returns what hyparquet says of it."""
        found = peers.run_json("node", HERE / "read_parquet.mjs", path)[str(path)]
        for name in ("rows", "indexed"):
            self.compare(type_, [{column.name: from_npm(column, row[column.name])
                                  for column in type_.children} for row in found[name]],
                         rows, f"hyparquet, {name}")
        by_wasm = peers.run_json("node", HERE / "read_arrow.mjs", path)[str(path)]
        # Arrow's readers find its own schema.
        self.assertEqual([(each["name"], each["nullable"], each["metadata"])
                          for each in by_wasm["columns"]],
                         [(each.name, each.is_nullable, each.metadata)
                          for each in type_.children])
        self.compare(type_, [{column.name: from_npm(column, row[column.name])
                              for column in type_.children} for row in by_wasm["rows"]],
                     rows, "parquet-wasm")
        tuples = self.duckdb.query(f"SELECT * FROM read_parquet('{path}')")
        self.compare(type_, [{column.name: from_duckdb(column, value)
                              for column, value in zip(type_.children, row)} for row in tuples],
                     rows, "DuckDB")
        return found

    def check_bag(self, bag, columns=None, **how):
        columns = columns or {}
        type_, rows = column_stream.read(bag, **columns)
        path = self.folder / "x.parquet"
        column_stream.write_parquet(bag, path, **columns, **how)
        return type_, rows, self.check(type_, rows, path)

    def test_every_type(self):
        _, rows, _ = self.check_bag(self.every)
        self.assertEqual(len(rows), 60)

    def test_every_type_without_compression(self):
        self.check_bag(self.every, zstd_level=0)

    def test_every_type_in_many_small_pages_and_row_groups(self):
        _, rows, found = self.check_bag(self.every, page_bytes=1, row_group_bytes=20_000)
        self.assertGreater(len(found["groups"]), 3)
        self.assertEqual(sum(found["groups"]), len(rows))
        self.check_bag(self.every, page_bytes=64)

    def test_all_topics_of_the_demo_robot(self):
        """Fields that most rows do not have, lists without elements, images."""
        _, rows, _ = self.check_bag(self.drive)
        self.assertEqual(len(rows), 688)

    def test_one_topic(self):
        _, _, found = self.check_bag(self.drive, {"topics": ("/odom",)})
        self.assertIn("DELTA_BINARY_PACKED", found["encodings"]["time"])
        self.assertIn("child_frame_id", found["dictionaries"])
        self.assertEqual(found["ranges"]["child_frame_id"], [["base_link", "base_link"]])
        times = [int(row["time"]) for row in found["rows"]]
        self.assertEqual(found["ranges"]["time"], [[min(times) // 10**6, max(times) // 10**6]])

    def test_no_message_is_no_row(self):
        bag = self.folder / "none.bag"
        kitbag("convert", "-f", self.every, bag, "--where", "u8 < 0")
        _, rows, found = self.check_bag(bag, {"topics": ("/every",)})
        self.assertEqual((rows, found["groups"]), ([], []))

    def test_ranges_leave_no_row_out(self):
        """DuckDB skips row groups and pages by them."""
        column_stream.write_parquet(self.drive, self.folder / "odom.parquet", topics=("/odom",),
                                    row_group_bytes=10_000, page_bytes=500)
        type_, rows = column_stream.read(self.drive, topics=("/odom",), fields=(
            "pose.pose.position.x",))
        values = sorted(row["pose.pose.position.x"] for row in rows)
        field = "pose.pose.position.x"
        for bound in (values[0], values[len(values) // 2], values[-1]):
            found = self.duckdb.query(
                f"SELECT count(*) FROM read_parquet('{self.folder}/odom.parquet') "
                f"WHERE {field} >= {bound!r}")
            self.assertEqual(found, [(sum(value >= bound for value in values),)])
        self.assertEqual(type_.children[0].name, "time")

    def test_parts_by_bag_are_one_table(self):
        """With what divides them as a column, by hive_partitioning."""
        (self.folder / "other").mkdir()
        other = self.folder / "other" / "drive.bag"
        kitbag("convert", "demo://?seconds=1&seed=8", other)
        for form in ("parquet", "csv"):
            out = self.folder / f"parts_{form}"
            kitbag("export", self.drive, other, "-o", out, "--topics", "/odom", "/imu",
                   "--partition", "bag", "--format", form)
            found = self.duckdb.query(
                f"SELECT bag, count(*) FROM read_{form}('{out}/odom/*/*.{form}', "
                "hive_partitioning = true) GROUP BY bag")
            self.assertEqual(set(found), {(f"{self.folder.name}/drive.bag", 150),
                                          ("other/drive.bag", 50)})

    def test_not_a_number_is_kept(self):
        table = self.folder / "every.parquet"
        column_stream.write_parquet(self.every, table, page_bytes=1)
        _, rows = column_stream.read(self.every)
        wanted = sum(row["f64"] is not None and row["f64"] != row["f64"] for row in rows)
        self.assertGreater(wanted, 0)
        found = self.duckdb.query(f"SELECT count(*) FROM read_parquet('{table}') WHERE isnan(f64)")
        self.assertEqual(found, [(wanted,)])
        found = self.duckdb.query(f"SELECT count(*) FROM read_parquet('{table}') "
                                  "WHERE f64 = 'nan'::DOUBLE")
        self.assertEqual(found, [(wanted,)])

    def test_real_bags(self):
        peers.need_real_bags()
        bags = 0
        found = sorted(each for pattern in REAL for each in DATA.glob(pattern))
        for bag in found[1::4]:
            if not 0 < bag.stat().st_size < 1_000_000 or bag.name == NOT_A_BAG:
                continue
            with self.subTest(bag.name):
                self.check_bag(bag, {"skip_errors": True, "batch_rows": 500}, page_bytes=4096,
                               row_group_bytes=1 << 20)
                bags += 1
        self.assertGreater(bags, 8)


class ImportedFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_npm()
        cls.duckdb = duckdb_c.Database(duckdb_c.library())
        cls.addClassCleanup(cls.duckdb.close)
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        bag = cls.folder / "all.bag"
        every_type.make(bag)
        cls.every = cls.folder / "every.bag"
        kitbag("filter", bag, cls.every, "--topics", "/every")
        kitbag("export", cls.every, "-o", cls.folder)
        cls.table = cls.folder / "every.parquet"
        package = cls.folder / "definitions" / "test_msgs" / "msg"
        package.mkdir(parents=True)
        for name, text in every_type.STRUCTURES.items():
            (package / f"{name}.msg").write_text(text)

    def check(self, path, *encodings):
        """The file has these encodings, and becomes the bag that it was."""
        if encodings:
            found = peers.run_json("node", HERE / "read_parquet.mjs", path)[str(path)]
            seen = {each for of in found["encodings"].values() for each in of}
            self.assertLessEqual(set(encodings), seen)
        back = self.folder / "back.bag"
        kitbag("import", path, "-f", "-o", back, "--topic", "/every", "--type", every_type.TYPE,
               "--definitions", self.folder / "definitions")
        # DuckDB has one NaN for all, and one zero.
        told = [kitbag("cat", bag, "--nan", "string").splitlines() for bag in (self.every, back)]
        self.assertEqual(len(told[1]), 40)
        for was, now in zip(*told):
            self.assertEqual(json.loads(now), json.loads(was))

    def test_its_own(self):
        self.check(self.table)
        back = self.folder / "own.bag"
        kitbag("import", self.table, "-o", back)
        kitbag("diff", self.every, back)

    def by_duckdb(self, name, options):
        path = self.folder / f"{name}.parquet"
        self.duckdb.query(f"COPY (SELECT * FROM read_parquet('{self.table}')) TO '{path}' "
                          f"(FORMAT parquet, {options})")
        return path

    def test_duckdb_in_all_compressions(self):
        for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"):
            with self.subTest(codec):
                self.check(self.by_duckdb(codec, f"CODEC '{codec}'"))

    def test_duckdb_in_all_encodings(self):
        for codec in ("uncompressed", "snappy"):
            with self.subTest(codec):
                path = self.by_duckdb(f"v2_{codec}", f"CODEC '{codec}', PARQUET_VERSION V2, "
                                      "DICTIONARY_SIZE_LIMIT 1, ROW_GROUP_SIZE 2048")
                self.check(path, "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY",
                           "BYTE_STREAM_SPLIT")

    def by_wasm(self, name, compression, version, *columns):
        path = self.folder / f"{name}.parquet"
        peers.run("node", HERE / "write_parquet.mjs", self.table, path, compression, version,
                  *columns)
        return path

    def test_rust_in_all_compressions(self):
        for i, codec in enumerate(("UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4_RAW")):
            with self.subTest(codec):
                self.check(self.by_wasm(codec, codec, str(1 + i % 2)))

    def test_rust_in_all_encodings(self):
        columns = ("text=DELTA_LENGTH_BYTE_ARRAY", "inner.name=DELTA_BYTE_ARRAY",
                   "i32=DELTA_BINARY_PACKED", "i64=DELTA_BINARY_PACKED",
                   "f32=BYTE_STREAM_SPLIT", "f64=BYTE_STREAM_SPLIT", "flag=RLE", "u8=PLAIN",
                   "five_bytes=DELTA_BYTE_ARRAY")
        for version in ("1", "2"):
            with self.subTest(version):
                path = self.by_wasm(f"encodings_{version}", "SNAPPY", version, *columns)
                self.check(path, "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY",
                           "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT", "PLAIN")

    def test_columns_of_other_types(self):
        """Decimals, dates, times in other units, maps, narrower and wider numbers."""
        path = self.folder / "imu.parquet"
        self.duckdb.query(
            "COPY (SELECT TIMESTAMP '2026-01-01 00:00:01.5' + INTERVAL (i) MILLISECOND AS time, "
            "TIMESTAMPTZ '2026-01-01 00:00:01+00' AS \"header.stamp\", 'imu' || i AS "
            "\"header.frame_id\", 1.25 AS \"orientation.x\", (i - 1)::TINYINT AS "
            "\"orientation.y\", 3::HUGEINT::DOUBLE AS \"orientation.z\", "
            "{'x': 1.5::FLOAT, 'y': i, 'z': NULL} AS angular_velocity, "
            "[i, 1, 2, 3, 4, 5, 6, 7, 8] AS orientation_covariance FROM range(3) t(i)) "
            f"TO '{path}' (FORMAT parquet)")
        back = self.folder / "imu.mcap"
        done = subprocess.run([peers.program(), "import", path, "-o", back, "--type",
                               "sensor_msgs/Imu"], capture_output=True, text=True, check=True)
        self.assertIn("there is no column for orientation.w, ", done.stderr)
        self.assertIn("missing values became NaN or the default: angular_velocity.z (3)",
                      done.stderr)
        rows = [json.loads(line) for line in kitbag("cat", back, "--nan", "string").splitlines()]
        self.assertEqual([row["topic"] for row in rows], ["/imu"] * 3)
        self.assertEqual(rows[2]["log_time_ns"], 1767225601502000000)
        data = rows[2]["data"]
        self.assertEqual(data["header"], {"stamp": {"sec": 1767225601, "nanosec": 0},
                                          "frame_id": "imu2"})
        self.assertEqual(data["orientation"], {"x": 1.25, "y": 1, "z": 3, "w": 1})
        self.assertEqual(data["angular_velocity"], {"x": 1.5, "y": 2, "z": "NaN"})
        self.assertEqual(data["orientation_covariance"], [2, 1, 2, 3, 4, 5, 6, 7, 8])


if __name__ == "__main__":
    peers.main()
