"""Writes MCAP files, plainly: no chunks, no summary. For content that no writer would make."""

import struct

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, ATTACHMENT, METADATA, DATA_END = 1, 2, 3, 4, 5, 9, 12, 15


def in_bytes(text):
    """UTF-8; "\\udcff" stands for a byte that is none."""
    return text if isinstance(text, bytes) else text.encode(errors="surrogateescape")


def string(text):
    return struct.pack("<I", len(in_bytes(text))) + in_bytes(text)


def string_map(values):
    content = b"".join(string(key) + string(value) for key, value in values.items())
    return struct.pack("<I", len(content)) + content


class McapFile:
    """The file being written."""

    def __init__(self, path):
        self._path = path
        self._bytes = bytearray(MAGIC)
        self._channels = 0
        self._schemas = 0
        self._record(HEADER, string("") + string("mcap_file.py"))

    def channel(self, topic, encoding, type_=None, language="", definition="", metadata=None):
        """Declares one, with a schema where `type_` is given; gives its number."""
        schema = 0
        if type_ is not None:
            self._schemas += 1
            schema = self._schemas
            self._record(SCHEMA, struct.pack("<H", schema) + string(type_) + string(language) +
                         string(definition))
        self._channels += 1
        self._record(CHANNEL, struct.pack("<HH", self._channels, schema) + string(topic) +
                     string(encoding) + string_map(metadata or {}))
        return self._channels

    def message(self, channel, time_ns, payload):
        self._record(MESSAGE, struct.pack("<HIQQ", channel, 0, time_ns, time_ns) + payload)

    def attachment(self, name, media_type, data):
        self._record(ATTACHMENT, struct.pack("<QQ", 1, 1) + string(name) + string(media_type) +
                     struct.pack("<Q", len(data)) + data + struct.pack("<I", 0))

    def metadata(self, name, values):
        self._record(METADATA, string(name) + string_map(values))

    def close(self):
        self._record(DATA_END, struct.pack("<I", 0))
        self._record(FOOTER, struct.pack("<QQI", 0, 0, 0))
        with open(self._path, "wb") as file:
            file.write(self._bytes + MAGIC)

    def _record(self, opcode, content):
        self._bytes += struct.pack("<BQ", opcode, len(content)) + content
