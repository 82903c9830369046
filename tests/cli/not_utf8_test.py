#!/usr/bin/env python3
"""Strings that are not UTF-8 cost no message: they are printed, with one warning."""

import csv
import io
import json

from cli import BagFile, CliTest, START_NS, main, u32
from mcap_file import McapFile

LATIN_1 = b"caf\xe9 \xff"
PRINTED = "caf\ufffd \ufffd"
WARNING = "3 messages with strings that are not UTF-8; each invalid byte is replaced by U\\+FFFD"


def varint_string(number, text):
    return bytes([number << 3 | 2, len(text)]) + text


class NotUtf8(CliTest):
    def setUp(self):
        super().setUp()
        bag = BagFile(self.path("latin.bag"))
        conn = bag.connection("/s", "p/T", definition="string data\nstring[] more\n")
        payload = u32(len(LATIN_1)) + LATIN_1 + u32(1) + u32(2) + b"\xc3("
        good = u32(2) + b"ok" + u32(0)
        bag.add_chunk([(conn, START_NS + i, payload) for i in range(3)] +
                      [(conn, START_NS + 3, good)])
        bag.close()

    def told(self, *arguments, warning=f"/s: {WARNING}"):
        """Standard output of a run that warns once."""
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rf"\Akitbag: warning: {warning}\n\Z")
        return done.stdout

    def test_json(self):
        lines = [json.loads(line)["data"]
                 for line in self.told("cat", "latin.bag").splitlines()]
        self.assertEqual(lines, 3 * [{"data": PRINTED, "more": ["\ufffd("]}] +
                         [{"data": "ok", "more": []}])

    def test_yaml(self):
        text = self.told("cat", "--format", "yaml", "latin.bag")
        found = [line.strip() for line in text.splitlines() if line.startswith("  data:")]
        self.assertEqual(found, 3 * [f'data: "{PRINTED}"'] + ['data: "ok"'])

    def test_csv(self):
        text = self.told("cat", "--format", "csv", "latin.bag")
        rows = list(csv.reader(io.StringIO(text)))
        self.assertEqual([row[3] for row in rows], ["data"] + 3 * [PRINTED] + ["ok"])
        self.assertEqual(rows[1][4], '["\ufffd("]')

    def test_nth_and_fields_and_where(self):
        one = WARNING.replace("3 messages", "1 message")
        self.assertIn(PRINTED, self.told("nth", "latin.bag", "/s", "0", warning=f"/s: {one}"))
        self.assertIn(PRINTED, self.told("cat", "--fields", "data", "--", "latin.bag"))
        text = self.kitbag("cat", "--where", 'data == "ok"', "latin.bag")
        self.assertEqual(len(text.splitlines()), 1)
        text = self.told("cat", "--where", 'data != "ok"', "latin.bag")
        self.assertEqual(len(text.splitlines()), 3)

    def test_transcoding_to_what_takes_utf8_alone(self):
        for encoding, target in (("json", "j.mcap"), ("protobuf", "p.mcap")):
            self.told("convert", "--encoding", encoding, "latin.bag", target)
            texts = [each["data"]["data"] for each in self.messages(target)]
            self.assertEqual(texts, 3 * [PRINTED] + ["ok"], encoding)

    def test_transcoding_to_what_takes_bytes(self):
        self.kitbag("convert", "--encoding", "cdr", "latin.bag", "c.mcap")
        self.kitbag("convert", "--encoding", "ros1", "c.mcap", "back.bag")
        raw = self.run_program("cat", "--format", "raw", "back.bag", text=False).stdout
        self.assertEqual(raw.count(LATIN_1), 3)

    def test_payloads_that_should_have_been_utf8(self):
        bag = McapFile(self.path("j.mcap"))
        channel = bag.channel("/s", "json")
        for i in range(3):
            bag.message(channel, START_NS + i, b'{"data": "' + LATIN_1 + b'"}')
        bag.close()
        lines = self.told("cat", "j.mcap").splitlines()
        self.assertEqual([json.loads(line)["data"] for line in lines], 3 * [{"data": PRINTED}])
        # A FileDescriptorSet of message T { string data = 1; } in proto3.
        field = varint_string(1, b"data") + bytes([3 << 3, 1, 4 << 3, 1, 5 << 3, 9])
        message = varint_string(1, b"T") + varint_string(2, field)
        file = varint_string(1, b"t.proto") + varint_string(4, message) + varint_string(12,
                                                                                        b"proto3")
        bag = McapFile(self.path("p.mcap"))
        channel = bag.channel("/s", "protobuf", "T", "protobuf", varint_string(1, file))
        for i in range(3):
            bag.message(channel, START_NS + i, varint_string(1, LATIN_1))
        bag.close()
        lines = self.told("cat", "p.mcap").splitlines()
        self.assertEqual([json.loads(line)["data"] for line in lines], 3 * [{"data": PRINTED}])


if __name__ == "__main__":
    main()
