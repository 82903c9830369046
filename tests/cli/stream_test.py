#!/usr/bin/env python3
"""Every option of every verb that reads, on a bag that comes through a pipe: what comes out is what
comes of the file, or the option is refused. None is ignored. KITBAG_SOAK=1 tries more values."""

import os
import re
import subprocess
from pathlib import Path

from cli import START_NS, CliTest, main
from make_bag import make_bag
from peers import program

# Options with values to try, where they are not in OPTIONS_OF.
VALUES = {
    "--topics": [["/count"], ["/c*", "/tick"], ["/nowhere"]],
    "--regex": [["/c.*"], ["/(tick|count)"], ["/c"]],
    "--exclude": [["/c*"], ["/nowhere"], ["*"]],
    "--exclude-regex": [["/t.*"]],
    "--services": [["/add"], ["/add", "--topics", "/tick"]],
    "--exclude-services": [["/add"]],
    "--actions": [["/dock"]],
    "--exclude-actions": [["/dock", "--topics", "/tick"]],
    "--types": [["std_msgs/Int32"], ["std_msgs/[ES]*"], ["pkg/None"]],
    "--start": [["+1s"], ["-500ms"], ["1700000001.5"], ["+1h"]],
    "--end": [["+1s"], ["-1s"], ["1700000001.5"]],
    "--duration": [["500ms"]],
    "--latched": [["--start", "+1s"], ["--start", "1700000001"], ["--start", "+1h"],
                  ["--start", "+1s", "--exclude", "/chatter"], ["--start", "+1s", "--count", "3"],
                  ["--start", "+1s", "--order", "reverse_time"]],
    "--count": [["7"], ["0"], ["1000"], ["7", "--topics", "/tick"]],
    "--number": [["1"], ["2"]],
    "--order": [["time"], ["reverse_time"], ["file"]],
    "--by": [["log_time"], ["publish_time"]],
    "--where": [["data == 4"], ["data > 4", "--count", "2"]],
    "--rename": [["/tick:=/tock"], ["/nowhere:=/tock"], ["/t*:=/old/t*"]],
    "--prefix": [["/old"]],
    "--format": [["yaml"], ["raw"], ["csv", "--topics", "/count"]],
    "--fields": [["data", "--topics", "/count"]],
    "--nan": [["string"]],
    "--int64": [["string"]],
    "--bytes": [["array"]],
    "--on-error": [["skip"], ["raw"]],
    "--encoding": [["cdr"], ["json"]],
    "--definitions": [["."]],
    "--strict": [[]],
    "--cache-memory": [["8MB"]],
    "--cache-dir": [["cache"]],
    "--cache-disk": [["1GB", "--cache-dir", "cache"]],
    "--storage-format": [["mcap"], ["rosbag"]],
    "--ignore-crc": [[]],
    "--read-threads": [["1"]],
    "--gpg-key": [["*"]],
    "--allow-outside": [[]],
    "--max-memory": [["64MiB"], ["1KiB"]],
    "--escape-formulas": [["--format", "csv", "--topics", "/chatter"]],
    "--time-format": [["iso", "--format", "csv", "--topics", "/count"]],
    "--color": [["always"]],
    "--elide": [["2"]],
    "--full": [[]], "--once": [[]],
    "--json": [[]],
    "--yaml": [[]],
    "--key": [["messages", "--yaml"]],
    "--no-metadata": [[]],
    "--no-attachments": [[]],
    "--ignore-time": [[]],
    "--gap": [["9ms"]],
    "--every": [["3"], ["/tick=2"], ["/nowhere=2"]],
    "--throttle": [["/tick=5"], ["/nowhere=5"]],
    "--dedupe": [[]],
    "--shift": [["-5s"], ["5s", "--count", "3"]],
    "--align-to-header": [[]], "--encode-video": [["*=h264"]],
    "--no-key-frames": [["--start", "+1s"]],
    "--language": [["ros2msg"]],
    "--output": [["got"]],
}
# What other tests try, or is about the target alone.
NOT_OF_READING = {
    "--help", "--help-all", "--plugin", "--to-definitions", "--migrate", "--append", "--force",
    "--compression", "--chunk-size", "--chunk-duration", "--sync", "--threads", "--io",
    "--format-version", "--metadata-version", "--preset", "--no-chunks", "--no-crc", "--split-size",
    "--split-duration", "--split-messages", "--split-by-topic", "--output-dir", "--recursive",
    "--jobs", "--ros-distro", "--node-name", "--qos-overrides", "--include-hidden-topics"}
VERBS = {
    "cat": ["cat", "IN"], "head": ["head", "IN"], "stats": ["stats", "IN"],
    "echo": ["echo", "IN"], "nth": ["nth", "IN", "/count", "5"],
    "du": ["du", "IN"], "list": ["list", "IN", "topics"],
    "types": ["types", "IN", "std_msgs/Int32"], "get": ["get", "IN", "metadata", "shift"],
    "info": ["info", "IN"], "diff": ["diff", "IN", "same.mcap"],
    "convert": ["convert", "IN", "OUT"]}
SOAK = os.environ.get("KITBAG_SOAK") == "1"
# What a pipe does not tell, or only at its end, which some verbs do not wait for.
KNOWN_OF_FILES = re.compile(
    r"kitbag: warning: no (messages in this range|topic matches --exclude).*\n")
REFUSED = re.compile(r"pipe|standard input|save it to a file")


class StreamTest(CliTest):
    def setUp(self):
        super().setUp()
        make_bag(self.bag, start_ns=START_NS, latching=True)
        self.kitbag("convert", self.bag, "run.mcap", "--chunk-size", "2KiB")
        self.kitbag("add", "run.mcap", "metadata", "shift", "name=Jane")
        Path(self.path("note.txt")).write_text("a note")
        self.kitbag("add", "run.mcap", "attachment", "note.txt", "--time", "1700000001.2")
        Path(self.path("same.mcap")).write_bytes(Path(self.path("run.mcap")).read_bytes())

    def piped(self, *arguments, given="run.mcap"):
        """The finished process; `given` comes through a pipe."""
        with subprocess.Popen(["cat", self.path(given)], stdout=subprocess.PIPE) as feeder:
            done = self.run_program(*arguments, stdin=feeder.stdout, text=False)
            feeder.stdout.close()
        return done

    def outcome(self, done):
        """What is the same where the same was read: the data, but for the name of the input."""
        out = done.stdout.decode(errors="replace").replace("run.mcap", "-")
        text = KNOWN_OF_FILES.sub("", done.stderr.decode(errors="replace").replace("run.mcap", "-"))
        if Path(self.path("out.mcap")).exists():
            out = self.kitbag("cat", "out.mcap", "--order", "file")
            out += self.kitbag("list", "out.mcap", "attachments", "--json")
            Path(self.path("out.mcap")).unlink()
        if Path(self.path("got")).exists():
            out += Path(self.path("got")).read_text()
            Path(self.path("got")).unlink()
        return done.returncode, out, text

    @staticmethod
    def words(verb, bag):
        return [{"IN": bag, "OUT": "out.mcap"}.get(word, word) for word in VERBS[verb]]

    def compare(self, verb, command):
        of_file = self.outcome(
            self.run_program(*self.words(verb, "run.mcap"), *command, text=False))
        code, out, text = self.outcome(self.piped(*self.words(verb, "-"), *command))
        if code == 2 and REFUSED.search(text):
            self.refused.add((verb, *command))
            return
        if verb in ("cat", "head", "stats", "convert", "du", "echo", "diff") and of_file[0] == 2:
            # A topic that is missing is known at the end, when some has been printed.
            self.assertEqual((code, text), (of_file[0], of_file[2]), (verb, command))
            return
        if "1KiB" in command:  # only an index says how many messages are lost
            self.assertEqual((code, out), of_file[:2], (verb, command))
            return
        if verb == "info":  # of a stream it shows what reading finds
            out = of_file[1]
        self.assertEqual((code, out, text), of_file, (verb, command))

    def test_every_option_of_every_verb(self):
        self.refused = set()
        for verb in VERBS:
            given = self.kitbag(verb, "--help-all")
            options = {name for name in re.findall(r"^ +(?:-\w, ?)?(--[a-z0-9-]+)", given, re.M)}
            for option in sorted(options - NOT_OF_READING - {"--verbose"}):
                self.assertIn(option, VALUES, f"{verb}: say what {option} does on a pipe")
                if option == "--format" and verb == "convert":
                    continue
                is_short = not SOAK and verb != "cat"
                for values in VALUES[option][:1] if is_short else VALUES[option]:
                    with self.subTest(verb=verb, option=option, values=values):
                        self.compare(verb, [option, *values])
        expected = {
            ("--start", "-500ms"), ("--end", "-1s"), ("--order", "reverse_time"),
            ("--by", "publish_time"), ("--storage-format", "rosbag"), ("--prefix", "/old"),
            ("--rename", "/t*:=/old/t*")}
        unexpected = {refused for refused in self.refused
                      if refused[1:] not in expected and "reverse_time" not in refused}
        self.assertEqual(unexpected, set())

    def test_a_cut_of_a_stream_is_the_cut_of_the_file(self):
        for options in (["--start", "+1s", "--duration", "1s"],
                        ["--start", "1700000001", "--end", "1700000002"],
                        ["--duration", "700ms"], ["--end", "+1s", "--topics", "/tick"]):
            self.kitbag("cut", "run.mcap", "want.mcap", "--force", *options)
            done = self.piped("cut", "-", "got.mcap", "--force", *options)
            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertEqual(self.digest("got.mcap"), self.digest("want.mcap"))
            self.assertEqual(self.kitbag("list", "got.mcap", "attachments"),
                             self.kitbag("list", "want.mcap", "attachments"))

    def test_a_stream_and_a_file_are_cut_alike(self):
        """Times count from the earliest of both."""
        make_bag(self.path("late.bag"), topics=("/late",), start_ns=START_NS + 500_000_000)
        self.kitbag("convert", "late.bag", "late.mcap")
        for options in (["--start", "+1s"], ["--topics", "/late"], ["--topics", "/tick", "/late"],
                        ["--count", "20", "--exclude", "/count"]):
            want = self.digest("run.mcap", "late.mcap", *options)
            for bags, given in ((("-", "late.mcap"), "run.mcap"), (("run.mcap", "-"), "late.mcap")):
                done = self.piped("cat", *bags, "--format", "digest", *options, given=given)
                self.assertEqual((done.returncode, done.stdout.decode()), (0, want), options)

    def test_a_topic_that_never_came_is_an_error_at_the_end(self):
        for options, told in ((["--topics", "/nowhere"], "no topic matches"),
                              (["--regex", "/c"], "no topic matches the expression"),
                              (["--types", "pkg/None"], "no topic has a type that matches"),
                              (["--rename", "/nowhere:=/x"], "unknown topic")):
            done = self.piped("convert", "-", "out.mcap", *options)
            self.assertEqual(done.returncode, 2)
            there = "std_msgs/String" if "--types" in options else "/chatter"
            self.assertRegex(done.stderr.decode(), rf"\Akitbag: {told} [^\n]*{there}[^\n]*\n\Z")
            self.assertNotIn("out.mcap", self.files())

    def test_nth_counts_forward(self):
        for position in (0, 5, 99):
            want = self.kitbag("nth", "run.mcap", "/count", position)
            self.assertEqual(self.piped("nth", "-", "/count", position).stdout.decode(), want)
        for arguments, told in ((["/count", 100], "fewer messages"), (["/count", -1], "pipe"),
                                (["/nowhere", 0], "unknown topic")):
            done = self.piped("nth", "-", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertIn(told, done.stderr.decode())

    def test_what_a_bag_holds_is_found_in_a_stream(self):
        for arguments in (["list", "IN", "topics"], ["list", "IN", "schemas"],
                          ["list", "IN", "metadata"], ["list", "IN", "attachments", "--json"],
                          ["types", "IN"], ["types", "IN", "std_msgs/String"],
                          ["get", "IN", "attachment", "note.txt"]):
            want = self.kitbag(*[word.replace("IN", "run.mcap") for word in arguments])
            done = self.piped(*[word.replace("IN", "-") for word in arguments])
            self.assertEqual((done.returncode, done.stdout.decode()), (0, want), arguments)

    def test_what_a_stream_cannot_give_is_refused(self):
        for arguments in (["list", "-", "chunks"], ["info", "-", "--verbose"], ["check", "-"],
                          ["repair", "-", "out.mcap"], ["diff", "-", "-"],
                          ["merge", "-", "-", "out.mcap"], ["play", "-", "--loop", "--to",
                                                            "zmq+tcp://127.0.0.1:1"]):
            done = self.piped(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, b""), arguments)
            self.assertRegex(done.stderr.decode(),
                             r"\Akitbag: [^\n]*(pipe|standard input)[^\n]*\n\Z")
        for arguments in (["split", "run.mcap", "-", "--split-messages", "10"],
                          ["convert", "run.mcap", "-", "--append"]):
            self.fails(*arguments, saying="-: standard output cannot be split or appended to")
        self.assertNotIn("out.mcap", self.files())

    def test_a_stream_is_played(self):
        address = f"zmq+ipc://{self.path('socket')}"
        command = [program(), "record", "-a", "--from", f"{address}?bind=1&once=1", "-o",
                   self.path("played.mcap")]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as recorder:
            while not Path(self.path("socket")).exists():
                self.assertIsNone(recorder.poll())
            done = self.piped("play", "-", "--to", address, "--start", "+2s", "--topics", "/tick",
                              "--rate", "100")
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        self.assertEqual(self.info("played.mcap")["messages"], 34)


if __name__ == "__main__":
    main()
