#!/usr/bin/env python3
"""The log panel in a real Chromium: which lines it shows around an instant, and what it says of
them."""

import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from browser import pictures  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from page import TIME, PageTest, js  # noqa: E402

START = 1_700_000_000 * 10**9
LOG = "byte level\nstring name\nstring msg\nstring file\nstring function\nuint32 line\n"
LINES = 2000
STEP = 10**7  # 20 s in all
TEXTS = "[...document.querySelectorAll('.log li .text')].map(each => each.innerText)"
CURRENT = js(".log li[aria-current] .text") + "?.innerText"
LEVELS = (1, 2, 4, 8, 16)


def string(text):
    return struct.pack("<I", len(text.encode())) + text.encode()


def message(i):
    if i == LINES - 1:
        return "<img src=x onerror=alert(1)>\n" + "x" * 1_000_000
    return f"line {i} of motor {i % 3}"


class Log(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        file = McapFile(cls.folder / "log.mcap")
        channel = file.channel("/rosout", "ros1", "rosgraph_msgs/Log", "ros1msg", LOG)
        for i in range(LINES):
            file.message(channel, START + i * STEP, struct.pack("<B", LEVELS[i % 5]) +
                         string(f"/node{i % 4}") + string(message(i)) + string("motor.cpp") +
                         string("turn") + struct.pack("<I", i))
        file.close()

    def show(self, time, settings=""):
        self.listed("log.mcap")
        self.browser.open(url=f"{self.root}?bag=log.mcap&t={time}&panel=log+/rosout{settings}")

    def test_lines_around_the_instant(self):
        self.show(10.005)
        self.wait(f"{CURRENT} === {message(1000)!r}")
        self.wait(f"{TEXTS}.includes({message(1003)!r})")  # later ones, too
        self.assertLess(len(self.see(TEXTS)), 80)  # of two thousand
        self.assertIn(message(990), self.see(TEXTS))
        self.browser.press(key="ArrowRight")
        self.wait(f"{CURRENT} === {message(1010)!r}")
        box = "document.querySelector('.log .lines')"
        self.browser.wheel(on=".log .lines", at=0.5, by=-2400)
        self.wait(f"{TEXTS}.includes({message(900)!r})")
        self.browser.press(key="ArrowRight")  # does not take away what one reads
        top = self.see(f"{box}.scrollTop")
        self.wait(f"Math.abs({TIME} - 10.205) < 1e-6")
        self.assertEqual(self.see(f"{box}.scrollTop"), top)
        self.browser.click(on=".log button:has-text('Back to the instant')")
        self.wait(f"{CURRENT} === {message(1020)!r}")

    def test_a_click_seeks_and_tells_the_source(self):
        self.show(10.005)
        self.wait(f"{CURRENT} === {message(1000)!r}")
        self.browser.click(on=f".log .line:has-text('{message(995)}')")
        self.wait(f"Math.abs({TIME} - 9.95) < 1e-6 && {CURRENT} === {message(995)!r}")
        self.assertEqual(self.see(js(".log .source") + ".innerText"), "motor.cpp:995, turn")
        self.assertEqual(self.see(js(".log .details pre") + ".innerText"), message(995))

    def test_filters_are_in_the_url(self):
        self.show(10.005)
        self.wait(f"{CURRENT} === {message(1000)!r}")
        self.browser.select(on='[aria-label="Least level"]', value="ERROR")
        self.browser.select(on='[aria-label="Node"]', value="/node3")
        wanted = [i for i in range(LINES) if i % 5 >= 3 and i % 4 == 3]
        last = max(i for i in wanted if i <= 1000)
        self.wait(f"{CURRENT} === {message(last)!r}")
        self.browser.fill(on=".log input", text="/motor [12]$/")
        wanted = [i for i in wanted if i % 3]
        self.wait(f"{TEXTS}.every(each => /motor [12]$/.test(each))")
        shown = [int(each.split()[1]) for each in self.see(TEXTS)]
        self.assertEqual(shown, [i for i in wanted if shown[0] <= i <= shown[-1]])
        self.wait("location.search.includes('level%3DERROR')")
        url = self.browser.url()
        self.browser.window()
        self.browser.open(url=url)
        self.wait(f"{TEXTS}.length > 1 && {TEXTS}.every(each => /motor [12]$/.test(each))")
        self.browser.fill(on=".log input", text="/(/")
        self.wait(f"{js('.log .missing')}?.innerText === '/(/ is no regular expression'")

    def test_hostile_text(self):
        self.show(19.995)
        self.wait(f"{CURRENT}?.startsWith('<img src=x onerror=alert(1)> ⏎ xxx')")
        self.assertLess(self.see(f"{CURRENT}.length"), 1000)
        self.assertEqual(self.browser.count(on="img"), 0)

    def test_pictures(self):
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.browser.window(**window)
            self.show(10.005)
            self.wait(f"{CURRENT} === {message(1000)!r}")
            self.browser.click(on=f".log .line:has-text('{message(1000)}')")
            self.wait(js(".log .details"))
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"log-{name}.png"))


if __name__ == "__main__":
    peers.main()
