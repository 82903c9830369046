#!/usr/bin/env python3
"""The programs in examples/c, built against an installed kitbag."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from examples import build_example  # noqa: E402
from peers import kitbag, main, run  # noqa: E402


class CExamples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.built = build_example("c", cls.folder)

    def test_what_is_written_is_read(self):
        bag = self.folder / "wave.db3"
        self.assertEqual(run(self.built / "write", bag), "100 messages\n")
        lines = run(self.built / "read", bag).splitlines()
        self.assertEqual(lines[:2], ["100 messages in 0.990 s",
                                     "  /wave example_msgs/msg/Wave 100"])
        self.assertEqual(lines[3], '1700000000010000000 /wave{ phase: 0.1 samples: [8 numbers]'
                                   ' unit: "V" }')

    def test_what_is_replayed_is_recorded(self):
        played = self.folder / "played.mcap"
        kitbag("convert", "demo://?seconds=0.5&seed=7", played)
        recorded = self.folder / "recorded.mcap"
        address = f"zmq+ipc://{self.folder}/socket"
        recorder = subprocess.Popen([self.built / "record", f"{address}?bind=1&once=1", recorded,
                                     "/odom"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    text=True)
        self.addCleanup(recorder.kill)
        run(self.built / "replay", played, address, "/odom", "/imu", timeout=60)
        said, _ = recorder.communicate("\n", timeout=60)
        self.assertEqual(recorder.returncode, 0)
        self.assertRegex(said, r"^\d+ messages\n$")
        kitbag("diff", "--ignore-time", played, recorded, "--topics", "/odom")

    def test_what_goes_wrong_is_said(self):
        done = subprocess.run([self.built / "read", self.folder / "none.bag"], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("none.bag", done.stderr)


if __name__ == "__main__":
    main()
