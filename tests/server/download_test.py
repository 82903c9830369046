#!/usr/bin/env python3
"""Downloads: whole files, ranges, conditions, and directories as tars."""

import io
import shutil
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import DEMO, MONTH, InFolder  # noqa: E402
from peers import kitbag  # noqa: E402


class Download(InFolder):
    @classmethod
    def fill(cls):
        super().fill()
        cls.content = (cls.folder / "a.bag").read_bytes()
        kitbag("convert", DEMO, f"{cls.folder}/directory/")
        kitbag("convert", DEMO, cls.folder / "für \"x\".mcap")
        kitbag("convert", DEMO, cls.folder / "a.db3")

    def test_the_whole_file(self):
        for path in "/bags/a.bag/download", "/bags/a.bag/download/a.bag":
            reply = self.server.ask(path)
            self.assertEqual((reply.status, reply.body == self.content), (200, True))
            self.assertEqual(reply.headers["Content-Disposition"],
                             'attachment; filename="a.bag"')
            self.assertEqual(reply.headers["Content-Type"], "application/octet-stream")
            self.assertEqual(reply.headers["Accept-Ranges"], "bytes")
            self.assertEqual(reply.headers["Cache-Control"], f"public, max-age={MONTH}")
            self.assertEqual(reply.headers["Vary"], "Accept-Encoding, Origin")
            self.assertEqual(reply.headers["Referrer-Policy"], "no-referrer")

    def test_the_media_type_is_that_of_the_format(self):
        for name, media_type in (("f%C3%BCr%20%22x%22.mcap", "application/mcap"),
                                 ("a.db3", "application/vnd.sqlite3")):
            reply = self.server.ask(f"/bags/{name}/download", method="HEAD")
            self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, media_type))

    def test_head(self):
        reply = self.server.ask("/bags/a.bag/download", method="HEAD")
        self.assertEqual((reply.status, reply.body), (200, b""))
        self.assertEqual(int(reply.headers["Content-Length"]), len(self.content))

    def test_ranges(self):
        size = len(self.content)
        for asked, begin, end in (("0-99", 0, 100), (f"{size - 7}-", size - 7, size),
                                  ("-5", size - 5, size), (f"100-{size + 99}", 100, size)):
            reply = self.server.ask("/bags/a.bag/download", Range=f"bytes={asked}")
            self.assertEqual(reply.status, 206)
            self.assertEqual(reply.body, self.content[begin:end])
            self.assertEqual(reply.headers["Content-Range"], f"bytes {begin}-{end - 1}/{size}")

    def test_several_ranges(self):
        reply = self.server.ask("/bags/a.bag/download", Range="bytes=0-9,100-119")
        self.assertEqual(reply.status, 206)
        boundary = reply.headers["Content-Type"].split("boundary=")[1].encode()
        parts = reply.body.split(b"--" + boundary)
        bodies = [part.split(b"\r\n\r\n", 1)[1][:-2] for part in parts[1:-1]]
        self.assertEqual(bodies, [self.content[0:10], self.content[100:120]])

    def test_a_range_beyond_the_end(self):
        reply = self.server.ask("/bags/a.bag/download", Range=f"bytes={len(self.content)}-")
        self.assertEqual(reply.status, 416)
        self.assertEqual(reply.headers["Content-Range"], f"bytes */{len(self.content)}")

    def test_conditions(self):
        reply = self.server.ask("/bags/a.bag/download", method="HEAD")
        tag, modified = reply.headers["ETag"], reply.headers["Last-Modified"]
        for header in {"If-None-Match": tag}, {"If-Modified-Since": modified}:
            self.assertEqual(self.server.ask("/bags/a.bag/download", **header).status, 304)
        self.assertEqual(self.server.ask("/bags/a.bag/download", If_Match='"other"').status, 412)
        whole = self.server.ask("/bags/a.bag/download", Range="bytes=0-1", If_Range='"other"')
        self.assertEqual((whole.status, whole.body == self.content), (200, True))
        part = self.server.ask("/bags/a.bag/download", Range="bytes=0-1", If_Range=tag)
        self.assertEqual(part.status, 206)

    def test_a_replaced_bag_has_another_tag(self):
        copy = self.folder / "copy.bag"
        copy.write_bytes(self.content)
        time.sleep(1)
        before = self.server.ask("/bags/copy.bag/download", method="HEAD").headers["ETag"]
        kitbag("convert", "demo://?seconds=1", copy, "--encoding", "ros1", "--force")
        after = self.server.ask("/bags/copy.bag/download")
        self.assertNotEqual(after.headers["ETag"], before)
        self.assertEqual(after.body, copy.read_bytes())
        copy.unlink()

    def test_a_directory_is_a_tar(self):
        reply = self.server.ask("/bags/directory/download")
        self.assertEqual(reply.headers["Content-Type"], "application/x-tar")
        self.assertEqual(int(reply.headers["Content-Length"]), len(reply.body))
        with tarfile.open(fileobj=io.BytesIO(reply.body)) as tar:
            unpacked = {member.name: tar.extractfile(member).read() for member in tar}
        self.assertEqual(unpacked, {f"directory/{path.name}": path.read_bytes()
                                    for path in (self.folder / "directory").iterdir()})
        part = self.server.ask("/bags/directory/download", Range="bytes=300-3000")
        self.assertEqual((part.status, part.body), (206, reply.body[300:3001]))

    def test_links_that_lead_out_are_not_followed(self):
        outside = tempfile.TemporaryDirectory()
        self.addCleanup(outside.cleanup)
        secret = Path(outside.name) / "secret.mcap"
        kitbag("convert", DEMO, secret)
        for name, link in ("text", "passwd.txt"), ("member", "member_1.mcap"):
            bag = self.folder / name
            kitbag("convert", DEMO, f"{bag}/")
            (bag / link).symlink_to("/etc/passwd" if name == "text" else secret)
            self.addCleanup(shutil.rmtree, bag)
            time.sleep(1)
            listed = next(bag for bag in self.server.list() if bag["filename"] == name)
            self.assertIn("leads out of the folder", listed["error"])
            self.assertEqual(self.server.ask(f"/bags/{name}/download").status, 403)
            self.assertEqual(self.server.ask(f"/bags/{name}/player").status, 400)
            (bag / link).unlink()
            (bag / link).symlink_to("metadata.yaml")
            time.sleep(1)
            self.assertEqual(self.server.ask(f"/bags/{name}/download").status, 200)

    def test_overlapping_ranges_are_one(self):
        reply = self.server.ask("/bags/a.bag/download", Range="bytes=0-,0-,0-,0-")
        self.assertEqual((reply.status, reply.body == self.content), (206, True))

    def test_a_name_that_needs_quoting(self):
        name = 'für "x".mcap'
        bag = next(bag for bag in self.server.list() if bag["filename"] == name)
        self.assertTrue(bag["download_url"].endswith(f"/bags/{quote(name)}/download"))
        reply = self.server.ask(f"/bags/{quote(name)}/download")
        self.assertEqual(reply.body, (self.folder / name).read_bytes())
        self.assertEqual(reply.headers["Content-Disposition"],
                         "attachment; filename=\"f__r _x_.mcap\"; "
                         "filename*=UTF-8''f%C3%BCr%20%22x%22.mcap")

    def test_an_unknown_bag(self):
        for name in "b.bag", "..%2f..%2fetc%2fpasswd", "%2e%2e", ".hidden", "a.bag%00":
            reply = self.server.ask(f"/bags/{name}/download")
            self.assertIn(reply.status, (400, 404), name)
            self.assertEqual(list(reply.json()), ["error"])
            self.assertEqual(reply.headers["Cache-Control"], "no-store")
        self.assertEqual(self.server.ask("/bags/b.bag/download").status, 404)


if __name__ == "__main__":
    peers.main()
