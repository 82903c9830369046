#!/usr/bin/env python3
"""Programs outside of the tree that find an installed kitbag by pkg-config."""

import os
import shlex
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from examples import BUILD  # noqa: E402
from peers import ROOT, kitbag, main, run  # noqa: E402


class PkgConfig(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        run("cmake", "--install", BUILD, "--prefix", cls.folder / "first")
        (cls.folder / "first").rename(cls.folder / "moved")  # it is found where it is now
        found = list((cls.folder / "moved").glob("lib*/**/kitbag.pc"))
        assert len(found) == 1, found
        cls.environment = {**os.environ, "PKG_CONFIG_PATH": str(found[0].parent)}

    def ask(self, *options):
        return run("pkg-config", *options, "kitbag", env=self.environment).strip()

    def build(self, compiler, source, name):
        flags = shlex.split(self.ask("--cflags", "--libs"))
        folder = next(flag[2:] for flag in flags if flag.startswith("-L"))
        run(*compiler, ROOT / "examples" / source, "-o", self.folder / name, *flags, "-lm",
            f"-Wl,-rpath,{folder}")
        return self.folder / name

    def test_the_version_is_that_of_the_program(self):
        self.assertEqual(kitbag("--version").split()[1], self.ask("--modversion"))

    def test_a_program_in_c(self):
        bag = self.folder / "wave.mcap"
        self.assertEqual(run(self.build(["cc", "-std=c11"], "c/write.c", "write"), bag),
                         "100 messages\n")
        self.assertIn("100 messages in", run(self.build(["cc", "-std=c11"], "c/read.c", "read"),
                                             bag))

    def test_a_program_in_cxx(self):
        bag = self.folder / "images.mcap"
        run(self.build(["c++", "-std=c++20"], "record-images/main.cpp", "record-images"), bag, 4,
            "buffered")
        self.assertIn("sensor_msgs/Image", kitbag("info", bag))


if __name__ == "__main__":
    main()
