#!/usr/bin/env python3
"""The player page with real bags: each opens with something on the screen, and a message of each of
its first topics is shown as `kitbag cat` prints it."""

import sys
import unittest
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import Browser  # noqa: E402
from peers import REAL_BAGS, need_data, need_real_bags  # noqa: E402
from server import Server  # noqa: E402

ROSBAG2 = REAL_BAGS.parent / "rosbag2" / "generated_rosbag2_0.29.0"
TOPICS = 3
FIELDS = ("[...document.querySelectorAll('.tree [data-field]')]"
          ".map(each => [each.dataset.field, each.innerText])")


def leaves(data):
    """(name, value) of numbers and texts that are shown at first: not in long lists."""
    for name, value in data.items():
        if isinstance(value, dict) and set(value) - {"sec", "nsec", "nanosec"}:
            yield from leaves(value)
        elif isinstance(value, (int, float, str)) and not isinstance(value, bool):
            yield name, value


class RealBags(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need_real_bags()
        need_data(ROSBAG2)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.end)

    def show(self, server, bag, more):
        self.browser.open(url=f"http://{server.host}/?bag={quote(bag)}{more}")

    def check_layout(self, server, bag):
        self.browser.window()
        self.show(server, bag, "")
        self.browser.wait(until="document.querySelector('.place .body > *') && "
                                "document.querySelector('.state').innerText === ''")
        self.assertEqual(self.browser.said(), [])

    def check_message(self, server, bag, topic, ns, data):
        time = ns / 1e9
        self.show(server, bag, f"&t={time + 0.001:.3f}&panel={quote('tree ' + quote(topic, ''))}")
        self.browser.wait(until="document.querySelector('.places:not(.late) .tree') && Math.abs("
                                f"document.querySelector('.tree').dataset.time - {time}) < 0.002")
        fields = self.browser.see(expression=FIELDS)
        for name, value in leaves(data):
            texts = [text for each, text in fields if each == name]
            if isinstance(value, str):
                self.assertIn(" ".join(value.split()), [" ".join(text.split()) for text in texts])
            else:
                numbers = [float(text) for text in texts if text[-1:].isdigit()]
                self.assertTrue(any(abs(number - value) <= 1e-6 * max(abs(value), 1e-9)
                                    for number in numbers), (topic, name, value, texts))
        self.assertEqual(self.browser.said(), [])

    def check_folder(self, folder):
        count = 0
        with Server(folder) as server:
            for bag in server.list():
                if not bag.get("messages"):
                    continue
                name = bag["filename"]
                rows = cat(Path(folder) / name)
                with self.subTest(bag=name):
                    self.check_layout(server, name)
                    last = {}  # the last message of each topic is the state at the end
                    for topic, ns, data in rows:
                        last[topic] = (ns, data)
                    chosen = [(topic, *row) for topic, row in sorted(last.items()) if row[1]]
                    for topic, ns, data in chosen[:TOPICS]:
                        self.check_message(server, name, topic, ns - rows[0][1], data)
                        count += 1
        return count

    def test_rosbags(self):
        self.assertGreater(self.check_folder(REAL_BAGS), 20)

    def test_rosbag2(self):
        self.assertGreater(self.check_folder(ROSBAG2), 5)


if __name__ == "__main__":
    peers.main()
