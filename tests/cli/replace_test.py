#!/usr/bin/env python3
"""What verbs write where several bags are named: in place, into a folder, or one bag."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from cli import CliTest, main
from peers import program

IN_PLACE = {"compress": [], "decompress": [], "decrypt": []}


class TargetsTest(CliTest):
    def setUp(self):
        super().setUp()
        for name in ("a.bag", "b.bag"):
            shutil.copy(self.bag, self.path(name))
        self.plain = Path(self.bag).read_bytes()
        (self.folder / "run.bag").unlink()

    def content(self, name):
        return (self.folder / name).read_bytes()


class InPlaceTest(TargetsTest):
    def test_two_names_are_two_bags(self):
        out = self.kitbag("compress", "a.bag", "b.bag")
        self.assertEqual(self.files(), ["a.bag", "a.orig.bag", "b.bag", "b.orig.bag"])
        self.assertRegex(out, r"a\.bag: 300 messages, .*; the original is a\.orig\.bag\n")
        self.assertRegex(out, r"\n2 bags: 2 written; 600 messages, .* on disk, .* s\n\Z")
        for name in ("a", "b"):
            self.assertEqual(self.info(f"{name}.bag")["compression"], "lz4")
            self.assertEqual(self.content(f"{name}.orig.bag"), self.plain)
            self.kitbag("diff", f"{name}.bag", f"{name}.orig.bag")

    def test_the_log_of_an_original_stays_with_it(self):
        self.kitbag("convert", "a.bag", "live.db3")
        with closing(sqlite3.connect(self.path("live.db3"))) as live:
            live.execute("PRAGMA journal_mode = WAL")
            live.execute("INSERT INTO messages (topic_id, timestamp, data) "
                         "SELECT topic_id, timestamp, data FROM messages")
            live.commit()
            for name in ("live.db3", "live.db3-wal"):
                shutil.copy(self.path(name), self.path(name.replace("live", "a")))
        self.kitbag("compress", "a.db3", "--compression", "zstd")
        self.assertIn("a.orig.db3-wal", self.files())
        self.assertNotIn("a.db3-wal", self.files())
        counts = [self.info(name)["messages"] for name in ("a.db3", "a.orig.db3")]
        self.assertEqual(counts, [600, 600])

    def test_an_original_is_skipped_and_never_replaced(self):
        self.kitbag("compress", "a.bag")
        small = self.content("a.bag")
        for options in ([], ["--force"]):
            done = self.run_program("compress", *self.files(), "--compression", "bz2", *options)
            self.assertEqual(done.returncode, 2)
            self.assertIn("a.orig.bag: the original of a bag; skipped\n", done.stderr)
            self.assertIn("a.orig.bag: already exists; it is the original", done.stderr)
            self.assertEqual((self.content("a.bag"), self.content("a.orig.bag")),
                             (small, self.plain))
            (self.folder / "b.orig.bag").unlink()
        self.fails("decompress", "a.bag", saying="a.orig.bag: already exists")

    def test_a_name_that_does_not_exist_was_meant_as_the_output(self):
        for verb, options in IN_PLACE.items():
            self.fails(verb, "a.bag", "small.bag", *options,
                       saying=r"small\.bag: no such file; .* -o small\.bag")
        self.fails("reindex", "a.bag", "small.bag", saying=r"-o small\.bag")
        self.assertEqual(self.files(), ["a.bag", "b.bag"])

    def test_one_bad_bag_among_good_ones(self):
        (self.folder / "bad.bag").write_text("hello\n")
        done = self.run_program("compress", "a.bag", "bad.bag", "b.bag", "-j", "2")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Akitbag: bad\.bag: unrecognized format[^\n]*\n\Z")
        self.assertIn("3 bags: 2 written, 1 failed; 600 messages", done.stdout)
        self.assertEqual(self.content("bad.bag"), b"hello\n")
        self.assertNotIn("bad.orig.bag", self.files())

    def test_what_has_no_place(self):
        self.kitbag("convert", "a.bag", "dir/")
        self.fails("compress", "dir", saying="only a file can be changed in place")
        self.fails("compress", "-", saying="name the output with -o")
        self.fails("compress", "a.bag", "--format", "mcap", saying="-o or --output-dir")
        self.fails("compress", "a.bag", "--append", saying="-o or --output-dir")
        self.assertEqual(self.files(), ["a.bag", "b.bag", "dir"])

    def test_what_cannot_be_completed_changes_nothing(self):
        self.fails("compress", "a.bag", "--compression", "zip", saying="zip")
        self.fails("decompress", "a.bag", "--topics", "/nowhere", saying="no topic matches")
        self.assertEqual(self.files(), ["a.bag", "b.bag"])
        self.assertEqual(self.content("a.bag"), self.plain)

    def test_a_link_to_a_bag(self):
        os.symlink("a.bag", self.path("link.bag"))
        self.kitbag("compress", "link.bag")
        self.assertEqual(self.content("link.orig.bag"), self.plain)
        self.assertEqual(self.info("link.bag")["compression"], "lz4")

    def test_other_formats(self):
        for name in ("x.mcap", "x.db3"):
            self.kitbag("convert", "a.bag", name)
            self.kitbag("decompress", name)
            self.kitbag("diff", "a.bag", name)
        self.assertIn("x.orig.mcap", self.files())
        self.assertIn("x.orig.db3", self.files())

    def test_reindex_keeps_the_original_of_what_it_changes(self):
        (self.folder / "cut.bag").write_bytes(self.plain[:len(self.plain) * 6 // 10])
        (self.folder / "bad.bag").write_text("hello\n")
        done = self.run_program("reindex", "a.bag", "cut.bag", "bad.bag")
        self.assertEqual(done.returncode, 2)
        self.assertIn("a.bag: sound; not changed\n", done.stdout)
        self.assertRegex(done.stderr, r"\Akitbag: bad\.bag at byte 0: the first line[^\n]*\n\Z")
        self.assertEqual(self.files(), ["a.bag", "b.bag", "bad.bag", "cut.bag", "cut.orig.bag"])
        self.kitbag("check", "cut.bag")
        self.assertEqual(self.content("cut.orig.bag"), self.plain[:len(self.plain) * 6 // 10])
        reports = self.kitbag("reindex", "a.bag", "cut.bag", "--json").splitlines()
        written = [json.loads(report)["written"] for report in reports]
        self.assertEqual(written, [False, False])

    def test_reindex_of_a_directory_says_what_to_do(self):
        self.kitbag("convert", "a.bag", "run/")
        (self.folder / "run/metadata.yaml").unlink()
        self.fails("reindex", "run", saying="run: the original of a directory cannot be kept; use "
                                            "repair --in-place")
        self.kitbag("repair", "--in-place", "run")
        self.kitbag("check", "run")

    def test_repair_in_place_takes_several_and_keeps_none(self):
        for name in ("a.bag", "b.bag"):
            (self.folder / name).write_bytes(self.plain[:len(self.plain) * 6 // 10])
        self.kitbag("repair", "--in-place", "a.bag", "b.bag", code=1)
        self.assertEqual(self.files(), ["a.bag", "b.bag"])
        self.kitbag("check", "a.bag", "b.bag")


class OutputFolderTest(TargetsTest):
    def test_each_bag_gets_its_own(self):
        for verb, options in (("convert", []), ("compress", []), ("sort", []),
                              ("filter", ["--topics", "/tick"]), ("cut", ["--end", "+1s"]),
                              ("split", ["--split-messages", "1000"])):
            self.kitbag(verb, "a.bag", "b.bag", "--output-dir", f"new/{verb}", *options, "-j", "2")
            names = {path.name for path in (self.folder / "new" / verb).iterdir()}
            end = "_0.bag" if verb == "split" else ".bag"
            self.assertEqual(names, {f"a{end}", f"b{end}"}, verb)
        self.kitbag("diff", "a.bag", "new/compress/a.bag")
        self.kitbag("repair", "a.bag", "b.bag", "--output-dir", "saved")
        self.kitbag("diff", "a.bag", "saved/a.bag")
        self.assertEqual(self.content("a.bag"), self.plain)

    def test_the_format_names_the_extension(self):
        self.kitbag("convert", "a.bag", "b.bag", "--output-dir", "new", "--format", "mcap")
        self.assertEqual(self.info("new/a.mcap")["format"], "mcap")
        self.kitbag("convert", "a.bag", "dir/", "--format", "sqlite3")
        self.kitbag("convert", "dir", "--output-dir", "new")
        self.assertIn("sqlite3", self.kitbag("info", "new/dir"))

    def test_it_goes_on_after_a_bad_one_and_sums_up(self):
        (self.folder / "bad.bag").write_text("hello\n")
        cut = self.folder / "cut.bag"
        cut.write_bytes(self.plain[:len(self.plain) * 6 // 10])
        for jobs in ("1", "2"):
            done = self.run_program("convert", "bad.bag", "a.bag", cut, "b.bag", "nowhere.bag",
                                    "--output-dir", f"new{jobs}", "-j", jobs)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, r"(?m)^kitbag: bad\.bag: unrecognized format")
            self.assertRegex(done.stderr, r"(?m)^kitbag: nowhere\.bag: .*no such file")
            self.assertRegex(done.stderr, r"(?m)^kitbag: warning: .*cut\.bag")
            self.assertRegex(done.stdout, r"\n5 bags: 3 written, 2 failed; [^\n]+ s\n\Z")
            self.assertEqual(len(list((self.folder / f"new{jobs}").iterdir())), 3)
        self.run_program("convert", "a.bag", cut, "--output-dir", "new")
        self.assertEqual(self.run_program("convert", "a.bag", cut, "--output-dir", "new3")
                         .returncode, 1)

    def test_json_is_an_object_a_line(self):
        (self.folder / "bad.bag").write_text("hello\n")
        done = self.run_program("convert", "a.bag", "bad.bag", "--output-dir", "new", "--json")
        a, bad = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((a["in"], a["out"], a["files"]),
                         (["a.bag"], "new/a.bag", ["new/a.bag"]))
        self.assertEqual((a["messages"], a["topics"], a["damaged"]), (300, 3, False))
        self.assertEqual(a["size_bytes"], len(self.content("new/a.bag")))
        self.assertEqual(bad["in"], ["bad.bag"])
        self.assertIn("unrecognized format", bad["error"])
        one = json.loads(self.kitbag("merge", "a.bag", "b.bag", "-o", "both.bag", "--json"))
        self.assertEqual((one["in"], one["out"], one["messages"]),
                         (["a.bag", "b.bag"], "both.bag", 600))

    def test_what_exists_is_replaced_only_by_force(self):
        self.kitbag("convert", "a.bag", "b.bag", "--output-dir", "new", "--topics", "/tick")
        before = self.content("new/a.bag")
        done = self.run_program("convert", "a.bag", "b.bag", "--output-dir", "new")
        self.assertEqual(done.returncode, 2)
        self.assertIn("new/a.bag: already exists; use --force to replace it", done.stderr)
        self.assertEqual(self.content("new/a.bag"), before)
        self.kitbag("convert", "a.bag", "b.bag", "--output-dir", "new", "--force")
        self.assertEqual(self.info("new/a.bag")["messages"], 300)

    def test_no_input_is_an_output(self):
        for folder in (".", self.folder):
            done = self.run_program("convert", "a.bag", "b.bag", "--output-dir", folder, "-f")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stderr.count("is also the input"), 2)
        (self.folder / "sub").mkdir()
        (self.folder / "sub/a.bag").write_bytes(self.plain)
        self.fails("convert", "a.bag", "sub/a.bag", "--output-dir", "new", "-f",
                   saying=r"new/a\.bag: would be the output of a\.bag and of sub/a\.bag")
        self.assertEqual(self.content("a.bag"), self.plain)

    def test_folders_keep_their_shape(self):
        (self.folder / "in/deep").mkdir(parents=True)
        (self.folder / "in/a.bag").write_bytes(self.plain)
        (self.folder / "in/deep/a.bag").write_bytes(self.plain)
        (self.folder / "in/readme.txt").write_text("no bag\n")
        self.kitbag("convert", "-r", "in", "--output-dir", "new")
        found = sorted(str(path.relative_to(self.folder / "new"))
                       for path in (self.folder / "new").rglob("*.bag"))
        self.assertEqual(found, ["a.bag", "deep/a.bag"])
        self.kitbag("compress", "-r", "in")
        self.assertTrue((self.folder / "in/deep/a.orig.bag").exists())

    def test_ctrl_c_leaves_no_half_bag(self):
        names = []
        for i in range(40):
            names.append(f"n{i}.bag")
            os.link(self.path("a.bag"), self.path(names[-1]))
        with subprocess.Popen([program(), "convert", *names, "--output-dir", "new", "-j", "2",
                               "--compression", "bz2", "--sync", "chunk"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            self.assertIn("300 messages", process.stdout.readline())
            process.send_signal(signal.SIGINT)
            out, err = process.stdout.read(), process.stderr.read()
        written = [path.name for path in (self.folder / "new").iterdir()]
        if process.returncode == 0:  # it was faster
            self.assertEqual(len(written), len(names))
            return
        self.assertEqual(process.returncode, 2)
        told = re.search(r"interrupted; (\d+) of 40 bags written", err)
        self.assertIsNotNone(told, err)
        # Each of the two jobs may have finished a bag that is not counted yet.
        self.assertIn(len(written) - int(told[1]), range(3))
        for name in written:
            self.kitbag("check", f"new/{name}")
        if "40 bags:" in out:  # else a job took longer than kitbag waits after Ctrl-C
            self.assertIn(f"40 bags: {told[1]} written, {40 - int(told[1])} not begun", out)


class OneOutputTest(TargetsTest):
    def test_o_names_it(self):
        self.kitbag("convert", "a.bag", "b.bag", "-o", "both.bag")
        self.assertEqual(self.info("both.bag")["messages"], 600)
        self.kitbag("convert", "a.bag", "--output", "one.mcap")
        self.kitbag("diff", "a.bag", "one.mcap")
        self.kitbag("repair", "a.bag", "-o", "saved.bag")
        self.fails("convert", "a.bag", "-o", "one.mcap", saying="one.mcap: already exists; use --f")

    def test_the_last_of_several_is_no_victim(self):
        for options in ([], ["--force"]):
            self.fails("merge", "a.bag", "b.bag", "b.bag", *options, saying="is also the input|-o")
        shutil.copy(self.path("a.bag"), self.path("c.bag"))
        for options in ([], ["--force"]):
            done = self.run_program("merge", *options, "a.bag", "b.bag", "c.bag")
            self.assertEqual(done.returncode, 2)
            self.assertIn("c.bag: already exists; with several inputs, the last name is the output",
                          done.stderr)
            self.assertNotIn("--force", done.stderr)
            self.fails("merge", *options, "a.bag", "c.bag",
                       saying=r"c\.bag: already exists; a\.bag is the only input, .* -o OUT")
        self.assertEqual(self.content("c.bag"), self.plain)
        self.kitbag("merge", "-f", "a.bag", "b.bag", "-o", "c.bag")
        self.assertEqual(self.info("c.bag")["messages"], 600)

    def test_what_contradicts_itself(self):
        for options, saying in ((["-o", "x.bag", "--output-dir", "new"], "excludes --output-dir"),
                                (["-o", "x.bag", "-j", "2"], "-r and -j require"),
                                (["x.bag", "-r"], "-r and -j require"),
                                (["-o", "-", "--json"], "--json and the bag"),
                                (["--output-dir", "new", "--append"], "--append requires one")):
            self.fails("convert", "a.bag", *options, saying=saying)
        self.fails("convert", "a.bag", saying="name the output too.*see kitbag conv")
        self.fails("repair", "a.bag", "b.bag", "c.bag", saying="one bag")
        self.fails("repair", "a.bag", "--in-place", "-o", "x.bag", saying="--in-place excludes")
        self.assertEqual(self.files(), ["a.bag", "b.bag"])


if __name__ == "__main__":
    main()
