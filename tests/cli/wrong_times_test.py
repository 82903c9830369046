#!/usr/bin/env python3
"""An index that gives wrong times for a chunk: no verb that reads the chunk is silent about it."""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from cli import CliTest, main  # noqa: E402
from make_bag import BagFile, stamp, u32  # noqa: E402
from mcap_file import McapFile  # noqa: E402

START, SECOND = 1_700_000_000 * 10**9, 10**9
CHUNKS, IN_CHUNK = 6, 10
WRONG = 3  # the chunk whose end is given as its start
SENTENCE = "holds messages outside the time range in the index"


def times(chunk):
    return [START + chunk * SECOND + k * SECOND // IN_CHUNK for k in range(IN_CHUNK)]


def write_bag(path, is_wrong=True):
    bag = BagFile(path)
    channel = bag.connection("/chatter", "std_msgs/String")
    for chunk in range(CHUNKS):
        bag.add_chunk([(channel, time, u32(1) + b"x") for time in times(chunk)])
        if is_wrong and chunk == WRONG:
            bag.change_last_info(b"end_time=" + stamp(times(chunk)[-1]),
                                 b"end_time=" + stamp(times(chunk)[0]))
    bag.close()


def give_wrong_times(path):
    """In the summary of an MCAP file, which has no checksum afterwards."""
    footer_bytes, chunk_index, magic_bytes = 20, 8, 8
    data = bytearray(Path(path).read_bytes())
    footer = len(data) - magic_bytes - footer_bytes
    at, = struct.unpack_from("<Q", data, footer)
    while at < footer - 9:
        opcode, length = struct.unpack_from("<BQ", data, at)
        if opcode == chunk_index:
            start, end = struct.unpack_from("<QQ", data, at + 9)
            if start == times(WRONG)[0]:
                assert end == times(WRONG)[-1]
                struct.pack_into("<Q", data, at + 17, start)
        at += 9 + length
    struct.pack_into("<I", data, footer + 16, 0)
    Path(path).write_bytes(data)


class WrongTimesTest(CliTest):
    def setUp(self):
        super().setUp()
        write_bag(self.path("whole.bag"), is_wrong=False)
        write_bag(self.path("wrong.bag"))
        self.kitbag("convert", "whole.bag", "wrong.mcap", "--chunk-duration", "850ms")
        self.kitbag("check", "wrong.mcap")
        give_wrong_times(self.path("wrong.mcap"))

    def read(self, *arguments, code=0):
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_all_that_read_the_chunk_report_it(self):
        for bag in "wrong.bag", "wrong.mcap":
            for arguments in (["cat", bag], ["cat", bag, "--order", "file"],
                              ["cat", bag, "--start", "+3s", "--end", "+3500ms"],
                              ["nth", bag, "/chatter", "38"], ["diff", bag, "whole.bag"],
                              ["convert", bag, "out.mcap", "--force"]):
                with self.subTest(bag=bag, arguments=arguments):
                    self.assertIn(SENTENCE, self.read(*arguments).stderr)
            self.assertEqual(len(self.read("cat", bag).stdout.splitlines()), CHUNKS * IN_CHUNK)

    def test_check_finds_it_and_repair_mends_it(self):
        for bag in "wrong.bag", "wrong.mcap":
            with self.subTest(bag=bag):
                self.assertRegex(self.read("check", bag, code=1).stdout, "gives|latest time")
                self.assertIn("nothing is lost", self.read("repair", bag, f"mended-{bag}").stdout)
                self.read("repair", bag, "--in-place")
                for mended in bag, f"mended-{bag}":
                    self.kitbag("check", mended)
                    self.kitbag("diff", mended, "whole.bag")
                    late = self.read("cat", mended, "--start", "+3500ms", "--end", "+4s")
                    self.assertEqual(len(late.stdout.splitlines()), IN_CHUNK // 2)

    def test_times_that_do_not_fit_are_told(self):
        file = McapFile(self.path("late.mcap"))
        channel = file.channel("/a", "ros1", "std_msgs/Float64", "ros1msg", "float64 data")
        for time_ns in 2**63 - 1, 2**63, 2**64 - 1:
            file.message(channel, time_ns, struct.pack("<d", 1))
        file.close()
        before = Path(self.path("late.mcap")).read_bytes()
        said = (r"late\.mcap at byte \d+: 2 messages are later than "
                r"2262-04-11T23:47:16\.854775807Z, the last time that can be held, and are given "
                r"with this time")
        self.assertRegex(self.read("check", "late.mcap", code=1).stdout, said)
        for arguments in (["convert", "late.mcap", "out.mcap", "--chunk-size", "1KiB"],
                          ["sort", "late.mcap", "sorted.mcap"], ["merge", "late.mcap", "m.mcap"],
                          ["cat", "late.mcap", "--format", "digest"]):
            done = self.read(*arguments, code=1)
            self.assertRegex(done.stderr, rf"\Akitbag: warning: {said}\n\Z", arguments)
        self.fails("repair", "late.mcap", "--in-place", saying="so it is not replaced")
        self.assertEqual(Path(self.path("late.mcap")).read_bytes(), before)
        done = self.run_program("cat", "-", input=before, text=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"2 messages are later than", done.stderr)
        self.kitbag("check", "out.mcap")  # whose times are what they are now
        self.kitbag("cat", "out.mcap", "--format", "digest")


if __name__ == "__main__":
    main()
