"""What tests against the real peers share: the skip-or-fail rule, running programs, digests."""

import hashlib
import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REAL_BAGS = ROOT.parent / "shared" / "data" / "ros1"
SKIPPED = 77  # tests/CMakeLists.txt says so to ctest


def need(present, reason, thing=None):
    """Skips the test where something is absent; fails it when a machine runs it. What no package
    brings is a `thing`, and .ci/excused names those that the machine is known to lack: there, the
    test is skipped all the same. tests/support/skip_or_fail.h has the same rule."""
    if present:
        return
    is_excused = thing in os.environ.get("KITBAG_EXCUSED", "").split()
    if os.environ.get("CI") == "true" and not is_excused:
        raise AssertionError(f"cannot skip: {reason}")
    raise unittest.SkipTest(reason)


def need_data(path):
    """Something of ../shared/data, which is beside the tree."""
    need(path.exists(), f"../{path.relative_to(ROOT.parent)} is not there", "shared_data")


def need_real_bags():
    need_data(REAL_BAGS)


def run(*command, code=0, **more):
    """Standard output of a program that must end with `code` (None: any)."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}, not {code}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


def preloaded(name, folder):
    """tests/support/NAME.cpp as a library for LD_PRELOAD, made in the folder."""
    library = Path(folder) / f"{name}.so"
    run("c++", "-std=c++20", "-O1", "-shared", "-fPIC", "-I", ROOT,
        ROOT / "tests" / "support" / f"{name}.cpp", "-o", library, "-ldl")
    return library


def run_json(*command, **more):
    return json.loads(run(*command, **more))


def program():
    """The kitbag to test: as ctest says; by hand, the release build's."""
    return os.environ.get("KITBAG", str(ROOT / "build" / "release" / "kitbag"))


def kitbag(*arguments, **more):
    return run(program(), *arguments, **more)


def formats():
    """{name: extension} of the formats that are files with an extension of their own: what the
    program lists where it is asked for one that does not exist."""
    done = subprocess.run([program(), "info", ROOT / "README.md", "--storage-format", "none"],
                          capture_output=True, text=True)
    return dict(re.findall(r"([a-z0-9]+) \((\.[a-z0-9]+)\)", done.stderr))


def kitbag_digest(bag, *options):
    """{(topic, type): [messages, sha256]} as the program prints it."""
    lines = kitbag("cat", bag, "--format", "digest", *options).splitlines()
    rows = [line.split("\t") for line in lines]
    return {(topic, type_): [int(count), sha256] for topic, type_, count, sha256 in rows}


def digest(messages):
    """The same of (topic, type, log_time_ns, payload) in order."""
    hashes, counts = {}, {}
    for topic, type_, time_ns, payload in messages:
        key = (topic, type_)
        hashes.setdefault(key, hashlib.sha256()).update(time_ns.to_bytes(8, "little") + payload)
        counts[key] = counts.get(key, 0) + 1
    return {key: [counts[key], hashes[key].hexdigest()] for key in hashes}


def note_not_run(what, reason):
    """Adds a line to the file that KITBAG_SKIPPED names, for the end of `./dev test`."""
    path = os.environ.get("KITBAG_SKIPPED")
    if path:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{what}: {reason}\n".replace("\n", " ").strip() + "\n")


class _Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        name = test.id().removeprefix("__main__.") if hasattr(test, "id") else str(test)
        note_not_run(f"{Path(sys.argv[0]).name}: {name}", reason)


def main():
    """Runs the calling file's tests; exits with SKIPPED when one was skipped and none failed."""
    runner = unittest.TextTestRunner(resultclass=_Result, verbosity=2)
    result = unittest.main(module="__main__", exit=False, testRunner=runner).result
    if result.wasSuccessful() and result.skipped:
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful())
