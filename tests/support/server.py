"""`kitbag serve` for the length of a test, and requests to it by Python's own HTTP library."""

import contextlib
import http.client
import json
import os
import subprocess
import tempfile
from urllib.parse import urlsplit

from peers import program


class Reply:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


class Server:
    """Runs until it is left; `url` is that of the list of bags. It has a cache of its own, unless
    the arguments name one."""

    def __init__(self, *arguments, env=None, port=0):
        self._cache = tempfile.TemporaryDirectory()
        if "--cache-dir" not in arguments:
            arguments += "--cache-dir", self._cache.name
        self.process = subprocess.Popen(
            [program(), "serve", *map(str, arguments), "--port", str(port)], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise AssertionError(f"no server: {self.process.communicate()[1]}")
        self.host = urlsplit(self.url).netloc

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self.process.terminate()
        self.process.wait(10)
        for pipe in (self.process.stdout, self.process.stderr):
            pipe.close()
        self._cache.cleanup()

    def connect(self):
        return contextlib.closing(http.client.HTTPConnection(self.host, timeout=60))

    def ask(self, target, method="GET", **headers):
        """The reply; an argument if_range="x" is a header If-Range."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with self.connect() as connection:
            connection.request(method, target, headers=named)
            return Reply(connection.getresponse())

    def list(self):
        return self.ask("/bags/").json()
