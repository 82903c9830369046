#!/usr/bin/env python3
"""demo://, a simulated robot, as a bag like any other."""

from cli import CliTest, main

DEMO = "demo://?seconds=3&seed=7"
BUT_ROSOUT = ("--exclude", "/rosout")  # the Log of ROS 2 has not all that of ROS 1


class DemoTest(CliTest):
    def test_it_becomes_a_sound_bag(self):
        self.kitbag("convert", DEMO, "demo.bag")
        self.assertRegex(self.kitbag("check", "demo.bag"), "sound, 688 messages, 12 topics")
        self.assertEqual(self.digest(DEMO), self.digest("demo.bag"))

    def test_there_and_back_through_every_encoding(self):
        self.kitbag("convert", DEMO, "demo.bag", *BUT_ROSOUT)
        for encoding in ("cdr", "protobuf", "json"):
            with self.subTest(encoding):
                self.kitbag("convert", "demo.bag", f"{encoding}.mcap", "--encoding", encoding)
                self.kitbag("convert", f"{encoding}.mcap", f"{encoding}.bag", "--encoding", "ros1")
                self.assertEqual(self.digest(f"{encoding}.bag"), self.digest("demo.bag"))
                self.assertIn("sound", self.kitbag("check", f"{encoding}.bag"))

    def test_what_a_log_of_ros_2_has_no_place_for_is_told(self):
        done = self.run_program("convert", DEMO, "cdr.mcap", "--encoding", "cdr")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\A[^\n]*/rosout: rcl_interfaces/msg/Log has no place for "
                                      r"the fields frame_id and topics, which are left out\n\Z")
        types = {c["topic"]: c["type"] for c in self.info("cdr.mcap")["channels"]}
        self.assertEqual(types["/rosout"], "rcl_interfaces/msg/Log")

    def test_its_encoding_is_a_parameter_too(self):
        self.kitbag("convert", DEMO, "one.mcap", "--encoding", "cdr", *BUT_ROSOUT)
        self.kitbag("convert", DEMO + "&encoding=cdr", "two.mcap", *BUT_ROSOUT)
        self.assertEqual(self.digest("one.mcap"), self.digest("two.mcap"))
        self.assertEqual(self.info(DEMO + "&encoding=cdr")["channels"][0]["encoding"], "cdr")

    def test_it_is_queried_like_a_bag(self):
        self.assertEqual(len(self.messages(DEMO, "--topics", "/odom", "--start", "+1s",
                                           "--duration", "1s")), 50)
        fast = self.messages(DEMO, "--where", "twist.twist.linear.x > 0.1", "--count", "2")
        self.assertEqual([each["topic"] for each in fast], ["/odom", "/odom"])

    def test_how_regularly_it_sends(self):
        text = self.kitbag("info", DEMO, "--verbose")
        self.assertRegex(text, r"(?m)^/imu +10\.000 ms +0\.000 ms +10\.000 ms +10\.000 ms ")
        self.assertRegex(text, r"(?m)^/map +- +- +- +- +93\.8 KiB +-$")
        self.fails("info", DEMO, "--verbose", "--json", saying="cannot be combined")

    def test_what_it_does_not_know(self):
        self.fails("info", "demo://?speed=5",
                   saying="unknown parameter speed; supported parameters: seconds")
        self.fails("info", "demo://?encoding=morse", saying="unknown encoding")
        self.fails("info", "nothing://x", saying="nothing://")


if __name__ == "__main__":
    main()
