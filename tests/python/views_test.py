#!/usr/bin/env python3
"""No view outlives its memory: whatever looks at the payload of a message, or at columns, is the
same after the bag is closed and collected and its file is replaced. AddressSanitizer watches this
too."""

import gc
import random
import sys
import tempfile
import threading
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import kitbag as program  # noqa: E402
from peers import main  # noqa: E402
from python_package import kitbag, need_package  # noqa: E402

TOPICS = ("/camera/image", "/points", "/scan", "/odom")
FORMS = (("rosbag", ".bag", "none"), ("rosbag", ".bag", "lz4"), ("mcap", ".mcap", "none"),
         ("mcap", ".mcap", "zstd"), ("sqlite3", ".db3", "none"))


def looks(bag, topic):
    """(what, a view, its bytes now) of a message and of columns of `topic`."""
    message = bag[topic][2]
    yield "raw", message.raw, lambda view: view.tobytes()
    yield "part of raw", message.raw[4:40], lambda view: view.tobytes()
    yield "structure", message.data, repr
    yield "header", message.data.header, lambda view: view.frame_id
    yield "message", message, lambda view: bytes(view.raw)
    if topic == "/camera/image":
        yield "image", kitbag.image(message), lambda view: view.tobytes()
        yield "its corner", kitbag.image(message)[:4, -4:], lambda view: view.tobytes()
        yield "picture", kitbag.picture(message), lambda view: view.tobytes()
    if topic == "/points":
        yield "points", kitbag.points(message), lambda view: view.tobytes()
        yield "x", kitbag.points(message)["x"], lambda view: view.tobytes()
    if topic == "/scan":
        yield "list", message.data.ranges, lambda view: view.tobytes()
        yield "its end", message.data.ranges[-7:], lambda view: view.tobytes()
    for name, column in bag.to_numpy(topic).items():
        yield f"column {name}", column, lambda view: repr(view.tolist())
        yield f"last of {name}", column[-1:], lambda view: repr(view.tolist())


class Views(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_package("numpy")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.demo = cls.folder / "demo.mcap"
        program("convert", "demo://?seconds=1&seed=7", cls.demo)

    def assert_kept(self, kept, topic):
        for what, view, text_of, expected in kept:
            self.assertEqual(text_of(view), expected, f"{topic}: {what}")

    def test_views_stay_when_the_bag_is_gone(self):
        for number, (format_, extension, compression) in enumerate(FORMS):
            path = self.folder / f"{number}{extension}"
            program("convert", self.demo, path, "--compression", compression)
            for topic in TOPICS:
                with self.subTest(format=format_, compression=compression, topic=topic):
                    bag = kitbag.open(path)
                    kept = [(what, view, text_of, text_of(view))
                            for what, view, text_of in looks(bag, topic)]
                    self.assertGreater(len(kept), 8)
                    bag.close()
                    del bag
                    gc.collect()
                    self.assert_kept(kept, topic)
                    self.change(path)
                    self.assert_kept(kept, topic)

    def change(self, path):
        """What was freed is used again, and the file is another one: overwritten, cut, replaced."""
        content = path.read_bytes()
        path.write_bytes(b"\xff" * len(content))
        path.write_bytes(b"")
        path.unlink()
        path.write_bytes(content)
        self.assertEqual(len([bytes(m.raw) for m in kitbag.open(path)]),
                         len(kitbag.open(self.demo)))

    def test_a_bag_that_is_read_while_its_file_is_cut(self):
        path = self.folder / "cut.mcap"
        path.write_bytes(self.demo.read_bytes())
        messages = kitbag.open(path).read()
        first = next(messages)
        kept = bytes(first.raw)
        with open(path, "r+b") as file:
            file.truncate(1000)
        try:
            with self.assertWarns(kitbag.DamageWarning):
                rest = [len(message.raw) for message in messages]
        except kitbag.Error:
            rest = []
        self.assertLess(len(rest), len(kitbag.open(self.demo)))
        self.assertEqual(bytes(first.raw), kept)

    def test_few_of_many_in_threads(self):
        bag = kitbag.open(self.demo)
        expected = {(m.topic, m.time): bytes(m.raw) for m in bag}
        wrong = []

        def work(seed):
            chance = random.Random(seed)
            kept = []
            for _ in range(3):
                for message in bag.read():
                    if chance.random() < 0.05:
                        kept.append((message.topic, message.time, message.raw))
                    if chance.random() < 0.02:
                        break
                chance.shuffle(kept)
                del kept[:len(kept) // 2]
            wrong.extend(key for *key, view in kept if view.tobytes() != expected[tuple(key)])

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_an_iterator_that_is_left(self):
        for read in (lambda bag: bag.read(), lambda bag: bag.read(where="1 < 2"),
                     lambda bag: bag.read(order="reverse_time")):
            messages = read(kitbag.open(self.demo))
            kept = [next(messages) for _ in range(5)]
            del messages
            gc.collect()
            self.assertEqual(len({m.raw.tobytes() for m in kept}), 5)

    def test_an_arrow_stream_outlives_its_bag(self):
        stream = kitbag.open(self.demo)["/imu"].__arrow_c_stream__()
        other = kitbag.open(self.demo).arrow_stream("/odom", ["pose.pose.position.x"])
        gc.collect()
        del stream  # nobody has taken it
        other.__arrow_c_stream__()

    def test_what_is_written_is_copied(self):
        import numpy
        numbers = numpy.arange(8, dtype=numpy.float64)
        payload = bytearray(b"\x00\x01\x00\x00\x07\x00\x00\x00")
        path = self.folder / "written.mcap"
        with kitbag.create(path) as writer:
            writer.topic("/numbers", "a/msg/Numbers", "float64[] numbers\n")
            writer.topic("/number", "a/msg/Number", "int32 number\n")
            writer.write("/numbers", {"numbers": numbers[::2]}, 1)
            writer.write("/numbers", {"numbers": numbers}, 2)
            writer.write("/number", payload, 3)
            writer.write("/number", memoryview(payload), 4)
            numbers[:] = -1
            payload.extend(b"xxxx")  # refused while somebody holds the buffer
            payload[:] = b"\xff" * 12
            del numbers
        even, all_, number, again = (m.data for m in kitbag.open(path))
        self.assertEqual(even.numbers.tolist(), [0, 2, 4, 6])
        self.assertEqual(all_.numbers.tolist(), list(range(8)))
        self.assertEqual((number.number, again.number), (7, 7))


if __name__ == "__main__":
    main()
