"""What rosbag says about a bag: the texts of `rosbag info`, and frequencies."""

import collections
import statistics
import time

About = collections.namedtuple("About", "path version info types topics chunks")


def median_periods(bag, names):
    """The median time between two messages of each topic, in seconds. As rosbag counts, times are
    seconds as floats before they are subtracted."""
    stamps = collections.defaultdict(list)
    for message in bag.read(list(names)):
        secs, nsecs = divmod(message.time, 10**9)
        stamps[message.topic].append(secs + nsecs / 1e9)
    return {topic: statistics.median(after - before for before, after in zip(times, times[1:]))
            for topic, times in stamps.items() if len(times) > 1}


def _seconds(ns):
    secs, nsecs = divmod(ns, 10**9)
    return secs + nsecs / 1e9


def _scaled(value, step, units):
    for unit in units:
        if value < step:
            return f"{value:.1f} {unit}"
        value /= step
    return "-"


def _size(value):
    return _scaled(value / 1024, 1024, ["KB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"])


def _frequency(value):
    return _scaled(value, 1000, ["Hz", "kHz", "MHz", "GHz", "THz", "PHz", "EHz", "ZHz", "YHz"])


def _date(seconds):
    local = time.strftime("%b %d %Y %H:%M:%S", time.localtime(seconds))
    return f"{local}{f'{seconds - int(seconds):.2f}'[1:]} ({seconds:.2f})"


def _duration(seconds):
    minutes, rest = int(seconds / 60), int(seconds % 60)
    if minutes >= 60:
        return f"{minutes // 60}hr {minutes % 60}:{rest:02d}s ({int(seconds)}s)"
    return f"{minutes}:{rest:02d}s ({int(seconds)}s)" if minutes else f"{seconds:.1f}s"


def _compressions(chunks):
    """(name, chunks, uncompressed, compressed), the most used first."""
    names = collections.Counter(chunk.compression for chunk in chunks)
    order = sorted(((count, name) for name, count in names.items()), reverse=True)
    return [(name, count, sum(c.uncompressed for c in chunks if c.compression == name),
             sum(c.compressed for c in chunks if c.compression == name)) for count, name in order]


def _compression_rows(about, seconds):
    if about.chunks is None:
        return [("compression", about.info.compression)]
    parts = [f"{name} [{count}/{len(about.chunks)} chunks"
             + (f"; {100 * small / large:.2f}%]" if name != "none" else "]")
             for name, count, large, small in _compressions(about.chunks)]
    rows = [("compression", ", ".join(parts) or "none")]
    if any(chunk.compression != "none" for chunk in about.chunks):
        rows += _size_rows(about.chunks, seconds)
    return rows


def _size_rows(chunks, seconds):
    sizes = [sum(chunk.uncompressed for chunk in chunks), sum(chunk.compressed for chunk in chunks)]
    texts = _aligned([_size(size) for size in sizes])
    if seconds > 0:
        rates = _aligned([_size(size / seconds) for size in sizes])
        texts = [f"{text} @ {rate}/s" for text, rate in zip(texts, rates)]
        texts[1] += f" ({100 * sizes[1] / sizes[0]:.2f}%)"
    return list(zip(["uncompressed", "compressed"], texts))


def _aligned(texts):
    width = max(map(len, texts), default=0)
    return [text.rjust(width) for text in texts]


def _type_rows(about):
    width = max(map(len, about.types), default=0)
    return [("", f"{name:{width}} [{md5sum}]") for name, md5sum in about.types.items()]


def _topic_rows(about):
    topics = about.topics
    widths = [max(map(len, column), default=0) for column in (
        topics, [str(topic.message_count) for topic in topics.values()],
        [_frequency(t.frequency) for t in topics.values() if t.frequency], about.types)]
    rows = []
    for name, topic in topics.items():
        unit = "msgs" if topic.message_count > 1 else "msg "
        count = f"{topic.message_count:{widths[1]}d} {unit}"
        rate = (f" @ {_frequency(topic.frequency):>{widths[2]}}" if topic.frequency
                else "   " + " " * widths[2])
        connections = f" ({topic.connections} connections)" if topic.connections > 1 else ""
        rows.append(("", f"{name:{widths[0]}}   {count}{rate} : {topic.msg_type:{widths[3]}}"
                         f"{connections}"))
    return rows


def _titled(title, rows):
    return [(title, rows[0][1]), *rows[1:]] if rows else []


def _version(number):
    return f"{number // 100}.{number % 100}"


def as_text(about):
    """Rows of names and values."""
    info = about.info
    rows = [("path", about.path), ("version", _version(about.version))]
    if info.messages:
        start, end = _seconds(info.start), _seconds(info.end)
        rows += [("duration", _duration(end - start)), ("start", _date(start)),
                 ("end", _date(end))]
    rows.append(("size", _size(info.size_bytes)))
    if info.messages:
        rows.append(("messages", str(info.messages)))
        rows += _compression_rows(about, end - start)
        rows += _titled("types", _type_rows(about)) + _titled("topics", _topic_rows(about))
    width = max(len(name) for name, _ in rows) + 1
    lines = [f"{name + ':' if name else '':{width}} {value}" for name, value in rows]
    return "\n".join(lines).rstrip()


def as_yaml(about):
    info = about.info
    lines = [f"path: {about.path}", f"version: {_version(about.version)}"]
    if info.messages:
        start, end = _seconds(info.start), _seconds(info.end)
        lines += [f"duration: {end - start:.6f}", f"start: {start:.6f}", f"end: {end:.6f}"]
    lines.append(f"size: {info.size_bytes}")
    if not info.messages:
        return "\n".join([*lines, "indexed: False"]) + "\n"
    lines += [f"messages: {info.messages}", "indexed: True", *_yaml_of_compression(about), "types:"]
    for name, md5sum in about.types.items():
        lines += [f"    - type: {name}", f"      md5: {md5sum}"]
    lines.append("topics:")
    for name, topic in about.topics.items():
        lines += _yaml_of_topic(name, topic)
    return "\n".join(lines) + "\n"


def _yaml_of_compression(about):
    if not about.chunks:
        return [f"compression: {about.info.compression}"]
    lines = [f"compression: {_compressions(about.chunks)[0][0]}"]
    if any(chunk.compression != "none" for chunk in about.chunks):
        lines += [f"uncompressed: {sum(chunk.uncompressed for chunk in about.chunks)}",
                  f"compressed: {sum(chunk.compressed for chunk in about.chunks)}"]
    return lines


def _yaml_of_topic(name, topic):
    lines = [f"    - topic: {name}", f"      type: {topic.msg_type}",
             f"      messages: {topic.message_count}"]
    if topic.connections > 1:
        lines.append(f"      connections: {topic.connections}")
    if topic.frequency:
        lines.append(f"      frequency: {topic.frequency:.4f}")
    return lines
