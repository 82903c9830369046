#!/usr/bin/env python3
"""A search finds what rosbag's messages say it should."""

import sys
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import InFolder  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag, need  # noqa: E402

try:
    import rosbag
except ImportError:
    rosbag = None

DEMO = "demo://?seconds=6&seed=3"


class Search(InFolder):
    @classmethod
    def fill(cls):
        kitbag("convert", DEMO, cls.folder / "a.bag", "--encoding", "ros1")
        file = McapFile(cls.folder / "t.mcap")
        log = file.channel("/log", "json", "", "", "")
        broken = file.channel("/broken", "json", "", "", "")
        for second, text in enumerate(("Motor ERROR 7", "fine", "error again"), 1):
            file.message(log, second * 10**9, f'{{"a":{{"text":"{text}"}},"n":{second}}}'.encode())
        file.message(broken, 4 * 10**9, b'{"text":')
        file.close()

    def search(self, query, bag="a.bag"):
        reply = self.server.ask(f"/bags/{bag}/search?{query}")
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json()

    def test_a_condition_gives_its_fields(self):
        need(rosbag is not None, "rosbag is not installed")
        with rosbag.Bag(str(self.folder / "a.bag")) as opened:
            expected = [(topic, stamp.to_nsec(), message.twist.twist.linear.x)
                        for topic, message, stamp in opened.read_messages(["/odom"])
                        if message.twist.twist.linear.x > 0.3]
        self.assertGreater(len(expected), 5)
        found = self.search("limit=10000&q=" + quote("twist.twist.linear.x > 0.3"))
        self.assertFalse(found["is_limited"])
        self.assertEqual([(each["topic"], each["twist"]) for each in found["messages"]],
                         [(topic, {"twist": {"linear": {"x": x}}}) for topic, _, x in expected])
        self.assertEqual([round(each["__stamp"] * 1e6) for each in found["messages"]],
                         [ns // 1000 for _, ns, _ in expected])

    def test_the_limit_is_told(self):
        found = self.search("limit=3&q=" + quote("header.seq >= 0"))
        self.assertEqual((len(found["messages"]), found["is_limited"]), (3, True))
        self.assertEqual(len(self.search("q=" + quote("header.seq >= 0"))["messages"]), 100)

    def test_a_word_in_any_text(self):
        found = self.search("text=error&topics=/log", "t.mcap")
        self.assertEqual([each["a"]["text"] for each in found["messages"]],
                         ["Motor ERROR 7", "error again"])
        self.assertNotIn("damage", found)
        part = self.search("text=error&topics=/log&start_time=2&end_time=9", "t.mcap")
        self.assertEqual([each["n"] for each in part["messages"]], [3])

    def test_what_could_not_be_searched_is_told(self):
        found = self.search("text=error", "t.mcap")
        self.assertEqual(len(found["messages"]), 2)
        self.assertEqual(len(found["damage"]), 1)
        self.assertTrue(found["damage"][0].startswith("/broken: 1 messages cannot be decoded"))

    def test_what_is_asked_wrongly(self):
        for query in ("", "q=((", "q=a==1&text=b", "text=", "text=a&limit=0", "text=a&limit=x",
                      "text=a&start_time=1", "text=a&fields=,&x=1"):
            reply = self.server.ask(f"/bags/a.bag/search?{query}")
            self.assertEqual((reply.status, list(reply.json())), (400, ["error"]), query)


if __name__ == "__main__":
    peers.main()
