#!/usr/bin/env python3
"""A recorder that dies by SIGKILL: repair gives back every message that reached the file."""

import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
import ros1  # noqa: E402
from peers import kitbag  # noqa: E402
from recordings import RECORDER, numbers_in, whole_messages  # noqa: E402

RUNS = [("none", "buffered")] * 6 + [("none", "direct")] * 6 + [("lz4", "buffered")] * 4 + \
    [("bz2", "direct")] * 4


def reindexed(bag):
    """How many messages the real `rosbag reindex` leaves in a copy; None where it gives up."""
    copy = bag.with_suffix(".reindexed.bag")
    shutil.copy(bag, copy)
    done = subprocess.run(["rosbag", "reindex", "-q", "-f", copy], capture_output=True)
    if done.returncode != 0:
        return None
    try:
        return len(ros1.messages(copy))
    except Exception:  # it has left what it cannot read itself
        return None


class KilledRecorderTest(unittest.TestCase):
    def setUp(self):
        ros1.need_rosbag()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def record_and_kill(self, bag, compression, io, after_s):
        with subprocess.Popen([RECORDER, bag, compression, io], stdout=subprocess.PIPE) as recorder:
            self.assertEqual(recorder.stdout.readline(), b"recording\n")
            time.sleep(after_s)  # where it is killed is left to chance
            recorder.send_signal(signal.SIGKILL)

    def repaired(self, bag):
        """Numbers of the messages that repair saves, in the order of time."""
        saved = bag.with_suffix(".saved.bag")
        report = kitbag("repair", "-f", bag, saved, code=None)
        if not saved.exists():  # nothing had reached the file, and it says so
            return []
        self.assertIn("sound", kitbag("check", saved, code=None), report)
        return numbers_in(saved)

    def test_repair_gives_back_what_reached_the_file(self):
        chance = random.Random()
        print("\n  compression  io        in the file  repaired  rosbag reindex")
        for run, (compression, io) in enumerate(RUNS):
            bag = self.folder / f"{run}.bag"
            self.record_and_kill(bag, compression, io, chance.uniform(0.02, 0.5))
            saved = self.repaired(bag)
            peer = reindexed(bag)
            whole = whole_messages(bag.read_bytes()) if compression == "none" else None
            print(f"  {compression:11}  {io:8}  {'-' if whole is None else len(whole):>11}  "
                  f"{len(saved):8}  {'gives up' if peer is None else peer:>14}")
            with self.subTest(compression=compression, io=io):
                self.assertEqual(saved, list(range(len(saved))))
                self.assertGreaterEqual(len(saved), peer or 0)
                if whole is not None:
                    self.assertEqual(set(saved), whole)


if __name__ == "__main__":
    peers.main()
