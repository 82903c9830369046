#!/usr/bin/env python3
"""What the player page shows at once after a seek: the last message of each topic, however long ago
it came."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from page import PageTest, js  # noqa: E402
from peers import kitbag  # noqa: E402

LONG_S = 120


class Seek(PageTest):
    @classmethod
    def write_bags(cls):
        cls.long = cls.folder / "long.mcap"
        parts = cls.folder / "battery.mcap", cls.folder / "odom.mcap"
        kitbag("convert", "demo://?seconds=5&seed=7", parts[0], "--topics", "/battery")
        kitbag("convert", f"demo://?seconds={LONG_S}&seed=7", parts[1], "--topics", "/odom",
               "/rosout")
        kitbag("merge", *parts, cls.long)
        cls.start_ns = cat(cls.long, "--count", "1")[0][1]

    def test_what_came_long_ago_is_shown(self):
        time, battery = self.last_before("/battery", LONG_S, self.long)
        self.assertLess(time, 6)
        self.browser.open(url=f"{self.root}?bag=long.mcap&t={LONG_S - 20}"
                              "&panel=tree+/battery&panel=log+/rosout")
        self.wait(f"Math.abs({js('.tree')}?.dataset.time - {time}) < 1e-6")
        voltage = self.see(js('.tree [data-field="voltage"]') + ".innerText")
        self.assertAlmostEqual(float(voltage), battery["voltage"], 5)

    def test_the_log_has_more_than_the_last_line(self):
        self.browser.open(url=f"{self.root}?bag=long.mcap&t={LONG_S - 20}"
                              "&panel=log+/rosout")
        _, line = self.last_before("/rosout", LONG_S - 20, self.long)
        _, older = self.last_before("/rosout", LONG_S - 23, self.long)
        self.assertNotEqual(line["msg"], older["msg"])
        lines = ("[...document.querySelectorAll('.log li')].map(each => "
                 "['time', 'text'].map(name => each.querySelector('.' + name).innerText))")
        self.wait(f"{js('.log li[aria-current] .text')}?.innerText === {line['msg']!r}")
        shown = self.see(lines)
        self.assertIn(older["msg"], [text for _, text in shown])
        # The robot is at the same place again each minute, but not at the same time.
        times = [time for time, _ in shown]
        self.assertEqual(times, sorted(set(times)))


if __name__ == "__main__":
    peers.main()
