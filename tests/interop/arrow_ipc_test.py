#!/usr/bin/env python3
"""The Arrow IPC format, read by npm's apache-arrow. Each value must be the one that Python reads
from the same columns by the Arrow C interface, which columns_test.py compares with `kitbag cat`."""

import base64
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import column_stream  # noqa: E402
import every_type  # noqa: E402
import peers  # noqa: E402
from column_stream import comparable  # noqa: E402
from peers import kitbag  # noqa: E402

DATA = peers.ROOT.parent / "shared" / "data"
REAL = ("ros1/*.bag", "mcap/**/*.mcap", "rosbag2/**/*.mcap", "rosbag2/**/*.db3")
NOT_A_BAG = "v2.0_webviz_invalid_e6cf0d0e.bag"
BATCH_ROWS = 500
INTEGERS = ("l", "L")


def need_npm():
    peers.need(shutil.which("node"), "node is not installed")
    peers.need((HERE / "node_modules" / "apache-arrow").is_dir(), "the npm readers are not there: "
               "npm ci in tests/interop brings them")


def read_by_npm(*paths):
    found = peers.run_json("node", HERE / "read_arrow.mjs", *paths)
    return [found[str(path)] for path in paths]


def from_npm(column, value):
    """A value of read_arrow.mjs as Python has it."""
    form = column.format
    if value is None:
        return None
    if form in ("f", "g"):
        return float(value)
    if form in INTEGERS or form.startswith(("tsn:", "tDn")):
        return int(value)
    if form == "z" or form.startswith("w:"):
        return base64.b64decode(value)
    if form == "+l" or form.startswith("+w:"):
        return [from_npm(column.children[0], each) for each in value]
    if form == "+s":
        return {child.name: from_npm(child, value[child.name]) for child in column.children}
    return value


class ArrowIpc(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_npm()
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.drive = cls.folder / "drive.bag"
        kitbag("convert", "demo://?seconds=3&seed=7", cls.drive)
        cls.every = cls.folder / "every.bag"
        every_type.make(cls.every)

    def check_bag(self, bag, **options):
        """Returns the number of rows."""
        type_, rows = column_stream.read(bag, **options)
        written = self.folder / "x.arrows", self.folder / "x.arrow"
        for path in written:
            column_stream.write_ipc(bag, path, is_file=path.suffix == ".arrow", **options)
        for found in read_by_npm(*written):
            self.assertEqual([(each["name"], each["nullable"], each["metadata"])
                              for each in found["columns"]],
                             [(each.name, each.is_nullable, each.metadata)
                              for each in type_.children])
            self.assertEqual(len(found["rows"]), len(rows))
            for i, (row, wanted) in enumerate(zip(found["rows"], rows)):
                for column in type_.children:
                    self.assertEqual(
                        comparable(column, from_npm(column, row[column.name])),
                        comparable(column, wanted[column.name]), f"row {i}, {column.name}")
        return len(rows)

    def test_every_type(self):
        self.assertEqual(self.check_bag(self.every), 60)

    def test_types_of_columns(self):
        path = self.folder / "types.arrows"
        column_stream.write_ipc(self.every, path, topics=("/every",))
        types = {each["name"]: each["type"] for each in read_by_npm(path)[0]["columns"]}
        deep = "List<Struct<{numbers:List<Int32>, at:Timestamp<NANOSECOND>}>>"
        inner = f"Struct<{{x:Float32, name:Utf8, data:Binary, deeps:{deep}}}>"
        self.assertEqual({name: types[name] for name in (
            "time", "topic", "flag", "u8", "u64", "f32", "f64", "stamp", "lasting", "inner",
            "three_flags", "texts", "bytes", "five_bytes", "two_inners")}, {
            "time": "Timestamp<NANOSECOND>", "topic": "Dictionary<Int32, Utf8>", "flag": "Bool",
            "u8": "Uint8", "u64": "Uint64", "f32": "Float32", "f64": "Float64",
            "stamp": "Timestamp<NANOSECOND>", "lasting": "Duration<NANOSECOND>", "inner": inner,
            "three_flags": "FixedSizeList[3]<Bool>", "texts": "List<Utf8>", "bytes": "Binary",
            "five_bytes": "FixedSizeBinary[5]", "two_inners": f"FixedSizeList[2]<{inner}>"})

    def test_the_demo_robot(self):
        """Its topics come one after the other, so that the dictionary grows."""
        self.assertEqual(self.check_bag(self.drive), 688)

    def test_real_bags(self):
        peers.need_real_bags()
        bags = rows = 0
        found = sorted(each for pattern in REAL for each in DATA.glob(pattern))
        for bag in found[::3]:  # columns_test.py reads all; here a few of each kind are enough
            if not 0 < bag.stat().st_size < 1_000_000 or bag.name == NOT_A_BAG:
                continue
            with self.subTest(bag.name):
                rows += self.check_bag(bag, skip_errors=True, batch_rows=BATCH_ROWS)
                bags += 1
        self.assertGreater(bags, 15)
        self.assertGreater(rows, 2000)

    def test_no_message_is_no_batch(self):
        bag = self.folder / "none.bag"
        kitbag("convert", "-f", self.every, bag, "--where", "u8 < 0")
        self.assertEqual(self.check_bag(bag, topics=("/every",)), 0)

    def test_an_error_is_thrown(self):
        with self.assertRaisesRegex(column_stream.arrow_c.StreamError, "has a field inner.nam"):
            column_stream.write_ipc(self.every, self.folder / "e.arrows", fields=("inner.nam",))
        self.assertFalse((self.folder / "e.arrows").exists())


if __name__ == "__main__":
    peers.main()
