#!/usr/bin/env python3
"""The map panel in a real Chromium: where it draws a robot is where the bag says it was."""

import math
import shutil
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from page import PageTest, js  # noqa: E402
from peers import REAL_BAGS, need_real_bags  # noqa: E402

START = 1_700_000_000 * 10**9
STEP = 10**8
FIXES = 200
FIX = ("Status status\nfloat64 latitude\nfloat64 longitude\nfloat64 altitude\n"
       "float64[9] position_covariance\nuint8 position_covariance_type\n================\n"
       "MSG: sensor_msgs/Status\nint8 status\nuint16 service\n")
NO_FIX = range(120, 130)
REAL = "v2.0_PlotJuggler_tilt_laser_c9731f25.bag"
# The middle of what has a colour on the canvas.
MIDDLE = """(() => {
  const canvas = document.querySelector(".map canvas");
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const all = copy.getImageData(0, 0, canvas.width, canvas.height).data;
  const probe = document.createElement("i");
  probe.style.color = getComputedStyle(canvas).getPropertyValue("%s");
  document.body.append(probe);
  const wanted = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
  probe.remove();
  let [count, x, y] = [0, 0, 0];
  for (let i = 0; i < all.length; i += 4) {
    if (wanted.some((each, channel) => all[i + channel] !== each)) continue;
    ++count;
    x += (i / 4) %% canvas.width;
    y += Math.floor(i / 4 / canvas.width);
  }
  return count ? [x / count + 0.5, y / count + 0.5, count] : null;
})()"""


def position(i, robot):
    """A circle of 100 m, near the date line for the second robot."""
    angle = 2 * math.pi * i / FIXES
    if robot:
        return 60 + 4e-4 * math.sin(angle), 8.5 + 8e-4 * math.cos(angle)
    return 60 + 9e-4 * math.sin(angle), 8.5 + 18e-4 * math.cos(angle)


def fix(i, robot):
    latitude, longitude = position(i, robot)
    if i in NO_FIX:
        latitude = longitude = 0
    return struct.pack("<bHddd9dB", -1 if i in NO_FIX else 0, 1, latitude, longitude, 12.5,
                       25, 0, 0, 0, 25, 0, 0, 0, 25, 2)


class Map(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        file = McapFile(cls.folder / "gps.mcap")
        type_ = ("sensor_msgs/NavSatFix", "ros1msg", FIX)
        channels = [file.channel(topic, "ros1", *type_) for topic in ("/gps", "/base")]
        for i in range(FIXES):
            for robot, channel in enumerate(channels):
                file.message(channel, START + i * STEP, fix(i, robot))
        file.close()

    def show(self, time, settings="", bag="gps.mcap", topic="/gps"):
        self.listed(bag)
        self.browser.open(url=f"{self.root}?bag={bag}&t={time}&panel=map+{topic}{settings}")
        self.wait(f"{js('.map canvas')}?.dataset.time")

    def text(self, topic="/gps"):
        return js(f'.map [data-topic="{topic}"] .value') + ".innerText"

    def pointed(self, x, y):
        self.browser.click(on=".map canvas", x=x, y=y)
        self.wait(js(".map .pointer"))
        text = self.see(js(".map .pointer") + ".innerText")
        return [float(each.rstrip("°")) for each in text.split(", ")]

    def check_dot(self, latitude, longitude, tolerance):
        # The map moves when more of the track has come.
        before = None
        for _ in range(100):
            self.wait(MIDDLE % "--accent")
            place = self.see(MIDDLE % "--accent")
            shown = self.pointed(*place[:2])
            if place == before == self.see(MIDDLE % "--accent"):
                break
            before = place
        self.assertAlmostEqual(shown[0], latitude, delta=tolerance)
        self.assertAlmostEqual(shown[1], longitude, delta=tolerance)

    def test_where_the_robot_is(self):
        self.show(5.05)
        latitude, longitude = position(50, 0)
        self.wait(f"{self.text()}.startsWith('{latitude:.7f}°, {longitude:.7f}°')")
        self.assertIn("12.5 m high", self.see(self.text()))
        self.assertIn("± 5 m", self.see(self.text()))
        self.check_dot(latitude, longitude, 1e-5)
        # The whole circle is seen, though the page holds a part of it only.
        self.wait(f"({MIDDLE % '--accent'})[1] < 200")
        self.assertLess(self.pointed(1, 320)[1], 8.5 - 18e-4)
        x = self.see(MIDDLE % "--accent")[1]
        self.browser.wheel(on=".map canvas", at=0.5, by=200)
        self.wait(f"({MIDDLE % '--accent'})[1] > {x} + 50")
        self.check_dot(latitude, longitude, 2e-5)
        self.browser.click(on=".map [title='All of the track']")
        self.browser.picture(to=str(pictures() / "map.png"))

    def test_no_fix(self):
        self.show(12.55)
        self.wait(f"{self.text()} === 'no fix'")
        self.assertIsNone(self.see(MIDDLE % "--accent"))
        # The part of the bag that says 0, 0 is not on the map: it would be 6,000 km wide.
        corner = self.pointed(1, 300)
        self.assertAlmostEqual(corner[0], 60, delta=0.01)

    def test_two_topics(self):
        self.show(5.05, "+more%3D%252Fbase")
        first, second = position(50, 0), position(50, 1)
        self.wait(f"{self.text()}.startsWith('{first[0]:.7f}')")
        self.wait(f"{self.text('/base')}.startsWith('{second[0]:.7f}')")
        self.assertIsNotNone(self.see(MIDDLE % "--series-2"))
        self.browser.click(on='.map [aria-label="Remove /base from the map"]')
        self.wait(f"!({MIDDLE % '--series-2'})")
        self.assertNotIn("more", self.browser.url().split("panel=")[-1])

    def test_a_real_bag(self):
        need_real_bags()
        shutil.copy(REAL_BAGS / REAL, self.folder / REAL)
        rows = cat(REAL_BAGS / REAL, "--topics", "/position_gps")
        begin = cat(REAL_BAGS / REAL, "--count", "1")[0][1]
        _, ns, data = rows[len(rows) // 2]
        self.show((ns - begin) / 1e9 + 0.002, bag=REAL, topic="/position_gps")
        wanted = f"{data['latitude']:.7f}°, {data['longitude']:.7f}°"
        self.wait(f"{self.text('/position_gps')}.startsWith('{wanted}')")
        self.check_dot(data["latitude"], data["longitude"], 1e-5)

    def test_pictures(self):
        for name, window in {"dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.browser.window(**window)
            self.show(5.05, "+more%3D%252Fbase")
            self.wait(MIDDLE % "--series-2")
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"map-{name}.png"))


if __name__ == "__main__":
    peers.main()
