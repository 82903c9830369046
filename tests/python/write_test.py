#!/usr/bin/env python3
"""Bags that Python writes: what is read of them is what was written."""

import dataclasses
import sys
import threading
import typing
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import kitbag as program  # noqa: E402
from peers import main  # noqa: E402
from python_package import FolderTest, kitbag, make_demo, need_package  # noqa: E402

POSE = "time stamp\nfloat32[] ranges\nuint8[] data\nstring name\nPoint[] path\nbool ok\n" \
       "uint64 large\n" + "=" * 80 + "\nMSG: a/Point\nfloat64 x\nfloat64 y\n"


@dataclasses.dataclass
class Point:
    x: float
    y: float = 0.0


@dataclasses.dataclass
class Track:
    name: str
    points: list[Point]
    weights: list[float]
    count: typing.Annotated[int, "uint8"] = 3


class Writing(FolderTest):
    def test_dicts_and_arrays_in_every_format(self):
        import numpy
        for name in ("x.bag", "x.mcap", "x.db3"):
            path = self.folder / name
            type_ = "a/Pose" if name == "x.bag" else "a/msg/Pose"
            definition = POSE if name == "x.bag" else POSE.replace("time stamp",
                                                                   "builtin_interfaces/Time stamp")
            with kitbag.create(path) as writer:
                writer.topic("/pose", type_, definition)
                writer.write("/pose", {
                    "stamp": numpy.datetime64(1_500_000_000_000_000_001, "ns"),
                    "ranges": numpy.arange(10.0)[::2], "data": b"\0\xff", "name": "aä\0b",
                    "path": [{"x": 1, "y": numpy.float32(0.5)}, Point(2.0)], "ok": numpy.True_,
                    "large": 2**64 - 1}, 10**18)
                writer.write("/pose", {"data": numpy.zeros((2, 3), numpy.uint8)}, 10**18 + 1)
            first, second = (m.data for m in kitbag.open(path)["/pose"])
            self.assertEqual(first.stamp.ns, 1_500_000_000_000_000_001)
            self.assertEqual(first.ranges.tolist(), [0, 2, 4, 6, 8])
            self.assertEqual(first.ranges.dtype, numpy.float32)
            self.assertEqual(first.data.tobytes(), b"\0\xff")
            self.assertEqual((first.name, first.ok, first.large), ("aä\0b", True, 2**64 - 1))
            self.assertEqual([(p.x, p.y) for p in first.path], [(1.0, 0.5), (2.0, 0.0)])
            self.assertEqual((len(second.data), second.name, second.path), (6, "", ()))
            program("check", path)

    def test_dataclasses(self):
        for name in ("x.bag", "x.mcap"):
            path = self.folder / name
            with kitbag.create(path) as writer:
                writer.write("/track", Track("a", [Point(1.0, 2.0)], [0.5, 1.5]), 1)
                writer.write("/track", Track("b", [], [], 4), 2)
            first, second = (m.data for m in kitbag.open(path)["/track"])
            self.assertEqual(kitbag.as_dict(first.points), [{"x": 1.0, "y": 2.0}])
            self.assertEqual((first.weights.tolist(), first.count), ([0.5, 1.5], 3))
            self.assertEqual((second.name, second.count), ("b", 4))

    def test_messages_of_other_bags(self):
        source = make_demo(self.folder / "demo.bag", 1)
        path = self.folder / "copy.mcap"
        with kitbag.open(source) as bag, kitbag.create(path, compression="zstd") as writer:
            for message in bag:
                if message.topic == "/imu":  # changed
                    data = kitbag.as_dict(message)
                    data["linear_acceleration"]["x"] += 1
                    data["orientation_covariance"][0] = 7
                    writer.write("/imu2", data, message.time, type=bag["/imu"])
                elif message.topic == "/odom":  # decoded and encoded again
                    writer.write(message.topic, message.data, message.time)
                else:
                    writer.write(message.topic, message)
        program("diff", source, path, "--exclude", "/imu", "/imu2")
        with kitbag.open(source) as bag, kitbag.open(path) as copy:
            before, after = bag["/imu"][5].data, copy["/imu2"][5].data
            self.assertEqual(after.linear_acceleration.x, before.linear_acceleration.x + 1)
            self.assertEqual(after.orientation_covariance[0], 7)
            self.assertEqual(after.orientation, before.orientation)

    def test_messages_of_a_type_that_has_changed_are_converted(self):
        """Two definitions of one name: a copy of the bytes would exchange the values."""
        size = "float64 {}\nfloat64 {}\n"
        bags = []
        for name, fields in (("old", ("width", "height")), ("new", ("height", "width"))):
            path = self.folder / f"{name}.mcap"
            with kitbag.create(path) as writer:
                writer.topic("/size", "a/msg/Size", size.format(*fields))
                writer.write("/size", {"width": 1, "height": 2}, 1)
            bags.append(kitbag.open(path))
        path = self.folder / "both.mcap"
        with kitbag.create(path) as writer:
            writer.topic("/size", bags[1]["/size"])
            for bag in bags:
                for message in bag:
                    writer.write("/size", message)
        self.assertEqual([(m.data.width, m.data.height) for m in kitbag.open(path)],
                         [(1.0, 2.0)] * 2)

    def test_a_topic_that_is_not_utf8(self):
        path = self.folder / "x.mcap"
        with kitbag.create(path) as writer:
            writer.topic("/\udcff", "a/msg/Size", "float64 width\n")
            writer.write("/\udcff", {"width": 1}, 1)
        with kitbag.create(self.folder / "y.mcap") as writer:
            for message in kitbag.open(path):
                writer.write(message.topic, message)
        self.assertEqual([m.topic for m in kitbag.open(self.folder / "y.mcap")], ["/\udcff"])

    def test_several_threads(self):
        """One flushes, others declare topics and write to them."""
        count = 3000
        for name in ("x.bag", "x.mcap", "x.db3"):
            path = self.folder / name
            writer = kitbag.create(path)
            is_done = threading.Event()

            def flush():
                while not is_done.wait(0.001):
                    writer.flush()

            def write(topic):
                type_ = "a/Size" if path.suffix == ".bag" else "a/msg/Size"
                for i in range(count):
                    if i % 300 == 0:
                        writer.topic(f"{topic}/{i}", type_, "uint8[] data\n")
                    writer.write(f"{topic}/{i // 300 * 300}", {"data": bytes(300)}, 10**18 + i)

            others = [threading.Thread(target=write, args=(f"/t{i}",)) for i in range(3)]
            flusher = threading.Thread(target=flush)
            for thread in (*others, flusher):
                thread.start()
            for thread in others:
                thread.join()
            is_done.set()
            flusher.join()
            writer.close()
            self.assertEqual(len(kitbag.open(path)), 3 * count)
            program("check", path)

    def test_an_object_that_declares_topics_while_it_is_written(self):
        with kitbag.create(self.folder / "x.mcap") as writer:
            class Reentrant:
                __dataclass_fields__ = {"x": None}

                @property
                def x(self):
                    for i in range(100):
                        writer.topic(f"/t{i}", "a/msg/X", "float64 x\n")
                    return 1.5

            writer.topic("/x", "a/msg/X", "float64 x\n")
            writer.write("/x", Reentrant(), 1)
        bag = kitbag.open(self.folder / "x.mcap")
        self.assertEqual([m.data.x for m in bag], [1.5])
        self.assertEqual(len(bag.topics), 101)

    def test_times_have_all_their_digits(self):
        need_package("pandas")
        import numpy
        import pandas
        path = self.folder / "x.mcap"
        ns = 1_767_225_600_004_000_001
        with kitbag.create(path) as writer:
            writer.topic("/x", "a/msg/X", "float64 x\n")
            for time in (pandas.Timestamp(ns), numpy.datetime64(ns + 1, "ns")):
                writer.write("/x", {"x": 1}, time)
            for time, said in ((numpy.datetime64("NaT"), "NaT is no time"),
                               (pandas.NaT, "NaT is no time"),
                               (numpy.datetime64("2500-01-01"), "out of range"),
                               (2**63, "out of range"), (-2**63 - 1, "out of range")):
                with self.assertRaisesRegex(ValueError, said):
                    writer.write("/x", {"x": 1}, time)
        bag = kitbag.open(path)
        self.assertEqual([m.time for m in bag], [ns, ns + 1])
        self.assertEqual(len(list(bag.read(start=pandas.Timestamp(ns + 1)))), 1)
        with self.assertRaisesRegex(ValueError, "out of range"):
            bag.read(end=numpy.datetime64("2500-01-01"))

    def test_what_does_not_fit_is_an_error_that_names_the_field(self):
        path = self.folder / "x.bag"
        with self.assertRaisesRegex(kitbag.Error, "/pose.*ranges"):
            with kitbag.create(path) as writer:
                writer.topic("/pose", "a/Pose", POSE)
                writer.write("/pose", {"ranges": ["a"]}, 1)
        self.assertFalse(path.exists())
        with kitbag.create(path) as writer:
            writer.topic("/pose", "a/Pose", POSE)
            for wrong in ({"speed": 1}, {"name": 1}, {"ok": 5}, {"large": -1}):
                with self.assertRaises(kitbag.Error) as caught:
                    writer.write("/pose", wrong, 1)
                self.assertIn(next(iter(wrong)), str(caught.exception))
            with self.assertRaisesRegex(TypeError, "object"):
                writer.write("/pose", {"name": object()}, 1)
            circle = {}
            circle["path"] = [circle]
            with self.assertRaises(RecursionError):
                writer.write("/pose", circle, 1)
            with self.assertRaisesRegex(TypeError, "type="):
                writer.write("/other", {"x": 1}, 1)
            with self.assertRaisesRegex(TypeError, "not exact"):
                writer.write("/pose", {}, 1.5)
        with self.assertRaisesRegex(kitbag.Error, "closed"):
            writer.write("/pose", {}, 1)
        with self.assertRaises(kitbag.Error) as caught:
            kitbag.create(path)
        self.assertEqual(caught.exception.code, "exists")
        with self.assertRaisesRegex(TypeError, "speed"):
            kitbag.create(path, speed=1)

    def test_a_type_without_a_definition(self):
        folder = self.folder / "msgs" / "my_msgs" / "msg"
        folder.mkdir(parents=True)
        (folder / "Speed.msg").write_text("float64 value\n")
        path = self.folder / "x.bag"
        with kitbag.create(path) as writer:
            writer.topic("/speed", "my_msgs/Speed", definitions=[self.folder / "msgs"])
            writer.write("/speed", {"value": 1.5}, 1)
            with self.assertRaises(kitbag.Error) as caught:
                writer.topic("/none", "no_msgs/Speed")
            self.assertEqual(caught.exception.code, "not_found")
        self.assertEqual(kitbag.open(path)["/speed"].definition, "float64 value\n")

    def test_append(self):
        path = self.folder / "x.mcap"
        for opened in (kitbag.create, kitbag.append):
            with opened(path) as writer:
                writer.write("/track", Track("a", [], []), 1)
        self.assertEqual(len(kitbag.open(path)["/track"]), 2)

    def test_a_visible_bag_is_read_while_it_is_written(self):
        def names(path):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", kitbag.DamageWarning)  # it has no index
                return [message.data.name for message in kitbag.open(path)]

        for name in ("x.bag", "x.mcap"):
            path = self.folder / name
            with self.assertRaises(KeyError), kitbag.create(path, visible=True) as writer:
                writer.write("/track", Track("a", [], []), 1)
                writer.flush()
                self.assertEqual(names(path), ["a"])
                raise KeyError
            self.assertEqual(names(path), ["a"])
            with self.assertRaisesRegex(kitbag.Error, "closed"):
                writer.flush()

    def test_topics_without_messages_are_in_the_bag(self):
        path = self.folder / "x.mcap"
        with kitbag.create(path) as writer:
            writer.topic("/silent", "a/msg/A", "int32 a\n")
        self.assertEqual(kitbag.open(path).topics, ["/silent"])


if __name__ == "__main__":
    main()
