#!/usr/bin/env python3
"""Bags of rosbag2: written here, read by the sqlite3 shell and by npm's @foxglove/rosbag2-web; and
those that rosbag2 wrote."""

import csv
import os
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import make_bag  # noqa: E402
import peers  # noqa: E402
from peers import digest, kitbag, kitbag_digest, need, run, run_json  # noqa: E402

DATA = peers.ROOT.parent / "shared" / "data" / "rosbag2"
VERSIONS = ("4", "3", "2", "1")
# As rosbag2 asks for messages, and for what a bag holds.
READ = """SELECT hex(data), timestamp, topics.name, topics.type FROM messages
JOIN topics ON messages.topic_id = topics.id WHERE (((timestamp = 0) AND (messages.id >= 0))
OR (timestamp > 0)) ORDER BY messages.timestamp ASC, messages.id ASC;"""
COUNT = """SELECT topics.name, COUNT(messages.id), MIN(messages.timestamp), MAX(messages.timestamp)
FROM messages JOIN topics ON topics.id = messages.topic_id GROUP BY topics.name;"""


def sql(bag, *statements):
    """The rows of the statements, as the shell gives them for a file that nobody may write."""
    return [line.split("|") for line in
            run("sqlite3", f"file:{bag}?immutable=1", *statements).splitlines()]


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.source = cls.folder / "source.bag"
        make_bag.make_bag(cls.source, connections=2, latching=True, overlap=True)
        cls.expected = kitbag_digest(cls.source)

    @classmethod
    def write(cls, name, *options):
        out = cls.folder / name
        kitbag("convert", "-f", cls.source, out, *options)
        return out


class ReadByShell(Folder):
    """Every schema version, every preset."""

    @classmethod
    def setUpClass(cls):
        need(shutil.which("sqlite3"), "the sqlite3 shell is not installed")
        super().setUpClass()
        cls.bags = [cls.write(f"v{v}.db3", "--schema-version", v) for v in VERSIONS]
        cls.bags += [cls.write(f"{p}.db3", "--preset", p) for p in ("none", "resilient")]

    def test_is_whole(self):
        for bag in self.bags:
            with self.subTest(bag.name):
                self.assertEqual(run("sqlite3", bag, "PRAGMA integrity_check;"), "ok\n")
                self.assertEqual(run("sqlite3", bag, "PRAGMA journal_mode;"), "delete\n")

    def test_same_messages(self):
        for bag in self.bags:
            with self.subTest(bag.name):
                found = digest((topic, type_, int(time), bytes.fromhex(data))
                               for data, time, topic, type_ in sql(bag, READ))
                self.assertEqual(found, self.expected)

    def test_same_counts(self):
        expected = {}
        for (topic, _), (count, _) in self.expected.items():
            expected[topic] = expected.get(topic, 0) + count
        for bag in self.bags:
            with self.subTest(bag.name):
                rows = sql(bag, COUNT)
                self.assertEqual({topic: int(count) for topic, count, _, _ in rows}, expected)

    def test_tables_are_those_of_the_version(self):
        with_hash = ["id", "name", "type", "serialization_format", "offered_qos_profiles",
                     "type_description_hash"]
        columns = {"4": with_hash, "3": with_hash[:5], "2": with_hash[:5], "1": with_hash[:4]}
        for version, bag in zip(VERSIONS, self.bags):
            with self.subTest(version):
                rows = sql(bag, "SELECT name FROM pragma_table_info('topics');")
                self.assertEqual([row[0] for row in rows], columns[version])
                has_schema = bool(sql(bag, "SELECT 1 FROM sqlite_master WHERE name='schema';"))
                self.assertEqual(has_schema, int(version) >= 3)
                if has_schema:
                    self.assertEqual(sql(bag, "SELECT schema_version FROM schema;"), [[version]])

    def test_what_rosbag2_has_is_in_its_tables_alone(self):
        """ROS 1 has metadata such as callerids, which go to kitbag's own table; times do not."""
        rows = sql(self.bags[0], "SELECT name FROM sqlite_master WHERE name LIKE 'kitbag%';")
        self.assertEqual(rows, [["kitbag_channels"]])

    def test_latched_is_transient_local(self):
        rows = sql(self.bags[0], "SELECT name, replace(offered_qos_profiles, char(10), ';') "
                                 "FROM topics;")
        found = {name for name, qos in rows if "durability: 1;" in qos}
        channels = run_json(peers.program(), "info", "--json", self.source)["channels"]
        self.assertEqual(found, {c["topic"] for c in channels if c["latched"]})
        self.assertTrue(found)


class ReadByNpm(Folder):
    def test_same_content(self):
        need(shutil.which("node"), "node is not installed")
        need((HERE / "node_modules" / "@foxglove" / "rosbag2-web").is_dir(),
             "the npm readers are not there: npm ci in tests/interop brings them")
        bags = [self.write(f"npm{v}.db3", "--schema-version", v) for v in ("4", "2")]
        found = run_json("node", HERE / "read_db3.mjs", *bags)
        for bag in bags:
            with self.subTest(bag.name):
                topics = found[str(bag)]["topics"]
                self.assertEqual({(t, type_): rest for t, type_, *rest in topics}, self.expected)


class WrittenByRosbag2(unittest.TestCase):
    """The bags that rosbag2 has written since 2018, by their manifest."""

    @classmethod
    def setUpClass(cls):
        peers.need_data(DATA)
        with open(DATA / "MANIFEST.tsv", encoding="utf-8") as file:
            cls.rows = [row for row in csv.reader(file, delimiter="\t")
                        if not row[0].startswith("#")]

    def info(self, bag):
        return run_json(peers.program(), "info", "--json", bag)

    def test_sqlite_counts_are_those_of_the_manifest(self):
        seen = 0
        for path, _, _, kind, *_ in self.rows:
            told = re.search(r"db_schema=(\d) .*messages=(\d+)", kind)
            if not told or not (DATA / path).is_file():
                continue
            with self.subTest(path):
                info = self.info(DATA / path)
                self.assertEqual([info["version"], info["messages"]], [told[1], int(told[2])])
                lines = kitbag("cat", DATA / path, "--format", "digest").splitlines()
                self.assertEqual(sum(int(line.split("\t")[2]) for line in lines), int(told[2]))
            seen += 1
        self.assertGreater(seen, 20)

    def test_directories_hold_what_their_files_hold(self):
        seen = 0
        for metadata in sorted(DATA.rglob("metadata.yaml")):
            folder = metadata.parent
            text = metadata.read_text(encoding="utf-8")
            files = re.findall(r"^ +- (\S+\.(?:db3|mcap)(?:\.zstd)?)$", text, re.M)
            if not all((folder / name).is_file() for name in files):
                continue  # the file was not to be had
            with self.subTest(str(folder.relative_to(DATA))):
                info = self.info(folder)
                names = files or [f.name for f in folder.glob("*.db3")]
                expected = sum(self.info(folder / name)["messages"] for name in names)
                self.assertEqual(info["messages"], expected)
                self.assertEqual(info["format"], "directory")
                version = re.search(r"^  version: (\d)", text, re.M)
                self.assertEqual(info["version"], version[1] if version else "1")
            seen += 1
        self.assertGreater(seen, 20)

    def test_generated_bags_are_the_same_bag(self):
        """The same messages, by every preset, split and compression."""
        folders = sorted((DATA / "generated_rosbag2_0.29.0").iterdir())
        self.assertEqual(len(folders), 11)
        first = kitbag_digest(folders[0])
        self.assertEqual(sum(count for count, _ in first.values()), 210)
        for folder in folders[1:]:
            with self.subTest(folder.name):
                self.assertEqual(kitbag_digest(folder), first)
                run(peers.program(), "check", folder)

    def test_read_only_bags_with_a_log_beside_them(self):
        """A writer that has died leaves a -wal; it is read where nothing can be written."""
        need(shutil.which("sqlite3"), "the sqlite3 shell is not installed")
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        source = folder / "source.db3"
        shutil.copy(DATA / "generated_rosbag2_0.29.0" / "sqlite3_default" /
                    "sqlite3_default_0.db3", source)
        os.chmod(source, 0o644)
        # A copy of both files while the writer is still there.
        run("sqlite3", source, "PRAGMA journal_mode=WAL;", "PRAGMA wal_autocheckpoint=0;",
            "INSERT INTO messages(topic_id, timestamp, data) "
            "VALUES (1, 1800000000000000000, x'00');",
            f".shell cp {source} {folder}/dead.db3",
            f".shell cp {source}-wal {folder}/dead.db3-wal")
        os.chmod(folder, 0o555)
        self.addCleanup(os.chmod, folder, 0o755)
        self.assertEqual(self.info(folder / "dead.db3")["messages"], 211)


if __name__ == "__main__":
    peers.main()
