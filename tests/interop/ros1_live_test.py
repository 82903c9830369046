#!/usr/bin/env python3
"""Systems of ROS 1: the real roscore, rostopic and rosbag on the other side of record, play and
pipe. All of it in a network of its own."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import ROOT, kitbag, main, need, program, run, run_json  # noqa: E402

PATIENCE_S = 60
MASTER = "http://127.0.0.1:11311"
DEMO = "demo://?seconds=1&seed=7&log=0"
PLUGIN = Path(os.environ.get("KITBAG_BUILD", ROOT / "build" / "release")) / "plugins"
INSIDE = "KITBAG_TEST_NETWORK"


def enter_network():
    """This program again, in a network with nothing but a loopback."""
    if os.environ.get(INSIDE) or os.geteuid() != 0 or not shutil.which("unshare"):
        return
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "-n", sys.executable, "-B", *sys.argv])


class Ros1Test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(os.environ.get(INSIDE), "only root can make a network")
        need(shutil.which("roscore", path="/usr/bin"), "python3-roslaunch is not installed")
        need((PLUGIN / "transport_ros1.so").exists(), "libroscpp-dev was not there to build with")
        run("ip", "link", "set", "lo", "up")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.home = Path(folder.name)
        os.environ.update(ROS_MASTER_URI=MASTER, ROS_IP="127.0.0.1", ROS_HOME=str(cls.home),
                          ROS_LOG_DIR=str(cls.home / "log"))
        core = subprocess.Popen(["/usr/bin/roscore"], stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)
        cls.addClassCleanup(core.wait)
        cls.addClassCleanup(os.killpg, core.pid, signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE_S
        while subprocess.run(["/usr/bin/rostopic", "list"], capture_output=True).returncode:
            assert time.monotonic() < deadline, "roscore never came"

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bag = self.folder / "a.bag"
        kitbag("convert", DEMO, self.bag)

    def start(self, *command):
        process = subprocess.Popen([str(c) for c in command], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.communicate()

    def until(self, seen):
        deadline = time.monotonic() + PATIENCE_S
        while not (found := seen()):
            self.assertLess(time.monotonic(), deadline, "what was awaited never came")
        return found

    def stop(self, process):
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
        return out

    def recorder(self, name, *arguments):
        """Ours, when it listens; and how many messages it has."""
        socket = self.folder / f"{name}.ctl"
        process = self.start(program(), "record", "--exclude", "/rosout*", "--from", "ros1://",
                             "-o", self.folder / name, "--control", socket, *arguments)
        self.until(socket.exists)
        return process, lambda: run_json(program(), "control", socket, "status")["messages"]

    def count(self, bag):
        return run_json(program(), "info", "--json", bag)["messages"]

    def test_what_rosbag_plays_is_recorded(self):
        recorder, received = self.recorder("got.bag", "-a")
        run("/usr/bin/rosbag", "play", "--wait-for-subscribers", self.bag)
        self.until(lambda: received() >= self.count(self.bag))
        self.stop(recorder)
        kitbag("diff", "--ignore-time", self.bag, self.folder / "got.bag")
        ours = run_json(program(), "info", "--json", self.folder / "got.bag")["channels"]
        for channel in ours:
            self.assertEqual(channel["latched"], channel["topic"] in ("/map", "/tf_static"))
            self.assertIn("/play_", channel["metadata"]["callerid"])

    def test_what_is_played_is_recorded_by_rosbag(self):
        channels = run_json(program(), "info", "--json", self.bag)["channels"]
        topics = [c["topic"] for c in channels if c["messages"] > 0]
        recorder = self.start("/usr/bin/rosbag", "record", "-O", self.folder / "real.bag", *topics)
        kitbag("play", self.bag, "--to", "ros1://", "--wait-for-subscribers")
        self.stop(recorder)
        kitbag("diff", "--ignore-time", self.bag, self.folder / "real.bag")
        for channel in run_json(program(), "info", "--json",
                                self.folder / "real.bag")["channels"]:
            self.assertEqual(channel["latched"], channel["topic"] in ("/map", "/tf_static"))

    def test_who_comes_late_gets_what_is_latched(self):
        player = self.start(program(), "play", self.bag, "--to", "ros1://", "--topics",
                            "/tf_static", "--loop", "--until-topic", "/tf_static", "--control",
                            self.folder / "ctl")
        self.until((self.folder / "ctl").exists)
        self.until(lambda: run_json(program(), "control", self.folder / "ctl",
                                    "status")["messages"] == 1)
        echoed = run("/usr/bin/rostopic", "echo", "-n1", "/tf_static")
        self.assertIn("frame_id: \"base_link\"", echoed)
        self.stop(player)

    def test_types_that_nobody_here_knows_and_several_publishers(self):
        recorder, received = self.recorder("got.mcap", "/chat")
        publishers = [self.start("/usr/bin/rostopic", "pub", "-r", "20", "/chat", "std_msgs/String",
                                 f"data: {name}") for name in ("one", "two")]
        self.until(lambda: received() > 20)
        for publisher in publishers:
            self.stop(publisher)
        self.stop(recorder)
        lines = kitbag("cat", self.folder / "got.mcap", "--fields", "data").splitlines()
        self.assertEqual({json.loads(line)["data"]["data"] for line in lines}, {"one", "two"})
        channels = run_json(program(), "info", "--json", self.folder / "got.mcap")["channels"]
        self.assertEqual(len(channels), 2)
        self.assertEqual(len({c["metadata"]["callerid"] for c in channels}), 2)

    def test_encodings_are_brought_into_line(self):
        native = self.folder / "native.mcap"
        kitbag("convert", self.bag, native, "--encoding", "cdr")
        recorder, received = self.recorder("got.mcap", "-a", "--encoding", "cdr")
        kitbag("play", native, "--to", "ros1://", "--wait-for-subscribers", "--rate", "2")
        self.until(lambda: received() >= self.count(native))
        self.stop(recorder)
        kitbag("diff", "--ignore-time", native, self.folder / "got.mcap")

    def test_a_bridge(self):
        recorder, received = self.recorder("got.bag", "-a")
        kitbag("pipe", DEMO, "ros1://?node=bridge", "--topics", "/map", "/tf_static")
        self.until(lambda: received() == 2)
        self.stop(recorder)
        kitbag("diff", "--ignore-time", self.bag, self.folder / "got.bag", "--topics", "/map",
               "/tf_static")

    def test_without_a_master(self):
        told = subprocess.run([program(), "record", "-a", "--from", "ros1://127.0.0.1:9"],
                              capture_output=True, text=True)
        self.assertEqual(told.returncode, 2)
        self.assertIn("there is no ROS master at http://127.0.0.1:9", told.stderr)
        for address in ("nowhere", "host:x", "host:99999", ":1"):
            told = subprocess.run([program(), "record", "-a", "--from", f"ros1://{address}"],
                                  capture_output=True, text=True)
            self.assertIn("is no master; it is http://HOST:PORT", told.stderr)
        told = subprocess.run([program(), "play", self.bag, "--to", "ros1://?speed=3"],
                              capture_output=True, text=True)
        self.assertIn("not speed", told.stderr)


if __name__ == "__main__":
    enter_network()
    main()
