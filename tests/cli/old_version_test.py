#!/usr/bin/env python3
"""Old versions: writing them, and what info shows of them."""

import bz2
import gzip
from pathlib import Path

from cli import WRITING_VERBS, CliTest, main
from old_bag import write_v1_3

NEEDED = {"filter": ["--topics", "*"], "cut": ["--start", "+0s"],
          "split": ["--split-messages", "1000"], "compress": ["--compression", "none"]}
V0 = (b"/chatter\n992ce8a1687cec8c8bd883ec73ca41d1\nstd_msgs/String\n"
      b"\x05\0\0\0\0\0\0\0\x05\0\0\0\x01\0\0\0x")


class WriteTest(CliTest):
    def warned(self, *arguments):
        """The one warning of a run that is done all the same."""
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Akitbag: warning: [^\n]+\n\Z")
        return done.stderr

    def test_versions(self):
        for version in ("2.0", "1.2"):
            self.kitbag("convert", self.bag, "out.bag", "-f", "--format-version", version)
            info = self.info("out.bag")
            self.assertEqual((info["version"], info["indexed"]), (version, True))
            self.kitbag("diff", self.bag, "out.bag")
            self.kitbag("check", "out.bag")

    def test_what_is_left_out_is_one_warning(self):
        warning = self.warned("convert", self.bag, "out.bag", "--format-version", "1.1")
        self.assertIn("out.bag: rosbag 1.1 cannot store the following; left out "
                      "(number of channels): callerid (3), ", warning)
        self.assertEqual(self.info("out.bag")["version"], "1.1")
        self.kitbag("diff", self.bag, "out.bag")

    def test_files_of_a_split_are_warned_of_once(self):
        warning = self.warned("split", self.bag, "part.bag", "--split-messages", "100",
                              "--format-version", "1.1")
        self.assertIn("part_0.bag: ", warning)
        self.assertIn("(and similarly for 2 more files)", warning)

    def test_other_warnings_of_a_file_are_not_taken_for_other_files(self):
        """One file: what it cannot hold, and that only kitbag reads its payloads."""
        told = self.run_program("convert", "demo://?seconds=1", "out.bag", "--encoding",
                                "cdr").stderr
        self.assertIn("out.bag: the bag has messages in other encodings than ROS 1's", told)
        self.assertNotIn("similarly", told)

    def test_every_preset_takes_it(self):
        for verb in set(WRITING_VERBS) - {"encrypt"}:
            self.kitbag(verb, self.bag, "-o", "out.bag", "--format-version", "1.2",
                        *NEEDED.get(verb, []))
            name = "out_0.bag" if verb == "split" else "out.bag"
            self.assertEqual(self.info(name)["version"], "1.2", verb)
            Path(self.path(name)).unlink()

    def test_mistakes(self):
        self.fails("convert", self.bag, "out.bag", "--format-version", "1.0",
                   saying=r'rosbag cannot be written in version "1\.0"; '
                          r'supported versions: 2\.0, 1\.2, 1\.1')
        self.fails("compress", self.bag, "-o", "out.bag", "--format-version", "1.2",
                   saying=r'rosbag 1\.2 does not support the compression "lz4"; supported: none')
        self.fails("convert", self.bag, self.bag + "2", "--format-version", "1.2",
                   saying="extension")
        self.kitbag("convert", self.bag, "other.bag")
        self.fails("convert", self.bag, "other.bag", "--append", "--format-version", "1.2",
                   saying=r"other\.bag: the bag has version 2\.0, not 1\.2")
        self.kitbag("convert", self.bag, "old.bag", "--format-version", "1.2")
        self.fails("convert", self.bag, "old.bag", "--append",
                   saying=r"cannot append to a bag of version 1\.2; convert it to 2\.0")
        self.assertEqual(self.files(), ["old.bag", "other.bag", "run.bag"])


class InfoTest(CliTest):
    def test_certainty(self):
        Path(self.path("old.bag")).write_bytes(V0)
        self.assertIn("rosbag 0, recognized by its first three lines (60 % sure), without an index",
                      self.kitbag("info", "old.bag"))
        info = self.info("old.bag")
        self.assertEqual((info["version"], info["certainty"], info["messages"]), ("0", 60, 1))
        self.assertNotIn("sure", self.kitbag("info", self.bag))

    def test_whole_file_compression(self):
        for name, pack in (("gz", gzip.compress), ("bz2", bz2.compress)):
            Path(self.path("old.bag")).write_bytes(pack(V0))
            self.assertIn("the whole file by " + name, self.kitbag("info", "old.bag"))
            self.assertEqual(self.info("old.bag")["compression"], name)
            self.assertEqual(len(self.messages("old.bag")), 1)


class Version13Test(CliTest):
    """No file of it is known; nobody else reads it."""

    def setUp(self):
        super().setUp()
        string = ("std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1", "string data\n")
        write_v1_3(Path(self.path("old.bag")), {"/a": string, "/b": string},
                   [(("/a", "/b")[i % 2], 100 + i, b"\x01\0\0\0x") for i in range(20)])

    def test_info_and_check(self):
        info = self.info("old.bag")
        self.assertEqual((info["format"], info["version"], info["certainty"]),
                         ("rosbag", "1.3", 100))
        self.assertEqual({channel["topic"]: channel["messages"] for channel in info["channels"]},
                         {"/a": 10, "/b": 10})
        self.assertIn("rosbag 1.3", self.kitbag("info", "old.bag"))
        self.kitbag("check", "old.bag")

    def test_to_2_0_and_on(self):
        self.kitbag("convert", "old.bag", "new.bag")
        self.assertEqual(self.info("new.bag")["version"], "2.0")
        self.kitbag("diff", "old.bag", "new.bag")
        self.kitbag("check", "new.bag")
        self.assertEqual(len(self.messages("old.bag", "--topics", "/b", "--start", "+10s")), 5)

    def test_a_cut_one_is_repaired(self):
        whole = Path(self.path("old.bag")).read_bytes()
        size = whole.index(b"time=" + (115).to_bytes(4, "little"))
        Path(self.path("cut.bag")).write_bytes(whole[:size])
        self.assertIn("15 messages", self.kitbag("repair", "cut.bag", "saved.bag", code=1))
        self.assertEqual(self.messages("saved.bag"), self.messages("old.bag")[:15])


if __name__ == "__main__":
    main()
