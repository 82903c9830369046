#!/usr/bin/env python3
"""`kitbag check`: how grave a finding is, and payloads that do not fit their definition."""

import json

from cli import BagFile, CliTest, START_NS, main, u32
from mcap_file import McapFile


class CheckDetails(CliTest):
    def write(self, name, messages, **connection):
        """A bag of std_msgs/Int32 with these (nanoseconds, payload), in this order."""
        bag = BagFile(self.path(name))
        conn = bag.connection("/count", "std_msgs/Int32", **connection)
        bag.add_chunk([(conn, START_NS + at, payload) for at, payload in messages])
        bag.close()

    def found(self, name, *options, code):
        """(severity, sentence) of each finding, of the text and of the JSON, which agree."""
        lines = self.kitbag("check", name, *options, code=code).splitlines()
        report = json.loads(self.kitbag("check", "--json", name, *options, code=code))
        self.assertEqual(report["sound"], code == 0)
        findings = [(each["severity"], each["message"]) for each in report["findings"]]
        self.assertEqual(len(findings), len(lines) - 1)
        for (severity, sentence), line in zip(findings, lines):
            self.assertRegex(line, rf"\A{severity}: {name}")
            self.assertTrue(line.endswith(sentence), line)
        for severity in ("error", "warning", "note"):
            count = sum(1 for each, _ in findings if each == severity)
            self.assertEqual(report[severity + "s"], count)
            said = f"{count} {severity}{'' if count == 1 else 's'}"
            (self.assertIn if count else self.assertNotIn)(said, lines[-1])
        return findings

    def test_an_unsorted_bag_is_a_note(self):
        self.write("odd.bag", [(5, u32(1)), (3, u32(2)), (7, u32(3))])
        (finding,) = self.found("odd.bag", code=0)
        self.assertEqual(finding[0], "note")
        self.assertIn("1 message comes after later ones", finding[1])
        self.assertRegex(self.kitbag("check", "odd.bag"),
                         r"odd\.bag: sound, 3 messages, .*, 1 note\n")
        self.kitbag("sort", "odd.bag", "even.bag")
        self.assertEqual(self.found("even.bag", code=0), [])

    def test_so_it_is_in_other_formats(self):
        self.write("odd.bag", [(5, u32(1)), (3, u32(2)), (2, u32(3))])
        for name in ("odd.mcap", "odd.db3", "old.bag"):
            with self.subTest(name):
                old = ["--format-version", "1.2"] if name == "old.bag" else []
                self.kitbag("convert", "odd.bag", name, "--order", "file", *old)
                (finding,) = self.found(name, code=0)
                self.assertEqual(finding[0], "note")
                self.assertIn("2 messages come after later ones", finding[1])

    def test_lost_messages_are_an_error(self):
        findings = self.found(self.cut_off("cut.bag").rpartition("/")[2], code=1)
        self.assertIn("error", [severity for severity, _ in findings])
        done = self.run_program("repair", "cut.bag", "saved.bag")
        self.assertIn(f"cut.bag: {len(findings)} places of damage", done.stdout)

    def test_what_loses_nothing_is_a_warning(self):
        bag = BagFile(self.path("lying.bag"))
        conn = bag.connection("/count", "std_msgs/Int32")
        bag.add_chunk([(conn, START_NS + at, u32(at)) for at in range(3)])
        bag.change_last_info(u32(2), u32(9))  # the nanoseconds of the last message
        bag.close()
        (finding,) = self.found("lying.bag", code=1)
        self.assertEqual(finding[0], "warning")
        self.assertIn("the chunk info record gives", finding[1])
        self.write("undefined.bag", [(1, u32(1))], definition="Number data")
        ((severity, sentence),) = self.found("undefined.bag", code=1)
        self.assertEqual(severity, "warning")
        self.assertIn("it uses Number, which is missing", sentence)

    def test_payloads_that_do_not_fit(self):
        self.write("odd.bag", [(at, u32(at) if at % 2 else b"\1\2") for at in range(6)])
        ((severity, sentence),) = self.found("odd.bag", code=1)
        self.assertEqual(severity, "error")
        self.assertRegex(sentence, r"\A/count at 2023-11-14T22:13:20\.000000000Z: "
                                   r"2 bytes are missing from the payload; 3 of the 6 messages on "
                                   r"/count that were decoded do not fit their definition\Z")
        self.write("long.bag", [(1, u32(1) + b"and more")])
        self.assertIn("8 bytes remain", self.found("long.bag", code=1)[0][1])

    def test_how_many_are_decoded(self):
        self.write("late.bag", [(at, u32(at) if at < 10 else b"") for at in range(12)])
        for options in ([], ["--decode", "first"], ["--decode", "none"]):
            self.assertEqual(self.found("late.bag", *options, code=0), [])
        ((_, sentence),) = self.found("late.bag", "--decode", "all", code=1)
        self.assertIn("2 of the 12 messages", sentence)
        self.write("early.bag", [(0, b"")])
        self.found("early.bag", code=1)
        self.assertEqual(self.found("early.bag", "--decode", "none", code=0), [])
        self.fails("check", "late.bag", "--decode", "some", saying="first|all|none")

    def test_a_channel_that_begins_late_is_decoded_too(self):
        """Its messages are behind more of others than are passed over in one reading."""
        bag = BagFile(self.path("late.bag"))
        conns = [bag.connection(topic, "std_msgs/String") for topic in ("/large", "/late")]
        large = u32(1 << 20) + bytes(1 << 20)
        for at in range(45):
            bag.add_chunk([(conns[0], START_NS + at, large)])
        bag.add_chunk([(conns[1], START_NS + 50, u32(3) + b"ab")])
        bag.close()
        ((_, sentence),) = self.found("late.bag", code=1)
        self.assertIn("1 of the 1 messages on /late", sentence)

    def test_definitions_that_cannot_be_used(self):
        bag = McapFile(self.path("odd.mcap"))
        for topic, encoding, language, definition in (
                ("/cdr", "cdr", "ros2msg", "int32 a\nC c\n"),
                ("/protobuf", "protobuf", "protobuf", "no descriptors"),
                ("/ros1", "ros1", "ros1msg", "int32 a\n!!garbage\n")):
            bag.message(bag.channel(topic, encoding, "p/msg/B", language, definition), START_NS,
                        bytes(8))
        bag.close()
        found = sorted(self.found("odd.mcap", code=1), key=lambda each: each[1])
        self.assertEqual([severity for severity, _ in found], ["warning"] * 3)
        for topic, (_, sentence) in zip(("/cdr", "/protobuf", "/ros1"), found):
            self.assertTrue(sentence.startswith(topic + ": "), sentence)

    def test_other_encodings_and_directories(self):
        self.write("odd.bag", [(1, u32(1)), (2, u32(1) + b"xxxx")])
        for name in ("odd.mcap", "odd.db3"):
            self.kitbag("convert", "odd.bag", name)
            ((severity, _),) = self.found(name, code=1)
            self.assertEqual(severity, "error")
        self.kitbag("convert", "odd.bag", "dir/")
        ((_, sentence),) = self.found("dir", code=1)
        self.assertIn("1 of the 2 messages", sentence)
        self.kitbag("convert", "run.bag", "run.mcap", "--encoding", "cdr")
        self.assertEqual(self.found("run.mcap", "--decode", "all", code=0), [])


if __name__ == "__main__":
    main()
