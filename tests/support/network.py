"""What tests of live systems of ROS share: a network of their own, processes, the recorder."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from peers import ROOT, kitbag, need, program, run, run_json

PATIENCE_S = 60
DEMO = "demo://?seconds=1&seed=7&log=0"
BUILD = Path(os.environ.get("KITBAG_BUILD", ROOT / "build" / "release"))
INSIDE = "KITBAG_TEST_NETWORK"


def enter_network():
    """This program again, in a network with nothing but a loopback."""
    if os.environ.get(INSIDE) or os.geteuid() != 0 or not shutil.which("unshare"):
        return
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "-n", sys.executable, "-B", *sys.argv])


class NetworkTest(unittest.TestCase):
    """A bag of the simulated robot to play, and a folder to work in."""

    SYSTEM = ""  # "ros1://"

    @classmethod
    def setUpClass(cls):
        need(os.environ.get(INSIDE), "only root can make a network", "network")
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "set", "lo", "multicast", "on")
        run("ip", "route", "replace", "224.0.0.0/4", "dev", "lo")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = Path(folder.name)

    def setUp(self):
        # A peer that never says what is awaited ends the test, not the run.
        signal.signal(signal.SIGALRM, self.give_up)
        signal.alarm(2 * PATIENCE_S)
        self.addCleanup(signal.alarm, 0)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    @staticmethod
    def give_up(_signal, _frame):
        raise AssertionError("what was awaited never came")

    def start(self, *command, **more):
        """A process that ends with its test; its output is one stream."""
        options = {"cwd": self.folder, "text": True, "stdout": subprocess.PIPE,
                   "stderr": subprocess.STDOUT, **more}
        process = subprocess.Popen([str(c) for c in command], **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()

    def settled(self, received):
        """When nothing has come for a second."""
        last = None
        while last != (last := received()):
            time.sleep(1)

    def until(self, seen):
        deadline = time.monotonic() + PATIENCE_S
        while not (found := seen()):
            self.assertLess(time.monotonic(), deadline, "what was awaited never came")
            time.sleep(0.01)
        return found

    def stop(self, process):
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
        if process.args[0] == program():  # not 0, too, where a sanitizer has found something
            self.assertEqual(process.returncode, 0, out)
        return out

    def status(self, socket):
        return run_json(program(), "control", self.folder / socket, "status")

    def recorder(self, name, *arguments, system=None):
        """Ours, when it listens; and how many messages it has."""
        socket = f"{name}.ctl"
        process = self.start(program(), "record", "--from", system or self.SYSTEM,
                             "-o", self.folder / name, "--control", self.folder / socket,
                             *arguments)
        self.until((self.folder / socket).exists)
        return process, lambda: self.status(socket)["messages"]

    def info(self, name):
        return run_json(program(), "info", "--json", self.folder / name)

    def count(self, name):
        return self.info(name)["messages"]

    def cat(self, name, *arguments):
        return kitbag("cat", self.folder / name, *arguments)
