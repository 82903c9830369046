#!/usr/bin/env python3
"""mqtt:// against mosquitto: senders that know nothing of kitbag, TLS and users, and a broker that
is killed while messages are on their way."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from broker_case import BrokerCase  # noqa: E402
from brokers import (Mosquitto, MqttClient, certificates, find_server, free_port)  # noqa: E402
from peers import kitbag, main, need, program  # noqa: E402


class MqttTest(BrokerCase):
    def setUp(self):
        need(find_server("mosquitto"), "mosquitto is not installed")
        super().setUp()

    def broker(self, *lines, **more):
        folder = self.folder / "broker"
        folder.mkdir()
        return self.serve(Mosquitto(folder, f"persistence_location {folder}/", *lines, **more))


class Exchange(MqttTest):
    def test_what_is_played_is_recorded_as_it_was(self):
        broker = self.broker()
        uri = f"mqtt://127.0.0.1:{broker.port}/site/robot"
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
        broker = self.broker()
        recorder = self.record("got.mcap", f"mqtt://127.0.0.1:{broker.port}")

        def publish(*arguments):
            subprocess.run(["mosquitto_pub", "-h", "127.0.0.1", "-p", str(broker.port), *arguments],
                           check=True)
        publish("-t", "sensors/temp", "-m", '{"celsius": 21.5}')
        publish("-t", "sensors/raw", "-m", "no JSON")
        publish("-t", "sensors/v5", "-V", "5", "-q", "1", "-m", '{"x": 1}', "-D", "publish",
                "user-property", "kitbag-type", "Sample", "-D", "publish", "user-property",
                "kitbag-encoding", "json", "-D", "publish", "user-property", "other", "thing")
        self.await_messages(recorder, 3)
        self.stop(recorder)
        channels = {each["topic"]: each for each in self.info("got.mcap")["channels"]}
        self.assertEqual({name: (each["encoding"], each["type"])
                          for name, each in channels.items()},
                         {"/sensors/temp": ("json", ""), "/sensors/raw": ("", ""),
                          "/sensors/v5": ("json", "Sample")})
        self.assertEqual(self.rows("got.mcap", "/sensors/temp")[0]["data"], {"celsius": 21.5})

    def test_any_program_is_played_to(self):
        need(find_server("mosquitto_sub"), "mosquitto-clients is not installed")
        broker = self.broker()
        listener = subprocess.Popen(
            ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(broker.port), "-V", "5", "-t", "r/odom",
             "-C", "1", "-F", "%t %P %l"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(listener.wait)
        self.addCleanup(listener.kill)
        self.make_bag("sent.mcap", 0.2)
        while listener.poll() is None:  # until it is there
            kitbag("play", self.folder / "sent.mcap", "--topics", "/odom", "--rate", "100", "--to",
                   f"mqtt://127.0.0.1:{broker.port}/r")
        line = listener.communicate()[0]
        self.assertTrue(line.startswith("r/odom "), line)
        for field in ("kitbag-encoding:ros1", "kitbag-type:nav_msgs/Odometry", "kitbag-log-time:",
                      "kitbag-sequence:", "kitbag-number:"):
            self.assertIn(field, line)

    def test_strangers_do_not_end_a_recording(self):
        broker = self.broker()
        recorder = self.record("got.mcap", f"mqtt://127.0.0.1:{broker.port}/a", "--buffer", "16MiB")
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
    def exchange_over_a_restart(self, broker, end, count):
        """Plays while the broker is ended and started again. What was said by both."""
        uri = f"mqtt://127.0.0.1:{broker.port}/r"
        recorder = self.record("got.mcap", f"{uri}?client=recorder")
        player = self.start("play", self.folder / "sent.mcap", "--rate", "2", "--to", uri)
        for _ in range(2):
            had = self.status(recorder)["messages"]
            self.await_messages(recorder, had + 100)
            end()
            broker.start()
        said = self.finish(player)
        self.assertIn("trying again", said)
        self.await_all(recorder, count)
        return said, self.stop(recorder)

    def test_nothing_is_lost_when_a_broker_is_restarted(self):
        broker = self.broker("persistence true")
        count = self.make_bag("sent.mcap", 8)
        self.exchange_over_a_restart(broker, broker.terminate, count)
        self.assertEqual(self.recording("got.mcap"), (count, 0))
        self.equal_in_any_order("sent.mcap", "got.mcap")

    def test_what_is_lost_with_a_broker_is_counted(self):
        broker = self.broker("persistence false")
        count = self.make_bag("sent.mcap", 8)
        said, heard = self.exchange_over_a_restart(broker, broker.kill, count)
        got, lost = self.recording("got.mcap")
        self.assertEqual(got + lost, count, said + heard)

    def test_a_broker_holds_what_comes_while_a_recorder_is_away(self):
        broker = self.broker("persistence true")
        uri = f"mqtt://127.0.0.1:{broker.port}/r?client=recorder"
        count = self.make_bag("sent.mcap", 0.5)
        self.stop(self.record("empty.mcap", uri))
        kitbag("play", self.folder / "sent.mcap", "--rate", "10", "--to",
               f"mqtt://127.0.0.1:{broker.port}/r")
        broker.terminate()
        broker.start()
        recorder = self.record("got.mcap", f"{uri}&once=1")
        self.finish(recorder)
        self.assertEqual(self.recording("got.mcap"), (count, 0))
        self.equal_in_any_order("sent.mcap", "got.mcap")

    def test_without_a_broker_everything_ends_at_once(self):
        broker = self.broker()
        uri = f"mqtt://127.0.0.1:{broker.port}/r"
        self.make_bag("sent.mcap", 30)
        recorder = self.record("got.mcap", uri)
        player = self.start("play", self.folder / "sent.mcap", "--to", uri)
        self.await_messages(recorder, 50)
        broker.kill()
        time.sleep(0.5)
        for process in (player, recorder):
            process.send_signal(signal.SIGINT)
        self.finish(recorder)
        _, said = player.communicate(timeout=20)
        self.assertIn("cannot connect" if "cannot connect" in said else "connection", said)

    def test_a_broker_that_is_not_there_is_missing(self):
        uri = f"mqtt://127.0.0.1:{free_port()}/r?user=joe&password=hidden"
        done = subprocess.run([program(), "record", "-a", "--from", uri, "-o",
                               self.folder / "x.mcap"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("cannot connect to the broker: Connection refused", done.stderr)
        self.assertNotIn("hidden", done.stderr)
        recorder = self.record("y.mcap", uri, "--from", "demo://?seconds=60")
        self.assertEqual(self.status(recorder)["missing"], [uri[:uri.index("?")]])
        self.assertNotIn("hidden", self.stop(recorder))


class Access(MqttTest):
    def try_to_record(self, uri, **environment):
        done = subprocess.run([program(), "record", "-a", "--from", uri, "-o",
                               self.folder / "x.mcap"], capture_output=True, text=True, timeout=60,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn("hidden", done.stderr)
        return done.stderr

    def test_users(self):
        need(find_server("mosquitto_passwd"), "mosquitto is not whole")
        passwords = self.folder / "passwords"
        subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, "joe", "hidden"], check=True,
                       capture_output=True)
        rules = self.folder / "rules"
        rules.write_text("user joe\ntopic readwrite r/#\n")
        broker = self.broker(f"password_file {passwords}", f"acl_file {rules}", anonymous=False)
        uri = f"mqtt://127.0.0.1:{broker.port}/r"
        self.assertIn("KITBAG_MQTT_PASSWORD", self.try_to_record(uri))
        self.assertIn("refuses the user or the password",
                      self.try_to_record(f"{uri}?user=joe&password=hidden2"))
        self.assertIn("do not belong in front of the host",
                      self.try_to_record(uri.replace("://", "://joe:hidden@")))
        recorder = self.record("got.mcap", f"{uri}?user=joe&password=hidden&once=1")
        self.make_bag("sent.mcap", 0.2)
        kitbag("play", self.folder / "sent.mcap", "--to", uri,
               env={**os.environ, "KITBAG_MQTT_USER": "joe", "KITBAG_MQTT_PASSWORD": "hidden"})
        self.assertNotIn("hidden", self.finish(recorder))
        self.equal("sent.mcap", "got.mcap")
        self.assertNotIn("hidden", kitbag("get", self.folder / "got.mcap", "metadata",
                                          "kitbag_recording"))
        # Another's topics.
        done = subprocess.run(
            [program(), "play", self.folder / "sent.mcap", "--rate", "10", "--to",
             f"mqtt://127.0.0.1:{broker.port}/s?user=joe&password=hidden"], capture_output=True,
            text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("messages: Not authorized", done.stderr)

    def test_tls(self):
        files = certificates(self.folder)
        broker = self.broker(f"cafile {files['ca']}", f"certfile {files['server']}",
                             f"keyfile {files['server_key']}", "require_certificate true")
        uri = f"mqtts://127.0.0.1:{broker.port}/r"
        own = f"cert={files['client']}&key={files['client_key']}"
        said = self.try_to_record(f"{uri}?ca={files['other']}&{own}")
        self.assertIn("certificate verify failed", said)
        self.try_to_record(f"{uri}?ca={files['ca']}")  # without a certificate of its own
        self.assertIn("cannot read the file of the parameter ca",
                      self.try_to_record(f"{uri}?ca=/nowhere.pem"))
        self.assertIn("are for mqtts://",
                      self.try_to_record(f"mqtt://127.0.0.1:{broker.port}?ca={files['ca']}"))
        self.make_bag("sent.mcap", 0.2)
        good = f"{uri}?ca={files['ca']}&{own}"
        recorder = self.record("got.mcap", f"{good}&once=1")
        kitbag("play", self.folder / "sent.mcap", "--to", good)
        self.finish(recorder)
        self.equal("sent.mcap", "got.mcap")


if __name__ == "__main__":
    main()
