"""What tests against the real peers share: the skip-or-fail rule, running programs, digests."""

import hashlib
import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REAL_BAGS = ROOT.parent / "shared" / "data" / "ros1"
SKIPPED = 77  # tests/CMakeLists.txt tells ctest


def need(present, reason):
    """Skips the test where a peer is absent; fails it when a machine runs it."""
    if present:
        return
    if os.environ.get("CI") == "true":
        raise AssertionError(f"cannot skip: {reason}")
    raise unittest.SkipTest(reason)


def need_real_bags():
    """They come with no package, so not even a machine must have them."""
    if not REAL_BAGS.is_dir():
        raise unittest.SkipTest("the real bags (../shared/data/ros1) are not there")


def run(*command, code=0, **more):
    """Standard output of a program that must end with `code` (None: any)."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}, not {code}\n"
                             f"{done.stdout}{done.stderr}")
    return done.stdout


def run_json(*command, **more):
    return json.loads(run(*command, **more))


def program():
    """The kitbag to test: ctest tells; by hand, the release build's."""
    return os.environ.get("KITBAG", str(ROOT / "build" / "release" / "kitbag"))


def kitbag(*arguments, **more):
    return run(program(), *arguments, **more)


def kitbag_digest(bag, *options):
    """{(topic, type): [messages, sha256]} as the program tells it."""
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


class _Result(unittest.TextTestResult):
    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def main():
    """Runs the calling file's tests; exits with SKIPPED when nothing was left to run."""
    runner = unittest.TextTestRunner(resultclass=_Result, verbosity=2)
    result = unittest.main(module="__main__", exit=False, testRunner=runner).result
    if result.wasSuccessful() and result.passed == 0:
        sys.exit(SKIPPED)
    sys.exit(not result.wasSuccessful())
