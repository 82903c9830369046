#!/usr/bin/env python3
"""The list of a server with a catalog: it comes in pages, the server searches, and what is noted of
a bag is noted in the catalog."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from page import OwnBagsTest, js, panel  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

SMALL = 330
START = 1_600_000_000
HOUR = 3600
ROWS = "document.querySelectorAll('tr[data-bag]')"
NAMES = f"[...{ROWS}].map(row => row.querySelector('.filename a').innerText)"
STATUS = js("[role=status]") + ".innerText"
SEARCH = "input[type=search]"
TO_THE_END = ("(() => { const scroller = document.querySelector('.scroller');"
              "scroller.scrollTop = scroller.scrollHeight;"
              "scroller.dispatchEvent(new Event('scroll')); })()")


def write_small(path, number):
    bag = McapFile(path)
    channel = bag.channel(f"/kind/{number % 10}", "json", "Number", "jsonschema", "{}")
    for step in range(3):
        bag.message(channel, (START + number * HOUR + step) * 10**9,
                    json.dumps({"number": number}).encode())
    bag.close()


class CatalogList(OwnBagsTest):
    @classmethod
    def fill(cls):
        bags = cls.folder / "bags"
        bags.mkdir()
        for number in range(SMALL):
            write_small(bags / f"run-{number:03}.mcap", number)
        kitbag("convert", "demo://?seconds=10&seed=7", bags / "demo.bag")
        cls.address = cls.folder / "fleet.db"
        kitbag("catalog", "init", cls.address)
        kitbag("catalog", "scan", cls.address, bags, "--index-only")
        kitbag("catalog", "set", cls.address, bags / "run-100.mcap", "--tag", "robot=R7", "--note",
               "wheel slips")
        cls.catalog = Server("--catalog", cls.address, "--token", "secret")
        cls.addClassCleanup(cls.catalog.end)

    def open_list(self):
        self.browser.open(url=f"http://{self.catalog.host}/?token=secret")
        self.wait(f"{ROWS}.length > 0")

    def search(self, words, names):
        self.browser.fill(on=SEARCH, text=words)
        count = len(names)
        self.wait(f"{STATUS} === '{count} {'bag' if count == 1 else 'bags'}'")
        self.wait(f"JSON.stringify({NAMES}.slice(0, 5)) === '{json.dumps(names[:5])}'"
                  ".replaceAll(' ', '')")

    def test_pages_come_as_one_scrolls(self):
        self.open_list()
        self.wait(f"{STATUS} === '{SMALL + 1} bags'")
        self.assertEqual(self.see(NAMES)[:3], ["demo.bag", "run-329.mcap", "run-328.mcap"])
        self.wait(js("tr[data-bag] .density canvas"))  # of the catalog
        asked = self.see("performance.getEntriesByType('resource').map(each => each.name)")
        self.assertEqual([each for each in asked if "run-329" in each], [])  # nor is it opened
        for _ in range(100):
            self.see(TO_THE_END)
            self.see("new Promise(done => setTimeout(done, 50))")
            if "run-000.mcap" in self.see(NAMES):
                break
        self.assertEqual(self.see(NAMES)[-3:], ["run-002.mcap", "run-001.mcap", "run-000.mcap"])
        self.assertLess(self.see(f"{ROWS}.length"), 60)
        # All of them, in their order, without a hole.
        self.assertEqual(self.see("document.querySelector('table').ariaRowCount"), str(SMALL + 2))
        self.browser.click(on="th.start_time button")
        self.wait(f"{NAMES}[0] === 'run-000.mcap'")
        self.assertEqual(self.see(f"{js('th.start_time')}.ariaSort"), "ascending")
        self.assertEqual(self.see("document.querySelectorAll('th button').length"), 1)

    def test_the_server_searches(self):
        self.open_list()
        kind_7 = [f"run-{number:03}.mcap" for number in reversed(range(7, SMALL, 10))]
        self.search("topic:KIND/7", kind_7)
        self.search("topic:kind/7 name:run-31", ["run-317.mcap"])
        self.search("tag:robot=R7", ["run-100.mcap"])
        self.search("wheel slips", ["run-100.mcap"])
        self.assertIn("robot=R7", self.see(f"{js('.filename a')}.title"))
        self.search("type:image", ["demo.bag"])
        self.search("time:2026", ["demo.bag"])
        self.search("nothing:like:this", [])
        self.assertIn("No bag of the catalog", self.see(f"{js('main')}.innerText"))

    def test_a_bag_of_the_catalog(self):
        self.open_list()
        self.search("demo", ["demo.bag"])
        self.browser.press(key="Enter")
        self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
        name = self.see("new URLSearchParams(location.search).get('bag')")
        self.assertRegex(name, "^[0-9a-f]{16}~demo.bag$")
        self.assertEqual(self.see("document.title"), "demo.bag – kitbag")
        self.seek(7.2)
        self.browser.press(key="m")
        self.browser.fill(on="#event", text="bump")
        self.browser.press(key="Enter")
        self.wait("document.querySelectorAll('.events li').length === 1")
        bags = [json.loads(line) for line in
                kitbag("catalog", "list", self.address, "--json", "--text", "bump").splitlines()]
        self.assertEqual([(each["name"], each["start_ns"]) for each in bags[0]["events"]],
                         [("bump", 1767225607200000000)])


if __name__ == "__main__":
    peers.main()
