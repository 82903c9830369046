#!/usr/bin/env python3
"""What the server says about a bag, compared with the program and with other readers."""

import base64
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import InFolder  # noqa: E402
from old_bag import write_v1_1  # noqa: E402
from peers import kitbag, need  # noqa: E402
from server import Server  # noqa: E402

try:
    import rosbag
except ImportError:
    rosbag = None

DEMO = "demo://?seconds=2&seed=3"


class Info(InFolder):
    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.folder / "a.bag", "--encoding", "ros1")
        kitbag("convert", DEMO, cls.folder / "p.mcap", "--encoding", "protobuf")
        kitbag("convert", DEMO, f"{cls.folder}/directory/")
        (cls.folder / "nothing.bag").write_bytes(b"#ROSBAG V2.0\nno bag")

    def get(self, target):
        reply = self.server.ask(target)
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "application/json"))
        return reply.json()

    def test_info_is_that_of_the_program(self):
        for name in "a.bag", "p.mcap", "directory":
            expected = json.loads(kitbag("info", "--json", self.folder / name))
            self.assertEqual(expected.pop("path"), str(self.folder / name))
            found = self.get(f"/bags/{name}/info")
            self.assertEqual(found.pop("path"), name)
            self.assertEqual(found, expected)

    def test_definitions_from_elsewhere_are_part_of_the_tag(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        place = Path(folder.name).resolve()
        payload = b"\x01\0\0\0\x02\0\0\0"
        write_v1_1(place / "old.bag", [("/x", "my_msgs/Pair", "*", 1, payload)])
        os.utime(place / "old.bag", (1, 1))  # it is not being recorded
        targets = ("/bags/old.bag/schemas", "/bags/old.bag/player?start_time=0&end_time=9",
                   "/bags/old.bag/series?fields=a", "/view/old.bag.mcap")
        tags, bodies, cache = {}, {}, place / "cache"
        for names in "a b", "b a":
            definitions = place / names.replace(" ", "") / "my_msgs" / "msg"
            definitions.mkdir(parents=True)
            first, second = names.split()
            (definitions / "Pair.msg").write_text(f"uint32 {first}\nuint32 {second}\n")
            with Server(place / "old.bag", "--definitions", definitions.parents[1],
                        "--cache-dir", cache) as server:
                for target in targets:
                    reply = server.ask(target)
                    self.assertEqual(reply.status, 200, reply.body)
                    tags.setdefault(target, set()).add(reply.headers["ETag"])
                    bodies.setdefault(target, set()).add(reply.body)
        for target in targets:
            self.assertEqual((len(tags[target]), len(bodies[target])), (2, 2), target)

    def test_topics_are_those_of_rosbag(self):
        need(rosbag is not None, "rosbag is not installed")
        with rosbag.Bag(str(self.folder / "a.bag")) as opened:
            known = opened.get_type_and_topic_info().topics
            seconds = opened.get_end_time() - opened.get_start_time()
        topics = self.get("/bags/a.bag/topics")
        self.assertEqual([topic["topic"] for topic in topics], sorted(known))
        for topic in topics:
            theirs = known[topic["topic"]]
            self.assertEqual((topic["type"], topic["messages"], topic["connections"]),
                             (theirs.msg_type, theirs.message_count, theirs.connections))
            rate = theirs.message_count / seconds if theirs.message_count > 1 else 0
            self.assertAlmostEqual(topic["rate_hz"], rate, 3)
        latched = {topic["topic"] for topic in topics if topic["latched"]}
        self.assertEqual(latched, {"/map", "/tf_static"})

    def test_schemas_are_those_of_rosbag(self):
        need(rosbag is not None, "rosbag is not installed")
        with rosbag.Bag(str(self.folder / "a.bag")) as opened:
            expected = {(each.datatype, each.msg_def) for each in opened._connections.values()}
            topics = {each.topic for each in opened._connections.values()}
        schemas = self.get("/bags/a.bag/schemas")
        self.assertEqual({(each["name"], each["text"]) for each in schemas}, expected)
        self.assertEqual({each["language"] for each in schemas}, {"ros1msg"})
        self.assertEqual({topic for each in schemas for topic in each["topics"]}, topics)

    def test_a_binary_schema_is_base64(self):
        for schema in self.get("/bags/p.mcap/schemas"):
            self.assertNotIn("text", schema)
            last = schema["name"].split(".")[-1].encode()
            self.assertIn(last, base64.b64decode(schema["data_base64"]))

    def test_caching_head_and_what_is_wrong(self):
        for what in "info", "topics", "schemas":
            target = f"/bags/a.bag/{what}"
            reply = self.server.ask(target)
            self.assertEqual(reply.headers["Cache-Control"], "public, max-age=2592000")
            self.assertEqual(self.server.ask(target, If_None_Match=reply.headers["ETag"]).status,
                             304)
            head = self.server.ask(target, method="HEAD")
            self.assertEqual(int(head.headers["Content-Length"]), len(reply.body))
            self.assertEqual(self.server.ask(f"/bags/none.bag/{what}").status, 400)
            self.assertEqual(self.server.ask(f"{target}?x=1").status, 400)
            broken = self.server.ask(f"/bags/nothing.bag/{what}")
            self.assertEqual((broken.status, list(broken.json())), (400, ["error"]))


if __name__ == "__main__":
    peers.main()
