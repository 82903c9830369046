#!/usr/bin/env python3
"""kitbag.open() and what comes from it: messages in order, their fields, memory, errors."""

import datetime
import gc
import os
import pickle
import re
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from make_bag import BagFile, make_bag  # noqa: E402
from old_bag import write_v1_1  # noqa: E402
from peers import kitbag as program  # noqa: E402
from peers import main  # noqa: E402
from python_package import PackageTest, kitbag, make_demo, python  # noqa: E402

START = 1_700_000_000_000_000_000


class PythonTest(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.demo = make_demo(cls.folder / "demo.bag", 3)
        cls.small = cls.folder / "small.bag"
        make_bag(cls.small)  # 300 messages on /chatter, /count, /tick in turn, 10 ms apart


class Reading(PythonTest):
    def test_every_format_gives_the_same(self):
        expected = None
        for name in ("x.bag", "x.mcap", "x.db3", "x/"):
            target = f"{self.folder}/{name}"
            program("convert", self.demo, target)
            with kitbag.open(target) as bag:
                found = [(m.topic, m.time, bytes(m.raw)) for m in bag.read()]
            expected = expected or found
            self.assertEqual(len(found), 688)
            self.assertEqual(found, expected, name)

    def test_topics_times_and_conditions_select(self):
        with kitbag.open(self.small) as bag:
            self.assertEqual({m.topic for m in bag.read("/count")}, {"/count"})
            self.assertEqual({m.topic for m in bag.read(["/c*"], exclude="/chatter")}, {"/count"})
            self.assertEqual({m.topic for m in bag.read(types=["std_msgs/Empty"])}, {"/tick"})
            second = START + 10**9
            for start in (second, "+1s", datetime.datetime(2023, 11, 14, 22, 13, 21)):
                times = [m.time for m in bag.read(start=start, end="-1s")]
                self.assertEqual((times[0], times[-1]), (second, START + 1_980_000_000), start)
            self.assertEqual([m.data.data for m in bag.read(where="data > 290")
                              if m.topic == "/count"], [292, 295, 298])
            backwards = [m.time for m in bag.read(order="reverse_time")]
            self.assertEqual(backwards, sorted(backwards, reverse=True))

    def test_a_bag_without_definitions(self):
        path = write_v1_1(self.folder / "old.bag",
                          [("/text", "my_msgs/Text", "*", 1, b"\1\0\0\0x"),
                           ("/word", "std_msgs/String", "*", 2, b"\1\0\0\0y")])
        (self.folder / "msgs/my_msgs").mkdir(parents=True)
        (self.folder / "msgs/my_msgs/Text.msg").write_text("string text\n")
        with self.assertWarnsRegex(kitbag.TypeWarning, "using that of ROS 1 Noetic"):
            bag = kitbag.open(path, definitions=[self.folder / "msgs"])
        for each in (bag, pickle.loads(pickle.dumps(bag))):
            text, word = each.read()
            self.assertEqual((text.data.text, word.data.data), ("x", "y"))
        with self.assertRaises(kitbag.Error):
            kitbag.open(path, definitions=[self.folder / "nowhere"])

    def test_uris(self):
        self.assertEqual(len(kitbag.open(f"file://{self.small}")), 300)
        self.assertEqual(len(list(kitbag.open("demo://?seconds=3&seed=7"))),
                         len(kitbag.open(self.demo)))

    def test_several_bags_are_one(self):
        later = self.folder / "later.bag"
        make_bag(later, start_ns=START + 10**10)
        for paths in ([self.small, later], f"{self.folder}/*a[lt]e*.bag"):
            with kitbag.open(paths) as bag:
                times = [m.time for m in bag]
                self.assertEqual(times, sorted(times))
                self.assertEqual(len(bag), len(times))
                self.assertEqual(bag.info.end, START + 10**10 + 2_990_000_000)
            if paths == [self.small, later]:
                self.assertEqual(len(times), 600)
        with self.assertRaises(FileNotFoundError):
            kitbag.open("/nowhere/*.bag")

    def test_a_topic_is_a_sequence(self):
        with kitbag.open(self.small) as bag:
            count = bag["/count"]
            values = [m.data.data for m in count]
            self.assertEqual((len(count), values), (100, list(range(1, 300, 3))))
            for index in (0, 1, 99, -1, -100):
                self.assertEqual(count[index].data.data, values[index])
            for part in (slice(10, 13), slice(-3, None), slice(None, None, 40), slice(5, 2),
                         slice(None, None, -30), slice(8, 2, -2), slice(200, 300)):
                self.assertEqual([m.data.data for m in count[part]], values[part], part)
            for index in (100, -101):
                with self.assertRaises(IndexError):
                    count[index]
            self.assertEqual((count.type, count.encoding), ("std_msgs/Int32", "ros1"))
            self.assertEqual(count.definition, "int32 data\n")
            with self.assertRaisesRegex(KeyError, "/chatter, /count, /tick"):
                bag["/none"]

    def test_info(self):
        with kitbag.open(self.small) as bag:
            info = bag.info
            self.assertEqual((info.format, info.version, info.messages), ("rosbag", "2.0", 300))
            self.assertEqual((info.start, info.duration), (START, 2_990_000_000))
            self.assertEqual([(t.topic, t.type, t.messages) for t in info.topics],
                             [("/chatter", "std_msgs/String", 100),
                              ("/count", "std_msgs/Int32", 100),
                              ("/tick", "std_msgs/Empty", 100)])
            self.assertIn("300 messages, 3 topics", repr(bag))
            self.assertIn("<td>/chatter</td><td>std_msgs/String</td>", bag._repr_html_())

    def test_a_bag_can_be_pickled(self):
        with kitbag.open(self.small) as bag:
            again = pickle.loads(pickle.dumps(bag))
        self.assertEqual(again["/count"][-1].data.data, 298)

    def test_text_of_a_bag_is_no_markup(self):
        path = self.folder / "<b>hostile\x1b[2J.bag"
        bag = BagFile(path)
        names = ['/<script>alert("&")</script>', "/clear\x1b[2J\n", "/\u202eback", "/\udcff\udc80"]
        for name in names:
            topic = bag.connection(name, "no_msgs/None<i>", definition="")
            bag.add_chunk([(topic, START, b"\1")])
        bag.close()
        with kitbag.open(path) as opened:
            page = opened._repr_html_()
            self.assertEqual([tag for tag in re.findall(r"<(\w+)", page)
                              if tag not in ("p", "table", "thead", "tbody", "tr", "th", "td")], [])
            self.assertIn("&lt;script&gt;alert(&quot;&amp;&quot;)", page)
            shown = [page, repr(opened)]
            for name in names:
                shown += [repr(opened[name]), repr(opened[name][0])]
                with self.assertRaises(kitbag.Error) as caught:  # bytes remain
                    opened[name][0].data
                shown.append(str(caught.exception))
            self.assertEqual(len(opened[names[0]]), 1)
        path = self.folder / "opaque.mcap"
        with kitbag.create(path) as writer:
            writer.topic("/clear\x1b[2J", "", encoding="x")
            writer.write("/clear\x1b[2J", b"\1", 1)
        with self.assertWarns(kitbag.TypeWarning) as caught:
            self.assertIsNone(next(kitbag.open(path).read()).data)
        for text in [*shown, str(caught.warning)]:
            self.assertTrue(text.isprintable(), ascii(text))


class Fields(PythonTest):
    def test_fields_are_attributes(self):
        with kitbag.open(self.demo) as bag:
            imu = bag["/imu"][0]
            stamp = imu.data.header.stamp
            self.assertEqual(stamp.ns, stamp.sec * 10**9 + stamp.nsec)
            self.assertEqual(stamp.datetime64.astype("int64"), stamp.ns)
            self.assertEqual(imu.data["header.stamp.sec"], stamp.secs)
            self.assertEqual(imu.datetime64.astype("int64"), imu.time)
            self.assertEqual(imu.data.header.frame_id, "imu")
            self.assertEqual(list(imu.data)[:2], ["header", "orientation"])
            self.assertEqual(imu.data, bag["/imu"][0].data)
            self.assertNotEqual(imu.data, bag["/imu"][1].data)
            with self.assertRaisesRegex(AttributeError, 'no field "speed"; it has header, orie'):
                imu.data.speed
            with self.assertRaises(KeyError):
                imu.data["header.speed"]
            with self.assertRaisesRegex(AttributeError, "read-only"):
                imu.data.header = None
            self.assertEqual(bag["/battery"][0].data.POWER_SUPPLY_STATUS_FULL, 4)
            self.assertIsInstance(bag["/tf"][0].data.transforms, tuple)
            self.assertIsInstance(bag["/points"][0].data.is_dense, bool)

    def test_lists_of_numbers_are_views_of_the_payload(self):
        import numpy
        with kitbag.open(self.demo) as bag:
            image = bag["/camera/image"][0]
            data = image.data.data
            self.assertEqual(data.dtype, numpy.uint8)
            self.assertEqual(len(data), image.data.step * image.data.height)
            self.assertTrue(numpy.shares_memory(data, numpy.frombuffer(image.raw, numpy.uint8)))
            self.assertFalse(data.flags.writeable)
            self.assertEqual(bag["/scan"][0].data.ranges.dtype, numpy.float32)
            self.assertEqual(bag["/odom"][0].data.pose.covariance.shape, (36,))

    def test_memory_lives_as_long_as_its_views(self):
        bag = kitbag.open(self.demo)
        image = bag["/camera/image"][0]
        expected = bytes(image.raw)
        view, array, part = image.raw, image.data.data, image.data.header
        bag.close()
        del image, bag
        gc.collect()
        # Reuse what was freed.
        rest = [bytes(m.raw) for m in kitbag.open(self.demo)]
        self.assertEqual(bytes(view), expected)
        self.assertTrue(expected.endswith(array.tobytes()))
        self.assertEqual(part.frame_id, "camera")
        self.assertEqual(len(rest), 688)

    def test_messages_that_are_kept_stay_as_they_were(self):
        with kitbag.open(self.small, threads=1) as bag:
            kept = list(bag)
            self.assertEqual([m.data.data for m in kept if m.topic == "/count"],
                             list(range(1, 300, 3)))
            self.assertEqual([m.time for m in kept],
                             [START + i * 10_000_000 for i in range(300)])


class Errors(PythonTest):
    def test_an_error_has_code_file_and_offset(self):
        with self.assertRaises(kitbag.Error) as caught:
            kitbag.open(self.folder / "none.bag")
        self.assertEqual(caught.exception.code, "not_found")
        self.assertEqual(caught.exception.file, str(self.folder / "none.bag"))
        self.assertIsNone(caught.exception.offset)
        with self.assertRaisesRegex(kitbag.Error, "expect") as caught:
            kitbag.open(self.small).read(where="data >")
        self.assertEqual(caught.exception.code, "invalid")
        for read in (lambda bag: bag.read(where="dta > 3"),
                     lambda bag: bag.to_numpy("/count", ["data"], where="dta > 3")):
            with self.assertRaisesRegex(kitbag.Error, "dta.*data") as caught:
                read(kitbag.open(self.small))
            self.assertEqual(caught.exception.code, "not_found")

    def test_damage_is_a_warning_and_the_rest_is_read(self):
        cut = self.folder / "cut.bag"
        cut.write_bytes(self.small.read_bytes()[:9000])
        with self.assertWarns(kitbag.DamageWarning):
            with kitbag.open(cut) as bag:
                found = list(bag)
        self.assertGreaterEqual(len(found), 50)
        with self.assertRaises(kitbag.Error) as caught:
            list(kitbag.open(cut, strict=True))
        self.assertIn(caught.exception.code, ("truncated", "corrupt"))
        self.assertIsInstance(caught.exception.offset, int)

    def test_an_unknown_type_is_a_warning_and_the_rest_is_decoded(self):
        path = self.folder / "unknown.mcap"
        with kitbag.create(path) as writer:
            writer.topic("/opaque", "", encoding="x")
            writer.write("/opaque", b"\1\2", 1)
            writer.topic("/number", "a/msg/Number", "int32 data\n")
            writer.write("/number", {"data": 7}, 2)
        with kitbag.open(path) as bag:
            with self.assertWarnsRegex(kitbag.TypeWarning, "/opaque"):
                decoded = [m.data for m in bag]
        self.assertEqual((decoded[0], decoded[1].data), (None, 7))

    def test_a_payload_that_is_too_short_is_an_error_of_that_message(self):
        path = self.folder / "short.bag"
        bag = BagFile(path)
        topic = bag.connection("/count", "std_msgs/Int32")
        bag.add_chunk([(topic, START, b"\1\0"), (topic, START + 1, b"\2\0\0\0")])
        bag.close()
        first, second = kitbag.open(path)
        with self.assertRaisesRegex(kitbag.Error, "/count"):
            first.data
        self.assertEqual(second.data.data, 2)

    def test_a_closed_bag_is_an_error(self):
        bag = kitbag.open(self.small)
        messages = bag.read()
        bag.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            bag.read()
        self.assertEqual(len(list(messages)), 300)  # has what it needs


class Threads(PythonTest):
    def test_threads_share_a_bag(self):
        bag = kitbag.open(self.demo)
        counts = []

        def read():
            counts.append(sum(1 for m in bag.read("/imu") if m.data.header.frame_id == "imu"))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(counts, [300] * 4)

    def test_ctrl_c_ends_the_loop(self):
        # An endless source with a condition that nothing meets: all of it happens in the library.
        self.assert_ctrl_c_ends("bag = kitbag.open('demo://?seconds=2592000')\n"
                                "print('ready', flush=True)\n"
                                "for m in bag.read('/imu', where='orientation.x > 1000'): pass\n")

    def test_ctrl_c_ends_the_opening(self):
        """The scan of a bag that has no index, but an end that would take minutes to reach."""
        for name in ("x.bag", "x.mcap"):
            path = self.folder / name
            program("convert", self.demo, path)
            os.truncate(path, path.stat().st_size // 2)
            os.truncate(path, 1 << 40)  # without blocks on the disk
            self.assert_ctrl_c_ends("print('ready', flush=True)\n"
                                    f"kitbag.open({str(path)!r})\n")
            path.unlink()


class Import(PythonTest):
    def test_imports_nothing_large(self):
        child = python("-c", "import kitbag, sys\n"
                             "print('numpy' in sys.modules, 'pandas' in sys.modules)")
        self.assertEqual(child.communicate(timeout=60), ("False False\n", ""))


if __name__ == "__main__":
    main()
