"""Protobuf messages and their descriptors, written by hand: tests need no library for it. Types are
a table {name: [(number, field, type)]}; a type is a word of WORDS, the name of another message, or
an enumeration as {name: number}; "*" before it makes it a list."""

import struct

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
# In descriptors.
WORDS = {"double": 1, "int64": 3, "int32": 5, "fixed32": 7, "bool": 8, "string": 9, "bytes": 12}
MESSAGE, ENUM = 11, 14
OPTIONAL, REPEATED = 1, 3


def varint(value):
    out = bytearray()
    value &= 2**64 - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def number(field, value):
    return varint(field << 3 | VARINT) + varint(value)


def sized(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | BYTES) + varint(len(data)) + data


def encode(types, name, value):
    """A message of the type `name` from a dict; what it does not have is left out."""
    out = b""
    for field, key, type_ in types[name]:
        if key not in value:
            continue
        is_list = isinstance(type_, str) and type_.startswith("*")
        if type_ == "*fixed32":  # packed, as all numbers of proto3
            out += sized(field, struct.pack(f"<{len(value[key])}I", *value[key]))
            continue
        for each in value[key] if is_list else [value[key]]:
            out += one(types, field, type_.lstrip("*") if is_list else type_, each)
    return out


def one(types, field, type_, value):
    if isinstance(type_, dict) or type_ in ("int32", "int64", "bool"):
        return number(field, int(value))
    if type_ == "double":
        return varint(field << 3 | FIXED64) + struct.pack("<d", value)
    if type_ == "fixed32":
        return varint(field << 3 | FIXED32) + struct.pack("<I", value)
    if type_ in ("string", "bytes"):
        return sized(field, value)
    return sized(field, encode(types, type_, value))


def descriptors(types):
    """A FileDescriptorSet, with a file for each package."""
    packages = {}
    for name in types:
        packages.setdefault(name.rpartition(".")[0], []).append(name)
    files = b""
    for package, names in packages.items():
        file = sized(1, f"{package}.proto") + sized(2, package)
        used = {type_.lstrip("*").rpartition(".")[0] for name in names
                for _, _, type_ in types[name] if isinstance(type_, str) and "." in type_}
        file += b"".join(sized(3, f"{each}.proto") for each in sorted(used - {package}))
        file += b"".join(sized(4, descriptor(types, name)) for name in names)
        files += sized(1, file + sized(12, "proto3"))
    return files


def descriptor(types, name):
    out = sized(1, name.rpartition(".")[2])
    for field, key, type_ in types[name]:
        is_list = isinstance(type_, str) and type_.startswith("*")
        about = sized(1, key) + number(3, field) + number(4, REPEATED if is_list else OPTIONAL)
        if isinstance(type_, dict):
            enum = key.capitalize()
            values = b"".join(sized(2, sized(1, word) + number(2, value))
                              for word, value in type_.items())
            out += sized(4, sized(1, enum) + values)
            about += number(5, ENUM) + sized(6, f".{name}.{enum}")
        elif type_.lstrip("*") in WORDS:
            about += number(5, WORDS[type_.lstrip("*")])
        else:
            about += number(5, MESSAGE) + sized(6, "." + type_.lstrip("*"))
        out += sized(2, about)
    return out
