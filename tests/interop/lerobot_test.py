#!/usr/bin/env python3
"""`kitbag export --format lerobot`. LeRobot's own loader checks little, so what it relies on is
checked here, by NumPy and DuckDB: the rules of docs/datasets.md, and each value against what
`kitbag cat` prints."""

import base64
import bisect
import io
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import numpy  # noqa: E402
from PIL import Image  # noqa: E402

import column_stream  # noqa: E402
import duckdb_c  # noqa: E402
import peers  # noqa: E402
from peers import kitbag, program  # noqa: E402

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


class Lerobot(unittest.TestCase):
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
        self.assertEqual(list(data), list(info["features"]))
        for name, feature in info["features"].items():
            self.assertNotIn("/", name)
            self.assertIn("names", feature)
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
        return info, data

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

    def refused(self, sentence, config=CONFIG, bags=None, options=()):
        done = self.run_export(*(bags or self.bags[:1]), config=config, code=2, options=options)
        self.assertIn(sentence, done.stderr)
        self.assertFalse(self.out.exists() and any(self.out.iterdir()), "nothing is written")

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


if __name__ == "__main__":
    peers.main()
