#!/usr/bin/env python3
"""What cannot be done: exit code 2 and one line that says why, nothing left behind."""

import json
import os
import resource
import subprocess
from pathlib import Path

from cli import VERBS, CliTest, main
from peers import need, program

NOBODY = 65534


class UsageTest(CliTest):
    def test_verbs_and_options_that_do_not_exist(self):
        self.fails("frobnicate", saying='unknown verb "frobnicate"; see kitbag --help')
        self.fails("--frobnicate", saying="--frobnicate")
        for verb in VERBS:
            second = {"list": "topics", "get": "metadata", "add": "metadata"}.get(verb, self.bag)
            self.fails(verb, self.bag, second, "0", "--frobnicate",
                       saying=f"see kitbag {verb} --help")

    def test_names_that_are_nearly_right_are_answered_with_those_that_exist(self):
        for arguments, saying in (
                (["recrod"], 'unknown verb "recrod"; similar: record.*; see kitbag --help'),
                (["help", "decomp"], 'unknown verb "decomp"; similar: decompress'),
                (["--versoin"], "unknown option --versoin; similar: --version; see kitbag --help"),
                (["cat", self.bag, "--topcs", "/tick"],
                 "unknown option --topcs; similar: --topics.*; see kitbag cat --help"),
                (["cat", self.bag, "-topics=/tick"], "unknown option -topics; similar: --topics"),
                (["record", "--comp", "lz4"], "unknown option --comp; similar: --compression"),
                (["info", self.bag, "--Json"], "unknown option --Json; similar: --json"),
                (["info", self.bag, "-Q"], "unknown option -Q; see kitbag info --help"),
                (["info", self.bag, "--qqqqqq"], "unknown option --qqqqqq; see kitbag info"),
                (["nth", self.bag, "/tick", "0", "more"],
                 'unexpected argument "more"; see kitbag nth')):
            self.fails(*arguments, saying=saying)

    def test_an_unknown_option_comes_before_what_is_missing(self):
        for arguments, saying in (
                (["info", "--topcs"], "kitbag: unknown option --topcs.*; see kitbag info --help"),
                (["cat", "--topcs", "--start"], "kitbag: unknown option --topcs; similar: --top"),
                (["nth", self.bag, "--forma"], "kitbag: unknown option --forma; similar: --format"),
                (["cp", self.bag, "--forc"], "kitbag: unknown option --forc; similar: --force")):
            self.fails(*arguments, saying=saying)

    def test_words_that_say_what_is_missing_say_how_to_write_it(self):
        self.fails("cp", self.bag, saying=r"kitbag: name the target too: kitbag cp SRC\.\.\. DST; "
                                          "see kitbag cp --help")
        for verb in ("cat", "head", "tail", "echo"):
            self.fails(verb, self.bag, "-o", "x.csv", saying=(
                "unknown option -o; redirect the output with >, or use kitbag export; see"))

    def test_missing_arguments(self):
        for verb in set(VERBS) - {"record", "topics", "find", "ls"}:  # which take all
            self.fails(verb, saying=f"see kitbag {verb} --help")
        for verb in ("convert", "merge", "repair"):
            self.fails(verb, self.bag, saying=f"see kitbag {verb} --help")
        self.fails("nth", self.bag, "/tick", saying="N is required")
        self.fails("diff", self.bag, saying="B is required")

    def test_a_library_that_is_missing_keeps_only_those_from_working_who_need_it(self):
        libraries = self.folder / "libraries"
        libraries.mkdir()
        for name in ("libfreetype.so.6", "libcrypto.so.3", "libpng16.so.16"):
            (libraries / name).write_bytes(b"")
        without = {"env": {**os.environ, "LD_LIBRARY_PATH": str(libraries)}}
        self.fails("plot", self.bag, "/count.data", "-o", "plot.png", **without,
                   saying="cannot load a shared library: .*libfreetype.*; install its package")
        self.assertNotIn("plot.png", self.files())
        self.assertEqual(self.run_program("info", self.bag, **without).returncode, 0)

    def test_a_limit_of_the_file_size(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        done = subprocess.run([program(), "convert", self.bag, self.path("large.mcap")],
                              preexec_fn=limit, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "^kitbag: .*large.mcap.*file too large")
        self.assertNotIn("large.mcap", self.files())

    def test_presets_insist_on_what_they_are_about(self):
        self.fails("filter", self.bag, "out.bag", saying="--topics")
        self.fails("cut", self.bag, "out.bag", saying="--start, --end or --duration")
        self.fails("split", self.bag, "out.bag", saying="--split-size")

    def test_values_that_mean_nothing(self):
        for options, saying in (
                (["--start", "yesterday"], '--start: .*"?yesterday'),
                (["--end", ""], "--end"), (["--duration", "-5s"], "--duration"),
                (["--duration", "0s"], "--duration"), (["--order", "random"], "time.reverse_time"),
                (["--by", "clock"], "log_time.publish_time"), (["--count", "-1"], "--count"),
                (["--count", "many"], "--count"), (["--regex", "("], r"\("),
                (["--exclude-regex", "[z"], r"\[z"), (["--start"], "--start"),
                (["--start", "1", "--start", "2"], "--start"),
                (["--start", "+2s", "--end", "+1s"], "the time range is empty"),
                (["--start", "+1s", "--end", "+2s", "--duration", "1s"], "at most two")):
            self.fails("cat", self.bag, *options, saying=saying)
            self.fails("convert", self.bag, "out.bag", *options, saying=saying)
            self.fails("diff", self.bag, self.bag, *options, saying=saying)
        for options, saying in (
                (["--compression", "zip"], '"zip"'), (["--chunk-size", "0"], "--chunk-size"),
                (["--chunk-size", "-1"], "--chunk-size"),
                (["--chunk-size", "1MB,=2MB"], "--chunk-size: the topic is missing"),
                (["--chunk-size", "1MB,/a=much"], "--chunk-size: .*much"),
                (["--chunk-duration", "0s"], "--chunk-duration"),
                (["--sync", "often"], "--sync"), (["--sync", "interval=0s"], "--sync"),
                (["--threads", "-1"], "--threads"),
                (["--threads", "100000"], "--threads"), (["--split-size", "0"], "--split-size"),
                (["--split-duration", "0s"], "--split-duration"),
                (["--split-messages", "none"], "--split-messages")):
            self.fails("convert", self.bag, "out.bag", *options, saying=saying)
        self.fails("cat", self.bag, "--format", "xml", saying="json.yaml.csv.raw.digest")
        self.fails("nth", self.bag, "/tick", "0", "--format", "digest", saying="json.yaml.csv.raw")
        self.fails("nth", self.bag, "/tick", "first", saying="N")
        self.assertEqual(self.files(), ["run.bag"])


    def test_words_in_the_wrong_place_are_answered_with_where_they_belong(self):
        self.kitbag("convert", self.bag, "out.mcap")
        for arguments, saying in (
                (["convert", "run.bag"],
                 "name the output too: kitbag convert run.bag OUT, or -o OUT; see"),
                (["convert", "run.bag", "-o"], "kitbag: -o needs a value; see"),
                (["diff", "run.bag", "out.mcap", "c.bag"],
                 'diff compares two bags; "c.bag" is a third; see kitbag diff --help'),
                (["cat", "--topics", "/tick", "run.bag", "--count", "1"],
                 "BAG is required; run.bag was taken for a value of --topics: put it first, or -- "
                 "before it; see"),
                (["sql", "run.bag", "SELECT 1"],
                 "run.bag is a file; the query comes first: kitbag sql QUERY run.bag"),
                (["sql", "SELECT a.b.c.d FROM tick", "run.bag"], "dots in double quotes"),
                (["cat", "run.bag", "--where", "data = 3"], "equality is =="),
                (["batch", "convert", "--from", ".", "--to", "to", "--format", "mcap"],
                 "unknown option --format; options of convert follow --; see"),
                (["convert", "run.bag", "none.mcap", "--append"],
                 "none.mcap: no such file; leave out --append to create it"),
                (["export", "run.bag", "-o", "count.csv"],
                 "count.csv: would be a folder of parquet files; to write csv files use -o DIR "
                 "--format csv"),
                (["serve", "--port", "99999"], "--port: .*from 0 to 65535"),
                (["serve", "--port", "abc"], '--port: invalid value "abc"'),
                (["serve", "run.bag", "run.bag"], "run.bag: the bag is named twice"),
                (["list", "run.bag"], "name what to list after run.bag: topics, schemas"),
                (["convert", "run.bag", "x.bag", "--encode-video", "/a=h266"],
                 'unknown format "h266"; supported: h264, h265')):
            self.fails(*arguments, saying=saying)
        done = self.run_program("cat", "run.bag", "/tick", "--count", "1")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "kitbag: /tick: no such file; to select a topic: --topics "
                                      "/tick\n")
        self.assertEqual(self.files(), ["out.mcap", "run.bag"])

    def test_options_that_would_do_nothing_are_refused_or_told(self):
        for arguments, saying in (
                (["cat", "run.bag", "--escape-formulas"],
                 "--escape-formulas requires --format csv"),
                (["record", "--upload-rate", "1MB"], "record: --upload-rate requires --upload"),
                (["record", "--robot", "r7"], "record: --robot requires --upload"),
                (["record", "--upload-wait", "1s"], "record: --upload-wait requires --upload"),
                (["convert", "run.bag", "x.bag", "--metadata-version", "5"],
                 "a bag of ROS 1 has no metadata.yaml"),
                (["record", "--from", "demo://", "--node-name", "x"],
                 "kitbag: --node-name: none of the systems is of ROS"),
                (["play", "run.bag", "--to", "zmq+tcp://127.0.0.1:9", "--publish-service-requests"],
                 "kitbag: --publish-service-requests: none of the systems is of ROS")):
            self.fails(*arguments, saying=saying)
        self.assertEqual(self.files(), ["run.bag"])
        done = self.run_program("convert", "run.bag", "x.mcap", "--chunk-size",
                                "/nope=8MB,/tick=1MB")
        self.assertEqual((done.returncode, done.stderr),
                         (0, 'kitbag: warning: no topic matches "/nope" of --chunk-size\n'))


    def test_a_chunk_size_of_a_glob_with_a_set(self):
        done = self.run_program("convert", "run.bag", "x.mcap", "--chunk-size",
                                "1MiB, /cam[1,2]=8MiB,/tick=1MB")
        self.assertEqual((done.returncode, done.stderr),
                         (0, 'kitbag: warning: no topic matches "/cam[1,2]" of --chunk-size\n'))


class SelectionTest(CliTest):
    def test_a_pattern_that_excludes_nothing_is_told(self):
        for option, value, saying in (
                ("--exclude", "/tik", '--exclude "/tik"; similar: /tick; nothing is excluded'),
                ("--exclude-regex", "/t", '--exclude-regex "/t"; similar: /tick; nothing'),
                ("--exclude-services", "/add", '--exclude-services "/add"; nothing'),
                ("--exclude-actions", "/dock", '--exclude-actions "/dock"; nothing')):
            for arguments in (["cat", "run.bag"], ["convert", "-f", "run.bag", "out.bag"],
                              ["du", "run.bag"]):
                done = self.run_program(*arguments, option, value)
                self.assertEqual(done.returncode, 0)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(f"kitbag: warning: no topic matches {saying}", done.stderr)
        self.kitbag("convert", "run.bag", "run.mcap")
        piped = (self.folder / "run.mcap").read_bytes()
        done = self.run_program("cat", "-", "--exclude", "/tik", input=piped, text=False)
        self.assertIn(b'no topic matches --exclude "/tik"', done.stderr)

    def test_a_range_without_messages_is_told(self):
        for options in (["--start", "+20s"], ["--end", "2001-01-01T00:00:00Z"]):
            done = self.run_program("cat", self.bag, *options)
            self.assertEqual((done.returncode, done.stdout), (0, ""))
            self.assertEqual(done.stderr, "kitbag: warning: no messages in this range; the bag is "
                                          "2.99s long, from 2023-11-14T22:13:20.000000000Z to "
                                          "2023-11-14T22:13:22.990000000Z\n")

    def test_a_time_of_1970_was_meant_to_count_from_the_start(self):
        for options in (["--start", "5", "--end", "15"], ["--end", "2"],
                        ["--start", "1970-01-01", "--duration", "2s"]):
            done = self.run_program("cat", self.bag, *options)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, rf"in this range; .*; {options[0]} is a time of 1970 "
                                          rf"here; .* write \+, as in {options[0]} \+5s")

    def test_a_new_name_for_messages_of_two_types_is_told(self):
        done = self.run_program("convert", self.bag, "out.bag", "--rename", "/count:=/tick")
        self.assertEqual((done.returncode, done.stderr),
                         (0, "kitbag: warning: --rename: /tick gets messages of 2 types: "
                             "std_msgs/Empty of /tick, std_msgs/Int32 of /count\n"))
        self.kitbag("convert", self.bag, "one.bag", "--rename", "/count:=/tick", "--topics",
                    "/count")

    def test_a_pattern_that_matches_nothing_is_a_mistake(self):
        for options, saying in (
                (["--topics", "/tick", "/nowhere"],
                 '"/nowhere"; available topics: /chatter, /count, /tick'),
                (["--topics", "/x*"], r'"/x\*"'), (["--regex", "/c"], '"/c"'),
                (["--types", "std_msgs/Float64"], '"std_msgs/Float64"')):
            self.fails("cat", self.bag, *options, saying=saying)
            self.fails("filter", self.bag, "out.bag", *options, saying=saying)
            self.fails("diff", self.bag, self.bag, *options, saying=saying)
        self.assertEqual(self.files(), ["run.bag"])

    def test_a_pattern_that_is_nearly_right_is_answered_with_what_is_there(self):
        for arguments, saying in (
                (["cat", self.bag, "--topics", "/tik"],
                 'no topic matches "/tik"; similar: /tick; available topics: /chatter, '),
                (["cat", self.bag, "--topics", "chatter"], "; similar: /chatter; "),
                (["cat", self.bag, "--types", "std_msgs/Strin"],
                 '"std_msgs/Strin"; similar: std_msgs/String.*; available types: std_msgs/Empty, '),
                (["nth", self.bag, "/Tick", "0"], 'unknown topic "/Tick"; similar: /tick; '),
                (["convert", self.bag, "out.bag", "--rename", "/cont:=/x"],
                 'unknown topic "/cont"; similar: /count'),
                (["sql", "CREATE VIRTUAL TABLE temp.x USING kitbag_unnest('/tik', 'data'); "
                  "SELECT * FROM x", self.bag], "no bag has the topic /tik; similar: /tick")):
            self.fails(*arguments, saying=saying)

    def test_a_bag_taken_for_a_topic_is_explained(self):
        self.kitbag("convert", self.bag, "other.bag")
        self.fails("cat", "--topics", "/tick", "other.bag", self.bag,
                   saying="bags before the options")


class InputTest(CliTest):
    def every_reading_verb(self, bag, saying, code=2):
        for arguments in (["info", bag], ["cat", bag], ["nth", bag, "/tick", "0"],
                          ["diff", bag, self.bag], ["diff", self.bag, bag],
                          ["convert", bag, "out.bag"], ["merge", self.bag, bag, "out.bag"]):
            self.fails(*arguments, saying=saying, code=code)
        self.assertNotIn("out.bag", self.files())

    def test_what_is_not_there(self):
        self.every_reading_verb("nowhere.bag", r"nowhere\.bag: .*no such file")

    def test_what_is_no_bag(self):
        for content, saying in ((b"hello\n" * 2000, r"odd\.bag.*unrecognized format"),
                                (b"#ROSBAG V2.1\n" + bytes(9000), r"odd\.bag.*2\.1"),
                                (b"#ROSBAG V2.0\n", r"odd\.bag at byte 13")):
            Path(self.path("odd.bag")).write_bytes(content)
            self.every_reading_verb("odd.bag", saying)

    def test_an_empty_file_is_a_bag_without_messages(self):
        """A recorder that was killed before it wrote anything leaves one."""
        Path(self.path("empty.bag")).touch()
        for arguments in (["info", "empty.bag"], ["cat", "empty.bag"],
                          ["merge", self.bag, "empty.bag", "out.bag"]):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"\Akitbag: warning: empty\.bag.*empty")
        self.assertEqual(self.info("out.bag")["messages"], self.info(self.bag)["messages"])

    def test_a_folder(self):
        os.mkdir(self.path("folder"))
        self.every_reading_verb("folder", "folder")

    def test_damage_is_a_warning_or_strict_an_error(self):
        cut = self.cut_off("cut.bag")
        for arguments in (["info", cut], ["cat", cut], ["nth", cut, "/tick", "0"],
                          ["convert", cut, "out.bag", "-f"], ["diff", cut, cut]):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 1, arguments)  # messages are lost
            warnings = done.stderr.splitlines()
            self.assertEqual(len(warnings), arguments.count(cut), done.stderr)
            for warning in warnings:
                self.assertRegex(warning, r"\Akitbag: warning: .*cut\.bag at byte \d+: \w")
            self.fails(*arguments, "--strict", saying=r"cut\.bag at byte \d+: \w")
        damaged = json.loads(self.run_program("info", "--json", cut).stdout)
        self.assertIs(damaged["indexed"], False)
        self.assertGreater(self.info("out.bag")["messages"], 100)
        self.kitbag("check", "out.bag")

    def test_no_permission(self):
        other = {"user": NOBODY} if os.geteuid() == 0 else {}
        try:
            subprocess.run([program(), "--version"], check=True, capture_output=True, **other)
        except (OSError, subprocess.CalledProcessError):
            need(False, "nobody but root can run the program here", "other_user")
        self.folder.chmod(0o755)
        Path(self.bag).chmod(0o000)
        for arguments in (["info", self.bag], ["check", self.bag],
                          ["convert", self.bag, "out.bag"]):
            self.fails(*arguments, saying=r"run\.bag: .*[Pp]ermission denied", **other)
        Path(self.bag).chmod(0o644)
        self.folder.chmod(0o555)
        self.fails("convert", self.bag, "out.bag", saying=r"out\.bag: .*[Pp]ermission denied",
                   **other)
        self.assertEqual(self.files(), ["run.bag"])


class OutputTest(CliTest):
    def test_a_full_standard_output(self):
        need(os.path.exists("/dev/full"), "there is no /dev/full", "dev_full")
        for arguments in (["--help"], ["info", self.bag], ["cat", self.bag], ["check", self.bag],
                          ["cat", self.bag, "--format", "raw"], ["diff", self.bag, self.bag],
                          ["nth", self.bag, "/count", "0"], ["convert", self.bag, "out.bag"]):
            with open("/dev/full", "w") as full:
                self.fails(*arguments, stdout=full, saying="standard output.*No space left")

    def test_a_reader_that_has_gone_ends_it_quietly(self):
        bags = [self.bag] * 40
        with subprocess.Popen([program(), "cat", *bags], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(process.returncode, -13)  # SIGPIPE, as any filter


if __name__ == "__main__":
    main()
