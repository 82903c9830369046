#!/usr/bin/env python3
"""Live and replay over WebSocket, frame by frame: what clients of the Foxglove WebSocket protocol
get, and what becomes of those that send garbage, too much, or take nothing."""

import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, program, run  # noqa: E402
from server import Server  # noqa: E402
from websocket import BINARY, PING, PONG, TEXT, Closed, Refused, connect  # noqa: E402

DEMO = "demo://?seconds=4&seed=3"
SDK, V1 = ("foxglove.sdk.v1",), ("foxglove.websocket.v1",)
PLAYING, PAUSED, _, ENDED = range(4)
PLAY, PAUSE = range(2)


def records(content):
    at = 0
    while at < len(content):
        opcode, size = struct.unpack_from("<BQ", content, at)
        yield opcode, content[at + 9:at + 9 + size]
        at += 9 + size


def rows_of(bag, *options):
    """[(topic, log time in ns, payload)] of what is selected, by way of a plain MCAP file."""
    topics, rows = {}, []
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.mcap"
        kitbag("convert", bag, plain, "--compression", "none", *options)
        found = list(records(plain.read_bytes()[8:-8]))
    for opcode, content in found:
        if opcode == 6:  # a chunk; all that counts is in one
            skipped = 28 + 4  # times, size, checksum; an empty name of a compression
            for inner, record in records(content[skipped + 8:]):
                if inner == 4:
                    size, = struct.unpack_from("<I", record, 4)
                    topics[record[:2]] = record[8:8 + size].decode()
                elif inner == 5:
                    log_time, = struct.unpack_from("<Q", record, 6)
                    rows.append((topics[record[:2]], log_time, record[22:]))
    return rows


class Client:
    """A client of the protocol, that takes apart what it gets."""

    def __init__(self, server, target, protocols=SDK, **headers):
        self.socket = connect(server.host, target, protocols, **headers)
        self.info = self.socket.receive()
        self.channels = {}
        self.topics = {}
        self.add_channels(self.socket.receive_text("advertise"))
        self.statuses = []
        self.states = []
        self.times = []
        self.messages = []

    def add_channels(self, text):
        for each in text["channels"]:
            self.channels[each["topic"]] = each

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.connection.close()

    def subscribe(self, *topics):
        # A live system may say what it has a moment later.
        self.take(lambda: all(topic in self.channels for topic in topics))
        wanted = [{"id": 100 + self.channels[topic]["id"], "channelId": self.channels[topic]["id"]}
                  for topic in topics or self.channels]
        for one in wanted:
            self.topics[one["id"]] = next(topic for topic, each in self.channels.items()
                                          if each["id"] == one["channelId"])
        self.socket.send({"op": "subscribe", "subscriptions": wanted})

    def control(self, command=PLAY, speed=1.0, seek=None, request="id"):
        self.socket.send(struct.pack("<BBfBQI", 3, command, speed, seek is not None, seek or 0,
                                     len(request)) + request.encode())

    def settle(self):
        """Returns when the server has taken all that was sent to it."""
        self.socket.send({"op": "settle"})
        self.take(lambda: self.statuses and '"settle"' in self.statuses[-1]["message"])
        self.statuses.pop()

    def step(self):
        """Takes one message of the server; returns what it is."""
        said = self.socket.receive()
        if isinstance(said, dict):
            if said["op"] == "status":
                self.statuses.append(said)
            elif said["op"] == "advertise":
                self.add_channels(said)
            return said["op"]
        if said[0] == 1:
            subscription, time_ns = struct.unpack("<IQ", said[1:13])
            self.messages.append((self.topics[subscription], time_ns, said[13:]))
        elif said[0] == 2:
            self.times.append(struct.unpack("<Q", said[1:])[0])
        elif said[0] == 5:
            status, now, speed, did_seek, size = struct.unpack("<BQfBI", said[1:19])
            assert len(said) == 19 + size
            self.states.append((status, now, speed, did_seek, said[19:].decode()))
        return said[0]

    def take(self, is_done):
        while not is_done():
            self.step()

    def take_until_end(self):
        self.take(lambda: self.states and self.states[-1][0] == ENDED)


class InFolder(unittest.TestCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        kitbag("convert", DEMO, cls.folder / "a.bag", "--encoding", "ros1")
        kitbag("convert", DEMO, cls.folder / "b.mcap", "--encoding", "cdr", "--topics", "/odom",
               "/battery", "/tf_static", "/map")
        cls.server = Server(cls.folder, *cls.options)
        cls.addClassCleanup(cls.server.end)

    def client(self, target, protocols=SDK, **headers):
        client = Client(self.server, target, protocols, **headers)
        self.addCleanup(client.socket.connection.close)
        return client

    def assert_refused(self, status, target, protocols=SDK, **headers):
        with self.assertRaises(Refused) as refused:
            connect(self.server.host, target, protocols, **headers)
        self.assertEqual(refused.exception.status, status, refused.exception.head)


class Replay(InFolder):
    def test_the_server_says_what_it_has(self):
        client = self.client("/bags/a.bag/live")
        self.assertEqual(client.info["capabilities"], ["time", "playbackControl"])
        known = next(bag for bag in self.server.list() if bag["filename"] == "a.bag")
        for key, seconds in (("dataStartTime", known["start_time"]),
                             ("dataEndTime", known["end_time"])):
            stamp = client.info[key]
            self.assertAlmostEqual(stamp["sec"] + stamp["nsec"] / 1e9, seconds, places=6)
        self.assertEqual(len(client.channels), 12)
        odometry = client.channels["/odom"]
        self.assertEqual((odometry["encoding"], odometry["schemaName"],
                          odometry["schemaEncoding"]), ("ros1", "nav_msgs/Odometry", "ros1msg"))
        self.assertIn("geometry_msgs/PoseWithCovariance pose", odometry["schema"])
        other = self.client("/bags/b.mcap/live", V1)
        self.assertEqual(other.info["capabilities"], ["time"])
        self.assertEqual(other.channels["/odom"]["schemaEncoding"], "ros2msg")

    def test_a_bag_is_replayed_as_it_is(self):
        client = self.client("/bags/a.bag/live?rate=1000")
        client.subscribe()
        client.take_until_end()
        expected = rows_of(self.folder / "a.bag")
        self.assertEqual(client.messages, expected)
        self.assertEqual(client.times, sorted(client.times))
        self.assertEqual(client.times[-1], expected[-1][1])

    def test_it_is_replayed_in_its_time(self):
        client = self.client("/bags/a.bag/live?rate=4")
        client.subscribe("/odom")
        begin = time.monotonic()
        client.take_until_end()
        self.assertGreater(time.monotonic() - begin, 0.9)

    def test_only_what_was_subscribed_to_comes(self):
        client = self.client("/bags/a.bag/live?rate=1000", V1)
        client.subscribe("/battery", "/odom")
        last = rows_of(self.folder / "a.bag", "--topics", "/odom", "/battery")
        client.take(lambda: len(client.messages) == len(last))
        self.assertEqual(client.messages, last)
        self.assertEqual(client.states, [])

    def test_who_subscribes_to_one_channel_after_the_other_misses_nothing(self):
        client = self.client("/bags/a.bag/live?rate=1000")
        for topic in ("/odom", "/battery", "/tf_static"):
            client.subscribe(topic)
        client.take_until_end()
        self.assertEqual(client.messages, rows_of(self.folder / "a.bag", "--topics", "/odom",
                                                  "/battery", "/tf_static"))

    def test_unsubscribing_ends_it(self):
        client = self.client("/bags/a.bag/live?rate=2")
        client.subscribe("/odom", "/imu")
        client.take(lambda: {topic for topic, *_ in client.messages} == {"/odom", "/imu"})
        number = 100 + client.channels["/imu"]["id"]
        client.socket.send({"op": "unsubscribe", "subscriptionIds": [number]})
        client.control(PLAY, 2.0, request="after")
        client.take(lambda: client.states and client.states[-1][4] == "after")
        client.messages.clear()
        client.take_until_end()
        self.assertEqual({topic for topic, *_ in client.messages}, {"/odom"})

    def test_play_pause_seek_and_speed(self):
        rows = rows_of(self.folder / "a.bag")
        start, end = rows[0][1], rows[-1][1]
        client = self.client("/bags/a.bag/live?paused=1")
        client.take(lambda: client.states)
        self.assertEqual(client.states[-1], (PAUSED, start, 1.0, 0, ""))
        client.subscribe()
        middle = start + 2_000_000_000
        client.control(PAUSE, 1.0, middle, "seek")
        client.take(lambda: len(client.states) == 2)
        self.assertEqual(client.states[-1], (PAUSED, middle, 1.0, 1, "seek"))
        client.control(PLAY, 500.0, None, "play")
        client.take(lambda: len(client.states) == 3)
        status, now, speed, did_seek, request = client.states[-1]
        self.assertEqual((status, speed, did_seek, request), (PLAYING, 500.0, 0, "play"))
        self.assertGreaterEqual(now, middle)
        client.take_until_end()
        self.assertEqual(client.states[-1][1], end)
        tail = [row for row in rows if row[1] >= middle]
        played = client.messages[-len(tail):]
        self.assertEqual(played, tail)
        # Before it the state: the last message of each latched topic.
        state = client.messages[:-len(tail)]
        self.assertEqual({topic for topic, *_ in state} & {"/tf_static", "/map"},
                         {topic for topic, at, _ in rows if topic in ("/tf_static", "/map")})
        self.assertTrue(all(at < middle for _, at, _ in state))
        self.assertEqual(len(state), len({topic for topic, *_ in state}))
        # From the end it goes back.
        client.messages.clear()
        client.control(PLAY, 500.0, start, "again")
        client.take(lambda: client.states[-1][0] == PLAYING and client.states[-1][4] == "again")
        self.assertEqual(client.states[-1][1:4], (start, 500.0, 1))
        client.take_until_end()
        self.assertEqual(client.messages, rows)

    def test_who_subscribes_later_gets_the_state(self):
        client = self.client("/bags/a.bag/live?rate=1")
        client.subscribe("/odom")
        client.take(lambda: len(client.messages) > 5)
        client.subscribe("/tf_static")
        client.take(lambda: client.messages[-1][0] == "/tf_static")
        self.assertLess(client.messages[-1][1], client.messages[-2][1])

    def test_a_start_time(self):
        rows = rows_of(self.folder / "a.bag", "--topics", "/odom")
        begin = rows[30][1]
        seconds = f"{begin // 10**9}.{begin % 10**9:09}"
        client = self.client(f"/bags/a.bag/live?rate=1000&start_time={seconds}")
        client.subscribe("/odom")
        client.take_until_end()
        self.assertEqual(client.messages, rows[30:])

    def test_a_client_that_waits_holds_its_replay_back(self):
        """Nothing is lost, and not much waits in memory."""
        client = self.client("/bags/a.bag/live?rate=100000")
        client.socket.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        client.subscribe()
        time.sleep(1)
        client.take_until_end()
        self.assertEqual(client.messages, rows_of(self.folder / "a.bag"))

    def test_what_a_client_sends_wrongly_is_answered(self):
        client = self.client("/bags/a.bag/live")
        for message, answer in (
                ("no JSON", "not a JSON object"), ("[" * 100_000, "not a JSON object"),
                ({"op": "getParameters"}, "not supported"),
                ({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": 999}]},
                 "channel 999"),
                ({"op": "unsubscribe", "subscriptionIds": [77]}, "subscription 77"),
                ({"op": "subscribe", "subscriptions": [{"id": -1, "channelId": 1}]}, '"id"'),
                ({"op": "serverInfo"}, "not for clients"), (b"", "too early"),
                (b"\3\0", "too early"),
                (b"\xff", "opcode 255"), (b"\1\0\0\0\0x", "not accepted"),
                (struct.pack("<BBfBQI", 3, PLAY, float("nan"), 0, 0, 0), "rate"),
                (struct.pack("<BBfBQI", 3, PLAY, -1.0, 0, 0, 0), "rate"),
                (struct.pack("<BBfBQI", 3, PLAY, 1.0, 0, 0, 2**31), "too early")):
            client.socket.send(message)
            client.take(lambda: client.statuses)
            status = client.statuses.pop()
            self.assertEqual(status["level"], 2)
            self.assertIn(answer, status["message"])
        client.control(PLAY, 1000.0)
        client.subscribe("/odom")
        client.take_until_end()

    def test_a_second_subscription_of_a_channel_is_refused(self):
        client = self.client("/bags/a.bag/live?paused=1")
        client.subscribe("/odom")
        client.subscribe("/odom")
        client.take(lambda: client.statuses)
        self.assertIn("exists already", client.statuses[0]["message"])

    def test_what_is_no_upgrade_or_asks_for_something_else(self):
        self.assertEqual(self.server.ask("/bags/a.bag/live").status, 426)
        self.assert_refused(400, "/bags/none.bag/live")
        self.assert_refused(400, "/bags/a.bag/live?rate=fast")
        self.assert_refused(400, "/bags/a.bag/live?rate=-1")
        self.assert_refused(400, "/bags/a.bag/live?paused=2")
        self.assert_refused(400, "/bags/a.bag/live?loop=1")
        self.assert_refused(400, "/bags/a.bag/live", ("chat",))
        self.assert_refused(400, "/bags/a.bag/live", ())
        self.assert_refused(404, "/live")
        self.assert_refused(403, "/bags/a.bag/live", Origin="https://evil.example")
        self.client("/bags/a.bag/live", Origin=f"http://{self.server.host}")

    def test_pings_are_answered(self):
        client = self.client("/bags/a.bag/live?paused=1", V1)
        client.socket.send_frame(PING, b"are you there")
        self.assertEqual(client.socket.receive_frame(), (PONG, b"are you there", True))

    def test_frames_that_break_the_protocol_close_the_connection(self):
        unmasked = struct.pack("!BB", 0x81, 2)
        for head, payload in (
                (struct.pack("!BBQ4x", 0x82, 0xff, 2**40), b""),  # a length that nobody has
                (unmasked, b"{}"), (b"\x83\x80" + bytes(4), b""), (b"\xf1\x80" + bytes(4), b""),
                (b"\x81\x82" + bytes(4), b"\xff\xff"),  # no UTF-8
                (b"\x80\x80" + bytes(4), b""),  # the end of a message that has not begun
                (os.urandom(300), b"")):
            client = self.client("/bags/a.bag/live?paused=1", V1)
            client.socket.send_frame(TEXT, payload, head=head)
            with self.assertRaises((Closed, OSError)):
                client.take(lambda: False)

    def test_a_message_that_is_too_large_closes_the_connection(self):
        client = self.client("/bags/a.bag/live?paused=1", V1)
        with self.assertRaises((Closed, OSError)):
            for _ in range(40):
                client.socket.send_frame(BINARY, bytes(1 << 16), is_final=False)
            client.take(lambda: False)

    def test_fragments_are_one_message(self):
        client = self.client("/bags/a.bag/live?paused=1")
        client.socket.send_frame(TEXT, b'{"op":', is_final=False)
        client.socket.send_frame(0, b'"strange"}')
        client.take(lambda: client.statuses)
        self.assertIn('"strange" is not supported', client.statuses[0]["message"])

    def test_a_client_that_reads_nothing_is_held_and_the_server_ends_in_time(self):
        with Server(self.folder) as server:
            clients = [Client(server, "/bags/a.bag/live?rate=100000") for _ in range(5)]
            for client in clients:
                client.subscribe()
            time.sleep(0.5)
            self.assertEqual(server.ask("/healthz").status, 200)
            begin = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(10)
            self.assertLess(time.monotonic() - begin, 10)
            for client in clients:
                client.socket.connection.close()

    def test_the_end_of_the_server_closes_the_connection(self):
        with Server(self.folder) as server:
            client = Client(server, "/bags/a.bag/live?paused=1")
            server.process.send_signal(signal.SIGTERM)
            with self.assertRaises(Closed) as closed:
                client.take(lambda: False)
            self.assertEqual(closed.exception.code, 1001)

    def test_there_are_not_too_many_replays(self):
        with Server(self.folder) as server:
            clients = [Client(server, "/bags/a.bag/live?paused=1") for _ in range(64)]
            with self.assertRaises(Refused) as refused:
                connect(server.host, "/bags/a.bag/live")
            self.assertEqual(refused.exception.status, 503)
            for client in clients:
                client.socket.connection.close()
            deadline = time.monotonic() + 10
            while time.monotonic() < deadline:
                try:
                    with Client(server, "/bags/a.bag/live"):
                        return
                except Refused:
                    time.sleep(0.05)
            self.fail("replays are not counted down")

    def test_it_is_recorded_by_kitbag_itself(self):
        for name in ("a.bag", "b.mcap"):
            got = self.folder.parent / f"{self.folder.name}-{name}.got.mcap"
            self.addCleanup(got.unlink)
            kitbag("record", "-a", "--from",
                   f"foxglove+ws://{self.server.host}/bags/{name}/live?once=1&rate=20", "-o", got)
            self.assertIn("hold the same", kitbag("diff", self.folder / name, got))


class Guarded(InFolder):
    options = ("--token", "secret", "--allow-origin", "https://viewer.example")

    def test_a_token_is_needed(self):
        self.assert_refused(401, "/bags/a.bag/live")
        self.assert_refused(401, "/bags/a.bag/live?token=wrong")
        self.client("/bags/a.bag/live?token=secret")
        self.client("/bags/a.bag/live", Authorization="Bearer secret")

    def test_allowed_origins_may_connect(self):
        self.client("/bags/a.bag/live?token=secret", Origin="https://viewer.example")
        self.assert_refused(403, "/bags/a.bag/live?token=secret", Origin="https://other.example")

    def test_kitbag_sends_the_token(self):
        got = self.folder / "got.mcap"
        self.addCleanup(lambda: got.unlink(missing_ok=True))
        uri = f"foxglove+ws://{self.server.host}/bags/b.mcap/live?once=1&rate=100"
        kitbag("record", "-a", "--from", f"{uri}&token=secret", "-o", got)
        before = got.read_bytes()
        kitbag("record", "-a", "--from", uri, "-o", got, "--force", code=2)
        self.assertEqual(got.read_bytes(), before)
        got.unlink()
        kitbag("record", "-a", "--from", uri, "-o", got, code=2)
        self.assertEqual([each.name for each in self.folder.glob("got*")], [])


class Tls(unittest.TestCase):
    def test_kitbag_records_over_tls_if_it_trusts_the_server(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            kitbag("convert", DEMO, folder / "a.mcap", "--topics", "/odom")
            certificate, key = folder / "certificate.pem", folder / "key.pem"
            run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
                certificate)
            with Server(folder, "--tls-cert", certificate, "--tls-key", key) as server:
                port = server.host.split(":")[1]
                got = folder.parent / f"{folder.name}.got.mcap"
                self.addCleanup(got.unlink)
                record = ("record", "-a", "--from",
                          f"foxglove+wss://localhost:{port}/bags/a.mcap/live?once=1&rate=100",
                          "-o", got)
                kitbag(*record, env={**os.environ, "SSL_CERT_FILE": str(certificate)})
                self.assertIn("hold the same", kitbag("diff", folder / "a.mcap", got))
                distrustful = subprocess.run([program(), *map(str, record), "--force"], text=True,
                                             capture_output=True)
                self.assertEqual(distrustful.returncode, 2)
                self.assertIn("certificate verify failed", distrustful.stderr)


class Live(InFolder):
    options = ("--live", "demo://?seconds=3600&seed=7")

    def test_a_live_system_is_served(self):
        client = self.client("/live", V1)
        self.assertEqual(client.info["capabilities"], ["time"])
        client.subscribe("/odom", "/tf_static")
        self.assertEqual(len(client.channels), 12)
        client.take(lambda: len(client.messages) > 20 and client.times)
        self.assertEqual(client.messages[0][0], "/tf_static")  # sent long ago, and kept
        times = [at for topic, at, _ in client.messages if topic == "/odom"]
        self.assertEqual(times, sorted(times))
        client.control(PAUSE)
        client.take(lambda: client.statuses)
        self.assertIn("cannot be paused", client.statuses[0]["message"])

    def test_many_clients_get_the_same(self):
        clients = [self.client("/live") for _ in range(8)]
        for client in clients:
            client.subscribe("/imu")
        for client in clients:
            client.take(lambda: len(client.messages) >= 100)
        sets = [{row[1:] for row in client.messages} for client in clients]
        self.assertGreater(len(set.intersection(*sets)), 50)

    def test_it_is_recorded_by_kitbag_itself(self):
        got = self.folder / "live.mcap"
        self.addCleanup(got.unlink)
        kitbag("record", "-a", "--from", f"foxglove+ws://{self.server.host}/live", "-o", got,
               "--duration", "1s")
        topics = {topic for topic, *_ in rows_of(got)}
        self.assertIn("/odom", topics)
        self.assertIn("/tf_static", topics)


class Recorded(unittest.TestCase):
    def test_what_is_recorded_is_live(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder, "--record", "demo://?seconds=3600&seed=7", "--topics", "/odom",
                        "/tf_static") as server:
                client = Client(server, "/live")
                client.subscribe("/odom", "/tf_static")
                client.take(lambda: len(client.messages) > 20)
                self.assertEqual({topic for topic, *_ in client.messages},
                                 {"/odom", "/tf_static"})
            files = list(Path(folder).glob("*.mcap"))
            self.assertEqual(len(files), 1)
            recorded = {(topic, at) for topic, at, _ in rows_of(files[0])}
            shown = {(topic, at) for topic, at, _ in client.messages}
            self.assertLessEqual(shown, recorded)


class Publishing(unittest.TestCase):
    """Clients that publish: what they send is live and recorded."""

    GOAL = {"id": 7, "topic": "/goal", "encoding": "json", "schemaName": "Goal",
            "schemaEncoding": "jsonschema", "schema": '{"type": "object"}'}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def serve(self, *options):
        server = Server(self.folder, "--token", "t", "--allow-publish", *options)
        self.addCleanup(server.end)
        return server

    def client(self, server, protocols=V1):
        client = Client(server, "/live?token=t", protocols)
        self.addCleanup(client.socket.connection.close)
        return client

    @staticmethod
    def publish(client, number, payload):
        client.socket.send(struct.pack("<BI", 1, number) + payload)

    def test_what_a_client_publishes_is_live_and_recorded(self):
        server = self.serve("--record", "demo://?seconds=3600&seed=7", "--topics", "/odom")
        viewer = self.client(server, SDK)
        sender = self.client(server)
        self.assertEqual(sender.info["capabilities"], ["time", "clientPublish"])
        self.assertEqual(sender.info["supportedEncodings"], ["json", "cdr", "ros1", "protobuf"])
        sender.socket.send({"op": "advertise", "channels": [self.GOAL]})
        viewer.subscribe("/goal", "/odom")
        self.assertEqual(viewer.channels["/goal"]["schemaEncoding"], "jsonschema")
        viewer.settle()
        before = time.time_ns()
        for i in range(20):
            self.publish(sender, 7, b'{"x": %d}' % i)
        viewer.take(lambda: sum(topic == "/goal" for topic, *_ in viewer.messages) == 20
                    and any(topic == "/odom" for topic, *_ in viewer.messages))
        goals = [row for row in viewer.messages if row[0] == "/goal"]
        self.assertEqual([data for *_, data in goals], [b'{"x": %d}' % i for i in range(20)])
        self.assertTrue(all(before <= at <= time.time_ns() for _, at, _ in goals))
        deadline = time.monotonic() + 20
        while server.ask("/api/recorder", authorization="Bearer t").json()["topics"] < 2:
            self.assertLess(time.monotonic(), deadline, "it is not recorded")
            time.sleep(0.02)  # another process is waited for
        server.end()
        bag, = self.folder.glob("*.mcap")
        self.assertEqual([row for row in rows_of(bag) if row[0] == "/goal"], goals)
        self.assertGreater(len([row for row in rows_of(bag) if row[0] == "/odom"]), 1)

    def test_viewers_get_it_while_nothing_is_recorded(self):
        for options in ((), ("--live", "demo://?seconds=0.1")):
            server = self.serve(*options)
            viewer, sender = self.client(server), self.client(server)
            sender.socket.send({"op": "advertise", "channels": [self.GOAL]})
            viewer.subscribe("/goal")
            viewer.settle()
            self.publish(sender, 7, b"{}")
            viewer.take(lambda: viewer.messages)
            sender.socket.send({"op": "unadvertise", "channelIds": [7]})
            self.publish(sender, 7, b"{}")
            sender.take(lambda: sender.statuses)
            self.assertIn("advertise it first", sender.statuses[0]["message"])

    def test_kitbag_plays_to_it_into_a_recording(self):
        server = self.serve("--record", f"zmq+ipc://{self.folder}/socket?bind=1")
        with tempfile.TemporaryDirectory() as elsewhere:
            played = Path(elsewhere) / "played.mcap"
            kitbag("convert", "demo://?seconds=1&seed=7", played, "--topics", "/odom", "/battery")
            kitbag("play", played, "--to", f"foxglove+ws://{server.host}/live?token=t")
            expected = [(topic, data) for topic, _, data in rows_of(played)]
            state = {}
            deadline = time.monotonic() + 20
            while state.get("messages") != len(expected):
                self.assertLess(time.monotonic(), deadline, state)
                state = server.ask("/api/recorder", authorization="Bearer t").json()
                time.sleep(0.02)  # another process is waited for
            server.end()
            bag, = self.folder.glob("*.mcap")
            self.assertEqual([(topic, data) for topic, _, data in rows_of(bag)], expected)

    def test_a_pipe_takes_it_to_a_robot(self):
        server = self.serve()
        got = self.folder / "got.mcap"
        robot = f"zmq+ipc://{self.folder}/robot"
        recorder = subprocess.Popen([program(), "record", "-a", "--from", f"{robot}?bind=1&once=1",
                                     "-o", got], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
        pipe = subprocess.Popen([program(), "pipe", f"foxglove+ws://{server.host}/live?token=t",
                                 robot, "--topics", "/goal"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
        self.addCleanup(recorder.kill)
        self.addCleanup(pipe.kill)
        sender = self.client(server)
        sender.socket.send({"op": "advertise", "channels": [self.GOAL]})
        deadline = time.monotonic() + 20
        active = self.folder / "got.mcap.active"
        while not active.exists() or b"/goal" not in active.read_bytes():
            self.assertLess(time.monotonic(), deadline, "it has not come")
            self.publish(sender, 7, b'{"x": 1}')
            time.sleep(0.05)  # other processes are waited for
        pipe.terminate()
        pipe.wait(20)
        recorder.wait(20)
        self.assertEqual({row[::2] for row in rows_of(got)}, {("/goal", b'{"x": 1}')})

    def test_it_needs_a_token(self):
        kitbag("serve", self.folder, "--allow-publish", "--live", "demo://", "--port", "0", code=2)
        server = self.serve()
        with self.assertRaises(Refused) as refused:
            connect(server.host, "/live")
        self.assertEqual(refused.exception.status, 401)
        for signed in ("/live?exp=9999999999&sig=x", "/live?token=wrong"):
            with self.assertRaises(Refused) as refused:
                connect(server.host, signed)
            self.assertIn(refused.exception.status, (400, 401))

    def test_a_message_of_a_client_is_not_accepted_unless_asked_for(self):
        with Server(self.folder, "--live", "demo://?seconds=3600", "--token", "t") as server:
            client = self.client(server)
            self.assertEqual(client.info["capabilities"], ["time"])
            for message in ({"op": "advertise", "channels": [self.GOAL]},
                            {"op": "unadvertise", "channelIds": [7]}, b"\1\7\0\0\0{}"):
                client.socket.send(message)
                client.take(lambda: client.statuses)
                self.assertIn("not accepted", client.statuses.pop()["message"])

    def test_hostile_clients_and_those_that_are_too_fast(self):
        server = self.serve()
        sender = self.client(server)
        for message, answer in ((b"\1\0\0", "too early"), (b"\1\xff\0\0\0", "no channel 255"),
                              ({"op": "advertise", "channels": [{"id": 1}]}, '"topic"'),
                              ({"op": "advertise", "channels": [{**self.GOAL, "topic": ""}]},
                               "needs a topic"),
                              ({"op": "advertise", "channels": [{**self.GOAL, "encoding": "x"}]},
                               "not accepted"),
                              ({"op": "unadvertise", "channelIds": [1]}, "no channel 1")):
            sender.socket.send(message)
            sender.take(lambda: sender.statuses)
            self.assertIn(answer, sender.statuses.pop()["message"])
        sender.socket.send({"op": "advertise", "channels": [
            {**self.GOAL, "id": i, "topic": f"/{i}"} for i in range(1001)]})
        sender.take(lambda: sender.statuses)
        self.assertIn("too many channels; the limit is 1000", sender.statuses.pop()["message"])
        for _ in range(3000):
            self.publish(sender, 1, b"{}")
        sender.take(lambda: sender.statuses)
        self.assertRegex(sender.statuses.pop()["message"], "too fast; .* dropped so far: 1$")
        self.assertEqual(server.ask("/healthz", authorization="Bearer t").status, 200)


class Ending(unittest.TestCase):
    def test_there_are_not_too_many_clients_of_live_data(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder, "--live", "demo://?seconds=3600") as server:
                clients = [Client(server, "/live") for _ in range(64)]
                with self.assertRaises(Refused) as refused:
                    connect(server.host, "/live")
                self.assertEqual(refused.exception.status, 503)
                for client in clients:
                    client.socket.connection.close()

    def test_a_system_that_has_ended_takes_its_channels_along(self):
        with tempfile.TemporaryDirectory() as folder:
            with Server(folder, "--live", "demo://?seconds=2&seed=7") as server:
                client = Client(server, "/live")
                client.subscribe("/odom")
                gone = client.socket.receive_text("unadvertise")
                self.assertEqual(sorted(gone["channelIds"]), list(range(1, 13)))
                self.assertEqual(Client(server, "/live").channels, {})

    def test_a_client_that_reads_nothing_loses_messages_and_nobody_else_does(self):
        """The system sends faster than anybody reads."""
        with tempfile.TemporaryDirectory() as folder:
            system = f"zmq+ipc://{folder}/socket?bind=1"
            with Server(folder, "--live", system) as server:
                kitbag("convert", "demo://?seconds=60&seed=7", f"{folder}/a.mcap", "--topics",
                       "/points", "/camera/image")
                player = subprocess.Popen([program(), "play", f"{folder}/a.mcap", "--to",
                                           f"zmq+ipc://{folder}/socket", "--delay", "2s", "--rate",
                                           "100"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                self.addCleanup(player.communicate)
                lazy = Client(server, "/live")
                while len(lazy.channels) < 2:
                    lazy.add_channels(lazy.socket.receive_text("advertise"))
                lazy.subscribe()
                player.wait(60)
                time.sleep(0.3)
                self.assertEqual(server.ask("/healthz").status, 200)
                lazy.take(lambda: lazy.statuses)
                self.assertRegex(lazy.statuses[0]["message"], r"\d+ messages were dropped")
                self.assertLess(len(lazy.messages), 900)


if __name__ == "__main__":
    peers.main()
