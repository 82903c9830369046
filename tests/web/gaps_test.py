#!/usr/bin/env python3
"""Long gaps, which play leaves out, in a real Chromium."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from page import STRIP, TIME, PageTest, js  # noqa: E402
from peers import kitbag  # noqa: E402

GAP = 4, 30  # where no topic has a message
SKIP = "button.skips"
PRESSED = f"{js(SKIP)}?.getAttribute('aria-pressed')"
# The instants that the page shows, one in each frame.
INSTANTS = f"""
window.instants = [];
const note = () => {{ window.instants.push({TIME}); requestAnimationFrame(note); }};
note();
"""


class Gaps(PageTest):
    @classmethod
    def write_bags(cls):
        whole = cls.folder / "whole.part"
        kitbag("convert", "demo://?seconds=33&seed=7", whole, "--format", "mcap")
        cls.ends = cls.folder / "before.bag", cls.folder / "after.bag"
        kitbag("convert", whole, cls.ends[0], "--duration", f"{GAP[0]}s", "--exclude", "/camera/*")
        kitbag("convert", whole, cls.ends[1], "--start", f"+{GAP[1]}s", "--exclude", "/camera/*")
        whole.unlink()
        cls.hole = cls.folder / "hole.mcap"
        kitbag("convert", *cls.ends, cls.hole)

    def show(self, query, time, **window):
        if window:
            self.browser.window(**window)
        self.browser.before(script=INSTANTS)
        self.browser.open(url=f"{self.root}?{query}&t={time}&panel=tree+/battery")
        self.wait(f"{js('.tree')}?.dataset.time > 0 && {js(SKIP)}")

    def instants(self):
        """Since the last call; undefined ones are left out."""
        return [each for each in self.see("window.instants.splice(0)") if each is not None]

    def inside(self, instants):
        """Those that nobody has to see: some time is shown at both ends."""
        return [each for each in instants if GAP[0] + 1 < each < GAP[1] - 1]

    def arrow(self):
        """Whether the middle of the strip, over the gap, has the accent's colour."""
        return self.see(
            f"(() => {{ const from = {js(STRIP)}; const at = devicePixelRatio;"
            "const copy = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});"
            f"const x = {GAP[0] + 2} / from.ariaValueMax * from.width;"
            "copy.drawImage(from, -Math.round(x), -Math.round(31 * at));"
            "const seen = copy.getImageData(0, 0, 1, 1).data.join();"
            "copy.fillStyle = getComputedStyle(from).getPropertyValue('--accent');"
            "copy.fillRect(0, 0, 1, 1);"
            "return seen === copy.getImageData(0, 0, 1, 1).data.join(); })()")

    def play_over(self):
        """Plays until the gap is over; returns the instants that were shown."""
        self.instants()
        self.browser.press(key=" ")
        self.wait(f"{TIME} > {GAP[1]} + 0.3")
        self.browser.press(key=" ")
        return self.instants()

    def check_value(self):
        """What is shown is the last message at the instant."""
        start = cat(self.hole, "--count", "1")[0][1]
        now = self.see(TIME)
        found = cat(self.hole, "--topics", "/battery")
        rows = [((ns - start) / 1e9, data) for _, ns, data in found]
        at, data = [row for row in rows if row[0] <= now][-1]
        self.wait(f"Math.abs({js('.tree')}.dataset.time - {at}) < 1e-6")
        shown = js('.tree [data-field="voltage"]') + ".innerText"
        self.wait(f"Math.abs({shown} - {data['voltage']}) < 1e-5")

    def test_a_gap_within_a_bag_is_skipped_when_asked_for(self):
        self.show("bag=hole.mcap", 3)
        self.assertEqual(self.see(PRESSED), "false")
        self.assertFalse(self.arrow())
        self.browser.press(key="g")
        self.wait(f"{PRESSED} === 'true'")
        self.assertTrue(self.arrow())
        shown = self.play_over()
        self.assertEqual(self.inside(shown), [])
        self.assertTrue([each for each in shown if GAP[0] < each < GAP[0] + 1])  # its beginning
        self.check_value()
        # Who goes there by hand sees it.
        self.browser.click(on=STRIP, at=0.5)
        self.wait(f"{TIME} > {GAP[0]} + 2 && {TIME} < {GAP[1]} - 2")

    def test_without_it_time_goes_on(self):
        self.show("bag=hole.mcap", 3.9)
        self.instants()
        self.browser.press(key=" ")
        self.wait(f"{TIME} > {GAP[0]} + 1.2")
        self.assertTrue(self.inside(self.instants()))

    def test_between_bags_it_is_on(self):
        self.show("bag=before.bag&bag=after.bag", 3)
        self.assertEqual(self.see(PRESSED), "true")
        self.assertTrue(self.arrow())
        self.assertEqual(self.inside(self.play_over()), [])
        self.check_value()
        self.browser.click(on=SKIP)
        self.wait(f"{PRESSED} === 'false'")
        self.browser.picture(to=str(pictures() / "gaps-off.png"))

    def test_a_bag_without_long_gaps_has_no_button(self):
        self.browser.open(url=f"{self.root}?bag=demo.bag&panel=tree+/odom&pin=/odom")
        self.wait(f"{js('[data-row]')}?.dataset.gaps === '0'")
        self.assertFalse(self.see(js(SKIP)))

    def test_pictures(self):
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.show("bag=before.bag&bag=after.bag", 3, **(window or {"width": 1280}))
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"gaps-{name}.png"))


if __name__ == "__main__":
    peers.main()
