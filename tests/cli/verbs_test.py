#!/usr/bin/env python3
"""The verbs that read: info, cat, nth, diff, check."""

import base64
import json
import re
from pathlib import Path

from cli import START_NS, BagFile, CliTest, main, u32

INFO_KEYS = ["path", "format", "version", "certainty", "size_bytes", "start_ns", "end_ns",
             "duration_ns", "messages", "indexed", "compression", "chunks",
             "attachments", "metadata", "channels"]
CHANNEL_KEYS = ["topic", "type", "encoding", "schema_language", "messages", "latched", "metadata"]
MESSAGE_KEYS = ["topic", "type", "log_time_ns", "publish_time_ns", "sequence", "size",
                "data"]


class InfoTest(CliTest):
    def test_storage_format_forces_the_format(self):
        for name in ("rosbag", "rosbag_v2"):
            info = json.loads(self.kitbag("info", self.bag, "--json", "--storage-format", name))
            self.assertEqual(info["format"], "rosbag")
        for verb in (["info"], ["cat"], ["check"], ["du"]):
            self.fails(*verb, self.bag, "--storage-format", "tape", saying='"tape"')

    def test_json_of_one_bag_is_an_object(self):
        info = self.info(self.bag)
        self.assertEqual(list(info), INFO_KEYS)
        self.assertEqual(info["path"], self.bag)
        self.assertEqual((info["format"], info["version"], info["certainty"]),
                         ("rosbag", "2.0", 100))
        self.assertEqual(info["size_bytes"], Path(self.bag).stat().st_size)
        self.assertEqual((info["start_ns"], info["duration_ns"]), (START_NS, 2_990_000_000))
        self.assertEqual(info["end_ns"], info["start_ns"] + info["duration_ns"])
        self.assertEqual((info["messages"], info["indexed"], info["chunks"]), (300, True, 6))
        self.assertEqual(info["compression"], "none")

    def test_json_of_a_channel(self):
        channels = self.info(self.bag)["channels"]
        self.assertEqual([list(channel) for channel in channels], [CHANNEL_KEYS] * 3)
        self.assertEqual([channel["topic"] for channel in channels],
                         ["/chatter", "/count", "/tick"])
        self.assertEqual(channels[1]["type"], "std_msgs/Int32")
        self.assertEqual((channels[1]["encoding"], channels[1]["schema_language"]),
                         ("ros1", "ros1msg"))
        self.assertEqual((channels[1]["messages"], channels[1]["latched"]), (100, False))
        self.assertEqual(channels[1]["metadata"]["callerid"], "/node_1_0")

    def test_json_of_several_bags_is_a_line_each(self):
        lines = self.kitbag("info", self.bag, self.bag, "--json").splitlines()
        infos = [json.loads(line) for line in lines]
        self.assertEqual([info["messages"] for info in infos], [300, 300])

    def test_json_of_a_compressed_bag_has_a_ratio(self):
        self.kitbag("compress", self.bag, "-o", "small.bag")
        info = self.info("small.bag")
        self.assertEqual(info["compression"], "lz4")
        self.assertGreater(info["compression_ratio"], 1)

    def test_json_is_valid_whatever_the_bag_holds(self):
        bag = BagFile(self.path("odd.bag"))
        conn = bag.connection("/a\"\\\n", "std_msgs/Empty", callerid="/@@")
        bag.add_chunk([(conn, START_NS, b"")])
        bag.close()
        odd = Path(self.path("odd.bag"))
        odd.write_bytes(odd.read_bytes().replace(b"/@@", b"/\xff\xc3"))
        (channel,) = self.info("odd.bag")["channels"]
        self.assertEqual(channel["topic"], "/a\"\\\n")
        self.assertEqual(channel["metadata"]["callerid"], "/\ufffd\ufffd")

    def test_people_get_a_table(self):
        text = self.kitbag("info", self.bag)
        for fact in (r"format: +rosbag 2\.0", r"messages: +300", r"duration: +2\.99s",
                     r"start: +2023-11-14T22:13:20\.000000000Z \(1700000000\.000000000\)",
                     r"compression: +none", r"chunks: +6",
                     r"/count +std_msgs/Int32 +100 +33\.4 Hz +1 +no"):
            self.assertRegex(text, f"(?m)^{fact}$")
        self.assertNotIn("\x1b", text)

    def test_several_bags_are_a_block_each(self):
        text = self.kitbag("info", self.bag, self.bag)
        self.assertEqual(len(re.findall(r"(?m)^path:", text)), 2)
        self.assertIn("\n\npath:", text)


class CatTest(CliTest):
    def test_json_has_every_field_and_the_payload(self):
        first, second = self.messages(self.bag, "--count", "2")
        self.assertEqual(list(first), MESSAGE_KEYS)
        self.assertEqual((second["topic"], second["type"]), ("/count", "std_msgs/Int32"))
        self.assertEqual(second["log_time_ns"], START_NS + 10_000_000)
        self.assertEqual(second["data"], {"data": 1})
        self.assertEqual(second["size"], len(u32(1)))

    def test_raw_is_the_payloads(self):
        raw = self.kitbag("cat", self.bag, "--format", "raw", "--topics", "/count", text=False)
        self.assertEqual(raw, b"".join(u32(i) for i in range(1, 300, 3)))

    def test_digest_is_of_the_content_not_of_the_file(self):
        digest = self.digest(self.bag)
        self.assertRegex(digest, r"\A(/\w+\tstd_msgs/\w+\t100\t[0-9a-f]{64}\n){3}\Z")
        self.kitbag("split", self.bag, "part.bag", "--split-messages", "70")
        parts = [f"part_{i}.bag" for i in range(5)]
        self.assertEqual(self.digest(*parts), digest)
        self.assertEqual(self.digest(self.bag, "--order", "reverse_time"), digest)


class NthTest(CliTest):
    def number(self, *arguments):
        payload = self.kitbag("nth", self.bag, "/count", *arguments, "--format", "raw", text=False)
        return int.from_bytes(payload, "little")

    def test_from_both_ends(self):
        self.assertEqual(self.number(0), 1)
        self.assertEqual(self.number(99), 298)
        self.assertEqual(self.number(-1), 298)
        self.assertEqual(self.number(-100), 1)

    def test_order_and_time(self):
        self.assertEqual(self.number(0, "--order", "reverse_time"), 298)
        self.assertEqual(self.number(3, "--order", "file", "--by", "publish_time", "--strict"), 10)

    def test_json(self):
        message = json.loads(self.kitbag("nth", self.bag, "/count", 1))
        self.assertEqual(list(message), MESSAGE_KEYS)
        self.assertEqual(message["log_time_ns"], START_NS + 40_000_000)

    def test_out_of_range(self):
        for n in (100, -101, 2**63 - 1, -2**63):
            self.fails("nth", self.bag, "/count", n, saying=r"/count has 100 messages.*0 to 99")

    def test_the_topic_is_a_name(self):
        self.fails("nth", self.bag, "/c*", 0,
                   saying=r'unknown topic "/c\*"; available topics: /chatter, /count')


class DiffTest(CliTest):
    def test_the_same(self):
        self.kitbag("compress", self.bag, "-o", "small.bag", "--compression", "bz2")
        line = self.kitbag("diff", self.bag, "small.bag")
        self.assertEqual(line, f"{self.bag} and small.bag hold the same 300 messages\n")

    def test_not_the_same(self):
        self.kitbag("filter", self.bag, "less.bag", "--end", "-0s")
        lines = self.kitbag("diff", self.bag, "less.bag", code=1).splitlines()
        self.assertRegex(lines[0], r"\A/tick: .")
        self.assertRegex(lines[-1], r"differ: 1 difference; 300 messages against 299\Z")

    def test_another_name_is_a_difference(self):
        self.kitbag("convert", self.bag, "new.bag", "--rename", "/count:=/number")
        self.kitbag("diff", self.bag, "new.bag", code=1)
        self.kitbag("diff", self.bag, "new.bag", "--topics", "/chatter", "/tick")

    def test_ignore_time(self):
        for name, step in (("slow.bag", 10**9), ("fast.bag", 10**6)):
            bag = BagFile(self.path(name))
            conn = bag.connection("/count", "std_msgs/Int32")
            bag.add_chunk([(conn, START_NS + i * step, u32(i)) for i in range(10)])
            bag.close()
        self.kitbag("diff", "slow.bag", "fast.bag", code=1)
        self.kitbag("diff", "slow.bag", "fast.bag", "--ignore-time")


class CheckTest(CliTest):
    def test_sound(self):
        line = self.kitbag("check", self.bag)
        self.assertRegex(line, r"\A.*run\.bag: sound, 300 messages, 3 topics, 6 chunks, .* KiB\n\Z")

    def test_each_finding_has_its_place(self):
        lines = self.kitbag("check", self.cut_off("cut.bag"), code=1).splitlines()
        self.assertGreater(len(lines), 1)
        for line in lines[:-1]:
            self.assertRegex(line, r"\A(error|warning): .*cut\.bag at byte \d+: \w")
        self.assertRegex(lines[-1], r"\A.*cut\.bag: \d+ errors?(, \d+ warnings?)?\Z")

    def test_one_bad_bag_among_good_ones(self):
        out = self.kitbag("check", self.bag, self.cut_off("cut.bag"), self.bag, code=1)
        self.assertEqual(out.count("run.bag: sound"), 2)

    def test_what_is_no_bag_is_not_sound(self):
        for content in (b"", b"hello", b"#ROSBAG V2.1\n" + bytes(5000)):
            Path(self.path("odd.bag")).write_bytes(content)
            out = self.kitbag("check", "odd.bag", code=1)
            self.assertRegex(out, r"\Aerror: odd\.bag.*: .*\nodd\.bag: 1 error\n\Z")

    def test_a_missing_bag_cannot_be_checked(self):
        self.fails("check", "nowhere.bag", saying=r"nowhere\.bag: .*no such file")


if __name__ == "__main__":
    main()
