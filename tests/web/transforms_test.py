#!/usr/bin/env python3
"""The panel of transforms in a real Chromium: the pose of a frame is what the bag says, and where
there is none it says why."""

import math
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from page import TIME, PageTest, js  # noqa: E402

START = 1_700_000_000 * 10**9
STEP = 10**8
SAMPLES = 100
TF = """geometry_msgs/TransformStamped[] transforms
================
MSG: geometry_msgs/TransformStamped
std_msgs/Header header
string child_frame_id
geometry_msgs/Transform transform
================
MSG: std_msgs/Header
uint32 seq
time stamp
string frame_id
================
MSG: geometry_msgs/Transform
geometry_msgs/Vector3 translation
geometry_msgs/Quaternion rotation
================
MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
================
MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
"""
VALUES = ("Object.fromEntries([...document.querySelectorAll('.tf [data-value]')]"
          ".map(each => [each.dataset.value, Number(each.innerText)]))")
ROWS = ("Object.fromEntries([...document.querySelectorAll('.tf [data-frame]')].map(row => "
        "[row.dataset.frame, [...row.cells].map(each => each.innerText)]))")
SHOWN = "Number(document.querySelector('.tf')?.dataset.time)"
NOTES = "[...document.querySelectorAll('.tf .pose p')].map(each => each.innerText)"


def string(text):
    return struct.pack("<I", len(text)) + text.encode()


def message(ns, *pairs):
    return struct.pack("<I", len(pairs)) + b"".join(
        struct.pack("<III", 0, ns // 10**9, ns % 10**9) + string(parent) + string(child) +
        struct.pack("<7d", 1, 2, 3, 0, 0, 0, 1) for parent, child in pairs)


class Transforms(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        file = McapFile(cls.folder / "tf.mcap")
        type_ = ("tf2_msgs/TFMessage", "ros1msg", TF)
        tf = file.channel("/tf", "ros1", *type_)
        static = file.channel("/tf_static", "ros1", *type_, metadata={"latching": "1"})
        file.message(static, START, message(START, ("world", "<b>tree</b>")))
        for i in range(SAMPLES):
            ns = START + i * STEP
            pairs = [("map", "base_link"), ("red", "green"), ("green", "red"),
                     ("map" if i % 2 else "odom", "torn")]
            if i < 20:
                pairs.append(("base_link", "arm"))  # which is not published any more after 2 s
            file.message(tf, ns, message(ns, *pairs))
        file.close()

    def show(self, bag, time, of, into):
        self.listed(bag)
        self.browser.open(url=f"{self.root}?bag={bag}&t={time}&panel=tf++of%3D{of}+in%3D{into}")
        self.wait(f"Math.abs({js('.tf')}?.dataset.time - {time}) < 1e-6")

    def test_a_pose_is_that_of_the_bag(self):
        _, ns, data = cat(self.demo, "--topics", "/tf")[250]
        time = (ns - self.start_ns) / 1e9
        self.show("demo.bag", time, "laser", "map")
        pose = data["transforms"][0]["transform"]
        yaw = 2 * math.atan2(pose["rotation"]["z"], pose["rotation"]["w"])
        self.wait(f"({VALUES})['translation z'] === 0.5")
        values = self.see(VALUES)
        self.assertAlmostEqual(values["translation x"],
                               pose["translation"]["x"] + 0.2 * math.cos(yaw), 3)
        self.assertAlmostEqual(values["translation y"],
                               pose["translation"]["y"] + 0.2 * math.sin(yaw), 3)
        turn = (values["angles yaw"] - math.degrees(yaw)) % 360
        self.assertAlmostEqual(min(turn, 360 - turn), 0, delta=0.02)
        self.assertAlmostEqual(abs(values["quaternion w"]), abs(pose["rotation"]["w"]), 4)
        rows = self.see(ROWS)
        self.assertEqual(list(rows), ["map", "odom", "base_link", "camera", "imu", "laser"])
        self.assertEqual(rows["base_link"][1:], ["odom", "50 Hz", "0 s", "/tf"])
        self.assertEqual(rows["laser"][1:], ["base_link", "static", "", "/tf_static"])

    def test_the_other_way_round(self):
        self.show("demo.bag", 5.002, "base_link", "odom")
        self.browser.click(on=".tf [title='The other way round']")
        self.wait(f"{js('.tf input')}.value === 'odom'")
        self.browser.click(on=".tf [title='Pose of imu']")
        self.wait(f"({VALUES})['translation z'] === 0.1")
        self.assertEqual(self.see(VALUES)["translation x"], 0)  # in base_link
        self.wait("location.search.includes('of%3Dimu')")

    def test_what_is_typed_stays_while_the_time_goes_on(self):
        self.show("demo.bag", 1, "odom", "map")
        self.browser.press(key=" ")
        self.browser.fill(on=".tf [aria-label='Frame']", text="base_lnk")
        time = self.see(SHOWN)
        self.wait(f"{SHOWN} > {time} + 0.5")
        self.assertEqual(self.see(js(".tf [aria-label=Frame]") + ".value"), "base_lnk")
        self.browser.press(key="Enter")
        self.wait(f"{NOTES}[0]?.includes('has the frame base_lnk')")
        self.wait("location.search.includes('of%3Dbase_lnk')")

    def test_why_there_is_none(self):
        self.show("tf.mcap", 6.05, "arm", "map")  # what was long before is fetched
        self.wait(f"{NOTES}[0]?.includes('arm is known only before 1.90 s')")
        self.show("tf.mcap", 1, "arm", "map")
        self.wait(f"{TIME} === 1")
        # Steps that come before the page holds all from the start leave a gap behind them.
        self.wait(f"parseFloat({js('.loaded')}?.style.width) > 60")
        for _ in range(4):
            self.browser.press(key="Shift+ArrowRight")
        self.wait(f"{TIME} === 5")
        self.wait(f"{NOTES}[0]?.includes('arm is known only before 1.90 s')")
        self.assertEqual(self.see(VALUES), {})
        self.assertIn("stale", self.see(js("[data-frame=arm] td:nth-child(4)") + ".className"))
        self.browser.fill(on=".tf [aria-label='Frame']", text="base_lnk")
        self.browser.press(key="Enter")
        self.wait(f"{NOTES}[0] === 'No message up to here has the frame base_lnk; "
                  "there is base_link'")
        self.browser.fill(on=".tf [aria-label='Frame']", text="<b>tree</b>")
        self.browser.press(key="Enter")
        self.wait(f"{NOTES}[0]?.includes('one is below world, the other below map')")
        self.assertEqual(self.browser.count(on=".tf b"), 0)
        self.browser.fill(on=".tf [aria-label='Frame']", text="red")
        self.browser.press(key="Enter")
        self.wait(f"{NOTES}.some(each => each.includes('red: its parents go around'))")
        self.browser.fill(on=".tf [aria-label='Frame']", text="torn")
        self.browser.press(key="Enter")
        self.wait(f"{NOTES}.some(each => each.includes('torn: it has had 2 parents'))")

    def test_pictures(self):
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.browser.window(**window)
            self.show("demo.bag", 5.002, "laser", "map")
            self.wait(f"({VALUES})['translation z'] === 0.5")
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"transforms-{name}.png"))


if __name__ == "__main__":
    peers.main()
