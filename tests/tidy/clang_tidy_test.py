#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) over the sources, as many files at a time as there are processors.

The environment variable KITBAG_BUILD names the build folder, with its compile_commands.json.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def parts(file):
    """The sources that are compiled with `file`: those it includes where CMake joined several."""
    if file.parent.name != "Unity":
        return [file]
    return [Path(path) for path in re.findall(r'#include "(.+\.cpp)"', file.read_text())]


def is_ours(file):
    """Of src/, tests excepted: these are the compiler's and the sanitizers'."""
    return file.is_relative_to(ROOT / "src") and not file.name.endswith("_test.cpp")


def sources(build):
    commands = json.loads((build / "compile_commands.json").read_text())
    files = {Path(command["directory"], command["file"]).resolve() for command in commands}
    return sorted(f for f in files if any(is_ours(part) for part in parts(f)))


def tidy(build, file):
    # g++'s warnings are on in the compile commands and are g++'s to give.
    command = ["clang-tidy", "-p", str(build), "--quiet", "--extra-arg=-w", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def main(build):
    files = sources(build)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = [r for r in pool.map(lambda f: tidy(build, f), files) if r]
    print(*reports, sep="\n")
    count = sum(len(parts(file)) for file in files)
    print(f"{count} files in {len(files)} runs, {len(reports)} with findings")
    return 1 if reports or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(os.environ["KITBAG_BUILD"]).resolve()))
