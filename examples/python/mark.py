"""Copies a bag and adds to it: a message of a dataclass wherever the robot is slow, and messages of
its IMU without gravity."""

import sys
from dataclasses import dataclass

import kitbag

LIMIT = 0.4  # m/s


@dataclass
class Slow:
    x: float
    y: float
    limit: float


if len(sys.argv) != 3:
    sys.exit("usage: mark.py BAG TARGET")

source, target = sys.argv[1:]
count = 0
with kitbag.open(source) as bag, kitbag.create(target) as writer:
    for message in bag:
        writer.write(message.topic, message)
        if message.topic == "/odom" and abs(message.data.twist.twist.linear.x) < LIMIT:
            position = message.data.pose.pose.position
            writer.write("/slow", Slow(position.x, position.y, LIMIT), message.time)
            count += 1
        elif message.topic == "/imu":
            data = kitbag.as_dict(message)
            data["linear_acceleration"]["z"] -= 9.81
            writer.write("/imu/flat", data, message.time, type=bag["/imu"])
print(f"{count} messages added to /slow")
