#!/usr/bin/env python3
"""nats:// against nats-server, with and without JetStream: senders that know nothing of kitbag, TLS
and users, and a server that is killed while messages are on their way."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from broker_case import BrokerCase  # noqa: E402
from brokers import NatsClient, NatsServer, certificates, free_port  # noqa: E402
from peers import kitbag, main, program  # noqa: E402


class NatsTest(BrokerCase):
    kind = NatsServer

    def client(self, server):
        client = NatsClient(server.port)
        self.addCleanup(client.close)
        return client


class Exchange(NatsTest):
    def test_what_is_played_is_recorded_as_it_was(self):
        server = self.server()
        self.client(server).add_stream("ROBOT", "js.>")
        kitbag("convert", "demo://?seconds=0.5&seed=7", self.folder / "sent.mcap")
        for prefix, stream in (("site/robot", ""), ("js", "?stream=ROBOT")):
            uri = f"{server.uri}/{prefix}{stream}"
            got = f"{prefix[:2]}.mcap"
            recorder = self.record(got, f"{uri}{'&' if stream else '?'}once=1")
            kitbag("play", self.folder / "sent.mcap", "--rate", "10", "--to", uri)
            self.assertNotIn("warning", self.finish(recorder))
            self.equal("sent.mcap", got)
            self.assertEqual(self.recording(got)[1], 0)
        # A stream gives it again, and to who begins behind them the descriptions.
        recorder = self.record("again.mcap", f"{uri}&once=1")
        self.finish(recorder)
        self.equal("sent.mcap", "again.mcap")
        recorder = self.record("late.mcap", f"{uri}&deliver=new&once=1")
        while recorder.poll() is None:  # until its consumer is there
            kitbag("play", self.folder / "sent.mcap", "--rate", "10", "--topics", "/odom", "--to",
                   uri)
        self.finish(recorder)
        self.assertEqual(self.rows("late.mcap", "/odom")[0]["type"], "nav_msgs/Odometry")

    def test_any_program_feeds_a_recorder(self):
        server = self.server()
        recorder = self.record("got.mcap", server.uri)
        client = self.client(server)
        client.publish("sensors.temp", b'{"celsius": 21.5}')
        client.publish("sensors.raw", b"no JSON")
        client.publish("sensors.known", b'{"x": 1}', [("kitbag-encoding", b"json"),
                                                      ("kitbag-type", b"Sample"), ("o", b"x")])
        client.publish("_INBOX.x", b"no business of ours")
        self.check_fields_of_strangers(recorder)

    def test_strangers_do_not_end_a_recording(self):
        server = self.server()
        recorder = self.record("got.mcap", f"{server.uri}/a", "--buffer", "16MiB")
        client = self.client(server)
        client.publish("a.x", b"{}", [("kitbag-log-time", b"soon")])
        client.publish("a.x", b"{}", [("kitbag-topic", b"t" * 70_000)])
        client.publish("a.x", b"{}", [("kitbag-topic", b"\xff")])
        client.publish("a.x", b"{}", [(f"h{i}", b"v" * 10) for i in range(30_000)])
        client.publish("a.kitbag.channels.1", b"no JSON", [("kitbag-topic", b"/x")])
        client.publish("a.kitbag.channels.2", b"[" * 900_000, [("kitbag-topic", b"/x")])
        client.publish("a.large", bytes(1_000_000))
        client.publish("elsewhere", b"{}")
        for i in range(3000):
            client.publish(f"a.many.{i}", b"{}")
        client.publish("a.x", b'{"last": true}')
        client.flush()
        self.await_messages(recorder, 3003)
        errors = self.stop(recorder)
        counts = self.counts("got.mcap")
        self.assertEqual(len([topic for topic in counts if topic.startswith("/many/")]), 3000)
        self.assertEqual((counts["/large"], counts["/x"]), (1, 2))
        self.assertNotIn("/elsewhere", counts)
        for told in ("fields that begin with kitbag-", "not UTF-8", "messages were left out"):
            self.assertIn(told, errors)

    def test_what_is_too_large_is_told(self):
        server = self.server()
        kitbag("convert", "demo://?seconds=0.2&seed=7", self.folder / "demo.mcap")
        configuration = self.folder / "small.conf"
        configuration.write_text("max_payload: 1000\n")
        server.kill()
        server.arguments = ("-c", configuration)
        server.start()
        uri = server.uri
        done = subprocess.run([program(), "play", self.folder / "demo.mcap", "--to", uri],
                              capture_output=True, text=True)
        self.assertIn("is larger than the server takes", done.stderr)
        self.assertRegex(done.stderr, r"\d+ messages were left out")


class Faults(NatsTest):
    def test_nothing_is_lost_from_a_stream_when_its_server_is_killed(self):
        server = self.server()
        self.client(server).add_stream("ROBOT", "r.>")
        sent, _ = self.exchange_over_restarts(server.kill, f"{server.uri}/r?stream=ROBOT",
                                              "&durable=recorder")
        self.assertEqual(self.recording("got.mcap"), (sent, 0))
        self.equal_in_any_order("sent.mcap", "got.mcap")

    def test_what_is_lost_with_a_server_is_counted(self):
        self.check_that_losses_are_counted(self.server(jetstream=False))

    def test_a_stream_holds_what_comes_while_a_recorder_is_away(self):
        server = self.server()
        self.client(server).add_stream("ROBOT", "r.>")
        uri = f"{server.uri}/r?stream=ROBOT"
        count = self.make_bag("sent.mcap", 0.5)
        self.stop(self.record("empty.mcap", f"{uri}&durable=recorder"))
        kitbag("play", self.folder / "sent.mcap", "--rate", "10", "--to", uri)
        self.finish(self.record("got.mcap", f"{uri}&durable=recorder&once=1"))
        self.assertEqual(self.recording("got.mcap"), (count, 0))
        self.equal("sent.mcap", "got.mcap")
        # It was acknowledged: the next recorder gets what comes after it.
        recorder = self.record("next.mcap", f"{uri}&durable=recorder&once=1")
        kitbag("play", self.folder / "sent.mcap", "--rate", "10", "--topics", "/odom", "--to", uri)
        self.finish(recorder)
        self.assertEqual(list(self.counts("next.mcap")), ["/odom"])

    def test_without_a_server_everything_ends_at_once(self):
        self.check_that_all_ends_without(self.server())

    def test_what_is_not_there_is_told(self):
        self.check_that_it_is_missing(f"nats://127.0.0.1:{free_port()}/r?token=hidden",
                                      "cannot connect to the server")
        server = self.server()
        uri = f"{server.uri}/r?stream=ROBOT"
        self.make_bag("sent.mcap", 0.2)
        play = "play", self.folder / "sent.mcap", "--to", uri
        said = 'the server has no stream "ROBOT"; create it with the subjects \'r.>\''
        self.assertIn(said, self.try_to_record(uri))
        self.assertIn(said, self.try_to(*play))
        self.client(server).add_stream("ROBOT", "other.>")
        self.assertIn('does not take the subject r.', self.try_to(*play))


class Access(NatsTest):
    def test_users(self):
        server = self.server("--user", "joe", "--pass", "hidden", jetstream=False)
        self.check_users(f"{server.uri}/r", "KITBAG_NATS")

    def test_tokens(self):
        server = self.server("--auth", "hidden", jetstream=False)
        uri = f"{server.uri}/r"
        self.assertIn("refuses the user", self.try_to_record(f"{uri}?token=hidden2"))
        self.exchange(f"{uri}?token=hidden")
        self.exchange(uri, KITBAG_NATS_TOKEN="hidden")

    def test_tls(self):
        files = certificates(self.folder)
        server = self.server("--tlsverify", "--tlscacert", files["ca"], "--tlscert",
                             files["server"], "--tlskey", files["server_key"], jetstream=False)
        self.check_tls(f"tls://127.0.0.1:{server.port}/r", files,
                       "unable to get local issuer certificate")
        self.assertIn("TLS", self.try_to_record(f"{server.uri}/r"))

    def test_rights(self):
        rules = self.folder / "rules.conf"
        rules.write_text("""authorization { users = [ { user: joe, password: hidden,
            permissions: { publish: "r.>", subscribe: ["r.>", "_INBOX.>"] } } ] }""")
        server = self.server("-c", rules, jetstream=False)
        place = server.uri
        query = "?user=joe&password=hidden"
        self.assertIn("Permissions Violation", self.try_to_record(f"{place}/s{query}"))
        self.exchange(f"{place}/r{query}")
        self.make_bag("sent.mcap", 0.2)
        self.assertIn("Permissions Violation",
                      self.try_to("play", self.folder / "sent.mcap", "--rate", "10", "--to",
                                  f"{place}/s{query}"))


if __name__ == "__main__":
    main()
