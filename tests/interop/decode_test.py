#!/usr/bin/env python3
"""What messages say: every message of the real bags as kitbag decodes it and as npm's decoders do,
and there and back through every encoding."""

import json
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import make_bag  # noqa: E402
import peers  # noqa: E402
from peers import kitbag, need, program, run, run_json  # noqa: E402

DATA = peers.ROOT.parent / "shared" / "data"
SCRIPT = HERE / "decode_mcap.mjs"
AS_THEY_ARE = ("--order", "file", "--bytes", "array", "--nan", "string")
# Npm's parsers of ROS definitions know no services, and no messages of constants alone.
UNKNOWN_TO_NPM = ("Could not parse line: '---'", "no root MessageDefinition")
NOT_DECODED = "kitbag has not decoded it"


def is_beyond_npm(reason):
    return any(unknown in reason for unknown in UNKNOWN_TO_NPM)


def real_bags():
    found = []
    for pattern in ("ros1/*.bag", "mcap/**/*.mcap", "rosbag2/**/*.mcap", "rosbag2/**/*.db3"):
        found += sorted(path for path in DATA.glob(pattern) if path.stat().st_size > 0)
    return found


class Decoding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(shutil.which("node"), "node is not installed")
        need((HERE / "node_modules" / "protobufjs").is_dir(), "npm's decoders are not installed")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def decoded(self, bag, name):
        """`bag` as MCAP, and what kitbag prints of it; None where it is no bag."""
        mcap, lines = self.folder / f"{name}.mcap", self.folder / f"{name}.jsonl"
        run(program(), "convert", "-f", bag, mcap, code=None)
        if not mcap.exists():
            return None
        lines.write_text(kitbag("cat", mcap, *AS_THEY_ARE))
        return mcap, lines

    def compare(self, *pairs):
        return run_json("node", SCRIPT, *(path for pair in pairs for path in pair))

    def test_every_message_of_the_real_bags(self):
        peers.need_real_bags()
        pairs = [self.decoded(bag, f"real{i}") for i, bag in enumerate(real_bags())]
        reports = self.compare(*filter(None, pairs))
        self.assertGreater(sum(report["compared"] for report in reports.values()), 20000)
        for file, report in reports.items():
            with self.subTest(file):
                self.assertEqual(report["differences"], [])
                for reason in report["undecoded"].values():
                    self.assertTrue(is_beyond_npm(reason) or reason == NOT_DECODED, reason)

    def test_what_kitbag_encodes(self):
        peers.need_real_bags()
        pairs = []
        for i, bag in enumerate(sorted(peers.REAL_BAGS.glob("v[12]*.bag"))):
            for encoding in ("cdr", "protobuf", "json"):
                encoded = self.folder / f"{i}_{encoding}.mcap"
                run(program(), "convert", "-f", bag, encoded, "--encoding", encoding, code=None)
                if encoded.exists():
                    lines = encoded.with_suffix(".jsonl")
                    # Bytes are base64 in JSON, for npm as well.
                    form = AS_THEY_ARE if encoding != "json" else AS_THEY_ARE[:2] + AS_THEY_ARE[4:]
                    lines.write_text(kitbag("cat", encoded, *form))
                    pairs.append((encoded, lines))
        reports = self.compare(*pairs)
        self.assertGreater(sum(report["compared"] for report in reports.values()), 50000)
        for file, report in reports.items():
            with self.subTest(file):
                self.assertEqual(report["differences"], [])
                for reason in report["undecoded"].values():
                    self.assertTrue(is_beyond_npm(reason), reason)

    def test_every_form_of_cdr(self):
        cases, lines = self.folder / "cases.mcap", self.folder / "cases.jsonl"
        run("node", HERE / "idl_cases.mjs", cases)
        lines.write_text(kitbag("cat", cases, *AS_THEY_ARE))
        self.assertEqual(self.compare((cases, lines))[str(cases)],
                         {"compared": 6, "undecoded": {}, "differences": []})

    def test_a_difference_is_seen(self):
        bag = self.folder / "made.bag"
        make_bag.make_bag(bag)
        mcap, lines = self.decoded(bag, "made")
        self.assertEqual(self.compare((mcap, lines))[str(mcap)]["differences"], [])
        changed = [json.loads(line) for line in lines.read_text().splitlines()]
        changed[3]["data"] = {"data": "something else"}
        lines.write_text("".join(json.dumps(line) + "\n" for line in changed))
        self.assertEqual(len(self.compare((mcap, lines))[str(mcap)]["differences"]), 1)


class ThereAndBack(unittest.TestCase):
    """ROS 1 bags through another encoding and back: the same bytes."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def md5sums(self, bag):
        channels = json.loads(kitbag("info", bag, "--json"))["channels"]
        return {(channel["topic"], channel["metadata"]["md5sum"]) for channel in channels}

    def check(self, encoding, *but):
        """There and back is the same, `but` for some topics."""
        peers.need_real_bags()
        seen = 0
        for bag in sorted(peers.REAL_BAGS.glob("*.bag")):
            middle, back = self.folder / "middle.mcap", self.folder / "back.bag"
            for path in (middle, back):
                path.unlink(missing_ok=True)
            said = run(program(), "convert", "-f", bag, middle, "--encoding", encoding, code=None)
            if not middle.exists():
                continue  # no bag, or without definitions
            with self.subTest(bag.name, said=said):
                kitbag("convert", "-f", middle, back, "--encoding", "ros1")
                self.assertIn("hold the same", kitbag("diff", bag, back, *but))
                self.assertEqual(self.md5sums(bag), self.md5sums(back))
                seen += 1
        self.assertGreater(seen, 10)

    def test_cdr(self):
        self.check("cdr", "--exclude", "/rosout")  # the Log of ROS 2 has no place for all of it

    def test_json(self):
        self.check("json")

    def test_protobuf(self):
        self.check("protobuf")


if __name__ == "__main__":
    peers.main()
