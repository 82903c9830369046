#!/usr/bin/env python3
"""The comments of the public headers are whole: Doxygen makes pages of them without a warning."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import ROOT, main, need  # noqa: E402

TEXT = (ROOT / "docs/Doxyfile").read_text()


class Docs(unittest.TestCase):
    def setUp(self):
        need(shutil.which("doxygen"), "doxygen is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def make(self, more=""):
        made = subprocess.run(["doxygen", "-"], cwd=ROOT, text=True, capture_output=True,
                              input=f"{TEXT}\nOUTPUT_DIRECTORY = {self.folder}\n{more}",
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
        return made.returncode, made.stderr

    def test_all_that_is_public_is_described(self):
        code, said = self.make()
        self.assertEqual((code, said), (0, ""))
        pages = {path.name for path in (Path(self.folder) / "docs").glob("*.html")}
        self.assertLessEqual({"index.html", "classkitbag_1_1Session.html", "c_8h.html"}, pages)

    def test_what_is_not_described_is_found(self):
        header = Path(self.folder) / "bare.h"
        header.write_text("/// A class.\nclass Bare {\n public:\n  void nothing();\n};\n")
        code, said = self.make(f"INPUT = {header}\nUSE_MDFILE_AS_MAINPAGE =\n")
        self.assertNotEqual(code, 0)
        self.assertIn("nothing() (function) of class Bare is not documented", said)


if __name__ == "__main__":
    main()
