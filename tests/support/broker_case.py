"""What tests of transports over a broker share: a recorder whose status is asked for."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

from brokers import until
from peers import kitbag, program, run_json

PATIENCE_S = 60


class BrokerCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.recorders = 0
        self.served = None

    def serve(self, server):
        self.addCleanup(server.end)
        self.served = server
        return server

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
