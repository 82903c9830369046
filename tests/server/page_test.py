#!/usr/bin/env python3
"""The player page: its files, how long they may be kept, and what a browser may do with them."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import DEMO, OwnFolder  # noqa: E402
from peers import ROOT, kitbag  # noqa: E402
from server import Server  # noqa: E402

DIST = ROOT / "web" / "dist"


class Page(OwnFolder):
    def setUp(self):
        super().setUp()
        kitbag("convert", DEMO, self.folder / "a.mcap")

    def test_every_file_is_served_as_it_is(self):
        with Server(self.folder) as server:
            for file in sorted(each for each in DIST.rglob("*") if each.is_file()):
                name = file.relative_to(DIST).as_posix()
                with self.subTest(name=name):
                    reply = server.ask(f"/{name}")
                    self.assertEqual((reply.status, reply.body), (200, file.read_bytes()))
                    is_hashed = name.startswith("assets/")
                    self.assertEqual("immutable" in reply.headers["Cache-Control"], is_hashed)
            start = server.ask("/?bag=a.mcap&t=1&panel=tree%20x")
            self.assertEqual(start.body, (DIST / "index.html").read_bytes())
            self.assertEqual(start.headers["Cache-Control"], "no-cache")

    def test_types(self):
        types = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
                 ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
                 ".txt": "text/plain; charset=utf-8"}
        with Server(self.folder) as server:
            found = set()
            for file in (each for each in DIST.rglob("*") if each.is_file()):
                reply = server.ask(f"/{file.relative_to(DIST).as_posix()}", method="HEAD")
                self.assertEqual(reply.headers["Content-Type"], types[file.suffix])
                self.assertEqual(reply.headers["X-Content-Type-Options"], "nosniff")
                found.add(file.suffix)
            self.assertEqual(found, set(types))

    def test_the_page_reaches_nobody_else(self):
        with Server(self.folder) as server:
            policy = server.ask("/").headers["Content-Security-Policy"]
        self.assertIn("default-src 'self';", policy)
        self.assertNotIn("unsafe", policy)
        self.assertNotIn("http", policy)
        start = (DIST / "index.html").read_text()
        self.assertEqual(re.findall(r'(?:src|href)="(?!\./assets/)', start), [])

    def test_what_the_client_has_is_not_sent_again(self):
        with Server(self.folder) as server:
            etag = server.ask("/").headers["ETag"]
            self.assertEqual(server.ask("/", if_none_match=etag).status, 304)
            script = max(DIST.glob("assets/index-*.js"))
            packed = server.ask(f"/assets/{script.name}", accept_encoding="gzip")
            self.assertEqual(packed.headers["Content-Encoding"], "gzip")
            self.assertLess(len(packed.body), 400_000)
            again = server.ask(f"/assets/{script.name}", accept_encoding="gzip",
                               if_none_match=packed.headers["ETag"])
            self.assertEqual(again.status, 304)

    def test_other_paths_and_methods(self):
        with Server(self.folder) as server:
            self.assertEqual(server.ask("/assets/none.js").status, 404)
            self.assertEqual(server.ask("/assets/../index.html").status, 404)
            refused = server.ask("/", method="POST", content_type="application/json")
            self.assertEqual((refused.status, refused.headers["Allow"]), (405, "GET, HEAD"))

    def test_the_page_needs_no_token_but_its_data_does(self):
        with Server(self.folder, "--token", "secret") as server:
            self.assertEqual(server.ask("/").status, 200)
            self.assertIsNone(server.ask("/").headers["Set-Cookie"])
            refused = server.ask("/bags/", x_requested_with="kitbag")
            self.assertEqual(refused.status, 401)
            self.assertIsNone(refused.headers["WWW-Authenticate"])  # the page asks
            for target in "/?token=secret", "/bags/?token=secret":
                cookie = server.ask(target).headers["Set-Cookie"].split(";")[0]
                self.assertEqual(server.ask("/bags/", Cookie=cookie).status, 200)


if __name__ == "__main__":
    peers.main()
