"""Bags of a terabyte that take no room: a million chunks, the index whole, and of the chunks only a
few, and the heads of some thousand; the rest are holes in the file."""

import struct

CHUNKS = 1_000_000
STRIDE = 1 << 20  # bytes of a chunk with its index: a terabyte in all
MESSAGES = 8  # of a chunk, ten milliseconds apart
STEP_NS = 100_000_000  # from one chunk to the next
START_NS = 1_700_000_000 * 10**9
BODIES = range(CHUNKS // 2, CHUNKS // 2 + 20)  # the chunks that are there
HEADS = range(0, CHUNKS, CHUNKS // 4096)  # those of which the head is: what info looks at
TYPE, MD5 = "huge/Text", "da7d4d8c8c5a6a37e8a9a64ddcc0c4e5"
DEFINITION = "string data\nuint8[] rest\n"


def times_of(chunk):
    begin = START_NS + chunk * STEP_NS
    return [begin + i * 10_000_000 for i in range(MESSAGES)]


def payload(chunk, i, size):
    text = f"{chunk}.{i}".encode()
    rest = size - 8 - len(text)
    return struct.pack("<I", len(text)) + text + struct.pack("<I", rest) + bytes(rest)


def sizes_for(overhead):
    """Of the payloads of a chunk that has so much beside them."""
    each, more = divmod(STRIDE - overhead, MESSAGES)
    return [each + (i < more) for i in range(MESSAGES)]


# --- MCAP -----------------------------------------------------------------------------------------

def record(op, content):
    return struct.pack("<BQ", op, len(content)) + content


def text(value):
    return struct.pack("<I", len(value)) + value.encode()


MCAP_HEAD = 9 + 3 * 8 + 4 + 4 + 8  # of a chunk
MCAP_INDEX = 9 + 6 + 16 * MESSAGES
MCAP_MESSAGE = 9 + 22


def mcap_chunk(chunk):
    """The chunk's record, and the record of its index."""
    records, entries = b"", b""
    sizes = sizes_for(MCAP_HEAD + MCAP_INDEX + MESSAGES * MCAP_MESSAGE)
    for i, time in enumerate(times_of(chunk)):
        entries += struct.pack("<QQ", time, len(records))
        records += record(5, struct.pack("<HIQQ", 1, i, time, time) + payload(chunk, i, sizes[i]))
    times = times_of(chunk)
    head = struct.pack("<QQQI", times[0], times[-1], len(records), 0) + text("")
    return (record(6, head + struct.pack("<Q", len(records)) + records)
            + record(7, struct.pack("<HI", 1, len(entries)) + entries))


def write_mcap(path):
    magic = b"\x89MCAP0\r\n"
    schema = record(3, struct.pack("<H", 1) + text(TYPE) + text("ros1msg") + text(DEFINITION))
    channel = record(4, struct.pack("<HH", 1, 1) + text("/a") + text("ros1")
                     + struct.pack("<I", 0))
    with open(path, "wb") as file:
        file.write(magic + record(1, text("") + text("huge")) + schema + channel)
        first = file.tell()
        head = len(mcap_chunk(0)) - MCAP_INDEX - 9
        for chunk in HEADS:
            file.seek(first + chunk * STRIDE)
            times = times_of(chunk)
            file.write(struct.pack("<BQQQQIIQ", 6, head, times[0], times[-1],
                                   head + 9 - MCAP_HEAD, 0, 0, head + 9 - MCAP_HEAD))
        for chunk in BODIES:
            file.seek(first + chunk * STRIDE)
            file.write(mcap_chunk(chunk))
        file.seek(first + CHUNKS * STRIDE)
        file.write(record(15, struct.pack("<I", 0)))
        summary_start = file.tell()
        file.write(schema + channel)
        layout = struct.Struct("<BQQQQQIHQQIQQ")
        indexes = bytearray(CHUNKS * layout.size)
        whole = STRIDE - MCAP_INDEX
        records = whole - MCAP_HEAD
        for chunk in range(CHUNKS):
            begin = START_NS + chunk * STEP_NS
            at = first + chunk * STRIDE
            layout.pack_into(indexes, chunk * layout.size, 8, layout.size - 9, begin,
                             begin + (MESSAGES - 1) * 10_000_000, at, whole, 10, 1, at + whole,
                             MCAP_INDEX, 0, records, records)
        file.write(indexes)
        end = times_of(CHUNKS - 1)[-1]
        file.write(record(11, struct.pack("<QHIIIIQQ", CHUNKS * MESSAGES, 1, 1, 0, 0, CHUNKS,
                                          START_NS, end)
                          + struct.pack("<IHQ", 10, 1, CHUNKS * MESSAGES)))
        file.write(record(2, struct.pack("<QQI", summary_start, 0, 0)) + magic)


# --- rosbag 2.0 -----------------------------------------------------------------------------------

def bag_record(data, **fields):
    header = b"".join(struct.pack("<I", len(name) + 1 + len(value)) + name.encode() + b"=" + value
                      for name, value in fields.items())
    return struct.pack("<I", len(header)) + header + struct.pack("<I", len(data)) + data


def stamp(time_ns):
    return struct.pack("<II", time_ns // 10**9, time_ns % 10**9)


def u32(value):
    return struct.pack("<I", value)


def connection():
    inner = b"".join(u32(len(field)) + field for field in (
        b"topic=/a", b"type=" + TYPE.encode(), b"md5sum=" + MD5.encode(),
        b"message_definition=" + DEFINITION.encode()))
    return bag_record(inner, op=b"\x07", conn=u32(0), topic=b"/a")


def bag_chunk(chunk, sizes=None):
    data, entries = connection(), b""
    for i, time in enumerate(times_of(chunk)):
        entries += stamp(time) + u32(len(data))
        content = payload(chunk, i, sizes[i]) if sizes else b""
        data += bag_record(content, op=b"\x02", conn=u32(0), time=stamp(time))
    return (bag_record(data, op=b"\x05", compression=b"none", size=u32(len(data)))
            + bag_record(entries, op=b"\x04", ver=u32(1), conn=u32(0), count=u32(MESSAGES)))


def write_bag(path):
    version = b"#ROSBAG V2.0\n"
    first = 4096 + len(version)
    sizes = sizes_for(len(bag_chunk(0)))
    with open(path, "wb") as file:
        head = bag_chunk(0, sizes)[:200]
        for chunk in HEADS:
            file.seek(first + chunk * STRIDE)
            file.write(head)
        for chunk in BODIES:
            file.seek(first + chunk * STRIDE)
            file.write(bag_chunk(chunk, sizes))
        index_pos = first + CHUNKS * STRIDE
        file.seek(index_pos)
        file.write(connection())
        counts = u32(0) + u32(MESSAGES)
        template = bag_record(counts, op=b"\x06", ver=u32(1), chunk_pos=bytes(8),
                              start_time=bytes(8), end_time=bytes(8), count=u32(1))
        pos, start, end = (template.index(name) + len(name) for name in
                           (b"chunk_pos=", b"start_time=", b"end_time="))
        infos = bytearray(template * CHUNKS)
        for chunk in range(CHUNKS):
            at = chunk * len(template)
            begin = START_NS + chunk * STEP_NS
            struct.pack_into("<Q", infos, at + pos, first + chunk * STRIDE)
            struct.pack_into("<II", infos, at + start, begin // 10**9, begin % 10**9)
            last = begin + (MESSAGES - 1) * 10_000_000
            struct.pack_into("<II", infos, at + end, last // 10**9, last % 10**9)
        file.write(infos)
        file.seek(0)
        head = version + bag_record(b"", op=b"\x03", index_pos=struct.pack("<Q", index_pos),
                                    conn_count=u32(1), chunk_count=u32(CHUNKS))
        room = first - len(head)
        file.write(head[:-4] + u32(room) + b" " * room)


WRITERS = {".mcap": write_mcap, ".bag": write_bag}
