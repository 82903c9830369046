#!/usr/bin/env python3
"""`kitbag echo`: a bag is printed while it is written."""

import os
import select
import signal
import subprocess
from pathlib import Path

from cli import CliTest, main
from peers import program


class EchoTest(CliTest):
    def start(self, *arguments):
        """The program at work on a bag of which the first half is there."""
        process = self.start_quietly(*arguments)
        self.assertTrue(select.select([process.stdout], [], [], 20)[0], "nothing is printed")
        return process

    def start_quietly(self, *arguments):
        """The same, where nothing may be printed."""
        self.whole = Path(self.bag).read_bytes()
        self.growing = Path(self.path("growing.bag"))
        self.growing.write_bytes(self.whole[:len(self.whole) // 2])
        process = subprocess.Popen([program(), "echo", "growing.bag", *arguments],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def test_it_follows_until_the_bag_is_complete(self):
        process = self.start("--topics", "/count", "--start", "+0s")
        printed = os.read(process.stdout.fileno(), 1 << 20)
        with self.growing.open("ab") as file:
            file.write(self.whole[self.growing.stat().st_size:][:2000])
        self.assertIsNone(process.poll())
        with self.growing.open("r+b") as file:  # its header names the index, which is there
            file.write(self.whole)
        printed += process.stdout.read()
        self.assertEqual(process.wait(20), 0)
        self.assertEqual(process.stderr.read(), b"", "it was cut off only while it grew")
        self.assertEqual(printed.decode(), self.kitbag("cat", self.bag, "--topics", "/count",
                                                       "--order", "file"))

    def test_a_whole_bag_is_printed_once(self):
        self.assertEqual(self.kitbag("echo", self.bag),
                         self.kitbag("cat", self.bag, "--order", "file"))

    def test_what_is_selected(self):
        for options in (["--topics", "/tick"], ["--regex", "/c.*"], ["--exclude", "/c*"],
                        ["--exclude-regex", "/t.*"], ["--types", "std_msgs/Int32"],
                        ["--start", "+1s"], ["--count", "7"], ["--where", "data > 50"],
                        ["--where", "data > 50", "--count", "3"],
                        ["--topics", "/count", "--fields", "data"], ["--format", "yaml"],
                        ["--strict"]):
            self.assertEqual(self.kitbag("echo", self.bag, *options),
                             self.kitbag("cat", self.bag, "--order", "file", *options), options)

    def test_fields_that_no_topic_has(self):
        self.fails("echo", self.bag, "--topics", "/count", "--fields", "nope",
                   saying="--fields: .*nope")
        with Path(self.bag).open("rb") as pipe:
            done = subprocess.run([program(), "echo", "-", "--fields", "nope"], stdin=pipe,
                                  capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_fields_that_no_named_topic_has_end_it_at_once(self):
        process = self.start_quietly("--topics", "/count", "--fields", "nope", "--start", "+0s")
        self.assertEqual(process.wait(20), 2)
        self.assertRegex(process.stderr.read(), rb"\Akitbag: .*--fields: .*nope")
        self.assertEqual(process.stdout.read(), b"")

    def test_fields_that_another_topic_may_have(self):
        process = self.start_quietly("--fields", "nope", "--start", "+0s")
        self.assertTrue(select.select([process.stderr], [], [], 20)[0], "nothing is said")
        self.assertRegex(process.stderr.readline(), rb"\Akitbag: warning: .*nope.*waiting for")
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 2)
        self.assertRegex(process.stderr.read(), rb"kitbag: .*--fields: .*nope")

    def test_an_interrupt_is_how_it_ends(self):
        process = self.start("--count", "1000")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 0)

    def test_no_bag(self):
        self.fails("echo", "nowhere.bag", saying="nowhere.bag: no such file")

    def test_a_recording_that_is_not_complete(self):
        (self.folder / "now.bag.active").write_bytes((self.folder / self.bag).read_bytes())
        for verb in "info", "check":
            self.fails(verb, "now.bag", saying=r'now\.bag: no such file, but .* "\.active"')
        done = self.run_program("echo", "now.bag")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 300))
        self.assertRegex(done.stderr, r"\Akitbag: now\.bag\.active: following .*\n\Z")


if __name__ == "__main__":
    main()
