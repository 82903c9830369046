"""Columns of the library as NumPy arrays.

A batch comes as nested tuples whose buffers are memoryviews over the memory of the batch. Numbers
become arrays over that memory. What NumPy has no type for (texts, lists of different lengths)
becomes an array of objects. Structures become columns of their own: "pose.position.x".
"""

import re

import numpy as np

_NUMBERS = {"c": "i1", "C": "u1", "s": "i2", "S": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8",
            "f": "f4", "g": "f8"}
_FIXED = re.compile(r"\+?w:(\d+)$")


def _bits(buffer, offset, length):
    bits = np.unpackbits(np.frombuffer(buffer, np.uint8), bitorder="little")
    return bits[offset:offset + length].astype(bool)


def _is_null(column):
    """Which rows are null; None: none."""
    _, _, length, offset, nulls, buffers, _, _ = column
    if nulls == 0 or not buffers or buffers[0] is None:
        return None
    is_null = ~_bits(buffers[0], offset, length)
    return is_null if is_null.any() else None


def _objects(values):
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _with_nulls(array, is_null):
    """NaN, NaT or None in rows that are null. Integers become float64."""
    if is_null is None:
        return array
    if array.ndim > 1 and array.dtype.kind in "iub":
        array = array.astype(float)
    if array.dtype.kind in "iu":
        array = array.astype(float)
    elif array.dtype.kind == "b":
        array = array.astype(object)
    elif array.dtype.kind == "S":
        array = array.astype(object)
    else:
        array = array.copy()
    array[is_null] = {"f": np.nan, "M": np.datetime64("NaT"), "m": np.timedelta64("NaT"),
                      "O": None}[array.dtype.kind]
    return array


def _offsets(column):
    _, _, length, offset, _, buffers, _, _ = column
    if length == 0:
        return np.zeros(1, np.int32)
    return np.frombuffer(buffers[1], np.int32)[offset:offset + length + 1]


def _texts(column):
    data = bytes(column[5][2]) if column[5][2] is not None else b""
    ends = _offsets(column).tolist()
    if column[1] == "u":
        return [data[a:b].decode("utf-8", "surrogateescape") for a, b in zip(ends, ends[1:])]
    whole = np.frombuffer(data, np.uint8)
    return [whole[a:b] for a, b in zip(ends, ends[1:])]


def _plain(column):
    """The values of a column that is no structure, without its nulls."""
    _, format_, length, offset, _, buffers, children, dictionary = column
    if dictionary is not None:
        texts = _objects(_texts(dictionary))
        index = np.frombuffer(buffers[1], np.int32)[offset:offset + length] if length else []
        return texts[np.clip(index, 0, None)] if len(texts) else _objects([None] * length)
    if format_ in _NUMBERS or format_.startswith("t"):
        if format_.startswith("ts"):
            dtype = "M8[ns]"
        elif format_.startswith("tD"):
            dtype = "m8[ns]"
        else:
            dtype = _NUMBERS[format_]
        data = buffers[1] if buffers[1] is not None else b""
        return np.frombuffer(data, dtype)[offset:offset + length]
    if format_ == "b":
        return _bits(buffers[1], offset, length) if length else np.zeros(0, bool)
    if format_ in ("u", "z"):
        return _objects(_texts(column))
    fixed = _FIXED.match(format_)
    if fixed:
        size = int(fixed.group(1))
        if format_.startswith("w:"):
            values = np.frombuffer(buffers[1] if buffers[1] is not None else b"", np.uint8)
        else:
            values = array_of(children[0])
        return values[offset * size:(offset + length) * size].reshape(length, size)
    if format_ == "+l":
        ends = _offsets(column).tolist()
        values = array_of(children[0])
        return _objects([values[a:b] for a, b in zip(ends, ends[1:])])
    if format_ == "n":
        return _objects([None] * length)
    raise TypeError(f"columns of the Arrow type {format_!r} are not supported")


def array_of(column):
    """A column as one array; structures as dicts."""
    if column[1] == "+s":
        parts = dict(leaves(column, ""))
        if not parts:
            return _objects([{} for _ in range(column[2])])
        names = list(parts)
        rows = zip(*(part.tolist() if part.dtype.kind not in "OMm" else part
                     for part in parts.values()))
        return _objects([dict(zip(names, row)) for row in rows])
    return _with_nulls(_plain(column), _is_null(column))


def leaves(column, path):
    """(path, array) of the columns in a structure, or of the column itself."""
    if column[1] != "+s":
        yield path, array_of(column)
        return
    _, _, length, offset, _, _, children, _ = column
    is_null = _is_null(column)
    for child in children:
        for name, array in leaves(child, f"{path}.{child[0]}" if path else child[0]):
            yield name, _with_nulls(array[offset:offset + length], is_null)


def _same_type(parts):
    """Parts of one column whose types differ, as some had nulls and others not."""
    kinds = {part.dtype for part in parts}
    if len(kinds) > 1:
        wide = object if any(kind.kind in "Ob" for kind in kinds) else float
        parts = [part.astype(wide) for part in parts]
    return parts


def _named(batch):
    """The columns of a batch as {name: array}. A name that comes again gets a "_", as in files."""
    named = {}
    for column in batch[6]:
        for name, array in leaves(column, column[0]):
            while name in named:
                name += "_"
            named[name] = array
    return named


def read(table):
    """All batches of a table as {name: array}."""
    parts = {}
    while (batch := table.next()) is not None:
        for name, array in _named(batch).items():
            parts.setdefault(name, []).append(array)
    if not parts:
        return _named(table.empty())
    return {name: all_[0] if len(all_) == 1 else np.concatenate(_same_type(all_))
            for name, all_ in parts.items()}
