#!/usr/bin/env python3
"""Numbers over time, compared with what `kitbag cat` prints, in all encodings."""

import json
import math
import re
import sys
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import InFolder  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

DEMO = "demo://?seconds=6&seed=3"


def path_in(data, path):
    """The value at "a.b[3].c"; None: there is none."""
    for step in path.replace("]", "").replace("[", ".").split("."):
        try:
            data = data[int(step) if step.isdigit() else step]
        except (IndexError, KeyError):
            return None
    if isinstance(data, dict):  # a time
        return data["sec"] + data.get("nsec", data.get("nanosec")) / 1e9
    return data


class SeriesTest(InFolder):
    @classmethod
    def fill(cls):
        for encoding in "ros1", "cdr", "json":
            kitbag("convert", DEMO, cls.folder / f"{encoding}.mcap", "--encoding", encoding)
        kitbag("convert", DEMO, cls.folder / "c.db3", "--encoding", "cdr")
        kitbag("convert", DEMO, cls.folder / "packed.mcap", "--compression", "lz4")
        file = McapFile(cls.folder / "damaged.mcap")
        odd = file.channel("/odd", "json", "s", "jsonschema",
                           '{"type":"object","properties":{"n":{"type":"number"}}}')
        for second, text in enumerate(('{"n":1}', '{"n":', '{"n":3}'), 1):
            file.message(odd, second * 10**9, text.encode())
        file.close()

    def series(self, bag, query):
        reply = self.server.ask(f"/bags/{bag}/series?{query}")
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(reply.headers["Content-Type"], "application/json")
        return reply.json()

    def rows(self, bag, topic):
        """[(log time in ns, content)] of a topic."""
        lines = kitbag("cat", self.folder / bag, "--topics", topic).splitlines()
        return [(row["log_time_ns"], row["data"]) for row in map(json.loads, lines)]

    def check(self, bag, topic, fields, more=""):
        query = urllib.parse.urlencode({"topics": topic, "fields": ",".join(fields)})
        found = self.series(bag, query + more)
        start = round(found["start_time"] * 1e9)
        self.assertEqual([(each["topic"], each["field"]) for each in found["series"]],
                         [(topic, field) for field in fields])
        rows = self.rows(bag, topic)
        # What JSON says of a time is a decimal; Python's double of it has errors below 1 us.
        width = found["bucket_duration"] * 1e9
        for each in found["series"]:
            parts = [[] for _ in range(found["buckets"])]
            for ns, data in rows:
                value = path_in(data, each["field"])
                index = math.floor((ns - start) / width)
                if value is not None and 0 <= index < found["buckets"]:
                    parts[index].append(value)
            self.assertGreater(sum(map(len, parts)), 0)
            expected = {"count": [len(part) for part in parts]}
            expected["min"] = [min(part, default=None) for part in parts]
            expected["max"] = [max(part, default=None) for part in parts]
            expected["last"] = [part[-1] if part else None for part in parts]
            expected["mean"] = [sum(part) / len(part) if part else None for part in parts]
            for name, values in expected.items():
                self.assertEqual(len(each[name]), len(values))
                for mine, his in zip(each[name], values):
                    if his is None:
                        self.assertIsNone(mine)
                    else:
                        self.assertAlmostEqual(mine, his, delta=1e-6 * (1 + abs(his)),
                                               msg=f"{bag} {each['field']} {name}")
        return found

    def test_all_encodings_give_what_cat_prints(self):
        fields = ["pose.pose.position.x", "pose.covariance[7]", "header.stamp"]
        for bag in "ros1.mcap", "cdr.mcap", "json.mcap", "c.db3":
            for buckets in 1, 7, 100:
                found = self.check(bag, "/odom", fields, f"&buckets={buckets}")
                self.assertLessEqual(found["buckets"], buckets)
        self.check("ros1.mcap", "/battery", ["present", "voltage"], "&buckets=3")
        self.check("cdr.mcap", "/scan", ["ranges[3]"], "&buckets=9")

    def test_a_range_is_divided_into_parts(self):
        known = self.metadata("ros1.mcap")
        begin = known["start_time"] + 1.25
        for length, buckets in ((2, 10), (0.03, 10), (1, 5000)):
            found = self.check("ros1.mcap", "/imu", ["linear_acceleration.x"],
                               f"&start_time={begin}&end_time={begin + length}&buckets={buckets}")
            end = found["start_time"] + found["buckets"] * found["bucket_duration"]
            self.assertLessEqual(found["start_time"], begin + 1e-6)
            self.assertGreater(end, begin + length - 1e-6)
            self.assertAlmostEqual(end - found["start_time"], length, delta=0.2 * length)

    def test_topics_are_those_that_have_the_fields(self):
        found = self.series("ros1.mcap", "fields=voltage,twist.twist.linear.x&buckets=2")
        self.assertEqual([(each["topic"], each["field"]) for each in found["series"]],
                         [("/battery", "voltage"), ("/odom", "twist.twist.linear.x")])

    def test_what_cannot_be_decoded_is_told(self):
        found = self.series("damaged.mcap", "fields=n&buckets=1")
        self.assertEqual(found["series"][0]["count"], [2])
        self.assertEqual(found["series"][0]["mean"], [2])
        self.assertEqual(len(found["damage"]), 1)
        self.assertTrue(found["damage"][0].startswith("/odd: 1 messages cannot be decoded"))

    def test_what_is_asked_wrongly(self):
        for query in ("", "fields=", "fields=voltage&buckets=0", "fields=voltage&buckets=10001",
                      "fields=voltage&start_time=1", "fields=pose.pose&topics=/odom",
                      "fields=voltage&topics=/odom", "fields=a..b", "fields=voltage&x=1"):
            reply = self.server.ask(f"/bags/ros1.mcap/series?{query}")
            self.assertEqual((reply.status, list(reply.json())), (400, ["error"]), query)
        reply = self.server.ask("/bags/ros1.mcap/series?fields=voltag")
        self.assertIn("similar fields: voltage", reply.json()["error"])

    def test_limits_are_413(self):
        fields = ",".join(f"pose.covariance%5B{i}%5D" for i in range(17))
        reply = self.server.ask(f"/bags/ros1.mcap/series?fields={fields}")
        self.assertEqual((reply.status, list(reply.json())), (413, ["error"]))
        with Server(self.folder, "--max-work", "1ns") as server:
            reply = server.ask("/bags/ros1.mcap/series?fields=voltage")
            self.assertEqual((reply.status, list(reply.json())), (413, ["error"]))

    def test_it_may_be_kept_by_its_client(self):
        first = self.server.ask("/bags/ros1.mcap/series?fields=voltage")
        self.assertEqual(first.headers["Cache-Control"], "public, max-age=2592000")
        again = self.server.ask("/bags/ros1.mcap/series?fields=voltage",
                                if_none_match=first.headers["ETag"])
        self.assertEqual(again.status, 304)

    def test_a_bag_is_read_once_for_all_coarser_plots(self):
        def loaded():
            text = self.server.ask("/metrics").body.decode()
            return sum(int(count) for count in
                       re.findall(r"^kitbag_chunks_(?:loaded|shared)_total (\d+)", text, re.M))
        known = self.metadata("packed.mcap")
        begin = known["start_time"]
        target = "/bags/packed.mcap/series?topics=/odom&fields=pose.pose.position.x"
        before = loaded()
        part = self.server.ask(f"{target}&start_time={begin + 1}&end_time={begin + 3}&buckets=9")
        after_part = loaded()
        self.assertGreater(after_part, before)
        self.server.ask(target)
        after_whole = loaded()
        self.assertGreater(after_whole, after_part)
        again = self.server.ask(f"{target}&start_time={begin + 1}&end_time={begin + 3}&buckets=9")
        self.assertEqual(loaded(), after_whole)
        for mine, his in zip(part.json()["series"], again.json()["series"]):
            for name in "count", "min", "max", "last":
                self.assertEqual(mine[name], his[name])
            for mean, other in zip(mine["mean"], his["mean"]):
                self.assertAlmostEqual(mean, other, 9)
        fine = f"{target}&start_time={begin + 1}&end_time={begin + 1.01}&buckets=1000"
        self.assertEqual(self.server.ask(fine).status, 200)
        self.assertGreater(loaded(), after_whole)


if __name__ == "__main__":
    peers.main()
