#!/usr/bin/env python3
"""A Parquet file with very many rows, in many row groups: three readers find the same rows. With
KITBAG_SOAK=1 these are ten million, otherwise three hundred thousand."""

import json
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import numpy  # noqa: E402

import duckdb_c  # noqa: E402
import mcap_file  # noqa: E402
import peers  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag  # noqa: E402

ROWS = 10_000_000 if os.environ.get("KITBAG_SOAK") == "1" else 300_000
START = 1_700_000_000 * 10**9
TEXTS = [b"left ", b"right"]
RECORD = numpy.dtype([("op", "u1"), ("size", "<u8"), ("channel", "<u2"), ("sequence", "<u4"),
                      ("log", "<u8"), ("publish", "<u8"), ("i", "<u4"), ("x", "<f8"),
                      ("length", "<u4"), ("text", "S5")])
PART = 500_000


class Writer(McapFile):
    """Messages that are all of one size, made by NumPy."""

    def write_rows(self, path):
        channel = self.channel("/rows", "ros1", "x/Row", "ros1msg",
                               "uint32 i\nfloat64 x\nstring text\n")
        with open(path, "wb") as file:
            file.write(self._bytes)
            for begin in range(0, ROWS, PART):
                i = numpy.arange(begin, min(begin + PART, ROWS))
                rows = numpy.zeros(len(i), RECORD)
                rows["op"], rows["size"] = mcap_file.MESSAGE, RECORD.itemsize - 9
                rows["channel"], rows["length"] = channel, 5
                rows["log"] = rows["publish"] = START + i * 1000
                rows["i"], rows["x"] = i, values_of(i)
                rows["text"] = numpy.array(TEXTS)[i % 2]
                file.write(rows.tobytes())
            self._bytes.clear()
            self._record(mcap_file.DATA_END, bytes(4))
            self._record(mcap_file.FOOTER, bytes(20))
            file.write(self._bytes + mcap_file.MAGIC)


def values_of(i):
    """Their sums are exact in a float64, in any order."""
    return (i * 7919 % 1_000_003) / 8


class ManyRows(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        bag = self.folder / "rows.mcap"
        Writer(bag).write_rows(bag)
        kitbag("export", bag, "-o", self.folder / "out")
        self.file = self.folder / "out/rows.parquet"
        i = numpy.arange(ROWS)
        x = values_of(i)
        self.wanted = {"rows": ROWS, "i": int(i.sum()), "x": x.sum(),
                       "both": (x * (i % 100)).sum(), "texts": 5 * ROWS}

    def test_every_row_is_found(self):
        duckdb = duckdb_c.Database(duckdb_c.library())
        self.addCleanup(duckdb.close)
        of = f"FROM read_parquet('{self.file}')"
        found, = duckdb.query(
            "SELECT count(*), CAST(sum(i) AS BIGINT), sum(x), sum(x * (i % 100)), "
            f"CAST(sum(length(text)) AS BIGINT) {of}")
        self.assertEqual(list(found), list(self.wanted.values()))
        wrong, = duckdb.query(
            f"SELECT count(*) {of} WHERE epoch_ns(time) != {START} + i::BIGINT * 1000 OR "
            "text != CASE i % 2 WHEN 0 THEN 'left ' ELSE 'right' END")
        self.assertEqual(wrong[0], 0)
        peers.need(shutil.which("node"), "node is not installed")
        peers.need((HERE / "node_modules/hyparquet").is_dir(), "no npm readers: npm ci")
        sums = json.loads(peers.run("node", "--max-old-space-size=6000", HERE / "sum_parquet.mjs",
                                    self.file))
        self.assertEqual(set(sums), {"hyparquet", "parquet-wasm"})
        for reader, found in sums.items():
            self.assertEqual(found, {**self.wanted, "wrong": 0}, reader)


if __name__ == "__main__":
    peers.main()
