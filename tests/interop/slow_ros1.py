#!/usr/bin/env python3
"""Subscribes to a topic of ROS 1 by rospy, and takes one message, but no other until a file exists:

    slow_ros1.py TOPIC FILE

Prints "message" for each."""

import sys
import time
from pathlib import Path

import rospy


def main():
    topic, file = sys.argv[1], Path(sys.argv[2])

    def take(_message):
        print("message", flush=True)
        while not file.exists():
            time.sleep(0.01)

    rospy.init_node("slow", anonymous=True)
    rospy.Subscriber(topic, rospy.AnyMsg, take)
    rospy.spin()


main()
