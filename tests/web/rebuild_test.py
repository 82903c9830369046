#!/usr/bin/env python3
"""web/dist is what web/ builds."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from browser import WEB, need_vite  # noqa: E402
from peers import run  # noqa: E402


def files(folder):
    return {file.relative_to(folder).as_posix(): file.read_bytes()
            for file in Path(folder).rglob("*") if file.is_file()}


class Rebuild(unittest.TestCase):
    def test_the_sources_give_what_is_committed(self):
        need_vite()
        with tempfile.TemporaryDirectory() as folder:
            run("npx", "tsc", cwd=WEB)
            run("npx", "vite", "build", "--outDir", folder, cwd=WEB)
            built, committed = files(folder), files(WEB / "dist")
        self.assertEqual(sorted(built), sorted(committed), "run npm run build in web/")
        for name, content in built.items():
            self.assertEqual(content, committed[name], name)


if __name__ == "__main__":
    peers.main()
