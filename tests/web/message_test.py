#!/usr/bin/env python3
"""The message panel in a real Chromium: what it finds, copies, drags and keeps folded."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from browser import pictures  # noqa: E402
from page import PageTest, js  # noqa: E402

COPY = """(() => {
  window.copied_ = null;
  const write = (text) => { window.copied_ = text; return Promise.resolve(); };
  Object.defineProperty(navigator, "clipboard", {value: {writeText: write}, configurable: true});
})()"""
# As on a page without a secure context: what is selected when it says "copy" is copied.
OLD_COPY = """(() => {
  window.copied_ = null;
  Object.defineProperty(navigator, "clipboard", {value: undefined, configurable: true});
  document.execCommand = () => { window.copied_ = document.activeElement.value; return true; };
})()"""
DRAG = """(() => {
  const data = new DataTransfer();
  const row = document.querySelector('[data-path="pose.pose.position.x"]').parentElement;
  row.dispatchEvent(new DragEvent("dragstart", {dataTransfer: data, bubbles: true}));
  return data.getData("application/x-kitbag-field");
})()"""
PATHS = "[...document.querySelectorAll('.tree [data-path]')].map(each => each.dataset.path)"


class Message(PageTest):
    def show(self, topic, time):
        self.browser.open(url=f"{self.root}?bag=demo.bag&t={time}&panel=tree+{topic}")
        at, data = self.last_before(topic, time, self.demo)
        self.wait(f"Math.abs({js('.tree')}?.dataset.time - {at}) < 1e-6")
        return data

    def path(self, path):
        return js(f'[data-path="{path}"]')

    def copied(self):
        self.wait("window.copied_ !== null")
        return self.see("window.copied_")

    def test_copying(self):
        data = self.show("/odom", 5.0)
        self.see(COPY)
        self.browser.click(on=".tree [title='Copy the message as JSON']")
        self.assertEqual(json.loads(self.copied()), data)
        self.browser.click(on='[data-path="pose.pose.position.x"]')
        self.see(COPY)
        self.browser.click(on=".tree [title^='Copy the path']")
        self.assertEqual(self.copied(), "pose.pose.position.x")
        self.see(OLD_COPY)
        self.browser.click(on=".tree [title^='Copy the value']")
        self.assertEqual(float(self.copied()), data["pose"]["pose"]["position"]["x"])
        self.wait(f"{js('.tree output')}.innerText === 'Value copied'")
        field = json.loads(self.see(DRAG))
        self.assertEqual(field, {"topic": "/odom", "field": "pose.pose.position.x"})

    def test_finding(self):
        self.show("/odom", 5.0)
        self.browser.fill(on=".tree input", text="covariance")
        self.wait(f"{PATHS}.length === 0")
        self.browser.fill(on=".tree input", text="base_link")
        self.wait(f"{PATHS}.join() === 'child_frame_id'")
        self.browser.fill(on=".tree input", text="<img src=x>")
        self.wait(f"{js('.tree .missing')}?.innerText.includes('“<img src=x>”')")

    def test_long_lists_and_what_is_folded(self):
        ranges = self.show("/scan", 5.0)["ranges"]
        self.browser.click(on=".tree .fold[title=ranges]")
        self.wait(f"{PATHS}.filter(each => each.startsWith('ranges[')).length === 100")
        self.browser.click(on=".tree .more")
        self.wait(f"{PATHS}.filter(each => each.startsWith('ranges[')).length === 200")
        self.assertAlmostEqual(float(self.see(self.path("ranges[150]") + ".innerText")),
                               ranges[150], 4)
        self.browser.press(key="ArrowRight")
        ranges = self.last_before("/scan", 5.1, self.demo)[1]["ranges"]
        self.wait(f"Math.abs({self.path('ranges[150]')}.innerText - {ranges[150]}) < 1e-4")
        self.assertEqual(self.see(f"{PATHS}.filter(each => each.startsWith('ranges[')).length"),
                         200)

    def test_times_and_changes(self):
        stamp = self.show("/odom", 5.0)["header"]["stamp"]
        text = self.path("header.stamp") + ".innerText"
        self.assertIn(f"({stamp['sec']}.{stamp['nsec']:09} s)", self.see(text))
        self.assertIn("2026-01-01 00:00:0", self.see(text))
        changed = "[...document.querySelectorAll('.tree .changed')].map(each => each.dataset.path)"
        self.assertEqual(self.see(changed), [])
        self.browser.press(key="ArrowRight")
        self.wait(f"{changed}.includes('header.stamp')")
        self.assertNotIn("child_frame_id", self.see(changed))

    def test_pictures(self):
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.browser.window(**window)
            self.show("/odom", 5.0)
            self.browser.click(on='[data-path="pose.pose.position.x"]')
            self.wait(js(".tree .chosen"))
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"message-{name}.png"))


if __name__ == "__main__":
    peers.main()
