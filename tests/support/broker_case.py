"""What tests of transports over a broker share: a server, a recorder whose status is asked for, and
what every broker has to do."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from brokers import find_server, until
from peers import kitbag, need, program, run_json

PATIENCE_S = 60


class BrokerCase(unittest.TestCase):
    kind = None  # of the server: a class of brokers.py

    def setUp(self):
        need(find_server(self.kind.program), f"{self.kind.program} is not installed")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.recorders = 0
        self.served = None

    def server(self, *arguments, **more):
        folder = self.folder / "server"
        folder.mkdir()
        self.served = self.kind(folder, *arguments, **more)
        self.addCleanup(self.served.end)
        return self.served

    def start(self, *arguments, **more):
        process = subprocess.Popen([program(), *map(str, arguments)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, **more)

        def end():
            process.kill()
            process.communicate()
        self.addCleanup(end)
        return process

    def finish(self, process, code=0):
        output, errors = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, code, output + errors)
        return errors

    def record(self, bag, uri, *options, **more):
        """A recorder that listens, if the server of the test is there."""
        self.recorders += 1
        mark = self.served and self.served.mark()
        socket = self.folder / f"control{self.recorders}"
        recorder = self.start("record", "-a", "--from", uri, "-o", self.folder / bag, "--control",
                              socket, *options, **more)
        recorder.control = socket

        def listens():
            if recorder.poll() is not None:  # it has all already
                self.assertEqual(recorder.returncode, 0, recorder.stderr.read())
                return True
            return socket.exists() and (self.served is None or self.served.heard(mark))
        until(listens, "the recorder")
        return recorder

    @staticmethod
    def status(recorder):
        return run_json(program(), "control", recorder.control, "status")

    def await_messages(self, recorder, count):
        until(lambda: self.status(recorder)["messages"] >= count, f"{count} messages")

    def await_all(self, recorder, count):
        """What was sent was recorded, or is known to be lost."""
        def seen():
            now = self.status(recorder)
            return now["messages"] + sum(now["lost"].values()) >= count
        until(seen, "the rest")

    def stop(self, recorder, code=0):
        recorder.terminate()
        return self.finish(recorder, code)

    def counts(self, bag):
        return {each["topic"]: each["messages"] for each in self.info(bag)["channels"]}

    def info(self, bag):
        return run_json(program(), "info", "--json", self.folder / bag)

    def rows(self, bag, topic):
        lines = kitbag("cat", self.folder / bag, "--topics", topic).splitlines()
        return [json.loads(line) for line in lines]

    def recording(self, bag):
        """What was recorded, and what was lost."""
        text = kitbag("get", self.folder / bag, "metadata", "kitbag_recording")
        return self.info(bag)["messages"], int(json.loads(text)["lost"])

    def equal(self, sent, got):
        kitbag("diff", "--ignore-time", self.folder / sent, self.folder / got)

    def equal_in_any_order(self, sent, got):
        def lines(bag):
            rows = map(json.loads, kitbag("cat", self.folder / bag).splitlines())
            return sorted((row["topic"], row["publish_time_ns"], json.dumps(row["data"]))
                          for row in rows)
        self.assertEqual(lines(sent), lines(got))

    def make_bag(self, name, seconds):
        kitbag("convert", f"demo://?seconds={seconds}&seed=7", self.folder / name, "--exclude",
               "/camera/*", "/map")
        return self.info(name)["messages"]

    # --- what every broker has to do ---

    def try_to(self, *arguments, **environment):
        """What is said where it is not possible."""
        done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                              timeout=PATIENCE_S, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn("hidden", done.stderr)
        return done.stderr

    def try_to_record(self, uri, **environment):
        return self.try_to("record", "-a", "--from", uri, "-o", self.folder / "x.mcap",
                           **environment)

    def exchange(self, uri, **environment):
        """Records what is played, and names no password."""
        self.make_bag("sent.mcap", 0.2)
        environment = {**os.environ, **environment}
        recorder = self.record("got.mcap", f"{uri}{'&' if '?' in uri else '?'}once=1", "--force",
                               env=environment)
        kitbag("play", self.folder / "sent.mcap", "--to", uri, env=environment)
        self.assertNotIn("hidden", self.finish(recorder))
        self.equal("sent.mcap", "got.mcap")
        self.assertNotIn("hidden", kitbag("get", self.folder / "got.mcap", "metadata",
                                          "kitbag_recording"))
        (self.folder / "sent.mcap").unlink()

    def exchange_over_restarts(self, end, uri, query=""):
        """Plays to `uri`, and records from it with `query`, while end() ends the server twice and
        it is started again. What was sent, and what was said by both."""
        sent = self.make_bag("sent.mcap", 8)
        recorder = self.record("got.mcap", uri + query)
        player = self.start("play", self.folder / "sent.mcap", "--rate", "2", "--to", uri)
        for _ in range(2):
            had = self.status(recorder)["messages"]
            self.await_messages(recorder, had + 100)
            end()
            self.served.start()
        said = self.finish(player)
        self.assertIn("trying again", said)
        self.await_all(recorder, sent)
        return sent, said + self.stop(recorder)

    def check_that_losses_are_counted(self, server, query=""):
        sent, said = self.exchange_over_restarts(server.kill, f"{server.uri}/r", query)
        got, lost = self.recording("got.mcap")
        self.assertEqual(got + lost, sent, said)

    def check_that_all_ends_without(self, server):
        uri = f"{server.uri}/r"
        self.make_bag("sent.mcap", 30)
        recorder = self.record("got.mcap", uri)
        player = self.start("play", self.folder / "sent.mcap", "--to", uri)
        self.await_messages(recorder, 50)
        server.kill()
        time.sleep(0.5)
        for process in (player, recorder):
            process.send_signal(signal.SIGINT)
        self.finish(recorder)
        _, said = player.communicate(timeout=20)
        self.assertRegex(said, "cannot connect|connection")

    def check_that_it_is_missing(self, uri, said):
        """`uri` is a location without a server, with a password."""
        self.assertIn(said, self.try_to_record(uri))
        recorder = self.record("y.mcap", uri, "--from", "demo://?seconds=60")
        self.assertEqual(self.status(recorder)["missing"], [uri[:uri.index("?")]])
        self.assertNotIn("hidden", self.stop(recorder))

    def check_fields_of_strangers(self, recorder):
        """Three messages, of JSON, of bytes, and of a type that fields tell."""
        self.await_messages(recorder, 3)
        self.stop(recorder)
        channels = {each["topic"]: (each["encoding"], each["type"])
                    for each in self.info("got.mcap")["channels"]}
        self.assertEqual(channels, {"/sensors/temp": ("json", ""), "/sensors/raw": ("", ""),
                                    "/sensors/known": ("json", "Sample")})
        self.assertEqual(self.rows("got.mcap", "/sensors/temp")[0]["data"], {"celsius": 21.5})

    def check_users(self, uri, variables):
        """Of a server that knows joe, whose password is "hidden". `variables` is what those of the
        environment begin with."""
        self.assertIn(f"{variables}_PASSWORD", self.try_to_record(uri))
        self.assertIn("refuses the user", self.try_to_record(f"{uri}?user=joe&password=hidden2"))
        self.assertIn("do not belong in front of the host",
                      self.try_to_record(uri.replace("://", "://joe:hidden@")))
        self.exchange(f"{uri}?user=joe&password=hidden")
        # Below another prefix, as a broker of MQTT still has what was latched.
        self.exchange(f"{uri}/2", **{f"{variables}_USER": "joe", f"{variables}_PASSWORD": "hidden"})

    def check_tls(self, uri, files, said):
        """Of a server with certificates(), which wants one of its clients too. `said` is what is
        said of one that another authority has signed."""
        own = f"cert={files['client']}&key={files['client_key']}"
        self.assertIn(said, self.try_to_record(f"{uri}?ca={files['other']}&{own}"))
        self.try_to_record(f"{uri}?ca={files['ca']}")  # without a certificate of its own
        self.assertIn("cannot read the file of the parameter ca",
                      self.try_to_record(f"{uri}?ca=/nowhere.pem"))
        self.exchange(f"{uri}?ca={files['ca']}&{own}")
