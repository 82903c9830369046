#!/usr/bin/env python3
"""Panels outside the page in a real Chromium: examples/panel shows what the bag says, and what is
wrong with a panel is said in its place and nowhere else."""

import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import WEB, pictures  # noqa: E402
from page import PageTest, js, panel  # noqa: E402
from peers import ROOT, run  # noqa: E402
from server import Server  # noqa: E402

EXAMPLE = ROOT / "examples" / "panel"
SHADOW = f"{js(panel('battery'))}?.querySelector('.host')?.shadowRoot"
NUMBER = f"{SHADOW}?.querySelector('.number')?.innerText"

GOOD = "version: 1, title: 'T', shows: () => 0, "
BROKEN = {
    "newer": ("export default { version: 2, title: 'N', shows: () => 1, mount() {} };",
              "it is made for version 2 of panels; this page has version 1"),
    "syntax": ("export default {", "it could not be loaded"),
    "missing": ("import './nowhere.js'; export default {};", "it could not be loaded"),
    "empty": ("export const a = 1;", "panel.js has no default export"),
    "choosy": ("export default { version: 1, title: 'C', shows() { throw new Error('<b>no</b>'); },"
               " mount() {} };", "it failed: <b>no</b>"),
    "mounting": (f"export default {{ {GOOD} mount() {{ throw new Error('no place'); }} }};",
                 "it failed: no place"),
    "drawing": (f"export default {{ {GOOD} mount: () => ({{ draw() {{ null.x; }} }}) }};",
                "it failed: Cannot read properties of null"),
}
# Writes what it gets into its element; its styles would make the page unreadable.
PROBE = """
import { join } from "./lib/join.js";
export default {
  version: 1, title: "Probe", shows: () => 0, isOfBag: true,
  reads: () => ["/battery", "/odom"],
  options: [{ name: "word", title: "Word" }],
  styles: "p, .place, body { font-size: 40px; color: red }",
  mount(element, panel) {
    const text = element.appendChild(document.createElement("p"));
    const field = element.appendChild(document.createElement("input"));
    field.setAttribute("aria-label", "note");
    const button = element.appendChild(document.createElement("button"));
    button.append("go");
    button.onclick = () => panel.feed.seek(4.5);
    return {
      draw() {
        const { feed, place, topics } = panel;
        const battery = feed.at("/battery");
        const many = feed.between("/odom", feed.time - 0.5, feed.time).length;
        text.textContent = join([feed.time.toFixed(2), battery?.value?.voltage, many,
                                 topics.length, place.settings.word, panel.instantText(feed.time)]);
      },
    };
  },
};
"""
PROBED = f"{js(panel('probe'))}?.querySelector('.host')?.shadowRoot"


class Panels(PageTest):
    @classmethod
    def write_bags(cls):
        cls.panels = cls.folder / "panels"
        for name, (text, _) in BROKEN.items():
            (cls.panels / name).mkdir(parents=True)
            (cls.panels / name / "panel.js").write_text(text)
        (cls.panels / "probe" / "lib").mkdir(parents=True)
        (cls.panels / "probe" / "panel.js").write_text(PROBE)
        (cls.panels / "probe" / "lib" / "join.js").write_text(
            "export const join = (all) => all.join(' | ');")
        (cls.panels / "plot").mkdir()
        (cls.panels / "plot" / "panel.js").write_text("export default {};")

    def open_panels(self, panels, layout, **window):
        server = Server(self.demo, "--panels", *panels)
        self.addCleanup(server.end)
        self.browser.window(**window)
        self.browser.open(url=f"http://{server.host}/?bag=demo.bag&panel={'&panel='.join(layout)}")

    def test_the_example_shows_the_battery(self):
        self.open_panels([EXAMPLE], ["battery+/battery", "tree+/battery"])
        for seconds in (7.3, 2.1, 15):
            self.wait(f"{js('.tree')}?.dataset.time")
            self.seek(seconds)
            _, battery = self.last_before("/battery", seconds, self.demo)
            self.wait(f"{NUMBER} === '{battery['percentage'] * 100:.1f} %'")
            bar = f"{SHADOW}.querySelector('.bar')"
            width = self.see(f"{bar}.firstChild.getBoundingClientRect().width / {bar}.clientWidth")
            self.assertAlmostEqual(width, battery["percentage"], 2)
        self.browser.click(on="[aria-label='Options of /battery']")
        self.browser.select(on="select[name=number]", value="voltage")
        self.wait(f"{NUMBER} === '{battery['voltage']:.2f} V'")
        self.assertIn("voltage", self.browser.url())
        self.assertEqual(self.see(f"getComputedStyle({bar}.firstChild).backgroundColor"),
                         self.see("(() => { const a = document.createElement('i');"
                                  "a.style.color = 'var(--accent)'; document.body.append(a);"
                                  "return getComputedStyle(a).color; })()"))
        self.browser.picture(to=str(pictures() / "panel-outside.png"))
        self.assertEqual(self.browser.axe(), [])

    def test_a_topic_opens_in_it(self):
        """It is made for the type; on a phone, too."""
        self.open_panels([EXAMPLE], ["image+/camera/image"], width=390, height=844, dark=True)
        self.wait(f"{js(panel('image'))}?.querySelector('[data-time]')")
        self.browser.click(on=".drawer")
        self.browser.click(on='.topics [title^="sensor_msgs/Battery"]')
        self.wait(f"{NUMBER}?.endsWith(' %')")
        self.browser.picture(to=str(pictures() / "panel-outside-phone.png"))

    def test_what_it_gets(self):
        self.open_panels([self.panels], ["probe"])
        self.wait(f"{PROBED}?.querySelector('p')?.innerText")
        self.seek(6)
        _, battery = self.last_before("/battery", 6, self.demo)
        text = f"{PROBED}.querySelector('p').textContent"
        self.wait(f"{text}.startsWith('6.00 | ') && "
                  f"Math.abs({text}.split(' | ')[1] - {battery['voltage']}) < 1e-5")
        _, first = cat(self.demo, "--count", "1")[0][:2]
        odometry = [ns - first for _, ns, _ in cat(self.demo, "--topics", "/odom")]
        many = sum(5_500_000_000 < ns <= 6_000_000_000 for ns in odometry)
        self.assertEqual(self.see(text).split(" | ")[2:], [str(many), "12", "", "00:00:06.000"])
        self.browser.click(on="[aria-label='Options of Probe']")
        self.browser.fill(on="input[name=word]", text="hello")
        self.browser.press(key="Tab")
        self.wait(f"{text}.includes('| hello |')")
        self.browser.fill(on="[aria-label=note]", text="a")
        self.browser.focus(on="[aria-label=note]")
        self.browser.press(key="k")  # is for the field, not for the player
        self.assertEqual(self.see(f"{PROBED}.querySelector('input').value"), "ak")
        self.assertEqual(self.browser.count(on="[aria-label=Play]"), 1)
        self.assertEqual(self.see("getComputedStyle(document.body).fontSize"), "13px")
        self.browser.click(on=".host >> text=go")
        self.wait(f"{text}.startsWith('4.50 ')")
        warned = [each for each in self.browser.said() if "The panel plot is left out" in each]
        self.assertEqual(len(warned), 1)

    def test_what_is_wrong_is_said_in_its_place(self):
        server = Server(self.demo, "--panels", self.panels)
        self.addCleanup(server.end)
        _, battery = self.last_before("/battery", 0.5, self.demo)
        for name, (_, why) in BROKEN.items():
            with self.subTest(panel=name):
                self.browser.open(url=f"http://{server.host}/?bag=demo.bag&panel={name}+/battery"
                                      "&panel=tree+/battery")
                self.wait(f"{js(panel(name))}?.textContent.includes({why!r})")
                self.assertIn(f"The panel {name} cannot be shown",
                              self.see(f"{js(panel(name))}.textContent"))
                self.assertEqual(self.see(f"{js(panel(name))}.querySelectorAll('b').length"), 0)
                # What is beside it goes on.
                self.wait(f"Math.abs({js('.tree [data-field=voltage]')}?.innerText - "
                          f"{battery['voltage']}) < 1e-4")
        self.browser.picture(to=str(pictures() / "panel-outside-broken.png"))

    def test_the_list_needs_none_of_them(self):
        server = Server(self.demo, "--panels", self.panels)
        self.addCleanup(server.end)  # after the page has stopped asking it
        self.browser.open(url=f"http://{server.host}/")
        self.wait("document.querySelectorAll('tbody tr').length === 1")
        self.assertFalse([each for each in self.browser.asked() if "/panels/" in each])

    def test_the_example_keeps_to_the_types(self):
        run(WEB / "node_modules" / ".bin" / "tsc", "-p", EXAMPLE / "jsconfig.json")
        wrong = self.folder / "wrong"
        shutil.copytree(EXAMPLE / "battery", wrong / "battery")
        text = (wrong / "battery" / "panel.js").read_text()
        text = text.replace("../../../web", str(WEB)).replace("version: 1,", "version: 0,")
        (wrong / "battery" / "panel.js").write_text(text)
        shutil.copy(EXAMPLE / "jsconfig.json", wrong)
        with self.assertRaises(Exception):
            run(WEB / "node_modules" / ".bin" / "tsc", "-p", wrong / "jsconfig.json")

    def tearDown(self):
        """What is broken on purpose is on the console, too, for the author of the panel."""
        expected = ("The panel plot is left out", "no place", "<b>no</b>", "properties of null",
                    "nowhere.js")
        said = [each for each in self.browser.said() if not any(x in each for x in expected)]
        self.assertEqual(said, [])


if __name__ == "__main__":
    peers.main()
