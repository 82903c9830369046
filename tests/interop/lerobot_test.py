#!/usr/bin/env python3
"""`kitbag export --format lerobot`: the rules of docs/datasets.md, and each value against what
`kitbag cat` prints."""

import base64
import io
import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import numpy  # noqa: E402
from PIL import Image  # noqa: E402

import peers  # noqa: E402
import videos  # noqa: E402
from lerobot_dataset import CONFIG, FPS, DatasetTest, dotted, held, read_messages  # noqa: E402
from mcap_file import McapFile  # noqa: E402
from peers import kitbag, need, program  # noqa: E402


FILM_NS = 1_700_000_000 * 10**9
FILM = """\
fps: 10
task: watch
features:
  observation.number: {{topic: /number, fields: data, dtype: float64}}
cameras:
  observation.images.front: {{topic: /film, sampling: {sampling}}}
"""


class Lerobot(DatasetTest):
    def test_each_bag_is_an_episode(self):
        done = self.run_export(*self.bags)
        info, data = self.verify()
        self.assertEqual((info["total_episodes"], info["fps"], info["robot_type"]),
                         (2, FPS, "demo"))
        self.assertEqual(info["features"]["observation.state"],
                         {"dtype": "float32", "shape": [3], "names": ["x", "y", "speed"]})
        self.assertEqual(info["features"]["observation.covariance"]["names"][35],
                         "pose.covariance[35]")
        first = self.check_episode(data, 0, self.bags[0])
        second = self.check_episode(data, first, self.bags[1])
        self.assertEqual(first + second, info["total_frames"])
        self.assertIn(" in 5 files, ", done.stdout)
        self.assertIn("action: a message of /battery is used for up to ", done.stderr)

    def test_pictures_are_those_of_the_bag(self):
        self.run_export(self.bags[1])
        _, data = self.verify()
        images = read_messages(self.bags[1], "/camera/image")
        start = max(read_messages(self.bags[1], topic)[0][0]
                    for topic in ("/odom", "/battery", "/camera/image"))
        for row in (0, 5, 12):
            _, image = held(images, start + (row * 10**9 + FPS // 2) // FPS)
            picture = Image.open(io.BytesIO(data["observation.images.front"][row]["bytes"]))
            raw = numpy.frombuffer(base64.b64decode(image["data"]), dtype=numpy.uint8)
            raw = raw.reshape(image["height"], image["width"], -1)
            shown = numpy.asarray(picture)
            if image["encoding"] == "bgr8":
                raw = raw[:, :, ::-1]
            self.assertTrue((shown == raw).all())

    def test_episodes_by_time(self):
        config = CONFIG + """\
episodes:
  - {start: +0.5s, end: +2s, task: turn left}
  - {start: +2s, end: +3.5s}
"""
        self.run_export(self.bags[0], config=config)
        info, data = self.verify()
        self.assertEqual((info["total_episodes"], info["total_tasks"]), (2, 2))
        begin = json.loads(kitbag("cat", self.bags[0], "--count", "1"))["log_time_ns"]
        rows = 0
        for first, last in ((5, 20), (20, 35)):
            rows += self.check_episode(data, rows, self.bags[0], begin + first * 10**8,
                                       begin + last * 10**8)
        self.assertEqual(rows, info["total_frames"])

    def test_descriptions_that_are_wrong(self):
        def replaced(old, new):
            self.assertIn(old, CONFIG)
            return CONFIG.replace(old, new)

        self.refused('line 2: the description has no key "robot_typ"; similar: robot_type',
                     replaced("robot_type:", "robot_typ:"))
        self.refused('"fps" is to be a whole number', replaced("fps: 7", "fps: 29.97"))
        self.refused('observation.state has no key "topics"; similar: topic',
                     replaced("    topic: /odom\n    fields: [pose.pose",
                              "    topics: /odom\n    fields: [pose.pose"))
        self.refused("there is no topic /batery; similar: /battery",
                     replaced("/battery", "/batery"))
        self.refused("voltage", replaced("fields: voltage", "fields: voltag"))
        self.refused("/rosout has no pictures", replaced("/camera/image", "/rosout"))
        self.refused("3 values", replaced("[x, y, speed]", "[x, y]"))
        self.refused("there is no dtype float16", replaced("float64", "float16"))
        self.refused('needs "task"', replaced("task: drive around\n", ""))
        self.refused("is not an integer of 32 bits",
                     replaced("    fields: voltage", "    fields: voltage\n    dtype: int32"))
        self.refused("LeRobot takes observation.image_state for a camera",
                     replaced("observation.state", "observation.image_state"))
        self.refused("dataset.yaml: line 4: ", replaced("task: drive around", "task: [drive"))
        self.refused("there are no messages in episode 0",
                     CONFIG + "episodes: [{start: +50s, end: +60s}]\n")
        self.refused("episode 1 ends before it begins, or begins before the end of the one before",
                     CONFIG + "episodes: [{start: +0s, end: +2s}, {start: +1s, end: +3s}]\n")

    def test_an_episode_without_a_topic_is_told(self):
        bag = self.folder / "blind.bag"
        kitbag("convert", "-f", self.bags[1], bag, "--exclude", "/camera/image")
        self.refused("episode 1 (blind.bag) has no message of /camera/image; leave it out",
                     bags=[self.bags[0], bag])

    def test_a_bag_that_is_named_twice_is_no_episode(self):
        self.refused("a message comes after later ones", bags=[self.bags[1], self.bags[1]])

    def test_options_that_do_not_fit(self):
        self.refused("cannot hold messages that cannot be decoded",
                     options=("--on-error", "raw"))
        done = subprocess.run([program(), "export", self.bags[0], "-o", self.folder / "x",
                               "--format", "lerobot"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("requires --config FILE", done.stderr)

    def test_cameras_as_videos(self):
        need(shutil.which("ffmpeg"), "ffmpeg is not installed")
        need((Path(program()).parent / "plugins/export_video.so").exists(),
             "the plugin export_video is not built")
        self.run_export(*self.bags)
        images, as_images = self.verify()
        of_images = json.loads((self.out / "meta/stats.json").read_text())
        shutil.rmtree(self.out)
        camera = "observation.images.front"
        config = CONFIG.replace(f"{camera}: /camera/image",
                                f"{camera}: {{topic: /camera/image, dtype: video}}")
        done = self.run_export(*self.bags, config=config, options=("--crf", "12"))
        self.assertIn(" in 6 files, ", done.stdout)
        info, data = self.verify()
        self.assertEqual(info["total_frames"], images["total_frames"])
        self.assertEqual(data["observation.state"], as_images["observation.state"])
        self.assertEqual(json.loads((self.out / "meta/stats.json").read_text()), of_images)
        height, width, _ = info["features"][camera]["shape"]
        frames = numpy.frombuffer(subprocess.run(
            ["ffmpeg", "-v", "error", "-i", self.out / f"videos/{camera}/chunk-000/file-000.mp4",
             "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True, check=True).stdout,
            dtype=numpy.uint8).reshape(-1, height, width, 3)
        for row, frame in enumerate(frames):
            shown = numpy.asarray(Image.open(io.BytesIO(as_images[camera][row]["bytes"])))
            self.assertLess(numpy.abs(shown.astype(int) - frame).mean(), 4, row)
        shutil.rmtree(self.out)
        self.refused("the dataset has no camera as a video", options=("--crf", "12"))

    def film(self, first=0):
        """A bag with a picture of a video and a number ten times a second, from frame `first`."""
        path = self.folder / "film.mcap"
        file = McapFile(path)
        camera = file.channel("/film", "ros1", "foxglove_msgs/CompressedVideo", "ros1msg",
                              "string format\nuint8[] data\n")
        number = file.channel("/number", "ros1", "std_msgs/Float64", "ros1msg", "float64 data\n")
        text = b"\x04\x00\x00\x00h264"
        for i, frame in enumerate(videos.videos()["h264"]):
            time = FILM_NS + i * 10**8
            file.message(number, time, struct.pack("<d", i))
            if i >= first:
                file.message(camera, time, text + struct.pack("<I", len(frame)) + frame)
        file.close()
        return path

    def check_film(self, data, frames):
        self.assertEqual(data["observation.number"], list(frames))
        for row, frame in enumerate(frames):
            png = Image.open(io.BytesIO(data["observation.images.front"][row]["bytes"]))
            self.assertEqual(png.size, (videos.WIDTH, videos.HEIGHT))
            self.assertLess(abs(numpy.asarray(png).mean() - 20 * frame), 6, (row, frame))

    def test_a_camera_that_is_a_video_in_the_bag(self):
        need((Path(program()).parent / "plugins/video_libav.so").exists(),
             "the plugin for video is not built")
        film = self.film()
        for sampling in "last", "nearest":
            self.run_export(film, config=FILM.format(sampling=sampling))
            self.check_film(self.verify()[1], range(videos.FRAMES))
            shutil.rmtree(self.out)
        # An episode begins at any frame, since those before it are decoded too.
        episodes = "episodes: [{start: +0.3s, end: +0.6s}, {start: +0.8s, end: +1.2s}]\n"
        self.run_export(film, config=FILM.format(sampling="last") + episodes)
        self.check_film(self.verify()[1], [3, 4, 5, 8, 9, 10, 11])
        shutil.rmtree(self.out)
        done = self.run_export(self.film(first=3), config=FILM.format(sampling="last"))
        self.check_film(self.verify()[1], range(videos.KEYS[1], videos.FRAMES))
        self.assertIn("frames of /film without their key frame are left out: 3", done.stderr)

    def test_nearest_and_interpolated(self):
        config = f"""\
fps: {FPS}
task: drive around
features:
  action.near: {{topic: /odom, fields: pose.pose.position.x, sampling: nearest, dtype: float64}}
  action.line:
    topic: /odom
    fields: [pose.pose.position.x, pose.pose.position.y]
    sampling: interpolate
    dtype: float64
  action.last: {{topic: /odom, fields: pose.pose.position.x, dtype: float64}}
  observation.voltage: {{topic: /battery, fields: voltage, sampling: interpolate, dtype: float64}}
cameras:
  observation.images.front: {{topic: /camera/image, sampling: nearest}}
"""
        done = self.run_export(self.bags[0], config=config)
        info, data = self.verify()
        self.assertIn("observation.voltage: messages of /battery with rows between them are up to "
                      "1s apart", done.stderr)
        topics = {topic: read_messages(self.bags[0], topic)
                  for topic in ("/odom", "/battery", "/camera/image")}
        start = max(messages[0][0] for messages in topics.values())
        odom = topics["/odom"]
        times = numpy.array([time for time, _ in odom]) - start
        x, y = (numpy.array([message["pose"]["pose"]["position"][axis] for _, message in odom])
                for axis in "xy")
        voltage = numpy.array([message["voltage"] for _, message in topics["/battery"]])
        battery = numpy.array([time for time, _ in topics["/battery"]]) - start
        images = numpy.array([time for time, _ in topics["/camera/image"]]) - start
        differ = 0
        for row in range(info["total_frames"]):
            time = (row * 10**9 + FPS // 2) // FPS
            self.assertEqual(data["action.near"][row], x[numpy.abs(times - time).argmin()])
            self.assertEqual(data["action.last"][row],
                             held(odom, start + time)[1]["pose"]["pose"]["position"]["x"])
            differ += data["action.near"][row] != data["action.last"][row]
            line = [numpy.interp(time, times, axis) for axis in (x, y)]
            numpy.testing.assert_allclose(data["action.line"][row], line, rtol=1e-12)
            # A float32, which is printed with the digits that it has.
            numpy.testing.assert_allclose(data["observation.voltage"][row],
                                          numpy.interp(time, battery, voltage), rtol=1e-7)
            image = topics["/camera/image"][numpy.abs(images - time).argmin()][1]
            raw = numpy.frombuffer(base64.b64decode(image["data"]), dtype=numpy.uint8)
            shown = numpy.asarray(Image.open(io.BytesIO(
                data["observation.images.front"][row]["bytes"])))
            self.assertTrue((raw.reshape(shown.shape) == shown).all(), row)
        self.assertGreater(differ, 0)

    def events(self, *events):
        """A bag of messages on /episode: pairs of milliseconds and JSON."""
        begin = json.loads(kitbag("cat", self.bags[0], "--count", "1"))["log_time_ns"]
        path = self.folder / "events.mcap"
        file = McapFile(path)
        channel = file.channel("/episode", "json")
        for ms, event in events:
            file.message(channel, begin + ms * 10**6, json.dumps(event).encode())
        file.close()
        return path, begin

    def test_episodes_by_messages(self):
        config = CONFIG.replace("fields: voltage", "fields: voltage\n    sampling: last") + """\
episodes:
  topic: /episode
  start: state == "begin"
  end: state == "end"
  task_field: task
"""
        bag, begin = self.events(
            (100, {"state": "end", "task": ""}), (200, {"state": "begin", "task": "turn left"}),
            (1700, {"state": "other", "task": ""}), (2000, {"state": "end", "task": ""}),
            (2100, {"state": "begin", "task": ""}), (3500, {"state": "end", "task": ""}))
        done = self.run_export(self.bags[0], bag, config=config)
        self.assertIn("/episode: ends of episodes that have not begun: 1", done.stderr)
        info, data = self.verify()
        self.assertEqual((info["total_episodes"], info["total_tasks"]), (2, 2))
        rows = 0
        for first, last in ((200, 2000), (2100, 3500)):
            rows += self.check_episode(data, rows, self.bags[0], begin + first * 10**6,
                                       begin + last * 10**6)
        self.assertEqual(rows, info["total_frames"])
        tasks = self.table(self.out / "meta/tasks.parquet")
        self.assertEqual(tasks["task"], ["turn left", "drive around"])
        # Without an end, an episode goes on to the next start, the last one to its last message.
        shutil.rmtree(self.out)
        self.run_export(self.bags[0], bag, config=config.replace('  end: state == "end"\n', ""))
        info, data = self.verify()
        rows = 0
        for first, last in ((200, 2100), (2100, 9000)):
            rows += self.check_episode(data, rows, self.bags[0], begin + first * 10**6,
                                       begin + last * 10**6)
        self.assertEqual(rows, info["total_frames"])
        shutil.rmtree(self.out)
        bags = [self.bags[0], bag]
        self.refused('no message of /episode begins an episode: state == "go"',
                     config.replace('"begin"', '"go"'), bags)
        self.refused("there is no topic /episod; similar: /episode",
                     config.replace("topic: /episode", "topic: /episod"), bags)
        self.refused("line ", config.replace('state == "begin"', "state =="), bags)
        self.refused("both the start and the end",
                     config.replace('end: state == "end"', 'end: state == "begin"'), bags)
        self.refused("has no message of /battery; leave it out",
                     config.replace('"end"', '"other"').replace('"begin"', '"end"'), bags)

    def test_samplings_that_are_wrong(self):
        odd = CONFIG.replace("fields: voltage", "fields: voltage\n    sampling: {}")
        self.refused('action has no sampling "next"; there are last, nearest, interpolate',
                     odd.format("next"))
        self.refused("what is interpolated is float32 or float64",
                     odd.format("interpolate\n    dtype: int32"))
        camera = CONFIG.replace("front: /camera/image", "front: {topic: /camera/image, %s}")
        self.refused('no sampling "interpolate"; there are last, nearest',
                     camera % "sampling: interpolate")
        self.refused("a camera has no dtype film; there are image, video", camera % "dtype: film")


if __name__ == "__main__":
    peers.main()
