"""Messages and times as ROS 1's own packages give them, made of the definitions in a bag: classes
with a slot for each field, which can be changed and serialized. Nothing of ROS is needed. Where
genpy is installed, times are genpy's, and the classes derive from genpy.Message, so that scripts
which ask for these find them."""

import hashlib
import json
import re
import struct

from ._rostime import Duration, Time, has_genpy

if has_genpy:
    from genpy import Message as _Base
else:
    _Base = object

_FORMATS = {"bool": "?", "int8": "b", "byte": "b", "uint8": "B", "char": "B", "int16": "h",
            "uint16": "H", "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q",
            "float32": "f", "float64": "d"}
_BUILTIN = {*_FORMATS, "string", "time", "duration"}
_OF_ROS2 = {"builtin_interfaces/Time": "time", "builtin_interfaces/Duration": "duration",
            "wstring": "string"}
_OLD_HEADER = "roslib/Header"  # its name before 2010
_RULE = "=" * 80
_LINE = re.compile(r"(?P<type>[\w/]+)(?:<=\d+)?(?P<array>\[(?P<bound><=)?(?P<size>\d*)\])?\s+"
                   r"(?P<name>\w+)\s*(?P<rest>.*)$")
_COUNT = struct.Struct("<I")
_classes = {}


class DefinitionError(ValueError):
    """A definition that is no definition of ROS, or lacks a type."""


class PayloadError(ValueError):
    """A value does not fit its field, or bytes are no message of the type."""


def name_in_ros1(type_):
    """sensor_msgs/Imu of sensor_msgs/msg/Imu."""
    return re.sub(r"^(\w+)/msg/(\w+)$", r"\1/\2", type_)


class _Field:
    def __init__(self, type_, array, size, name):
        self.base = type_
        self.type = type_ + array
        self.is_array = bool(array)
        self.size = size  # None: any
        self.name = name


class _Definition:
    """The fields and constants of one type."""

    def __init__(self, name, text, known):
        self.name = name
        self.text = text
        self.fields = []
        self.constants = []  # type, name, text of the value
        for line in text.splitlines():
            self._add(line.strip(), known)

    def _add(self, line, known):
        if not line or line.startswith("#"):
            return
        found = _LINE.match(line)
        if not found:
            raise DefinitionError(f"{self.name}: no line of a definition: {line!r}")
        type_, rest = found["type"], found["rest"]
        if rest.startswith("="):
            # A number sign belongs to a text.
            value = rest[1:] if type_ == "string" else rest[1:].split("#")[0]
            self.constants.append((type_, found["name"], value.strip()))
            return
        size = int(found["size"]) if found["size"] and not found["bound"] else None
        array = "" if not found["array"] else "[]" if size is None else f"[{size}]"
        self.fields.append(_Field(self._resolved(type_, known), array, size, found["name"]))

    def _resolved(self, type_, known):
        type_ = name_in_ros1(type_)
        type_ = _OF_ROS2.get(type_, type_)
        if type_ in _BUILTIN or type_ in known:
            return type_
        beside = f"{self.name.split('/')[0]}/{type_}"
        same = [name for name in known if name.split("/")[-1] == type_.split("/")[-1]]
        if beside in known or same:
            return beside if beside in known else same[0]
        raise DefinitionError(f"{self.name} needs {type_}, which the bag does not define")

    def as_ros1(self):
        """The definition as ROS 1 writes it. Its headers count the messages."""
        if self.name == "std_msgs/Header" and not any(f.name == "seq" for f in self.fields):
            self.fields.insert(0, _Field("uint32", "", None, "seq"))
        self.constants = [(type_, name, value.strip("\"'") if type_ == "string" else value)
                          for type_, name, value in self.constants]
        self.text = "".join([f"{each[0]} {each[1]}={each[2]}\n" for each in self.constants]
                            + [f"{field.type} {field.name}\n" for field in self.fields])


def _definitions(type_, text, is_ros1):
    """All definitions of a text, by name; that of the type itself comes first."""
    parts = re.split(r"(?m)^={80}\n", text)
    texts = {type_: parts[0]}
    for part in parts[1:]:
        head, _, body = part.partition("\n")
        texts[name_in_ros1(head.removeprefix("MSG:").strip())] = body
    found = {}
    for name, body in texts.items():
        if _OF_ROS2.get(name) is None:
            found[name] = _Definition(name, body, texts)
    if not is_ros1:
        for definition in found.values():
            definition.as_ros1()
    return found


def _value_of_constant(type_, text):
    if type_ == "string":
        return text
    if type_ in ("float32", "float64"):
        return float(text)
    if type_ == "bool":
        return text.lower() in ("1", "true")
    return int(text, 0) if not re.fullmatch(r"[+-]?0\d+", text) else int(text)


def message_class(type_, text, language="ros1msg", md5sum=None):
    """The class of a type. `text` is its definition with those that it needs."""
    key = (type_, text, language, md5sum)
    if key not in _classes:
        if language not in ("ros1msg", "ros2msg"):
            raise DefinitionError(f"{type_} is defined in {language or 'no language'}; there are "
                                  "message classes of definitions of ROS only")
        name = name_in_ros1(type_)
        text = text.replace(_OLD_HEADER, "std_msgs/Header")
        definitions = _definitions(name, text, language == "ros1msg")
        made = {}
        _make(name, definitions, made, ())
        cls = made[name]
        if language == "ros1msg":
            cls._full_text = text
        if md5sum and md5sum != "*":
            cls._md5sum = md5sum
        _classes[key] = cls
    return _classes[key]


def _make(name, definitions, made, outer):
    if name in outer:
        raise DefinitionError(f"{name} contains itself")
    if name in made:
        return made[name]
    definition = definitions[name]
    parts = {f.base: _make(f.base, definitions, made, (*outer, name))
             for f in definition.fields if f.base not in _BUILTIN}
    constants = {each[1]: _value_of_constant(each[0], each[2]) for each in definition.constants}
    made[name] = type("_" + name.replace("/", "__"), (Message,), {
        **constants,
        "__slots__": [field.name for field in definition.fields],
        "_slot_types": [field.type for field in definition.fields],
        "_type": name,
        "_md5sum": _md5sum(definition, parts),
        "_full_text": _full_text(definition, definitions),
        "_has_header": any(f.type == "std_msgs/Header" for f in definition.fields),
        "_codecs": [_codec_of(field, parts) for field in definition.fields],
    })
    return made[name]


def _md5sum(definition, parts):
    """What ROS 1 compares types by: the digest of constants and fields without comments."""
    lines = [f"{type_} {name}={value}" for type_, name, value in definition.constants]
    lines += [f"{parts[f.base]._md5sum if f.base in parts else f.type} {f.name}"
              for f in definition.fields]
    return hashlib.md5("\n".join(lines).strip().encode(), usedforsecurity=False).hexdigest()


def _full_text(definition, definitions):
    needed = []
    waiting = [definition]
    while waiting:
        for field in waiting.pop(0).fields:
            part = definitions.get(field.base)
            if part and part not in needed:
                needed.append(part)
                waiting.append(part)
    return definition.text + "".join(f"\n{_RULE}\nMSG: {part.name}\n{part.text}"
                                     for part in needed)


class _Number:
    def __init__(self, type_):
        self._struct = struct.Struct("<" + _FORMATS[type_])
        self._default = {"?": False, "f": 0.0, "d": 0.0}.get(_FORMATS[type_], 0)

    def default(self):
        return self._default

    def read(self, data, at):
        return self._struct.unpack_from(data, at)[0], at + self._struct.size

    def write(self, out, value):
        out += self._struct.pack(value)

    def of_structure(self, value):
        return value


class _Numbers:
    """A list of numbers: a tuple, of booleans a list."""

    def __init__(self, type_, size):
        self._letter = _FORMATS[type_]
        self._bytes = struct.calcsize(self._letter)
        self._size = size
        self._kind = list if type_ == "bool" else tuple

    def default(self):
        zero = {"?": False, "f": 0.0, "d": 0.0}.get(self._letter, 0)
        return [zero] * (self._size or 0)

    def read(self, data, at):
        count, at = _count(data, at, self._size)
        values = struct.unpack_from(f"<{count}{self._letter}", data, at)
        return self._kind(values), at + count * self._bytes

    def write(self, out, value):
        _write_count(out, value, self._size)
        out += struct.pack(f"<{len(value)}{self._letter}", *value)

    def of_structure(self, value):
        return self._kind(value.tolist())


class _Bytes:
    """A list of uint8 or char."""

    def __init__(self, size):
        self._size = size

    def default(self):
        return bytes(self._size or 0)

    def read(self, data, at):
        count, at = _count(data, at, self._size)
        return bytes(data[at:at + count]), at + count

    def write(self, out, value):
        value = _as_bytes(value)
        _write_count(out, value, self._size)
        out += value

    def of_structure(self, value):
        return value.tobytes()


class _Text:
    def default(self):
        return ""

    def read(self, data, at):
        count, at = _count(data, at, None)
        return str(data[at:at + count], "utf-8", "replace"), at + count

    def write(self, out, value):
        value = _as_bytes(value)
        out += _COUNT.pack(len(value)) + value

    def of_structure(self, value):
        return value


class _Stamp:
    """A time or a duration."""

    def __init__(self, cls, letters):
        self._class = cls
        self._struct = struct.Struct("<" + letters)

    def default(self):
        return self._class()

    def read(self, data, at):
        return self._class(*self._struct.unpack_from(data, at)), at + 8

    def write(self, out, value):
        out += self._struct.pack(value.secs, value.nsecs)

    def of_structure(self, value):
        return self._class(value.sec, value.nanosec if "nanosec" in value else value.nsec)


class _Part:
    """A message in a message."""

    def __init__(self, cls):
        self._class = cls

    def default(self):
        return self._class()

    def read(self, data, at):
        message = self._class.__new__(self._class)
        return message, message._read(data, at)

    def write(self, out, value):
        if not all(hasattr(value, name) for name in self._class.__slots__):
            raise PayloadError(f"{value!r} is no {self._class._type}")
        self._class._write_fields(value, out)

    def of_structure(self, value):
        return self._class._of_structure(value)


class _List:
    """A list of anything but numbers."""

    def __init__(self, codec, size):
        self._codec = codec
        self._size = size

    def default(self):
        return [self._codec.default() for _ in range(self._size or 0)]

    def read(self, data, at):
        count, at = _count(data, at, self._size)
        if self._size is None and count > len(data):
            raise PayloadError(f"{count:,} elements do not fit {len(data):,} bytes")
        values = []
        for _ in range(count):
            value, at = self._codec.read(data, at)
            values.append(value)
        return values, at

    def write(self, out, value):
        _write_count(out, value, self._size)
        for each in value:
            self._codec.write(out, each)

    def of_structure(self, value):
        return [self._codec.of_structure(each) for each in value]


def _count(data, at, size):
    return (_COUNT.unpack_from(data, at)[0], at + 4) if size is None else (size, at)


def _as_bytes(value):
    if isinstance(value, str):
        return value.encode()
    return bytes(memoryview(value) if not isinstance(value, (list, tuple)) else value)


def _write_count(out, value, size):
    if size is None:
        out += _COUNT.pack(len(value))
    elif len(value) != size:
        raise PayloadError(f"it has {size} elements, not {len(value)}")


def _codec_of(field, parts):
    if field.is_array and field.base in ("uint8", "char"):
        return _Bytes(field.size)
    if field.is_array and field.base in _FORMATS:
        return _Numbers(field.base, field.size)
    if field.base in _FORMATS:
        return _Number(field.base)
    stamps = {"time": (Time, "II"), "duration": (Duration, "ii")}
    codec = (_Text() if field.base == "string" else
             _Stamp(*stamps[field.base]) if field.base in stamps else _Part(parts[field.base]))
    return _List(codec, field.size) if field.is_array else codec


class Message(_Base):
    """What the classes of all types have. Arguments are all fields in order, or some by name."""

    __slots__ = ["_connection_header"]
    _codecs = ()

    def __init__(self, *args, **fields):
        if args and (fields or len(args) != len(self.__slots__)):
            raise TypeError(f"{self._type} takes all its fields in order, or fields by name")
        for name in fields:
            if name not in self.__slots__:
                raise AttributeError(f"{name} is not an attribute of {type(self).__name__}")
        given = dict(zip(self.__slots__, args)) if args else fields
        for name, codec in zip(self.__slots__, self._codecs):
            value = given.get(name)
            setattr(self, name, codec.default() if value is None else value)

    def serialize(self, buff):
        """Writes the message to a file of bytes, as ROS 1 serializes it."""
        out = bytearray()
        self._write(out)
        buff.write(bytes(out))

    def deserialize(self, data):
        """Takes the fields from what serialize() wrote."""
        try:
            end = self._read(data, 0)
        except struct.error as error:
            raise PayloadError(f"{self._type}: {error}") from error
        if end > len(data):
            raise PayloadError(f"{self._type}: {len(data):,} bytes are {end - len(data):,} bytes "
                               "too few")
        return self

    def _read(self, data, at):
        for name, codec in zip(self.__slots__, self._codecs):
            value, at = codec.read(data, at)
            setattr(self, name, value)
        return at

    # Not a method of what it writes: that may be a message of a generated class.
    @classmethod
    def _write_fields(cls, message, out):
        for name, codec in zip(cls.__slots__, cls._codecs):
            try:
                codec.write(out, getattr(message, name))
            except (struct.error, TypeError, AttributeError, ValueError) as error:
                raise PayloadError(f"{cls._type}.{name}: {error}") from error

    def _write(self, out):
        type(self)._write_fields(self, out)

    @classmethod
    def _of_structure(cls, structure):
        """The message that kitbag decoded. A field that it lacks keeps its default."""
        message = cls()
        for name, codec in zip(cls.__slots__, cls._codecs):
            if name in structure:
                setattr(message, name, codec.of_structure(structure[name]))
        return message

    def _get_types(self):
        return self._slot_types

    def __eq__(self, other):
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None

    def __getstate__(self):
        return [getattr(self, name) for name in self.__slots__]

    def __setstate__(self, state):
        for name, value in zip(self.__slots__, state):
            setattr(self, name, value)

    def __str__(self):
        return _text_of_message(self, "")

    __repr__ = __str__


def _quoted(text):
    try:
        import yaml
    except ImportError:  # every text of JSON is one of YAML
        return json.dumps(text)
    return yaml.dump(text, default_style='"').rstrip("\n")


def _text_of_message(message, indent):
    lines = []
    for name, type_ in zip(message.__slots__, message._slot_types):
        value = getattr(message, name)
        if isinstance(value, bytes) and "uint8[" in type_:
            value = list(value)
        lines.append(f"{indent}{name}: {_text(value, indent + '  ')}")
    return ("\n" if indent else "") + "\n".join(lines)


def _text(value, indent):
    """A value as genpy writes it, which is YAML."""
    if isinstance(value, str):
        return _quoted(value) if value else "''"
    if isinstance(value, (Time, Duration)):
        return f"\n{indent}secs: {value.secs}\n{indent}nsecs: {value.nsecs:9d}"
    if isinstance(value, (list, tuple)):
        return _text_of_list(value, indent)
    if hasattr(value, "_slot_types"):
        return _text_of_message(value, indent)
    return str(value)


def _text_of_list(values, indent):
    if not values:
        return "[]"
    if type(values[0]) in (int, float, bool):
        return str(list(values))
    if isinstance(values[0], str):
        return _text_of_texts(values, indent)
    return "".join(f"\n{indent}- {_text(each, indent + '  ')}" for each in values)


def _text_of_texts(values, indent):
    try:
        import yaml
    except ImportError:
        return json.dumps(list(values))
    lines = yaml.dump(list(values)).rstrip("\n").splitlines()
    return "".join(f"\n{indent}{line}" for line in lines)
