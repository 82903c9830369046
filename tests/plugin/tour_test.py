#!/usr/bin/env python3
"""A short program outside of the tree that uses nothing but a Session."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from examples import build_example  # noqa: E402
from peers import kitbag, main, program, run  # noqa: E402


class TourTest(unittest.TestCase):
    def test_it_records_prints_converts_and_plays(self):
        with tempfile.TemporaryDirectory() as folder:
            tour = build_example("tour", Path(folder)) / "tour"
            address = f"zmq+ipc://{folder}/socket"
            recorder = subprocess.Popen([program(), "record", "--from", f"{address}?bind=1&once=1",
                                         "-o", f"{folder}/played.mcap"])
            self.addCleanup(recorder.kill)
            lines = run(tour, address, cwd=folder, timeout=60).splitlines()
            self.assertEqual(recorder.wait(60), 0)
            kitbag("diff", "--ignore-time", f"{folder}/drive.mcap", f"{folder}/played.mcap")
            self.assertGreater(len(lines), 0)
            self.assertEqual({json.loads(line)["topic"] for line in lines}, {"/battery"})
            self.assertIn("voltage", json.loads(lines[0])["data"])
            recorded = json.loads(kitbag("info", Path(folder) / "drive.mcap", "--json"))
            counts = {c["topic"]: c["messages"] for c in recorded["channels"]}
            converted = json.loads(kitbag("info", Path(folder) / "odom.db3", "--json"))
            self.assertEqual([(c["topic"], c["encoding"], c["messages"])
                              for c in converted["channels"] if c["messages"]],
                             [("/odom", "cdr", counts["/odom"])])


if __name__ == "__main__":
    main()
