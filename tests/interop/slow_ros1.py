#!/usr/bin/env python3
"""Subscribes to a topic of ROS 1 by rospy, and takes its time for each message:

    slow_ros1.py TOPIC SECONDS

Prints "message" for each, before it rests."""

import sys
import time

import rospy


def main():
    topic, rest_s = sys.argv[1], float(sys.argv[2])

    def take(_message):
        print("message", flush=True)
        time.sleep(rest_s)

    rospy.init_node("slow", anonymous=True)
    rospy.Subscriber(topic, rospy.AnyMsg, take)
    rospy.spin()


main()
