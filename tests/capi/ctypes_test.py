#!/usr/bin/env python3
"""The C interface from a second language, with nothing but its foreign functions: what Python's
ctypes reads of a bag is what `kitbag cat` prints, and what it writes is read."""

import ctypes
import json
import math
import resource
import struct
import sys
import tempfile
import unittest
from ctypes import (POINTER, Structure, byref, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t,
                    c_uint32, c_uint64, c_void_p)
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import arrow_c  # noqa: E402
from examples import BUILD  # noqa: E402
from old_bag import write_v1_1  # noqa: E402
from peers import kitbag, main  # noqa: E402

READ, WRITE = 0, 1
BY_TIME = 0
END = 14
NUMBERS = {1: "?", 2: "b", 3: "B", 4: "h", 5: "H", 6: "i", 7: "I", 8: "q", 9: "Q", 10: "f",
           11: "d"}
NOTHING, BOOL, TEXT, STRUCTURE, LIST = 0, 1, 12, 13, 14


class Query(Structure):
    _fields_ = [("struct_size", c_size_t), ("topics", POINTER(c_char_p)), ("topic_count", c_size_t),
                ("start", c_int64), ("end", c_int64), ("nth", c_uint64), ("count", c_uint64),
                ("where", c_char_p), ("latched_before", c_bool), ("max_bytes", c_uint64)]

    def __init__(self, topics):
        names = (c_char_p * len(topics))(*(topic.encode() for topic in topics))
        super().__init__(ctypes.sizeof(Query), names, len(topics), -2**63, 2**63 - 1, 0, 2**64 - 1,
                         None, False, 2**30)


class Data(Structure):
    _fields_ = [("payload", c_void_p), ("size", c_uint64), ("topic", c_void_p),
                ("time_received", c_int64), ("time_published", c_int64), ("sequence", c_uint32),
                ("is_state", c_bool)]


ON_PROBLEM = ctypes.CFUNCTYPE(None, c_void_p, c_void_p)


class Storage(Structure):
    _fields_ = [("struct_size", c_size_t), ("format", c_char_p), ("format_version", c_char_p),
                ("compression", c_char_p), ("preset", c_char_p), ("chunk_bytes", c_uint64),
                ("threads", ctypes.c_uint), ("may_replace", c_bool), ("on_problem", ON_PROBLEM),
                ("context", c_void_p), ("definitions", c_char_p)]


class Header(Structure):
    _fields_ = [("struct_size", c_size_t), ("topic_name", c_char_p), ("topic_type", c_char_p),
                ("message_definition", c_char_p), ("message_md5_sum", c_char_p),
                ("quality_of_service", c_char_p), ("schema_language", c_char_p),
                ("is_latched", c_bool)]


class Library:
    """The functions, with the last argument as an exception."""

    def __init__(self):
        self.opened = ctypes.CDLL(f"{BUILD}/libkitbag.so")
        self.opened.kitbag_error_message.restype = c_char_p
        self.opened.kitbag_error_message.argtypes = [c_void_p]
        self.opened.kitbag_error_free.argtypes = [c_void_p]
        self.opened.kitbag_topic_name.restype = c_char_p
        self.opened.kitbag_topic_name.argtypes = [c_void_p]
        self.opened.kitbag_close_iterator.argtypes = [c_void_p]

    def __getattr__(self, name):
        function = getattr(self.opened, f"kitbag_{name}")

        def call(*arguments):
            error = c_void_p()
            code = function(*arguments, byref(error))
            if error:
                text = self.opened.kitbag_error_message(error).decode()
                self.opened.kitbag_error_free(error)
                raise RuntimeError(text)
            return code

        return call


class Value:
    """A decoded message as Python's own values."""

    def __init__(self, library, value):
        self.library = library
        self.value = value

    def get(self, name, kind, path):
        out = kind()
        getattr(self.library, f"get_{name}")(self.value, path.encode(), byref(out))
        return out.value

    def at(self, path=""):
        kind = self.get("kind", c_int, path)
        if kind == NOTHING:
            return None
        if kind == BOOL:
            return self.get("bool", c_bool, path)
        if kind == TEXT:
            text, size = c_char_p(), c_uint64()
            self.library.get_text(self.value, path.encode(), byref(text), byref(size))
            return text.value.decode()
        if kind == STRUCTURE:
            dot = f"{path}." if path else ""
            return {name: self.at(dot + name) for name in self.names(path)}
        if kind == LIST:
            return self.list(path)
        if NUMBERS[kind] in "fd":
            return self.get("double", c_double, path)
        return self.get("int64", c_int64, path)

    def names(self, path):
        for i in range(self.get("size", c_uint64, path)):
            name = c_char_p()
            self.library.get_name(self.value, path.encode(), c_uint64(i), byref(name))
            yield name.value.decode()

    def list(self, path):
        size = self.get("size", c_uint64, path)
        try:
            kind, data, count = c_int(), c_void_p(), c_uint64()
            self.library.get_numbers(self.value, path.encode(), byref(kind), byref(data),
                                     byref(count))
        except RuntimeError:
            return [self.at(f"{path}[{i}]") for i in range(size)]
        code = NUMBERS[kind.value]
        raw = ctypes.string_at(data, count.value * struct.calcsize(code)) if count.value else b""
        return list(memoryview(raw).cast(code))


def is_same(value, printed):
    """Whether `kitbag cat` prints this value so; numbers of 32 bits with as few digits as tell
    them from others."""
    if isinstance(value, dict):
        return value.keys() == printed.keys() and all(is_same(value[key], printed[key])
                                                      for key in value)
    if isinstance(value, list):
        return len(value) == len(printed) and all(map(is_same, value, printed))
    if isinstance(value, float):
        if not math.isfinite(value):
            return printed is None
        return value == printed or value == struct.unpack("f", struct.pack("f", printed))[0]
    return value == printed


class Ctypes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.library = Library()
        cls.bag = cls.folder / "demo.bag"
        kitbag("convert", "demo://?seconds=1&seed=7", cls.bag)

    def open(self, path, mode=READ, storage=None):
        bag = c_void_p()
        self.library.open(str(path).encode(), mode, storage and byref(storage), byref(bag))
        self.addCleanup(lambda: bag and self.library.close(bag))
        return bag

    def test_values_are_what_cat_prints(self):
        topics = ["/odom", "/imu", "/battery", "/scan", "/path", "/tf_static", "/rosout"]
        lines = [json.loads(line) for line in
                 kitbag("cat", self.bag, "--bytes", "array", "--topics", *topics).splitlines()]
        bag = self.open(self.bag)
        iterator, message, data = c_void_p(), c_void_p(), Data()
        self.library.create_iterator(bag, byref(Query(topics)), BY_TIME, byref(iterator))
        count = 0
        while self.library.read_next(iterator, None, None, byref(message), byref(data)) != END:
            line = lines[count]
            self.assertEqual(self.library.opened.kitbag_topic_name(data.topic).decode(),
                             line["topic"])
            value = Value(self.library, message).at()
            self.assertTrue(is_same(value, line["data"]), (value, line["data"]))
            count += 1
        self.library.opened.kitbag_close_iterator(iterator)
        self.assertEqual(count, len(lines))
        self.assertGreater(count, 100)

    def test_what_is_written_is_read(self):
        bag = self.open(self.folder / "written.mcap", WRITE)
        header = Header(ctypes.sizeof(Header), b"/pose", b"geometry_msgs/msg/Point",
                        b"float64 x\nfloat64 y\nfloat64 z\n", None, None, None, False)
        topic, message = c_void_p(), c_void_p()
        self.library.create_topic(bag, byref(header), b"cdr", c_uint64(0), None, byref(topic))
        self.library.create_message(topic, byref(message))
        self.library.set_double(message, b"y", c_double(2.5))
        self.library.write(bag, topic, c_int64(7), message, None)
        with self.assertRaisesRegex(RuntimeError, "expected a number, got"):
            self.library.set_text(message, b"x", b"far", c_uint64(3))
        self.library.close(bag)
        bag.value = None
        line = json.loads(kitbag("cat", self.folder / "written.mcap"))
        self.assertEqual(line["data"], {"x": 0, "y": 2.5, "z": 0})

    def index(self, path, storage=None):
        """Indexes a bag, and returns how many messages it has then."""
        bag = self.open(path, storage=storage)
        self.library.index(bag)
        iterator, data, count = c_void_p(), Data(), 0
        self.library.create_iterator(bag, None, BY_TIME, byref(iterator))
        while self.library.read_next_serialized(iterator, None, None, byref(data)) != END:
            count += 1
        self.library.opened.kitbag_close_iterator(iterator)
        self.library.close(bag)
        bag.value = None
        kitbag("check", path)
        return count

    def test_the_index_is_written_beside_the_data(self):
        whole = self.index(self.bag)
        self.assertGreater(whole, 200)
        for name in ("x.mcap", "x.db3", "x.bag"):
            path = self.folder / name
            kitbag("convert", self.bag, path)
            self.assertEqual(self.index(path), whole)
            beside = path.with_name(name + ".metadata.yaml").read_text()
            self.assertIn(f"message_count: {whole}", beside, name)
        folder = self.folder / "folder"
        kitbag("split", self.bag, f"{folder}/", "--split-duration", "500ms")
        (folder / "metadata.yaml").unlink()
        self.assertEqual(self.index(folder, self.lenient()), whole)
        self.assertIn(f"message_count: {whole}", (folder / "metadata.yaml").read_text())

    def test_a_bag_that_was_cut_off_gets_an_index(self):
        for name in ("cut.mcap", "cut.bag"):
            path = self.folder / name
            kitbag("convert", self.bag, path)
            path.write_bytes(path.read_bytes()[:-2000])
            with self.assertRaises(RuntimeError):
                self.open(path)
            self.assertGreater(self.index(path, self.lenient()), 50, name)
            self.assertTrue(path.with_name(name + ".metadata.yaml").exists())

    def test_a_bag_without_definitions(self):
        path = write_v1_1(self.folder / "old.bag",
                          [("/text", "my_msgs/Text", "*", 1, b"\1\0\0\0x"),
                           ("/word", "std_msgs/String", "*", 2, b"\1\0\0\0y")])
        (self.folder / "msgs/my_msgs").mkdir(parents=True)
        (self.folder / "msgs/my_msgs/Text.msg").write_text("string text\n")
        said = []
        self.on_problem = ON_PROBLEM(lambda context, problem: said.append(
            self.library.opened.kitbag_error_message(problem).decode()))
        bag = self.open(path, storage=Storage(
            struct_size=ctypes.sizeof(Storage), on_problem=self.on_problem,
            definitions=str(self.folder / "msgs").encode()))
        self.assertEqual(self.values(bag), [{"text": "x"}, {"data": "y"}])
        self.assertRegex("\n".join(said), r"version of std_msgs/String; using that of ROS 1 Noetic")
        with self.assertRaisesRegex(RuntimeError, "definition folder does not exist"):
            self.open(path, storage=Storage(struct_size=ctypes.sizeof(Storage),
                                            definitions=b"/nowhere"))

    def values(self, bag):
        iterator, message, data, values = c_void_p(), c_void_p(), Data(), []
        self.library.create_iterator(bag, None, BY_TIME, byref(iterator))
        while self.library.read_next(iterator, None, None, byref(message), byref(data)) != END:
            values.append(Value(self.library, message).at())
        self.library.opened.kitbag_close_iterator(iterator)
        return values

    def lenient(self):
        """Damage is no error."""
        self.on_problem = ON_PROBLEM(lambda context, problem: None)
        return Storage(struct_size=ctypes.sizeof(Storage), on_problem=self.on_problem)

    def test_tables(self):
        bag = self.open(self.bag)
        fields = (c_char_p * 1)(b"voltage")
        stream = arrow_c.Stream()
        self.library.arrow_stream(bag, byref(Query(["/battery"])), fields, c_size_t(1),
                                  byref(stream.c))
        rows = [row for batch in stream.batches() for row in batch]
        stream.close()
        lines = [json.loads(line) for line in
                 kitbag("cat", self.bag, "--topics", "/battery").splitlines()]
        self.assertTrue(is_same([row["voltage"] for row in rows],
                                [line["data"]["voltage"] for line in lines]))

    def test_a_recording_that_fails_is_not_replaced(self):
        """The file meets a limit that is set for it, so the recorder fails in the middle."""
        for may_replace in (False, True):
            path = self.folder / f"{may_replace}.mcap"
            bag = self.open(path, WRITE, Storage(struct_size=ctypes.sizeof(Storage),
                                                 may_replace=may_replace))
            limits = resource.getrlimit(resource.RLIMIT_FSIZE)
            resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, limits[1]))
            try:
                with self.assertRaisesRegex(RuntimeError, "file too large"):
                    self.library.record_all(bag, b"demo://?seconds=3")
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            recorded = [file for file in self.folder.iterdir() if file.name.startswith(path.name)]
            self.assertEqual(len(recorded), 1)
            before = recorded[0].read_bytes()
            self.assertGreater(len(before), 100_000)
            with self.assertRaisesRegex(RuntimeError, "the recording into this bag has failed"):
                self.library.create_iterator(bag, None, BY_TIME, byref(c_void_p()))
            self.library.close(bag)
            bag.value = None
            after = [file for file in self.folder.iterdir() if file.name.startswith(path.name)]
            self.assertEqual((after, after[0].read_bytes()), (recorded, before))

    def test_the_error_is_a_sentence(self):
        with self.assertRaisesRegex(RuntimeError, "none.bag"):
            self.open(self.folder / "none.bag")


if __name__ == "__main__":
    main()
