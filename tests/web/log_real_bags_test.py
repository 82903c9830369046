#!/usr/bin/env python3
"""The log of real bags, of ROS 1 before and after 2010, ROS 2 and Foxglove: lines, levels, nodes,
times and sources are those of the messages, at several times and as filters want them."""

import shutil
import sys
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from page import TIME, OwnBagsTest, js  # noqa: E402
from peers import REAL_BAGS, kitbag, need_data, need_real_bags  # noqa: E402

DATA = REAL_BAGS.parent
REINDEXED = (DATA / "rosbag2/ros2_rosbag2/9b6d8ec1d8/ros2bag/test/resources/reindexing"
             / "reindex_test")
FOXGLOVE = DATA / "mcap/lichtblick-suite+lichtblick/e2e/fixtures/assets/example_logs.mcap"
TALKER = DATA / "rosbag2/ros2_rosbag2/d63eecef4e/rosbag2_py/resources/talker"
BAGS = (REAL_BAGS / "v1.2_ccny-ros-pkg-pbouffard_demo_381f1a07.bag",
        REAL_BAGS / "v2.0_rosbag.js_example_2dee46e1.bag",
        REAL_BAGS / "v2.0_matlab_rosbag_empty_msgs_f4522cd4.bag", TALKER, REINDEXED, FOXGLOVE)
ROS1 = {1: "DEBUG", 2: "INFO", 4: "WARN", 8: "ERROR", 16: "FATAL"}
ROS2 = {10: "DEBUG", 20: "INFO", 30: "WARN", 40: "ERROR", 50: "FATAL"}
FOXGLOVE_LEVELS = {1: "DEBUG", 2: "INFO", 3: "WARN", 4: "ERROR", 5: "FATAL"}
LEVELS = list(ROS1.values())
UNDEFINED = ("The bag has no definition of these messages, so those in the encoding cdr cannot be "
             "decoded; kitbag convert adds the definitions that it finds")
BEFORE = 60  # seconds that the log shows
ROWS = ("[...document.querySelectorAll('.log li')].map(each => [each.dataset.level, "
        "...['time', 'name', 'text'].map(name => each.querySelector('.' + name).innerText),"
        "each.classList.contains('later')])")
CURRENT = "document.querySelector('.log li[aria-current]')"
COPIES = """
Object.defineProperty(navigator, "clipboard", {value: {writeText: async (text) => {
  window.copied = text;
}}});
"""


class Line:
    def __init__(self, ns, data):
        self.ns = ns
        if "msg" in data:
            levels = ROS2 if data["level"] >= 10 else ROS1
            self.text = data["msg"]
        else:
            levels = FOXGLOVE_LEVELS
            self.text = data["message"]
        self.level = levels[data["level"]]
        self.node = data.get("name", "")
        place = data.get("file", "") + (f":{data['line']}" if data.get("line") else "")
        self.source = ", ".join(filter(None, [place, data.get("function", "")]))

    def clock(self):
        seconds, ns = divmod(self.ns + 1000, 10**9)
        whole = datetime.fromtimestamp(seconds, timezone.utc).strftime("%H:%M:%S")
        return f"{whole}.{ns // 10**6:03}"

    def row(self):
        return [self.level, self.clock(), self.node, self.text.replace("\n", " ⏎ ")]

    def plain(self):
        return f"{self.clock()} [{self.level}] [{self.node}]: {self.text}"


class LogRealBags(OwnBagsTest):
    @classmethod
    def setUpClass(cls):
        need_real_bags()
        for bag in BAGS:
            need_data(bag)
        super().setUpClass()

    @classmethod
    def fill(cls):
        for bag in BAGS:
            if bag.is_dir():  # of releases that stored no definitions
                kitbag("convert", bag, cls.folder / f"{bag.name}.mcap")
            else:
                shutil.copy(bag, cls.folder)
        shutil.copytree(TALKER, cls.folder / TALKER.name)
        file = McapFile(cls.folder / "unknown.mcap")
        file.message(file.channel("/said", "cdr", "robot_msgs/msg/Said"), 10**9, b"")
        file.close()

    def setUp(self):
        super().setUp()
        self.browser.before(script=COPIES)

    def read(self, bag):
        """The lines of a bag; sets its start."""
        rows = cat(bag)
        self.start_ns = min(ns for _, ns, _ in rows)
        self.end_ns = max(ns for _, ns, _ in rows)
        return [Line(ns, data) for topic, ns, data in rows if topic == "/rosout"]

    def show(self, bag, seconds, settings=""):
        name = bag.name if bag.suffix else f"{bag.name}.mcap"
        place = quote(f"log /rosout{settings}")
        self.browser.open(url=f"{self.root}?bag={quote(name)}&t={seconds:.6f}&panel={place}")

    def copied(self):
        """What the button copies: all lines, not only those that are seen."""
        self.see("void (window.copied = undefined)")
        self.browser.click(on=".log button[title^='Copy the lines']")
        self.wait("window.copied !== undefined")
        return self.see("window.copied")

    def wait_lines(self, lines):
        for _ in range(100):
            if self.copied() == "\n".join(line.plain() for line in lines):
                return
        self.assertEqual(self.copied(), "\n".join(line.plain() for line in lines))

    def check_at(self, lines, seconds):
        """The lines up to an instant, and which of them is the current one."""
        at_ns = self.start_ns + round(seconds * 1e9)
        until = [line for line in lines if line.ns <= at_ns]
        row = until[-1].row()
        self.wait(f"{CURRENT}?.dataset.level === {row[0]!r} && "
                  f"{CURRENT}.querySelector('.time').innerText === {row[1]!r}")
        shown = self.see(ROWS)
        all_ = [[*line.row(), line.ns > at_ns] for line in lines
                if line.ns > at_ns - BEFORE * 10**9]
        first = all_.index(shown[0])
        self.assertEqual(shown, all_[first:first + len(shown)])
        self.assertIn([*row, False], shown)

    def check_bag(self, bag):
        lines = self.read(bag)
        end = (self.end_ns - self.start_ns) / 1e9
        self.show(bag, end)
        self.wait(CURRENT)
        self.wait_lines([line for line in lines if line.ns > self.end_ns - BEFORE * 10**9])
        for part in (0.9, 0.5, 0.2):
            index = int(len(lines) * part)
            seconds = (lines[index].ns - self.start_ns) / 1e9 + 1e-6
            self.show(bag, seconds)
            self.check_at(lines, seconds)
        line = lines[index]
        self.browser.click(on=".log li[aria-current] .line")
        self.wait(js(".log .details"))
        self.assertEqual(self.see(f"{js('.log .details pre')}.textContent"), line.text)
        self.assertEqual(self.see(f"{js('.log .source')}.innerText"),
                         line.source or "no source is known")
        self.wait(f"Math.abs({TIME} - {(line.ns - self.start_ns) / 1e9}) < 2e-6")
        return len(lines)

    def test_lines(self):
        for bag in BAGS:
            with self.subTest(bag=bag.name):
                self.assertGreater(self.check_bag(bag), 2)
        self.browser.picture(to=str(pictures() / "log-real-bag.png"))

    def test_filters(self):
        lines = self.read(FOXGLOVE)
        self.show(FOXGLOVE, (self.end_ns - self.start_ns) / 1e9)
        self.wait(CURRENT)
        for level in LEVELS[1:4]:
            self.browser.select(on='[aria-label="Least level"]', value=level)
            wanted = [line for line in lines if LEVELS.index(line.level) >= LEVELS.index(level)]
            self.assertLess(len(wanted), len(lines))
            self.wait_lines(wanted)
        self.browser.select(on='[aria-label="Least level"]', value="INFO")
        self.browser.fill(on=".log input", text="/sensors.*[05]$/")
        wanted = [line for line in lines
                  if line.level != "DEBUG" and "Sensors" in line.text and line.text[-1] in "05"]
        self.assertGreater(len(wanted), 3)
        self.wait_lines(wanted)
        lines = self.read(REINDEXED)
        self.show(REINDEXED, (self.end_ns - self.start_ns) / 1e9)
        self.wait(CURRENT)
        for node in sorted({line.node for line in lines}):
            self.browser.select(on='[aria-label="Node"]', value=node)
            self.wait_lines([line for line in lines
                             if line.node == node and line.ns > self.end_ns - BEFORE * 10**9])

    def test_messages_without_a_definition(self):
        text = f"{CURRENT}?.querySelector('.text').innerText"
        self.browser.open(url=f"{self.root}?bag=unknown.mcap&panel={quote('log /said')}")
        self.wait(f"{text} === {UNDEFINED!r}")
        # The server knows those of ROS.
        last = [line for line in self.read(TALKER) if line.ns <= self.start_ns + 2 * 10**9][-1]
        self.browser.open(url=f"{self.root}?bag=talker&t=2&panel={quote('log /rosout')}")
        self.wait(f"{text} === {last.row()[3]!r}")

    def test_times_as_they_are_chosen(self):
        lines = self.read(FOXGLOVE)
        self.show(FOXGLOVE, (self.end_ns - self.start_ns) / 1e9)
        self.wait(CURRENT)
        text = f"{CURRENT}.querySelector('.time').innerText"
        self.assertEqual(self.see(text), lines[-1].clock())
        self.browser.select(on="[aria-label=Times]", value="start")
        self.wait(f"{text} === '0:{(lines[-1].ns - self.start_ns) / 1e9:06.3f}'")
        self.assertTrue(self.copied().startswith("0:00.000 [DEBUG]"))
        place = quote("table /rosout")
        self.browser.open(url=f"{self.root}?bag={FOXGLOVE.name}&t=1&panel={place}")
        row = "document.querySelector('.messages .row.current [role=gridcell]')?.innerText"
        last = [line for line in lines if line.ns <= self.start_ns + 10**9][-1]
        self.wait(f"{row} === '0:{(last.ns - self.start_ns) / 1e9:06.3f}'")
        self.browser.select(on="[aria-label=Times]", value="utc")
        self.wait(f"{row} === {last.clock()!r}")


if __name__ == "__main__":
    peers.main()
