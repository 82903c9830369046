#!/usr/bin/python3
"""Debian's Python messages: the codec benchmark's peer; arguments as those of kitbag_codec."""

import importlib
import json
import sys
import time
from pathlib import Path

TYPES = {"image": "sensor_msgs/Image", "cloud": "sensor_msgs/PointCloud2",
         "scan": "sensor_msgs/LaserScan", "odometry": "nav_msgs/Odometry",
         "transforms": "tf2_msgs/TFMessage"}
SECONDS = 0.5  # of processor time


def class_of(name):
    package, short = name.split("/")
    return getattr(importlib.import_module(f"{package}.msg"), short)


def plain(value):
    """What json takes; bytes as the list that kitbag writes base64 for would cost more."""
    if hasattr(value, "__slots__"):
        return {name: plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, bytes):
        return value.decode("latin-1")
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def main():
    kind, path, phase = sys.argv[1:]
    payload = Path(path).read_bytes()
    message = class_of(TYPES[kind])()
    messages = written = 0
    wall, begin = time.perf_counter(), time.process_time()
    while time.process_time() - begin < SECONDS:
        message.deserialize(payload)
        if phase == "json":
            written += len(json.dumps(plain(message)))
        messages += 1
    print(json.dumps({"messages": messages, "sum": len(payload),
                      "bytes": written if phase == "json" else messages * len(payload),
                      "cpu_s": time.process_time() - begin,
                      "wall_s": time.perf_counter() - wall}))


main()
