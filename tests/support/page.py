"""What tests of the player page share: bags of the simulated robot, a server, and a Chromium."""

import tempfile
import unittest
from pathlib import Path

from bag_folder import cat
from browser import Browser
from peers import kitbag
from server import Server

SECONDS = 20
HOSTILE = "<img src=x onerror=alert(1)>.bag"
TIME = "Number(document.querySelector('.position b')?.dataset.time)"
STRIP = "[aria-label=Time]"


def panel(name):
    return f'[data-panel="{name}"]'


def js(selector):
    return f"document.querySelector('{selector}')"


class OwnBagsTest(unittest.TestCase):
    """A page that says an error or a warning, or asks another host, fails its test."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.fill()
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.end)
        cls.server = Server(cls.folder)
        cls.addClassCleanup(cls.server.end)
        cls.root = f"http://{cls.server.host}/"

    @classmethod
    def fill(cls):
        """Bags in `folder`, before the server starts: it looks for new ones now and then."""

    def listed(self, bag):
        """Waits until the server has seen a bag that was written meanwhile."""
        while bag not in [each["filename"] for each in self.server.list()]:
            pass

    def setUp(self):
        self.browser.window()

    def tearDown(self):
        self.assertEqual(self.browser.said(), [])

    def wait(self, until):
        self.browser.wait(until=until)

    def see(self, expression):
        return self.browser.see(expression=expression)

    def seek(self, seconds):
        """To the tenth of a second, by keys."""
        self.browser.press(key="Home")
        for _ in range(int(seconds)):
            self.browser.press(key="Shift+ArrowRight")
        for _ in range(round(seconds % 1 * 10)):
            self.browser.press(key="ArrowRight")
        self.wait(f"Math.abs({TIME} - {seconds}) < 1e-6")


class PageTest(OwnBagsTest):
    """With bags of the simulated robot. `write_bags()` writes more."""

    @classmethod
    def fill(cls):
        cls.demo = cls.folder / "demo.bag"
        kitbag("convert", f"demo://?seconds={SECONDS}&seed=7", cls.demo)
        kitbag("convert", f"demo://?seconds={SECONDS}&seed=7", cls.folder / "ros2.mcap",
               "--encoding", "cdr")
        kitbag("convert", "demo://?seconds=1&seed=3", cls.folder / HOSTILE)
        cls.start_ns = cat(cls.demo, "--count", "1")[0][1]
        cls.write_bags()

    @classmethod
    def write_bags(cls):
        """More bags in `folder`."""

    def open_bag(self, bag="demo.bag", **window):
        if window:
            self.browser.window(**window)
        self.browser.open(url=f"{self.root}?bag={bag}")
        self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")

    def last_before(self, topic, seconds, bag):
        """(Seconds since the start, data) of the last message of a topic."""
        rows = [(ns - self.start_ns, data) for _, ns, data in cat(bag, "--topics", topic)]
        ns, data = [row for row in rows if row[0] <= round(seconds * 1e9)][-1]
        return ns / 1e9, data
