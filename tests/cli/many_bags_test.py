#!/usr/bin/env python3
"""Verbs with several bags: one that is bad does not stop the others, and each is named."""

import json
import os
import shutil

from cli import CliTest, main

READING = {"info": [], "check": [], "du": [], "list": ["topics"], "cat": ["--format", "digest"]}


class ManyBagsTest(CliTest):
    def setUp(self):
        super().setUp()
        shutil.copy(self.bag, self.path("b.bag"))
        (self.folder / "bad.bag").write_text("hello\n")
        deep = self.folder / "in/deep"
        deep.mkdir(parents=True)
        shutil.copy(self.bag, deep / "c.bag")
        shutil.copy(self.bag, self.folder / "in/d.bag")

    def lines(self, *arguments, code=0):
        return [json.loads(line) for line in self.kitbag(*arguments, code=code).splitlines()]

    def test_one_that_is_not_there_does_not_stop_the_others(self):
        for verb, what in READING.items():
            whole = self.kitbag(verb, "run.bag", "b.bag", *what)
            done = self.run_program(verb, "run.bag", "nowhere.bag", "b.bag", *what)
            self.assertEqual((done.returncode, done.stdout), (2, whole), verb)
            self.assertRegex(done.stderr, r"\Akitbag: nowhere\.bag: .*no such file[^\n]*\n\Z")

    def test_what_is_no_bag(self):
        for verb, what in READING.items():
            done = self.run_program(verb, "run.bag", "bad.bag", *what)
            self.assertEqual(done.returncode, 1 if verb == "check" else 2, verb)
            said = done.stdout if verb == "check" else done.stderr
            self.assertIn("bad.bag: unrecognized format", said)
        self.fails("cat", "bad.bag", saying="unrecognized format")
        done = self.run_program("cat", "bad.bag", "nowhere.bag")
        self.assertEqual((done.returncode, done.stderr.count("kitbag: ")), (2, 2))

    def test_links_that_lead_nowhere_and_pipes_are_not_passed_over(self):
        os.symlink("/nowhere/e.bag", self.folder / "in/e.bag")
        os.symlink("/nowhere/notes", self.folder / "in/notes")
        os.mkfifo(self.folder / "in/deep/f.bag")
        self.kitbag("catalog", "init", "c.sqlite")
        for command in (["check", "-r", "in"], ["convert", "-r", "in", "--output-dir", "out"],
                        ["find", "in", "--topics", "/count"],
                        ["catalog", "scan", "c.sqlite", "in"]):
            done = self.run_program(*command)
            said = done.stdout + done.stderr
            self.assertEqual(done.returncode, 2, (command, said))
            self.assertRegex(said, r"in/e\.bag: the link leads nowhere")
            self.assertRegex(said, r"in/deep/f\.bag: is not a regular file")
            self.assertNotIn("notes", said)
            self.assertIn("c.bag", said)  # the others are not stopped
        done = self.run_program("batch", "check", "--from", "in", "--to", "checked")
        self.assertEqual(done.returncode, 1)
        self.assertIn("4 bags: 2 done, 2 failed", done.stdout)
        done = self.run_program("sql", "SELECT COUNT(*) FROM messages", "in")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"in/e\.bag: the link leads nowhere; the bag is left out")

    def test_each_bag_is_named(self):
        self.assertRegex(self.kitbag("du", "run.bag", "b.bag"), r"\Arun\.bag:\n +size .*"
                         r"(?s:.*)\n\nb\.bag:\n +size ")
        self.assertRegex(self.kitbag("list", "run.bag", "b.bag", "topics"),
                         r"\Arun\.bag:\ntopic .*(?s:.*)\n\nb\.bag:\ntopic ")
        self.assertEqual(self.kitbag("du", "run.bag").count("run.bag"), 0)

    def test_messages_name_their_file(self):
        rows = self.lines("cat", "run.bag", "b.bag", "--topics", "/count")
        self.assertEqual(list(rows[0])[:2], ["file", "topic"])
        of_files = {file: [row["data"] for row in rows if row["file"] == file]
                    for file in ("run.bag", "b.bag")}
        alone = [json.loads(line)["data"] for line in
                 self.kitbag("cat", "run.bag", "--topics", "/count").splitlines()]
        self.assertEqual(of_files, {"run.bag": alone, "b.bag": alone})
        self.assertEqual({row["file"] for row in self.lines("cat", "-r", "in/deep")},
                         {"in/deep/c.bag"})
        self.assertNotIn("file", self.lines("cat", "run.bag")[0])
        table = self.kitbag("cat", "run.bag", "b.bag", "--topics", "/count", "--format", "csv")
        self.assertRegex(table, r"\Afile,log_time_ns,publish_time_ns,topic,data\n"
                                r"run\.bag,\d+,\d+,/count,1\nb\.bag,\d+,\d+,/count,1\n")
        documents = self.kitbag("cat", "run.bag", "b.bag", "--count", "2", "--format", "yaml",
                                "--color", "always")
        self.assertRegex(documents, r'\Afile: "run\.bag"\ntopic: \x1b\[\d+m"/[a-z]+"\x1b\[0m\n'
                                    r'(?s:.*)---\nfile: "b\.bag"\ntopic: \x1b')

    def test_json_is_an_object_a_line(self):
        infos = self.lines("info", "--json", "run.bag", "b.bag")
        self.assertEqual([each["path"] for each in infos], ["run.bag", "b.bag"])
        self.assertEqual(infos[0]["channels"], self.info("run.bag")["channels"])
        rows = self.lines("du", "--json", "run.bag", "b.bag")
        self.assertEqual([(row["file"], row["topic"]) for row in rows][2:4],
                         [("run.bag", rows[2]["topic"]), ("b.bag", rows[0]["topic"])])
        rows = self.lines("list", "run.bag", "b.bag", "schemas", "--json")
        self.assertEqual({row["file"] for row in rows}, {"run.bag", "b.bag"})
        sound, bad = self.lines("check", "--json", "run.bag", "bad.bag", code=1)
        self.assertEqual(sound, {"file": "run.bag", "sound": True, "errors": 0, "warnings": 0,
                                 "notes": 0, "findings": []})
        self.assertEqual((bad["file"], bad["sound"], bad["errors"]), ("bad.bag", False, 1))
        self.assertEqual(bad["findings"][0]["severity"], "error")
        self.assertIn("unrecognized format", bad["findings"][0]["message"])

    def test_folders(self):
        for verb, what in READING.items():
            self.fails(verb, "in", *what, saying=r"in: a folder of 1 bag, not a bag; .* -r")
        self.assertEqual([each["path"] for each in self.lines("info", "-r", "--json", "in")],
                         ["in/d.bag", "in/deep/c.bag"])
        self.assertEqual([each["path"] for each in self.lines("info", "-r", "--json", "in/deep")],
                         ["in/deep/c.bag"])
        self.assertIn("in/deep/c.bag: sound", self.kitbag("check", "-r", "in", "run.bag"))
        (self.folder / "empty").mkdir()
        self.fails("info", "-r", "empty", saying="no bags in this folder")
        (self.folder / "in/loop").symlink_to(self.folder / "in")
        self.assertEqual(len(self.lines("info", "-r", "--json", "in")), 2)

    def test_what_has_the_name_of_a_bag_is_not_passed_over(self):
        """Its first bytes are damaged, or it has none."""
        whole = (self.folder / "in/d.bag").read_bytes()
        (self.folder / "in/flipped.bag").write_bytes(b"X" + whole[1:])
        (self.folder / "in/zeros.mcap").write_bytes(bytes(100))
        (self.folder / "in/notes.txt").write_bytes(bytes(100))
        for verb, what in {**READING, "convert": ["--output-dir", "out", "--format", "mcap"],
                           "repair": ["--output-dir", "saved"]}.items():
            done = self.run_program(verb, "-r", "in", *what)
            self.assertEqual(done.returncode, 1 if verb == "check" else 2, verb)
            told = done.stdout + done.stderr
            for name in ("flipped.bag", "zeros.mcap"):
                self.assertIn(f"in/{name}", told, verb)
            self.assertNotIn("notes.txt", told)
        (self.folder / "in/empty.bag").touch()
        self.assertIn("error: in/empty.bag: the file is empty",
                      self.kitbag("check", "-r", "in", code=1))

    def test_the_files_of_one_bag_are_no_unrelated_bags(self):
        self.kitbag("split", self.bag, "parts/", "--split-messages", "100")
        (self.folder / "parts").rename(self.folder / "renamed")
        self.assertEqual(self.info("renamed")["messages"], 300)
        (self.folder / "renamed/metadata.yaml").unlink()
        info = json.loads(self.run_program("info", "--json", "renamed").stdout)
        self.assertEqual(info["messages"], 300)
        self.assertEqual(len(self.lines("info", "-r", "--json", "renamed")), 3)

    def test_standard_input_is_there_once(self):
        self.fails("info", "-", "-", saying="only one bag")


class JsonTest(CliTest):
    def test_diff(self):
        self.kitbag("filter", self.bag, "less.bag", "--end", "-0s")
        same = json.loads(self.kitbag("diff", "--json", "run.bag", self.bag))
        self.assertEqual((same["same"], same["difference_count"], same["differences"]),
                         (True, 0, []))
        other = json.loads(self.kitbag("diff", "--json", "run.bag", "less.bag", code=1))
        self.assertEqual((other["a"], other["b"], other["same"]), ("run.bag", "less.bag", False))
        self.assertEqual((other["messages_a"], other["messages_b"]), (300, 299))
        self.assertEqual(other["differences"][0]["topic"], "/tick")

    def test_types(self):
        types = json.loads(self.kitbag("types", "--json", self.bag))
        self.assertEqual(types[0], {"type": "std_msgs/Empty", "language": "ros1msg",
                                    "topics": ["/tick"]})
        one = json.loads(self.kitbag("types", "--json", self.bag, "std_msgs/Int32"))
        self.assertEqual((one["type"], one["language"], one["definition"].strip()),
                         ("std_msgs/Int32", "ros1msg", "int32 data"))

    def test_check_of_definitions(self):
        folder = self.folder / "msgs/std_msgs/msg"
        folder.mkdir(parents=True)
        (folder / "Int32.msg").write_text("int64 data\n")
        lines = self.kitbag("check", "--json", self.bag, "--to-definitions", "msgs").splitlines()
        outcomes = {each["topic"]: each["outcome"] for each in map(json.loads, lines)}
        self.assertEqual(outcomes["/count"], "convertible")


if __name__ == "__main__":
    main()
