#!/usr/bin/env python3
"""Thumbnails, compared with the pixels that `kitbag cat` prints."""

import base64
import io
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import InFolder  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag, need  # noqa: E402
from png_file import read_png  # noqa: E402

try:
    from PIL import Image
except ImportError:
    Image = None

DEMO = "demo://?seconds=2&seed=3"
TOPIC = "/camera/image"
WIDTH, HEIGHT = 160, 120  # of the demo's images


def raw_image(width, height, data, **more):
    return json.dumps({"width": width, "height": height, "encoding": "mono8", "step": width,
                       "data": base64.b64encode(data).decode(), **more}).encode()


def seconds(ns):
    return f"{ns // 10**9}.{ns % 10**9:09}"


def averages(pixels, factor):
    """RGB pixels of the demo's size, scaled down."""
    small = []
    for y in range(0, HEIGHT, factor):
        for x in range(0, WIDTH, factor):
            for channel in range(3):
                values = [pixels[3 * ((y + dy) * WIDTH + x + dx) + channel]
                          for dy in range(factor) for dx in range(factor)]
                small.append((2 * sum(values) + len(values)) // (2 * len(values)))
    return bytes(small)


class ThumbnailTest(InFolder):
    options = ("--allow-origin", "https://page.example")

    @classmethod
    def fill(cls):
        for encoding in "ros1", "cdr", "json", "protobuf":
            kitbag("convert", DEMO, cls.folder / f"{encoding}.mcap", "--encoding", encoding,
                   "--topics", TOPIC, "/odom")
        kitbag("convert", DEMO, cls.folder / "r.bag")
        kitbag("convert", DEMO, cls.folder / "c.db3", "--encoding", "cdr", "--topics", TOPIC)
        lines = kitbag("cat", cls.folder / "ros1.mcap", "--topics", TOPIC).splitlines()
        cls.images = [(row["log_time_ns"], base64.b64decode(row["data"]["data"]))
                      for row in map(json.loads, lines)]
        file = McapFile(cls.folder / "odd.mcap")
        raw = file.channel("/raw", "json", "foxglove.RawImage")
        video = file.channel("/video", "json", "foxglove.CompressedVideo")
        compressed = file.channel("/compressed", "json", "foxglove.CompressedImage")
        for second, content in enumerate((raw_image(2, 2, b"abcd"), raw_image(2, 2, b"abc"),
                                          raw_image(100_000, 100_000, b"abcd"),
                                          raw_image(2, 2, b"abcd", encoding="\x1b[2J"), b"{"), 1):
            file.message(raw, second * 10**9, content)
        file.message(video, 10**9, b'{"format":"h264","data":"AAAA"}')
        file.message(compressed, 10**9, b'{"format":"h264","data":"AAAA"}')
        file.close()
        cls.fill_compressed()

    @classmethod
    def fill_compressed(cls):
        """Pictures that another program has written, by topic, as it reads them itself."""
        cls.written = {}
        if not Image:
            return
        whole = Image.frombytes("RGB", (WIDTH, HEIGHT), cls.images[0][1])
        pictures = {
            "/jpeg": (whole, "JPEG", {}), "/fine": (whole, "JPEG", {"subsampling": 0}),
            "/progressive": (whole, "JPEG", {"progressive": True}),
            "/gray": (whole.convert("L"), "JPEG", {}), "/png": (whole, "PNG", {}),
            "/transparent": (whole.convert("RGBA"), "PNG", {}),
            "/palette": (whole.convert("P"), "PNG", {}), "/bits": (whole.convert("1"), "PNG", {}),
            "/gray_png": (whole.convert("L"), "PNG", {}),
            "/cmyk": (whole.convert("CMYK"), "JPEG", {}),
            "/gif": (whole, "GIF", {})}
        file = McapFile(cls.folder / "compressed.mcap")
        for topic, (image, format_, options) in pictures.items():
            content = io.BytesIO()
            image.save(content, format_, **options)
            cls.written[topic] = Image.open(io.BytesIO(content.getvalue()))
            channel = file.channel(topic, "json", "foxglove.CompressedImage")
            data = base64.b64encode(content.getvalue()).decode()
            file.message(channel, 10**9, json.dumps({"format": "x", "data": data}).encode())
        file.close()

    def ask(self, bag, query, **headers):
        return self.server.ask(f"/bags/{bag}/thumbnail?{query}", **headers)

    def picture(self, bag, query):
        """(width, height, bytes of a pixel, pixels), and the time of the picture in ns."""
        reply = self.ask(bag, f"format=png&{query}")
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(reply.headers["Content-Type"], "image/png")
        whole, _, fraction = reply.headers["Kitbag-Time"].partition(".")
        return read_png(reply.body), int(whole) * 10**9 + int(fraction)

    def test_every_format_and_encoding(self):
        time_ns, pixels = self.images[7]
        for bag in "ros1.mcap", "cdr.mcap", "json.mcap", "protobuf.mcap", "r.bag", "c.db3":
            with self.subTest(bag=bag):
                found, found_ns = self.picture(bag, f"topic={TOPIC}&time={seconds(time_ns)}")
                self.assertEqual(found, (WIDTH, HEIGHT, 3, pixels))
                self.assertEqual(found_ns, time_ns)

    def test_the_last_one_at_or_before_the_time(self):
        times = [time_ns for time_ns, _ in self.images]
        for asked, index in ((times[0] - 10**9, 0), (times[0], 0), (times[5], 5),
                             (times[5] + 1, 5), (times[6] - 1, 5), (times[-1] + 10**12, -1)):
            found, found_ns = self.picture("ros1.mcap", f"topic={TOPIC}&time={seconds(asked)}")
            self.assertEqual(found_ns, times[index])
            self.assertEqual(found[3], self.images[index][1])
        self.assertEqual(self.picture("ros1.mcap", f"topic={TOPIC}")[1], times[0])

    def test_sizes(self):
        pixels = self.images[0][1]
        for query, factor in (("width=80", 2), ("height=60", 2), ("width=40&height=120", 4),
                              ("width=160&height=30", 4), ("width=20", 8)):
            found, _ = self.picture("ros1.mcap", f"topic={TOPIC}&{query}")
            self.assertEqual(found[:3], (WIDTH // factor, HEIGHT // factor, 3))
            self.assertEqual(found[3], averages(pixels, factor), query)
        for query in "width=4096", "height=4096":
            self.assertEqual(self.picture("ros1.mcap", f"topic={TOPIC}&{query}")[0][:2],
                             (WIDTH, HEIGHT))

    def test_jpeg(self):
        need(Image, "python3-pil is not installed")
        for query in "", "&format=jpeg":
            reply = self.ask("ros1.mcap", f"topic={TOPIC}&width=80{query}")
            self.assertEqual(reply.headers["Content-Type"], "image/jpeg")
            image = Image.open(io.BytesIO(reply.body))
            self.assertEqual((image.format, image.mode, image.size), ("JPEG", "RGB", (80, 60)))
            expected = averages(self.images[0][1], 2)
            errors = [abs(a - b) for a, b in zip(image.tobytes(), expected)]
            self.assertEqual(len(errors), len(expected))
            self.assertLess(sum(errors) / len(errors), 3)
            self.assertLess(len(reply.body), 4000)

    def test_compressed_images_of_another_program(self):
        need(Image, "python3-pil is not installed")
        refused = {"/cmyk": "Unsupported color conversion", "/gif": "neither a JPEG nor a PNG"}
        for topic, image in self.written.items():
            with self.subTest(topic=topic):
                if topic in refused:
                    reply = self.ask("compressed.mcap", f"topic={topic}")
                    self.assertEqual(reply.status, 400)
                    self.assertIn(refused[topic], reply.json()["error"])
                    continue
                found, _ = self.picture("compressed.mcap", f"topic={topic}&width=4096")
                mode = "L" if image.mode in ("L", "1") else "RGB"
                self.assertEqual(found[:3], (WIDTH, HEIGHT, len(mode)))
                self.assertEqual(found[3], image.convert(mode).tobytes())

    def test_what_is_asked_wrongly(self):
        for query in ("", "topic=", "topic=/none", "topic=/odom", f"topic={TOPIC}&time=now",
                      f"topic={TOPIC}&width=0", f"topic={TOPIC}&width=4097",
                      f"topic={TOPIC}&height=-1", f"topic={TOPIC}&format=gif",
                      f"topic={TOPIC}&x=1", "topic=/camera/*"):
            reply = self.ask("ros1.mcap", query)
            self.assertEqual((reply.status, list(reply.json())), (400, ["error"]), query)
        self.assertIn(f"similar topics with pictures: {TOPIC}",
                      self.ask("ros1.mcap", "topic=/camera/imge").json()["error"])
        self.assertIn(f"topics with pictures: {TOPIC}",
                      self.ask("ros1.mcap", "topic=/odom").json()["error"])

    def test_pictures_that_are_none(self):
        self.assertEqual(self.picture("odd.mcap", "topic=/raw&time=1")[0], (2, 2, 1, b"abcd"))
        for second, status, sentence in ((2, 400, "4 bytes, and there are 3"),
                                         (3, 413, "100000 x 100000 is too large"),
                                         (4, 400, "is not known"), (5, 400, "/raw at 1970")):
            reply = self.ask("odd.mcap", f"topic=/raw&time={second}")
            self.assertEqual(reply.status, status)
            self.assertIn(sentence, reply.json()["error"])
            self.assertNotIn("\x1b", reply.json()["error"])
        for topic, sentence in (("/video", "no key frame"), ("/compressed", "no key frame")):
            reply = self.ask("odd.mcap", f"topic={topic}")
            self.assertEqual(reply.status, 400)
            self.assertIn(sentence, reply.json()["error"])

    def test_it_may_be_kept_by_its_client(self):
        first = self.ask("ros1.mcap", f"topic={TOPIC}")
        self.assertEqual(first.headers["Cache-Control"], "public, max-age=2592000")
        again = self.ask("ros1.mcap", f"topic={TOPIC}", if_none_match=first.headers["ETag"])
        self.assertEqual((again.status, again.body), (304, b""))
        head = self.ask("ros1.mcap", f"topic={TOPIC}", method="HEAD")
        self.assertEqual((head.status, head.body), (200, b""))
        self.assertEqual(head.headers["Kitbag-Time"], first.headers["Kitbag-Time"])
        self.assertEqual(int(head.headers["Content-Length"]), len(first.body))

    def test_pages_of_other_origins_see_the_time(self):
        reply = self.ask("ros1.mcap", f"topic={TOPIC}", origin="https://page.example")
        exposed = reply.headers["Access-Control-Expose-Headers"].split(", ")
        self.assertIn("Kitbag-Time", exposed)


if __name__ == "__main__":
    peers.main()
