#!/usr/bin/env python3
"""Two writers of one bag at once: both results are whole and nothing is lost, or one is refused
with exit 2 and a sentence, and has changed nothing. KITBAG_SOAK=1 races 50 times a format."""

import fcntl
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, program  # noqa: E402

RACES = 50 if os.environ.get("KITBAG_SOAK") == "1" else 3
BAGS = ["run.bag", "run.mcap", "run.db3", "run_mcap/", "run_sqlite3/"]
BUSY = "is being written by another program; try again when it has finished"
F_OFD_SETLK = 37  # Python 3.11 has no name for it
LOCK_BYTE = (1 << 63) - 2
PATIENCE_S = 60


def lines(bag):
    return Counter(kitbag("cat", bag).splitlines())


def size(folder):
    """Of all files in it; some may go meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue
    return total


def start(*arguments, **more):
    return subprocess.Popen([program(), *map(str, arguments)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **more)


def is_locked(path):
    """Whether another process has locked it, by the system's own list."""
    inode = f":{path.stat().st_ino} "
    return any(inode in line for line in Path("/proc/locks").read_text().splitlines())


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it has not happened")
        time.sleep(0.01)


class RacingWriters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.sources, cls.messages = {}, {}
        for seed in (7, 8, 9):
            cls.sources[seed] = cls.folder / f"source{seed}.mcap"
            kitbag("convert", f"demo://?seconds=2&seed={seed}", cls.sources[seed])
            cls.messages[seed] = lines(cls.sources[seed])

    def place(self):
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def make(self, name, seed=7):
        bag = f"{self.place()}/{name}"
        kitbag("convert", self.sources[seed], bag, *self.storage(name))
        return bag

    @staticmethod
    def storage(name):
        return ["--format", name[4:-1]] if name.endswith("/") else []

    def race(self, *commands):
        """What each has done: True, or refused."""
        programs = [start(*command) for command in commands]
        done = []
        for one in programs:
            _, told = one.communicate(timeout=PATIENCE_S)
            if one.returncode != 0:
                self.assertEqual(one.returncode, 2, told)
                self.assertRegex(told, r"\Akitbag: [^\n]*(another program|already exists)"
                                       r"[^\n]*\n\Z")
            done.append(one.returncode == 0)
        return done

    def check(self, bag):
        """Sound, but for the order in time, which is the order in which they came."""
        told = kitbag("check", bag, code=None).splitlines()[:-1]
        self.assertEqual([line for line in told if " after later ones" not in line], [])

    def expect(self, bag, *allowed):
        self.check(bag)
        found = lines(bag)
        sums = [sum((self.messages[seed] for seed in seeds), Counter()) for seeds in allowed]
        self.assertTrue(any(found == one for one in sums),
                        f"{sum(found.values())} messages of {[sum(s.values()) for s in sums]}")

    def test_two_appends(self):
        for name in BAGS:
            for i in range(RACES):
                with self.subTest(name, race=i):
                    bag = self.make(name)
                    done = self.race(["convert", self.sources[8], bag, "--append"],
                                     ["convert", self.sources[9], bag, "--append"])
                    self.assertTrue(any(done))
                    self.expect(bag, [7] + [seed for seed, ok in zip((8, 9), done) if ok])

    def test_an_append_and_a_replacement(self):
        for name in BAGS[:3]:
            for i in range(RACES):
                with self.subTest(name, race=i):
                    bag = self.make(name)
                    appended, replaced = self.race(["convert", self.sources[8], bag, "--append"],
                                                   ["convert", self.sources[9], bag, "--force"])
                    self.assertTrue(appended or replaced)
                    if appended and replaced:
                        self.expect(bag, [9], [9, 8])
                    else:
                        self.expect(bag, [7, 8] if appended else [9])

    def test_two_replacements(self):
        for name in BAGS[:3]:
            for i in range(RACES):
                with self.subTest(name, race=i):
                    bag = self.make(name)
                    done = self.race(["convert", self.sources[8], bag, "--force"],
                                     ["convert", self.sources[9], bag, "--force"])
                    self.assertEqual(done, [True, True])
                    self.expect(bag, [8], [9])

    def test_two_new_directories(self):
        for name in BAGS[3:]:
            for i in range(RACES):
                with self.subTest(name, race=i):
                    bag = f"{self.place()}/{name}"
                    commands = [["split", self.sources[seed], bag, "--split-messages", "100",
                                 *self.storage(name)] for seed in (8, 9)]
                    done = self.race(*commands)
                    self.assertTrue(any(done))
                    self.expect(bag, *[[seed] for seed, ok in zip((8, 9), done) if ok])
                    self.assertEqual(os.listdir(Path(bag).parent), [name[:-1]])

    def test_two_added_records(self):
        for name in BAGS[:3]:
            for i in range(RACES):
                with self.subTest(name, race=i):
                    bag = self.make(name)
                    done = self.race(["add", bag, "metadata", "one", "key=1"],
                                     ["add", bag, "metadata", "two", "key=2"])
                    self.assertTrue(any(done))
                    self.expect(bag, [7])
                    listed = kitbag("list", bag, "metadata")
                    for what, ok in zip(("one", "two"), done):
                        self.assertEqual(what in listed, ok)

    def append_slowly(self, bag):
        """An append that has begun and goes on until its input is closed."""
        content = self.sources[8].read_bytes()
        slow = subprocess.Popen([program(), "convert", "-", bag, "--append"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        self.addCleanup(slow.kill)
        slow.stdin.write(content[:len(content) // 2])
        slow.stdin.flush()
        wait_for(lambda: is_locked(Path(bag)))
        return slow, content[len(content) // 2:]

    def test_who_comes_second_is_refused(self):
        for name in BAGS:
            with self.subTest(name):
                bag = self.make(name)
                slow, rest = self.append_slowly(bag)
                commands = [["convert", self.sources[9], bag, "--append"],
                            ["repair", bag, "--in-place"]]
                if not name.endswith("/"):
                    commands += [["convert", self.sources[9], bag, "--force"],
                                 ["add", bag, "metadata", "one", "key=1"]]
                for command in commands:
                    second = start(*command)
                    _, told = second.communicate(timeout=PATIENCE_S)
                    self.assertEqual(second.returncode, 2, command)
                    self.assertIn(BUSY, told)
                # Who reads is not kept waiting, and sees what was there before.
                self.assertEqual(lines(bag), self.messages[7])
                slow.stdin.write(rest)
                _, told = slow.communicate(timeout=PATIENCE_S)
                self.assertEqual(slow.returncode, 0, told)
                self.expect(bag, [7, 8])

    def test_a_dead_writer_blocks_nobody(self):
        for name in BAGS:
            with self.subTest(name):
                bag = self.make(name)
                slow, _ = self.append_slowly(bag)
                slow.send_signal(signal.SIGKILL)
                slow.wait()
                kitbag("convert", self.sources[9], bag, "--append")
                self.expect(bag, [7, 9])

    def test_a_foreign_lock_is_heeded(self):
        for name in BAGS[:3]:
            bag = self.make(name)
            with open(bag, "r+b") as file:
                whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, LOCK_BYTE, 1, 0)
                fcntl.fcntl(file, F_OFD_SETLK, whole)
                told = start("convert", self.sources[8], bag, "--append").communicate()[1]
                self.assertIn(BUSY, told)
            kitbag("convert", self.sources[8], bag, "--append")

    def record(self, target, *more):
        recorder = start("record", "-a", "--from", "demo://?seconds=600&seed=7", "-o", target,
                         *more)
        self.addCleanup(recorder.kill)
        return recorder

    def test_a_recording_is_not_repaired_away(self):
        for name in BAGS:
            with self.subTest(name):
                target = f"{self.place()}/{name}"
                recorder = self.record(target, *self.storage(name))
                live = Path(target if name.endswith("/") else target + ".active")
                wait_for(lambda: live.exists() and is_locked(live))
                wait_for(lambda: size(live.parent) > 100_000)
                second = start("repair", live, "--in-place")
                _, told = second.communicate(timeout=PATIENCE_S)
                self.assertEqual(second.returncode, 2, told)
                self.assertIn(BUSY, told)
                recorder.send_signal(signal.SIGINT)
                told, _ = recorder.communicate(timeout=PATIENCE_S)
                self.assertEqual(recorder.returncode, 0)
                recorded = int(told.split(": ")[1].split(" messages")[0].replace(",", ""))
                self.check(target)
                self.assertEqual(sum(lines(target).values()), recorded)

    def test_a_recording_that_was_replaced_says_so(self):
        target = f"{self.place()}/run.mcap"
        recorder = self.record(target)
        live = Path(target + ".active")
        wait_for(lambda: live.exists() and is_locked(live))
        other = live.with_suffix(".other")
        other.write_bytes(self.sources[8].read_bytes())
        other.rename(live)
        recorder.send_signal(signal.SIGINT)
        _, told = recorder.communicate(timeout=PATIENCE_S)
        self.assertEqual(recorder.returncode, 2)
        self.assertIn("another program replaced the file", told)
        self.assertFalse(Path(target).exists())


if __name__ == "__main__":
    peers.main()
