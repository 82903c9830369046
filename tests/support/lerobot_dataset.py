"""Datasets of LeRobot: LeRobot's own loader checks little, so what it relies on is checked here, by
NumPy, DuckDB and ffprobe."""

import bisect
import io
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy
from PIL import Image

import column_stream
import duckdb_c
from peers import kitbag, program

FPS = 7  # 1 / 7 s is no whole number of nanoseconds
CONFIG = f"""\
fps: {FPS}
robot_type: demo
task: drive around
features:
  observation.state:
    topic: /odom
    fields: [pose.pose.position.x, pose.pose.position.y, twist.twist.linear.x]
    names: [x, y, speed]
  observation.covariance:
    topic: /odom
    fields: [pose.covariance]
    dtype: float64
  action:
    topic: /battery
    fields: voltage
cameras:
  observation.images.front: /camera/image
"""
STATS = ("min", "max", "mean", "std", "q01", "q10", "q50", "q90", "q99")
OWN = ("timestamp", "frame_index", "episode_index", "index", "task_index")


def read_messages(bag, topic):
    return [(each["log_time_ns"], each["data"])
            for each in column_stream.messages(bag, "--topics", topic)]


def held(messages, time):
    """The last message that is not later."""
    return messages[bisect.bisect_right([each for each, _ in messages], time) - 1]


def dotted(data, path):
    for name in path.split("."):
        data = data[name]
    return data


class DatasetTest(unittest.TestCase):
    """Writes datasets, and reads them as LeRobot does."""

    @classmethod
    def setUpClass(cls):
        cls.duckdb = duckdb_c.Database(duckdb_c.library())
        cls.addClassCleanup(cls.duckdb.close)
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.bags = []
        for seed, seconds in ((7, 4), (8, 3)):
            cls.bags.append(cls.folder / f"run{seed}.bag")
            kitbag("convert", f"demo://?seconds={seconds}&seed={seed}", cls.bags[-1])

    def run_export(self, *bags, config=CONFIG, code=0, options=()):
        self.out = self.folder / self.id().rsplit(".", 1)[1]
        file = self.folder / "dataset.yaml"
        file.write_text(config)
        done = subprocess.run([program(), "export", *map(str, bags), "--format", "lerobot", "-o",
                               str(self.out), "--config", str(file), *options],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def table(self, path):
        """The columns of a Parquet file, as lists."""
        names = [row[0] for row in self.duckdb.query(
            f"SELECT column_name FROM (DESCRIBE SELECT * FROM read_parquet('{path}'))")]
        rows = self.duckdb.query(f"SELECT * FROM read_parquet('{path}')")
        return {name: [row[i] for row in rows] for i, name in enumerate(names)}

    def verify(self):
        """The rules that a reader relies on. Returns info.json and the columns of the data."""
        info = json.loads((self.out / "meta/info.json").read_text())
        self.assertEqual(info["codebase_version"], "v3.0")
        self.assertIs(type(info["fps"]), int)
        tasks = self.table(self.out / "meta/tasks.parquet")
        self.assertEqual(tasks["task_index"], list(range(info["total_tasks"])))
        self.check_pandas_index()
        data = self.table(self.out / "data/chunk-000/file-000.parquet")
        frames = info["total_frames"]
        self.assertEqual(data["index"], list(range(frames)))
        self.assertEqual(list(data), [name for name, feature in info["features"].items()
                                      if feature["dtype"] != "video"])
        for name, feature in info["features"].items():
            self.assertNotIn("/", name)
            self.assertIn("names", feature)
            if feature["dtype"] != "video":
                self.check_shape(name, feature, data[name])
        self.assertEqual(list(info["features"])[-5:], list(OWN))
        episodes = self.table(self.out / "meta/episodes/chunk-000/file-000.parquet")
        self.assertEqual(info["splits"], {"train": f"0:{info['total_episodes']}"})
        self.assertEqual(episodes["episode_index"], list(range(info["total_episodes"])))
        end = 0
        for i, length in enumerate(episodes["length"]):
            begin, end = episodes["dataset_from_index"][i], episodes["dataset_to_index"][i]
            self.assertEqual(end - begin, length)
            self.assertEqual(begin, 0 if i == 0 else episodes["dataset_to_index"][i - 1])
            self.assertEqual(data["episode_index"][begin:end], [i] * length)
            self.assertEqual(data["frame_index"][begin:end], list(range(length)))
            for k, timestamp in enumerate(data["timestamp"][begin:end]):
                self.assertEqual(numpy.float32(timestamp), numpy.float32(k / info["fps"]))
            texts = {tasks["task"][each] for each in data["task_index"][begin:end]}
            self.assertEqual(set(episodes["tasks"][i]), texts)
            for name in ("data/chunk_index", "data/file_index", "meta/episodes/chunk_index",
                         "meta/episodes/file_index"):
                self.assertEqual(episodes[name][i], 0)
            self.check_statistics(info, {name: values[begin:end] for name, values in data.items()},
                                  {name: values[i] for name, values in episodes.items()})
        self.assertEqual(end, frames)
        self.check_dataset_statistics(info, episodes)
        self.check_videos(info, episodes)
        return info, data

    def check_videos(self, info, episodes):
        """Frame k of a file is shown at k / fps, and an episode knows its frames by their times."""
        videos = [name for name, feature in info["features"].items()
                  if feature["dtype"] == "video"]
        self.assertEqual(info["video_path"] is not None, bool(videos))
        for name in videos:
            feature = info["features"][name]
            at = 0
            for i, length in enumerate(episodes["length"]):
                of = {key: episodes[f"videos/{name}/{key}"][i] for key in
                      ("chunk_index", "file_index", "from_timestamp", "to_timestamp")}
                self.assertEqual((of["chunk_index"], of["file_index"]), (0, 0))
                self.assertEqual(of["from_timestamp"], at / info["fps"])
                at += length
                self.assertEqual(of["to_timestamp"], at / info["fps"])
            path = self.out / info["video_path"].format(video_key=name, chunk_index=0,
                                                        file_index=0)
            told = json.loads(subprocess.run(
                ["ffprobe", "-v", "error", "-show_streams", "-show_frames", "-of", "json", path],
                capture_output=True, text=True, check=True).stdout)
            stream, = told["streams"]
            self.assertEqual([stream["height"], stream["width"], 3], feature["shape"])
            self.assertEqual((stream["codec_name"], stream["pix_fmt"]), ("h264", "yuv420p"))
            self.assertEqual(feature["info"]["video.codec"], "h264")
            rate, seconds = map(int, stream["avg_frame_rate"].split("/"))
            self.assertAlmostEqual(rate / seconds, info["fps"], delta=1e-3)
            self.assertEqual(len(told["frames"]), at)
            for k, frame in enumerate(told["frames"]):
                self.assertLess(abs(float(frame["pts_time"]) - k / info["fps"]), 1e-5)
            self.assertGreaterEqual(sum(frame["key_frame"] for frame in told["frames"]), at / 2)

    def check_pandas_index(self):
        """Pandas takes the text as the index only because the footer says so."""
        path = self.out / "meta/tasks.parquet"
        found = self.duckdb.query("SELECT decode(value) FROM parquet_kv_metadata"
                                  f"('{path}') WHERE decode(key) = 'pandas'")
        self.assertEqual(len(found), 1)
        told = json.loads(found[0][0])
        self.assertEqual(told["index_columns"], ["task"])
        self.assertEqual([each["name"] for each in told["columns"]], ["task_index", "task"])

    def check_shape(self, name, feature, values):
        self.assertNotIn(None, values, name)
        if feature["dtype"] == "image":
            self.assertEqual(feature["names"], ["height", "width", "channels"])
            for value in values:
                self.assertIsNone(value["path"])
                picture = Image.open(io.BytesIO(value["bytes"]))
                self.assertEqual((picture.format, [picture.height, picture.width, 3]),
                                 ("PNG", feature["shape"]))
        elif feature["shape"] == [1]:
            self.assertFalse(any(isinstance(value, list) for value in values), name)
        else:
            self.assertEqual({len(value) for value in values}, set(feature["shape"]), name)
            self.assertEqual(len(feature["names"]), feature["shape"][0])

    def check_statistics(self, info, data, episode):
        for name, feature in info["features"].items():
            found = {stat: numpy.array(episode[f"stats/{name}/{stat}"]) for stat in STATS}
            self.assertEqual(episode[f"stats/{name}/count"], [episode["length"]])
            if feature["dtype"] == "video":  # its frames are not exact
                self.assertEqual(found["min"].shape, (3, 1, 1))
                continue
            if feature["dtype"] == "image":
                rows = numpy.stack([numpy.asarray(Image.open(io.BytesIO(value["bytes"])))
                                    for value in data[name]]) / 255
                rows = rows.reshape(-1, 3)
                self.assertEqual(found["min"].shape, (3, 1, 1))
            else:
                rows = numpy.array(data[name], dtype=float).reshape(episode["length"], -1)
            wanted = {"min": rows.min(0), "max": rows.max(0), "mean": rows.mean(0),
                      "std": rows.std(0)}
            for stat in STATS[4:]:
                wanted[stat] = numpy.quantile(rows, int(stat[1:]) / 100, axis=0)
            for stat in STATS:
                numpy.testing.assert_allclose(found[stat].ravel(), wanted[stat], rtol=1e-6,
                                              atol=1e-7, err_msg=f"{name} {stat}")

    def check_dataset_statistics(self, info, episodes):
        stats = json.loads((self.out / "meta/stats.json").read_text())
        self.assertEqual(list(stats), list(info["features"]))
        counts = numpy.array(episodes["length"], dtype=float)
        for name in stats:
            of = {stat: numpy.array([numpy.ravel(each)
                                     for each in episodes[f"stats/{name}/{stat}"]])
                  for stat in STATS}
            mean = (of["mean"] * counts[:, None]).sum(0) / counts.sum()
            spread = of["std"] ** 2 + (of["mean"] - mean) ** 2
            wanted = {"mean": mean,
                      "std": numpy.sqrt((spread * counts[:, None]).sum(0) / counts.sum())}
            for stat in ("min", "q01", "q10", "q50"):
                wanted[stat] = of[stat].min(0)
            for stat in ("max", "q90", "q99"):
                wanted[stat] = of[stat].max(0)
            for stat in STATS:
                numpy.testing.assert_allclose(numpy.ravel(stats[name][stat]), wanted[stat],
                                              rtol=1e-9, atol=1e-12)
            self.assertEqual(stats[name]["count"], [counts.sum()])

    def check_episode(self, data, begin, bag, first=None, last=None):
        """Each row has the last messages at its time. Returns how many rows there are."""
        streams = {topic: [each for each in read_messages(bag, topic)
                           if (first is None or each[0] >= first) and
                           (last is None or each[0] < last)]
                   for topic in ("/odom", "/battery", "/camera/image")}
        start = max(messages[0][0] for messages in streams.values())
        end = max(messages[-1][0] for messages in streams.values())
        row = 0
        while (time := start + (row * 10**9 + FPS // 2) // FPS) <= end:
            _, odom = held(streams["/odom"], time)
            self.assertEqual(data["observation.state"][begin + row],
                             [float(numpy.float32(dotted(odom, path))) for path in
                              ("pose.pose.position.x", "pose.pose.position.y",
                               "twist.twist.linear.x")])
            self.assertEqual(data["observation.covariance"][begin + row],
                             odom["pose"]["covariance"])
            _, battery = held(streams["/battery"], time)
            self.assertEqual(data["action"][begin + row], float(numpy.float32(battery["voltage"])))
            row += 1
        return row

    def refused(self, sentence, config=CONFIG, bags=None, options=()):
        done = self.run_export(*(bags or self.bags[:1]), config=config, code=2, options=options)
        self.assertIn(sentence, done.stderr)
        self.assertFalse(self.out.exists() and any(self.out.iterdir()), "nothing is written")
