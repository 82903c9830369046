"""How far a robot has driven, and how fast: odometry as NumPy arrays."""

import sys

import numpy as np

import kitbag

if len(sys.argv) != 2:
    sys.exit("usage: distance.py BAG")

with kitbag.open(sys.argv[1]) as bag:
    odom = bag.to_numpy("/odom", ["pose.pose.position.x", "pose.pose.position.y"])

steps = np.hypot(np.diff(odom["pose.pose.position.x"]), np.diff(odom["pose.pose.position.y"]))
seconds = np.diff(odom["time"]) / np.timedelta64(1, "s")
print(f"{steps.sum():.2f} m, at most {(steps / seconds).max():.2f} m/s")
