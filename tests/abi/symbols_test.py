#!/usr/bin/env python3
"""The symbols of libkitbag are those of c.txt and cxx.txt: a program that was linked yesterday runs
today, and nothing is exported by accident. `symbols_test.py --write` updates the lists. If
that removes a line, programs must be built again, and the library's SOVERSION changes."""

import re
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from examples import BUILD  # noqa: E402
from peers import main, run  # noqa: E402

STRONG = "TDBR"  # of nm: what only this library has; inline functions are in each program
# Casts and exceptions need these.
NAMED = re.compile(r"(vtable|typeinfo) for kitbag::(?!\(anonymous)")


# Each costs a start of kitbag 0.3 to 7 ms (docs/decisions/047): what few runs need is loaded
# when it is called.
LOADED_AT_THE_START = {
    "libbrotlidec", "libbz2", "libdeflate", "libfmt", "libisal", "liblz4", "libre2", "libsnappy",
    "libsqlite3", "liburing", "libyaml-cpp", "libz", "libzstd"}
OF_THE_LANGUAGE = {"ld-linux-x86-64", "ld-linux-aarch64", "libasan", "libc", "libgcc_s", "libm",
                   "libstdc++"}


def symbols():
    """({symbols of C}, {symbols of C++})."""
    listed = run("nm", "--dynamic", "--defined-only", "--demangle", BUILD / "libkitbag.so")
    rows = [line.split(" ", 2)[1:] for line in listed.splitlines()]
    kept = {name for kind, name in rows if kind in STRONG or NAMED.match(name)}
    in_c = {name for name in kept if re.fullmatch(r"kitbag_\w+", name)}
    return in_c, kept - in_c


def read(name):
    return set((HERE / name).read_text().splitlines())


class Symbols(unittest.TestCase):
    maxDiff = None

    def compare(self, found, name):
        listed = read(name)
        self.assertEqual(sorted(listed - found), [], f"{name} has what the library has no longer")
        self.assertEqual(sorted(found - listed), [], f"{name} lacks what the library has")

    def test_c(self):
        self.compare(symbols()[0], "c.txt")

    def test_cxx(self):
        self.compare(symbols()[1], "cxx.txt")

    def test_a_start_loads_these_libraries(self):
        needed = set()
        for file in ("libkitbag.so", "kitbag"):
            told = run("readelf", "--dynamic", BUILD / file)
            needed |= set(re.findall(r"\(NEEDED\).*\[(.+?)\.so", told))
        self.assertEqual(needed - OF_THE_LANGUAGE - {"libkitbag"}, LOADED_AT_THE_START)

    def test_every_function_of_the_header_is_there(self):
        header = (HERE.parents[1] / "include/kitbag/c.h").read_text()
        declared = set(re.findall(r"KITBAG_API [^;(]*?\b(kitbag_\w+)\(", header))
        self.assertEqual(declared, read("c.txt"))


if __name__ == "__main__":
    if "--write" in sys.argv:
        for name, found in zip(("c.txt", "cxx.txt"), symbols()):
            (HERE / name).write_text("".join(line + "\n" for line in sorted(found)))
    else:
        main()
