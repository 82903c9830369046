#!/usr/bin/env python3
"""Bags on web servers and in an object store, served: with the values that local bags have, from
where they lie, and for strangers only what they may ask for."""

import os
import shutil
import socket
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import object_store  # noqa: E402
import peers  # noqa: E402
from object_store import KEY, SECRET, ObjectStore  # noqa: E402
from peers import kitbag, need, program  # noqa: E402
from range_server import RangeServer  # noqa: E402
from server import Server  # noqa: E402

NAMES = "drive.bag", "drive.mcap", "drive.db3"
SLICE = "start_time=1767225601&end_time=1767225602"
ANSWERS = ("info", "topics", "schemas", "player", f"player?{SLICE}", "timeline?buckets=4",
           "series?topics=/odom&fields=pose.pose.position.x&buckets=8",
           "thumbnail?topic=/camera/image&time=1767225601", "search?q=voltage%20%3E%2025&limit=3",
           "download", "events")
NO_KEYS = {name: "" for name in os.environ if name.startswith("AWS_")}


def in_path(uri):
    """As the name of a bag in a path."""
    return quote(uri, safe="")


class Remote(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        plugin = Path(program()).resolve().parent / "plugins/files_remote.so"
        need(plugin.exists(), "libcurl4-openssl-dev and libexpat1-dev are not installed")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.local = cls.folder / "local"
        cls.local.mkdir()
        for name in NAMES:
            kitbag("convert", "demo://?seconds=4&seed=7", cls.local / name)
        cls.web = RangeServer(cls.local)
        cls.addClassCleanup(cls.web.end)

    def setUp(self):
        self.web.reset()

    def serve(self, *arguments, **environment):
        server = Server(*arguments, env={"HOME": str(self.folder), **NO_KEYS, **environment})
        self.addCleanup(self.end_and_look, server)
        return server

    def end_and_look(self, server):
        """Nothing that gives access is printed."""
        server.process.terminate()
        printed = "".join(server.process.communicate(timeout=20))
        for secret in KEY, SECRET, "X-Amz-Signature=", "topsecret":
            self.assertNotIn(secret, printed)
        server._cache.cleanup()

    def assert_as_local(self, server, bags, here, names):
        """`bags`: by the name of a local bag, that of a remote one."""
        for name in names:
            for answer in ANSWERS:
                with self.subTest(name=name, answer=answer):
                    there = server.ask(f"/bags/{bags[name]}/{answer}")
                    wanted = here.ask(f"/bags/{name}/{answer}")
                    self.assertEqual(there.status, wanted.status, there.body[:300])
                    self.assertEqual(there.body, wanted.body)
            for view in f"{bags[name]}.mcap", f"{bags[name]}.mcap?topics=/odom":
                there = server.ask(f"/view/{view}")
                wanted = here.ask(f"/view/{view.replace(bags[name], name)}")
                self.assertEqual((there.status, there.body), (200, wanted.body), view)


class Places(Remote):
    """On the command line."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        need(object_store.is_installed(), "ceph-mon, ceph-osd and radosgw are not installed")
        cls.store = ObjectStore(cls.folder / "store")
        cls.addClassCleanup(cls.store.end)
        cls.store.make_bucket("bags")
        for name in NAMES:
            cls.store.put("bags", f"runs/{name}", (cls.local / name).read_bytes())
        cls.here = Server(cls.local)
        cls.addClassCleanup(cls.here.end)

    def test_a_folder_of_an_object_store(self):
        server = self.serve("s3://bags/runs", **self.store.environment())
        self.assert_as_local(server, {name: name for name in NAMES}, self.here, NAMES)
        keys = "filename", "size_bytes", "start_time", "end_time", "messages", "topics"
        lists = [sorted([bag[key] for key in keys] for bag in each.list())
                 for each in (server, self.here)]
        self.assertEqual(lists[0], lists[1])

    def test_files_of_a_web_server(self):
        places = [f"{self.web.url}/{name}?token=topsecret" for name in NAMES]
        server = self.serve(*places)
        self.assert_as_local(server, {name: name for name in NAMES}, self.here, NAMES[:2])
        self.assertEqual(sorted(bag["filename"] for bag in server.list()), sorted(NAMES))
        # It has no links: the file comes through this server.
        whole = server.ask("/bags/drive.bag/download?redirect=1")
        self.assertEqual((whole.status, whole.body),
                         (200, (self.local / "drive.bag").read_bytes()))
        self.assertEqual(server.ask("/bags/drive.bag/events", method="POST").status, 403)

    def test_a_link_to_the_store(self):
        server = self.serve("s3://bags/runs", **self.store.environment())
        content = (self.local / "drive.mcap").read_bytes()
        for path in "download", "download/drive.mcap":
            reply = server.ask(f"/bags/drive.mcap/{path}?redirect=1")
            self.assertEqual(reply.status, 307)
            self.assertEqual(reply.headers["Cache-Control"], "no-store")
        link = reply.headers["Location"]
        self.assertTrue(link.startswith(self.store.url), link)
        self.assertLessEqual(int(parse_qs(urlsplit(link).query)["X-Amz-Expires"][0]), 300)
        self.assertNotIn(SECRET, link)
        with urllib.request.urlopen(link) as answer:  # which knows no keys
            self.assertEqual(answer.read(), content)
        for other in (link.replace("drive.mcap", "drive.bag"), link[:-1] + "0", link[:-1] + "1"):
            if other != link:
                with self.assertRaises(urllib.error.HTTPError):
                    urllib.request.urlopen(other)
        for query in "", "?redirect=0", "?t=123":
            through = server.ask(f"/bags/drive.mcap/download{query}")
            self.assertEqual((through.status, through.body), (200, content))
        part = server.ask("/bags/drive.mcap/download", Range="bytes=100-199")
        self.assertEqual((part.status, part.body), (206, content[100:200]))
        self.assertEqual(server.ask("/bags/drive.mcap/download?redirect=1", method="HEAD").status,
                         200)
        self.assertEqual(server.ask("/bags/drive.mcap/download?redirect=2").status, 400)

    def test_objects_by_their_address(self):
        server = self.serve(self.local, "--allow-uri", "s3://bags/runs",
                            **self.store.environment())
        bags = {name: in_path(f"s3://bags/runs/{name}") for name in NAMES}
        self.assert_as_local(server, bags, self.here, NAMES[:1])
        link = server.ask(f"/bags/{bags['drive.db3']}/download?redirect=1").headers["Location"]
        with urllib.request.urlopen(link) as answer:
            self.assertEqual(answer.read(), (self.local / "drive.db3").read_bytes())
        for other in "s3://bags/runs2/x.bag", "s3://bags/runs/../x.bag", "s3://other/runs/x.bag":
            self.assertEqual(server.ask(f"/bags/{in_path(other)}/info").status, 403, other)
        self.assertEqual(server.ask(f"/bags/{in_path('s3://bags/runs/no.bag')}/info").status, 400)
        self.assertEqual(server.ask(f"/bags/{in_path('s3://bags/runs')}/info").status, 400)


class Strangers(Remote):
    """What requests name."""

    def asked(self, server, uri, what="info"):
        return server.ask(f"/bags/{in_path(uri)}/{what}")

    def test_what_is_below_a_prefix(self):
        here = Server(self.local)
        self.addCleanup(here.end)
        server = self.serve(self.local, "--allow-uri", f"{self.web.url}/")
        bags = {name: in_path(f"{self.web.url}/{name}?token=topsecret") for name in NAMES}
        self.assert_as_local(server, bags, here, NAMES[1:2])

    def test_nothing_without_a_prefix(self):
        server = self.serve(self.local)
        for uri in f"{self.web.url}/drive.bag", "s3://bags/drive.bag", "file:///etc/passwd":
            self.assertEqual(self.asked(server, uri).status, 403, uri)
        self.assertEqual(self.web.requests, [])

    def test_what_is_not_below_a_prefix(self):
        port = urlsplit(self.web.url).port
        server = self.serve(self.local, "--allow-uri", f"http://127.0.0.1:{port}/bags",
                            "https://bags.example/")
        host = f"127.0.0.1:{port}"
        for uri in (f"http://{host}/drive.bag", f"http://{host}/bagsx/drive.bag",
                    f"http://{host}/bags/../drive.bag", f"http://{host}/bags/%2e%2e/drive.bag",
                    f"http://{host}/bags/..%2fdrive.bag", f"http://{host}/bags/..%5cdrive.bag",
                    f"http://{host}/bags\\..\\drive.bag", f"https://{host}/bags/drive.bag",
                    f"http://user@{host}/bags/drive.bag", f"http://bags.example@{host}/bags/x",
                    f"http://{host}@evil.example/bags/x", f"http://{host}.evil.example/bags/x",
                    f"http://{host}0/bags/x", f"http://127.0.0.1:{port + 1}/bags/x",
                    f"http://localhost:{port}/bags/drive.bag", f"http://[::1]:{port}/bags/x",
                    f"http://2130706433:{port}/bags/x", f"http://0x7f.1:{port}/bags/x",
                    f"http://[::ffff:127.0.0.1]:{port}/bags/x", f"ftp://{host}/bags/x",
                    "https://bags.example.evil.example/x", "https://bags.example:444/x",
                    "https://evil.example/#https://bags.example/x",
                    "http://169.254.169.254/latest/x",
                    "http://bags.example/x", "file:///etc/passwd", "demo://", "://", "http://"):
            for what in "info", "download", f"player?{SLICE}":
                self.assertEqual(self.asked(server, uri, what).status, 403, uri)
            self.assertIn(server.ask(f"/view/{in_path(uri)}.mcap").status, (403, 404), uri)
        self.assertEqual(self.web.requests, [])

    def test_names_and_numbers_that_lead_to_this_machine(self):
        port = urlsplit(self.web.url).port
        hosts = ("localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0",
                 socket.gethostname())
        prefixes = [f"http://{host}:{port}/" for host in hosts]
        server = self.serve(self.local, "--allow-uri", *prefixes)
        for prefix in prefixes:
            reply = self.asked(server, f"{prefix}drive.bag")
            self.assertEqual(reply.status, 500, prefix)
            self.assertIn("cannot be read", reply.json()["error"])
            if "localhost" in prefix or "2130706433" in prefix:
                self.assertIn("leads to this machine", reply.json()["error"])
        self.assertEqual(self.web.requests, [])

    def test_an_address_that_is_named(self):
        server = self.serve(self.local, "--allow-uri", f"{self.web.url}/")
        self.assertEqual(self.asked(server, f"{self.web.url}/drive.bag").status, 200)

    def test_redirects_to_this_machine(self):
        hidden = RangeServer(self.local, host="127.0.0.2")
        self.addCleanup(hidden.end)
        server = self.serve(self.local, "--allow-uri", f"{self.web.url}/")
        moved = self.web.url + "/moved?" + quote(f"{hidden.url}/drive.bag", safe="")
        reply = self.asked(server, moved)
        self.assertEqual(reply.status, 500)
        self.assertIn("leads to this machine", reply.json()["error"])
        self.assertEqual(hidden.requests, [])
        for target in "http://169.254.169.254/", "http://[::1]:1/", "http://10.0.0.1/":
            moved = self.web.url + "/moved?" + quote(target, safe="")
            self.assertIn("leads to this machine", self.asked(server, moved).json()["error"])
        # Those of the user may go anywhere.
        place = self.web.url + "/moved?" + quote(f"{hidden.url}/drive.bag", safe="")
        open_server = self.serve(place)
        self.assertEqual(open_server.ask("/bags/moved/info").status, 200)

    def test_a_connection_that_is_there_does_not_help(self):
        """A place of the user has led to this machine by the same name before."""
        port = urlsplit(self.web.url).port
        place = f"http://localhost:{port}/drive.bag"
        server = self.serve(place, "--allow-uri", f"http://localhost:{port}/")
        self.assertEqual(server.ask("/bags/drive.bag/info").status, 200)
        count = len(self.web.requests)
        reply = self.asked(server, f"http://localhost:{port}/drive.mcap")
        self.assertIn("leads to this machine", reply.json()["error"])
        self.assertEqual(len(self.web.requests), count)

    def test_no_proxy_and_no_password_for_strangers(self):
        (self.folder / ".netrc").write_text("default login user password topsecret\n")
        self.addCleanup((self.folder / ".netrc").unlink)
        proxy = RangeServer(self.local, host="127.0.0.3")
        self.addCleanup(proxy.end)
        server = self.serve(self.local, "--allow-uri", f"{self.web.url}/", http_proxy=proxy.url)
        self.assertEqual(self.asked(server, f"{self.web.url}/drive.bag").status, 200)
        self.assertEqual(proxy.requests, [])
        self.assertTrue(self.web.requests)

    def test_prefixes_that_are_none(self):
        for prefix in ("bags.example", "ftp://bags.example/", "https://user@bags.example/",
                       "https://bags.example/a/../b", "https://bags.example/?x=1", "https:///x"):
            done = peers.subprocess.run([program(), "serve", self.local, "--port", "0",
                                         "--allow-uri", prefix], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, prefix)
            self.assertIn("not a prefix", done.stderr)


if __name__ == "__main__":
    peers.main()
