#!/usr/bin/env python3
"""SIGKILL in front of every call that changes files. What was there stays whole and passes `check`;
what is new appears whole or not at all; and the next writer goes on, and clears up."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, preloaded, program, run  # noqa: E402

MOST_CALLS = 5000
IS_SOAK = os.environ.get("KITBAG_SOAK") == "1"
LATER = 1800000000  # s; what is appended comes behind what is there
BAGS = ["run.bag", "run.mcap", "run.db3", "run_mcap/", "run_sqlite3/"]


def calls():
    """The calls to die in: each of them, or the first ones and then fewer and fewer."""
    at = 1
    while at < MOST_CALLS:
        yield at
        at += 1 if IS_SOAK else max(3, at // 2)


def lines(bag):
    """The messages of a bag, as often as they are in it."""
    return Counter(kitbag("cat", bag).splitlines())


def hidden(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


class KilledWriters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.shim = preloaded("dying_calls", cls.folder)
        cls.old = cls.folder / "old.bag"
        cls.new = cls.folder / "new.bag"
        kitbag("convert", "demo://?seconds=1&seed=7", cls.old)
        kitbag("convert", f"demo://?seconds=1&seed=8&start={LATER}", cls.new)
        cls.messages = {"old": lines(cls.old), "new": lines(cls.new)}

    def place(self):
        folder = tempfile.TemporaryDirectory(dir=self.folder)
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def die(self, place, at, *arguments, code=0):
        """Runs kitbag to its `at`-th call; True: it died there, False: it was done before."""
        environment = {**os.environ, "LD_PRELOAD": str(self.shim), "KITBAG_DIE_AT": str(at),
                       "KITBAG_DIE_UNDER": str(place)}
        done = subprocess.run([program(), *map(str, arguments)], env=environment, timeout=120,
                              capture_output=True, text=True)
        if done.returncode == -signal.SIGKILL:
            return True
        self.assertEqual(done.returncode, code, done.stderr)
        return False

    def at_each_death(self, make, look, *arguments):
        """Each in a place of its own that `make` prepares, and `look` looks at; the last time it
        survives."""
        for at in calls():
            with self.subTest(arguments=arguments, at=at):
                place = self.place()
                make(place)
                words = [word.format(place=place) for word in arguments]
                is_dead = self.die(place, at, *words)
                look(place, is_dead, words)
                if not is_dead:
                    self.assertGreater(at, 3)
                    return
        self.fail(f"more than {MOST_CALLS} calls")

    @staticmethod
    def make_bag(name):
        original = {}

        def make(place):
            if not original:
                original["at"] = place.parent / f"{place.name}-original"
                original["at"].mkdir()
                more = ["--format", name[4:-1]] if name.endswith("/") else []
                kitbag("convert", KilledWriters.old, f"{original['at']}/{name}", *more)
            shutil.copytree(original["at"], place, dirs_exist_ok=True)
        return make

    def both(self):
        return self.messages["old"] + self.messages["new"]

    def test_an_append(self):
        for name in BAGS:
            def look(place, is_dead, words, name=name):
                bag = place / name
                kitbag("check", bag)
                found = lines(bag)
                self.assertEqual(self.messages["old"] - found, Counter())
                if not is_dead:
                    self.assertEqual(found, self.both())
                if found == self.both():  # it was done but for the leaving
                    return
                kitbag(*words)
                kitbag("check", bag)
                self.assertEqual(self.both() - lines(bag), Counter())
                self.assertEqual(hidden(place), [])

            for io in ("buffered", "direct")[:2 if IS_SOAK else 1]:
                self.at_each_death(self.make_bag(name), look, "convert", str(self.new),
                                   "{place}/" + name, "--append", "--io", io)

    def test_an_added_record(self):
        note = self.folder / "note.txt"
        note.write_text("a note")
        for name in BAGS[:4]:
            def look(place, is_dead, words, name=name):
                bag = place / name
                for _ in range(2):
                    kitbag("check", bag)
                    self.assertEqual(lines(bag), self.messages["old"])
                    if not is_dead:
                        return
                    kitbag(*words)

            what = ["attachment", str(note)] if "mcap" in name else ["metadata", "who", "name=Jane"]
            self.at_each_death(self.make_bag(name), look, "add", "{place}/" + name, *what)

    def sum_of(self, parts):
        for part in parts:
            kitbag("check", part)
        return sum((lines(part) for part in parts), Counter())

    def test_a_split_to_files(self):
        for extension in ("bag", "mcap", "db3"):
            def look(place, is_dead, words, extension=extension):
                def parts():
                    return sorted(place.glob("part_*"))

                found = self.sum_of(parts())
                if (place / f"part_0.{extension}").exists():
                    self.assertEqual(found, self.messages["old"])
                if is_dead:
                    kitbag(*words, "--force")
                self.assertEqual(self.sum_of(parts()), self.messages["old"])
                self.assertEqual(hidden(place), [])

            self.at_each_death(lambda place: None, look, "split", str(self.old),
                               "{place}/part." + extension, "--split-messages", "100", "--force")

    def test_a_conversion_to_a_directory(self):
        def look(place, is_dead, words):
            out = place / "out"
            if not out.exists():
                self.assertTrue(is_dead)
                kitbag(*words)
                self.assertEqual(hidden(place), [])
            kitbag("check", out)
            self.assertEqual(lines(out), self.messages["old"])

        for storage in ("mcap", "sqlite3"):
            for more in ([], ["--split-messages", "100"]):
                self.at_each_death(lambda place: None, look, "convert", str(self.old),
                                   "{place}/out/", "--format", storage, *more)

    def test_a_replacement(self):
        for name in BAGS[:3]:
            def look(place, is_dead, words, name=name):
                kitbag("check", place / name)
                self.assertIn(lines(place / name), [self.messages["old"], self.messages["new"]])
                if is_dead:
                    kitbag(*words)
                self.assertEqual(lines(place / name), self.messages["new"])
                self.assertEqual(hidden(place), [])

            self.at_each_death(self.make_bag(name), look, "convert", str(self.new),
                               "{place}/" + name, "--force")

    def test_a_repair_in_place(self):
        for name in BAGS[:2]:
            place = self.place()
            self.make_bag(name)(place)
            bag = place / name
            cut = bag.read_bytes()[:bag.stat().st_size * 3 // 4]
            for at in calls():
                bag.write_bytes(cut)
                is_dead = self.die(place, at, "repair", bag, "--in-place", code=1)
                if bag.read_bytes() != cut:
                    kitbag("check", bag)
                if not is_dead:
                    break
            self.assertGreater(at, 3)
            self.assertNotEqual(bag.read_bytes(), cut)
            self.assertEqual(hidden(place), [])

    def test_the_start_of_a_recording(self):
        for name in BAGS:
            for at in range(1, 16, 1 if IS_SOAK else 5):
                with self.subTest(name, at=at):
                    place = self.place()
                    command = ["record", "-a", "--from", "demo://?seconds=2&seed=7", "-o",
                               f"{place}/{name}", "--duration", "100ms"]
                    if name.endswith("/"):
                        command += ["--format", name[4:-1]]
                    if not self.die(place, at, *command):
                        break
                    for left in place.iterdir():
                        is_empty_folder = left.is_dir() and not any(left.iterdir())
                        if is_empty_folder or left.name.endswith(("-journal", "-wal", "-shm")):
                            continue
                        for verb in ("info", "cat"):  # 1: it is torn, and that is reported
                            opened = subprocess.run([program(), verb, left], capture_output=True,
                                                    text=True, timeout=120)
                            self.assertIn(opened.returncode, (0, 1), opened.stderr)
                    was_empty = all(path.stat().st_size == 0 for path in place.rglob("*")
                                    if path.is_file())
                    again = subprocess.run([program(), *command], capture_output=True, text=True,
                                           timeout=120)
                    if again.returncode != 0:
                        self.assertEqual(again.returncode, 2, again.stderr)
                        self.assertRegex(again.stderr, "an incomplete recording|already exists")
                        self.assertFalse(was_empty and not name.endswith("/"), again.stderr)


if __name__ == "__main__":
    peers.main()
