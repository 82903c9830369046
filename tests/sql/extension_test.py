#!/usr/bin/env python3
"""kitbag.so, loaded by Debian's SQLite shell and by Python's sqlite3."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from make_bag import make_bag  # noqa: E402
from old_bag import write_v1_1  # noqa: E402
from peers import main, need, program  # noqa: E402

EXTENSION = os.path.join(os.environ["KITBAG_BUILD"], "kitbag")


class ExtensionTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bag = str(self.folder / "run.bag")
        make_bag(self.bag)

    def connect(self):
        connection = sqlite3.connect(":memory:")
        self.addCleanup(connection.close)
        connection.enable_load_extension(True)
        connection.load_extension(EXTENSION)
        return connection

    def test_the_shell(self):
        shell = shutil.which("sqlite3")
        need(shell, "the shell of SQLite (sqlite3) is not installed")
        done = subprocess.run(
            [shell, ":memory:", f".load {EXTENSION}", f"SELECT kitbag_open('{self.bag}');",
             "SELECT count(*), sum(data) FROM count;"],
            capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        printed = subprocess.run([program(), "cat", self.bag, "--topics", "/count"],
                                 capture_output=True, text=True, check=True).stdout.splitlines()
        total = sum(json.loads(line)["data"]["data"] for line in printed)
        self.assertEqual(done.stdout.split(), ["8", f"{len(printed)}|{total}"])

    def test_python(self):
        connection = self.connect()
        connection.execute("SELECT kitbag_open(?)", [self.bag])
        answer = dict(connection.execute("SELECT topic, messages FROM topics"))
        for topic, messages in answer.items():
            counted = connection.execute(f'SELECT count(*) FROM "{topic}"').fetchone()[0]
            self.assertEqual(counted, messages, topic)
        self.assertEqual(len(answer), 3)

    def test_a_bag_without_definitions(self):
        old = write_v1_1(self.folder / "old.bag",
                         [("/word", "std_msgs/String", "*", 2, b"\1\0\0\0y")])
        connection = self.connect()
        connection.execute("SELECT kitbag_open(?)", [str(old)])
        self.assertEqual(connection.execute("SELECT data FROM word").fetchall(), [("y",)])

    def test_folders_and_several_bags(self):
        make_bag(str(self.folder / "later.bag"), start_ns=2_000_000_000 * 10**9)
        (self.folder / "notes.txt").write_text("no bag")
        both = [self.bag, str(self.folder / "later.bag")]
        for arguments in ([str(self.folder)], both, both[::-1]):
            connection = self.connect()
            marks = ",".join("?" * len(arguments))
            connection.execute(f"SELECT kitbag_open({marks})", arguments)
            self.assertEqual([name for name, in connection.execute("SELECT bag FROM bags")], both)
            counts = connection.execute("SELECT count(*) FROM count GROUP BY bag").fetchall()
            self.assertEqual(counts, [(100,), (100,)])
        (self.folder / "odd.bag").write_bytes(b"#ROSBAG V9.9\n" + bytes(5000))
        with self.assertRaisesRegex(sqlite3.OperationalError, "odd.bag"):
            self.connect().execute("SELECT kitbag_open(?)", [str(self.folder)])

    def test_conditions_on_fields(self):
        connection = self.connect()
        connection.execute("SELECT kitbag_open(?)", [self.bag])
        for condition in ("data > 30", "data IN (3, 7, 500)", "data = 7", "data = '7'",
                          "data < 5 OR data > 90", "bag = 'x'"):
            found = connection.execute(f"SELECT count(*) FROM count WHERE {condition}").fetchall()
            expected = connection.execute(
                f"SELECT count(*) FROM count WHERE CASE WHEN {condition} THEN 1 END").fetchall()
            self.assertEqual(found, expected, condition)

    def test_errors_are_those_of_the_library(self):
        connection = self.connect()
        (self.folder / "empty").mkdir()
        for arguments in ([], ["nowhere.bag"], [str(self.folder / "empty")]):
            marks = ",".join("?" * len(arguments))
            with self.assertRaises(sqlite3.OperationalError) as caught:
                connection.execute(f"SELECT kitbag_open({marks})", arguments)
            self.assertRegex(str(caught.exception), "needs a bag|nowhere.bag|" + str(self.folder))

    def test_a_database_of_somebody_else_cannot_call_it(self):
        """A view in a file is not the user's own SQL."""
        path = str(self.folder / "hostile.db")
        connection = sqlite3.connect(path)
        connection.execute(f"CREATE VIEW v AS SELECT kitbag_open('{self.bag}')")
        connection.commit()
        connection.close()
        connection = self.connect()
        connection.execute("ATTACH ? AS hostile", [path])
        with self.assertRaisesRegex(sqlite3.OperationalError, "unsafe use of kitbag_open"):
            connection.execute("SELECT * FROM hostile.v")


if __name__ == "__main__":
    main()
