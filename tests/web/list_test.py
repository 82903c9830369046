#!/usr/bin/env python3
"""The list of bags in a real Chromium: what a row shows of a bag is what `kitbag cat` says, and a
thousand bags are as quick as three."""

import base64
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from page import PageTest, js  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

PARTS = 60
MANY = 1000
ROWS = "document.querySelectorAll('tr[data-bag]')"
NAMES = f"[...{ROWS}].map(row => row.dataset.bag)"
SEARCH = "input[type=search]"


def of(bag, selector):
    return js(f'[data-bag="{bag}"] {selector}')


def pixels(canvas):
    """All bytes of a canvas, from a copy: Chromium warns of canvases that are read."""
    return (f"(() => {{ const from = {canvas}; const {{width, height}} = from;"
            "const copy = new OffscreenCanvas(width, height).getContext('2d');"
            "copy.drawImage(from, 0, 0);"
            "return {width, height, data: [...copy.getImageData(0, 0, width, height).data]}; })()")


class List(PageTest):
    def open_list(self, root=None, **window):
        if window:
            self.browser.window(**window)
        self.browser.open(url=root or self.root)
        self.wait(f"{ROWS}.length > 0")

    def search(self, words, names):
        self.browser.fill(on=SEARCH, text=words)
        self.wait(f"{js('[role=status]')}.innerText.match(/^\\d+ bags?$/)")
        self.assertEqual(sorted(self.see(NAMES)), sorted(names), words)

    def test_the_strip_is_the_density(self):
        self.open_list()
        canvas = of("demo.bag", ".density canvas")
        self.wait(canvas)
        times = [ns for _, ns, _ in cat(self.demo)]
        begin, length = times[0], times[-1] - times[0] + 1
        counts = [0] * PARTS
        for ns in times:
            counts[(ns - begin) * PARTS // length] += 1
        seen = self.see(pixels(canvas))
        width, height = seen["width"], seen["height"]
        alpha = seen["data"][3::4]
        bar = width // PARTS
        for part, count in enumerate(counts):
            x = part * bar + bar // 2 - 1
            high = sum(alpha[y * width + x] > 127 for y in range(height))
            self.assertAlmostEqual(high, count / max(counts) * height, delta=1.5, msg=part)

    def test_the_picture_is_that_of_the_middle(self):
        self.open_list()
        canvas = of("demo.bag", ".look canvas")
        self.wait(canvas)
        self.assertIn("/camera/image", self.see(f"{canvas}.getAttribute('aria-label')"))
        _, image = self.last_before("/camera/image", 10, self.demo)
        data = base64.b64decode(image["data"])
        self.assertEqual((image["encoding"], image["step"]), ("rgb8", image["width"] * 3))
        seen = self.see(pixels(canvas))
        self.assertLessEqual(seen["width"], 128)
        for channel in range(3):
            wanted = data[channel::3]
            shown = seen["data"][channel::4]
            self.assertAlmostEqual(sum(shown) / len(shown), sum(wanted) / len(wanted), delta=3)

    def test_search(self):
        folder = self.folder / "searched"
        folder.mkdir()
        for bag in filter(Path.is_file, self.folder.iterdir()):
            os.link(bag, folder / bag.name)
        kitbag("convert", self.demo, folder / "odometry only.mcap", "--topics", "/odom")
        with Server(folder) as server:
            self.open_list(f"http://{server.host}/")
            self.wait(f"{ROWS}.length === 4")
            names = self.see(NAMES)
            cameras = [name for name in names if not name.startswith("odometry")]
            self.search("type:Image", cameras)
            self.search("topic:/odom", names)
            self.search("topic:/camera ros2", ["ros2.mcap"])
            self.search("2026-01-01 name:only", ["odometry only.mcap"])
            self.search("BatteryState demo", ["demo.bag"])
            self.search("topic:nowhere", [])
            self.assertIn("No bag has all of this", self.see(f"{js('main')}.innerText"))
            self.open_list()  # a page whose server has gone says so

    def test_keys(self):
        self.open_list()
        self.wait(f"{ROWS}.length === 3")
        names = self.see(NAMES)
        focused = "document.activeElement.closest('tr')?.dataset.bag"
        for key, row in ("ArrowDown", 0), ("ArrowDown", 1), ("ArrowUp", 0), ("End", 2), ("Home", 0):
            self.browser.press(key=key)
            self.wait(f"{focused} === {names[row]!r}")
        self.browser.press(key="/")
        self.browser.fill(on=SEARCH, text="ros2")
        self.wait(f"{ROWS}.length === 1")
        self.browser.press(key="ArrowDown")
        self.wait(f"{focused} === 'ros2.mcap'")
        self.browser.press(key="Enter")
        self.wait("new URLSearchParams(location.search).get('bag') === 'ros2.mcap'")
        self.wait("document.querySelector('.place')")

    def test_a_thousand_bags(self):
        folder = self.folder / "many"
        folder.mkdir()
        small = folder / "run-0000.mcap"
        kitbag("convert", self.demo, small, "--topics", "/battery")
        for i in range(1, MANY):
            os.link(small, folder / f"run-{i:04}.mcap")
        with Server(folder) as server:
            self.open_list(f"http://{server.host}/")
            self.wait(f"{js('[role=status]')}.innerText === '1,000 bags'")
            self.browser.press(key="End")
            last = f"run-{MANY - 1:04}.mcap"
            self.wait(f"document.activeElement.closest('tr')?.dataset.bag === {last!r}")
            self.wait(of(last, ".density canvas"))
            self.assertLess(self.see(f"{ROWS}.length"), 60)
            box = self.see(f"(() => {{ const {{top, bottom}} = {of(last, 'td')}"
                           ".getBoundingClientRect(); return [top, bottom]; })()")
            self.assertGreater(box[0], 0)
            self.assertLessEqual(box[1], 800)
            # On the way through all of it there are few rows at any time, and never a hole.
            most, holes = self.see(
                "new Promise(done => { const scroller = document.querySelector('.scroller');"
                "let most = 0; let holes = 0; let at = 0; const step = () => {"
                f"most = Math.max(most, {ROWS}.length);"
                "const there = document.elementFromPoint(640, 400);"
                "if (!there.closest('tr[data-bag]')) ++holes;"
                "if (at >= 39000) return done([most, holes]);"
                "scroller.scrollTop = at += 700;"
                "scroller.dispatchEvent(new Event('scroll'));"
                "requestAnimationFrame(() => requestAnimationFrame(step)); };"
                "scroller.scrollTop = 0; scroller.dispatchEvent(new Event('scroll'));"
                "requestAnimationFrame(() => requestAnimationFrame(step)); })")
            self.assertLess(most, 60)
            self.assertEqual(holes, 0)
            self.open_list()  # a page whose server has gone says so

    def test_what_cannot_be_read_says_why(self):
        folder = self.folder / "bad"
        folder.mkdir()
        (folder / "noise.bag").write_bytes(b"#ROSBAG V2.0\n" + bytes(100))
        data = self.demo.read_bytes()
        (folder / "cut.bag").write_bytes(data[:len(data) // 8])
        with Server(folder) as server:
            said = {bag["filename"]: bag for bag in server.list()}
            self.open_list(f"http://{server.host}/")
            self.wait(f"{ROWS}.length === 2")
            self.assertIn(said["noise.bag"]["error"], self.see(of("noise.bag", "td.filename")
                                                               + ".innerText"))
            self.assertTrue(said["cut.bag"]["damaged"])
            mark = of("cut.bag", ".mark")
            self.wait(mark)  # whether it grows shows at the second look
            self.assertIn(self.see(mark + ".innerText"), ("damaged", "not completed"))
            self.assertIn("kitbag repair", self.see(mark + ".title"))
            self.wait(of("cut.bag", ".density canvas"))
            for name, window in {"light": {}, "phone": {"width": 390, "height": 600}}.items():
                self.open_list(f"http://{server.host}/", **window)
                self.wait(f"{ROWS}.length === 2")
                self.browser.picture(to=str(pictures() / f"list-bad-{name}.png"))
            self.open_list()

    def test_an_empty_folder_says_how_to_record(self):
        folder = self.folder / "empty"
        folder.mkdir()
        with Server(folder) as server:
            self.browser.open(url=f"http://{server.host}/")
            self.wait(js(".empty pre"))
            self.assertIn("kitbag record", self.see(js(".empty pre") + ".innerText"))
            self.browser.picture(to=str(pictures() / "list-empty.png"))
            self.open_list()

    def test_pictures(self):
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844},
                             "phone-dark": {"width": 390, "height": 844, "dark": True}}.items():
            self.open_list(**window)
            self.wait(f"document.querySelectorAll('.look canvas').length === {ROWS}.length")
            self.wait(f"document.querySelectorAll('td.density canvas').length === {ROWS}.length")
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"list-{name}.png"))


if __name__ == "__main__":
    peers.main()
