#!/usr/bin/env python3
"""Completion: what the program offers, and what real shells make of it when Tab is pressed."""

import fcntl
import os
import pty
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import ROOT, kitbag, main, need, program  # noqa: E402

SCRIPTS = ROOT / "share" / "completions"
PATIENCE_S = 60
ROWS, COLUMNS = 50, 500  # no line is broken
PROMPT = "READY>"
STARTS = {
    "bash": (["bash", "--norc", "-i"], ". /usr/share/bash-completion/bash_completion; "
             f". {SCRIPTS}/kitbag.bash"),
    "zsh": (["zsh", "-f", "-i"], f"fpath=({SCRIPTS} $fpath); autoload -U compinit; compinit -u -D"),
}


class Terminal:
    """A shell that a person types into."""

    def __init__(self, shell, folder):
        command, begin = STARTS[shell]
        environment = {"PS1": PROMPT, "TERM": "dumb", "HOME": str(folder), "HISTFILE": "/dev/null",
                       "PATH": f"{Path(program()).parent}:{os.environ['PATH']}"}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.shown = ""
        self.wait(PROMPT)
        self.type(begin + "; echo BE''GUN\n")
        self.wait("BEGUN")
        self.wait(PROMPT)

    def type(self, text):
        self.shown = ""
        os.write(self.terminal, text.encode())

    def wait(self, text):
        until = time.monotonic() + PATIENCE_S
        while text not in self.shown:
            ready, _, _ = select.select([self.terminal], [], [], until - time.monotonic())
            if not ready:
                raise AssertionError(f"{text!r} is not in {self.shown!r}")
            self.shown += os.read(self.terminal, 65536).decode(errors="replace")

    def end(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.terminal)


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        kitbag("convert", "demo://?seconds=1&seed=3", cls.folder / "run.bag")

    def complete(self, *words):
        """(whether files fit, {word: meaning})."""
        first, *lines = kitbag("--complete", *words, cwd=self.folder).splitlines()
        self.assertIn(first, ("files", "words"))
        return first == "files", dict(line.split("\t") for line in lines)

    # --- what the program offers ---

    def test_verbs(self):
        for words in ((), ("",)):
            has_files, verbs = self.complete(*words)
            self.assertFalse(has_files)
            for line in kitbag("--help").splitlines():
                if line.startswith("  ") and not line.startswith("  kitbag"):
                    self.assertEqual(verbs.pop(line[2:14].strip()), line[14:].strip())
            self.assertEqual(verbs, {"help": "Explain a verb"})
        self.assertEqual(list(self.complete("dec")[1]), ["decompress", "decrypt"])
        self.assertEqual(list(self.complete("help", "dec")[1]), ["decompress", "decrypt"])
        self.assertEqual(list(self.complete("--he")[1]), ["--help", "--help-all"])

    def test_options_are_those_of_the_help(self):
        for verb in set(self.complete("")[1]) - {"help"}:
            _, options = self.complete(verb, "-")
            shown = {name for line in kitbag(verb, "--help-all").splitlines()
                     if line.startswith("  -") for name in line.split()[0].split(",")}
            self.assertEqual(set(options), shown, verb)

    def test_values(self):
        self.assertEqual(set(self.complete("convert", "--compression", "")[1]),
                         {"none", "lz4", "bz2", "zstd", "zstd_file"})
        self.assertEqual(set(self.complete("convert", "--sync", "")[1]),
                         {"none", "interval=", "chunk"})
        self.assertIn("mcap", self.complete("convert", "--format", "m")[1])
        self.assertIn("ros2://", self.complete("record", "--from", "r")[1])
        self.assertEqual(set(self.complete("list", "run.bag", "")[1]),
                         {"topics", "schemas", "chunks", "attachments", "metadata", "formats",
                          "encodings"})
        self.assertEqual(self.complete("convert", "--threads", ""), (False, {}))
        formats = set(self.complete("export", "run.bag", "--format", "")[1])
        self.assertLessEqual({"parquet", "csv", "images", "gpx"}, formats)
        self.assertNotIn("rosbag", formats)
        self.assertEqual(set(self.complete("catalog", "s")[1]), {"scan", "set"})
        self.assertEqual(set(self.complete("batch", "c")[1]), {"convert", "check"})

    def test_files(self):
        for words in (("info", ""), ("info", "a.bag", ""), ("convert", "a.bag", ""),
                      ("sql", "SELECT 1", ""), ("cat", "--strict", ""), ("record", "-o", "")):
            self.assertTrue(self.complete(*words)[0], words)
        for words in (("cat", "--count", ""), ("nth", "run.bag", ""), ("no-verb", "")):
            self.assertFalse(self.complete(*words)[0], words)

    def test_topics_and_types_of_the_bags_on_the_line(self):
        self.assertEqual(self.complete("cat", "run.bag", "--topics", "/od"),
                         (False, {"/odom": "nav_msgs/Odometry"}))
        self.assertEqual(self.complete("cat", "run.bag", "--topics=/od")[1],
                         {"--topics=/odom": "nav_msgs/Odometry"})
        self.assertIn("/tf", self.complete("cat", "run.bag", "--topics", "/odom", "/")[1])
        self.assertIn("/odom:=", self.complete("convert", "run.bag", "--rename", "/o")[1])
        self.assertIn("nav_msgs/Odometry", self.complete("types", "run.bag", "nav")[1])
        self.assertIn("/odom", self.complete("nth", "run.bag", "/o")[1])
        self.assertEqual(self.complete("cat", "no.bag", "--topics", "/"), (False, {}))

    def test_fields(self):
        def fields(prefix, *options):
            return set(self.complete("cat", "run.bag", *options, "--fields", prefix)[1])
        self.assertEqual(fields("", "--topics", "/odom"),
                         {"header.", "child_frame_id", "pose.", "twist."})
        self.assertEqual(fields("pose.pose.", "--topics", "/odom"),
                         {"pose.pose.position.", "pose.pose.orientation."})
        self.assertIn("ranges", fields(""))
        self.assertEqual(set(self.complete("cat", "run.bag", "--where", "angle_m")[1]),
                         {"angle_min", "angle_max"})

    def test_fields_of_topics(self):
        self.assertEqual(self.complete("plot", "run.bag", "/od"),
                         (True, {"/odom.": "nav_msgs/Odometry"}))
        self.assertEqual(set(self.complete("plot", "run.bag", "/odom.pose.pose.")[1]),
                         {"/odom.pose.pose.position.", "/odom.pose.pose.orientation."})
        self.assertIn("/odom.pose.pose.position.x",
                      self.complete("plot", "run.bag", "--against", "/odom.pose.pose.position.")[1])

    def test_names_that_a_shell_would_run_are_left_out(self):
        bag = self.folder / "hostile.bag"
        kitbag("convert", self.folder / "run.bag", bag, "--rename", "/odom:=/o$(touch${IFS}x)",
               "/tf:=/ok")
        self.assertEqual(set(self.complete("cat", bag, "--topics", "/o")[1]), {"/ok"})

    def test_a_bag_without_an_index_is_not_read(self):
        whole = (self.folder / "run.bag").read_bytes()
        cut = self.folder / "cut.bag"
        cut.write_bytes(whole[:len(whole) * 2 // 3])
        self.assertEqual(self.complete("cat", cut, "--topics", ""), (False, {}))

    # --- shells ---

    def check_shell(self, shell):
        need(shutil.which(shell), f"{shell} is not installed")
        for typed, completed in (("kitbag inf", "kitbag info "),
                                 ("kitbag info run.b", "kitbag info run.bag "),
                                 ("kitbag cat run.bag --topics /od", "--topics /odom "),
                                 ("kitbag cat run.bag --topics=/od", "--topics=/odom "),
                                 ("kitbag play run.bag --to ros1:", "--to ros1://"),
                                 ("kitbag cat run.bag --topics /odom --fields pose.p",
                                  "--fields pose.pose."),
                                 ("kitbag convert --compression l", "--compression lz4 ")):
            with self.subTest(typed):
                terminal = Terminal(shell, self.folder)
                self.addCleanup(terminal.end)
                terminal.type(typed + "\t")
                terminal.wait(completed)

    def test_bash(self):
        self.check_shell("bash")

    def test_zsh(self):
        self.check_shell("zsh")

    def test_fish(self):
        need(shutil.which("fish"), "fish is not installed")

        def completed(line):
            done = subprocess.run(
                ["fish", "-N", "-c", f"source {SCRIPTS}/kitbag.fish; complete -C '{line}'"],
                cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE_S, check=True,
                env={**os.environ, "HOME": str(self.folder),
                     "PATH": f"{Path(program()).parent}:{os.environ['PATH']}"})
            self.assertEqual(done.stderr, "")
            return [row.split("\t")[0] for row in done.stdout.splitlines()]
        self.assertEqual(completed("kitbag inf"), ["info"])
        self.assertEqual(completed("kitbag info run.b"), ["run.bag"])
        self.assertEqual(completed("kitbag cat run.bag --topics /od"), ["/odom"])
        self.assertEqual(completed("kitbag cat run.bag --topics=/od"), ["--topics=/odom"])


if __name__ == "__main__":
    main()
