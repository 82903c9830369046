#!/usr/bin/env python3
"""Several recorders, one bag: what was sent is there, message by message, while they write and
after one of them was killed. KITBAG_SOAK=1: 20,000 messages a second each, 20 kills, 50 races."""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, program  # noqa: E402

IS_LONG = os.environ.get("KITBAG_SOAK") == "1"
RATE_HZ = 10_000 if IS_LONG else 1_000  # of each of two topics
SECONDS = 5 if IS_LONG else 3
KILLS = 20 if IS_LONG else 3
RACES = 50 if IS_LONG else 4
RECORDERS = 4
TOPICS = ("/imu", "/odom")
LOST_AT_MOST_S = 0.2
PATIENCE_S = 60
NAME = re.compile(r"[a-z]+_[A-Za-z0-9-]+-\d+-[a-z2-7]{6}_\d+\.(mcap|db3)")


def uri(seed, seconds=SECONDS, rate=RATE_HZ):
    return f"demo://?seconds={seconds}&seed={seed}&imu={rate}&odom={rate}&image=0&points=0"


def raw(bag, topic):
    """The payloads of a topic, in the order of time; on the topics of this test all have one
    length. A killed recorder may leave half a record, which is told by exit code 1."""
    count = sum(int(line.split("\t")[2]) for line in digest(bag)
                if line.startswith(f"{topic}\t"))
    if count == 0:
        return []
    content = subprocess.run([program(), "cat", bag, "--topics", topic, "--format", "raw"],
                             check=False, capture_output=True).stdout
    size = len(content) // count
    assert size * count == len(content), (bag, topic)
    return [content[at:at + size] for at in range(0, len(content), size)]


def digest(bag):
    return kitbag("cat", bag, "--format", "digest", code=None).splitlines()


def info(bag):
    return peers.run_json(program(), "info", "--json", bag, code=None)


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError("it has not happened")
        time.sleep(0.01)
    return found


def stored_by(control):
    """How many messages a recorder has accepted, at most 100 ms ago."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(control))
        client.sendall(b"status\n")
        return json.loads(client.makefile().readline())["messages"]


class Sent:
    """What the recorders of some seeds were sent, told apart by the payloads."""

    def __init__(self, seeds, **more):
        self.counts = {}
        self.places = {}  # (seed, number) of each payload, by topic
        for topic in TOPICS:
            places = self.places[topic] = {}
            for seed in seeds:
                payloads = raw(uri(seed, **more), topic)
                self.counts[topic, seed] = len(payloads)
                for number, payload in enumerate(payloads):
                    places[payload] = (seed, number)
            assert len(places) == sum(self.counts[topic, seed] for seed in seeds)

    def received(self, bag, topic):
        """{seed: numbers} in the order of the bag. Fails for what nobody has sent."""
        numbers = {}
        for payload in raw(bag, topic):
            seed, number = self.places[topic][payload]
            numbers.setdefault(seed, []).append(number)
        return numbers


class JoinedRecordersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bag = self.folder / "today"

    def start(self, source, *options, bag=None):
        recorder = subprocess.Popen(
            [program(), "record", "--from", source, "--join", bag or self.bag,
             *map(str, options)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(lambda: recorder.poll() is None and recorder.kill())
        return recorder

    def finish(self, recorder, code=0):
        _, errors = recorder.communicate(timeout=PATIENCE_S)
        self.assertEqual(recorder.returncode, code, errors)
        return errors

    def files(self):
        return sorted(path.name for path in self.bag.iterdir() if path.name != "metadata.yaml")

    def listed(self):
        text = (self.bag / "metadata.yaml").read_text()
        return sorted(re.findall(r"^    - ([^ :]+)$", text, re.MULTILINE))

    def assert_whole(self, sent, seeds):
        for topic in TOPICS:
            received = sent.received(self.bag, topic)
            for seed in seeds:
                self.assertEqual(received.get(seed), list(range(sent.counts[topic, seed])),
                                 (topic, seed))

    def test_four_recorders_write_one_bag(self):
        seeds = range(1, RECORDERS + 1)
        sent = Sent(seeds)
        split = ["--split-messages", RATE_HZ]
        recorders = [self.start(uri(seed), *split) for seed in seeds]
        wait_for((self.bag / "metadata.yaml").exists)
        # While they write it is one bag, which is sound.
        seen = 0
        while any(recorder.poll() is None for recorder in recorders):
            messages = info(self.bag)["messages"]
            self.assertGreaterEqual(messages, seen)
            seen = messages
        for recorder in recorders:
            self.finish(recorder)
        self.assertGreater(seen, 0)
        self.assert_whole(sent, seeds)
        self.assertEqual(self.listed(), self.files())
        for name in self.files():
            self.assertRegex(name, NAME)
        self.assertEqual(len({name.rsplit("_", 1)[0] for name in self.files()}), RECORDERS)
        self.assertGreater(len(self.files()), 2 * RECORDERS)
        self.assertIn("sound", kitbag("check", self.bag))
        # The sum of what each file has.
        parts = [info(self.bag / name)["messages"] for name in self.files()]
        repeated = sum(line.startswith("/map\t") or line.startswith("/tf_static\t")
                       for line in digest(self.bag))
        self.assertEqual(repeated, 2)
        self.assertLessEqual(info(self.bag)["messages"], sum(parts))
        # In the order of time, and backwards in the opposite order.
        forward = kitbag("cat", self.bag, "--topics", "/tf").splitlines()
        backward = kitbag("cat", self.bag, "--topics", "/tf", "--order", "reverse_time")
        self.assertEqual(forward, backward.splitlines()[::-1])
        times = [json.loads(line)["log_time_ns"] for line in forward]
        self.assertEqual(times, sorted(times))

    def test_a_killed_recorder_loses_its_last_moment_only(self):
        chance = random.Random()
        seeds = range(1, RECORDERS + 1)
        sent = Sent(seeds)
        least = 2 * RATE_HZ
        for run in range(KILLS):
            self.bag = self.folder / f"run{'abcdefghijklmnopqrstuvwxyz'[run]}"
            controls = {seed: self.folder / f"{run}.{seed}" for seed in seeds}
            recorders = {seed: self.start(uri(seed), "--control", controls[seed])
                         for seed in seeds}
            wait_for((self.bag / "metadata.yaml").exists)
            wait_for(lambda: len(self.files()) == RECORDERS)
            killed = chance.choice(seeds)
            wait_for(controls[killed].exists)
            time.sleep(chance.uniform(0.1, 0.6) * SECONDS)  # where it is killed is left to chance
            accepted = stored_by(controls[killed])
            time.sleep(LOST_AT_MOST_S)
            recorders[killed].send_signal(signal.SIGKILL)
            recorders[killed].communicate()
            for seed in seeds:
                if seed != killed:
                    self.finish(recorders[seed])
            with self.subTest(run=run):
                self.assert_whole(sent, [seed for seed in seeds if seed != killed])
                self.assert_begun(sent, killed)
                own, = (path for path in self.bag.glob("*.mcap") if self.is_of(path, sent, killed))
                stored = info(own)["messages"]
                self.assertGreaterEqual(stored, accepted)
                least = min(least, stored - accepted)
                left = self.numbers_of(sent, killed)
                # One file lacks its end, and that is what check says.
                self.assertIn("the end of the file is missing",
                              kitbag("check", self.bag, code=1))
                kitbag("repair", "--in-place", self.bag, code=None)
                self.assertIn("sound", kitbag("check", self.bag))
                self.assertEqual(self.numbers_of(sent, killed), left)
                self.assert_whole(sent, [seed for seed in seeds if seed != killed])
                self.assertEqual(self.listed(), self.files())
        print(f"\n  {KILLS} kills at {2 * RATE_HZ} messages a second: all is there that was "
              f"accepted {LOST_AT_MOST_S * 1000:.0f} ms before, and at least {least} messages more")

    def numbers_of(self, sent, seed):
        return {topic: sent.received(self.bag, topic).get(seed, []) for topic in TOPICS}

    def assert_begun(self, sent, seed):
        """What a killed recorder has stored is the beginning of what it was sent."""
        for topic in TOPICS:
            numbers = sent.received(self.bag, topic).get(seed, [])
            self.assertEqual(numbers, list(range(len(numbers))), topic)

    def is_of(self, path, sent, seed):
        payloads = raw(path, "/imu")  # none: it was killed before the first one came
        return not payloads or sent.places["/imu"][payloads[0]][0] == seed

    def test_two_begin_at_the_same_moment(self):
        for race in range(RACES):
            with self.subTest(race=race):
                self.bag = self.folder / f"race{race}"
                both = [self.start("demo://?seconds=0.2&seed=1&image=0&points=0"),
                        self.start("demo://?seconds=0.2&seed=2&image=0&points=0")]
                for recorder in both:
                    self.finish(recorder)
                self.assertEqual(len(self.files()), 2)
                self.assertEqual(self.listed(), self.files())
                self.assertIn("sound", kitbag("check", self.bag))
                self.assertEqual(info(self.bag)["messages"], sum(
                    info(self.bag / name)["messages"] for name in self.files()))

    def test_the_next_recorder_completes_what_a_killed_one_has_left(self):
        killed = self.start("demo://?seconds=60&seed=1&imu=500")
        wait_for(lambda: self.bag.exists() and self.files() and info(self.bag)["messages"] > 500)
        killed.send_signal(signal.SIGKILL)
        killed.communicate()
        self.assertIn("the end of the file is missing", kitbag("check", self.bag, code=1))
        messages = info(self.bag)["messages"]
        said = self.finish(self.start("demo://?seconds=1.5&seed=2"))
        self.assertIn("left incomplete by a program that was killed; repaired", said)
        self.assertIn("sound", kitbag("check", self.bag))
        self.assertEqual(len(self.files()), 2)
        self.assertGreater(info(self.bag)["messages"], messages)

    def test_a_bag_is_checked_repaired_and_followed_while_some_still_write(self):
        done = self.start("demo://?seconds=0.5&seed=1&image=0&points=0")
        self.finish(done)
        writing = self.start("demo://?seconds=60&seed=2&imu=500&image=0&points=0")
        wait_for(lambda: len(self.files()) == 2 and info(self.bag)["messages"] > 500)
        follower = subprocess.Popen([program(), "echo", self.bag, "--topics", "/imu",
                                     "--format", "raw"], stdout=subprocess.PIPE)
        checked = subprocess.run([program(), "check", self.bag], capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertIn("is being written", checked.stdout + checked.stderr)
        repaired = subprocess.run([program(), "repair", "--in-place", self.bag],
                                  capture_output=True, text=True)
        self.assertIn("stays as it is", repaired.stdout + repaired.stderr)
        third = self.start("demo://?seconds=1&seed=3&imu=500&image=0&points=0")
        self.finish(third)
        writing.send_signal(signal.SIGINT)
        self.finish(writing)
        self.assertIn("sound", kitbag("check", self.bag))
        followed, _ = follower.communicate(timeout=PATIENCE_S)
        payloads = raw(self.bag, "/imu")
        size = len(payloads[0])
        got = [followed[at:at + size] for at in range(0, len(followed), size)]
        self.assertEqual(sorted(got), sorted(payloads))

    def test_retention_deletes_own_files_only(self):
        self.finish(self.start("demo://?seconds=0.5&seed=1&image=0&points=0"))
        others = self.files()
        self.finish(self.start("demo://?seconds=2&seed=2&imu=500&image=0&points=0",
                               "--split-messages", 300, "--max-files", 2))
        self.assertEqual(len(self.files()), len(others) + 2)
        self.assertTrue(set(others) <= set(self.files()))
        self.assertEqual(self.listed(), self.files())
        self.assertIn("sound", kitbag("check", self.bag))
        # The first file that is left of the second recorder has its latched messages.
        kept = digest(self.bag)
        self.assertEqual([line.split("\t")[2] for line in kept if line.startswith("/map\t")],
                         ["2"])

    def refused(self, *options, code=2):
        done = subprocess.run([program(), "record", "--from", "demo://?seconds=0.2", *options],
                              capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_what_does_not_fit_is_refused(self):
        (self.folder / "x.mcap").write_text("something")
        self.assertIn("only a directory", self.refused("--join", "x.mcap"))
        self.assertIn("only a directory", self.refused("--join", "y.mcap"))
        self.assertFalse((self.folder / "y.mcap").exists())
        self.assertIn("snapshots", self.refused("--join", "z/", "--snapshot", "1s"))
        self.assertIn("--force", self.refused("--join", "z/", "--force"))
        self.refused("--join", "z/", "-o", "z")
        (self.folder / "full").mkdir()
        (self.folder / "full" / "notes.txt").write_text("not a bag")
        self.assertIn("no bag", self.refused("--join", "full"))
        self.assertEqual(os.listdir(self.folder / "full"), ["notes.txt"])
        self.finish(self.start("demo://?seconds=0.2", "--storage-format", "sqlite3"))
        self.assertIn("sqlite3", self.refused("--join", "today/", "--storage-format", "mcap"))
        self.assertEqual(len(self.files()), 1)
        # Without a format it is that of the directory.
        self.finish(self.start("demo://?seconds=0.2"))
        self.assertEqual([Path(name).suffix for name in self.files()], [".db3", ".db3"])
        self.assertIn("sound", kitbag("check", self.bag))
        (self.bag / "metadata.yaml").write_text("rosbag2_bagfile_information: [")
        self.assertIn("metadata.yaml", self.refused("--join", "today/"))

    def test_damaged_metadata_and_removed_files_do_not_stop_the_others(self):
        self.finish(self.start("demo://?seconds=0.3&seed=1&image=0&points=0"))
        self.finish(self.start("demo://?seconds=0.3&seed=2&image=0&points=0"))
        first = self.files()[0]
        recorder = self.start("demo://?seconds=60&seed=3&image=0&points=0")
        wait_for(lambda: len(self.files()) == 3 and info(self.bag)["files"])
        (self.bag / "metadata.yaml").write_text("}{ nonsense: [[[")
        (self.bag / first).unlink()
        recorder.send_signal(signal.SIGINT)
        self.finish(recorder)
        self.assertEqual(self.listed(), self.files())
        self.assertEqual(len(self.files()), 2)
        self.assertIn("sound", kitbag("check", self.bag))


if __name__ == "__main__":
    peers.main()
