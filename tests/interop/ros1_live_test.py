#!/usr/bin/env python3
"""Systems of ROS 1: the real roscore, rostopic and rosbag on the other side of record, play and
pipe. All of it in a network of its own."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from network import BUILD, DEMO, PATIENCE_S, NetworkTest, enter_network  # noqa: E402
from peers import kitbag, main, need, program, run  # noqa: E402

MASTER = "http://127.0.0.1:11311"


class Ros1Test(NetworkTest):
    SYSTEM = "ros1://"

    @classmethod
    def setUpClass(cls):
        need(shutil.which("roscore", path="/usr/bin"), "python3-roslaunch is not installed")
        need((BUILD / "plugins/transport_ros1.so").exists(),
             "libroscpp-dev was not there to build with")
        super().setUpClass()
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
        super().setUp()
        self.bag = self.folder / "a.bag"
        kitbag("convert", DEMO, self.bag)

    def recorder(self, name, *arguments, **more):
        return super().recorder(name, *arguments, "--exclude", "/rosout*", **more)

    def test_what_rosbag_plays_is_recorded(self):
        recorder, received = self.recorder("got.bag", "-a")
        run("/usr/bin/rosbag", "play", "--wait-for-subscribers", self.bag)
        self.until(lambda: received() >= self.count("a.bag"))
        self.stop(recorder)
        kitbag("diff", "--ignore-time", self.bag, self.folder / "got.bag")
        ours = self.info("got.bag")["channels"]
        for channel in ours:
            self.assertEqual(channel["latched"], channel["topic"] in ("/map", "/tf_static"))
            self.assertIn("/play_", channel["metadata"]["callerid"])

    def test_what_is_played_is_recorded_by_rosbag(self):
        channels = self.info("a.bag")["channels"]
        topics = [c["topic"] for c in channels if c["messages"] > 0]
        recorder = self.start("/usr/bin/rosbag", "record", "-O", self.folder / "real.bag", *topics)
        kitbag("play", self.bag, "--to", "ros1://", "--wait-for-subscribers")
        self.stop(recorder)
        kitbag("diff", "--ignore-time", self.bag, self.folder / "real.bag")
        for channel in self.info("real.bag")["channels"]:
            self.assertEqual(channel["latched"], channel["topic"] in ("/map", "/tf_static"))

    def test_who_comes_late_gets_what_is_latched(self):
        player = self.start(program(), "play", self.bag, "--to", "ros1://", "--topics",
                            "/tf_static", "--loop", "--until-topic", "/tf_static", "--control",
                            self.folder / "ctl")
        self.until((self.folder / "ctl").exists)
        self.until(lambda: self.status("ctl")["messages"] == 1)
        echoed = run("/usr/bin/rostopic", "echo", "-n1", "/tf_static")
        self.assertIn("frame_id: \"base_link\"", echoed)
        self.stop(player)

    def test_types_that_nobody_here_knows_and_several_publishers(self):
        recorder, received = self.recorder("got.mcap", "/chat")
        publishers = [self.start("/usr/bin/rostopic", "pub", "-r", "20", "/chat", "std_msgs/String",
                                 f"data: {name}") for name in ("one", "two")]
        # The master still has the nodes of tests before, which were killed.
        names = tuple(f"/rostopic_{publisher.pid}_" for publisher in publishers)
        def registered():
            nodes = self.topics().get("/chat", {}).get("publishers", ())
            return sum(node["node"].startswith(names) for node in nodes)
        self.until(lambda: registered() == 2)
        before = received()
        self.until(lambda: received() > before + 40)
        for publisher in publishers:
            self.stop(publisher)
        self.stop(recorder)
        lines = kitbag("cat", self.folder / "got.mcap", "--fields", "data").splitlines()
        self.assertEqual({json.loads(line)["data"]["data"] for line in lines}, {"one", "two"})
        channels = self.info("got.mcap")["channels"]
        self.assertEqual(len(channels), 2)
        self.assertEqual(len({c["metadata"]["callerid"] for c in channels}), 2)

    def test_topics_that_are_known_before(self):
        static = self.folder / "static.yaml"
        static.write_text("static_topics_and_types_list:\n  - [/chat, std_msgs/String]\n")
        recorder, received = self.recorder("got.bag", "--static-topics", static)
        run("/usr/bin/rostopic", "pub", "--once", "/chat", "std_msgs/String", "data: once")
        self.until(lambda: received() == 1)
        self.stop(recorder)
        self.assertEqual(json.loads(self.cat("got.bag"))["data"]["data"], "once")

    def test_encodings_are_brought_into_line(self):
        native = self.folder / "native.mcap"
        kitbag("convert", self.bag, native, "--encoding", "cdr")
        recorder, received = self.recorder("got.mcap", "-a", "--encoding", "cdr")
        kitbag("play", native, "--to", "ros1://", "--wait-for-subscribers", "--rate", "2")
        self.until(lambda: received() >= self.count("native.mcap"))
        self.stop(recorder)
        kitbag("diff", "--ignore-time", native, self.folder / "got.mcap")

    def test_a_bridge(self):
        recorder, received = self.recorder("got.bag", "-a")
        # The bridge stays until the recorder has connected: what is latched waits for it.
        endless = DEMO.replace("seconds=1&", "")
        bridge = self.start(program(), "pipe", endless, "ros1://?node=bridge", "--topics", "/map",
                            "/tf_static")
        self.until(lambda: received() == 2)
        self.stop(bridge)
        self.stop(recorder)
        kitbag("diff", "--ignore-time", self.bag, self.folder / "got.bag", "--topics", "/map",
               "/tf_static")

    # --- topics, echo, publish ---

    def topics(self, *arguments):
        rows = map(json.loads, kitbag("topics", "ros1://", "--json", *arguments).splitlines())
        return {row["topic"]: row for row in rows}

    def test_topics_are_those_of_rostopic(self):
        self.start("/usr/bin/rostopic", "pub", "-r", "20", "/told", "std_msgs/String", "data: a")
        self.start("/usr/bin/rostopic", "echo", "/told")
        self.start("/usr/bin/rostopic", "echo", "/nobody/sends")
        chat = self.until(lambda: (row := self.topics().get("/told")) and row["publishers"] and
                          row["subscribers"] and row)
        self.assertEqual(chat["type"], "std_msgs/String")
        told = run("/usr/bin/rostopic", "info", "/told")
        for role in ("publishers", "subscribers"):
            for endpoint in chat[role]:
                self.assertRegex(told, rf"(?m)^ \* {endpoint['node']} \(http")
            self.assertEqual(len(chat[role]), 1)
        self.assertEqual(set(self.topics()), set(run("/usr/bin/rostopic", "list").split()))
        text = kitbag("topics", "ros1://", "/told", "-v")
        self.assertRegex(text, r"\A/told  std_msgs/String\n  publisher   /rostopic_\S+\n"
                               r"  subscriber  /rostopic_\S+\n\Z")

    def test_rates(self):
        self.start("/usr/bin/rostopic", "pub", "-r", "20", "/chat", "std_msgs/String", "data: a")
        def rates():
            row = self.topics("--rates", "2s", "--exclude", "/rosout*").get("/chat", {})
            return row if row.get("intervals") else None
        row = self.until(rates)
        self.assertEqual((row["bytes"], row["encoding"]), (5 * row["messages"], "ros1"))
        self.assertGreater(row["rate_hz"], 1)
        self.assertLessEqual(row["least_interval_ns"], row["mean_interval_ns"])

    def test_echo_prints_what_rostopic_sends(self):
        self.start("/usr/bin/rostopic", "pub", "-r", "20", "/speed", "geometry_msgs/Twist",
                   "{linear: {x: 0.5}}")
        rows = kitbag("echo", "ros1://", "/speed", "-n", "3", "--fields", "linear").splitlines()
        self.assertEqual([json.loads(row)["data"] for row in rows],
                         [{"linear": {"x": 0.5, "y": 0, "z": 0}}] * 3)

    def test_rostopic_prints_what_is_published(self):
        listener = self.start("/usr/bin/rostopic", "echo", "-n1", "/goal")
        publisher = self.start(program(), "publish", "ros1://", "/goal",
                               "geometry_msgs/PoseStamped",
                               "{header: {stamp: now, frame_id: map}, pose: {position: {x: 2}}}",
                               "--rate", "20", "--wait-for-subscribers")
        heard, _ = listener.communicate(timeout=PATIENCE_S)
        self.assertRegex(heard, r"secs: 1\d{9}\n")
        self.assertIn('frame_id: "map"', heard)
        self.assertIn("position: \n    x: 2.0\n    y: 0.0", heard)
        self.assertRegex(self.stop(publisher), r"\d+ messages?, 1 topic")

    def test_what_is_published_latched_waits_for_who_comes_late(self):
        publisher = self.start(program(), "publish", "ros1://", "/kept", "std_msgs/String", "kept",
                               "--latch", "--keep-alive")
        self.until(lambda: "/kept" in run("/usr/bin/rostopic", "list"))
        self.assertIn("data: \"kept\"", run("/usr/bin/rostopic", "echo", "-n1", "/kept"))
        self.stop(publisher)
        told = subprocess.run([program(), "publish", "ros1://", "/a", "std_msgs/String", "x",
                               "--encoding", "cdr"], capture_output=True, text=True)
        self.assertEqual(told.returncode, 2)
        self.assertIn("the system takes ros1, not cdr", told.stderr)

    def test_a_topic_whose_type_changes_is_recorded_on(self):
        recorder, received = self.recorder("got.bag", "/changing")
        first = self.start("/usr/bin/rostopic", "pub", "-r", "20", "/changing", "std_msgs/String",
                           "data: one")
        self.until(received)
        first.send_signal(signal.SIGINT)
        first.wait()
        before = received()
        self.start("/usr/bin/rostopic", "pub", "-r", "20", "/changing", "geometry_msgs/Point",
                   "{x: 1}")
        self.until(lambda: received() > before)
        out = self.stop(recorder)
        self.assertIn("/changing: the type has changed from std_msgs/String to geometry_msgs/Point",
                      out)
        counts = {channel["type"]: channel["messages"]
                  for channel in self.info("got.bag")["channels"]}
        self.assertEqual(set(counts), {"std_msgs/String", "geometry_msgs/Point"})
        self.assertTrue(all(counts.values()), counts)

    def hear(self, process, words):
        """Waits until a process says this."""
        heard = b""

        def is_said():
            nonlocal heard
            if select.select([process.stdout], [], [], 0)[0]:
                heard += os.read(process.stdout.fileno(), 1 << 16)
            return words.encode() in heard
        self.until(is_said)

    def start_publisher(self, topic, node, definition):
        """A node that sends messages of a std_msgs/String with this definition; its process."""
        script = """if True:
            import hashlib, sys, rospy, std_msgs.msg
            topic, node, definition = sys.argv[1:]
            class String(std_msgs.msg.String):
                _full_text = definition
                _md5sum = hashlib.md5(definition.encode()).hexdigest()
            rospy.init_node(node)
            publisher = rospy.Publisher(topic, String, queue_size=10)
            rate = rospy.Rate(20)
            while not rospy.is_shutdown():
                publisher.publish(String("text"))
                rate.sleep()
            """
        return self.start("/usr/bin/python3", "-c", script, topic, node, definition)

    def test_definitions_that_change_are_recorded_on(self):
        recorder, received = self.recorder("got.bag", "/redefined")
        for definition in ("string data", "string data\nstring more", "string data\nstring less"):
            before = received()
            node = self.start_publisher("/redefined", "base", definition)
            self.until(lambda: received() > before + 20)
            node.send_signal(signal.SIGINT)
            node.wait()
        out = self.stop(recorder)
        warning = "/redefined: no publisher is connected, perhaps because one sends a new"
        self.assertEqual(out.count(warning), 2, out)
        self.assertEqual(len(self.info("got.bag")["channels"]), 3)

    def test_two_definitions_at_a_time_are_reported(self):
        recorder, received = self.recorder("got.bag", "/two_ways")
        self.start_publisher("/two_ways", "base", "string data")
        self.until(received)
        self.start_publisher("/two_ways", "base_new", "string data\nstring more")
        self.hear(recorder, "/two_ways: only 1 of 2 publishers (/base, /base_new) can be recorded")
        self.stop(recorder)

    # --- slow subscribers ---

    def slow_subscriber(self):
        """It goes on when `go_on` exists. What it prints goes into a file, so that nothing else
        stops it."""
        self.go_on = self.folder / "go on"
        self.heard = self.folder / "heard.txt"
        with self.heard.open("w") as out:
            self.start("/usr/bin/python3", Path(__file__).with_name("slow_ros1.py"),
                       "/camera/image", self.go_on, stdout=out)

    def play_pictures(self, seconds):
        kitbag("convert", f"demo://?seconds={seconds}&image=1000", self.folder / "pictures.bag",
               "--topics", "/camera/image")
        return self.start(program(), "play", "pictures.bag", "--to", "ros1://", "--immediate",
                          "--wait-for-subscribers")

    def test_a_slow_subscriber_gets_everything(self):
        self.slow_subscriber()
        player = self.play_pictures(2)
        self.hear(player, "a subscriber is too slow; kitbag waits for it")
        self.go_on.touch()
        out, _ = player.communicate(timeout=PATIENCE_S)
        self.assertEqual(player.returncode, 0, out)
        self.until(lambda: len(self.heard.read_text().splitlines()) == self.count("pictures.bag"))

    def test_a_subscriber_that_takes_nothing_is_reported(self):
        self.slow_subscriber()
        player = self.play_pictures(0.4)
        out, _ = player.communicate(timeout=PATIENCE_S)
        self.assertEqual(player.returncode, 2, out)
        self.assertRegex(out, r"subscribers took nothing for 5 s, and \d+ messages are lost")

    # --- services ---

    def call(self, service, kind, *values):
        """The answer of a real client of rospy."""
        return run("/usr/bin/python3", "-B", Path(__file__).resolve().parent / "call_ros1.py",
                   service, kind, *values).strip()

    def test_the_player_is_paused_by_the_service_of_rosbag(self):
        player = self.start(program(), "play", self.bag, "--to", "ros1://?node=played", "--loop",
                            "--control", self.folder / "ctl")
        self.until((self.folder / "ctl").exists)
        service = "*/pause_playback"
        self.assertEqual(self.call(service, "set_bool", "true"), "True playback is now paused")
        self.assertTrue(self.status("ctl")["paused"])
        self.assertEqual(self.call(service, "set_bool", "true"),
                         "False playback is already paused")
        self.assertEqual(self.call(service, "set_bool", "false"), "True playback is now running")
        self.assertFalse(self.status("ctl")["paused"])
        services = run("/usr/bin/python3", "-c", "import rosgraph; print(rosgraph.Master('/x')"
                       ".getSystemState()[2])")
        self.assertIn("/played_", services)
        self.stop(player)
        left = run("/usr/bin/python3", "-c", "import rosgraph; print(rosgraph.Master('/x')"
                   ".getSystemState()[2])")
        self.assertNotIn("/played_", left)

    def test_snapshots_by_the_services_of_rosbag_snapshot(self):
        recorder, received = self.recorder("s.bag", "-a", "--snapshot", "60s")
        for topic in ("/one", "/two"):
            self.start("/usr/bin/rostopic", "pub", "-r", "20", topic, "std_msgs/String", "data: x")
        self.until(lambda: self.status("s.bag.ctl")["topics"] == 2 and received() > 10)
        self.assertEqual(self.call("/trigger_snapshot", "trigger", self.folder / "one.bag",
                                   "/one"), "True")
        self.assertEqual({c["topic"] for c in self.info("one.bag")["channels"]
                          if c["messages"]}, {"/one"})
        self.assertEqual(self.call("/enable_snapshot", "set_bool", "false"), "True")
        self.until(lambda: self.status("s.bag.ctl")["paused"])
        self.assertEqual(self.call("/enable_snapshot", "set_bool", "true"), "True")
        before = received()
        self.until(lambda: received() > before + 10)
        self.assertIn("no messages", self.call("/trigger_snapshot", "trigger",
                                               self.folder / "none.bag", "/three"))
        self.assertFalse((self.folder / "none.bag").exists())
        self.assertIn("False", self.call("/trigger_snapshot", "trigger",
                                         self.folder / "one.bag"))  # it exists
        self.assertEqual(self.call("/trigger_snapshot", "trigger", self.folder / "all"), "True")
        dated, = self.folder.glob("all20*.bag")
        kitbag("check", dated)
        self.assertEqual({c["topic"] for c in self.info(dated)["channels"] if c["messages"]},
                         {"/one", "/two"})
        self.stop(recorder)

    def master_of_its_own(self, port):
        """A master that a test may kill, and its URI."""
        master = self.start("/usr/bin/rosmaster", "--core", "-p", port, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
        uri = f"http://127.0.0.1:{port}"
        environment = {**os.environ, "ROS_MASTER_URI": uri}
        self.until(lambda: subprocess.run(["/usr/bin/rostopic", "list"], capture_output=True,
                                          env=environment).returncode == 0)
        return master, environment

    def test_a_master_that_dies_while_recording(self):
        master, environment = self.master_of_its_own(11312)
        self.start("/usr/bin/rostopic", "pub", "-r", "50", "/chat", "std_msgs/String", "data: text",
                   env=environment)
        recorder, received = self.recorder("got.bag", "-a", system="ros1://127.0.0.1:11312")
        self.until(lambda: received() > 5)
        master.kill()
        master.wait()
        before = received()
        self.until(lambda: received() > before + 100)
        said = self.stop(recorder)  # which has ever asked a dead master again
        self.assertEqual(recorder.returncode, 0)
        gone = "the ROS master at http://127.0.0.1:11312 does not respond"
        self.assertEqual(said.count(gone), 1, said)
        self.assertGreater(self.count("got.bag"), before + 100)
        kitbag("check", self.folder / "got.bag")

    def test_a_master_that_dies_while_playing(self):
        master, _ = self.master_of_its_own(11313)
        player = self.start(program(), "play", self.bag, "--to", "ros1://127.0.0.1:11313", "--loop",
                            "--control", self.folder / "ctl")
        self.until((self.folder / "ctl").exists)
        self.until(lambda: self.status("ctl")["messages"] > 5)
        master.kill()
        master.wait()
        before = self.status("ctl")["messages"]
        self.until(lambda: self.status("ctl")["messages"] > before)
        self.stop(player)
        self.assertEqual(player.returncode, 0)

    def test_a_master_that_is_stopped_while_recording(self):
        master, environment = self.master_of_its_own(11314)
        self.start("/usr/bin/rostopic", "pub", "-r", "50", "/chat", "std_msgs/String", "data: text",
                   env=environment)
        recorder, received = self.recorder("got.bag", "-a", system="ros1://127.0.0.1:11314")
        self.until(lambda: received() > 5)
        master.send_signal(signal.SIGSTOP)  # it takes connections, and does not answer
        before = received()
        self.until(lambda: received() > before + 100)
        said = self.stop(recorder)
        self.assertEqual(recorder.returncode, 0)
        gone = "the ROS master at http://127.0.0.1:11314 does not respond"
        self.assertEqual(said.count(gone), 1, said)
        self.assertGreater(self.count("got.bag"), before + 100)
        kitbag("check", self.folder / "got.bag")

    def test_a_master_that_is_stopped_while_playing(self):
        master, _ = self.master_of_its_own(11315)
        player = self.start(program(), "play", self.bag, "--to", "ros1://127.0.0.1:11315", "--loop",
                            "--control", self.folder / "ctl")
        self.until((self.folder / "ctl").exists)
        self.until(lambda: self.status("ctl")["messages"] > 5)
        master.send_signal(signal.SIGSTOP)
        self.stop(player)
        self.assertEqual(player.returncode, 0)

    def test_without_a_master(self):
        told = subprocess.run([program(), "record", "-a", "--from", "ros1://127.0.0.1:9"],
                              capture_output=True, text=True)
        self.assertEqual(told.returncode, 2)
        self.assertIn("no ROS master is running at http://127.0.0.1:9", told.stderr)
        for address in ("nowhere", "host:x", "host:99999", ":1"):
            told = subprocess.run([program(), "record", "-a", "--from", f"ros1://{address}"],
                                  capture_output=True, text=True)
            self.assertIn("is not the URI of a ROS master; expected http://HOST:PORT", told.stderr)
        told = subprocess.run([program(), "play", self.bag, "--to", "ros1://?speed=3"],
                              capture_output=True, text=True)
        self.assertIn("got speed", told.stderr)


if __name__ == "__main__":
    enter_network()
    main()
