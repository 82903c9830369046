#!/usr/bin/env python3
"""The manual pages: what man(1) shows has the texts of the help."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import kitbag, main, program  # noqa: E402

# An option in the help: its name, and what it is for, beside or below it.
ENTRY = re.compile(r"^  (-\S+(?: \S+)?)(?: {2,}|\n {34})(\S.*(?:\n {34}\S.*)*)", re.MULTILINE)


class ManPages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        kitbag("--man-pages", cls.folder)
        _, *verbs = kitbag("--complete", "").splitlines()
        cls.verbs = dict(line.split("\t") for line in verbs)
        del cls.verbs["help"]  # the pages are the help

    def test_there_is_one_for_each_verb(self):
        self.assertEqual({page.name for page in self.folder.iterdir()},
                         {"kitbag.1", *(f"kitbag-{verb}.1" for verb in self.verbs)})

    def test_mandoc_has_no_objections(self):
        for page in self.folder.iterdir():
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page], text=True,
                                  capture_output=True)
            objections = [line for line in done.stdout.splitlines()
                          if "missing date" not in line]  # a date would make builds differ
            self.assertEqual(objections, [], page.name)

    def test_what_is_shown_is_the_help(self):
        def words(text):
            return re.sub(r"\s+", " ", text)
        for verb, summary in self.verbs.items():
            shown = words(subprocess.run(
                ["mandoc", "-T", "ascii", "-O", "width=1000", self.folder / f"kitbag-{verb}.1"],
                capture_output=True, text=True, check=True).stdout.replace("\b", "\0"))
            shown = re.sub(r".\0", "", shown)  # bold: a letter, back, the letter
            self.assertIn(summary.rstrip("."), shown)
            text = kitbag(verb, "--help-all")
            for name, meaning in ENTRY.findall(text):
                self.assertIn(words(name), shown, verb)
                self.assertIn(words(meaning), shown, verb)

    def test_a_folder_that_is_not_there(self):
        done = subprocess.run([program(), "--man-pages", self.folder / "none"], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("none/kitbag", done.stderr)


if __name__ == "__main__":
    main()
