#!/usr/bin/env python3
"""Definitions that a bag lacks: found, refused, assumed, missed; and what check says of them."""

import contextlib
import hashlib
import os
import sqlite3

from cli import CliTest, main
from old_bag import write_v1_0, write_v1_1
from server import Server

PAYLOAD = b"\1\0\0\0x"
DATA = hashlib.md5(b"string data").hexdigest()
TEXT = hashlib.md5(b"string text").hexdigest()


class DefinitionsTest(CliTest):
    def setUp(self):
        super().setUp()
        for name in ("KITBAG_DEFINITIONS", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
            os.environ.pop(name, None)
        self.make("msgs/my_msgs/msg/Text.msg", "string data\n")

    def make(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def old_bag(self, md5sum=DATA, type_="my_msgs/Text"):
        return write_v1_1(self.folder / "old.bag", [("/text", type_, md5sum, 1, PAYLOAD)])

    def convert(self, *options, verb="convert", **more):
        """What a conversion of old.bag says on standard error."""
        done = self.run_program(verb, "old.bag", "-o", "new.bag", "-f", *options, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def findings(self):
        done = self.run_program("check", "new.bag")
        return done.stdout.splitlines()[:-1]

    def test_a_folder_supplies_it(self):
        self.old_bag()
        self.assertEqual(self.convert("--definitions", "msgs"), "")
        self.assertEqual(self.findings(), [])

    def test_every_preset_takes_folders(self):
        self.old_bag()
        (self.folder / "nothing").mkdir()
        for verb, options in (("merge", []), ("compress", []), ("sort", []), ("decompress", []),
                              ("filter", ["--topics", "/text"]), ("cut", ["--start", "+0s"])):
            said = self.convert("--definitions", "nothing", "msgs", *options, verb=verb)
            self.assertEqual(said, "", verb)
            self.assertEqual(self.findings(), [], verb)

    def test_the_environment_supplies_it(self):
        self.old_bag()
        for name in ("KITBAG_DEFINITIONS", "ROS_PACKAGE_PATH"):
            env = {**os.environ, name: f"/nowhere:{self.path('msgs')}"}
            self.assertEqual(self.convert(env=env), "")
            self.assertEqual(self.findings(), [], name)

    def test_without_it_the_payload_is_kept(self):
        self.old_bag()
        self.assertEqual(self.convert(), "")
        self.assertEqual(self.digest("new.bag"), self.digest("old.bag"))
        self.assertEqual(len(self.findings()), 1)
        self.assertIn("/text: the definition of its type my_msgs/Text is missing",
                      self.findings()[0])

    def test_who_asks_is_told_what_is_missing(self):
        self.old_bag(type_="my_msgs/Other")
        self.assertEqual(self.convert("--definitions", "msgs"),
                         "kitbag: warning: no definition of my_msgs/Other was found\n")

    def test_another_one_is_refused(self):
        self.old_bag(md5sum=TEXT)
        said = self.convert("--definitions", "msgs")
        self.assertRegex(said, r"\Akitbag: warning: \S+/Text.msg defines another version of "
                               rf"my_msgs/Text: its MD5 sum is {DATA}, the bag's is {TEXT}\n\Z")
        self.assertEqual(len(self.findings()), 1)
        self.assertEqual(self.convert(), "")

    def test_the_one_with_the_right_sum_is_taken_wherever_it_is(self):
        self.make("other/my_msgs/Text.msg", "string text")
        self.old_bag(md5sum=TEXT)
        self.assertEqual(self.convert("--definitions", "msgs", "--definitions", "other"), "")
        self.assertEqual(self.findings(), [])

    def test_what_is_assumed_is_told(self):
        self.old_bag(md5sum="*")
        said = self.convert("--definitions", "msgs")
        self.assertRegex(said, r"\Akitbag: warning: the bag does not identify its version of "
                               r"my_msgs/Text; using \S+/Text.msg\n\Z")
        self.assertEqual(self.findings(), [])

    def test_a_type_that_nobody_wrote_down(self):
        write_v1_0(self.folder / "old.bag", "/x", ("*", "*"), [(1, PAYLOAD)])
        self.assertEqual(self.convert(), "")
        self.assertEqual(self.messages("new.bag")[0]["type"], "unknown/Unknown")
        channel = self.info("new.bag")["channels"][0]
        self.assertEqual(channel["metadata"]["original_type"], "*")
        self.assertEqual(self.run_program("check", "old.bag").returncode, 0)
        self.assertIn("the definition of its type", self.findings()[0])

    def test_a_folder_that_is_none(self):
        self.fails("convert", "run.bag", "new.bag", "--definitions", "nowhere",
                   saying="nowhere: the definition folder does not exist")
        self.assertNotIn("new.bag", self.files())


class EveryVerbTest(CliTest):
    """Verbs that decode messages, on a bag of rosbag2 as before Iron: it has no definitions."""

    SAID = ("kitbag: warning: {}the bag does not identify its version of sensor_msgs/msg/"
            "BatteryState; using that of ROS 2 Humble\n")

    def setUp(self):
        super().setUp()
        self.kitbag("convert", "demo://?seconds=3&seed=7", "humble/", "--encoding", "cdr",
                    "--format", "sqlite3", "--ros-distro", "humble", "--topics", "/battery")
        (file,) = (self.folder / "humble").glob("*.db3")
        file.rename(self.folder / "bare.db3")
        with contextlib.closing(sqlite3.connect(self.path("bare.db3"))) as database:
            database.execute("DELETE FROM message_definitions")
            database.execute("DELETE FROM kitbag_channels")
            database.commit()

    def test_verbs_that_print(self):
        for arguments, said in (
                (["cat", "bare.db3", "--fields", "voltage"], ""),
                (["nth", "bare.db3", "/battery", "0", "--fields", "voltage"], ""),
                (["find", "bare.db3", "--where", "voltage > 25"], "bare.db3: "),
                (["sql", "SELECT voltage FROM battery", "bare.db3"], ""),
                (["types", "bare.db3", "sensor_msgs/msg/BatteryState"], "")):
            done = self.run_program(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, self.SAID.format(said)), arguments)
            self.assertIn("voltage", done.stdout)

    def test_fields_that_are_not_there(self):
        for verb in (["cat", "bare.db3"], ["nth", "bare.db3", "/battery", "0"]):
            self.fails(*verb, "--fields", "voltag", saying="similar: voltage")

    def test_folders(self):
        self.make_definition("msgs/sensor_msgs/msg/BatteryState.msg", "uint32 number\n")
        rows = self.run_program("sql", "SELECT * FROM battery", "bare.db3", "--definitions", "msgs",
                                "--format", "csv", "--on-error", "raw")
        self.assertIn("number", rows.stdout.splitlines()[0])
        self.assertRegex(rows.stderr, r"using \S+/msgs/sensor_msgs/msg/BatteryState\.msg\n")
        self.fails("find", "--definitions", "nowhere", saying="nowhere: the definition folder")

    def make_definition(self, name, text):
        (self.folder / name).parent.mkdir(parents=True)
        (self.folder / name).write_text(text)

    def test_the_server(self):
        begin = 1767225600
        with Server(self.folder) as server:
            slice_ = server.ask(f"/bags/bare.db3/player?start_time={begin}&end_time={begin + 3}")
            (schema,) = server.ask("/bags/bare.db3/schemas").json()
            view = server.ask("/view/bare.db3.mcap")
        voltages = [message["voltage"] for message in slice_.json()["messages"]]
        self.assertEqual([round(each, 2) for each in voltages], [25.2, 25.2, 25.2])
        self.assertIn("float32 voltage", schema["text"])
        (self.folder / "view.mcap").write_bytes(view.body)
        self.assertEqual(self.run_program("types", "view.mcap", "sensor_msgs/msg/BatteryState",
                                          "--definitions", ".").stderr, "")


if __name__ == "__main__":
    main()
