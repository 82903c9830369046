#!/usr/bin/env python3
"""The panels of readings in a real Chromium: diagnostics, state transitions, a table of messages,
and statistics of topics show what `kitbag cat` and `kitbag info` say."""

import json
import shutil
import struct
import sys
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from make_bag import BagFile, u32  # noqa: E402
from page import STRIP, TIME, PageTest, js  # noqa: E402

START_NS = 1_767_225_600_000_000_000
TURTLE = "v2.0_rosbag.js_example_2dee46e1.bag"
LASER = "v2.0_PlotJuggler_tilt_laser_c9731f25.bag"
SECONDS = 12
COUNTS = 30_000
HEADER = "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n"
DIAGNOSTICS = f"""Header header
DiagnosticStatus[] status
{"=" * 80}
{HEADER}{"=" * 80}
MSG: diagnostic_msgs/DiagnosticStatus
byte OK=0
byte WARN=1
byte ERROR=2
byte STALE=3
byte level
string name
string message
string hardware_id
KeyValue[] values
{"=" * 80}
MSG: diagnostic_msgs/KeyValue
string key
string value
"""
MARKUP = "<b onclick=alert(1)>hot</b>"
STATUS_NAMES = ["OK", "WARN", "ERROR", "STALE"]


def text(value):
    data = value.encode()
    return u32(len(data)) + data


def diagnostic_array(ns, statuses):
    """`statuses`: (level, name, message, hardware, {key: value})."""
    data = u32(0) + struct.pack("<II", ns // 10**9, ns % 10**9) + text("") + u32(len(statuses))
    for level, name, message, hardware, values in statuses:
        data += bytes([level]) + text(name) + text(message) + text(hardware) + u32(len(values))
        data += b"".join(text(key) + text(value) for key, value in values.items())
    return data


def write_readings(path):
    """Diagnostics that get worse: a motor that is hot from 6 s on, a lamp that falls silent."""
    bag = BagFile(path)
    plain = bag.connection("/diagnostics", "diagnostic_msgs/DiagnosticArray",
                           definition=DIAGNOSTICS)
    whole = bag.connection("/diagnostics_agg", "diagnostic_msgs/DiagnosticArray",
                           definition=DIAGNOSTICS)
    rows = []
    for i in range(SECONDS * 2):
        ns = START_NS + i * 500_000_000
        hot = i >= 12
        motor = (2, MARKUP) if hot else (0, "fine")
        values = {"°C": str(40 + 3 * i)}
        statuses = [(motor[0], "motor", motor[1], "m-7", values), (1, "wheel", "slips", "", {})]
        if i < 4:
            statuses.append((1, "lamp", "dim", "l-1", {"lux": "5"}))
        rows.append((plain, ns, diagnostic_array(ns, statuses)))
        rows.append((whole, ns, diagnostic_array(ns, [(0, "/all", "well", "", {})])))
    count = bag.connection("/count", "std_msgs/Int32")
    for i in range(COUNTS):
        rows.append((count, START_NS + i * SECONDS * 10**9 // COUNTS, struct.pack("<i", i * i)))
    bag.add_chunk(rows)
    bag.close()


MACHINE = """uint8 MODE_IDLE=0
uint8 MODE_DRIVE=1
uint8 MODE_CHARGE=2
uint8 mode
bool moving
string task
"""
MODES = "IDLE", "DRIVE", "CHARGE"
MACHINE_SECONDS = 60


def write_machine(path):
    """A minute of states, which change at 9, 20 and 47 s."""
    bag = BagFile(path)
    machine = bag.connection("/machine", "test_msgs/Machine", definition=MACHINE)
    rows = []
    for i in range(MACHINE_SECONDS * 5):
        mode = 0 if i < 45 else 1 if i < 100 else 2 if i < 235 else 0
        data = bytes([mode, mode == 1]) + text(f"task {i // 50} <b>")
        rows.append((machine, START_NS + i * 200_000_000, data))
    bag.add_chunk(rows)
    bag.close()


class Readings(PageTest):
    @classmethod
    def write_bags(cls):
        cls.bag = cls.folder / "readings.bag"
        write_readings(cls.bag)
        cls.machine = cls.folder / "machine.bag"
        write_machine(cls.machine)
        for bag in TURTLE, LASER:
            if (peers.REAL_BAGS / bag).exists():
                shutil.copy(peers.REAL_BAGS / bag, cls.folder)

    def show(self, panels, time, bag="readings.bag"):
        query = "".join(f"&panel={each}" for each in panels)
        self.browser.open(url=f"{self.root}?bag={bag}&t={time}{query}")

    # --- diagnostics ---

    def expected_statuses(self, bag, seconds, topics):
        """{name: (level, message)} by `kitbag cat`; what is older than five seconds is stale."""
        rows = cat(bag, "--topics", ",".join(topics))
        start = cat(bag, "--count", "1")[0][1]
        last = {}
        for _, ns, data in rows:
            if ns - start <= seconds * 1e9:
                for each in data["status"]:
                    last[each["name"]] = ((ns - start) / 1e9, each)
        return {name: ("STALE" if seconds - time > 5 else STATUS_NAMES[each["level"]],
                       each["message"]) for name, (time, each) in last.items()}

    def statuses(self):
        return {name: (level, message) for name, level, message in self.see(
            "[...document.querySelectorAll('.diagnostics li[data-name]')].map(each => ["
            "each.dataset.name, each.dataset.level, each.querySelector('.message').lastChild.data])"
        )}

    def check_diagnostics(self, seconds, bag, topics=("/diagnostics",)):
        expected = self.expected_statuses(self.folder / bag, seconds, topics)
        rows = "document.querySelectorAll('.diagnostics li[data-name]').length"
        self.wait(f"{rows} === {len(expected)} && document.querySelector('.places:not(.late)')")
        self.assertEqual(self.statuses(), expected)

    def test_diagnostics(self):
        for seconds in (1, 6.5, 11):
            self.show(["diagnostics+/diagnostics"], seconds)
            self.check_diagnostics(seconds, "readings.bag")
        # At 11 s: the motor is hot, the wheel slips, the lamp was last seen at 1.5 s.
        names = ("[...document.querySelectorAll('.diagnostics .name')]"
                 ".map(each => each.innerText.trim())")
        self.assertEqual(self.see(names), ["motor", "wheel", "lamp"])
        self.assertEqual(self.browser.count(on=".diagnostics .message b"), 0)
        counts = "[...document.querySelectorAll('.levels b')].map(each => Number(each.innerText))"
        self.assertEqual(self.see(counts), [1, 1, 1, 0])
        self.browser.click(on=".diagnostics li[data-name=motor] button")
        table = "document.querySelector('.diagnostics table').innerText"
        self.assertEqual(self.see(table).split(), ["hardware", "id", "m-7", "°C", "106"])
        self.assertIn("was WARN", self.see(f"{js('.diagnostics li[data-name=lamp]')}.innerText"))
        grey, black = (self.see(f"getComputedStyle({js(f'li[data-name={name}] .status')}).color")
                       for name in ("lamp", "wheel"))
        self.assertNotEqual(grey, black)
        self.browser.click(on=".levels [data-level=STALE]")
        self.wait(f"{names}.join() === 'motor,wheel'")
        self.browser.fill(on="[aria-label='Filter the diagnostics']", text="SLIP")
        self.wait(f"{names}.join() === 'wheel'")
        self.browser.fill(on="[aria-label='Filter the diagnostics']", text="")
        self.browser.select(on="[aria-label='Add a topic']", value="/diagnostics_agg")
        self.wait(f"{names}.join() === 'motor,wheel,/all'")
        self.wait("location.search.includes('agg') && location.search.includes('hidden')")
        url = self.browser.url()
        self.browser.window()
        self.browser.open(url=url)
        self.wait(f"{names}.join() === 'motor,wheel,/all'")

    def test_diagnostics_of_ros_1_and_2(self):
        for bag in "demo.bag", "ros2.mcap":
            self.show(["diagnostics+/diagnostics"], 9.5, bag)
            self.check_diagnostics(9.5, bag)

    # --- table ---

    def current_row(self, seconds, cells):
        """Waits until the marked row has these texts in its first cells, behind the time."""
        self.wait("document.querySelector('.places:not(.late) .row.current')?.dataset.time"
                  f" <= {seconds}")
        shown = "[...document.querySelectorAll('.row.current span')].map(each => each.innerText)"
        self.wait(f"{shown}.slice(1, {len(cells) + 1}).join('|') === '{'|'.join(cells)}'")

    def test_table(self):
        rows = [(ns - START_NS, data["data"]) for _, ns, data in
                cat(self.bag, "--topics", "/count")]
        self.show(["table+/count"], 6)
        value = [data for ns, data in rows if ns <= 6e9][-1]
        self.current_row(6, [str(value)])
        self.wait(f"Number({js('.messages')}.dataset.held) > {COUNTS // 3}")
        self.assertLess(self.browser.count(on=".messages .row"), 80)
        place = self.see("(() => { const row = document.querySelector('.row.current')"
                         ".getBoundingClientRect(), box = document.querySelector('.rows')"
                         ".getBoundingClientRect(); return (row.y - box.y) / box.height; })()")
        self.assertTrue(0.5 < place < 0.8, place)  # what was before is above it
        # A click seeks, and so do keys of the table.
        self.browser.click(on=".row.current + .row + .row span")
        after = [row for row in rows if row[0] > 6e9]
        self.current_row(6.1, [str(after[1][1])])
        self.wait(f"Math.abs(Number({js('.position b')}.dataset.time) - {after[1][0] / 1e9})"
                  " < 1e-6")
        self.browser.press(key="ArrowDown")
        self.current_row(6.1, [str(after[2][1])])
        self.browser.press(key="PageUp")
        self.current_row(6.1, [str(rows[rows.index(after[2]) - 20][1])])
        # What is scrolled stays, until it is asked to follow.
        self.browser.wheel(on=".rows", at=0.5, by=-100_000)
        self.wait("document.querySelector('.row[data-row=\"3\"]')")
        self.browser.click(on="text=To the instant")
        self.wait("document.querySelector('.row.current')")

    def test_filter_of_a_table(self):
        rows = [(ns - START_NS, str(data["data"])) for _, ns, data in
                cat(self.bag, "--topics", "/count")]
        self.show(["table+/count+filter=9801"], 1)
        shown = "[...document.querySelectorAll('.messages .row:not(.head) span:last-child')]" \
                ".map(each => each.innerText)"
        held = "Number(document.querySelector('.messages').dataset.held)"
        figures = "document.querySelector('.messages .figures').innerText"
        self.wait(f"document.querySelector('.messages .row') && {held} === {COUNTS}"
                  f" && !{figures}.includes('…')")
        expected = [data for _, data in rows if "9801" in data]
        self.assertEqual(self.see(f"{js('.messages')}.dataset.rows"), str(len(expected)))
        drawn = self.see(shown)
        self.assertGreater(len(drawn), 20)
        self.assertEqual(drawn, expected[:len(drawn)])

    def test_copies(self):
        """A page has no clipboard here but by a selection; what is pasted is what was copied."""
        seconds = 5
        self.show(["table+/battery+columns=voltage%250Acell_voltage%250Aheader.stamp"], seconds,
                  "demo.bag")
        _, data = self.last_before("/battery", seconds, self.demo)
        stamp = f"{data['header']['stamp']['sec']}.{data['header']['stamp']['nsec']:09}"
        self.wait("document.querySelector('.row.current')")
        heads = "[...document.querySelectorAll('.messages .head span')].map(each => each.title)"
        self.assertEqual(self.see(heads), ["", "header.stamp", "voltage", "cell_voltage"])
        self.browser.click(on=".row.current [data-cell='1']")
        copied = []
        for button in "cell", "JSON", "CSV":
            self.browser.click(on=f".copies button:has-text('{button}')")
            self.wait(f"{js('.messages [role=status]')}.innerText.includes('copied')")
            self.browser.click(on="[aria-label='Filter the rows']")
            self.browser.press(key="Control+V")
            copied.append(self.see(f"{js('.messages input')}.value"))
            self.browser.fill(on="[aria-label='Filter the rows']", text="")
            self.wait("document.querySelector('.row.current')")
        self.assertEqual(copied[0], stamp)
        self.assertAlmostEqual(json.loads(copied[1])["voltage"], data["voltage"], 5)
        self.assertEqual(set(json.loads(copied[1])), set(data))
        self.assertTrue(copied[2].startswith("time,header.stamp,voltage,cell_voltage"), copied[2])
        self.assertIn(stamp, copied[2])

    # --- states ---

    def lane(self, path):
        return f".lane[data-field='{path}']"

    def edges(self, path):
        """Where the colour of a bar changes: parts of its width."""
        return self.see(f"""(() => {{
            const canvas = document.querySelector("{self.lane(path)} canvas");
            const copy = new OffscreenCanvas(canvas.width, 1).getContext("2d");
            copy.drawImage(canvas, 0, 1 - canvas.height);
            const data = copy.getImageData(0, 0, canvas.width, 1).data, edges = [];
            for (let i = 4; i < data.length; i += 4)
                if ([0, 1, 2].some(at => data[i + at] !== data[i - 4 + at]))
                    edges.push(i / 4 / canvas.width);
            return edges; }})()""")

    def changes(self, bag, topic, path):
        """Seconds at which a field of a topic changes, by `kitbag cat`."""
        times, last = [], None
        for _, ns, data in cat(bag, "--topics", topic):
            value = data[path]
            if last is not None and value != last:
                times.append((ns - START_NS) / 1e9)
            last = value
        return times

    def near(self, edges, times, length, width):
        """Each edge is at one of the times, and each time has an edge, to three pixels."""
        self.assertTrue(edges)
        for part in edges:
            self.assertTrue(any(abs(part * length - time) < 3 * length / width for time in times),
                            (part * length, times))
        for time in times:
            self.assertTrue(any(abs(part * length - time) < 3 * length / width for part in edges),
                            (time, edges))

    def test_states(self):
        self.show(["states+/machine+mode+moving+task"], 22, "machine.bag")
        now = f"document.querySelector(\"{self.lane('mode')} b\")?.innerText"
        self.wait(f"{now} === 'CHARGE'")
        count = f"Number(document.querySelector(\"{self.lane('mode')} canvas\").dataset.segments)"
        self.wait(f"{count} > 3")  # from /series: also some that the page does not hold
        width = self.see(f"document.querySelector(\"{self.lane('mode')} canvas\").clientWidth")
        length = (MACHINE_SECONDS * 5 - 1) / 5
        changes = self.changes(self.machine, "/machine", "mode")
        self.assertEqual(changes, [9, 20, 47])
        self.near(self.edges("mode"), changes, length, width)
        self.near(self.edges("moving"), self.changes(self.machine, "/machine", "moving"), length,
                  width)
        # Texts are not in /series: only from 21 s on they are loaded, and then they change at 30 s.
        # What is not there is hatched, which has many edges.
        loaded = []
        while len(loaded) != 1:
            loaded = [part * length for part in self.edges("task") if 21.5 < part * length < 31]
        self.assertAlmostEqual(loaded[0], 30, delta=3 * length / width)
        self.assertGreater(len([part for part in self.edges("task") if part > 0.7]), 20)
        self.browser.press(key="Home")
        for _ in range(9):
            self.browser.press(key="Shift+ArrowRight")
        self.wait(f"{now} === 'DRIVE'")
        self.browser.press(key="ArrowLeft")
        self.wait(f"{now} === 'IDLE'")
        text = f"document.querySelector(\"{self.lane('task')} b\").innerText"
        self.assertEqual(self.see(text), "task 0 <b>")
        self.assertEqual(self.browser.count(on=".states .lane b b"), 0)
        # To the next changes, and by a click to where nothing is loaded.
        self.browser.click(on=f"{self.lane('mode')} [title='To the next change']")
        self.wait(f"Math.abs({TIME} - 9) < 0.2")
        self.browser.click(on=f"{self.lane('mode')} canvas", x=width * 0.9, y=10)
        self.wait(f"Math.abs({TIME} - {0.9 * length}) < 0.1 && {now} === 'IDLE'")
        place = self.see(f"(() => {{ const cursor = {js('.states .cursor')}"
                         f".getBoundingClientRect(), sheet = {js('.states .sheet')}"
                         ".getBoundingClientRect();"
                         "return (cursor.x - sheet.x) / sheet.width; })()")
        self.assertAlmostEqual(place, 0.9, 1)
        # Zoomed in, the messages themselves say when.
        self.browser.click(on=f"{self.lane('mode')} canvas", x=width * 46.5 / length, y=10)
        self.wait(f"Math.abs({TIME} - 46.5) < 0.2")
        for _ in range(5):
            self.browser.wheel(on=STRIP, at=47 / length, by=-400)
        changes = f"document.querySelector(\"{self.lane('mode')} .count\").innerText"
        self.wait(f"{count} === 2 && {changes} === '1 change'")
        self.browser.click(on=f"{self.lane('mode')} [title='To the next change']")
        self.wait(f"Math.abs({TIME} - 47) < 1e-6 && {now} === 'IDLE'")

    def test_states_of_several_topics(self):
        self.show(["states+/battery+power_supply_status+present+%252Fdiagnostics%2520header.seq"],
                  7.5, "demo.bag")
        _, battery = self.last_before("/battery", 7.5, self.demo)
        _, array = self.last_before("/diagnostics", 7.5, self.demo)
        shown = "[...document.querySelectorAll('.states .lane b')].map(each => each.innerText)"
        names = ["UNKNOWN", "CHARGING", "DISCHARGING", "NOT_CHARGING", "FULL"]
        expected = [names[battery["power_supply_status"]], str(battery["present"]).lower(),
                    str(array["header"]["seq"])]
        self.wait(f"{shown}.join() === '{','.join(expected)}'")
        self.browser.select(on="[aria-label='Add a field']", value="location")
        self.wait(f"{shown}.at(-1) === '{battery['location']}'")
        self.browser.click(on="[aria-label='Remove present']")
        self.wait("document.querySelectorAll('.states .lane').length === 3")

    # --- statistics ---

    def figures(self):
        """{topic: {column: text}}."""
        return dict(self.see(
            "[...document.querySelectorAll('.statistics tbody tr')].map(row => [row.dataset.topic,"
            "Object.fromEntries([...row.querySelectorAll('[data-figure]')].map(each => "
            "[each.dataset.figure, each.innerText]))])"))

    def about(self, text, unit, expected, part=0.006):
        """A text with three digits says a number in a unit, such as "9.96 Hz"."""
        scale = {"µs": 1e-6, "ms": 1e-3, "KiB": 1024, "MiB": 1 << 20}
        number, shown = text.replace("/s", "").split(" ")
        self.assertIn(unit, (shown, {"µs": "s", "ms": "s", "KiB": "B", "MiB": "B"}.get(shown)))
        self.assertAlmostEqual(float(number) * scale.get(shown, 1), expected,
                               delta=abs(expected) * part + 1e-9)

    def check_statistics(self, bag):
        """All figures of all topics that have a stamp or not."""
        rows = [json.loads(line) for line in peers.kitbag("cat", self.folder / bag).splitlines()]
        self.show(["statistics+"], 1, bag)
        self.wait("document.querySelectorAll('.statistics tbody tr').length > 0 && "
                  "[...document.querySelectorAll('[data-figure=delay]')]"
                  ".some(each => each.innerText !== '–')")
        figures = self.figures()
        length = (rows[-1]["log_time_ns"] - rows[0]["log_time_ns"]) / 1e9
        self.assertEqual(set(figures), {row["topic"] for row in rows})
        for topic, shown in figures.items():
            own = [row for row in rows if row["topic"] == topic]
            self.assertEqual(shown["messages"], f"{len(own):,}")
            self.assertEqual(shown["seen"], f"{len(own):,}")
            times = [row["log_time_ns"] / 1e9 for row in own]
            sizes = {row["size"] for row in own}
            if len(own) > 1:
                self.about(shown["rate"], "Hz", len(own) / length)
            if len(sizes) == 1 and len(own) > 1:
                self.about(shown["size"], "B", sizes.pop(), part=0.05)
            stamps = [row["data"]["header"]["stamp"] for row in own if "header" in row["data"]]
            if stamps:
                delays = sorted(time - stamp["sec"] - stamp["nsec"] / 1e9
                                for time, stamp in zip(times, stamps, strict=True))
                self.about(shown["mostDelay"], "s", delays[-1], part=0.02)
                if len(delays) % 2:
                    self.about(shown["delay"], "s", delays[len(delays) // 2], part=0.02)
        return figures

    def test_statistics(self):
        figures = self.check_statistics("readings.bag")
        self.assertEqual(figures["/count"]["jitter"], "0 s")
        self.about(figures["/count"]["bytesPerSecond"], "B", 4 * COUNTS / SECONDS, part=0.01)
        topics = "[...document.querySelectorAll('.statistics tbody tr')]" \
                 ".map(each => each.dataset.topic).join()"
        self.assertEqual(self.see(topics), "/count,/diagnostics,/diagnostics_agg")
        self.browser.click(on="text=Per second")
        self.wait(f"{topics} === '/diagnostics,/diagnostics_agg,/count' || "
                  f"{topics} === '/count,/diagnostics,/diagnostics_agg'")
        self.assertEqual(self.browser.count(on="th[aria-sort=descending]"), 1)
        self.wait("location.search.includes('sort')")
        bars = self.see("[...document.querySelectorAll('[data-figure=messages] .bar span')]"
                        ".map(each => each.getBoundingClientRect().width / 48)")
        self.assertAlmostEqual(max(bars), COUNTS / (COUNTS + 4 * SECONDS), 2)
        dragged = self.see("(() => { const data = new DataTransfer(); document.querySelector("
                           "'[data-topic=\"/count\"]').dispatchEvent(new DragEvent('dragstart',"
                           "{dataTransfer: data, bubbles: true}));"
                           "return data.getData('application/x-kitbag-topic'); })()")
        self.assertEqual(dragged, "/count")
        # Of half of the bag, there is about half.
        self.browser.wheel(on=STRIP, at=0.5, by=346)  # 1.002 ** 346 is 2, but all is the most
        self.browser.wheel(on=STRIP, at=0.5, by=-346)
        seen = js('[data-topic="/count"] [data-figure=seen]') + ".innerText"
        self.wait(f"Math.abs(Number({seen}.replace(',', '')) - {COUNTS // 2}) < {COUNTS // 100}")

    # --- real bags ---

    def test_real_bags(self):
        peers.need_real_bags()
        for bag in TURTLE, LASER:
            with self.subTest(bag=bag):
                self.check_statistics(bag)
        for bag, topic, path, names in (
                (TURTLE, "/turtle1/color_sensor", "r", {}),
                (TURTLE, "/rosout", "level", {2: "INFO"}),
                (LASER, "/info_gps", "valid_data", {True: "true", False: "false"})):
            with self.subTest(bag=bag, topic=topic):
                seconds = 7.7
                rows = cat(self.folder / bag)
                ns, value = [(ns, data[path]) for each, ns, data in rows
                             if each == topic and ns - rows[0][1] <= seconds * 1e9][-1]
                name = quote(topic, "")
                self.show([f"states+{quote(name)}+{path}", f"table+{quote(name)}+columns={path}"],
                          seconds, bag)
                text = names.get(value, str(value))
                self.wait(f"{js('.states .lane b')}?.innerText === '{text}'")
                plain = str(value).lower() if isinstance(value, bool) else str(value)
                self.wait(js('.row.current [data-cell="1"]') + f"?.innerText === '{plain}'")
                shown = self.see("Number(document.querySelector('.row.current').dataset.time)")
                self.assertAlmostEqual(shown, (ns - rows[0][1]) / 1e9, 6)

    def test_pictures(self):
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.browser.window(**window)
            self.show(["diagnostics+/diagnostics+topics=/diagnostics_agg", "table+/count"], 11)
            self.wait("document.querySelector('.diagnostics li[data-name=motor]')")
            self.browser.click(on=".diagnostics li[data-name=motor] button")
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"readings-{name}.png"))
            self.show(["states+/machine+mode+moving+task", "table+/machine"], 22, "machine.bag")
            self.wait("document.querySelectorAll('.states .lane').length === 3")
            self.wait("document.querySelector('.states .lane canvas').dataset.segments > 3")
            self.browser.picture(to=str(pictures() / f"states-{name}.png"))
            self.show(["statistics+"], 7, "demo.bag")
            self.wait("document.querySelectorAll('.statistics tbody tr').length === 12 && "
                      "document.querySelector('[data-topic=\"/imu\"] [data-figure=delay]')"
                      ".innerText === '0 s'")
            self.browser.picture(to=str(pictures() / f"statistics-{name}.png"))


if __name__ == "__main__":
    peers.main()
