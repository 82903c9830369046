#!/usr/bin/env python3
"""Writes a valid ROS 1 bag (rosbag 2.0) with nothing but the standard library.

For demonstrations and tests on machines without the real rosbag, and for shapes that the real one
never writes (overlapping chunks). Content is fixed by the options: the same call, the same bytes.
"""

import argparse
import bz2
import hashlib
import random
import struct

VERSION_LINE = b"#ROSBAG V2.0\n"
FILE_HEADER_BYTES = 4096  # header and data of the first record, so that it can be rewritten

TYPES = {
    "std_msgs/String": "string data\n",
    "std_msgs/Int32": "int32 data\n",
    "std_msgs/Empty": "",
}

OP_MESSAGE, OP_FILE_HEADER, OP_INDEX, OP_CHUNK, OP_CHUNK_INFO, OP_CONNECTION = 2, 3, 4, 5, 6, 7


def header(**fields):
    parts = b"".join(struct.pack("<I", len(name) + 1 + len(value)) + name.encode() + b"=" + value
                     for name, value in fields.items())
    return struct.pack("<I", len(parts)) + parts


def record(op, data, **fields):
    return header(op=bytes([op]), **fields) + struct.pack("<I", len(data)) + data


def u32(value):
    return struct.pack("<I", value)


def u64(value):
    return struct.pack("<Q", value)


def stamp(time_ns):
    return struct.pack("<II", time_ns // 10**9, time_ns % 10**9)


def in_bytes(text):
    """UTF-8; "\\udcff" stands for a byte that is none."""
    return text.encode(errors="surrogateescape")


def connection_record(conn, topic, type_, definition=None, **more):
    definition = TYPES[type_] if definition is None else definition
    inner = header(topic=in_bytes(topic), type=in_bytes(type_),
                   md5sum=hashlib.md5(in_bytes(definition.strip())).hexdigest().encode(),
                   message_definition=in_bytes(definition),
                   **{name: in_bytes(value) for name, value in more.items()})
    return record(OP_CONNECTION, inner[4:], conn=u32(conn), topic=in_bytes(topic))


class Chunk:
    """Messages and connections that go into the file together."""

    def __init__(self):
        self.data = bytearray()
        self.index = {}  # conn -> [(time_ns, offset)]

    def add(self, conn, time_ns, payload):
        self.index.setdefault(conn, []).append((time_ns, len(self.data)))
        self.data += record(OP_MESSAGE, payload, conn=u32(conn), time=stamp(time_ns))

    def times(self):
        return [time for entries in self.index.values() for time, _ in entries]


class BagFile:
    """The file being written; chunks are given whole."""

    def __init__(self, path, compression="none", **in_file_header):
        """`in_file_header`: fields, with bytes, that the file header has besides its own."""
        self._path = path
        self._compression = compression
        self._more = in_file_header
        self._connections = []
        self._chunk_infos = []
        self._bytes = bytearray(VERSION_LINE + self._file_header(0))

    def connection(self, topic, type_, **more):
        """Declares one; gives its number."""
        conn = len(self._connections)
        self._connections.append(connection_record(conn, topic, type_, **more))
        return conn

    def add_chunk(self, messages):
        """`messages`: (conn, time_ns, payload) in the order in which they are stored."""
        chunk = Chunk()
        for conn, time_ns, payload in messages:
            if conn not in chunk.index:
                chunk.data += self._connections[conn]
            chunk.add(conn, time_ns, payload)
        counts = b"".join(u32(conn) + u32(len(index)) for conn, index in chunk.index.items())
        self._chunk_infos.append(record(
            OP_CHUNK_INFO, counts, ver=u32(1), chunk_pos=u64(len(self._bytes)),
            start_time=stamp(min(chunk.times())), end_time=stamp(max(chunk.times())),
            count=u32(len(chunk.index))))
        stored = bz2.compress(chunk.data) if self._compression == "bz2" else chunk.data
        self._bytes += record(OP_CHUNK, stored, compression=self._compression.encode(),
                              size=u32(len(chunk.data)))
        for conn, index in chunk.index.items():
            data = b"".join(stamp(time_ns) + u32(offset) for time_ns, offset in index)
            self._bytes += record(OP_INDEX, data, ver=u32(1), conn=u32(conn),
                                  count=u32(len(index)))

    def change_last_info(self, old, new):
        """Makes the index lie about the chunk that was added last."""
        assert self._chunk_infos[-1].count(old) == 1 and len(old) == len(new)
        self._chunk_infos[-1] = self._chunk_infos[-1].replace(old, new)

    def close(self):
        start = len(VERSION_LINE)
        first = self._file_header(len(self._bytes))
        self._bytes[start:start + len(first)] = first
        self._bytes += b"".join(self._connections) + b"".join(self._chunk_infos)
        with open(self._path, "wb") as file:
            file.write(self._bytes)

    def _file_header(self, index_pos):
        fields = header(op=bytes([OP_FILE_HEADER]), index_pos=u64(index_pos),
                        conn_count=u32(len(self._connections)),
                        chunk_count=u32(len(self._chunk_infos)), **self._more)
        padding = FILE_HEADER_BYTES - (len(fields) - 4)
        return fields + u32(padding) + b" " * padding


def payload(type_, i, rng):
    if type_ == "std_msgs/String":
        text = f"message {i} " + "ab" * rng.randrange(40)
        return u32(len(text)) + text.encode()
    return u32(i) if type_ == "std_msgs/Int32" else b""


def chunks_of(messages, chunk_messages, overlap):
    """Cuts the messages; with `overlap` neighbours share their time, message by message."""
    span = chunk_messages * (2 if overlap else 1)
    for begin in range(0, len(messages), span):
        part = messages[begin:begin + span]
        yield from filter(None, (part[0::2], part[1::2]) if overlap else (part,))


def make_bag(path, *, topics=("/chatter", "/count", "/tick"), messages=300, rate_hz=100,
             compression="none", chunk_messages=50, overlap=False, connections=1, latching=False,
             start_ns=1_700_000_000_000_000_000, seed=1):
    """Topic i has the i-th of TYPES, round and round; messages go to the topics in turn."""
    rng = random.Random(seed)
    types = list(TYPES)
    bag = BagFile(path, compression)
    conns = []
    for i, topic in enumerate(topics):
        for k in range(connections):
            more = {"callerid": f"/node_{i}_{k}"}
            if latching and i == 0:
                more["latching"] = "1"
            type_ = types[i % len(types)]
            conns.append((bag.connection(topic, type_, **more), type_))
    stored = []
    for i in range(messages):
        conn, type_ = conns[i % len(conns)]
        stored.append((conn, start_ns + i * 10**9 // rate_hz, payload(type_, i, rng)))
    for chunk in chunks_of(stored, chunk_messages, overlap):
        bag.add_chunk(chunk)
    bag.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--topics", nargs="+", default=["/chatter", "/count", "/tick"])
    parser.add_argument("--messages", type=int, default=300)
    parser.add_argument("--rate-hz", type=int, default=100)
    parser.add_argument("--compression", choices=["none", "bz2"], default="none")
    parser.add_argument("--chunk-messages", type=int, default=50)
    parser.add_argument("--overlap", action="store_true", help="chunks that share their time")
    parser.add_argument("--connections", type=int, default=1, help="on each topic")
    parser.add_argument("--latching", action="store_true", help="the first topic is latched")
    parser.add_argument("--start-ns", type=int, default=1_700_000_000_000_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = vars(parser.parse_args())
    make_bag(options.pop("path"), **options)


if __name__ == "__main__":
    main()
