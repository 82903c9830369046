#!/usr/bin/env python3
"""`kitbag export --format hdf5`, read by h5py. Each value must be the one that `kitbag cat` prints
of the same message."""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

try:
    import h5py
    import numpy
except ImportError:
    h5py = None

import column_stream  # noqa: E402
import every_type  # noqa: E402
import make_bag  # noqa: E402
import peers  # noqa: E402
from column_stream import comparable, expected_rows  # noqa: E402
from peers import kitbag, program  # noqa: E402

DATA = peers.ROOT.parent / "shared" / "data"
PLUGIN = Path(program()).resolve().parent / "plugins" / "export_hdf5.so"


def in_groups(values, size):
    return [values[i:i + size] for i in range(0, len(values), size)]


def column_of(group, name, type_, count):
    """`count` values of a column, as docs/export.md says where they are."""
    form = type_.format
    if form.startswith("+w:") or form.startswith("w:"):
        size = int(form.split(":")[1])
        if form.startswith("w:"):
            return [each.tobytes() for each in group[name][...].reshape(-1, size)]
        found = in_groups(column_of(group, name, type_.children[0], count * size), size)
        return [None if all(value is None for value in each) else each for each in found]
    if form == "+s":
        fields = [column_of(group[name], child.name, child, count) for child in type_.children]
        names = [child.name for child in type_.children]
        found = [dict(zip(names, each)) for each in zip(*fields)] if fields else [{}] * count
    elif form in ("+l", "z"):
        offsets = group[name]["offsets"][...].tolist()
        if form == "z":
            values = group[name]["values"][...].tobytes()
        else:
            values = column_of(group[name], "values", type_.children[0], offsets[-1])
        found = [values[begin:end] for begin, end in zip(offsets, offsets[1:])]
    else:
        found = group[name][...].ravel().tolist()
        if form == "u":
            found = [each.decode() for each in found]
    if name + "__valid" in group:
        valid = group[name + "__valid"][...].ravel()
        assert valid.dtype == bool
        found = [value if is_there else None for value, is_there in zip(found, valid)]
    assert len(found) == count, (name, len(found), count)
    return found


def without_nul(type_, value):
    """As C knows texts."""
    if isinstance(value, str) and type_.format == "u":
        return value.replace("\0", "\ufffd")
    if isinstance(value, list):
        return [without_nul(type_.children[0], each) for each in value]
    if isinstance(value, dict):
        return {child.name: without_nul(child, value[child.name]) for child in type_.children}
    return value


class Hdf5(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        peers.need(h5py, "python3-h5py is not installed")
        peers.need(PLUGIN.exists(), "libhdf5-dev was not there when kitbag was built")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.drive = cls.folder / "drive.bag"
        kitbag("convert", "demo://?seconds=2&seed=7", cls.drive)

    def run_export(self, *arguments, code=0):
        self.out = self.folder / self.id().rsplit(".", 1)[1]
        done = subprocess.run([program(), "export", *map(str, arguments), "--format", "hdf5", "-o",
                               str(self.out)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def export(self, *arguments):
        done = self.run_export(*arguments)
        file = h5py.File(self.out / "export.h5", "r")
        self.addCleanup(file.close)
        self.assertEqual([each.name for each in self.out.iterdir()], ["export.h5"])
        return file, done

    def check_topic(self, file, bag, topic, group=None):
        group = file[group or topic]
        type_, _ = column_stream.read(bag, topics=(topic,))
        printed = column_stream.messages(bag, "--topics", topic)
        columns = [child for child in type_.children if child.name != "topic"]
        wanted = [without_nul(type_, row) for row in expected_rows(type_, printed)]
        self.assertEqual(group["time"].attrs["units"], "ns since 1970-01-01T00:00:00Z")
        for column in columns:
            found = column_of(group, column.name, column, len(wanted))
            for i, (value, row) in enumerate(zip(found, wanted)):
                self.assertEqual(comparable(column, value), comparable(column, row[column.name]),
                                 f"{topic}, row {i}, {column.name}")
        self.assertEqual(group.attrs["topic"], topic)
        if printed:
            self.assertEqual(group.attrs["type"], printed[0]["type"])
        return len(wanted)

    def check_bag(self, bag):
        file, done = self.export(bag)
        counted = 0
        for line in kitbag("cat", bag, "--format", "digest").splitlines():
            counted += self.check_topic(file, bag, line.split("\t")[0])
        self.assertIn(f"export.h5: {counted:,} messages, ", done.stdout)
        return file, done

    def test_every_type(self):
        bag = self.folder / "every.bag"
        every_type.make(bag)
        file, done = self.check_bag(bag)
        self.assertIn("have NUL characters, which HDF5 cannot hold", done.stderr)
        self.assertEqual(file["/every/two_reals"].shape, (40, 2))
        self.assertEqual(file["/every/flag"].dtype, bool)
        self.assertEqual(file["/every/u64"].dtype, numpy.uint64)
        self.assertEqual(file["/every/two_inners/x"].shape, (40, 2))
        self.assertEqual(file["/every"].attrs["definition"], every_type.definition())
        self.assertEqual(file["/every"].attrs["encoding"], "ros1")
        self.assertEqual(file["/every/lasting"].attrs["units"], "ns")

    def test_the_demo_robot(self):
        """Images, transforms, point clouds, and more rows than a chunk has."""
        file, _ = self.check_bag(self.drive)
        time = file["/odom/time"]
        self.assertEqual((time.dtype, time.compression, time.shuffle, time.maxshape),
                         (numpy.int64, "gzip", True, (None,)))

    def test_many_rows(self):
        """Chunks are full, and batches end inside of them."""
        bag = self.folder / "long.bag"
        kitbag("convert", "demo://?seconds=400&seed=3", bag, "--topics", "/odom")
        file, _ = self.export(bag)
        printed = column_stream.messages(bag, "--fields", "pose.pose.position.x")
        self.assertGreater(len(printed), 2 * file["/odom/time"].chunks[0])
        self.assertEqual(file["/odom/time"][...].tolist(),
                         [each["log_time_ns"] for each in printed])
        self.assertEqual(file["/odom/pose/pose/position/x"][...].tolist(),
                         [each["data"]["pose"]["pose"]["position"]["x"] for each in printed])

    def test_real_bags(self):
        peers.need_data(DATA / "mcap")
        bags = sorted((DATA / "mcap").glob("**/*.mcap"), key=lambda path: path.stat().st_size)
        checked = 0
        for bag in bags[:12]:
            about = subprocess.run([program(), "cat", bag, "--format", "digest"],
                                   capture_output=True, text=True, check=False)
            if about.returncode or not about.stdout:
                continue
            out = self.folder / f"real{checked}"
            done = subprocess.run([program(), "export", bag, "--format", "hdf5", "-o", out],
                                  capture_output=True, text=True, check=False)
            if done.returncode or not (out / "export.h5").exists():
                self.assertTrue(done.stderr or "0 messages" in done.stdout or not done.stdout
                                or "0 files" in done.stdout, bag)
                continue
            with h5py.File(out / "export.h5", "r") as file:
                for line in about.stdout.splitlines():
                    topic = line.split("\t")[0]
                    if topic in file:
                        self.check_topic(file, bag, topic)
                        checked += 1
        self.assertGreater(checked, 3)

    def test_nulls(self):
        """Of a field of an element that is not always there, and of damaged messages."""
        bag = self.folder / "nulls.bag"
        every_type.make(bag)
        fields = ["small[1]", "reals[2]", "texts[0]", "flags[0]", "stamps[0]"]
        file, _ = self.export(bag, "--topics", "/every", "--fields", *fields)
        data = [each["data"] for each in column_stream.messages(bag, "--topics", "/every",
                                                                "--bytes", "array")]
        group = file["/every"]
        for field in fields:
            name, index = field[:-1].split("[")
            there = [len(each[name]) > int(index) for each in data]
            self.assertIn(False, there)
            self.assertEqual(group[field + "__valid"][...].tolist(), there, field)
        there = group["small[1]__valid"][...]
        self.assertEqual(set(group["small[1]"][...][~there].tolist()), {0})
        self.assertEqual(group["small[1]"][...][there].tolist(),
                         [each["small"][1] for each in data if len(each["small"]) > 1])
        self.assertTrue(numpy.isnan(group["reals[2]"][...][~group["reals[2]__valid"][...]]).all())

    def test_messages_that_cannot_be_decoded_have_a_row_with_raw(self):
        bag = self.folder / "damaged.bag"
        kitbag("convert", "-f", self.drive, bag, "--topics", "/odom", "--compression", "none")
        content = bytearray(bag.read_bytes())
        place = content.index(b"\x09\0\0\0base_link")
        content[place:place + 4] = b"\xff\xff\xff\x7f"
        bag.write_bytes(content)
        file, done = self.export(bag, "--on-error", "raw")
        self.assertIn("/odom: 1 message not decoded", done.stderr)
        valid = file["/odom/pose/pose/position/x__valid"][...]
        self.assertEqual((len(valid), int(valid.sum())), (100, 99))
        self.assertEqual(file["/odom/pose/covariance__valid"].shape, (100, 36))
        self.assertFalse(file["/odom/pose/covariance__valid"][...][~valid].any())

    def test_names_do_not_meet(self):
        """A topic inside of another one, whose field has its name; names that HDF5 has not."""
        bag = self.folder / "names.bag"
        kitbag("convert", "-f", self.drive, bag, "--topics", "/odom", "/imu", "/battery", "/rosout",
               "--rename", "/odom:=/a", "/imu:=/a/pose", "/battery:=/./é b", "/rosout:=//a//pose/")
        file, _ = self.export(bag)
        self.assertEqual(file["/a"].attrs["topic"], "/a")
        self.assertEqual({file["/a/pose"].attrs["topic"], file["/a/pose_"].attrs["topic"]},
                         {"/a/pose", "//a//pose/"})
        self.assertIn("position", file["/a/pose__/pose"])
        self.assertEqual(file["/%2E/é b"].attrs["topic"], "/./é b")

    def test_several_definitions_are_told(self):
        other = self.folder / "other.bag"
        bag = make_bag.BagFile(other)
        odom = bag.connection("/odom", "std_msgs/String")
        bag.add_chunk([(odom, 1_900_000_000_000_000_000, b"\2\0\0\0hi")])
        bag.close()
        file, _ = self.export(self.drive, other, "--topics", "/odom")
        attributes = file["/odom"].attrs
        self.assertEqual((attributes["type"], attributes["type_2"]),
                         ("nav_msgs/Odometry", "std_msgs/String"))
        self.assertEqual(file["/odom/data"][-1], b"hi")
        self.assertEqual(file["/odom/data__valid"][...].tolist(), [False] * 100 + [True])

    def test_existing_files_are_replaced_with_force_only(self):
        self.export(self.drive, "--topics", "/odom")
        done = self.run_export(self.drive, "--topics", "/odom", code=2)
        self.assertIn(f"{self.out}/export.h5: already exists; use --force to replace it",
                      done.stderr)
        self.run_export(self.drive, "--topics", "/odom", "--force")

    def test_has_no_parts(self):
        done = self.run_export(self.drive, "--partition", "day", code=2)
        self.assertIn("hdf5 has no files by day or bag", done.stderr)

    def test_a_full_disk_leaves_nothing(self):
        out = self.folder / "full"
        out.mkdir()
        limit = (f"ulimit -f 100; trap '' XFSZ; exec {program()} export {self.drive} -o {out} "
                 "--format hdf5")
        done = subprocess.run(["sh", "-c", limit], capture_output=True, text=True, check=False,
                              timeout=60)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, rf"{out}/export\.h5: [Ff]ile too large")
        self.assertEqual(list(out.iterdir()), [])

    def test_an_interrupt_leaves_nothing(self):
        out = self.folder / "interrupted"
        out.mkdir()
        process = subprocess.Popen([program(), "export", "demo://?seconds=100000", "-o", out,
                                    "--format", "hdf5"], stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while not any(out.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(any(out.iterdir()), "it has begun")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 2)
        self.assertIn("interrupted", told)
        self.assertEqual(list(out.iterdir()), [])

    def test_as_json(self):
        done = self.run_export(self.drive, "--topics", "/odom", "/imu", "--json")
        told = json.loads(done.stdout)
        self.assertEqual((told["messages"], told["files"]), (300, 1))
        self.assertEqual(told["size_bytes"], (self.out / "export.h5").stat().st_size)


if __name__ == "__main__":
    peers.main()
