#!/usr/bin/env python3
"""gzip and zstd: what arrives is what would have arrived, piece by piece."""

import ctypes
import gzip
import shutil
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402

DEMO = "demo://?seconds=4&seed=3"


def unpack_zstd(packed):
    """What is in a frame, by libzstd itself."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                     ctypes.c_size_t]
    room = ctypes.create_string_buffer(64 << 20)
    size = zstd.ZSTD_decompress(room, len(room), packed, len(packed))
    if size > len(room):  # the code of an error
        raise AssertionError("zstd cannot unpack it")
    return room.raw[:size]


class Encoding(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        kitbag("convert", DEMO, f"{folder.name}/a.bag", "--encoding", "ros1")
        for copy in range(8):  # a list of more than a kilobyte
            shutil.copy(f"{folder.name}/a.bag", f"{folder.name}/{copy}.bag")
        cls.server = Server(folder.name)
        cls.addClassCleanup(cls.server.end)
        begin = cls.server.ask("/bags/a.bag/player").json()["start_time"]
        cls.slice = f"/bags/a.bag/player?start_time={begin}&end_time={begin + 3}"

    def decoded(self, reply):
        coding = reply.headers["Content-Encoding"]
        if coding == "gzip":
            return gzip.decompress(reply.body)
        if coding == "zstd":
            return unpack_zstd(reply.body)
        self.assertIsNone(coding)
        return reply.body

    def test_texts_and_streams_are_the_same_behind_it(self):
        for target in ("/bags/", "/bags/a.bag/info", "/bags/a.bag/schemas", self.slice,
                       self.slice + "&format=ndjson",
                       self.slice + "&format=csv&topics=/odom"):
            plain = self.server.ask(target)
            for coding in "gzip", "zstd":
                with self.subTest(target=target, coding=coding):
                    reply = self.server.ask(target, accept_encoding=coding)
                    self.assertEqual(reply.headers["Content-Encoding"], coding)
                    self.assertEqual(self.decoded(reply), plain.body)
                    self.assertLess(len(reply.body), len(plain.body))
                    self.assertEqual(reply.headers["Vary"], "Accept-Encoding, Origin")
                    self.assertEqual(reply.headers["ETag"],
                                     plain.headers["ETag"][:-1] + f'-{coding}"')
                    head = self.server.ask(target, method="HEAD", accept_encoding=coding)
                    self.assertEqual(head.body, b"")
                    for name in "Content-Encoding", "Content-Length", "ETag", "Content-Type":
                        self.assertEqual(head.headers[name], reply.headers[name])

    def test_what_has_ranges_or_is_small_stays_as_it_is(self):
        for target in ("/bags/a.bag/download", "/bags/a.bag/player", "/healthz",
                       self.slice + "&format=mcap", "/bags/none.bag/info"):
            reply = self.server.ask(target, accept_encoding="gzip, zstd")
            self.assertIsNone(reply.headers["Content-Encoding"], target)
        part = self.server.ask("/bags/", accept_encoding="gzip", range="bytes=0-9")
        self.assertEqual((part.status, len(part.body)), (206, 10))
        self.assertIsNone(part.headers["Content-Encoding"])

    def test_q_values(self):
        for accepted, coding in (("gzip;q=0.5, zstd;q=0.9", "zstd"), ("zstd;q=0, gzip", "gzip"),
                                 ("identity, gzip;q=0.1", None), ("br", None), ("*", "zstd")):
            reply = self.server.ask("/bags/", accept_encoding=accepted)
            self.assertEqual(reply.headers["Content-Encoding"], coding, accepted)

    def test_a_client_may_keep_either(self):
        for target in "/bags/", "/bags/a.bag/info", self.slice:
            for coding in "identity", "gzip", "zstd":
                tag = self.server.ask(target, accept_encoding=coding).headers["ETag"]
                again = self.server.ask(target, accept_encoding=coding, if_none_match=tag)
                self.assertEqual((again.status, again.headers["ETag"]), (304, tag))

    def test_the_first_messages_come_soon(self):
        with self.server.connect() as connection:
            connection.request("GET", self.slice, headers={"Accept-Encoding": "gzip"})
            response = connection.getresponse()
            piece = response.read1(1 << 20)
            text = zlib.decompressobj(31).decompress(piece)
            self.assertIn(b'"__stamp"', text)
            self.assertTrue(response.read())


if __name__ == "__main__":
    peers.main()
