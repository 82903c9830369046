#!/usr/bin/env python3
"""repair, reindex and recover."""

import gzip
import json
from pathlib import Path

from cli import CliTest, main

LOST = (r"(?s)\A.*at byte \d+: [^\n]+\nsaved\.bag: \d+ messages, 3 topics, [^\n]+ s\n"
        r"cut\.bag: \d+ places? of damage; lost: [^\n]+ at \d+ places?, [^\n]+\n\Z")


class RepairTest(CliTest):
    def repair(self, *arguments, code=1):
        return self.kitbag("repair", *arguments, code=code)

    def test_a_cut_bag(self):
        self.cut_off("cut.bag")
        before = Path(self.path("cut.bag")).read_bytes()
        self.assertRegex(self.repair("cut.bag", "saved.bag"), LOST)
        self.assertEqual(Path(self.path("cut.bag")).read_bytes(), before)
        self.kitbag("check", "saved.bag")
        saved = self.messages("saved.bag")
        self.assertGreater(len(saved), 100)
        self.assertEqual(saved, self.messages(self.bag)[:len(saved)])

    def test_its_other_names(self):
        self.cut_off("cut.bag")
        self.repair("cut.bag", "saved.bag")
        for verb in ("reindex", "recover"):
            self.kitbag(verb, "cut.bag", "-o", "again.bag", "--force", code=1)
            self.kitbag("diff", "saved.bag", "again.bag")

    def test_where_nothing_is_lost(self):
        report = self.repair(self.bag, "copy.bag", code=0)
        self.assertRegex(report, r"run\.bag: no damage; nothing is lost\n\Z")
        self.kitbag("diff", self.bag, "copy.bag")

    def test_without_its_index_nothing_is_lost(self):
        whole = bytearray(Path(self.bag).read_bytes())
        at = whole.index(b"index_pos=") + len(b"index_pos=")
        index_pos = int.from_bytes(whole[at:at + 8], "little")
        whole[at:at + 8] = bytes(8)
        Path(self.path("cut.bag")).write_bytes(whole[:index_pos])
        report = self.repair("cut.bag", "saved.bag", code=0)
        self.assertRegex(report, r"cut\.bag: 1 place of damage; nothing is lost\n\Z")
        self.kitbag("diff", self.bag, "saved.bag")

    def test_the_name_says_the_format(self):
        self.cut_off("cut.bag")
        self.repair("cut.bag", "saved.bag")
        for name, kind in (("saved.mcap", "mcap"), ("saved.db3", "sqlite3"), ("saved", "rosbag")):
            self.repair("cut.bag", name)
            self.assertEqual(self.info(name)["format"], kind)
            self.kitbag("diff", "saved.bag", name)

    def test_a_bag_that_is_compressed_as_a_whole_is_written_plain(self):
        self.cut_off("cut.bag")
        self.repair("cut.bag", "saved.bag")
        packed = Path(self.path("cut.bag.gz"))
        packed.write_bytes(gzip.compress(Path(self.path("cut.bag")).read_bytes()))
        content = packed.read_bytes()
        for arguments in (("cut.bag", "x.bag.gz"), ("cut.bag.gz", "--in-place", "--force"),
                          ("cut.bag.gz", "x.mcap.zst")):
            self.fails("repair", *arguments, saying="compressed as a whole")
        self.assertEqual(packed.read_bytes(), content)
        self.fails("convert", "saved.bag", "x.mcap.zst", "--format", "mcap",
                   saying='compressed as a whole can be read, not written; leave out the extension')
        sound = Path(self.path("sound.bag.gz"))
        sound.write_bytes(gzip.compress(Path(self.path("saved.bag")).read_bytes()))
        self.assertEqual(self.repair("sound.bag.gz", "--in-place", code=0),
                         "sound.bag.gz: sound; not changed\n")
        self.repair("cut.bag.gz", "--output-dir", "plain")
        self.kitbag("diff", "saved.bag", "plain/cut.bag")
        self.assertNotIn("x.mcap.zst", self.files())

    def test_in_place(self):
        self.cut_off("cut.bag")
        self.repair("cut.bag", "saved.bag")
        self.repair("cut.bag", "--in-place")
        self.kitbag("diff", "cut.bag", "saved.bag")
        self.assertEqual(self.files(), ["cut.bag", "run.bag", "saved.bag"])
        self.assertEqual(self.repair("cut.bag", "--in-place", code=0),
                         "cut.bag: sound; not changed\n")

    def test_json(self):
        self.cut_off("cut.bag")
        report = json.loads(self.repair("cut.bag", "saved.bag", "--json"))
        self.assertEqual(list(report), ["in", "out", "written", "messages", "lost",
                                        "problem_count", "problems"])
        self.assertEqual((report["in"], report["out"], report["written"]),
                         ("cut.bag", "saved.bag", True))
        self.assertEqual(report["messages"], len(self.messages("saved.bag")))
        self.assertEqual(list(report["lost"]),
                         ["messages", "exact", "places", "bytes", "duration_ns"])
        self.assertEqual(report["problem_count"], len(report["problems"]))
        losses = [problem["lost"] for problem in report["problems"] if problem["lost"]]
        self.assertEqual(report["lost"]["places"], len(losses))
        self.assertEqual(list(losses[0]), ["messages", "bytes", "from_ns", "to_ns"])

    def test_it_keeps_the_compression_unless_told(self):
        self.kitbag("compress", self.bag, "-o", "small.bag")
        self.repair("small.bag", "saved.bag", code=0)
        self.assertEqual(self.info("saved.bag")["compression"], "lz4")
        self.repair("small.bag", "saved.bag", "-f", "--compression", "bz2", "--threads", "1",
                    code=0)
        self.assertEqual(self.info("saved.bag")["compression"], "bz2")

    def test_how_it_is_stored(self):
        self.repair(self.bag, "saved", "--chunk-size", "1KiB", "--io", "direct", code=0)
        self.assertGreater(self.info("saved")["chunks"], 10)
        done = self.run_program("repair", self.bag, "old", "--format", "rosbag",
                                "--format-version", "1.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.info("old")["version"], "1.2")
        self.fails("repair", self.bag, "out", "--format", "tape", saying='"tape"')

    def test_what_cannot_be_done(self):
        self.fails("repair", self.bag, saying="--in-place")
        self.fails("repair", self.bag, "out.bag", "--in-place", saying="no OUT")
        self.fails("repair", self.bag, self.bag, saying="the input")
        self.fails("repair", "nowhere.bag", "out.bag", saying="no such file")
        Path(self.path("text.bag")).write_text("nothing of a bag")
        self.fails("repair", "text.bag", "out.bag", saying="the first line is .nothing of a bag")
        self.fails("repair", self.cut_off("cut.bag", 4200), "out.bag", saying="nothing to save")
        self.assertEqual(self.files(), ["cut.bag", "run.bag", "text.bag"])


if __name__ == "__main__":
    main()
