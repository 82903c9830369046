#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) over the sources, as many files at a time as there are processors.

The environment variable KITBAG_BUILD names the build folder, with its compile_commands.json.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def sources(build):
    """What is compiled of src/, tests excepted: these are the compiler's and the sanitizers'."""
    commands = json.loads((build / "compile_commands.json").read_text())
    files = {Path(command["directory"], command["file"]).resolve() for command in commands}
    return sorted(f for f in files
                  if f.is_relative_to(ROOT / "src") and not f.name.endswith("_test.cpp"))


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
    print(f"{len(files)} files, {len(reports)} with findings")
    return 1 if reports or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(os.environ["KITBAG_BUILD"]).resolve()))
