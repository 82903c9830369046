"""What takes long: converting, recording and playing. A KeyboardInterrupt ends it."""

import contextlib
import os
import sys

from . import _kitbag
from ._bag import Bag, _names, _wanted, open as _open


class _Line:
    """The progress in a line on standard error: written over itself on a terminal and in a
    notebook, and elsewhere, in a log for example, once at the end."""

    def __init__(self, describe):
        self._describe = describe
        self._text = ""
        self._is_rewritten = "ipykernel" in sys.modules or sys.stderr.isatty()

    def __call__(self, *status):
        text = self._describe(*status)
        if self._is_rewritten:
            print("\r" + text.ljust(len(self._text)), end="", file=sys.stderr, flush=True)
        self._text = text

    def end(self):
        if self._text:
            print("" if self._is_rewritten else self._text, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _shown(progress, describe):
    """The function that is called with the progress. True: a line on standard error."""
    if callable(progress) or not progress or sys.stderr is None:
        yield progress if callable(progress) else None
        return
    line = _Line(describe)
    try:
        yield line
    finally:
        line.end()


def _messages(status):
    return f"{status['messages']:,} messages"


def convert(source, target, topics=(), *, exclude=(), types=(), start=None, end=None, where="",
            encoding="", on_error="stop", progress=None, **options):
    """Copies what is selected, as by Bag.read(), to a new bag; `encoding` "cdr" or "ros1" converts
    the messages. `source` is what open() takes, or a Bag. The options are those of create().
    `on_error` says what happens to messages that cannot be converted: "stop", "skip" or "raw".

    `progress` is called with the messages read and the messages of the bag ten times a second; True
    shows them. What it raises ends the conversion, and the target stays as it was."""
    bag = source if isinstance(source, Bag) else _open(source)
    bag._require(topics)
    wanted = _wanted(topics, exclude=exclude, types=types, start=start, end=end, where=where)
    with _shown(progress, lambda done, total: f"{done:,} of {total:,} messages") as shown:
        return _kitbag._convert(bag._opened(), os.fspath(target), options, wanted, encoding or "",
                                on_error, shown)


def record(source, target, topics=(), *, exclude=(), duration=None, limit=None, join=False,
           progress=None, **options):
    """Records topics of the live system at `source`, a URI such as "ros2://" or a list of them.
    Ends after `duration` ("10s", or seconds), after `limit` messages of each topic, when the system
    ends, when `progress` returns False, or with a KeyboardInterrupt: the bag is then completed
    before it is raised. `progress` is called with the state, a dict, ten times a second; True shows
    it. With `join`, `target` is a directory that others record into at the same time, each with
    `join` and files of its own; it may exist. The options are those of create(). Returns the last
    state."""
    with _shown(progress, _messages) as shown:
        return _kitbag._record([os.fspath(uri) for uri in _names(source)], os.fspath(target),
                               options, _names(topics), _names(exclude),
                               None if duration is None else str(duration), limit, join, shown)


def play(source, target, topics=(), *, exclude=(), types=(), start=None, end=None, where="",
         rate=1.0, loop=False, progress=None):
    """Sends what is selected, as by Bag.read(), to the live system at `target`, a URI such as
    "ros2://", each message at its time. Ends with the bag, when `progress` returns False, or with a
    KeyboardInterrupt. `progress` is called with the state, a dict, ten times a second; True shows
    it. Returns the last state."""
    bag = source if isinstance(source, Bag) else _open(source)
    bag._require(topics)
    wanted = _wanted(topics, exclude=exclude, types=types, start=start, end=end, where=where)
    with _shown(progress, _messages) as shown:
        return _kitbag._play(bag._opened(), os.fspath(target), wanted, rate, loop, shown)
