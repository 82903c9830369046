#!/usr/bin/env python3
"""Conditions, and options that name topics and fields."""

from cli import CliTest, main

DEMO = "demo://?seconds=10&seed=7"
START = 1767225600


class ConditionTest(CliTest):
    def setUp(self):
        super().setUp()
        self.kitbag("convert", DEMO, "drive.mcap")

    def found(self, condition):
        return self.messages("drive.mcap", "--bytes", "omit", "--where", condition)

    def all(self):
        return self.messages("drive.mcap", "--bytes", "omit")

    def test_expressions_of_rosbag_filter(self):
        def seconds(message):
            return message["log_time_ns"] / 1e9
        for condition, expected in (
                ("topic == '/odom' and m.header.seq % 10 == 0 and t.to_sec() > 1767225603",
                 lambda m: m["topic"] == "/odom" and m["data"]["header"]["seq"] % 10 == 0
                 and seconds(m) > START + 3),
                ("topic != '/imu' or m.linear_acceleration.z > 9.81",
                 lambda m: m["topic"] != "/imu" or m["data"]["linear_acceleration"]["z"] > 9.81),
                ("topic in ['/odom', '/imu'] and m.header.frame_id.startswith('o')",
                 lambda m: m["topic"] == "/odom"),
                ("topic == '/tf' and len(m.transforms) > 0",
                 lambda m: m["topic"] == "/tf"),
                ("not topic.endswith('c') and type == 'sensor_msgs/LaserScan'",
                 lambda m: m["topic"] == "/scan")):
            with self.subTest(condition):
                wanted = [m for m in self.all() if expected(m)]
                self.assertGreater(len(wanted), 0)
                self.assertEqual(self.found(condition), wanted)

    def test_calculations(self):
        def speed(message):
            linear = message["data"]["twist"]["twist"]["linear"]
            return sum(linear[axis] ** 2 for axis in "xyz") ** 0.5
        fast = self.found("norm(twist.twist.linear) > 0.4")
        self.assertEqual(fast, [m for m in self.all()
                                if m["topic"] == "/odom" and speed(m) > 0.4])
        self.assertEqual(self.found("min(ranges) < 1"),
                         [m for m in self.all() if m["topic"] == "/scan"
                          and min(r for r in m["data"]["ranges"] if r is not None) < 1])
        self.assertEqual(self.found('time > "2026-01-01T00:00:05Z" and topic == "/battery"'),
                         [m for m in self.all() if m["topic"] == "/battery"
                          and m["log_time_ns"] > (START + 5) * 10**9])

    def test_what_can_never_be_true(self):
        for condition, saying in (
                ("voltag < 25", r"none has voltag; similar: voltage"),
                ("header.stamp > 3", r'a time such as "2026-01-01T00:00:00Z", or its seconds: '
                                     r"to_sec\(header.stamp\)"),
                ('voltage > "a"', 'voltage is a number and "a" is a text'),
                ("topic == '/odm'", "available topics: /battery"),
                ("voltage > 1 && twist.twist.linear.x > 1", "they are in different topics"),
                ("len(voltage) > 1", "neither a list nor a text"),
                ("voltage > 1 +", "expected a field, a number or a text at character 14"),
                ("avs(voltage) > 1", "a function such as abs"),
                ("/battery.voltage > 1", "expected a field, without its topic, at character 1"),
                ("(" * 101 + "voltage > 1", "fewer parentheses"),
                ("voltage > " + "1+" * 2000 + "1", "too many parts")):
            with self.subTest(condition[:40]):
                self.fails("cat", "drive.mcap", "--where", condition, saying=saying)
        self.fails("filter", "drive.mcap", "out.mcap", "--where", "nope > 1",
                   saying="none has nope")
        self.assertNotIn("out.mcap", self.files())

    def test_json_without_a_schema_has_no_types(self):
        self.kitbag("convert", "drive.mcap", "json.mcap", "--encoding", "json")
        def count(condition):
            return len(self.messages("json.mcap", "--bytes", "omit", "--where", condition))
        self.assertEqual(count("voltage > 0 && topic == '/battery'"), 10)
        self.assertEqual(count("topic == '/battery' && voltage + 1 > 0"), 10)


class ListsTest(CliTest):
    def test_commas(self):
        for arguments, messages in ((["--topics", "/tick,/count"], 200),
                                    (["--topics", "/tick,/c*"], 300),
                                    (["--topics", "/t[i,x]ck, /count"], 200),
                                    (["--exclude", "/tick,/count"], 100),
                                    (["--types", "std_msgs/Int32,std_msgs/Empty"], 200),
                                    (["--regex", "/t.{1,3}k"], 100)):
            with self.subTest(arguments):
                self.assertEqual(len(self.messages(self.bag, *arguments)), messages)
        self.kitbag("convert", self.bag, "out.bag", "--rename", "/tick:=/a,/count:=/b")
        self.assertEqual({channel["topic"] for channel in self.info("out.bag")["channels"]},
                         {"/a", "/b", "/chatter"})


if __name__ == "__main__":
    main()
