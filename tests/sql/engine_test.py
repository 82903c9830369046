#!/usr/bin/env python3
"""`kitbag sql --engine duckdb`: the dialect of DuckDB, in the formats of `kitbag sql`."""

import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import duckdb_c  # noqa: E402
import make_bag  # noqa: E402
import peers  # noqa: E402
from peers import kitbag  # noqa: E402


def run(query, *bags, library=duckdb_c.LIBRARY):
    command = [peers.program(), "sql", "--engine", "duckdb", "--format", "json", query, *bags]
    environment = {**os.environ, "KITBAG_DUCKDB": str(library)}
    return subprocess.run(list(map(str, command)), capture_output=True, text=True,
                          env=environment, timeout=120)


class WithoutLibrary(unittest.TestCase):
    def test_the_error_says_what_to_install(self):
        done = run("SELECT 1", "demo://?seconds=1", library="/nowhere/libduckdb.so")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/nowhere/libduckdb.so", done.stderr)
        self.assertIn("install libduckdb.so", done.stderr)
        self.assertIn("KITBAG_DUCKDB", done.stderr)


class Engine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        duckdb_c.library()
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.drive = cls.folder / "drive.bag"
        kitbag("convert", "demo://?seconds=5&seed=7", cls.drive)

    def answer(self, query, *bags):
        done = run(query, *(bags or [self.drive]))
        self.assertEqual((done.returncode, done.stderr), (0, ""), query)
        return [tuple(row.values()) for row in json.loads(done.stdout)]

    def check_refused(self, query, pattern):
        done = run(query, self.drive)
        self.assertNotEqual(done.returncode, 0, query)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, pattern)

    def test_the_same_as_sqlite(self):
        for ours, theirs in (
                ('SELECT count(*), avg("twist.twist.linear.x"), min(time), max(time) FROM odom',
                 "SELECT count(*), avg(twist.twist.linear.x), min(time), max(time) FROM odom"),
                ('SELECT time, "header.frame_id", present FROM "/battery" ORDER BY time',
                 'SELECT time, header.frame_id, present FROM "/battery" ORDER BY time'),
                ("SELECT length(data), data FROM camera_image ORDER BY time LIMIT 3",
                 "SELECT octet_length(data), data FROM camera_image ORDER BY time LIMIT 3"),
                ("SELECT sum(width), sum(width) / 7.0 FROM camera_image",
                 "SELECT sum(width), sum(width) / 7.0 FROM camera_image")):
            rows = json.loads(kitbag("sql", "--format", "json", ours, self.drive))
            found = self.answer(theirs)
            self.assertEqual(len(found), len(rows))
            for row, wanted in zip(found, rows):
                for value, other in zip(row, wanted.values()):
                    if isinstance(value, float):
                        self.assertAlmostEqual(value, other, delta=1e-9 * abs(other))
                    else:
                        self.assertEqual(value, other, theirs)

    def test_types(self):
        [row] = self.answer(
            "SELECT 170141183460469231731687303715884105727::HUGEINT, (-5)::HUGEINT, "
            "NULL::HUGEINT, TIMESTAMP '1970-01-01 00:00:02', NULL::TIMESTAMP, [1, NULL], "
            "{'a': 1.5::DOUBLE, 'b': ['x']}, 'text', ''::BLOB, true, "
            "18446744073709551615::UBIGINT, -1.25, NULL::DECIMAL(9, 2), -12345678901234567890.5")
        self.assertAlmostEqual(row[0] / 2.0**127, 1)
        self.assertEqual(row[1:5], (-5, None, 2_000_000_000, None))
        self.assertEqual([json.loads(each) for each in row[5:7]],
                         [[1, None], {"a": 1.5, "b": ["x"]}])
        self.assertEqual(row[7:13], ("text", "", 1, 2.0**64, -1.25, None))
        self.assertAlmostEqual(row[13] / -12345678901234567890.5, 1)
        self.check_refused("SELECT DATE '2026-01-31' AS day", "day has a type.*cast it")
        self.check_refused("SELECT [1.5::DECIMAL(5, 2)] AS parts", "parts has a type.*cast it")

    def test_answers_of_many_rows_and_of_none(self):
        self.assertEqual(self.answer("SELECT * FROM range(10000)"), [(i,) for i in range(10000)])
        self.assertEqual(self.answer("SELECT time FROM imu WHERE time IS NULL"), [])

    def test_as_of_and_statements(self):
        [[count]] = self.answer("CREATE TEMP TABLE near AS SELECT scan.time AS time, odom.time AS "
                                "before FROM scan ASOF JOIN odom ON scan.time >= odom.time; "
                                "SELECT count(*) FROM near WHERE epoch_ns(time) - "
                                "epoch_ns(before) BETWEEN 0 AND 25000000")
        self.assertGreaterEqual(count, 45)

    def test_bags_are_one_table(self):
        bags = []
        for i, (definition, code) in enumerate((("int32 a\n", "<i"), ("float64 b\n", "<d"))):
            bags.append(self.folder / f"{i}.bag")
            file = make_bag.BagFile(bags[-1])
            conn = file.connection("/state", "test_msgs/State", definition=definition)
            file.add_chunk([(conn, 10**18 + i, struct.pack(code, 7 + i))])
            file.close()
        self.assertEqual(self.answer("SELECT epoch_ns(time), a, b FROM state ORDER BY time", *bags),
                         [(10**18, 7, None), (10**18 + 1, None, 8.0)])

    def test_structures_without_fields_are_left_out(self):
        bag = self.folder / "empty_fields.bag"
        file = make_bag.BagFile(bag)
        conn = file.connection("/state", "test_msgs/State", definition=(
            "test_msgs/None none\nint32 a\ntest_msgs/Some part\ntest_msgs/Some[] list\n"
            "test_msgs/None[] nones\n" + "=" * 80 + "\nMSG: test_msgs/None\n" + "=" * 80 +
            "\nMSG: test_msgs/Some\ntest_msgs/None none\nint32 b\n"))
        alone = file.connection("/alone", "test_msgs/Only", definition=(
            "test_msgs/None none\n" + "=" * 80 + "\nMSG: test_msgs/None\n"))
        file.add_chunk([(conn, i, struct.pack("<iiIiiI", i, -i, 2, 8, 9, 5)) for i in (1, 2)] +
                       [(alone, 3, b"")])
        file.close()
        done = run("SELECT a, part.b AS b, len(list) AS n, list[2].b AS last, nones FROM state "
                   "ORDER BY time", bag)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nones", done.stderr)
        done = run("SELECT a, part.b AS b, len(list) AS n, list[2].b AS last FROM state ORDER BY "
                   "time", bag)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout),
                         [{"a": i, "b": -i, "n": 2, "last": 9} for i in (1, 2)])
        self.assertRegex(done.stderr, "warning: /state: .*left out: none, part.none, list\\[\\]."
                                      "none, nones\n")
        done = run("SELECT count(*) AS n FROM alone", bag)
        self.assertEqual((done.returncode, json.loads(done.stdout)), (0, [{"n": 1}]), done.stderr)

    def test_damage_is_an_error(self):
        bag = self.folder / "damaged.bag"
        file = make_bag.BagFile(bag)
        conn = file.connection("/chatter", "std_msgs/String")
        file.add_chunk([(conn, 1, b"\xff\0\0\0a")])
        file.close()
        done = run("SELECT * FROM chatter", bag)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("data", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_nothing_else_is_reached(self):
        secret = self.folder / "secret.csv"
        secret.write_text("a\n1\n")
        target = self.folder / "target.csv"
        for query in (f"SELECT * FROM read_csv('{secret}')", f"SELECT * FROM '{secret}'",
                      f"COPY (SELECT 1) TO '{target}'", f"ATTACH '{target}' AS x",
                      "LOAD httpfs", "INSTALL httpfs"):
            self.check_refused(query, "disabled|Permission|lock|not")
        for query in ("SET enable_external_access = true", "SET temp_directory = '/tmp/x'"):
            self.check_refused(query, "locked|Cannot")
        self.assertFalse(target.exists())

    def test_invalid_queries_are_errors(self):
        self.check_refused("SELEC 1", "syntax error")
        self.check_refused("-- nothing", "the query is empty")
        self.check_refused("SELECT 1; SELECT 2", "only the last statement of a query may give rows")
        self.check_refused("SELECT 1; CREATE TABLE t (a INTEGER)", "only the last statement")
        self.check_refused("SELECT nothing FROM imu", "nothing")
        self.check_refused("SELECT * FROM nowhere", "nowhere")


if __name__ == "__main__":
    peers.main()
