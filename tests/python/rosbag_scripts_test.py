#!/usr/bin/env python3
"""Scripts for ROS 1's rosbag, those of its cookbook first, run with the real package and with
`import kitbag.rosbag as rosbag`: they print the same, and write the same bags."""

import contextlib
import importlib
import io
import itertools
import os
import shutil
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import ros1  # noqa: E402
from peers import REAL_BAGS, main, need, need_real_bags, run  # noqa: E402
from peers import kitbag as program  # noqa: E402
from python_package import FOLDER, FolderTest, kitbag, make_demo, mypy  # noqa: E402

SMALL = "v2.0_hrl_arm_on_f5a7ae10.bag"
LARGE = "v2.0_rosbag.js_example-bz2_d4466221.bag"

HEADER_TIMES = """
with rosbag.Bag("out.bag", "w") as out:
    for topic, msg, t in rosbag.Bag("in.bag").read_messages():
        if topic in ("/tf", "/tf_static") and msg.transforms:
            out.write(topic, msg, msg.transforms[0].header.stamp)
        else:
            out.write(topic, msg, msg.header.stamp if msg._has_header else t)
"""
METADATA = """
import shutil
import rospy
from std_msgs.msg import String
shutil.copyfile("in.bag", "out.bag")
with rosbag.Bag("out.bag", "a") as bag:
    bag.write("/metadata", String(data="a note"), rospy.Time.from_sec(bag.get_end_time()))
    bag.write("/metadata", String("another note"), rospy.Time(bag.get_start_time()))
    print(bag.mode, bag.filename)
"""
SUMMARY = """
import yaml
bag = rosbag.Bag("in.bag", "r")
info = yaml.safe_load(bag._get_yaml_info())
print(info["duration"], info["topics"], sorted(info))
print(bag)
types, topics = bag.get_type_and_topic_info()
for name, md5sum in types.items():
    print(name, md5sum)
for name, topic in topics.items():
    print(name, topic.msg_type, topic.message_count, topic.connections, topic.frequency)
first = list(topics)[0]
print(bag.get_type_and_topic_info(first)[1], bag.get_type_and_topic_info(["/none", first])[1])
print(bag.get_message_count(), bag.get_message_count(first), bag.get_message_count([first, "/no"]))
print(bag.get_start_time(), bag.get_end_time(), tuple(bag.get_compression_info()))
print(bag.filename, bag.mode, bag.version, bag.size, bag.options)
bag.close()
"""
CSV = """
import csv, sys
writer = csv.writer(sys.stdout)

def columns(msg):
    for name, kind in zip(msg.__slots__, msg._slot_types):
        value = getattr(msg, name)
        if hasattr(value, "_slot_types") and not hasattr(value, "to_sec"):
            for path, each in columns(value):
                yield name + "." + path, each
        elif isinstance(value, (bytes, str, list, tuple, int, float)):
            yield name + " " + kind, value if isinstance(value, (str, int, float)) else len(value)
        else:
            yield name, "%.6f" % value.to_sec()

bag = rosbag.Bag("in.bag")
for name in bag.get_type_and_topic_info().topics:
    for i, (topic, msg, t) in enumerate(bag.read_messages(topics=[name])):
        row = list(columns(msg))
        if i == 0:
            writer.writerow(["time"] + [path for path, value in row])
        writer.writerow([t.to_nsec()] + [value for path, value in row])
"""
TOPICS = """
names = sorted(rosbag.Bag("in.bag").get_type_and_topic_info().topics)[::2]
with rosbag.Bag("out.bag", mode="w", compression="bz2") as out, rosbag.Bag("in.bag") as bag:
    for found in bag.read_messages(topics=names, return_connection_header=True):
        out.write(found.topic, found.message, found.timestamp,
                  connection_header=found.connection_header)
print(names, [rosbag.Bag("out.bag").get_message_count(name) for name in names])
"""
REORDER = """
def stamp(msg, t):
    return msg.header.stamp if msg._has_header and msg.header.stamp else t

bag = rosbag.Bag("in.bag")
found = [(stamp(msg, t), i, topic, msg) for i, (topic, msg, t) in enumerate(bag.read_messages())]
found.sort(key=lambda each: (each[0], each[2], each[1]))
with rosbag.Bag("out.bag", "w", chunk_threshold=100000) as out:
    for t, i, topic, msg in found:
        out.write(topic, msg, t)
print([(t.secs, t.nsecs, topic) for t, i, topic, msg in found[:50]])
"""
TRIM = """
import rospy
bag = rosbag.Bag("in.bag")
begin = rospy.Time.from_sec(bag.get_start_time()) + rospy.Duration(0.25)
end = begin + rospy.Duration.from_sec(0.5)
with rosbag.Bag("out.bag", "w", options={"compression": "lz4", "chunk_threshold": 5000}) as out:
    for topic, msg, t in bag.read_messages(start_time=begin, end_time=end):
        out.write(topic, msg, t)
        last = t
print(last - begin, last < end, last.to_sec())
exact = [each[2] for each in bag.read_messages(start_time=last, end_time=last)]
print(len(exact) > 0, all(each == last for each in exact))
"""
STD_MSGS = """
import genpy
from std_msgs.msg import ColorRGBA, Empty, Float64MultiArray, Header, Int32
from std_msgs.msg import MultiArrayDimension, String
bag = rosbag.Bag("out.bag", "w")
try:
    bag.write("/empty", Empty(), genpy.Time(5))
    for i in range(20):
        t = genpy.Time(100 + i, 7)
        bag.write("chatter", String(data="foo %d" % i), t)
        bag.write("numbers", Int32(data=-i), t)
    array = Float64MultiArray(data=[0.5, float("inf")])
    array.layout.dim.append(MultiArrayDimension("x", 2, 4))
    bag.write("/array", array, t)
    bag.write("/color", ColorRGBA(0.5, 0, 1, 1), t)
    bag.write("/header", Header(5, t, "map"), t, connection_header={
        "topic": "/header", "type": "std_msgs/Header", "md5sum": Header._md5sum,
        "message_definition": Header._full_text, "callerid": "/me", "latching": "1"})
finally:
    bag.close()
for topic, msg, t in rosbag.Bag("out.bag"):
    print(topic, t, t.secs, msg)
"""
RAW = """
with rosbag.Bag("out.bag", "w") as out:
    for topic, raw, t in rosbag.Bag("in.bag").read_messages(raw=True):
        out.write(topic, raw, t, raw=True)
        kind, data, md5sum, position, cls = raw
        msg = cls()
        msg.deserialize(data)
        print(topic, kind, md5sum, len(data), cls._md5sum, str(msg)[:2000])
"""
CHANGE = """
import copy
import genpy

def renamed(msg):
    for name, kind in zip(msg.__slots__, msg._slot_types):
        value = getattr(msg, name)
        if name == "frame_id":
            msg.frame_id = "other/" + value
        elif kind == "float64[9]":
            setattr(msg, name, [1.5] * 9)
        elif hasattr(value, "serialize"):
            renamed(value)

with rosbag.Bag("out.bag", "w") as out:
    for topic, msg, t in rosbag.Bag("in.bag").read_messages():
        before = copy.deepcopy(msg)
        renamed(msg)
        print(topic, before == msg, isinstance(msg, genpy.Message))
        out.write(topic, msg, t + genpy.Duration(0, 10))
"""
FILTER = """
def is_wanted(topic, datatype, md5sum, msg_def, header):
    return "header" in msg_def.lower() and header.get("callerid", b"") != b"/unknown"

for topic, msg, t in rosbag.Bag("in.bag").read_messages(connection_filter=is_wanted):
    print(topic, t, str(msg)[:2000])
"""


def headers(path):
    """The connection headers; the real one leaves the topic out where its source has, and kitbag
    writes a definition without lines as one empty line."""
    return [[(name, value.strip("\n")) for name, value in header if name != "topic"]
            for header in ros1.connections(path)]


@contextlib.contextmanager
def inside(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


class BothTest(FolderTest):
    """The drop-in, and the real package."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ros1.need_rosbag()
        cls.ours = importlib.import_module("kitbag.rosbag")
        cls.theirs = ros1.rosbag
        cls.demo = make_demo(cls.folder / "demo.bag", 1)


class Scripts(BothTest):
    def run_script(self, script, module, source):
        folder = self.folder / ("ours" if module is self.ours else "theirs")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if source:
            shutil.copyfile(source, folder / "in.bag")
        printed = io.StringIO()
        ros1.rosbag.bag._message_types.clear()  # types of other bags, by their MD5 sums
        with inside(folder), contextlib.redirect_stdout(printed):
            exec(compile(script, "script", "exec"), {"rosbag": module})  # noqa: S102
        return printed.getvalue(), folder / "out.bag"

    def compare(self, script, *sources, prints=True, writes=True):
        for source in sources:
            with self.subTest(source=source):
                theirs, their_bag = self.run_script(script, self.theirs, source)
                ours, our_bag = self.run_script(script, self.ours, source)
                self.assertEqual(ours, theirs)
                self.assertEqual(bool(ours), prints)
                self.assertEqual(our_bag.exists(), writes)
                if writes:
                    program("diff", their_bag, our_bag)
                    self.assertEqual(headers(our_bag), headers(their_bag))
                    ros1.check(our_bag)

    def bags(self):
        need_real_bags()
        # The real package, which is Python, is many times slower under AddressSanitizer.
        large = [] if os.environ.get("KITBAG_SANITIZE") else [REAL_BAGS / LARGE]
        return self.demo, REAL_BAGS / SMALL, *large

    def test_header_times(self):
        self.compare(HEADER_TIMES, self.demo, self.bags()[1], prints=False)

    def test_a_topic_with_metadata(self):
        self.compare(METADATA, self.demo, self.bags()[1])

    def test_summary(self):
        self.compare(SUMMARY, *self.bags(), writes=False)

    def test_export_to_csv(self):
        self.compare(CSV, *self.bags(), writes=False)

    def test_topics(self):
        self.compare(TOPICS, self.demo, self.bags()[1])

    def test_reorder(self):
        self.compare(REORDER, self.demo, self.bags()[1])

    def test_trim(self):
        self.compare(TRIM, *self.bags())

    def test_write_std_msgs(self):
        self.compare(STD_MSGS, None)

    def test_raw(self):
        self.compare(RAW, self.demo, self.bags()[1])

    def test_change(self):
        self.compare(CHANGE, self.demo, self.bags()[1])

    def test_connection_filter(self):
        self.compare(FILTER, *self.bags(), writes=False)


class Differences(BothTest):
    """What the real one does not do, or does in another way."""

    def same(self, left, right, *but):
        def fields(path):
            with self.ours.Bag(path) as bag:
                return [(topic, message._type, str(message), time.to_nsec())
                        for topic, message, time in bag if topic not in but]
        found = fields(left)
        self.assertGreater(len(found), 200)
        for ours, theirs in itertools.zip_longest(fields(right), found):
            self.assertEqual(ours, theirs)

    def test_every_format(self):
        # ROS 2 has another rosgraph_msgs/Log, and no place for the sequence of a header.
        for target, options in (("x.mcap", ()), ("y.mcap", ("--encoding", "cdr")), ("z.db3", ()),
                                ("d/", ())):
            with self.subTest(target=target):
                path = f"{self.folder}/{target}"
                program("convert", self.demo, path, *options)
                plain = self.folder / "plain.bag"
                program("convert", path, plain, "--encoding", "ros1", "--force")
                self.same(plain, path, "/rosout")
                with self.ours.Bag(path) as bag:
                    self.assertEqual(len(bag), 231)
                    self.assertIn("sensor_msgs/Imu", bag.get_type_and_topic_info().msg_types)
                    self.assertIn("messages:", str(bag))
                    with self.assertRaisesRegex(self.ours.ROSBagException, "chunks"):
                        bag.get_compression_info()

    def test_rosbag2_becomes_a_rosbag(self):
        source, target = self.folder / "x.db3", self.folder / "out.bag"
        program("convert", self.demo, source)
        with self.ours.Bag(source) as bag, self.ours.Bag(target, "w") as out:
            for topic, message, time in bag.read_messages(topics=["/imu", "/odom", "/scan"]):
                out.write(topic, message, time)
        with ros1.rosbag.Bag(str(target)) as bag:
            types = dict(bag.get_type_and_topic_info().msg_types)
        from nav_msgs.msg import Odometry
        from sensor_msgs.msg import Imu, LaserScan
        self.assertEqual(types, {each._type: each._md5sum for each in (Imu, LaserScan, Odometry)})

    def test_values_of_ros2_have_the_forms_of_ros1(self):
        path = self.folder / "x.mcap"
        definition = ("std_msgs/Header header\nbyte[] octets\nchar[2] letters\nbool[] flags\n"
                      "float32[] reals\nint64[2] pair\nstring[] names\nwstring wide\n"
                      "builtin_interfaces/Time[] times\ngeometry_msgs/Point[] points\n"
                      "std_msgs/Empty nothing\n"
                      "===\nMSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
                      "===\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
                      "===\nMSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n"
                      "===\nMSG: std_msgs/Empty\n").replace("===", "=" * 80)
        values = {"header": {"stamp": {"sec": 3, "nanosec": 4}, "frame_id": "odom"},
                  "octets": [1, 200], "letters": [65, 66], "flags": [True, False],
                  "reals": [0.5, 1.5], "pair": [-1, 2], "names": ["a", "ä"], "wide": "ü",
                  "times": [{"sec": 1, "nanosec": 2}], "points": [{"x": 1.0, "y": 2.0, "z": 3.0}]}
        with kitbag.create(path) as writer:
            writer.topic("/x", "my_msgs/msg/All", definition, encoding="cdr", language="ros2msg")
            writer.write("/x", values, 1)
            writer.write("/x", {}, 2)
        with self.ours.Bag(path) as bag:
            (first, empty), time = [each.message for each in bag], self.ours.Time
        self.assertEqual((first.header.frame_id, first.header.stamp, empty.header.stamp),
                         ("odom", time(3, 4), time(0, 0)))
        self.assertEqual([first.octets, first.letters, first.flags, first.reals, first.pair],
                         [b"\1\xc8", b"AB", [True, False], (0.5, 1.5), (-1, 2)])
        self.assertEqual([first.names, first.wide, first.times], [["a", "ä"], "ü", [time(1, 2)]])
        self.assertEqual([(each.x, each.y, each.z) for each in first.points], [(1.0, 2.0, 3.0)])
        self.assertEqual([empty.octets, empty.letters, empty.flags, empty.reals, empty.pair],
                         [b"", b"\0\0", [], (), (0, 0)])
        self.assertEqual((empty.names, empty.points, empty.header.seq), ([], [], 0))

    def test_what_is_no_bag(self):
        whole = self.demo.read_bytes()
        damaged = bytearray(whole)
        damaged[20:60] = b"\xff" * 40
        for name, data, error, says in (
                ("a.bag", b"", "ROSBagFormatException", "empty"),
                ("b.bag", b"no bag " * 100, "ROSBagFormatException", "format"),
                ("c.bag", whole[:700_000], "ROSBagUnindexedException", "Unindexed.*c.bag"),
                ("d.bag", damaged, "ROSBagException", "d.bag.*damaged")):
            path = self.folder / name
            path.write_bytes(data)
            with self.assertRaisesRegex(getattr(self.ours, error), says):
                self.ours.Bag(path)
            self.assertRaises(ros1.rosbag.ROSBagException, ros1.rosbag.Bag, str(path))
        with self.assertRaises(FileNotFoundError):
            self.ours.Bag(self.folder / "none.bag")

    def test_a_damaged_chunk(self):
        """Messages before it come; then there is an error, which names the place."""
        path = self.folder / "x.bag"
        program("convert", self.demo, path, "--compression", "bz2")
        data = bytearray(path.read_bytes())
        data[-len(data) // 2:-len(data) // 2 + 1000] = b"\xff" * 1000
        path.write_bytes(data)
        with self.ours.Bag(path) as bag:
            with self.assertRaisesRegex(self.ours.ROSBagFormatException, "x.bag at byte"):
                list(bag)

    def test_reindex(self):
        path = self.folder / "cut.bag"
        path.write_bytes(self.demo.read_bytes()[:700_000])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", kitbag.DamageWarning)
            with self.ours.Bag(path, "a", allow_unindexed=True) as bag:
                self.assertGreater(len(list(bag)), 100)
                positions = list(bag.reindex())
        self.assertEqual((positions[0], positions[-1]), (0, path.stat().st_size))
        with ros1.rosbag.Bag(str(path)) as bag, self.ours.Bag(path) as ours:
            self.assertEqual(bag.get_message_count(), len(ours))
            self.assertGreater(len(ours), 100)

    def test_what_is_refused(self):
        from std_msgs.msg import Int32, String
        path = self.folder / "x.bag"
        bag = self.ours.Bag(path, "w")
        for arguments in (("", String("a")), ("/a", None)):
            self.assertRaises(ValueError, bag.write, *arguments)
        with self.assertRaisesRegex(TypeError, "t is a Time"):
            bag.write("/a", String("a"), 5.0)
        with self.assertRaisesRegex(self.ours.ROSBagException, "class"):
            bag.write("/a", ("a/A", b"", "*", None), raw=True)
        bag.write("/a", String("a"))
        bag.write("/a", Int32(5))  # the real one writes it as a text
        with self.assertRaises(self.ours.ROSBagEncryptNotSupportedException):
            bag.set_encryptor("rosbag/AesCbcEncryptor", "me")
        bag.close()
        self.assertRaises(ValueError, bag.write, "/a", String("a"))
        self.assertRaises(ValueError, bag.read_messages)
        with self.ours.Bag(path) as read:
            self.assertEqual([each.message.data for each in read], ["a", 5])
            with self.assertRaisesRegex(ValueError, "open for reading"):
                read.write("/a", String("a"))
            with self.assertRaisesRegex(TypeError, "start_time"):
                read.read_messages(start_time=5)
            message = next(read.read_messages()).message
        message.data = 5
        with self.assertRaisesRegex(self.ours.ROSBagException, "std_msgs/String: .data: expected"):
            self.ours.Bag(self.folder / "y.bag", "w").write("/a", message)
        for wrong in ({"mode": "x"}, {"compression": "zip"}, {"chunk_threshold": -1}):
            self.assertRaises(ValueError, self.ours.Bag, path, **wrong)
        with self.assertRaisesRegex(self.ours.ROSBagException, "streams"):
            self.ours.Bag(io.BytesIO())

    def test_what_was_written_stays_after_an_exception(self):
        from std_msgs.msg import String
        path = self.folder / "x.active"
        with self.assertRaises(KeyError), self.ours.Bag(path, "w") as bag:
            bag.write("/a", String("a"))
            raise KeyError
        self.assertEqual(len(self.ours.Bag(path)), 1)

    def test_a_type_without_a_definition_is_raw_only(self):
        path = self.folder / "x.bag"
        with ros1.rosbag.Bag(str(path), "w") as bag:
            cls = type("A", (), {"_full_text": "", "_md5sum": "1" * 32})
            bag.write("/a", ("a/A", b"\1", "1" * 32, cls), raw=True)
        with self.ours.Bag(path) as bag:
            with self.assertRaisesRegex(self.ours.ROSBagException, "/a: .* does not define a/A"):
                next(bag.read_messages())
            self.assertEqual(next(bag.read_messages(raw=True)).message[:3],
                             ("a/A", b"\1", "1" * 32))

    def test_a_bag_that_is_written_can_be_read(self):
        """The real one gives the first message twice here."""
        from genpy import Time
        from std_msgs.msg import String
        path = self.folder / "x.bag"
        with self.ours.Bag(path, "w") as bag:
            for i in range(1, 4):
                bag.write("/a", String(f"text {i}"), Time(i))
                self.assertEqual([each.message.data for each in bag],
                                 [f"text {j}" for j in range(1, i + 1)])
                self.assertEqual((bag.get_message_count(), bag.get_end_time()), (i, i))
            bag.compression = "bz2"
            bag.write("/b", String("last"), Time(9))
        with self.ours.Bag(path, "a") as bag:
            self.assertEqual([each.timestamp.secs for each in bag], [1, 2, 3, 9])
            bag.write("/a", String("more"), Time(10))
        with ros1.rosbag.Bag(str(path)) as bag:
            self.assertEqual([str(each.message.data) for each in bag][-2:], ["last", "more"])
            self.assertEqual([each[2] for each in bag.get_type_and_topic_info()[1].values()],
                             [1, 1])

    def test_flush(self):
        """Others read what was flushed, in a file without an index; then it is completed."""
        from genpy import Time
        from std_msgs.msg import String
        path = self.folder / "x.bag"
        path.write_bytes(b"replaced")
        with self.ours.Bag(path, "w", chunk_threshold=10_000_000, compression="bz2") as bag:
            for i in range(1, 4):
                bag.write("/a", String(f"text {i}"), Time(i))
                bag.flush()
                self.assertRaises(self.ours.ROSBagUnindexedException, self.ours.Bag, path)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", kitbag.DamageWarning)
                    self.assertEqual(len(kitbag.open(path)), i)
            size = path.stat().st_size
            self.assertLessEqual(size, bag.size)
        with ros1.rosbag.Bag(str(path)) as bag:
            self.assertEqual([each.message.data for each in bag], ["text 1", "text 2", "text 3"])
        with self.ours.Bag(path, "a") as bag:
            bag.write("/a", String("text 4"), Time(4))
            bag.flush()
            self.assertEqual(self.ours.Bag(path).get_message_count(), 4)

    def test_connections_of_one_topic(self):
        path = self.folder / "x.bag"
        ros1.write_bag(path)

        def found(module):
            return [sorted(each.connection_header.items()) for each in
                    module.Bag(str(path)).read_messages("/chatter", return_connection_header=True)]

        def one(module):
            def is_wanted(topic, datatype, md5sum, msg_def, header):
                return header.get("callerid") == b"/speaker_2"
            return [str(each.message) for each in
                    module.Bag(str(path)).read_messages(connection_filter=is_wanted)]

        self.assertEqual(found(self.ours), found(self.theirs))
        self.assertEqual(one(self.ours), one(self.theirs))
        self.assertEqual((len(found(self.ours)), len(one(self.ours))), (200, 100))

    def test_without_ros(self):
        """The same texts and times where no package of ROS and no PyYAML is installed."""
        script = ("import sys\n"
                  "for name in ('genpy', 'rospy', 'rosbag', 'yaml'): sys.modules[name] = None\n"
                  "import kitbag.rosbag as rosbag\n"
                  "times = []\n"
                  "for topic, message, t in rosbag.Bag(sys.argv[1]).read_messages():\n"
                  "    if topic != '/rosout':\n"
                  "        print(topic, t, message)\n"
                  "    times.append(t)\n"
                  "took = max(times) - min(times)\n"
                  "print(took.to_sec(), (took * 2).to_nsec(), min(times) + took == max(times),\n"
                  "      abs(-took) == took, took / 2, took // took, bool(took - took))\n")
        here = script.replace("import kitbag.rosbag as rosbag", "import rosbag").replace(
            "for name in ('genpy', 'rospy', 'rosbag', 'yaml'): sys.modules[name] = None\n", "")
        without = run(sys.executable, "-B", "-c", script, self.demo,
                      env={**os.environ, "PYTHONPATH": str(FOLDER)})
        self.assertEqual(without, run(sys.executable, "-B", "-c", here, self.demo))

    def test_times_without_genpy(self):
        import genpy
        own = importlib.import_module("kitbag._rostime")
        for ours, theirs in ((own._Time, genpy.Time), (own._Duration, genpy.Duration)):
            for of in ((1, 5), (2.75,), (3, 10**9 + 7), (0,)):
                self.assertEqual(*((t.secs, t.nsecs, str(t), t.to_sec(), t.to_nsec(), bool(t),
                                    hash(t), t.is_zero()) for t in (ours(*of), theirs(*of))))
        self.assertEqual((own._Time(5) - own._Time(7, 5)).to_nsec(),
                         (genpy.Time(5) - genpy.Time(7, 5)).to_nsec())
        self.assertEqual(divmod(own._Duration(7), own._Duration(2)), (3, own._Duration(1)))
        self.assertNotEqual(own._Time(5), own._Duration(5))
        for wrong in (lambda: own._Time(-1), lambda: own._Time(1) < own._Duration(1),
                      lambda: own._Time(1) + own._Time(1)):
            self.assertRaises(TypeError, wrong)

    def test_types(self):
        need(shutil.which("mypy"), "mypy is not installed")
        script = self.folder / "script.py"
        script.write_text("import kitbag.rosbag as rosbag\n"
                          "with rosbag.Bag('a.bag', 'w', compression='bz2') as bag:\n"
                          "    for topic, message, t in rosbag.Bag('b.bag').read_messages('/a'):\n"
                          "        bag.write(topic, message, t)\n"
                          "    count: int = bag.get_message_count(['/a'])\n"
                          "    info = bag.get_type_and_topic_info()\n"
                          "    rate: float | None = info.topics['/a'].frequency\n"
                          "rosbag.Bag('a.bag', compresion='bz2')\n"
                          "bag.read_message()\n")
        said = mypy(self.folder, "--strict", script)
        self.assertIn("Found 2 errors", said)
        self.assertRegex(said, r"script\.py:8: .*\[call-arg\]")
        self.assertRegex(said, r"script\.py:9: .*\[attr-defined\]")

    def test_the_stub_says_what_there_is(self):
        stub = (FOLDER / "kitbag" / "rosbag.pyi").read_text()
        names = [name for name in vars(self.ours.Bag) if name[0] != "_"]
        self.assertGreater(len(names), 15)
        for name in (*self.ours.__all__, *names):
            self.assertRegex(stub, rf"\b{name}\b")


if __name__ == "__main__":
    main()
