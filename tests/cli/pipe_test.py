#!/usr/bin/env python3
"""Bags through pipes: "-" is standard input and standard output."""

import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import make_bag  # noqa: E402
import peers  # noqa: E402
import ros1  # noqa: E402
from peers import kitbag, kitbag_digest  # noqa: E402


def piped(*arguments, given=None):
    """(exit code, standard output, standard error), with `given` coming from a pipe."""
    done = subprocess.run([peers.program(), *map(str, arguments)], input=given, capture_output=True)
    return done.returncode, done.stdout, done.stderr.decode()


class Pipes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ros1.need_rosbag()
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.bag = cls.folder / "run.bag"
        make_bag.make_bag(cls.bag, connections=2, latching=True)
        cls.mcap = cls.folder / "run.mcap"
        kitbag("convert", cls.bag, cls.mcap, "--compression", "zstd")

    def test_what_is_written_is_the_file(self):
        code, out, err = piped("convert", self.bag, "-", "--compression", "zstd")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out, self.mcap.read_bytes())

    def test_what_is_read_is_the_file(self):
        copy = self.folder / "copy.mcap"
        code, _, err = piped("convert", "-", copy, given=self.mcap.read_bytes())
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(kitbag_digest(copy), kitbag_digest(self.bag))

    def test_from_pipe_to_pipe(self):
        code, out, err = piped("compress", "-", "-o", "-", given=self.mcap.read_bytes())
        self.assertEqual((code, err), (0, ""))
        copy = self.folder / "through.mcap"
        copy.write_bytes(out)
        self.assertEqual(kitbag_digest(copy), kitbag_digest(self.bag))

    def test_a_stream_that_is_cut_is_told(self):
        code, out, err = piped("cat", "-", "--format", "digest",
                               given=self.mcap.read_bytes()[:-1000])
        self.assertNotEqual(err, "")
        self.assertNotEqual(out, b"")
        self.assertEqual(piped("cat", "--strict", "-", given=self.mcap.read_bytes()[:-1000])[0], 2)

    def test_info_counts_what_comes(self):
        code, out, err = piped("info", "-", "--json", given=self.mcap.read_bytes())
        self.assertEqual((code, err), (0, ""))
        seen, stored = json.loads(out), json.loads(kitbag("info", "--json", self.mcap))
        for each in ("messages", "start_ns", "end_ns", "channels"):
            self.assertEqual(seen[each], stored[each])

    def test_bags_that_need_a_file_are_refused(self):
        code, _, err = piped("info", "-", given=self.bag.read_bytes())
        self.assertEqual(code, 2)
        self.assertIn("save it to a file", err)
        code, out, err = piped("convert", self.mcap, "-", "--format", "rosbag")
        self.assertEqual((code, out), (2, b""))
        self.assertIn("pipe", err)


if __name__ == "__main__":
    peers.main()
