"""The chunks of a rosbag, of which the bag's own index has no sizes."""

import struct
from collections import namedtuple

Chunk = namedtuple("Chunk", "compression uncompressed compressed")

_MAGIC = b"#ROSBAG V2.0\n"
_CHUNK = b"\x05"
_SIZE = struct.Struct("<I")


def read(path):
    """The chunks of the file in order. Those of a bag that is cut off count as far as their records
    go; bags before version 2.0 have none."""
    found = []
    with open(path, "rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            return found
        while True:
            fields = _fields(_sized(file))
            size = file.read(_SIZE.size)
            if not fields or len(size) < _SIZE.size:
                return found
            (size,) = _SIZE.unpack(size)
            if fields.get(b"op") == _CHUNK:
                found.append(_chunk(fields, size))
            file.seek(size, 1)


def _sized(file):
    size = file.read(_SIZE.size)
    return file.read(*_SIZE.unpack(size)) if len(size) == _SIZE.size else b""


def _fields(header):
    """The fields of the header of a record."""
    fields = {}
    at = 0
    while at + _SIZE.size <= len(header):
        (size,) = _SIZE.unpack_from(header, at)
        name, _, value = header[at + _SIZE.size:at + _SIZE.size + size].partition(b"=")
        fields[name] = value
        at += _SIZE.size + size
    return fields


def _chunk(fields, compressed):
    try:
        return Chunk(fields[b"compression"].decode(), *_SIZE.unpack(fields[b"size"]), compressed)
    except (KeyError, UnicodeDecodeError, struct.error) as error:
        raise ValueError(f"the header of a chunk is damaged: {error}") from error
