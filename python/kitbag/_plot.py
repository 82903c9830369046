"""Plots of numbers in messages."""

import os
from dataclasses import dataclass

from . import _kitbag, _times
from ._bag import Bag, _names, _stored, _wanted, open as _open
from ._flow import _shown


@dataclass(frozen=True)
class Curve:
    """A field of the messages of a topic that was plotted, and how many numbers it had."""
    topic: str
    field: str
    values: int
    infinite: int


class Plot:
    """What plot() has read. In a notebook, it shows itself."""

    def __init__(self, plot, style):
        self._plot = plot
        self._style = style

    @property
    def curves(self):
        """What is drawn, in the order of the request."""
        return [Curve(*each) for each in self._plot.curves()]

    def svg(self):
        """The plot as SVG, a str."""
        return self._plot.draw("svg", self._style).decode()

    def png(self):
        """The plot as PNG, bytes."""
        return self._plot.draw("png", self._style)

    def text(self, width=80, height=24, *, colors=False):
        """The plot as lines of text, of `width` columns, with escape sequences for colors or
        without."""
        return self._plot.draw("text", self._text_style(width, height, colors)).decode()

    def save(self, path, *, replace=False):
        """Writes the plot to a file, ".svg", ".png" or ".txt"."""
        path = os.fspath(path)
        format_ = {".svg": "svg", ".png": "png", ".txt": "text"}.get(
            os.path.splitext(path)[1].lower())
        if format_ is None:
            raise ValueError(f"the name of a plot ends with .svg, .png or .txt, not {path!r}")
        style = self._text_style(80, 24, False) if format_ == "text" else self._style
        self._plot.save(format_, style, path, replace)

    def _text_style(self, width, height, colors):
        return {**self._style, "width": width, "height": height, "colors": colors}

    def _repr_svg_(self):
        return self.svg()

    def __repr__(self):
        names = ", ".join(_kitbag._escaped(f"{each.topic}.{each.field}") for each in self.curves)
        return f"<kitbag.Plot {names}: {sum(each.values for each in self.curves):,} values>"


def plot(source, curves=(), *, fields=(), topics=(), exclude=(), types=(), start=None, end=None,
         where="", against="", time="log_time", gap=None, parts=None, on_error="skip", title="",
         width=None, height=None, times="start", dark=False, stack=False, equal=False, y=None,
         progress=None):
    """Reads numbers of the messages that are selected, as by Bag.read(), and returns a Plot, which
    draws them. `source` is what open() takes, or a Bag. `curves` are fields with their topics:
    "/odom.twist.twist.linear.x"; `fields` are fields of each selected topic that has them.

    The horizontal axis is the `time` ("log_time", "publish_time" or "header_stamp"), in seconds
    from the start or, with `times` "utc", as the time of day; or it is the field `against`. A pause
    longer than `gap`, in nanoseconds or a timedelta, is a gap. `parts` are kept of a curve at most.
    `on_error` says what happens to messages that cannot be decoded: "skip", "raw" (a gap) or
    "stop".

    `title`, `width` and `height` in pixels, `dark`, `stack` (a plot for each curve), `equal` (a
    unit is as long on both axes) and `y`, the range of the vertical axis, say how it is drawn.
    `progress` is called with the messages read and the messages of the bag ten times a second; True
    shows them. docs/plot.md says more."""
    if against and (times != "start" or gap is not None):
        raise ValueError("times and gap are of the axis of time, which against replaces")
    if equal and (not against or y is not None):
        raise ValueError("equal needs against, and excludes y")
    bag = source if isinstance(source, Bag) else _open(source)
    options = dict(curves=_stored(curves), fields=_names(fields), against=_stored(against)[0],
                   time=time, gap_ns=None if gap is None else _times.duration(gap),
                   parts=parts, on_error=on_error)
    style = dict(title=title, width=width, height=height, times=times, dark=dark, stack=stack,
                 equal=equal, y=y)
    bag._require(topics)
    wanted = _wanted(topics, exclude=exclude, types=types, start=start, end=end, where=where)
    with _shown(progress, lambda done, total: f"{done:,} of {total:,} messages") as shown:
        return Plot(_kitbag._plot(bag._opened(), options, wanted, shown), style)
