#!/usr/bin/env python3
"""The Foxglove WebSocket protocol with Foxglove's own library for JavaScript, both ways."""

import collections
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from peers import kitbag, main, need  # noqa: E402

PATIENCE_S = 60


class FoxgloveTest(unittest.TestCase):
    def setUp(self):
        need((HERE / "node_modules" / "@foxglove" / "ws-protocol").exists(),
             "npm's @foxglove/ws-protocol is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start(self, *command):
        process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def serve(self):
        server = self.start("node", HERE / "serve_foxglove.mjs")
        return server, f"foxglove+ws://127.0.0.1:{int(server.stdout.readline())}"

    def test_records_from_foxgloves_server(self):
        _, uri = self.serve()
        bag = self.folder / "got.mcap"
        kitbag("record", "-a", "--from", f"{uri}?once=1", "-o", bag)
        rows = [json.loads(line) for line in kitbag("cat", bag).splitlines()]
        self.assertEqual([(row["topic"], row["type"], row["log_time_ns"], row["data"]["i"])
                          for row in rows],
                         [("/numbers", "Number", 10**18 + i, i) for i in range(100)])

    def test_plays_to_foxgloves_server(self):
        server, uri = self.serve()
        bag = self.folder / "a.bag"
        kitbag("convert", "demo://?seconds=1&seed=7", bag, "--topics", "/odom", "/imu", "/battery")
        kitbag("play", bag, "--to", uri, "--rate", "10")
        output, errors = server.communicate(timeout=PATIENCE_S)
        self.assertEqual((server.returncode, errors), (0, ""))
        got = collections.Counter()
        for line in output.splitlines():
            row = json.loads(line)
            self.assertEqual(row["encoding"], "ros1")
            got[row["topic"], row["schemaName"]] += 1
        sent = collections.Counter()
        for line in kitbag("cat", bag).splitlines():
            row = json.loads(line)
            sent[row["topic"], row["type"]] += 1
        self.assertEqual(got, sent)


if __name__ == "__main__":
    main()
