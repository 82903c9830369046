"""Times as programs have them, and as the library takes them."""

import datetime

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def nanoseconds(time):
    """Nanoseconds since 1970 of an int, a numpy.datetime64 or a datetime; without a time zone, in
    UTC."""
    if isinstance(time, datetime.datetime):
        if time.tzinfo is None:
            time = time.replace(tzinfo=datetime.timezone.utc)
        since = time - _EPOCH
        return ((since.days * 86400 + since.seconds) * 10**6 + since.microseconds) * 1000
    if type(time).__name__ == "datetime64":
        return int(time.astype("datetime64[ns]").astype("int64"))
    if hasattr(time, "to_nsec"):  # of genpy
        return int(time.to_nsec())
    if hasattr(time, "ns"):  # a stamp of a message
        return int(time.ns)
    if isinstance(time, float):
        raise TypeError("a time is an int in nanoseconds, a datetime or a numpy.datetime64; "
                        "a float is not exact")
    return time.__index__()


def duration(time):
    """Nanoseconds of an int, a numpy.timedelta64 or a timedelta."""
    if isinstance(time, datetime.timedelta):
        return ((time.days * 86400 + time.seconds) * 10**6 + time.microseconds) * 1000
    if type(time).__name__ == "timedelta64":
        return int(time.astype("timedelta64[ns]").astype("int64"))
    return time.__index__()


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
