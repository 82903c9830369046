#!/usr/bin/env python3
"""Frames of videos that the server decodes: each format and encoding, from whatever instant, and
streams that are damaged."""

import concurrent.futures
import http.client
import shutil
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import InFolder  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag, need, program, run, run_json  # noqa: E402
from png_file import read_png  # noqa: E402
from server import Server  # noqa: E402
from videos import FRAMES, HEIGHT, WIDTH, videos  # noqa: E402

START = 1_700_000_000
VIDEO = ("foxglove_msgs/CompressedVideo", "ros1msg", "string format\nuint8[] data\n")


def text(value):
    return struct.pack("<I", len(value)) + value


def payload(format_, data):
    return text(format_.encode()) + text(data)


def plugin():
    """The decoders, where they are built."""
    return Path(program()).resolve().parent / "plugins" / "video_libav.so"


class VideoTest(InFolder):
    @classmethod
    def fill(cls):
        need(plugin().exists(), "libavcodec-dev and libswscale-dev are not installed")
        file = McapFile(cls.folder / "ros1.mcap")
        for format_, frames in videos().items():
            cls.add(file, f"/{format_}", format_, frames)
            cls.add(file, f"/{format_}/headless", format_, frames[3:])
        file.close()
        for encoding in "cdr", "json", "protobuf":
            kitbag("convert", cls.folder / "ros1.mcap", cls.folder / f"{encoding}.mcap",
                   "--encoding", encoding)
        kitbag("convert", cls.folder / "ros1.mcap", cls.folder / "r.bag")
        kitbag("convert", "demo://?seconds=8", cls.folder / "demo.bag", "--topics", "/camera/image",
               "/odom")
        cls.fill_odd()

    @classmethod
    def add(cls, file, topic, format_, frames):
        channel = file.channel(topic, "ros1", *VIDEO)
        for i, frame in enumerate(frames):
            file.message(channel, START * 10**9 + i * 10**8, payload(format_, frame))

    @classmethod
    def fill_odd(cls):
        good = videos()["h264"]
        file = McapFile(cls.folder / "odd.mcap")
        cls.add(file, "/cut", "h264", [good[0], good[1][:6], good[2], *good[6:8]])
        cls.add(file, "/noise", "h264", [good[0][:40] + bytes(range(256)) * 20, b"", b"\0" * 3000])
        cls.add(file, "/theora", "theora\x1b[2J", good)
        cls.add(file, "/capitals", "H264", good)
        # 65,536 x 65,536 pixels: the bits of the size are behind four bits of the colours.
        vp9 = videos()["vp9"][0]
        cls.add(file, "/huge", "vp9", [vp9[:4] + b"\x0f\xff\xff\xff\xf6" + vp9[9:]])
        cls.add(file, "/long", "h264", [good[0]] + [good[1]] * 1001)
        json_channel = file.channel("/empty", "json", "foxglove.CompressedVideo")
        file.message(json_channel, START * 10**9, b"{}")
        file.close()

    def ask(self, bag, topic, frame=None, more="", server=None):
        time = f"&time={START + frame / 10:.3f}" if frame is not None else ""
        return (server or self.server).ask(
            f"/bags/{bag}/thumbnail?topic={topic}{time}&format=png{more}")

    def frame(self, bag, topic, frame=None, more=""):
        """(index by the time, gray) of what is shown."""
        reply = self.ask(bag, topic, frame, more)
        self.assertEqual(reply.status, 200, reply.body)
        width, height, channels, pixels = read_png(reply.body)
        self.assertEqual((width, height, channels), (WIDTH, HEIGHT, 3))
        self.assertLess(max(pixels) - min(pixels), 6)
        return round((float(reply.headers["Kitbag-Time"]) - START) * 10), sum(pixels) / len(pixels)

    def check(self, bag, topic, asked, shown):
        index, gray = self.frame(bag, topic, asked)
        self.assertEqual(index, shown)
        self.assertAlmostEqual(gray, shown * 20, delta=3)

    def refusal(self, bag, topic, frame, status=400):
        reply = self.ask(bag, topic, frame)
        self.assertEqual(reply.status, status, reply.body)
        return reply.json()["error"]

    def test_every_format_and_instant(self):
        for topic in videos():
            with self.subTest(topic=topic):
                for frame in (11, 0, 4, 5, 6, 7, 3, 9.5, 9.5, 10):
                    self.check("ros1.mcap", f"/{topic}", frame, int(frame))
                self.check("ros1.mcap", f"/{topic}", None, 0)
                self.check("ros1.mcap", f"/{topic}", FRAMES + 1000, FRAMES - 1)

    def test_every_encoding(self):
        for bag in "cdr.mcap", "json.mcap", "protobuf.mcap", "r.bag":
            for frame in 8, 2:
                self.check(bag, "/h264", frame, frame)

    def test_sizes(self):
        reply = self.ask("ros1.mcap", "/vp9", 5, "&width=16")
        self.assertEqual(read_png(reply.body)[:3], (16, 12, 3))
        reply = self.ask("ros1.mcap", "/vp9", 5, "&width=4096&height=4096")
        self.assertEqual(read_png(reply.body)[:3], (WIDTH, HEIGHT, 3))

    def test_without_a_key_frame(self):
        for topic in videos():
            # The first three frames are missing: the key frame comes 0.3 s after the first message.
            error = self.refusal("ros1.mcap", f"/{topic}/headless", 2)
            self.assertIn("has no key frame at or before 2023-11-14T22:13:20.2", error)
            index, gray = self.frame("ros1.mcap", f"/{topic}/headless", 4)
            self.assertEqual(index, 4)
            self.assertAlmostEqual(gray, 7 * 20, delta=3)
            index, gray = self.frame("ros1.mcap", f"/{topic}/headless")  # the first that can be
            self.assertEqual(index, 3)
            self.assertAlmostEqual(gray, 6 * 20, delta=3)

    def test_many_at_once(self):
        wanted = [frame for _ in range(6) for frame in range(FRAMES)]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            found = list(pool.map(lambda frame: self.frame("ros1.mcap", "/h264", frame), wanted))
        for frame, (index, gray) in zip(wanted, found):
            self.assertEqual(index, frame)
            self.assertAlmostEqual(gray, frame * 20, delta=3)

    def test_damage(self):
        self.check("odd.mcap", "/capitals", 7, 7)
        self.assertIn("/cut at 2023", self.refusal("odd.mcap", "/cut", 2))
        self.assertAlmostEqual(self.frame("odd.mcap", "/cut", 4)[1], 140, delta=3)
        for frame in 0, 1, 2:
            self.refusal("odd.mcap", "/noise", frame)
        error = self.refusal("odd.mcap", "/theora", 0)
        self.assertIn("is not known; known formats: h264", error)
        self.assertNotIn("\x1b", error)
        self.assertIn("/huge at 2023", self.refusal("odd.mcap", "/huge", 0))
        self.assertIn("fields format and data", self.refusal("odd.mcap", "/empty", 0))
        self.assertIn("more than 1000 messages", self.refusal("odd.mcap", "/long", 1001, 413))

    def slice(self, bag, more, server=None):
        return (server or self.server).ask(
            f"/bags/{bag}/player?start_time={START}&end_time={START + 9}&format=mp4{more}")

    def probe(self, reply):
        """The seconds at which ffprobe shows frames of a reply, and the stream."""
        need(shutil.which("ffprobe"), "ffmpeg is not installed")
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "video/mp4"))
        path = self.folder / "slice.mp4.part"
        path.write_bytes(reply.body)
        self.assertEqual(run("ffmpeg", "-v", "error", "-i", path, "-f", "null", "-"), "")
        found = run_json("ffprobe", "-v", "error", "-show_entries",
                         "frame=pts_time:stream=codec_name,width,height", "-of", "json", path)
        return [float(each["pts_time"]) for each in found["frames"]], found["streams"][0]

    def test_a_range_as_mp4(self):
        for topic, codec in ("h264", "h264"), ("h265", "hevc"), ("vp9", "vp9"), ("av1", "av1"):
            times, stream = self.probe(self.slice("ros1.mcap", f"&topics=/{topic}"))
            self.assertEqual(stream, {"codec_name": codec, "width": WIDTH, "height": HEIGHT})
            for i in range(FRAMES):
                self.assertAlmostEqual(times[i], i / 10, delta=0.001)
            self.assertEqual(len(times), FRAMES)
        times, _ = self.probe(self.slice("ros1.mcap", "&topics=/h264/headless"))
        self.assertEqual(len(times), FRAMES - 6)
        told = run("curl", "-s", "--raw", "-o", "-", f"http://{self.server.host}/bags/ros1.mcap/"
                   f"player?start_time={START}&end_time={START + 9}&format=mp4"
                   "&topics=/h264/headless", errors="replace")
        self.assertTrue(told.endswith('\n0\nKitbag-Damage: ["/h264/headless: 3 frames before a key '
                                      'frame left out"]\n\n'), told[-200:])

    def test_pictures_of_a_range_as_mp4(self):
        """As fragments, which leave while the rest is made."""
        begin = self.server.ask("/bags/demo.bag/player").json()["start_time"]
        path = (f"/bags/demo.bag/player?start_time={begin}&end_time={begin + 5}"
                "&topics=/camera/image&format=")
        reply = self.server.ask(path + "mp4")
        times, stream = self.probe(reply)
        sent = [message["__stamp"] for message in self.server.ask(path + "json").json()["messages"]]
        self.assertEqual(len(times), len(sent))
        for shown, stamp in zip(times, sent):
            self.assertAlmostEqual(shown, stamp - sent[0], delta=0.001)
        self.assertEqual(stream["codec_name"], "h264")
        self.assertGreaterEqual(reply.body.count(b"moof"), 4)

    def test_what_is_no_video_is_refused_as_mp4(self):
        for bag, more, why in (("ros1.mcap", "", "a video shows one topic"),
                               ("ros1.mcap", "&topics=/h264&fields=format", "fields cannot be"),
                               ("demo.bag", "&topics=/odom", "the selected topics have none")):
            reply = self.slice(bag, more)
            self.assertEqual(reply.status, 400, reply.body)
            self.assertIn(why, reply.json()["error"])
        with self.assertRaises(http.client.IncompleteRead):  # nothing of it can be shown
            self.slice("odd.mcap", "&topics=/noise")

    def test_the_plugin_is_loaded_when_it_is_needed(self):
        with Server(self.folder) as server:
            maps = Path(f"/proc/{server.process.pid}/maps")
            server.ask("/bags/ros1.mcap/topics")
            self.assertNotIn("libavcodec", maps.read_text())
            self.assertEqual(self.ask("ros1.mcap", "/h264", 3, server=server).status, 200)
            self.assertIn("libavcodec", maps.read_text())

    def test_without_the_plugin(self):
        """The library finds its plugins beside itself."""
        with tempfile.TemporaryDirectory() as folder:
            for library in plugin().parent.parent.glob("libkitbag.so.*"):
                shutil.copy(library, folder)
            with Server(self.folder, env={"LD_LIBRARY_PATH": folder}) as server:
                reply = self.ask("ros1.mcap", "/h264", 3, server=server)
                self.assertEqual(reply.status, 400)
                self.assertIn("install the package kitbag-video, or libavcodec-dev and "
                              "libswscale-dev and rebuild kitbag", reply.json()["error"])
                reply = self.slice("ros1.mcap", "&topics=/h264", server)
                self.assertEqual(reply.status, 400)
                self.assertIn("the plugin export_video.so is not in", reply.json()["error"])


if __name__ == "__main__":
    peers.main()
