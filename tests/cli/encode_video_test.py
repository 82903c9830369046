#!/usr/bin/env python3
"""--encode-video of `convert` and `record`: pictures as a video, judged by ffmpeg."""

import io
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import numpy  # noqa: E402
import peers  # noqa: E402
from h264_bag import (COMPRESSED, HEADER, OF_HEADER, START, compressed, header,  # noqa: E402
                      hashes, messages, text)
from mcap_file import McapFile  # noqa: E402
from peers import need, program  # noqa: E402
from PIL import Image  # noqa: E402

RAW = ("sensor_msgs/Image", "ros1msg",
       HEADER + "uint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\n"
       "uint8[] data\n" + OF_HEADER)
DEMO = "demo://?seconds=10&seed=7"


def run(*arguments):
    return subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                          check=False)


def raw(encoding, width, height, data, stamp=START):
    return (header(stamp) + struct.pack("<II", height, width) + text(encoding.encode()) +
            struct.pack("<BI", 0, 0) + text(data))


def gray(level, width, height, encoding="rgb8"):
    """A picture in one gray, which is at its place in the middle of the range."""
    pixels = width * height
    size = {"rgb8": 3, "bgr8": 3, "rgba8": 4, "bgra8": 4, "mono8": 1, "yuv422": 2, "yuyv": 2,
            "nv12": 1.5}[encoding]
    if encoding in ("yuv422", "yuyv", "nv12"):
        luma = round(16 + level * 219 / 255)
        if encoding == "nv12":
            return bytes([luma]) * pixels + b"\x80" * (pixels // 2)
        pair = bytes([128, luma]) if encoding == "yuv422" else bytes([luma, 128])
        return pair * pixels
    return bytes([level]) * int(pixels * size)


def decoded(frames, width, height, form="h264"):
    done = subprocess.run(
        ["ffmpeg", "-v", "error", "-xerror", "-f", {"h265": "hevc"}.get(form, form), "-i", "-",
         "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        input=b"".join(frames), capture_output=True, check=True)
    assert not done.stderr, done.stderr
    return numpy.frombuffer(done.stdout, numpy.uint8).reshape(-1, height, width, 3)


def topics_of(bag):
    return {each["topic"]: each for each in json.loads(run("info", bag, "--json").stdout)
            ["channels"]}


class EncodeVideo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(shutil.which("ffmpeg"), "ffmpeg is not installed")
        encoders = subprocess.run(["ffmpeg", "-v", "error", "-encoders"], capture_output=True,
                                  text=True, check=True).stdout
        need("libx264" in encoders and "libx265" in encoders, "ffmpeg has no x264 or x265")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.demo = cls.folder / "demo.mcap"
        assert run("convert", DEMO, cls.demo).returncode == 0

    def convert(self, bag, *arguments, out="out.mcap", code=0):
        done = run("convert", bag, "-o", self.folder / out, "--force", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return self.folder / out, done

    def bag(self, topics):
        """{topic: (schema, payloads)}, every 100 ms."""
        file = McapFile(self.folder / "in.mcap")
        for topic, (schema, payloads) in topics.items():
            channel = file.channel(topic, "ros1", *schema, {"callerid": "/robot"})
            for i, payload in enumerate(payloads):
                file.message(channel, START + i * 100_000_000, payload)
        file.close()
        return self.folder / "in.mcap"

    def test_a_camera_is_a_tenth(self):
        originals = messages(self.demo, "/camera/image")
        shape = json.loads(run("cat", self.demo, "--topics", "/camera/image", "--count", 1)
                           .stdout)["data"]
        width, height = shape["width"], shape["height"]
        for form, out in (("h264", "demo.mcap"), ("h265", "demo.mcap"), ("h264:bitrate=300k",
                                                                        "demo.bag")):
            name = form[:4]
            path, done = self.convert(self.demo, "--encode-video", f"/camera/*={form}",
                                      out=f"encoded-{name}-{out}")
            self.assertEqual(done.stderr, "")
            found = messages(path, "/camera/image")
            self.assertEqual([when for when, _ in found], [when for when, _ in originals])
            frames = [data for _, data in found]
            self.assertLess(10 * sum(map(len, frames)), sum(len(data) for _, data in originals))
            shown = decoded(frames, width, height, name)
            self.assertEqual(len(shown), 100)
            for picture, (_, data) in list(zip(shown, originals))[::9]:
                original = numpy.frombuffer(data, numpy.uint8).reshape(picture.shape)
                error = numpy.mean((picture.astype(float) - original.astype(float)) ** 2)
                self.assertGreater(10 * numpy.log10(255**2 / error), 25)
            # A key frame each second: from each, the rest can be decoded.
            for first in range(0, 100, 10):
                self.assertEqual(len(hashes(frames[first:first + 3], name)), 3)
            channel = topics_of(path)["/camera/image"]
            self.assertEqual(channel["type"], "foxglove_msgs/CompressedVideo")
            self.assertEqual(run("check", path).returncode, 0)
            other = run("diff", self.demo, path, "--exclude", "/camera/image")
            self.assertEqual(other.returncode, 0, other.stdout)
        one = json.loads(run("cat", self.folder / "encoded-h264-demo.mcap", "--topics",
                             "/camera/image", "--count", 1).stdout)["data"]
        self.assertEqual(one["frame_id"], shape["header"]["frame_id"])
        self.assertEqual(one["format"], "h264")
        self.assertEqual(one["timestamp"], shape["header"]["stamp"])

    def test_encodings_of_bags(self):
        for encoding, name in (("cdr", "foxglove_msgs/msg/CompressedVideo"),
                               ("protobuf", "foxglove.CompressedVideo"),
                               ("json", "foxglove.CompressedVideo")):
            source, _ = self.convert(self.demo, "--encoding", encoding, "--topics",
                                     "/camera/image", "--count", 12, out=f"{encoding}.mcap")
            path, done = self.convert(source, "--encode-video", "/camera/image=h264")
            self.assertEqual(done.stderr, "")
            channel = topics_of(path)["/camera/image"]
            self.assertEqual((channel["type"], channel["encoding"]), (name, encoding))
            self.assertEqual(len(hashes([data for _, data in messages(path, "/camera/image")])),
                             12)
            self.assertEqual(run("check", path).returncode, 0)

    def test_raw_encodings_and_jpeg(self):
        kinds = ("rgb8", "bgr8", "rgba8", "bgra8", "mono8", "yuv422", "yuyv", "nv12")
        topics = {f"/{kind}": (RAW, [raw(kind, 64, 48, gray(10 + 20 * i, 64, 48, kind))
                                     for i in range(6)]) for kind in kinds}
        jpegs = []
        for i in range(6):
            file = io.BytesIO()
            Image.new("RGB", (64, 48), (10 + 20 * i,) * 3).save(file, "JPEG", quality=95)
            jpegs.append(compressed(file.getvalue(), START, b"rgb8; jpeg compressed bgr8"))
        topics["/jpeg"] = (COMPRESSED, jpegs)
        path, done = self.convert(self.bag(topics), "--encode-video", "*=h264:crf=10,preset=fast")
        self.assertEqual(done.stderr, "")
        for topic in topics:
            shown = decoded([data for _, data in messages(path, topic)], 64, 48)
            for i, picture in enumerate(shown):
                self.assertLess(abs(picture.mean() - (10 + 20 * i)), 4, topic)
            self.assertEqual(len(shown), 6, topic)
            self.assertEqual(topics_of(path)[topic]["metadata"]["callerid"], "/robot")

    def test_sizes(self):
        sizes = [(64, 48)] * 3 + [(33, 21)] * 2 + [(128, 96)] * 2
        bag = self.bag({"/odd": (RAW, [raw("mono8", w, h, gray(99, w, h, "mono8"))
                                       for w, h in sizes])})
        path, done = self.convert(bag, "--encode-video", "/odd=h264")
        self.assertIn("/odd: the pictures have 33 x 21 pixels, and a video has an even number; the "
                      "last column and row are repeated", done.stderr)
        found = [data for _, data in messages(path, "/odd")]
        for first, last, (width, height) in ((0, 3, (64, 48)), (3, 5, (34, 22)),
                                             (5, 7, (128, 96))):
            shown = decoded(found[first:last], width, height)
            self.assertEqual(len(shown), last - first)
            self.assertLess(abs(shown.mean() - 99), 3)

    def test_what_is_no_picture_for_a_video(self):
        good = raw("rgb8", 64, 48, gray(50, 64, 48))
        bag = self.bag({
            "/depth": (RAW, [raw("16UC1", 8, 8, bytes(128))] * 3),
            "/labels": (COMPRESSED, [compressed(b"\x89PNG\r\n\x1a\n", START, b"png")] * 3),
            "/good": (RAW, [good, raw("rgb8", 0, 0, b""), raw("rgb8", 64, 48, b"short"), b"\xff",
                            raw("rgb8", 2**31, 2**31, b""), good])})
        path, done = self.convert(bag, "--encode-video", "*=h264", "--on-error", "skip")
        self.assertIn('/depth stays as it is, and does not become a video: its encoding "16UC1" '
                      "has no colors of 8 bits", done.stderr)
        self.assertIn('/labels stays as it is, and does not become a video: its format "png" is no '
                      "JPEG", done.stderr)
        self.assertIn("/good: 4 messages left out; ", done.stderr)
        self.assertEqual(topics_of(path)["/depth"]["type"], "sensor_msgs/Image")
        self.assertEqual(len(messages(path, "/labels")), 3)
        found = messages(path, "/good")
        self.assertEqual([when for when, _ in found], [START, START + 500_000_000])
        self.assertEqual(len(decoded([data for _, data in found], 64, 48)), 2)
        _, done = self.convert(bag, "--encode-video", "*=h264", code=2)
        self.assertIn("/good at 2023-11-14T22:13:20.100000000Z: ", done.stderr)
        # A topic without pictures, and one that is a video already.
        video, _ = self.convert(self.demo, "--encode-video", "/camera/*=h264", out="video.mcap")
        again, done = self.convert(video, "--encode-video", "/camera/*=h265")
        self.assertEqual((done.stderr, run("diff", video, again).returncode), ("", 0))
        _, done = self.convert(self.demo, "--encode-video", "/imu=h264")
        self.assertIn("no messages with pictures on /imu: nothing is encoded", done.stderr)

    def test_settings(self):
        for setting, said in (
                ("/camera/*", "expected TOPIC=h264 or TOPIC=h265"),
                ("/camera/*=mpeg1", 'unknown format "mpeg1"'),
                ("/camera/*=h264:crf=52", "crf: expected an integer from 0 to 51"),
                ("/camera/*=h264:speed=1", 'unknown setting "speed"'),
                ("/camera/*=h264:key=0s", "key: expected more than 0s"),
                ("/camera/*=h264:bitrate=1", "bitrate: expected bits a second"),
                ("/camera/*=h264:preset=warp", 'with the preset "warp"')):
            done = run("convert", self.demo, self.folder / "never.mcap", "--encode-video", setting)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)
            self.assertFalse((self.folder / "never.mcap").exists())
        for settings, keys in (("key=5s", [0, 50]), ("key=1h,gop=30", [0, 30, 60, 90])):
            path, _ = self.convert(self.demo, "--encode-video", f"/camera/image=h264:{settings}")
            found = [i for i, (_, data) in enumerate(messages(path, "/camera/image"))
                     if re.search(rb"\x00\x00\x01[\x67\x27]", data)]
            self.assertEqual(found, keys)

    def test_a_recording(self):
        out = self.folder / "recorded.mcap"
        done = run("record", "--from", "demo://?seconds=3&seed=7", "--encode-video",
                   "/camera/*=h264:preset=ultrafast", "-o", out, "-a")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = messages(out, "/camera/image")
        dropped = re.search(r"/camera/image (\d+)", done.stderr)
        self.assertEqual(len(found) + (int(dropped[1]) if dropped else 0), 30, done.stderr)
        self.assertEqual(len(hashes([data for _, data in found])), len(found))
        counts = {topic: each["messages"] for topic, each in topics_of(out).items()}
        whole = topics_of(self.demo)
        self.assertEqual(set(counts), set(whole))
        self.assertEqual(counts["/imu"], 300)


if __name__ == "__main__":
    peers.main()
