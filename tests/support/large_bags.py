"""Bags with one large message between two small ones, which take no room: it is a hole in the
file. Each writer gives the places at which its bag could be cut off or harmed."""

import struct

from make_bag import (FILE_HEADER_BYTES, OP_CHUNK, OP_FILE_HEADER, OP_INDEX,
                      OP_MESSAGE, VERSION_LINE, connection_record, header, stamp, u32, u64)

START_NS = 1_700_000_000 * 10**9
TOPIC = "/big"


def mcap_record(op, content):
    return struct.pack("<BQ", op, len(content)) + content


def mcap_text(value):
    return u32(len(value)) + value.encode()


MCAP_MAGIC = b"\x89MCAP0\r\n"
MCAP_HEADER = mcap_record(1, mcap_text("") + mcap_text("made"))
MCAP_CHANNEL = mcap_record(
    4, struct.pack("<HH", 1, 0) + mcap_text(TOPIC) + mcap_text("opaque") + u32(0))


def mcap_message_head(sequence, size):
    time = START_NS + sequence
    return struct.pack("<BQHIQQ", 5, 22 + size, 1, sequence, time, time)


def mcap_statistics(messages):
    counts = struct.pack("<HQ", 1, messages)
    return mcap_record(11, struct.pack("<QHIIIIQQ", messages, 0, 1, 0, 0, 0, START_NS,
                                       START_NS + messages - 1) + u32(len(counts)) + counts)


def mcap_end(file, summary=b""):
    """Everything behind the data."""
    file.write(mcap_record(15, u32(0)))
    start = file.tell() if summary else 0
    file.write(summary)
    file.write(mcap_record(2, struct.pack("<QQI", start, 0, 0)) + MCAP_MAGIC)


def write_mcap(path, size, has_summary=True, promised=3):
    """Without chunks."""
    with open(path, "wb") as file:
        file.write(MCAP_MAGIC + MCAP_HEADER + MCAP_CHANNEL)
        for sequence, bytes_ in enumerate((4, size, 4)):
            file.write(mcap_message_head(sequence, bytes_))
            file.seek(bytes_, 1)
        mcap_end(file, MCAP_CHANNEL + mcap_statistics(promised) if has_summary else b"")


def write_chunked_mcap(path, size):
    """In one chunk that is not compressed."""
    sizes = (4, size, 4)
    content = len(MCAP_CHANNEL) + sum(31 + each for each in sizes)
    with open(path, "wb") as file:
        file.write(MCAP_MAGIC + MCAP_HEADER)
        head = struct.pack("<QQQI", START_NS, START_NS + 2, content, 0) + mcap_text("")
        file.write(struct.pack("<BQ", 6, len(head) + 8 + content) + head + u64(content))
        file.write(MCAP_CHANNEL)
        for sequence, bytes_ in enumerate(sizes):
            file.write(mcap_message_head(sequence, bytes_))
            file.seek(bytes_, 1)
        mcap_end(file)


def write_bag(path, size):
    """rosbag 2.0, in one chunk that is not compressed; without an index, as after a crash."""
    sizes = (4, size, 4)
    heads = [header(op=bytes([OP_MESSAGE]), conn=u32(0), time=stamp(START_NS + i)) + u32(each)
             for i, each in enumerate(sizes)]
    connection = connection_record(0, TOPIC, "std_msgs/Empty")
    content = len(connection) + sum(len(head) + each for head, each in zip(heads, sizes))
    fields = header(op=bytes([OP_FILE_HEADER]), index_pos=u64(0), conn_count=u32(0),
                    chunk_count=u32(0))
    padding = FILE_HEADER_BYTES - (len(fields) - 4)
    with open(path, "wb") as file:
        file.write(VERSION_LINE + fields + u32(padding) + b" " * padding)
        file.write(header(op=bytes([OP_CHUNK]), compression=b"none", size=u32(content)))
        file.write(u32(content) + connection)
        offsets = []
        for head, bytes_ in zip(heads, sizes):
            offsets.append(file.tell())
            file.write(head)
            file.seek(bytes_, 1)
        first = offsets[0] - len(connection)
        entries = b"".join(stamp(START_NS + i) + u32(at - first) for i, at in enumerate(offsets))
        file.write(header(op=bytes([OP_INDEX]), ver=u32(1), conn=u32(0), count=u32(3)))
        file.write(u32(len(entries)) + entries)


