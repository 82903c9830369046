#!/usr/bin/env python3
"""list, du, get and add: what a bag holds beside messages, and what takes the room."""

import json

from cli import CliTest, main


class ListTest(CliTest):
    def test_topics(self):
        lines = self.kitbag("list", self.bag, "topics").splitlines()
        self.assertEqual(self.kitbag("list", "topics", self.bag).splitlines(), lines)
        self.assertEqual(lines[0].split(), ["topic", "type", "encoding", "messages"])
        self.assertEqual(lines[2].split(), ["/count", "std_msgs/Int32", "ros1", "100"])
        self.assertEqual(len(lines), 4)

    def test_schemas_and_chunks_as_json(self):
        schemas = json.loads(self.kitbag("list", self.bag, "schemas", "--json"))
        self.assertEqual([schema["name"] for schema in schemas],
                         ["std_msgs/Empty", "std_msgs/Int32", "std_msgs/String"])
        self.assertEqual({schema["language"] for schema in schemas}, {"ros1msg"})
        chunks = json.loads(self.kitbag("list", self.bag, "chunks", "--json"))
        self.assertEqual(len(chunks), 6)
        self.assertEqual(sum(chunk["messages"] for chunk in chunks), 300)

    def test_what_there_is_none_of(self):
        for what in ("attachments", "metadata"):
            self.assertEqual(self.kitbag("list", self.bag, what), "")
            self.assertEqual(json.loads(self.kitbag("list", self.bag, what, "--json")), [])
        self.fails("list", self.bag, "wishes", saying="wishes")
        self.fails("list", "topics", saying="topics are those of bags")
        self.fails("list", self.bag, "formats", saying="formats are those of kitbag")

    def test_list_of_what_kitbag_has(self):
        formats = {each["name"]: each for each in json.loads(self.kitbag("list", "formats",
                                                                         "--json"))}
        self.assertIn("zstd", formats["mcap"]["compressions"].split(", "))
        self.assertEqual(formats["rosbag"]["extension"], ".bag")
        self.assertRegex(self.kitbag("list", "encodings"), r"(?m)^cdr +ros2")


class DuTest(CliTest):
    def test_table(self):
        lines = self.kitbag("du", self.bag).splitlines()
        self.assertRegex(lines[1], r"^ *\d+\.\d KiB +\d+\.\d % +100 +\d+ B +/chatter +std_msgs/S")
        self.assertEqual(len(lines), 4)

    def test_json_sums_payloads(self):
        usages = json.loads(self.kitbag("du", self.bag, "--json"))
        messages = self.messages(self.bag)
        for usage in usages:
            own = [m["size"] for m in messages if m["topic"] == usage["topic"]]
            self.assertEqual((usage["messages"], usage["size_bytes"]), (len(own), sum(own)))
        sizes = [usage["size_bytes"] for usage in usages]
        self.assertEqual(sizes, sorted(sizes, reverse=True))

    def test_of_a_selection(self):
        usages = json.loads(self.kitbag("du", self.bag, "--json", "--topics", "/tick",
                                        "--start", "+1s"))
        self.assertEqual([(u["topic"], u["messages"]) for u in usages], [("/tick", 67)])


class ExtrasTest(CliTest):
    def test_a_format_without_a_place_says_so_and_the_bag_stays(self):
        (self.folder / "note.txt").write_text("hello")
        before = (self.folder / "run.bag").read_bytes()
        self.fails("add", self.bag, "attachment", "note.txt", saying="cannot store .* 1 attachment")
        self.fails("add", self.bag, "metadata", "site", "a=" + 5000 * "b",
                   saying="1 metadata record")
        self.assertEqual((self.folder / "run.bag").read_bytes(), before)

    def test_items_of_one_name_have_numbers(self):
        self.kitbag("convert", self.bag, "run.mcap")
        for number, text in enumerate(("first", "second"), 1):
            (self.folder / "note.txt").write_text(text)
            self.kitbag("add", "run.mcap", "attachment", "note.txt", "--create-time", str(number))
            self.kitbag("add", "run.mcap", "metadata", "site", f"town={text}")
        listed = json.loads(self.kitbag("list", "run.mcap", "attachments", "--json"))
        self.assertEqual([each["create_time"] for each in listed],
                         ["1970-01-01T00:00:01.000000000Z", "1970-01-01T00:00:02.000000000Z"])
        note = ("get", "run.mcap", "attachment", "note.txt")
        self.assertEqual(self.kitbag(*note, "--number", "1"), "first")
        self.assertEqual(self.kitbag(*note, "--number", "2"), "second")
        site = json.loads(self.kitbag("get", "run.mcap", "metadata", "site", "--number", "2"))
        self.assertEqual(site, {"town": "second"})
        self.fails(*note, saying='has the attachment "note.txt" 2 times; choose one with --number')
        self.fails(*note, "--number", "3", saying="no number 3 of .*; the last one is 2")
        self.fails(*note, "--number", "0", saying="--number")

    def test_info_of_what_a_bag_has_beside_messages(self):
        self.kitbag("convert", self.bag, "run.mcap")
        self.kitbag("add", "run.mcap", "metadata", "site", "town=Bern")
        text = self.kitbag("info", "run.mcap")
        self.assertRegex(text, r"(?m)^profile: +ros1$")
        self.assertRegex(text, r"(?m)^library: +kitbag \d")
        self.assertRegex(text, r"(?m)^metadata: +1$")
        self.assertNotRegex(text, r"(?m)^attachments:")
        info = json.loads(self.kitbag("info", "run.mcap", "--json"))
        self.assertEqual((info["profile"], info["attachments"], info["metadata"]), ("ros1", 0, 1))
        self.assertRegex(info["library"], r"^kitbag \d")

    def test_metadata_is_put_into_every_format(self):
        for name in ("a.bag", "a.mcap", "a.db3", "a/"):
            self.kitbag("convert", self.bag, name)
            self.kitbag("add", name, "metadata", "site", "town=Bern")
            self.assertEqual(json.loads(self.kitbag("get", name, "metadata", "site")),
                             {"town": "Bern"}, name)
            self.kitbag("check", name)

    def test_they_are_left_out(self):
        (self.folder / "note.txt").write_text("hello")
        self.kitbag("convert", self.bag, "run.mcap")
        self.kitbag("add", "run.mcap", "attachment", "note.txt")
        self.kitbag("add", "run.mcap", "metadata", "site", "town=Bern")
        for options, left in (((), (1, 1)), (("--no-metadata",), (1, 0)),
                              (("--no-attachments",), (0, 1)),
                              (("--no-metadata", "--no-attachments", "--shift", "1h"), (0, 0))):
            self.kitbag("convert", "run.mcap", "out.mcap", "--force", *options)
            info = self.info("out.mcap")
            self.assertEqual((info["attachments"], info["metadata"], info["messages"]),
                             (*left, 300), options)
            with open(self.path("run.mcap"), "rb") as bag:
                self.kitbag("convert", "-", "out.mcap", "--force", *options, stdin=bag)
            info = self.info("out.mcap")
            self.assertEqual((info["attachments"], info["metadata"]), left, options)

    def test_what_cannot_be_asked_for(self):
        self.fails("get", self.bag, "attachment", "x", saying='no attachment "x"; the bag has none')
        self.fails("get", self.bag, "metadata", "x", saying='no metadata "x"')
        self.fails("add", self.bag, "attachment", "a", "b", saying="one FILE")
        self.fails("add", self.bag, "attachment", "nowhere", saying="no such file")
        self.fails("add", self.bag, "metadata", "site", "novalue", saying="KEY=VALUE")
        self.fails("add", self.bag, "metadata", "site", "--name", "x", saying="--name")
        self.fails("add", self.bag, "attachment", "a", "--time", "+5s", saying="absolute")


if __name__ == "__main__":
    main()
