#!/usr/bin/env python3
"""The programs in examples/python, and what docs/python.md shows, with its output."""

import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import ROOT, main, run  # noqa: E402
from peers import kitbag as program  # noqa: E402
from python_package import FOLDER, FolderTest, make_demo  # noqa: E402

PAGE = ROOT / "docs" / "python.md"


class Examples(FolderTest):
    modules = ("numpy", "pandas")

    def setUp(self):
        super().setUp()
        make_demo(self.folder / "drive.bag", 10)

    def run_python(self, *arguments):
        return run(sys.executable, "-B", *arguments, cwd=self.folder,
                   env={**os.environ, "PYTHONPATH": str(FOLDER)})

    def example(self, name, *arguments):
        return self.run_python(ROOT / "examples" / "python" / name, *arguments)

    def test_topics(self):
        said = self.example("topics.py", "drive.bag").splitlines()
        self.assertEqual(said[0], "2,287 messages in 10.0 s")
        self.assertIn("/odom nav_msgs/Odometry 500: header, child_frame_id, pose, twist", said)

    def test_distance(self):
        self.assertEqual(self.example("distance.py", "drive.bag"), "4.23 m, at most 0.53 m/s\n")

    def test_mark(self):
        for bag in ("marked.bag", "marked.mcap"):
            said = self.example("mark.py", "drive.bag", bag)
            count = int(re.fullmatch(r"(\d+) messages added to /slow\n", said)[1])
            self.assertGreater(count, 10)
            listed = self.example("topics.py", bag)
            self.assertRegex(listed, rf"(?m)^/slow python_msgs/\S*Slow {count}: x, y, limit$")
            self.assertIn("/imu/flat sensor_msgs/Imu 1,000: header", listed)
            program("diff", "drive.bag", bag, "--exclude", "/slow", "/imu/flat", cwd=self.folder)

    def test_the_guide(self):
        """Its sessions, one after the other in one interpreter, print what it says."""
        blocks = re.findall(r"(?m)^    >>> .*\n(?:    .*\n|\n(?=    ))*", PAGE.read_text())
        self.assertGreater(len(blocks), 5)
        text = "".join(re.sub(r"(?m)^    ", "", block) + "\n" for block in blocks)
        (self.folder / "guide.txt").write_text(text)
        script = ("import doctest, sys\n"
                  "done = doctest.testfile('guide.txt', module_relative=False,\n"
                  "                        optionflags=doctest.ELLIPSIS)\n"
                  "sys.exit(done.failed > 0 or done.attempted < 20)\n")
        self.run_python("-c", script)


if __name__ == "__main__":
    main()
