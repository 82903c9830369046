#!/usr/bin/env python3
"""The player page for everybody: axe-core finds no serious violation, and all of it can be done
with the keyboard alone."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from page import TIME, PageTest, js, panel  # noqa: E402

WINDOWS = {"light": {}, "dark": {"dark": True}, "phone": {"width": 390, "height": 844}}
PANELS = ("statistics", "tf", "scene", "table+/battery", "states+/battery", "tree+/odom",
          "diagnostics+/diagnostics", "log+/rosout", "image+/camera/image",
          "plot+/odom+pose.pose.position.x")


class Access(PageTest):
    def check(self, what):
        self.assertEqual(self.browser.axe(), [], what)

    def test_the_list_and_a_bag(self):
        for name, window in WINDOWS.items():
            self.browser.window(**window)
            self.browser.open(url=self.root)
            self.wait("document.querySelectorAll('tbody tr').length === 3")
            self.check(f"list {name}")
            self.browser.open(url=f"{self.root}?bag=demo.bag&t=12.4")
            self.wait(f"{js('.places:not(.late) .place .body > *')}")
            self.wait(f"{js('.state')}?.innerText === ''")
            self.check(f"bag {name}")

    def test_each_panel(self):
        for each in PANELS:
            name = each.split("+")[0]
            self.browser.open(url=f"{self.root}?bag=demo.bag&t=12.4&panel={each}")
            self.wait(f"{js('.places:not(.late) ' + panel(name) + ' .body > :not(.missing)')}")
            self.check(each)

    def test_dialogs_and_menus(self):
        self.open_bag()
        self.browser.press(key="?")
        self.wait(js("dialog[open]"))
        self.check("keys")
        self.browser.press(key="Escape")
        for menu in "+ Panel", "Layouts":
            self.browser.click(on=f'button:has-text("{menu}")')
            self.wait(js(".menu .sheet"))
            self.check(menu)
            self.browser.press(key="Escape")
            self.wait(f"!{js('.menu .sheet')}")

    def test_by_keys_alone(self):
        """From the list to a bag, a panel of a topic that was searched for, and a time."""
        self.browser.open(url=self.root)
        self.wait("document.querySelectorAll('tbody tr').length === 3")
        self.browser.press(key="/")
        self.browser.fill(on=":focus", text="demo")
        self.wait("document.querySelectorAll('tbody tr').length === 1")
        self.browser.press(key="ArrowDown")
        self.browser.press(key="Enter")
        self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
        self.browser.press(key="/")
        self.browser.fill(on=":focus", text="/tf_static")
        self.wait(js("[role=option]"))
        self.browser.press(key="Enter")
        begin = self.see(TIME)
        self.browser.press(key="Shift+ArrowRight")
        self.wait(f"Math.abs({TIME} - {begin} - 1) < 1e-6")
        self.browser.press(key=" ")
        self.wait(f"{TIME} > {begin} + 1.2")


if __name__ == "__main__":
    peers.main()
