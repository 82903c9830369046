#!/usr/bin/env python3
"""Services and actions in bags: what is said of them, and what selects them."""

import json
import struct

from cli import START_NS, CliTest, main
from mcap_file import McapFile

ADD = "example_interfaces/srv/AddTwoInts"
ANY = "ros2msg", "uint8 first\n"  # a definition, where nobody decodes
ADD_TEXT = f"{'=' * 80}\nSRV: {ADD}\nint64 a\nint64 b\n---\nint64 sum\n"
GOAL = "/dock/_action/send_goal/_service_event"
TOPICS = {"/add/_service_event", "/sub/_service_event", GOAL, "/dock/_action/status",
          "/dock/_action/feedback", "/chatter"}
SERVICES = {"/add/_service_event", "/sub/_service_event"}
ACTIONS = {GOAL, "/dock/_action/status", "/dock/_action/feedback"}


def event(what, number, client=b"\1" * 16):
    """An event without content, in CDR."""
    return b"\0\1\0\0" + struct.pack("<B3xiI16s4xqII", what, 1, 2, client, number, 0, 0)


class ServicesTest(CliTest):
    def setUp(self):
        super().setUp()
        file = McapFile(self.path("calls.mcap"))
        add, sub = (file.channel(f"{name}/_service_event", "cdr", f"{ADD}_Event", "ros2msg",
                                 ADD_TEXT) for name in ("/add", "/sub"))
        goal = file.channel(GOAL, "cdr", "x/action/Dock_SendGoal_Event", *ANY)
        others = [file.channel(topic, "cdr", type_, *ANY) for topic, type_ in (
            ("/dock/_action/status", "action_msgs/msg/GoalStatusArray"),
            ("/dock/_action/feedback", "x/action/Dock_FeedbackMessage"),
            ("/chatter", "std_msgs/msg/String"))]
        for i in range(20):  # client and server tell of each request, the server of one response
            for what in (0, 1, 2):
                file.message(add, START_NS + i, event(what, i))
        file.message(sub, START_NS, event(1, 1))
        file.message(sub, START_NS, event(1, 1, client=b"\2" * 16))
        file.message(sub, START_NS, b"\0\1\0\0")
        file.message(goal, START_NS, event(1, 1))
        for channel in others:
            file.message(channel, START_NS, b"\0\1\0\0" + bytes(8))
        file.close()

    def topics(self, *options):
        self.kitbag("convert", "calls.mcap", "out.mcap", "--force", *options)
        return {channel["topic"] for channel in self.info("out.mcap")["channels"]}

    def test_what_selects_them(self):
        for options, wanted in (
                (["--services", "/add"], {"/add/_service_event"}),
                (["--services", "*"], SERVICES),
                (["--services", "/add,/sub"], SERVICES),
                (["--services=/[as]*"], SERVICES),
                (["--actions", "/dock"], ACTIONS),
                (["--actions", "/d*"], ACTIONS),
                (["--services", "*", "--actions", "*"], SERVICES | ACTIONS),
                (["--topics", "/chatter", "--services", "/sub"], {"/chatter",
                                                                  "/sub/_service_event"}),
                (["--exclude-services", "*"], TOPICS - SERVICES),
                (["--exclude-services", "/sub"], TOPICS - {"/sub/_service_event"}),
                (["--exclude-actions", "/dock"], TOPICS - ACTIONS),
                (["--exclude-actions", "*", "--exclude-services", "*"], {"/chatter"}),
                (["--actions", "*", "--exclude", "*/status"], ACTIONS - {"/dock/_action/status"})):
            self.assertEqual(self.topics(*options), wanted, options)
        for verb in ("cat", "du", "tail"):
            printed = self.kitbag(verb, "calls.mcap", "--services", "/add")
            self.assertIn("/add/_service_event", printed, verb)
            self.assertNotIn("/sub", printed, verb)

    def test_what_is_not_there_is_an_error(self):
        for option, name in (("--services", "/ad"), ("--actions", "/dok")):
            self.fails("convert", "calls.mcap", "out.mcap", option, name, saying=f'"{name}/_')

    def test_info_names_them_apart_from_topics(self):
        text = self.kitbag("info", "calls.mcap")
        topics, services, actions = text.split("\n\n")[1:]
        self.assertEqual([line.split()[0] for line in topics.splitlines()], ["topic", "/chatter"])
        self.assertEqual([line.split() for line in services.splitlines()],
                         [["service", "type", "events"], ["/add", ADD, "60"], ["/sub", ADD, "3"]])
        self.assertEqual([line.split() for line in actions.splitlines()],
                         [["action", "type", "send_goal", "get_result", "cancel_goal", "feedback",
                           "status"], ["/dock", "x/action/Dock", "1", "-", "-", "1", "1"]])
        info = self.info("calls.mcap")
        self.assertEqual(info["services"], [{"service": "/add", "type": ADD, "events": 60},
                                            {"service": "/sub", "type": ADD, "events": 3}])
        self.assertEqual(info["actions"], [{"action": "/dock", "type": "x/action/Dock",
                                            "feedback": 1, "send_goal": 1, "status": 1}])
        self.assertEqual({channel["topic"] for channel in info["channels"]}, TOPICS)
        self.assertNotIn("services", self.info("run.bag"))

    def test_info_counts_requests_and_responses(self):
        counts = self.kitbag("info", "calls.mcap", "-v").split("\n\n")[-1]
        self.assertEqual([line.split() for line in counts.splitlines()],
                         [["service", "requests", "responses", "unread"],
                          ["/add", "20", "20", "0"], ["/dock/_action/send_goal", "1", "0", "0"],
                          ["/sub", "2", "0", "1"]])
        self.assertNotIn("requests", self.kitbag("info", "run.bag", "-v"))

    def test_names_are_completed(self):
        def words(*line):
            return {part.split("\t")[0] for part in
                    self.kitbag("--complete", *line).splitlines()[1:]}
        self.assertEqual(words("cat", "calls.mcap", "--services", ""), {"/add", "/sub"})
        self.assertEqual(words("cat", "calls.mcap", "--exclude-actions", "/"), {"/dock"})

    def test_options_of_record_and_play(self):
        demo = "demo://?seconds=0.1&seed=7"
        self.fails("record", "-a", "--all-services", "--from", demo, saying="use either -a or a")
        for option, said in (("--all-services", "no service event came"),
                             ("--all-actions", "no message came on */_action/*"),
                             ("--services=/add", "no message came on /add/_serv")):
            done = self.run_program("record", "/odom", option, "--from", demo, "-o", "x.mcap",
                                    "--force")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertEqual({c["topic"] for c in self.info("x.mcap")["channels"]}, {"/odom"})
        zmq = f"zmq+ipc://{self.path('socket')}?bind=1"
        self.fails("play", "calls.mcap", "--to", zmq, "--service-requests-source",
                   "client_introspection", saying="requires --publish-service-requests or")
        self.fails("play", "calls.mcap", "--to", zmq, "--publish-service-requests",
                   saying="--publish-service-requests: none of the systems is of ROS")
        self.fails("play", "calls.mcap", "--to", zmq, "--send-actions-as-client",
                   saying="--send-actions-as-client: none of the systems is of ROS")
        self.fails("play", "calls.mcap", "--to", "ros2://", "--publish-service-requests",
                   "--service-requests-source", "both", saying="expected one of service_intro")

    def test_events_are_no_state(self):
        qos = "- history: 3\n  depth: 0\n  reliability: 1\n  durability: 1\n"
        file = McapFile(self.path("late.mcap"))
        for topic, type_ in (("/add/_service_event", f"{ADD}_Event"), ("/map", "x/msg/Map")):
            channel = file.channel(topic, "cdr", type_, "ros2msg", "uint8[48] content\n",
                                   {"offered_qos_profiles": qos})
            for i in range(2):
                file.message(channel, START_NS + i * 10**9, event(1, i))
        file.close()
        lines = self.kitbag("cat", "late.mcap", "--start", "+500ms", "--latched").splitlines()
        self.assertEqual(sorted(json.loads(line)["topic"] for line in lines),
                         ["/add/_service_event", "/map", "/map"])


if __name__ == "__main__":
    main()
