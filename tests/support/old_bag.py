"""Bags of versions before 1.2, which hold no definitions, with nothing but the standard library."""

import struct


def write_v1_0(path, topic, lines, messages):
    """One topic; `lines`: its MD5 sum and type, in either order; `messages`: (s, payload)."""
    parts = ["#ROSLOG V1.0\n0001\n", topic, "\n", *(line + "\n" for line in lines)]
    body = b"".join(topic.encode() + b"\n" + message(*each) for each in messages)
    path.write_bytes("".join(parts).encode() + body)
    return path


def write_v1_1(path, messages):
    """`messages`: (topic, type, md5sum, time in s, payload)."""
    parts = [f"{topic}\n{md5sum}\n{type_}\n".encode() + message(time, payload)
             for topic, type_, md5sum, time, payload in messages]
    path.write_bytes(b"#ROSRECORD V1.1\n" + b"".join(parts))
    return path


def message(time, payload):
    return struct.pack("<III", time, 0, len(payload)) + payload
