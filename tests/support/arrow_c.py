"""Reads the Arrow C data and stream interfaces with ctypes, by nothing but their specification:
https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html.

It is strict: what a consumer may rely on is checked, and a released struct is not read."""

import ctypes
import struct
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p

NULLABLE = 2
ALIGNMENT = 64  # the recommendation; 8 is required
NUMBERS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q",
           "f": "f", "g": "d"}


class ArrowSchema(Structure):
    pass


class ArrowArray(Structure):
    pass


class ArrowArrayStream(Structure):
    pass


ArrowSchema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64),
    ("n_children", c_int64), ("children", POINTER(POINTER(ArrowSchema))),
    ("dictionary", POINTER(ArrowSchema)), ("release", CFUNCTYPE(None, POINTER(ArrowSchema))),
    ("private_data", c_void_p)]
ArrowArray._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(ArrowArray))), ("dictionary", POINTER(ArrowArray)),
    ("release", CFUNCTYPE(None, POINTER(ArrowArray))), ("private_data", c_void_p)]
ArrowArrayStream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(ArrowArrayStream))),
    ("release", CFUNCTYPE(None, POINTER(ArrowArrayStream))), ("private_data", c_void_p)]


def release(held):
    """Calls the callback, which must mark the struct as released."""
    held.release(ctypes.byref(held))
    if held.release:
        raise AssertionError("release() has not marked the struct as released")


class Type:
    """A copy of an ArrowSchema."""

    def __init__(self, schema):
        if not schema.release:
            raise AssertionError("a schema that has been released")
        self.format = schema.format.decode()
        self.name = (schema.name or b"").decode()
        self.is_nullable = bool(schema.flags & NULLABLE)
        self.metadata = dict(_metadata(schema.metadata))
        self.children = [Type(schema.children[i].contents) for i in range(schema.n_children)]
        self.dictionary = Type(schema.dictionary.contents) if schema.dictionary else None

    def __repr__(self):
        inner = ", ".join(map(repr, self.children))
        return f"{self.name}:{self.format}" + (f"<{inner}>" if inner else "")


def _metadata(address):
    if not address:
        return

    def number():
        nonlocal address
        value = c_int.from_address(address).value
        address += 4
        return value

    def text():
        nonlocal address
        length = number()
        value = ctypes.string_at(address, length).decode()
        address += length
        return value

    for _ in range(number()):
        yield text(), text()


def values(type_, array, alignment=8):
    """All values of an array, as Python has them: None, bool, int, float, str, bytes, a list, a
    dict. Times and durations are integers."""
    if not array.release:
        raise AssertionError("an array that has been released")
    expected = _expected_buffers(type_)
    if array.n_buffers != expected or array.n_children != len(type_.children):
        raise AssertionError(f"{type_}: {array.n_buffers} buffers, {array.n_children} children")
    for i in range(array.n_buffers):
        if (array.buffers[i] or 0) % alignment:
            raise AssertionError(f"{type_}: buffer {i} is not aligned")
    begin, end = array.offset, array.offset + array.length
    found = _plain_values(type_, array, begin, end, alignment)
    if type_.dictionary:
        texts = values(type_.dictionary, array.dictionary.contents, alignment)
        found = [texts[index] for index in found]
    return _with_nulls(type_, array, found, begin, end)


def _expected_buffers(type_):
    if type_.format == "+s" or type_.format.startswith("+w:"):
        return 1
    return 3 if type_.format in ("u", "z") else 2


def _with_nulls(type_, array, found, begin, end):
    if not array.buffers[0]:
        if array.null_count > 0:
            raise AssertionError(f"{type_}: nulls without a bitmap")
        return found
    valid = _bits(array.buffers[0], begin, end)
    if array.null_count not in (-1, valid.count(False)):
        raise AssertionError(f"{type_}: {array.null_count} nulls, {valid.count(False)} in the bits")
    if not type_.is_nullable and not all(valid):
        raise AssertionError(f"{type_}: nulls in a column that has none")
    return [value if is_valid else None for value, is_valid in zip(found, valid)]


def _bits(address, begin, end):
    data = ctypes.string_at(address, (end + 7) // 8)
    return [bool(data[i // 8] >> i % 8 & 1) for i in range(begin, end)]


def _numbers(address, code, begin, end):
    size = struct.calcsize(code)
    data = ctypes.string_at(address + begin * size, (end - begin) * size)
    return list(struct.unpack(f"<{end - begin}{code}", data))


def _plain_values(type_, array, begin, end, alignment):
    form = type_.format
    children = [values(type_.children[i], array.children[i].contents, alignment)
                for i in range(array.n_children)]
    if form == "+s":
        if any(len(child) < end for child in children):
            raise AssertionError(f"{type_}: a field is shorter than the struct")
        names = [child.name for child in type_.children]
        return [{name: child[i] for name, child in zip(names, children)}
                for i in range(begin, end)]
    if form.startswith("+w:"):
        width = int(form[3:])
        return [children[0][i * width:(i + 1) * width] for i in range(begin, end)]
    if form == "b":
        return _bits(array.buffers[1], begin, end)
    if form.startswith("w:"):
        width = int(form[2:])
        data = ctypes.string_at(array.buffers[1], end * width)
        return [data[i * width:(i + 1) * width] for i in range(begin, end)]
    if form in ("u", "z", "+l"):
        offsets = _numbers(array.buffers[1], "i", begin, end + 1)
        if offsets[0] < 0 or offsets != sorted(offsets):
            raise AssertionError(f"{type_}: offsets that go back")
        ranges = zip(offsets, offsets[1:])
        if form == "+l":
            return [children[0][first:last] for first, last in ranges]
        data = ctypes.string_at(array.buffers[2], offsets[-1])
        parts = [data[first:last] for first, last in ranges]
        return parts if form == "z" else [part.decode() for part in parts]
    if form.startswith(("tsn:", "tDn")):
        return _numbers(array.buffers[1], "q", begin, end)
    return _numbers(array.buffers[1], NUMBERS[form], begin, end)


class StreamError(Exception):
    pass


class Stream:
    """The consumer's side of an ArrowArrayStream, which it owns."""

    def __init__(self):
        self.c = ArrowArrayStream()

    def _check(self, code):
        if code:
            text = self.c.get_last_error(ctypes.byref(self.c))
            raise StreamError(code, (text or b"").decode())

    def type(self):
        schema = ArrowSchema()
        self._check(self.c.get_schema(ctypes.byref(self.c), ctypes.byref(schema)))
        type_ = Type(schema)
        release(schema)
        return type_

    def arrays(self):
        """The batches as they are; whoever gets one releases it."""
        while True:
            array = ArrowArray()
            self._check(self.c.get_next(ctypes.byref(self.c), ctypes.byref(array)))
            if not array.release:
                return
            yield array

    def batches(self):
        """Copies of the batches: lists of rows."""
        type_ = self.type()
        for array in self.arrays():
            rows = values(type_, array, ALIGNMENT)
            release(array)
            yield rows

    def close(self):
        release(self.c)
