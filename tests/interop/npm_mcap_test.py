#!/usr/bin/env python3
"""MCAP, both ways between here and npm's @mcap/core, which verifies every CRC."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import make_bag  # noqa: E402
import peers  # noqa: E402
from peers import kitbag, kitbag_digest, need, run, run_json  # noqa: E402

DATA = peers.ROOT.parent / "shared" / "data"
COMPRESSIONS = ("none", "lz4", "zstd")


def need_npm():
    need(shutil.which("node"), "node is not installed")
    need((HERE / "node_modules" / "@mcap").is_dir(), "the npm readers are not there: npm ci in "
         "tests/interop brings them")


def read(mode, *files):
    return run_json("node", HERE / "read_mcap.mjs", mode, *files)


def digests(found):
    return {(topic, type_): rest for topic, type_, *rest in found["topics"]}


class TempFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_npm()
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)


class ReadByNpm(TempFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.source = cls.folder / "source.bag"
        make_bag.make_bag(cls.source, connections=2, latching=True, overlap=True)
        cls.written = [cls.folder / f"{name}.mcap" for name in COMPRESSIONS]
        for compression, out in zip(COMPRESSIONS, cls.written):
            kitbag("convert", "-f", cls.source, out, "--compression", compression,
                   "--chunk-size", "4kB")

    def test_same_content(self):
        expected = kitbag_digest(self.source)
        self.assertEqual(sum(count for count, _ in expected.values()), 300)
        for mode in ("indexed", "stream"):
            found = read(mode, *self.written)
            for out in self.written:
                with self.subTest(f"{out.name} {mode}"):
                    self.assertEqual(digests(found[str(out)]), expected)
                    self.assertEqual(found[str(out)]["statistics"]["messages"], 300)
                    self.assertGreater(found[str(out)]["statistics"]["chunks"], 1)

    def test_header_and_channels(self):
        for out, found in read("indexed", *self.written).items():
            with self.subTest(out):
                self.assertEqual(found["header"]["profile"], "ros1")
                self.assertRegex(found["header"]["library"], r"^kitbag \d")
                latched = [c for c in found["channels"] if c["metadata"].get("latching") == "1"]
                self.assertEqual(len(latched), 2)
                self.assertEqual({(c["encoding"], c["language"]) for c in found["channels"]},
                                 {("ros1", "ros1msg")})


class WrittenByNpm(TempFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sources = [cls.folder / f"{layout}.mcap" for layout in ("chunks", "plain")]
        for source in cls.sources:
            run("node", HERE / "write_mcap.mjs", source, source.stem)
        cls.found = read("stream", *cls.sources)

    def test_is_read_as_npm_reads_it(self):
        for source in self.sources:
            with self.subTest(source.name):
                expected = digests(self.found[str(source)])
                self.assertEqual(sum(count for count, _ in expected.values()), 300)
                self.assertEqual(kitbag_digest(source), expected)

    def test_keeps_everything(self):
        copies = []
        for source in self.sources:
            for compression in COMPRESSIONS:
                copies.append(self.folder / f"{source.stem}_{compression}_copy.mcap")
                kitbag("convert", "-f", source, copies[-1], "--compression", compression)
        for copy, found in read("indexed", *copies).items():
            with self.subTest(copy):
                expected = self.found[str(self.sources[0])]
                for part in ("topics", "channels", "attachments", "metadata", "sequences"):
                    self.assertEqual(found[part], expected[part], part)
                self.assertEqual(found["statistics"]["attachments"], 1)

    def test_appended(self):
        appended = self.folder / "appended.mcap"
        shutil.copy(self.sources[0], appended)
        kitbag("convert", "-f", self.sources[1], appended, "--append")
        for mode in ("indexed", "stream"):
            found = read(mode, appended)[str(appended)]
            counts = {topic: count for topic, _, count, _ in found["topics"]}
            self.assertEqual(counts, {"/text": 400, "/raw": 200}, mode)
            self.assertEqual(len(found["attachments"]), 2)
            self.assertEqual(digests(found), kitbag_digest(appended), mode)


class RealFiles(unittest.TestCase):
    def test_same_content(self):
        need_npm()
        folders = [DATA / "mcap", DATA / "rosbag2"]
        for folder in folders:
            peers.need_data(folder)
        files = [file for folder in folders for file in sorted(folder.rglob("*.mcap"))]
        for path, found in read("stream", *files).items():
            with self.subTest(path):
                self.assertEqual(kitbag_digest(path), digests(found))
                info = run_json(peers.program(), "info", path, "--json")
                total = sum(count for _, _, count, _ in found["topics"])
                self.assertEqual(info["messages"], total)
                self.assertEqual(info["chunks"], found["statistics"]["chunks"])


if __name__ == "__main__":
    peers.main()
