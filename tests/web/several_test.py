#!/usr/bin/env python3
"""Several bags on one timeline in a real Chromium: they are selected in the list, and what the page
shows of them is what `kitbag cat` says of all."""

import json
import os
import struct
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat, plain  # noqa: E402
from browser import pictures  # noqa: E402
from make_bag import BagFile  # noqa: E402
from page import STRIP, TIME, PageTest, js, panel  # noqa: E402
from peers import kitbag, program  # noqa: E402
from server import Server  # noqa: E402

BORDER = 8, 12  # the first bag ends, the second one begins
LENGTH = 20
BOTH = "bag=first.bag&bag=second.mcap"
VIEWS = "&panel=tree+/battery&panel=plot+/odom+pose.pose.position.x+pose.pose.position.y" \
        "&panel=image+/camera/image"
ROWS = "document.querySelectorAll('tr[data-bag]')"
SELECTED = "[...document.querySelectorAll('tr.selected')].map(row => row.dataset.bag)"
FOCUSED = "document.activeElement.closest('tr')?.dataset.bag"
AROUND = [52, 10]  # of a plot: the axis on the left, and what is free on the right
DAY = 86_400
SECOND = 10**9


def box(bag):
    return f'[data-bag="{bag}"] [type=checkbox]'


class Several(PageTest):
    @classmethod
    def write_bags(cls):
        cls.first, cls.second = cls.folder / "first.bag", cls.folder / "second.mcap"
        kitbag("convert", cls.demo, cls.first, "--duration", f"{BORDER[0]}s")
        # As another program would have recorded it, and without what was latched before.
        kitbag("convert", cls.demo, cls.second, "--start", f"+{BORDER[1]}s", "--encoding", "cdr")
        cls.later = cls.folder / "later.bag"
        bag = BagFile(cls.later)
        conn = bag.connection("/odom", "std_msgs/String")
        payload = struct.pack("<I", 5) + b"hello"
        begin = cls.start_ns + 2 * DAY * SECOND
        bag.add_chunk([(conn, begin + i * SECOND, payload) for i in range(10)])
        bag.close()
        (cls.folder / "noise.bag").write_bytes(b"#ROSBAG V2.0\n" + bytes(100))

    def rows(self, *options):
        """Of both bags, (seconds since the start, data)."""
        return [((ns - self.start_ns) / 1e9, data)
                for _, ns, data in cat(self.first, self.second, *options)]

    def last(self, topic, seconds):
        return [row for row in self.rows("--topics", topic) if row[0] <= seconds][-1]

    def show(self, query, until, **window):
        if window:
            self.browser.window(**window)
        self.browser.open(url=f"{self.root}?{query}")
        self.wait(until)

    def bags(self):
        return parse_qs(urlsplit(self.browser.url()).query).get("bag", [])

    def test_selecting_by_mouse(self):
        self.show("", f"{ROWS}.length === 7")
        self.browser.click(on=box("second.mcap"))
        self.wait(f"{SELECTED}.join() === 'second.mcap'")
        self.assertIn("1 selected", self.see(f"{js('.selection')}.innerText"))
        names = self.see(f"[...{ROWS}].map(row => row.dataset.bag)")
        readable = [name for name in names if name != "noise.bag"]
        a, b = sorted([readable.index("second.mcap"), readable.index("first.bag")])
        self.see(f"{js(box('first.bag'))}.dispatchEvent(new MouseEvent('click', "
                 "{shiftKey: true, bubbles: true, cancelable: true}))")
        self.wait(f"{SELECTED}.length === {b - a + 1}")
        self.assertEqual(self.see(SELECTED), readable[a:b + 1])
        for name in readable[a + 1:b]:
            self.browser.click(on=box(name))
        self.wait(f"{SELECTED}.length === 2")
        self.browser.picture(to=str(pictures() / "several-list.png"))
        self.assertEqual(self.browser.count(on=box("noise.bag")), 0)
        self.browser.click(on=".selection .primary")
        self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
        self.assertEqual(self.bags(), ["first.bag", "second.mcap"])
        self.assertEqual(self.see(f"{js('.bag')}.innerText"), "first.bag + second.mcap")
        end = self.rows("--topics", "/odom")[-1][0]
        self.assertAlmostEqual(float(self.see(f"{js(STRIP)}.ariaValueMax")), end, delta=0.1)
        self.browser.back()
        self.wait(f"{ROWS}.length === 7")
        self.assertEqual(self.browser.axe(), [])
        self.browser.window()  # the thumbnails that were on their way may be reported

    def test_selecting_by_keys(self):
        self.show("", f"{ROWS}.length === 7")
        self.browser.fill(on="input[type=search]", text="name:s")
        self.wait(f"{ROWS}.length === 5")
        self.browser.press(key="ArrowDown")
        names = self.see(f"[...{ROWS}].map(row => row.dataset.bag)")
        self.wait(f"{FOCUSED} === {names[0]!r}")
        self.browser.press(key=" ")
        self.browser.press(key="Shift+ArrowDown")
        self.wait(f"{SELECTED}.join() === {','.join(names[:2])!r}")
        self.browser.press(key="Escape")
        self.wait(f"{SELECTED}.length === 0")
        for name in "first.bag", "second.mcap":
            self.browser.press(key="Home")
            self.wait(f"{FOCUSED} === {names[0]!r}")
            for below in names[1:names.index(name) + 1]:
                self.browser.press(key="ArrowDown")
                self.wait(f"{FOCUSED} === {below!r}")
            self.browser.press(key=" ")
            self.wait(f"{SELECTED}.includes({name!r})")
        self.browser.focus(on=".selection .primary")
        self.browser.press(key="Enter")
        self.wait(js(".player .place"))
        self.assertEqual(self.bags(), ["first.bag", "second.mcap"])

    def check(self, seconds):
        at, battery = self.last("/battery", seconds)
        self.wait(f"Math.abs({js('.tree')}?.dataset.time - {at}) < 1e-6")
        shown = js('.tree [data-field="voltage"]') + ".innerText"
        self.wait(f"Math.abs({shown} - {battery['voltage']}) < 1e-5")
        at, _ = self.last("/camera/image", seconds)
        self.wait(f"Math.abs({js('.image')}?.dataset.time - {at}) < 1e-6")
        _, odometry = self.last("/odom", seconds)
        for axis in "x", "y":
            shown = js(f'.plot [data-field="pose.pose.position.{axis}"] b') + ".innerText"
            self.wait(f"Math.abs({shown} - {odometry['pose']['pose']['position'][axis]}) < 1e-5")

    def test_values_seeking_and_playing_over_the_border(self):
        self.show(BOTH + VIEWS, js(".tree"))
        for seconds in (5.3, 15.1, 7.9, 12.4, 10):
            self.seek(seconds)
            self.check(seconds)
        # In the gap time goes on, and then come the messages of the second bag.
        self.seek(11.5)
        self.browser.press(key=" ")
        self.wait(f"{js('.image')}.dataset.time > {BORDER[1]} + 0.3")
        self.browser.press(key=" ")
        self.wait(js("[aria-label=Play]"))
        # What is latched in the first bag is there in the second one.
        self.show(f"{BOTH}&t=15.5&panel=tree+/map", js(".tree"))
        at, _ = self.rows("--topics", "/map", "--count", "1")[0]
        self.assertLess(at, BORDER[0])
        self.wait(f"Math.abs({js('.tree')}?.dataset.time - {at}) < 1e-6")

    def pixels(self, of, y):
        """[red, green, blue, alpha] of a row of a canvas, from a copy."""
        values = self.see(
            f"(() => {{ const from = {js(of)}; const at = devicePixelRatio;"
            "const copy = new OffscreenCanvas(from.width, 1).getContext('2d');"
            f"copy.drawImage(from, 0, -Math.round({y} * at));"
            "return [...copy.getImageData(0, 0, from.width, 1).data]; })()")
        return [values[i:i + 4] for i in range(0, len(values), 4)]

    def test_the_plot_and_the_strip_show_both(self):
        self.show(f"{BOTH}&pin=/odom{VIEWS}", f"{js('.plot .canvas')}?.dataset.kind === 'series'")
        range_ = js(".plot .canvas") + ".dataset.y"
        positions = [row["pose"]["pose"]["position"] for _, row in self.rows("--topics", "/odom")]
        values = [position[axis] for position in positions for axis in "xy"]
        self.wait(f"{range_} && {range_}.split(' ')[0] <= {min(values)}"
                  f"&& {range_}.split(' ')[1] >= {max(values)}")
        least, most = map(float, self.see(range_).split())
        self.assertLess(most - least, 1.3 * (max(values) - min(values)))
        label = js('[data-row="/odom"]')
        self.wait(f"{label}?.dataset.gaps === '1' && {label}.dataset.lost === '0'")
        length = self.rows("--topics", "/odom")[-1][0]
        self.wait(self.has_line(5) + " && " + self.has_line(15))
        self.assertFalse(self.see(self.has_line(BORDER[0] + 1)))
        self.assertFalse(self.see(self.has_line(BORDER[1] - 1)))
        row = self.pixels(STRIP, 61)  # of the rate

        def part(begin, end):
            return row[round(begin / length * len(row)):round(end / length * len(row))]

        def is_blue(pixel):
            return pixel[2] > pixel[0] + 50

        self.assertTrue(all(map(is_blue, part(0.5, 7.5) + part(12.5, 19))))
        self.assertFalse(any(map(is_blue, part(8.5, 11.5))))
        self.browser.picture(to=str(pictures() / "several-light.png"))

    @staticmethod
    def has_line(seconds):
        """Whether there is something of the first curve of the plot at a time."""
        return (f"(() => {{ const from = {js('.plot .canvas canvas')};"
                f"const [least, most] = {js('.plot .canvas')}.dataset.x.split(' ').map(Number);"
                f"const [left, right] = {AROUND};"
                f"const part = ({seconds} - least) / (most - least);"
                "const x = (left + part * (from.clientWidth - left - right)) * devicePixelRatio;"
                "const copy = new OffscreenCanvas(1, from.height).getContext('2d');"
                "copy.drawImage(from, -Math.round(x), 0);"
                "const {data} = copy.getImageData(0, 0, 1, from.height);"
                "return data.some((red, i) => i % 4 === 0 && red < 40 && data[i + 2] > 150"
                " && data[i + 3] > 200); })()")

    def test_pictures_under_the_pointer_and_samples(self):
        self.show(f"{BOTH}&panel=statistics", js("[data-panel=statistics] table"))
        length = self.rows("--topics", "/odom")[-1][0]
        still = js('.hover canvas[data-topic="/camera/image"]')
        for seconds in (4.05, 10, 15.05):
            self.browser.hover(on=STRIP, at=seconds / length, y=20)
            at, _ = self.last("/camera/image", seconds)
            self.wait(f"Math.abs({still}?.dataset.time - {at}) < 0.11")
        times = [at for at, _ in self.rows("--topics", "/imu")]
        gap = max(after - before for before, after in zip(times, times[1:]))
        figure = js("[data-panel=statistics] [data-topic=\"/imu\"] [data-figure={}]")
        for name, wanted in {"messages": f"{len(times):,}", "missing": "0",
                             "longestGap": f"{gap:.3g} s", "size": "315 B"}.items():
            self.wait(f"{figure.format(name)}?.innerText.trim() === {wanted!r}")

    def run_line(self, line):
        path = f"{Path(program()).resolve().parent}:{os.environ['PATH']}"
        return subprocess.run(["bash", "-c", line], cwd=self.folder, check=True, timeout=60,
                              stdout=subprocess.PIPE, env={**os.environ, "PATH": path}).stdout

    def test_code_and_downloads(self):
        self.show(f"{BOTH}&t=3&a=5&b=15&panel=plot+/battery+voltage",
                  f"{js('.plot .canvas')}?.dataset.points > 0")
        self.browser.click(on=".dv-groupview .code-button")
        self.wait(js("dialog.code[open]"))
        curl, line, python = [self.see(f"{js(f'.code .{kind}')}.textContent")
                              for kind in ("curl", "kitbag", "python")]
        self.browser.press(key="Escape")
        self.assertIn("first.bag second.mcap", line)
        printed = [json.loads(row)["data"] for row in self.run_line(line).splitlines()]
        wanted = [{"voltage": row["voltage"]} for _, row in self.rows("--topics", "/battery")]
        self.assertEqual(printed, wanted)
        served = [json.loads(row) for row in self.run_line(curl).splitlines()]
        self.assertEqual([plain(row) for row in served], wanted)
        script = f"{python}\nprint(json.dumps(messages))"
        told = self.run_line(f"{sys.executable} - <<'EOF'\n{script}\nEOF")
        self.assertEqual(json.loads(told), served)

        self.browser.click(on=".downloads summary")
        self.wait("document.querySelectorAll('.links a[data-format=ndjson]').length === 2")
        self.assertEqual(self.browser.texts(on=".links b"), ["first.bag", "second.mcap"])
        links = self.see("[...document.querySelectorAll('.links a[data-format=ndjson]')]"
                         ".map(each => each.href)")
        got = [json.loads(row) for link in links
               for row in self.server.ask(link.removeprefix(self.root[:-1])).body.splitlines()]
        inside = [row for at, row in self.rows("--topics", "/battery") if 5 <= at < 15]
        self.assertEqual([row["voltage"] for row in got], [row["voltage"] for row in inside])
        self.browser.picture(to=str(pictures() / "several-downloads.png"))

    def test_events(self):
        with Server(self.folder, "--token", "secret") as server:
            def stored(bag):
                reply = server.ask(f"/bags/{bag}/events", Authorization="Bearer secret")
                return [(each["start_time"], each["label"]) for each in reply.json()["events"]]

            start = self.start_ns // SECOND
            self.browser.open(url=f"http://{server.host}/?token=secret&{BOTH}{VIEWS}")
            self.wait(js(".tree"))
            for seconds, label in (3.5, "bump"), (15.5, "door"):
                self.seek(seconds)
                self.browser.press(key="m")
                self.browser.fill(on="#event", text=label)
                self.browser.press(key="Enter")
                self.wait(f"{js('.events')}?.innerText.includes({label!r})")
            self.assertEqual(self.see(f"{js('.events li button')}.title"), "bump (in first.bag)")
            self.assertEqual(stored("first.bag"), [(start + 3.5, "bump")])
            self.assertEqual(stored("second.mcap"), [(start + 15.5, "door")])
            self.browser.click(on="[aria-label='Rename door']")
            self.browser.fill(on=".events li input", text="gate")
            self.browser.press(key="Enter")
            self.wait(f"{js('.events')}.innerText.includes('gate')")
            self.assertEqual(stored("second.mcap"), [(start + 15.5, "gate")])
            self.seek(10)  # between the bags
            self.browser.press(key="m")
            self.browser.fill(on="#event", text="nowhere")
            self.browser.press(key="Enter")
            self.wait(f"{js('.problem')}?.innerText.includes('none of the bags')")
            self.browser.click(on=".event button[type=button]")
            self.browser.click(on="[aria-label='Delete bump']")
            self.wait("document.querySelectorAll('.events li').length === 1")
            self.assertEqual(stored("first.bag"), [])
            self.assertEqual(stored("second.mcap"), [(start + 15.5, "gate")])
            self.show(BOTH, js(".place"))  # a page whose server has gone says so

    def test_what_cannot_be_opened_and_what_is_far_away(self):
        query = "bag=first.bag&bag=noise.bag&bag=later.bag&panel=tree+/odom" \
                "&panel=tree+%252Fodom%2520(later.bag)"
        later = js('[data-topic="/odom (later.bag)"]')
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.show(query, js(".bag-problems"), **window)
            self.wait("document.querySelector('.tree')")
            if name != "phone":  # one panel at a time
                self.wait(f"{later}?.innerText === 'No message yet at this time'")
            said = self.see(f"{js('.bag-problems')}.innerText")
            self.assertIn("noise.bag cannot be shown", said)
            self.assertIn("/odom of later.bag is shown as /odom (later.bag)", said)
            self.assertEqual(self.see(f"{js('.bags button')}.innerText"),
                             "2 of 3 bags" + (", 2 days apart" if name != "phone" else ""))
            self.browser.click(on=".bags button")
            self.wait(js(".bags .sheet"))
            self.browser.picture(to=str(pictures() / f"several-bags-{name}.png"))
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
        self.browser.window()
        self.show(query, js(".bag-problems"))
        self.browser.click(on=".bags button")
        self.browser.click(on=".bags [data-bag='later.bag']")
        self.wait(f"Math.abs({TIME} - {2 * DAY + 0.5}) < 1e-6")
        self.wait(f"{later}.innerText.includes('hello')")
        view = self.see(f"[{js(STRIP)}.dataset.start, {js(STRIP)}.dataset.end].map(Number)")
        self.assertEqual(view, [2 * DAY, 2 * DAY + 9])
        self.seek(0.5)
        at, _ = self.last("/odom", 0.5)
        first = js('[data-topic="/odom"] .tree')
        self.wait(f"Math.abs({first}?.dataset.time - {at}) < 1e-6")
        self.browser.window()  # Chromium itself reports the status 400

    def test_files_of_this_machine(self):
        self.show("", f"{ROWS}.length === 7")
        self.browser.choose(on="input[type=file]", file=[str(self.first), str(self.second)])
        self.wait(f"{js('.bag')}?.innerText === 'first.bag + second.mcap'")
        self.assertEqual(self.bags(), ["local/first.bag", "local/second.mcap"])
        # One of them, and one of the server.
        self.show(f"bag=local/first.bag&bag=second.mcap{VIEWS}", js(".choose"))
        before = len(self.browser.asked())
        self.browser.choose(on="input[type=file]", file=str(self.first))
        self.wait(js(".tree"))
        for seconds in (5.3, 15.1):
            self.seek(seconds)
            self.check(seconds)
        asked = self.browser.asked()[before:]
        self.assertTrue(any("/bags/second.mcap/" in url for url in asked))
        self.assertEqual([url for url in asked if "/bags/first" in url or "/bags/local" in url], [])


if __name__ == "__main__":
    peers.main()
