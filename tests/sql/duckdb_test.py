#!/usr/bin/env python3
"""`kitbag sql` and DuckDB answer the same queries about the same bags. DuckDB's tables are filled
by columns(), with all fields; `kitbag sql` reads those that a query names, and looks times up."""

import base64
import json
import shutil
import struct
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import duckdb_c  # noqa: E402
import duckdb_tables  # noqa: E402
import every_type  # noqa: E402
import make_bag  # noqa: E402
import peers  # noqa: E402
from peers import kitbag  # noqa: E402

DATA = peers.ROOT.parent / "shared" / "data"
START = 1_767_225_600_000_000_000  # of the simulated robot


def answer(query, *bags):
    rows = json.loads(kitbag("sql", "--format", "json", query, *bags))
    return [tuple(row.values()) for row in rows]


class Compared(unittest.TestCase):
    """Queries are pairs: for SQLite and for DuckDB, where their dialects differ."""

    @classmethod
    def set_up(cls, bags, topics):
        cls.bags = bags
        cls.database = duckdb_c.Database(duckdb_c.library())
        cls.addClassCleanup(cls.database.close)
        for topic in topics:
            duckdb_tables.load_topic(cls.database, topic, *bags)

    def check(self, *queries):
        for query in queries:
            ours, theirs = query if isinstance(query, tuple) else (query, query)
            with self.subTest(ours):
                found = answer(ours, *self.bags)
                expected = self.database.query(theirs)
                self.assertTrue(expected, "an answer without rows shows nothing")
                self.assertEqual(len(found), len(expected))
                for i, (row, wanted) in enumerate(zip(found, expected)):
                    self.assertEqual(len(row), len(wanted))
                    for value, other in zip(row, wanted):
                        self.check_value(value, other, f"row {i}: {row}, not {wanted}")

    def check_value(self, value, other, where):
        if isinstance(other, bytes):
            other = base64.b64encode(other).decode()
        if isinstance(value, float) and other is not None:
            self.assertAlmostEqual(value, other, delta=1e-9 * max(1, abs(other)), msg=where)
        else:
            self.assertEqual(value, other, where)


class SimulatedRobot(Compared):
    """As CDR in chunks of zstd."""

    @classmethod
    def setUpClass(cls):
        folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        drive = folder / "drive.mcap"
        kitbag("convert", "demo://?seconds=10&seed=7", drive, "--encoding", "cdr",
               "--compression", "zstd", "--chunk-size", "100k")
        cls.set_up([drive], ["/odom", "/imu", "/battery", "/scan", "/tf", "/camera/image"])

    def test_aggregates(self):
        self.check(
            'SELECT count(*), avg("twist.twist.linear.x"), min("pose.pose.position.x"), '
            'max("pose.pose.position.x") FROM odom',
            'SELECT count(DISTINCT "header.frame_id"), count("header.frame_id") FROM imu',
            'SELECT "header.frame_id", count(*), min(time), max(time) FROM imu GROUP BY 1',
            ("SELECT time / 1000000000 AS second, count(*), avg(\"linear_acceleration.x\") FROM "
             "imu GROUP BY second HAVING count(*) > 50 ORDER BY second",
             "SELECT time // 1000000000 AS second, count(*), avg(\"linear_acceleration.x\") FROM "
             "imu GROUP BY second HAVING count(*) > 50 ORDER BY second"),
            'SELECT sum(CASE WHEN "angular_velocity.z" > 0 THEN 1 ELSE 0 END) * 1.0 / count(*) '
            "FROM imu")

    def test_time_ranges(self):
        begin, end = START + 2_000_000_000, START + 3_500_000_000
        self.check(
            f"SELECT count(*), min(time), max(time) FROM imu WHERE time >= {begin} AND "
            f"time < {end}",
            f'SELECT count(*), sum("orientation.w") FROM imu WHERE time BETWEEN {begin} AND {end}',
            f"SELECT count(*) FROM odom WHERE time > {end} OR time <= {begin}",
            f"SELECT time, voltage FROM battery WHERE {begin} < time ORDER BY time",
            "SELECT time, voltage FROM battery WHERE time = (SELECT max(time) FROM battery)",
            f"SELECT count(*) FROM imu WHERE time - {START} > 1e9 AND NOT time > {end}")

    def test_order_and_limit(self):
        self.check(
            "SELECT time, voltage FROM battery ORDER BY time DESC LIMIT 3",
            'SELECT time, "pose.pose.position.y" FROM odom ORDER BY time LIMIT 5 OFFSET 490',
            'SELECT time FROM odom ORDER BY "pose.pose.position.x" DESC, time LIMIT 7',
            'SELECT DISTINCT "child_frame_id", "header.frame_id" FROM odom',
            f"SELECT time FROM imu WHERE time >= {START + 10**9} ORDER BY time DESC LIMIT 4")

    def test_conditions_on_fields(self):
        self.check(
            "SELECT time, voltage FROM battery WHERE voltage < 25.195 ORDER BY time",
            'SELECT count(*) FROM odom WHERE "pose.pose.position.x" > 3.5 AND '
            '"twist.twist.linear.x" <= 0.5',
            "SELECT count(*) FROM battery WHERE time IN (SELECT time FROM battery WHERE "
            "voltage >= 25.195)",
            "SELECT count(*) FROM imu WHERE \"header.frame_id\" IN ('imu_link', 'base_link', 'x')",
            "SELECT count(*) FROM odom WHERE \"header.frame_id\" LIKE 'od%' AND child_frame_id <> "
            "'odom'",
            "SELECT count(*), count(percentage), count(temperature) FROM battery WHERE voltage IS "
            "NOT NULL",
            "SELECT count(*) FROM battery WHERE NOT (voltage BETWEEN 25.1945 AND 25.1985)")

    def test_joins(self):
        self.check(
            ("SELECT b.time, count(*), avg(o.\"twist.twist.linear.x\") FROM battery b JOIN odom o "
             "ON o.time / 1000000000 = b.time / 1000000000 GROUP BY b.time ORDER BY b.time",
             "SELECT b.time, count(*), avg(o.\"twist.twist.linear.x\") FROM battery b JOIN odom o "
             "ON o.time // 1000000000 = b.time // 1000000000 GROUP BY b.time ORDER BY b.time"),
            "SELECT b.time, count(i.time) FROM battery b LEFT JOIN imu i ON i.time BETWEEN b.time "
            "AND b.time + 30000000 AND i.\"angular_velocity.z\" > 0.1 GROUP BY b.time ORDER BY 1",
            "SELECT count(*) FROM battery b WHERE EXISTS (SELECT 1 FROM odom o WHERE o.time > "
            "b.time AND o.time < b.time + 15000000)")

    def test_as_of(self):
        """The newest odometry at each scan: SQLite by the time range of a subquery."""
        self.check(
            ("SELECT s.time, (SELECT \"pose.pose.position.y\" FROM odom o WHERE o.time <= s.time "
             "AND o.time > s.time - 100000000 ORDER BY o.time DESC LIMIT 1) AS y FROM scan s "
             "ORDER BY s.time",
             "SELECT s.time, o.\"pose.pose.position.y\" FROM scan s ASOF LEFT JOIN odom o ON "
             "s.time >= o.time ORDER BY s.time"),
            ("SELECT b.time, max(o.time) FROM battery b JOIN odom o ON o.time <= b.time GROUP BY "
             "1 ORDER BY 1",
             "SELECT b.time, o.time FROM battery b ASOF JOIN odom o ON b.time >= o.time ORDER BY "
             "1"))

    def test_windows_and_sets(self):
        self.check(
            'SELECT time, "pose.pose.position.x" - lag("pose.pose.position.x") OVER (ORDER BY '
            "time) FROM odom ORDER BY time LIMIT 10",
            "SELECT time FROM battery EXCEPT SELECT time FROM battery WHERE voltage < 25.197 "
            "ORDER BY 1",
            "WITH fast AS (SELECT time, \"twist.twist.linear.x\" AS speed FROM odom WHERE "
            "\"twist.twist.linear.x\" > 0.4) SELECT count(*), max(speed) FROM fast",
            "SELECT name, count(*) FROM (SELECT \"header.frame_id\" AS name FROM imu UNION ALL "
            "SELECT \"header.frame_id\" FROM odom) AS names GROUP BY name ORDER BY name")

    def test_lists(self):
        self.check(
            ("SELECT json_array_length(ranges), json_extract(ranges, '$[7]') FROM scan ORDER BY "
             "time", "SELECT len(ranges), ranges[8] FROM scan ORDER BY time"),
            ("SELECT count(*), avg(value), min(value) FROM scan, json_each(ranges) WHERE value "
             "IS NOT NULL",
             "SELECT count(*), avg(r::DOUBLE), min(r) FROM (SELECT unnest(ranges) AS r FROM scan) "
             "WHERE isfinite(r)"),
            ("SELECT json_extract(\"pose.covariance\", '$[35]') FROM odom ORDER BY time",
             "SELECT \"pose.covariance\"[36] FROM odom ORDER BY time"),
            ("SELECT json_extract(transforms, '$[0].child_frame_id') AS child, count(*), "
             "avg(json_extract(transforms, '$[0].transform.translation.x')) FROM \"/tf\" GROUP BY "
             "child ORDER BY child",
             "SELECT transforms[1].child_frame_id AS child, count(*), "
             "avg(transforms[1].transform.translation.x) FROM tf GROUP BY child ORDER BY child"))

    def test_bytes(self):
        self.check(
            ("SELECT time, length(data), hex(substr(data, 1, 4)) FROM camera_image ORDER BY time",
             "SELECT time, octet_length(data), hex(data[1:4]) FROM camera_image ORDER BY time"),
            "SELECT data FROM camera_image ORDER BY time LIMIT 1",
            "SELECT count(DISTINCT data), count(*) FROM camera_image WHERE width * height = 19200 "
            "OR encoding = 'mono8' OR step > 0")


class RealBags(Compared):
    """Turtles, a laser that tilts, an arm, a cloud of points; logs in JSON, parts of rosbag2."""

    def set_up_bag(self, name, *topics):
        bag = DATA / name
        peers.need_data(bag)
        self.set_up([bag], topics)

    def test_turtles(self):
        self.set_up_bag("ros1/v2.0_rosbag.js_example_2dee46e1.bag", "/turtle1/pose",
                        "/turtle2/pose", "/turtle1/color_sensor", "/rosout", "/tf")
        self.check(
            "SELECT count(*), avg(x), avg(y), max(linear_velocity) FROM turtle1_pose",
            "SELECT r, g, b, count(*) FROM turtle1_color_sensor GROUP BY r, g, b ORDER BY 4, 1, 2",
            "SELECT level, name, msg, line FROM rosout ORDER BY time, msg",
            "SELECT count(*) FROM rosout WHERE file LIKE '%turtle%' OR upper(name) = '/ROSOUT'",
            ("SELECT count(*), min(d), max(d) FROM (SELECT a.time, abs(a.x - b.x) AS d FROM "
             "turtle1_pose a JOIN turtle2_pose b ON a.time / 100000000 = b.time / 100000000)",
             "SELECT count(*), min(d), max(d) FROM (SELECT a.time, abs(a.x - b.x) AS d FROM "
             "turtle1_pose a JOIN turtle2_pose b ON a.time // 100000000 = b.time // 100000000)"),
            ("SELECT json_extract(transforms, '$[0].child_frame_id') AS child, count(*) FROM "
             "\"/tf\" GROUP BY child ORDER BY child",
             "SELECT transforms[1].child_frame_id AS child, count(*) FROM tf GROUP BY child "
             "ORDER BY child"))

    def test_laser(self):
        self.set_up_bag("ros1/v2.0_PlotJuggler_tilt_laser_c9731f25.bag", "/imu_data",
                        "/position_gps", "/scan", "/temperature")
        self.check(
            'SELECT count(*), avg("linear_acceleration.z"), min("header.seq"), '
            'max("header.stamp") FROM imu_data',
            'SELECT "status.status", "status.service", count(*), count(latitude) FROM position_gps '
            "GROUP BY 1, 2 ORDER BY 1, 2",
            ("SELECT s.time, (SELECT max(i.time) FROM imu_data i WHERE i.time <= s.time) FROM scan "
             "s WHERE s.time IN (SELECT time FROM scan ORDER BY time LIMIT 20) ORDER BY 1",
             "SELECT s.time, i.time FROM scan s ASOF LEFT JOIN imu_data i ON s.time >= i.time "
             "ORDER BY 1 LIMIT 20"),
            ("SELECT time, json_array_length(ranges), (SELECT max(value) FROM json_each(ranges)) "
             "FROM scan ORDER BY time LIMIT 30",
             "SELECT time, len(ranges), list_max(list_filter(ranges, r -> isfinite(r))) FROM scan "
             "ORDER BY time LIMIT 30"))

    def test_arm(self):
        self.set_up_bag("ros1/v2.0_usc-clmc-ros-pkg_test_recording_arm_a28bc6ed.bag",
                        "/SL/cart_state", "/joint_states")
        self.check(
            ("SELECT value, count(*) FROM joint_states, json_each(name) GROUP BY value ORDER BY "
             "value", "SELECT n, count(*) FROM (SELECT unnest(name) AS n FROM joint_states) GROUP "
             "BY n ORDER BY n"),
            ("SELECT avg(json_extract(position, '$[0]')), avg(json_extract(effort, '$[1]')) FROM "
             "joint_states", "SELECT avg(position[1]), avg(effort[2]) FROM joint_states"),
            'SELECT count(*), avg("pose.position.x") FROM SL_cart_state WHERE '
            '"pose.orientation.w" > 0')

    def test_before_ros_2_0(self):
        self.set_up_bag("ros1/v1.2_ccny-ros-pkg-pbouffard_demo_ac7c3601.bag",
                        "/swissranger_camera/pointcloud_raw")
        self.check(
            ('SELECT time, "header.frame_id", json_array_length(points), '
             "json_extract(points, '$[9].z') FROM swissranger_camera_pointcloud_raw ORDER BY time",
             'SELECT time, "header.frame_id", len(points), points[10].z FROM '
             "swissranger_camera_pointcloud_raw ORDER BY time"))

    def test_json_messages(self):
        self.set_up_bag("mcap/lichtblick-suite+lichtblick/e2e/fixtures/assets/example_logs.mcap",
                        "/rosout", "mouse")
        self.check(
            "SELECT level, count(*), min(message), max(length(message)) FROM rosout GROUP BY level "
            "ORDER BY level",
            'SELECT avg("clientX"), max("clientY"), count(DISTINCT "clientX") FROM mouse',
            "SELECT r.time, r.message, m.\"clientX\" FROM rosout r JOIN mouse m ON r.time = m.time "
            "ORDER BY r.time, m.\"clientX\"")

    def test_parts_of_a_recording(self):
        parts = sorted((DATA / "rosbag2/generated_rosbag2_0.29.0/sqlite3_split").glob("*.db3"))
        peers.need(parts, "../shared/data/rosbag2 is not there", "shared_data")
        self.set_up(parts, ["/chatter", "/vec"])
        self.check("SELECT count(*), min(data), max(data), min(time), max(time) FROM chatter",
                   "SELECT time, x, y, z FROM vec ORDER BY time DESC LIMIT 12")


class Nulls(Compared):
    """Two bags whose messages differ: what one lacks is NULL in its rows."""

    @classmethod
    def setUpClass(cls):
        folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        bags = []
        for number, (definition, payload) in enumerate((
                ("float64 x\nstring name\n", cls.named),
                ("float64 x\nint32 level\nuint64 large\n", cls.leveled))):
            bags.append(folder / f"{number}.bag")
            file = make_bag.BagFile(bags[-1])
            state = file.connection("/state", "test_msgs/State", definition=definition)
            first = 10**18 + number * 10**9
            file.add_chunk([(state, first + i * 10**6, payload(i)) for i in range(20)])
            file.close()
        cls.set_up(bags, ["/state"])

    @staticmethod
    def named(i):
        return struct.pack("<dI", i / 4, 1) + b"abc"[i % 3:i % 3 + 1]

    @staticmethod
    def leveled(i):
        return struct.pack("<diQ", float("nan") if i % 5 == 0 else -i, i % 4, 2**62 + i)

    def test_nulls(self):
        self.check(
            "SELECT count(*), count(x), count(name), count(level), count(large) FROM state",
            "SELECT time, x, name, level FROM state WHERE name IS NULL OR level IS NULL ORDER BY "
            "time",
            "SELECT count(*) FROM state WHERE level IS NOT NULL AND x IS NULL",
            "SELECT level, count(*), sum(x) FROM state GROUP BY level ORDER BY level NULLS FIRST",
            "SELECT coalesce(name, 'none'), coalesce(level, -1), count(*) FROM state GROUP BY 1, 2 "
            "ORDER BY 1, 2",
            "SELECT count(*) FROM state WHERE level NOT IN (1, 2)",
            "SELECT count(*) FROM state WHERE x <> 1 AND (name > 'a' OR name IS NULL)",
            "SELECT max(large), min(large) FROM state",
            "SELECT DISTINCT name FROM state ORDER BY name NULLS LAST",
            "SELECT a.time, b.level FROM state a LEFT JOIN state b ON a.time = b.time AND b.level "
            "= 3 ORDER BY a.time")


class EveryType(Compared):
    @classmethod
    def setUpClass(cls):
        folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, folder)
        every_type.make(folder / "every.bag")
        cls.set_up([folder / "every.bag"], ["/every"])

    def test_values(self):
        for name in ("flag", "old_byte", "old_char", "i8", "u8", "i16", "u16", "i32", "u32", "i64",
                     "u64", "text", "stamp", "inner.name", "inner.data", "bytes", "five_bytes",
                     "many_bytes"):
            self.check(f'SELECT time, "{name}" FROM every ORDER BY time',
                       f'SELECT count(DISTINCT "{name}"), min("{name}"), max("{name}") FROM every')
        self.check("SELECT count(f32), count(f64) FROM every",
                   "SELECT count(*) FROM every WHERE f32 > f64 OR f64 = 0",
                   "SELECT text, hex(bytes) FROM every WHERE text > 'b' ORDER BY text DESC, time",
                   ("SELECT json_extract(inners, '$[0].deeps[0].numbers[0]'), "
                    "json_array_length(texts), json_extract(large, '$[2]') FROM every ORDER BY "
                    "time",
                    "SELECT inners[1].deeps[1].numbers[1], len(texts), large[3] FROM every ORDER "
                    "BY time"))


if __name__ == "__main__":
    peers.main()
