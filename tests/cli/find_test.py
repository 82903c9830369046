#!/usr/bin/env python3
"""kitbag find: which bags, and which moments."""

import json

from cli import START_NS, BagFile, CliTest, main, u32

STEP_NS = 10**9


class FindTest(CliTest):
    def setUp(self):
        super().setUp()  # run.bag: 2.99 s from START_NS on
        (self.folder / "in/deep").mkdir(parents=True)
        self.numbers("in/low.bag", START_NS + 100 * STEP_NS, [1, 2, 3])
        self.numbers("in/deep/high.bag", START_NS + 200 * STEP_NS, [1, 7, 8, 2, 9])

    def numbers(self, name, start_ns, values):
        bag = BagFile(self.path(name))
        number = bag.connection("/number", "std_msgs/Int32", definition="int32 data\n")
        bag.add_chunk([(number, start_ns + i * STEP_NS, u32(value))
                       for i, value in enumerate(values)])
        bag.close()

    def found(self, *arguments, **more):
        lines = self.kitbag("find", *arguments, "--json", **more).splitlines()
        return [json.loads(line) for line in lines]

    def files_found(self, *arguments):
        return [each["file"] for each in self.found(*arguments)]

    def test_which_bags(self):
        self.assertEqual(self.files_found(),
                         ["./in/deep/high.bag", "./in/low.bag", "./run.bag"])
        both = ["in/deep/high.bag", "in/low.bag"]
        self.assertEqual(self.files_found("in"), both)
        self.assertEqual(self.files_found("in", "run.bag"), [*both, "run.bag"])
        self.assertEqual(self.files_found("in", "run.bag", "--topic", "/number"), both)
        self.assertEqual(self.files_found("run.bag", "in", "--topics", "/tick", "/c*"), ["run.bag"])
        self.assertEqual(self.files_found("run.bag", "in", "--topics", "/tick", "/number"), [])
        self.assertEqual(self.files_found("run.bag", "in", "--type", "std_msgs/Empty"), ["run.bag"])
        self.assertEqual(self.files_found("in", "run.bag", "--longer-than", "3s"), both[:1])
        self.assertEqual(self.files_found("in", "run.bag", "--between", "2023-11-14T22:13:00Z",
                                          "2023-11-14T22:14:00Z"), ["run.bag"])
        (low,) = self.found("in/low.bag")
        self.assertEqual(low, {"file": "in/low.bag", "start_ns": START_NS + 100 * STEP_NS,
                               "end_ns": START_NS + 102 * STEP_NS, "messages": 3})

    def test_names_are_divided_by_commas(self):
        for option, names in (("--topics", "/tick,/count"), ("--topics", "/[c,t]*"),
                              ("--types", "std_msgs/Empty,std_msgs/S*")):
            self.assertEqual(self.files_found("run.bag", "in", option, names), ["run.bag"])
        self.assertEqual(self.files_found("run.bag", "in", "--topics", "/tick,/number"), [])

    def test_what_nothing_meets_is_told(self):
        for arguments, saying in ((["--where", "data == 1000"], "no message meets the condition"),
                                  (["--longer-than", "1d"], "no bag matches")):
            done = self.run_program("find", "in", "run.bag", *arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (0, "", f"kitbag: {saying}\n"))
            self.assertEqual(self.found("in", "run.bag", *arguments), [])  # JSON says nothing
        self.kitbag("catalog", "init", "fleet.db")
        self.kitbag("catalog", "add", "fleet.db", "run.bag")
        done = self.run_program("find", "--catalog", "fleet.db", "--longer-than", "1d")
        self.assertEqual((done.returncode, done.stderr), (0, "kitbag: no bag matches\n"))
        done = self.run_program("find", "--catalog", "fleet.db", "--where", "data == 1000")
        self.assertIn("kitbag: no message meets the condition\n", done.stderr)

    def test_which_moments(self):
        moments = self.found("in", "--where", "data > 5")
        start = START_NS + 200 * STEP_NS
        self.assertEqual(moments, [
            {"file": "in/deep/high.bag", "topic": "/number", "start_ns": start + STEP_NS,
             "end_ns": start + 2 * STEP_NS, "messages": 2, "value": {"data": 7}},
            {"file": "in/deep/high.bag", "topic": "/number", "start_ns": start + 4 * STEP_NS,
             "end_ns": start + 4 * STEP_NS, "messages": 1, "value": {"data": 9}}])
        later = self.found("in", "--where", "data > 5", "--between",
                           f"{(start + 3 * STEP_NS) // 10**9}", f"{(start + 9 * STEP_NS) // 10**9}")
        self.assertEqual(later, moments[1:])

    def test_for_people(self):
        self.assertEqual(self.kitbag("find", "in/low.bag"),
                         "in/low.bag: 2023-11-14T22:15:00.000000000Z, 2s, 3 messages\n")
        self.assertEqual(self.kitbag("find", "in", "--where", "data == 8"),
                         "in/deep/high.bag: 2023-11-14T22:16:42.000000000Z /number {\"data\":8}; "
                         "1 message, 0s\n")

    def test_a_bad_bag_does_not_stop_it(self):
        whole = (self.folder / "run.bag").read_bytes()
        (self.folder / "in/cut.bag").write_bytes(whole[:len(whole) * 6 // 10])
        done = self.run_program("find", "in", "--topics", "/number")
        self.assertEqual((done.returncode, done.stdout.count("\n")), (0, 2))
        done = self.run_program("find", "in", "nowhere.bag", "--topics", "/number")
        self.assertEqual((done.returncode, done.stdout.count("\n")), (2, 2))
        self.assertRegex(done.stderr, r"\Akitbag: nowhere\.bag: .*no such file[^\n]*\n\Z")

    def test_a_catalog_among_the_bags_is_none_of_them(self):
        self.kitbag("catalog", "init", "in/fleet.db")
        for arguments in (["find", "in"], ["info", "-r", "in"], ["check", "-r", "in"]):
            self.assertNotIn("fleet", self.kitbag(*arguments))
        self.fails("info", "in/fleet.db", saying="fleet.db: unrecognized format; supported")
        self.kitbag("convert", "run.bag", "bag.db3")
        (self.folder / "bag.db3").rename(self.folder / "in/renamed.sqlite")
        self.assertIn("renamed.sqlite", self.kitbag("find", "in"))

    def test_what_is_nowhere(self):
        self.fails("find", "in", "--where", "dat == 8", saying="has no field dat .*; similar: data")
        self.fails("find", "in", "--where", "data > 'a'", saying="cannot be compared")
        done = self.run_program("find", "in", "--topics", "/nmber")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(done.stderr, 'kitbag: no bag has a topic that matches "/nmber"; '
                                      "similar: /number\n")
        done = self.run_program("find", "--topics", "/number", "in")
        self.assertIn('matches "in"; put bags and folders before the options\n', done.stderr)
        done = self.run_program("find", "in", "--types", "std_msgs/Int3")
        self.assertRegex(done.stderr, r"no bag has a type .*; similar: std_msgs/Int32\n\Z")

    def test_mistakes(self):
        self.fails("find", "in", "--where", "data >", saying="data >|expected|ends")
        self.fails("find", "in", "--between", "2", "1", saying="--between: the time range")
        self.fails("find", "in", "--between", "+1s", "+2s", saying="absolute")
        self.fails("find", "in", "--longer-than", "0s", saying="--longer-than")
        (self.folder / "empty").mkdir()
        self.fails("find", "empty", saying="no bags in this folder")


if __name__ == "__main__":
    main()
