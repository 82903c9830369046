#!/usr/bin/env python3
"""Splitting into hundreds of files of one directory: each file costs what the first does."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from failing_system import counted  # noqa: E402
from peers import kitbag, preloaded, program, run  # noqa: E402

FILES = 800
CPU_SECONDS = 8  # some eight times what is needed
SECONDS = 600


class ManyFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # In memory where there is such a place: each file is synced.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        folder = tempfile.TemporaryDirectory(dir=memory)
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        cls.bag = cls.folder / "in.mcap"
        kitbag("convert", "demo://?seconds=16", cls.bag, "--topics", "/odom")

    def split(self, files, *before, **more):
        out = self.folder / f"out_{files}"
        messages = kitbag("cat", self.bag, "--format", "csv", "--fields",
                          "child_frame_id").count("\n") - 1
        source = self.folder / "part.mcap"
        kitbag("convert", self.bag, source, "--count", files, "--force")
        self.assertGreaterEqual(messages, files)
        done = subprocess.run([*before, program(), "split", source, f"{out}/", "--split-messages",
                               "1"], capture_output=True, text=True, timeout=SECONDS, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list(out.glob("*.mcap"))), files)
        kitbag("check", out)
        kitbag("diff", source, out)
        return out

    def test_in_proportion_of_time(self):
        self.split(FILES, "prlimit", f"--cpu={CPU_SECONDS}")

    def test_in_proportion_of_calls(self):
        shim = preloaded("failing_calls", self.folder)

        def calls(files):
            count = self.folder / "count"
            self.split(files, env={**os.environ, "LD_PRELOAD": str(shim),
                                   "KITBAG_FAIL_CALLS": "open read stat",
                                   "KITBAG_FAIL_UNDER": f"{self.folder}/",
                                   "KITBAG_FAIL_COUNT": str(count)})
            return sum(counted(count).values())

        self.assertLess(calls(120), 2.4 * calls(60))


if __name__ == "__main__":
    peers.main()
