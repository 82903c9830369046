#!/usr/bin/env python3
"""foxglove+ws:// against a server that is played by the test, frame by frame: good ones, hostile
ones, and ones that go away."""

import json
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import kitbag, main, program, run_json  # noqa: E402
from websocket import CLOSE, PING, PONG, TEXT, Closed, Listener  # noqa: E402

SCHEMA = json.dumps({"type": "object", "properties": {"i": {"type": "integer"}}})


def channel(number, topic, **more):
    return {"id": number, "topic": topic, "encoding": "json", "schemaName": "Number",
            "schemaEncoding": "jsonschema", "schema": SCHEMA, **more}


def message(subscription, time_ns, payload):
    return struct.pack("<BIQ", 1, subscription, time_ns) + json.dumps(payload).encode()


class FoxgloveTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.listener = Listener()
        self.addCleanup(self.listener.close)

    def start(self, *arguments):
        process = subprocess.Popen([program(), *map(str, arguments)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        return process

    def uri(self, query="once=1"):
        return f"foxglove+ws://127.0.0.1:{self.listener.port}/robot?{query}"

    def record(self, *options, query="once=1"):
        self.bag = self.folder / "got.mcap"
        return self.start("record", "-a", "--from", self.uri(query), "-o", self.bag, *options)

    def finish(self, process, code=0):
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, output + errors)
        return errors

    def numbers(self, topic):
        lines = kitbag("cat", self.bag, "--topics", topic).splitlines()
        return [(row["log_time_ns"], row["data"]["i"]) for row in map(json.loads, lines)]

    def greet(self, client, *capabilities, **more):
        client.send({"op": "serverInfo", "name": "test", "capabilities": capabilities, **more})

    def end(self, client):
        client.send_frame(CLOSE, struct.pack("!H", 1000))
        client.connection.close()


    def taken(self, client):
        """Returns when the client has taken all that it was sent: it answers pings in between."""
        client.send_frame(PING, b"all")
        while client.receive_frame()[:2] != (PONG, b"all"):
            pass


class Nodes(FoxgloveTest):
    def test_nodes_of_a_server_that_tells_them(self):
        asked = self.start("topics", self.uri(), "--json", "--wait", "1h")
        client = self.listener.accept()
        self.greet(client, "connectionGraph")
        client.receive_text("subscribeConnectionGraph")
        client.send({"op": "advertise", "channels": [channel(1, "/a"), channel(2, "/b")]})
        client.send({"op": "connectionGraphUpdate",
                     "publishedTopics": [{"name": "/a", "publisherIds": ["/driver"]}],
                     "subscribedTopics": [{"name": "/a", "subscriberIds": ["/log", "/view"]},
                                          {"name": "/cmd", "subscriberIds": ["\x1b[31m"]}],
                     "advertisedServices": [{"name": "/reset", "providerIds": ["/driver"]}],
                     "removedTopics": [], "removedServices": []})
        self.taken(client)
        asked.send_signal(signal.SIGINT)
        output, errors = asked.communicate(timeout=60)
        self.assertEqual(asked.returncode, 0, errors)
        rows = [json.loads(line) for line in output.splitlines()]
        self.assertEqual([(row["topic"], row["type"],
                           [each["node"] for each in row["publishers"]],
                           [each["node"] for each in row["subscribers"]]) for row in rows],
                         [("/a", "Number", ["/driver"], ["/log", "/view"]),
                          ("/b", "Number", [], []), ("/cmd", "", [], ["\x1b[31m"])])
        self.assertNotIn("\x1b", output)

    def test_a_server_without_nodes_is_not_asked(self):
        asked = self.start("topics", self.uri(), "--wait", "1h")
        client = self.listener.accept()
        self.greet(client, "time")
        client.send_frame(PING, b"all")
        self.assertEqual(client.receive_frame()[:2], (PONG, b"all"), "and nothing before it")
        asked.send_signal(signal.SIGINT)
        self.assertIn("no topics", self.finish(asked))


class Recording(FoxgloveTest):
    def test_records_what_a_server_sends(self):
        recorder = self.record(query="once=1&token=secret&key=a%20b")
        client = self.listener.accept()
        self.assertIn("GET /robot?key=a%20b HTTP/1.1", client.head)
        self.assertIn("Authorization: Bearer secret", client.head)
        self.assertIn("Sec-WebSocket-Protocol: foxglove.sdk.v1, foxglove.websocket.v1", client.head)
        self.greet(client, "time")
        client.send({"op": "advertise", "channels": [channel(7, "/a"), channel(8, "/b")]})
        wanted = {one["channelId"]: one["id"]
                  for one in client.receive_text("subscribe")["subscriptions"]}
        self.assertEqual(set(wanted), {7, 8})
        client.send({"op": "advertise", "channels": [channel(9, "/later")]})
        wanted[9] = client.receive_text("subscribe")["subscriptions"][0]["id"]
        for i in range(1000):
            client.send(message(wanted[7], 10**18 + i, {"i": i}))
        client.send(message(wanted[9], 2 * 10**18, {"i": -1}))
        self.end(client)
        errors = self.finish(recorder)
        self.assertNotIn("warning", errors)
        self.assertNotIn("secret", errors)
        self.assertEqual(self.numbers("/a"), [(10**18 + i, i) for i in range(1000)])
        self.assertEqual(self.numbers("/later"), [(2 * 10**18, -1)])
        channels = {each["topic"]: each for each in run_json(program(), "info", "--json", self.bag)[
            "channels"]}
        self.assertEqual(channels["/a"]["type"], "Number")
        self.assertEqual(channels["/a"]["encoding"], "json")

    def test_only_what_is_selected_is_subscribed_to(self):
        recorder = self.start("record", "/b*", "--from", self.uri(), "-o", self.folder / "got.mcap")
        client = self.listener.accept("foxglove.sdk.v1")
        self.greet(client)
        client.send({"op": "advertise", "channels": [channel(1, "/a"), channel(2, "/b1")]})
        subscriptions = client.receive_text("subscribe")["subscriptions"]
        self.assertEqual([one["channelId"] for one in subscriptions], [2])
        self.end(client)
        self.finish(recorder)

    def test_goes_on_after_the_server_was_away(self):
        recorder = self.record(query="times=sent")
        for i in range(2):
            client = self.listener.accept()
            self.greet(client)
            client.send({"op": "advertise", "channels": [channel(i + 5, "/a")]})
            one = client.receive_text("subscribe")["subscriptions"][0]
            client.send(message(one["id"], 10**18 + i, {"i": i}))
            self.taken(client)
            if i == 0:
                client.connection.close()  # without a word
        recorder.terminate()
        errors = self.finish(recorder)
        self.assertIn("the connection is lost", errors)
        self.assertEqual(self.numbers("/a"), [(10**18, 0), (10**18 + 1, 1)])
        self.assertEqual(len(run_json(program(), "info", "--json", self.bag)["channels"]), 1)

    def test_hostile_texts_and_frames_do_not_end_a_recording(self):
        recorder = self.record()
        client = self.listener.accept()
        self.greet(client)
        client.send({"op": "advertise", "channels": [channel(1, "/a"), channel(1, "/a")]})
        one = client.receive_text("subscribe")["subscriptions"][0]["id"]
        for text in ("no JSON", "[" * 100_000, "[]", "{}", '{"op":{}}', '{"op":"advertise"}',
                     '{"op":"advertise","channels":[{"id":-1}]}', '{"op":"unheardOf"}',
                     '{"op":"status","level":2,"message":"\\u001b[31mred"}'):
            client.send(text)
        for frame in (b"\0", b"\1", b"\1\0\0", b"\xff" * 100, message(99, 1, {}),
                      message(one, 2**64 - 1, {})):
            client.send(frame)
        client.send(message(one, 10**18, {"i": 1}))
        self.end(client)
        errors = self.finish(recorder)
        self.assertEqual(self.numbers("/a"), [(10**18, 1)])
        self.assertIn("messages were left out", errors)
        self.assertIn("the server says: ", errors)
        self.assertNotIn("\x1b", errors)

    def test_what_breaks_the_protocol_ends_the_connection(self):
        """A length that nobody has, a reserved opcode, a masked frame, a text that is not UTF-8."""
        recorder = self.record(query="times=sent")
        for head in (struct.pack("!BBQ", 0x82, 127, 2**62), b"\x83\0", b"\x82\x80\0\0\0\0",
                     b"\x81\x02\xff\xff"):
            client = self.listener.accept()
            self.greet(client)
            client.send_frame(TEXT, b"", head=head)
            with self.assertRaises((Closed, OSError)):
                while True:
                    client.receive()
            client.connection.close()
        recorder.terminate()
        self.finish(recorder)

    def test_a_server_of_something_else_is_refused(self):
        refusal = b"HTTP/1.1 404 Not Found\r\nContent-Length: 13\r\n\r\nno such robot"
        for answer, told in ((refusal, "status 404: no such robot"),
                             (None, "does not speak the Foxglove WebSocket protocol")):
            recorder = self.record("--force")
            if answer:
                connection, _ = self.listener.accept_raw()
                connection.sendall(answer)
            else:
                connection = self.listener.accept(protocol=None).connection
            self.assertIn(told, self.finish(recorder, code=2))
            connection.close()

    def test_waits_for_a_server_and_stops_at_once(self):
        self.listener.close()
        recorder = self.record()
        while "trying again" not in recorder.stderr.readline():
            pass
        begin = time.monotonic()
        recorder.terminate()
        self.finish(recorder)
        self.assertLess(time.monotonic() - begin, 10)

    def test_stops_at_once_when_the_server_says_nothing(self):
        for says_something in (False, True):
            recorder = self.record("--force")
            if says_something:
                client = self.listener.accept()
                self.greet(client)
            else:
                connection, _ = self.listener.accept_raw()
            time.sleep(0.2)
            begin = time.monotonic()
            recorder.terminate()
            self.finish(recorder)
            self.assertLess(time.monotonic() - begin, 10)

    def test_the_end_of_the_servers_data_ends_it(self):
        recorder = self.record()
        client = self.listener.accept("foxglove.sdk.v1")
        self.greet(client, "playbackControl")
        client.send(struct.pack("<BBQfBI", 5, 3, 10**18, 1.0, 0, 0))
        self.finish(recorder)

    def test_unknown_values_of_parameters_are_refused(self):
        for query in ("once=2&token=secret", "times=never&token=secret"):
            errors = self.finish(self.record(query=query), code=2)
            self.assertIn("invalid parameter", errors)
            self.assertNotIn("secret", errors)


class Playing(FoxgloveTest):
    def play(self, *options):
        kitbag("convert", "demo://?seconds=0.5&seed=7", self.folder / "a.mcap")
        return self.start("play", self.folder / "a.mcap", "--to", self.uri(""), "--rate", "10",
                          *options)

    def take_all(self, client):
        """{topic: payloads}, {topic: channel}."""
        channels, payloads = {}, {}
        try:
            while True:
                said = client.receive()
                if isinstance(said, dict):
                    self.assertEqual(said["op"], "advertise")
                    channels.update({each["id"]: each for each in said["channels"]})
                else:
                    opcode, number = struct.unpack("<BI", said[:5])
                    self.assertEqual(opcode, 1)
                    payloads.setdefault(channels[number]["topic"], []).append(said[5:])
        except Closed as closed:
            self.assertEqual(closed.code, 1000)
        return payloads, {each["topic"]: each for each in channels.values()}

    def test_plays_to_a_server(self):
        player = self.play()
        client = self.listener.accept()
        self.greet(client, "clientPublish", supportedEncodings=["ros1", "json"])
        payloads, channels = self.take_all(client)
        self.end(client)
        self.finish(player)
        self.assertEqual(len(channels), 12)
        self.assertEqual(channels["/odom"]["schemaName"], "nav_msgs/Odometry")
        self.assertIn("float32 voltage", channels["/battery"]["schema"])
        raw = subprocess.run([program(), "cat", self.folder / "a.mcap", "--topics", "/odom",
                              "--format", "raw"], check=True, capture_output=True).stdout
        self.assertEqual(b"".join(payloads["/odom"]), raw)

    def test_encodings_that_the_server_does_not_take_are_left_out(self):
        player = self.play("--topics", "/odom")
        client = self.listener.accept()
        self.greet(client, "clientPublish", supportedEncodings=["cdr"])
        payloads, channels = self.take_all(client)
        self.assertEqual((payloads, channels), ({}, {}))
        self.assertIn('/odom: left out; the server does not accept messages in the encoding "ros1"',
                      self.finish(player))

    def test_hostile_texts_do_not_end_a_playback(self):
        player = self.play("--topics", "/odom")
        client = self.listener.accept()
        for text in ("no JSON", "[" * 100_000, '{"op":"advertise"}'):
            client.send(text)
        self.greet(client, "clientPublish")
        payloads, _ = self.take_all(client)
        self.end(client)
        self.assertIn("a text of the server was left out", self.finish(player))
        self.assertTrue(payloads["/odom"])

    def test_a_server_that_takes_nothing_is_refused(self):
        player = self.play()
        self.greet(self.listener.accept(), "time")
        self.assertIn("capability clientPublish", self.finish(player, code=2))

    def test_goes_on_after_the_server_was_away(self):
        player = self.play()
        client = self.listener.accept()
        self.greet(client, "clientPublish")
        client.receive_text("advertise")
        client.connection.close()
        client = self.listener.accept()
        self.greet(client, "clientPublish")
        _, channels = self.take_all(client)
        self.assertEqual(len(channels), 12)
        self.assertIn("trying again", self.finish(player))

    def test_stops_at_once_without_a_server(self):
        self.listener.close()
        player = self.play()
        while "trying again" not in player.stderr.readline():
            pass
        begin = time.monotonic()
        player.terminate()
        self.assertIn("stopped", self.finish(player, code=2))
        self.assertLess(time.monotonic() - begin, 10)


if __name__ == "__main__":
    main()
