"""What recorder.cpp records: each message shows which one it is, and whether it is whole."""

import struct
import subprocess
from pathlib import Path

from peers import program

RECORDER = Path(program()).parent / "recorder"
MAGIC = b"\xabKITBAG\xba"


def make_noise():
    noise, x = bytearray(), 1
    while len(noise) < 1 << 17:
        x = (x * 1103515245 + 12345) & 0x7fffffff
        noise.append(x >> 16 & 0xff)
    return bytes(noise)


NOISE = make_noise()


def payload_of(number):
    """As recorder.cpp makes it."""
    count = number * 7919 % 3001
    begin = number * 104729 % (len(NOISE) - 3100)
    return MAGIC + struct.pack("<QQI", number, 28 + count, count) + NOISE[begin:begin + count]


def whole_messages(content):
    """Numbers of all messages whose payload is whole in `content`."""
    found = set()
    at = content.find(MAGIC)
    while at >= 0 and at + 24 <= len(content):
        number, size = struct.unpack_from("<QQ", content, at + 8)
        if content[at:at + size] == payload_of(number):
            found.add(number)
        at = content.find(MAGIC, at + 1)
    return found


def numbers_in(bag):
    """Numbers of the messages of a bag, in the order of time; each of them is whole."""
    content = subprocess.run([program(), "cat", bag, "--format", "raw"], check=True,
                             capture_output=True).stdout
    numbers, at = [], 0
    while at < len(content):
        number, size = struct.unpack_from("<QQ", content, at + 8)
        if content[at:at + size] != payload_of(number):
            raise AssertionError(f"{bag}: message {number} is not what was recorded")
        numbers.append(number)
        at += size
    return numbers
