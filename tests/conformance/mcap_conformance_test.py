#!/usr/bin/env python3
"""The cases of the public MCAP conformance suite, read in file order, read by index, written."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402

CASES = peers.ROOT.parent / "shared" / "data" / "mcap-conformance"
PROGRAM = Path(os.environ.get("KITBAG_BUILD", peers.ROOT / "build" / "release"), "mcap_conformance")


def run(mode, path):
    done = subprocess.run([PROGRAM, mode, path], capture_output=True)
    if done.returncode:
        raise AssertionError(f"{mode} {path.name}: exit {done.returncode}: {done.stderr.decode()}")
    return done.stdout


def field(record, name):
    return next(value for key, value in record["fields"] if key == name)


def expected_by_index(records):
    """What a reader that goes by the index gives."""
    found = {"schemas": {}, "channels": {}}
    messages, statistics = [], []
    for record in records:
        kind = record["type"]
        if kind in ("Schema", "Channel"):
            found[kind.lower() + "s"].setdefault(int(field(record, "id")), record)
        elif kind == "Message":
            messages.append(record)
        elif kind == "Statistics":
            statistics.append(record)
    result = {kind: [one for _, one in sorted(of_id.items())] for kind, of_id in found.items()}
    messages.sort(key=lambda message: int(field(message, "log_time")))
    return result | {"messages": messages, "statistics": statistics}


class Conformance(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        peers.need_data(CASES)
        cls.cases = [(path, json.loads(path.with_suffix(".json").read_text()))
                     for path in sorted(CASES.glob("*/*.mcap"))]

    def judge(self, mode, wants, expected):
        judged = 0
        for path, case in self.cases:
            features = set(case["meta"]["variant"]["features"])
            if not wants(features, case["records"]):
                continue
            with self.subTest(path.stem):
                judged += 1
                self.assertEqual(json.loads(run(mode, path)), expected(case["records"]))
        self.assertGreater(judged, 0)

    def test_streamed(self):
        self.judge("streamed", lambda features, records: True,
                   lambda records: {"records": records})

    def test_by_index(self):
        def is_wanted(features, records):
            has_messages = any(record["type"] == "Message" for record in records)
            return has_messages and {"ch", "chx", "rch", "rsh"} <= features
        self.judge("indexed", is_wanted, expected_by_index)

    def test_written(self):
        for path, case in self.cases:
            if "pad" in case["meta"]["variant"]["features"]:
                continue  # extra bytes at the end of records, which nobody writes
            with self.subTest(path.stem):
                self.assertEqual(run("write", path.with_suffix(".json")), path.read_bytes())


if __name__ == "__main__":
    peers.main()
