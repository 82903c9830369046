#!/usr/bin/env python3
"""Which topics are latched, and which of their messages come before a slice."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import InFolder, cat  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from server import Server  # noqa: E402

SECOND = 10**9
TRANSIENT_LOCAL = {"offered_qos_profiles": "- history: 1\n  depth: 1\n  reliability: 1\n"
                                           "  durability: 1\n"}


class Latched(InFolder):
    @classmethod
    def fill(cls):
        file = McapFile(cls.folder / "a.mcap")

        def channel(topic, metadata=None):
            return file.channel(topic, "json", "", "", "", metadata)
        documented = channel("/map/info")
        flagged = channel("/flagged", TRANSIENT_LOCAL)
        two = [channel("/two", {**TRANSIENT_LOCAL, "node": name}) for name in "ab"]
        plain = channel("/plain")
        for at, number in ((1, documented), (2, documented), (3, flagged), (4, plain), (5, two[0]),
                           (6, two[1]), (10, documented), (11, plain)):
            file.message(number, at * SECOND, json.dumps({"at": at}).encode())
        named = channel("/named")
        file.message(named, 12 * SECOND,
                     b'{"topic": 1, "__stamp": 2, "__latched": 3, "own": 4}')
        file.close()

    def slice_of(self, server, begin=8, end=13):
        reply = server.ask(f"/bags/a.mcap/player?start_time={begin}&end_time={end}")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()["messages"]

    def ats(self, server):
        """(time, latched) of each message but the last."""
        return [(message["at"], message["__latched"]) for message in self.slice_of(server)[:-1]]

    def test_the_documented_and_the_flagged_of_each_connection(self):
        self.assertEqual(self.ats(self.server), [(2, True), (3, True), (5, True), (6, True),
                                                 (10, True), (11, False)])

    def test_the_documented_can_be_dropped(self):
        with Server(self.folder, "--no-default-latched") as server:
            self.assertEqual(self.ats(server), [(3, True), (5, True), (6, True), (10, False),
                                                (11, False)])

    def test_others_can_be_added(self):
        with Server(self.folder, "--latched", "/plain", "--no-default-latched") as server:
            self.assertEqual(self.ats(server), [(3, True), (4, True), (5, True), (6, True),
                                                (10, False), (11, True)])

    def test_the_options_are_part_of_the_tag(self):
        target = "/bags/a.mcap/player?start_time=8&end_time=13"
        tags = {self.server.ask(target).headers["ETag"]}
        for options in ("--no-default-latched",), ("--latched", "/plain"):
            with Server(self.folder, *options) as server:
                reply = server.ask(target, if_none_match=", ".join(tags))
                self.assertEqual(reply.status, 200)
                tags.add(reply.headers["ETag"])
        self.assertEqual(len(tags), 3)

    def test_the_state_may_be_several_parameters(self):
        self.assertEqual(self.state("state=/plain&state=/map/info"), self.state("state=/plain"))
        for query in "state=none&state=/plain", "state=latched,/plain", "state=":
            reply = self.server.ask(f"/bags/a.mcap/player?start_time=11&end_time=12&{query}")
            self.assertEqual(reply.status, 400, query)

    def state(self, query):
        """(topic, time) of the messages before the slice."""
        reply = self.server.ask(f"/bags/a.mcap/player?start_time=11&end_time=12&{query}")
        self.assertEqual(reply.status, 200, reply.body)
        messages = [each for each in reply.json()["messages"] if each["__stamp"] < 11]
        for each in messages:
            self.assertEqual(each["__latched"], each["topic"] != "/plain")
        return [(each["topic"], each["at"]) for each in messages]

    def test_the_state_of_other_topics(self):
        latched = [("/flagged", 3), ("/two", 5), ("/two", 6), ("/map/info", 10)]
        with_plain = [("/flagged", 3), ("/plain", 4), ("/two", 5), ("/two", 6), ("/map/info", 10)]
        for query, expected in (
                ("", latched), ("state=latched", latched), ("state=none", []),
                ("state=all", with_plain), ("state=/plain", with_plain),
                ("state=/named,/pl*", with_plain),
                ("state=/plain&topics=/two", [("/two", 5), ("/two", 6)]),
                ("state=all&topics=/plain", [("/plain", 4)]),
                ("state=all&where=at%3E5", [("/two", 6), ("/map/info", 10)])):
            with self.subTest(query):
                self.assertEqual(self.state(query), expected)
        for query in ("state=/none", "state=", "state=latched,/none"):
            with self.subTest(query):
                reply = self.server.ask(f"/bags/a.mcap/player?start_time=11&end_time=12&{query}")
                self.assertEqual((reply.status, list(reply.json())), (400, ["error"]))

    def test_the_state_in_other_forms(self):
        target = "/bags/a.mcap/player?start_time=11&end_time=12&topics=/plain&state=all&format="
        lines = self.server.ask(target + "ndjson").body.splitlines()
        self.assertEqual([json.loads(line)["at"] for line in lines], [4, 11])
        with tempfile.NamedTemporaryFile(suffix=".mcap") as slice_file:
            slice_file.write(self.server.ask(target + "mcap").body)
            slice_file.flush()
            self.assertEqual([data["at"] for _, _, data in cat(slice_file.name)], [4, 11])

    def test_the_state_as_a_table(self):
        with tempfile.TemporaryDirectory() as folder:
            peers.kitbag("convert", "demo://?seconds=3&seed=1", f"{folder}/demo.mcap")
            times = [time for _, time, _ in cat(f"{folder}/demo.mcap", "--topics", "/battery")]
            with Server(folder) as server:
                start = server.ask("/bags/demo.mcap/player").json()["start_time"]
                target = (f"/bags/demo.mcap/player?start_time={start + 2}.5&end_time={start + 2}.5"
                          "&topics=/battery&fields=voltage&format=csv")
                self.assertEqual(server.ask(target).body, b"")
                _, row = server.ask(f"{target}&state=/battery").body.decode().splitlines()
        last = max(time for time in times if time < (start + 2) * SECOND + SECOND // 2)
        self.assertEqual(int(row.split(",")[0]), last)

    def test_fields_with_the_names_of_keys_have_an_underscore(self):
        last = self.slice_of(self.server)[-1]
        self.assertEqual(last, {"topic": "/named", "topic_": 1, "__stamp": 12, "__stamp_": 2,
                                "__latched": False, "__latched_": 3, "own": 4})


if __name__ == "__main__":
    peers.main()
