#!/usr/bin/env python3
"""Fields of many messages as arrays: the same values that the messages have one by one."""

import ctypes
import datetime
import importlib.util
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import arrow_c  # noqa: E402
from peers import main  # noqa: E402
from python_package import PackageTest, kitbag, make_demo, need_package  # noqa: E402

TEXTS = "string[] texts\nfloat64[] numbers\nuint8[] bytes\nfloat32[3] three\nbool[] flags\n"


class ColumnsTest(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bag = kitbag.open(make_demo(cls.folder / "demo.mcap", 3))

    def test_columns_are_the_fields_of_the_messages(self):
        import numpy
        compared = 0
        for topic in self.bag.topics:
            table = self.bag.to_numpy(topic)
            messages = list(self.bag[topic])
            self.assertEqual(table.pop("time").astype("int64").tolist(),
                             [m.time for m in messages])
            for name, column in table.items():
                if name in ("transforms", "poses", "status", "fields"):  # lists of structures
                    self.assertEqual([len(each) for each in column],
                                     [len(m.data[name]) for m in messages])
                    continue
                for value, message in zip(column, messages, strict=True):
                    expected = message.data[name]
                    if column.dtype.kind == "M":
                        self.assertEqual(value.astype("int64"), expected.ns)
                    elif isinstance(expected, tuple):
                        self.assertEqual(value.tolist(), list(expected))
                    else:
                        self.assertTrue(numpy.array_equal(value, expected), f"{topic} {name}")
                    compared += 1
        self.assertGreater(compared, 5000)

    def test_fields_and_times_are_selected(self):
        table = self.bag.to_numpy("/odom", ["pose.pose.position.x", "header.frame_id"],
                                  start="+1s", end="+2s")
        self.assertEqual(list(table), ["time", "pose.pose.position.x", "header.frame_id"])
        self.assertEqual(len(table["time"]), 50)
        self.assertEqual(set(table["header.frame_id"]), {"odom"})
        table = self.bag.to_numpy("/odom", "pose.pose.position.x", time="header_stamp",
                                  where="pose.pose.position.x > 0")
        self.assertEqual(table["time"].dtype, "datetime64[ns]")
        with self.assertRaisesRegex(kitbag.Error, "speed"):
            self.bag.to_numpy("/odom", ["speed"])

    def test_several_topics_have_a_column_for_the_topic(self):
        table = self.bag.to_numpy(["/odom", "/battery"], ["voltage", "child_frame_id"])
        self.assertEqual(set(table["topic"]), {"/odom", "/battery"})
        is_odom = table["topic"] == "/odom"
        self.assertTrue((table["voltage"][is_odom] != table["voltage"][is_odom]).all())  # NaN
        self.assertEqual(set(table["child_frame_id"][~is_odom]), {None})

    def test_lists_of_different_lengths(self):
        path = self.folder / "lists.mcap"
        rows = [{"texts": ["a", "bä"], "numbers": [1.5], "bytes": b"\1\2", "three": [1, 2, 3],
                 "flags": [True, False]},
                {"texts": [], "numbers": [], "bytes": b"", "three": [4, 5, 6], "flags": []}]
        with kitbag.create(path) as writer:
            writer.topic("/lists", "a/msg/Lists", TEXTS)
            for i, row in enumerate(rows):
                writer.write("/lists", row, i)
        table = kitbag.open(path)["/lists"].to_numpy()
        self.assertEqual(table["three"].tolist(), [[1, 2, 3], [4, 5, 6]])
        for name in ("texts", "numbers", "flags"):
            self.assertEqual([list(each) for each in table[name]], [row[name] for row in rows])
        self.assertEqual([each.tobytes() for each in table["bytes"]], [b"\1\2", b""])

    def test_no_messages(self):
        whole = self.bag.to_numpy("/odom")
        table = self.bag.to_numpy("/odom", start="+100s")
        self.assertEqual(list(table), list(whole))
        self.assertTrue(all(len(column) == 0 for column in table.values()))
        self.assertEqual(table["time"].dtype, whole["time"].dtype)
        if importlib.util.find_spec("pandas"):
            self.assertEqual(len(self.bag.to_pandas("/odom", start="+100s")), 0)

    def test_a_topic_that_the_bag_does_not_have(self):
        for use in (self.bag.to_numpy, self.bag.to_pandas,
                    lambda topic: self.bag.arrow_stream(topic).__arrow_c_stream__(),
                    lambda topic: kitbag.convert(self.bag, "out.bag", topic),
                    lambda topic: kitbag.export(self.bag, "out", ["/odom", topic]),
                    lambda topic: self.bag[topic]):
            with self.assertRaisesRegex(KeyError, "no topic '/nope' in .*; it has .*/odom"):
                use("/nope")
        self.assertEqual(self.bag.to_numpy("/nope*")["time"].size, 0)
        with self.assertWarnsRegex(kitbag.TypeWarning, "no topic '/nope'"):
            self.assertEqual(list(self.bag.read(["/nope"])), [])

    def test_columns_of_one_name(self):
        """A part of a structure that is asked for beside the structure."""
        table = self.bag.to_numpy("/imu", ["orientation", "orientation.x"])
        self.assertEqual({len(column) for column in table.values()}, {len(table["time"])})
        self.assertEqual(table["orientation.x_"].tolist(), table["orientation.x"].tolist())

    def test_structures_without_fields(self):
        path = self.folder / "empty.mcap"
        definition = "E[] list\nE[2] two\n" + "=" * 80 + "\nMSG: a/E\n"
        with kitbag.create(path) as writer:
            writer.topic("/e", "a/msg/S", definition)
            for count in (0, 1, 3):
                writer.write("/e", {"list": [{}] * count, "two": [{}, {}]}, count + 1)
        table = kitbag.open(path).to_numpy("/e")
        self.assertEqual([len(each) for each in table["list"]], [0, 1, 3])
        self.assertEqual(table["two"].shape, (3, 2))

    def test_a_stream_warns_of_what_it_lacks(self):
        path = self.folder / "damaged.bag"
        data = bytearray(Path(self.bag._paths[0]).read_bytes())
        begin, end = len(data) // 5, len(data) * 4 // 5
        data[begin:end] = bytes(end - begin)
        path.write_bytes(data)
        bag = kitbag.open(path)
        with self.assertWarns(kitbag.DamageWarning):
            count = len(self.rows(bag["/odom"].__arrow_c_stream__()))
        self.assertLess(count, 150)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(arrow_c.StreamError):
                self.rows(kitbag.open(path)["/odom"].__arrow_c_stream__())

    def test_pandas(self):
        need_package("pandas")
        frame = self.bag.to_pandas("/odom", ["pose.pose.position.x", "pose.covariance"])
        self.assertEqual(frame.index.name, "time")
        self.assertEqual(len(frame), 150)
        self.assertEqual(len(frame["pose.covariance"].iloc[0]), 36)

    def test_topics_at_the_same_times(self):
        import numpy
        fields = {"/camera/image": ["width"], "/odom": ["pose.pose.position.x"]}
        images = [m.time for m in self.bag["/camera/image"]]
        odom = list(self.bag["/odom"])
        times = [m.time for m in odom]
        x = [m.data.pose.pose.position.x for m in odom]
        for method in ("previous", "nearest", "linear"):
            table = self.bag.align(fields, anchor="/camera/image", method=method)
            self.assertEqual(table["time"].astype("int64").tolist(), images)
            found = table["/odom.pose.pose.position.x"]
            if method == "linear":
                expected = numpy.interp(images, times, x)
                self.assertTrue(numpy.allclose(found[1:-1], expected[1:-1], atol=1e-6))
            elif method == "previous":
                before = numpy.searchsorted(times, images, "right") - 1
                self.assertEqual(found.tolist(), [x[i] for i in before])
            else:
                self.assertTrue(set(found) <= set(x))
        table = self.bag.align(["/battery"], rate=2, tolerance=datetime.timedelta(seconds=0.1))
        voltage = table["/battery.voltage"]
        self.assertEqual(len(voltage), 5)
        self.assertEqual(int(numpy.isnan(voltage).sum()), 2)  # too far from the last one
        with self.assertRaises(TypeError):
            self.bag.align(["/battery"])

    def test_long_bags_are_aligned(self):
        bag = kitbag.open("demo://?seconds=250")
        table = bag.align({"/imu": ["linear_acceleration.x"]}, anchor="/imu", end="+200s")
        self.assertEqual(table["/imu.linear_acceleration.x"].tolist(),
                         bag.to_numpy("/imu", ["linear_acceleration.x"],
                                      end="+200s")["linear_acceleration.x"].tolist())

    def test_arrow(self):
        topic = self.bag["/odom"]
        for _ in range(2):  # a new stream for each call
            capsule = topic.__arrow_c_stream__()
            self.assertEqual(len(self.rows(capsule)), 150)
        part = self.bag.arrow_stream("/odom", ["twist.twist.linear.x"], end="+1s")
        rows = self.rows(part.__arrow_c_stream__())
        self.assertEqual([row["twist.twist.linear.x"] for row in rows],
                         [m.data.twist.twist.linear.x for m in topic.read(end="+1s")])
        topic.__arrow_c_stream__()  # nobody takes it

    @staticmethod
    def rows(capsule):
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype = ctypes.POINTER(arrow_c.ArrowArrayStream)
        pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        stream = arrow_c.Stream()
        given = pointer(capsule, b"arrow_array_stream")
        ctypes.memmove(ctypes.byref(stream.c), given, ctypes.sizeof(stream.c))
        ctypes.memset(given, 0, ctypes.sizeof(stream.c))  # taken
        try:
            return [row for batch in stream.batches() for row in batch]
        finally:
            stream.close()


if __name__ == "__main__":
    main()
