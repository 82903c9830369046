#!/usr/bin/env python3
"""topics, echo and publish on live systems: the simulated robot, and sockets of this machine."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from pathlib import Path

from cli import START_NS, CliTest, main
from hostile_text_test import OBEYED
from mcap_file import McapFile
from peers import ROOT, program

PATIENCE_S = 60
DEMO = "demo://?seconds=0.5&seed=7"
BUILD = Path(os.environ.get("KITBAG_BUILD", ROOT / "build" / "release"))
HOSTILE = ("/\x1b]0;owned\x07", "/x\nkitbag: all is well", "/\u202egpj", "/a\u009b31m")


class TopicsTest(CliTest):
    def start(self, *arguments, **more):
        """A process that ends with its test."""
        options = {"cwd": self.folder, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                   "text": True, **more}
        process = subprocess.Popen([program(), *map(str, arguments)], **options)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def finish(self, process, code=0):
        out, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, code, err)
        return out, err

    def address(self):
        return f"zmq+ipc://{self.path('socket')}"

    def bound(self):
        """The address for who listens."""
        return f"{self.address()}?bind=1"

    def until(self, seen):
        deadline = time.monotonic() + PATIENCE_S
        while not (found := seen()):
            self.assertLess(time.monotonic(), deadline, "what was awaited never came")
            time.sleep(0.01)
        return found

    def listed(self, *arguments, **more):
        """{topic: what is said of it}."""
        rows = [json.loads(line) for line in
                self.kitbag("topics", "--json", *arguments, **more).splitlines()]
        return {row["topic"]: row for row in rows}


class ListTest(TopicsTest):
    def test_types_and_who_sends(self):
        lines = self.kitbag("topics", DEMO).splitlines()
        self.assertEqual(len(lines), 13)
        self.assertEqual(lines[0].split(), ["publishers", "subscribers", "topic", "type"])
        self.assertEqual(lines[1].split(), ["1", "0", "/battery", "sensor_msgs/BatteryState"])
        rows = self.listed(DEMO)
        channels = {c["topic"]: c["type"] for c in self.info(DEMO)["channels"]}
        self.assertEqual({topic: row["type"] for topic, row in rows.items()}, channels)
        self.assertEqual(rows["/odom"], {
            "system": "demo://", "topic": "/odom", "type": "nav_msgs/Odometry",
            "publishers": [{"node": "/demo", "qos": ""}], "subscribers": [], "incompatible": [],
            "dropped": 0, "lost": 0})
        text = self.kitbag("topics", DEMO, "/odom", "-v")
        self.assertEqual(text, "/odom  nav_msgs/Odometry\n  publisher   /demo\n")

    def test_which_topics(self):
        def topics(*arguments):
            return set(self.listed(DEMO, *arguments))
        self.assertEqual(topics("/odom", "/camera/*"), {"/odom", "/camera/image"})
        self.assertEqual(topics("--topics", "/odom"), {"/odom"})
        self.assertEqual(topics("--regex", "/(imu|scan)"), {"/imu", "/scan"})
        self.assertEqual(topics("-e", "/(imu|scan)", "-x", "/i.*"), {"/scan"})
        self.assertEqual(topics("--types", "nav_msgs/*", "--exclude", "/map"), {"/odom", "/path"})
        self.assertEqual(len(topics("--exclude-regex", "/t.*")), 10)
        self.fails("topics", DEMO, "/nowhere", "--json", saying='no topic "/nowhere" was found')

    def test_a_topic_that_is_nowhere_is_answered_with_those_that_exist(self):
        ended = "the system has ended, and had no topic that is selected"
        for arguments, said in ((["topics", DEMO, "/odomm"], 'no topic "/odomm" was found'),
                                (["echo", DEMO, "/odomm"], ended), (["echo", DEMO, "odom"], ended)):
            self.fails(*arguments, saying=rf"kitbag: demo://: {said}; similar: /odom; available "
                                          "topics: /battery, .* and 2 more\n")

    def test_what_comes_is_what_a_bag_would_have(self):
        # The robot ends before the time is over; its messages are the same each time.
        rows = self.listed(DEMO, "--rates", "60s")
        stats = json.loads(self.kitbag("stats", DEMO, "--json"))
        self.assertEqual(len(stats), 12)
        for known in stats:
            row = rows[known["topic"]]
            self.assertEqual((row["messages"], row["bytes"]),
                             (known["messages"], known["size_bytes"]))
            self.assertEqual((row["dropped"], row["lost"]), (0, 0))
            if known["messages"] < 2:
                self.assertEqual((row["intervals"], row["rate_hz"]), (0, 0))
                continue
            self.assertEqual(row["intervals"], known["messages"] - 1)
            for ours, its in (("least_interval_ns", "period_least_ns"),
                              ("mean_interval_ns", "period_mean_ns"),
                              ("most_interval_ns", "period_most_ns")):
                self.assertAlmostEqual(row[ours], known[its], delta=1)
            self.assertAlmostEqual(row["rate_hz"], known["rate_hz"], places=3)
        self.assertEqual(rows["/odom"]["encoding"], "ros1")
        text = self.kitbag("topics", DEMO, "/imu", "/map", "--rates", "60s")
        heading, imu, of_map = text.splitlines()
        self.assertEqual(re.split(" {2,}", heading.strip()),
                         ["messages", "rate", "jitter", "shortest", "longest", "mean size",
                          "a second", "topic"])
        self.assertEqual(re.split(" {2,}", imu.strip()),
                         ["50", "100 Hz", "0.000 ms", "10.000 ms", "10.000 ms", "315 B",
                          "30.8 KiB", "/imu"])
        self.assertEqual(of_map.split()[:5], ["1", "-", "-", "-", "-"])
        both = self.kitbag("topics", DEMO, "/imu", "--rates", "60s", "--verbose")
        self.assertIn("\n\n/imu  sensor_msgs/Imu\n  publisher   /demo\n", both)

    def test_watching_goes_on_until_the_end(self):
        out = self.kitbag("topics", "demo://?seconds=1.5&seed=7", "/imu", "--rates", "--watch")
        frames = out.split("\n\n")
        self.assertGreaterEqual(len(frames), 2)
        self.assertEqual(frames[-2].split("\n")[1].split()[0], "150")
        self.assertNotIn("\x1b", out)

    def test_watching_a_system_that_tells_little_by_little(self):
        watcher = self.start("topics", self.bound(), "--watch", "--wait", "0s")
        self.until(Path(self.path("socket")).exists)
        self.assertEqual(watcher.stdout.readline(), "no topics\n")
        self.kitbag("publish", self.address(), "/chat", "std_msgs/String", "hello")
        for line in watcher.stdout:
            if "/chat" in line:
                break
        self.assertEqual(line.split(), ["-", "-", "/chat", "std_msgs/msg/String"])
        watcher.send_signal(signal.SIGINT)
        self.finish(watcher)

    def test_a_terminal_is_redrawn_from_its_top(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        watcher = self.start("topics", "demo://?seconds=3600&seed=7", "--watch", stdout=slave)
        os.close(slave)
        shown = b""
        while shown.count(b"\x1b[H\x1b[J") < 2:
            shown += os.read(master, 1 << 16)
        watcher.send_signal(signal.SIGINT)
        self.assertEqual(watcher.wait(PATIENCE_S), 0)
        self.assertIn(b"/camera/image", shown)

    def test_a_terminal_of_one_line_shows_how_many_there_are(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 1, 80, 0, 0))
        watcher = self.start("topics", "demo://?seconds=3600&seed=7", "--watch", stdout=slave)
        os.close(slave)
        shown = b""
        while b" lines more" not in shown:
            self.assertTrue(select.select([master], [], [], 10)[0], "it shows nothing")
            shown += os.read(master, 1 << 16)
        watcher.send_signal(signal.SIGINT)
        self.assertEqual(watcher.wait(PATIENCE_S), 0)
        self.assertNotIn(b"/camera/image", shown)

    def test_names_of_a_system_are_not_obeyed(self):
        bag = McapFile(self.path("hostile.mcap"))
        for i, text in enumerate(HOSTILE):
            channel = bag.channel(text, "json", f"T{text}", "jsonschema", "{}")
            bag.message(channel, START_NS + i, b"{}")
        bag.close()
        for options in ([], ["-v"], ["--rates", "10s"], ["--json"]):
            watcher = self.start("topics", f"{self.bound()}&once=1", "--wait", "60s", *options)
            self.until(Path(self.path("socket")).exists)
            self.kitbag("play", "hostile.mcap", "--to", self.address())
            out, err = self.finish(watcher)
            self.assertEqual(OBEYED.findall(out.replace("\n", "") + err.replace("\n", "")), [])
            self.assertNotIn("\nkitbag: all is well", out)
            self.assertIn("gpj", out)
            Path(self.path("socket")).unlink(missing_ok=True)

    def test_without_a_system_it_looks_around(self):
        alone = {**os.environ, "ROS_MASTER_URI": "http://127.0.0.1:9", "ROS_DOMAIN_ID": "199",
                 "ROS_LOCALHOST_ONLY": "1"}
        there = [f"{name}://" for name in ("ros1", "ros2")
                 if (BUILD / f"plugins/transport_{name}.so").exists()]
        done = self.run_program("topics", "--wait", "0s", env=alone)
        if not there:
            self.assertIn("neither ros1:// nor ros2:// is installed here", done.stderr)
            return
        self.assertIn(f"kitbag: asking {' and '.join(there)}\n", done.stderr)
        if "ros1://" in there:
            self.assertIn("no ROS master is running at http://127.0.0.1:9", done.stderr)
        self.assertEqual(done.returncode, 0 if "ros2://" in there else 2, done.stderr)

    def test_a_system_that_does_not_answer_is_no_empty_one(self):
        nobody = "foxglove+ws://127.0.0.1:9"
        done = self.run_program("topics", nobody, "--wait", "500ms")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn(f"{nobody}: the system does not say which topics it has\n", done.stderr)
        watcher = self.start("topics", nobody, "--watch", "--wait", "0s")
        self.assertIn("does not say which topics it has", watcher.stdout.readline())
        watcher.send_signal(signal.SIGINT)
        self.finish(watcher)

    def test_what_makes_no_sense_is_refused(self):
        self.fails("topics", "nowhere://", saying="unknown transport scheme")
        self.fails("topics", DEMO, "--watch", "--json", saying="either --json or --watch")
        self.fails("topics", "--watch", saying="--watch needs a SYSTEM")
        self.fails("topics", DEMO, "--rates", "fast", saying="--rates: ")
        self.fails("topics", DEMO, "--regex", "(", saying="expression")


class EchoTest(TopicsTest):
    def test_a_live_system_like_a_bag(self):
        for options in (["--topics", "/odom"], ["--count", "7"], ["-n", "3", "--types", "*/Imu"],
                        ["--topics", "/odom", "--fields", "pose.pose.position"],
                        ["--topics", "/imu", "--format", "yaml", "--count", "2"],
                        ["--where", "topic == '/odom' && header.seq >= 5", "--count", "2"],
                        ["--topics", "/odom", "--format", "csv"]):
            self.assertEqual(self.kitbag("echo", DEMO, *options),
                             self.kitbag("cat", DEMO, *[o.replace("-n", "--count") if o == "-n"
                                                        else o for o in options]), options)
        self.assertEqual(self.kitbag("echo", DEMO, "/odom", "--once"),
                         self.kitbag("cat", DEMO, "--topics", "/odom", "--count", "1"))
        self.assertEqual(self.kitbag("echo", self.bag, "/count", "--once"),
                         self.kitbag("cat", self.bag, "--topics", "/count", "--count", "1"))

    def test_options_of_the_one_are_not_those_of_the_other(self):
        self.fails("echo", DEMO, "--start", "+1s", saying="--start applies to bags")
        self.fails("echo", DEMO, "--strict", saying="--strict applies to bags")
        self.fails("echo", self.bag, "--node-name", "x", saying="do not apply to a bag")
        self.fails("echo", DEMO, "--once", "--count", "3", saying="--once")
        self.fails("echo", DEMO, "/odom", "--fields", "pose.nothing", saying="nothing")

    def test_a_topic_that_nobody_sends_is_told(self):
        listener = self.start("echo", "demo://?seconds=3600&seed=7", "/nowhere")
        self.assertRegex(listener.stderr.readline(),
                         "kitbag: demo://: there is no such topic yet; available topics: /battery, "
                         ".*; waiting\n")
        listener.send_signal(signal.SIGINT)
        self.finish(listener)
        self.fails("echo", DEMO, "/nowhere", saying="has ended, and had no topic that is selected")
        self.assertEqual(self.kitbag("echo", DEMO, "/odom", "--where", "header.seq > 1000"), "")


class PublishTest(TopicsTest):
    def heard(self, count, *publish, echo=()):
        """What a listener prints of the messages that are published."""
        listener = self.start("echo", self.bound(), "--count", count, *echo)
        self.until(Path(self.path("socket")).exists)
        said = self.kitbag("publish", self.address(), *publish)
        out, _ = self.finish(listener)
        Path(self.path("socket")).unlink(missing_ok=True)
        return [json.loads(line) for line in out.splitlines()], said

    def test_a_message_is_sent_once(self):
        rows, said = self.heard(1, "/chat", "std_msgs/String", "hello world")
        self.assertEqual([(r["topic"], r["type"], r["data"]) for r in rows],
                         [("/chat", "std_msgs/msg/String", {"data": "hello world"})])
        self.assertRegex(said, r"\A1 message, 1 topic, \d+ B payload\n\Z")

    def test_again_and_again(self):
        rows, said = self.heard(5, "/n", "std_msgs/Int32", "data: -7", "-n", "5", "-r", "100")
        self.assertEqual([r["data"]["data"] for r in rows], [-7] * 5)
        self.assertIn("5 messages", said)
        publisher = self.start("publish", self.address(), "/n", "std_msgs/Int32", "--rate", "100",
                               "--", "-7")
        out = self.kitbag("echo", self.bound(), "--count", "3")
        self.assertEqual(len(out.splitlines()), 3)
        publisher.send_signal(signal.SIGINT)
        self.assertRegex(self.finish(publisher)[0], r"\A\d+ messages, 1 topic")

    def test_values(self):
        before = time.time_ns()
        rows, _ = self.heard(1, "/goal", "geometry_msgs/PoseStamped", "--once",
                             "{header: now, pose: {position: [1, 2, 3]}}")
        data = rows[0]["data"]
        stamp = data["header"]["stamp"]
        self.assertGreaterEqual(stamp["sec"] * 10**9 + stamp["nanosec"], before)
        self.assertEqual(data["pose"]["position"], {"x": 1, "y": 2, "z": 3})
        self.assertEqual(data["pose"]["orientation"], {"x": 0, "y": 0, "z": 0, "w": 1})
        rows, _ = self.heard(1, "/v", "geometry_msgs/Vector3", "--", "1", "2.5", "-1e3")
        self.assertEqual(rows[0]["data"], {"x": 1, "y": 2.5, "z": -1000})
        # What is printed can be sent.
        message = json.loads(self.kitbag("cat", DEMO, "--topics", "/imu", "--count", "1"))["data"]
        rows, _ = self.heard(1, "/imu", "sensor_msgs/Imu", json.dumps(message), "--encoding",
                             "ros1")
        self.assertEqual(rows[0]["data"], message)
        self.assertEqual(rows[0]["type"], "sensor_msgs/Imu")

    def test_encodings_and_definitions(self):
        rows, _ = self.heard(1, "/chat", "std_msgs/String", "a", "--encoding", "json")
        self.assertEqual(rows[0]["data"], {"data": "a"})
        folder = Path(self.path("defs/my_msgs/msg"))
        folder.mkdir(parents=True)
        (folder / "Own.msg").write_text("int32 a 5\nstring b\n")
        rows, _ = self.heard(1, "/own", "my_msgs/Own", "b: x", "--definitions", "defs")
        self.assertEqual(rows[0]["data"], {"a": 5, "b": "x"})
        self.assertEqual(rows[0]["type"], "my_msgs/msg/Own")

    def test_it_stays_for_who_comes_late(self):
        publisher = self.start("publish", self.address(), "/chat", "std_msgs/String", "kept",
                               "--latch", "--keep-alive")
        out = self.kitbag("echo", self.bound(), "--once")
        self.assertEqual(json.loads(out)["data"], {"data": "kept"})
        self.assertIsNone(publisher.poll())
        publisher.send_signal(signal.SIGINT)
        self.finish(publisher)

    def test_a_stop_before_anything_is_sent_is_no_success(self):
        for stop in (signal.SIGINT, signal.SIGTERM):
            publisher = self.start("publish", self.bound(), "/n", "std_msgs/Int32", "1")
            self.until(Path(self.path("socket")).exists)
            publisher.send_signal(stop)
            out, err = self.finish(publisher, code=2)
            self.assertEqual((out, err), ("", "kitbag: interrupted; nothing was sent\n"))
            Path(self.path("socket")).unlink(missing_ok=True)

    def test_mistakes_are_found_before_anything_is_sent(self):
        def refused(*arguments, saying):
            self.fails("publish", self.address(), *arguments, saying=saying)
        refused("/a", "std_msgs/Strin", saying="no definition of the type std_msgs/Strin")
        refused("/a", "std_msgs/Int8", "300", saying="data: expected int8, got 300")
        refused("/a", "geometry_msgs/Twist", "linear: {v: 1}", saying="linear.*v")
        refused("/a", "std_msgs/Int8", "{data: [", saying="neither YAML nor JSON")
        refused("/a", "std_msgs/Int8", "--rate", "0", saying="--rate: ")
        refused("/a", "std_msgs/Int8", "--count", "0", saying="--count: ")
        refused("/a", "std_msgs/Int8", "--encoding", "morse", saying="morse")
        self.fails("publish", DEMO, "/a", "std_msgs/Int8", saying="not sent to it")


if __name__ == "__main__":
    main()
