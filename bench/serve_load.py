#!/usr/bin/env python3
"""The server under load, as a side of `./dev bench`: `kitbag serve`, or nginx with the same file.
Clients run on the same machine. Processor time and memory are the server's.

usage: serve_load.py BUILD kitbag|nginx KIND FILE PHASE"""

import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

from nginx import find_nginx  # noqa: E402

DAY_S = 1767225600  # demo:// begins here
BAG_S = 5400  # 1 GB with zstd
BAGS = 1000
PLAYERS = 200
TICKS = os.sysconf("SC_CLK_TCK")
SLICES = """
math.randomseed(7)
request = function()
  local start = {start} + math.random(0, {length})
  return wrk.format("GET", "/bags/{name}/player?start_time=" .. start .. "&end_time=" .. start + 1)
end
"""


def until(seen, what):
    deadline = time.monotonic() + 60
    while not (found := seen()):
        if time.monotonic() > deadline:
            raise SystemExit(f"{what} never came")
        time.sleep(0.02)
    return found


class Process:
    """A server, its processor time and its memory."""

    def __init__(self, process, port):
        self.process, self.port = process, port

    def pids(self):
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [self.process.pid, *map(int, children.split())]

    def cpu_s(self):
        fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                  for pid in self.pids()]
        return sum(int(each[11]) + int(each[12]) for each in fields) / TICKS

    def memory(self, what):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+) kB", text)[1]) * 1024

    def url(self, target):
        return f"http://127.0.0.1:{self.port}{target}"

    def connect(self):
        return contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120))

    def list(self):
        with self.connect() as connection:
            connection.request("GET", "/bags/")
            return json.loads(connection.getresponse().read())


@contextlib.contextmanager
def kitbag(build, folder):
    process = subprocess.Popen([build / "kitbag", "serve", folder, "--port", "0"],
                               stdout=subprocess.PIPE, text=True)
    try:
        port = int(re.search(r":(\d+)/", process.stdout.readline())[1])
        yield Process(process, port)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


@contextlib.contextmanager
def nginx(_, folder):
    with tempfile.TemporaryDirectory() as own, contextlib.closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        config = Path(own) / "nginx.conf"
        user = "user root;" if os.geteuid() == 0 else ""
        temporary = " ".join(f"{part}_temp_path {own}/{part};" for part in
                             ("client_body", "proxy", "fastcgi", "scgi", "uwsgi"))
        config.write_text(f"""daemon off; {user} worker_processes 2; pid {own}/pid;
            error_log {own}/log; events {{}}
            http {{ access_log off; sendfile on; {temporary}
                    server {{ listen 127.0.0.1:{port}; root {folder}; }} }}""")
        process = subprocess.Popen([find_nginx(), "-p", own, "-c", config])
        try:
            until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0, "nginx")
            yield Process(process, port)
        finally:
            process.terminate()
            process.wait(20)


def wrk(url, seconds, connections, *options):
    """What wrk tells: requests, bytes and errors."""
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s",
                          *options, url], check=True, capture_output=True, text=True).stdout
    requests, took, size, unit = re.search(
        r"(\d+) requests in ([\d.]+)s, ([\d.]+)(B|KB|MB|GB|TB) read", out).groups()
    errors = re.findall(r"(?:connect|read|write|timeout) (\d+)", out)
    errors += re.findall(r"Non-2xx or 3xx responses: (\d+)", out)
    if any(map(int, errors)):
        raise SystemExit(f"wrk had errors:\n{out}")
    factor = 1024 ** ("B", "KB", "MB", "GB", "TB").index(unit)
    return {"requests": int(requests), "wall_s": float(took), "bytes": float(size) * factor}


def loaded(server, work):
    """Returns the report of `work` with the processor time and memory of the server."""
    before = server.cpu_s()
    report = work()
    report.update(cpu_s=server.cpu_s() - before, peak_bytes=server.memory("VmHWM"), messages=0)
    return report


def slice_target(bag, start, length):
    return f"/bags/{bag.name}/player?start_time={start}&end_time={start + length}"


def first_message(server, bag):
    """From the request to the end of the first message of the range."""
    server.list()
    with contextlib.closing(socket.create_connection(("127.0.0.1", server.port))) as client:
        begin = time.monotonic()
        client.sendall(f"GET {slice_target(bag, DAY_S + BAG_S // 2, 10)} HTTP/1.1\r\n"
                       f"Host: 127.0.0.1:{server.port}\r\nConnection: close\r\n\r\n".encode())
        text = b""
        while b'"__latched":false}' not in text:
            piece = client.recv(1 << 20)
            if not piece:
                raise SystemExit("the range has no message")
            text += piece
        return {"wall_s": time.monotonic() - begin, "bytes": len(text)}


def slice_as_json(server, bag):
    server.list()
    with server.connect() as connection:
        begin = time.monotonic()
        connection.request("GET", slice_target(bag, DAY_S + BAG_S // 2, 10))
        size = len(connection.getresponse().read())
        return {"wall_s": time.monotonic() - begin, "bytes": size}


def list_of_bags(server, _):
    server.list()
    return wrk(server.url("/bags/"), 5, 16)


def new_bag(server, folder):
    server.list()
    source = next(folder.iterdir())
    target = folder / "new.bag"
    shutil.copy(source, folder / ".new")
    begin = time.monotonic()
    os.rename(folder / ".new", target)
    until(lambda: any(bag["filename"] == target.name for bag in server.list()), "the new bag")
    took = time.monotonic() - begin
    target.unlink()
    return {"wall_s": took, "bytes": 0}


def players(server, bag):
    server.list()
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SLICES.format(start=DAY_S, length=BAG_S - 2, name=bag.name))
        script.flush()
        return wrk(server.url("/"), 30, PLAYERS, "-s", script.name)


def waiting_players(server, bag):
    """Players that request a slice and read only its beginning."""
    server.list()
    clients = []
    begin = time.monotonic()
    for i in range(PLAYERS):
        client = socket.create_connection(("127.0.0.1", server.port))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 10)
        client.sendall(f"GET {slice_target(bag, DAY_S + i * 20, 100)} HTTP/1.1\r\n"
                       f"Host: 127.0.0.1:{server.port}\r\n\r\n".encode())
        clients.append(client)
    for client in clients:
        client.recv(1000)
    time.sleep(5)
    held = server.memory("VmRSS")
    for client in clients:
        client.close()
    return {"wall_s": time.monotonic() - begin, "bytes": 0, "held_bytes": held}


def download(server, bag):
    target = f"/bags/{bag.name}/download" if server.process.args[1] == "serve" else f"/{bag.name}"
    return wrk(server.url(target), 5, 4)


PHASES = {"first": first_message, "json": slice_as_json, "list": list_of_bags, "new": new_bag,
          "players": players, "waiting": waiting_players, "download": download}


def prepare(build, kind, folder):
    if folder.exists():
        return
    folder.mkdir()
    if kind == "many":
        first = folder / "0000.bag"
        subprocess.run([build / "kitbag", "convert", "demo://?seconds=1&seed=1", first, "--topics",
                        "/battery"], check=True, capture_output=True)
        for i in range(1, BAGS):
            shutil.copy(first, folder / f"{i:04}.bag")
    else:
        subprocess.run([build / "kitbag", "convert", f"demo://?seconds={BAG_S}&seed=1",
                        folder / "large.mcap", "--compression", "zstd"], check=True,
                       capture_output=True)


def main():
    build, who, kind, path, phase = sys.argv[1:]
    build, folder = Path(build), Path(path).with_name(f"serve_{kind}")
    if phase == "prepare":
        prepare(build, kind, folder)
        return
    what = folder if kind == "many" else folder / "large.mcap"
    with (kitbag if who == "kitbag" else nginx)(build, folder) as server:
        print(json.dumps(loaded(server, lambda: PHASES[phase](server, what))))


if __name__ == "__main__":
    main()
