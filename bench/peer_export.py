#!/usr/bin/python3
"""rosbag's Python, which writes CSV: the export benchmark's peer; arguments as those of
kitbag_columns."""

import csv
import json
import os
import sys
import time

import rosbag

MESSAGES = 20_000


def leaves(value):
    """All values of a message, in their order."""
    if hasattr(value, "__slots__"):
        for name in value.__slots__:
            yield from leaves(getattr(value, name))
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from leaves(each)
    else:
        yield value


def main():
    _, path, _ = sys.argv[1:]
    written = 0
    wall, begin = time.perf_counter(), time.process_time()
    with rosbag.Bag(path) as bag, open(f"{path}.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        for _, message, stamp in bag.read_messages():
            writer.writerow([stamp.to_nsec(), *leaves(message)])
            written += 1
            if written == MESSAGES:
                break
    print(json.dumps({"messages": written, "sum": 0, "bytes": os.path.getsize(f"{path}.csv"),
                      "cpu_s": time.process_time() - begin,
                      "wall_s": time.perf_counter() - wall, "peak_bytes": 0}))
    os.remove(f"{path}.csv")


main()
