#!/usr/bin/env python3
"""`kitbag export --format images`: Pillow reads every file, and its pixels are those of the
message; a JPEG or PNG of the bag is the same bytes."""

import csv
import io
import json
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import videos  # noqa: E402
from peers import kitbag as kitbag_program  # noqa: E402
from peers import main, need, program  # noqa: E402
from python_package import FolderTest, kitbag, make_demo  # noqa: E402

START = 1_700_000_000_123_456_789
VIDEO = {"title": "foxglove.CompressedVideo", "type": "object", "properties": {
    "timestamp": {"type": "object", "properties": {"sec": {"type": "integer"},
                                                   "nsec": {"type": "integer"}}},
    "frame_id": {"type": "string"}, "data": {"type": "string", "contentEncoding": "base64"},
    "format": {"type": "string"}}}


def name_of(ns, extension=".png"):
    return f"{ns // 10**9:010}.{ns % 10**9:09}{extension}"


class Images(FolderTest):
    modules = ("numpy", "PIL")

    def export(self, bag, *options, code=0):
        self.out = self.folder / "out"
        done = subprocess.run([program(), "export", bag, "-o", self.out, "--format", "images",
                               *map(str, options)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def bag(self, messages, type_="sensor_msgs/Image", name="x.bag"):
        """Messages of /camera, a nanosecond apart."""
        path = self.folder / name
        with kitbag.create(path, replace=True) as writer:
            for i, message in enumerate(messages):
                writer.write("/camera", message, START + i, type=type_)
        return path

    def raw(self, array, encoding, pad=0, is_big_endian=False):
        """sensor_msgs/Image of an array of numpy, with bytes of padding behind each row."""
        import numpy
        values = array.astype(array.dtype.newbyteorder(">" if is_big_endian else "<"))
        rows = numpy.ascontiguousarray(values).view(numpy.uint8).reshape(array.shape[0], -1)
        padded = numpy.pad(rows, ((0, 0), (0, pad)), constant_values=0xAA)
        return {"height": array.shape[0], "width": array.shape[1], "encoding": encoding,
                "step": padded.shape[1], "is_bigendian": int(is_big_endian),
                "data": padded.tobytes()}

    def pixels(self, name):
        import numpy
        from PIL import Image
        with Image.open(self.out / "camera" / name) as image:
            image.load()
            return image.mode, numpy.array(image)

    def test_every_message_of_a_camera(self):
        import numpy
        bag = make_demo(self.folder / "demo.bag", 1)
        done = self.export(bag, "--topics", "/camera/image")
        folder = self.out / "camera__image"
        self.assertEqual(done.stderr, "")
        self.assertIn(f"{folder}/: 10 messages of /camera/image in 11 files, ", done.stdout)
        rows = list(csv.DictReader((folder / "images.csv").open()))
        messages = list(kitbag.open(bag)["/camera/image"])
        self.assertEqual(len(messages), 10)
        self.assertEqual([row["file"] for row in rows], [name_of(m.time) for m in messages])
        self.assertEqual({each.name for each in folder.iterdir()},
                         {row["file"] for row in rows} | {"images.csv"})
        from PIL import Image
        for row, message in zip(rows, messages):
            with Image.open(folder / row["file"]) as image:
                self.assertTrue(numpy.array_equal(numpy.array(image), kitbag.image(message)))
                self.assertEqual((int(row["width"]), int(row["height"])), image.size)
            self.assertEqual(row["encoding"], "rgb8")

    def test_raw_encodings_keep_their_values(self):
        import numpy
        make = numpy.random.default_rng(7)
        bytes_, words = numpy.uint8, numpy.uint16
        cases = [  # encoding, dtype, channels, the order of the channels in the file, its mode
            ("mono8", bytes_, 1, None, "L"), ("8UC1", bytes_, 1, None, "L"),
            ("rgb8", bytes_, 3, [0, 1, 2], "RGB"), ("bgr8", bytes_, 3, [2, 1, 0], "RGB"),
            ("8UC3", bytes_, 3, [2, 1, 0], "RGB"), ("rgba8", bytes_, 4, [0, 1, 2, 3], "RGBA"),
            ("bgra8", bytes_, 4, [2, 1, 0, 3], "RGBA"), ("8UC4", bytes_, 4, [2, 1, 0, 3], "RGBA"),
            ("mono16", words, 1, None, "I"), ("16UC1", words, 1, None, "I")]
        arrays, messages = [], []
        for i, (encoding, dtype, channels, _, _) in enumerate(cases):
            shape = (5, 7) if channels == 1 else (5, 7, channels)
            arrays.append(make.integers(0, numpy.iinfo(dtype).max, shape, dtype, endpoint=True))
            messages.append(self.raw(arrays[-1], encoding, pad=i % 3, is_big_endian=i % 2 == 1))
        self.export(self.bag(messages))
        for i, (array, (encoding, _, _, order, mode)) in enumerate(zip(arrays, cases)):
            found_mode, found = self.pixels(name_of(START + i))
            self.assertTrue(found_mode.startswith(mode), (encoding, found_mode))
            expected = array if order is None else array[:, :, order]
            self.assertTrue(numpy.array_equal(found, expected), encoding)

    def test_colours_of_16_bits(self):
        """Pillow makes 8 bits of them, so this reads the rows; each has the filter "left"."""
        import zlib

        import numpy
        array = numpy.random.default_rng(7).integers(0, 65536, (3, 4, 3), numpy.uint16)
        self.export(self.bag([self.raw(array, "bgr16")]))
        file = (self.out / "camera" / name_of(START)).read_bytes()
        self.assertEqual(struct.unpack(">IIBB", file[16:26]), (4, 3, 16, 2))
        at, packed = 8, b""
        while at < len(file):
            size, kind = struct.unpack_from(">I4s", file, at)
            packed += file[at + 8:at + 8 + size] if kind == b"IDAT" else b""
            at += 12 + size
        rows = numpy.frombuffer(zlib.decompress(packed), numpy.uint8).reshape(3, 1 + 4 * 6)
        self.assertEqual(set(rows[:, 0]), {1})
        values = numpy.cumsum(rows[:, 1:].reshape(3, 4, 6), axis=1, dtype=numpy.uint8)
        found = numpy.ascontiguousarray(values).view(">u2").reshape(3, 4, 3)
        self.assertTrue(numpy.array_equal(found, array[:, :, ::-1]))

    def test_metres_become_millimetres(self):
        import numpy
        depths = numpy.array([[0.0, 1.2344, 65.535, 65.536], [numpy.nan, numpy.inf, -1, 1e-4]],
                             numpy.float32)
        for is_big in (False, True):
            done = self.export(self.bag([self.raw(depths, "32FC1", 4, is_big)]))
            _, found = self.pixels(name_of(START))
            self.assertEqual(found.tolist(), [[0, 1234, 65535, 0], [0, 0, 0, 0]])
            self.assertIn("/camera: pictures in meters are written in 16-bit millimeters: 1; "
                          "pixels beyond 65.535 m are 0: 1", done.stderr)
            subprocess.run(["rm", "-r", self.out], check=True)

    def test_bayer_and_yuv_become_colours(self):
        import numpy
        gray = numpy.full((4, 4), 90, numpy.uint8)
        yuyv = numpy.tile(numpy.array([[126, 128, 126, 128]], numpy.uint8), (2, 2))
        message = self.raw(yuyv, "yuv422_yuy2")
        message["width"] = 4
        self.export(self.bag([self.raw(gray, "bayer_rggb8"), message]))
        mode, found = self.pixels(name_of(START))
        self.assertEqual((mode, found.shape, set(found.ravel())), ("RGB", (4, 4, 3), {90}))
        mode, found = self.pixels(name_of(START + 1))
        self.assertEqual((mode, found.shape, set(found.ravel())), ("RGB", (2, 4, 3), {128}))

    def compressed(self, format_="JPEG", **more):
        import numpy
        from PIL import Image
        noise = numpy.random.default_rng(7).integers(0, 256, (40, 60, 3), numpy.uint8)
        file = io.BytesIO()
        Image.fromarray(noise).save(file, format_, **more)
        return file.getvalue()

    def test_compressed_images_are_the_same_bytes(self):
        jpeg, png = self.compressed(), self.compressed("PNG")
        without_end = jpeg[:-2]
        for name in ("x.bag", "x.mcap"):
            bag = self.bag([{"format": "rgb8; jpeg compressed bgr8", "data": jpeg},
                            {"format": 'png "quoted", compressed', "data": png},
                            {"format": "jpeg", "data": without_end}],
                           "sensor_msgs/CompressedImage" if name == "x.bag"
                           else "sensor_msgs/msg/CompressedImage", name)
            self.export(bag)
            folder = self.out / "camera"
            self.assertEqual((folder / name_of(START, ".jpg")).read_bytes(), jpeg)
            self.assertEqual((folder / name_of(START + 1)).read_bytes(), png)
            self.assertEqual((folder / name_of(START + 2, ".jpg")).read_bytes(), without_end)
            rows = list(csv.DictReader((folder / "images.csv").open()))
            self.assertEqual([(row["width"], row["height"]) for row in rows], [("60", "40")] * 3)
            self.assertEqual(rows[1]["encoding"], 'png "quoted", compressed')
            subprocess.run(["rm", "-r", self.out], check=True)

    def test_compressed_depths(self):
        import numpy
        from PIL import Image
        values = numpy.array([[0, 1000, 2000], [3000, 40000, 65535]], numpy.uint16)
        file = io.BytesIO()
        Image.fromarray(values).save(file, "PNG")
        head = struct.pack("<iff", 0, 5000.0, 100.0)
        self.export(self.bag(
            [{"format": f"{kind}; compressedDepth png", "data": head + file.getvalue()}
             for kind in ("16UC1", "32FC1")], "sensor_msgs/CompressedImage"))
        self.assertEqual((self.out / "camera" / name_of(START)).read_bytes(), file.getvalue())
        _, found = self.pixels(name_of(START + 1))
        metres = 5000.0 / (values.astype(float) - 100.0)
        expected = numpy.where(values > 0, numpy.round(metres * 1000), 0)
        self.assertEqual(found.tolist(), expected.tolist())

    def test_equal_times_have_files_of_their_own(self):
        import numpy
        path = self.folder / "x.bag"
        with kitbag.create(path) as writer:
            for value in (1, 2, 3):
                array = numpy.full((2, 2), value, numpy.uint8)
                message = {**self.raw(array, "mono8"), "header": {"stamp": 5 * 10**9}}
                writer.write("/camera", message, START, type="sensor_msgs/Image")
        for options, stem in (((), "1700000000.123456789"),
                              (("--time", "header_stamp"), "0000000005.000000000")):
            self.export(path, *options)
            for name, value in (("", 1), ("_1", 2), ("_2", 3)):
                self.assertEqual(self.pixels(f"{stem}{name}.png")[1][0][0], value)
            subprocess.run(["rm", "-r", self.out], check=True)

    def video(self, format_="h264", first=0):
        import base64
        path = self.folder / "video.mcap"
        with kitbag.create(path, replace=True) as writer:
            writer.topic("/camera", "foxglove.CompressedVideo", json.dumps(VIDEO), encoding="json",
                         language="jsonschema")
            for i, frame in enumerate(videos.videos()[format_][first:]):
                writer.write("/camera", json.dumps(
                    {"timestamp": {"sec": 7 + i, "nsec": 5}, "frame_id": "", "format": format_,
                     "data": base64.b64encode(frame).decode()}).encode(), START + i)
        return path

    def test_frames_of_a_video(self):
        need(list(Path(program()).parent.glob("plugins/video_libav.so")),
             "the plugin for video is not built")
        self.export(self.video())
        for i in range(videos.FRAMES):
            mode, found = self.pixels(name_of(START + i))
            self.assertEqual((mode, found.shape), ("RGB", (videos.HEIGHT, videos.WIDTH, 3)))
            self.assertLess(abs(int(found.mean()) - 20 * i), 6)
        subprocess.run(["rm", "-r", self.out], check=True)
        done = self.export(self.video(first=3), "--time", "header_stamp")
        self.assertIn("/camera: 3 messages left out", done.stderr)
        self.assertEqual(len(list(self.out.glob("camera/*.png"))), videos.FRAMES - 6)
        self.assertTrue((self.out / "camera" / "0000000010.000000005.png").exists())

    def test_what_is_no_picture_is_told(self):
        demo = make_demo(self.folder / "demo.bag", 1)
        done = self.export(demo, "--topics", "/camera/image", "/odom")
        self.assertIn("topics without pictures are left out: /odom", done.stderr)
        done = self.export(demo, "--topics", "/odom", "/imu", code=2)
        self.assertIn("no selected topic has pictures, which the format images is for; other "
                      "formats fit: /odom: tum, kitti", done.stderr)
        for options, said in ((("--on-error", "raw"), "no place for messages"),
                              (("--fields", "width"), "for tables only")):
            self.assertIn(said, self.export(demo, *options, code=2).stderr)

    def test_encodings_that_a_png_cannot_have(self):
        import numpy
        gray = numpy.zeros((2, 2), numpy.uint8)
        done = self.export(self.bag([self.raw(gray, "mono8"), self.raw(gray, "made_up\x1b"),
                                     self.raw(gray.astype(numpy.int16), "16SC1")]))
        self.assertIn("/camera: 2 messages left out; ", done.stderr)
        self.assertRegex(done.stderr, r'the encoding "made_up\\+x1b" of the picture is not known')
        self.assertEqual(len(list(self.out.glob("camera/*.png"))), 1)
        done = self.export(self.bag([self.raw(gray, "made_up")]), "--force", code=2)
        self.assertIn("no message could be exported", done.stderr)

    def test_damaged_pictures(self):
        import numpy
        sound = self.raw(numpy.zeros((4, 4, 3), numpy.uint8), "rgb8")
        jpeg, png = self.compressed(), self.compressed("PNG")
        raw = [({"step": 11}, "a step of 11 bytes is too short"),
               ({"height": 5}, "need 60 bytes, and there are 48"),
               ({"height": 2**32 - 1, "width": 2**32 - 1}, "is too large"),
               ({"height": 2**31, "width": 1, "step": 2**32 - 1}, "is too large"),
               ({"width": 0}, "the picture is empty"), ({"data": b""}, "there are 0")]
        cases = [("sensor_msgs/Image", {**sound, **wrong}, said) for wrong, said in raw]
        cases += [("sensor_msgs/CompressedImage", {"format": "x", "data": data}, said)
                  for data, said in ((jpeg[:len(jpeg) // 2], "JPEG"), (jpeg[:15], "JPEG ends"),
                                     (png[:-20], "PNG ends"), (png[:20], "PNG ends"),
                                     (b"", "empty"),
                                     (b"\xff\xd8\xff\xda\0\2\xff\xd9\0\0\0\0", "does not say its"))]
        for type_, message, said in cases:
            done = self.export(self.bag([message], type_), code=2)
            self.assertIn(said, done.stderr, message)
            self.assertRegex(done.stderr, "/camera at 2023")
            self.assertEqual(list(self.out.glob("*")), [])
        messages = [sound, {**sound, "step": 1}, {**sound, "data": sound["data"] + b"more"}]
        done = self.export(self.bag(messages), "--on-error", "skip")
        self.assertIn("/camera: 1 message left out; ", done.stderr)
        self.assertEqual(len(list(self.out.glob("camera/*.png"))), 2)

    def test_a_full_disk_leaves_nothing(self):
        import numpy
        noise = numpy.random.default_rng(7).integers(0, 256, (400, 400), numpy.uint8)
        bag = self.bag([self.raw(noise, "mono8")])
        limit = f"ulimit -f 100; trap '' XFSZ; exec {program()} export --format images {bag} " \
                f"-o {self.folder}/out"
        done = subprocess.run(["sh", "-c", limit], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, rf"out/camera/{name_of(START)}: .*[Ff]ile too large")
        self.assertEqual(list((self.folder / "out").iterdir()), [])

    def test_an_interrupt_leaves_nothing(self):
        out = self.folder / "out"
        out.mkdir()
        process = subprocess.Popen([program(), "export", "demo://?seconds=100000", "-o", out,
                                    "--format", "images", "--topics", "/camera/image"],
                                   stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while not any(out.rglob("*.png")) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(any(out.rglob("*.png")), "it has begun")
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual(process.returncode, 2)
        self.assertRegex(told, "interrupted")
        self.assertEqual(list(out.iterdir()), [])

    def test_a_folder_that_is_there_is_kept(self):
        bag = make_demo(self.folder / "demo.bag", 1)
        self.export(bag, "--topics", "/camera/image")
        before = sorted((each.name, each.stat().st_mtime_ns)
                        for each in (self.out / "camera__image").iterdir())
        done = self.export(bag, "--topics", "/camera/image", "--force", code=2)
        self.assertIn("already exists", done.stderr)
        self.assertEqual(before, sorted((each.name, each.stat().st_mtime_ns)
                                        for each in (self.out / "camera__image").iterdir()))

    def test_json(self):
        bag = make_demo(self.folder / "demo.bag", 1)
        found = json.loads(self.export(bag, "--topics", "/camera/image", "--json").stdout)
        sizes = sum(each.stat().st_size for each in (self.out / "camera__image").iterdir())
        self.assertEqual(found, {"topic": "/camera/image", "file": f"{self.out}/camera__image/",
                                 "messages": 10, "files": 11, "size_bytes": sizes})
        self.assertIn("images", kitbag_program("export", "--help"))


if __name__ == "__main__":
    main()
