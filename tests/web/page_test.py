#!/usr/bin/env python3
"""The player page in a real Chromium: what a person sees of the demo robot is what the bag says."""

import base64
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from page import HOSTILE, SECONDS, STRIP, TIME, PageTest, js, panel  # noqa: E402
from server import Server  # noqa: E402


class Page(PageTest):
    def test_the_list(self):
        self.browser.open(url=self.root)
        self.wait("document.querySelectorAll('tbody tr').length === 3")
        row = self.see("[...document.querySelectorAll('[data-bag=\"demo.bag\"] td')]"
                       ".map(each => each.innerText)")
        self.assertEqual(row[2], "demo.bag")
        self.assertEqual(row[3], "2026-01-01 00:00:00")
        self.assertEqual(row[4], "0:20.0")
        self.assertEqual(row[6:8], ["12", f"{len(cat(self.demo)):,}"])
        self.assertIn(HOSTILE, self.browser.texts(on="td.filename"))
        self.browser.press(key="/")
        self.browser.fill(on="input[type=search]", text="ROS2")
        self.wait("document.querySelectorAll('tbody tr').length === 1")
        self.browser.fill(on="input[type=search]", text="")
        self.browser.picture(to=str(pictures() / "list-light.png"))
        self.browser.click(on='[data-bag="demo.bag"] a')
        self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
        self.assertEqual(parse_qs(urlsplit(self.browser.url()).query)["bag"], ["demo.bag"])
        self.browser.back()
        self.wait("document.querySelectorAll('tbody tr').length === 3")

    def test_a_good_layout_at_once(self):
        self.open_bag()
        shown = self.see("[...document.querySelectorAll('.place')].map(each => "
                         "[each.dataset.panel, each.dataset.topic].join(' '))")
        self.assertIn("image /camera/image", shown)
        self.assertIn("log /rosout", shown)
        self.assertIn("plot /odom", shown)
        self.assertIn("scene ", shown)

    def check_tree_and_plot(self, bag, seconds):
        """Battery in the message tree, odometry in the plot."""
        time, battery = self.last_before("/battery", seconds, self.folder / bag)
        self.wait(f"Math.abs({js('.tree')}?.dataset.time - {time}) < 1e-6")
        values = self.see("Object.fromEntries([...document.querySelectorAll('.tree [data-field]')]"
                          ".map(each => [each.dataset.field, each.innerText]))")
        self.assertAlmostEqual(float(values["voltage"]), battery["voltage"], 5)
        self.assertEqual(values["serial_number"], battery["serial_number"])
        _, odometry = self.last_before("/odom", seconds, self.folder / bag)
        for axis in "x", "y":
            shown = js(f'[data-field="pose.pose.position.{axis}"] b') + ".innerText"
            self.wait(f"Math.abs({shown} - {odometry['pose']['pose']['position'][axis]}) < 1e-5")

    def check_image(self, bag, seconds):
        time, image = self.last_before("/camera/image", seconds, self.folder / bag)
        self.wait(f"Math.abs({js('.image')}?.dataset.time - {time}) < 1e-6")
        data = base64.b64decode(image["data"])
        canvas = js(".image canvas")
        self.assertEqual(self.see(f"[{canvas}.width, {canvas}.height]"),
                         [image["width"], image["height"]])
        self.assertIn(image["encoding"], ("rgb8", "bgr8"))
        for x, y in (0, 0), (image["width"] // 2, image["height"] // 2), (image["width"] - 1, 3):
            at = y * image["step"] + x * 3
            wanted = list(data[at:at + 3])
            if image["encoding"] == "bgr8":
                wanted.reverse()
            # From a copy: Chromium warns of canvases that are read again and again.
            shown = self.see(f"(() => {{ const copy = new OffscreenCanvas(1, 1).getContext('2d');"
                             f"copy.drawImage({canvas}, {-x}, {-y});"
                             f"return [...copy.getImageData(0, 0, 1, 1).data]; }})()")
            self.assertEqual(shown[:3], wanted)

    def check_log(self, bag, seconds):
        _, line = self.last_before("/rosout", seconds, self.folder / bag)
        self.wait(f"{js('.log li[aria-current] .text')}?.innerText === {line['msg']!r}")

    def test_every_panel_shows_what_the_bag_says(self):
        layout = "&panel=tree+/battery&panel=plot+/odom+pose.pose.position.x+pose.pose.position.y" \
                 "&panel=image+/camera/image&panel=log+/rosout"
        for bag in "demo.bag", "ros2.mcap":
            with self.subTest(bag=bag):
                self.open_bag(bag + layout)
                for seconds in (7.3, 2.1, 15):
                    self.seek(seconds)
                    self.check_tree_and_plot(bag, seconds)
                    self.check_image(bag, seconds)
                    self.check_log(bag, seconds)

    def test_playing(self):
        self.open_bag()
        begin = self.see(TIME)
        self.browser.press(key=" ")
        self.wait(f"{TIME} > {begin} + 1")
        self.assertEqual(self.browser.count(on="[aria-label=Pause]"), 1)
        self.wait(f"{js('.image')}.dataset.time > {begin} + 0.8")
        self.browser.press(key=" ")
        self.wait("document.querySelector('[aria-label=Play]')")
        self.wait("(window.frames_ = (window.frames_ ?? 0) + 1) > 3")  # the time that is drawn
        stopped = self.see(TIME)
        self.browser.press(key="+")
        self.wait(f"{js('.speed')}.value === '2'")
        self.browser.press(key="ArrowLeft")
        self.wait(f"Math.abs({TIME} - {stopped} + 0.1) < 1e-6")
        self.browser.press(key="End")
        self.browser.press(key=" ")  # from the start again
        self.wait(f"{TIME} > 0.5 && {TIME} < 10")

    def test_seeking_by_the_strip_and_zooming(self):
        self.open_bag()
        width = self.see(f"{js(STRIP)}.clientWidth")
        self.browser.click(on=STRIP, x=width * 0.75, y=10)
        self.wait(f"Math.abs({TIME} - {SECONDS * 0.75}) < 0.1")
        self.browser.drag(on=STRIP, **{"from": 0.2, "to": 0.5}, y=10)
        self.wait(f"Math.abs({TIME} - {SECONDS * 0.5}) < 0.1")
        self.wait(f"{js('.image')}.dataset.time > {SECONDS * 0.5} - 0.3")
        kind = js(".plot .canvas") + ".dataset.kind"
        self.wait(f"{kind} === 'series'")
        for _ in range(4):
            self.browser.wheel(on=STRIP, at=0.52, by=-400)
        self.wait(f"{kind} === 'points'")

    def test_the_url_is_the_screen(self):
        self.open_bag()
        self.seek(5.2)
        self.browser.select(on='[aria-label="Panel of /odom"]', value="tree")
        self.wait("location.search.includes('t=5.2') && location.search.includes('panel=')")
        url = self.browser.url()
        self.browser.window()
        self.browser.open(url=url)
        self.wait(f"Math.abs({TIME} - 5.2) < 1e-6")
        self.wait("document.querySelector('[data-panel=tree][data-topic=\"/odom\"] .tree')")

    def test_a_topic_is_opened_by_a_click(self):
        self.open_bag("demo.bag&panel=image+/camera/image")
        self.browser.click(on='.topics [title^="sensor_msgs/Imu"]')
        self.wait("document.querySelector('[data-panel=plot][data-topic=\"/imu\"] [data-points]')")
        self.browser.click(on='[aria-label="Close /camera/image"]')
        self.wait("document.querySelectorAll('.place').length === 1")

    def test_text_of_a_bag_is_text(self):
        self.browser.open(url=self.root)
        self.wait("document.querySelectorAll('tbody tr').length === 3")
        self.assertEqual(self.browser.count(on="img"), 0)
        self.browser.click(on='a:has-text("onerror")')
        self.wait(f"{js('.bag')}?.innerText === {HOSTILE!r} && {js('.place')}")
        self.assertEqual(self.browser.count(on="img"), 0)

    def test_a_bag_that_is_not_there(self):
        self.browser.open(url=f"{self.root}?bag=none.bag")
        self.wait(f"{js('[role=alert]')}?.innerText.includes('none.bag')")
        self.browser.window()  # Chromium itself reports the status 400

    def test_a_token(self):
        with Server(self.folder, "--token", "secret") as server:
            self.browser.open(url=f"http://{server.host}/")
            self.browser.fill(on="#token", text="wrong")
            self.browser.press(key="Enter")
            self.wait(f"{js('[role=alert]')}?.innerText.includes('not accept')")
            self.browser.fill(on="#token", text="secret")
            self.browser.press(key="Enter")
            self.wait("document.querySelectorAll('tbody tr').length === 3")
            self.assertEqual(self.see("document.cookie"), "")
            self.browser.click(on='[data-bag="demo.bag"] a')
            self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
        self.browser.window()  # the 401s are reported

    def test_pictures(self):
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            if name == "phone":  # one panel at a time
                self.browser.window(**window)
                self.browser.open(url=f"{self.root}?bag=demo.bag")
                self.browser.click(on='[role=tab]:has-text("/camera/image")')
                self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
            else:
                self.open_bag(**window)
            self.seek(12.4)
            self.wait(f"{js('.image')}?.dataset.time > 12")
            if name == "phone":
                self.browser.click(on='[role=tab]:has-text("/odom")')
            self.wait(f"{js('.plot .canvas')}?.dataset.points > 0")
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"player-{name}.png"))


if __name__ == "__main__":
    peers.main()
