#!/usr/bin/env python3
"""Plots of real bags: what the legend says at the instant and under the pointer, and where the
curve goes, is what the real rosbag reads (`kitbag cat` where it cannot), of a whole bag and of a
part of it."""

import shutil
import sys
from math import log
from pathlib import Path
from urllib.parse import quote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from page import STRIP, OwnBagsTest, js  # noqa: E402
from peers import REAL_BAGS, need_data, need_real_bags  # noqa: E402
from ros1 import need_rosbag, rosbag  # noqa: E402

ROSBAG2 = REAL_BAGS.parent / "rosbag2" / "generated_rosbag2_0.29.0"
CANVAS = ".plot .canvas"
LEFT, RIGHT, TOP, BOTTOM = 52, 10, 8, 22  # draw.ts
PART = 1.5  # seconds: the page holds one before the instant, and those after it
AHEAD = 12.0  # what the page may hold as a whole
HOVERS = 0.2, 0.45, 0.7
CASES = (
    ("v2.0_PlotJuggler_tilt_laser_c9731f25.bag", "/imu_data", "angular_velocity.z"),
    ("v2.0_PlotJuggler_tilt_laser_c9731f25.bag", "/velocity", "twist.linear.x"),
    ("v2.0_rosbag.js_example_2dee46e1.bag", "/turtle1/pose", "theta"),
    ("v2.0_rosbag.js_example-bz2_d4466221.bag", "/turtle2/cmd_vel", "angular.z"),
    ("v2.0_usc-clmc-ros-pkg_test_recording_arm_a28bc6ed.bag", "/SL/cart_state",
     "pose.position.x"),
    ("v2.0_usc-clmc-ros-pkg_test_recording_arm_a28bc6ed.bag", "/joint_states", "position[7]"),
    ("v2.0_hrl_arm_on_f5a7ae10.bag", "l_arm_controller/state", "actual.positions[3]"),
    ("v1.2_ccny-ros-pkg-pbouffard_demo_381f1a07.bag", "/gps_odom", "pose.pose.position.x"),
    ("mcap_zstd_fast", "/vec", "x"),
    ("sqlite3_zstd_message", "/vec", "y"),
)


def field(message, path):
    for name in path.split("."):
        name, _, index = name.partition("[")
        message = message[name] if isinstance(message, dict) else getattr(message, name)
        if index:
            message = message[int(index[:-1])]
    return float(message)


def times_of(bag, topic, path):
    """(Start of the bag in ns, [(ns, value)] of a field)"""
    if bag.name.startswith("v2.0"):
        with rosbag.Bag(str(bag)) as opened:
            rows = [(time.to_nsec(), topic_, message)
                    for topic_, message, time in opened.read_messages()]
    else:
        rows = [(ns, topic_, message) for topic_, ns, message in cat(bag)]
    return min(ns for ns, *_ in rows), [(ns, field(message, path))
                                        for ns, topic_, message in rows if topic_ == topic]


class PlotRealBags(OwnBagsTest):
    @classmethod
    def setUpClass(cls):
        need_real_bags()
        need_data(ROSBAG2)
        need_rosbag()
        super().setUpClass()

    @classmethod
    def fill(cls):
        for bag in {bag for bag, *_ in CASES}:
            if bag.endswith(".bag"):
                shutil.copy(REAL_BAGS / bag, cls.folder)
            else:
                shutil.copytree(ROSBAG2 / bag, cls.folder / bag)

    def show(self, bag, topic, path, time):
        place = quote(f"plot {quote(topic, safe='')} {quote(path, safe='')}")
        self.browser.open(url=f"{self.root}?bag={quote(bag)}&t={time:.6f}&panel={place}")
        self.wait(f"{js(CANVAS)}?.dataset.points > 0")
        self.wait_drawn()

    def wait_drawn(self):
        self.wait(f"{js(CANVAS)}.dataset.drawn === {js(CANVAS)}.dataset.version")

    def wait_value(self, value):
        """Until the legend says a value, in the seven digits that it has."""
        self.wait(f"Math.abs(Number({js('.legend [data-field] b')}?.innerText) - {value}) "
                  f"<= {max(1e-6 * abs(value), 1e-15)}")

    def axis(self, name):
        low, high = self.see(f"{js(CANVAS)}.dataset.{name}").split()
        return float(low), float(high)

    def size(self):
        return self.see(f"(({{clientWidth, clientHeight}}) => [clientWidth, clientHeight])"
                        f"({js(CANVAS)})")

    def hover(self, at, points):
        """Puts the pointer near a part of the width, where a pixel more or less does not matter;
        gives the value of the last point before it."""
        (low, high), (width, _) = self.axis("x"), self.size()
        second = (width - LEFT - RIGHT) / (high - low)
        for pixel in range(round(at * width), width - RIGHT):
            time = low + (pixel - LEFT) / second
            near = [value for then, value in points if then <= time + 0.9 / second]
            if near and near[-1:] == [value for then, value in points
                                      if then <= time - 0.9 / second][-1:]:
                self.browser.point(on=CANVAS, at=pixel / width)
                return near[-1]
        raise AssertionError("no such place")

    def check_drawn(self, time, value):
        """That the curve goes through a point."""
        (x0, x1), (y0, y1) = self.axis("x"), self.axis("y")
        width, height = self.size()
        x = LEFT + (time - x0) / (x1 - x0) * (width - LEFT - RIGHT)
        y = height - BOTTOM - (value - y0) / (y1 - y0) * (height - TOP - BOTTOM)
        self.assertTrue(self.see(
            "(() => { const copy = new OffscreenCanvas(5, 5).getContext('2d');"
            f"copy.drawImage({js(CANVAS + ' canvas')}, {2 - round(x)}, {2 - round(y)});"
            "const probe = new OffscreenCanvas(1, 1).getContext('2d');"
            "probe.fillStyle = getComputedStyle(document.documentElement)"
            ".getPropertyValue('--series-1'); probe.fillRect(0, 0, 1, 1);"
            "const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;"
            "const all = copy.getImageData(0, 0, 5, 5).data;"
            "for (let i = 0; i < all.length; i += 4) if (Math.abs(all[i] - r) < 25 &&"
            "Math.abs(all[i + 1] - g) < 25 && Math.abs(all[i + 2] - b) < 25) return true;"
            "return false; })()"), (time, value))

    def parts(self, rows, start_ns):
        """[(seconds, mean)] of the parts that the page has asked for last, of the rows."""
        asked = [url for url in self.browser.asked() if "/series?" in url][-1]
        answer = self.server.ask(urlsplit(asked).path + "?" + urlsplit(asked).query).json()
        begin_ns = round((answer["start_time"] - start_ns // 10**9) * 1e9) + \
            start_ns // 10**9 * 10**9
        part_ns = round(answer["bucket_duration"] * 1e9)
        values = {}
        for ns, value in rows:
            part = (ns - begin_ns) // part_ns
            if 0 <= part < answer["buckets"]:
                values.setdefault(part, []).append(value)
        return [((begin_ns - start_ns + (part + 0.5) * part_ns) / 1e9, sum(all_) / len(all_))
                for part, all_ in sorted(values.items())]

    def check_points(self, points):
        for at in HOVERS:
            self.wait_value(self.hover(at, points))
        low, high = self.axis("x")
        seen = [point for point in points if low <= point[0] <= high]
        bottom, top = self.axis("y")
        self.assertLessEqual(bottom, min(value for _, value in seen))
        self.assertGreaterEqual(top, max(value for _, value in seen))
        self.browser.point(on=STRIP, at=0.5)  # the line under the pointer would cover the curve
        self.wait(f"{js('.legend')}")
        for time, value in seen[:: max(1, len(seen) // 10)]:
            if abs(time - self.middle) > (high - low) / 50:  # there is the line of the instant
                self.check_drawn(time, value)
        return len(seen)

    def check_plot(self, bag, topic, path):
        start_ns, rows = times_of(self.folder / bag, topic, path)
        messages = [((ns - start_ns) / 1e9, value) for ns, value in rows]
        (before, value), (after, _) = messages[len(messages) * 3 // 5:][:2]
        self.middle = (before + after) / 2
        self.show(bag, topic, path, self.middle)
        self.wait_value(value)
        is_series = self.see(f"{js(CANVAS)}.dataset.kind") == "series"
        self.assertTrue(is_series or messages[-1][0] < AHEAD)
        self.check_points(self.parts(rows, start_ns) if is_series else messages)
        _, length = self.axis("x")
        self.browser.wheel(on=STRIP, at=self.middle / length, by=log(PART / length, 1.002))
        self.wait(f"{js(CANVAS)}.dataset.kind === 'points'")
        self.wait_drawn()
        return self.check_points(messages)

    def test_values_and_curves(self):
        for bag, topic, path in CASES:
            with self.subTest(bag=bag, topic=topic):
                self.assertGreater(self.check_plot(bag, topic, path), 3)
        self.browser.picture(to=str(pictures() / "plot-real-bag.png"))

    def test_joint_states_open_as_a_plot(self):
        bag = "v2.0_usc-clmc-ros-pkg_test_recording_arm_a28bc6ed.bag"
        self.browser.open(url=f"{self.root}?bag={bag}&t=4")
        self.wait("document.querySelectorAll('.legend [data-field^=position]').length === 3")
        start_ns, rows = times_of(self.folder / bag, "/joint_states", "position[0]")
        self.wait_value([value for ns, value in rows if ns <= start_ns + 4 * 10**9][-1])
        self.browser.focus(on=".plot select")
        self.wait("[...document.querySelectorAll('.plot option')]"
                  ".some(each => each.value === 'velocity[20]')")
        self.browser.select(on=".plot select", value="velocity[20]")
        self.wait(js('.legend [data-field="velocity[20]"]'))


if __name__ == "__main__":
    peers.main()
