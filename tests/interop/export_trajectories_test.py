#!/usr/bin/env python3
"""`kitbag export --format tum`, `kitti`, `gpx` and `geojson`: the numbers are those of the
messages; gpsbabel and an XML parser read the tracks."""

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from export_test_case import START, ExportTest  # noqa: E402
from peers import REAL_BAGS, main, need, need_real_bags, program, run  # noqa: E402
from python_package import kitbag, make_demo  # noqa: E402

ARM = REAL_BAGS / "v2.0_usc-clmc-ros-pkg_test_recording_arm_a28bc6ed.bag"
GPS = REAL_BAGS / "v2.0_PlotJuggler_tilt_laser_c9731f25.bag"
OLD = REAL_BAGS / "v1.2_ccny-ros-pkg-pbouffard_demo_381f1a07.bag"
SPACE = {"gpx": "http://www.topografix.com/GPX/1/1"}


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


def iso(ns):
    return datetime.fromtimestamp(ns // 10**9, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + \
        f".{ns % 10**9:09}Z"


def pose_of(pose):
    p, q = pose.position, pose.orientation
    return [p.x, p.y, p.z, q.x, q.y, q.z, q.w]


class Trajectories(ExportTest):
    def assert_tum(self, name, expected):
        lines = [line.split(" ") for line in (self.out / name).read_text().splitlines()]
        self.assertEqual([line[0] for line in lines], [seconds(ns) for ns, _ in expected])
        self.assertEqual([[float(value) for value in line[1:]] for line in lines],
                         [pose for _, pose in expected])

    def assert_is_as_cat_says(self, bag, topic, prefix, name):
        self.export(bag, "tum", "--topics", topic)
        fields = [f"{prefix}.position.{each}" for each in "xyz"] + \
                 [f"{prefix}.orientation.{each}" for each in "xyzw"]
        rows = [json.loads(line) for line in run(
            program(), "cat", bag, "--topics", topic, "--fields", ",".join(fields), "--format",
            "json").splitlines()]

        def numbers(row):
            for step in prefix.split("."):
                row = row[step]
            return [row["position"][each] for each in "xyz"] + \
                   [row["orientation"][each] for each in "xyzw"]
        times = [message.time for message in kitbag.open(bag)[topic]]
        self.assertGreater(len(rows), 10)
        self.assert_tum(name, list(zip(times, [numbers(row["data"]) for row in rows])))

    def test_odometry(self):
        bag = make_demo(self.folder / "demo.bag", 1)
        self.assert_is_as_cat_says(bag, "/odom", "pose.pose", "odom.tum")
        self.export(bag, "tum", "--topics", "/odom", "--time", "header_stamp")
        self.assert_tum("odom.tum", [(m.data.header.stamp.ns, pose_of(m.data.pose.pose))
                                     for m in kitbag.open(bag)["/odom"]])
        ros2 = self.folder / "demo.mcap"
        run(program(), "convert", bag, ros2, "--encoding", "cdr")
        self.export(bag, "tum", "--topics", "/odom")
        expected = (self.out / "odom.tum").read_text()
        self.export(ros2, "tum", "--topics", "/odom")
        self.assertEqual((self.out / "odom.tum").read_text(), expected)

    def test_real_poses(self):
        need_real_bags()
        self.assert_is_as_cat_says(ARM, "/SL/cart_state", "pose", "SL__cart_state.tum")

    def test_odometry_of_2010(self):
        need_real_bags()
        self.export(OLD, "tum", "--topics", "/gps_odom")
        self.assert_tum("gps_odom.tum", [(m.time, pose_of(m.data.pose.pose))
                                         for m in kitbag.open(OLD)["/gps_odom"]])

    def test_kitti_is_the_matrix_of_the_quaternion(self):
        import numpy
        bag = make_demo(self.folder / "demo.bag", 1)
        self.export(bag, "kitti", "--topics", "/odom")
        rows = numpy.loadtxt(self.out / "odom.kitti").reshape(-1, 3, 4)
        messages = list(kitbag.open(bag)["/odom"])
        self.assertEqual(len(rows), len(messages))
        for row, message in zip(rows, messages):
            *position, x, y, z, w = pose_of(message.data.pose.pose)
            self.assertEqual(row[:, 3].tolist(), position)
            rotation = row[:, :3]
            self.assertTrue(numpy.allclose(rotation @ rotation.T, numpy.eye(3)))
            for axis in numpy.eye(3):  # v + 2 q x (q x v + w v), for the quaternion (q, w)
                q = numpy.array([x, y, z])
                turned = axis + 2 * numpy.cross(q, numpy.cross(q, axis) + w * axis)
                self.assertTrue(numpy.allclose(rotation @ axis, turned))

    def pose(self, x, rotation=(0, 0, 0, 1)):
        return {"position": {"x": x, "y": 2, "z": 3},
                "orientation": dict(zip("xyzw", rotation))}

    def test_poses_that_are_none(self):
        nan, inf = float("nan"), float("inf")
        bag = self.bag("geometry_msgs/PoseStamped", *({"pose": pose} for pose in (
            self.pose(1), self.pose(nan), self.pose(2, (0, 0, 0, 0)), self.pose(inf))))
        done = self.export(bag, "tum")
        self.assert_tum("x.tum", [(START, [1, 2, 3, 0, 0, 0, 1]),
                                  (START + 2, [2, 2, 3, 0, 0, 0, 1])])
        self.assertIn("/x: 2 messages left out; /x at 2023", done.stderr)
        self.assertIn("/x: poses without an orientation (0 0 0 0), which is written as 0 0 0 1: 1",
                      done.stderr)
        bag = self.bag("geometry_msgs/PoseWithCovarianceStamped", {"pose": {"pose": self.pose(5)}})
        self.export(bag, "tum")
        self.assert_tum("x.tum", [(START, [5, 2, 3, 0, 0, 0, 1])])

    def frames(self, *transforms):
        """A message for each list of (parent, child, seconds, x, turn of a half or not)."""
        return [{"transforms": [
            {"header": {"stamp": int(second * 10**9), "frame_id": parent}, "child_frame_id": child,
             "transform": {"translation": {"x": x}, "rotation": {"z": int(turned),
                                                                 "w": int(not turned)}}}
            for parent, child, second, x, turned in each]} for each in transforms]

    def frame_bag(self, moving, static):
        path = self.folder / "tf.bag"
        with kitbag.create(path, replace=True) as writer:
            for topic, messages in (("/tf_static", static), ("/tf", moving)):
                for i, message in enumerate(self.frames(*messages)):
                    writer.write(topic, message, START + i, type="tf2_msgs/TFMessage")
            writer.write("/text", {"data": "x"}, START, type="std_msgs/String")
        return path

    def test_the_path_of_a_frame(self):
        moving = [[("map", "odom", second, 100 * second, False)] for second in (1, 3)] + \
                 [[("odom", "base", second, second, True)] for second in (0, 2, 2.5, 3)] + \
                 [[("base", "wheel", 2.5, 7, False)]]
        bag = self.frame_bag(moving, [[("base", "lidar", 0, 5, False)]])
        done = self.export(bag, "tum", "--frame", "map:/lidar")
        # map -> odom lies on a line; the lidar is 5 m in front of the base, which looks backwards.
        half = [0, 0, 0, 0, 1, 0]
        self.assert_tum("map__lidar.tum", [
            (10**9, [96, *half]), (2 * 10**9, [197, *half]), (25 * 10**8, [247.5, *half]),
            (3 * 10**9, [298, *half])])
        self.assertIn("map__lidar.tum: 1 of 5 stamps have no pose: ", done.stderr)
        self.assertIn("map__lidar.tum: 8 messages, ", done.stdout)
        self.export(bag, "kitti", "--frame", "lidar:base")
        row = (self.out / "lidar__base.kitti").read_text().split()
        self.assertEqual([float(each) for each in row], [1, 0, 0, -5, 0, 1, 0, 0, 0, 0, 1, 0])

    def test_frames_that_are_not_there(self):
        bag = self.frame_bag([[("map", "odom", 1, 1, False)], [("a", "b", 1, 1, False)]], [])
        self.assertIn("base", self.export(bag, "tum", "--frame", "map:base", code=2).stderr)
        self.assertIn("map", self.export(bag, "tum", "--frame", "map:b", code=2).stderr)
        self.assertFalse(self.out.exists() and any(self.out.iterdir()))
        self.assertIn("there are no transforms", self.export(
            bag, "tum", "--frame", "map:odom", "--topics", "/text", code=2).stderr)
        for wrong in ("map", ":odom", "map:", "a:b:c"):
            self.assertIn("--frame takes PARENT:CHILD",
                          self.export(bag, "tum", "--frame", wrong, code=2).stderr)
        self.assertIn("gpx has no path of a frame", self.export(bag, "gpx", "--frame", "map:odom",
                                                                code=2).stderr)

    def test_the_last_path(self):
        poses = [{"header": {"stamp": i * 10**9 + 5}, "pose": self.pose(i)} for i in range(4)]
        poses[2]["header"]["stamp"] = 0
        poses.append({"pose": self.pose(float("nan"))})
        bag = self.bag("nav_msgs/Path", *({"poses": poses[:i]} for i in (1, 3, 5)))
        done = self.export(bag, "tum")
        self.assert_tum("x.tum", [(5, [0, 2, 3, 0, 0, 0, 1]), (10**9 + 5, [1, 2, 3, 0, 0, 0, 1]),
                                  (START + 2, [2, 2, 3, 0, 0, 0, 1]),
                                  (3 * 10**9 + 5, [3, 2, 3, 0, 0, 0, 1])])
        self.assertIn("/x: only the last of 3 paths is written", done.stderr)
        self.assertIn("/x: poses with NaN or infinity are left out: 1", done.stderr)
        self.assertIn("x.tum: 1 message of /x", done.stdout)

    def test_transforms_have_a_file_for_each_pair(self):
        bag = make_demo(self.folder / "demo.bag", 1)
        for time in ("log_time", "header_stamp"):
            self.export(bag, "tum", "--topics", "/tf", "/tf_static", "--time", time)
            expected = {}
            for topic in ("/tf", "/tf_static"):
                for message in kitbag.open(bag)[topic]:
                    for each in message.data.transforms:
                        t, q = each.transform.translation, each.transform.rotation
                        ns = message.time if time == "log_time" else each.header.stamp.ns
                        name = f"{topic[1:]}/{each.header.frame_id}__{each.child_frame_id}.tum"
                        expected.setdefault(name, []).append((ns, [t.x, t.y, t.z,
                                                                   q.x, q.y, q.z, q.w]))
            self.assertEqual({f"{each.parent.name}/{each.name}" for each in self.out.glob("*/*")},
                             set(expected))
            for name, poses in expected.items():
                self.assert_tum(name, poses)

    def test_too_many_frames_and_bad_names(self):
        def message(*frames):
            return {"transforms": [{"header": {"frame_id": parent}, "child_frame_id": child,
                                    "transform": {"rotation": {"w": 1}}}
                                   for parent, child in frames]}
        many = message(*((f"a{i}", "b") for i in range(257)))
        done = self.export(self.bag("tf2_msgs/TFMessage", many), "tum", code=2)
        self.assertIn("more than 256 pairs of frames", done.stderr)
        for frames in ((("a" * 300, "b"),), (("a", "b"), ("A", "b"))):
            done = self.export(self.bag("tf2_msgs/TFMessage", message(*frames)), "tum", code=2)
            self.assertIn("a name that is too long, or that of other frames", done.stderr)
        self.export(self.bag("tf2_msgs/TFMessage", message(("/../x", "b\n"))), "tum")
        self.assertEqual([each.name for each in (self.out / "x").iterdir()],
                         ["%2E.__x__b%0A.tum"])

    def gpx(self, name):
        """The segments of a track: lists of (latitude, longitude, elevation, time)."""
        root = xml.parse(self.out / name).getroot()
        self.assertEqual(root.tag, f"{{{SPACE['gpx']}}}gpx")
        track, = root.findall("gpx:trk", SPACE)
        self.track_name = track.findtext("gpx:name", None, SPACE)
        return [[(float(point.get("lat")), float(point.get("lon")),
                  point.findtext("gpx:ele", None, SPACE), point.findtext("gpx:time", None, SPACE))
                 for point in segment.findall("gpx:trkpt", SPACE)]
                for segment in track.findall("gpx:trkseg", SPACE)]

    def test_real_fixes(self):
        need_real_bags()
        self.export(GPS, "gpx")
        fixes = [(m.time, m.data) for m in kitbag.open(GPS)["/position_gps"]
                 if m.data.status.status >= 0]
        self.assertGreater(len(fixes), 100)
        points = [point for segment in self.gpx("position_gps.gpx") for point in segment]
        self.assertEqual(self.track_name, "/position_gps")
        self.assertEqual(len(points), len(fixes))
        for (lat, lon, ele, time), (ns, fix) in zip(points, fixes):
            self.assertAlmostEqual(lat, fix.latitude, 9)
            self.assertAlmostEqual(lon, fix.longitude, 9)
            self.assertAlmostEqual(float(ele), fix.altitude, 3)
            self.assertEqual(time, iso(ns))
        self.export(GPS, "geojson")
        feature = json.loads((self.out / "position_gps.geojson").read_text())
        self.assertEqual((feature["type"], feature["geometry"]["type"]), ("Feature", "LineString"))
        self.assertEqual(feature["geometry"]["coordinates"],
                         [[fix.longitude, fix.latitude, fix.altitude] for _, fix in fixes])
        self.assertEqual(feature["properties"], {"topic": "/position_gps",
                                                 "times": [iso(ns) for ns, _ in fixes]})

    def test_gpsbabel_reads_the_track(self):
        need_real_bags()
        need(shutil.which("gpsbabel"), "gpsbabel is not installed")
        self.export(GPS, "gpx")
        lines = run("gpsbabel", "-t", "-i", "gpx", "-f", self.out / "position_gps.gpx", "-o",
                    "unicsv,utc=0", "-F", "-").splitlines()
        columns = lines[0].split(",")
        fixes = [m.data for m in kitbag.open(GPS)["/position_gps"] if m.data.status.status >= 0]
        self.assertEqual(len(lines) - 1, len(fixes))
        for line, fix in zip(lines[1:], fixes):
            row = dict(zip(columns, line.split(",")))
            self.assertAlmostEqual(float(row["Latitude"]), fix.latitude, 5)
            self.assertAlmostEqual(float(row["Longitude"]), fix.longitude, 5)

    def fixes(self):
        nan = float("nan")
        return [{"latitude": 1, "longitude": 180, "altitude": 5.25},
                {"latitude": nan, "longitude": 2}, {"status": {"status": -1}, "latitude": 1},
                {"latitude": -90, "longitude": -2.5, "altitude": nan},
                {"latitude": 90.1, "longitude": 3}, {"latitude": 1, "longitude": 181}]

    def test_fixes_that_are_none(self):
        bag = self.bag("sensor_msgs/NavSatFix", *self.fixes(), topic="/<gps> & \x1b")
        done = self.export(bag, "gpx")
        name = "%3Cgps%3E%20%26%20%1B.gpx"
        self.assertEqual(self.gpx(name), [[(1, -180, "5.2500", iso(START))],
                                          [(-90, -2.5, None, iso(START + 3))]])
        self.assertEqual(self.track_name, "/<gps> & \\x1b")
        self.assertIn("4 messages left out; ", done.stderr)
        self.export(bag, "geojson")
        feature = json.loads((self.out / f"{name[:-4]}.geojson").read_text())
        self.assertEqual(feature["geometry"]["coordinates"], [[180, 1, 5.25], [-2.5, -90]])
        self.assertEqual(feature["properties"]["times"], [iso(START), iso(START + 3)])
        self.export(self.bag("sensor_msgs/NavSatFix", self.fixes()[0]), "geojson")
        feature = json.loads((self.out / "x.geojson").read_text())
        self.assertEqual(feature["geometry"], {"type": "Point", "coordinates": [180, 1, 5.25]})
        done = self.export(self.bag("sensor_msgs/NavSatFix", self.fixes()[1]), "gpx", code=2)
        self.assertIn("no message could be exported; ", done.stderr)

    def test_foxglove(self):
        path = self.folder / "x.mcap"
        stamp = {"timestamp": {"sec": 5, "nsec": 6}}
        with kitbag.create(path) as writer:
            for topic, type_, message in (
                    ("/fix", "foxglove.LocationFix", {"latitude": 1.5, "longitude": 2.5,
                                                      "altitude": 3}),
                    ("/pose", "foxglove.PoseInFrame", {"pose": self.pose(7)}),
                    ("/tf", "foxglove.FrameTransform", {
                        "parent_frame_id": "a", "child_frame_id": "b",
                        "translation": {"x": 1, "y": 2, "z": 3},
                        "rotation": {"x": 0, "y": 0, "z": 1, "w": 0}})):
                writer.topic(topic, type_, "{}", encoding="json", language="jsonschema")
                writer.write(topic, json.dumps({**stamp, **message}).encode(), START)
        self.export(path, "tum", "--topics", "/pose", "/tf")
        self.assert_tum("pose.tum", [(START, [7, 2, 3, 0, 0, 0, 1])])
        self.assert_tum("tf/a__b.tum", [(START, [1, 2, 3, 0, 0, 1, 0])])
        self.export(path, "geojson", "--topics", "/fix")
        feature = json.loads((self.out / "fix.geojson").read_text())
        self.assertEqual(feature["geometry"]["coordinates"], [2.5, 1.5, 3])

    def test_full_disk_and_damage(self):
        bag = make_demo(self.folder / "demo.bag", 20)
        limit = f"ulimit -f 20; trap '' XFSZ; exec {program()} export --format tum {bag} " \
                f"-o {self.folder}/out --topics /odom"
        done = subprocess.run(["sh", "-c", limit], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "out/odom.tum: .*[Ff]ile too large")
        self.assertEqual(list((self.folder / "out").iterdir()), [])
        path = self.folder / "cut.bag"
        message = kitbag.open(bag)["/odom"][0]
        with kitbag.create(path) as writer:
            writer.write("/odom", message)
            writer.topic("/odom", kitbag.open(bag)["/odom"])
            writer.write("/odom", bytes(message.raw)[:40], START)
        self.assertIn("/odom at ", self.export(path, "tum", code=2).stderr)
        self.assertFalse(list(self.out.glob("*")))
        done = self.export(path, "tum", "--on-error", "skip")
        self.assertIn("/odom: 1 message left out", done.stderr)
        self.assertEqual(len((self.out / "odom.tum").read_text().splitlines()), 1)


if __name__ == "__main__":
    main()
