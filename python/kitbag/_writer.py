"""Bags that are written."""

import os
import time as _time

from . import _kitbag, _schema, _times
from ._bag import Topic


def create(path, **options):
    """Creates a bag, which appears under its name when it is closed. The extension of `path`
    selects the format; a path that ends with "/" is a rosbag2 directory.

    Options: `format`, `format_version`, `compression` ("lz4", "zstd", "bz2"), `preset`,
    `ros_distro`, `chunk_bytes`, `threads`; `replace`: whether an existing file is replaced;
    `visible`: whether a new file has its name from the start, so that others can read what flush()
    has passed on, without an index; it stays if the bag is never closed."""
    return Writer(_kitbag._Writer(os.fspath(path), options, False),
                  _kitbag._format_of(os.fspath(path), options.get("format") or ""))


def append(path, **options):
    """Opens an existing bag to append to it. Until it is closed, readers see it as it was."""
    return Writer(_kitbag._Writer(os.fspath(path), options, True),
                  _kitbag._format_of(os.fspath(path), options.get("format") or ""))


class Writer:
    """A bag that is being written. Closing it completes it; if the block of a `with` statement ends
    with an exception, the target stays as it was."""

    def __init__(self, writer, format_):
        self._writer = writer
        self._format = format_
        self._channels = {}

    def __enter__(self):
        return self

    def __exit__(self, type_, *_):
        if type_ is None:
            self.close()
        else:
            self._writer.abandon()

    def close(self):
        """Completes the bag and makes it appear."""
        self._writer.close()

    def flush(self):
        """Passes what was written to the operating system; an open chunk ends."""
        self._writer.flush()

    def abandon(self):
        """Leaves the target as it was."""
        self._writer.abandon()

    def topic(self, topic, type, definition=None, *, encoding=None, language="",  # noqa: A002
              metadata=None, definitions=()):
        """Declares a topic. `type` is the name of its type, a dataclass, or a Topic of a bag that
        is read, for the same type and encoding. `definition` is that of the type with those that it
        needs; without it, it is looked for in the folders of `definitions`, in those that
        KITBAG_DEFINITIONS, ROS_PACKAGE_PATH and AMENT_PREFIX_PATH name, and in /usr/share.
        `encoding` is "ros1" in rosbags and "cdr" elsewhere, if it is not given."""
        if isinstance(type, Topic):
            definition, encoding, language = type.definition, type.encoding, type.language
            metadata = {**type.metadata, **(metadata or {})}
            type = type.type  # noqa: A001
        if encoding is None:
            encoding = "ros1" if self._format == "rosbag" else "cdr"
        if not isinstance(type, str):
            type, definition = _schema.of_dataclass(type, encoding)  # noqa: A001
        environment = [os.environ.get(name, "") for name in
                       ("KITBAG_DEFINITIONS", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")]
        self._channels[topic] = self._writer.add(
            topic, encoding, type, definition, language, dict(metadata or {}),
            [os.fspath(folder) for folder in definitions], environment)

    def write(self, topic, data, time=None, *, type=None, definition=None,  # noqa: A002
              encoding=None, publish_time=None, sequence=None):
        """Writes a message: a dict, a dataclass, or any object with fields; a Message or its data;
        or a payload (bytes). A message from another bag brings its type along. Of others, the first
        one of a topic needs `type`, as in topic(), unless it is a dataclass or the topic was
        declared. `time` is the log time: now, or that of the Message, if it is not given."""
        is_message = isinstance(data, _kitbag.Message)
        if time is None:
            time = data.time if is_message else _time.time_ns()
        time = _times.nanoseconds(time)
        if publish_time is None:
            publish_time = data.publish_time if is_message else time
        if sequence is None:
            sequence = data.sequence if is_message else 0
        channel = self._channel(topic, data, type, definition, encoding)
        self._writer.write(channel, data, time, _times.nanoseconds(publish_time), sequence)

    def _channel(self, topic, data, type_, definition, encoding):
        known = self._channels.get(topic)
        if type_ is None:
            if known is not None:
                return known
            copied = self._writer.add_copy(topic, data)
            if copied is not None:
                # Another message of the topic may have another type.
                return copied
            if not hasattr(data, "__dataclass_fields__"):
                raise TypeError(f"the first message of {topic} needs type=, or use topic() before")
            type_ = data.__class__
        if known is None:
            self.topic(topic, type_, definition, encoding=encoding)
        return self._channels[topic]

    @property
    def size_bytes(self):
        """The size of the bag so far, without its index."""
        return self._writer.size_bytes

    def __repr__(self):
        state = "" if self._writer.is_open else ", closed"
        return f"<kitbag.Writer {self._writer.path}{state}>"
