#!/usr/bin/env python3
"""Answers in the Arrow IPC format, read by npm's apache-arrow: they say what the same answers in
JSON say."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from urllib.parse import quote

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
sys.path.insert(0, str(HERE))

import duckdb_c  # noqa: E402
import every_type  # noqa: E402
import peers  # noqa: E402
from arrow_ipc_test import need_npm, read_by_npm  # noqa: E402
from bag_folder import InFolder  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag  # noqa: E402

DATA = peers.ROOT.parent / "shared" / "data"
REAL = ("ros1/v2.0*.bag", "rosbag2/**/*.db3", "mcap/**/*.mcap")
MEDIA_TYPE = "application/vnd.apache.arrow.stream"
ODD = ("SELECT 1 AS a, 2.5 AS a, 'x\"' AS b, x'00ff' AS c, NULL AS d",
       "SELECT 1 AS a WHERE 0",
       "SELECT voltage FROM battery WHERE 0",
       "SELECT 1 AS a UNION ALL SELECT NULL UNION ALL SELECT 2.5")


def run(*arguments, **environment):
    return subprocess.run([peers.program(), *map(str, arguments)], capture_output=True,
                          env={**os.environ, **environment}, timeout=120)


def comparable(column, value):
    """A value of read_arrow.mjs as JSON has it."""
    if value is None:
        return None
    if column["type"].startswith("Float"):
        number = float(value)
        return number if abs(number) < float("inf") else None
    return int(value) if column["type"] == "Int64" else value


class Answers(InFolder):
    options = ("--allow-sql",)

    @classmethod
    def setUpClass(cls):
        need_npm()
        super().setUpClass()

    @classmethod
    def fill(cls):
        kitbag("convert", "demo://?seconds=4&seed=3", cls.folder / "a.bag")
        every_type.make(cls.folder / "every.bag")
        file = McapFile(cls.folder / "odd.mcap")
        odd = file.channel("/odd", "json", "s", "jsonschema",
                           '{"type":"object","properties":{"n":{"type":"number"}}}')
        for second, text in enumerate(('{"n":1}', '{"n":', '{"n":3}'), 1):
            file.message(odd, second * 10**9, text.encode())
        file.close()

    def read(self, content):
        path = self.folder / "answer"
        path.write_bytes(content)
        return read_by_npm(path)[0]

    def check(self, *queries, bag):
        """Returns the number of rows."""
        wanted, answers = [], []
        for query in queries:
            wanted.append(json.loads(kitbag("sql", "--format", "json", query, bag)))
            done = run("sql", "--format", "arrow", query, bag)
            self.assertEqual(done.returncode, 0, f"{query}: {done.stderr}")
            answers.append(self.folder / f"answer{len(answers)}")
            answers[-1].write_bytes(done.stdout)
        for query, found, expected in zip(queries, read_by_npm(*answers), wanted):
            rows = [{column["name"]: comparable(column, row[column["name"]])
                     for column in found["columns"]} for row in found["rows"]]
            self.assertEqual(rows, expected, query)
        return sum(map(len, wanted))

    def check_all_tables(self, bag):
        topics = json.loads(kitbag("sql", "--format", "json", "SELECT topic FROM topics", bag))
        names = [each["topic"].replace('"', '""') for each in topics]
        queries = [f'SELECT {what} FROM "{name}"' for name in names for what in ("*", "count(*)")]
        # Messages of some topics cannot be decoded.
        queries = [query for query in queries
                   if b"no such table" not in run("sql", query, bag).stderr]
        return self.check(*queries, bag=bag)

    def test_the_demo_robot(self):
        self.assertGreater(self.check_all_tables(self.folder / "a.bag"), 900)

    def test_every_type(self):
        """Some uint64 are real numbers in SQLite, and others no float64."""
        bag = self.folder / "every.bag"
        done = run("sql", "--format", "arrow", 'SELECT * FROM "/every"', bag)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"which float64 cannot represent", done.stderr)
        row, = json.loads(kitbag("sql", "--format", "json", 'SELECT * FROM "/every" LIMIT 1', bag))
        names = [f'"{name}"' for name in row if name != "u64"]
        self.assertGreater(len(names), 30)
        self.assertEqual(self.check(f'SELECT {", ".join(names)} FROM "/every"', bag=bag), 40)

    def test_odd_answers(self):
        self.check(*ODD, bag=self.folder / "a.bag")
        found = self.read(run("sql", "--format", "arrow", ODD[2], self.folder / "a.bag").stdout)
        self.assertEqual([each["type"] for each in found["columns"]], ["Float64"])

    def test_real_bags(self):
        peers.need_real_bags()
        bags = rows = 0
        for pattern in REAL:
            found = [each for each in sorted(DATA.glob(pattern))
                     if 3_000 < each.stat().st_size < 300_000 and "invalid" not in each.name]
            for bag in found[:2]:
                with self.subTest(bag.name):
                    rows += self.check_all_tables(bag)
                    bags += 1
        self.assertGreaterEqual(bags, 4)
        self.assertGreater(rows, 100)

    def test_many_rows(self):
        query = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)"
                 " SELECT i, CASE WHEN i % 3 THEN 'text ' || i END AS text FROM n")
        self.assertEqual(self.check(query, bag=self.folder / "a.bag"), 200000)

    def test_a_value_that_does_not_fit_is_an_error(self):
        done = run("sql", "--format", "arrow", "SELECT 1 AS a UNION ALL SELECT 'x'",
                   self.folder / "a.bag")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertIn(b'the column "a" has a text in row 2 and an integer before; use CAST',
                      done.stderr)

    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([peers.program(), "sql", "--format", "arrow",
                                   "SELECT * FROM odom", self.folder / "a.bag"], stdout=full,
                                  stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"No space left on device", done.stderr)

    def test_duckdb_gives_its_own_types(self):
        duckdb_c.library()
        query = ('SELECT max(time) AS "time", sum(header.seq) AS "big", '
                 'list(voltage ORDER BY time)[1:2] AS "list", DATE \'2020-01-02\' AS "at", '
                 'first(header.frame_id ORDER BY time) AS "frame" FROM battery')
        done = run("sql", "--engine", "duckdb", "--format", "arrow", query, self.folder / "a.bag",
                   KITBAG_DUCKDB=str(duckdb_c.LIBRARY))
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        found = self.read(done.stdout)
        self.assertEqual([(each["name"], each["type"]) for each in found["columns"]], [
            ("time", "Timestamp<NANOSECOND>"), ("big", "Decimal[38e0]"), ("list", "List<Float32>"),
            ("at", "Date32<DAY>"), ("frame", "Utf8")])
        query = 'SELECT time, voltage, "header.frame_id" AS frame FROM battery ORDER BY time'
        rows = json.loads(kitbag("sql", "--format", "json", query, self.folder / "a.bag"))
        self.assertEqual(found["rows"][0]["time"], str(rows[-1]["time"]))
        self.assertEqual([float(each) for each in found["rows"][0]["list"]],
                         [each["voltage"] for each in rows[:2]])
        self.assertEqual(found["rows"][0]["frame"], rows[0]["frame"])
        self.assertEqual(found["rows"][0]["at"], 1577923200000)

    def test_duckdb_gives_many_rows(self):
        duckdb_c.library()
        done = run("sql", "--engine", "duckdb", "--format", "arrow",
                   "SELECT i, i / 2 AS half FROM range(10000) AS t(i)", self.folder / "a.bag",
                   KITBAG_DUCKDB=str(duckdb_c.LIBRARY))
        found = self.read(done.stdout)
        self.assertEqual([(int(row["i"]), float(row["half"])) for row in found["rows"]],
                         [(i, i / 2) for i in range(10000)])

    def test_sql_by_http(self):
        query = "SELECT time, voltage, location FROM battery"
        reply = self.server.ask(f"/bags/a.bag/sql?q={quote(query)}&format=arrow")
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, MEDIA_TYPE))
        self.assertEqual(reply.body, run("sql", "--format", "arrow", query,
                                         self.folder / "a.bag").stdout)
        numbers = quote("SELECT 1 AS a UNION ALL SELECT 2.5 UNION ALL SELECT 1e9")
        reply = self.server.ask(f"/bags/a.bag/sql?format=arrow&q={numbers}")
        self.assertEqual([row["a"] for row in self.read(reply.body)["rows"]],
                         ["1", "2.5", "1000000000"])
        one_then_text = quote("SELECT 1 AS a UNION ALL SELECT 'x'")
        reply = self.server.ask(f"/bags/a.bag/sql?format=arrow&q={one_then_text}")
        self.assertGreaterEqual(reply.status, 400)
        self.assertIn(b"use CAST", reply.body)

    def check_series(self, query):
        reply = self.server.ask(f"/bags/a.bag/series?{query}")
        self.assertEqual(reply.status, 200, reply.body)
        document = json.loads(reply.body)
        exact = json.loads(reply.body, parse_float=str)  # a double has too few digits for times
        seconds, decimals = exact["start_time"].split(".")
        start = int(seconds) * 10**9 + int(decimals)
        width = int(exact["bucket_duration"].replace(".", ""))
        names = ("count", "min", "max", "mean", "last")
        wanted = [(each["topic"], each["field"], start + i * width, *values)
                  for each in document["series"]
                  for i, values in enumerate(zip(*(each[name] for name in names)))
                  if values[0] > 0]
        self.assertTrue(wanted)
        reply = self.server.ask(f"/bags/a.bag/series?{query}&format=arrow")
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, MEDIA_TYPE))
        found = self.read(reply.body)
        self.assertEqual(found["metadata"], {
            "kitbag.start_time": str(start), "kitbag.bucket_duration": str(width),
            "kitbag.buckets": str(document["buckets"])})
        rows = [(row["topic"], row["field"], int(row["time"]), int(row["count"]),
                 *(float(row[name]) for name in names[1:])) for row in found["rows"]]
        self.assertEqual(rows, wanted)
        return len(found["batches"])

    def test_series(self):
        fields = "fields=twist.twist.linear.x,pose.pose.position.x"
        self.assertEqual(self.check_series(f"topics=/odom&{fields}&buckets=1000"), 2)
        self.assertEqual(self.check_series("fields=voltage,header.stamp&topics=/battery,/imu"), 3)
        start = 1767225601
        self.check_series(f"topics=/odom&{fields}&buckets=7&start_time={start}"
                          f"&end_time={start + 1}")

    def test_series_in_a_form_that_there_is_not(self):
        reply = self.server.ask("/bags/a.bag/series?fields=voltage&format=parquet")
        self.assertEqual(reply.status, 400)
        self.assertIn(b"format", reply.body)

    def test_series_of_a_damaged_bag(self):
        """Arrow has no place for a list of damage, so it is in a header."""
        reply = self.server.ask("/bags/odd.mcap/series?fields=n&format=arrow")
        self.assertEqual(reply.status, 200, reply.body)
        self.assertIn("1 message", reply.headers["Kitbag-Damage"])
        self.assertEqual([row["last"] for row in self.read(reply.body)["rows"]], ["1", "3"])


if __name__ == "__main__":
    peers.main()
