#!/usr/bin/env python3
"""Plots in a real Chromium: the numbers and the pixels are those of `kitbag cat`."""

import sys
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from page import SECONDS, STRIP, PageTest, js  # noqa: E402
from peers import kitbag  # noqa: E402

CANVAS = ".plot .canvas"
X, Y = "pose.pose.position.x", "pose.pose.position.y"
AROUND = {"left": 52, "right": 10, "top": 8, "bottom": 22}  # draw.ts
# When the first messages have come from the worker, in `came`.
FIRST_MESSAGES = """
const Usual = Worker;
window.Worker = class extends Usual {
  constructor(...rest) {
    super(...rest);
    this.addEventListener("message", () => (window.came ??= performance.now()));
  }
};
"""
# How often curves are drawn, in `strokes`, and how many frames there are, in `frames`.
STROKES = """
window.strokes = window.frames = 0;
const { stroke } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.stroke = function (...rest) {
  if (this.canvas.closest(".plot")) ++window.strokes;
  return stroke.apply(this, rest);
};
const count = () => (++window.frames, requestAnimationFrame(count));
count();
"""


def escaped(text):
    return quote(text, safe="")


def plot(*fields, topic="/odom", **settings):
    """A place, as it stands in the URL."""
    words = ["plot", topic, *fields]
    chosen = [f"{escaped(name)}={escaped(value)}" for name, value in settings.items()]
    return "&panel=" + escaped(" ".join([*map(escaped, words), *chosen]))


def field(data, path):
    for name in path.split("."):
        data = data[name]
    return data


class Plot(PageTest):
    @classmethod
    def write_bags(cls):
        for encoding in "protobuf", "json":
            kitbag("convert", cls.demo, cls.folder / f"{encoding}.mcap", "--encoding", encoding)

    def show(self, *places, bag="demo.bag", time=10):
        self.browser.open(url=f"{self.root}?bag={bag}&t={time}{''.join(places)}")
        self.wait(f"{js(CANVAS)}?.dataset.points > 0")
        self.wait_drawn()

    def wait_drawn(self):
        """Until what has come is drawn."""
        self.wait(f"{js(CANVAS)}.dataset.drawn === {js(CANVAS)}.dataset.version")

    def value(self, entry, nth=0):
        """What a legend says."""
        return (f"Number(document.querySelectorAll('.plot')[{nth}]?.querySelector("
                f"'[data-field=\"{entry}\"] b')?.innerText)")

    def wait_value(self, entry, value, nth=0):
        self.wait(f"Math.abs({self.value(entry, nth)} - {value}) <= {1e-5 * max(1, abs(value))}")

    def range(self, axis, nth=0):
        text = self.see(f"document.querySelectorAll('{CANVAS}')[{nth}].dataset.{axis}")
        return [float(part) for part in text.split()]

    def zoom_in(self):
        """To two seconds around the clock, whose messages the page holds."""
        self.browser.wheel(on=STRIP, at=0.5, by=-1200)
        self.wait(f"{js(CANVAS)}.dataset.kind === 'points'")
        self.wait_drawn()

    def inside(self, nth=0):
        width, height = self.see(
            f"[...document.querySelectorAll('{CANVAS}')].map(each => "
            f"[each.clientWidth, each.clientHeight])[{nth}]")
        return (width, height, width - AROUND["left"] - AROUND["right"],
                height - AROUND["top"] - AROUND["bottom"])

    def place(self, x, y):
        """Where a point is on the canvas."""
        _, height, across, up = self.inside()
        (x0, x1), (y0, y1) = self.range("x"), self.range("y")
        return (AROUND["left"] + (x - x0) / (x1 - x0) * across,
                height - AROUND["bottom"] - (y - y0) / (y1 - y0) * up)

    def has_colour(self, x, y, name):
        """Whether a pixel near a place has a colour of look.css."""
        return self.see(
            "(() => { const copy = new OffscreenCanvas(7, 7).getContext('2d');"
            f"copy.drawImage({js(CANVAS + ' canvas')}, {3 - round(x)}, {3 - round(y)});"
            "const probe = new OffscreenCanvas(1, 1).getContext('2d');"
            "probe.fillStyle = getComputedStyle(document.documentElement)"
            f".getPropertyValue('{name}'); probe.fillRect(0, 0, 1, 1);"
            "const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;"
            "const all = copy.getImageData(0, 0, 7, 7).data;"
            "for (let i = 0; i < all.length; i += 4) if (Math.abs(all[i] - r) < 25 &&"
            "Math.abs(all[i + 1] - g) < 25 && Math.abs(all[i + 2] - b) < 25) return true;"
            "return false; })()")

    def test_the_messages_of_the_instant_come_before_a_plot_of_the_whole_bag_is_asked_for(self):
        self.browser.before(script=FIRST_MESSAGES)
        self.show(plot(X))
        asked = self.see("performance.getEntriesByType('resource')"
                         ".find(({ name }) => name.includes('/series?')).startTime")
        self.assertGreater(asked, self.see("window.came"))

    def test_several_topics_in_every_encoding(self):
        for bag in "demo.bag", "ros2.mcap", "protobuf.mcap", "json.mcap":
            with self.subTest(bag=bag):
                self.show(plot(X, "/battery voltage"), bag=bag)
                _, odometry = self.last_before("/odom", 10, self.folder / bag)
                _, battery = self.last_before("/battery", 10, self.folder / bag)
                self.wait_value(X, field(odometry, X))
                self.wait_value("/battery voltage", battery["voltage"])
                units = self.browser.texts(on=".legend em")
                self.assertEqual(units, ["m", "V"])

    def test_the_line_goes_through_the_messages(self):
        self.show(plot(X))
        self.zoom_in()
        x0, x1 = self.range("x")
        rows = [((ns - self.start_ns) / 1e9, field(data, X))
                for _, ns, data in cat(self.demo, "--topics", "/odom")]
        inner = [row for row in rows if x0 < row[0] < x1 and abs(row[0] - 10) > 0.1]
        self.assertGreater(len(inner), 20)
        for time, value in inner[::10]:
            self.assertTrue(self.has_colour(*self.place(time, value), "--series-1"), time)
        above = self.place(inner[0][0], self.range("y")[1] - (self.range("y")[1] - value) * 0.02)
        self.assertFalse(self.has_colour(*above, "--series-1"))

    def test_a_pointer_tells_in_all_plots_what_was_there(self):
        self.show(plot(X), plot("voltage", topic="/battery"))
        self.wait("document.querySelectorAll('[data-points]').length === 2")
        self.zoom_in()
        self.wait("[...document.querySelectorAll('[data-kind]')]"
                  ".every(each => each.dataset.kind === 'points')")
        width, _, across, _ = self.inside()
        x0, x1 = self.range("x")
        time = x0 + (0.3 * width - AROUND["left"]) / across * (x1 - x0)
        self.browser.point(on=CANVAS + " >> nth=0", at=0.3)
        _, odometry = self.last_before("/odom", time, self.demo)
        _, battery = self.last_before("/battery", time, self.demo)
        self.wait_value(X, field(odometry, X))
        self.wait_value("voltage", battery["voltage"], nth=1)
        self.browser.point(on=STRIP, at=0.5)  # away from it: the instant again
        self.wait_value(X, field(self.last_before("/odom", 10, self.demo)[1], X))

    def test_the_y_axis(self):
        self.show(plot(X))
        whole = self.range("y")
        self.browser.wheel(on=CANVAS, at=0.5, by=-500, key="Control")
        self.wait(f"{js(CANVAS)}.dataset.y !== '{whole[0]} {whole[1]}'")
        near = self.range("y")
        self.assertAlmostEqual((near[1] - near[0]) / (whole[1] - whole[0]), 1.002**-500, 3)
        self.wait("location.search.includes('min%3D')")
        panel = parse_qs(urlsplit(self.browser.url()).query)["panel"][0]
        self.assertIn("max=", panel)
        self.browser.twice(on=CANVAS, x=200, y=60)
        self.wait(f"{js(CANVAS)}.dataset.y === '{whole[0]} {whole[1]}'")
        self.show(plot(X, min="-1", max="2.5"))
        self.assertEqual(self.range("y"), [-1, 2.5])

    def test_a_field_against_another(self):
        self.show(plot(X, Y, mode="xy"))
        self.zoom_in()
        for _ in range(200):  # until the panel has its last size
            (x0, x1), (y0, y1) = self.range("x"), self.range("y")
            _, _, across, up = self.inside()
            if abs((x1 - x0) / across - (y1 - y0) / up) < 1e-7:
                break
        self.assertAlmostEqual((x1 - x0) / across, (y1 - y0) / up, 6)
        time, odometry = self.last_before("/odom", 10, self.demo)
        at = self.place(field(odometry, X), field(odometry, Y))
        self.assertTrue(self.has_colour(*at, "--series-2"), time)
        point = self.see(f"(() => {{ const [a, b] = [{js('.plot .point')}, {js(CANVAS)}]"
                         ".map(each => each.getBoundingClientRect());"
                         "return [a.x + a.width / 2 - b.x, a.y + a.height / 2 - b.y]; })()")
        for seen, expected in zip(point, at):
            self.assertAlmostEqual(seen, expected, delta=1)

    def test_play_moves_the_instant_and_draws_no_curve_again(self):
        self.browser.before(script=STROKES)
        self.show(plot(X))
        self.see("void (window.strokes = window.frames = 0)")
        self.browser.press(key=" ")
        self.wait("window.frames > 20")
        self.browser.press(key=" ")
        strokes, frames = self.see("[window.strokes, window.frames]")
        self.assertLess(strokes, frames / 4)
        time = self.see("Number(document.querySelector('.position b').dataset.time)")
        self.assertGreater(time, 10)
        x, _ = self.place(time, 0)
        shown = (f"{js('.plot .instant')}.getBoundingClientRect().x - "
                 f"{js(CANVAS)}.getBoundingClientRect().x")
        self.assertAlmostEqual(self.see(shown), x, delta=1)

    def test_the_change_by_second(self):
        self.show(plot(X, derivative="yes"))
        self.zoom_in()
        rows = [(ns, field(data, X)) for _, ns, data in cat(self.demo, "--topics", "/odom")]
        last = [i for i, (ns, _) in enumerate(rows) if ns - self.start_ns <= 10e9][-1]
        (before, x0), (now, x1) = rows[last - 1], rows[last]
        self.wait(f"Math.abs({self.value(X)} - {(x1 - x0) / (now - before) * 1e9}) < 1e-3")
        self.assertEqual(self.browser.texts(on=".legend em"), ["m/s"])

    def test_the_legend_by_keyboard(self):
        self.show(plot(X, Y))
        entry = f'[data-field="{X}"]'
        self.browser.focus(on=entry)
        both = self.range("y")
        self.browser.press(key="Enter")
        self.wait(f"{js(entry)}.getAttribute('aria-pressed') === 'false'")
        self.wait(f"{js(CANVAS)}.dataset.y !== '{both[0]} {both[1]}'")
        self.browser.press(key="Enter")
        self.wait(f"{js(CANVAS)}.dataset.y === '{both[0]} {both[1]}'")
        self.browser.press(key="Delete")
        self.wait(f"!{js(entry)}")
        self.browser.focus(on=".plot select")
        self.wait("document.querySelectorAll('.plot optgroup').length > 5")
        self.browser.select(on=".plot select", value="/battery voltage")
        self.wait(js('[data-field="/battery voltage"]'))

    def test_a_long_part_pans(self):
        self.show(plot(X, Y, "twist.twist.linear.x", "/imu angular_velocity.z"))
        self.wait(f"{js(CANVAS)}.dataset.kind === 'series'")
        self.browser.wheel(on=STRIP, at=0.5, by=-60)
        for at in range(20):
            before = self.see(f"{js(CANVAS)}.dataset.x")
            self.browser.wheel(on=STRIP, at=0.5, by=20 if at % 2 else -20)
            self.wait(f"{js(CANVAS)}.dataset.x !== '{before}'")
        self.assertLess(self.see(f"Number({js(CANVAS)}.dataset.points)"), 4000)
        self.assertGreater(self.range("x")[1] - self.range("x")[0], SECONDS / 2)

    def test_pictures(self):
        odd = plot("x", topic="/nothing")
        places = [plot(X, Y, "/battery voltage"), plot(X, Y, mode="xy"),
                  plot("power_supply_status", "present", topic="/battery"), odd]
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.browser.window(**window)
            self.show(*places)
            self.wait_value(X, field(self.last_before("/odom", 10, self.demo)[1], X))
            shown = 1 if name == "phone" else 3  # one panel at a time
            self.wait(f"document.querySelectorAll('[data-points]').length >= {shown}")
            self.assertEqual(self.see("document.documentElement.scrollWidth - innerWidth"), 0)
            self.browser.picture(to=str(pictures() / f"plot-{name}.png"))


if __name__ == "__main__":
    peers.main()
