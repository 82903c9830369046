#!/usr/bin/env python3
"""A bag that is being recorded, in a real Chromium: the page shows what is recorded soon after,
goes back into it, and controls the recorder where it may."""

import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from page import TIME, PageTest, js  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

TOKEN = "secret"
LIVE = "button.live"
PRESSED = f"{js(LIVE)}?.getAttribute('aria-pressed') === 'true'"
TREE = "&panel=tree+/odom"


class LivePage(PageTest):
    def setUp(self):
        super().setUp()
        self.records = self.folder / self._testMethodName
        self.records.mkdir()

    def serve(self, *options):
        """A server that records the simulated robot."""
        server = Server(self.records, "--record", "demo://?seconds=120&seed=7", *options)
        self.addCleanup(server.end)
        self.server_ = server
        # An answer of the list is half a second old at most.
        while not self.live():
            time.sleep(0.05)
        return server

    def ask(self, path):
        return self.server_.ask(path, Authorization=f"Bearer {TOKEN}")

    def live(self):
        """The name of the bag that is being recorded, with more than a second in it."""
        bags = self.ask("/bags/").json()
        return next((bag["filename"] for bag in bags
                     if bag.get("recording") and bag.get("duration", 0) > 1), None)

    def open_live(self, more="", token=False):
        if token:
            self.browser.open(url=f"http://{self.server_.host}/?token={TOKEN}")  # sets a cookie
            self.wait("document.querySelector('tbody tr')")
        self.browser.open(url=f"http://{self.server_.host}/?bag={self.live()}{more}")

    def recorded(self):
        """Seconds that the server has of the bag."""
        info = self.ask(f"/bags/{self.live()}/info").json()
        return (info["end_ns"] - info["start_ns"]) / 1e9

    def test_following_and_looking_back(self):
        self.serve()
        self.open_live(TREE)
        self.wait(PRESSED)
        shown = f"Number({js('.tree')}?.dataset.time)"
        for seconds in (3, 5):
            self.wait(f"{shown} > {seconds}")
            self.assertLess(self.recorded() - self.see(shown), 3)
        self.browser.press(key=" ")  # a pause
        self.wait(f"!({PRESSED})")
        self.browser.press(key="Home")
        for _ in range(2):
            self.browser.press(key="Shift+ArrowRight")
        self.wait(f"Math.abs({TIME} - 2) < 1e-6")
        name = self.live()
        start = self.ask(f"/bags/{name}/info").json()["start_ns"]
        rows = self.ask(f"/bags/{name}/player?start_time={start // 10**9}"
                        f"&end_time={start // 10**9 + 3}&topics=/odom").json()["messages"]
        row = [row for row in rows if row["__stamp"] - start / 1e9 <= 2][-1]
        self.wait(f"Math.abs({shown} - {row['__stamp'] - start / 1e9}) < 1e-4")
        values = self.see("Object.fromEntries([...document.querySelectorAll('.tree [data-field]')]"
                          ".map(each => [each.dataset.field, each.innerText]))")
        self.assertEqual(values["child_frame_id"], row["child_frame_id"])
        # What is looked at stays; the end goes on.
        length = f"Number({js('.strip canvas')}.getAttribute('aria-valuemax'))"
        before = self.see(length)
        self.browser.press(key="Shift+ArrowRight")
        self.wait(f"{length} > {before} + 1")
        self.assertAlmostEqual(self.see(TIME), 3, 6)
        self.browser.click(on=LIVE)
        self.wait(f"{PRESSED} && {shown} > {before}")
        self.browser.picture(to=str(pictures() / "live-light.png"))

    def test_among_several_bags(self):
        kitbag("convert", "demo://?seconds=4&seed=3", self.records / "old.bag")
        server = self.serve()
        name = self.live()
        origin = server.ask("/bags/old.bag/info").json()["start_ns"]
        self.browser.open(url=f"http://{server.host}/?bag=old.bag&bag={name}&panel=tree+/battery")
        self.wait(PRESSED)
        shown = f"Number({js('.tree')}?.dataset.time)"
        length = f"Number({js('.strip canvas')}.getAttribute('aria-valuemax'))"
        for _ in range(2):  # what is recorded shows soon after, and the timeline grows
            recorded = (self.ask(f"/bags/{name}/info").json()["end_ns"] - origin) / 1e9
            self.wait(f"{shown} > {recorded - 0.9} && {length} > {recorded}")
        self.browser.press(key=" ")  # a pause
        self.wait(f"!({PRESSED})")
        now = self.see(TIME)
        end = origin // 10**9 + round(now) + 2
        rows = self.ask(f"/bags/{name}/player?start_time={end - 5}&end_time={end}"
                        "&topics=/battery").json()["messages"]
        at, row = [(each["__stamp"] - origin / 1e9, each) for each in rows
                   if each["__stamp"] - origin / 1e9 <= now][-1]
        self.wait(f"Math.abs({shown} - {at}) < 1e-3")
        voltage = self.see(js('.tree [data-field="voltage"]') + ".innerText")
        self.assertAlmostEqual(float(voltage), row["voltage"], 4)
        # The counts of the strip reach what came after the page was opened.
        self.wait(f"{length} > {now} + 1")
        self.browser.press(key="Home")
        self.browser.press(key="Shift+ArrowRight")
        self.wait(f"{shown} < 1")

    def test_a_recording_that_ends(self):
        server = self.serve("--token", TOKEN)
        self.open_live(TREE, token=True)
        self.browser.window(width=390, height=844)
        self.open_live(TREE, token=True)
        self.wait(PRESSED)
        self.wait(js(".recorder"))
        self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
        right = self.see(f"{js('[data-command=stop]')}.getBoundingClientRect().right")
        self.assertLess(right, 390)
        self.browser.picture(to=str(pictures() / "live-phone.png"))
        name = self.live()
        self.browser.click(on='[data-command="stop"]')
        self.wait(f"!{js(LIVE)}")
        info = server.ask(f"/bags/{name}/info", Authorization=f"Bearer {TOKEN}").json()
        length = (info["end_ns"] - info["start_ns"]) / 1e9
        shown = f"{js('.strip canvas')}.getAttribute('aria-valuemax')"
        self.wait(f"Math.abs({shown} - {length}) < 1e-6")
        self.browser.window()  # the first 401 is reported

    def test_the_recorder(self):
        self.serve("--token", TOKEN)
        self.open_live(token=True)
        self.browser.open(url=f"http://{self.server_.host}/")
        state = f"{js('.recorder')}?.dataset.state"
        self.wait(f"{state} === 'recording'")
        self.wait(f"{js('.mark.live')}")
        self.browser.picture(to=str(pictures() / "live-list.png"))
        for command, then in ("pause", "paused"), ("resume", "recording"), ("split", "recording"), \
                ("stop", "stopped"), ("start", "recording"):
            self.browser.click(on=f'[data-command="{command}"]')
            self.wait(f"{state} === '{then}'")
            self.assertEqual(json.loads(self.ask("/api/recorder").body)["state"], then, command)
        self.wait("document.querySelectorAll('tbody tr').length >= 2")
        self.browser.window()

    def test_a_snapshot(self):
        server = Server(self.records, "--record", "demo://?seconds=120&seed=7", "--token", TOKEN,
                        "--snapshot", "3s")
        self.addCleanup(server.end)
        self.server_ = server
        self.browser.open(url=f"http://{server.host}/?token={TOKEN}")
        button = '[data-command="snapshot"]'
        self.wait(f"{js('.recorder')}?.dataset.state === 'recording'")
        self.assertEqual(self.ask("/bags/").json(), [])  # nothing is written until it is wanted
        self.wait(f"{js(button)} && /0:0[4-9]/.test({js('.recorder .recording')}.innerText)")
        self.browser.click(on=button)
        self.wait("document.querySelectorAll('tbody tr').length === 1")
        self.assertEqual(json.loads(self.ask("/api/recorder").body)["state"], "recording")
        bag, = self.ask("/bags/").json()
        name = bag["filename"]
        self.wait(f"{js('tbody tr')}.innerText.includes({name!r})")
        kept = cat(self.records / name)
        end_ns, start_ns = kept[-1][1], min(ns for _, ns, _ in kept)
        recent = [ns for topic, ns, _ in kept if topic == "/odom"]
        self.assertAlmostEqual((recent[-1] - recent[0]) / 1e9, 3, delta=0.5)
        self.assertGreater(len({topic for topic, *_ in kept}), 8)
        # The page shows its end, as the bag has it.
        at = (end_ns - start_ns) / 1e9
        self.browser.open(url=f"http://{server.host}/?bag={name}&t={at:.6f}&panel=tree+/battery")
        ns, data = [(ns, data) for topic, ns, data in kept if topic == "/battery"][-1]
        self.wait(f"Math.abs({js('.tree')}?.dataset.time - {(ns - start_ns) / 1e9}) < 1e-6")
        voltage = self.see(js('.tree [data-field="voltage"]') + ".innerText")
        self.assertAlmostEqual(float(voltage), data["voltage"], 4)
        self.browser.picture(to=str(pictures() / "live-snapshot.png"))
        self.browser.window()  # the first 401 is reported

    def test_without_a_token_nothing_can_be_told(self):
        self.serve()
        self.browser.open(url=f"http://{self.server_.host}/")
        self.wait(js('[data-command="stop"]'))
        self.browser.click(on='[data-command="stop"]')
        self.wait(f"{js('.recorder [role=alert]')}?.innerText.includes('--token')")
        self.assertEqual(self.browser.count(on=".recorder button"), 0)
        self.browser.picture(to=str(pictures() / "live-refused.png"))
        self.browser.window()  # Chromium reports the status 403


if __name__ == "__main__":
    peers.main()
