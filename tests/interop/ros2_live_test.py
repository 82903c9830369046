#!/usr/bin/env python3
"""Systems of ROS 2: Fast DDS, Cyclone's own type support, the RTPS of npm, and plain DDS on the
other side of record, play and pipe. All of it in a network of its own. No real rcl takes part."""

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from network import BUILD, DEMO, NetworkTest, enter_network  # noqa: E402
from peers import kitbag, main, need, program, run  # noqa: E402

FAST = BUILD / "tests/fastdds_peer"
NODE = BUILD / "tests/ros2_node"
HERE = Path(__file__).resolve().parent
STRING = "std_msgs::msg::dds_::String_"
STRING_HASH = "RIHS01_df668c740482bbd48fb39d76a70dfd4bd59db1288021743503259e948f6b1a18"
GRAPH_HASH = "RIHS01_91a0593bacdcc50ea9bdcf849a938b128412cc1ea821245c663bcd26f83c295e"
SERVICE_HASH = "RIHS01_69b9c19c1021405984cc60dbbb1edceb147a6538b411d812ba6afabeed962cd5"
GRAPH = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"


def text_in(payload):
    """Of a std_msgs/msg/String, whose payload may be padded."""
    size = struct.unpack_from("<I", payload, 4)[0]
    return payload[8:8 + size - 1].decode()


class Ros2Test(NetworkTest):
    SYSTEM = "ros2://"

    @classmethod
    def setUpClass(cls):
        need((BUILD / "plugins/transport_ros2.so").exists(),
             "cyclonedds-dev was not there to build with")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.bag = self.folder / "a.mcap"
        kitbag("convert", DEMO, self.bag, "--encoding", "cdr")

    def peer(self, *command):
        need(Path(command[0]).exists(), f"{Path(command[0]).name} could not be built")
        return self.start(*command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def fast_publisher(self, topic, qos, text, count, type_=STRING):
        return self.peer(FAST, "pub", topic, type_, qos, text, count)

    def texts(self, bag, topic="/chat"):
        lines = self.cat(bag, "--topics", topic, "--definitions", self.definitions()).splitlines()
        return [json.loads(line)["data"]["data"] for line in lines]

    def definitions(self):
        """Files as a ROS installation has them: of String, and of what the robot sends."""
        folder = self.folder / "definitions"
        if folder.exists():
            return folder
        types = {channel["type"] for channel in self.info("a.mcap")["channels"]}
        texts = {"std_msgs/msg/String": "string data\n"}
        for type_ in types:
            first, *others = kitbag("types", self.bag, type_).split("=" * 80 + "\nMSG: ")
            texts[type_] = first
            texts.update(other.split("\n", 1) for other in others)
        for type_, text in texts.items():
            package, *_, name = type_.split("/")
            path = folder / package / "msg" / f"{name}.msg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder

    def write_overrides(self, text):
        path = self.folder / "qos.yaml"
        path.write_text(text)
        return path

    # --- kitbag and kitbag ---

    def test_what_is_played_is_recorded(self):
        recorder, received = self.recorder("got.mcap", "-a")
        kitbag("play", self.bag, "--to", "ros2://", "--wait-for-subscribers")
        self.until(lambda: received() >= self.count("a.mcap"))
        self.stop(recorder)
        kitbag("diff", "--ignore-time", self.bag, self.folder / "got.mcap")
        for channel in self.info("got.mcap")["channels"]:
            self.assertEqual(channel["latched"], channel["topic"] in ("/map", "/tf_static"))
            self.assertTrue(channel["metadata"]["topic_type_hash"].startswith("RIHS01_"))

    def test_bags_of_ros1_are_brought_to_ros2_and_back(self):
        old = self.folder / "old.bag"
        kitbag("convert", DEMO, old)
        recorder, received = self.recorder("got.bag", "-a", "--encoding", "ros1",
                                           "--definitions", self.definitions())
        kitbag("play", old, "--to", "ros2://", "--wait-for-subscribers", "--topics", "/odom",
               "/camera/image", "--rate", "2")
        self.until(lambda: received() >= 60)
        self.stop(recorder)
        kitbag("diff", "--ignore-time", old, self.folder / "got.bag", "--topics", "/odom",
               "/camera/image")

    def test_a_bridge(self):
        recorder, received = self.recorder("got.mcap", "-a")
        kitbag("pipe", DEMO, "ros2://?node=bridge", "--topics", "/map", "/tf_static")
        self.until(lambda: received() == 2)
        self.stop(recorder)
        kitbag("diff", "--ignore-time", self.bag, self.folder / "got.mcap", "--topics", "/map",
               "/tf_static")

    def test_who_comes_late_gets_what_is_latched(self):
        player = self.start(program(), "play", self.bag, "--to", "ros2://", "--topics",
                            "/tf_static", "--loop", "--until-topic", "/tf_static", "--control",
                            self.folder / "ctl")
        self.until((self.folder / "ctl").exists)
        self.until(lambda: self.status("ctl")["messages"] == 1)
        recorder, received = self.recorder("got.mcap", "/tf_static")
        self.until(lambda: received() == 1)
        self.stop(recorder)
        self.stop(player)

    # --- Fast DDS ---

    def test_types_that_nobody_here_knows_from_fast_dds(self):
        recorder, received = self.recorder("got.mcap", "/odd")
        self.fast_publisher("rt/odd", "rt", "x", 3, "odd_msgs::msg::dds_::Odd_")
        self.until(lambda: received() == 3)
        self.stop(recorder)
        channel, = self.info("got.mcap")["channels"]
        self.assertEqual(channel["type"], "odd_msgs/msg/Odd")
        raw = kitbag("nth", self.folder / "got.mcap", "/odd", "2", "--format", "raw")
        self.assertIn("x 2", raw)

    def test_late_and_leaving_publishers_of_fast_dds(self):
        recorder, received = self.recorder("got.mcap", "/chat")
        for name in ("one", "two"):
            seen = received()  # before the publisher starts
            peer = self.fast_publisher("rt/chat", "rt", name, 5)
            self.until(lambda: received() == seen + 5)
            self.end(peer)
        self.stop(recorder)
        wanted = [f"{name} {i}" for name in ("one", "two") for i in range(5)]
        self.assertEqual(self.texts("got.mcap"), wanted)

    def test_a_late_recorder_gets_what_fast_dds_keeps(self):
        peer = self.fast_publisher("rt/chat", "rt", "kept", 5)
        self.assertEqual(peer.stdout.readline(), "sent\n")
        recorder, received = self.recorder("got.mcap", "/chat")
        self.until(lambda: received() == 5)
        self.stop(recorder)
        self.assertEqual(self.texts("got.mcap"), [f"kept {i}" for i in range(5)])
        self.assertTrue(self.info("got.mcap")["channels"][0]["latched"])

    def test_publishers_of_one_topic_that_offer_different_things(self):
        recorder, received = self.recorder("got.mcap", "/chat")
        for late, offers in (("", ("rv", "bv", "rt")), ("late ", ("bv", "rt"))):
            peers = [self.fast_publisher("rt/chat", f"{qos}m", f"{late}{qos}", 100)
                     for qos in offers]
            for peer in peers:
                self.assertEqual(peer.stdout.readline(), "sent\n")
        self.settled(received)
        self.stop(recorder)
        texts = self.texts("got.mcap")
        self.assertEqual(len(texts), len(set(texts)), "nothing comes twice")
        for name in ("rv", "bv", "late bv"):  # their first ones are nobody's to keep
            self.assertIn(f"{name} 99", texts)
        for name in ("rt", "late rt"):
            self.assertEqual([t for t in texts if t.startswith(f"{name} ")],
                             [f"{name} {i}" for i in range(100)])
        # Those that come late on a busy machine make another channel, which has all offers.
        self.assertFalse(self.info("got.mcap")["channels"][-1]["latched"])

    def test_fast_dds_hears_what_is_played(self):
        kitbag("convert", "demo://?seconds=1&seed=7", self.folder / "log.mcap", "--encoding", "cdr")
        listener = self.peer(FAST, "sub", "rt/map", "nav_msgs::msg::dds_::OccupancyGrid_", "rt")
        player = self.start(program(), "play", self.bag, "--to", "ros2://", "--topics", "/map",
                            "--loop", "--until-topic", "/map")
        payload = bytes.fromhex(listener.stdout.readline())
        late = self.peer(FAST, "sub", "rt/map", "nav_msgs::msg::dds_::OccupancyGrid_", "rt")
        self.assertEqual(bytes.fromhex(late.stdout.readline()), payload)
        recorded = self.folder / "map.raw"
        with recorded.open("wb") as file:
            subprocess.run([program(), "cat", self.bag, "--topics", "/map", "--format", "raw"],
                           stdout=file, check=True)
        own = recorded.read_bytes()
        self.assertEqual(payload[4:4 + len(own) - 4], own[4:])
        self.stop(player)

    def test_what_does_not_match_is_told(self):
        best_effort = self.write_overrides("/map:\n  reliability: best_effort\n")
        reliable = self.folder / "reliable.yaml"
        reliable.write_text("/chat:\n  reliability: reliable\n  history: keep_all\n")
        listener = self.peer(FAST, "sub", "rt/map", "nav_msgs::msg::dds_::OccupancyGrid_", "rv")
        player = self.start(program(), "play", self.bag, "--to", "ros2://", "--topics", "/map",
                            "--qos-overrides", best_effort, "--wait-for-subscribers")
        self.assertRegex(player.stdout.readline(),
                         "/map: a subscriber requests a higher .*: reliability")
        self.stop(player)
        self.end(listener)
        recorder, _ = self.recorder("got.mcap", "/chat", "--qos-overrides", reliable)
        self.fast_publisher("rt/chat", "bv", "x", 20)
        self.assertRegex(recorder.stdout.readline(),
                         "/chat: a publisher offers a lower .*: reliability")
        self.stop(recorder)

    # --- the TypeScript RTPS of npm ---

    def test_npm_hears_what_is_played(self):
        need((HERE / "node_modules/@foxglove/ros2").is_dir(), "npm's ROS 2 is not installed")
        bag = self.folder / "chat.mcap"
        recorder, received = self.recorder("chat.mcap", "/chat")
        peer = self.fast_publisher("rt/chat", "rt", "hello", 5)
        self.until(lambda: received() == 5)
        self.stop(recorder)
        peer.communicate()
        player = self.start(program(), "play", bag, "--to", "ros2://", "--loop", "--delay", "1s")
        listener = self.start("node", HERE / "listen_ros2.mjs", "/chat", stdin=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        self.assertEqual(listener.stdout.readline(), "listening\n")
        heard = [listener.stdout.readline().strip() for _ in range(8)]
        self.assertTrue(set(heard) <= {f"hello {i}" for i in range(5)}, heard)
        self.stop(player)

    # --- a node of ROS 2, and plain DDS ---

    def node(self, *arguments):
        return self.peer(NODE, *arguments)

    def definition(self, bag, **more):
        return kitbag("types", self.folder / bag, "std_msgs/msg/String", **more)

    def lines_until(self, peer, begin):
        while not (line := peer.stdout.readline()).startswith(begin):
            self.assertNotEqual(line, "", f"no line began with {begin!r}")
        return line.split()

    def test_the_node_gives_the_definition(self):
        node = self.node("node", "/robot/driver", "/chat", STRING_HASH)
        recorder, received = self.recorder("got.mcap", "-a")
        asked = self.lines_until(node, "asked")
        self.assertEqual(asked[1:], ["std_msgs/msg/String", STRING_HASH, "1"])
        self.until(lambda: received() > 10)
        self.stop(recorder)
        channel, = self.info("got.mcap")["channels"]
        self.assertEqual(channel["metadata"]["topic_type_hash"], STRING_HASH)
        self.assertIn("# as the driver has it", self.definition("got.mcap"))
        numbers = [int(text.split()[1]) for text in self.texts("got.mcap")]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))

    def test_a_definition_with_another_hash_is_not_taken(self):
        node = self.node("node", "/driver", "/chat", "RIHS01_" + "0" * 64)
        recorder, received = self.recorder("got.mcap", "-a")
        self.lines_until(node, "asked")
        self.until(lambda: received() > 10)
        self.stop(recorder)
        self.assertNotIn("as the driver has it", self.definition("got.mcap", code=None))

    def test_kitbag_is_a_node(self):
        node = self.node("node", "/driver", "/chat", STRING_HASH)
        recorder, received = self.recorder("got.mcap", "-a", "--node-name", "black_box")
        self.until(lambda: received() > 0)
        while True:
            _, gid, space, name, readers, writers = self.lines_until(node, "node")
            # Each service has one of both; the topic has a reader, and events have two writers.
            if name == "black_box" and int(readers) == int(writers) - 1:
                break
        self.assertEqual(space, "/")
        self.assertEqual(gid[:4], "0110", "the vendor of Cyclone DDS")
        self.stop(recorder)

    def test_a_node_of_humble(self):
        listener = self.peer(FAST, "sub", "ros_discovery_info", GRAPH, "rt")
        player = self.start(program(), "play", self.bag, "--to", "ros2://?gid=24&node=old",
                            "--topics", "/map", "--loop", "--until-topic", "/map")
        while True:
            payload = bytes.fromhex(listener.stdout.readline())
            readers = struct.unpack_from("<I", payload, 4 + 24 + 4 + 8 + 8)[0]  # of services
            writers = struct.unpack_from("<I", payload, 4 + 24 + 4 + 8 + 8 + 4 + 24 * readers)[0]
            if writers == readers + 1:
                break
        self.assertEqual(payload[4:6], b"\x01\x10")
        self.assertEqual(payload[4 + 16:4 + 24], bytes(8), "a GUID, and nothing behind it")
        nodes, size = struct.unpack_from("<II", payload, 4 + 24)
        self.assertEqual((nodes, size), (1, 2))
        self.assertEqual(payload[4 + 24 + 8:4 + 24 + 10], b"/\0")
        self.assertIn(b"\x04\0\0\0old\0", payload)
        self.stop(player)

    def test_plain_dds_with_keys_and_its_own_types(self):
        node = self.node("plain")
        recorder, received = self.recorder("got.mcap", "-a")
        self.until(lambda: received() > 10)
        self.stop(recorder)
        node.communicate()
        lines = [json.loads(line) for line in self.cat("got.mcap").splitlines()]
        self.assertEqual({line["topic"] for line in lines}, {"state"})
        for line in lines:
            state = line["data"]
            self.assertEqual(state["readings"][0]["unit"], "bar")
            self.assertEqual(state["readings"][0]["values"][:2], [1.5, 2.5])
            i = int(state["readings"][0]["values"][2])
            self.assertEqual(state["id"], i % 3)
            self.assertTrue(state["is_good"])
            self.assertIn("too hot" if i % 2 else 0.25, state["value"].values())
        recorder, received = self.recorder("again.mcap", "-a")
        kitbag("play", self.folder / "got.mcap", "--to", "ros2://", "--wait-for-subscribers")
        self.until(lambda: received() == len(lines))
        self.stop(recorder)
        kitbag("diff", "--ignore-time", self.folder / "got.mcap", self.folder / "again.mcap")

    def test_the_load_program_of_cyclone(self):
        need(shutil.which("ddsperf"), "cyclonedds-tools is not installed")
        peer = self.start("ddsperf", "-D", "20", "pub", "200Hz", "size", "100",
                          stdout=subprocess.DEVNULL)
        recorder, received = self.recorder("got.mcap", "-a")
        self.until(lambda: received() > 50)
        self.stop(recorder)
        self.end(peer)
        lines = [json.loads(line) for line in self.cat("got.mcap").splitlines()]
        seqs = [line["data"]["seq"] for line in lines if "seq" in line["data"]]
        self.assertGreater(len(seqs), 50)
        self.assertEqual(seqs, list(range(seqs[0], seqs[0] + len(seqs))))

    def endpoints(self, peer, wanted):
        """The USER_DATA of all endpoints of others by kind and topic, when `wanted` are there."""
        found = {}
        while not wanted <= found.keys():
            words = self.lines_until(peer, "endpoint")
            found[words[1], words[2]] = words[3] if len(words) > 3 else ""
        return found

    def test_every_endpoint_tells_the_hash_of_its_type(self):
        known = self.write_type("odd_msgs/msg/Known", "int8 x\n")
        os.environ["KITBAG_DEFINITIONS"] = str(known)
        self.addCleanup(os.environ.pop, "KITBAG_DEFINITIONS")
        node = self.node("node", "/driver", "/chat", STRING_HASH)
        for topic, type_ in (("rt/known", "odd_msgs::msg::dds_::Known_"),
                             ("rt/odd", "odd_msgs::msg::dds_::Odd_")):
            self.fast_publisher(topic, "rv", "x", 1, type_)
        watcher = self.node("endpoints")
        recorder, received = self.recorder("got.mcap", "-a")
        told = self.endpoints(watcher, {
            ("reader", "ros_discovery_info"), ("writer", "ros_discovery_info"),
            ("reader", "rt/chat"), ("reader", "rt/known"), ("reader", "rt/odd"),
            ("writer", "rq/driver/get_type_descriptionRequest"),
            ("reader", "rr/driver/get_type_descriptionReply")})
        self.assertEqual(told["reader", "rt/chat"], f"typehash={STRING_HASH};")
        self.assertRegex(told["reader", "rt/known"], "^typehash=RIHS01_[0-9a-f]{64};$")
        self.assertEqual(told["reader", "rt/odd"], "kitbag=1;", "no warning for what is not empty")
        for kind in ("reader", "writer"):
            self.assertEqual(told[kind, "ros_discovery_info"], f"typehash={GRAPH_HASH};")
        for service in (("writer", "rq/driver/get_type_descriptionRequest"),
                        ("reader", "rr/driver/get_type_descriptionReply")):
            self.assertRegex(told[service],
                             f"^clientid=[0-9a-f.]*;typehash={SERVICE_HASH};$")
        self.stop(recorder)
        self.end(node)
        player = self.start(program(), "play", self.bag, "--to", "ros2://", "--clock", "--loop",
                            "--topics", "/map", "/odom")
        told = self.endpoints(watcher, {("writer", "rt/map"), ("writer", "rt/odom"),
                                        ("writer", "rt/clock")})
        for topic in ("map", "odom", "clock"):
            self.assertRegex(told["writer", f"rt/{topic}"], "^typehash=RIHS01_[0-9a-f]{64};$")
        self.stop(player)

    def write_type(self, type_, text):
        folder = self.folder / "types"
        package, kind, name = type_.split("/")
        path = folder / package / kind / f"{name}.{kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return folder

    def test_messages_that_no_file_defines(self):
        hash_ = "RIHS01_3c4c20015afb4303eafd347b1d6a786f171a89c814726961a9593ef10df878cf"
        node = self.node("events", "/driver", "/set/_service_event", hash_)
        recorder, received = self.recorder("got.mcap", "-a", "--include-hidden-topics")
        self.lines_until(node, "asked")
        self.until(lambda: received() > 2)
        self.assertEqual(self.status("got.mcap.ctl")["undefined"], [])
        self.assertNotIn("no definition", self.stop(recorder))
        event = json.loads(self.cat("got.mcap").splitlines()[0])["data"]
        self.assertEqual(event["request"], [{"data": True}])
        self.assertEqual(event["response"], [])
        self.assertEqual(event["info"]["event_type"], 1)
        self.assertEqual(event["info"]["sequence_number"], 7)

    def test_topics_without_a_definition_are_told(self):
        recorder, received = self.recorder("got.mcap", "-a")
        self.fast_publisher("rt/odd", "rt", "x", 3, "odd_msgs::msg::dds_::Odd_")
        self.until(lambda: received() == 3)
        self.assertEqual(self.status("got.mcap.ctl")["undefined"], ["/odd"])
        self.assertIn("no definition found for the types on /odd", self.stop(recorder))

    # --- what is lost ---

    def lose(self, quality, count, per_thousand):
        """A node whose packets get lost on their way: what was sent, and what came of it."""
        recorder, received = self.recorder("got.mcap", "/chat", "--definitions", self.definitions())
        os.environ["CYCLONEDDS_URI"] = (
            "<CycloneDDS><Domain><Internal><Test>"
            f"<XmitLossiness>{per_thousand}</XmitLossiness></Test></Internal></Domain>"
            "</CycloneDDS>")
        try:
            node = self.node("send", "/chat", str(count), "500", quality)
        finally:
            del os.environ["CYCLONEDDS_URI"]
        self.lines_until(node, "sent")
        self.settled(received)
        status = self.status("got.mcap.ctl")
        said = self.stop(recorder)
        report = json.loads(kitbag("get", self.folder / "got.mcap", "metadata", "kitbag_recording"))
        return status, said, report, [int(text) for text in self.texts("got.mcap")]

    def test_what_was_lost_on_the_way_is_told(self):
        status, said, report, numbers = self.lose("best_effort", 1000, 100)
        self.assertEqual(numbers, sorted(numbers))
        missing = numbers[-1] - numbers[0] + 1 - len(numbers)
        self.assertGreater(missing, 20)
        self.assertEqual(status["lost"], {"/chat": missing})
        self.assertEqual(status["dropped"], {})
        self.assertIn(f"{missing} lost before they reached kitbag (/chat {missing})", said)
        self.assertEqual(report["lost"], str(missing))
        self.assertEqual(report["lost /chat"], str(missing))
        self.assertEqual(report["dropped"], "0")

    def test_disposals_are_no_loss(self):
        node = self.node("disposing")
        recorder, received = self.recorder("got.mcap", "-a")
        self.until(lambda: received() > 50)
        self.assertEqual(self.status("got.mcap.ctl")["lost"], {})
        self.stop(recorder)
        self.end(node)

    def test_a_small_buffer_is_told(self):
        os.environ["CYCLONEDDS_URI"] = (
            "<CycloneDDS><Domain><Internal><SocketReceiveBufferSize min=\"default\" max=\"100kB\"/>"
            "</Internal></Domain></CycloneDDS>")
        self.addCleanup(os.environ.pop, "CYCLONEDDS_URI")
        recorder, _ = self.recorder("got.mcap", "-a")
        said = self.stop(recorder)
        self.assertEqual(said.count("net.core.rmem_max"), 1, said)

    # --- several publishers ---

    def test_recorder_and_player_have_names_of_their_own(self):
        node = self.node("node", "/driver", "/chat", STRING_HASH)
        recorder, received = self.recorder("got.mcap", "-a")
        player = self.start(program(), "play", self.bag, "--to", "ros2://", "--loop")
        names = set()
        while not {"kitbag_recorder", "kitbag_player"} <= names:
            names.add(self.lines_until(node, "node")[3])
        self.stop(recorder)
        self.stop(player)

    def test_a_publisher_that_comes_later_with_other_qos(self):
        for name, *how in (["got.mcap"], ["got.db3"], ["folder", "--split-duration", "1h"]):
            recorder, received = self.recorder(name, "/chat", *how)
            kept = self.fast_publisher("rt/chat", "rt", "kept", 3)
            self.until(lambda: received() == 3)
            late = self.fast_publisher("rt/chat", "bvm", "late", 20)
            self.until(lambda: received() > 4)
            late_again = self.fast_publisher("rt/chat", "bvm", "late", 20)
            self.until(lambda: received() > 25)
            for peer in (kept, late, late_again):
                self.end(peer)
            self.stop(recorder)
            offers = [c["metadata"]["offered_qos_profiles"] for c in self.info(name)["channels"]]
            kinds = {offer.count("- history") + offer.count("  history") for offer in offers}
            self.assertEqual(max(kinds), 2, offers)
            self.assertLessEqual(len(offers), 2)

    def test_a_best_effort_node_need_not_warn(self):
        static = self.folder / "static.yaml"
        static.write_text("static_topics_and_types_list:\n  - [/chat, std_msgs/msg/String]\n")
        recorder, received = self.recorder("got.mcap", "--static-topics", static, "/chat")
        best_effort = self.node("send", "/chat", "400", "100", "best_effort")
        self.until(lambda: received() > 0)
        reliable = self.node("send", "/chat", "400", "100", "reliable")
        for node in (best_effort, reliable):
            self.assertEqual(node.stdout.readline(), "sent 400\n", "and not: incompatible")
        self.stop(recorder)
        self.assertEqual(self.count("got.mcap"), 800)

    # --- what is recorded ---

    def test_hidden_topics_and_services(self):
        hidden = "rt/fib/_action/feedback"
        names = [hidden, "rt/add/_service_event", "rq/addRequest", "rt/chat"]
        for name in names:
            self.fast_publisher(name, "rt", "x", 1)
        def recorded(*arguments):
            recorder, received = self.recorder("got.mcap", *arguments)
            wanted = 1 if "--include-hidden-topics" not in arguments else 3
            self.until(lambda: received() >= wanted)
            self.stop(recorder)
            topics = {c["topic"] for c in self.info("got.mcap")["channels"]}
            (self.folder / "got.mcap").unlink()
            return topics
        self.assertEqual(recorded("-a"), {"/chat"})
        self.assertEqual(recorded("/fib/_action/feedback"), {"/fib/_action/feedback"})
        self.assertEqual(recorded("-a", "--include-hidden-topics"),
                         {"/chat", "/fib/_action/feedback", "/add/_service_event"})

    def test_topics_that_are_known_before(self):
        static = self.folder / "static.yaml"
        static.write_text("static_topics_and_types_list:\n  - [/chat, std_msgs/msg/String]\n")
        recorder, received = self.recorder("got.mcap", "--static-topics", static)
        self.fast_publisher("rt/chat", "rvw", "first", 5)
        self.until(lambda: received() >= 5)
        self.stop(recorder)
        self.assertEqual(self.texts("got.mcap"), [f"first {i}" for i in range(5)])

    def test_two_types_on_one_topic(self):
        recorder, received = self.recorder("got.mcap", "-a")
        for type_ in (STRING, "odd_msgs::msg::dds_::Odd_"):
            self.fast_publisher("rt/chat", "rt", type_.split(":")[0], 3, type_)
        self.fast_publisher("rt/other", "rt", "x", 3)
        self.until(lambda: received() == 9)
        self.stop(recorder)
        counts = {(c["topic"], c["type"]): c["messages"]
                  for c in self.info("got.mcap")["channels"]}
        self.assertEqual(counts["/other", "std_msgs/msg/String"], 3)
        self.assertEqual(counts["/chat", "std_msgs/msg/String"], 3)
        self.assertEqual(counts["/chat", "odd_msgs/msg/Odd"], 3)

    # --- topics, echo, publish ---

    def topics(self, *arguments):
        rows = map(json.loads, kitbag("topics", "ros2://", "--json", *arguments).splitlines())
        return {row["topic"]: row for row in rows}

    def test_topics_with_nodes_and_who_does_not_get_along(self):
        self.node("node", "/robot/driver", "/state", STRING_HASH)
        self.fast_publisher("rt/chat", "bv", "x", 1)
        self.peer(FAST, "sub", "rt/chat", STRING, "rv")
        self.fast_publisher("rt/fib/_action/feedback", "rt", "x", 1)
        def seen():
            found = self.topics()
            is_whole = {"/state", "/chat"} <= set(found) and found["/chat"]["subscribers"] and \
                found["/chat"]["publishers"] and found["/state"]["publishers"][0]["node"]
            return found if is_whole else None
        found = self.until(seen)
        self.assertEqual(set(found), {"/state", "/chat"})  # no services, no hidden ones
        self.assertEqual(found["/state"]["type"], "std_msgs/msg/String")
        self.assertEqual([e["node"] for e in found["/state"]["publishers"]], ["/robot/driver"])
        self.assertRegex(found["/state"]["publishers"][0]["qos"],
                         r"\A\[\{history: keep_last, depth: 10, reliability: reliable, durability: "
                         r"volatile, deadline: \{sec: \d+, nsec: \d+\}, .*\}\]\Z")
        self.assertEqual(found["/chat"]["incompatible"],
                         [{"publisher": "", "subscriber": "", "policy": "reliability"}])
        done = subprocess.run([program(), "topics", "ros2://", "-v", "/chat", "/state"],
                              capture_output=True, text=True, check=True)
        self.assertIn("  publisher   /robot/driver   reliable, volatile, keep last 10\n",
                      done.stdout)
        self.assertIn("kitbag: warning: /chat: (unknown node) requests more reliability than "
                      "(unknown node) offers, and gets none of its messages\n", done.stderr)
        self.assertIn("/fib/_action/feedback", self.topics("--include-hidden-topics"))

    def test_rates_of_a_node(self):
        self.node("node", "/driver", "/state", STRING_HASH)
        def rates():
            row = self.topics("--rates", "2s").get("/state", {})
            return row if row.get("intervals") else None
        row = self.until(rates)
        self.assertGreater(row["rate_hz"], 1)  # 50, on a machine that has time
        self.assertEqual((row["encoding"], row["lost"]), ("cdr", 0))
        self.assertEqual(row["subscribers"], [], "kitbag itself is not among them")

    def test_echo_and_publish(self):
        listener = self.start(program(), "echo", "ros2://", "/chat", "-n", "3", "--fields", "data")
        self.node("node", "/driver", "/chat", STRING_HASH)
        texts = [json.loads(listener.stdout.readline())["data"]["data"] for _ in range(3)]
        self.assertTrue(all(text.startswith("driver ") for text in texts), texts)
        self.assertEqual(listener.wait(), 0)
        heard = self.peer(FAST, "sub", "rt/said", STRING, "rv")
        kitbag("publish", "ros2://", "/said", "std_msgs/String", "hello", "-w")
        self.assertEqual(text_in(bytes.fromhex(heard.stdout.readline())), "hello")
        publisher = self.start(program(), "publish", "ros2://", "/kept", "std_msgs/msg/String",
                               "kept", "--latch", "-k")
        late = self.peer(FAST, "sub", "rt/kept", STRING, "rt")
        self.assertEqual(text_in(bytes.fromhex(late.stdout.readline())), "kept")
        self.stop(publisher)

    # --- the environment ---

    def told(self, *arguments, **environment):
        done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, **environment})
        return done.returncode, done.stderr

    def test_the_environment_is_heeded(self):
        code, said = self.told("record", "-a", "--from", "ros2://", "--duration", "100ms", "-o",
                               self.folder / "x.mcap", RMW_IMPLEMENTATION="rmw_zenoh_cpp")
        self.assertEqual(code, 2)
        self.assertIn("RMW_IMPLEMENTATION is rmw_zenoh_cpp, which is not supported", said)
        code, said = self.told("record", "-a", "--from", "ros2://", "--duration", "100ms", "-o",
                               self.folder / "x.mcap", RMW_IMPLEMENTATION="rmw_fastrtps_cpp")
        self.assertEqual(code, 0)
        self.assertIn("RMW_IMPLEMENTATION is rmw_fastrtps_cpp; kitbag uses Cyclone DDS", said)
        code, said = self.told("record", "-a", "--from", "ros2://", CYCLONEDDS_URI="<General><x/>")
        self.assertEqual(code, 2)
        self.assertIn("CYCLONEDDS_URI", said)
        for uri, words in (("ros2://233", '"233" is not a valid domain'),
                           ("ros2://?speed=3", "got speed=3"),
                           ("ros2://?qos=/nowhere", "/nowhere")):
            code, said = self.told("record", "-a", "--from", uri)
            self.assertEqual(code, 2)
            self.assertIn(words, said)

    def test_domains_are_apart(self):
        os.environ["ROS_DOMAIN_ID"] = "7"
        try:
            self.fast_publisher("rt/chat", "rt", "seven", 2)
            recorder, received = self.recorder("got.mcap", "-a")
        finally:
            del os.environ["ROS_DOMAIN_ID"]
        self.until(lambda: received() == 2)
        zero, received_zero = self.recorder("zero.mcap", "-a", "--duration", "1s")
        zero.wait()
        self.stop(recorder)
        self.assertEqual(self.count("zero.mcap"), 0)
        seven, received = self.recorder("seven.mcap", "-a", system="ros2://7")
        self.until(lambda: received() == 2)
        self.stop(seven)

    def test_a_system_that_is_on_this_machine_alone(self):
        os.environ["ROS_LOCALHOST_ONLY"] = "1"
        try:
            run("ip", "link", "set", "lo", "multicast", "off")
            recorder, received = self.recorder("got.mcap", "-a")
            kitbag("play", self.bag, "--to", "ros2://", "--wait-for-subscribers", "--rate", "4")
        finally:
            del os.environ["ROS_LOCALHOST_ONLY"]
            run("ip", "link", "set", "lo", "multicast", "on")
        self.until(lambda: received() >= self.count("a.mcap"))
        self.stop(recorder)
        kitbag("diff", "--ignore-time", self.bag, self.folder / "got.mcap")


if __name__ == "__main__":
    enter_network()
    main()
