#!/usr/bin/env python3
"""Parquet files, read by three independent readers: DuckDB, parquet-wasm (the Rust library) and
hyparquet. Each value must be the one that Python reads from the same columns by the Arrow C
interface, which columns_test.py compares with `kitbag cat`."""

import base64
import json
import shutil
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


if __name__ == "__main__":
    peers.main()
