#!/usr/bin/env python3
"""Who may read: hosts, tokens, origins, TLS."""

import base64
import contextlib
import http.client
import json
import ssl
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import DEMO, MONTH, OwnFolder  # noqa: E402
from peers import kitbag, program, run  # noqa: E402
from server import Server  # noqa: E402


class Gate(OwnFolder):
    def setUp(self):
        super().setUp()
        kitbag("convert", DEMO, self.folder / "a.mcap")

    def test_only_its_own_names_are_answered(self):
        with Server(self.folder) as server:
            port = server.host.split(":")[1]
            self.assertEqual(server.ask("/bags/", Host="evil.example").status, 403)
            self.assertEqual(server.ask("/bags/", Host=f"evil.example:{port}").status, 403)
            self.assertEqual(server.ask("/bags/", Host=f"localhost:{port}").status, 200)
            self.assertEqual(server.ask("/bags/", Host=f"127.0.0.2:{port}").status, 403)
        with Server(self.folder, "--bind", "127.0.0.2", "--token", "t") as server:
            port = server.host.split(":")[1]
            for host, status in (("127.0.0.2", 200), ("localhost", 200), ("127.0.0.3", 403)):
                reply = server.ask("/bags/", Host=f"{host}:{port}", Authorization="Bearer t")
                self.assertEqual(reply.status, status, host)
        with Server(self.folder, "--public-url", "https://robot.example") as server:
            self.assertEqual(server.ask("/bags/", Host="robot.example").status, 200)

    def test_a_server_of_all_addresses_has_the_names_of_this_machine(self):
        own = [word for word in run("hostname", "-I").split() if "." in word]
        with Server(self.folder, "--bind", "0.0.0.0", "--token", "t") as server:
            port = server.host.split(":")[1]
            for host in ("127.0.0.1", "localhost", *own):
                reply = server.ask("/bags/", Host=f"{host}:{port}", Authorization="Bearer t")
                self.assertEqual(reply.status, 200, host)
            for host in ("192.0.2.1", "robot.example", "0.0.0.0"):
                reply = server.ask("/bags/", Host=f"{host}:{port}", Authorization="Bearer t")
                self.assertEqual(reply.status, 403, host)

    def test_secrets_are_not_logged(self):
        with Server(self.folder, "--token", "secret") as server:
            bags = server.ask("/bags/", Authorization="Bearer secret").json()
            link = urlsplit(bags[0]["view_url"])
            signature = parse_qs(link.query)
            self.assertTrue(signature)
            self.assertEqual(server.ask(f"{link.path}?{link.query}").status, 200)
            self.assertEqual(server.ask(f"{link.path}?{link.query}0").status, 401)
            self.assertEqual(server.ask("/bags/?token=secret").status, 200)
            server.process.terminate()
            said = "".join(server.process.communicate())
        for value in ("secret", *(each for values in signature.values() for each in values)):
            self.assertNotIn(value, said)

    def test_the_whole_network_without_a_token_is_warned_of(self):
        for options, is_warned in (([], False), (["--bind", "0.0.0.0"], True),
                                   (["--bind", "0.0.0.0", "--token", "t"], False)):
            with Server(self.folder, *options) as server:
                server.process.terminate()
                told = server.process.communicate()[1]
            self.assertEqual("everybody who reaches this machine" in told, is_warned, options)

    def test_a_token(self):
        (self.folder / "password").write_text("secret\n")
        basic = "Basic " + base64.b64encode(b"any:secret").decode()
        for options in ("--token", "secret"), ("--password-file", self.folder / "password"):
            with Server(self.folder, *options) as server:
                refused = server.ask("/bags/")
                self.assertEqual(refused.status, 401)
                self.assertIn("Basic", refused.headers["WWW-Authenticate"])
                self.assertEqual(server.ask("/bags/", Authorization="Bearer other").status, 401)
                for headers in {"Authorization": "Bearer secret"}, {"Authorization": basic}:
                    reply = server.ask("/bags/a.mcap/download", **headers)
                    self.assertEqual(reply.status, 200)
                    self.assertEqual(reply.headers["Cache-Control"], f"private, max-age={MONTH}")
                self.assertEqual(server.ask("/bags/?token=secret").status, 200)

    def test_the_scheme_is_in_any_case(self):
        basic = base64.b64encode(b"any:secret").decode()
        with Server(self.folder, "--token", "secret") as server:
            for value in "bearer secret", "BEARER  secret", f"basic {basic}":
                self.assertEqual(server.ask("/bags/", Authorization=value).status, 200, value)
            for value in "secret", "bearer", "bearersecret", "digest secret":
                self.assertEqual(server.ask("/bags/", Authorization=value).status, 401, value)

    def test_a_taken_port_is_answered_with_what_to_do(self):
        with Server(self.folder) as server:
            port = server.host.split(":")[1]
            done = subprocess.run([program(), "serve", self.folder, "--port", port],
                                  capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rf"{port}: cannot listen: .*; use another --port; 0 takes a "
                                      r"free one\n\Z")

    def test_an_empty_token_is_refused(self):
        done = subprocess.run([program(), "serve", self.folder, "--port", "0", "--token", ""],
                              capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--token: is empty", done.stderr)

    def test_other_origins_read_only_when_they_may(self):
        with Server(self.folder, "--allow-origin", "https://viewer.example") as server:
            allowed = server.ask("/bags/", Origin="https://viewer.example")
            self.assertEqual(allowed.headers["Access-Control-Allow-Origin"],
                             "https://viewer.example")
            exposed = allowed.headers["Access-Control-Expose-Headers"].split(", ")
            self.assertLessEqual({"Accept-Ranges", "Kitbag-Damage", "Retry-After"}, set(exposed))
            other = server.ask("/bags/", Origin="https://evil.example")
            self.assertIsNone(other.headers["Access-Control-Allow-Origin"])
            preflight = server.ask("/bags/", method="OPTIONS", Origin="https://viewer.example",
                                   Access_Control_Request_Method="GET")
            self.assertEqual(preflight.status, 204)
            self.assertIn("Range", preflight.headers["Access-Control-Allow-Headers"])
        with Server(self.folder) as server:
            reply = server.ask("/bags/", Origin="https://viewer.example")
            self.assertIsNone(reply.headers["Access-Control-Allow-Origin"])

    def test_a_url_with_the_token_gives_a_cookie(self):
        with Server(self.folder, "--token", "secret") as server:
            cookie = server.ask("/bags/?token=secret").headers["Set-Cookie"]
            self.assertIn("HttpOnly; SameSite=Strict", cookie)
            self.assertNotIn("secret", cookie)
            pair = cookie.split(";")[0]
            self.assertEqual(server.ask("/bags/", Cookie=pair).status, 200)
            self.assertEqual(server.ask("/bags/", Cookie=pair + "0").status, 401)
            self.assertIsNone(server.ask("/bags/", Cookie=pair).headers["Set-Cookie"])
            self.assertIsNone(server.ask("/bags/?token=x").headers["Set-Cookie"])

    def test_a_post_needs_a_token_json_and_an_allowed_origin(self):
        json_type = {"Content_Type": "application/json"}
        with Server(self.folder) as server:
            reply = server.ask("/bags/", method="POST", **json_type)
            self.assertEqual(reply.status, 403)
            self.assertIn("--token", reply.json()["error"])
        with Server(self.folder, "--token", "t", "--allow-origin", "https://ui.example") as server:
            def post(**headers):
                headers = {"Authorization": "Bearer t", **json_type, **headers}
                return server.ask("/bags/", method="POST", **headers).status
            self.assertEqual(post(Authorization="Bearer x"), 401)
            self.assertEqual(post(Content_Type="text/plain"), 415)
            self.assertEqual(post(Origin="https://evil.example"), 403)
            # What is left is that the list takes no POST.
            self.assertEqual(post(), 405)
            for origin in "https://ui.example", f"http://{server.host}":
                self.assertEqual(post(Origin=origin), 405)


class Tls(OwnFolder):
    def test_a_list_and_a_download(self):
        kitbag("convert", DEMO, self.folder / "a.mcap")
        certificate, key = self.folder / "certificate.pem", self.folder / "key.pem"
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out",
            certificate)
        with Server(self.folder, "--tls-cert", certificate, "--tls-key", key) as server:
            port = int(server.host.split(":")[1])
            trust = ssl.create_default_context(cafile=str(certificate))
            with contextlib.closing(http.client.HTTPSConnection(
                    "localhost", port, timeout=60, context=trust)) as connection:
                connection.request("GET", "/bags/")
                listed = json.loads(connection.getresponse().read())
                self.assertEqual(listed[0]["download_url"],
                                 f"https://localhost:{port}/bags/a.mcap/download")
                connection.request("GET", "/bags/a.mcap/download")
                self.assertEqual(connection.getresponse().read(),
                                 (self.folder / "a.mcap").read_bytes())


if __name__ == "__main__":
    peers.main()
