"""Bags of versions before 2.0 that kitbag does not write, with nothing but the standard library."""

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


def write_v1_3(path, definitions, messages):
    """`definitions`: {topic: (type, md5sum, text)}; `messages`: (topic, time in s, payload)."""
    known = b"".join(record(1, topic=topic, type=type_, md5=md5sum, **{"def": text})
                     for topic, (type_, md5sum, text) in definitions.items())
    chunk = known + b"".join(record(2, payload, topic=topic, time=struct.pack("<II", time, 0))
                             for topic, time, payload in messages)
    body = record(5, chunk, compression="none", size=struct.pack("<I", len(chunk)))
    index_pos = 13 + 8 + 4096 + len(body)
    infos = b"".join(struct.pack("<I", len(topic)) + topic.encode() +
                     struct.pack("<I", sum(topic == m[0] for m in messages))
                     for topic in definitions)
    times = [struct.pack("<II", time, 0) for _, time, _ in messages]
    index = known + record(6, infos, ver=struct.pack("<I", 1), chunk_pos=struct.pack("<Q", 4117),
                           start_time=min(times), end_time=max(times),
                           count=struct.pack("<I", len(definitions)))
    head = record(3, index_pos=struct.pack("<Q", index_pos), chunk_count=struct.pack("<I", 1),
                  topic_count=struct.pack("<I", len(definitions)))[:-4]
    padding = 4096 - (len(head) - 4)
    path.write_bytes(b"#ROSBAG V1.3\n" + head + struct.pack("<I", padding) + b" " * padding +
                     body + index)
    return path


def record(op, data=b"", **fields):
    header = b"".join(struct.pack("<I", len(field)) + field for field in (
        name.encode() + b"=" + (value if isinstance(value, bytes) else value.encode())
        for name, value in {"op": bytes([op]), **fields}.items()))
    return struct.pack("<I", len(header)) + header + struct.pack("<I", len(data)) + data


def message(time, payload):
    return struct.pack("<III", time, 0, len(payload)) + payload
