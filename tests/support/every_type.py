"""Makes a ROS 1 bag whose messages have a field of every type, with random values: numbers, texts,
times, lists and arrays of them, structures in lists in structures."""

import random
import struct

import make_bag

TYPE = "test_msgs/Every"
DEFINITION = """\
uint8 IDLE=0
uint8 MOVING=1
bool flag
byte old_byte
char old_char
int8 i8
uint8 u8
int16 i16
uint16 u16
int32 i32
uint32 u32
int64 i64
uint64 u64
float32 f32
float64 f64
string text
time stamp
duration lasting
Inner inner
bool[] flags
bool[3] three_flags
int8[] small
int16[] shorts
int16[4] four_shorts
uint64[] large
float32[] reals
float64[2] two_reals
string[] texts
string[2] two_texts
time[] stamps
duration[2] two_durations
uint8[] bytes
uint8[5] five_bytes
uint8[5000] many_bytes
int32[5000] many_numbers
Inner[] inners
Inner[2] two_inners
"""
INNER = """\
float32 x
string name
uint8[] data
Deep[] deeps
"""
DEEP = """\
int32[] numbers
time at
"""
STRUCTURES = {"Every": DEFINITION, "Inner": INNER, "Deep": DEEP}
NUMBERS = {"byte": "b", "char": "B", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H",
           "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q"}
REALS = {"float32": "f", "float64": "d"}
ALPHABET = "abc xyz\"\\\n\0äß€☃𝄞"


def definition():
    line = "=" * 80
    return f"{DEFINITION}{line}\nMSG: test_msgs/Inner\n{INNER}{line}\nMSG: test_msgs/Deep\n{DEEP}"


def _fields(text):
    for line in text.splitlines():
        type_, name = line.split(" ", 1)
        if "=" not in name:
            yield type_


def _value(type_, rng):
    if type_.endswith("]"):
        element, length = type_[:-1].split("[")
        count = int(length) if length else rng.choice((0, 1, 3, 20))
        prefix = b"" if length else struct.pack("<I", count)
        return prefix + b"".join(_value(element, rng) for _ in range(count))
    if type_ in NUMBERS:
        code = NUMBERS[type_]
        bits = 8 * struct.calcsize(code)
        low = -(1 << bits - 1) if code.islower() else 0
        edges = (low, low + (1 << bits) - 1, low + rng.randrange(1 << bits))
        return struct.pack(f"<{code}", rng.choice(edges))
    if type_ in REALS:
        value = rng.choice((0.0, -0.0, float("nan"), float("inf"), rng.uniform(-1e6, 1e6)))
        return struct.pack(f"<{REALS[type_]}", value)
    if type_ == "bool":
        return bytes([rng.randrange(2)])
    if type_ == "string":
        text = "".join(rng.choice(ALPHABET) for _ in range(rng.randrange(12))).encode()
        return struct.pack("<I", len(text)) + text
    if type_ == "time":
        return struct.pack("<II", rng.randrange(1 << 31), rng.randrange(10**9))
    if type_ == "duration":
        return struct.pack("<ii", rng.randrange(-(1 << 31), 1 << 31), rng.randrange(10**9))
    return b"".join(_value(each, rng) for each in _fields(STRUCTURES[type_]))


def make(path, messages=40, seed=1):
    """`/every` beside `/chatter`, which has none of the fields: they are null there."""
    rng = random.Random(seed)
    bag = make_bag.BagFile(path)
    every = bag.connection("/every", TYPE, definition=definition())
    chatter = bag.connection("/chatter", "std_msgs/String")
    empty = bag.connection("/empty", "std_msgs/Empty")
    start = 1_700_000_000_000_000_000
    stored = []
    for i in range(messages):
        stored.append((every, start + 3 * i, _value("Every", rng)))
        if i % 4 == 0:
            stored.append((chatter, start + 3 * i + 1, _value("string", rng)))
            stored.append((empty, start + 3 * i + 2, b""))
    bag.add_chunk(stored)
    bag.close()
