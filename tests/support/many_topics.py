"""MCAP files with as many topics as wanted, written here: each has one message."""

import struct

MAGIC = b"\x89MCAP0\r\n"


def text(value):
    value = value.encode()
    return struct.pack("<I", len(value)) + value


def record(opcode, content):
    return struct.pack("<BQ", opcode, len(content)) + content


def write(path, topics, per_topic=1, first=0, types=1):
    """`types`: this many schemas, in turn."""
    with open(path, "wb") as file:
        file.write(MAGIC + record(1, text("") + text("test")))
        for schema in range(types):
            file.write(record(3, struct.pack("<H", schema + 1) + text(f"test_msgs/msg/T{schema}")
                              + text("ros2msg") + text(f"int8 x{schema}\n")))
        # A channel's id has 16 bits.
        for topic in range(topics):
            file.write(record(4, struct.pack("<HH", topic, topic % types + 1)
                              + text(f"/topic/{first + topic}") + text("cdr")
                              + struct.pack("<I", 0)))
        time = 1_700_000_000_000_000_000
        for number in range(per_topic):
            for topic in range(topics):
                file.write(record(5, struct.pack("<HIQQ", topic, number, time, time)
                                  + b"\x00\x01\x00\x00\x07"))
                time += 1000
        file.write(record(15, struct.pack("<I", 0)))
        file.write(record(2, struct.pack("<QQI", 0, 0, 0)) + MAGIC)
