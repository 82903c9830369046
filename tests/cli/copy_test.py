#!/usr/bin/env python3
"""kitbag ls and kitbag cp, and globs that no shell has expanded: on the disks of this machine."""

import fcntl
import json
import os
import signal
import subprocess
import time
import unittest

from cli import CliTest, main
from peers import program
from waiting import takes_interrupts, until

METADATA = "rosbag2_bagfile_information:\n  version: 9\n"


class CopyTest(CliTest):
    def setUp(self):
        super().setUp()
        (self.folder / "in/deep").mkdir(parents=True)
        for name, content in (("a.bin", b"one"), ("b.bin", b"two!"), ("deep/c.bin", b"three"),
                              (".hidden", b"")):
            (self.folder / "in" / name).write_bytes(content)

    def lines(self, *arguments, **more):
        return self.kitbag(*arguments, **more).splitlines()

    def listed(self, *arguments):
        return [json.loads(line) for line in self.lines("ls", "--json", *arguments)]

    def content(self, name):
        return (self.folder / name).read_bytes()

    def test_lists(self):
        self.assertEqual(self.lines("ls", "in"), ["in/a.bin", "in/b.bin", "in/deep/"])
        self.assertEqual(self.lines("ls"), ["in/", "run.bag"])
        self.assertEqual(self.lines("ls", "-r"), ["in/a.bin", "in/b.bin", "in/deep/c.bin",
                                                  "run.bag"])
        self.assertEqual(self.lines("ls", "in/a.bin"), ["in/a.bin"])
        modified = int((self.folder / "in/b.bin").stat().st_mtime_ns)
        self.assertEqual(self.listed("in/b.bin", "in/deep"), [
            {"path": "in/b.bin", "is_folder": False, "size_bytes": 4, "modified_ns": modified},
            {"path": "in/deep/c.bin", "is_folder": False, "size_bytes": 5,
             "modified_ns": int((self.folder / "in/deep/c.bin").stat().st_mtime_ns)}])
        heading, line = self.lines("ls", "-l", "in/b.bin")
        self.assertEqual(heading.split(), ["size", "modified", "path"])
        self.assertRegex(line, r"^ *4 B  20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ  in/b.bin$")

    def test_lists_bags(self):
        found = self.listed("--bags", "in/a.bin", "run.bag")
        self.assertNotIn("format", found[0])
        self.assertEqual((found[1]["format"], found[1]["messages"]), ("rosbag", 300))
        (self.folder / "cut.bag").write_bytes(self.content("run.bag")[:5000])
        damaged = self.run_program("ls", "--bags", "cut.bag", "run.bag")
        self.assertEqual((damaged.returncode, damaged.stdout.count("rosbag ")), (1, 2))
        self.assertIn("cut.bag: is damaged", damaged.stderr)

    def test_globs(self):
        for glob, names in (("in/*.bin", ["in/a.bin", "in/b.bin"]), ("in/[b-z]*", ["in/b.bin",
                            "in/deep/"]), ("**/*.bin", ["in/a.bin", "in/b.bin", "in/deep/c.bin"]),
                            ("i?/**", ["in/a.bin", "in/b.bin", "in/deep/", "in/deep/c.bin"]),
                            ("in/**/c.bin", ["in/deep/c.bin"]), ("*/deep/", ["in/deep/"]),
                            ("in/.h*", ["in/.hidden"]), (f"{self.folder}/in/*/c*",
                                                         [f"{self.folder}/in/deep/c.bin"])):
            with self.subTest(glob=glob):
                self.assertEqual(self.lines("ls", glob), names)
        for verb in "ls", "info", "cat", "find":
            with self.subTest(verb=verb):
                self.fails(verb, "none/*.bag", saying="nothing matches")
        (self.folder / "run[1].bag").write_bytes(self.content("run.bag"))
        self.assertEqual(len(self.lines("info", "--json", "*.bag")), 2)
        self.assertIn("run[1].bag", self.kitbag("info", "run[1].bag"))  # the name of a file
        self.kitbag("merge", "run*.bag", "both.bag")
        self.assertIn('"messages": 600', self.kitbag("info", "--json", "both.bag"))
        self.kitbag("compress", "run*.bag", "--output-dir", "small")
        self.assertEqual(self.lines("ls", "small"), ["small/run.bag", "small/run[1].bag"])
        self.assertIn("600", self.kitbag("sql", "SELECT count(*) FROM messages", "run*.bag"))

    def test_links_have_no_end(self):
        os.symlink("..", self.folder / "in/deep/up")
        self.assertEqual(self.lines("ls", "in/**/c.bin"), ["in/deep/c.bin"])
        os.symlink("self", self.folder / "self")
        self.assertEqual(self.lines("ls"), ["in/", "run.bag"])  # it leads nowhere
        self.assertEqual(self.lines("ls", "-r", "in"), ["in/a.bin", "in/b.bin", "in/deep/c.bin"])

    def test_only_stores_give_addresses(self):
        self.fails("ls", "--link", "1h", "in/a.bin", saying="object stores")

    def test_names_are_as_they_are_for_programs_only(self):
        hostile = self.folder / "in/\x1b]0;x\x07.bin"
        hostile.write_bytes(b"")
        self.assertIn("\x1b", self.kitbag("ls", "in"))
        self.assertNotIn("\x1b", self.kitbag("ls", "-l", "in"))
        self.assertNotIn("\x1b", self.kitbag("cp", "in/\x1b]0;x\x07.bin", "y.bin"))

    def test_one_file(self):
        self.assertRegex(self.kitbag("cp", "in/a.bin", "x.bin"),
                         r"^in/a.bin -> x.bin: 3 B, \d+\.\d\d s\n$")
        self.assertEqual(self.content("x.bin"), b"one")
        again = self.kitbag("cp", "in/a.bin", "x.bin")
        self.assertIn("already there, with the same content", again)
        self.fails("cp", "in/b.bin", "x.bin", saying="use --force")
        self.assertEqual(self.content("x.bin"), b"one")
        self.kitbag("cp", "-f", "--verify", "in/b.bin", "x.bin")
        self.assertEqual(self.content("x.bin"), b"two!")
        (self.folder / "empty").write_bytes(b"")
        self.kitbag("cp", "empty", "in/deep/")
        self.assertEqual(self.content("in/deep/empty"), b"")

    def test_into_folders(self):
        self.assertIn("3 files copied", self.kitbag("cp", "in/*.bin", "run.bag", "new/folder/"))
        self.assertEqual(self.lines("ls", "new/folder"), [
            "new/folder/a.bin", "new/folder/b.bin", "new/folder/run.bag"])
        self.fails("cp", "in/a.bin", "in/b.bin", "x", saying="need a folder")
        self.fails("cp", "in/*.bin", "x", saying="need a folder")
        self.fails("cp", "in/a.bin", "new/folder/a.bin", "other/",
                   saying="copy of in/a.bin and of new/folder/a.bin")
        self.assertFalse((self.folder / "other").exists())

    def test_folders_with_all_that_is_in_them(self):
        self.fails("cp", "in", "copy", saying="use -r")
        self.kitbag("cp", "-r", "in", "copy")  # its new name
        self.kitbag("cp", "-r", "-j", "3", "in", "copy")  # into it
        for place in "copy", "copy/in":
            for name in "a.bin", "deep/c.bin", ".hidden":
                self.assertEqual(self.content(f"{place}/{name}"), self.content(f"in/{name}"))

    def test_what_has_no_content_is_named(self):
        os.mkfifo(self.folder / "in/pipe")
        (self.folder / "in/empty").mkdir()
        os.symlink("nothing", self.folder / "in/empty/lost")
        os.symlink("self", self.folder / "in/self")
        done = self.run_program("cp", "-r", "in", "copy")
        self.assertEqual(done.returncode, 0)
        for name in "in/pipe", "in/empty/lost", "in/self":
            self.assertIn(f"{name}: is left out", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 3, done.stderr)
        self.assertIn("4 files copied", done.stdout)

    def test_the_metadata_of_a_directory_comes_last(self):
        self.kitbag("convert", "run.bag", "dir/")
        lines = self.lines("cp", "-r", "--json", "dir", "run.bag", "in/a.bin", "out/")
        done = json.loads(lines[0])
        self.assertEqual((done["in"], done["out"], done["files"]), (["dir"], "out/dir", 2))
        self.kitbag("diff", "dir", "out/dir")
        # A file that cannot be copied leaves the directory without it.
        member = next(self.folder.glob("dir/*.mcap"))
        (self.folder / "bad/dir").mkdir(parents=True)
        (self.folder / "bad/dir" / member.name).write_bytes(b"other")
        failed = self.run_program("cp", "-r", "dir", "bad/")
        self.assertEqual(failed.returncode, 2)
        self.assertIn("already exists, with another content", failed.stderr)
        self.assertFalse((self.folder / "bad/dir/metadata.yaml").exists())

    def test_the_others_are_copied(self):
        (self.folder / "out").mkdir()
        (self.folder / "out/a.bin").write_bytes(b"other")
        done = self.run_program("cp", "in/a.bin", "none", "in/b.bin", "out/")
        self.assertEqual(done.returncode, 2)
        self.assertIn("1 file copied, 2 failed", done.stdout)
        self.assertIn("none: no such file", done.stderr)
        self.assertEqual(self.content("out/a.bin"), b"other")
        self.assertEqual(self.content("out/b.bin"), b"two!")

    def test_a_bag_that_is_being_written(self):
        with open(self.folder / "run.bag", "r+b") as written:
            fcntl.fcntl(written, 37, b"\x01\0\0\0" + b"\0" * 28)  # F_OFD_SETLK, F_WRLCK
            self.fails("cp", "run.bag", "x.bag", saying="run.bag")
        self.assertFalse((self.folder / "x.bag").exists())

    def test_ctrl_c_leaves_nothing(self):
        with open(self.folder / "large", "wb") as large:
            large.truncate(64 << 30)
        copying = subprocess.Popen([program(), "cp", "large", "copy"], cwd=self.folder,
                                   stderr=subprocess.PIPE)
        until(lambda: takes_interrupts(copying), "kitbag cp takes Ctrl-C", copying)
        time.sleep(0.3)  # whenever it comes
        copying.send_signal(signal.SIGINT)
        began = time.monotonic()
        told = copying.communicate(timeout=10)[1].decode()
        self.assertLess(time.monotonic() - began, 10)
        self.assertNotEqual(copying.returncode, 0)
        self.assertIn("interrupted", told)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in", "large", "run.bag"])

    def test_what_cannot_be_written(self):
        self.fails("cp", "run.bag", "http://127.0.0.1:1/x", saying="http://127.0.0.1:1/x: ")
        self.fails("cp", "-", "x", saying="standard input")
        if os.geteuid() != 0:
            os.chmod(self.folder / "in", 0o500)
            self.fails("cp", "run.bag", "in/x", saying="in/x")


if __name__ == "__main__":
    main()
