#!/usr/bin/env python3
"""The layout of the player page in a real Chromium: panels are split, tabbed and resized by
dragging and by keys, topics are dropped on them, and a layout is shared, saved and seen on a
phone."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from browser import pictures  # noqa: E402
from page import TIME, PageTest, js, panel  # noqa: E402

THREE = "demo.bag&panel=image+/camera/image&panel=plot+/odom+pose.pose.position.x&panel=log+/rosout"
SHOWN = "[...document.querySelectorAll('.place')].filter(each => each.offsetParent)"


def place(name, topic):
    return f'.place[data-panel="{name}"][data-topic="{topic}"]'


def tab(topic):
    return f'[role=tab][aria-label="{topic}"]'


class Layout(PageTest):
    def shown(self):
        """The panels that are drawn: "image /camera/image"."""
        return sorted(self.see(f"{SHOWN}.map(each => "
                               "[each.dataset.panel, each.dataset.topic].join(' '))"))

    def box(self, selector):
        """Left, top, right and bottom in pixels."""
        return self.see(f"(({{ left, top, right, bottom }}) => [left, top, right, bottom])"
                        f"({js(selector)}.getBoundingClientRect())")

    def wait_shown(self, *names):
        wanted = json.dumps(sorted(names))
        self.wait(f"JSON.stringify({SHOWN}.map(each => [each.dataset.panel, each.dataset.topic]"
                  f".join(' ')).sort()) === JSON.stringify({wanted})")

    def open_three(self, **window):
        self.open_bag(THREE, **window)
        self.wait_shown("image /camera/image", "log /rosout", "plot /odom")

    def tree_of_url(self):
        return self.see("new URLSearchParams(location.search).get('layout')")

    def test_panels_are_split_and_tabbed_by_dragging(self):
        self.open_three()
        image, plot = place("image", "/camera/image"), place("plot", "/odom")
        self.assertGreaterEqual(self.box(plot)[0], self.box(image)[2])
        self.browser.drop(on=tab("/odom"), to=image, x=0.5, y=0.95)
        self.wait(f"{js(plot)}.getBoundingClientRect().top > "
                  f"{js(image)}.getBoundingClientRect().bottom")
        self.assertEqual(self.box(plot)[0], self.box(image)[0])
        self.wait_shown("image /camera/image", "log /rosout", "plot /odom")
        self.browser.drop(on=tab("/odom"), to=image, x=0.5, y=0.5)
        self.wait_shown("log /rosout", "plot /odom")
        self.wait("new URLSearchParams(location.search).get('layout')?.endsWith('t2-1.t1')")
        self.browser.click(on=tab("/camera/image"))
        self.wait_shown("image /camera/image", "log /rosout")
        self.browser.click(on='[aria-label="Maximise /camera/image"]')
        self.wait_shown("image /camera/image")
        # What is hidden is not drawn.
        newest = f"{js('.log li')}?.innerText"
        before = self.see(newest)
        self.seek(9.4)
        self.wait(f"{js('.image')}.dataset.time > 9.2")
        self.assertEqual(self.see(newest), before)
        self.browser.click(on='[aria-label="Restore /camera/image"]')
        self.wait_shown("image /camera/image", "log /rosout")
        self.wait(f"{newest} !== {json.dumps(before)}")

    def test_a_border_is_dragged(self):
        self.open_three()
        image = place("image", "/camera/image")
        right = self.box(image)[2]
        self.browser.drop(on=".dv-horizontal > .dv-sash-container > .dv-sash >> nth=0",
                          to=image, x=0.7, y=0.5)
        self.wait(f"{js(image)}.getBoundingClientRect().right < {right} - 50")
        size = self.see("(each => each.offsetWidth / document.querySelector('.dock').offsetWidth)"
                        f"({js(image)})")
        self.wait("new URLSearchParams(location.search).get('layout')?.startsWith('1.r')")
        written = int(self.tree_of_url().split(".")[1][1:].split("-")[0]) / 1000
        self.assertAlmostEqual(written, size, delta=0.01)

    def test_a_hidden_panel_shows_this_instant_when_it_comes_back(self):
        self.open_bag("demo.bag&panel=image+/camera/image&panel=tree+/odom&layout=1.t2")
        self.wait_shown("image /camera/image")
        self.seek(6.3)
        time, _ = self.last_before("/odom", 6.3, self.demo)
        self.browser.click(on=tab("/odom"))
        self.wait(f"Math.abs({js('.tree')}?.dataset.time - {time}) < 1e-6")
        self.assertEqual(self.shown(), ["tree /odom"])

    def test_topics_are_dropped(self):
        topic = '.topics [title^="{}"]'.format
        imu, battery = topic("sensor_msgs/Imu"), topic("sensor_msgs/BatteryState")
        image = place("image", "/camera/image")
        self.open_three()
        right = self.box(image)[2]
        self.browser.drop(on=imu, to=image, x=0.95, y=0.5)
        self.wait_shown("image /camera/image", "log /rosout", "plot /odom", "plot /imu")
        self.assertLess(self.box(image)[2], right - 100)
        self.assertEqual(self.box(place("plot", "/imu"))[1], self.box(image)[1])
        # An image takes no battery: a tab beside it.
        self.browser.drop(on=battery, to=image, x=0.5, y=0.5)
        self.wait_shown("plot /battery", "log /rosout", "plot /odom", "plot /imu")
        self.browser.click(on='[aria-label="Close /battery"]')
        self.wait_shown("image /camera/image", "log /rosout", "plot /odom", "plot /imu")
        # On a tab, and on the edge of the whole.
        self.browser.drop(on=battery, to=tab("/rosout"), x=0.1, y=0.5)
        self.wait_shown("image /camera/image", "plot /battery", "plot /odom", "plot /imu")
        self.browser.drop(on=topic("diagnostic_msgs"), to=".dock", x=0.998, y=0.5)
        self.wait(f"{SHOWN}.some(each => each.dataset.topic === '/diagnostics')")
        each = f"{SHOWN}.find(each => each.dataset.topic === '/diagnostics')"
        dock = self.box(".dock")
        right = self.see(f"{each}.getBoundingClientRect().right")
        self.assertAlmostEqual(right, dock[2], delta=1)
        self.assertGreater(self.see(f"{each}.offsetHeight"), (dock[3] - dock[1]) * 0.9)

    def test_a_field_is_dropped(self):
        self.open_three()
        data = json.dumps({"topic": "/imu", "field": "angular_velocity.z"})
        hostile = json.dumps({"topic": "/none", "field": 7})
        for text in (hostile, "{", data):
            self.see("(() => { const data = new DataTransfer();"
                     f"data.setData('application/x-kitbag-field', {json.dumps(text)});"
                     f"const on = {js(place('image', '/camera/image'))};"
                     "const box = on.getBoundingClientRect();"
                     "const init = { dataTransfer: data, bubbles: true, cancelable: true,"
                     " clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 };"
                     "for (const type of ['dragenter', 'dragover', 'dragover', 'drop'])"
                     " on.dispatchEvent(new DragEvent(type, init)); })()")
        self.wait(f"{js(place('plot', '/imu'))}?.querySelector('[data-field]')")
        self.assertEqual(self.see(f"[...{js(place('plot', '/imu'))}"
                                  ".querySelectorAll('[data-field]')]"
                                  ".map(each => each.dataset.field)"), ["angular_velocity.z"])
        self.assertEqual(self.see("document.querySelectorAll('[role=tab]').length"), 4)

    def test_a_shared_link_shows_the_same(self):
        self.open_three()
        self.seek(4.2)
        self.browser.drop(on=tab("/odom"), to=place("image", "/camera/image"), x=0.05, y=0.5)
        self.wait("new URLSearchParams(location.search).has('layout')")
        self.browser.click(on='[aria-label="Maximise /odom"]')
        self.browser.click(on='[aria-label="Restore /odom"]')
        self.see("delete Navigator.prototype.clipboard")
        self.browser.click(on=".share button")
        self.wait(f"{js('.share input')} === document.activeElement")
        self.assertTrue(self.see(f"{js('.share input')}.selectionEnd > 30"))
        link = self.see(f"{js('.share input')}.value")
        names = ("image /camera/image", "log /rosout", "plot /odom")
        boxes = [self.box(place(*name.split())) for name in names]
        self.browser.window()
        self.browser.open(url=link)
        self.wait_shown(*names)
        self.wait(f"Math.abs({TIME} - 4.2) < 1e-6")
        for name, box in zip(names, boxes):
            for now, before in zip(self.box(place(*name.split())), box):
                self.assertAlmostEqual(now, before, delta=2, msg=name)

    def test_a_hostile_link_shows_what_makes_sense(self):
        self.open_bag("demo.bag&panel=image+/camera/image&panel=nothing+/none&panel=log"
                      "&layout=1.r999999-c.t1")
        self.wait("document.body.innerText.includes('no topic of this name')")
        self.open_bag("demo.bag&panel=%25&layout=1." + "r1-1." * 50)
        self.assertIn("log /rosout", self.shown())  # the default layout

    def test_saved_layouts(self):
        self.open_three()
        self.browser.click(on='[aria-label="Layouts"]')
        self.browser.fill(on=".sheet input", text="three")
        self.browser.press(key="Enter")
        self.wait(f"{js('[data-layout=three]')}?.innerText.includes('1')")
        self.browser.picture(to=str(pictures() / "layout-menu.png"))
        self.browser.press(key="Escape")
        self.browser.press(key="Escape")
        self.wait(f"!{js('.sheet')}")
        self.browser.open(url=f"{self.root}?bag=ros2.mcap")
        self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
        self.assertNotEqual(len(self.shown()), 3)
        self.browser.press(key="1")
        self.wait_shown("image /camera/image", "log /rosout", "plot /odom")
        self.browser.press(key="2")  # there is none
        self.browser.click(on='[aria-label="Layouts"]')
        self.browser.click(on='button:has-text("Reset")')
        self.wait(f"{SHOWN}.length > 3")
        self.wait("!location.search.includes('layout=')")
        self.browser.click(on='[aria-label="Layouts"]')
        self.see("Storage.prototype.setItem = () => { throw new Error('full') }")
        self.browser.fill(on=".sheet input", text="more")
        self.browser.press(key="Enter")
        self.wait(f"{js('.sheet [role=alert]')}?.innerText.includes('does not keep')")

    def test_search(self):
        self.open_three()
        self.browser.press(key="/")
        self.browser.fill(on=".search input", text="velocity.z")
        self.wait(f"{js('.search [role=option]')}?.innerText.includes('angular_velocity.z')")
        self.browser.picture(to=str(pictures() / "layout-search.png"))
        self.browser.fill(on=".search input", text="linear_acceleration.y")
        self.wait("document.querySelectorAll('.search [role=option]').length === 1")
        self.browser.press(key="Enter")
        self.wait(f"{js(place('plot', '/imu'))}?.querySelector"
                  "('[data-field=\"linear_acceleration.y\"]')")
        self.browser.press(key="/")
        self.browser.fill(on=".search input", text="<b>none")
        self.wait(f"{js('.search .none')}")
        self.browser.press(key="Escape")
        self.wait(f"!{js('.search .none')}")

    def test_keys_only(self):
        self.open_three()
        image, plot = place("image", "/camera/image"), place("plot", "/odom")
        focused = "document.activeElement?.getAttribute('aria-label')"
        for _ in range(60):
            self.browser.press(key="Tab")
            if self.see(focused) == "/odom":
                break
        self.wait(f"{focused} === '/odom'")
        self.assertEqual(self.see("getComputedStyle(document.activeElement).outlineStyle"), "solid")
        left, _, right, _ = self.box(image)
        self.browser.press(key="Alt+ArrowRight")  # wider
        self.wait(f"{js(image)}.getBoundingClientRect().right < {right} - 20")
        self.browser.press(key="Shift+ArrowLeft")  # into the stack of the image
        self.wait_shown("log /rosout", "plot /odom")
        self.browser.press(key="Shift+ArrowLeft")  # out of it again
        self.wait_shown("image /camera/image", "log /rosout", "plot /odom")
        self.assertLess(self.box(plot)[0], self.box(image)[0])
        self.assertEqual(self.box(plot)[0], left)
        self.assertEqual(self.see(focused), "/odom")
        # The focused panel is the one whose messages are stepped through.
        self.browser.press(key="Home")
        for _ in range(30):
            self.browser.press(key="ArrowRight")
        self.wait(f"Math.abs({TIME} - 3) < 1e-6")
        self.browser.press(key=".")
        self.wait(f"{TIME} > 3")
        now, _ = self.last_before("/odom", 3, self.demo)
        step = self.see(TIME) - now
        self.assertGreater(step, 0)
        self.assertLess(step, 0.045)
        self.browser.press(key="Delete")
        self.wait_shown("image /camera/image", "log /rosout")
        self.browser.press(key="?")
        self.wait(f"{js('dialog[open]')}?.innerText.includes('all keys')")
        self.browser.picture(to=str(pictures() / "layout-keys.png"))
        self.browser.press(key="Escape")
        self.wait(f"!{js('dialog')}")

    def test_stepping_by_the_focused_panel(self):
        self.open_three()
        for name, topic in ("image", "/camera/image"), ("plot", "/odom"):
            self.browser.click(on=tab(topic))
            self.wait(f"{js('.dv-active-group')}.contains({js(place(name, topic))})")
            self.browser.press(key="Home")
            self.seek(5)
            time, _ = self.last_before(topic, 5, self.demo)
            self.browser.press(key=",")
            self.wait(f"{TIME} < {time}")
            before, _ = self.last_before(topic, time - 1e-6, self.demo)
            self.assertAlmostEqual(self.see(TIME), before, 5)

    def test_a_phone(self):
        self.browser.window(width=390, height=844)
        self.browser.open(url=f"{self.root}?bag={THREE}")
        self.wait(f"{js('.image')}?.dataset.time > 0")
        self.seek(5)
        pages = js(".pager .pages")
        box = "each.getBoundingClientRect()"
        inside = (f"{SHOWN}.filter(each => {box}.left < 390 && {box}.right > 0)"
                  ".map(each => each.dataset.topic).join()")
        self.wait(f"{inside} === '/camera/image'")
        self.assertEqual(self.see("document.documentElement.scrollWidth"), 390)
        strip = self.box(".strip")
        self.assertEqual((strip[0], strip[2], strip[3]), (0, 390, 844))
        self.browser.picture(to=str(pictures() / "layout-phone.png"))
        # A swipe is the browser's own scrolling.
        self.browser.wheel(on=".pager .pages", at=0.5, by=0, across=390)
        self.wait(f"{inside} === '/rosout' && {pages}.scrollLeft === 390")
        _, line = self.last_before("/rosout", 5, self.demo)
        self.wait(f"{js('.log li[aria-current] .text')}?.innerText === {line['msg']!r}")
        self.assertEqual(self.see(f"{js('.titles [aria-selected=true]')}.innerText"), "/rosout")
        # What is on another page is not drawn.
        before = self.see(f"{js('.image')}.dataset.time")
        self.seek(9.4)
        _, line = self.last_before("/rosout", 9.4, self.demo)
        self.wait(f"{js('.log li[aria-current] .text')}?.innerText === {line['msg']!r}")
        self.assertEqual(self.see(f"{js('.image')}.dataset.time"), before)
        self.browser.click(on='.titles button:has-text("/camera/image")')
        self.wait(f"{inside} === '/camera/image'")
        self.wait(f"{js('.image')}.dataset.time > 9.2")
        self.browser.click(on='[aria-label="Topics"]')
        self.browser.picture(to=str(pictures() / "layout-drawer.png"))
        self.browser.click(on='.topics [title^="sensor_msgs/Imu"]')
        self.wait(f"{inside} === '/imu' && !{js('.topics')}")
        self.wait(f"{js(place('plot', '/imu'))}.querySelector('[data-points]')")
        self.browser.click(on='[aria-label="Close /imu"]')
        self.wait(f"{inside} !== '/imu'")
        self.browser.click(on='[aria-label="Layouts"]')
        self.browser.picture(to=str(pictures() / "layout-phone-menu.png"))
        self.assertGreaterEqual(self.box(".sheet")[0], 0)
        self.assertLessEqual(self.box(".sheet")[2], 390)

    def test_all_panels_closed(self):
        self.open_bag("demo.bag&panel=image+/camera/image")
        self.browser.click(on='[aria-label="Close /camera/image"]')
        self.wait("document.querySelector('.dock').innerText.includes('Choose a topic')")
        self.wait("location.search.includes('layout=1.')")
        self.browser.drop(on='.topics [title^="sensor_msgs/Imu"]', to=".dock", x=0.5, y=0.5)
        self.wait_shown("plot /imu")


if __name__ == "__main__":
    peers.main()
