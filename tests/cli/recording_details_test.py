#!/usr/bin/env python3
"""Recordings: what never comes, files of earlier recordings, what the summary counts."""

import json
import os
import subprocess

from cli import CliTest, main
from peers import need, program

DEMO = "demo://?seconds=0.5&seed=7"


class RecordingDetails(CliTest):
    def names(self, start):
        return [name for name in self.files() if name.startswith(start)]

    def test_what_never_comes_is_told_once(self):
        done = self.run_program("record", "/odom", "/nope", "--from", "demo://?seconds=7", "-o",
                                "a.mcap")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Akitbag: warning: no message has come on /nope for 5 s; "
                                      "available topics: /battery, [^\\n]* and 2 more; "
                                      r"kitbag goes on waiting\n\Z")

    def test_what_has_not_come_when_it_ends_is_told(self):
        done = self.run_program("record", "/odom", "/nope", "--from", DEMO, "-o", "a.mcap")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Akitbag: warning: no message came on /nope; available "
                                      r"topics: /battery, [^\n]*\n\Z")
        done = self.run_program("record", "/odomm", "--from", DEMO, "-o", "b.mcap")
        self.assertRegex(done.stderr, r"\Akitbag: warning: no message came on /odomm; similar: "
                                      r"/odom; available topics: [^\n]*\n\Z")

    def test_services_that_never_come_are_called_that(self):
        done = self.run_program("record", "--all-services", "--from", DEMO, "-o", "a.mcap")
        self.assertEqual(done.stderr, "kitbag: warning: no service event came\n")

    def test_without_a_clock_nothing_has_a_time(self):
        done = self.run_program("record", "-a", "--use-sim-time", "--from", DEMO, "-o", "a.mcap")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"warning: \d+ dropped \(.*/imu \d+")
        self.assertRegex(done.stderr, r"warning: nothing was published on /clock, so \d+ messages "
                                      "are left out\n")

    def test_an_excluded_topic_that_does_not_exist_is_told(self):
        done = self.run_program("record", "-a", "--exclude", "/camera/imge", "/imu", "--from", DEMO,
                                "-o", "a.mcap")
        self.assertEqual((done.returncode, done.stderr),
                         (0, 'kitbag: warning: nothing is excluded by "/camera/imge" so far; '
                             "similar: /camera/image\n"))

    def test_a_forgotten_option_makes_no_topic(self):
        for word, saying in (("demo://?seconds=1", "to record from a system, use --from demo://"),
                             ("out.bag", "to write to out.bag, use -o out.bag; a topic of this"),
                             ("run/", "to write to run/, use -o run/")):
            self.fails("record", word, "--from", DEMO, saying=f"record: .* is no topic; {saying}")
        self.assertEqual(self.files(), ["run.bag"])

    def test_a_topic_of_ros_may_be_named_without_its_slash(self):
        self.kitbag("record", "imu", "--topics", "odom", "--from", DEMO, "-o", "a.mcap")
        self.assertEqual({each["topic"] for each in self.messages("a.mcap")},
                         {"/imu", "/odom"})

    def test_what_was_written_is_said_when_a_system_fails(self):
        done = self.run_program("record", "-a", "--from", DEMO, "--from", "ros1://", "-o", "a.mcap",
                                env={**os.environ, "ROS_MASTER_URI": "http://127.0.0.1:9"})
        self.assertEqual(done.returncode, 2)
        need("a.mcap" in self.files(), "ros1:// is not built")
        count = self.info("a.mcap")["messages"]
        self.assertRegex(done.stdout, rf"\Aa\.mcap: {count} messages, ")

    def test_a_topic_to_play_until_is_one_of_the_bag(self):
        self.fails("play", "run.bag", "--to", "zmq+tcp://127.0.0.1:7", "--until-topic", "/tick",
                   "/cont", saying=r"--until-topic: no topic matches .*/cont.*/count")

    def test_numbers_go_on_after_a_restart(self):
        options = ["record", "/odom", "--from", DEMO, "-o", "a.mcap", "--split-messages", "5"]
        self.kitbag(*options, "--max-files", "3")
        self.assertEqual(self.names("a_"), ["a_2.mcap", "a_3.mcap", "a_4.mcap"])
        self.kitbag(*options, "--max-files", "3")
        self.assertEqual(self.names("a_"), ["a_7.mcap", "a_8.mcap", "a_9.mcap"])
        self.kitbag(*options, "--min-free-space", "1kB")
        self.assertIn("a_10.mcap", self.names("a_"))
        self.assertIn("a_7.mcap", self.names("a_"))

    def latched(self, *bags):
        """How many messages there are of /map and of /tf_static."""
        topics = [each["topic"] for each in self.messages(*bags, "--topics", "/map", "/tf_static")]
        return topics.count("/map"), topics.count("/tf_static")

    def test_a_repeat_is_left_out_only_where_an_earlier_bag_has_it(self):
        self.kitbag("record", "-a", "--from", "demo://?seconds=1.5&seed=9", "-o", "m.mcap",
                    "--split-duration", "500ms")
        self.kitbag("convert", "demo://?seconds=1&seed=9", "other.bag", "--topics", "/imu")
        for inputs in (["m_0.mcap", "m_1.mcap", "m_2.mcap"], ["m_0.mcap", "m_2.mcap"],
                       ["m_1.mcap", "m_2.mcap"], ["other.bag", "m_1.mcap"],
                       ["m_2.mcap", "other.bag", "m_1.mcap"]):
            with self.subTest(inputs=inputs):
                self.kitbag("merge", "-f", *inputs, "-o", "merged.mcap")
                self.assertEqual(self.latched("merged.mcap"), (1, 1))
                self.assertEqual(self.latched(*inputs), (1, 1))

    def test_the_state_of_a_directory_whose_first_files_are_gone(self):
        for format_name in ("mcap", "sqlite3"):
            out = f"{format_name}/"
            self.kitbag("record", "-a", "--from", "demo://?seconds=2&seed=9", "-o", out,
                        "--format", format_name, "--split-duration", "500ms", "--max-files", "2")
            self.assertEqual(self.latched(out), (1, 1))
            for start in ("+0.1s", "+0.5s", "+0.8s"):
                with self.subTest(out, start=start):
                    self.kitbag("cut", "-f", out, "cut.mcap", "--start", start, "--latched")
                    self.assertEqual(self.latched("cut.mcap"), (1, 1))

    def test_without_a_limit_nothing_is_joined(self):
        options = ["record", "/odom", "--from", DEMO, "-o", "a.mcap", "--split-messages", "5"]
        self.kitbag(*options)
        self.fails(*options, saying="a_0.mcap: already exists")

    def test_echo_finds_what_is_being_recorded(self):
        recorder = subprocess.Popen(
            [program(), "record", "-a", "--from", "demo://?seconds=4&seed=7", "-o", "live.mcap"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(recorder.wait)
        while not (self.folder / "live.mcap.active").exists():
            self.assertIsNone(recorder.poll())
        done = self.run_program("echo", "live.mcap", "--topics", "/battery", "--count", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stderr.startswith("kitbag: live.mcap.active: following the recording "
                                               "that is to become live.mcap\n"), done.stderr)
        self.assertEqual({json.loads(line)["topic"] for line in done.stdout.splitlines()},
                         {"/battery"})
        recorder.wait()
        done = self.run_program("echo", "live.mcap", "--topics", "/battery", "--count", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_chunks_of_directories_are_counted(self):
        self.kitbag("convert", "run.bag", "dir/", "--chunk-size", "2kB")
        count = len(json.loads(self.kitbag("list", "dir", "chunks", "--json")))
        self.assertGreater(count, 1)
        self.assertIn(f" {count} chunks,", self.kitbag("check", "dir"))


if __name__ == "__main__":
    main()
