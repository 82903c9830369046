#!/usr/bin/env python3
"""`kitbag export --format mp4` and mkv, judged by ffmpeg and ffprobe: which frames a file has, when
they are shown, and what they show."""

import csv
import io
import json
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import numpy  # noqa: E402
import peers  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag, need, program  # noqa: E402
from PIL import Image  # noqa: E402
from videos import FRAMES, videos  # noqa: E402

START = 1_700_000_000 * 10**9
HEADER = "std_msgs/Header header\n"
OF_HEADER = f"{'=' * 80}\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n"
VIDEO = ("foxglove_msgs/CompressedVideo", "ros1msg", "string format\nuint8[] data\n")
RAW = ("sensor_msgs/Image", "ros1msg",
       HEADER + "uint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\n"
       "uint8[] data\n" + OF_HEADER)
COMPRESSED = ("sensor_msgs/CompressedImage", "ros1msg",
              HEADER + "string format\nuint8[] data\n" + OF_HEADER)
NAMES = {"h264": "h264", "h265": "hevc", "vp9": "vp9", "av1": "av1"}
# Neither a rate nor round.
TIMES = [START + i * 100_000_000 + (i * 7919) % 31 * 1_234_567 for i in range(60)]


def run(*arguments):
    return subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                          check=False)


def tool(*arguments, **more):
    done = subprocess.run([*map(str, arguments)], capture_output=True, check=True, **more)
    if done.stderr:
        raise AssertionError(f"{arguments}: {done.stderr.decode()}")
    return done.stdout


def text(value):
    return struct.pack("<I", len(value)) + value


def header(stamp_ns):
    return struct.pack("<III", 0, *divmod(stamp_ns, 10**9)) + text(b"camera")


def raw(pixels, stamp_ns):
    height, width = pixels.shape[:2]
    encoding = b"rgb8" if pixels.ndim == 3 else b"mono8"
    return (header(stamp_ns) + struct.pack("<II", height, width) + text(encoding) +
            struct.pack("<BI", 0, pixels[0].nbytes) + text(pixels.tobytes()))


def compressed(pixels, form, stamp_ns):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, form, quality=98)
    return header(stamp_ns) + text(form.encode()) + text(file.getvalue())


def picture(i, width=160, height=120, gray=False):
    """A gradient with a disc that moves."""
    y, x = numpy.mgrid[:height, :width]
    disc = (x - 30 - 4 * i) ** 2 + (y - 50) ** 2 < 400
    red = 40 + x * 150 // width
    green = numpy.where(disc, 180, 60 + y * 120 // height)
    blue = numpy.where(disc, 90, 110 + 0 * x)
    return (green if gray else numpy.dstack([red, green, blue])).astype(numpy.uint8)


def psnr(a, b):
    return 10 * numpy.log10(255**2 / numpy.mean((a.astype(float) - b.astype(float)) ** 2))


def ivf(form, frames):
    """VP9 or AV1 as a file that ffmpeg reads."""
    content = b"DKIF" + struct.pack("<HH4sHHIIII", 0, 32, form, 64, 48, 10, 1, len(frames), 0)
    for i, frame in enumerate(frames):
        content += struct.pack("<IQ", len(frame), i) + frame
    return content


def frame_hashes(path, *options):
    lines = tool("ffmpeg", "-v", "error", *options, "-i", path, "-fps_mode", "passthrough", "-f",
                 "framemd5", "-").decode().splitlines()
    return [line.split(",")[-1].strip() for line in lines if not line.startswith("#")]


def shown(path):
    """The seconds at which frames are shown, as ffprobe says."""
    out = tool("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
               "frame=pts_time", "-of", "csv=p=0", path).decode()
    return [float(line.strip(",")) for line in out.splitlines() if line.strip(",")]


def about(path):
    out = tool("ffprobe", "-v", "error", "-show_streams", "-show_format", "-of", "json", path)
    found = json.loads(out)
    return found["streams"][0], found["format"]["tags"]


class ExportVideo(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(shutil.which("ffmpeg"), "ffmpeg is not installed")
        plugin = Path(program()).resolve().parent / "plugins" / "export_video.so"
        need(plugin.exists(), "libavformat-dev is not installed")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.coded = cls.folder / "coded.mcap"
        cls.write(cls.coded, {f"/{form}": (VIDEO, [text(form.encode()) + text(frame)
                                                   for frame in frames])
                              for form, frames in videos().items()})
        cls.pictures = [picture(i) for i in range(24)]

    def setUp(self):
        self.out = self.folder / self.id().rsplit(".", 1)[1]

    @staticmethod
    def write(path, topics, times=None):
        """A bag with {topic: (schema, payloads)}, the payload i at times[i]."""
        file = McapFile(path)
        numbers = {topic: file.channel(topic, "ros1", *schema)
                   for topic, (schema, _) in topics.items()}
        for topic, (_, payloads) in topics.items():
            for payload, when in zip(payloads, times or TIMES):
                file.message(numbers[topic], when, payload)
        file.close()
        return path

    def bag(self, topics, times=None):
        return self.write(self.folder / f"{self.out.name}.mcap", topics, times)

    def export(self, *arguments, code=0, form="mp4"):
        done = run("export", *arguments, "-o", self.out, "--format", form)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def names(self):
        return sorted(each.name for each in self.out.iterdir())

    def decoded(self, path, width, height):
        """The pictures of a video, as ffmpeg decodes them."""
        content = tool("ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-f",
                       "rawvideo", "-pix_fmt", "rgb24", "-")
        return numpy.frombuffer(content, numpy.uint8).reshape(-1, height, width, 3)

    def check_times(self, path, times):
        found = shown(path)
        self.assertEqual(len(found), len(times))
        for seconds, when in zip(found, times):
            self.assertAlmostEqual(seconds, (when - times[0]) / 1e9, delta=0.001)
        rows = list(csv.DictReader(path.with_suffix(".times.csv").open()))
        self.assertEqual([int(row["time_ns"]) for row in rows], times)
        self.assertEqual([int(row["frame"]) for row in rows], list(range(len(times))))
        for row, seconds in zip(rows, found):
            self.assertAlmostEqual(float(row["seconds"]), seconds, delta=2e-5)
        self.assertEqual(tool("ffmpeg", "-v", "error", "-i", path, "-f", "null", "-"), b"")

    def test_a_video_is_passed_on_as_it_is(self):
        for form in "mp4", "mkv":
            self.export(self.coded, form=form)
            for name, frames in videos().items():
                with self.subTest(form=form, name=name):
                    path = self.out / f"{name}.{form}"
                    plain = self.folder / f"plain.{name}"
                    is_ivf = name in ("vp9", "av1")
                    plain.write_bytes(ivf({"vp9": b"VP90", "av1": b"AV01"}[name], frames)
                                      if is_ivf else b"".join(frames))
                    options = [] if is_ivf else ["-f", NAMES[name]]
                    self.assertEqual(frame_hashes(path), frame_hashes(plain, *options))
                    self.check_times(path, TIMES[:FRAMES])
                    stream, tags = about(path)
                    self.assertEqual((stream["codec_name"], stream["width"], stream["height"]),
                                     (NAMES[name], 64, 48))
                    self.assertEqual(tags["creation_time"], "2023-11-14T22:13:20.000000Z")
                    self.assertIn("2023-11-14T22:13:20", {k.lower(): v for k, v in tags.items()}
                                  ["comment"])
            shutil.rmtree(self.out)
        self.export(self.coded, "--topics", "/h265")
        self.assertEqual(about(self.out / "h265.mp4")[0]["codec_tag_string"], "hvc1")

    def test_what_comes_before_a_key_frame_is_left_out(self):
        frames = videos()["h264"][3:]
        bag = self.bag({"/video": (VIDEO, [text(b"h264") + text(each) for each in frames])})
        done = self.export(bag, "--json")
        self.assertIn("/video: 3 frames before a key frame left out", done.stderr)
        self.assertEqual(json.loads(done.stdout)["messages"], len(frames) - 3)
        self.check_times(self.out / "video.mp4", TIMES[3:len(frames)])
        bag = self.bag({"/video": (VIDEO, [text(b"h264") + text(each) for each in frames[:3]])})
        shutil.rmtree(self.out)
        self.assertIn("no message gives a frame", self.export(bag, code=2).stderr)
        self.assertFalse(self.out.exists() and self.names())

    def encoded(self, *options, suffix="h264", size="64x48"):
        """(path, access units) of a stream that ffmpeg encodes, with delimiters."""
        path = self.folder / f"{self.out.name}-{size}.{suffix}"
        tool("ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s={size}:r=10:d=5",
             "-pix_fmt", "yuv420p", *options, path)
        delimiter = b"\0\0\0\1\x09" if suffix == "h264" else b"\0\0\0\1\x46\1"
        units = [delimiter + each for each in path.read_bytes().split(delimiter)[1:]]
        return path, units

    def check_reordered(self, name, path, units):
        bag = self.bag({"/video": (VIDEO, [text(name) + text(each) for each in units])})
        for form in "mp4", "mkv":
            done = self.export(bag, form=form)
            self.assertIn("(B-frames)", done.stderr)
            video = self.out / f"video.{form}"
            self.assertEqual(frame_hashes(video), frame_hashes(path))
            self.check_times(video, TIMES[:len(units)])
            shutil.rmtree(self.out)

    def test_frames_that_are_shown_in_another_order(self):
        path, units = self.encoded("-c:v", "libx264", "-bf", "3", "-g", "20", "-x264-params",
                                   "aud=1:b-pyramid=normal:log-level=none")
        self.assertEqual(len(units), 50)
        self.check_reordered(b"h264", path, units)
        path, units = self.encoded("-c:v", "libx265", "-x265-params",
                                   "aud=1:bframes=4:keyint=20:repeat-headers=1:log-level=none",
                                   suffix="hevc")
        self.assertEqual(len(units), 50)
        self.check_reordered(b"h265", path, units)

    def test_a_stream_that_changes_goes_on_in_a_new_file(self):
        options = ("-c:v", "libx264", "-bf", "0", "-x264-params", "aud=1:log-level=none")
        _, small = self.encoded(*options)
        _, large = self.encoded(*options, size="128x96")
        other = videos()["h265"]
        payloads = ([text(b"h264") + text(each) for each in small[:10] + large[:10]] +
                    [text(b"h265") + text(each) for each in other])
        done = self.export(self.bag({"/video": (VIDEO, payloads)}), "--json")
        self.assertEqual(json.loads(done.stdout)["messages"], 32)
        self.assertEqual(json.loads(done.stdout)["files"], 6)
        self.check_times(self.out / "video.mp4", TIMES[:10])
        self.check_times(self.out / "video.2.mp4", TIMES[10:20])
        self.check_times(self.out / "video.3.mp4", TIMES[20:32])
        self.assertEqual([about(self.out / f"video{part}.mp4")[0]["width"]
                          for part in ("", ".2", ".3")], [64, 128, 64])

    def check_pictures(self, path, pictures):
        height, width = pictures[0].shape[:2]
        decoded = self.decoded(path, width + width % 2, height + height % 2)
        self.assertEqual(len(decoded), len(pictures))
        for found, wanted in zip(decoded, pictures):
            if wanted.ndim == 2:
                wanted = numpy.dstack([wanted] * 3)
            self.assertGreater(psnr(found[:height, :width], wanted), 35)

    def test_pictures_are_encoded(self):
        grays = [picture(i, gray=True) for i in range(24)]
        bag = self.bag({
            "/raw": (RAW, [raw(each, 0) for each in self.pictures]),
            "/gray": (RAW, [raw(each, 0) for each in grays]),
            "/jpeg": (COMPRESSED, [compressed(each, "jpeg", 0) for each in self.pictures]),
            "/png": (COMPRESSED, [compressed(each, "png", 0) for each in self.pictures])})
        for form in "mp4", "mkv":
            done = self.export(bag, form=form)
            self.assertEqual(done.stderr, "")
            self.assertIn(f"{self.out}/raw.{form}: 24 messages of /raw in 2 files", done.stdout)
            for name in "raw", "gray", "jpeg", "png":
                with self.subTest(form=form, name=name):
                    path = self.out / f"{name}.{form}"
                    self.check_times(path, TIMES[:24])
                    self.check_pictures(path, grays if name == "gray" else self.pictures)
                    stream, _ = about(path)
                    self.assertEqual((stream["codec_name"], stream["pix_fmt"]),
                                     ("h264", "yuv420p"))
            shutil.rmtree(self.out)

    def test_high_definition(self):
        large = [picture(i, 1280, 720) for i in range(3)]
        bag = self.bag({"/raw": (RAW, [raw(each, 0) for each in large])})
        self.export(bag, "--preset", "ultrafast")
        self.check_pictures(self.out / "raw.mp4", large)

    def test_odd_sizes_get_one_more_row_and_column(self):
        odd = [picture(i, 65, 49) for i in range(4)]
        done = self.export(self.bag({"/raw": (RAW, [raw(each, 0) for each in odd])}))
        self.assertIn("/raw: the pictures have 65 x 49 pixels, and a video has an even number; the "
                      "last column and row are repeated", done.stderr)
        stream, _ = about(self.out / "raw.mp4")
        self.assertEqual((stream["width"], stream["height"]), (66, 50))
        self.check_pictures(self.out / "raw.mp4", odd)

    def test_pictures_that_change_their_size_go_on_in_a_new_file(self):
        payloads = [raw(each, 0) for each in self.pictures[:5]]
        payloads += [raw(picture(i, 80, 60), 0) for i in range(3)]
        self.export(self.bag({"/raw": (RAW, payloads)}))
        self.assertEqual(self.names(), ["raw.2.mp4", "raw.2.times.csv", "raw.mp4", "raw.times.csv"])
        self.check_times(self.out / "raw.mp4", TIMES[:5])
        self.check_times(self.out / "raw.2.mp4", TIMES[5:8])

    def test_a_topic_with_the_name_of_a_second_file(self):
        payloads = [raw(each, 0) for each in self.pictures[:5]]
        payloads += [raw(picture(i, 80, 60), 0) for i in range(3)]
        self.export(self.bag({"/raw": (RAW, payloads), "/raw.2": (RAW, payloads[:4])}))
        for name, times in (("raw", TIMES[:5]), ("raw.3", TIMES[5:8]), ("raw.2", TIMES[:4])):
            self.check_times(self.out / f"{name}.mp4", times)

    def test_times_that_repeat_or_go_back(self):
        times = TIMES[:8]
        times[3] = times[2]
        stamps = list(times)
        stamps[6] = stamps[2]
        bag = self.bag({"/raw": (RAW, [raw(each, stamp)
                                       for each, stamp in zip(self.pictures, stamps)])}, times)
        for arguments, wanted, moved in ([], times, 1), (["--time", "header_stamp"], stamps, 2):
            done = self.export(bag, "--force", *arguments)
            self.assertRegex(done.stderr, f"/raw: {moved} frames? not later than the one before")
            found = shown(self.out / "raw.mp4")
            self.assertEqual(found, sorted(set(found)))
            self.assertEqual(len(found), 8)
            self.assertAlmostEqual(found[3] - found[2], 0.0002, delta=2e-5)
            self.assertAlmostEqual(found[7], (times[7] - times[0]) / 1e9, delta=0.001)
            rows = list(csv.DictReader((self.out / "raw.times.csv").open()))
            self.assertEqual([int(row["time_ns"]) for row in rows], wanted)

    def test_times_of_the_header(self):
        stamps = [when - 50_000_000 - i * 1_000_000 for i, when in enumerate(TIMES[:24])]
        bag = self.bag({"/raw": (RAW, [raw(each, stamp)
                                       for each, stamp in zip(self.pictures, stamps)])})
        self.export(bag, "--time", "header_stamp")
        self.check_times(self.out / "raw.mp4", stamps)
        done = self.export(self.coded, "--topics", "/h264", "--time", "header_stamp")
        self.assertIn("/h264: the messages have no header.stamp and no timestamp; their log times "
                      "are taken",
                      done.stderr)
        self.check_times(self.out / "h264.mp4", TIMES[:FRAMES])

        frames = videos()["h264"]
        stamped = ("foxglove_msgs/CompressedVideo", "ros1msg", "time timestamp\n" + VIDEO[2])
        payloads = [struct.pack("<II", *divmod(stamp, 10**9)) + text(b"h264") + text(each)
                    for each, stamp in zip(frames, stamps)]
        self.export(self.bag({"/video": (stamped, payloads)}), "--time", "header_stamp")
        self.check_times(self.out / "video.mp4", stamps[:FRAMES])

    def test_a_pause_that_is_too_long(self):
        times = [START, START + 10**8, START + 20 * 3600 * 10**9]
        bag = self.bag({"/raw": (RAW, [raw(each, 0) for each in self.pictures[:3]])}, times)
        done = self.export(bag, code=2)
        self.assertIn("pause for 19h", done.stderr)
        self.assertEqual(self.names(), [])
        self.export(bag, form="mkv")
        self.check_times(self.out / "raw.mkv", times)

    def test_messages_that_cannot_be_read(self):
        payloads = [raw(each, 0) for each in self.pictures]
        payloads[4] = payloads[4][:200]
        coded = [text(b"h264") + text(each) for each in videos()["h264"]]
        coded[8] = text(b"theora") + text(b"x")
        bag = self.bag({"/raw": (RAW, payloads), "/video": (VIDEO, coded)})
        self.assertRegex(self.export(bag, code=2).stderr, "/(raw|video) at 2023")
        self.assertEqual(self.names(), [])
        done = self.export(bag, "--json", "--on-error", "skip")
        self.assertIn("/raw: 1 message left out", done.stderr)
        self.assertIn("/video: 1 message left out", done.stderr)
        self.assertEqual([json.loads(line)["messages"] for line in done.stdout.splitlines()],
                         [23, 11])
        self.check_times(self.out / "raw.mp4", TIMES[:4] + TIMES[5:24])

    def test_damaged_frames_are_passed_on_or_left_out(self):
        random_ = random.Random(5)
        for form in "mp4", "mkv":
            topics = {}
            for name, frames in videos().items():
                payloads = [text(name.encode()) + text(frames[0])]
                for frame in frames[1:]:
                    changed = bytearray(frame)
                    for _ in range(random_.randrange(4)):
                        changed[random_.randrange(len(changed))] ^= 1 << random_.randrange(8)
                    cut = random_.randrange(len(changed)) if random_.random() < 0.2 else None
                    payloads.append(text(name.encode()) + text(bytes(changed[:cut])))
                topics[f"/{name}"] = (VIDEO, payloads)
            self.export(self.bag(topics), "--on-error", "skip", "--force", form=form)
            for name in videos():  # the container is sound, whatever is in it
                found = tool("ffprobe", "-v", "quiet", "-show_entries", "stream=codec_name", "-of",
                             "csv=p=0", self.out / f"{name}.{form}")
                self.assertEqual(found.decode().strip(), NAMES[name])

    def test_settings_of_the_encoder(self):
        bag = self.bag({"/raw": (RAW, [raw(each, 0) for each in self.pictures])})

        def size(*options):
            self.export(bag, "--force", *options)
            return (self.out / "raw.mp4").stat().st_size
        usual = size()
        self.assertEqual(usual, size("--crf", "20", "--preset", "medium"))
        self.assertLess(size("--crf", "40"), usual * 0.8)
        self.assertGreater(size("--preset", "ultrafast"), usual)
        for options in ["--crf", "52"], ["--preset", "best"]:
            self.export(bag, *options, code=2)
        done = self.export(bag, "--fields", "width", code=2)
        self.assertIn("fields are selected for tables", done.stderr)
        done = self.export(bag, "--crf", "30", code=2, form="parquet")
        self.assertIn("--crf and --preset are for --format mp4, mkv and lerobot", done.stderr)

    def test_topics_without_pictures_are_left_out_and_told(self):
        done = self.export("demo://?seconds=1", "--topics", "/camera/image", "/odom")
        self.assertIn("/odom has no pictures and no video; it is left out", done.stderr)
        self.assertEqual(self.names(), ["camera__image.mp4", "camera__image.times.csv"])
        done = self.export("demo://?seconds=1", "--topics", "/odom", "/imu", code=2)
        self.assertIn("none of the topics has pictures or a video", done.stderr)

    def test_existing_files_are_replaced_with_force_only(self):
        self.export(self.coded, "--topics", "/h264")
        self.assertIn("already exists", self.export(self.coded, "--topics", "/h264", code=2).stderr)
        self.export(self.coded, "--topics", "/h264", "--force")

    def test_a_full_disk_leaves_nothing(self):
        self.out.mkdir()
        limit = (f"ulimit -f 20; trap '' XFSZ; exec {program()} export demo://?seconds=20 "
                 f"--topics /camera/image --crf 0 --format mp4 -o {self.out}")
        done = subprocess.run(["sh", "-c", limit], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, rf"{self.out}/camera__image\.mp4: .*[Ff]ile too large")
        self.assertEqual(self.names(), [])

    def test_an_interrupt_leaves_nothing(self):
        self.out.mkdir()
        process = subprocess.Popen(
            [program(), "export", "demo://?seconds=100000", "--topics", "/camera/image", "--format",
             "mp4", "-o", self.out], stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 20
        while not any(self.out.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertTrue(any(self.out.iterdir()), "it has begun")
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 2)
        self.assertRegex(told, "interrupted")
        self.assertEqual(self.names(), [])

    def test_without_the_plugin(self):
        """The library finds its plugins beside itself."""
        with tempfile.TemporaryDirectory() as folder:
            for library in Path(program()).resolve().parent.glob("libkitbag.so.*"):
                shutil.copy(library, folder)
            done = subprocess.run(
                [program(), "export", self.coded, "-o", self.out, "--format", "mkv"],
                env={"LD_LIBRARY_PATH": folder}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(re.search("mkv cannot be written: the plugin export_video.so is not in .*; "
                                  "install the package kitbag-video, or libavcodec-dev, "
                                  "libavformat-dev and libswscale-dev and rebuild kitbag",
                                  done.stderr), done.stderr)


if __name__ == "__main__":
    peers.main()
