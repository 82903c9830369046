#!/usr/bin/env python3
"""Columns by the Arrow C interfaces, read by two programs that know nothing of kitbag: Debian's
Python with ctypes, and DuckDB. Each value must be the one that `kitbag cat` prints as JSON."""

import ctypes
import errno
import math
import shutil
import statistics
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import arrow_c  # noqa: E402
import column_stream  # noqa: E402
import duckdb_c  # noqa: E402
import every_type  # noqa: E402
import make_bag  # noqa: E402
import peers  # noqa: E402
from column_stream import comparable, expected_rows, messages, open_stream, read  # noqa: E402
from peers import kitbag  # noqa: E402

DATA = peers.ROOT.parent / "shared" / "data"
REAL = ("ros1/*.bag", "mcap/**/*.mcap", "rosbag2/**/*.mcap", "rosbag2/**/*.db3")
NOT_A_BAG = "v2.0_webviz_invalid_e6cf0d0e.bag"
ENCODINGS = ("ros1", "cdr", "protobuf", "json")


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.every = cls.folder / "every.bag"
        every_type.make(cls.every)
        cls.drive = cls.folder / "drive.bag"
        kitbag("convert", "demo://?seconds=3&seed=7", cls.drive)


def as_float(value):
    """The nearest float32."""
    return ctypes.c_float(float(value)).value


class ReadByPython(Folder):
    def check_bag(self, bag, **options):
        """Returns the number of rows."""
        type_, rows = read(bag, **options)
        expected = expected_rows(type_, messages(bag))
        self.assertEqual(len(rows), len(expected))
        for i, (row, wanted) in enumerate(zip(rows, expected)):
            row, wanted = comparable(type_, row), comparable(type_, wanted)
            for name, value in wanted.items():
                self.assertEqual(row[name], value, f"row {i}, {name}")
        return len(rows)

    def test_every_type_in_every_encoding(self):
        for encoding in ENCODINGS:
            with self.subTest(encoding):
                bag = self.folder / f"every_{encoding}.mcap"
                kitbag("convert", "-f", self.every, bag, "--encoding", encoding)
                self.assertEqual(self.check_bag(bag), 60)

    def test_topics_whose_types_differ(self):
        type_, _ = read(self.drive)
        data = next(column for column in type_.children if column.name == "data")
        self.assertTrue(column_stream.is_json(data), "bytes of images, numbers of maps")
        self.assertEqual(self.check_bag(self.drive), 688)

    def test_every_real_bag(self):
        peers.need_real_bags()
        rows = 0
        for bag in sorted(each for pattern in REAL for each in DATA.glob(pattern)):
            if bag.stat().st_size == 0 or bag.name == NOT_A_BAG:
                continue
            with self.subTest(bag.name):
                if bag.suffix == ".db3":  # may lack definitions, which the program finds
                    defined = self.folder / "defined.mcap"
                    defined.unlink(missing_ok=True)
                    kitbag("convert", bag, defined, code=None)  # 1: it is damaged
                    bag = defined
                rows += self.check_bag(bag, skip_errors=True, batch_rows=500)
        self.assertGreater(rows, 20000)

    def test_fields_by_path(self):
        _, rows = read(self.every, fields=("inner.name", "inners[].x", "two_inners.deeps[].numbers",
                                           "texts[2]", "stamp"))
        data = [each["data"] for each in messages(self.every, "--topics", "/every")]
        self.assertEqual([list(row) for row in rows[:1]], [[
            "time", "topic", "inner.name", "inners[].x", "two_inners.deeps[].numbers", "texts[2]",
            "stamp"]])
        self.assertEqual([row["inner.name"] for row in rows], [d["inner"]["name"] for d in data])
        self.assertEqual([str(row["inners[].x"]) for row in rows],
                         [str([as_float(each["x"]) for each in d["inners"]]) for d in data])
        self.assertEqual([row["two_inners.deeps[].numbers"] for row in rows],
                         [[[deep["numbers"] for deep in inner["deeps"]]
                           for inner in d["two_inners"]] for d in data])
        third = [row["texts[2]"] for row in rows]
        self.assertEqual(third, [d["texts"][2] if len(d["texts"]) > 2 else None for d in data])
        self.assertIn(None, third)

    def test_the_dictionary_of_topics_grows(self):
        stream = open_stream(self.drive, fields=("header.seq",), batch_rows=3)
        self.addCleanup(stream.close)
        topics, sizes = stream.type().children[1], []
        self.assertEqual((topics.format, topics.dictionary.format), ("i", "u"))
        for array in stream.arrays():
            sizes.append(array.children[1].contents.dictionary.contents.length)
            arrow_c.release(array)
        self.assertEqual(sizes, sorted(sizes))
        self.assertEqual((sizes[0], sizes[-1]), (3, 10))

    def test_arrays_outlive_their_stream_and_their_parent(self):
        stream = open_stream(self.every, topics=("/every",))
        type_ = stream.type()
        arrays = list(stream.arrays())
        stream.close()
        _, expected = read(self.every, topics=("/every",))
        where = next(i for i, each in enumerate(type_.children) if each.name == "inners")
        found = []
        for array in arrays:
            child = array.children[where].contents
            moved = arrow_c.ArrowArray.from_buffer_copy(child)
            child.release = type(child.release)()  # moved: its parent leaves it alone
            arrow_c.release(array)
            found += arrow_c.values(type_.children[where], moved)
            arrow_c.release(moved)
        self.assertEqual(str(found), str([row["inners"] for row in expected]))

    def test_no_message_is_no_batch(self):
        bag = self.folder / "none.bag"
        kitbag("convert", "-f", self.every, bag, "--where", "u8 < 0")
        type_, rows = read(bag, topics=("/every",))
        self.assertEqual([each.name for each in type_.children][:2], ["time", "topic"])
        self.assertEqual(rows, [])

    def test_errors_have_a_sentence(self):
        with self.assertRaisesRegex(arrow_c.StreamError, "none.mcap"):
            open_stream(self.folder / "none.mcap")
        with self.assertRaisesRegex(arrow_c.StreamError, "no selected topic has a field inner.nam"):
            open_stream(self.every, fields=("inner.nam",))
        bag = self.folder / "damaged.bag"
        file = make_bag.BagFile(bag)
        conn = file.connection("/chatter", "std_msgs/String")
        file.add_chunk([(conn, i, b"\1\0\0\0a" if i != 7 else b"\xff\0\0\0a") for i in range(10)])
        file.close()
        stream = open_stream(bag, batch_rows=4)
        self.addCleanup(stream.close)
        batches = stream.batches()
        self.assertEqual([row["data"] for row in next(batches)], ["a"] * 4)
        with self.assertRaises(arrow_c.StreamError) as raised:
            next(batches)
        self.assertEqual(raised.exception.args[0], errno.EIO)
        self.assertIn("data", raised.exception.args[1])


def quaternion_norm(q):
    return math.sqrt(sum(value * value for value in q.values()))


class ReadByDuckDB(Folder):
    @classmethod
    def setUpClass(cls):
        c = duckdb_c.library()
        super().setUpClass()
        cls.database = duckdb_c.Database(c)
        cls.addClassCleanup(cls.database.close)
        cls.load("every", cls.every)
        cls.load("headers", cls.drive, fields=("header",), batch_rows=3)
        for topic in ("odom", "imu", "scan", "tf", "battery"):
            cls.load(topic, cls.drive, topics=(f"/{topic}",))
        printed = messages(cls.drive)
        cls.printed = [each for each in printed if "header" in each["data"]]
        for topic in ("odom", "imu", "scan", "tf", "battery"):
            setattr(cls, topic, [each for each in printed if each["topic"] == f"/{topic}"])

    @classmethod
    def load(cls, table, bag, **options):
        stream = open_stream(bag, **options)
        try:
            cls.database.load(table, stream)
        finally:
            stream.close()

    def check_query(self, sql, expected):
        rows = self.database.query(sql)
        with self.subTest(sql):
            self.assertEqual(len(rows), len(expected))
            self.assertTrue(rows)
            for row, wanted in zip(rows, expected):
                self.assertEqual(len(row), len(wanted))
                for value, other in zip(row, wanted):
                    if isinstance(value, float):
                        self.assertAlmostEqual(value, other, delta=1e-9 * max(1, abs(other)))
                    else:
                        self.assertEqual(value, other)

    def test_types(self):
        types = {name: type_ for name, type_, *_ in self.database.query("DESCRIBE every")}
        deep = "STRUCT(numbers INTEGER[], \"at\" TIMESTAMP_NS)[]"
        inner = f"STRUCT(x FLOAT, \"name\" VARCHAR, \"data\" BLOB, deeps {deep})"
        self.assertEqual({name: types[name] for name in (
            "time", "topic", "flag", "u64", "f32", "stamp", "lasting", "inner", "three_flags",
            "texts", "two_texts", "bytes", "five_bytes", "many_numbers", "two_inners")}, {
            "time": "TIMESTAMP_NS", "topic": "VARCHAR", "flag": "BOOLEAN", "u64": "UBIGINT",
            "f32": "FLOAT", "stamp": "TIMESTAMP_NS", "lasting": "INTERVAL", "inner": inner,
            "three_flags": "BOOLEAN[3]", "texts": "VARCHAR[]", "two_texts": "VARCHAR[2]",
            "bytes": "BLOB", "five_bytes": "BLOB", "many_numbers": "INTEGER[]",
            "two_inners": f"{inner}[2]"})

    def test_every_value(self):
        """Durations but for what DuckDB keeps of them: microseconds."""
        type_, rows = read(self.every)
        self.assertEqual([column.name for column in type_.children], [
            name for name, *_ in self.database.query("DESCRIBE every")])
        for i, column in enumerate(type_.children):
            name = f'"{column.name}"'
            if column.format == "tDn":
                name = f"round(epoch({name}) * 1000000)::BIGINT"
            elif column.format == "+w:2" and column.children[0].format == "tDn":
                name = f"list_transform({name}, x -> round(epoch(x) * 1000000)::BIGINT)"
            found = [value for value, in self.database.query(f"SELECT {name} FROM every")]
            wanted = [self.in_microseconds(column, row[column.name]) for row in rows]
            with self.subTest(column.name):
                self.assertEqual([comparable(column, value) for value in found],
                                 [comparable(column, value) for value in wanted])

    @classmethod
    def in_microseconds(cls, column, value):
        if isinstance(value, list) and column.format.startswith("+w"):
            return [cls.in_microseconds(column.children[0], each) for each in value]
        if value is None or column.format != "tDn":
            return value
        return value // 1000 if value >= 0 else -(-value // 1000)

    def test_batch_by_batch(self):
        """DuckDB's newer functions take arrays, not streams."""
        self.database.query("CREATE TABLE appended AS FROM every LIMIT 0")
        stream = open_stream(self.every)
        self.addCleanup(stream.close)
        self.database.append("appended", stream)
        self.check_query("SELECT count(*) FROM appended", [(60,)])
        for one, other in (("every", "appended"), ("appended", "every")):
            self.check_query(f"SELECT count(*) FROM (FROM {one} EXCEPT ALL FROM {other})", [(0,)])

    def test_batches_of_more_rows_than_duckdb_takes_at_once(self):
        """It takes 2048, so it reads most of an array from an offset."""
        bag = self.folder / "long.bag"
        kitbag("convert", "demo://?seconds=15&seed=7", bag, "--topics", "/imu", "/tf", "/odom")
        fields = ("header", "transforms", "orientation_covariance", "child_frame_id")
        for table, batch_rows in (("long", 1 << 16), ("short", 100)):
            self.load(table, bag, fields=fields, batch_rows=batch_rows)
        self.check_query("SELECT count(*), count(header), count(transforms), "
                         "count(orientation_covariance) FROM long", [(3000, 2250, 750, 1500)])
        for one, other in (("long", "short"), ("short", "long")):
            self.check_query(f"SELECT count(*) FROM (FROM {one} EXCEPT ALL FROM {other})", [(0,)])
        type_, rows = read(bag, fields=fields)
        found = self.database.query("FROM long")
        for i, column in enumerate(type_.children):
            self.assertEqual([row[i] for row in found], [row[column.name] for row in rows])

    def test_counts_by_topic(self):
        topics = sorted({each["topic"] for each in self.printed})
        of = {topic: [m for m in self.printed if m["topic"] == topic] for topic in topics}
        self.check_query(
            "SELECT topic, count(*), max(header.seq)::BIGINT, min(header.frame_id), "
            "epoch_ns(min(time)), epoch_ns(max(header.stamp)) FROM headers GROUP BY 1 ORDER BY 1",
            [(topic, len(of[topic]), max(m["data"]["header"]["seq"] for m in of[topic]),
              min(m["data"]["header"]["frame_id"] for m in of[topic]),
              min(m["log_time_ns"] for m in of[topic]),
              max(self.stamp_ns(m) for m in of[topic])) for topic in topics])

    @staticmethod
    def stamp_ns(message):
        stamp = message["data"]["header"]["stamp"]
        return stamp["sec"] * 10**9 + stamp["nsec"]

    def test_aggregates_of_structs(self):
        x = [m["data"]["pose"]["pose"]["position"]["x"] for m in self.odom]
        self.check_query(
            "SELECT count(*), avg(pose.pose.position.x), min(pose.pose.position.x), "
            "max(pose.pose.position.x), stddev_pop(pose.pose.position.x) FROM odom",
            [(len(x), statistics.fmean(x), min(x), max(x), statistics.pstdev(x))])
        norms = [quaternion_norm(m["data"]["orientation"]) for m in self.imu]
        self.check_query(
            "SELECT avg(sqrt(q.x ** 2 + q.y ** 2 + q.z ** 2 + q.w ** 2)) FROM "
            "(SELECT orientation AS q FROM imu)", [(statistics.fmean(norms),)])

    def test_lists(self):
        ranges = [[as_float(r) for r in m["data"]["ranges"]] for m in self.scan]
        finite = [[r for r in each if math.isfinite(r)] for each in ranges]
        self.check_query(
            "SELECT len(ranges), list_min(list_filter(ranges, r -> isfinite(r)))::DOUBLE "
            "FROM scan ORDER BY time", [(len(r), min(f)) for r, f in zip(ranges, finite)])
        self.check_query("SELECT count(*), avg(r::DOUBLE) FROM (SELECT unnest(ranges) AS r FROM "
                         "scan) WHERE isfinite(r)",
                         [(sum(map(len, finite)), statistics.fmean(sum(finite, [])))])
        self.check_query(
            "SELECT child, count(*) FROM (SELECT unnest(transforms).child_frame_id AS child "
            "FROM tf) GROUP BY 1 ORDER BY 1", self.counted(
                t["child_frame_id"] for m in self.tf for t in m["data"]["transforms"]))

    @staticmethod
    def counted(values):
        values = list(values)
        return [(value, values.count(value)) for value in sorted(set(values))]

    def test_fixed_size_lists(self):
        self.check_query("SELECT pose.covariance[8], list_sum(pose.covariance::DOUBLE[]), "
                         "array_length(pose.covariance) FROM odom ORDER BY time",
                         [(c[7], math.fsum(c), 36) for c in (m["data"]["pose"]["covariance"]
                                                             for m in self.odom)])
        self.check_query(
            "SELECT list_sum(list_transform(cell_voltage, v -> v::DOUBLE)) FROM battery",
            [(math.fsum(map(as_float, m["data"]["cell_voltage"])),) for m in self.battery])

    def test_times(self):
        self.check_query(
            "SELECT epoch_us(time_bucket(INTERVAL 1 second, time::TIMESTAMP)), count(*) FROM "
            "headers GROUP BY 1 ORDER BY 1", [(second * 10**6, n) for second, n in self.counted(
                m["log_time_ns"] // 10**9 for m in self.printed)])
        late = self.odom[len(self.odom) // 2]["log_time_ns"]
        self.check_query(
            f"SELECT count(*) FROM headers WHERE time >= make_timestamp_ns({late}) AND topic IN "
            "('/odom', '/imu')", [(sum(m["log_time_ns"] >= late for m in self.odom + self.imu),)])
        delays = [m["log_time_ns"] - self.stamp_ns(m) for m in self.imu]
        self.check_query("SELECT max(epoch_ns(time) - epoch_ns(header.stamp)) FROM imu",
                         [(max(delays),)])

    def test_joins_of_streams(self):
        speeds = [m["data"]["twist"]["twist"]["linear"]["x"] for m in self.odom]
        lowest = min(as_float(m["data"]["voltage"]) for m in self.battery)
        self.check_query(
            "SELECT count(*), avg(odom.twist.twist.linear.x), min(battery.voltage)::DOUBLE FROM "
            "odom JOIN battery ON epoch_ns(odom.time) // 1000000000 = "
            "epoch_ns(battery.time) // 1000000000",
            [(len(speeds), statistics.fmean(speeds), lowest)])
        latest, expected = None, []
        for m in sorted(self.odom + self.scan, key=lambda m: m["log_time_ns"]):
            if m["topic"] == "/odom":
                latest = m["data"]["pose"]["pose"]["position"]["y"]
            elif latest is not None:
                expected.append((m["log_time_ns"], latest))
        self.check_query(
            "SELECT epoch_ns(scan.time), odom.pose.pose.position.y FROM scan ASOF JOIN odom ON "
            "scan.time >= odom.time ORDER BY 1", expected)

    def test_json(self):
        """A map is a list of numbers, an image is bytes: together they are JSON."""
        self.load("mixed", self.drive, fields=("data",), topics=("/map", "/camera/image"))
        size = len(messages(self.drive, "--topics", "/map")[0]["data"]["data"])
        self.check_query("SELECT topic, typeof(data), json_type(data), "
                         "max(json_array_length(data))::BIGINT FROM mixed GROUP BY ALL ORDER BY 1",
                         [("/camera/image", "JSON", "VARCHAR", 0), ("/map", "JSON", "ARRAY", size)])

    def test_nulls(self):
        self.check_query('SELECT count(*), count("inner"), count("inner".name), count(data), '
                         "count(two_inners), count(five_bytes) FROM every",
                         [(60, 40, 40, 10, 40, 40)])
        self.check_query('SELECT topic, bool_and("inner" IS NULL AND texts IS NULL AND stamp IS '
                         "NULL) FROM every GROUP BY 1 ORDER BY 1",
                         [("/chatter", True), ("/empty", True), ("/every", False)])


if __name__ == "__main__":
    peers.main()
