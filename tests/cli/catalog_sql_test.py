#!/usr/bin/env python3
"""`kitbag sql --catalog`: the answers are those over the bags themselves, and few bags are opened;
in SQLite and in PostgreSQL."""

import json
import os
import re

from catalog_case import HOUR_NS, STEP_NS, Catalogs, InPostgres, InSqlite
from cli import START_NS, CliTest, main

BAGS = 12


class CatalogSql(Catalogs):
    def make_fleet(self):
        for number in range(BAGS):
            self.numbers(f"runs/{number:02}.bag", [number * 10 + i % 10 for i in range(100)],
                         START_NS + number * HOUR_NS)
        self.numbers("runs/other.bag", [1, 2], START_NS, topic="/other")
        self.catalog("init")
        self.catalog("scan", "runs", "--tag", "robot=r7")
        self.catalog("set", "runs/03.bag", "--note", "wet", "--event", "2023-11-15T01:13:21Z",
                     "slip")

    def ask(self, query, *arguments, code=0):
        """Rows, and how many bags were opened for them."""
        done = self.run_program("sql", query, "--catalog", self.address, "--format", "ndjson",
                                *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        opened = re.search(r"kitbag: (\d+) bags?, (\d+) opened", done.stderr)
        self.assertTrue(opened, done.stderr)
        self.assertEqual(int(opened[1]), len(self.listed()))
        self.said = done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()], int(opened[2])

    def rows_of_bags(self, query):
        """The same, of the bags themselves."""
        out = self.kitbag("sql", query, "runs", "--format", "ndjson")
        rows = [json.loads(line) for line in out.splitlines()]
        for row in rows:
            if "bag" in row:
                row["bag"] = self.path(row["bag"])
        return rows

    def test_what_the_catalog_knows(self):
        self.make_fleet()
        for query in ("SELECT bag, format, size_bytes, start_time, end_time, messages FROM bags "
                      "ORDER BY bag",
                      "SELECT topic, type, encoding, messages, bag FROM topics ORDER BY bag"):
            rows, opened = self.ask(query)
            self.assertEqual(opened, 0)
            self.assertEqual(rows, self.rows_of_bags(query))
        rows, _ = self.ask("SELECT name, value, count(*) AS n FROM tags GROUP BY 1, 2")
        self.assertEqual(rows, [{"name": "robot", "value": "r7", "n": BAGS + 1}])
        rows, _ = self.ask("SELECT note, name, events.start_time - bags.start_time AS at FROM "
                           "events JOIN bags USING (bag)")
        self.assertEqual(rows, [{"note": "wet", "name": "slip", "at": 10**9}])
        rows, _ = self.ask("SELECT count(*) AS n FROM bags WHERE damage = '' AND added_time > 0 "
                           "AND length(fingerprint) > 10 AND version IS NULL")
        self.assertEqual(rows, [{"n": BAGS + 1}])

    def test_messages_of_all_bags(self):
        self.make_fleet()
        start = START_NS + 2 * HOUR_NS
        for query, expected in (
                ("SELECT count(*), sum(data) FROM number", BAGS),
                ("SELECT bag, time, data FROM number WHERE data > 112 ORDER BY time", 1),
                ("SELECT bag, time, data FROM number WHERE data = 35", 1),
                ("SELECT bag, time, data FROM number WHERE data IN (5, 35, 36) ORDER BY time", 4),
                ("SELECT bag, data FROM number WHERE data BETWEEN 38 AND 41 ORDER BY time", 2),
                ("SELECT data FROM number WHERE data > 1000", 0),
                ("SELECT data FROM number WHERE data < 0.5", 1),
                (f"SELECT bag, data FROM number WHERE time = {start}", 1),
                (f"SELECT bag, data FROM number WHERE time > {start + 50 * STEP_NS} AND time < "
                 f"{start + HOUR_NS + 5 * STEP_NS} ORDER BY time", 2),
                ("SELECT data FROM number WHERE data > 30 AND data < 33 AND time > 0", 1),
                ("SELECT count(*) FROM number WHERE data < 5 OR data > 115", BAGS),
                ("SELECT count(*) FROM messages WHERE topic = '/other'", 1),
                ("SELECT count(*) FROM messages", BAGS + 1),
                (f"SELECT topic, time FROM messages WHERE time <= {START_NS + 10**9} "
                 "ORDER BY time, topic", 2),
                ("SELECT count(*) FROM tf", 0),
                ("SELECT a.data, b.data AS other FROM number a JOIN other b ON a.time = b.time "
                 "WHERE a.data < 2 ORDER BY a.time", 2)):
            rows, opened = self.ask(query)
            self.assertEqual(rows, self.rows_of_bags(query), query)
            # The pyramid knows numbers in parts, so a list may let in more than it has to.
            self.assertLessEqual(opened, expected, query)
            if "IN (" not in query:
                self.assertEqual(opened, expected, query)
        (row,), opened = self.ask("SELECT count(*) AS n FROM messages WHERE bag = "
                                  f"'{self.path('runs/07.bag')}'")
        self.assertEqual((row, opened), ({"n": 100}, 1))
        (row,), opened = self.ask("SELECT count(*) AS n FROM number JOIN bags USING (bag) "
                                  "WHERE note = 'wet'")
        self.assertEqual(row, {"n": 100})

    def test_bags_that_are_gone_or_have_changed(self):
        self.make_fleet()
        os.remove(self.folder / "runs/05.bag")
        rows, opened = self.ask("SELECT count(*) AS n FROM number", code=1)
        self.assertEqual((rows, opened), ([{"n": 100 * (BAGS - 1)}], BAGS - 1))
        self.assertEqual(self.said.count("05.bag: the bag is not there any more"), 1)
        self.assertIn("the bag is left out", self.said)
        # What does not need it does not miss it.
        self.assertEqual(self.ask("SELECT count(*) AS n FROM other")[1], 1)
        before_ns = START_NS + HOUR_NS
        self.assertEqual(self.ask(f"SELECT count(*) FROM number WHERE time < {before_ns}")[1], 1)

        # A bag that has changed is read as it is now: another number, and another type.
        self.numbers("runs/06.bag", [999, 1], START_NS + 6 * HOUR_NS)
        self.catalog("remove", "runs/05.bag")
        rows, opened = self.ask("SELECT data FROM number WHERE data > 900")
        self.assertEqual((rows, opened), ([{"data": 999}], 1))
        self.assertIn("1 of them changed since they were added", self.said)
        self.numbers("runs/06.bag", [999, 1], START_NS + 6 * HOUR_NS, type_="fleet_msgs/Mark",
                     definition="int32 mark\n")
        self.assertEqual(self.ask("SELECT data FROM number WHERE data > 900")[0], [])

    def test_mistakes(self):
        self.make_fleet()
        for query, said in (("SELECT dat FROM number", "no such column: dat; similar: data"),
                            ("SELECT * FROM numbr", "no such table: numbr; similar: number"),
                            ("DELETE FROM bags", "not authorized|may not be modified"),
                            ("ATTACH 'x' AS y", "not authorized")):
            self.fails("sql", query, "--catalog", self.address, saying=said)
        self.fails("sql", "SELECT 1", "run.bag", "--catalog", self.address, saying="leave out BAG")
        self.fails("sql", "SELECT 1", saying="name the bags, or --catalog")
        self.assertEqual(len(self.listed()), BAGS + 1)

    def test_a_catalog_of_an_older_kitbag(self):
        """It has no definitions, so that a bag of each topic is opened to see its fields."""
        self.make_fleet()
        self.run_sql("DELETE FROM definitions WHERE 1 = 1 RETURNING 1")
        rows, opened = self.ask("SELECT data FROM number WHERE data = 35")
        self.assertEqual(rows, self.rows_of_bags("SELECT data FROM number WHERE data = 35"))
        self.assertLessEqual(opened, 3)


class SqliteCatalogSqlTest(InSqlite, CatalogSql, CliTest):
    pass


class PostgresCatalogSqlTest(InPostgres, CatalogSql, CliTest):
    pass


if __name__ == "__main__":
    main()
