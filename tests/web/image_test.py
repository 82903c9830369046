#!/usr/bin/env python3
"""The image panel in a real Chromium: the pixels of each encoding, depth with its numbers, camera
info, and video: of each codec, and in each type of message."""

import base64
import struct
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from page import PageTest, js, panel  # noqa: E402
from peers import kitbag  # noqa: E402
from videos import videos  # noqa: E402

START = 1_700_000_000 * 10**9
STEP = 10**8
IMAGE = ("uint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\n"
         "uint8[] data\n")
COMPRESSED = "string format\nuint8[] data\n"
INFO = ("uint32 height\nuint32 width\nstring distortion_model\nfloat64[] D\nfloat64[9] K\n"
        "RegionOfInterest roi\n================\nMSG: sensor_msgs/RegionOfInterest\n"
        "uint32 x_offset\nuint32 y_offset\nuint32 height\nuint32 width\nbool do_rectify\n")
HEADER = "std_msgs/Header header\n"
OF_HEADER = f"{'=' * 80}\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n"
PACKET = (HEADER + "int32 width\nint32 height\nstring encoding\nuint64 pts\nuint8 flags\n"
          "bool is_bigendian\nuint8[] data\n" + OF_HEADER)
FRAMES = 12
KEYS = (0, 6)
WIDTH, HEIGHT = 64, 48
RAW = {  # encoding: (is_bigendian, step, data, what the two pixels are)
    "rgb8": (0, 7, bytes([1, 2, 3, 4, 5, 6, 0]), [[1, 2, 3], [4, 5, 6]]),
    "bgra8": (0, 8, bytes([3, 2, 1, 255, 6, 5, 4, 255]), [[1, 2, 3], [4, 5, 6]]),
    "mono8": (0, 2, bytes([9, 200]), [[9] * 3, [200] * 3]),
    "mono16": (1, 4, struct.pack(">HH", 1000, 3000), [[0] * 3, [255] * 3]),
    "rgb16": (1, 12, struct.pack(">6H", 256, 512, 768, 1024, 1280, 1536), [[1, 2, 3], [4, 5, 6]]),
    "yuv422_yuy2": (0, 4, bytes([81, 90, 81, 240]), [[254, 0, 0], [254, 0, 0]]),
    "bayer_rggb8": (0, 2, bytes([200, 100, 100, 50]), [[200, 100, 50], [200, 100, 50]]),
}


def text(value):
    return struct.pack("<I", len(value)) + value


def raw_image(encoding, width, height, step, data, is_bigendian=0):
    return (struct.pack("<II", height, width) + text(encoding.encode()) +
            struct.pack("<BI", is_bigendian, step) + text(data))


def depth_png(width, height, numbers):
    rows = b"".join(b"\0" + struct.pack(f">{width}H", *numbers[y * width:(y + 1) * width])
                    for y in range(height))

    def chunk(name, content):
        return (struct.pack(">I", len(content)) + name + content +
                struct.pack(">I", zlib.crc32(name + content)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 0, 0,
                                                              0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


ENCODE = """(async () => {
  const config = {codec: "%s", width: %d, height: %d, bitrate: 2e6, framerate: 10,
                  %s latencyMode: "realtime"};
  const {supported} = await VideoEncoder.isConfigSupported(config).catch(() => ({}));
  if (!supported) return null;
  const chunks = [];
  const encoder = new VideoEncoder({error: (why) => { throw why; }, output: (chunk) => {
    const data = new Uint8Array(chunk.byteLength);
    chunk.copyTo(data);
    chunks.push(btoa(String.fromCharCode(...data)));
  }});
  encoder.configure(config);
  const canvas = new OffscreenCanvas(config.width, config.height);
  const context = canvas.getContext("2d");
  for (let i = 0; i < %d; ++i) {
    context.fillStyle = `rgb(${i * 20}, ${i * 20}, ${i * 20})`;
    context.fillRect(0, 0, config.width, config.height);
    const frame = new VideoFrame(canvas, {timestamp: i * 1e5});
    encoder.encode(frame, {keyFrame: %s.includes(i)});
    frame.close();
  }
  await encoder.flush();
  return chunks;
})()"""


class Image(PageTest):
    def show(self, bag, topic, time=0.0, **settings):
        chosen = "".join(f"+{name}%3D{value}" for name, value in settings.items())
        self.listed(bag)
        self.browser.open(url=f"{self.root}?bag={bag}&t={time}&panel=image+{topic}{chosen}")
        self.wait(f"{js('.image')}?.dataset.time || ({js('.image .missing')} && "
                  f"!/^(Loading|No message)/.test({js('.image .missing')}.innerText))")

    def pixel(self, x, y):
        """From a copy: Chromium warns of canvases that are read again and again."""
        canvas = js(".image canvas")
        return self.see(f"(() => {{ const copy = new OffscreenCanvas(1, 1).getContext('2d');"
                        f"copy.drawImage({canvas}, {-x}, {-y});"
                        f"return [...copy.getImageData(0, 0, 1, 1).data]; }})()")[:3]

    def point(self, x, y):
        """Moves the pointer to a pixel of the picture; gives what the panel says of it."""
        box = self.see(f"(({{left, top, width}}) => [left, top, width / {js('.image canvas')}"
                       f".width])({js('.image canvas')}.getBoundingClientRect())")
        at = self.see(f"(({{left, top}}) => [left, top])({js('.stage')}.getBoundingClientRect())")
        self.browser.click(on=".stage", x=box[0] - at[0] + (x + 0.5) * box[2],
                           y=box[1] - at[1] + (y + 0.5) * box[2])
        self.wait(f"{js('.image output')}.innerText.startsWith('{x}, {y}:')")
        return self.see(f"{js('.image output')}.innerText").split(": ")[1]

    def test_raw_encodings(self):
        file = McapFile(self.folder / "raw.mcap")
        for encoding, (is_bigendian, step, data, _) in RAW.items():
            channel = file.channel(f"/{encoding}", "ros1", "sensor_msgs/Image", "ros1msg", IMAGE)
            height = len(data) // step if encoding.startswith("bayer") else 1
            if encoding.startswith("bayer"):
                height = 2
            payload = raw_image(encoding, 2, height, step, data, is_bigendian)
            file.message(channel, START, payload)
        bad = file.channel("/zbad", "ros1", "sensor_msgs/Image", "ros1msg", IMAGE)
        file.message(bad, START, raw_image("rgb8", 2, 4_000_000_000, 6, b"abc"))
        file.close()
        for encoding, (*_, wanted) in RAW.items():
            with self.subTest(encoding=encoding):
                self.show("raw.mcap", f"/{encoding}")
                self.assertEqual([self.pixel(0, 0), self.pixel(1, 0)], wanted)
        self.show("raw.mcap", "/zbad")
        self.assertIn("2 × 4000000000", self.see(f"{js('.image .missing')}.innerText"))
        self.show("raw.mcap", "/mono16", map="viridis", low=0, high=3000)
        self.assertEqual(self.pixel(1, 0)[2] < 60 < 200 < self.pixel(1, 0)[0], True)
        self.assertEqual(self.see(f"{js('.scale')}.innerText").split(), ["0", "3000"])
        self.assertEqual(self.point(0, 0), "1000")

    def test_depth(self):
        numbers = [0, 500, 1000, 2000, 1500, 65535]
        png = depth_png(3, 2, numbers)
        file = McapFile(self.folder / "depth.mcap")
        type_ = ("sensor_msgs/CompressedImage", "ros1msg", COMPRESSED)
        for topic, format_, header in (
                ("/mm", b"16UC1; compressedDepth png", bytes(12)),
                ("/m", b"32FC1; compressedDepth png", struct.pack("<iff", 0, 1000, 0))):
            channel = file.channel(topic, "ros1", *type_)
            file.message(channel, START, text(format_) + text(header + png))
        file.close()
        self.show("depth.mcap", "/mm", map="grey", high=2000)
        self.assertEqual(self.point(1, 1), "1500 mm")
        self.assertEqual(self.point(0, 0), "0 (no value)")
        self.assertEqual(self.pixel(0, 1), [255] * 3)  # the range begins at 500
        self.assertEqual(self.pixel(2, 0), [85] * 3)
        self.show("depth.mcap", "/m")
        self.assertEqual(self.point(1, 0), "2 m")
        self.assertEqual(self.point(0, 0), "NaN (no value)")

    def test_camera_info(self):
        file = McapFile(self.folder / "info.mcap")
        image = file.channel("/left/image", "ros1", "sensor_msgs/Image", "ros1msg", IMAGE)
        info = file.channel("/left/camera_info", "ros1", "sensor_msgs/CameraInfo", "ros1msg", INFO)
        file.message(image, START, raw_image("mono8", 40, 30, 40, bytes([128]) * 1200))
        k = [50, 0, 20, 0, 50, 15, 0, 0, 1]
        file.message(info, START, struct.pack("<II", 30, 40) + text(b"plumb_bob") +
                     struct.pack("<I", 0) + struct.pack("<9d", *k) +
                     struct.pack("<4IB", 5, 5, 20, 30, 1))
        file.close()
        self.show("info.mcap", "/left/image")
        self.assertEqual(self.drawn_over(20, 15), 0)
        self.show("info.mcap", "/left/image", info="on")
        self.wait(f"{js('.info')}?.innerText.includes('c 20, 15 px')")
        self.assertEqual(self.drawn_over(20, 15), 255)
        self.assertEqual(self.drawn_over(12, 22), 0)
        self.browser.picture(to=str(pictures() / "image-info.png"))

    def drawn_over(self, x, y):
        """Whether something is drawn over a pixel's corner: its alpha."""
        return self.see(f"(() => {{ const over = {js('canvas.over')};"
                        f"const box = {js('canvas.picture')}.getBoundingClientRect();"
                        "const all = over.getBoundingClientRect();"
                        f"const scale = box.width / {js('canvas.picture')}.width;"
                        "const copy = new OffscreenCanvas(1, 1).getContext('2d');"
                        f"copy.drawImage(over, -Math.round(box.left - all.left + {x} * scale),"
                        f"-Math.round(box.top - all.top + {y} * scale));"
                        "return copy.getImageData(0, 0, 1, 1).data[3]; })()")

    def test_zoom_and_what_is_under_the_pointer(self):
        self.show("demo.bag", "/camera/image", 5.0)
        time, image = self.last_before("/camera/image", 5.0, self.demo)
        self.assertAlmostEqual(float(self.see(f"{js('.image')}.dataset.time")), time, 6)
        data = base64.b64decode(image["data"])

        def wanted(x, y):
            at = y * image["step"] + x * 3
            rgb = list(data[at:at + 3])
            return rgb if image["encoding"] == "rgb8" else rgb[::-1]
        x, y = image["width"] // 3, image["height"] // 2
        self.assertEqual(self.pixel(x, y), wanted(x, y))
        self.assertEqual(self.point(x, y), " ".join(map(str, wanted(x, y))))
        width = f"{js('.image canvas')}.getBoundingClientRect().width"
        before = self.see(width)
        self.browser.wheel(on=".stage", at=0.5, by=-300)
        self.wait(f"{width} > {before} * 2")
        self.assertEqual(self.point(x, y), " ".join(map(str, wanted(x, y))))
        self.browser.click(on=".image [title='The whole picture']")
        self.wait(f"Math.abs({width} - {before}) < 1")
        self.see("(() => { HTMLAnchorElement.prototype.click = function () {"
                 "window.got_ = [this.download, this.href.slice(0, 5)]; }; })()")
        self.browser.click(on=".image [title^='Download']")
        self.wait("window.got_")
        self.assertEqual(self.see("window.got_"), [f"camera_image_{time:.3f}.png", "blob:"])

    def test_video(self):
        self.browser.open(url=self.root)
        shown = 0
        for format_, codec, more in (("vp9", "vp09.00.10.08", ""),
                                     ("h264", "avc1.42001f", "avc: {format: 'annexb'},"),
                                     ("av1", "av01.0.04M.08", "")):
            with self.subTest(format=format_):
                self.browser.open(url=self.root)
                chunks = self.see(ENCODE % (codec, WIDTH, HEIGHT, more, FRAMES, list(KEYS)))
                if chunks:
                    self.check_video(format_, [base64.b64decode(each) for each in chunks])
                    shown += 1
        self.assertGreater(shown, 0)

    def check_video(self, format_, chunks):
        bag = f"{format_}.mcap"
        file = McapFile(self.folder / bag)
        type_ = ("foxglove_msgs/CompressedVideo", "ros1msg", COMPRESSED)
        whole = file.channel("/video", "ros1", *type_)
        headless = file.channel("/without_key", "ros1", *type_)
        for i, chunk in enumerate(chunks):
            payload = text(format_.encode()) + text(chunk)
            file.message(whole, START + i * STEP, payload)
            if i > 0:
                file.message(headless, START + i * STEP, payload)
        file.close()
        for frame in (FRAMES - 1, 4):  # each is a new page, which begins at a key frame
            self.show(bag, "/video", frame / 10 + 0.01)
            self.check_frame(frame)
        for frame in 5, 6, 7:  # from frame to frame
            self.browser.press(key="ArrowRight")
            self.check_frame(frame)
        for frame in 6, 5:
            self.browser.press(key="ArrowLeft")
            self.check_frame(frame)
        self.show(bag, "/without_key", 0.31)
        self.assertIn("No key frame", self.see(f"{js('.image .missing')}.innerText"))

    def test_video_in_each_type_of_message(self):
        """A minute, with a frame in two seconds, and then none: what is shown at a time goes back
        to a key frame that is up to half a minute behind it."""
        file = McapFile(self.folder / "types1.mcap")
        image = file.channel("/compressed", "ros1", "sensor_msgs/CompressedImage", "ros1msg",
                             HEADER + COMPRESSED + OF_HEADER)
        packet = file.channel("/packet", "ros1", "ffmpeg_image_transport_msgs/FFMPEGPacket",
                              "ros1msg", PACKET)
        theora = file.channel("/theora", "ros1", "foxglove_msgs/CompressedVideo", "ros1msg",
                              COMPRESSED)
        tick = file.channel("/tick", "ros1", "std_msgs/Int32", "ros1msg", "int32 data\n")
        for i, frame in enumerate(videos()["h264"]):
            when = START + i * 20 * STEP
            header = struct.pack("<III", i, when // 10**9, when % 10**9) + text(b"camera")
            file.message(image, when, header + text(b"h264") + text(frame))
            file.message(packet, when, header + struct.pack("<ii", WIDTH, HEIGHT) +
                         text(b"libx264;yuv420p;bgr8;bgr8") + struct.pack("<QBB", i, 0, 0) +
                         text(frame))
            file.message(theora, when, text(b"theora") + text(frame))
        file.message(tick, START + 600 * STEP, struct.pack("<i", 0))
        file.close()
        kitbag("convert", self.folder / "types1.mcap", self.folder / "types2.mcap", "--encoding",
               "cdr")
        for bag, topic in ("types1.mcap", "/compressed"), ("types2.mcap", "/packet"):
            with self.subTest(bag=bag, topic=topic):
                self.check_film(bag, topic)
        self.browser.open(url=f"{self.root}?bag=local/types2.mcap&t=59&panel=image+/compressed")
        self.browser.choose(on="input[type=file]", file=str(self.folder / "types2.mcap"))
        self.check_frame(11, 22)
        # Of a recording that was split, the key frame is in the file before.
        split = ("--topics", "/compressed", "--no-key-frames")
        kitbag("cut", self.folder / "types1.mcap", "-o", self.folder / "part1.mcap", *split,
               "--end", "+15s")
        kitbag("cut", self.folder / "types1.mcap", "-o", self.folder / "part2.mcap", *split,
               "--start", "+15s")
        for part in "part1.mcap", "part2.mcap":
            self.listed(part)
        self.browser.open(url=f"{self.root}?bag=part1.mcap&bag=part2.mcap&t=21"
                              "&panel=image+/compressed")
        self.check_frame(10, 20)
        self.show("types1.mcap", "/theora", 3)
        self.assertEqual(self.see(f"{js('.image .missing')}.innerText"), 'Video in the format '
                         '"theora" cannot be shown, only h264, h265, vp9, av1')

    def check_film(self, bag, topic):
        self.show(bag, topic, 59)
        self.check_frame(11, 22)
        self.browser.press(key="Home")
        self.check_frame(0, 0)
        self.see("window.times_ = []; new MutationObserver(() => window.times_.push(Math.round("
                 f"{js('.image')}.dataset.time))).observe({js('.image')}, {{attributes: true}})")
        self.browser.press(key="Space")
        self.wait("window.times_.at(-1) >= 2")
        self.browser.press(key="Space")
        time = round(float(self.see(f"{js('.image')}.dataset.time")))
        self.check_frame(time // 2, time)
        self.browser.open(url=f"{self.root}?bag={bag}&t=11&panel=image+{topic}")
        self.check_frame(5, 10)
        for keys, frame in (["Shift+ArrowRight"], 6), (["Shift+ArrowRight"] * 2, 7), (
                ["Shift+ArrowLeft"] * 3, 5), (["End"], 11):
            for key in keys:
                self.browser.press(key=key)
            self.check_frame(frame, 2 * frame)
        self.assertEqual(self.browser.count(on=".image .missing"), 0)

    def check_frame(self, frame, time=None):
        time = frame / 10 if time is None else time
        self.wait(f"Math.abs({js('.image')}?.dataset.time - {time}) < 1e-5")
        for channel in self.pixel(WIDTH // 2, HEIGHT // 2):
            # What Chromium encodes as VP9 has the range of a screen but does not say so.
            wanted = frame * 20, min(255, max(0, (frame * 20 - 16) * 255 / 219))
            self.assertLess(min(abs(channel - each) for each in wanted), 6, (channel, frame))

    def test_pictures(self):
        for name, window in {"light": {}, "dark": {"dark": True},
                             "phone": {"width": 390, "height": 844}}.items():
            self.browser.window(**window)
            self.show("demo.bag", "/camera/image", 5.0, map="turbo")
            self.browser.click(on=".stage", x=150, y=100)
            self.browser.picture(to=str(pictures() / f"image-{name}.png"))
        self.assertEqual(self.browser.count(on=f"{panel('image')} .buttons button"), 4)
        self.assertEqual(len(cat(self.demo, "--topics", "/camera/image", "--count", "1")), 1)


if __name__ == "__main__":
    peers.main()
