#!/usr/bin/env python3
"""The C interface, called by C: every function of the header is called, and the metadata that it
writes beside a bag is YAML that says what is in it."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from examples import BUILD  # noqa: E402
from peers import ROOT, main, program, run, run_json  # noqa: E402

HEADER = ROOT / "include" / "kitbag" / "c.h"
SOURCE = Path(__file__).resolve().parent / "every_call.c"


class EveryCall(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def build(self, source):
        built = self.folder / source.stem
        # As the library was built, so that the sanitizers see what C does with its memory too.
        compiler = os.environ.get("KITBAG_C_COMPILER", "cc").split()
        run(*compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion",
            "-Werror", "-pthread", "-I", ROOT / "include", source, "-o", built, "-L", BUILD,
            "-lkitbag", f"-Wl,-rpath,{BUILD}")
        return built

    def test_none_is_left_out(self):
        functions = set(re.findall(r"\b(kitbag_\w+)\(", HEADER.read_text()))
        called = set(re.findall(r"\b(kitbag_\w+)\(", SOURCE.read_text()))
        self.assertGreater(len(functions), 60)
        self.assertEqual(functions - called, set())

    def test_they_do_what_they_say(self):
        address = f"zmq+ipc://{self.folder}/socket"
        recorder = subprocess.Popen([program(), "record", "--from", f"{address}?bind=1",
                                     "-o", self.folder / "replayed.mcap"])
        self.addCleanup(recorder.kill)
        said = run(self.build(SOURCE), self.folder, address, cwd=self.folder, timeout=60)
        self.assertEqual(said, "every call did what it says\n")
        recorder.terminate()
        self.assertEqual(recorder.wait(60), 0)
        replayed = run_json(program(), "info", "--json", self.folder / "replayed.mcap")
        counts = {c["topic"]: c["messages"] for c in replayed["channels"]}
        self.assertEqual(counts.keys(), {"/odom"})
        recorded = run_json(program(), "info", "--json", self.folder / "recorded.mcap")
        self.assertIn(counts["/odom"], [c["messages"] for c in recorded["channels"]])
        run(program(), "convert", self.folder / "written.mcap", self.folder / "copy.bag")
        beside = (self.folder / "written.mcap.metadata.yaml").read_text()
        self.assertIn("rosbag2_bagfile_information:", beside)
        self.assertIn("message_count: 11", beside)
        self.assertIn("name: /state", beside)


if __name__ == "__main__":
    main()
