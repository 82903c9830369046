#!/usr/bin/env python3
"""Video on a page that is no secure context, in a real Chromium: frames that the server decodes."""

import socket
import struct
import sys
from pathlib import Path
from urllib.parse import unquote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from browser import pictures  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from page import PageTest, js  # noqa: E402
from peers import kitbag, need, program  # noqa: E402
from server import Server  # noqa: E402
from videos import FRAMES, HEIGHT, WIDTH, videos  # noqa: E402

START = 1_700_000_000 * 10**9
STEP = 10**8
VIDEO = ("foxglove_msgs/CompressedVideo", "ros1msg", "string format\nuint8[] data\n")
IMAGE = ("sensor_msgs/CompressedImage", *VIDEO[1:])
PACKET = ("ffmpeg_image_transport_msgs/FFMPEGPacket", "ros1msg", "string encoding\nuint8[] data\n")
WHY = "Browsers decode video only on pages that come by HTTPS or from 127.0.0.1"
NAME = "robot.test"  # which Chromium finds at 127.0.0.1 (web/test/browser.mjs)


def text(value):
    return struct.pack("<I", len(value)) + value


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class ServerVideo(PageTest):
    @classmethod
    def write_bags(cls):
        need((Path(program()).resolve().parent / "plugins/video_libav.so").exists(),
             "libavcodec-dev and libswscale-dev are not installed")
        for format_, frames in videos().items():
            file = McapFile(cls.folder / f"{format_}.mcap")
            channel = file.channel("/video", "ros1", *VIDEO)
            for i, frame in enumerate(frames):
                file.message(channel, START + i * STEP, text(format_.encode()) + text(frame))
            file.close()
        for name, type_, format_ in ("image", IMAGE, b"hevc"), ("packet", PACKET, b"hevc_nvenc"):
            file = McapFile(cls.folder / f"{name}.mcap")
            channel = file.channel("/video", "ros1", *type_)
            for i, frame in enumerate(videos()["h265"]):
                file.message(channel, START + i * STEP, text(format_) + text(frame))
            file.close()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        port = free_port()
        cls.open_server = Server(cls.folder, "--public-url", f"http://{NAME}:{port}", port=port)
        cls.addClassCleanup(cls.open_server.end)
        cls.insecure = f"http://{NAME}:{port}/"

    def show(self, bag, time, root=None):
        self.browser.open(url=f"{root or self.insecure}?bag={bag}&t={time}&panel=image+/video")

    def check_frame(self, frame):
        self.wait(f"Math.abs({js('.image')}?.dataset.time - {frame / 10}) < 1e-5")
        canvas = js(".image canvas")
        self.assertEqual(self.see(f"[{canvas}.width, {canvas}.height]"), [WIDTH, HEIGHT])
        pixel = self.see("(() => { const copy = new OffscreenCanvas(1, 1).getContext('2d');"
                         f"copy.drawImage({canvas}, -32, -24);"
                         "return [...copy.getImageData(0, 0, 1, 1).data]; })()")[:3]
        for channel in pixel:
            self.assertLess(abs(channel - frame * 20), 5, (pixel, frame))

    def test_every_format(self):
        for format_ in videos():
            with self.subTest(format=format_):
                self.show(f"{format_}.mcap", 0.81)
                self.check_frame(8)
                self.assertFalse(self.see("isSecureContext"))
                self.assertEqual(self.see(f"{js('.image .note.source')}.innerText"),
                                 f"Decoded by the server. {WHY}.")

    def test_steps_and_seeks(self):
        self.show("h264.mcap", 0.41)
        self.check_frame(4)
        for frame in 5, 6, 7:
            self.browser.press(key="ArrowRight")
            self.check_frame(frame)
        for frame in 6, 5, 4:
            self.browser.press(key="ArrowLeft")
            self.check_frame(frame)

    def test_playing_asks_for_one_frame_at_a_time(self):
        self.show("h264.mcap", 0)
        self.check_frame(0)
        self.see("(() => { const { fetch } = window; window.most_ = 0; let now = 0;"
                 "window.fetch = (url, options) => {"
                 "  const answer = fetch(url, options);"
                 "  if (!String(url).includes('/thumbnail')) return answer;"
                 "  window.most_ = Math.max(window.most_, ++now);"
                 "  return answer.finally(() => --now); }; })()")
        self.browser.press(key="Space")
        self.check_frame(FRAMES - 1)
        self.assertEqual(self.see("window.most_"), 1)

    def test_a_secure_page_decodes_itself(self):
        self.show("vp9.mcap", 0.81, self.root)
        self.wait(f"Math.abs({js('.image')}?.dataset.time - 0.8) < 1e-5")
        self.assertTrue(self.see("isSecureContext"))
        self.assertIsNone(self.see(js(".image .note.source")))

    def test_a_format_that_the_browser_does_not_have(self):
        """H.265 in most builds of Chromium."""
        for bag in "h265.mcap", "image.mcap", "packet.mcap":
            with self.subTest(bag=bag):
                self.show(bag, 0.81, self.root)
                self.check_frame(8)
                note = self.see(f"{js('.image .note.source')}?.innerText") or ""
                self.assertIn(note[:note.find(" (")], (
                    "", "Decoded by the server. This browser has no decoder for h265"))

    def test_the_list_has_its_picture(self):
        self.browser.open(url=self.insecure)
        canvases = "[...document.querySelectorAll('canvas[aria-label*=\"/video\"]')]"
        self.wait(f"{canvases}.length === {len(videos()) + 2}")
        sizes = self.see(f"{canvases}.map(({{width, height}}) => [width, height])")
        self.assertEqual(sizes, [[WIDTH, HEIGHT]] * len(sizes))

    def test_pictures(self):
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.browser.window(**window)
            self.show("h264.mcap", 0.81)
            self.check_frame(8)
            self.browser.picture(to=str(pictures() / f"video-{name}.png"))

    def test_a_local_file_has_no_server(self):
        here = self.folder / "not served"
        here.mkdir()
        kitbag("convert", self.folder / "h264.mcap", here / "mine.mcap")
        self.browser.open(url=self.insecure)
        self.browser.choose(on="input[type=file]", file=str(here / "mine.mcap"))
        self.wait(f"/does not have/.test({js('.image .missing')}?.innerText)")
        self.assertEqual(self.see(f"{js('.image .missing')}.innerText"),
                         f"{WHY}, and the server gives no picture: it does not have this file")
        # The list has asked for the pictures of its own bags.
        served = tuple(f"{self.insecure}bags/{bag['filename']}/" for bag in self.server.list())
        self.assertFalse([url for url in self.browser.asked()
                          if "thumbnail?topic" in url and not unquote(url).startswith(served)])


if __name__ == "__main__":
    peers.main()
