#!/usr/bin/env python3
"""Files of this machine in a real Chromium: they are shown as served bags are, each value as
`kitbag cat` prints it, and nothing of them is sent to anyone."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from page import STRIP, PageTest, js, panel  # noqa: E402
from peers import REAL_BAGS, kitbag  # noqa: E402

FILE = "input[type=file]"
FIELDS = ("Object.fromEntries([...document.querySelectorAll('.tree [data-field]')]"
          ".map(each => [each.dataset.field, each.innerText]))")
LAYOUT = "&panel=tree+/battery&panel=plot+/odom+pose.pose.position.x+pose.pose.position.y" \
         "&panel=image+/camera/image&panel=log+/rosout"
BIG = 1 << 28


class Local(PageTest):
    def setUp(self):
        super().setUp()
        self.browser.open(url=self.root)
        self.wait("document.querySelectorAll('tbody tr').length === 3")

    def tearDown(self):
        about = [url for url in self.browser.asked() if "local" in url and "/assets/" not in url
                 and not url.startswith(f"{self.root}?")]
        self.assertEqual(about, [])
        super().tearDown()

    def choose(self, file):
        """Returns how many requests the page has made for the list."""
        self.browser.choose(on=FILE, file=str(file))
        self.wait(f"{js('.bag')}?.innerText === {Path(file).name!r}")
        return len(self.browser.asked())

    def check(self, bag, seconds):
        at, battery = self.last_before("/battery", seconds, bag)
        self.wait(f"Math.abs({js('.tree')}?.dataset.time - {at}) < 1e-6")
        values = self.see(FIELDS)
        self.assertAlmostEqual(float(values["voltage"]), battery["voltage"], 5)
        self.assertEqual(values["serial_number"], battery["serial_number"])
        _, odometry = self.last_before("/odom", seconds, bag)
        for axis in "x", "y":
            shown = js(f'[data-field="pose.pose.position.{axis}"] b') + ".innerText"
            self.wait(f"Math.abs({shown} - {odometry['pose']['pose']['position'][axis]}) < 1e-5")
        at, _ = self.last_before("/camera/image", seconds, bag)
        self.wait(f"Math.abs({js('.image')}?.dataset.time - {at}) < 1e-6")
        _, line = self.last_before("/rosout", seconds, bag)
        self.wait(f"{js('.log li[aria-current] .text')}?.innerText === {line['msg']!r}")

    def test_the_demo_robot(self):
        here = self.folder / "not served"
        here.mkdir()
        lz4, zstd = here / "lz4 robot.bag", here / "zstd.mcap"
        kitbag("convert", self.demo, lz4, "--compression", "lz4")
        kitbag("convert", self.folder / "ros2.mcap", zstd, "--compression", "zstd")
        for bag in lz4, zstd:
            with self.subTest(bag=bag.name):
                self.browser.window()
                self.browser.open(url=f"{self.root}?bag=local/{bag.name}{LAYOUT}")
                self.wait(js(".choose"))
                self.browser.choose(on=FILE, file=str(bag))
                self.wait(js(".tree"))
                for seconds in (7.3, 2.1, 15):
                    self.seek(seconds)
                    self.check(bag, seconds)
                self.assertEqual(self.see(f"{js('.bag')}.innerText"), bag.name)
                self.assertEqual([url for url in self.browser.asked() if "/bags" in url], [])

    def test_playing_and_the_strip(self):
        before = self.choose(self.demo)
        self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
        kind = js(".plot .canvas") + ".dataset.kind"
        self.wait(f"{kind} === 'series'")
        self.assertEqual([url for url in self.browser.asked()[before:] if "/bags" in url], [])
        # There is a bar of the density in each part of the strip.
        dark = (f"(() => {{ const from = {js(STRIP)}; const {{width, height}} = from;"
                "const copy = new OffscreenCanvas(width, height).getContext('2d');"
                "copy.drawImage(from, 0, 0);"
                "const {data} = copy.getImageData(0, height >> 1, width, 1);"
                "return data.filter((_, i) => i % 4 === 3 && data[i] > 127).length / width;"
                "})()")
        self.wait(f"{dark} > 0.9")
        width = self.see(f"{js(STRIP)}.clientWidth")
        self.browser.click(on=STRIP, x=width * 0.75, y=10)
        self.wait(f"{js('.image')}.dataset.time > 14.5")
        self.browser.press(key=" ")
        self.wait(f"{js('.image')}.dataset.time > 16")
        self.browser.press(key=" ")
        self.browser.picture(to=str(pictures() / "local-light.png"))
        self.browser.back()
        self.wait("document.querySelectorAll('tbody tr').length === 3")

    def test_dropping(self):
        self.see("(() => { const data = new DataTransfer();"
                 "data.items.add(new File(['x'], 'x.db3')); window.dragged = data;"
                 "const over = new DragEvent('dragover', {dataTransfer: data, cancelable: true,"
                 "bubbles: true}); document.body.dispatchEvent(over); })()")
        self.wait(js(".drop b"))
        self.browser.picture(to=str(pictures() / "local-drop.png"))
        self.see("document.body.dispatchEvent(new DragEvent('drop', "
                 "{dataTransfer: window.dragged, cancelable: true, bubbles: true}))")
        self.wait(f"{js('[role=alert]')}?.innerText.includes('kitbag view x.db3')")
        self.assertEqual(self.browser.count(on=".drop"), 0)

    def test_what_is_left_to_the_program(self):
        bags = {"cut.mcap": (self.folder / "ros2.mcap").read_bytes()[:1 << 20],
                "cut.bag": self.demo.read_bytes()[:1 << 20]}
        if REAL_BAGS.exists():
            old = next(REAL_BAGS.glob("v1.2*.bag"))
            bags["old.bag"] = old.read_bytes()
        for name, data in bags.items():
            bag = self.folder / "left" / name
            bag.parent.mkdir(exist_ok=True)
            bag.write_bytes(data)
            self.browser.open(url=self.root)
            self.wait("document.querySelector('tbody tr')")
            self.choose(bag)
            self.wait(f"{js('[role=alert]')}?.innerText.includes('kitbag view {name}')")
        self.browser.picture(to=str(pictures() / "local-left.png"))

    def test_a_link_to_a_file_asks_for_it(self):
        self.browser.open(url=f"{self.root}?bag=local/demo.bag&t=5.2&panel=tree+/battery")
        self.wait(f"{js('.choose')}?.innerText.includes('demo.bag')")
        self.browser.picture(to=str(pictures() / "local-again.png"))
        self.browser.choose(on=FILE, file=str(self.demo))
        at, _ = self.last_before("/battery", 5.2, self.demo)
        self.wait(f"Math.abs({js('.tree')}?.dataset.time - {at}) < 1e-6")

    def test_a_large_file(self):
        """Its end is shown although its beginning has not been read."""
        bag = self.folder.parent / f"{self.folder.name}-big.mcap"
        self.addCleanup(bag.unlink, missing_ok=True)
        kitbag("convert", f"demo://?seconds={BIG // (1 << 20)}&seed=7", bag)
        self.assertGreater(bag.stat().st_size, BIG)
        self.choose(bag)
        self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
        self.browser.press(key="End")
        self.wait(f"{js('.image')}?.dataset.time > {BIG // (1 << 20)} - 1")


if __name__ == "__main__":
    peers.main()
