#!/usr/bin/env python3
"""The services and events of rosbag2 on kitbag's recorder and player: clients on Cyclone DDS, with
its own type support, and on Fast DDS, as rmw_fastrtps calls. No real rcl takes part."""

import json
import os
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from network import BUILD, NetworkTest, enter_network  # noqa: E402
from peers import kitbag, main, need, program  # noqa: E402

FAST = BUILD / "tests/fastdds_peer"
CALLER = BUILD / "tests/ros2_caller"
NODE = BUILD / "tests/ros2_node"
SECONDS = 4  # of the bag


def text_at(payload, at):
    """A string of CDR, and where the next member may begin."""
    at = (at + 3) // 4 * 4
    size, = struct.unpack_from("<I", payload, at)
    return payload[at + 4:at + 4 + size - 1].decode(), at + 4 + size


class Ros2ControlTest(NetworkTest):
    SYSTEM = "ros2://"

    @classmethod
    def setUpClass(cls):
        need((BUILD / "plugins/transport_ros2.so").exists(),
             "cyclonedds-dev was not there to build with")
        super().setUpClass()
        cls.bag = cls.home / "a.mcap"
        kitbag("convert", f"demo://?seconds={SECONDS}&seed=7&log=0", cls.bag, "--encoding", "cdr",
               "--topics", "/odom", "/map")

    def peer(self, *command):
        need(Path(command[0]).exists(), f"{Path(command[0]).name} could not be built")
        return self.start(*command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def ask(self, peer, line):
        peer.stdin.write(line + "\n")
        peer.stdin.flush()
        answer = peer.stdout.readline().strip()
        self.assertTrue(answer.startswith("reply"), f"{line}: {answer}")
        return answer.removeprefix("reply").strip()

    def play(self, *arguments):
        player = self.start(program(), "play", self.bag, "--to", "ros2://", "--control",
                            self.folder / "ctl", *arguments)
        self.until((self.folder / "ctl").exists)
        client = self.peer(CALLER)

        def call(service, type_, request, reply, *values):
            words = [f"/kitbag_player/{service}", type_, request, reply, *map(str, values)]
            return self.ask(client, " ".join(words))
        return player, call

    def played(self):
        return self.status("ctl")

    def seconds_played(self):
        status = self.played()
        return (status["position_ns"] - self.start_ns()) / 1e9

    def start_ns(self):
        return self.info(self.bag)["start_ns"]

    def test_the_player(self):
        player, call = self.play("--start-paused", "--keep-alive")
        self.assertEqual(call("is_paused", "IsPaused", "Empty", "Flag"), "true")
        self.assertEqual(call("play_next", "PlayNext", "Empty", "Flag"), "true")
        self.assertEqual(self.played()["messages"], 1)
        self.assertEqual(call("burst", "Burst", "Number", "Number", 10), "10")
        self.assertEqual(self.played()["messages"], 11)
        self.assertEqual(call("get_rate", "GetRate", "Empty", "Real"), "1.000000")
        self.assertEqual(call("set_rate", "SetRate", "Real", "Flag", -1), "false")
        self.assertEqual(call("set_rate", "SetRate", "Real", "Flag", 20), "true")
        self.assertEqual(call("get_rate", "GetRate", "Empty", "Real"), "20.000000")
        begin = self.start_ns()
        to = begin + 2_500_000_000
        self.assertEqual(call("seek", "Seek", "Time", "Flag", to // 10**9, to % 10**9), "true")
        self.assertAlmostEqual(self.seconds_played(), 2.5, places=6)
        # From 1 s for half a second, and then a pause there.
        self.assertEqual(call("play", "Play", "Part", "Flag", 1, 0, 0, 500_000_000, 0, 0), "true")
        self.until(lambda: self.played()["paused"])
        self.assertAlmostEqual(self.seconds_played(), 1.5, places=6)
        self.assertEqual(call("play_for", "PlayFor", "Time", "Flag", 0, 250_000_000), "true")
        self.until(lambda: self.played()["paused"])
        self.assertAlmostEqual(self.seconds_played(), 1.75, places=6)
        # Until a time of the bag; and what is playing is not played again.
        until = begin + 3_000_000_000
        self.assertEqual(call("set_rate", "SetRate", "Real", "Flag", 0.001), "true")
        part = (0, 0, 0, 0, until // 10**9, until % 10**9)
        self.assertEqual(call("play", "Play", "Part", "Flag", *part), "true")
        self.assertEqual(call("play", "Play", "Part", "Flag", *part), "false")
        self.assertEqual(call("burst", "Burst", "Number", "Number", 3), "0")
        self.assertEqual(call("play_next", "PlayNext", "Empty", "Flag"), "false")
        call("set_rate", "SetRate", "Real", "Flag", 100)
        self.until(lambda: self.played()["paused"])
        self.assertAlmostEqual(self.seconds_played(), 3.0, places=6)
        call("resume", "Resume", "Empty", "Empty")
        self.until(lambda: self.played()["paused"])  # at the end
        call("seek", "Seek", "Time", "Flag", 0, 0)
        self.assertEqual(call("is_paused", "IsPaused", "Empty", "Flag"), "true")
        whole = self.count(self.bag)
        self.assertEqual(call("burst", "Burst", "Number", "Number", 0), str(whole))
        call("seek", "Seek", "Time", "Flag", 0, 0)
        call("set_rate", "SetRate", "Real", "Flag", 0.001)
        for paused in ("false", "true"):
            call("toggle_paused", "TogglePaused", "Empty", "Empty")
            self.assertEqual(call("is_paused", "IsPaused", "Empty", "Flag"), paused)
        call("resume", "Resume", "Time", "Empty")  # as the newest releases ask
        self.assertEqual(call("is_paused", "IsPaused", "Empty", "Flag"), "false")
        call("pause", "Pause", "Empty", "Empty")
        self.assertEqual(call("is_paused", "IsPaused", "Empty", "Flag"), "true")
        self.assertEqual(call("stop", "Stop", "Empty", "Result"), "0")
        out, _ = player.communicate()
        self.assertEqual(player.returncode, 0, out)
        self.assertIn("messages", out)

    def test_clients_of_older_releases_read_the_beginning_of_a_reply(self):
        player, call = self.play("--start-paused")
        self.assertEqual(call("stop", "Stop", "Empty", "Empty"), "")
        self.assertEqual(player.wait(), 0)

    def test_clients_on_fast_dds(self):
        player = self.start(program(), "play", self.bag, "--to", "ros2://?node=rosbag2_player",
                            "--start-paused", "--control", self.folder / "ctl")
        self.until((self.folder / "ctl").exists)
        client = self.peer(FAST, "call")

        def call(service, type_, content, package="rosbag2_interfaces"):
            reply = self.ask(client, f"/rosbag2_player/{service} {package}/{type_} "
                                     f"00010000{content.hex()}")
            return bytes.fromhex(reply)[4:]
        self.assertEqual(call("is_paused", "IsPaused", b"\0")[0], 1)
        self.assertEqual(call("set_rate", "SetRate", struct.pack("<d", 3.5))[0], 1)
        self.assertEqual(call("get_rate", "GetRate", b"\0")[:8], struct.pack("<d", 3.5))
        self.assertEqual(call("burst", "Burst", struct.pack("<Q", 5))[:8], struct.pack("<Q", 5))
        self.assertEqual(self.played()["messages"], 5)
        # Two clients with the same numbers of requests get their own replies.
        other = self.peer(FAST, "call")
        line = "/rosbag2_player/is_paused rosbag2_interfaces/IsPaused 0001000000"
        for _ in range(3):
            for peer in (client, other):
                self.assertEqual(self.ask(peer, line)[8:10], "01")
        # What ros2 param asks.
        names = call("list_parameters", "ListParameters", struct.pack("<IxxxxQ", 0, 0),
                     "rcl_interfaces")
        self.assertEqual(text_at(names, 4)[0], "use_sim_time")
        names = struct.pack("<II", 1, 13) + b"use_sim_time\0"
        value = call("get_parameters", "GetParameters", names, "rcl_interfaces")
        self.assertEqual(struct.unpack_from("<IBB", value), (1, 1, 0))
        reply = call("stop", "Stop", b"\0")
        self.assertEqual(struct.unpack_from("<iI", reply), (0, 1))
        self.assertEqual(player.wait(), 0)

    def start_recorder(self, name, *arguments):
        recorder = self.start(program(), "record", "-a", "--from", "ros2://", "-o",
                              f"{self.folder}/{name}", "--control", self.folder / "ctl",
                              *arguments)
        self.until((self.folder / "ctl").exists)

        def received():
            return self.status("ctl")["messages"]
        client = self.peer(CALLER)

        def call(service, type_, request, reply, *values):
            words = [f"/kitbag_recorder/{service}", type_, request, reply, *map(str, values)]
            return self.ask(client, " ".join(words))
        return recorder, received, call

    def publish(self):
        """A robot that goes on, and has a map."""
        return self.start(program(), "play", self.bag, "--to", "ros2://?node=robot", "--loop")

    def test_the_recorder(self):
        self.publish()
        recorder, received, call = self.start_recorder("run/")
        self.until(lambda: received() > 5)
        self.assertEqual(call("is_recording", "IsRecording", "Empty", "Flag"), "true")
        self.assertEqual(call("get_uri", "GetUri", "Empty", "Text"), f"{self.folder}/run/")
        call("pause", "Pause", "Empty", "Empty")
        self.assertEqual(call("is_paused", "IsPaused", "Empty", "Flag"), "true")
        call("toggle_paused", "TogglePaused", "Empty", "Empty")
        self.assertEqual(call("is_paused", "IsPaused", "Empty", "Flag"), "false")
        call("pause", "Pause", "Empty", "Empty")
        call("resume", "Resume", "Empty", "Empty")
        self.assertEqual(call("is_paused", "IsPaused", "Empty", "Flag"), "false")
        self.assertEqual(call("snapshot", "Snapshot", "Empty", "Flag"), "false")
        listener = self.peer(FAST, "sub", "rt/events/write_split",
                             "rosbag2_interfaces::msg::dds_::WriteSplitEvent_", "rv")
        self.until(lambda: (self.folder / "run/run_0.mcap").exists())
        self.until(lambda: self.is_heard("/events/write_split"))
        self.assertEqual(call("split_bagfile", "SplitBagfile", "Empty", "Result"), "0")
        self.until(lambda: (self.folder / "run/run_1.mcap").exists())
        self.assertEqual(self.split_event(listener), ("run_0.mcap", "run_1.mcap"))
        later = int(time.time()) + 2
        self.assertEqual(call("split_bagfile", "SplitBagfile", "Split", "Result", later), "0")
        self.assertEqual(self.split_event(listener), ("run_1.mcap", "run_2.mcap"))
        said = call("record", "Record", "Text", "Result", self.folder / "other")
        self.assertEqual(said, "1 a recording is going on; stop it first")
        self.assertEqual(call("stop", "Stop", "Empty", "Result"), "0")
        first = self.info("run")["messages"]  # which is complete now
        kitbag("check", self.folder / "run")
        self.assertEqual(self.split_event(listener), ("run_2.mcap", ""))
        self.assertLess(max(self.times("run/run_1.mcap")), later * 10**9)
        self.assertGreaterEqual(min(self.times("run/run_2.mcap")), later * 10**9)
        self.assertEqual(call("is_recording", "IsRecording", "Empty", "Flag"), "false")
        self.assertEqual(call("get_uri", "GetUri", "Empty", "Text"), "")
        self.assertEqual(call("stop", "Stop", "Empty", "Result"), "1 nothing is being recorded")
        self.assertEqual(call("split_bagfile", "SplitBagfile", "Empty", "Result").split()[0], "1")
        said = call("record", "Record", "Text", "Result", f"{self.folder}/run/")
        self.assertTrue(said.startswith("1 "), said)  # it exists
        said = call("record", "Record", "Text", "Result", self.folder / "second.mcap")
        self.assertEqual(said, "0")
        before = received()
        self.until(lambda: received() > before + 5)
        self.assertEqual(self.status("ctl")["recording"], True)
        out = self.stop(recorder)
        kitbag("check", self.folder / "second.mcap")
        self.assertEqual(self.info("run")["messages"], first)
        channels = {c["topic"]: c for c in self.info("second.mcap")["channels"]}
        self.assertGreater(channels["/map"]["messages"], 0, "what was latched before")
        report = json.loads(kitbag("get", self.folder / "second.mcap", "metadata",
                                   "kitbag_recording"))
        self.assertLess(int(report["messages"]), received_in(out))

    def times(self, bag):
        rows = kitbag("cat", self.folder / bag, "--topics", "/odom").splitlines()
        return [json.loads(row)["log_time_ns"] for row in rows]

    def is_heard(self, topic):
        """Somebody who is asked after the recorder sees a subscriber of it."""
        rows = map(json.loads, kitbag("topics", "ros2://", "--json").splitlines())
        return any(row["topic"] == topic and row["subscribers"] for row in rows)

    def split_event(self, listener):
        payload = bytes.fromhex(listener.stdout.readline())[4:]
        closed, at = text_at(payload, 0)
        opened, at = text_at(payload, at)
        node, _ = text_at(payload, at)
        self.assertEqual(node, "/kitbag_recorder")
        for path in (closed, opened):
            self.assertTrue(not path or path.startswith("/"), path)
        return Path(closed).name, Path(opened).name if opened else ""

    def test_snapshots(self):
        self.publish()
        recorder, received, call = self.start_recorder("s.mcap", "--snapshot", "10s")
        self.until(lambda: received() > 5)
        self.assertEqual(call("snapshot", "Snapshot", "Empty", "Flag"), "true")
        self.until((self.folder / "s_0.mcap").exists)
        self.assertEqual(call("stop", "Stop", "Empty", "Result").split()[0], "1")
        self.stop(recorder)
        self.assertGreater(self.count("s_0.mcap"), 5)

    def test_discovery(self):
        self.publish()
        recorder, received, call = self.start_recorder("got.mcap", "--exclude", "/events/*")
        self.until(lambda: received() > 5)
        self.assertEqual(call("is_discovery_running", "IsDiscoveryRunning", "Empty", "Flag"),
                         "true")
        self.assertEqual(call("start_discovery", "StartDiscovery", "Empty", "Result"),
                         "1 discovery is already running")
        self.assertEqual(call("stop_discovery", "StopDiscovery", "Empty", "Result"), "0")
        self.assertEqual(call("is_discovery_running", "IsDiscoveryRunning", "Empty", "Flag"),
                         "false")
        self.peer(FAST, "pub", "rt/late", "std_msgs::msg::dds_::String_", "rt", "kept", 5)
        sent = self.peer(FAST, "pub", "rt/later", "std_msgs::msg::dds_::String_", "rt", "x", 5)
        self.assertEqual(sent.stdout.readline(), "sent\n")
        before = received()
        self.until(lambda: received() > before + 20)
        self.assertEqual(self.status("ctl")["topics"], 2)
        self.assertEqual(call("start_discovery", "StartDiscovery", "Empty", "Result"), "0")
        self.until(lambda: self.status("ctl")["topics"] == 4)
        self.stop(recorder)
        topics = {c["topic"]: c["messages"] for c in self.info("got.mcap")["channels"]}
        self.assertEqual(topics["/late"], 5)

    def test_the_files_of_a_player(self):
        directory = self.folder / "many"
        kitbag("convert", self.bag, f"{directory}/", "--split-duration", "1s")
        listener = self.peer(FAST, "sub", "rt/events/read_split",
                             "rosbag2_interfaces::msg::dds_::ReadSplitEvent_", "rv")
        player = self.start(program(), "play", directory, "--to", "ros2://", "--rate", "4",
                            "--delay", "4s")
        payload = bytes.fromhex(listener.stdout.readline())[4:]
        closed, at = text_at(payload, 0)
        opened, at = text_at(payload, at)
        self.assertEqual((closed, opened), (str(directory / "many_0.mcap"),
                                            str(directory / "many_1.mcap")))
        self.assertEqual(text_at(payload, at)[0], "/kitbag_player")
        self.stop(player)

    def test_lost_messages_are_told(self):
        listener = self.peer(FAST, "sub", "rt/events/rosbag2_messages_lost",
                             "rosbag2_interfaces::msg::dds_::MessagesLostEvent_", "rv")
        recorder, _ = self.recorder("got.mcap", "/chat")
        loss = ("<CycloneDDS><Domain><Internal><Test><XmitLossiness>200</XmitLossiness></Test>"
                "</Internal></Domain></CycloneDDS>")
        self.start(NODE, "send", "/chat", "400", "500", "best_effort", stdin=subprocess.PIPE,
                   env={**os.environ, "CYCLONEDDS_URI": loss})
        payload = bytes.fromhex(listener.stdout.readline())[4:]
        name, at = text_at(payload, 0)
        self.assertEqual(name, "/kitbag_recorder")
        at = (at + 3) // 4 * 4
        self.assertEqual(struct.unpack_from("<I", payload, at)[0], 1)
        topic, at = text_at(payload, at + 4)
        self.assertEqual(topic, "/chat")
        lost, dropped = struct.unpack_from("<QQ", payload, (at + 7) // 8 * 8)
        self.assertGreater(lost, 0)
        self.assertEqual(dropped, 0)
        self.stop(recorder)


def received_in(summary):
    """How many messages the last line of a recorder tells."""
    return int(summary.split(" message")[0].split()[-1].replace(",", ""))


if __name__ == "__main__":
    enter_network()
    main()
