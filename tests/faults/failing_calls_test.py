#!/usr/bin/env python3
"""A system that refuses: of every verb over every format each call fails once, by errors that a
disk, a full table of files or a lack of memory makes. What the program then says must be true:
either it ends with 0 and all is there, as without the failure, or with 2 and a sentence. It never
says that a bag is damaged (1) where only the system has failed, and never gives less in silence.

A sample of the calls, or with KITBAG_SOAK=1 each of them."""

import errno
import gzip
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from failing_system import FailingSystem, counted  # noqa: E402
from peers import formats, kitbag, program, run  # noqa: E402

IS_SOAK = os.environ.get("KITBAG_SOAK") == "1"
SAMPLE = 2  # failures of a kind, of one verb on one bag
ROBOT = "demo://?seconds=1&seed=7"
SECONDS = 120  # for one run, on a machine with much else to do

# How the calls of a kind fail.
ERRORS = {
    "open": [errno.EMFILE, errno.EACCES, errno.EIO, errno.ENOMEM],
    "read": [errno.EIO, errno.ENOMEM],
    "stat": [errno.EIO, errno.EACCES, errno.ENOMEM],
    "list": [errno.EIO, errno.EMFILE],
    "write": [errno.ENOSPC, errno.EIO],
    "sync": [errno.EIO],
    "name": [errno.EACCES, errno.ENOSPC],
    "memory": [errno.ENOMEM],
}
READING = ["open", "read", "stat", "list", "memory"]
WRITING = ["open", "write", "stat", "sync", "name"]

# A plain bag of each format is added to these.
BAGS = ["lz4.bag", "bz2.bag", "old.bag", "packed.bag.gz", "zstd.mcap", "packed.mcap.zst",
        "zstd.db3", "mcaps/", "sqlites/", "packed/", "crossing/"]


def name_of(number):
    return errno.errorcode[number]


class FailingCalls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.count = cls.folder / "count"
        cls.place = cls.folder / "place"  # where calls fail
        cls.system = FailingSystem(cls.folder, under=f"{cls.place}/")
        cls.bags = cls.place / "in"
        (cls.place / "tmp").mkdir(parents=True)
        cls.bags.mkdir()
        cls.extensions = formats().values()
        cls.names = [f"plain{extension}" for extension in cls.extensions] + BAGS
        cls.make_bags()
        cls.random = random.Random(14)

    @classmethod
    def make_bags(cls):
        def convert(target, *options, verb="convert"):
            kitbag(verb, ROBOT, f"{cls.bags}/{target}", *options)

        small = ["--chunk-size", "300kB"]
        for extension in cls.extensions:
            convert(f"plain{extension}", "--compression", "none", *small)
        convert("lz4.bag", "--compression", "lz4", *small)
        convert("bz2.bag", "--compression", "bz2", "--topics", "/odom", "/tf", "/scan")
        convert("old.bag", "--format-version", "1.2")
        convert("zstd.mcap", "--compression", "zstd", *small)
        convert("zstd.db3", "--compression", "zstd")
        thirds = ["--split-duration", "300ms"]
        convert("mcaps/", *thirds, verb="split")
        convert("sqlites/", *thirds, "--format", "sqlite3", verb="split")
        convert("packed/", *thirds, "--compression", "zstd_file", verb="split")
        cls.make_crossing()
        packed = gzip.compress((cls.bags / "plain.bag").read_bytes(), 1)
        (cls.bags / "packed.bag.gz").write_bytes(packed)
        run("zstd", "-q", "-1", cls.bags / "plain.mcap", "-o", cls.bags / "packed.mcap.zst")

    @classmethod
    def make_crossing(cls):
        """A directory whose files overlap in time; more of them than are kept open."""
        folder = cls.bags / "crossing"
        kitbag("split", "demo://?seconds=2&seed=7", f"{folder}/", "--split-messages", "1",
               "--topics", "/imu", "--duration", "1.4s")
        files = sorted(folder.glob("*.mcap"), key=lambda path: int(path.stem.split("_")[1]))
        # From both ends to the middle, each file holds an early and a late message.
        for low, high in zip(files[:len(files) // 2], reversed(files)):
            if low == high:
                break
            both = cls.folder / "both.mcap"
            kitbag("merge", low, high, both)
            high.unlink()
            shutil.move(both, low)
        (folder / "metadata.yaml").unlink()
        kitbag("repair", f"{folder}/", "--in-place", code=None)
        kitbag("check", f"{folder}/")

    def run_failing(self, arguments, kinds, at=0, number=0):
        """Call number `at` of these kinds fails."""
        environment = {**os.environ, **self.system.environment(kinds, at, number),
                       "KITBAG_FAIL_COUNT": str(self.count), "TMPDIR": str(self.place / "tmp")}
        return subprocess.run([program(), *map(str, arguments)], env=environment, text=True,
                              capture_output=True, timeout=SECONDS)

    def failures(self, kind, calls):
        """(which call, by which errno) of those to be tried."""
        tries = [(at, number) for at in range(1, calls + 1) for number in ERRORS[kind]]
        if not IS_SOAK and len(tries) > SAMPLE:
            tries = self.random.sample(tries, SAMPLE)
        return tries

    def judge(self, kinds, arguments, outcome, prepare=lambda: None):
        """`outcome` of a run that ends with 0 must be as without a failure."""
        prepare()
        done = self.run_failing(arguments, kinds)
        self.assertEqual(done.returncode, 0, done.stderr)
        calls = counted(self.count)
        expected = outcome(done)
        for kind in kinds:
            for at, number in self.failures(kind, calls[kind]):
                prepare()
                done = self.run_failing(arguments, [kind], at, number)
                words = " ".join(map(str, arguments)).replace(f"{self.place}/", "")
                told = f"{words}: {kind} {at} by {name_of(number)}: {done.returncode} {done.stderr}"
                with self.subTest(told):
                    self.assertIn(done.returncode, (0, 2))
                    if done.returncode == 0:
                        self.assertEqual(outcome(done), expected)
                    else:
                        self.assertRegex(done.stderr, r"(?m)^kitbag: .+$")

    def test_verbs_that_read(self):
        for bag in self.names:
            path = f"{self.bags}/{bag}"
            for words in (["info", path], ["cat", path, "--format", "digest"], ["check", path],
                          ["du", path], ["diff", path, path], ["list", path, "topics"]):
                self.judge(READING, words, lambda done: (done.stdout, done.stderr))

    def test_playing(self):
        """To nobody: it counts what it has sent."""
        to = f"zmq+ipc://{self.folder}/socket?bind=1&pattern=pubsub"
        for bag in self.names:
            self.judge(READING, ["play", f"{self.bags}/{bag}", "--to", to, "--rate", "1000"],
                       lambda done: re.match(r"[\d,]+ messages, \d+ topics?", done.stdout)[0])

    def clear(self):
        for path in self.place.glob("out*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()

    def content(self, target):
        """What a target holds, as another run of the program sees it."""
        return kitbag("cat", f"{self.place}/{target}", "--format", "digest")

    def counts(self, target):
        """The same without what is of the moment: how many messages each topic has."""
        return [line.split("\t")[:3] for line in self.content(target).splitlines()]

    def test_verbs_that_read_and_write(self):
        for bag in self.names:
            target = "out.db3" if bag.endswith("mcap") else "out.mcap"
            for verb in ("convert", "repair"):
                words = [verb, f"{self.bags}/{bag}", f"{self.place}/{target}"]
                self.judge(READING, words, lambda done, t=target: self.content(t), self.clear)

    def test_verbs_that_write(self):
        source = f"{self.bags}/plain.bag"
        for target in (*(f"out{extension}" for extension in self.extensions), "out/"):
            out = f"{self.place}/{target}"
            for words in (["convert", source, out],
                          ["merge", source, f"{self.bags}/plain.mcap", out, "--force"]):
                self.judge(WRITING, words, lambda done, t=target: self.content(t), self.clear)
            if IS_SOAK:  # each takes a second
                words = ["record", "-a", "--from", ROBOT, "-o", out]
                self.judge(WRITING, words, lambda done, t=target: self.counts(t), self.clear)
        out = f"{self.place}/out/"
        self.judge(WRITING, ["split", source, out, "--split-messages", "100"],
                   lambda done: self.content("out/"), self.clear)

    def test_what_is_changed_in_place(self):
        for bag in ("plain.bag", "zstd.mcap", "plain.db3", "mcaps"):
            out = self.place / ("out" + Path(bag).suffix)

            def begin(bag=bag, out=out):
                self.clear()
                copy = shutil.copytree if (self.bags / bag).is_dir() else shutil.copy
                copy(self.bags / bag, out)

            verbs = [["convert", self.bags / "plain.mcap", out, "--append"]]
            if out.suffix == ".mcap":
                verbs.append(["add", out, "metadata", "site", "town=Bern"])

            def outcome(done, out=out):
                return self.content(out.name) + kitbag("list", out, "metadata")

            for words in verbs:
                self.judge(ERRORS, words, outcome, begin)

    def test_many_inputs_under_a_low_limit_of_files(self):
        out = self.place / "out.mcap"
        bags = [self.bags / "plain.mcap"] * 100
        for hard in (64, 1024):
            self.clear()
            limits = f"--nofile={min(hard, 40)}:{hard}"
            done = subprocess.run(["prlimit", limits, program(), "merge", *bags, out],
                                  capture_output=True, text=True, timeout=SECONDS)
            if hard == 1024:
                self.assertEqual(done.returncode, 0, done.stderr)
                odometry = ["--topics", "/odom"]
                self.assertEqual(kitbag("cat", out, *odometry).count("\n"),
                                 100 * kitbag("cat", bags[0], *odometry).count("\n"))
            else:
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, r"\Akitbag: .*too many open files.*ulimit -n.*\n\Z")
                self.assertFalse(out.exists())


if __name__ == "__main__":
    peers.main()
