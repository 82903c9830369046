#!/usr/bin/env python3
"""Services and actions of ROS 2: which of their topics are recorded, and requests that are played
back as a client. On the other side are Cyclone's own type support and Fast DDS, in a network of
its own; the events are also those of a real rosbag2. No real rcl takes part."""

import json
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from mcap_file import McapFile  # noqa: E402
from network import BUILD, NetworkTest, enter_network  # noqa: E402
from peers import ROOT, kitbag, main, need, need_data, program  # noqa: E402

FAST = BUILD / "tests/fastdds_peer"
NODE = BUILD / "tests/ros2_node"
REAL = ROOT.parent / "shared/data/mcap/ros2+rosbag2/rosbag2_cpp/test/rosbag2_cpp/bags"
START_NS = 1_700_000_000 * 10**9
ADD = "example_interfaces/srv/AddTwoInts"
ADD_TEXT = f"{'=' * 80}\nSRV: {ADD}\nint64 a\nint64 b\n---\nint64 sum\n"
DOCK_TEXT = "int32 speed\nfloat64 angle\n---\nbool is_docked\n---\nfloat64 distance\n"
CANCEL_TEXT = ("action_msgs/GoalInfo goal_info\n---\nint8 return_code\n"
               "action_msgs/GoalInfo[] goals_canceling\n")
SENT, RECEIVED, ANSWERED = 0, 1, 2
# Topics of a live system: what is there of services and actions, what is hidden besides, and what
# is not.
CALLS = {"/add/_service_event": "x::srv::dds_::Add_Event_",
         "/dock/_action/feedback": "x::action::dds_::Dock_FeedbackMessage_",
         "/dock/_action/status": "action_msgs::msg::dds_::GoalStatusArray_",
         "/dock/_action/send_goal/_service_event": "x::action::dds_::Dock_SendGoal_Event_"}
STRING = "std_msgs::msg::dds_::String_"


def event(what, number, content=b"", client=b"\1" * 16):
    """An event of a service in CDR; the content of its request, behind the count, if any."""
    info = struct.pack("<B3xiI16s4xq", what, 1, 2, client, number)
    return (b"\0\1\0\0" + info + struct.pack("<I", 1 if content else 0) + content +
            bytes(-len(info + content) % 4) + struct.pack("<I", 0))


def add(a, b):
    """A request of AddTwoInts, as it is in an event: from byte 44 on, so with padding."""
    return struct.pack("<4xqq", a, b)


class Services(NetworkTest):
    SYSTEM = "ros2://"

    @classmethod
    def setUpClass(cls):
        need((BUILD / "plugins/transport_ros2.so").exists(),
             "cyclonedds-dev was not there to build with")
        super().setUpClass()

    def peer(self, *command):
        need(Path(command[0]).exists(), f"{Path(command[0]).name} could not be built")
        return self.start(*command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def server(self, name="/add_two_ints"):
        server = self.peer(NODE, "serve", name)
        self.assertEqual(server.stdout.readline(), "serving\n")
        return server

    def requests(self, server, count):
        """[(client, number, a, b, who takes the response)]"""
        return [tuple(map(int, server.stdout.readline().removeprefix("request ").split()))
                for _ in range(count)]

    def bag(self, events, topic="/add_two_ints/_service_event", type_=f"{ADD}_Event",
            text=ADD_TEXT):
        """A bag with events, one every millisecond, and a topic beside it."""
        file = McapFile(self.folder / "events.mcap")
        number = file.channel(topic, "cdr", type_, "ros2msg" if text else "", text)
        chat = file.channel("/chat", "cdr", "std_msgs/msg/String", "ros2msg", "string data\n")
        for i, payload in enumerate(events):
            file.message(number, START_NS + i * 10**6, payload)
        file.message(chat, START_NS, b"\0\1\0\0\3\0\0\0hi\0")
        file.close()
        return self.folder / "events.mcap"

    def play(self, bag, *options, uri="ros2://"):
        """What it says on standard error."""
        done = subprocess.run([program(), "play", bag, "--to", uri, *options], cwd=self.folder,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def topics(self, name):
        return {channel["topic"] for channel in self.info(name)["channels"]}

    # --- recording ---

    def talk(self):
        """One participant has all topics, so who has heard of the last one knows the others."""
        topics = {"/_debug": STRING, **CALLS, "/chat": STRING}
        words = [word for topic, type_ in topics.items() for word in (f"rt{topic}", type_)]
        peer = self.peer(FAST, "pubs", "rt", *words)
        self.assertEqual(peer.stdout.readline(), "sent\n")

    def record(self, awaited, *options):
        """The topics that are recorded while all talk, and what the recorder says."""
        name = f"{len(list(self.folder.iterdir()))}.mcap"
        recorder, received = self.recorder(name, *options)
        self.until(lambda: received() == len(awaited))
        said = self.stop(recorder)
        self.assertEqual(self.topics(name), set(awaited))
        return said

    def test_what_is_recorded_of_services_and_actions(self):
        self.talk()
        actions = {topic for topic in CALLS if "/_action/" in topic}
        service = "/add/_service_event"
        said = self.record({"/chat"})
        self.assertIn("ros2://: 5 hidden topics are left out, such as /_debug; hidden=calls adds "
                      "those of services and actions, hidden=1 all", said)
        said = self.record({"/chat", *CALLS}, "-a")
        self.assertIn("1 hidden topic is left out, such as /_debug", said)
        self.assertNotIn("left out", self.record({"/chat", "/_debug", *CALLS}, "-a",
                                                 "--include-hidden-topics"))
        self.record({service}, "--services", "/a*")
        self.record({service}, "--all-services")
        self.record(actions, "--actions", "/dock")
        self.record({"/chat", *actions}, "/chat", "--all-actions")
        self.record({service, *actions}, "--all-services", "--all-actions")
        self.record({"/chat", *actions}, "-a", "--exclude-services", "/add")
        self.record({"/chat", service}, "-a", "--exclude-actions", "*")
        self.record({service}, "--regex", "/a.*/_service_event")
        said = self.record({"/chat"}, "--topics", "*", "--exclude", "/_debug")
        self.assertIn("4 hidden topics are left out, such as /add/_service_event", said)

    def test_events_with_their_content_are_recorded_and_asked_again(self):
        hash_ = "RIHS01_3c4c20015afb4303eafd347b1d6a786f171a89c814726961a9593ef10df878cf"
        node = self.peer(NODE, "events", "/driver", "/set/_service_event", hash_)
        recorder, received = self.recorder("got.mcap", "--services", "/set")
        self.until(lambda: received() > 2)
        self.stop(recorder)
        self.end(node)
        service, = self.info("got.mcap")["services"]
        self.assertEqual((service["service"], service["type"]), ("/set", "std_srvs/srv/SetBool"))
        lines = [json.loads(line)["data"] for line in self.cat("got.mcap").splitlines()]
        self.assertEqual(lines[0]["request"], [{"data": True}])
        server = self.peer(FAST, "serve", "/set", "std_srvs::srv::dds_::SetBool", "rv")
        self.play("got.mcap", "--publish-service-requests", "--wait-for-subscribers")
        payload = bytes.fromhex(server.stdout.readline())
        self.assertEqual(payload[4:5], b"\1", "Fast DDS has nothing in front of the content")
        self.assertLess(len(payload), 4 + 8)

    # --- playing requests ---

    def test_requests_go_to_a_server_on_cyclone(self):
        watcher = self.peer(NODE, "endpoints")
        server = self.server()
        # Each is there twice, as where client and server have introspection.
        bag = self.bag([event(what, i, add(i, -i) if what != ANSWERED else b"")
                        for i in range(30) for what in (SENT, RECEIVED, ANSWERED)])
        said = self.play(bag, "--publish-service-requests", "--wait-for-subscribers",
                         "--topics", "/add*")
        self.assertEqual(said, "")
        asked = self.requests(server, 30)
        self.assertEqual([(a, b) for _, _, a, b, _ in asked], [(i, -i) for i in range(30)])
        self.assertEqual([number for _, number, *_ in asked], list(range(1, 31)))
        self.assertEqual(len({client for client, *_ in asked}), 1)
        self.assertNotEqual(asked[0][0], 0)
        self.assertEqual({takers for *_, takers in asked}, {1})
        while not (told := watcher.stdout.readline()).startswith(
                "endpoint writer rq/add_two_intsRequest"):
            self.assertNotEqual(told, "")
        self.assertIn("Request clientid=", told)

    def test_a_bag_of_rosbag2(self):
        need_data(REAL)
        server = self.server()
        self.play(REAL / "only_services.mcap", "--publish-service-requests",
                  "--wait-for-subscribers", "--immediate")
        asked = self.requests(server, 6)
        self.assertEqual([(a, b) for _, _, a, b, _ in asked], [(i, 3) for i in range(1, 7)])

    def test_requests_go_to_a_server_on_fast_dds(self):
        server = self.peer(FAST, "serve", "/add_two_ints", "example_interfaces::srv::dds_::"
                           "AddTwoInts", "rv")
        self.play(self.bag([event(RECEIVED, 1, add(3, 4))]), "--publish-service-requests",
                  "--wait-for-subscribers", "--services", "/add_two_ints")
        payload = bytes.fromhex(server.stdout.readline())
        self.assertEqual(payload[4:], struct.pack("<qq", 3, 4))

    def test_the_events_are_not_published_then(self):
        listener = self.peer(FAST, "sub", "rt/add_two_ints/_service_event",
                             "example_interfaces::srv::dds_::AddTwoInts_Event_", "rv")
        chat = self.peer(FAST, "sub", "rt/chat", "std_msgs::msg::dds_::String_", "rv")
        server = self.server()
        bag = self.bag([event(RECEIVED, 1, add(3, 4))])
        self.play(bag, "--publish-service-requests", "--wait-for-subscribers")
        self.assertEqual(self.requests(server, 1)[0][2:4], (3, 4))
        self.assertIn("6869", chat.stdout.readline())
        self.play(bag, "--wait-for-subscribers")  # now they are, and so are those before it
        self.end(chat)
        self.assertEqual(bytes.fromhex(listener.stdout.readline())[4], RECEIVED)
        listener.stdin.close()
        self.assertEqual(listener.stdout.readlines(), [], "once, by the second play")

    def test_the_source_of_requests(self):
        server = self.server()
        bag = self.bag([event(SENT, 1, add(1, 2)), event(RECEIVED, 1, add(3, 4))])
        for source, wanted in (("client_introspection", (1, 2)), ("service_introspection", (3, 4))):
            self.play(bag, "--publish-service-requests", "--service-requests-source", source,
                      "--services", "/add_two_ints", "--wait-for-subscribers")
            self.assertEqual(self.requests(server, 1)[0][2:4], wanted, source)
        said = self.play(self.bag([event(SENT, 1, add(1, 2))]), "--publish-service-requests",
                         "--services", "/add_two_ints", "--wait-for-subscribers")
        self.assertIn("/add_two_ints: 1 request not sent: only the client has told of them, and "
                      "these are sent with the source client_introspection", said)

    def test_what_is_not_sent_is_said_once_for_each_service(self):
        events = [event(RECEIVED, 1, add(1, 2)), event(RECEIVED, 2), event(RECEIVED, 3)]
        said = self.play(self.bag(events), "--publish-service-requests")
        self.assertEqual(said.count("/add_two_ints"), 1, said)
        self.assertIn("1 request not sent: no server of the service was there; "
                      "2 requests not sent: they were recorded without their content", said)
        self.server()
        damaged = [event(RECEIVED, 1, add(1, 2))[:-20], event(RECEIVED, 2, add(1, 2))[:20]]
        said = self.play(self.bag(damaged), "--publish-service-requests", "--wait-for-subscribers",
                         "--services", "/add_two_ints")
        self.assertIn("2 requests not sent: their events are damaged", said)
        said = self.play(self.bag(events, topic="/odd/_service_event", type_="odd/srv/Odd_Event",
                                  text=""), "--publish-service-requests")
        self.assertRegex(said, "/odd: 3 requests not sent: .*definition")

    def test_a_request_before_the_start_is_not_asked_again(self):
        server = self.server()
        latched = ("- history: 3\n  depth: 0\n  reliability: 1\n  durability: 1\n")
        file = McapFile(self.folder / "late.mcap")
        number = file.channel("/add_two_ints/_service_event", "cdr", f"{ADD}_Event", "ros2msg",
                              ADD_TEXT, {"offered_qos_profiles": latched})
        for i in range(3):
            file.message(number, START_NS + i * 10**9, event(RECEIVED, i, add(i, 0)))
        file.close()
        self.assertTrue(self.info("late.mcap")["channels"][0]["latched"])
        self.play("late.mcap", "--publish-service-requests", "--wait-for-subscribers",
                  "--start", "+1500ms")
        self.assertEqual(self.requests(server, 1)[0][2:4], (2, 0))

    # --- actions ---

    def test_goals_go_to_a_live_action(self):
        goal = bytes(range(16))
        # goal_id, then {int32 speed, float64 angle}: in the event from byte 44 on
        content = goal + struct.pack("<i", 7) + struct.pack("<d", 0.5)
        file = McapFile(self.folder / "dock.mcap")
        name = "/dock/_action"
        parts = {
            "send_goal/_service_event": ("x/action/Dock_SendGoal_Event", event(
                RECEIVED, 1, content)),
            "cancel_goal/_service_event": ("action_msgs/srv/CancelGoal_Event", event(
                RECEIVED, 1, goal + struct.pack("<iI", 1, 2))),
            "feedback": ("x/action/Dock_FeedbackMessage", b"\0\1\0\0" + goal + bytes(8)),
        }
        for i, (part, (type_, payload)) in enumerate(parts.items()):
            number = file.channel(f"{name}/{part}", "cdr", type_)
            file.message(number, START_NS + i * 10**6, payload)
        file.close()
        for name_, text in (("x/action/Dock.action", DOCK_TEXT),
                            ("action_msgs/srv/CancelGoal.srv", CANCEL_TEXT)):
            path = self.folder / "types" / name_
            path.parent.mkdir(parents=True)
            path.write_text(text)
        servers = {
            part: self.peer(FAST, "serve", f"{name}/{part}", type_, "rv")
            for part, type_ in (("send_goal", "x::action::dds_::Dock_SendGoal"),
                                ("cancel_goal", "action_msgs::srv::dds_::CancelGoal"))}
        feedback = self.peer(FAST, "sub", f"rt{name}/feedback",
                             "x::action::dds_::Dock_FeedbackMessage_", "rv")
        said = self.play("dock.mcap", "--send-actions-as-client", "--wait-for-subscribers",
                         "--definitions", self.folder / "types")
        self.assertNotIn("not sent", said)
        sent = bytes.fromhex(servers["send_goal"].stdout.readline())[4:]
        self.assertEqual(sent, goal + struct.pack("<i4xd", 7, 0.5), "aligned anew")
        sent = bytes.fromhex(servers["cancel_goal"].stdout.readline())[4:]
        self.assertEqual(sent, goal + struct.pack("<iI", 1, 2))
        feedback.stdin.close()
        self.assertEqual(feedback.stdout.readlines(), [], "the live action gives its own")
        text = kitbag("info", self.folder / "dock.mcap")
        self.assertRegex(text, r"action  type +send_goal .*\n/dock +x/action/Dock +1 +- +1 +1 +-\n")


if __name__ == "__main__":
    enter_network()
    main()
