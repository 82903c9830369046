#!/usr/bin/env python3
"""mqtt:// against mosquitto: senders that know nothing of kitbag, TLS and users, and a broker that
is killed while messages are on their way."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from broker_case import BrokerCase  # noqa: E402
from brokers import (Mosquitto, MqttClient, certificates, find_server, free_port)  # noqa: E402
from make_bag import BagFile, u32  # noqa: E402
from peers import kitbag, main, need, program  # noqa: E402


class MqttTest(BrokerCase):
    kind = Mosquitto


class Exchange(MqttTest):
    def test_what_is_played_is_recorded_as_it_was(self):
        broker = self.server()
        uri = f"{broker.uri}/site/robot"
        kitbag("convert", "demo://?seconds=0.5&seed=7", self.folder / "sent.mcap")
        for quality in (0, 1, 2):
            got = f"got{quality}.mcap"
            recorder = self.record(got, f"{uri}{quality}?once=1&qos={quality}")
            kitbag("play", self.folder / "sent.mcap", "--rate", "10", "--to",
                   f"{uri}{quality}?qos={quality}")
            self.assertNotIn("warning", self.finish(recorder))
            self.equal("sent.mcap", got)
            self.assertEqual(self.recording(got)[1], 0)
        # Who comes later gets the descriptions, and what is latched.
        recorder = self.record("late.mcap", f"{uri}1?once=1")
        kitbag("play", self.folder / "sent.mcap", "--rate", "10", "--topics", "/odom", "--to",
               f"{uri}1")
        self.finish(recorder)
        channels = {each["topic"]: each for each in self.info("late.mcap")["channels"]}
        self.assertEqual(channels["/map"]["messages"], 1)
        self.assertEqual(channels["/map"]["type"], "nav_msgs/OccupancyGrid")

    def test_any_program_feeds_a_recorder(self):
        need(find_server("mosquitto_pub"), "mosquitto-clients is not installed")
        broker = self.server()
        recorder = self.record("got.mcap", broker.uri)

        def publish(*arguments):
            subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(broker.port), *arguments],
                           check=True)
        publish("-t", "sensors/temp", "-m", '{"celsius": 21.5}')
        publish("-t", "sensors/raw", "-m", "no JSON")
        publish("-t", "sensors/known", "-V", "5", "-q", "1", "-m", '{"x": 1}', "-D", "publish",
                "user-property", "kitbag-type", "Sample", "-D", "publish", "user-property",
                "kitbag-encoding", "json", "-D", "publish", "user-property", "other", "thing")
        self.check_fields_of_strangers(recorder)

    def test_any_program_is_played_to(self):
        need(find_server("mosquitto_sub"), "mosquitto-clients is not installed")
        broker = self.server()
        listener = subprocess.Popen(
            ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(broker.port), "-V", "5", "-t", "r/odom",
             "-C", "1", "-F", "%t %P %l"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(listener.wait)
        self.addCleanup(listener.kill)
        self.make_bag("sent.mcap", 0.2)
        while listener.poll() is None:  # until it is there
            kitbag("play", self.folder / "sent.mcap", "--topics", "/odom", "--rate", "100", "--to",
                   f"{broker.uri}/r")
        line = listener.communicate()[0]
        self.assertTrue(line.startswith("r/odom "), line)
        for field in ("kitbag-encoding:ros1", "kitbag-type:nav_msgs/Odometry", "kitbag-log-time:",
                      "kitbag-sequence:", "kitbag-number:"):
            self.assertIn(field, line)

    def test_a_definition_that_is_larger_than_the_broker_takes(self):
        broker = self.server("max_packet_size 3000")
        bag = BagFile(self.folder / "sent.bag")
        definition = "int32 data\n"
        topics = [bag.connection("/small", "test/Small", definition=definition),
                  bag.connection("/large", "test/Large", definition=definition + "#" * 4000)]
        bag.add_chunk([(topics[i % 2], 10**18 + i, u32(i)) for i in range(20)])
        bag.close()
        recorder = self.record("got.mcap", f"{broker.uri}/r?once=1")
        done = subprocess.run([program(), "play", self.folder / "sent.bag", "--to",
                               f"{broker.uri}/r"], capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr.count("definition is larger than the broker takes"), 1)
        self.assertIn("/large: left out; its definition is", done.stderr)
        self.finish(recorder)
        self.assertEqual(self.counts("got.mcap")["/small"], 10)

    def test_strangers_do_not_end_a_recording(self):
        broker = self.server()
        recorder = self.record("got.mcap", f"{broker.uri}/a", "--buffer", "16MiB")
        client = MqttClient(broker.port)
        client.publish("a/x", b"{}", [("kitbag-log-time", "soon")])
        client.publish("a/x", b"{}", [("kitbag-topic", "t" * 65535)] * 3)
        client.publish("a/x", b"{}", [(f"{i}", "v" * 1000) for i in range(5000)])
        client.publish("a/kitbag/channels/1", b"no JSON", [("kitbag-topic", "/x")])
        client.publish("a/kitbag/channels/2", b"[" * 1_000_000, [("kitbag-topic", "/x")])
        client.publish("a/kitbag/end", b"")
        client.publish("elsewhere", b"{}")
        client.publish("a/huge", bytes(100_000_000))
        for i in range(3000):
            client.publish(f"a/many/{i}", b"{}")
        client.publish("a/x", b'{"last": true}', quality=1)
        self.await_messages(recorder, 3003)
        peak_kb = max(int(line.split()[1])
                      for line in Path(f"/proc/{recorder.pid}/status").read_text().splitlines()
                      if line.startswith("VmHWM"))
        errors = self.stop(recorder)
        self.assertLess(peak_kb, 700_000)
        counts = self.counts("got.mcap")
        self.assertEqual(len([topic for topic in counts if topic.startswith("/many/")]), 3000)
        self.assertEqual((counts["/huge"], counts["/x"], counts["/kitbag/end"]), (1, 2, 1))
        self.assertNotIn("/elsewhere", counts)
        self.assertIn("fields that begin with kitbag-", errors)
        self.assertIn("messages were left out", errors)


class Faults(MqttTest):
    def test_nothing_is_lost_when_a_broker_is_restarted(self):
        broker = self.server("persistence true")
        sent, _ = self.exchange_over_restarts(broker.terminate, f"{broker.uri}/r",
                                              "?client=recorder")
        self.assertEqual(self.recording("got.mcap"), (sent, 0))
        self.equal_in_any_order("sent.mcap", "got.mcap")

    def test_what_is_lost_with_a_broker_is_counted(self):
        self.check_that_losses_are_counted(self.server("persistence false"), "?client=recorder")

    def test_a_broker_holds_what_comes_while_a_recorder_is_away(self):
        broker = self.server("persistence true")
        uri = f"{broker.uri}/r?client=recorder"
        count = self.make_bag("sent.mcap", 0.5)
        self.stop(self.record("empty.mcap", uri))
        kitbag("play", self.folder / "sent.mcap", "--rate", "10", "--to",
               f"{broker.uri}/r")
        broker.terminate()
        broker.start()
        recorder = self.record("got.mcap", f"{uri}&once=1")
        self.finish(recorder)
        self.assertEqual(self.recording("got.mcap"), (count, 0))
        self.equal_in_any_order("sent.mcap", "got.mcap")

    def test_without_a_broker_everything_ends_at_once(self):
        self.check_that_all_ends_without(self.server())

    def test_a_broker_that_is_not_there_is_missing(self):
        self.check_that_it_is_missing(
            f"mqtt://127.0.0.1:{free_port()}/r?user=joe&password=hidden",
            "cannot connect to the broker: Connection refused")


class Access(MqttTest):
    def test_users(self):
        need(find_server("mosquitto_passwd"), "mosquitto is not whole")
        passwords = self.folder / "passwords"
        subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "joe", "hidden"], check=True,
                       capture_output=True)
        rules = self.folder / "rules"
        rules.write_text("user joe\ntopic readwrite r/#\n")
        broker = self.server(f"password_file {passwords}", f"acl_file {rules}", anonymous=False)
        self.check_users(f"{broker.uri}/r", "KITBAG_MQTT")
        # Another's topics.
        self.make_bag("sent.mcap", 0.2)
        self.assertIn("messages: Not authorized",
                      self.try_to("play", self.folder / "sent.mcap", "--rate", "10", "--to",
                                  f"{broker.uri}/s?user=joe&password=hidden"))

    def test_tls(self):
        files = certificates(self.folder)
        broker = self.server(f"cafile {files['ca']}", f"certfile {files['server']}",
                             f"keyfile {files['server_key']}", "require_certificate true")
        self.check_tls(f"mqtts://127.0.0.1:{broker.port}/r", files, "certificate verify failed")
        self.assertIn("are for mqtts://", self.try_to_record(f"{broker.uri}?ca={files['ca']}"))


if __name__ == "__main__":
    main()
