#!/usr/bin/env python3
"""docs/architecture.md shows the tree as it is.

Each folder is in its list of the tree or in its table of the layers, and each of these names a
folder that is there. The layers of the table are those of layers_test.py.
"""

import re
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import layers_test as layers  # noqa: E402
from peers import main  # noqa: E402
from style_test import tracked_files  # noqa: E402

ROOT = HERE.parents[1]
PAGE = (ROOT / "docs/architecture.md").read_text()
# Folders that the page shows by what is in them.
SHOWN_BY_PARTS = ("docs", "include", "python", "src", "src/cli", "src/server", "tests")


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL)[1]


def in_the_tree():
    """What the list shows: folders, and files."""
    return re.findall(r"^    (\S+)", section("The tree"), re.MULTILINE)


def in_the_table():
    """The modules of the table, with their layer or None."""
    for layer, modules in re.findall(r"^\| (\d*) *\| (`.*?) \|", section("Layers"), re.MULTILINE):
        for module in re.findall(r"`([^`]+)`", modules):
            yield module, int(layer) if layer else None


def folders():
    """Those of the sources that hold files, relative to the root."""
    names = {file.relative_to(ROOT).parent.as_posix() for file in tracked_files()}
    return {name for name in names if not name.startswith(".")}


def shown(folder):
    """The folder that the page must show where there are files in `folder`."""
    parts = folder.split("/")
    if parts[0] == "src" and parts[1:2] not in (["cli"], ["server"]):
        return folder  # a module, or a part of one
    depth = 1
    while "/".join(parts[:depth]) in SHOWN_BY_PARTS and depth < len(parts):
        depth += 1
    return "/".join(parts[:depth])


class Architecture(unittest.TestCase):
    def test_shows_each_folder(self):
        known = {name.rstrip("/") for name in in_the_tree()}
        known |= {f"src/{name}" for name in (*dict(in_the_table()), *layers.PARTS)}
        missing = {shown(folder) for folder in folders()} - known - set(SHOWN_BY_PARTS)
        self.assertEqual(missing, set(), "docs/architecture.md does not show these folders")

    def test_shows_nothing_else(self):
        names = [name for name in in_the_tree() if "<" not in name]
        names += [f"src/{module}" for module, _ in in_the_table()]
        self.assertGreater(len(names), 50)
        self.assertEqual([n for n in names if not (ROOT / n).exists()], [])

    def test_the_layers_are_those_that_are_checked(self):
        table = dict(in_the_table())
        self.assertEqual(layers.LAYERS.keys() - table.keys(), set())
        for module, layer in table.items():
            if module not in layers.FACES:
                self.assertEqual(layer, layers.layer_of(module), module)


if __name__ == "__main__":
    main()
