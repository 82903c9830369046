#!/usr/bin/env python3
"""kitbag catalog and `find --catalog`, in SQLite and in PostgreSQL."""

import contextlib
import json
import os
import re
import resource
import shutil
import subprocess

from catalog_case import HOUR_NS, Catalogs, InPostgres, InSqlite
from cli import START_NS, CliTest, main
from fleet_rows import Rows
from old_catalog import statements_of_old_catalog
from peers import program


class Kinds(Catalogs):
    """What every kind of catalog must do."""

    def test_a_bag_is_added_once_and_found_by_its_content(self):
        self.catalog("init")
        self.catalog("init")  # changes nothing
        self.assertEqual(self.catalog("add", "run.bag"),
                         "run.bag: added\n1 added\n")
        self.assertEqual(self.catalog("add", "run.bag"), "1 unchanged\n")
        (bag,) = self.listed()
        self.assertEqual(
            [bag[key] for key in ("files", "format", "messages", "start_ns", "end_ns", "damage")],
            [[self.bag], "rosbag", 300, START_NS, START_NS + 299 * 10**7, ""])
        self.assertEqual([(each["topic"], each["messages"]) for each in bag["topics"]],
                         [("/chatter", 100), ("/count", 100), ("/tick", 100)])

        os.rename(self.bag, self.path("moved.bag"))
        self.assertEqual(self.catalog("add", "moved.bag"),
                         "moved.bag: moved\n1 moved\n")
        shutil.copy(self.path("moved.bag"), self.path("copy.bag"))
        self.assertEqual(self.catalog("add", "copy.bag"),
                         "copy.bag: copied\n1 copied\n")
        (bag,) = self.listed()
        self.assertEqual(bag["files"], [self.path("copy.bag"), self.path("moved.bag")])
        self.catalog("remove", "copy.bag")
        self.catalog("remove", "moved.bag")
        self.assertEqual(self.listed(), [])
        self.assertIn("does not know this bag",
                      self.run_program("catalog", "remove", self.address, "run.bag").stderr)

    def test_what_is_noted_outlives_a_repair(self):
        self.catalog("init")
        self.catalog("add", "run.bag", "--tag", "robot=r7", "--tag", "site=Zürich")
        self.catalog("set", "run.bag", "--note", "the wheel slips", "--event",
                     "2023-11-14T22:13:21Z", "slip")
        self.numbers("run.bag", [1, 2, 3])
        self.assertEqual(self.catalog("add", "run.bag"), "run.bag: replaced\n1 replaced\n")
        (bag,) = self.listed()
        self.assertEqual(bag["tags"], {"robot": "r7", "site": "Zürich"})
        self.assertEqual((bag["note"], bag["events"][0]["name"], bag["events"][0]["start_ns"]),
                         ("the wheel slips", "slip", START_NS + 10**9))
        self.assertEqual(len(self.listed("--tag", "robot=r7", "--tag", "site=Zürich")), 1)
        self.assertEqual(self.listed("--tag", "robot=r8"), [])
        for text, count in (("WHEEL", 1), ("slip", 1), ("run.b", 1), ("r7", 1), ("50%", 0),
                            ("run_b", 0)):
            self.assertEqual(len(self.listed("--text", text)), count, text)
        self.catalog("set", "run.bag", "--tag", "robot=")
        self.assertEqual(self.listed()[0]["tags"], {"site": "Zürich"})

    def test_parts_of_texts(self):
        """With characters that SQL reads in its own way, of any length and in any case."""
        self.catalog("init")
        notes = {"a": "100% of the_time", "b": "1000 of \"the time\"",
                 "c": "it's Zürich, 北京機場", "d": "back\\slash AND or NOT (x*)", "e": ""}
        for name, note in notes.items():
            self.numbers(f"{name}.bag", [ord(name)])
            self.catalog("add", f"{name}.bag", "--tag", f"driver={name.upper()}LICE")
            if note:
                self.catalog("set", f"{name}.bag", "--note", note)
        for text, bags in {"100%": "a", "%": "a", "the_time": "a", "e_time": "a", "the time": "b",
                           "\"the": "b", "\"": "b", "it's": "c", "'s": "c", "ürich": "c",
                           "ZüRICH": "c", "ü": "c", "北京": "c", "京機場": "c", "\\slash": "d",
                           "\\": "d", "AND OR not": "d", "(x*)": "d", "x*": "d", "alice": "a",
                           "LICE": "abcde", "driver": "abcde", "er": "abcde", "the%time": "",
                           "zuerich": "", "no such": ""}.items():
            found = {os.path.basename(bag["files"][0])[0] for bag in self.listed("--text", text)}
            self.assertEqual(found, set(bags), text)

    def test_a_catalog_of_an_older_kitbag_is_brought_up_to_date(self):
        """Whole, or not at all."""
        for statement in statements_of_old_catalog(self.is_sqlite):
            self.run_sql(statement)
        before = self.columns("bag_channels")
        self.run_sql("CREATE TABLE bags_that_are_long (x BIGINT)")  # the name of a new index
        self.fails("catalog", "list", self.address, saying="bags_that_are_long")
        self.assertEqual(self.columns("bag_channels"), before)
        self.run_sql("DROP TABLE bags_that_are_long")
        one, two = "/old/one.bag", "/old/two.bag"
        self.assertEqual([bag["files"] for bag in self.listed()], [[two], [one]])
        self.assertNotEqual(self.columns("bag_channels"), before)
        for options, files in ((["--text", "THE BRAKE"], [one]), (["--text", "rosso"], [two]),
                               (["--text", "slipped"], [two]), (["--text", "two.bag"], [two]),
                               (["--tag", "robot=r7"], [two, one]),
                               (["--tag", "color=rosso"], [two])):
            self.assertEqual([bag["files"][0] for bag in self.listed(*options)], files, options)
        for topics, files in (("/imu", [one, two]), ("/gps", [two])):
            self.assertEqual([each["file"] for each in self.found("--topics", topics)[0]], files)

    def test_bags_by_what_they_hold(self):
        self.catalog("init")
        self.numbers("b.bag", [1] * 50, START_NS + HOUR_NS)
        self.numbers("c.bag", [1], START_NS + 2 * HOUR_NS, topic="/other")
        self.catalog("scan", ".", "--tag", "robot=r7")
        for options in ([], ["--topics", "/number"], ["--topics", "/number", "/count"],
                        ["--topics", "/c*"], ["--types", "std_msgs/Int32"],
                        ["--longer-than", "2.9s"], ["--longer-than", "5s"],
                        ["--between", "2023-11-14T23:00:00Z", "2023-11-14T23:30:00Z"],
                        ["--last", "1h"], ["--last", "10000d"]):
            expected = [json.loads(line) for line in
                        self.run_program("find", "--json", *options).stdout.splitlines()]
            for each in expected:
                each["file"] = self.path(each["file"].removeprefix("./"))
            found, _ = self.found(*options)
            self.assertEqual(sorted(found, key=str), sorted(expected, key=str), options)
        self.assertEqual(len(self.found("--tag", "robot=r7")[0]), 3)
        self.assertIn("no bag has a topic", self.found("--topics", "/numbr")[1])

    def test_conditions_on_fields_that_no_bag_has(self):
        self.catalog("init")
        self.numbers("b.bag", [1])
        self.catalog("add", "b.bag")
        done = self.run_program("find", "--catalog", self.address, "--where", "dat == 8")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "no bag of the catalog has a field .dat.; similar: data")
        self.fails("find", "--catalog", self.address, "--where", "data <", saying="data <")

    def test_index_only(self):
        self.catalog("init")
        self.numbers("b.bag", [1, 2, 600])
        self.catalog("add", "b.bag", "--index-only")
        found, said = self.found("--where", "data > 500")
        self.assertEqual(len(found), 1)
        self.assertIn("0 ruled out by the catalog, 1 opened", said)

    def test_check_names_what_is_gone_or_has_changed(self):
        self.catalog("init")
        for name in ("a.bag", "b.bag", "c.bag"):
            self.numbers(name, [len(name), ord(name[0])])
        self.catalog("add", "a.bag", "b.bag", "c.bag")
        self.assertEqual(self.catalog("check"),
                         "3 paths: 0 missing, 0 changed or unreadable\n")
        (self.folder / "a.bag").unlink()
        self.numbers("b.bag", [5])
        done = self.run_program("catalog", "check", self.address)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines(),
                         [f"{self.path('a.bag')}: is not there any more",
                          f"{self.path('b.bag')}: has changed since it was added",
                          "3 paths: 1 missing, 1 changed or unreadable"])
        done = self.run_program("catalog", "check", self.address, "--forget-missing")
        self.assertEqual((done.returncode, len(self.listed())), (1, 2))

    def test_hostile_names(self):
        self.catalog("init")
        names = ["a'b\"; DROP TABLE bags; --.bag", "%s$1{}.bag", "line\nbreak.bag"]
        raw = os.fsencode(self.folder) + b"/bytes\xff\xfe.bag"
        for name in names:
            self.numbers(name, [ord(name[0]), len(name)])
        self.numbers("plain.bag", [5, 5, 5], topic="/\u202eevil\x1b[31m")
        shutil.copy(self.path("plain.bag"), raw)
        self.numbers("plain.bag", [6, 6, 6], topic="/fine")
        self.catalog("scan", ".")
        self.assertEqual(len(self.listed()), 6)
        out = subprocess.run([program(), "catalog", "list", self.address], capture_output=True,
                             check=True, cwd=self.folder).stdout
        self.assertNotIn(b"\x1b", out)
        self.assertNotIn(b"\nbreak", out)
        self.assertEqual(self.catalog("check"), "6 paths: 0 missing, 0 changed or unreadable\n")
        self.assertEqual(len(self.found("--topics", "*evil*")[0]), 1)

    def test_a_bag_that_cannot_be_read_does_not_stop_the_others(self):
        self.catalog("init")
        done = self.run_program("catalog", "add", self.address, "nowhere.bag", "run.bag")
        self.assertEqual(done.returncode, 2)
        self.assertIn("1 added, 1 failed", done.stdout)
        self.assertRegex(done.stderr, r"nowhere\.bag: .*no such file")

    def test_two_writers_at_once(self):
        self.catalog("init")
        for number in range(20):
            self.numbers(f"runs/{number}.bag", [number, number])
        writers = [subprocess.Popen([program(), "catalog", "scan", self.address, "runs", "--tag",
                                     f"by={i}"], cwd=self.folder, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True) for i in range(3)]
        said = [writer.communicate(timeout=60) for writer in writers]
        self.assertEqual([writer.returncode for writer in writers], [0, 0, 0], said)
        self.assertEqual(len(self.listed()), 20)
        added = sum(line.endswith(": added") for out, _ in said for line in out.splitlines())
        self.assertEqual(added, 20)

    def test_a_catalog_of_a_newer_kitbag_is_refused(self):
        self.catalog("init")
        self.run_sql("UPDATE kitbag_catalog SET version = 99")
        self.fails("catalog", "list", self.address, saying="newer kitbag")
        self.fails("catalog", "init", self.address, saying="newer kitbag")

    def test_a_database_without_a_catalog(self):
        self.fails("catalog", "list", self.address, saying="init|cannot be opened")

    def test_a_file_that_is_not_there_is_answered_with_how_to_make_it(self):
        for arguments in (["catalog", "add", "no.db", "run.bag"], ["catalog", "jobs", "no.db"],
                          ["find", "--catalog", "no.db"],
                          ["sql", "--catalog", "no.db", "SELECT 1"]):
            self.fails(*arguments, saying="no.db: the database cannot be opened: no such file or "
                                          "directory; to make a new catalog: kitbag catalog init "
                                          r"no\.db\n")
        self.assertNotIn("no.db", self.files())

    def test_no_password_is_printed(self):
        for action in ("list", "check"):
            done = self.run_program("catalog", action, self.address + "x")
            self.assertEqual(done.returncode, 2)
            self.assertNotIn("secret", done.stdout + done.stderr)

    def test_no_part_of_a_password_is_printed(self):
        """Nor one with characters that should be encoded."""
        scheme = "nosuch" if self.is_sqlite else "postgresql"
        for password in ("hid/den", "hid?den", "hid@den", "7/hid?den", "7?hid/den",
                         "hid:den@den/hid"):
            done = self.run_program("catalog", "list", f"{scheme}://bag:{password}@127.0.0.1:5/x")
            self.assertEqual(done.returncode, 2)
            self.assertNotRegex(done.stdout + done.stderr, "hid|den|7/|7[?]", password)
            self.assertIn(f"{scheme}://bag:...@127.0.0.1:5/x: ", done.stderr, password)

    def test_misuse(self):
        for arguments in (["add"], ["list", "x.bag"], ["list", "--note", "x"], ["set", "run.bag"],
                          ["check", "--index-only"], ["add", "run.bag", "--tag", "novalue"]):
            done = self.run_program("catalog", arguments[0], self.address, *arguments[1:])
            self.assertEqual(done.returncode, 2, arguments)


class SqliteCatalogTest(InSqlite, Kinds, CliTest):
    def test_a_full_disk_is_said_and_nothing_is_half_done(self):
        self.catalog("init")
        self.catalog("add", "run.bag")
        for number in range(30):
            self.numbers(f"runs/{number}.bag", [number] * 50)
        size = os.path.getsize(self.address)

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20000, size + 20000))

        done = self.run_program("catalog", "scan", self.address, "runs", preexec_fn=limit)
        self.assertEqual(done.returncode, 2)
        self.assertIn("fleet.db", done.stderr)
        before = len(self.listed())
        self.assertLess(before, 31)
        self.catalog("scan", "runs")
        self.assertEqual(len(self.listed()), 31)


class PostgresCatalogTest(InPostgres, Kinds, CliTest):
    def test_texts_without_pg_trgm(self):
        self.catalog("init")
        self.catalog("add", "run.bag", "--tag", "robot=r7")
        self.assertTrue(self.run_sql("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'"))
        self.run_sql("DROP EXTENSION pg_trgm CASCADE")
        self.assertEqual(len(self.listed("--text", "RUN.B")), 1)
        self.assertEqual(len(self.listed("--text", "runs")), 0)

    def test_who_may_not_install_extensions_gets_a_catalog(self):
        self.run_sql("CREATE ROLE guest LOGIN")
        self.run_sql(f'ALTER DATABASE "{self.database}" SET search_path = public')
        self.run_sql("GRANT CREATE ON SCHEMA public TO guest")
        self.address = self.address.replace("bag:secret", "guest")
        self.catalog("init")
        self.catalog("add", "run.bag")
        self.assertEqual(len(self.listed("--text", "RUN.B")), 1)

    def test_pages_are_read_by_indexes(self):
        """In a catalog of a thousand bags, by the plans of the statements that kitbag runs."""
        self.catalog("init")
        Rows(self.run_sql, False, 1000, START_NS + 1000 * HOUR_NS).fill_fast()
        self.run_sql("ANALYZE")
        self.address += ("?options=-c%20session_preload_libraries%3Dauto_explain%20-c%20"
                         "auto_explain.log_min_duration%3D0%20-c%20enable_seqscan%3Doff")
        log = self.server.folder / "log"
        for options, index in (([], "bags_by_start"),
                               (["--topics", "/camera/*"], "bag_channels_by_channel"),
                               (["--topics", "/rare"], "bag_channels_by_channel"),
                               (["--topics", "/*/?1"], "bag_channels_by_channel"),
                               (["--tag", "robot=r7"], "tags_by_value"),
                               (["--types", "sensor_msgs/Image", "--last", "9d"],
                                "bags_that_are_long")):
            at = log.stat().st_size
            found, _ = self.found(*options)
            plans = log.read_text()[at:]
            scans = set(re.findall(r"Seq Scan on (\w+)", plans))
            self.assertIn(index, plans)
            self.assertFalse(scans & {"bags", "bag_channels", "tags", "files", "events"}, scans)
            self.assertTrue(found or options[-1] == "9d", options)

    def test_a_lost_connection_is_an_error(self):
        self.catalog("init")
        self.server.stop()
        try:
            self.fails("catalog", "add", self.address, "run.bag", saying="PostgreSQL")
        finally:
            self.server.start()
        self.assertEqual(self.catalog("add", "run.bag"), "run.bag: added\n1 added\n")

    def test_pyramids_are_kept_apart_by_month(self):
        self.catalog("init")
        self.numbers("later.bag", [1], START_NS + 40 * 24 * HOUR_NS)
        self.catalog("add", "run.bag", "later.bag")
        tables = self.server.ask("SELECT tablename FROM pg_tables WHERE tablename LIKE "
                                 "'pyramids_%' ORDER BY 1", self.database)
        self.assertEqual(tables, ["pyramids_2023_11", "pyramids_2023_12"])


if __name__ == "__main__":
    main()
