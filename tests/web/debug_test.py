#!/usr/bin/env python3
"""What the page costs, in a real Chromium. What the debug strip says of messages is what the bag
says, and what it says of frames follows what the page does. Of the bench: what it measures play by,
and that it sees that the page stops."""

import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "bench")]

import page_load  # noqa: E402
import peers  # noqa: E402
from browser import pictures  # noqa: E402
from page import PageTest, js, panel  # noqa: E402
from peers import kitbag  # noqa: E402

COVERED = 11.5  # of a bag that stands at 0.5: ten seconds ahead, in slices of two


def figure(name):
    return f"Number({js(f'[data-figure={name}]')}?.dataset.value)"


class Window(page_load.Window):
    """That of the bench, with the browser and the server of a test."""

    def __init__(self, test):  # not theirs: both run already
        self.browser, self.server = test.browser, test.server


class Debug(PageTest):
    def test_it_says_what_is_loaded_and_what_it_costs(self):
        self.browser.open(url=f"{self.root}?bag=demo.bag&panel=tree+/battery&panel=table+/odom")
        self.wait(f"{js('.tree')}?.dataset.time")
        self.assertEqual(self.browser.count(on=".debug"), 0)
        self.browser.press(key="Control+Alt+d")
        printed = kitbag("cat", self.demo, "--topics", "/battery", "/odom").splitlines()
        rows = [row for row in map(json.loads, printed)
                if row["log_time_ns"] - self.start_ns < COVERED * 1e9]
        self.wait(f"{figure('messages')} === {len(rows)}")
        self.wait(f"{figure('bytes')} === {sum(row['size'] for row in rows)}")
        self.wait(f"{figure('requests')} === 0")
        self.wait(f"{figure('frames')} > 5 && {figure('frames')} < 250")
        self.assertGreater(self.see(figure("decode")), 0)
        self.assertGreater(self.see(figure("worst")), 0)
        self.assertGreaterEqual(self.see(figure("worst")), self.see(figure("median")))
        heap = self.see(figure("heap"))
        self.assertAlmostEqual(heap / self.see("performance.memory.usedJSHeapSize"), 1, delta=0.5)
        self.browser.picture(to=str(pictures() / "debug-strip.png"))
        self.assertEqual(self.browser.axe(), [])

        dropped = self.see(figure("dropped"))
        self.see("(() => { for (const end = performance.now() + 600; "
                 "performance.now() < end;); })()")
        self.wait(f"{figure('dropped')} >= {dropped} + 5")

        self.browser.press(key="Control+Alt+d")
        self.wait("!document.querySelector('.debug')")

    def test_on_a_phone_it_leaves_the_panel_its_place(self):
        self.browser.window(width=390, height=844, dark=True)
        self.browser.open(url=f"{self.root}?bag=demo.bag&panel=image+/camera/image")
        self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
        self.browser.press(key="Control+Alt+d")
        self.wait(f"{figure('messages')} > 0")
        self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
        self.assertEqual(self.see("document.documentElement.scrollHeight - innerHeight"), 0)
        self.assertGreater(self.see(f"{js(panel('image'))}.clientHeight"), 200)
        self.browser.picture(to=str(pictures() / "debug-strip-phone.png"))

    def test_the_bench_plays_and_sees_when_the_page_stops(self):
        window = Window(self)
        page_load.open_played(window, self.demo)
        layouts = -window.metrics()["LayoutCount"]
        seconds = page_load.play_until(window, time.monotonic() + 5)
        layouts += window.metrics()["LayoutCount"]
        frames = sum(each[2] for each in seconds)
        self.assertGreater(frames, 5)
        # One of its own in each frame: nobody asks for a size after another has written a text.
        self.assertLess(layouts / frames, 2)
        self.assertEqual(self.see(f"{js('button.play')}.title"), "Play (Space)")
        self.assertGreater(self.see(page_load.TIME), 1)

        for key in "End", "Shift+ArrowLeft":
            self.browser.press(key=key)
        with self.assertRaisesRegex(SystemExit, "the page has stopped to play, at 19.99"):
            page_load.play_until(window, time.monotonic() + 30)


if __name__ == "__main__":
    peers.main()
