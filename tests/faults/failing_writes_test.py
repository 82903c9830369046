#!/usr/bin/env python3
"""Disks that are full or broken: every call that changes a file fails once, and all behind it. One
clear error, no target, or the old one; what a recorder leaves is repaired."""

import errno
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import formats, kitbag, preloaded, program, run  # noqa: E402
from recordings import RECORDER, numbers_in, whole_messages  # noqa: E402

MOST_CALLS = 400


class FailingWrites(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.shim = preloaded("failing_writes", cls.folder)
        cls.source = cls.folder / "source.bag"
        kitbag("convert", "-f", "demo://?seconds=1&seed=7", cls.source)

    def environment(self, at, number):
        return {**os.environ, "LD_PRELOAD": str(self.shim), "KITBAG_FAIL_AT": str(at),
                "KITBAG_FAIL_ERRNO": str(number), "KITBAG_FAIL_UNDER": str(self.place) + "/"}

    def convert(self, target, at, number, *options):
        return subprocess.run([program(), "convert", "-f", self.source, f"{self.place}/{target}",
                               *options], env=self.environment(at, number), capture_output=True,
                              text=True)

    def fail_at_each_call(self, target, number, *options):
        """How many calls there are. Each one failed, and each failure was reported."""
        for at in range(1, MOST_CALLS):
            with tempfile.TemporaryDirectory(dir=self.folder) as place:
                self.place = Path(place)
                done = self.convert(target, at, number, *options)
                if done.returncode == 0:
                    self.assertTrue((self.place / target).exists())
                    return at - 1
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertRegex(done.stderr, rf"\Akitbag: [^\n]*{target}[^\n]*\n\Z")
                why = "no space|is full" if number == errno.ENOSPC else "output error|I/O error"
                self.assertRegex(done.stderr, why)
                # The name is the last step; a disk may fail in syncing that.
                left = sorted(self.place.iterdir())
                if left:
                    self.assertEqual(left, [self.place / target])
                    kitbag("diff", self.source, left[0])
        self.fail(f"{target} has more than {MOST_CALLS} calls")

    def test_a_conversion(self):
        for target in (*(f"out{end}" for end in formats().values()), "old.bag", "folder/"):
            options = ["--chunk-size", "200kB"]
            if target == "old.bag":
                options += ["--format-version", "1.2"]
            for number in (errno.ENOSPC, errno.EIO):
                for io in ("buffered", "direct"):
                    with self.subTest(target, number=number, io=io):
                        calls = self.fail_at_each_call(target, number, "--io", io, *options)
                        self.assertGreaterEqual(calls, 3)

    def test_a_split_appears_as_a_whole_or_not_at_all(self):
        whole = self.lines(self.source)
        for target in ("part.bag", "part.db3", "folder/"):
            for at in range(1, MOST_CALLS):
                with self.subTest(target, at=at), \
                        tempfile.TemporaryDirectory(dir=self.folder) as place:
                    self.place = Path(place)
                    done = self.convert(target, at, errno.ENOSPC, "--split-messages", "150")
                    left = sorted(self.place.iterdir())
                    if left:
                        self.assertEqual(set().union(*map(self.lines, left)), whole)
                    if done.returncode == 0:
                        break
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertRegex(done.stderr, "no space|is full")
                    self.assertNotIn(".part", done.stderr)
            self.assertGreater(at, 3)
            self.assertEqual(done.returncode, 0)

    def test_a_target_that_was_there_stays(self):
        for target in ("out.bag", "out.mcap", "out.db3"):
            with tempfile.TemporaryDirectory(dir=self.folder) as place:
                self.place = Path(place)
                kitbag("filter", "-f", self.source, self.place / target, "--topics", "/odom")
                before = self.lines(self.place / target)
                for at in (1, 2, 3):
                    for append in ([], ["--append"]):
                        done = self.convert(target, at, errno.ENOSPC, *append)
                        self.assertEqual(done.returncode, 2)
                        self.assertEqual(os.listdir(self.place), [target])
                        # What was appended cannot be cut off any more, and may be found; but
                        # all that was there is there.
                        after = self.lines(self.place / target)
                        self.assertEqual(before - after, set())
                        if not append:
                            self.assertEqual(len(after), len(before))
                        before = after

    @staticmethod
    def lines(bag):
        return set(kitbag("cat", bag).splitlines())

    def test_what_a_recorder_leaves_is_repaired(self):
        for io in ("buffered", "direct"):
            for at in (2, 3, 5, 9, 20):
                with self.subTest(io, at=at), \
                        tempfile.TemporaryDirectory(dir=self.folder) as place:
                    self.place = Path(place)
                    bag = self.place / "run.bag"
                    done = subprocess.run([RECORDER, bag, "none", io], timeout=60,
                                          env=self.environment(at, errno.ENOSPC),
                                          capture_output=True, text=True)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertRegex(done.stderr, r"\A[^\n]*run\.bag[^\n]*space[^\n]*\n\Z")
                    there = whole_messages(bag.read_bytes())
                    saved = self.place / "saved.bag"
                    kitbag("repair", "-f", bag, saved, code=None)
                    found = set(numbers_in(saved)) if saved.exists() else set()
                    self.assertEqual(found, there)


if __name__ == "__main__":
    peers.main()
