#!/usr/bin/env python3
"""`kitbag sql`: answers, formats, damage, and what it refuses."""

import csv
import io
import json
import subprocess

from cli import START_NS, BagFile, CliTest, main, u32
from peers import program


class SqlTest(CliTest):
    def sql(self, query, *more, **options):
        return self.kitbag("sql", query, self.bag, *more, **options)

    def test_the_formats_say_the_same(self):
        query = "SELECT time, data FROM count ORDER BY time LIMIT 3"
        rows = json.loads(self.sql(query, "--format", "json"))
        self.assertEqual([row["time"] - START_NS for row in rows], [10**7, 4 * 10**7, 7 * 10**7])
        lines = self.sql(query, "--format", "ndjson").splitlines()
        self.assertEqual([json.loads(line) for line in lines], rows)
        read = list(csv.DictReader(io.StringIO(self.sql(query, "--format", "csv"))))
        self.assertEqual([{key: int(value) for key, value in row.items()} for row in read], rows)
        table = [line.split() for line in self.sql(query, "--format", "table").splitlines()]
        self.assertEqual(table[0], ["time", "data"])
        self.assertEqual([[int(cell) for cell in line] for line in table[1:]],
                         [[row["time"], row["data"]] for row in rows])

    def test_a_long_table_has_one_heading(self):
        query = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500) "
                 "SELECT i, iif(i = 1800, 'a wide cell', 'x') AS word, i AS again FROM n")
        lines = self.sql(query, "--format", "table").splitlines()
        self.assertEqual(len(lines), 2501)
        self.assertEqual(lines[0], "  i  word  again")
        self.assertEqual(lines[999], "999  x       999")
        self.assertEqual(lines[1800], "1800  a wide cell   1800")
        self.assertEqual(lines[2500], "2500  x             2500")

    def test_the_same_as_cat(self):
        printed = [json.loads(line) for line in
                   self.kitbag("cat", self.bag, "--topics", "/count").splitlines()]
        rows = json.loads(self.sql('SELECT time, data FROM "/count" ORDER BY time',
                                   "--format", "json"))
        self.assertEqual([(row["time"], row["data"]) for row in rows],
                         [(row["log_time_ns"], row["data"]["data"]) for row in printed])
        self.assertEqual(len(rows), 100)

    def test_all_bags_are_one_database(self):
        self.kitbag("convert", self.bag, "other.mcap", "--rename", "/count:=/other")
        rows = json.loads(self.sql("SELECT bag, topic, messages FROM topics ORDER BY bag, topic",
                                   "other.mcap", "--format", "json"))
        self.assertEqual(len(rows), 6)
        self.assertEqual({row["bag"] for row in rows}, {self.bag, "other.mcap"})
        self.assertEqual(self.sql("SELECT count(*) AS n FROM tick", "other.mcap",
                                  "--format", "csv"), "n\n200\n")

    def test_a_folder_is_all_bags_in_it(self):
        (self.folder / "day").mkdir()
        (self.folder / "day" / "empty").mkdir()
        self.kitbag("convert", self.bag, "day/a.mcap")
        self.kitbag("convert", self.bag, "day/b/")
        (self.folder / "day" / "notes.txt").write_text("no bag")
        query = "SELECT bag, messages FROM bags ORDER BY bag"
        rows = json.loads(self.kitbag("sql", query, "day", "--format", "json"))
        self.assertEqual([row["bag"] for row in rows], ["day/a.mcap", "day/b"])
        self.assertEqual(len({row["messages"] for row in rows}), 1)
        one = json.loads(self.kitbag("sql", query, "day/b/", "--format", "json"))
        self.assertEqual([row["bag"] for row in one], ["day/b/"])
        (self.folder / "day" / "odd.bag").write_bytes(b"#ROSBAG V9.9\n" + bytes(5000))
        done = self.run_program("sql", query, "day/", "--format", "json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("odd.bag", done.stderr)
        self.assertEqual(json.loads(done.stdout), rows)
        self.fails("sql", query, "day", "--strict", saying="odd.bag")
        self.fails("sql", query, "day/empty", saying="no bags in this folder")

    def test_a_damaged_bag_answers_with_what_is_intact(self):
        self.kitbag("convert", self.bag, "cut.mcap", "--chunk-size", "1KB")
        file = self.folder / "cut.mcap"
        file.write_bytes(file.read_bytes()[:-3000])
        done = self.run_program("sql", "SELECT count(*) AS n FROM messages", "cut.mcap",
                                "--format", "csv")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("warning", done.stderr)
        self.assertGreater(int(done.stdout.split()[1]), 100)
        self.fails("sql", "SELECT count(*) FROM messages", "cut.mcap", "--strict",
                   saying="cut.mcap")

    def test_an_answer_that_cannot_be_written_is_an_error(self):
        for form in ("table", "csv", "json", "ndjson"):
            for rows in (1, 100_000):
                query = ("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                         f"WHERE i < {rows}) SELECT i FROM n")
                with open("/dev/full", "w") as full:
                    done = subprocess.run([program(), "sql", query, self.bag, "--format", form],
                                          stdout=full, stderr=subprocess.PIPE, text=True,
                                          check=False, timeout=60)
                self.assertEqual(done.returncode, 2, (form, rows, done.stderr))
                self.assertRegex(done.stderr, "^kitbag: standard output: .*No space left")

    def test_messages_that_cannot_be_decoded(self):
        content = (self.folder / "run.bag").read_bytes()
        (self.folder / "odd.bag").write_bytes(content.replace(b"int32 data", b"int64 data"))
        query = "SELECT count(*) AS n, count(data) AS known FROM count"
        self.fails("sql", query, "odd.bag", saying="/count")
        for choice, answer in (("skip", "0,0"), ("raw", "100,0")):
            done = self.run_program("sql", query, "odd.bag", "--format", "csv",
                                    "--on-error", choice)
            self.assertEqual(done.stdout.split()[1:], [answer], done.stderr)
            self.assertIn("/count", done.stderr)

    def make_topics(self, path, definition, *topics):
        """Each with one message, the number of the topic."""
        file = BagFile(path)
        connections = [file.connection(topic, "test_msgs/State", definition=definition)
                       for topic in topics]
        file.add_chunk([(connection, START_NS + i, u32(i))
                        for i, connection in enumerate(connections)])
        file.close()

    def test_topics_of_any_name(self):
        names = ["/a'b", '/a"b', "/; DROP TABLE bags; --", "/", "/x y", "/\u00dcber", "/%s%n",
                 "/bags", "/sqlite_x", "/json_each", "/kitbag_topic"]
        reserved = ["sqlite_master", "kitbag_topic", "tf_lookup", "json_each", "TF"]
        self.make_topics(self.path("names.bag"), "int32 data", *names, *reserved)
        for i, name in enumerate(names):
            quoted = name.replace('"', '""')
            done = self.run_program("sql", f'SELECT data FROM "{quoted}"', "names.bag", "--format",
                                    "csv")
            self.assertEqual((done.returncode, done.stdout), (0, f"data\n{i}\n"), done.stderr)
            for each in reserved:
                self.assertIn(f"warning: {each}: this name is taken or reserved", done.stderr)
        for i, name in enumerate(reserved, len(names)):
            query = f"CREATE VIRTUAL TABLE temp.t USING kitbag_topic('{name}'); SELECT data FROM t"
            done = self.run_program("sql", query, "names.bag", "--format", "csv")
            self.assertEqual((done.returncode, done.stdout), (0, f"data\n{i}\n"), done.stderr)

    def test_topics_that_differ_by_case_have_no_table(self):
        self.make_topics(self.path("case.bag"), "int32 data", "/q", "/Q", "q", "/other")
        for name in ("/q", "/Q"):
            done = self.run_program("sql", f'SELECT count(*) FROM "{name}"', "case.bag")
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertRegex(done.stderr.splitlines()[-1],
                             f'no such table: {name};.*kitbag_topic\\("{name}"\\)')
        for i, name in enumerate(("/q", "/Q")):
            query = f"CREATE VIRTUAL TABLE temp.t USING kitbag_topic('{name}'); SELECT data FROM t"
            done = self.run_program("sql", query, "case.bag", "--format", "csv")
            self.assertEqual((done.returncode, done.stdout), (0, f"data\n{i}\n"), done.stderr)
            self.assertIn(f"warning: {name} has no table", done.stderr)
        # "q" is a topic too, and not the second name of either.
        done = self.run_program("sql", "SELECT data FROM q", "case.bag", "--format", "csv")
        self.assertEqual((done.returncode, done.stdout), (0, "data\n2\n"), done.stderr)

    def test_many_topics(self):
        self.make_topics(self.path("many.bag"), "int32 data", *(f"/t/{i}" for i in range(3000)))
        query = 'SELECT data FROM "/t/77" UNION ALL SELECT data FROM t_2999'
        self.assertEqual(self.kitbag("sql", query, "many.bag", "--format", "csv"),
                         "data\n77\n2999\n")
        self.fails("sql", "SELECT * FROM t_3000", "many.bag", saying="no such table: t_3000")

    def test_more_fields_than_columns(self):
        self.make_topics(self.path("wide.bag"), "\n".join(f"uint8 f{i}" for i in range(2500)),
                         "/wide")
        done = self.run_program("sql", "SELECT topic, size_bytes FROM messages", "wide.bag",
                                "--format", "csv")
        self.assertEqual((done.returncode, done.stdout), (0, "topic,size_bytes\n/wide,4\n"))
        self.assertIn("/wide has 2500 fields, and a table has at most 1900", done.stderr)

    def test_what_is_refused(self):
        for query, saying in (("SELECT x FROM count", "no such column: x"), ("", "empty"),
                              ("SELECT avg(\"dat\") FROM count", "column: \"?dat.*; similar: data"),
                              ("SELECT c.dat FROM count c", "no such column: c.dat; similar: data"),
                              ("SELECT 1 FROM cuont", "no such table: cuont; similar: count"),
                              ("SELECT 1 FROM nowhere", "no such table"),
                              ("ATTACH 'x.db' AS x", "not authorized"),
                              ("SELECT load_extension('x')", "not authorized")):
            self.fails("sql", query, self.bag, saying=saying)
        self.kitbag("convert", self.bag, "run.mcap")
        with subprocess.Popen(["cat", self.path("run.mcap")], stdout=subprocess.PIPE) as pipe:
            self.fails("sql", "SELECT 1", "-", saying="save the bag to a file", stdin=pipe.stdout)
        self.fails("sql", "SELECT 1", "nowhere.bag", saying="nowhere.bag")
        self.assertEqual(self.files(), ["run.bag", "run.mcap"])


if __name__ == "__main__":
    main()
