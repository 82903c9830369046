#!/usr/bin/env python3
"""The timeline of the player page: what its strips show is what the bag says, and what one does on
it is done to the bag, the URL and the events."""

import json
import signal
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from make_bag import BagFile, stamp, u32  # noqa: E402
from page import STRIP, TIME, PageTest, js, panel  # noqa: E402
from peers import kitbag, program  # noqa: E402
from server import Server  # noqa: E402

LENGTH = 20
GAP = 8, 11
SLOW = 12, 14  # every second message, with sequence numbers that go on
LATE = 16, 18  # that come late
LOST_AT, LOST = 5, 3  # before the message at this time, so many
DELAY_NS, LONG_DELAY_NS = 2_000_000, 50_000_000
PERIOD_NS = 20_000_000
START_NS = 1_767_225_600_000_000_000
STAMPED = f"""Header header
float64 data
{"=" * 80}
MSG: std_msgs/Header
uint32 seq
time stamp
string frame_id
"""
# Where the rows are, in pixels from the top.
FIRST_ROW, ROW, RATE, DELAY = 52, 18, 2 + 5, 2 + 10 + 1 + 2


def uneven_bag(path):
    """A topic at 50 Hz with a gap, with half of its messages, lost ones and late ones; and a steady
    one."""
    bag = BagFile(path)
    topics = [bag.connection(topic, "test/Stamped", definition=STAMPED)
              for topic in ("/uneven", "/steady")]
    numbers = [0, 0]
    messages = []
    for i in range(LENGTH * 10**9 // PERIOD_NS + 1):
        seconds = i * PERIOD_NS / 1e9
        is_late = LATE[0] <= seconds < LATE[1]
        is_lost = LOST_AT - LOST * PERIOD_NS / 1e9 - 1e-6 < seconds < LOST_AT - 1e-6
        is_silent = GAP[0] < seconds < GAP[1] or SLOW[0] <= seconds < SLOW[1] and i % 2
        for k, conn in enumerate(topics):
            numbers[k] += not (k == 0 and is_silent)
            if k == 0 and (is_silent or is_lost):
                continue
            delay = LONG_DELAY_NS if k == 0 and is_late else DELAY_NS
            stamped = START_NS + i * PERIOD_NS - delay
            payload = u32(numbers[k]) + stamp(stamped) + u32(0) + bytes(8)
            messages.append((conn, START_NS + i * PERIOD_NS, payload))
    for begin in range(0, len(messages), 200):
        bag.add_chunk(messages[begin:begin + 200])
    bag.close()


class Timeline(PageTest):
    @classmethod
    def write_bags(cls):
        uneven_bag(cls.folder / "uneven.bag")
        damaged = cls.folder / "damaged.mcap"
        kitbag("convert", cls.demo, damaged)
        content = bytearray(damaged.read_bytes())
        cls.damaged_at = len(content) // 2
        content[cls.damaged_at:cls.damaged_at + 1000] = bytes(1000)
        damaged.write_bytes(content)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server.end()
        cls.server = Server(cls.folder, "--token", "secret", "--no-default-latched")
        cls.addClassCleanup(cls.server.end)
        cls.root = f"http://{cls.server.host}/"

    def open(self, query, until, **window):
        """With the cookie that a URL with a token sets."""
        if window:
            self.browser.window(**window)
        self.browser.open(url=f"{self.root}?token=secret&{query}")
        self.wait(until)

    def open_demo(self, more=""):
        self.open("bag=demo.bag" + more, f"{js(panel('image'))}?.querySelector('[data-time]')")

    def open_uneven(self, more="", **window):
        self.open("bag=uneven.bag&panel=tree+/uneven&panel=tree+/steady" + more,
                  f"{js(self.row('/uneven'))}?.dataset.delay", **window)
        self.wait("(window.frames_ = (window.frames_ ?? 0) + 1) > 3")

    @staticmethod
    def row(topic):
        return f'[data-row="{topic}"]'

    def pixels(self, y, height=1):
        """[red, green, blue, alpha] of a row of the strips, from a copy."""
        values = self.see(
            f"(() => {{ const from = {js(STRIP)}; const at = devicePixelRatio;"
            f"const copy = new OffscreenCanvas(from.width, 1).getContext('2d');"
            f"copy.drawImage(from, 0, -Math.round({y} * at));"
            f"return [...copy.getImageData(0, 0, from.width, 1).data]; }})()")
        return [values[i:i + 4] for i in range(0, len(values), 4)]

    def view(self):
        start, end = self.see(f"[{js(STRIP)}.dataset.start, {js(STRIP)}.dataset.end].map(Number)")
        return start, end

    def part(self, pixels, begin, end):
        """Those of a part of the time."""
        start, stop = self.view()
        place = [round((time - start) / (stop - start) * len(pixels)) for time in (begin, end)]
        return pixels[place[0]:place[1]]

    def test_rates_gaps_losses_and_delays(self):
        self.open_uneven()
        label = self.see(f"({{...{js(self.row('/uneven'))}.dataset}})")
        self.assertEqual((label["gaps"], label["lost"]), ("1", str(LOST)))
        self.assertAlmostEqual(float(label["delay"]), LONG_DELAY_NS / 1e9, 6)
        steady = self.see(f"({{...{js(self.row('/steady'))}.dataset}})")
        self.assertEqual((steady["gaps"], steady["lost"]), ("0", "0"))
        self.assertAlmostEqual(float(steady["delay"]), DELAY_NS / 1e9, 6)

        rate = self.pixels(FIRST_ROW + RATE)
        mean = lambda part: sum(pixel[3] for pixel in part) / len(part)  # noqa: E731
        # The accent on the page's colour, both by their red; the usual rate is 1.
        strength = lambda part: sum(244 - pixel[0] for pixel in part) / len(part)  # noqa: E731
        is_blue = lambda pixel: pixel[2] > pixel[0] + 50  # noqa: E731
        usual = self.part(rate, 1, 4)
        self.assertTrue(all(map(is_blue, usual)))
        self.assertLess(max(usual)[0] - min(usual)[0], 30)
        half = self.part(rate, SLOW[0] + 0.3, SLOW[1] - 0.3)
        self.assertTrue(all(map(is_blue, half)))
        self.assertAlmostEqual(strength(half) / strength(usual), 0.5, 1)
        gap = self.part(rate, GAP[0] + 0.2, GAP[1] - 0.2)
        self.assertFalse(any(map(is_blue, gap)))
        self.assertTrue(any(pixel[0] > pixel[2] + 40 and pixel[3] > 60 for pixel in gap))
        lost = self.part(rate, LOST_AT - 0.06, LOST_AT + 0.06)
        self.assertTrue(any(pixel[0] > 150 and pixel[1] < 80 for pixel in lost), lost)
        self.assertTrue(all(map(is_blue, self.part(self.pixels(FIRST_ROW + ROW + RATE), 1, 19))))

        delay = self.pixels(FIRST_ROW + DELAY)
        late = mean(self.part(delay, LATE[0] + 0.1, LATE[1] - 0.1))
        self.assertEqual(round(late), 255)
        expected = 0.12 + 0.88 * DELAY_NS / LONG_DELAY_NS
        self.assertAlmostEqual(mean(self.part(delay, 1, 4)) / 255, expected, 1)
        steady = mean(self.part(self.pixels(FIRST_ROW + ROW + DELAY), 1, 19))
        self.assertAlmostEqual(steady / 255, expected, 1)  # all rows have one scale
        self.assertEqual(mean(self.part(delay, GAP[0] + 0.2, GAP[1] - 0.2)), 0)
        self.browser.picture(to=str(pictures() / "timeline-uneven.png"))

    def test_who_looks_closer_sees_single_messages(self):
        self.open_uneven()
        for _ in range(9):
            self.browser.wheel(on=STRIP, at=0.5, by=-200)
        self.wait(f"{js(STRIP)}.dataset.end - {js(STRIP)}.dataset.start < 0.6")
        start, end = self.view()
        self.assertAlmostEqual((start + end) / 2, LENGTH / 2, 1)
        self.browser.wheel(on=STRIP, at=0.5, by=-200)
        self.browser.press(key="Shift+Tab")
        asked = "performance.getEntriesByType('resource').map(each => each.name)"
        self.wait(f"{asked}.some(each => /timeline.buckets=10000/.test(each))")
        self.wait("document.querySelector('.overview .window')")
        start, end = self.view()
        times = [(ns - START_NS) / 1e9
                 for _, ns, _ in cat(self.folder / "uneven.bag", "--topics", "/steady")]
        width = self.see(f"{js(STRIP)}.width")
        wanted = [(time - start) / (end - start) * width for time in times if start < time < end]
        wanted = [x for x in wanted if 4 < x < width - 4]
        self.assertGreater(len(wanted), 5)
        blue = [x for x, pixel in enumerate(self.pixels(FIRST_ROW + ROW + RATE))
                if pixel[3] > 200 and pixel[2] > pixel[0] + 50 and 3 < x < width - 3]
        ticks = [x for x in blue if x - 1 not in blue]
        self.assertEqual(len(ticks), len(wanted))
        for tick, x in zip(ticks, wanted):
            self.assertLessEqual(abs(tick - x), 2)
        self.browser.click(on=".whole")
        self.wait(f"{js(STRIP)}.dataset.end - {js(STRIP)}.dataset.start > {LENGTH - 0.1}")
        self.assertEqual(self.browser.count(on=".overview"), 0)

    def test_two_fingers(self):
        self.open_uneven()
        self.browser.pinch(on=STRIP, **{"from": [0.4, 0.6]}, to=[0.2, 0.6], y=30)
        self.wait(f"{js(STRIP)}.dataset.end - {js(STRIP)}.dataset.start < {LENGTH / 2 + 0.1}")
        start, end = self.view()
        self.assertAlmostEqual(end - start, LENGTH / 2, 1)
        self.assertAlmostEqual(start + 0.2 * (end - start), 0.4 * LENGTH, 1)
        self.assertAlmostEqual(start + 0.6 * (end - start), 0.6 * LENGTH, 1)

    def test_damage_is_where_it_is(self):
        self.open("bag=damaged.mcap&panel=tree+/odom&panel=image+/camera/image&t=9",
                  f"parseFloat({js('.loaded')}?.style.width) > 50")
        is_red = lambda pixel: pixel[0] > pixel[2] + 40 and pixel[3] > 60  # noqa: E731
        strip = [self.pixels(y) for y in (22, 24, 26, 28)]
        chunks = json.loads(kitbag("list", self.folder / "damaged.mcap", "chunks", "--json"))
        chunk = [each for each in chunks if each["offset"] <= self.damaged_at][-1]
        begin, end = (float(chunk[key].split(":")[2].rstrip("Z")) for key in ("start", "end"))
        self.assertTrue(begin > 8 and end < 12)
        marked = any(is_red(pixel) for row in strip for pixel in self.part(row, begin, end))
        self.assertTrue(marked)
        self.assertIn("CRC", self.see(f"{js('.labels .mark')}.title"))
        for part in (1, begin - 2.1), (end + 2.1, 20):  # a slice has up to two seconds
            self.assertFalse(any(is_red(pixel) for row in strip for pixel in self.part(row, *part)))

    def test_buffering_stops_the_clock_and_not_the_page(self):
        with Server(self.folder) as server:
            self.browser.open(url=f"http://{server.host}/?bag=demo.bag&panel=tree+/battery")
            self.wait(f"parseFloat({js('.loaded')}?.style.width) > 50")
            server.process.send_signal(signal.SIGSTOP)
            try:
                self.browser.select(on="[aria-label=Speed]", value="20")
                self.browser.press(key=" ")
                state = js(".state")
                self.wait(f"{state}.dataset.state === 'buffering'")
                self.assertEqual(self.see(f"{state}.innerText"), "Buffering …")
                self.assertEqual(self.see(f"{state}.getAttribute('role')"), "status")
                waits_at = self.see(TIME)
                self.assertLess(waits_at, 14)
                # What is loaded is still there. The time that is drawn may be behind the one that
                # the page has, so a small step back may not be enough.
                for _ in range(3):
                    self.browser.press(key="Shift+ArrowLeft")
                self.wait(f"{TIME} < {waits_at}")
            finally:
                server.process.send_signal(signal.SIGCONT)
            self.wait(f"{TIME} > 19.99 && {js('[aria-label=Play]')}")  # it stops at the end
            self.assertEqual(self.see(f"{state}.innerText"), "")

    def test_a_topic_gets_a_row(self):
        self.open_demo("&panel=image+/camera/image")
        rows = "[...document.querySelectorAll('[data-row]')].map(each => each.dataset.row).join()"
        self.wait(f"{rows} === '/camera/image'")
        self.browser.click(on='[aria-label="/scan in the timeline"]')
        self.wait(f"{rows} === '/camera/image,/scan'")
        self.browser.click(on='[aria-label="Remove the row of /camera/image"]')
        self.wait(f"{rows} === '/scan'")
        self.wait("new URLSearchParams(location.search).getAll('pin').join() === '/scan'")
        url = self.browser.url()
        self.browser.open(url=url)
        self.wait(f"{rows} === '/scan'")

    def test_thumbnails_under_the_pointer(self):
        self.open_demo()
        for seconds in (6.03, 13.48):
            self.browser.hover(on=STRIP, at=seconds / 19.994, y=30)
            shown = js(".hover canvas[data-topic=\"/camera/image\"]")
            self.wait(f"Math.abs({js('.hover')}?.dataset.hover - {seconds}) < 0.05")
            self.wait(f"{shown} && !{shown}.classList.contains('late')")
            time, image = self.last_before("/camera/image", seconds, self.demo)
            self.assertAlmostEqual(self.see(f"Number({shown}.dataset.time)"), time, 5)
            self.assertEqual(self.see(f"[{shown}.width, {shown}.height]"), [160, 120])
        self.browser.picture(to=str(pictures() / "timeline-thumbnail.png"))
        self.browser.hover(on=STRIP, at=0.5, y=-200)
        self.wait("!document.querySelector('.hover')")

    def test_keys_mark_a_range_that_is_downloaded(self):
        self.open_demo("&panel=image+/camera/image&panel=tree+/odom")
        self.seek(5)
        self.browser.press(key="[")
        self.seek(7)
        self.browser.press(key="]")
        self.wait("location.search.includes('a=5&b=7')")
        self.browser.click(on=".downloads summary")
        link = js(".links [data-format=mcap]")
        self.wait(link)
        self.assertEqual(self.see(f"{link}.download"), "demo_0m05.0-0m07.0.mcap")
        self.assertIn("one type", self.browser.texts(on=".links [data-format=csv]")[0])
        range_ = "--start", "+5s", "--end", "+7s", "--topics", "/odom", "/camera/image"
        size = sum(json.loads(line)["size"]
                   for line in kitbag("cat", self.demo, *range_).splitlines())
        shown = self.see(f"{link}.innerText")
        self.assertRegex(shown, r"about [\d.]+ MiB")
        self.assertAlmostEqual(float(shown.split()[-2]), size / 2**20, 1)
        video = js(".links [data-format=mp4]")
        self.assertEqual(self.see(f"[{video}.innerText, {video}.download]"),
                         ["MP4 of /camera/image", "demo_0m05.0-0m07.0_camera_image.mp4"])
        if (Path(program()).resolve().parent / "plugins" / "export_video.so").exists():
            reply = self.server.ask(self.see(f"{video}.getAttribute('href')"),
                                    Authorization="Bearer secret")
            self.assertEqual((reply.status, reply.body[4:8]), (200, b"ftyp"))
        for which, topics in ("shown", ["--topics", "/odom", "/camera/image"]), ("all", []):
            self.browser.select(on="[aria-label='Topics to download']", value=which)
            self.wait(f"/about [0-9.]+ MiB/.test({link}.innerText)")
            for form in "mcap", "bag":
                path = self.see(f"{js(f'.links [data-format={form}]')}.getAttribute('href')")
                reply = self.server.ask(path, Authorization="Bearer secret")
                self.assertEqual(reply.status, 200)
                with tempfile.TemporaryDirectory() as folder:
                    got, cut = Path(folder, f"got.{form}"), Path(folder, f"cut.{form}")
                    got.write_bytes(reply.body)
                    kitbag("convert", self.demo, cut, "--start", "+5s", "--end", "+7s",
                           "--latched", *topics)
                    kitbag("diff", got, cut)
        self.browser.click(on=STRIP, x=900, y=30)
        self.wait("!document.querySelector('.links')")
        self.browser.press(key="Escape")
        self.wait("!document.querySelector('.range') && !location.search.includes('a=')")

    def test_a_drag_marks_a_range(self):
        self.open_uneven()
        ends = js(".ends") + "?.dataset"
        self.browser.drag(on=STRIP, **{"from": 0.25, "to": 0.5}, y=30, holding="Alt")
        self.wait(f"Math.abs({ends}?.a - 5) < 0.05 && Math.abs({ends}?.b - 10) < 0.05")
        self.browser.drag(on=STRIP, **{"from": 0.5, "to": 0.75}, y=30)  # one end of it
        self.wait(f"Math.abs({ends}?.a - 5) < 0.05 && Math.abs({ends}?.b - 15) < 0.05")
        self.wait("location.search.includes('b=1')")
        marked = self.pixels(70 + ROW * 2)[:]  # below the rows there is nothing
        self.assertTrue(all(pixel[3] == 0 for pixel in marked))
        axis = self.pixels(2)
        self.assertTrue(all(pixel[3] == 255 for pixel in self.part(axis, 6, 14)))
        self.assertEqual(self.part(axis, 1, 1.5)[0][3], 0)

    def test_a_loop(self):
        self.open_uneven("&t=5.2&a=5&b=5.5&loop=1")
        self.see(f"window.seen_ = [], (function look() {{ seen_.push({TIME});"
                 "requestAnimationFrame(look); })(), 0")
        self.browser.press(key=" ")
        back = "seen_.filter((time, i) => i && time < seen_[i - 1]).length"
        self.wait(f"{back} >= 3")
        seen = self.see("seen_")
        self.assertGreaterEqual(min(seen), 5)
        self.assertLess(max(seen), 5.5)
        self.assertGreater(max(seen), 5.4)
        self.browser.press(key="\\")
        self.wait(f"{TIME} > 5.6")
        self.wait("!location.search.replace(/.*&b=5.5/, '').includes('loop')")  # a little later

    def test_events(self):
        self.open_demo()
        events = "/bags/demo.bag/events"

        def stored():
            return self.server.ask(events, Authorization="Bearer secret").json()["events"]

        other = self.server.connect()
        with other as connection:  # another program has noted something, to the nanosecond
            connection.request("POST", events, '{"start_time": 1767225603.123456789, '
                               '"label": "<b>door</b>"}',
                               {"Authorization": "Bearer secret",
                                "Content-Type": "application/json"})
            self.assertEqual(connection.getresponse().status, 200)
        self.seek(7.2)
        self.browser.press(key="m")
        self.browser.fill(on="#event", text="bump")
        self.browser.press(key="Enter")
        list_ = "[...document.querySelectorAll('.events li')].map(each => each.innerText)"
        self.wait(f"{list_}.length === 2")
        self.assertEqual([event["label"] for event in stored()], ["<b>door</b>", "bump"])
        self.assertEqual(stored()[1]["start_time"], 1767225607.2)
        middle = self.part(self.pixels(17), 7.18, 7.22)
        self.assertTrue(any(pixel[0] > pixel[1] + 60 and pixel[3] == 255 for pixel in middle))
        self.browser.fill(on="[aria-label^=Search]", text="DOOR")
        self.browser.click(on="[role=option]:has-text('door')")
        self.wait(f"Math.abs({TIME} - 3.123456789) < 1e-6")
        self.browser.click(on="[aria-label^=Rename]")
        self.browser.fill(on=".events li input", text="gate")
        self.browser.press(key="Enter")
        self.browser.fill(on="[aria-label^=Search]", text="")
        self.wait(f"{list_}.length === 2 && {list_}[0].includes('gate')")
        text = self.server.ask(events, Authorization="Bearer secret").body.decode()
        self.assertIn("1767225603.123456789", text)
        self.browser.picture(to=str(pictures() / "timeline-events.png"))
        for left in 1, 0:
            self.browser.click(on="[aria-label^=Delete]")
            self.wait(f"{list_}.length === {left}")
        self.assertEqual(stored(), [])

    def test_a_server_that_takes_no_events(self):
        with Server(self.folder) as server:
            self.browser.open(url=f"http://{server.host}/?bag=demo.bag")
            self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
            self.browser.press(key="m")
            self.browser.fill(on="#event", text="bump")
            self.browser.press(key="Enter")
            self.wait(f"{js('.timeline [role=alert]')}?.innerText.includes('--token')")
        self.browser.window()  # Chromium itself reports the status 403

    def test_one_switch_for_times(self):
        self.open_uneven("&t=5")
        shown = js(".clock") + ".innerText"
        self.wait(f"{shown} === '00:00:05.000'")
        self.browser.select(on="[aria-label=Times]", value="start")
        self.wait(f"{shown} === '0:05.000'")
        self.assertEqual(self.see(f"{js(STRIP)}.getAttribute('aria-valuetext')"), "0:05.0")
        self.open_uneven("&t=6")
        self.wait(f"{shown} === '0:06.000'")

    def test_the_strip_is_a_slider(self):
        self.open_uneven("&t=5")
        self.see(f"{js(STRIP)}.focus()")
        self.assertEqual(self.see("document.activeElement.getAttribute('role')"), "slider")
        for key, time in {"PageUp": 7, "ArrowUp": 8, "ArrowDown": 7, "PageDown": 5, "End": LENGTH,
                          "Home": 0}.items():
            self.browser.press(key=key)
            self.wait(f"Math.abs({TIME} - {time}) < 1e-6")
            self.wait(f"Number({js(STRIP)}.getAttribute('aria-valuenow')) === {time}")
        self.assertEqual(self.see(f"{js(STRIP)}.getAttribute('aria-valuetext')"), "00:00:00.0")

    def test_a_server_that_stops_and_comes_back(self):
        layout = "&panel=tree+/battery&panel=tree+/odom"
        server = Server(self.folder)
        port = server.host.split(":")[1]
        try:
            self.browser.open(url=f"http://{server.host}/?bag=demo.bag{layout}")
            self.wait(f"{js('.tree')}?.dataset.time")
            self.wait(f"parseFloat({js('.loaded')}.style.width) > 40")
            server.end()
            self.seek(2)  # what is loaded is still there
            time, battery = self.last_before("/battery", 2, self.demo)
            self.wait(f"Math.abs({js('.tree')}.dataset.time - {time}) < 1e-6")
            self.browser.press(key="End")
            state = js(".state")
            self.wait(f"{state}.innerText.includes('does not answer, trying again')")
            server = Server(self.folder, port=port)
            time, battery = self.last_before("/battery", 19.994, self.demo)
            self.wait(f"Math.abs({js('.tree')}?.dataset.time - {time}) < 1e-6")
            self.wait(f"{state}.innerText === ''")
        finally:
            server.end()
        self.browser.window()  # Chromium itself reports refused connections

    def test_pictures(self):
        for name, window in {"dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.open_uneven("&t=6&a=4.5&b=9", **window)
            self.browser.wheel(on=STRIP, at=0.5, by=-200)
            self.wait("document.querySelector('.overview .window')")
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"timeline-{name}.png"))


if __name__ == "__main__":
    peers.main()
