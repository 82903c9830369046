#!/usr/bin/env python3
"""What a person chooses behind the gear of a panel, in a real Chromium: the columns of a table, and
how an image is coloured. What is shown then is what the bag says, and stands in the URL."""

import struct
import sys
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from page import PageTest, js  # noqa: E402

START = 1_700_000_000 * 10**9
IMAGE = ("uint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\n"
         "uint8[] data\n")
INFO = "uint32 height\nuint32 width\nstring distortion_model\nfloat64[] D\nfloat64[9] K\n"
NUMBERS = [0, 1000, 2000, 4000]
VIOLET, YELLOW = [0x44, 0x01, 0x54], [0xfd, 0xe7, 0x25]  # the ends of viridis
HEADS = "[...document.querySelectorAll('.messages .head span')].map(each => each.innerText)"
CELLS = "[...document.querySelectorAll('.messages .row.current span')].map(each => each.innerText)"


def text(value):
    return struct.pack("<I", len(value)) + value


class Options(PageTest):
    @classmethod
    def write_bags(cls):
        file = McapFile(cls.folder / "depth.mcap")
        image = file.channel("/depth/image", "ros1", "sensor_msgs/Image", "ros1msg", IMAGE)
        info = file.channel("/depth/camera_info", "ros1", "sensor_msgs/CameraInfo", "ros1msg", INFO)
        file.message(image, START, struct.pack("<II", 1, 4) + text(b"16UC1") +
                     struct.pack("<BI", 0, 8) + text(struct.pack("<4H", *NUMBERS)))
        file.message(info, START, struct.pack("<II", 1, 4) + text(b"plumb_bob") +
                     struct.pack("<I", 0) + struct.pack("<9d", 50, 0, 2, 0, 50, 0.5, 0, 0, 1))
        file.close()

    def open_options(self, bag, place, of):
        self.browser.open(url=f"{self.root}?bag={bag}&t=0&panel={place}")
        self.browser.click(on=f'[aria-label="Options of {of}"]')

    def settings(self):
        """Of the panel, as the URL has them."""
        panel = parse_qs(urlsplit(self.browser.url()).query)["panel"][0]
        parts = [unquote(part) for part in panel.split(" ")]
        return dict(part.split("=", 1) for part in parts if "=" in part)

    def test_columns_of_a_table(self):
        self.open_options("demo.bag", "table+/battery", "/battery")
        self.wait(f"{HEADS}.includes('voltage')")
        usual = self.see(HEADS)
        self.assertFalse([each for each in usual if each.startswith("header")])
        self.seek(7.3)
        _, battery = self.last_before("/battery", 7.3, self.demo)
        names = [each.strip() for each in self.browser.texts(on=".table-options label")]
        self.assertEqual([each for each in names if each in battery],
                         [each for each in battery if each in names])  # in their order
        checked = self.see("[...document.querySelectorAll('.table-options input')]"
                           ".map(each => each.checked)")
        for at, (name, is_checked) in enumerate(zip(names, checked)):
            if is_checked != (name in ("percentage", "location", "header.seq")):
                self.browser.click(on=f".table-options input >> nth={at}")
        wanted = [name for name in names if name in ("percentage", "location", "header.seq")]
        self.wait(f"{HEADS}.length === 4")
        self.assertEqual([each.split(".")[-1] for each in self.see(HEADS)[1:]],
                         [each.split(".")[-1] for each in wanted])
        values = {"percentage": f"{battery['percentage']:.7g}", "location": battery["location"],
                  "header.seq": str(battery["header"]["seq"])}
        self.wait(f"{CELLS}.slice(1).join('|') === '{'|'.join(values[each] for each in wanted)}'")
        self.wait("location.search.includes('columns')")
        self.assertEqual(self.settings()["columns"].split("\n"), wanted)
        self.browser.click(on="text=The usual columns")
        self.wait(f"{HEADS}.join() === '{','.join(usual)}'")
        self.wait("!location.search.includes('columns')")

    def pixels(self):
        canvas = js(".image canvas")
        return self.see(f"(() => {{ const copy = new OffscreenCanvas(4, 1).getContext('2d');"
                        f"copy.drawImage({canvas}, 0, 0); const {{ data }} ="
                        "copy.getImageData(0, 0, 4, 1); return [0, 4, 8, 12].map("
                        "(at) => [...data.slice(at, at + 3)]); })()")

    def become(self, wanted):
        """Waits until the pixels are those."""
        for _ in range(200):
            if self.pixels() == wanted:
                return
        self.assertEqual(self.pixels(), wanted)

    def enter(self, label, value):
        on = f".image-options label:has-text('{label}') input"
        self.browser.fill(on=on, text=value)
        self.browser.press(key="Tab")

    def test_colours_of_an_image(self):
        self.open_options("depth.mcap", "image+/depth/image", "/depth/image")
        self.wait(f"{js('.image')}?.dataset.time")
        self.browser.select(on=".image-options select", value="grey")
        self.enter("Least number", "1000")
        self.enter("Greatest number", "2000")
        self.become([[0] * 3, [0] * 3, [255] * 3, [255] * 3])
        self.enter("Greatest number", "4000")
        self.become([[0] * 3, [0] * 3, [85] * 3, [255] * 3])
        self.browser.select(on=".image-options select", value="viridis")
        self.wait("location.search.includes('viridis')")
        self.assertEqual(self.settings(), {"map": "viridis", "low": "1000", "high": "4000"})
        self.assertEqual(self.see(f"{js('.scale')}.innerText").split(), ["1000", "4000"])
        self.assertEqual(self.pixels()[1], VIOLET)
        self.assertEqual(self.pixels()[3], YELLOW)
        self.enter("Least number", "")  # that of the picture: 0 is no value of a depth
        self.wait("!location.search.includes('low')")
        self.browser.click(on=".image-options label:has-text('Camera info') input")
        self.wait(f"{js('.info')}?.innerText.includes('c 2, 0.5 px')")
        self.assertEqual(self.settings()["info"], "on")


if __name__ == "__main__":
    peers.main()
