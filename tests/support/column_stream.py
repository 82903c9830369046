"""A bag as columns, by tests/interop/column_stream.cpp, and what `kitbag cat` says of the same."""

import base64
import ctypes
import json
import math
import os
import struct
from ctypes import POINTER, c_bool, c_char_p, c_int, c_uint64

import arrow_c
import peers

BATCH_ROWS = 7  # many batches, so that what one leaves behind is seen in the next


def is_json(column):
    return column.metadata.get("ARROW:extension:name") == "arrow.json"


def library():
    build = os.environ.get("KITBAG_BUILD", str(peers.ROOT / "build" / "release"))
    opened = ctypes.CDLL(f"{build}/column_stream.so")
    opened.open_column_stream.restype = c_char_p
    opened.open_column_stream.argtypes = [c_char_p, POINTER(c_char_p), POINTER(c_char_p), c_uint64,
                                          c_bool, POINTER(arrow_c.ArrowArrayStream)]
    opened.write_column_parquet.restype = c_char_p
    opened.write_column_parquet.argtypes = [c_char_p, POINTER(c_char_p), POINTER(c_char_p),
                                            c_uint64, c_bool, c_int, c_uint64, c_uint64, c_char_p]
    opened.write_column_ipc.restype = c_char_p
    opened.write_column_ipc.argtypes = [c_char_p, POINTER(c_char_p), POINTER(c_char_p), c_uint64,
                                        c_bool, c_bool, c_char_p]
    return opened


def _texts(texts):
    return (c_char_p * (len(texts) + 1))(*(text.encode() for text in texts), None)


def open_stream(bag, topics=(), fields=(), batch_rows=BATCH_ROWS, skip_errors=False):
    """Throws StreamError."""
    stream = arrow_c.Stream()
    error = library().open_column_stream(os.fsencode(bag), _texts(topics), _texts(fields),
                                         batch_rows, skip_errors, ctypes.byref(stream.c))
    if error:
        raise arrow_c.StreamError(None, error.decode())
    return stream


def write_ipc(bag, target, topics=(), fields=(), batch_rows=BATCH_ROWS, skip_errors=False,
              is_file=False):
    """Writes the same columns in the Arrow IPC format. Throws StreamError."""
    error = library().write_column_ipc(os.fsencode(bag), _texts(topics), _texts(fields), batch_rows,
                                       skip_errors, is_file, os.fsencode(target))
    if error:
        raise arrow_c.StreamError(None, error.decode())


def write_parquet(bag, target, topics=(), fields=(), batch_rows=BATCH_ROWS, skip_errors=False,
                  zstd_level=1, row_group_bytes=64 << 20, page_bytes=1 << 20):
    """Writes the same columns as Parquet. Throws StreamError."""
    error = library().write_column_parquet(
        os.fsencode(bag), _texts(topics), _texts(fields), batch_rows, skip_errors, zstd_level,
        row_group_bytes, page_bytes, os.fsencode(target))
    if error:
        raise arrow_c.StreamError(None, error.decode())


def read(bag, **options):
    """The type of the table, and its rows."""
    stream = open_stream(bag, **options)
    try:
        return stream.type(), [row for batch in stream.batches() for row in batch]
    finally:
        stream.close()


def messages(bag, *options):
    """As `kitbag cat` prints them, exactly."""
    lines = peers.kitbag("cat", bag, "--nan", "string", *options)
    return [json.loads(line) for line in lines.splitlines()]


def expected_rows(type_, printed):
    """Those of the table for what `kitbag cat` printed."""
    # With OnError::skip, a message that is not decoded is no row; `kitbag cat` says its size only.
    return [{"time": each["log_time_ns"], "topic": each["topic"],
             **_fields(type_.children[2:], each["data"])} for each in printed if "data" in each]


def _fields(columns, data):
    if not isinstance(data, dict):
        data = {"value": data}
    # A field whose name another column has gets "_" behind its own.
    return {column.name: expected(column, data.get(
        column.name if column.name not in ("time_", "topic_") else column.name[:-1]))
        for column in columns}


def expected(column, value):
    """What a column says where JSON says `value`."""
    form = column.format
    if value is None:
        return None
    if is_json(column):
        return json.dumps(value)
    if form.startswith(("tsn:", "tDn")):
        seconds, nanoseconds = value.values()
        return seconds * 10**9 + nanoseconds
    if form in ("f", "g"):
        code = form.replace("g", "d")  # as struct knows it
        return struct.unpack(code, struct.pack(code, float(value)))[0]
    if form == "z" or form.startswith("w:"):
        return base64.b64decode(value)
    if form == "+l" or form.startswith("+w:"):
        return [expected(column.children[0], each) for each in value]
    if form == "+s":
        return {child.name: expected(child, value.get(child.name)) for child in column.children}
    return value


def comparable(column, value):
    """The value of a column, so that == says whether it is what is expected."""
    if value is None:
        return None
    if is_json(column):
        return json.loads(value)
    if isinstance(value, float):
        return ("nan",) if math.isnan(value) else (value, math.copysign(1, value))
    if isinstance(value, list):
        return [comparable(column.children[0], each) for each in value]
    if isinstance(value, dict):
        return {child.name: comparable(child, value[child.name]) for child in column.children}
    return value
