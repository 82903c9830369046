#!/usr/bin/python3
"""rosbag's Python: the columns benchmark's peer; arguments as those of kitbag_columns."""

import json
import sys
import time

import rosbag

MESSAGES = 20_000


def main():
    _, path, _ = sys.argv[1:]
    columns = [], [], [], []
    wall, begin = time.perf_counter(), time.process_time()
    with rosbag.Bag(path) as bag:
        for _, message, _ in bag.read_messages():
            columns[0].append(message.header.stamp.to_nsec())
            columns[1].append(message.pose.pose.position.x)
            columns[2].append(message.pose.pose.position.y)
            columns[3].append(message.twist.twist.linear.x)
            if len(columns[0]) == MESSAGES:
                break
    print(json.dumps({"messages": MESSAGES, "sum": 0, "bytes": 0,
                      "cpu_s": time.process_time() - begin,
                      "wall_s": time.perf_counter() - wall, "peak_bytes": 0}))


main()
