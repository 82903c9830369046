#!/usr/bin/env python3
"""The page's own tests, by vitest."""

import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from browser import WEB, need_vite  # noqa: E402
from peers import program, run  # noqa: E402


class Units(unittest.TestCase):
    def test_vitest(self):
        need_vite()
        environment = {**os.environ, "KITBAG": os.path.abspath(program()), "NO_COLOR": "1"}
        said = run("npx", "vitest", "run", cwd=WEB, env=environment)
        self.assertRegex(said, r"Tests +\d+ passed \(\d+\)")


if __name__ == "__main__":
    peers.main()
