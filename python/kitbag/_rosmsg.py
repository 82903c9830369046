"""Messages and times as ROS 1's own packages give them, made of the definitions in a bag: classes
with a slot for each field, which can be changed and serialized. Nothing of ROS is needed. Where
genpy is installed, times are genpy's, and the classes derive from genpy.Message, so that scripts
which ask for these find them.

Definitions, MD5 sums and payloads are the library's, and so is what makes messages of payloads
(_kitbag._Ros1Messages): it sets the slots of these classes."""

import json
import re

from . import _kitbag
from ._rostime import Duration, Time, has_genpy

if has_genpy:
    from genpy import Message as _Base
else:
    _Base = object

_REALS = ("float32", "float64")
_INTEGERS = ("int8", "byte", "uint8", "char", "int16", "uint16", "int32", "uint32", "int64",
             "uint64")
_NUMBERS = ("bool", *_INTEGERS, *_REALS)
_BYTES = ("uint8", "char")
_STAMPS = {"time": Time, "duration": Duration}
_OLD_HEADER = "roslib/Header"  # its name before 2010
_classes = {}


class DefinitionError(ValueError):
    """A definition that is no definition of ROS, or lacks a type."""


class PayloadError(ValueError):
    """A value does not fit its field, or bytes are no message of the type."""


def name_in_ros1(type_):
    """sensor_msgs/Imu of sensor_msgs/msg/Imu."""
    return re.sub(r"^(\w+)/msg/(\w+)$", r"\1/\2", type_)


def message_class(type_, text, language="ros1msg", md5sum=None):
    """The class of a type. `text` is its definition with those that it needs."""
    key = (type_, text, language, md5sum)
    if key not in _classes:
        if language not in ("ros1msg", "ros2msg"):
            raise DefinitionError(f"{type_} is defined in {language or 'no language'}; there are "
                                  "message classes of definitions of ROS only")
        _classes[key] = _make(type_, text.replace(_OLD_HEADER, "std_msgs/Header"), language)
        if md5sum and md5sum != "*":
            _classes[key]._md5sum = md5sum
    return _classes[key]


def _make(type_, text, language):
    try:
        structures = _kitbag._Ros1Type(type_, text, language).structures()
    except _kitbag.Error as error:
        raise DefinitionError(f"{type_}: {error}") from error
    made = {}
    for name, about in structures.items():
        made[name] = type("_" + name.replace("/", "__"), (Message,), {
            **about["constants"],
            "__slots__": [field[0] for field in about["fields"]],
            "_slot_types": [_slot_type(*field[1:]) for field in about["fields"]],
            "_type": name,
            "_md5sum": about["md5sum"],
            "_full_text": about["text"],
            "_has_header": any(field[1:] == ("std_msgs/Header", None)
                               for field in about["fields"]),
        })
    for name, about in structures.items():
        made[name]._fields = [_Field(*field, made) for field in about["fields"]]
        made[name]._classes = made
    return next(iter(made.values()))


def _slot_type(element, length):
    return element + ("" if length is None else f"[{length or ''}]")


class _Field:
    """A field, and its default. `length` is None if it is no list, 0 for any number."""

    def __init__(self, name, element, length, classes):
        self.name = name
        self._element = element
        self._length = length
        self._class = classes.get(element)

    def default(self):
        if self._length is None:
            return self._default_of_one()
        if self._element in _BYTES:
            return bytes(self._length)
        return [self._default_of_one() for _ in range(self._length)]

    def _default_of_one(self):
        if self._element in _NUMBERS:
            return False if self._element == "bool" else 0.0 if self._element in _REALS else 0
        if self._element == "string":
            return ""
        return (self._class or _STAMPS[self._element])()


class Message(_Base):
    """What the classes of all types have. Arguments are all fields in order, or some by name."""

    __slots__ = ["_connection_header"]
    _fields = ()

    def __init__(self, *args, **fields):
        if args and (fields or len(args) != len(self.__slots__)):
            raise TypeError(f"{self._type} takes all its fields in order, or fields by name")
        for name in fields:
            if name not in self.__slots__:
                raise AttributeError(f"{name} is not an attribute of {type(self).__name__}")
        given = dict(zip(self.__slots__, args)) if args else fields
        for field in self._fields:
            value = given.get(field.name)
            setattr(self, field.name, field.default() if value is None else value)

    @classmethod
    def _ros1_type(cls):
        if "_known_ros1_type" not in cls.__dict__:
            cls._known_ros1_type = _kitbag._Ros1Type(cls._type, cls._full_text, "ros1msg")
        return cls._known_ros1_type

    def serialize(self, buff):
        """Writes the message to a file of bytes, as ROS 1 serializes it."""
        try:
            buff.write(self._ros1_type().encode(self))
        except _kitbag.Error as error:
            raise PayloadError(str(error)) from error
        except (TypeError, AttributeError, ValueError, OverflowError) as error:
            raise PayloadError(f"{self._type}: {error}") from error

    @classmethod
    def _maker(cls):
        """What makes messages of this class of payloads."""
        return cls._ros1_type().messages(cls._classes, Time, Duration)

    def deserialize(self, data):
        """Takes the fields from what serialize() wrote."""
        cls = type(self)
        if "_own_maker" not in cls.__dict__:
            cls._own_maker = cls._maker()
        try:
            self.__setstate__(cls._own_maker.of_payload(data).__getstate__())
        except _kitbag.Error as error:
            raise PayloadError(f"{self._type}: {error}") from error
        return self

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
