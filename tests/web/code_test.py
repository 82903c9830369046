#!/usr/bin/env python3
"""The code of each view: the lines for curl, kitbag and Python are run, and each gives what the
view shows, as `kitbag cat` prints it; whatever the bag and its topics are called."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat, plain  # noqa: E402
from browser import pictures  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from page import PageTest, js, panel  # noqa: E402
from peers import program  # noqa: E402

BAG = "-it's $(touch owned) `touch owned`;é\u202e\x1b[31m.mcap"
TOPICS = ["/it's $(touch owned)", "/a,b*[c]?", "/back\\slash", "\x1b[31m\u202e/red\n9", "--help"]
SECOND = 10**9


def escaped(text):
    return quote(text, safe="")


def place(*words):
    return "&panel=" + escaped(" ".join(map(escaped, words)))


def head(name):
    """Of the stack in which a panel stands."""
    return f'.dv-groupview:has([data-panel="{name}"])'


class CodeTest(PageTest):
    @classmethod
    def write_bags(cls):
        file = McapFile(cls.folder / BAG)
        channels = [file.channel(topic, "ros1", "t/T", "ros1msg", "float64 x\nuint8 n\n")
                    for topic in TOPICS]
        for i in range(20):
            for channel in channels:
                payload = struct.pack("<dB", i + channel / 8, i)
                file.message(channel, i * SECOND // 4 + channel, payload)
        file.close()

    def run_line(self, line):
        path = f"{Path(program()).resolve().parent}:{os.environ['PATH']}"
        return subprocess.run(["bash", "-c", line], cwd=self.folder, check=True, timeout=60,
                              stdout=subprocess.PIPE, env={**os.environ, "PATH": path}).stdout

    def open_code(self, of):
        self.browser.click(on=f"{of} .code-button")
        self.wait(js("dialog.code[open]"))
        return [self.see(f"{js(f'.code .{kind}')}.textContent")
                for kind in ("curl", "kitbag", "python")]

    def close_code(self):
        self.browser.press(key="Escape")
        self.wait("!document.querySelector('dialog.code')")

    def check(self, of, wanted):
        """`wanted`: [(topic, ns, data)], as the view shows them."""
        curl, kitbag, python = self.open_code(of)
        self.close_code()
        served = [json.loads(line) for line in self.run_line(curl).splitlines()]
        told = json.loads(self.run_line(
            f"{sys.executable} - <<'EOF'\n{python}\nprint(json.dumps(messages))\nEOF"))
        self.assertEqual(told, served)
        printed = [json.loads(line) for line in self.run_line(kitbag).splitlines()]
        self.assertEqual([(row["topic"], row["log_time_ns"], row["data"]) for row in printed],
                         wanted)
        self.assertEqual([(row["topic"], plain(row)) for row in served],
                         [(topic, data) for topic, _, data in wanted])
        self.assertFalse((self.folder / "owned").exists())

    def show(self, bag, *places, time):
        self.browser.open(url=f"{self.root}?bag={escaped(bag)}&t={time}{''.join(places)}")
        self.wait(f"{js('.place .body')}?.firstElementChild?.matches(':not(.missing)')")

    def test_views_of_the_demo(self):
        self.show("demo.bag", place("tree", "/battery"), place("log", "/rosout"),
                  place("plot", "/odom", "pose.pose.position.x", "/battery voltage"), time=10)
        self.wait(js(panel("tree") + " .tree"))
        rows = cat(self.demo, "--topics", "/battery")
        at = [row for row in rows if row[1] - self.start_ns <= 10 * SECOND][-1]
        self.check(head("tree"), [at])
        log = [row for row in cat(self.demo, "--topics", "/rosout")
               if row[1] - self.start_ns <= 10 * SECOND]
        self.assertGreater(len(log), 2)
        self.check(head("log"), log)
        position = cat(self.demo, "--topics", "/odom", "--fields", "pose.pose.position.x")
        voltage = cat(self.demo, "--topics", "/battery", "--fields", "voltage")
        self.assertGreater(len(position), 500)
        self.check(head("plot"), position + voltage)

    def test_what_the_timeline_shows(self):
        self.show(BAG, place("tree", TOPICS[0]), time=1)
        self.check(".timeline", cat(self.folder / BAG))

    def test_names_that_are_commands(self):
        for topic in TOPICS:
            with self.subTest(topic=topic):
                self.show(BAG, place("plot", topic, "x"), time=2)
                self.wait(f"Math.abs({js('.plot [data-field] b')}.innerText - 8) < 1")
                wanted = [(row[0], row[1], {"x": row[2]["x"]}) for row in cat(self.folder / BAG)
                          if row[0] == topic]
                self.assertEqual(len(wanted), 20)
                self.check(head("plot"), wanted)

    def test_copying(self):
        self.show("demo.bag", place("tree", "/battery"), time=10)
        self.open_code(head("tree"))
        self.browser.picture(to=str(pictures() / "code.png"))
        self.browser.click(on="[aria-label='Copy kitbag']")
        self.wait(js('[aria-label="Copy kitbag"]') + ".innerText === 'Copied'")
        self.close_code()
        # Where a page is not secure, there is no clipboard of this kind.
        self.see("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
        self.see("(() => { window.copied_ = []; addEventListener('copy', () => "
                 "copied_.push(document.activeElement.value)); })()")
        _, kitbag, _ = self.open_code(head("tree"))
        self.browser.click(on="[aria-label='Copy kitbag']")
        self.wait("copied_.length === 1")
        self.assertEqual(self.see("copied_[0]"), kitbag)
        self.browser.window(width=390, height=844)
        self.show("demo.bag", place("tree", "/battery"), time=10)
        self.open_code(".pager")
        self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
        self.browser.picture(to=str(pictures() / "code-phone.png"))


if __name__ == "__main__":
    peers.main()
