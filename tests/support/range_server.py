"""A web server for files in a folder, which can do what servers do on bad days."""

import hashlib
import re
import threading
import time
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote


class Fault:
    """What happens to the next requests for content, `times` of them, after `after` good ones."""

    def __init__(self, kind, times=1, after=0):
        self.kind = kind
        self.times = times
        self.after = after

    def strikes(self):
        if self.after > 0:
            self.after -= 1
            return False
        self.times -= 1
        return self.times >= 0


class RangeServer:
    """Serves `folder` at `url`, and redirects /moved?URL there. `requests` has (path, range or
    None) of each request that it got, `sent` the bytes of content that it has sent."""

    def __init__(self, folder, has_ranges=True, host="127.0.0.1"):
        self.folder = folder
        self.has_ranges = has_ranges
        self.requests = []
        self.sent = 0
        self.fault = None
        self.lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                server.answer(self)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer((host, 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://{host}:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def end(self):
        self.http.shutdown()
        self.http.server_close()

    def reset(self):
        with self.lock:
            self.requests, self.sent, self.fault = [], 0, None

    def answer(self, handler):
        path, _, query = handler.path.partition("?")
        wanted = handler.headers.get("Range")
        with self.lock:
            self.requests.append((handler.path, wanted))
            kind = self.fault.kind if self.fault and self.fault.strikes() else None
        if path.startswith("/redirect/"):  # /redirect/3/name: after three more of them
            count, name = path.removeprefix("/redirect/").split("/", 1)
            target = f"/redirect/{int(count) - 1}/{name}" if int(count) > 1 else f"/{name}"
            return self.reply(handler, 302, b"", {"Location": target})
        if path == "/moved":
            return self.reply(handler, 302, b"", {"Location": unquote(query)})
        if path == "/away":
            return self.reply(handler, 302, b"", {"Location": "ftp://127.0.0.1/x.bag"})
        if path == "/forbidden.bag":
            return self.reply(handler, 403, b"<Error>no</Error>")
        file = self.folder / path.lstrip("/")
        if not file.is_file():
            return self.reply(handler, 404, b"nothing here")
        content = file.read_bytes()
        version = '"' + hashlib.md5(content).hexdigest() + '"'
        if kind == "other version":
            version = '"another"'
        if isinstance(kind, int):
            return self.reply(handler, kind, b"on a bad day", {"Retry-After": "0"})
        must_match = handler.headers.get("If-Match")
        if must_match and must_match != version:
            return self.reply(handler, 412, b"")
        self.send_content(handler, file, content, version, wanted, kind)

    def send_content(self, handler, file, content, version, wanted, kind):
        headers = {"ETag": version, "Last-Modified": formatdate(file.stat().st_mtime, usegmt=True)}
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", wanted or "")
        status = 200
        if match and self.has_ranges and kind != "whole file":
            first, last = int(match[1]), min(int(match[2]), len(content) - 1)
            if first >= len(content):
                return self.reply(handler, 416, b"",
                                  headers | {"Content-Range": f"bytes */{len(content)}"})
            if kind == "another range":
                first += 1
            headers["Content-Range"] = f"bytes {first}-{last}/{len(content)}"
            content = content[first:last + 1]
            status = 206
        if kind == "cut off":
            return self.reply(handler, status, content[:len(content) // 2], headers, len(content))
        if kind == "trickle":
            return self.reply(handler, status, content, headers, pause=0.001)
        return self.reply(handler, status, content, headers)

    def reply(self, handler, status, body, headers=None, length=None, pause=0):
        handler.send_response(status)
        for name, value in (headers or {}).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        handler.end_headers()
        try:
            if pause:
                for at in range(0, len(body), 4096):
                    handler.wfile.write(body[at:at + 4096])
                    time.sleep(pause)
            else:
                handler.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            handler.close_connection = True
            return
        with self.lock:
            self.sent += len(body)
        if length is not None:
            handler.close_connection = True
