"""Bags that are open for reading."""

import glob
import html
import os
import warnings
from dataclasses import dataclass, field

from . import _kitbag, _times


def _paths(paths):
    """Paths, globs and URIs as a list of paths and URIs."""
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    found = []
    for path in paths:
        path = os.fspath(path)
        is_glob = glob.has_magic(path) and "://" not in path and not os.path.exists(path)
        matches = sorted(glob.glob(path)) if is_glob else [path]
        if not matches:
            raise FileNotFoundError(f"no bag matches {path!r}")
        found += matches
    return found


def open(paths, *, format="", gpg_key="", threads=0, strict=False,  # noqa: A001
         definitions=()):
    """Opens a bag for reading: a path, a glob, a URI such as "demo://?seconds=5", or a list of
    them, which are read as one bag.

    Damage becomes a DamageWarning, and reading goes on with what is intact; with `strict`, it is an
    Error. `threads` load and decompress ahead (0: as many as there are processors; 1: none).
    `definitions` are folders with message definitions that the bag lacks (docs/definitions.md)."""
    return Bag(_paths(paths), dict(format=format, gpg_key=gpg_key, threads=threads, strict=strict,
                                   definitions=[os.fspath(each) for each in _names(definitions)]))


def _names(names):
    return [names] if isinstance(names, str) else list(names)


def _stored(names):
    """Names as bags have them, also those that are not UTF-8."""
    return [name.encode("utf-8", "surrogateescape") for name in _names(names)]


def _wanted(topics=(), *, exclude=(), types=(), start=None, end=None, where="", order="time",
            **more):
    return _kitbag._Wanted(topics=_stored(topics), exclude=_stored(exclude), types=_stored(types),
                           start=_times.given(start), end=_times.given(end), where=where or "",
                           order=order, **more)


def _exact(topic):
    """A pattern that matches only this topic."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in topic)


class Bag:
    """A bag that is open for reading. Closing it is not necessary: what comes from it keeps alive
    what it needs. Any number of threads may read it, each with an iterator of its own. It can be
    pickled, and used after a fork: it is opened again then."""

    def __init__(self, paths, options):
        self._paths = paths
        self._options = options
        self._bags = _kitbag._Bags(paths, **options)
        self._info = None
        self._tf = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._bags = self._tf = None

    def _opened(self):
        if self._bags is None:
            raise ValueError("the bag is closed")
        if not self._bags.is_of_this_process():
            self._bags = _kitbag._Bags(self._paths, **self._options)
        return self._bags

    def _missing(self, topics):
        """The names among `topics` that the bag does not have, in a sentence; or None."""
        known = self._opened().counts()
        names = [each for each in _names(topics) if not glob.has_magic(each) and each not in known]
        if not names:
            return None
        return (f"no topic {', '.join(map(repr, names))} in {self.name}; "
                f"it has {', '.join(sorted(known)) or 'none'}")

    def _require(self, topics):
        missing = self._missing(topics)
        if missing:
            raise KeyError(missing)

    def __reduce__(self):
        return Bag, (self._paths, self._options)

    def read(self, topics=(), *, exclude=(), types=(), start=None, end=None, where="",
             order="time", latched_before=False):
        """An iterator over messages. `topics`, `exclude` and `types` are names and globs; messages
        with start <= time < end; `where` is a condition on fields (docs/expressions.md); `order` is
        "time", "reverse_time" or "file". With `latched_before`, the last message of each latched
        topic before `start` comes first. A name that the bag does not have is a TypeWarning.

        Times are ints in nanoseconds, datetimes, numpy.datetime64, or texts: "+5s", "-5s",
        "2026-11-20T14:30:00Z"."""
        missing = self._missing(topics)
        if missing:
            warnings.warn(missing, _kitbag.TypeWarning, stacklevel=2)
        return self._opened().messages(_wanted(
            topics, exclude=exclude, types=types, start=start, end=end, where=where, order=order,
            latched_before=latched_before))

    def __iter__(self):
        return self.read()

    def __getitem__(self, topic):
        if topic not in self:
            raise KeyError(self._missing(_exact(topic)) or topic)
        return Topic(self, topic)

    def __contains__(self, topic):
        return topic in self._opened().counts()

    def __len__(self):
        """The number of messages."""
        return sum(self._opened().counts().values())

    @property
    def topics(self):
        """The names of the topics, sorted."""
        return sorted(self._opened().counts())

    @property
    def name(self):
        return self._paths[0] if len(self._paths) == 1 else f"{len(self._paths)} bags"

    @property
    def info(self):
        """What the bag says about itself: format, size, times, topics, metadata."""
        if self._info is None:
            self._info = BagInfo._of(self._opened().describe())
        return self._info

    def to_numpy(self, topics, fields=(), *, time="log_time", **query):
        """The messages of topics as {name: array}: "time", a datetime64[ns], and each field, or all
        of them if none are named. Structures are columns for each of their fields. Texts, and lists
        of different lengths, are arrays of objects; a value that a message lacks is NaN, NaT or
        None. `time` is "log_time", "publish_time" or "header_stamp"; the rest is as in read()."""
        from . import _arrow
        self._require(topics)
        return _arrow.read(_kitbag._table(self._opened(), _wanted(topics, **query), _names(fields),
                                          not _is_one(topics), time))

    def to_pandas(self, topics, fields=(), **query):
        """The same as a pandas.DataFrame whose index is the time."""
        import pandas
        columns = self.to_numpy(topics, fields, **query)
        index = pandas.DatetimeIndex(columns.pop("time"), name="time")
        return pandas.DataFrame({name: list(array) if array.ndim > 1 else array
                                 for name, array in columns.items()}, index=index)

    def align(self, topics, *, rate=None, anchor=None, method="previous", tolerance=None,
              time="log_time", start=None, end=None):
        """Topics at the same times, as to_numpy() gives them: columns are called "/odom.pose.x".
        `topics` are names, or a dict {name: fields}. The times are those of the messages of the
        topic `anchor`, or come `rate` times a second. A value is that of the "previous" message or
        of the "nearest" one, or lies between the two on a line ("linear"). Messages that are
        farther away than `tolerance`, in nanoseconds or a timedelta, do not count."""
        from . import _arrow
        if (rate is None) == (anchor is None):
            raise TypeError("align() needs either rate= or anchor=")
        names = topics if isinstance(topics, dict) else {name: () for name in _names(topics)}
        wanted = [(name, _names(fields)) for name, fields in names.items()]
        return _arrow.read(_kitbag._align(
            self._opened(), _wanted(start=start, end=end), wanted, anchor, float(rate or 0), method,
            None if tolerance is None else _times.duration(tolerance), time))

    @property
    def tf(self):
        """Where frames are: bag.tf.lookup("map", "base_link", times)."""
        if self._tf is None:
            from ._tf import Transforms
            self._tf = Transforms(self)
        return self._tf

    def arrow_stream(self, topics=(), fields=(), *, time="log_time", **query):
        """An object with __arrow_c_stream__(), for pyarrow, polars, DuckDB and others."""
        return _Stream(self, topics, fields, time, query)

    def __repr__(self):
        name = _kitbag._escaped(self.name)
        if self._bags is None:
            return f"<kitbag.Bag {name}, closed>"
        return f"<kitbag.Bag {name}: {len(self):,} messages, {len(self.topics)} topics>"

    def _repr_html_(self):
        return self.info._repr_html_()


def _is_one(topics):
    return isinstance(topics, str) and not glob.has_magic(topics)


class _Stream:
    def __init__(self, bag, topics, fields, time, query):
        self._bag = bag
        self._arguments = topics, fields, time, query

    def __arrow_c_stream__(self, requested_schema=None):
        topics, fields, time, query = self._arguments
        self._bag._require(topics)
        return _kitbag._arrow_stream(self._bag._opened(), _wanted(topics, **query),
                                     _names(fields), not _is_one(topics), time)


class Topic:
    """The messages of one topic of a bag, by log time: a sequence that is read on access."""

    def __init__(self, bag, name):
        self._bag = bag
        self.name = name

    @property
    def _channel(self):
        return next(each for each in self._bag.info.channels if each["topic"] == self.name)

    @property
    def type(self):
        """The name of the type, as its own system writes it."""
        return self._channel["type"]

    @property
    def encoding(self):
        return self._channel["encoding"]

    @property
    def definition(self):
        """The definition of the type, with those that it needs; bytes if it is no text."""
        return self._channel["definition"]

    @property
    def language(self):
        """The language of the definition: "ros1msg", "ros2msg", "protobuf"."""
        return self._channel["language"]

    @property
    def metadata(self):
        """What the bag stores with the topic: `callerid`, `offered_qos_profiles`."""
        return self._channel["metadata"]

    def __len__(self):
        return self._bag._opened().counts()[self.name]

    def read(self, **query):
        """As Bag.read(), of this topic."""
        return self._bag.read(_exact(self.name), **query)

    def __iter__(self):
        return self.read()

    def _part(self, order, nth, count):
        return self._bag._opened().messages(_wanted(_exact(self.name), order=order, nth=nth,
                                                    count=count))

    def __getitem__(self, index):
        """A message by its number, from the end if it is negative; or a list of messages."""
        if isinstance(index, slice):
            first, last, step = index.indices(len(self))
            if step < 0:
                return self[last + 1:first + 1][::step] if last < first else []
            return list(self._part("time", first, max(last - first, 0)))[::step]
        index = index.__index__()
        nth, order = (index, "time") if index >= 0 else (-index - 1, "reverse_time")
        for message in self._part(order, nth, 1):
            return message
        raise IndexError(f"{self.name} has {len(self):,} messages, and no number {index}")

    def to_numpy(self, fields=(), **query):
        """As Bag.to_numpy()."""
        return self._bag.to_numpy(_exact(self.name), fields, **query)

    def to_pandas(self, fields=(), **query):
        """As Bag.to_pandas()."""
        return self._bag.to_pandas(_exact(self.name), fields, **query)

    def __arrow_c_stream__(self, requested_schema=None):
        """A new stream of all messages, in the Arrow C stream interface."""
        return self._bag.arrow_stream(self.name).__arrow_c_stream__(requested_schema)

    def __repr__(self):
        name, type_ = _kitbag._escaped(self.name), _kitbag._escaped(self.type)
        return f"<kitbag.Topic {name} {type_}: {len(self):,} messages>"


@dataclass(frozen=True)
class TopicInfo:
    """What was recorded on one topic with one type."""
    topic: str
    type: str
    messages: int
    connections: int
    is_latched: bool
    rate_hz: float


@dataclass(frozen=True)
class BagInfo:
    """What a bag says about itself. Times are in nanoseconds since 1970."""
    paths: list
    format: str
    version: str
    size_bytes: int
    start: int
    end: int
    messages: int
    is_indexed: bool
    compression: str
    topics: list
    metadata: dict
    attachments: list
    channels: list = field(repr=False)

    @property
    def duration(self):
        """From the first message to the last one, in nanoseconds."""
        return self.end - self.start

    @classmethod
    def _of(cls, bags):
        with_messages = [bag for bag in bags if bag["messages"]]

        def same(name):
            values = {bag[name] for bag in bags}
            return values.pop() if len(values) == 1 else "mixed"

        return cls(paths=[bag["path"] for bag in bags], format=same("format"),
                   version=same("version"), size_bytes=sum(bag["size_bytes"] for bag in bags),
                   start=min((bag["start"] for bag in with_messages), default=0),
                   end=max((bag["end"] for bag in with_messages), default=0),
                   messages=sum(bag["messages"] for bag in bags),
                   is_indexed=all(bag["is_indexed"] for bag in bags),
                   compression=same("compression"), topics=_joined(bags),
                   metadata={k: v for bag in bags for k, v in bag["metadata"].items()},
                   attachments=[name for bag in bags for name in bag["attachments"]],
                   channels=[each for bag in bags for each in bag["channels"]])

    def _repr_html_(self):
        def shown(text):
            return html.escape(_kitbag._escaped(text))

        def cell(value):
            number = isinstance(value, (int, float)) and not isinstance(value, bool)
            text = f"{value:,}" if isinstance(value, int) and number else str(value)
            align = ' style="text-align:right"' if number else ""
            return f"<td{align}>{shown(text)}</td>"

        rows = "".join(
            "<tr>" + cell(topic.topic) + cell(topic.type) + cell(topic.messages)
            + cell(round(topic.rate_hz, 1)) + "</tr>" for topic in self.topics)
        about = (f"{', '.join(self.paths)}: {self.format} {self.version}, "
                 f"{self.size_bytes:,} bytes, {self.messages:,} messages, "
                 f"{self.duration / 1e9:.3f} s from {_times.text(self.start)}")
        return (f"<p>{shown(about)}</p><table><thead><tr><th>topic</th><th>type</th>"
                f"<th>messages</th><th>Hz</th></tr></thead><tbody>{rows}</tbody></table>")


def _joined(bags):
    """The topics of all bags, those of one name and type as one."""
    joined = {}
    for bag in bags:
        for topic in bag["topics"]:
            joined.setdefault((topic["topic"], topic["type"]), []).append(topic)
    return [TopicInfo(topic=name, type=type_, messages=sum(each["messages"] for each in all_),
                      connections=sum(each["connections"] for each in all_),
                      is_latched=any(each["is_latched"] for each in all_),
                      rate_hz=max(each["rate_hz"] for each in all_))
            for (name, type_), all_ in sorted(joined.items())]
