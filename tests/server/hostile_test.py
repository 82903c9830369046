#!/usr/bin/env python3
"""Clients that speak no HTTP, little of it, or that do not wait for the answer."""

import signal
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import InFolder  # noqa: E402
from server import Server  # noqa: E402


class Hostile(InFolder):
    def raw(self, *parts, then_ends=True):
        """What comes back for these bytes; they are sent one after the other."""
        host, port = self.server.host.split(":")
        with socket.create_connection((host, int(port)), timeout=20) as connection:
            for part in parts:
                connection.sendall(part)
            if then_ends:
                connection.shutdown(socket.SHUT_WR)
            received = b""
            while piece := connection.recv(65536):
                received += piece
            return received

    def test_what_is_no_http(self):
        self.assertIn(b" 400 ", self.raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"))
        self.assertIn(b" 400 ", self.raw(b"GET bags HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        self.assertIn(b" 431 ", self.raw(b"GET / HTTP/1.1\r\nX: " + b"a" * 20000 + b"\r\n\r\n"))
        self.assertIn(b" 431 ", self.raw(b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n"))
        self.assertIn(b" 413 ", self.raw(b"POST / HTTP/1.1\r\nHost: localhost\r\n"
                                         b"Content-Length: 99999999\r\n\r\n"))

    def test_paths_that_lead_elsewhere(self):
        back = f"{self.folder.name}/a.bag"
        for name in (f"../{back}", f"..%2F{back}", f"%2e%2e/{back}", f"%2e%2e%2f{back}",
                     f"..%5C{back}", f"a.bag/../../{back}", "a.bag%00", "a.bag%2f..%2fa.bag",
                     "./a.bag", "%2Fetc%2Fpasswd", "//etc/passwd"):
            for path in f"/bags/{name}/download", f"/bags/{name}", f"/view/{name}.mcap":
                reply = self.raw(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                self.assertRegex(reply, rb"^HTTP/1.1 40[04] ", path)

    def test_a_request_byte_by_byte_and_two_at_once(self):
        request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        self.assertEqual(self.raw(*(bytes([byte]) for byte in request)).count(b"ok\n"), 1)
        self.assertEqual(self.raw(request + request).count(b"ok\n"), 2)

    def test_a_client_of_http_1_0(self):
        reply = self.raw(b"GET /bags/a.bag/player?start_time=0&end_time=1 HTTP/1.0\r\n\r\n",
                         then_ends=False)
        head, body = reply.split(b"\r\n\r\n", 1)
        self.assertNotIn(b"chunked", head.lower())
        self.assertTrue(body.rstrip().endswith(b"}"))

    def test_a_client_that_closes_its_side_gets_the_whole_answer(self):
        known = self.metadata("a.bag")
        slice_of = (f"/bags/a.bag/player?start_time={known['start_time']}"
                    f"&end_time={known['end_time']}")
        for target in slice_of, "/bags/a.bag/download", "/view/a.bag.mcap":
            with self.subTest(target):
                reply = self.raw(f"GET {target} HTTP/1.0\r\n\r\n".encode())
                head, body = reply.split(b"\r\n\r\n", 1)
                self.assertIn(b" 200 ", head.split(b"\r\n")[0])
                self.assertTrue(body == self.server.ask(target).body)

    def test_clients_that_go_at_once(self):
        known = self.metadata("a.bag")
        target = (f"GET /bags/a.bag/player?start_time={known['start_time']}"
                  f"&end_time={known['end_time']} HTTP/1.1\r\nHost: localhost\r\n\r\n")
        host, port = self.server.host.split(":")
        for _ in range(50):
            with socket.create_connection((host, int(port)), timeout=20) as connection:
                connection.sendall(target.encode())
        self.assertEqual(self.server.ask("/healthz").status, 200)

    def test_the_end_does_not_wait_for_a_client_that_does_not_read(self):
        with Server(self.folder) as server:
            host, port = server.host.split(":")
            with socket.create_connection((host, int(port))) as connection:
                connection.sendall(b"GET /bags/a.bag/download HTTP/1.1\r\nHost: localhost\r\n\r\n")
                begin = time.monotonic()
                server.process.send_signal(signal.SIGINT)
                self.assertEqual(server.process.wait(10), 0)
                self.assertLess(time.monotonic() - begin, 10)


if __name__ == "__main__":
    peers.main()
