#!/usr/bin/env python3
"""A program outside of the tree whose messages are structs of its own."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from examples import build_example  # noqa: E402
from peers import kitbag, main, run, run_json, program  # noqa: E402

READ = """\
sum of speeds: 18.647
ranges: 300
last: right -0.889
/status: no field "wheels[0].sped"; similar: speed
"""


class StructsTest(unittest.TestCase):
    def test_they_are_written_and_read_in_each_encoding(self):
        with tempfile.TemporaryDirectory() as folder:
            built = build_example("structs", Path(folder)) / "structs"
            for name, encoding in (("a.bag", "ros1"), ("b.mcap", "cdr"), ("c.db3", "cdr"),
                                   ("d.mcap", "protobuf"), ("e.mcap", "json")):
                bag = Path(folder) / name
                self.assertEqual(run(built, bag, encoding), READ)
                kitbag("check", bag)  # the definition is what others read
                said = run_json(program(), "cat", bag, "--count", "1", "--fields", "wheels,ranges")
                self.assertEqual(said["data"]["wheels"][1], {"name": "right", "speed": 1}, name)
                self.assertEqual(said["data"]["ranges"], [1, 2, 3], name)


if __name__ == "__main__":
    main()
