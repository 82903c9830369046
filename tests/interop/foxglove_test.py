#!/usr/bin/env python3
"""The Foxglove WebSocket protocol with Foxglove's own library for JavaScript, both ways."""

import base64
import collections
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

from peers import kitbag, main, need, program, run  # noqa: E402
from server import Server  # noqa: E402

PATIENCE_S = 60


def run_raw(*arguments):
    return subprocess.run([program(), *arguments], check=True, capture_output=True).stdout


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

    def test_topics_and_echo_of_foxgloves_server(self):
        _, uri = self.serve()
        row, = map(json.loads, kitbag("topics", uri, "--json", "--wait", "10s").splitlines())
        self.assertEqual((row["topic"], row["type"]), ("/numbers", "Number"))
        self.assertEqual([each["node"] for each in row["publishers"]], ["/counter"])
        self.assertEqual([each["node"] for each in row["subscribers"]], ["/adder", "/printer"])
        _, uri = self.serve()
        rows = kitbag("echo", uri, "/numbers", "-n", "2", "--fields", "i").splitlines()
        self.assertEqual([json.loads(row)["data"] for row in rows], [{"i": 0}, {"i": 1}])

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

    def listen(self, server, path, count):
        """What Foxglove's client gets: the server's first words, and rows of messages."""
        output = run("node", HERE / "listen_foxglove.mjs", f"ws://{server.host}{path}", count,
                     timeout=PATIENCE_S)
        info, *rows = map(json.loads, output.splitlines())
        self.assertEqual(info["capabilities"], ["time"])
        return rows

    def test_foxgloves_client_gets_a_replay(self):
        for name, encoding, language in (("a.bag", "ros1", "ros1msg"), ("a.mcap", "cdr", "ros2msg"),
                                         ("b.mcap", "protobuf", "protobuf"),
                                         ("c.mcap", "json", "jsonschema")):
            with self.subTest(name):
                bag = self.folder / name
                kitbag("convert", "demo://?seconds=1&seed=7", bag, "--topics", "/odom", "/battery",
                       "--encoding", encoding)
                with Server(bag) as server:
                    expected = [json.loads(line) for line in kitbag("cat", bag).splitlines()]
                    rows = self.listen(server, f"/bags/{name}/live?rate=100", len(expected))
                self.assertEqual([(row["topic"], int(row["time"]), row["schemaName"])
                                  for row in rows],
                                 [(row["topic"], row["log_time_ns"], row["type"])
                                  for row in expected])
                self.assertEqual({(row["encoding"], row["schemaEncoding"]) for row in rows},
                                 {(encoding, language)})
                raw = run_raw("cat", bag, "--format", "raw")
                self.assertEqual(b"".join(base64.b64decode(row["data"]) for row in rows), raw)

    def test_foxgloves_client_gets_a_live_system(self):
        with Server(self.folder, "--live", "demo://?seconds=3600&seed=7") as server:
            rows = self.listen(server, "/live", 500)
        self.assertEqual(len({row["topic"] for row in rows} & {"/odom", "/imu", "/tf_static"}), 3)

    def test_foxgloves_client_publishes_into_a_recording(self):
        with Server(self.folder, "--token", "t", "--allow-publish", "--record",
                    "demo://?seconds=3600&seed=7", "--topics", "/odom") as server:
            output = run("node", HERE / "publish_foxglove.mjs",
                         f"ws://{server.host}/live?token=t", 100, timeout=PATIENCE_S)
        info, *rows = map(json.loads, output.splitlines())
        self.assertEqual(info, {"capabilities": ["time", "clientPublish"],
                                "supportedEncodings": ["json", "cdr", "ros1", "protobuf"]})
        self.assertEqual(rows, [{"x": i} for i in range(100)])
        bag, = self.folder.glob("*.mcap")
        recorded = [json.loads(line) for line in
                    kitbag("cat", bag, "--topics", "/goal").splitlines()]
        self.assertEqual([row["data"] for row in recorded], rows)
        self.assertEqual({row["type"] for row in recorded}, {"Goal"})


if __name__ == "__main__":
    main()
