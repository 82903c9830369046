#!/usr/bin/env python3
"""The debug strip in a real Chromium: what it says of messages is what the bag says, and what it
says of frames follows what the page does."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from browser import pictures  # noqa: E402
from page import PageTest, js, panel  # noqa: E402
from peers import kitbag  # noqa: E402

COVERED = 11.5  # of a bag that stands at 0.5: ten seconds ahead, in slices of two


def figure(name):
    return f"Number({js(f'[data-figure={name}]')}?.dataset.value)"


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


if __name__ == "__main__":
    peers.main()
