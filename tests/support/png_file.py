"""Reads PNG files, plainly: 8 bits, gray or RGB, not interlaced. Those of kitbag are such ones."""

import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3}


def predicted(left, above, corner):
    """Paeth's, of the specification of PNG."""
    estimate = left + above - corner
    return min((abs(estimate - left), 0, left), (abs(estimate - above), 1, above),
               (abs(estimate - corner), 2, corner))[2]


def read_png(file):
    """(width, height, bytes of a pixel, pixels)"""
    if not file.startswith(SIGNATURE):
        raise AssertionError("this is no PNG")
    at, packed = len(SIGNATURE), b""
    while at < len(file):
        size, kind = struct.unpack_from(">I4s", file, at)
        content = file[at + 8:at + 8 + size]
        if zlib.crc32(kind + content) != struct.unpack_from(">I", file, at + 8 + size)[0]:
            raise AssertionError(f"{kind} is damaged")
        if kind == b"IHDR":
            width, height, depth, color, *rest = struct.unpack(">IIBBBBB", content)
        elif kind == b"IDAT":
            packed += content
        at += 12 + size
    if depth != 8 or rest != [0, 0, 0]:
        raise AssertionError("this reader knows plain files only")
    channels = CHANNELS[color]
    stride = width * channels
    data = zlib.decompress(packed)
    rows, above = [], bytes(stride)
    for y in range(height):
        filter_, *row = data[y * (stride + 1):(y + 1) * (stride + 1)]
        for i in range(stride):
            left = row[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            row[i] = row[i] + (0, left, above[i], (left + above[i]) // 2,
                               predicted(left, above[i], corner))[filter_] & 255
        rows.append(bytes(row))
        above = rows[-1]
    return width, height, channels, b"".join(rows)
