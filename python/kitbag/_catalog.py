"""A catalog of many bags, which are found without being opened."""

import json
import os
from dataclasses import dataclass, field

from . import _kitbag, _times
from ._bag import _names
from ._bag import open as _open


@dataclass(frozen=True)
class CatalogTopic:
    """A topic of a bag. `density` are its messages in equal parts of the bag; empty: not known."""
    topic: str
    type: str
    encoding: str
    messages: int
    density: list = field(default_factory=list, repr=False)


@dataclass(frozen=True)
class CatalogEvent:
    """What somebody has noted of a time."""
    number: int
    start: int
    end: int
    name: str


@dataclass(frozen=True)
class CatalogBag:
    """A bag, as a catalog knows it. Times are in nanoseconds since 1970. `paths` is empty for a bag
    that is nowhere any more."""
    number: int
    paths: list
    fingerprint: str = field(repr=False)
    format: str
    size_bytes: int
    start: int
    end: int
    messages: int
    damage: str
    added: int = field(repr=False)
    topics: list = field(repr=False)
    tags: dict
    note: str
    events: list = field(repr=False)

    @property
    def duration(self):
        """Nanoseconds from the first message to the last one."""
        return self.end - self.start

    def open(self, **options):
        """The bag, as kitbag.open() opens it."""
        if not self.paths:
            raise FileNotFoundError("the bag is nowhere any more")
        return _open(self.paths[0], **options)


@dataclass(frozen=True)
class FoundMoment:
    """Messages of a topic, one after the other, that meet a condition: from the first of them to
    the last one. `value` has the fields that the condition names, of the first message."""
    bag: int
    path: str
    topic: str
    start: int
    end: int
    messages: int
    value: dict


class FoundMoments(list):
    """The moments that were found, and how: of `bags` that were in question the catalog has
    `ruled_out` some, and some were `opened`. Those of the bags in `failed`, texts with the reasons,
    are missing."""

    def __init__(self, moments, search):
        super().__init__(moments)
        self.bags = search["bags"]
        self.ruled_out = search["ruled_out"]
        self.opened = search["opened"]
        self.changed = search["changed"]
        self.unknown_topics = search["unknown_topics"]
        self.failed = search["failed"]


@dataclass(frozen=True)
class Scanned:
    """What a scan did of a bag: "added", "unchanged", "updated", "moved", "copied", "replaced", or
    "failed" for the reason `error`."""
    path: str
    change: str
    error: str


@dataclass(frozen=True)
class CatalogProblem:
    """A path at which the bag of the catalog is not any more."""
    path: str
    what: str
    is_missing: bool


@dataclass(frozen=True)
class CatalogJob:
    """A job of `kitbag batch --catalog`: its folder, what it does, the folder of its targets, and
    how many bags have become what. Times are in nanoseconds since 1970."""
    job: str
    verb: str
    target: str
    bags: int
    done: int
    damaged: int
    failed: int
    began: int
    changed: int
    is_at_work: bool


@dataclass(frozen=True)
class CatalogJobBag:
    """A bag of a job; `state` is "failed" or "damaged"."""
    source: str
    target: str
    state: str
    reason: str


def _bag_of(known):
    known["topics"] = [CatalogTopic(*each) for each in known["topics"]]
    known["events"] = [CatalogEvent(*each) for each in known["events"]]
    return CatalogBag(**known)


def _query(topics, types, tags, text, start, end, longer_than, where="", newest_first=False, skip=0,
           limit=None):
    def ns(time):
        return None if time is None else _times.nanoseconds(time)

    return dict(topics=_names(topics), types=_names(types), tags=dict(tags or {}), text=text,
                start_ns=ns(start), end_ns=ns(end),
                longer_ns=0 if longer_than is None else _times.duration(longer_than), where=where,
                newest_first=newest_first, skip=skip, most=limit)


class Catalog:
    """The catalog at `address`: a file, or "postgresql://...". With `create`, a new one is made if
    there is none. docs/catalog.md describes catalogs."""

    def __init__(self, address, *, create=False):
        self._address = os.fspath(address)
        self._catalog = _kitbag._Catalog(self._address, create)

    def __enter__(self):
        return self

    def __exit__(self, type, value, traceback):  # noqa: A002
        self.close()

    def __repr__(self):
        return f"<kitbag.Catalog {_kitbag._escaped(self._address.rpartition('@')[2])}>"

    def close(self):
        """Ends the connection. Not necessary."""
        self._catalog.close()

    def add(self, path, *, tags=None, index_only=False):
        """Adds a bag. Returns what was done: "added", "unchanged", "updated", "moved", "copied" or
        "replaced".
        With `index_only`, its messages are not read, and it has to be opened to find moments."""
        return self._catalog.add(os.fspath(path), dict(tags=tags or {}, index_only=index_only))

    def scan(self, folder, *, tags=None, index_only=False, progress=None):
        """Adds all bags in a folder and below it. Returns a list of Scanned; `progress` is called
        with each meanwhile. A KeyboardInterrupt ends the scan; what was added stays."""
        tell = None if progress is None else (lambda each: progress(Scanned(*each)))
        scanned = self._catalog.scan(os.fspath(folder),
                                     dict(tags=tags or {}, index_only=index_only), tell)
        return [Scanned(*each) for each in scanned]

    def remove(self, path):
        """Forgets a path, and the bag if that was its only one. Returns whether it was known."""
        return self._catalog.remove(os.fspath(path))

    def find(self, topics=(), *, types=(), tags=None, text="", start=None, end=None,
             longer_than=None, newest_first=True, skip=0, limit=None):
        """The bags that have all these topics, types and tags (a dict), messages from `start` until
        `end`, and are longer than a timedelta or nanoseconds; `text` is a part of a path, a tag, a
        note or an event. A list of CatalogBag."""
        query = _query(topics, types, tags, text, start, end, longer_than, "", newest_first, skip,
                       limit)
        return [_bag_of(each) for each in self._catalog.find(query)]

    def count(self, topics=(), *, types=(), tags=None, text="", start=None, end=None,
              longer_than=None):
        """How many bags find() would return."""
        return self._catalog.count(_query(topics, types, tags, text, start, end, longer_than))

    def find_moments(self, where, topics=(), *, types=(), tags=None, text="", start=None, end=None,
                     longer_than=None):
        """When messages met the condition `where`, in the bags that find() returns, the oldest
        first. Only bags are opened that the catalog cannot rule out. Returns FoundMoments, a list
        of FoundMoment."""
        query = _query(topics, types, tags, text, start, end, longer_than, where)
        found, search = self._catalog.find_moments(query)
        moments = [FoundMoment(bag, path, topic, first, last, messages, json.loads(value))
                   for bag, path, _, topic, first, last, messages, value in found]
        return FoundMoments(moments, search)

    @property
    def topics(self):
        """The topics of all bags, each with its types: a list of (topic, type)."""
        return self._catalog.topics()

    def bag(self, path):
        """The CatalogBag at a path; None if the path is not known."""
        known = self._catalog.bag(os.fspath(path))
        return known and _bag_of(known)

    def set_tag(self, path, name, value):
        """Gives a bag a tag; an empty value removes it."""
        self._catalog.set_tag(os.fspath(path), name, value)

    def set_note(self, path, note):
        """Notes a text of a bag, in place of what was noted."""
        self._catalog.set_note(os.fspath(path), note)

    def add_event(self, path, start, name, *, end=None):
        """Notes an event of a bag at a time, or from `start` to `end`."""
        start = _times.nanoseconds(start)
        self._catalog.add_event(os.fspath(path), start,
                                start if end is None else _times.nanoseconds(end), name)

    def add_events(self, moments, name):
        """Makes events of moments that were found; those that are there already stay. Returns how
        many are new."""
        events = [(each.bag, each.start, each.end) for each in moments]
        return self._catalog.add_events(events, name)

    def remove_event(self, number):
        """Removes an event. Returns whether there was one."""
        return self._catalog.remove_event(number)

    def check(self):
        """The paths at which bags are not any more, or have changed: a list of CatalogProblem."""
        return [CatalogProblem(*each) for each in self._catalog.check()]

    def jobs(self):
        """The jobs of `kitbag batch --catalog`, a list of CatalogJob: what has changed last comes
        first."""
        return [CatalogJob(*each) for each in self._catalog.jobs()]

    def bad_bags(self, job):
        """The bags of a job that have failed or are damaged: a list of CatalogJobBag. `job` is its
        folder, or the last parts of its path."""
        return [CatalogJobBag(*each) for each in self._catalog.bad_bags(os.fspath(job))]
