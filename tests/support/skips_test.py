#!/usr/bin/env python3
"""What is skipped is printed, and fails in CI: for C++ and Python alike."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from peers import ROOT, SKIPPED, main

HERE = Path(__file__).resolve().parent
BUILD = Path(os.environ.get("KITBAG_BUILD", ROOT / "build" / "release"))
FAILED = 1
PYTHON = """
import sys, unittest
sys.path.insert(0, sys.argv.pop())
from peers import main, need
class Two(unittest.TestCase):
    def test_one(self):
        pass
    def test_other(self):
        need({present}, "there is\\nno thing", "a_thing")
main()
"""
CPP = [BUILD / "tests_support", "--gtest_also_run_disabled_tests", "--gtest_filter=SkipOrFail.*"]


class SkipsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def outcome(self, command, **variables):
        """The exit code, and the lines that are left for the end of the run."""
        log = self.folder / "log"
        log.unlink(missing_ok=True)
        bare = {name: value for name, value in os.environ.items()
                if name not in ("CI", "KITBAG_EXCUSED")}
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              env={**bare, **variables, "KITBAG_SKIPPED": str(log)}, timeout=60)
        return done.returncode, log.read_text().splitlines() if log.exists() else []

    def python(self, present):
        (self.folder / "some_test.py").write_text(PYTHON.format(present=present))
        return [sys.executable, "-B", "some_test.py", HERE]

    def expect_rule(self, command, told):
        self.assertEqual(self.outcome(command), (SKIPPED, [told]))
        self.assertEqual(self.outcome(command, CI="true"), (FAILED, []))
        self.assertEqual(self.outcome(command, CI="true", KITBAG_EXCUSED="any a_thin"),
                         (FAILED, []))
        self.assertEqual(self.outcome(command, CI="true", KITBAG_EXCUSED="any a_thing"),
                         (SKIPPED, [told]))

    def test_cpp(self):
        self.expect_rule(CPP, "SkipOrFail.DISABLED_IsSkipped: there is no thing")

    def test_python(self):
        self.expect_rule(self.python(False), "some_test.py: Two.test_other: there is no thing")

    def test_what_is_there_is_tested(self):
        self.assertEqual(self.outcome(self.python(True), CI="true"), (0, []))
        self.assertEqual(self.outcome(CPP[:1]), (0, []))


if __name__ == "__main__":
    main()
