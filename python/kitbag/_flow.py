"""What takes long: converting, recording and playing. A KeyboardInterrupt ends it."""

import os
import sys

from . import _kitbag
from ._bag import Bag, _names, _wanted, open as _open


def _shown(progress, describe):
    """The function that is called with the progress. True: a line on standard error."""
    if not callable(progress):
        if not progress:
            return None

        def show(*status):
            print(f"\r{describe(*status)}", end="", file=sys.stderr, flush=True)

        return show
    return progress


def convert(source, target, topics=(), *, exclude=(), types=(), start=None, end=None, where="",
            encoding="", on_error="stop", progress=None, **options):
    """Copies what is selected, as by Bag.read(), to a new bag; `encoding` "cdr" or "ros1" converts
    the messages. `source` is what open() takes, or a Bag. The options are those of create().
    `on_error` says what happens to messages that cannot be converted: "stop", "skip" or "raw".

    `progress` is called with the messages read and the messages of the bag ten times a second; True
    shows them. What it raises ends the conversion, and the target stays as it was."""
    bag = source if isinstance(source, Bag) else _open(source)
    shown = _shown(progress, lambda done, total: f"{done:,} of {total:,} messages")
    return _kitbag._convert(bag._opened(), os.fspath(target), options,
                            _wanted(topics, exclude=exclude, types=types, start=start, end=end,
                                    where=where), encoding or "", on_error, shown)


def record(source, target, topics=(), *, exclude=(), duration=None, limit=None, progress=None,
           **options):
    """Records topics of the live system at `source`, a URI such as "ros2://" or a list of them.
    Ends after `duration` ("10s", or seconds), after `limit` messages of each topic, when the system
    ends, when `progress` returns False, or with a KeyboardInterrupt: the bag is then completed
    before it is raised. `progress` is called with the state, a dict, ten times a second; True shows
    it. The options are those of create(). Returns the last state."""
    shown = _shown(progress, lambda status: f"{status['messages']:,} messages")
    return _kitbag._record([os.fspath(uri) for uri in _names(source)], os.fspath(target), options,
                           _names(topics), _names(exclude),
                           None if duration is None else str(duration), limit, shown)


def play(source, target, topics=(), *, exclude=(), types=(), start=None, end=None, where="",
         rate=1.0, loop=False, progress=None):
    """Sends what is selected, as by Bag.read(), to the live system at `target`, a URI such as
    "ros2://", each message at its time. Ends with the bag, when `progress` returns False, or with a
    KeyboardInterrupt. `progress` is called with the state, a dict, ten times a second; True shows
    it. Returns the last state."""
    bag = source if isinstance(source, Bag) else _open(source)
    shown = _shown(progress, lambda status: f"{status['messages']:,} messages")
    return _kitbag._play(bag._opened(), os.fspath(target),
                         _wanted(topics, exclude=exclude, types=types, start=start, end=end,
                                 where=where), rate, loop, shown)
