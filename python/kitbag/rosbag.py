"""The interface of ROS 1's rosbag package over kitbag, for scripts that exist:

    import kitbag.rosbag as rosbag

    with rosbag.Bag("drive.mcap") as bag:
        for topic, message, time in bag.read_messages(topics=["/imu"]):
            print(time.to_sec(), message.linear_acceleration.x)

Bags of every format of kitbag can be read; docs/python.md says what differs. New programs are
shorter, and far faster, with kitbag itself."""

import collections
import contextlib
import io
import os
import tempfile
import time as _time
import warnings

from . import _kitbag, _roschunks, _rosinfo
from ._bag import _exact
from ._bag import open as _open
from ._rosmsg import DefinitionError, PayloadError, message_class, name_in_ros1
from ._rostime import Time
from ._writer import append as _append
from ._writer import create as _create

__all__ = ["Bag", "BagMessage", "BagMessageWithConnectionHeader", "Compression",
           "ROSBagEncryptException", "ROSBagEncryptNotSupportedException", "ROSBagException",
           "ROSBagFormatException", "ROSBagUnindexedException"]

BagMessage = collections.namedtuple("BagMessage", "topic message timestamp")
BagMessageWithConnectionHeader = collections.namedtuple(
    "BagMessageWithConnectionHeader", "topic message timestamp connection_header")
TopicTuple = collections.namedtuple("TopicTuple", "msg_type message_count connections frequency")
TypesAndTopicsTuple = collections.namedtuple("TypesAndTopicsTuple", "msg_types topics")
CompressionTuple = collections.namedtuple("CompressionTuple", "compression uncompressed compressed")


class ROSBagException(Exception):
    """What fails with a bag; `value` says what."""

    def __init__(self, value=None):
        super().__init__(value)
        self.value = value

    def __str__(self):
        return str(self.value)


class ROSBagFormatException(ROSBagException):
    """The bag is damaged, or no bag."""


class ROSBagUnindexedException(ROSBagException):
    """The bag has no index, as its recorder did not close it; allow_unindexed reads it."""

    def __init__(self, *values):
        super().__init__("Unindexed bag" + "".join(f": {value}" for value in values))


class ROSBagEncryptNotSupportedException(ROSBagException):
    """This kind of encryption is not supported."""


class ROSBagEncryptException(ROSBagException):
    """A bag could not be decrypted."""


class Compression:
    NONE = "none"
    BZ2 = "bz2"
    LZ4 = "lz4"


_COMPRESSIONS = (Compression.NONE, Compression.BZ2, Compression.LZ4)
_DAMAGE = ("corrupt", "truncated", "unsupported", "limit")
_SCHEMA = ("topic", "type", "md5sum", "message_definition")


def _translated(error):
    """The exception that rosbag raises where kitbag raises `error`."""
    text = str(error)
    if error.code == "not_found" and error.file and not os.path.exists(error.file):
        return FileNotFoundError(2, error.message, error.file)
    if error.code == "io":
        return OSError(text)
    if error.code == "locked":
        return ROSBagEncryptException(text)
    return (ROSBagFormatException if error.code in _DAMAGE else ROSBagException)(text)


@contextlib.contextmanager
def _errors():
    try:
        yield
    except _kitbag.Error as error:
        raise _translated(error) from error
    except (DefinitionError, PayloadError) as error:
        raise ROSBagException(str(error)) from error


def _canonical(name):
    """A name without empty parts: /a/b of //a/b/."""
    return ("/" if name.startswith("/") else "") + "/".join(filter(None, name.split("/")))


def _nanoseconds(name, time):
    if not hasattr(time, "to_nsec"):
        raise TypeError(f"{name} is a Time, not {time!r}")
    return time.to_nsec()


def _timestamp(ns):
    return Time(ns // 10**9, ns % 10**9)


def _version_number(text):
    """200 of "2.0"."""
    major, _, minor = text.partition(".")
    return int(major or 0) * 100 + int(minor or 0)


class _Connection:
    """A connection of a bag, as rosbag names it."""

    def __init__(self, channel):
        self.topic = channel["topic"]
        self.channel = channel
        self.messages = channel["messages"]
        self.datatype = name_in_ros1(channel["type"])
        text = channel["definition"]
        self.is_text = isinstance(text, str)
        self.msg_def = text if self.is_text else ""
        self._maker = None

    @property
    def pytype(self):
        """The class of the messages."""
        language = self.channel["language"] if self.is_text else "binary"
        return message_class(self.datatype, self.msg_def, language or "ros1msg",
                             self.channel["metadata"].get("md5sum"))

    @property
    def md5sum(self):
        """"*", which stands for any, of types that ROS 1 cannot express."""
        known = self.channel["metadata"].get("md5sum")
        try:
            return known or self.pytype._md5sum
        except DefinitionError:
            return "*"

    @property
    def header(self):
        """Its fields as bytes."""
        fields = {**self.channel["metadata"], "topic": self.topic, "type": self.datatype,
                  "md5sum": self.md5sum, "message_definition": self._ros1_definition()}
        return {name: value.encode() for name, value in sorted(fields.items())}

    def _ros1_definition(self):
        if self.channel["language"] == "ros1msg":
            return self.msg_def
        try:
            return self.pytype._full_text
        except DefinitionError:
            return self.msg_def

    def decode(self, message):
        cls = self.pytype
        if not self.msg_def.strip() and message.encoding == "ros1":
            if len(message.raw) > 0:
                raise DefinitionError(f"{self.topic}: the bag does not define {self.datatype}; "
                                      "only raw=True reads it")
            return cls()
        if not self._maker:
            self._maker = cls._maker()
        decoded = self._maker.of_message(message)
        if decoded is None:
            raise DefinitionError(f"{self.topic}: a message of {self.datatype} cannot be decoded")
        return decoded

    def raw(self, message):
        """What rosbag gives with raw=True; kitbag has no position for it."""
        if message.encoding == "ros1":
            payload = bytes(message.raw)
        else:
            payload = _serialized(self.decode(message))
        return self.datatype, payload, self.md5sum, None, self.pytype


def _serialized(message):
    buffer = io.BytesIO()
    message.serialize(buffer)
    return buffer.getvalue()


class _ByMessage:
    """Finds the connection of a message. Where a topic has several, their numbers in a bag that
    declares them all, and is then thrown away, tell them apart: kitbag compares them there."""

    def __init__(self, connections):
        self._by_topic = {}
        for each in connections:
            self._by_topic.setdefault(each.topic, []).append(each)
        self._is_ambiguous = any(len(each) > 1 for each in self._by_topic.values())
        self._connections = connections

    def __enter__(self):
        self._folder = self._writer = None
        if self._is_ambiguous:
            self._folder = tempfile.TemporaryDirectory()
            self._writer = _kitbag._Writer(os.path.join(self._folder.name, "x.mcap"), {}, False)
            for each in self._connections:
                channel = each.channel
                self._writer.add(channel["topic"], channel["encoding"], channel["type"],
                                 channel["definition"], channel["language"], channel["metadata"],
                                 [], [])
        return self

    def __exit__(self, *_):
        if self._folder:
            self._writer.abandon()
            self._folder.cleanup()

    def find(self, message):
        same = self._by_topic[message.topic]
        if len(same) == 1:
            return same[0]
        index = self._writer.add_copy(message.topic, message)
        if index is None or index >= len(self._connections):
            raise ROSBagException(f"{message.topic}: the connection of a message is not known")
        return self._connections[index]


class Bag:
    """A bag as rosbag has it. `mode` is "r", "w" (replaces a file) or "a" (which creates one that
    is not there). While a bag is written, it can be read as well; its file is completed then."""

    def __init__(self, f, mode="r", compression=Compression.NONE, chunk_threshold=768 * 1024,
                 allow_unindexed=False, options=None, skip_index=False):
        if options is not None:
            if not isinstance(options, dict):
                raise ValueError("options must be of type dict")
            compression = options.get("compression", compression)
            chunk_threshold = options.get("chunk_threshold", chunk_threshold)
        if mode not in ("r", "w", "a"):
            raise ValueError('mode "%s" is invalid' % mode)
        if not isinstance(f, (str, os.PathLike)):
            raise ROSBagException("kitbag opens bags by their paths, not streams")
        self._filename = os.fspath(f)
        self._mode = mode
        self._allow_unindexed = allow_unindexed
        self._skip_index = skip_index  # frequencies are then None, as in rosbag
        self._is_open = True
        self._reader = self._writer = None
        self._is_visible = False  # others see what was flushed
        self._channels = {}
        self._set_compression(compression)
        self._set_chunk_threshold(chunk_threshold)
        self._start()

    def _start(self):
        is_there = os.path.exists(self._filename)
        if self._mode == "w" or (self._mode == "a" and not is_there):
            # The real one writes to the file from the start, so that others can read it.
            is_plain = os.path.isfile(self._filename) and not os.path.islink(self._filename)
            if is_plain:
                os.unlink(self._filename)
            with _errors():
                self._writer = _create(self._filename, replace=True,
                                       visible=is_plain or not is_there, **self._options())
            self._is_visible = is_plain or not is_there
        else:
            self._reader = self._opened()

    def _opened(self):
        if self._allow_unindexed:
            with _errors():
                return _open(self._filename)
        with _errors():
            try:
                bag = _open(self._filename, strict=True)
                lacks_index = not bag.info.is_indexed and bag.info.version == "2.0"
            except _kitbag.Error as error:
                if error.code in _DAMAGE and self._can_be_reindexed():
                    raise ROSBagUnindexedException(str(error)) from error
                raise
        if lacks_index and bag.info.format == "rosbag":
            raise ROSBagUnindexedException()
        return bag

    def _can_be_reindexed(self):
        """Whether the damage is that of the index."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", _kitbag.DamageWarning)
            try:
                info = _open(self._filename).info
            except _kitbag.Error:
                return False
        return info.format == "rosbag" and not info.is_indexed and info.messages > 0

    def _options(self):
        """Those of kitbag's writers."""
        options = {"compression": self._compression, "chunk_bytes": self._chunk_threshold or 1}
        try:
            _kitbag._format_of(self._filename, "")
        except _kitbag.Error:
            options["format"] = "rosbag"  # whatever the file is called
        return options

    def __iter__(self):
        return self.read_messages()

    def __len__(self):
        return self.get_message_count()

    def __bool__(self):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """What was written stays, also after an exception, as with rosbag."""
        self.close()

    @property
    def options(self):
        return {"compression": self._compression, "chunk_threshold": self._chunk_threshold}

    @property
    def filename(self):
        return self._filename

    @property
    def mode(self):
        return self._mode

    @property
    def version(self):
        """200 of version 2.0."""
        if self._writer and not self._reader:
            return 200
        return _version_number(self._to_read().info.version)

    @property
    def size(self):
        """In bytes; of a bag that is being written, so far."""
        self._check_open()
        if self._writer:
            return self._writer.size_bytes
        return self._to_read().info.size_bytes

    def _get_compression(self):
        return self._compression

    def _set_compression(self, compression):
        if compression not in _COMPRESSIONS:
            raise ValueError("compression must be one of: " + ", ".join(_COMPRESSIONS))
        self._complete()
        self._compression = compression

    compression = property(_get_compression, _set_compression)

    def _get_chunk_threshold(self):
        return self._chunk_threshold

    def _set_chunk_threshold(self, chunk_threshold):
        if chunk_threshold < 0:
            raise ValueError("chunk_threshold must be greater than or equal to zero")
        self._complete()
        self._chunk_threshold = chunk_threshold

    chunk_threshold = property(_get_chunk_threshold, _set_chunk_threshold)

    def _check_open(self):
        if not self._is_open:
            raise ValueError("I/O operation on closed bag")

    def flush(self):
        """Lets others read what was written so far."""
        self._check_open()
        if self._writer and self._is_visible:
            with _errors():
                self._writer.flush()
        else:
            self._complete()

    def _complete(self):
        """Completes the file. The next write() appends to it; others see that when it is complete
        again."""
        if self._writer:
            writer, self._writer = self._writer, None
            self._is_visible = False
            self._channels = {}
            self._reader = None
            with _errors():
                writer.close()

    def close(self):
        if self._is_open:
            try:
                self._complete()
            finally:
                self._is_open = False
                if self._reader:
                    self._reader.close()

    def _to_read(self):
        self._check_open()
        self._complete()
        if not self._reader:
            self._reader = self._opened()
        return self._reader

    def _connections(self):
        return [_Connection(channel) for channel in self._to_read().info.channels]

    def _wanted_connections(self, topics, connection_filter):
        names = [topics] if isinstance(topics, str) else list(topics or ())
        names = {_canonical(name) for name in names}
        return [each for each in self._connections()
                if (not names or each.topic in names or _canonical(each.topic) in names)
                and (not connection_filter
                     or connection_filter(each.topic, each.datatype, each.md5sum, each.msg_def,
                                          each.header))]

    def read_messages(self, topics=None, start_time=None, end_time=None, connection_filter=None,
                      raw=False, return_connection_header=False):
        """The messages by time, from start_time to end_time, both inclusive: (topic, message,
        timestamp), and their connection header if it is asked for."""
        bag = self._to_read()
        wanted = self._wanted_connections(topics, connection_filter)
        start = _nanoseconds("start_time", start_time) if start_time else None
        end = _nanoseconds("end_time", end_time) + 1 if end_time else None
        return self._messages(bag, wanted, start, end, raw, return_connection_header)

    def _messages(self, bag, wanted, start, end, raw, has_header):
        if not wanted:
            return
        names = sorted({_exact(each.topic) for each in wanted})
        chosen = {id(each.channel) for each in wanted}
        same_topics = {each.topic for each in wanted}
        connections = [_Connection(channel) for channel in bag.info.channels
                       if channel["topic"] in same_topics]
        with _errors(), _ByMessage(connections) as by_message:
            for message in bag.read(names, start=start, end=end):
                connection = by_message.find(message)
                if id(connection.channel) not in chosen:
                    continue
                content = connection.raw(message) if raw else connection.decode(message)
                found = message.topic, content, _timestamp(message.time)
                yield (BagMessageWithConnectionHeader(*found, connection.header) if has_header
                       else BagMessage(*found))

    def write(self, topic, msg, t=None, raw=False, connection_header=None):
        """Writes a message of any class that ROS generates or a bag gave; or, with `raw`, (type,
        payload, md5sum, class) or that with a position before the class. Without `t`, the time is
        now."""
        self._check_open()
        if self._mode == "r":
            raise ValueError(f"{self._filename} is open for reading")
        if not topic:
            raise ValueError("topic is invalid")
        if not msg:
            raise ValueError("msg is invalid")
        time = _time.time_ns() if t is None else _nanoseconds("t", t)
        if raw:
            if len(msg) not in (4, 5):
                raise ValueError("msg must be of length 4 or 5")
            type_, payload, md5sum, cls = *msg[:3], msg[-1]
        else:
            with _errors():
                type_, payload, md5sum, cls = (msg._type, _serialized(msg), msg._md5sum, type(msg))
        with _errors():
            channel = self._channel(topic, type_, md5sum, cls, connection_header)
            self._writer._writer.write(channel, bytes(payload), time, time, 0)

    def _channel(self, topic, type_, md5sum, cls, header):
        """The channel of a topic and type, of which the first message gives the header."""
        if not self._writer:
            self._reader = None
            self._writer = _append(self._filename, **self._options())
        key = topic, type_, md5sum
        if key not in self._channels:
            text = {name: value.decode() if isinstance(value, bytes) else str(value)
                    for name, value in (header or {}).items()}
            definition = text.get("message_definition", getattr(cls, "_full_text", None))
            if definition is None:
                raise ROSBagException(f"{topic}: a message of {type_} needs its class")
            metadata = {name: text[name] for name in text if name not in _SCHEMA}
            self._channels[key] = self._writer._writer.add(
                topic, "ros1", type_, definition or "\n", "ros1msg",  # "": to be looked for
                {**metadata, "md5sum": text.get("md5sum", md5sum)}, [], [])
        return self._channels[key]

    def reindex(self):
        """Makes an index for a bag that has none, in place if its mode is "a". Yields positions in
        the file, of which the last one is its end."""
        yield 0
        if self._mode == "a":
            self._check_open()
            self._complete()
            self._reindex_file()
        yield self._to_read().info.size_bytes

    def _reindex_file(self):
        from ._flow import convert
        target = self._filename + ".reindexed"
        with _errors(), warnings.catch_warnings():
            warnings.simplefilter("ignore", _kitbag.DamageWarning)
            try:
                convert(self._opened(), target, format="rosbag", compression=self._compression,
                        replace=True)
                os.replace(target, self._filename)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(target)
        self._reader = None

    def set_encryptor(self, encryptor=None, param=None):
        """None only: kitbag reads encrypted bags, and writes none."""
        if encryptor is not None:
            raise ROSBagEncryptNotSupportedException(f"kitbag does not encrypt bags: {encryptor}")

    def get_start_time(self):
        """In seconds since 1970."""
        return _timestamp(self._info_with_messages().start).to_sec()

    def get_end_time(self):
        """In seconds since 1970."""
        return _timestamp(self._info_with_messages().end).to_sec()

    def _info_with_messages(self):
        info = self._to_read().info
        if not info.messages:
            raise ROSBagException("Bag contains no message")
        return info

    def get_message_count(self, topic_filters=None):
        if topic_filters is None:
            return self._to_read().info.messages
        topics = self._topics(topic_filters, has_frequencies=False)
        return sum(topic.message_count for topic in topics.values())

    def get_type_and_topic_info(self, topic_filters=None):
        """(msg_types, topics): the MD5 sum of each type, and for each topic its type, number of
        messages, number of connections, and frequency: that of the median period."""
        with _errors():
            types = {each.datatype: each.md5sum
                     for each in sorted(self._connections(), key=lambda each: each.datatype)}
        return TypesAndTopicsTuple(types, self._topics(topic_filters))

    def _topics(self, topic_filters=None, has_frequencies=True):
        filters = [topic_filters] if isinstance(topic_filters, str) else topic_filters
        by_topic = {}
        if filters is None or len(filters):
            for each in self._wanted_connections(filters, None):
                by_topic.setdefault(each.topic, []).append(each)
        periods = {}
        if has_frequencies and by_topic and not self._skip_index:
            with _errors():
                periods = _rosinfo.median_periods(self._to_read(), map(_exact, by_topic))
        return {topic: TopicTuple(same[0].datatype, sum(each.messages for each in same), len(same),
                                  1 / periods[topic] if periods.get(topic, 0) > 0 else None)
                for topic, same in sorted(by_topic.items())}

    def _chunks(self):
        with _errors():
            if self._to_read().info.format != "rosbag":
                raise ROSBagException(f"{self._filename}: sizes of chunks are known of rosbags "
                                      "only")
        try:
            return _roschunks.read(self._filename)
        except ValueError as error:
            raise ROSBagFormatException(f"{self._filename}: {error}") from error

    def get_compression_info(self):
        """(compression, uncompressed, compressed): that of most chunks, and bytes of all."""
        chunks = self._chunks()
        counts = collections.Counter(chunk.compression for chunk in chunks)
        main = max(counts, key=lambda name: (counts[name], name), default=self._compression)
        return CompressionTuple(main, sum(chunk.uncompressed for chunk in chunks),
                                sum(chunk.compressed for chunk in chunks))

    def __str__(self):
        """What `rosbag info` prints."""
        return _rosinfo.as_text(self._about())

    def _get_yaml_info(self):
        """What `rosbag info --yaml` prints. The cookbook uses it."""
        return _rosinfo.as_yaml(self._about())

    def _about(self):
        info = self._to_read().info
        types, topics = self.get_type_and_topic_info()
        is_rosbag = info.format == "rosbag"
        return _rosinfo.About(self._filename, self.version, info, types, topics,
                              self._chunks() if is_rosbag else None)
