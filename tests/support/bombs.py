"""Small files that ask for gigabytes: chunks, messages and whole files that unpack to zeros without
end, and records that declare absurd lengths. BOMBS names them all."""

import bz2
import gzip
import sqlite3
import struct

from large_bags import (MCAP_CHANNEL, MCAP_HEADER, MCAP_MAGIC, START_NS, mcap_end, mcap_record,
                        mcap_text)
from make_bag import (OP_CHUNK, OP_CHUNK_INFO, OP_INDEX, OP_MESSAGE, VERSION_LINE, BagFile,
                      connection_record, header, record, stamp, u32, u64)

UNPACKED = 2 << 30  # what a bomb makes where nobody stops it
TOPIC = "/big"


# --- Compressed zeros -----------------------------------------------------------------------------

def xxh32(data):
    """For less than 16 bytes, which is all that a frame's header has."""
    mask = 0xFFFFFFFF
    p1, p2, p3, p4, p5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393
    h = (p5 + len(data)) & mask
    at = 0
    while at + 4 <= len(data):
        h = (h + struct.unpack_from("<I", data, at)[0] * p3) & mask
        h = ((h << 17 | h >> 15) * p4) & mask
        at += 4
    for byte in data[at:]:
        h = (h + byte * p5) & mask
        h = ((h << 11 | h >> 21) * p1) & mask
    h = ((h ^ h >> 15) * p2) & mask
    h = ((h ^ h >> 13) * p3) & mask
    return h ^ h >> 16


def lz4_length(length):
    """What follows the four bits of a token that are all set."""
    length -= 15
    return b"\xff" * (length // 255) + bytes([length % 255])


def lz4_block(prefix, zeros):
    """A block of LZ4 that begins with `prefix`."""
    literals = prefix + b"\0"
    match = zeros - 1 - 5  # a block ends with five literals
    head = b"\xff" + lz4_length(len(literals)) if len(literals) >= 15 else bytes(
        [len(literals) << 4 | 15])
    return head + literals + b"\x01\0" + lz4_length(match - 4) + b"\x50" + bytes(5)


def lz4_zeros(prefix, size):
    """A frame with `prefix` and zeros, `size` bytes in all."""
    block_bytes = 4 << 20
    descriptor = b"\x60\x70"
    out = [b"\x04\x22\x4d\x18", descriptor, bytes([xxh32(descriptor) >> 8 & 255])]
    whole = None
    while size > 0:
        here = min(size, block_bytes)
        if prefix or here < block_bytes or whole is None:
            block = lz4_block(prefix, here - len(prefix))
            if not prefix and here == block_bytes:
                whole = block
        else:
            block = whole
        out.append(u32(len(block)) + block)
        size -= here
        prefix = b""
    return b"".join(out) + u32(0)


def zstd_zeros(prefix, size):
    """A frame that does not say how large its content is."""
    raw, rle = 0, 1
    block_bytes = 128 << 10

    def block(kind, length, data, is_last=False):
        return struct.pack("<I", length << 3 | kind << 1 | is_last)[:3] + data

    out = [b"\x28\xb5\x2f\xfd", b"\0", bytes([(17 - 10) << 3])]  # a window of 128 KiB
    if prefix:
        out.append(block(raw, len(prefix), prefix))
    zeros = size - len(prefix)
    out += [block(rle, block_bytes, b"\0")] * (zeros // block_bytes)
    return b"".join(out) + block(rle, zeros % block_bytes, b"\0", True)


def in_streams(pack):
    """One stream behind the other."""
    def pack_zeros(prefix, size):
        piece = 64 << 20
        here = min(size, piece)
        whole, rest = divmod(size - here, piece)
        return (pack(prefix + bytes(here - len(prefix))) + pack(bytes(piece)) * whole
                + (pack(bytes(rest)) if rest else b""))
    return pack_zeros


ZEROS = {"lz4": lz4_zeros, "zstd": zstd_zeros, "bz2": in_streams(bz2.compress),
         "gz": in_streams(gzip.compress)}


# --- MCAP -----------------------------------------------------------------------------------------

def mcap_chunk(compression, unpacked, declared):
    """A chunk with a small message, and one of zeros that takes the rest of it."""
    small = mcap_record(5, struct.pack("<HIQQ", 1, 0, START_NS, START_NS) + b"tiny")
    prefix = MCAP_CHANNEL + small
    size = unpacked - len(prefix) - 31
    prefix += struct.pack("<BQHIQQ", 5, 22 + size, 1, 1, START_NS + 1, START_NS + 1)
    data = ZEROS[compression](prefix, unpacked)
    head = struct.pack("<QQQI", START_NS, START_NS + 1, declared, 0) + mcap_text(compression)
    return mcap_record(6, head + u64(len(data)) + data)


def mcap_bomb(compression, declared=None, unpacked=UNPACKED):
    def write(path):
        with open(path, "wb") as file:
            file.write(MCAP_MAGIC + MCAP_HEADER)
            said = unpacked if declared is None else declared
            file.write(mcap_chunk(compression, unpacked, said))
            mcap_end(file)
    return write


def mcap_lengths(op, content):
    """A record that says that it is larger than the file."""
    def write(path):
        with open(path, "wb") as file:
            file.write(MCAP_MAGIC + MCAP_HEADER + MCAP_CHANNEL)
            file.write(struct.pack("<BQ", op, UNPACKED * 2) + content)
            mcap_end(file)
    return write


ATTACHMENT = struct.pack("<QQ", START_NS, START_NS) + mcap_text("a") + mcap_text("b")


# --- rosbag ---------------------------------------------------------------------------------------

def bag_bomb(compression, declared=None, unpacked=UNPACKED - 1, has_index=True):
    """A chunk with a small message and one of zeros."""
    def write(path):
        connection = connection_record(0, TOPIC, "std_msgs/Empty")
        small = record(OP_MESSAGE, b"tiny", conn=u32(0), time=stamp(START_NS))
        large = header(op=bytes([OP_MESSAGE]), conn=u32(0), time=stamp(START_NS + 1))
        prefix = connection + small + large
        prefix += u32(unpacked - len(prefix) - 4)
        data = ZEROS[compression](prefix, unpacked)
        chunk = record(OP_CHUNK, data, compression=compression.encode(),
                       size=u32(unpacked if declared is None else declared))
        entries = (stamp(START_NS) + u32(len(connection))
                   + stamp(START_NS + 1) + u32(len(connection) + len(small)))
        bag = BagFile(path)
        bag.connection(TOPIC, "std_msgs/Empty")
        bag._chunk_infos.append(record(
            OP_CHUNK_INFO, u32(0) + u32(2), ver=u32(1), chunk_pos=u64(len(bag._bytes)),
            start_time=stamp(START_NS), end_time=stamp(START_NS + 1), count=u32(1)))
        bag._bytes += chunk + record(OP_INDEX, entries, ver=u32(1), conn=u32(0), count=u32(2))
        if has_index:
            bag.close()
            return
        with open(path, "wb") as file:
            file.write(bag._bytes)
    return write


def bag_lengths(path):
    """A message that says that it is larger than the file."""
    head = header(op=bytes([OP_MESSAGE]), conn=u32(0), time=stamp(START_NS)) + u32(0xFFFFFFF0)
    bag = BagFile(path)
    bag.connection(TOPIC, "std_msgs/Empty")
    with open(path, "wb") as file:
        file.write(bag._bytes + record(OP_CHUNK, head, compression=b"none", size=u32(len(head))))


# --- SQLite, and files that are compressed as a whole ---------------------------------------------

def sqlite_bomb(path):
    """A message by itself in zstd."""
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
        INSERT INTO schema VALUES (3, 'humble');
        CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL,
                              metadata TEXT NOT NULL);
        CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
                            serialization_format TEXT NOT NULL,
                            offered_qos_profiles TEXT NOT NULL);
        INSERT INTO topics VALUES (1, '/big', 'std_msgs/msg/Empty', 'cdr', '');
        CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL,
                              timestamp INTEGER NOT NULL, data BLOB NOT NULL);
        CREATE INDEX timestamp_idx ON messages (timestamp ASC);""")
    for at, data in enumerate((b"\0\1\0\0tiny", zstd_zeros(b"\0\1\0\0", UNPACKED))):
        database.execute("INSERT INTO messages VALUES (?, 1, ?, ?)", (at + 1, START_NS + at, data))
    database.commit()
    database.close()


def whole_file(compression):
    def write(path):
        with open(path, "wb") as file:
            file.write(ZEROS[compression](VERSION_LINE, UNPACKED))
    return write


# By the name of the file, what writes it.
BOMBS = {
    "zstd.mcap": mcap_bomb("zstd"),
    "lz4.mcap": mcap_bomb("lz4"),
    "zstd_says_little.mcap": mcap_bomb("zstd", declared=1000),
    "zstd_says_nothing.mcap": mcap_bomb("zstd", declared=0),
    "zstd_says_much.mcap": mcap_bomb("zstd", declared=1 << 60),
    "message_length.mcap": mcap_lengths(5, struct.pack("<HIQQ", 1, 0, START_NS, START_NS)),
    "attachment_length.mcap": mcap_lengths(9, ATTACHMENT + u64(UNPACKED * 2 - 100)),
    "metadata_length.mcap": mcap_lengths(12, u32(0x7FFFFFFF)),
    "schema_length.mcap": mcap_lengths(3, struct.pack("<H", 1) + u32(0x7FFFFFFF)),
    "private_length.mcap": mcap_lengths(0x90, b""),
    "bz2.bag": bag_bomb("bz2"),
    "lz4.bag": bag_bomb("lz4"),
    "bz2_unindexed.bag": bag_bomb("bz2", has_index=False),
    "lz4_unindexed.bag": bag_bomb("lz4", has_index=False),
    "lz4_says_little.bag": bag_bomb("lz4", declared=1000),
    "message_length.bag": bag_lengths,
    "zstd_message.db3": sqlite_bomb,
    "whole.bag.gz": whole_file("gz"),
    "whole.bag.bz2": whole_file("bz2"),
    "whole.bag.zstd": whole_file("zstd"),
}
