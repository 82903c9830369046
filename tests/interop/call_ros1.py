#!/usr/bin/env python3
"""Calls a service of ROS 1 by rospy, with the definition's sum from genmsg:

    call_ros1.py SERVICE set_bool true|false
    call_ros1.py SERVICE trigger FILE [TOPIC...]

SERVICE may be "*/name": the one whose name ends so. Prints "SUCCESS MESSAGE"."""

import struct
import sys
import time

import genpy
import rosgraph
import rospy
from genmsg import gentools, msg_loader

DEFINITIONS = {
    "set_bool": ("std_srvs/SetBool", "bool data\n---\nbool success\nstring message\n"),
    "trigger": ("rosbag_snapshot_msgs/TriggerSnapshot",
                "string filename\nstring[] topics\ntime start_time\ntime stop_time\n---\n"
                "bool success\nstring NO_DATA=no messages buffered on selected topics\n"
                "string message\n"),
}


class Bytes(genpy.Message):
    """A request or reply as it is."""

    __slots__ = ["data"]
    _slot_types = ["string"]
    _type = "test/Bytes"

    def __init__(self, data=b""):
        super().__init__()
        self.data = data

    def serialize(self, into):
        into.write(self.data)

    def deserialize(self, data):
        self.data = data
        return self


def service_class(kind):
    name, text = DEFINITIONS[kind]
    context = msg_loader.MsgContext.create_default()
    spec = msg_loader.load_srv_from_string(context, text, name)
    return type("Service", (), {"_type": name, "_md5sum": gentools.compute_md5(context, spec),
                                "_request_class": Bytes, "_response_class": Bytes})


def text(value):
    data = value.encode()
    return struct.pack("<I", len(data)) + data


def find(pattern):
    if not pattern.startswith("*"):
        return pattern
    for _ in range(600):
        services = rosgraph.Master("/finder").getSystemState()[2]
        for name, _nodes in services:
            if name.endswith(pattern[1:]):
                return name
        time.sleep(0.1)
    raise SystemExit(f"no service {pattern}")


def main():
    pattern, kind, *values = sys.argv[1:]
    service = find(pattern)
    rospy.wait_for_service(service, timeout=60)
    if kind == "set_bool":
        request = struct.pack("<?", values[0] == "true")
    else:
        request = text(values[0]) + struct.pack("<I", len(values) - 1)
        request += b"".join(map(text, values[1:])) + bytes(16)
    reply = rospy.ServiceProxy(service, service_class(kind))(request).data
    size, = struct.unpack_from("<I", reply, 1)
    print(bool(reply[0]), reply[5:5 + size].decode())


main()
