#!/usr/bin/env python3
"""nginx as the peer, which answers the same for the same file, and as the proxy in front."""

import contextlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import nginx  # noqa: E402
import peers  # noqa: E402
from nginx import Nginx  # noqa: E402
from peers import kitbag, need, run  # noqa: E402
from server import Reply, Server  # noqa: E402

DEMO = "demo://?seconds=3&seed=4"
NAME = "bags.example"


class WithNginx(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(nginx.find_nginx(), "nginx is not installed")
        need(shutil.which("curl"), "curl is not installed")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name).resolve()
        (cls.folder / "bags").mkdir()
        cls.bag = cls.folder / "bags" / "a.bag"
        kitbag("convert", DEMO, cls.bag)
        cls.server = Server(cls.folder / "bags", "--cache-dir", cls.folder / "cache",
                            "--public-url", f"https://{NAME}")
        cls.addClassCleanup(cls.server.end)


class AsPeer(WithNginx):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.nginx = Nginx(cls.folder, f"""
            server {{ listen unix:{{folder}}/files; root {cls.folder}/bags; }}""")
        cls.addClassCleanup(cls.nginx.end)
        cls.socket = cls.nginx.wait_for("files")

    def both(self, method="GET", **headers):
        """The answers of the server and of nginx."""
        with contextlib.closing(nginx.Connection(self.socket)) as connection:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, "/a.bag", headers=named)
            theirs = Reply(connection.getresponse())
        return self.server.ask("/bags/a.bag/download", method, **headers), theirs

    def expect_same(self, method="GET", **headers):
        ours, theirs = self.both(method, **headers)
        self.assertEqual(ours.status, theirs.status)
        if ours.status in (200, 206):
            self.assertEqual(ours.body, theirs.body)
        for name in ("Content-Range", "Content-Length", "Last-Modified"):
            if ours.status != 416 or name == "Content-Range":
                self.assertEqual(ours.headers[name], theirs.headers[name])
        return ours

    def test_the_whole(self):
        self.expect_same()
        self.expect_same("HEAD")

    def test_ranges(self):
        size = self.bag.stat().st_size
        for text in ("0-0", "0-", "5-9", f"{size - 3}-", "-1", "-100", f"-{size + 5}",
                     f"{size - 1}-{size + 9}", f"{size}-", f"{size + 7}-{size + 9}", "x", "1,2"):
            with self.subTest(text):
                ours, theirs = self.both(range=f"bytes={text}")
                if text in ("x", "1,2"):
                    # What is malformed may be ignored, as here, or refused.
                    self.assertEqual((ours.status, theirs.status), (200, 416))
                    continue
                self.expect_same(range=f"bytes={text}")

    def test_conditions(self):
        ours, theirs = self.both()
        modified = ours.headers["Last-Modified"]
        earlier = "Tue, 31 Oct 2000 14:36:17 GMT"
        for headers in ({"if_modified_since": modified}, {"if_modified_since": earlier},
                        {"if_unmodified_since": modified}, {"if_unmodified_since": earlier},
                        {"if_none_match": '"another"'}, {"if_match": '"another"'},
                        {"if_match": "*"}, {"range": "bytes=0-9", "if_range": modified},
                        {"range": "bytes=0-9", "if_range": earlier},
                        {"range": "bytes=0-9", "if_range": '"another"'}):
            with self.subTest(headers):
                ours, theirs = self.both(**headers)
                self.assertEqual(ours.status, theirs.status)
                if ours.status in (200, 206):
                    self.assertEqual(ours.body, theirs.body)


class AsProxy(WithNginx):
    """TLS and HTTP/2 for clients, HTTP/1.1 to the server."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        need(shutil.which("openssl"), "openssl is not installed")
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
            f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}", "-keyout", cls.folder / "key",
            "-out", cls.folder / "certificate")
        cls.nginx = Nginx(cls.folder, f"""
            server {{
              listen unix:{{folder}}/tls ssl http2;
              ssl_certificate {{folder}}/certificate;
              ssl_certificate_key {{folder}}/key;
              location / {{
                proxy_pass http://{cls.server.host};
                proxy_set_header Host $host;
                proxy_http_version 1.1;
                proxy_buffering off;
              }}
            }}""")
        cls.addClassCleanup(cls.nginx.end)
        cls.socket = cls.nginx.wait_for("tls")

    def curl(self, target, *options):
        """(status, headers in lower case, body) through nginx."""
        out, head = self.folder / "body", self.folder / "head"
        out.unlink(missing_ok=True)
        printed = subprocess.run(
            ["curl", "-sS", "--http2", "--max-time", "60", "--cacert", self.folder / "certificate",
             "--unix-socket", self.socket, "-o", out, "-D", head, "-w",
             "%{http_version} %{http_code}", *options, f"https://{NAME}{target}"],
            check=True, capture_output=True, text=True).stdout.split()
        self.assertEqual(printed[0], "2")
        lines = [line.split(": ", 1) for line in head.read_text().splitlines() if ": " in line]
        headers = {name.lower(): value for name, value in lines}
        return int(printed[1]), headers, out.read_bytes() if out.exists() else b""

    def test_the_list_has_public_links(self):
        status, _, body = self.curl("/bags/")
        self.assertEqual(status, 200)
        self.assertEqual(body, self.server.ask("/bags/").body)
        bag = self.server.list()[0]
        self.assertEqual(bag["download_url"], f"https://{NAME}/bags/a.bag/download")
        self.assertEqual(bag["view_url"], f"https://{NAME}/view/a.bag.mcap")

    def test_downloads_and_views(self):
        for target in ("/bags/a.bag/download", "/view/a.bag.mcap", "/view/a.bag.mcap?topics=/odom"):
            with self.subTest(target):
                direct = self.server.ask(target)
                status, headers, body = self.curl(target)
                self.assertEqual((status, body), (200, direct.body))
                self.assertEqual(headers["content-length"], str(len(body)))
                self.assertEqual(headers["accept-ranges"], "bytes")
                etag = headers["etag"]
                self.assertEqual(etag, direct.headers["ETag"])
                status, headers, part = self.curl(target, "-r", "100-299")
                self.assertEqual((status, part), (206, body[100:300]))
                self.assertEqual(headers["content-range"], f"bytes 100-299/{len(body)}")
                status, _, part = self.curl(target, "-r", "-50")
                self.assertEqual((status, part), (206, body[-50:]))
                for condition, expected in ((f"If-None-Match: {etag}", 304),
                                            ('If-Match: "another"', 412),
                                            (f"If-Match: {etag}", 200)):
                    self.assertEqual(self.curl(target, "-H", condition)[0], expected)
                status, _, part = self.curl(target, "-r", "0-9", "-H", 'If-Range: "another"')
                self.assertEqual((status, part), (200, body))
                status, headers, part = self.curl(target, "-I")
                self.assertEqual((status, headers["content-length"]), (200, str(len(body))))

    def test_slices(self):
        known = self.server.ask("/bags/a.bag/player").json()
        start, end = known["start_time"], known["end_time"]
        target = f"/bags/a.bag/player?start_time={start}&end_time={end}"
        status, _, body = self.curl(target)
        self.assertEqual((status, body), (200, self.server.ask(target).body))

    def test_errors(self):
        status, headers, body = self.curl("/bags/none.bag/download")
        self.assertEqual((status, headers["cache-control"]), (404, "no-store"))
        self.assertIn(b"there is no bag", body)


if __name__ == "__main__":
    peers.main()
