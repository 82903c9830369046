#!/usr/bin/env python3
"""What clang-format and a pair of eyes would say: layout, line length, leftovers, foreign paths."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CPP = (".h", ".cpp")
SOURCES = (*CPP, ".py", ".mjs", ".ts", ".tsx", ".css", ".cmake")
BUILT = "web/dist"  # by npm, from web/src
COLUMNS = 100
# Where a test is skipped, a machine must notice: tests/support has the rule for it.
SKIPS = re.compile(r"\b(GTEST_SKIP|SkipTest|skipTest|skipIf|skipUnless|unittest\.(skip|main))\b")
LINES = 600  # of one file in src: more than one idea in it; data has as many as it has
NO_TABS_EXCEPT = (".tsv", ".md")

# Any mistake in the statement would pass for the error that is expected.
THROWS = re.compile(r"\b(EXPECT|ASSERT)_THROW\([^;]*,\s*(kitbag::)?Error\)")

# The library's texts name what the library has; only faces have flags. gpg's are its own.
TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"')
FLAGS = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
NAME_FLAGS = ("src/cli/", "src/server/", "src/sql/", "src/storage/rosbag/gpg.cpp")

LEFTOVERS = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "XX" + "X"]) + r")\b")
HOMES = re.compile(r"(?<![\w.$}])/(home|root|Users)/\w+/")
HOSTS = re.compile(r'"resolved": *"|https?://[\w.-]*(registry|pypi|mirror)[\w.-]*')
# Folder names so common that finding them in a file says nothing.
COMMON = {"app", "build", "builds", "data", "home", "include", "kitbag", "mnt", "opt", "root",
          "src", "srv", "tests", "tmp", "usr", "var"}


def tracked_files():
    """Those that git has or would take; without git, everything that is not built."""
    git = ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"]
    try:
        names = subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        files = [ROOT / name for name in names.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        files = [Path(folder) / name for folder, _, names in os.walk(ROOT) for name in names
                 if not {"build", "node_modules", ".git"} & set(Path(folder).parts)]
    return sorted(f for f in files if f.is_file() and ROOT / BUILT not in f.parents)


def this_machine():
    """Matches paths that only this machine has: where the sources lie, and beside them."""
    folders = [f for f in (ROOT, ROOT.parent) if f != Path("/") and f.name not in COMMON]
    paths = "|".join(re.escape(str(f)) + r"\b" for f in folders)
    return re.compile(rf"(?<![\w.$}})/])({paths})/" if paths else r"(?!)")


def is_source(file):
    return file.suffix in SOURCES or file.name in ("dev", "run", "CMakeLists.txt")


def is_of_library(file):
    name = file.relative_to(ROOT).as_posix()
    return (name.startswith("src/") and not name.startswith(NAME_FLAGS)
            and not name.endswith("_test.cpp"))


def line_problems(file, line, machine):
    if line != line.rstrip():
        yield "trailing space"
    if "\t" in line and file.suffix not in NO_TABS_EXCEPT:
        yield "tab"
    if is_source(file) and len(line) > COLUMNS:
        yield f"{len(line)} columns, {COLUMNS} at most"
    if LEFTOVERS.search(line):
        yield "a promise of later work"
    if HOMES.search(line) or machine.search(line):
        yield "a path that only one machine has"
    if SKIPS.search(line) and "support" not in file.parts and file != Path(__file__).resolve():
        yield "a skip, or a main, past tests/support/skip_or_fail.h or peers.py"
    if is_of_library(file) and any(FLAGS.search(text) for text in TEXTS.findall(line)):
        yield "a flag of the program in a text of the library"
    if HOSTS.search(line):
        yield "a package registry's address"


def file_problems(file, machine):
    name = file.relative_to(ROOT).as_posix()
    try:
        text = file.read_text()
    except UnicodeDecodeError:
        return  # not a text: a picture, a small bag
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        for problem in line_problems(file, line, machine):
            yield f"{name}:{number}: {problem}"
    for throws in THROWS.finditer(text) if file.suffix in CPP else ():
        number = text.count("\n", 0, throws.start()) + 1
        yield f"{name}:{number}: {throws[1]}_ERROR of tests/support/thrown_by.h tells the code too"
    if text and not text.endswith("\n"):
        yield f"{name}: no newline at the end"
    length = text.count("\n")
    if name.startswith("src/") and length > LINES and not name.endswith(".txt"):
        yield f"{name}: {length} lines, {LINES} at most"


def main():
    files = tracked_files()
    machine = this_machine()
    problems = [p for f in files for p in file_problems(f, machine)]
    print(*problems, sep="\n")
    cpp = [str(f) for f in files if f.suffix in CPP]
    formatted = subprocess.run(["clang-format", "--dry-run", "-Werror", *cpp], cwd=ROOT).returncode
    print(f"{len(files)} files, {len(problems)} problems, clang-format exit {formatted}")
    return 1 if problems or formatted or not cpp else 0


if __name__ == "__main__":
    sys.exit(main())
