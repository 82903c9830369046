#!/usr/bin/env python3
"""What ./dev run shows: each line of it ends with exit code 0, as people try it first."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import REAL_BAGS, ROOT, main, need_real_bags, program  # noqa: E402


class DevRun(unittest.TestCase):
    def test_each_line_works(self):
        need_real_bags()
        shown = re.search(r"\ndemo\(\) \{\n(.*?)\n\}\n", (ROOT / "dev").read_text(), re.DOTALL)[1]
        lines = re.findall(r"^  show (kitbag .+)$", shown, re.MULTILINE)
        self.assertGreater(len(lines), 15)
        path = f"{Path(program()).parent}:{os.environ['PATH']}"
        with tempfile.TemporaryDirectory() as folder:
            shutil.copyfile(next(REAL_BAGS.glob("v2.0_rosbag.js_example_*.bag")),
                            Path(folder, "drive.bag"))
            for line in lines:
                done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True,
                                      text=True, timeout=60, env={**os.environ, "PATH": path})
                self.assertEqual(done.returncode, 0, f"{line}: {done.stderr}")


if __name__ == "__main__":
    main()
