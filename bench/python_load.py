#!/usr/bin/python3
"""Python programs that read and write bags, as a side of `./dev bench`: with kitbag, and with
Debian's rosbag. Both sides run in Debian's Python, and loops that are compared do the same to each
message.

rosbag reads the first 20,000 of the 1,000,000 messages, which lie in a bag of their own, all of it
with opening; its seconds are then counted fifty times. So its figures are what a million messages
take if each takes as long as these do.

* raw: topic, time and payload of all messages by time.
* columns: five fields of nav_msgs/Odometry and the time as arrays. What is imported was before.
* fields: one field, deep in it, of each message.
* same: the loop of `fields`, written for rosbag; kitbag's side runs it with kitbag.rosbag.
* write: 100,000 Odometry, of dicts for kitbag and of messages for rosbag, which are made meanwhile.
* write_same: the loop of `write`, written for rosbag.
* import: what `import` adds to an interpreter that does nothing, with what is compiled in caches as
  packages install it.

usage: python_load.py BUILD SIDE KIND FORMAT FILE PHASE"""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

MESSAGES = 1_000_000
PART = 20_000
WRITTEN = 100_000
IMPORTS = 15
START_NS = 1_700_000_000 * 10**9
FIELDS = ["pose.pose.position.x", "pose.pose.position.y", "pose.pose.orientation.z",
          "pose.pose.orientation.w", "twist.twist.linear.x"]
COVARIANCE = [0.1 * i for i in range(36)]


# --- the bags that are read; kitbag writes them

def payloads(kind, kitbag):
    """(topic, type, definition) of the topics, and a function that gives the topic and the payload
    of a message by its number."""
    if kind == "small":
        topics = [(f"/topic{i}", "std_msgs/String", "string data\n") for i in range(10)]
        payload = (96).to_bytes(4, "little") + b"x" * 96
        return topics, lambda i: (f"/topic{i % 10}", payload)
    with kitbag.open("demo://?seconds=1") as robot:
        odom = robot["/odom"]
        topics = [("/odom", odom.type, odom.definition)]
        several = [bytes(message.raw) for message in odom]
    return topics, lambda i: ("/odom", several[i % len(several)])


def prepare(kitbag, kind, format_, path):
    if path.exists():
        return
    topics, message = payloads(kind, kitbag)
    for target, count in ((path, MESSAGES), (part_of(path), PART)):
        with kitbag.create(target, format=format_) as writer:
            for topic, type_, definition in topics:
                writer.topic(topic, type_, definition, encoding="ros1", language="ros1msg")
            for i in range(count):
                topic, payload = message(i)
                writer.write(topic, payload, START_NS + i * 1000)


def part_of(path):
    return path.with_suffix(".part.bag")


# --- kitbag

class Kitbag:
    messages = MESSAGES

    def __init__(self):
        import kitbag
        self.kitbag = kitbag

    def bag(self, path):
        return path

    def raw(self, path):
        seen = 0
        for message in self.kitbag.open(path).read():
            seen += len(message.topic) + len(message.raw) + (message.time & 1)
        return seen

    def columns(self, path):
        return self.kitbag.open(path).to_numpy("/odom", FIELDS)["pose.pose.position.x"].sum()

    def fields(self, path):
        x = 0
        for message in self.kitbag.open(path).read():
            x += message.data.pose.pose.position.x
        return x

    def same(self, path):
        import kitbag.rosbag
        return loop_of_rosbag(kitbag.rosbag, path)

    def write(self, path):
        with self.kitbag.open("demo://?seconds=1") as robot:
            definition = robot["/odom"].definition
        with self.kitbag.create(path, format="rosbag") as writer:
            writer.topic("/odom", "nav_msgs/Odometry", definition)
            for i in range(WRITTEN):
                writer.write("/odom", odometry_dict(i), START_NS + i * 1000)
        return WRITTEN

    def write_same(self, path):
        import kitbag.rosbag
        return write_with_rosbag(kitbag.rosbag, path)


def odometry_dict(i):
    return {"header": {"stamp": START_NS + i * 1000, "frame_id": "odom"},
            "child_frame_id": "base_link",
            "pose": {"pose": {"position": {"x": i * 0.5, "y": 1.0, "z": 0.0},
                              "orientation": {"x": 0.0, "y": 0.0, "z": 0.0, "w": 1.0}},
                     "covariance": COVARIANCE},
            "twist": {"twist": {"linear": {"x": 1.5}}, "covariance": COVARIANCE}}


# --- rosbag

def loop_of_rosbag(rosbag, path):
    x = 0
    with rosbag.Bag(str(path)) as bag:
        for _, message, _ in bag.read_messages():
            x += message.pose.pose.position.x
    return x


def write_with_rosbag(rosbag, path):
    with rosbag.Bag(str(path), "w") as bag:
        for i in range(WRITTEN):
            message = odometry_message(i)
            bag.write("/odom", message, message.header.stamp)
    return WRITTEN


def odometry_message(i):
    from genpy import Time
    from nav_msgs.msg import Odometry
    message = Odometry()
    message.header.stamp = Time(START_NS // 10**9, i * 1000)
    message.header.frame_id = "odom"
    message.child_frame_id = "base_link"
    message.pose.pose.position.x = i * 0.5
    message.pose.pose.position.y = 1.0
    message.pose.pose.orientation.w = 1.0
    message.pose.covariance = COVARIANCE
    message.twist.twist.linear.x = 1.5
    message.twist.covariance = COVARIANCE
    return message


class Rosbag:
    messages = PART

    def __init__(self):
        import rosbag
        self.rosbag = rosbag

    def bag(self, path):
        return part_of(path)

    def raw(self, path):
        seen = 0
        with self.rosbag.Bag(path) as bag:
            for topic, (_, payload, *_), stamp in bag.read_messages(raw=True):
                seen += len(topic) + len(payload) + (stamp.to_nsec() & 1)
        return seen

    def columns(self, path):
        import numpy
        rows = []
        with self.rosbag.Bag(path) as bag:
            for _, message, stamp in bag.read_messages():
                pose = message.pose.pose
                rows.append((stamp.to_nsec(), pose.position.x, pose.position.y, pose.orientation.z,
                             pose.orientation.w, message.twist.twist.linear.x))
        columns = [numpy.array(column) for column in zip(*rows)]
        return columns[1].sum()

    def fields(self, path):
        return loop_of_rosbag(self.rosbag, path)

    same = fields

    def write(self, path):
        return write_with_rosbag(self.rosbag, path)

    write_same = write


# --- what is measured

def import_times(module, build, folder):
    """Seconds that importing adds, by the wall and of the processor: medians of processes that
    import, and of those that do nothing, in turn."""
    environment = {**os.environ, "PYTHONPATH": str(build / "python"),
                   "PYTHONPYCACHEPREFIX": str(folder / "pycache")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    seconds = {f"import {module}": [], "pass": []}
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True, env=environment)
    for _ in range(IMPORTS):
        for program, taken in seconds.items():
            wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", program], check=True, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append((time.perf_counter() - wall, after.ru_utime + after.ru_stime
                          - before.ru_utime - before.ru_stime))
    walls, cpus = ([statistics.median(pair[i] for pair in taken) for taken in seconds.values()]
                   for i in (0, 1))
    return walls[0] - walls[1], cpus[0] - cpus[1]


def main():
    build, side, kind, format_, path, phase = sys.argv[1:]
    build, path = Path(build), Path(path)
    if side == "kitbag":
        sys.path.insert(0, str(build / "python"))
    if phase == "import":
        wall, cpu = import_times(side, build, path.parent)
        print(json.dumps({"messages": 1, "wall_s": wall, "cpu_s": cpu}))
        return
    program = Kitbag() if side == "kitbag" else Rosbag()
    if phase == "prepare":
        prepare(program.kitbag, kind, format_, path)
        return
    import numpy  # noqa: F401
    is_written = phase.startswith("write")
    count = WRITTEN if is_written else program.messages
    times = WRITTEN / count if is_written else MESSAGES / count
    wall, cpu = time.perf_counter(), time.process_time()
    done = getattr(program, phase)(path if is_written else program.bag(path))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    if not done:
        raise SystemExit("there was nothing to do")
    print(json.dumps({"messages": round(count * times), "wall_s": wall * times,
                      "cpu_s": cpu * times}))


main()
