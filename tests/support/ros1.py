"""The real rosbag (Debian's python3-rosbag) as the tests ask it: all in this one process."""

import contextlib
import io

from peers import need

try:
    import genpy
    import rosbag
    import rosbag.migration
    import std_msgs.msg as std
except ImportError:
    rosbag = None


def need_rosbag():
    need(rosbag, "the real rosbag (python3-rosbag, python3-std-msgs) is not installed")


class Recorder:
    """A bag being written by the real rosbag: a connection for each node and topic, as recorded."""

    def __init__(self, path, mode="w", **options):
        self._bag = rosbag.Bag(str(path), mode, **options)
        self._connections = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._bag.close()

    def encrypt_for(self, gpg_user):
        """Before anything is written."""
        self._bag.set_encryptor("rosbag/AesCbcEncryptor", gpg_user)

    def flush_file(self):
        """What was written so far is in the file, the open chunk too."""
        self._bag._file.flush()

    def write(self, topic, message, time_ns, **header):
        """`header`: what the connection header has beside the message's type."""
        key = (topic, header.get("callerid"))
        by_topic = self._bag._topic_connections  # the library itself keeps one a topic
        by_topic.pop(topic, None)
        if key in self._connections:
            by_topic[topic] = self._connections[key]
        type_ = type(message)
        self._bag.write(topic, message, genpy.Time(time_ns // 10**9, time_ns % 10**9),
                        connection_header={
                            "topic": topic, "type": type_._type, "md5sum": type_._md5sum,
                            "message_definition": type_._full_text, **header})
        self._connections[key] = by_topic[topic]


def write_bag(path, compression="none", start_ns=1_600_000_000_000_000_000, messages=400,
              gpg_user=None):
    """Everything a recorder may store: latched, several connections on one topic, unknown fields,
    payloads without bytes, times out of order within a chunk and between chunks, many chunks.
    No two messages have one time."""
    with Recorder(path, compression=compression, chunk_threshold=2000) as recorder:
        if gpg_user:
            recorder.encrypt_for(gpg_user)
        recorder.write("/map", std.String("a map " * 50), start_ns,
                       callerid="/map_server", latching="1")
        for i in range(messages):
            late_ms = (35 if i % 7 == 3 else 0) + (453 if i % 100 == 60 else 0)
            write_one(recorder, i, start_ns + 1 + (i * 10 - late_ms) * 1_000_000)


def write_one(recorder, i, time_ns):
    if i % 4 == 0:
        recorder.write("/tick", std.Empty(), time_ns)
    elif i % 4 == 1:
        recorder.write("/count", std.Int32(i), time_ns, callerid="/counter", mood="fine")
    else:
        recorder.write("/chatter", std.String(f"sentence {i} " + "la" * (i % 50)), time_ns,
                       callerid=f"/speaker_{i % 4}")


def messages(path):
    """(topic, type, log_time_ns, payload) by time, ties by position: kitbag's order."""
    found = []
    with rosbag.Bag(str(path)) as bag:
        for topic, raw, time in bag.read_messages(raw=True):
            type_, data, _, position, _ = raw
            found.append((time.to_nsec(), position, topic, type_, bytes(data)))
    found.sort(key=lambda m: m[:2])
    return [(topic, type_, time_ns, data) for time_ns, _, topic, type_, data in found]


def connections(path):
    """The connection headers, without what the order of recording decides: their numbers."""
    # The real one forgets connections without messages once it has read the index.
    with rosbag.Bag(str(path), skip_index=True) as bag:
        return sorted(sorted(as_text(c.header).items()) for c in bag._connections.values())


def as_text(header):
    return {text(name): text(value) for name, value in header.items()}


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def check(path):
    """What `rosbag check` does: reads it all, asks which messages need a migration."""
    migrator = rosbag.migration.MessageMigrator([], False)
    with contextlib.redirect_stderr(io.StringIO()):
        return rosbag.migration.checkbag(migrator, str(path))


def info(path):
    """`rosbag info --yaml`, parsed; None for a bag that it refuses."""
    import yaml  # comes with rosbag
    with rosbag.Bag(str(path)) as bag:
        return yaml.safe_load(bag._get_yaml_info())
