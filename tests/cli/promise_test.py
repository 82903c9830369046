#!/usr/bin/env python3
"""What a bag promises, its index, statistics or metadata, is compared with what is read: in every
format, and where they differ everything is delivered, the difference is told, and the exit code is
that of damage. A count that a writer only noted, and noted wrong, is a warning."""

import gzip
import re
import sqlite3
import struct
from pathlib import Path

from cli import CliTest, main
from peers import formats


def patched(data, pattern, change):
    """`data` with its first match of `pattern` replaced by what `change` makes of it."""
    found = re.search(pattern, data, re.DOTALL)
    assert found, pattern
    new = change(found)
    assert len(new) == len(found[0])
    return data[:found.start()] + new + data[found.end():]


# --- rosbag ---------------------------------------------------------------------------------------

def chunk_info_count(by):
    """The last chunk info's count of its last connection."""
    def harm(path):
        data = bytearray(path.read_bytes())
        struct.pack_into("<I", data, len(data) - 4,
                         struct.unpack_from("<I", data, len(data) - 4)[0] + by)
        path.write_bytes(data)
    return harm


def bag_chunk_removed(path):
    """Zeros where a chunk was; the index is kept."""
    data = path.read_bytes()
    starts = [found.start() - 4 for found in re.finditer(rb"\x0b\0\0\0compression=|\x10\0\0\0"
                                                         rb"compression=none", data)]
    assert len(starts) >= 3
    record = data.rfind(b"op=\x05", 0, starts[1] + 64)
    begin = min(record, starts[1]) - 8
    path.write_bytes(data[:begin] + bytes(4000) + data[begin + 4000:])


def index_time(path):
    """A time in the index behind the first chunk that no message has."""
    def change(found):
        return found[1] + struct.pack("<II", 1, 1) + found[3]
    path.write_bytes(patched(path.read_bytes(),
                             rb"(op=\x04.{0,80}?ver=\x01\0\0\0.{4})(.{8})(.{4})", change))


# --- MCAP -----------------------------------------------------------------------------------------

def mcap_records(data):
    at = 8
    while at < len(data) - 8:
        op, size = struct.unpack_from("<BQ", data, at)
        yield op, at, size
        at += 9 + size


def statistics_count(by):
    """Of all messages and of the first channel's; the summary has no CRC then."""
    def harm(path):
        data = bytearray(path.read_bytes())
        for op, at, _ in mcap_records(data):
            if op == 11:
                for place in (at + 9, at + 9 + 42 + 4 + 2):
                    struct.pack_into("<Q", data, place,
                                     struct.unpack_from("<Q", data, place)[0] + by)
            if op == 2:
                struct.pack_into("<I", data, at + 9 + 16, 0)
        path.write_bytes(data)
    return harm


def mcap_chunk_removed(path):
    """A private record in its place; the index is kept, and there is no CRC."""
    data = bytearray(path.read_bytes())
    for op, at, _ in list(mcap_records(data)):
        if op == 15:
            struct.pack_into("<I", data, at + 9, 0)
    chunks = [at for op, at, _ in mcap_records(data) if op == 6]
    data[chunks[1]] = 0x90
    path.write_bytes(data)


# --- SQLite ---------------------------------------------------------------------------------------

def row_deleted(path):
    """As a program would; the metadata that is in the bag stays."""
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM messages WHERE id = 150")
    database.close()


def row_removed_from_the_table(path):
    """Behind the back of the index by time, which keeps it."""
    database = sqlite3.connect(path)
    database.execute("PRAGMA writable_schema=ON")
    index = database.execute("SELECT * FROM sqlite_master WHERE type='index' AND sql IS NOT NULL"
                             " AND tbl_name='messages'").fetchone()
    database.execute("DELETE FROM sqlite_master WHERE name=?", (index[1],))
    database.commit()
    database.close()
    database = sqlite3.connect(path)
    database.execute("DELETE FROM messages WHERE id = 150")
    database.execute("PRAGMA writable_schema=ON")
    database.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", index)
    database.commit()
    database.close()


def sqlite_told(by):
    """The count in the metadata that is in the bag, of all and of the first topic."""
    def harm(path):
        with sqlite3.connect(path) as database:
            text = database.execute("SELECT metadata FROM metadata").fetchone()[0]
            text = re.sub(r"message_count: (100|300)\b",
                          lambda found: f"message_count: {int(found[1]) + by}", text)
            database.execute("UPDATE metadata SET metadata = ?", (text,))
        database.close()
    return harm


# --- Directories, and files compressed as a whole -------------------------------------------------

def yaml_count(by):
    def harm(path):
        file = path / "metadata.yaml"
        text = file.read_text()
        text = re.sub(r"message_count: (100|300)\b",
                      lambda found: f"message_count: {int(found[1]) + by}", text)
        file.write_text(text)
    return harm


def member_removed(path):
    sorted(path.glob("*.mcap"))[1].unlink()


def inside(harm):
    """Of a file that is compressed as a whole."""
    def harm_inside(path):
        plain = path.with_suffix("")
        plain.write_bytes(gzip.decompress(path.read_bytes()))
        harm(plain)
        path.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    return harm_inside


SMALL_CHUNKS = ["--chunk-size", "2KiB"]

# By format: the bag, how it is made, and what is done to it with the exit code of reading it then.
HARMS = {
    "rosbag": ("a.bag", SMALL_CHUNKS, [
        (chunk_info_count(+1), 1), (chunk_info_count(-1), 1), (bag_chunk_removed, 1),
        (index_time, 1)]),
    "mcap": ("a.mcap", SMALL_CHUNKS, [
        (statistics_count(+1), 0), (statistics_count(-1), 0), (mcap_chunk_removed, 1)]),
    "sqlite3": ("a.db3", [], [
        (row_deleted, 0), (row_removed_from_the_table, 1)]),
    "directory": ("a/", ["--split-messages", "100"], [
        (yaml_count(+1), 0), (yaml_count(-1), 0), (member_removed, 1)]),
    "packed": ("a.bag.gz", [], [
        (inside(chunk_info_count(+1)), 1), (inside(bag_chunk_removed), 1)]),
}
READERS = (["cat", "--format", "digest"], ["du"], ["cat", "--order", "file"], ["convert"], ["diff"])


class PromiseTest(CliTest):
    def make(self, name, options):
        path = self.folder / name
        if name.endswith(".gz"):
            self.kitbag("convert", self.bag, "plain.bag", *SMALL_CHUNKS, "--force")
            path.write_bytes(gzip.compress((self.folder / "plain.bag").read_bytes()))
        else:
            self.kitbag("convert", self.bag, name, *options)
        return path

    def read(self, verb, name):
        others = {"convert": ["out.mcap", "--force"], "diff": [name]}.get(verb[0], [])
        return self.run_program(*verb, name, *others)

    def test_every_format_is_here(self):
        self.assertEqual(set(formats()) | {"packed", "directory"}, set(HARMS),
                         "HARMS needs an entry for each format: the name of a bag, the options to "
                         "write it, and what makes its counts wrong; [] where it has none")

    def test_what_was_promised_is_not_worth_a_word(self):
        for name, options, _ in HARMS.values():
            self.make(name, options)
            for verb in READERS:
                with self.subTest(bag=name, verb=verb):
                    done = self.read(verb, name)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_broken_promise_is_told(self):
        for name, options, harms in HARMS.values():
            for i, (harm, code) in enumerate(harms):
                path = self.make(name, options)
                harm(path)
                for verb in READERS:
                    with self.subTest(bag=name, harm=i, verb=verb):
                        done = self.read(verb, name)
                        self.assertEqual(done.returncode, code, done.stderr)
                        self.assertRegex(done.stderr, r"\A(kitbag: warning: [^\n]+\n)+\Z")
                if path.is_dir():
                    for file in path.iterdir():
                        file.unlink()
                    path.rmdir()
                else:
                    path.unlink()

    def test_a_cut_off_end_costs_what_is_in_it_and_a_missing_index_nothing(self):
        whole = Path(self.bag).read_bytes()
        index = struct.unpack("<Q", re.search(rb"index_pos=(.{8})", whole, re.DOTALL)[1])[0]
        unindexed = patched(whole[:index], rb"(index_pos=)(.{8})",
                            lambda found: found[1] + bytes(8))
        (self.folder / "unindexed.bag").write_bytes(unindexed)
        (self.folder / "cut.bag").write_bytes(unindexed[:-2000])
        done = self.run_program("du", "unindexed.bag")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "warning")
        self.assertEqual(self.run_program("du", "cut.bag").returncode, 1)
        self.assertEqual(self.run_program("info", "cut.bag").returncode, 1)
        self.assertEqual(self.run_program("list", "cut.bag", "topics").returncode, 1)


if __name__ == "__main__":
    main()
