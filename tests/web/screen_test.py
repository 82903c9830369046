#!/usr/bin/env python3
"""Large and dense screens in a real Chromium: canvases have the pixels of the screen, text stays
readable, and nothing is stretched or cut."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from browser import pictures  # noqa: E402
from page import PageTest, js, panel  # noqa: E402

LEAST_TEXT = 11  # px
LAYOUT = ("&panel=image+/camera/image&panel=plot+/odom+pose.pose.position.x"
          "&panel=states+/battery+power_supply_status&panel=tree+/battery&panel=table+/odom")
# What is seen of each canvas, but for pictures of a camera, which have the pixels of the camera.
CANVASES = """[...document.querySelectorAll('canvas')]
    .filter((each) => each.getClientRects().length && !each.closest('.stage'))
    .map((each) => { const { width, height } = each.getBoundingClientRect();
        return [each.className || each.parentElement.className, each.width / width,
                each.height / height]; })"""
# The size of the text of all elements that have some, and are seen.
TEXTS = """[...document.querySelectorAll('body *')]
    .filter((each) => each.getClientRects().length && [...each.childNodes].some(
        (node) => node.nodeType === 3 && node.data.trim()))
    .map((each) => [parseFloat(getComputedStyle(each).fontSize), each.tagName, each.className])"""


class Screen(PageTest):
    def check(self):
        tiny = [each for each in self.see(TEXTS) if each[0] < LEAST_TEXT]
        self.assertEqual(tiny, [])
        self.assertEqual(self.see("[document.documentElement.scrollWidth - innerWidth,"
                                  "document.documentElement.scrollHeight - innerHeight]"), [0, 0])

    def test_panels(self):
        for scale, width, height in ((1, 3840, 2160), (2, 1920, 1080)):
            with self.subTest(scale=scale):
                self.open_bag("demo.bag" + LAYOUT, width=width, height=height, scale=scale)
                self.wait("document.querySelector('.tree [data-field=voltage]')")
                self.wait(f"{js(panel('plot'))}?.querySelector('[data-points]')")
                self.browser.picture(to=str(pictures() / f"screen-panels-{scale}.png"))
                self.check()
                canvases = self.see(CANVASES)
                self.assertGreater(len(canvases), 2)
                for name, across, down in canvases:
                    self.assertAlmostEqual(across, scale, delta=0.03, msg=name)
                    self.assertAlmostEqual(down, scale, delta=0.03, msg=name)
                # A picture keeps its shape.
                canvas = f"{js('.image canvas')}"
                shape = self.see(f"(({{width, height}}) => width / height / ({canvas}.width /"
                                 f"{canvas}.height))({canvas}.getBoundingClientRect())")
                self.assertAlmostEqual(shape, 1, delta=0.01)

    def test_the_list(self):
        for scale, width, height in ((1, 3840, 2160), (2, 1920, 1080)):
            with self.subTest(scale=scale):
                self.browser.window(width=width, height=height, scale=scale)
                self.browser.open(url=self.root)
                self.wait("document.querySelectorAll('tbody tr').length === 3")
                self.wait("document.querySelectorAll('tbody canvas').length === 6")
                self.browser.picture(to=str(pictures() / f"screen-list-{scale}.png"))
                self.check()
                for name, across, down in self.see(CANVASES):
                    self.assertGreaterEqual(min(across, down), scale - 0.01, name)  # not blurred
                    if name == "density":  # nor stretched; pictures are cut
                        self.assertAlmostEqual(across / down, 1, delta=0.03)
                # One can follow a row from the name to the numbers.
                self.assertLessEqual(self.see(f"{js('.list table')}.clientWidth"), 1680)


if __name__ == "__main__":
    peers.main()
