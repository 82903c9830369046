#!/usr/bin/env python3
"""`kitbag export --format pcd` and `ply`: the points of every file are those of the message, as the
loaders of three.js and strict readers of the specifications find them."""

import base64
import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import protobuf_bytes  # noqa: E402
from cloud_files import read_pcd, read_ply  # noqa: E402
from export_test_case import START, ExportTest  # noqa: E402
from peers import REAL_BAGS, ROOT, main, need, need_real_bags, run_json  # noqa: E402
from python_package import kitbag, make_demo  # noqa: E402

NAME = "1700000000.123456789"
ROS = {"i1": 1, "u1": 2, "i2": 3, "u2": 4, "i4": 5, "u4": 6, "f4": 7, "f8": 8}
FOXGLOVE = {"u1": 1, "i1": 2, "u2": 3, "i2": 4, "u4": 5, "i4": 6, "f4": 7, "f8": 8}
FOXGLOVE_TYPES = {
    "google.protobuf.Timestamp": [(1, "seconds", "int64"), (2, "nanos", "int32")],
    "foxglove.Vector3": [(1, "x", "double"), (2, "y", "double"), (3, "z", "double")],
    "foxglove.Quaternion": [(1, "x", "double"), (2, "y", "double"), (3, "z", "double"),
                            (4, "w", "double")],
    "foxglove.Pose": [(1, "position", "foxglove.Vector3"), (2, "orientation",
                                                            "foxglove.Quaternion")],
    "foxglove.PackedElementField": [(1, "name", "string"), (2, "offset", "fixed32"),
                                    (3, "type", {"UNKNOWN": 0, "UINT8": 1, "INT8": 2, "UINT16": 3,
                                                 "INT16": 4, "UINT32": 5, "INT32": 6,
                                                 "FLOAT32": 7, "FLOAT64": 8})],
    "foxglove.PointCloud": [(1, "timestamp", "google.protobuf.Timestamp"),
                            (2, "frame_id", "string"), (3, "pose", "foxglove.Pose"),
                            (4, "point_stride", "fixed32"),
                            (5, "fields", "*foxglove.PackedElementField"), (6, "data", "bytes")]}


def message_of(points, height=1, row_pad=0, **more):
    """sensor_msgs/PointCloud2 of a structured array."""
    dtype = points.dtype
    fields, big = [], False
    for name, (field, offset, *_) in dtype.fields.items():
        base, shape = field.subdtype or (field, ())
        big = big or base.byteorder == ">"
        fields.append({"name": name, "offset": offset, "datatype": ROS[base.str[1:]],
                       "count": shape[0] if shape else 1})
    rows = points.reshape(height, -1)
    data = b"".join(row.tobytes() + b"\xaa" * row_pad for row in rows)
    return {"header": {"frame_id": "lidar"}, "height": height, "width": rows.shape[1],
            "fields": sorted(fields, key=lambda each: each["offset"]), "is_bigendian": big,
            "point_step": dtype.itemsize, "row_step": rows.shape[1] * dtype.itemsize + row_pad,
            "data": data, **more}


class Clouds(ExportTest):
    def cloud_bag(self, *messages, name="x.bag", type_="sensor_msgs/PointCloud2"):
        return self.bag(type_, *messages, name=name, topic="/points")

    def points(self, count=12, order="<"):
        """Random points with padding, fields of all types, and overlapping bytes."""
        import numpy
        names = ["x", "y", "z", "rgb", "t", "ring", "i1", "i2", "i4", "u1", "u4", "cov"]
        formats = ["f4", "f4", "f4", "f4", "f8", "u2", "i1", "i2", "i4", "u1", "u4", ("f4", (3,))]
        dtype = numpy.dtype({
            "names": names, "itemsize": 80,
            "offsets": [0, 4, 8, 16, 24, 32, 34, 36, 40, 44, 48, 56],
            "formats": [(order + each[0], each[1]) if isinstance(each, tuple) else order + each
                        for each in formats]})
        bytes_ = numpy.random.default_rng(7).integers(0, 256, count * 80, numpy.uint8)
        points = bytes_.view(dtype)
        for name in ("x", "y", "z", "cov"):
            points[name] = numpy.random.default_rng(8).normal(size=points[name].shape)
        points["x"][1] = numpy.nan
        return points

    def assert_equal_bytes(self, found, expected, what):
        """Also where a value is NaN."""
        expected = expected.astype(expected.dtype.newbyteorder("<"))
        self.assertEqual(found.reshape(expected.shape).tobytes(), expected.tobytes(), what)

    def assert_has_all(self, points, bag, name, viewpoint=(0, 0, 0, 1, 0, 0, 0), size=None):
        self.export(bag, "pcd")
        header, found = read_pcd(self.out / "points" / f"{name}.pcd")
        self.assertEqual(header["VIEWPOINT"], list(viewpoint))
        if size:
            self.assertEqual((header["WIDTH"], header["HEIGHT"]), ([str(size[0])], [str(size[1])]))
        for field in points.dtype.names:
            self.assert_equal_bytes(found[field], points[field], field)
        self.export(bag, "ply")
        comments, found = read_ply(self.out / "points" / f"{name}.ply")
        self.assertIn(f"comment time {name}", comments)
        self.assertIn("comment frame lidar", comments)
        for field in points.dtype.names:
            if field == "rgb":
                packed = points["rgb"].astype("<f4").view(numpy_u4())
                for color, shift in (("red", 16), ("green", 8), ("blue", 0)):
                    self.assertEqual(found[color].tolist(), (packed >> shift & 255).tolist())
            elif points[field].ndim > 1:
                for i in range(points[field].shape[-1]):
                    self.assert_equal_bytes(found[f"{field}_{i}"], points[field][:, i], field)
            else:
                self.assert_equal_bytes(found[field], points[field], field)

    def test_all_types_padding_and_orders_of_bytes(self):
        for order in "<>":
            points = self.points(order=order)
            for name, type_ in (("x.bag", "sensor_msgs/PointCloud2"),
                                ("x.mcap", "sensor_msgs/msg/PointCloud2")):
                bag = self.cloud_bag(message_of(points, 3, row_pad=5), name=name, type_=type_)
                self.assert_has_all(points, bag, NAME, size=(4, 3))

    def test_foxglove(self):
        import numpy
        points = numpy.zeros(5, [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("_", "<u2"),
                                 ("intensity", "<f8")])
        points["x"] = [1, 2, numpy.nan, 4, 5]
        points["intensity"] = numpy.arange(5) / 3
        fields = [{"name": name, "offset": offset, "type": FOXGLOVE[field.str[1:]]}
                  for name, (field, offset) in points.dtype.fields.items()]
        pose = {"position": {"x": 1.5, "y": 2, "z": -3},
                "orientation": {"x": 0, "y": 0, "z": 1, "w": 0}}
        message = {"frame_id": "lidar", "pose": pose, "point_stride": points.dtype.itemsize,
                   "fields": fields, "data": points.tobytes()}
        path = self.folder / "p.mcap"
        with kitbag.create(path) as writer:
            writer.topic("/points", "foxglove.PointCloud",
                         protobuf_bytes.descriptors(FOXGLOVE_TYPES), encoding="protobuf",
                         language="protobuf")
            writer.write("/points", protobuf_bytes.encode(
                FOXGLOVE_TYPES, "foxglove.PointCloud",
                {**message, "timestamp": {"seconds": 5, "nanos": 6}}), START)
        viewpoint = [1.5, 2, -3, 0, 0, 0, 1]
        self.assert_has_all(points, path, NAME, viewpoint, (5, 1))
        self.export(path, "pcd", "--time", "header_stamp")
        self.assertTrue((self.out / "points" / "0000000005.000000006.pcd").exists())
        message["data"] = base64.b64encode(message["data"]).decode()
        path = self.folder / "j.mcap"
        with kitbag.create(path) as writer:
            writer.topic("/points", "foxglove.PointCloud", "{}", encoding="json",
                         language="jsonschema")
            writer.write("/points", json.dumps(message).encode(), START)
        self.assert_has_all(points, path, NAME, viewpoint, (5, 1))

    def test_three_reads_them(self):
        import numpy
        need(shutil.which("node"), "node is not installed")
        need((ROOT / "web" / "node_modules" / "three").is_dir(), "no web/node_modules: npm ci")
        bag = make_demo(self.folder / "demo.bag", 1)
        clouds = [kitbag.points(each) for each in kitbag.open(bag)["/points"]]
        for format_ in ("pcd", "ply"):
            self.export(bag, format_, "--topics", "/points")
            files = sorted((self.out / "points").iterdir())
            self.assertEqual(len(files), len(clouds))
            for cloud, found in zip(clouds, run_json("node", HERE / "read_clouds.mjs", *files)):
                expected = numpy.stack([cloud[name].ravel() for name in "xyz"], axis=1)
                self.assertTrue(numpy.array_equal(numpy.array(found["position"]),
                                                  expected.ravel()), format_)
                if "intensity" in cloud.dtype.names:
                    self.assertTrue(numpy.array_equal(numpy.array(found["intensity"]),
                                                      cloud["intensity"].ravel()))

    def test_clouds_of_2010_are_lists(self):
        import numpy
        need_real_bags()
        bag = REAL_BAGS / "v1.2_ccny-ros-pkg-pbouffard_demo_ac7c3601.bag"
        topic = "/swissranger_camera/pointcloud_raw"
        messages = list(kitbag.open(bag)[topic])
        self.export(bag, "pcd")
        files = sorted((self.out / "swissranger_camera__pointcloud_raw").iterdir())
        self.assertEqual((len(files), len(messages)), (4, 4))
        for file, message in zip(files, messages):
            _, found = read_pcd(file)
            expected = numpy.array([(p.x, p.y, p.z) for p in message.data.points], "f4")
            self.assertGreater(len(expected), 10000)
            for i, axis in enumerate("xyz"):
                self.assert_equal_bytes(found[axis], expected[:, i], axis)
            for channel in message.data.channels:
                self.assert_equal_bytes(found[channel.name], numpy.asarray(channel.values, "f4"),
                                        channel.name)
        cloud = kitbag.as_dict(messages[0].data)
        cloud["channels"] = [{"name": "x", "values": [1.0]}]
        done = self.export(self.cloud_bag(cloud, type_="sensor_msgs/PointCloud"), "pcd", code=2)
        self.assertIn("a channel has 1 values for ", done.stderr)

    def test_scans_become_points(self):
        import numpy
        need_real_bags()
        bag = REAL_BAGS / "v2.0_PlotJuggler_tilt_laser_c9731f25.bag"
        messages = list(kitbag.open(bag)["/scan"])
        self.export(bag, "pcd", "--topics", "/scan")
        files = sorted((self.out / "scan").iterdir())
        self.assertEqual(len(files), len(messages))
        for file, message in zip(files, messages):
            scan = message.data
            ranges = numpy.asarray(scan.ranges, float)
            angles = scan.angle_min + numpy.arange(len(ranges)) * float(scan.angle_increment)
            is_valid = (ranges >= scan.range_min) & (ranges <= scan.range_max)
            _, found = read_pcd(file)
            self.assertEqual(len(found), is_valid.sum())
            for name, expected in (("x", ranges * numpy.cos(angles)),
                                   ("y", ranges * numpy.sin(angles)), ("z", ranges * 0)):
                self.assertTrue(numpy.allclose(found[name].ravel(), expected[is_valid], atol=1e-5))

    def test_names_become_words(self):
        import numpy
        points = numpy.zeros(1, [("a b", "<f4"), ("a_b", "<f4"), ("", "<u1"), ("r\ng", "<u1")])
        message = message_of(points)
        message["fields"][2]["name"] = ""
        self.export(self.cloud_bag(message), "pcd")
        header, _ = read_pcd(self.out / "points" / f"{NAME}.pcd")
        self.assertEqual(header["FIELDS"], ["a_b", "a_b_2", "field", "r_g"])

    def test_empty_clouds_and_colours_with_alpha(self):
        import numpy
        points = numpy.zeros(0, [("x", "<f4"), ("rgba", "<u4"), ("red", "<u1")])
        self.export(self.cloud_bag(message_of(points)), "ply")
        _, found = read_ply(self.out / "points" / f"{NAME}.ply")
        self.assertEqual((len(found), found.dtype.names),
                         (0, ("x", "red_2", "green", "blue", "alpha", "red")))

    def test_bad_clouds(self):
        import numpy
        points = numpy.zeros(6, [("x", "<f4"), ("y", "<f4"), ("z", "<f4")])
        sound = message_of(points, 2)
        field = sound["fields"][0]
        cases = (({"width": 4}, "row_step of 36 bytes is too short"),
                 ({"height": 3}, "3 x 3 points of 12 bytes need more than the 72 bytes"),
                 ({"data": sound["data"][:-1]}, "need more than the 71 bytes"),
                 ({"height": 2**32 - 1, "width": 2**32 - 1, "row_step": 0}, "need more than"),
                 ({"height": 2**32 - 1, "width": 1, "row_step": 2**32 - 1}, "need more than"),
                 ({"point_step": 11}, "ends beyond its point"), ({"point_step": 0}, "ends beyond"),
                 ({"fields": []}, "has no fields"),
                 ({"fields": [{**field, "datatype": 9}]}, "the unknown type 9"),
                 ({"fields": [{**field, "count": 2**32 - 1}]}, "ends beyond its point"),
                 ({"fields": [{**field, "offset": 2**32 - 1}]}, "ends beyond its point"),
                 ({"fields": [field] * 1025}, "at most 1024"),
                 ({"fields": [field] * 30}, "overlap too often"))
        for wrong, said in cases:
            done = self.export(self.cloud_bag({**sound, **wrong}), "pcd", code=2)
            self.assertIn(said, done.stderr)
            self.assertRegex(done.stderr, "/points at 2023")
            self.assertEqual(list(self.out.glob("*")), [])
        longer = {**sound, "data": sound["data"] + b"more"}
        bag = self.cloud_bag(sound, {**sound, "width": 4}, longer)
        done = self.export(bag, "pcd", "--on-error", "skip")
        self.assertIn("/points: 1 message left out", done.stderr)
        self.assertEqual(len(list((self.out / "points").iterdir())), 2)


def numpy_u4():
    import numpy
    return numpy.dtype("<u4")


if __name__ == "__main__":
    main()
