#!/usr/bin/env python3
"""Programs that are not kitbag, by Debian's Python binding of ZeroMQ: one feeds a recorder, one is
played to. They know docs/transports/zmq.md and nothing else."""

import json
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import kitbag, main, need, program, run_json  # noqa: E402

try:
    import zmq
except ImportError:
    zmq = None

DEMO = "demo://?seconds=0.5&seed=7"
PATIENCE_MS = 60_000


class ZmqTest(unittest.TestCase):
    def setUp(self):
        need(zmq, "python3-zmq is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.context = zmq.Context()
        self.addCleanup(self.context.destroy, 0)

    def socket(self, kind):
        socket = self.context.socket(kind)
        socket.setsockopt(zmq.RCVTIMEO, PATIENCE_MS)
        socket.setsockopt(zmq.SNDTIMEO, PATIENCE_MS)
        return socket

    def record(self, bag, query, *options):
        """A recorder of what is sent to a socket, until its end; both."""
        socket = self.socket(zmq.PUSH)
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        recorder = subprocess.Popen(
            [program(), "record", "-a", "--from", f"zmq+tcp://127.0.0.1:{port}?once=1{query}",
             *options, "-o", bag], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(recorder.kill)
        return socket, recorder

    def test_any_program_feeds_a_recorder(self):
        bag = self.folder / "got.mcap"
        socket, recorder = self.record(bag, "&times=sent")
        schema = {"name": "Battery", "language": "jsonschema",
                  "text": json.dumps({"type": "object",
                                      "properties": {"voltage": {"type": "number"}}})}
        for i in range(1000):
            header = {"encoding": "json", "schema": schema, "log_time": 10**18 + i, "sequence": i}
            payload = json.dumps({"voltage": i / 10})
            socket.send_multipart([b"/battery", json.dumps(header).encode(), payload.encode()])
        socket.send_multipart([b"/raw", b"{}", bytes(2_000_000)])
        socket.send_multipart([b"", b'{"end":true}'])
        recorder.communicate(timeout=60)
        self.assertEqual(recorder.returncode, 0)
        info = run_json(program(), "info", "--json", bag)
        counts = {channel["topic"]: channel["messages"] for channel in info["channels"]}
        self.assertEqual(counts, {"/battery": 1000, "/raw": 1})
        lines = kitbag("cat", bag, "--topics", "/battery", "--where", "voltage > 99.7").splitlines()
        self.assertEqual([json.loads(line)["data"]["voltage"] for line in lines], [99.8, 99.9])
        self.assertEqual(json.loads(lines[0])["log_time_ns"], 10**18 + 998)

    def test_a_stranger_does_not_end_a_recording(self):
        """A second encoding, no messages at all, and more headers than memory may hold."""
        bag = self.folder / "got.mcap"
        socket, recorder = self.record(bag, "&times=sent", "--buffer", "16MiB")
        json_header, cdr_header = b'{"encoding":"json","log_time":1}', b'{"encoding":"cdr"}'
        socket.send_multipart([b"/a", json_header, b"{}"])
        socket.send_multipart([b"/a", cdr_header, b"1234"])
        socket.send_multipart([b"alone"])
        socket.send_multipart([b"/a", b"no JSON", b"x"])
        socket.send_multipart([b"/a", b'{"log_time":"soon"}', b"x"])
        text = "x" * 4_000_000
        for i in range(60):
            header = {"channel": f"held {i}", "metadata": {"x": text}}
            socket.send_multipart([b"/held", json.dumps(header).encode(), b"x"])
            header = {"channel": f"described {i}", "schema": {"text": f"{i}{text}"}}
            socket.send_multipart([b"/described", json.dumps(header).encode()])
        socket.send_multipart([b"/a", json_header, b"{}"])
        socket.send_multipart([b"", b'{"end":true}'])
        most_kb = 0
        while recorder.poll() is None:
            status = Path(f"/proc/{recorder.pid}/status").read_text()
            most_kb = max([most_kb, *(int(line.split()[1]) for line in status.splitlines()
                                      if line.startswith("VmHWM"))])
            time.sleep(0.05)
        _, errors = recorder.communicate()
        self.assertEqual(recorder.returncode, 0, errors)
        self.assertLess(most_kb, 700_000)
        counts = {}
        for channel in run_json(program(), "info", "--json", bag)["channels"]:
            counts[channel["topic"]] = counts.get(channel["topic"], 0) + channel["messages"]
        self.assertEqual(counts["/a"], 2)
        for told in ('two encodings, "json" and "cdr"', "two or three frames", "the header is not",
                     "too many channels", "1 dropped (/a 1)"):
            self.assertIn(told, errors)

    def test_a_payload_that_cannot_be_decoded_does_not_end_a_recording(self):
        bag = self.folder / "got.mcap"
        socket, recorder = self.record(bag, "", "--encoding", "json")
        header = json.dumps({"encoding": "ros1", "schema": {
            "name": "std_msgs/String", "language": "ros1msg", "text": "string data\n"}}).encode()
        for payload in (b"\5\0\0\0hello", b"\xff\xff\xff\xff", b"\5\0\0\0world"):
            socket.send_multipart([b"/a", header, payload])
        socket.send_multipart([b"", b'{"end":true}'])
        _, errors = recorder.communicate(timeout=60)
        self.assertNotEqual(recorder.returncode, 2, errors)
        self.assertIn("/a: 1 message left out", errors)
        lines = kitbag("cat", bag).splitlines()
        self.assertEqual([json.loads(line)["data"]["data"] for line in lines], ["hello", "world"])

    def take(self, socket):
        """What is played until its end: {topic: payloads}, {topic: description}."""
        payloads, descriptions = {}, {}
        while True:
            topic, header, *payload = socket.recv_multipart()
            header = json.loads(header)
            if header.get("end"):
                return payloads, descriptions
            topic = topic.decode()
            if payload:
                self.assertEqual(header["channel"], descriptions[topic]["channel"])
                payloads.setdefault(topic, []).append((header["log_time"], payload[0]))
            else:
                descriptions[topic] = header

    def take_all(self, socket):
        while not json.loads(socket.recv_multipart()[1]).get("end"):
            pass

    def check_played(self, payloads, descriptions):
        self.assertEqual(len(payloads), 12)
        self.assertIn("float32 voltage",
                      descriptions["/battery"]["schema"]["text"])
        raw = subprocess.run([program(), "cat", DEMO, "--topics", "/odom", "--format", "raw"],
                             check=True, capture_output=True).stdout
        self.assertEqual(b"".join(data for _, data in payloads["/odom"]), raw)
        times = [time for time, _ in payloads["/odom"]]
        self.assertEqual(times, sorted(times))

    def test_any_program_is_played_to(self):
        kitbag("convert", DEMO, self.folder / "a.mcap")
        socket = self.socket(zmq.PULL)
        port = socket.bind_to_random_port("tcp://127.0.0.1")
        player = threading.Thread(target=kitbag, args=(
            "play", self.folder / "a.mcap", "--to", f"zmq+tcp://127.0.0.1:{port}", "--rate", "10"))
        player.start()
        self.addCleanup(player.join)
        self.check_played(*self.take(socket))

    def test_playing_begins_with_the_first_receiver(self):
        """What was due before it would come all at once."""
        kitbag("convert", DEMO, self.folder / "a.mcap")
        address = f"ipc://{self.folder}/socket"
        player = subprocess.Popen(
            [program(), "play", self.folder / "a.mcap", "--to", f"zmq+{address}"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(player.kill)
        self.assertIn("no receiver is connected; waiting for one", player.stderr.readline())
        socket = self.socket(zmq.PULL)
        socket.bind(address)
        socket.recv_multipart()
        begin = time.monotonic()
        self.take_all(socket)
        self.assertGreater(time.monotonic() - begin, 0.4)
        out, err = player.communicate(timeout=PATIENCE_MS / 1000)
        self.assertEqual((player.returncode, err), (0, ""), out)

    def test_who_subscribes_hears_all_from_then_on(self):
        kitbag("convert", DEMO, self.folder / "a.mcap")
        address = f"{self.folder}/socket"
        player = threading.Thread(target=kitbag, args=(
            "play", self.folder / "a.mcap", "--to", f"zmq+ipc://{address}?bind=1&pattern=pubsub",
            "--wait-for-subscribers", "--rate", "10"))
        player.start()
        self.addCleanup(player.join)
        socket = self.socket(zmq.SUB)
        socket.setsockopt(zmq.SUBSCRIBE, b"")
        socket.connect(f"ipc://{address}")
        self.check_played(*self.take(socket))


if __name__ == "__main__":
    main()
