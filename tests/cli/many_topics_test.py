#!/usr/bin/env python3
"""Tens of thousands of topics: every verb takes time in proportion to their number. Each run may
take many times the processor time that it needs; code that looks at every topic for every topic
needs more by far."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import many_topics  # noqa: E402
import peers  # noqa: E402
from peers import kitbag, program  # noqa: E402

IS_SOAK = os.environ.get("KITBAG_SOAK") == "1"
TOPICS = 60_000 if IS_SOAK else 30_000
CPU_SECONDS = 20 if IS_SOAK else 8  # some eight times what is needed
SECONDS = 600


class ManyTopics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.bag = cls.folder / "in.mcap"
        many_topics.write(cls.bag, TOPICS)

    def run_limited(self, *arguments, cpu=CPU_SECONDS, **more):
        done = subprocess.run(["prlimit", f"--cpu={cpu}", program(), *map(str, arguments)],
                              capture_output=True, text=True, timeout=SECONDS, **more)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr[-500:]}")
        return done.stdout

    def test_each_format_is_written_read_and_told_of(self):
        for name in ("out.bag", "out.mcap", "out.db3", "out/") if IS_SOAK else ("out.db3", "out/"):
            out = f"{self.folder}/{name}"
            with self.subTest(name):
                self.run_limited("convert", self.bag, out)
                info = self.run_limited("info", out)
                self.assertEqual(info.count("/topic/"), TOPICS)
                if not IS_SOAK:
                    continue
                self.run_limited("check", out)
                digest = self.run_limited("cat", out, "--format", "digest")
                self.assertEqual(digest.count("\n"), TOPICS)

    def test_appending(self):
        more = self.folder / "more.mcap"
        # The second half is that of the bag; an MCAP file has no more than 65536 channels.
        many_topics.write(more, 5_000, first=TOPICS - 2_500)
        for name in ("app.bag", "app.mcap", "app.db3", "app/") if IS_SOAK else ("app.bag",):
            out = f"{self.folder}/{name}"
            with self.subTest(name):
                self.run_limited("convert", self.bag, out)
                self.run_limited("convert", more, out, "--append")
                self.run_limited("convert", self.bag, out, "--append")

    def test_through_a_pipe(self):
        out = self.folder / "pipe.mcap"
        with open(self.bag, "rb") as file:
            cat = subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE)
            self.run_limited("convert", "-", out, stdin=cat.stdout)
            cat.stdout.close()
            self.assertEqual(cat.wait(), 0)
        self.assertEqual(kitbag("info", out).count("/topic/"), TOPICS)

    def test_as_many_types(self):
        bag = self.folder / "types.mcap"
        many_topics.write(bag, TOPICS, types=TOPICS)
        for name in ("types_again.mcap", "types.db3"):
            out = f"{self.folder}/{name}"
            with self.subTest(name):
                self.run_limited("convert", bag, out)
                self.run_limited("info", out)

    def test_merging_and_comparing(self):
        others = []
        for number in range(20):
            others.append(self.folder / f"part_{number}.mcap")
            many_topics.write(others[-1], TOPICS // 20, first=TOPICS // 20 * number)
        out = self.folder / "merged.mcap"
        self.run_limited("merge", *others, out)
        renamed = self.folder / "renamed.mcap"
        self.run_limited("convert", out, renamed, "--exclude", "/topic/7", "--rename",
                         "/topic/8:=/topic/eight")
        self.run_limited("diff", "--ignore-time", out, out)


if __name__ == "__main__":
    peers.main()
