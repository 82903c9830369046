#!/usr/bin/env python3
"""No text of a bag reaches a person so that a terminal obeys it or a line is forged."""

import json
import os
import pty
import re
import sqlite3
import subprocess

from cli import BagFile, CliTest, START_NS, main, u32
from mcap_file import McapFile
from peers import program

FORGED = "kitbag: all is well"
# ESC sequences, a line of its own, C1, directions turned round, a separator, no UTF-8.
HOSTILE = ("\x1b]0;owned\x07\x1b[2J", f"x\n{FORGED}", f"y\r{FORGED}", "\u009b31mred\u0085",
           "\u202egpj.exe\u2066", "a\u2028b\ufeff", "bad\udcff\udc9b", "del\x7f\x00nul")
ALL = "|".join(HOSTILE)
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e"
                    "\u2060-\u206f\ufeff]")


def text_payload(text):
    data = text.encode(errors="surrogateescape")
    return u32(len(data)) + data


def make_rosbag(path, **in_file_header):
    bag = BagFile(path, **in_file_header)
    connections = [bag.connection(f"/{text}", "std_msgs/String", callerid=text)
                   for text in HOSTILE]
    connections.append(bag.connection("/type", f"p/{ALL}", definition=f"# {ALL}\nstring data\n"))
    bag.add_chunk([(conn, START_NS + i, text_payload(ALL)) for i, conn in enumerate(connections)])
    bag.close()


def make_mcap(path):
    bag = McapFile(path)
    channels = [bag.channel(f"/{text}", "cdr", f"p/msg/{text}", "ros2msg", "string data\n",
                            {text: text, "offered_qos_profiles": text}) for text in HOSTILE]
    channels.append(bag.channel("/json", "json", None))
    channels.append(bag.channel("/encoding", ALL, f"t{ALL}", ALL, ALL))
    for i, channel in enumerate(channels):
        payload = json.dumps({"frame_id": "\x1b[2J", "x\u009b": "\u202e"}).encode()
        if i < len(HOSTILE):
            payload = b"\0\1\0\0" + text_payload(HOSTILE[i] + "\0")
        bag.message(channel, START_NS + i, payload)
    for text in HOSTILE:
        bag.attachment(text, text, text.encode(errors="surrogateescape"))
        bag.metadata(text, {text: text})
    bag.close()


def make_sqlite3(path):
    with sqlite3.connect(path) as bag:
        bag.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, "
                    "serialization_format TEXT, offered_qos_profiles TEXT)")
        bag.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, "
                    "timestamp INTEGER, data BLOB)")
        for i, text in enumerate(HOSTILE, 1):
            data = text.encode(errors="surrogateescape")
            bag.execute("INSERT INTO topics VALUES(?, CAST(? AS TEXT), CAST(? AS TEXT), 'cdr', "
                        "CAST(? AS TEXT))", (i, b"/" + data, b"p/msg/" + data, data))
            bag.execute("INSERT INTO messages VALUES(?, ?, ?, ?)",
                        (i, i, START_NS + i, b"\0\1\0\0" + text_payload(text)))
    bag.close()


class HostileText(CliTest):
    def setUp(self):
        super().setUp()
        make_rosbag(self.path("h.bag"))
        make_mcap(self.path("h.mcap"))
        make_sqlite3(self.path("h.db3"))
        os.mkdir(self.path("h_dir"))
        make_sqlite3(self.path("h_dir/h_dir_0.db3"))
        names = json.dumps([f"missing{text}" for text in HOSTILE if "\udcff" not in text])
        with open(self.path("h_dir/metadata.yaml"), "w", encoding="utf-8") as file:
            file.write("rosbag2_bagfile_information:\n  version: 5\n"
                       f"  storage_identifier: sqlite3\n  relative_file_paths: {names}\n")

    def assert_harmless(self, text, arguments, allowed="", has_lines=False):
        text = text.decode()  # or it is no UTF-8
        shown = text.translate({ord(c): None for c in allowed})
        self.assertIsNone(OBEYED.search(shown), (arguments, shown[:2000]))
        if not has_lines:
            self.assertFalse([line for line in re.split("[\n\r]", shown)
                              if line.startswith(FORGED)], arguments)

    def look(self, *arguments, allowed="", has_lines=False):
        done = self.run_program(*arguments, text=False)
        self.assertIn(done.returncode, (0, 1, 2), (arguments, done.stderr))
        self.assert_harmless(done.stdout, arguments, allowed, has_lines)
        self.assert_harmless(done.stderr, arguments)
        return done.stdout

    def at_terminal(self, *arguments):
        """What a person sees there."""
        ours, its = pty.openpty()
        with subprocess.Popen([program(), *arguments], cwd=self.folder, stdout=its, stderr=its,
                              stdin=subprocess.DEVNULL, env={**os.environ, "NO_COLOR": "1"}) as run:
            os.close(its)
            shown = b""
            while True:
                try:
                    part = os.read(ours, 65536)
                except OSError:
                    break  # how Linux says that nobody has the other end any more
                if not part:
                    break
                shown += part
            run.wait(60)
        os.close(ours)
        # The terminal's own ends of lines, and the progress bar's erasing.
        return shown.replace(b"\r\n", b"\n").replace(b"\r\x1b[K", b"")

    def test_verbs_that_people_read(self):
        for bag in ("h.bag", "h.mcap", "h.db3", "h_dir"):
            with self.subTest(bag=bag):
                self.look("info", bag)
                self.look("info", "--verbose", bag)
                self.look("info", "--json", bag)
                self.look("types", bag)
                self.look("types", bag, f"p/{HOSTILE[0]}")
                self.look("du", bag)
                self.look("check", bag)
                self.look("diff", bag, "run.bag")
                self.look("cat", "--format", "digest", bag)
                self.look("cat", "--format", "json", bag)
                self.look("cat", "--format", "yaml", bag)
                self.look("cat", "--where", "data == \"x\"", bag)
                self.look("cat", "--topics", HOSTILE[0], "--", bag)
                self.look("repair", bag, "out." + (bag.partition(".")[2] or "mcap"))
                self.look("get", bag, "attachment", "none")
                self.look("get", bag, "metadata", HOSTILE[0])
                for what in ("topics", "schemas", "chunks", "attachments", "metadata"):
                    self.look("list", bag, what)
                    self.look("list", "--json", bag, what)
                for target in ("to.mcap", "to.bag", "to.db3", "to_dir"):
                    self.look("convert", bag, target)
                self.look("convert", "--encoding", "json", "--on-error", "skip", bag, "json.mcap")

    def test_csv_escapes_what_it_has_no_place_for(self):
        for bag in ("h.bag", "h.db3", "h_dir", "h.mcap"):
            for message in range(3):
                csv = ("cat", "--format", "csv", "--start", f"+{message}ns", "--count", "1", bag)
                self.look(*csv, allowed="\r", has_lines=True)  # in quotes
                self.assert_harmless(self.at_terminal(*csv), csv)

    def test_definitions_and_contents_at_a_terminal(self):
        for arguments in (("types", "h.mcap", f"t{ALL[:5]}"), ("info", "h.mcap"),
                          ("types", "h.bag", f"p/{ALL}".split("\0")[0]),
                          ("get", "h.mcap", "attachment", HOSTILE[0]),
                          ("get", "h.mcap", "attachment", HOSTILE[3]),
                          ("cat", "--format", "raw", "h.bag"), ("cat", "h.bag"),
                          ("cat", "--format", "csv", "--count", "1", "h.bag")):
            shown = self.at_terminal(*arguments)
            self.assertTrue(shown, arguments)
            text = shown.decode(errors="replace").replace(f"\n{FORGED}", "")
            self.assertIsNone(OBEYED.search(text), (arguments, text[:2000]))

    def test_in_a_pipe_content_is_as_it_is(self):
        data = HOSTILE[0].encode()
        done = self.run_program("get", "h.mcap", "attachment", HOSTILE[0], text=False)
        self.assertEqual(done.stdout, data)

    def test_names_in_errors_are_escaped_once(self):
        self.fails("info", "no\x1b[2J\\.bag", saying=r"no\\x1b\[2J\\\\\.bag")
        self.fails("cat", "--topics", "a\nkitbag: b", "--", "run.bag", saying=r"a\\nkitbag: b")

    def test_the_user_of_an_encrypted_bag(self):
        make_rosbag(self.path("locked.bag"), encryptor=b"rosbag/AesCbcEncryptor",
                    gpg_user=ALL.encode(errors="surrogateescape"), encrypted_key=b"none")
        self.look("info", "locked.bag")
        self.look("info", "--gpg-key", f"nobody{HOSTILE[0]}", "locked.bag")

    def test_printable_text_stays(self):
        bag = BagFile(self.path("good.bag"))
        conn = bag.connection("/Stra\u00dfe/\u6771\u4eac", "std_msgs/String")
        bag.add_chunk([(conn, START_NS, text_payload("\U0001f916 \u2192 \u00e9"))])
        bag.close()
        self.assertIn("/Stra\u00dfe/\u6771\u4eac ", self.kitbag("info", "good.bag"))
        self.assertIn("\U0001f916 \u2192 \u00e9", self.kitbag("cat", "--format", "csv", "good.bag"))

    def test_formulas_are_neutralised_where_asked_for(self):
        bag = BagFile(self.path("f.bag"))
        conn = bag.connection("/f", "p/T", definition="string data\nint32 n\n")
        texts = ['=cmd|"/c calc"!A1', "+1", "-1", "@SUM(A1)", "\tx", "plain"]
        bag.add_chunk([(conn, START_NS + i, text_payload(text) + u32(2**32 - 5))
                       for i, text in enumerate(texts)])
        bag.close()
        rows = self.kitbag("cat", "--format", "csv", "f.bag").splitlines()[1:]
        self.assertTrue(rows[0].endswith('"=cmd|""/c calc""!A1",-5'), rows[0])
        rows = self.kitbag("cat", "--format", "csv", "--escape-formulas", "f.bag").splitlines()[1:]
        self.assertEqual([row.split(",", 3)[3] for row in rows],
                         ['"\'=cmd|""/c calc""!A1",-5', "'+1,-5", "'-1,-5", "'@SUM(A1),-5",
                          "'\tx,-5", "plain,-5"])


if __name__ == "__main__":
    main()
