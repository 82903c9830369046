"""Times as programs have them, and as the library takes them."""

import datetime

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def _of_numpy(time, kind):
    """Nanoseconds of a datetime64 or a timedelta64, or of an array of them."""
    import numpy as np
    if np.isnat(time).any():
        raise ValueError("NaT is no time")
    exact = time.astype(f"{kind}[ns]")
    if (exact.astype(time.dtype) != time).any():
        raise ValueError(f"{time} is out of range: nanoseconds of 64 bits end in 1677 and 2262")
    return exact.astype("int64")


def _in_range(ns):
    ns = ns.__index__()
    if not -2**63 <= ns < 2**63:
        raise ValueError(f"{ns} is out of range: a time has 64 bits")
    return ns


def nanoseconds(time):
    """Nanoseconds since 1970 of an int, a numpy.datetime64, a datetime or a pandas.Timestamp;
    without a time zone, in UTC."""
    if hasattr(time, "asm8"):  # a pandas.Timestamp is a datetime that has more digits
        time = time.asm8
    if isinstance(time, datetime.datetime):
        if time.tzinfo is None:
            time = time.replace(tzinfo=datetime.timezone.utc)
        since = time - _EPOCH
        return _in_range(((since.days * 86400 + since.seconds) * 10**6 + since.microseconds) * 1000)
    if type(time).__name__ == "datetime64":
        return int(_of_numpy(time, "datetime64"))
    if hasattr(time, "to_nsec"):  # of genpy
        return int(time.to_nsec())
    if hasattr(time, "ns"):  # a stamp of a message
        return int(time.ns)
    if isinstance(time, float):
        raise TypeError("a time is an int in nanoseconds, a datetime or a numpy.datetime64; "
                        "a float is not exact")
    return _in_range(time)


def datetimes(times):
    """Nanoseconds since 1970 of an array of datetime64, as int64."""
    return _of_numpy(times, "datetime64")


def duration(time):
    """Nanoseconds of an int, a numpy.timedelta64, a timedelta or a pandas.Timedelta."""
    if hasattr(time, "asm8"):
        time = time.asm8
    if isinstance(time, datetime.timedelta):
        return ((time.days * 86400 + time.seconds) * 10**6 + time.microseconds) * 1000
    if type(time).__name__ == "timedelta64":
        return int(_of_numpy(time, "timedelta64"))
    return _in_range(time)


def given(time):
    """A time for a query: also None, and texts such as "+5s" (from the start), "-5s" (from the
    end), "2026-11-20T14:30:00Z", or "1700000000.25", in seconds."""
    return time if time is None or isinstance(time, str) else nanoseconds(time)


def text(ns):
    """2026-11-20 14:30:00.500 UTC"""
    seconds, rest = divmod(ns, 10**9)
    try:
        date = _EPOCH + datetime.timedelta(seconds=seconds)
    except OverflowError:
        return f"{ns} ns"
    return f"{date:%Y-%m-%d %H:%M:%S}.{rest // 10**6:03d} UTC"
