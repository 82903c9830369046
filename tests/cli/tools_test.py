#!/usr/bin/env python3
"""The small tools: stats, head and tail; fewer messages, other times and no duplicates."""

import json
import math
import random
import statistics
import struct

from cli import START_NS, BagFile, CliTest, main, u32

MS = 10**6
STAMPED = ("Header header\nint32 data\n" + "=" * 80 + "\n"
           "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n")
OF_100 = 0.01  # the error that a median or percentile may have


def stamped(seq, stamp_ns, value=0):
    return struct.pack("<IIIIi", seq, stamp_ns // 10**9, stamp_ns % 10**9, 0, value)


class ToolsTest(CliTest):
    def stamped_bag(self, name, times, topic="/pose"):
        """A bag of messages with (log time, stamp) of each."""
        bag = BagFile(self.path(name))
        pose = bag.connection(topic, "test_msgs/Pose", definition=STAMPED)
        bag.add_chunk([(pose, log_ns, stamped(i, stamp_ns, i))
                       for i, (log_ns, stamp_ns) in enumerate(times)])
        bag.close()
        return self.path(name)

    def stats(self, *arguments):
        return {row["topic"]: row for row in json.loads(self.kitbag("stats", *arguments, "--json"))}

    def piped(self, name, *arguments):
        return self.run_program(*arguments, input=(self.folder / name).read_bytes(), text=False)

    def values(self, *arguments):
        return [message["data"]["data"] for message in self.messages(*arguments)]


class StatsTest(ToolsTest):
    def compare(self, row, name, durations):
        """The figures of `row` with those that Python's statistics give."""
        ordered = sorted(durations)
        self.assertEqual(row[f"{name}_least_ns"], ordered[0])
        self.assertEqual(row[f"{name}_most_ns"], ordered[-1])
        self.assertAlmostEqual(row[f"{name}_mean_ns"], statistics.fmean(durations), delta=1)
        self.assertAlmostEqual(row[f"{name}_deviation_ns"], statistics.pstdev(durations), delta=2)
        for key, percent in (("median", 50), ("p99", 99)):
            expected = ordered[math.ceil(len(ordered) * percent / 100) - 1]
            self.assertAlmostEqual(row[f"{name}_{key}_ns"], expected, delta=abs(expected) * OF_100)

    def test_figures(self):
        numbers = random.Random(7)
        times, now = [], START_NS
        for _ in range(500):
            now += numbers.randrange(1, 20 * MS)
            times.append((now, now - numbers.randrange(-MS, 30 * MS)))
        now += 700 * MS
        times.append((now, now - MS))
        self.stamped_bag("pose.bag", times)
        row = self.stats("pose.bag", "--gap", "15ms")["/pose"]
        log = [log_ns for log_ns, _ in times]
        periods = [b - a for a, b in zip(log, log[1:])]
        self.compare(row, "period", periods)
        self.compare(row, "latency", [log_ns - stamp_ns for log_ns, stamp_ns in times])
        mean = statistics.fmean(periods)
        self.assertEqual(
            (row["type"], row["messages"], row["stamps"], row["size_bytes"]),
            ("test_msgs/Pose", 501, 501, 501 * 20))
        self.assertEqual(row["mean_size_bytes"], 20)
        self.assertEqual((row["start_ns"], row["duration_ns"]), (log[0], log[-1] - log[0]))
        self.assertAlmostEqual(row["rate_hz"], 1e9 / mean, places=4)
        self.assertAlmostEqual(row["bytes_per_second"], 20e9 / mean, places=2)
        self.assertEqual(row["longest_gap_start_ns"], log[-2])
        self.assertEqual(row["gaps"], sum(period > 15 * MS for period in periods))

    def test_what_does_not_exist_is_null(self):
        rows = self.stats("run.bag", "--topics", "/tick")
        self.assertEqual(list(rows), ["/tick"])
        tick = rows["/tick"]
        self.assertEqual((tick["stamps"], tick["latency_mean_ns"], tick["gaps"]), (0, None, None))
        self.assertEqual((tick["period_least_ns"], tick["period_p99_ns"]), (30 * MS, 30 * MS))
        one = self.stats("run.bag", "--topics", "/tick", "--start", "+1s", "--duration", "30ms")
        self.assertEqual((one["/tick"]["messages"], one["/tick"]["rate_hz"],
                          one["/tick"]["period_mean_ns"]), (1, None, None))

    def test_for_people(self):
        self.stamped_bag("pose.bag", [(START_NS + i * 10 * MS, START_NS + i * 10 * MS - MS)
                                      for i in range(5)])
        self.assertEqual(self.kitbag("stats", "pose.bag", "--gap", "10ms").splitlines(), [
            "messages    rate  median    jitter  longest gap  gaps  mean size  a second  topic",
            "       5  100 Hz  100 Hz  0.000 ms        0.01s     0       20 B   2.0 KiB  /pose",
            "",
            "latency, from header.stamp to log time:",
            "stamps     least      mean    median      99 %      most  topic",
            "     5  1.000 ms  1.000 ms  1.000 ms  1.000 ms  1.000 ms  /pose"])
        self.assertNotIn("latency", self.kitbag("stats", "run.bag"))

    def test_several_bags(self):
        self.stamped_bag("pose.bag", [(START_NS, START_NS)])
        lines = [json.loads(line) for line in
                 self.kitbag("stats", "pose.bag", "run.bag", "--json").splitlines()]
        self.assertEqual([(line["file"], line["topic"]) for line in lines],
                         [("pose.bag", "/pose"), ("run.bag", "/chatter"), ("run.bag", "/count"),
                          ("run.bag", "/tick")])
        text = self.kitbag("stats", "pose.bag", "run.bag")
        self.assertRegex(text, r"\Apose\.bag:\nmessages [^\n]*\n(.*\n)*\nrun\.bag:\n")

    def test_a_pipe_and_other_formats(self):
        expected = self.stats("run.bag")
        for name in ("run.mcap", "run.db3"):
            self.kitbag("convert", "run.bag", name)
            self.assertEqual(self.stats(name), expected)
        given = json.loads(self.piped("run.mcap", "stats", "-", "--json").stdout)
        self.assertEqual({row["topic"]: row for row in given}, expected)

    def test_what_cannot_be_decoded_is_told(self):
        bag = BagFile(self.path("short.bag"))
        pose = bag.connection("/pose", "test_msgs/Pose", definition=STAMPED)
        bag.add_chunk([(pose, START_NS, b"x"), (pose, START_NS + MS, stamped(1, START_NS))])
        bag.close()
        done = self.run_program("stats", "short.bag", "--json")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Akitbag: warning: .*/pose.*latency .* left out\n\Z")
        (row,) = json.loads(done.stdout)
        self.assertEqual((row["messages"], row["stamps"], row["latency_most_ns"]), (2, 1, MS))

    def test_mistakes(self):
        self.fails("stats", "run.bag", "--gap", "0s", saying="--gap: must be greater")
        self.fails("stats", "run.bag", "--topics", "/nowhere", saying="no topic matches")


class HeadAndTailTest(ToolsTest):
    def test_head_is_the_beginning_and_tail_the_end_of_cat(self):
        lines = self.kitbag("cat", "run.bag").splitlines()
        for name in ("run.bag", "run.mcap", "run.db3", "small.bag"):
            if name != "run.bag":
                more = ["--compression", "lz4"] if name == "small.bag" else []
                self.kitbag("convert", "run.bag", name, *more)
            self.assertEqual(self.kitbag("head", name).splitlines(), lines[:10])
            self.assertEqual(self.kitbag("tail", name).splitlines(), lines[-10:])
        for count in (0, 1, 7, 299, 300, 1000):
            head = self.kitbag("head", "run.bag", "-n", count).splitlines()
            tail = self.kitbag("tail", "run.bag", "-n", count).splitlines()
            self.assertEqual((head, tail), (lines[:count], lines[-count:] if count else []))

    def test_messages_of_one_time_keep_their_order(self):
        self.stamped_bag("same.bag", [(START_NS + i // 4, START_NS) for i in range(20)])
        self.assertEqual(self.values("same.bag"), list(range(20)))
        lines = self.kitbag("cat", "same.bag").splitlines()
        for count in (1, 2, 5, 20):
            self.assertEqual(self.kitbag("tail", "same.bag", "-n", count).splitlines(),
                             lines[-count:])

    def test_what_is_selected_is_counted(self):
        numbers = self.values("run.bag", "--topics", "/count")
        shown = self.kitbag("tail", "run.bag", "-n", "3", "--topics", "/count", "--where",
                            f"data < {numbers[50]}", "--format", "csv", "--fields", "data")
        self.assertEqual([int(line.split(",")[-1]) for line in shown.splitlines()[1:]],
                         numbers[47:50])
        shown = self.kitbag("head", "run.bag", "-n", "2", "--topics", "/count", "--where",
                            f"data >= {numbers[50]}", "--format", "csv", "--fields", "data")
        self.assertEqual([int(line.split(",")[-1]) for line in shown.splitlines()[1:]],
                         numbers[50:52])
        self.assertEqual(self.kitbag("tail", "run.bag", "-n", "1", "--end", "+1s"),
                         self.kitbag("cat", "run.bag", "--end", "+1s").splitlines()[-1] + "\n")

    def test_several_bags_are_one_stream(self):
        self.stamped_bag("late.bag", [(START_NS + 10**10, START_NS), (START_NS + 10**9, START_NS)])
        lines = self.kitbag("cat", "run.bag", "late.bag").splitlines()
        self.assertEqual(self.kitbag("tail", "run.bag", "late.bag").splitlines(), lines[-10:])
        self.assertEqual(self.kitbag("head", "run.bag", "late.bag", "-n", "200").splitlines(),
                         lines[:200])

    def test_a_tail_does_not_read_what_is_before_it(self):
        """The first chunk is damaged, and nobody notices."""
        bag = BagFile(self.path("damaged.bag"))
        number = bag.connection("/number", "std_msgs/Int32", definition="int32 data\n")
        for chunk in range(100):
            bag.add_chunk([(number, START_NS + (10 * chunk + i) * MS, u32(10 * chunk + i))
                           for i in range(10)])
        bag.close()
        content = bytearray((self.folder / "damaged.bag").read_bytes())
        at = content.index(u32(4) + u32(3))  # the length and value of a message of the first chunk
        content[at:at + 4] = u32(2**31)
        (self.folder / "damaged.bag").write_bytes(content)
        self.assertEqual(self.run_program("cat", "damaged.bag").returncode, 1)
        shown = self.kitbag("tail", "damaged.bag", "-n", "12")
        self.assertEqual([json.loads(line)["data"]["data"] for line in shown.splitlines()],
                         list(range(988, 1000)))

    def test_the_number_alone_as_in_other_programs(self):
        for verb in ("head", "tail"):
            three = self.kitbag(verb, "run.bag", "-n", "3")
            self.assertEqual(self.kitbag(verb, "-3", "run.bag"), three)
            self.assertEqual(self.kitbag(verb, "run.bag", "-3"), three)
        self.assertEqual(self.kitbag("tail", "run.bag", "--start", "-1s", "-n", "3"),
                         self.kitbag("tail", "run.bag", "-n", "3"))

    def test_a_pipe_has_a_head_and_no_tail(self):
        self.kitbag("convert", "run.bag", "run.mcap")
        self.assertEqual(self.piped("run.mcap", "head", "-", "-n", "2").stdout.decode(),
                         self.kitbag("head", "run.mcap", "-n", "2"))
        done = self.piped("run.mcap", "tail", "-")
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertRegex(done.stderr, rb"\Akitbag: [^\n]*pipe[^\n]*\n\Z")

    def test_mistakes(self):
        self.fails("head", "run.bag", "-n", "-1", saying="--count: invalid value")
        self.fails("tail", "run.bag", "--topics", "/nowhere", saying="no topic matches")


class ChangesTest(ToolsTest):
    """What convert leaves out, and how it changes times."""

    def times(self, bag, *arguments):
        return [message["log_time_ns"] for message in self.messages(bag, *arguments)]

    def changed(self, *options, verb="convert", bag="run.bag"):
        self.kitbag(verb, bag, "out.bag", "--force", *options)
        return "out.bag"

    def test_every(self):
        for topic in ("/tick", "/count", "/chatter"):
            all_times = self.times("run.bag", "--topics", topic)
            out = self.changed("--every", "7")
            self.assertEqual(self.times(out, "--topics", topic), all_times[::7])
            out = self.changed("--every", "/c*=10", "/tick=3", verb="filter")
            step = 3 if topic == "/tick" else 10
            self.assertEqual(self.times(out, "--topics", topic), all_times[::step])
        out = self.changed("--every", "/tick=50,/count=100")
        self.assertEqual(self.info(out)["messages"], 2 + 1 + 100)

    def test_every_counts_what_was_selected(self):
        numbers = self.values("run.bag", "--topics", "/count")
        out = self.changed("--topics", "/count", "--where", f"data > {numbers[20]}", "--every", "4")
        self.assertEqual(self.values(out), numbers[21::4])
        out = self.changed("--topics", "/count", "--every", "4", "--count", "3")
        self.assertEqual(self.values(out), numbers[:12:4])

    def test_throttle(self):
        out = self.changed("--throttle", "/tick=1", verb="filter")  # of one in 30 ms
        kept, due_ns = [], 0
        for time_ns in self.times("run.bag", "--topics", "/tick"):
            if time_ns >= due_ns:
                kept.append(time_ns)
                due_ns = (due_ns or time_ns) + 10**9
        self.assertEqual(self.times(out, "--topics", "/tick"), kept)
        self.assertEqual(self.info(out)["messages"], 200 + 3)

    def test_shift(self):
        times = self.times("run.bag")
        for text, by_ns in (("5s", 5 * 10**9), ("-1h", -3600 * 10**9), ("+10ms", 10 * MS)):
            out = self.changed("--shift", text)
            self.assertEqual(self.times(out), [time + by_ns for time in times])
            self.assertEqual([message["data"] for message in self.messages(out)],
                             [message["data"] for message in self.messages("run.bag")])
        out = self.changed("--shift", "1h", "--start", "+1s", "--duration", "1s")
        self.assertEqual(len(self.times(out)), 100)  # selected by the old times
        self.kitbag("convert", self.changed("--shift", "3s"), "back.bag", "--shift", "-3s")
        self.assertEqual(self.digest("back.bag"), self.digest("run.bag"))

    def test_shift_moves_both_times_and_attachments(self):
        self.kitbag("convert", "run.bag", "run.mcap")
        (self.folder / "note.txt").write_text("a note")
        self.kitbag("add", "run.mcap", "attachment", "note.txt", "--time", "1700000001.2")
        self.kitbag("convert", "run.mcap", "out.mcap", "--shift", "10s")
        for before, after in zip(self.messages("run.mcap"), self.messages("out.mcap")):
            for key in ("log_time_ns", "publish_time_ns"):
                self.assertEqual(after[key], before[key] + 10**10)
        (note,) = json.loads(self.kitbag("list", "out.mcap", "attachments", "--json"))
        self.assertEqual(note["log_time"], "2023-11-14T22:13:31.200000000Z")
        done = self.piped("run.mcap", "convert", "-", "of_pipe.mcap", "--shift", "10s", "--count",
                          "5")
        self.assertEqual(done.returncode, 0, done.stderr)
        (note,) = json.loads(self.kitbag("list", "of_pipe.mcap", "attachments", "--json"))
        self.assertEqual(note["log_time"], "2023-11-14T22:13:31.200000000Z")

    def test_a_shift_out_of_range_is_an_error(self):
        self.kitbag("convert", "run.bag", "run.mcap")
        self.fails("convert", "run.mcap", "out.mcap", "--shift", "240y", saying="--shift")
        self.fails("convert", "run.mcap", "out.mcap", "--shift", "90000d",
                   saying="cannot be shifted")
        self.fails("convert", "run.bag", "out.bag", "--shift", "-30000d", saying="time")
        self.assertEqual([name for name in self.files() if name.startswith("out")], [])

    def test_align_to_header(self):
        late = 50 * MS
        times = [(START_NS + i * 10 * MS, START_NS + i * 10 * MS - late) for i in range(20)]
        self.stamped_bag("pose.bag", times)
        out = self.changed("--align-to-header", bag="pose.bag")
        self.assertEqual(self.times(out), [stamp_ns for _, stamp_ns in times])
        row = self.stats(out)["/pose"]
        self.assertEqual((row["latency_least_ns"], row["latency_most_ns"]), (0, 0))
        out = self.changed("--align-to-header", "--shift", "1s", bag="pose.bag")
        self.assertEqual(self.times(out), [stamp_ns + 10**9 for _, stamp_ns in times])

    def test_align_to_header_tells_what_it_leaves_to_do(self):
        times = [(START_NS + i * 10 * MS, START_NS - (i % 3) * 10 * MS) for i in range(9)]
        self.stamped_bag("pose.bag", [*times, (START_NS + 10**9, 0)])
        done = self.run_program("convert", "pose.bag", "out.bag", "--align-to-header")
        self.assertEqual((done.returncode, done.stderr), (0,
                         "kitbag: 1 message without header.stamp, log times kept\n"
                         "kitbag: 6 messages stored after later ones; kitbag sort stores messages "
                         "in the order of the new times\n"))
        self.kitbag("sort", "out.bag", "sorted.bag")
        expected = sorted([stamp_ns for _, stamp_ns in times] + [START_NS + 10**9])
        self.assertEqual(self.times("sorted.bag", "--order", "file"), expected)
        self.assertEqual(self.values("sorted.bag"), self.values("out.bag"))

    def test_overlapping_recordings_are_merged_without_duplicates(self):
        self.kitbag("cut", "run.bag", "first.bag", "--end", "+2s")
        self.kitbag("cut", "run.bag", "second.bag", "--start", "+1s")
        done = self.run_program("merge", "first.bag", "second.bag", "whole.bag", "--dedupe")
        self.assertEqual((done.returncode, done.stderr), (0, "kitbag: 100 duplicates left out\n"))
        self.assertEqual(self.digest("whole.bag"), self.digest("run.bag"))
        self.assertEqual(self.kitbag("diff", "whole.bag", "run.bag"),
                         "whole.bag and run.bag hold the same 300 messages\n")
        # Twice the same bag, also in another format.
        self.kitbag("convert", "run.bag", "run.mcap")
        done = self.run_program("merge", "run.bag", "run.mcap", "run.bag", "twice.bag", "--dedupe")
        self.assertEqual((done.returncode, done.stderr), (0, "kitbag: 600 duplicates left out\n"))
        self.assertEqual(self.digest("twice.bag"), self.digest("run.bag"))
        self.kitbag("convert", "run.bag", "same.bag", "--dedupe")
        self.assertEqual(self.digest("same.bag"), self.digest("run.bag"))

    def test_equal_messages_at_other_times_are_no_duplicates(self):
        bag = BagFile(self.path("still.bag"))
        number = bag.connection("/number", "std_msgs/Int32", definition="int32 data\n")
        bag.add_chunk([(number, START_NS + i // 2 * MS, u32(i % 3 == 0)) for i in range(12)])
        bag.close()
        expected = [(START_NS + i * MS, value) for i in range(6)
                    for value in dict.fromkeys((int(2 * i % 3 == 0), int((2 * i + 1) % 3 == 0)))]
        self.run_program("convert", "still.bag", "out.bag", "--dedupe")
        self.assertEqual([(message["log_time_ns"], message["data"]["data"])
                          for message in self.messages("out.bag")], expected)

    def test_mistakes(self):
        for value in ("0", "x", "/tick=", "=3", "/tick=0", "-1", "1.5"):
            self.fails("convert", "run.bag", "out.bag", "--every", value,
                       saying="--every: expected")
        for option in ("--every", "--throttle"):
            self.fails("convert", "run.bag", "out.bag", option, "/nowhere=2",
                       saying="no topic matches .*/tick")
        for option in (["--dedupe"], ["--throttle", "/tick=1"]):
            self.fails("convert", "run.bag", "out.bag", *option, "--order", "file",
                       saying="requires --order time")
        self.fails("convert", "run.bag", "out.bag", "--shift", "soon", saying="--shift: ")
        self.assertNotIn("out.bag", self.files())


if __name__ == "__main__":
    main()
