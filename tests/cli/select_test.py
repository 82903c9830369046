#!/usr/bin/env python3
"""The options that select mean the same on every verb that has them."""

from pathlib import Path

from cli import SELECTIONS, WRITING_VERBS, CliTest, main


def selections():
    for cases in SELECTIONS.values():
        yield from ((options, count) for options, count in cases if count is not None)


class SelectTest(CliTest):
    def test_cat(self):
        for options, count in selections():
            self.assertEqual(len(self.messages(self.bag, *options)), count, options)

    def test_convert(self):
        for options, count in selections():
            line = self.kitbag("convert", self.bag, "out.bag", "-f", *options)
            self.assertRegex(line, rf"\Aout\.bag: {count} messages?, ", options)
            self.assertEqual(self.info("out.bag")["messages"], count, options)

    def test_diff(self):
        """What a selection keeps is the same as the bag under that selection."""
        for options, _ in selections():
            self.kitbag("convert", self.bag, "out.bag", "-f", *options)
            self.kitbag("diff", self.bag, "out.bag", *options)

    def test_presets_select_as_convert_does(self):
        needed = {"split": ["--split-messages", "1000"]}
        for verb in WRITING_VERBS[1:]:
            if verb == "encrypt":
                continue  # needs gpg: encryption_test.py
            out = "out_0.bag" if verb == "split" else "out.bag"
            self.kitbag(verb, self.bag, "-o", "out.bag", "-f", "--topics", "/tick", "--start",
                        "+1s", *needed.get(verb, []))
            self.assertEqual(self.info(out)["messages"], 67, verb)

    def test_arguments_may_stand_before_behind_and_between_options(self):
        expected = self.digest(self.bag, "--topics", "/tick", "/count")
        for arguments in (["--topics", "/tick", "/count", "--", self.bag],
                          ["--topics", "/tick", "/count", self.bag],
                          ["--topics", "/tick", "--topics", "/count", "--strict", self.bag]):
            self.assertEqual(self.digest(*arguments), expected, arguments)
        for arguments in ([self.bag, "--topics", "/tick", "/count", "--", "out.bag"],
                          [self.bag, "--topics", "/tick", "/count", "out.bag"],
                          ["--topics", "/tick", "/count", self.bag, "out.bag"],
                          [self.bag, "out.bag", "--topics", "/tick", "/count"]):
            self.kitbag("convert", "--force", *arguments)
            self.assertEqual(self.digest("out.bag"), expected, arguments)

    def test_a_bag_may_be_called_like_a_verb(self):
        self.kitbag("convert", self.bag, "sort", "--format", "rosbag")
        self.kitbag("diff", "sort", self.bag)
        self.assertEqual(len(self.messages("sort")), 300)

    def test_relative_times_stand_on_the_times_that_are_asked_for(self):
        Path(self.path("x.csv")).write_text(
            "log_time_ns,publish_time_ns,topic,data\n" +
            "".join(f"{90 + i}000000000,{i}000000000,/a,{i}\n" for i in (3, 1, 2)))
        self.kitbag("import", "x.csv", "-o", "x.mcap", "--type", "std_msgs/Int8")
        for options, wanted in ((["--start", "+1s"], [2, 3]), (["--end", "-1s"], [1]),
                                (["--duration", "1500ms"], [1, 2]),
                                (["--start", "2", "--duration", "1s"], [2])):
            got = self.messages("x.mcap", "--by", "publish_time", *options)
            self.assertEqual([row["data"]["data"] for row in got], wanted, options)
        done = self.run_program("cat", "x.mcap", "--by", "publish_time", "--start", "+1h")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("no messages in this range; the bag is 2s long, from 1970-01-01T00:00:01.",
                      done.stderr)

    def test_reverse_time_is_the_exact_reverse(self):
        forward = self.messages(self.bag, self.bag)
        backward = self.messages(self.bag, self.bag, "--order", "reverse_time")
        self.assertEqual(backward, forward[::-1])

    def test_file_order_takes_one_bag_after_the_other(self):
        once = self.messages(self.bag)
        twice = [{"file": self.bag, **message} for message in once + once]
        self.assertEqual(self.messages(self.bag, self.bag, "--order", "file"), twice)

    def test_count_is_of_all_bags_together(self):
        self.assertEqual(len(self.messages(self.bag, self.bag, "--count", "101")), 101)
        line = self.kitbag("merge", self.bag, self.bag, "out.bag", "--count", "101")
        self.assertIn("101 messages", line)

    def test_relative_times_stand_on_all_bags(self):
        self.kitbag("cut", self.bag, "late.bag", "--start", "+2s")
        both = self.messages("late.bag", self.bag, "--start", "+2s")
        self.assertEqual(len(both), 200)  # 2 s from the start of run.bag, in both


if __name__ == "__main__":
    main()
