#!/usr/bin/env python3
"""What clang-tidy looks at: the files that differ from the last tag, and what includes them."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from clang_tidy_test import changed_since_tag, files_with  # noqa: E402
from peers import main  # noqa: E402

FILES = {"include/kitbag/a.h": "", "src/room/b.h": '#include "kitbag/a.h"\n',
         "src/room/b.cpp": '#include "room/b.h"\n', "src/room/c.cpp": '#include "d.h"\n',
         "src/room/d.h": "#include <vector>\n", "src/room/e.cpp": '  #  include "room/d.h"  // x\n'}


class ChangesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        for name, text in FILES.items():
            self.write(name, text)
        self.git("init", "-q")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "all")

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *arguments],
                       cwd=self.root, check=True)

    def expect_looked_at(self, *names):
        tag, changed = changed_since_tag(self.root)
        self.assertEqual(tag, "first")
        files = [self.root / name for name in FILES if name.endswith(".cpp")]
        found = files_with({self.root / name for name in changed}, files, self.root)
        self.assertEqual([str(file.relative_to(self.root)) for file in found], list(names))

    def test_what_includes_a_changed_header(self):
        self.git("tag", "first")
        self.assertEqual(changed_since_tag(self.root), (None, set()), "the tag is HEAD's own")
        self.git("commit", "-q", "--allow-empty", "-m", "more")
        self.expect_looked_at()
        self.write("src/room/e.cpp", "")
        self.expect_looked_at("src/room/e.cpp")
        self.write("include/kitbag/a.h", "// changed\n")
        self.git("commit", "-q", "-a", "-m", "changed")
        self.expect_looked_at("src/room/b.cpp", "src/room/e.cpp")
        self.write("src/room/d.h", "// changed\n")
        self.expect_looked_at("src/room/b.cpp", "src/room/c.cpp", "src/room/e.cpp")

    def test_a_new_header_is_a_change(self):
        self.git("tag", "first")
        self.git("commit", "-q", "--allow-empty", "-m", "more")
        self.write("src/room/kitbag/a.h", "")
        self.expect_looked_at("src/room/b.cpp")

    def test_without_a_tag_or_without_git_there_is_nothing_to_compare_with(self):
        self.assertEqual(changed_since_tag(self.root), (None, set()))
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(changed_since_tag(folder), (None, set()))


if __name__ == "__main__":
    main()
