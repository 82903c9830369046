#!/usr/bin/env python3
"""What clang-tidy looks at: the files that have changed since it found nothing, and what includes
them."""

import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

from clang_tidy_test import RULES, changed, write_tidied  # noqa: E402
from peers import main  # noqa: E402

FILES = {"include/kitbag/a.h": "", "src/room/b.h": '#include "kitbag/a.h"\n',
         "src/room/b.cpp": '#include "room/b.h"\n', "src/room/c.cpp": '#include "d.h"\n',
         "src/room/d.h": "#include <vector>\n", "src/room/e.cpp": '  #  include "room/d.h"  // x\n'}


class ChangesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        (self.root / ".ci").mkdir()
        for name, text in {**FILES, **dict.fromkeys(RULES, "")}.items():
            self.write(name, text)
        self.sources = [self.root / name for name in FILES if name.endswith(".cpp")]

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def expect_looked_at(self, *names):
        found = sorted(str(file.relative_to(self.root))
                       for file in changed(self.sources, self.root))
        self.assertEqual(found, list(names))

    def test_what_includes_a_changed_header(self):
        write_tidied(self.sources, self.root)
        self.expect_looked_at()
        self.write("src/room/e.cpp", "")
        self.expect_looked_at("src/room/e.cpp")
        self.write("include/kitbag/a.h", "// changed\n")
        self.expect_looked_at("src/room/b.cpp", "src/room/e.cpp")
        self.write("src/room/d.h", "// changed\n")
        self.expect_looked_at("src/room/b.cpp", "src/room/c.cpp", "src/room/e.cpp")
        write_tidied(self.sources, self.root)
        self.expect_looked_at()

    def test_a_new_header_is_a_change(self):
        write_tidied(self.sources, self.root)
        self.write("src/room/kitbag/a.h", "")
        self.expect_looked_at("src/room/b.cpp")

    def test_a_new_source_is_looked_at(self):
        write_tidied(self.sources[1:], self.root)
        self.expect_looked_at("src/room/b.cpp")

    def test_all_are_looked_at_by_other_rules(self):
        write_tidied(self.sources, self.root)
        self.write(RULES[0], "Checks: '*'\n")
        self.expect_looked_at("src/room/b.cpp", "src/room/c.cpp", "src/room/e.cpp")

    def test_all_are_looked_at_where_nothing_is_known(self):
        self.expect_looked_at("src/room/b.cpp", "src/room/c.cpp", "src/room/e.cpp")


if __name__ == "__main__":
    main()
