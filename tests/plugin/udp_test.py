#!/usr/bin/env python3
"""A transport from outside of the tree: built against what is installed, with state of its own."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, program, run  # noqa: E402
from examples import BUILD, build_plugin  # noqa: E402

PATIENCE_S = 60
MOST = 65_507


def waiting_bytes(port):
    """What the system holds for the socket at that port; None: there is none."""
    for line in Path("/proc/net/udp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].split(":")[1], 16) == port:
            return int(fields[4].split(":")[1], 16)
    return None


def until(seen):
    deadline = time.monotonic() + PATIENCE_S
    while not seen():
        if time.monotonic() > deadline:
            raise AssertionError("what was awaited never came")
        time.sleep(0.01)


class UdpTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.plugin = build_plugin("udp", cls.folder)
        cls.robot = cls.folder / "robot.bag"
        kitbag("convert", "-f", "demo://?seconds=0.2&seed=7", cls.robot)

    def setUp(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(self.socket.close)
        self.socket.settimeout(PATIENCE_S)
        self.bag = self.folder / f"{self.id()}.mcap"

    @staticmethod
    def free_port():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    def record(self, parameters="", *options):
        """A recorder that listens, and where."""
        port = self.free_port()
        recorder = subprocess.Popen(
            [program(), "record", "-a", "--from", f"udp://127.0.0.1:{port}{parameters}", "-o",
             self.bag, "--plugin", self.plugin, *options], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(recorder.communicate)
        self.addCleanup(recorder.kill)
        until(lambda: waiting_bytes(port) is not None or recorder.poll() is not None)
        return recorder, ("127.0.0.1", port)

    def finish(self, recorder, address):
        """Stops the recorder when it has taken all; what it said, and the messages."""
        until(lambda: waiting_bytes(address[1]) == 0)
        recorder.send_signal(signal.SIGINT)
        out, err = recorder.communicate(timeout=PATIENCE_S)
        self.assertEqual(recorder.returncode, 0, err)
        lines = kitbag("cat", self.bag, "--format", "json").splitlines()
        return out + err, [json.loads(line) for line in lines]

    def lost(self):
        """What the recording says of messages that never came."""
        return int(json.loads(kitbag("get", self.bag, "metadata", "kitbag_recording"))["lost"])

    def test_it_records_datagrams(self):
        recorder, address = self.record("?topic=/telemetry&encoding=json")
        sent = [json.dumps({"speed": i}).encode() for i in range(100)]
        for datagram in sent:
            self.socket.sendto(datagram, address)
        _, messages = self.finish(recorder, address)
        self.assertEqual([m["data"]["speed"] for m in messages], list(range(100)))
        self.assertEqual({m["topic"] for m in messages}, {"/telemetry"})
        times = [m["log_time_ns"] for m in messages]
        self.assertEqual(times, sorted(times))

    def test_it_records_whatever_comes(self):
        recorder, address = self.record()
        sent = [b"", b"\x00", os.urandom(1400), os.urandom(MOST), b"$GPGGA,123519,N*47\r\n"]
        for datagram in sent:
            self.socket.sendto(datagram, address)
        _, messages = self.finish(recorder, address)
        self.assertEqual([m["size"] for m in messages], [len(datagram) for datagram in sent])

    def test_a_topic_that_is_not_wanted_is_not_recorded(self):
        recorder, address = self.record("?topic=/a", "--exclude", "/a")
        self.socket.sendto(b"hello", address)
        _, messages = self.finish(recorder, address)
        self.assertEqual(messages, [])

    def test_datagrams_that_are_too_large_are_left_out_and_counted(self):
        recorder, address = self.record("?max_bytes=100")
        for size in (100, 101, MOST, 10):
            self.socket.sendto(bytes(size), address)
        told, messages = self.finish(recorder, address)
        self.assertEqual([m["size"] for m in messages], [100, 10])
        self.assertEqual(told.count("101 bytes is larger than max_bytes=100"), 1)
        self.assertEqual(self.lost(), 2)

    def test_what_the_system_drops_is_counted(self):
        recorder, address = self.record()
        os.kill(recorder.pid, signal.SIGSTOP)
        sent = 0
        held = -1
        while held != (held := waiting_bytes(address[1])):  # it takes no more
            for _ in range(2000):
                self.socket.sendto(bytes(1400), address)
            sent += 2000
        os.kill(recorder.pid, signal.SIGCONT)
        until(lambda: waiting_bytes(address[1]) == 0)
        self.socket.sendto(b"brings the count", address)
        _, messages = self.finish(recorder, address)
        self.assertGreater(self.lost(), 0)
        self.assertEqual(len(messages) + self.lost(), sent + 1)

    def test_it_plays_payloads_as_they_are(self):
        bag = self.folder / "json.mcap"
        kitbag("convert", "-f", self.robot, bag, "--topics", "/odom", "--encoding", "json")
        self.socket.bind(("127.0.0.1", 0))
        port = self.socket.getsockname()[1]
        kitbag("play", bag, "--to", f"udp://127.0.0.1:{port}", "--plugin", self.plugin)
        lines = kitbag("cat", bag).splitlines()
        self.assertEqual([json.loads(self.socket.recv(MOST)) for _ in lines],
                         [json.loads(line)["data"] for line in lines])

    def test_there_and_back(self):
        recorder, address = self.record("?topic=/odom&encoding=ros1")
        kitbag("play", self.robot, "--topics", "/odom", "--to", f"udp://127.0.0.1:{address[1]}",
               "--plugin", self.plugin)
        _, messages = self.finish(recorder, address)
        played = kitbag("cat", self.robot, "--topics", "/odom").splitlines()
        self.assertEqual(len(messages), len(played))

    def test_messages_that_do_not_fit_are_left_out(self):
        self.socket.bind(("127.0.0.1", 0))
        port = self.socket.getsockname()[1]
        done = subprocess.run(
            [program(), "play", self.robot, "--topics", "/map", "/odom", "--to",
             f"udp://127.0.0.1:{port}", "--plugin", self.plugin], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("do not fit into a datagram"), 1)
        self.assertIn("/map", done.stderr)
        self.assertGreater(len(self.socket.recv(MOST)), 0)

    def test_publishers_of_one_process_share_a_socket(self):
        self.socket.bind(("127.0.0.1", 0))
        port = self.socket.getsockname()[1]
        run(next(BUILD.rglob("udp_senders")), self.plugin, f"udp://127.0.0.1:{port}")
        received = [self.socket.recvfrom(MOST) for _ in range(2)]
        self.assertEqual([data for data, _ in received], [b"hello", b"hello"])
        self.assertEqual(len({sender for _, sender in received}), 1)

    def test_addresses_that_are_none(self):
        for uri, said in (("udp://", "write udp://HOST:PORT"),
                          ("udp://127.0.0.1", "write udp://HOST:PORT"),
                          ("udp://127.0.0.1:", "the port must be a number from 1 to 65535"),
                          ("udp://127.0.0.1:0", "the port must be"),
                          ("udp://127.0.0.1:99999", "the port must be"),
                          ("udp://127.0.0.1:12x", "the port must be"),
                          ("udp://no.such.host.invalid:9000", "the host is not known"),
                          ("udp://127.0.0.1:9000?size=1", "not size=1"),
                          ("udp://127.0.0.1:9000?topic=", "not topic="),
                          ("udp://127.0.0.1:9000?max_bytes=0", "max_bytes must be a number"),
                          ("udp://127.0.0.1:9000?max_bytes=65508", "from 1 to 65507"),
                          ("udp://192.0.2.1:9000", "cannot listen there")):
            self.assertIn(said, self.refused("record", "-a", "--from", uri, "-o", self.bag), uri)
            self.assertFalse(self.bag.exists(), uri)
        for uri, said in (("udp://:9000", "has no host to send to"),
                          ("udp://127.0.0.1:9000?topic=/a", "not topic=/a")):
            self.assertIn(said, self.refused("play", self.robot, "--to", uri), uri)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind(("127.0.0.1", 0))
            taken = f"udp://127.0.0.1:{other.getsockname()[1]}"
            self.assertIn("in use", self.refused("record", "-a", "--from", taken, "-o", self.bag))

    def refused(self, *arguments):
        done = subprocess.run([program(), *map(str, arguments), "--plugin", self.plugin],
                              capture_output=True, text=True, timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"\A[^\n]+\n\Z")
        return done.stderr


if __name__ == "__main__":
    peers.main()
