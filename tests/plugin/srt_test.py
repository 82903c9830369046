#!/usr/bin/env python3
"""A format of exports from outside of the tree: built against what is installed, loaded by the
program, and read by ffprobe."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import column_stream  # noqa: E402
import peers  # noqa: E402
from examples import build_plugin  # noqa: E402
from peers import kitbag, need, program  # noqa: E402


class SrtTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.plugin = build_plugin("srt", cls.folder)
        cls.robot = cls.folder / "robot.bag"
        kitbag("convert", "demo://?seconds=9&seed=7", cls.robot)

    def export(self, *options, code=0):
        self.out = self.folder / self.id().rsplit(".", 1)[1]
        done = subprocess.run([program(), "export", self.robot, "-o", self.out, "--format", "srt",
                               *options], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_players_read_it(self):
        need(shutil.which("ffprobe"), "ffmpeg is not installed")
        done = self.export("--plugin", self.plugin, "--topics", "/rosout", "/odom")
        self.assertIn("/odom has no texts; it is left out", done.stderr)
        self.assertIn("rosout.srt: 5 messages of /rosout", done.stdout)
        told = json.loads(peers.run("ffprobe", "-v", "error", "-show_packets", "-show_data", "-of",
                                    "json", self.out / "rosout.srt"))["packets"]
        messages = column_stream.messages(self.robot, "--topics", "/rosout")
        first = messages[0]["log_time_ns"]
        self.assertEqual([float(each["pts_time"]) for each in told],
                         [(each["log_time_ns"] - first) / 1e9 for each in messages])
        self.assertEqual([float(each["duration_time"]) for each in told], [2, 2, 2, 2, 5])
        text = (self.out / "rosout.srt").read_text()
        for message in messages:
            self.assertIn(f"\n{message['data']['msg']}\n", text)

    def test_nothing_appears_where_nothing_fits(self):
        done = self.export("--plugin", self.plugin, "--topics", "/odom", code=2)
        self.assertIn("none of the topics has texts", done.stderr)
        self.assertFalse(self.out.exists() and any(self.out.iterdir()))

    def test_an_unknown_format_names_those_of_plugins(self):
        self.assertIn('unknown export format "srt"; supported: parquet, arrow, csv, ',
                      self.export(code=2).stderr)
        done = subprocess.run([program(), "export", self.robot, "-o", self.folder / "x",
                               "--format", "sub", "--plugin", self.plugin], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"geojson, srt, hdf5.*, mp4.*, mkv")


if __name__ == "__main__":
    peers.main()
