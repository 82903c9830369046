#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) over the sources, as many files at a time as there are processors.

It looks at the files that are not as `.ci/tidied` has them, nor all that they include: a line for
each file, written when all of them were looked at and nothing was found. It looks at all of them
where there is no such file, where the rules themselves have changed, and with `--all`, which is
what writes the file (./dev tidy).
The environment variable KITBAG_BUILD names the build folder, with its compile_commands.json.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from peers import note_not_run  # noqa: E402

FOLDERS = ("src", "include", ".")  # from which files are included
RULES = (".clang-tidy", "tests/tidy/clang_tidy_test.py")
TIDIED = ".ci/tidied"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


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


def included_by(file, root=ROOT):
    """The project's files that `file` includes itself."""
    for name in INCLUDE.findall(file.read_text()):
        for folder in (file.parent, *(root / folder for folder in FOLDERS)):
            if (folder / name).is_file():
                yield (folder / name).resolve()
                break


class Digests:
    """Of files, with all that they include, near or far, and with the rules."""

    def __init__(self, root=ROOT):
        self._root = root
        self._rules = b"".join((root / name).read_bytes() for name in RULES)
        self._files = {}

    def _look(self, file):
        """The digest of a file's own text, and what it includes."""
        if file not in self._files:
            digest = hashlib.sha256(file.read_bytes()).digest()
            self._files[file] = digest, list(included_by(file, self._root))
        return self._files[file]

    def of(self, file):
        seen, left = {}, [file]
        while left:
            each = left.pop()
            if each not in seen:
                seen[each], included = self._look(each)
                left += included
        names = {str(each.relative_to(self._root)): seen[each] for each in seen}
        content = b"".join(name.encode() + names[name] for name in sorted(names))
        return hashlib.sha256(self._rules + content).hexdigest()[:16]


def read_tidied(root=ROOT):
    """{path: digest} as the last clean look at all files left it."""
    try:
        lines = (root / TIDIED).read_text().splitlines()
    except FileNotFoundError:
        return {}
    return dict(reversed(line.split(" ", 1)) for line in lines)


def write_tidied(files, root=ROOT):
    digests = Digests(root)
    lines = [f"{digests.of(file)} {file.relative_to(root)}\n" for file in sorted(files)]
    (root / TIDIED).write_text("".join(lines))


def changed(files, root=ROOT):
    """Those of `files` that are not as .ci/tidied has them."""
    digests, tidied = Digests(root), read_tidied(root)
    return {file for file in files if tidied.get(str(file.relative_to(root))) != digests.of(file)}


def tidy(build, file):
    # g++'s warnings are on in the compile commands and are g++'s to give.
    command = ["clang-tidy", "-p", str(build), "--quiet", "--extra-arg=-w", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def main(build, is_all):
    found = sources(build)
    every = {part for file in found for part in parts(file) if is_ours(part)}
    wanted = every if is_all else changed(every)
    files = [file for file in found if wanted & set(parts(file))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = [r for r in pool.map(lambda f: tidy(build, f), files) if r]
    print(*reports, sep="\n")
    count = len(every & {part for file in files for part in parts(file)})
    print(f"{count} of {len(every)} files in {len(files)} runs, {len(reports)} with findings")
    if count < len(every):
        note_not_run("clang-tidy (./dev tidy)",
                     f"{len(every) - count} of {len(every)} files, as {TIDIED} has them")
    if is_all and found and not reports:
        write_tidied(every)
    return 1 if reports or not found else 0


if __name__ == "__main__":
    sys.exit(main(Path(os.environ["KITBAG_BUILD"]).resolve(), sys.argv[1:] == ["--all"]))
