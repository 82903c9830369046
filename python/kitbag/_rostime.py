"""The times of ROS 1: those of genpy where it is installed, else classes that behave alike."""

import functools
import numbers

try:
    from genpy import Duration, Time

    has_genpy = True
except ImportError:
    has_genpy = False

__all__ = ["Duration", "Time", "has_genpy"]

_SECOND = 10**9


@functools.total_ordering
class _Instant:
    __slots__ = ["secs", "nsecs"]

    def __init__(self, secs=0, nsecs=0):
        if not isinstance(secs, numbers.Integral):
            if nsecs:
                raise ValueError("with seconds as a float, there are no nanoseconds")
            nsecs = int((secs - int(secs)) * _SECOND)
        over, self.nsecs = divmod(int(nsecs), _SECOND)
        self.secs = int(secs) + over

    @classmethod
    def from_sec(cls, float_secs):
        return cls(float(float_secs))

    def to_sec(self):
        return self.secs + self.nsecs / 1e9

    def to_nsec(self):
        return self.secs * _SECOND + self.nsecs

    def is_zero(self):
        return not self

    def set(self, secs, nsecs):
        self.secs = secs
        self.nsecs = nsecs

    def canon(self):
        over, self.nsecs = divmod(self.nsecs, _SECOND)
        self.secs += over

    def __bool__(self):
        return bool(self.secs or self.nsecs)

    def __hash__(self):
        return hash((self.secs, self.nsecs))

    def __eq__(self, other):
        return isinstance(other, self._family) and self.to_nsec() == other.to_nsec()

    def __lt__(self, other):
        if not isinstance(other, self._family):
            return NotImplemented
        return self.to_nsec() < other.to_nsec()

    def __getstate__(self):
        return [self.secs, self.nsecs]

    def __setstate__(self, state):
        self.secs, self.nsecs = state

    def __str__(self):
        return str(self.to_nsec())

    def __repr__(self):
        return f"genpy.{type(self).__name__}[{self.to_nsec()}]"


class _Time(_Instant):
    __slots__ = []

    def __init__(self, secs=0, nsecs=0):
        super().__init__(secs, nsecs)
        if self.secs < 0:
            raise TypeError("a time is not before 1970")

    def to_time(self):
        return self.to_sec()

    def __add__(self, other):
        if not isinstance(other, _Duration):
            return NotImplemented
        return type(self)(self.secs + other.secs, self.nsecs + other.nsecs)

    __radd__ = __add__

    def __sub__(self, other):
        if not isinstance(other, _Instant):
            return NotImplemented
        kind = _Duration if isinstance(other, _Time) else type(self)
        return kind(self.secs - other.secs, self.nsecs - other.nsecs)


class _Duration(_Instant):
    __slots__ = []

    def __neg__(self):
        return type(self)(-self.secs, -self.nsecs)

    def __abs__(self):
        return self if self.secs >= 0 else -self

    def __add__(self, other):
        if not isinstance(other, _Duration):
            return NotImplemented
        return type(self)(self.secs + other.secs, self.nsecs + other.nsecs)

    __radd__ = __add__

    def __sub__(self, other):
        return self + -other if isinstance(other, _Duration) else NotImplemented

    def __mul__(self, factor):
        if isinstance(factor, numbers.Integral):
            return type(self)(self.secs * factor, self.nsecs * factor)
        if isinstance(factor, numbers.Real):
            return self.from_sec(self.to_sec() * factor)
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, _Duration):
            return self.to_sec() / other.to_sec()
        return self.from_sec(self.to_sec() / other)

    def __floordiv__(self, other):
        if isinstance(other, _Duration):
            return int(self.to_sec() // other.to_sec())
        return self.from_sec(self.to_sec() // other)

    def __mod__(self, other):
        if not isinstance(other, _Duration):
            return NotImplemented
        return self.from_sec(self.to_sec() % other.to_sec())

    def __divmod__(self, other):
        return self // other, self % other


# Each compares with its own kind only.
_Time._family = _Time
_Duration._family = _Duration

if not has_genpy:
    _Time.__name__ = _Time.__qualname__ = "Time"
    _Duration.__name__ = _Duration.__qualname__ = "Duration"
    Time, Duration = _Time, _Duration
