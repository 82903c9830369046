#!/usr/bin/env python3
"""Runs clang-tidy (.clang-tidy) over the sources, as many files at a time as there are processors.

It looks at the files that differ from the last tag before HEAD, and at those that include them. It
looks at all of them where there is no such tag or no git, where the rules themselves have changed,
and with `--all`.
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
sys.path.insert(0, str(ROOT / "tests" / "support"))

from peers import note_not_run  # noqa: E402

FOLDERS = ("src", "include", ".")  # from which files are included
RULES = {".clang-tidy", "tests/tidy/clang_tidy_test.py"}
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


def git(*arguments, root=ROOT):
    command = ["git", "-c", "safe.directory=*", *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def changed_since_tag(root=ROOT):
    """The last tag before HEAD, and the files that differ from it; nothing where there is none."""
    try:
        tag = git("describe", "--tags", "--abbrev=0", "HEAD^", root=root).strip()
        names = git("diff", "--name-only", "-z", tag, root=root)
        names += git("ls-files", "-z", "-o", "--exclude-standard", root=root)
    except (OSError, subprocess.CalledProcessError):
        return None, set()
    return tag, {name for name in names.split("\0") if name}


def included_by(file, root=ROOT):
    """The project's files that `file` includes itself."""
    for name in INCLUDE.findall(file.read_text()):
        for folder in (file.parent, *(root / folder for folder in FOLDERS)):
            if (folder / name).is_file():
                yield (folder / name).resolve()
                break


def files_with(changed, files, root=ROOT):
    """Those of `files` that are among the paths `changed`, or include one of them, near or far."""
    includes = {}

    def reaches(file, seen):
        if file in changed:
            return True
        seen.add(file)
        if file not in includes:
            includes[file] = list(included_by(file, root))
        return any(reaches(each, seen) for each in includes[file] if each not in seen)

    return [file for file in files if reaches(file, set())]


def tidy(build, file):
    # g++'s warnings are on in the compile commands and are g++'s to give.
    command = ["clang-tidy", "-p", str(build), "--quiet", "--extra-arg=-w", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


def chosen(files, tag, names):
    """Those of `files` to look at: all, or those of which a part has changed since `tag`."""
    if tag is None or names & RULES:
        return files
    changed = {(ROOT / name).resolve() for name in names}
    every = [part for file in files for part in parts(file)]
    with_changes = set(files_with(changed, every))
    return [file for file in files if with_changes & set(parts(file))]


def main(build, is_all):
    found = sources(build)
    tag, names = (None, set()) if is_all else changed_since_tag()
    files = chosen(found, tag, names)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = [r for r in pool.map(lambda f: tidy(build, f), files) if r]
    print(*reports, sep="\n")
    count, total = (sum(len(parts(file)) for file in each) for each in (files, found))
    print(f"{count} of {total} files in {len(files)} runs, {len(reports)} with findings")
    if count < total:
        note_not_run("clang-tidy (./dev tidy)",
                     f"{total - count} of {total} files, as they were at {tag}")
    return 1 if reports or not found else 0


if __name__ == "__main__":
    sys.exit(main(Path(os.environ["KITBAG_BUILD"]).resolve(), sys.argv[1:] == ["--all"]))
