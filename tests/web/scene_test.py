#!/usr/bin/env python3
"""3D in a real Chromium: pixels stand where the bag says, seen from above, in the right colours."""

import base64
import json
import math
import shutil
import struct
import sys
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from make_bag import BagFile  # noqa: E402
from page import PageTest, js  # noqa: E402
from peers import REAL_BAGS, need_real_bags  # noqa: E402
from scene_entities import make_entities  # noqa: E402

CANVAS = ".scene canvas[tabindex]"
TILT = "v2.0_PlotJuggler_tilt_laser_c9731f25.bag"
OLD = "v1.2_unindexed_nofileheader_from_f102c6b5.bag"
VIOLET, YELLOW = (0x44, 0x01, 0x54), (0xfd, 0xe7, 0x25)  # the ends of viridis
AXIS_X = (224, 60, 60)
START = 1_700_000_000
ENTITIES = "json", "protobuf"

HEADER = "=" * 80 + "\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n"
POSE = ("=" * 80 + "\nMSG: geometry_msgs/Pose\nPoint position\nQuaternion orientation\n" +
        "=" * 80 + "\nMSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n" +
        "=" * 80 + "\nMSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n")
TF = ("geometry_msgs/TransformStamped[] transforms\n" +
      "=" * 80 + "\nMSG: geometry_msgs/TransformStamped\nHeader header\nstring child_frame_id\n"
      "Transform transform\n" + HEADER +
      "=" * 80 + "\nMSG: geometry_msgs/Transform\nPoint translation\nQuaternion rotation\n" + POSE)
CLOUD = ("Header header\nuint32 height\nuint32 width\nsensor_msgs/PointField[] fields\n"
         "bool is_bigendian\nuint32 point_step\nuint32 row_step\nuint8[] data\nbool is_dense\n" +
         HEADER + "=" * 80 + "\nMSG: sensor_msgs/PointField\nstring name\nuint32 offset\n"
         "uint8 datatype\nuint32 count\n")
MARKER = ("Header header\nstring ns\nint32 id\nint32 type\nint32 action\ngeometry_msgs/Pose pose\n"
          "geometry_msgs/Point scale\nColor color\nduration lifetime\n" + HEADER + POSE +
          "=" * 80 + "\nMSG: visualization_msgs/Color\nfloat32 r\nfloat32 g\nfloat32 b\n"
          "float32 a\n")
ROBOT = """<robot name="r"><link name="robot"><visual><origin xyz="0 0 0.1"/>
<geometry><box size="1 1 0.2"/></geometry>
<material name="blue"><color rgba="0 0 1 1"/></material></visual></link>
<link name="arm"><visual><geometry><mesh filename="package://r/arm.dae"/></geometry></visual>
</link></robot>"""


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


def header(frame, seconds):
    return struct.pack("<III", 0, START + seconds, 0) + text(frame)


def pose(x, y, z=0.0):
    return struct.pack("<7d", x, y, z, 0, 0, 0, 1)


def marker(id_, action, seconds, x, y, lifetime=0):
    return (header("map", seconds) + text("") + struct.pack("<iii", id_, 1, action) + pose(x, y) +
            struct.pack("<3d4f", 2, 2, 0.1, 1, 0, 0, 1) + struct.pack("<ii", lifetime, 0))


def cloud(frame, seconds, points):
    fields = b"".join(text(name) + struct.pack("<IBI", 4 * i, 7, 1)
                      for i, name in enumerate(("x", "y", "z", "rgb")))
    data = b"".join(struct.pack("<3fI", *point) for point in points)
    return (header(frame, seconds) + struct.pack("<III", 1, len(points), 4) + fields +
            struct.pack("<BIII", 0, 16, 16 * len(points), len(data)) + data + b"\1")


def make_shapes(path):
    """A robot that goes 1 m/s along x, with two patches of a cloud beside it; a red square of
    markers from 1 s to 3 s, another one for a second; a cloud that nothing connects."""
    bag = BagFile(path)
    tf = bag.connection("/tf", "tf2_msgs/TFMessage", definition=TF)
    points = bag.connection("/points", "sensor_msgs/PointCloud2", definition=CLOUD)
    lost = bag.connection("/lost", "sensor_msgs/PointCloud2", definition=CLOUD)
    marks = bag.connection("/marker", "visualization_msgs/Marker", definition=MARKER)
    robot = bag.connection("/robot_description", "std_msgs/String", latching="1")
    patches = [(0.02 * i, 2 * side + 0.02 * j, 0 if side > 0 else 1, 0x00ff00)
               for i in range(-20, 20) for j in range(-20, 20) for side in (-1, 1)]
    messages = [(robot, 0, text(ROBOT))]
    for second in range(11):
        messages += [
            (tf, second, struct.pack("<I", 1) + header("map", second) + text("robot") +
             pose(second, 0)),
            (points, second, cloud("robot", second, patches)),
            (lost, second, cloud("nowhere", second, patches[:3]))]
    messages += [(marks, 1, marker(1, 0, 1, -3, 0)), (marks, 3, marker(1, 2, 3, 0, 0)),
                 (marks, 5, marker(2, 0, 5, -3, 3, lifetime=1))]
    bag.add_chunk([(conn, (START + second) * 10**9, data)
                   for conn, second, data in sorted(messages, key=lambda each: each[1])])
    bag.close()


def heading(rotation):
    return 2 * math.atan2(rotation["z"], rotation["w"])


class Scene(PageTest):
    @classmethod
    def write_bags(cls):
        make_shapes(cls.folder / "shapes.bag")
        for encoding in ENTITIES:
            make_entities(cls.folder / f"entities_{encoding}.mcap", encoding)
        if REAL_BAGS.exists():
            shutil.copy(REAL_BAGS / TILT, cls.folder)
            shutil.copy(REAL_BAGS / "derived" / OLD, cls.folder)

    def show(self, bag, seconds, eye=None, **settings):
        """One scene, seen from above: `eye` is x, y and the distance."""
        if eye:
            settings["eye"] = f"{eye[0]},{eye[1]},0,{eye[2]},{-math.pi / 2},{math.pi / 2}"
        chosen = " ".join(f"{quote(name, '')}={quote(str(value), '')}"
                          for name, value in settings.items())
        self.browser.open(url=f"{self.root}?bag={quote(bag)}&t={seconds}&panel=" +
                              quote(f"scene  {chosen}"))
        self.wait_for(seconds)

    def wait_for(self, seconds):
        self.wait(f"Math.abs({js(CANVAS)}?.dataset.time - {seconds}) < 1e-6 && "
                  f"{js('.scene')}.dataset.fixed !== undefined && {js('.state')}.innerText === ''")

    def eye(self):
        return [float(each) for each in self.see(f"{js(CANVAS)}.dataset.eye").split(",")]

    def colours(self, *places):
        """Of the pixels at places (x, y, z), as a person sees them from above; of each the one in
        the middle and those around it."""
        target_x, target_y, _, distance, _, _ = self.eye()
        box = self.see(f"(({{left, top, width, height}}) => [left, top, width, height])"
                       f"({js(CANVAS)}.getBoundingClientRect())")
        pixels = []
        for x, y, *z in places:
            scale = box[3] / 2 / math.tan(math.radians(22.5)) / (distance - (z[0] if z else 0))
            pixels.append((round(box[0] + box[2] / 2 + (x - target_x) * scale),
                           round(box[1] + box[3] / 2 - (y - target_y) * scale)))
        file = self.folder / "seen.png"
        self.browser.picture(to=str(file))
        data = base64.b64encode(file.read_bytes()).decode()
        return [[tuple(around[i:i + 3]) for i in range(0, 100, 4)] for around in self.see(
            "(async () => { const image = new Image();"
            f"image.src = 'data:image/png;base64,{data}'; await image.decode();"
            "const copy = new OffscreenCanvas(image.width, image.height)"
            ".getContext('2d', {willReadFrequently: true});"
            f"copy.drawImage(image, 0, 0); return {json.dumps(pixels)}"
            ".map(([x, y]) => [...copy.getImageData(x - 2, y - 2, 5, 5).data]);"
            "})()")]

    def middle(self, *places):
        return [around[12] for around in self.colours(*places)]

    def assertNear(self, colour, wanted):
        self.assertLess(max(abs(a - b) for a, b in zip(colour, wanted)), 12, (colour, wanted))

    def is_there(self, around, wanted):
        return any(max(abs(a - b) for a, b in zip(each, wanted)) < 40 for each in around)

    def test_the_robot_stands_where_tf_says(self):
        for bag in "demo.bag", "ros2.mcap":
            places = {}
            for seconds in (7.3, 2.1):
                data = self.last_before("/tf", seconds, self.folder / bag)[1]["transforms"][0]
                move, turn = data["transform"]["translation"], data["transform"]["rotation"]
                places[seconds] = (move["x"] + 0.8 * math.cos(heading(turn)),
                                   move["y"] + 0.8 * math.sin(heading(turn)))
            hidden = {f"hidden:/{name}": 1 for name in ("map", "scan", "points", "odom", "path")}
            self.show(bag, 7.3, (*places[7.3], 10), axes=1, names=0, **hidden)
            for seconds, other in (7.3, 2.1), (2.1, 7.3):
                self.seek(seconds)
                self.wait_for(seconds)
                now, then = self.colours(places[seconds], places[other])
                self.assertTrue(self.is_there(now, AXIS_X), (bag, seconds, now))
                self.assertFalse(self.is_there(then, AXIS_X), (bag, seconds, then))

    def test_the_map_has_the_colours_of_its_cells(self):
        _, _, data = cat(self.demo, "--topics", "/map")[0]
        info, cells = data["info"], data["data"]
        width, size = info["width"], info["resolution"]

        def place_of(value):
            for y in range(6, info["height"] - 6):
                for x in range(6, width - 6):
                    if all(cells[(y + v) * width + x + u] == value
                           for v in range(-4, 5) for u in range(-4, 5)):
                        return (x + 0.5) * size, (y + 0.5) * size
            raise AssertionError(f"the map has no {value}")

        places = place_of(0), place_of(100)
        hidden = {f"hidden:/{name}": 1 for name in ("scan", "points", "odom", "path")}
        self.show("demo.bag", 3, (10, 6, 30), axes=0, **hidden)
        free, full = self.middle(*places)
        self.assertNear(free, (250,) * 3)
        self.assertNear(full, (20,) * 3)
        self.show("demo.bag", 3, (10, 6, 30), axes=0, **hidden, **{"colour:/map": "costmap"})
        free, full = self.middle(*places)
        self.assertGreater(min(free), 200)  # the floor
        self.assertTrue(full[0] > 180 > 80 > full[1], full)

    def test_entities_and_cells(self):
        for encoding in ENTITIES:
            with self.subTest(encoding):
                self.check_entities(f"entities_{encoding}.mcap")
        self.browser.picture(to=str(pictures() / "scene-entities.png"))

    def check_entities(self, bag):
        red, green, blue = (-3, 3), (3, -3), (-3, -3)
        for seconds, wanted in ((0.5, {2}), (2.5, {0, 1, 2}), (4, {1, 2}), (6, set())):
            self.show(bag, seconds, (0, 0, 16), axes=0)
            for channel, colour in enumerate(self.middle(red, green, blue)):
                others = [part for each, part in enumerate(colour) if each != channel]
                is_shown = colour[channel] > max(others) + 80
                self.assertEqual(is_shown, channel in wanted, (seconds, channel, colour))
            cells = self.middle((2.5, 2.5), (3.5, 2.5), (2.5, 3.5), (3.5, 3.5), (4.5, 3.5))
            for cell, colour in zip(cells, (VIOLET, VIOLET, VIOLET, YELLOW)):
                self.assertNear(cell, colour)
            self.assertGreater(min(cells[4]), 200)  # the floor
            self.assertEqual([each.split() for each in self.browser.texts(on=".scene-legends li")],
                             [["/grid", "height", "0", "5"]])

    def test_a_cloud_by_field_and_hidden(self):
        left, right = (4, 2, 0), (4, -2, 1)
        off = {"hidden:/robot_description": 1, "axes": 0}
        for field, low, high in ((None, (0, 255, 0), (0, 255, 0)), ("z", VIOLET, YELLOW),
                                 ("#3060a0", (0x30, 0x60, 0xa0), (0x30, 0x60, 0xa0))):
            self.show("shapes.bag", 4.5, (4, 0, 12), **off, **({"colour:/points": field} if field
                                                             else {}))
            colours = self.middle(left, right, (4, 1, 0))
            self.assertNear(colours[0], low)
            self.assertNear(colours[1], high)
            self.assertGreater(min(colours[2]), 200)  # between them is the floor
            legend = self.browser.texts(on=".scene-legends li")
            self.assertEqual([each.split() for each in legend],
                             [["/points", "z", "0", "1"]] if field == "z" else [])
        self.show("shapes.bag", 4.5, (4, 0, 12), **off, **{"hidden:/points": 1})
        self.assertGreater(min(min(each) for each in self.middle(left, right)), 200)

    def test_what_cannot_be_placed_says_why(self):
        self.show("shapes.bag", 4.5, (4, 0, 12))
        self.assertEqual(
            self.browser.texts(on='.scene-notes [data-topic="/lost"]'),
            ["/lost no transform from nowhere to map: nowhere is not known"])
        self.show("shapes.bag", 4.5, (4, 0, 12), fixed="odom")
        self.assertEqual(
            self.browser.texts(on='.scene-notes [data-topic="/points"]'),
            ["/points no transform from robot to odom: odom is not known"])

    def test_markers_come_and_go(self):
        square, other = (-3, 0), (-3, 3)
        red = lambda colour: colour[0] > 120 and max(colour[1:]) < 40  # noqa: E731
        self.show("shapes.bag", 0.5, (-3, 0, 12), axes=0)
        for seconds, first, second in ((0.5, 0, 0), (2, 1, 0), (3.5, 0, 0), (5.5, 0, 1),
                                       (6.5, 0, 0), (2.5, 1, 0)):
            self.seek(seconds)
            self.wait_for(seconds)
            colours = self.middle(square, other)
            self.assertEqual([red(each) for each in colours], [first, second], (seconds, colours))

    def test_the_robot_has_its_shape(self):
        self.show("shapes.bag", 6.5, (6.5, 0, 12), axes=0, **{"hidden:/points": 1})
        inside, outside = self.middle((6.25, 0.3, 0.2), (7.3, 0.3))
        self.assertTrue(inside[2] > 120 and max(inside[:2]) < 40, inside)
        self.assertGreater(min(outside), 200)
        self.assertTrue(any("1 mesh is left out" in each
                            for each in self.browser.texts(on=".scene-notes li")))

    def test_following(self):
        self.show("demo.bag", 3)

        def robot(seconds):
            data = self.last_before("/tf", seconds, self.demo)[1]["transforms"][0]["transform"]
            return data["translation"], heading(data["rotation"])

        self.browser.press(key="f")
        self.wait(f"{js('.scene')}.dataset.followed === 'base_link'")
        for seconds in (3, 9):
            self.seek(seconds)
            self.wait_for(seconds)
            at, _ = robot(seconds)
            eye = self.eye()
            self.assertLess(math.dist(eye[:2], (at["x"], at["y"])), 0.03)
        self.browser.press(key="f")
        self.wait("document.querySelector('.scene-bar [aria-pressed=true]').innerText.includes("
                  "'heading')")
        before = self.eye()[4]
        self.seek(5)
        self.wait_for(5)
        turned = (self.eye()[4] - before - robot(5)[1] + robot(9)[1]) % math.tau
        self.assertLess(min(turned, math.tau - turned), 0.02)
        self.browser.press(key="f")
        self.wait(f"{js('.scene')}.dataset.followed === ''")

    def test_turning_moving_zooming_and_asking(self):
        self.show("shapes.bag", 4.5, (4, 0, 12), axes=0, **{"hidden:/robot_description": 1})
        box = self.see(f"[{js(CANVAS)}.clientWidth, {js(CANVAS)}.clientHeight]")
        scale = box[1] / 2 / math.tan(math.radians(22.5)) / 12
        self.browser.click(on=CANVAS, x=box[0] / 2, y=box[1] / 2 - 2 * scale)
        self.wait(f"{js('.scene-picked')}")
        words = self.see(f"{js('.scene-picked')}.innerText").replace(",", "").split()
        self.assertEqual(words[:3], ["/points", "in", "robot"])
        x, y, z = map(float, words[3:6])
        self.assertLess(math.dist((x, y, z), (0, 2, 0)), 0.1)
        self.browser.wheel(on=CANVAS, at=0.5, by=500)
        self.wait(f"Math.abs({js(CANVAS)}.dataset.eye.split(',')[3] - 12 * Math.exp(0.5)) < 0.01")
        self.browser.drag(on=CANVAS, **{"from": 0.4, "to": 0.5}, y=300)
        self.wait(f"Math.abs({js(CANVAS)}.dataset.eye.split(',')[4] - {-math.pi / 2}) > 0.1")
        for key, field in ("s", 5), ("Shift+D", 0), ("q", 3):
            before = self.eye()[field]
            self.browser.press(key=key)
            self.wait(f"Math.abs({js(CANVAS)}.dataset.eye.split(',')[{field}] - {before}) > 0.01")
        self.wait("location.search.includes('eye')")  # the URL is the screen

    def test_real_bags(self):
        need_real_bags()
        for bag, topic in (TILT, "/scan"), (OLD, "scan"):
            rows = cat(REAL_BAGS / ("derived" if bag == OLD else "") / bag, "--topics", topic)
            first = cat(REAL_BAGS / ("derived" if bag == OLD else "") / bag, "--count", "1")[0][1]
            ns, scan = [(ns - first, data) for _, ns, data in rows if ns - first <= 5e9][-1]
            places = [(r * math.cos(a), r * math.sin(a)) for r, a in (
                (r, scan["angle_min"] + i * scan["angle_increment"])
                for i, r in enumerate(scan["ranges"])
                if isinstance(r, (int, float)) and scan["range_min"] <= r <= 4)][::40]
            self.assertGreater(len(places), 5)
            self.show(bag, 5, (0, 0, 14), fixed="laser", axes=0,
                      **{f"colour:{topic}": "#d00000"})
            seen = [self.is_there(around, (0xd0, 0, 0)) for around in self.colours(*places)]
            self.assertEqual(seen, [True] * len(places), bag)
            self.show(bag, 5)  # by tf, from the top of the tree
            self.assertEqual(self.see(f"{js('.scene')}.dataset.fixed"),
                             "tilt_base" if bag == TILT else "odom")
            self.assertEqual(self.see(f"{js('.scene')}.dataset.shown"), topic)
            self.assertEqual(self.browser.texts(on=".scene-notes li"), [])

    def test_a_browser_without_webgl(self):
        self.browser.open(url=f"{self.root}?bag=demo.bag&panel=tree+/battery")
        self.wait(js(".tree"))
        self.see("void (() => { const of = HTMLCanvasElement.prototype, get = of.getContext;"
                 "of.getContext = function (kind, ...more) {"
                 "return kind.startsWith('webgl') ? null : get.call(this, kind, ...more); }; })()")
        self.browser.click(on='.topics [title^="sensor_msgs/LaserScan"]')
        self.wait(f"{js('.scene .missing')}?.innerText.includes('has no WebGL 2')")

    def test_pictures(self):
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.browser.window(**window)
            self.show("demo.bag", 12.4)
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"scene-{name}.png"))


if __name__ == "__main__":
    peers.main()
