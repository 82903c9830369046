#!/usr/bin/env python3
"""The image panel and what a camera has seen: every pixel is the one that Pillow or NumPy makes of
the message, as the real rosbag has written and read it, at several times and in both directions.

No real bag here has pictures; those of a real depth camera are in the clouds of one."""

import base64
import io
import struct
import sys
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import cat  # noqa: E402
from browser import pictures  # noqa: E402
from page import TIME, OwnBagsTest, js  # noqa: E402
from peers import REAL_BAGS, kitbag, need, need_data  # noqa: E402
from ros1 import Recorder, need_rosbag, rosbag  # noqa: E402

try:
    import numpy
    from PIL import Image
    from sensor_msgs import msg as sensor
except ImportError:
    Image = None

CLOUDS = REAL_BAGS / "v1.2_ccny-ros-pkg-pbouffard_demo_ac7c3601.bag"
ROW = 176  # pixels of the camera; the clouds lack a few of them
WIDTH, HEIGHT = 175, 143  # an odd width, for pairs of pixels
RAW = "rgb8", "bgr8", "mono8", "mono16", "32FC1", "yuv422"
PACKED = "jpeg", "jpeg_420", "jpeg_grey", "png", "png_palette", "compressed_depth"
# Keys, and which message is shown then: the clouds come at 0, 1.7, 3 and 4 s.
WAY = (["Home"], 0), (["Shift+ArrowRight"] * 2, 1), (["Shift+ArrowRight"], 2), (["End"], 3), \
      (["Shift+ArrowLeft"] * 2, 1), (["Shift+ArrowLeft"], 0)
PIXELS = """((canvas) => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  let text = "";
  for (let i = 0; i < data.length; i += 8192) {
    text += String.fromCharCode(...data.subarray(i, i + 8192));
  }
  return [canvas.width, canvas.height, btoa(text)];
})(document.querySelector('canvas[aria-label="Picture of %s"]'))"""


def file_of(picture, kind, **options):
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def yuv422(rgb):
    """U, Y, V, Y of pairs of pixels; the last pixel of an odd row is a pair with itself."""
    y, u, v = numpy.moveaxis(numpy.array(Image.fromarray(rgb).convert("YCbCr")), 2, 0)
    pairs = (WIDTH + 1) // 2
    packed = numpy.zeros((HEIGHT, pairs, 4), "uint8")
    packed[:, :, 0], packed[:, :, 1], packed[:, :, 2] = u[:, ::2], y[:, ::2], v[:, ::2]
    packed[:, :WIDTH // 2, 3] = y[:, 1::2]
    return packed


def messages(cloud):
    """{topic: message} of a cloud of the camera."""
    def grid(values):
        return numpy.array(values[:ROW * HEIGHT]).reshape(HEIGHT, ROW)[:, :WIDTH]
    depth = grid([float(point["z"]) for point in cloud["points"]]).astype("float32")
    intensity, confidence = (grid(each["values"]).astype("uint8") for each in cloud["channels"])
    rgb = numpy.dstack([intensity, confidence, (depth * 25).astype("uint8")])
    mm = (depth * 1000).astype("uint16")
    raw = {"rgb8": rgb, "bgr8": rgb[::-1, :, ::-1], "mono8": intensity,
           "mono16": mm.astype(">u2"), "32FC1": depth, "yuv422": yuv422(rgb)}
    picture = Image.fromarray(rgb)
    png16 = file_of(Image.fromarray(mm), "PNG")
    packed = {
        "jpeg": ("rgb8; jpeg compressed bgr8", file_of(picture, "JPEG", quality=90, subsampling=0)),
        "jpeg_420": ("jpeg", file_of(picture, "JPEG", quality=80, subsampling=2,
                                     progressive=True)),
        "jpeg_grey": ("mono8; jpeg compressed ", file_of(Image.fromarray(intensity), "JPEG")),
        "png": ("rgb8; png compressed bgr8", file_of(picture, "PNG")),
        "png_palette": ("png", file_of(picture.quantize(64), "PNG")),
        "compressed_depth": ("16UC1; compressedDepth png", struct.pack("<iff", 0, 0, 0) + png16)}
    made = {}
    for encoding, pixels in raw.items():
        message = sensor.Image(width=WIDTH, height=HEIGHT, encoding=encoding)
        message.is_bigendian = encoding == "mono16"
        padding = 3 if encoding == "rgb8" else 0  # cameras align their rows
        rows = numpy.ascontiguousarray(pixels).view("uint8").reshape(HEIGHT, -1)
        message.step = rows.shape[1] + padding
        message.data = b"".join(row.tobytes() + bytes(padding) for row in rows)
        made[f"/{encoding}"] = message
    for name, (format_, data) in packed.items():
        made[f"/{name}"] = sensor.CompressedImage(format=format_, data=data)
    return made


def grey(numbers, none=None):
    """What numbers are as grey from the least to the greatest; black without one."""
    numbers = numbers.astype("float64")
    known = numpy.ones(numbers.shape, bool) if none is None else numbers != none
    low, high = numbers[known].min(), numbers[known].max()
    return numpy.where(known, numpy.floor((numbers - low) * 255 / (high - low) + 0.5), 0)


def decoded(topic, message):
    """(Pixels that a message shows, how much a pixel may differ)"""
    data = bytes(message.data)
    if topic == "/compressed_depth":
        return grey(numpy.array(Image.open(io.BytesIO(data[12:]))), none=0), 0
    if topic[1:] in PACKED:
        # Chromium and Pillow may have different versions of the same decoder.
        allowed = 2 if topic.startswith("/jpeg") else 0
        return numpy.array(Image.open(io.BytesIO(data)).convert("RGB")), allowed
    rows = numpy.frombuffer(data, "uint8").reshape(message.height, message.step)
    wide = rows[:, :message.width * {"rgb8": 3, "bgr8": 3, "mono8": 1, "mono16": 2, "32FC1": 4}.get(
        message.encoding, 0) or None]
    if message.encoding in ("rgb8", "bgr8"):
        pixels = wide.reshape(message.height, message.width, 3)
        return (pixels if message.encoding == "rgb8" else pixels[:, :, ::-1]), 0
    if message.encoding == "yuv422":
        u, y0, v, y1 = numpy.moveaxis(wide.reshape(message.height, -1, 4).astype("float64"), 2, 0)
        y = numpy.dstack([y0, y1]).reshape(message.height, -1) - 16
        u, v = (numpy.repeat(each, 2, axis=1) - 128 for each in (u, v))
        # BT.601 of luma from 16 to 235, as ITU-R writes it.
        rgb = numpy.dstack([y * 255 / 219 + v * 1.402 * 255 / 224,
                            y * 255 / 219 - (u * 0.344136 + v * 0.714136) * 255 / 224,
                            y * 255 / 219 + u * 1.772 * 255 / 224])
        return numpy.clip(rgb, 0, 255)[:, :message.width], 1.5
    kind = {"mono8": "u1", "mono16": ">u2", "32FC1": "<f4"}[message.encoding]
    numbers = numpy.ascontiguousarray(wide).view(kind)
    return (numbers if message.encoding == "mono8" else grey(numbers)), 0


class Camera(OwnBagsTest):
    @classmethod
    def setUpClass(cls):
        need_data(CLOUDS)
        need_rosbag()
        need(Image, "no Pillow, NumPy or python3-sensor-msgs")
        super().setUpClass()

    @classmethod
    def fill(cls):
        bag = cls.folder / "camera.bag"
        with Recorder(bag, compression="bz2") as recorder:
            for _, ns, cloud in cat(CLOUDS):
                for topic, message in messages(cloud).items():
                    recorder.write(topic, message, ns)
        kitbag("convert", bag, cls.folder / "camera.mcap", "--encoding", "cdr")
        cls.rows = {}  # {topic: [(seconds, message)]}, as rosbag reads them
        for topic, message, time in rosbag.Bag(str(bag)).read_messages():
            rows = cls.rows.setdefault(topic, [])
            start = rows[0][2] if rows else time
            rows.append(((time - start).to_sec(), message, start))

    def check_pixels(self, topic, nth):
        time, message, _ = self.rows[topic][nth]
        box = f"""document.querySelector('canvas[aria-label="Picture of {topic}"]')"""
        self.wait(f"Math.abs({box}?.closest('.image').dataset.time - {time}) < 1e-6")
        width, height, data = self.see(PIXELS % topic)
        self.assertEqual((width, height), (WIDTH, HEIGHT))
        shown = numpy.frombuffer(base64.b64decode(data), "uint8").reshape(height, width, 4)
        wanted, allowed = decoded(topic, message)
        if wanted.ndim == 2:
            wanted = numpy.dstack([wanted] * 3)
        off = numpy.abs(shown[:, :, :3].astype("float64") - wanted).max()
        self.assertLessEqual(off, allowed, (topic, nth))
        self.assertEqual(shown[:, :, 3].min(), 255)
        return shown

    def check_page(self, bag, names):
        places = "".join("&panel=" + quote(f"image /{name} map=grey" if name in (
            "mono16", "32FC1", "compressed_depth") else f"image /{name}") for name in names)
        rows = "&layout=1.c500-500.r333-333-333.t1.t1.t1.r333-333-333.t1.t1.t1"
        self.browser.open(url=f"{self.root}?bag={bag}&t=0{places}{rows}")
        self.wait("document.querySelectorAll('canvas.picture').length === 6")
        seen = set()
        for keys, nth in WAY:
            before = self.see(TIME)
            for key in keys:
                self.browser.press(key=key)
            self.wait(f"{TIME} !== {before} || {nth} === 0")
            for name in names:
                seen.add(self.check_pixels(f"/{name}", nth).tobytes())
        self.assertEqual(len(seen), 4 * len(names))  # no two pictures are the same

    def test_raw_pictures(self):
        for bag in "camera.bag", "camera.mcap":
            with self.subTest(bag=bag):
                self.check_page(bag, RAW)
        self.browser.picture(to=str(pictures() / "image-camera-raw.png"))

    def test_compressed_pictures(self):
        for bag in "camera.bag", "camera.mcap":
            with self.subTest(bag=bag):
                self.check_page(bag, PACKED)
        self.browser.picture(to=str(pictures() / "image-camera-compressed.png"))

    def test_numbers_under_the_pointer(self):
        depth = numpy.frombuffer(self.rows["/32FC1"][2][1].data, "<f4").reshape(HEIGHT, WIDTH)
        mm = numpy.array(Image.open(io.BytesIO(bytes(
            self.rows["/compressed_depth"][2][1].data)[12:])))
        for topic, numbers, unit in ("/32FC1", depth, ""), ("/compressed_depth", mm, " mm"):
            place = quote(f"image {topic}")
            self.browser.open(url=f"{self.root}?bag=camera.bag&t=3.5&panel={place}")
            self.wait_shown(topic, 2)
            box, stage = (self.see(f"(({{left, top, width}}) => [left, top, width])({js(on)}"
                                   ".getBoundingClientRect())")
                          for on in (".image canvas.picture", ".stage"))
            scale = box[2] / WIDTH
            for x, y in (0, 0), (100, 60), (WIDTH - 1, HEIGHT - 1):
                self.browser.click(on=".stage", x=box[0] - stage[0] + (x + 0.5) * scale,
                                   y=box[1] - stage[1] + (y + 0.5) * scale)
                self.wait(f"{js('.image output')}.innerText.startsWith('{x}, {y}:')")
                said = self.see(f"{js('.image output')}.innerText").split(": ")[1]
                self.assertEqual(said[len(said) - len(unit):], unit)
                self.assertAlmostEqual(float(said.split()[0]), float(numbers[y, x]), 5)

    def wait_shown(self, topic, nth):
        self.wait(f"Math.abs({js('.image')}?.dataset.time - {self.rows[topic][nth][0]}) < 1e-6")


if __name__ == "__main__":
    peers.main()
