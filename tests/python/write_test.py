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
from python_package import FolderTest, kitbag, make_demo  # noqa: E402

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

    def test_a_message_of_another_definition_keeps_its_fields(self):
        def bag(name, definition):
            path = self.folder / name
            with kitbag.create(path) as writer:
                writer.topic("/size", "a/msg/Size", definition)
                writer.write("/size", {"width": 1, "height": 2}, 1)
            return kitbag.open(path)

        old = bag("old.mcap", "float64 width\nfloat64 height\n")
        said = bag("said.mcap", "float64 width  # in m\nfloat64 height\n")
        turned = bag("turned.mcap", "float64 height\nfloat64 width\n")
        new = bag("new.mcap", "float64 height\nfloat64 width\nstring unit\n")
        for target in (old, said, turned, new):
            path = self.folder / "joined.mcap"
            with kitbag.create(path, replace=True) as writer:
                writer.topic("/size", target["/size"])
                for _ in range(2):
                    for source in (old, said, turned):
                        writer.write("/size", source["/size"][0])
            self.assertEqual([(m.data.width, m.data.height) for m in kitbag.open(path)],
                             6 * [(1.0, 2.0)])

    def test_a_topic_that_is_not_utf8(self):
        path = self.folder / "x.mcap"
        topic = b"/\xff".decode("utf-8", "surrogateescape")
        with kitbag.create(path) as writer:
            writer.topic(topic, "a/msg/A", "int32 a\n", metadata={"callerid": topic})
            writer.write(topic, {"a": 1}, 1)
        bag = kitbag.open(path)
        self.assertEqual(bag.topics, [topic])
        with kitbag.create(self.folder / "y.mcap") as writer:
            for message in bag:
                writer.write(message.topic, message)
        copy = kitbag.open(self.folder / "y.mcap")
        self.assertEqual((copy.topics, copy[topic].metadata["callerid"]), ([topic], topic))
        self.assertEqual(copy[topic][0].data.a, 1)


class Together(FolderTest):
    """Several calls of one writer at a time."""

    def test_one_thread_flushes_while_another_one_writes(self):
        for name in ("x.bag", "x.mcap", "x.db3"):
            path = self.folder / name
            has_ended = threading.Event()
            with kitbag.create(path) as writer:
                writer.topic("/a", "a/A" if name == "x.bag" else "a/msg/A", "int64 i\nuint8[] d\n")

                def flush(writer=writer, has_ended=has_ended):
                    while not has_ended.is_set():
                        writer.flush()
                        self.assertGreater(writer.size_bytes, 0)

                flushing = threading.Thread(target=flush)
                flushing.start()
                for i in range(20_000):
                    writer.write("/a", {"i": i, "d": bytes(100)}, 10**18 + i)
                has_ended.set()
                flushing.join()
            self.assertEqual(kitbag.open(path).to_numpy("/a", ["i"])["i"].tolist(),
                             list(range(20_000)), name)

    def test_topics_are_declared_while_a_message_is_taken(self):
        path = self.folder / "x.mcap"
        with kitbag.create(path) as writer:
            writer.topic("/a", "a/msg/A", "int64 i\n")

            class Declares:
                __dataclass_fields__ = {"i": None}

                @property
                def i(self):
                    for n in range(200):
                        writer.topic(f"/{n}", "a/msg/A", "int64 i\n")
                    return 7

            writer.write("/a", Declares(), 1)
            writer.write("/199", {"i": 8}, 2)

            class Closes:
                __dataclass_fields__ = {"i": None}

                @property
                def i(self):
                    writer.close()
                    return 9

            with self.assertRaisesRegex(kitbag.Error, "the bag is closed"):
                writer.write("/a", Closes(), 3)
        bag = kitbag.open(path)
        self.assertEqual([(m.topic, m.data.i) for m in bag], [("/a", 7), ("/199", 8)])
        self.assertEqual(len(bag.topics), 201)

    def test_threads_write_topics_of_their_own(self):
        import numpy
        picture = numpy.arange(400 * 400, dtype=numpy.uint8).reshape(400, 400)
        path = self.folder / "x.mcap"
        with kitbag.create(path) as writer:
            def record(thread):
                for n in range(60):
                    topic = f"/{thread}/{n}"
                    writer.topic(topic, "a/msg/Picture", "uint32 n\nuint8[] data\n")
                    writer.write(topic, {"n": n, "data": picture[::2, ::2]}, 1)

            threads = [threading.Thread(target=record, args=(n,)) for n in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        messages = list(kitbag.open(path))
        self.assertEqual(len(messages), 240)
        expected = picture[::2, ::2].tobytes()
        for message in messages:
            self.assertEqual(message.topic.split("/")[2], str(message.data.n))
            self.assertEqual(message.data.data.tobytes(), expected)


if __name__ == "__main__":
    main()
