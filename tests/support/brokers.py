"""mosquitto and nats-server for the length of a test, on ports and in folders of their own, and
clients of ours that know nothing of kitbag: a few packets of MQTT 5, a few lines of NATS."""

import contextlib
import json
import os
import shutil
import socket
import struct
import subprocess
import time
import urllib.request
from pathlib import Path

PATIENCE_S = 60


def find_server(name):
    """Its path, or None; Debian has some where users need not look."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin")


def free_port():
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server:
        return server.getsockname()[1]


def until(seen, what):
    deadline = time.monotonic() + PATIENCE_S
    while not (found := seen()):
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} never came")
        time.sleep(0.02)
    return found


def certificates(folder):
    """An authority, and what it has signed for 127.0.0.1, for a client, and one of another
    authority: PEM files by name."""
    def openssl(*words):
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)
    files = {name: folder / f"{name}.pem"
             for name in ("ca", "ca_key", "other", "other_key", "server", "server_key", "client",
                          "client_key")}
    curve = "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"
    for name in ("ca", "other"):
        openssl("req", "-x509", *curve, "-keyout", files[f"{name}_key"], "-out", files[name],
                "-days", 2, "-subj", f"/CN={name}")
    more = folder / "more"
    more.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in ("server", "client"):
        request = folder / f"{name}.csr"
        openssl("req", "-new", *curve, "-keyout", files[f"{name}_key"], "-out", request, "-subj",
                f"/CN={'localhost' if name == 'server' else name}")
        openssl("x509", "-req", "-in", request, "-CA", files["ca"], "-CAkey", files["ca_key"],
                "-CAcreateserial", "-days", 2, "-extfile", more, "-out", files[name])
    return files


class Server:
    """A server that can be killed and started again on the same port and folder."""

    program = ""
    scheme = ""  # of locations

    def __init__(self, folder):
        self.folder = folder
        self.log = folder / "log"
        self.port = free_port()
        self.process = None
        self.start()

    @property
    def uri(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def command(self):
        raise NotImplementedError

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([str(word) for word in self.command()], stdout=log,
                                            stderr=log)
        until(self._accepts, f"the server ({self.log})")

    def _accepts(self):
        if self.process.poll() is not None:
            raise AssertionError(Path(self.log).read_text())
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        return False

    def kill(self):
        """As if its machine had lost power."""
        self.process.kill()
        self.process.wait()

    def terminate(self):
        self.process.terminate()
        self.process.wait(PATIENCE_S)

    def end(self):
        if self.process.poll() is None:
            self.kill()


class Mosquitto(Server):
    """`lines` are more of its configuration, for the listener too."""

    program = "mosquitto"
    scheme = "mqtt"

    def __init__(self, folder, *lines, anonymous=True):
        self.lines = lines
        self.anonymous = anonymous
        super().__init__(folder)

    def command(self):
        configuration = self.folder / "mosquitto.conf"
        text = [f"listener {self.port} 127.0.0.1",
                f"allow_anonymous {'true' if self.anonymous else 'false'}",
                f"persistence_location {self.folder}/",
                "max_queued_messages 1000000", "log_type error", "log_type subscribe", *self.lines]
        if os.geteuid() == 0:
            text.append("user root")  # else it cannot write into the folder
        configuration.write_text("\n".join(text) + "\n")
        return find_server(self.program), "-c", configuration

    def mark(self):
        """What heard() counts from."""
        return len(self.log.read_text())

    def heard(self, mark):
        """Whether somebody has subscribed to messages since then; the log has a line for each."""
        return "#\n" in self.log.read_text()[mark:]


class NatsServer(Server):
    """`arguments` are more of its command line."""

    program = "nats-server"
    scheme = "nats"

    def __init__(self, folder, *arguments, jetstream=True):
        self.arguments = (*arguments, *(("-js", "-sd", folder / "store") if jetstream else ()))
        self.monitor = free_port()
        super().__init__(folder)

    def command(self):
        return (find_server(self.program), "-a", "127.0.0.1", "-p", self.port, "-m", self.monitor,
                *self.arguments)

    def _clients(self):
        url = f"http://127.0.0.1:{self.monitor}/connz?subs=1"
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
            return json.load(answer)["connections"]

    def mark(self):
        """What heard() counts from."""
        return max((client["cid"] for client in self._clients()), default=0)

    def heard(self, mark):
        """Whether a client of kitbag that is newer has a subscription."""
        return any(client["cid"] > mark and client.get("subscriptions")
                   for client in self._clients() if client.get("name") == "kitbag")


class MqttClient:
    """Sends what it is told to, with quality 0 or 1."""

    def __init__(self, port, name="stranger"):
        self.connection = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        self._packet(0x10, self._text("MQTT") + b"\x05\x02\x00\x3c\x00" + self._text(name))
        kind, body = self._receive()
        assert kind == 0x20 and body[1] == 0, (kind, body)
        self.number = 0

    @staticmethod
    def _text(text):
        data = text if isinstance(text, bytes) else text.encode()
        return struct.pack("!H", len(data)) + data

    @staticmethod
    def _length(number):
        data = b""
        while True:
            number, digit = divmod(number, 128)
            data += bytes([digit | (128 if number else 0)])
            if not number:
                return data

    def _packet(self, kind, body):
        self.connection.sendall(bytes([kind]) + self._length(len(body)) + body)

    def _read(self, size):
        data = b""
        while len(data) < size:
            data += (piece := self.connection.recv(size - len(data)))
            if not piece:
                raise AssertionError("the broker has closed the connection")
        return data

    def _receive(self):
        kind = self._read(1)[0]
        size, shift = 0, 0
        while True:
            digit = self._read(1)[0]
            size |= (digit & 127) << shift
            shift += 7
            if digit < 128:
                return kind, self._read(size)

    def publish(self, topic, payload, fields=(), quality=0, retain=False):
        properties = b"".join(b"\x26" + self._text(name) + self._text(value)
                              for name, value in fields)
        body = self._text(topic)
        if quality:
            self.number += 1
            body += struct.pack("!H", self.number)
        body += self._length(len(properties)) + properties + payload
        self._packet(0x30 | quality << 1 | retain, body)
        while quality:
            kind, answer = self._receive()
            if kind == 0x40:
                assert answer[:2] == struct.pack("!H", self.number)
                assert len(answer) < 3 or answer[2] < 0x80, answer
                return

    def flush(self):
        """The broker has all that was sent."""
        self._packet(0xC0, b"")
        while self._receive()[0] != 0xD0:
            pass

    def close(self):
        self._packet(0xE0, b"")
        self.connection.close()


class NatsClient:
    """Sends what it is told to."""

    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port), PATIENCE_S)
        self.lines = self.connection.makefile("rb")
        assert self.lines.readline().startswith(b"INFO")
        self.send(b'CONNECT {"verbose":false,"headers":true}\r\n')
        self.flush()

    def send(self, data):
        self.connection.sendall(data)

    def publish(self, subject, payload, headers=None):
        if headers is None:
            self.send(b"PUB %s %d\r\n%s\r\n" % (subject.encode(), len(payload), payload))
            return
        head = b"NATS/1.0\r\n" + b"".join(name.encode() + b": " + value + b"\r\n"
                                          for name, value in headers) + b"\r\n"
        self.send(b"HPUB %s %d %d\r\n%s%s\r\n" % (subject.encode(), len(head),
                                                  len(head) + len(payload), head, payload))

    def flush(self):
        self.send(b"PING\r\n")
        while True:
            line = self.lines.readline()
            if line.startswith(b"PONG"):
                return
            if not line or line.startswith(b"-ERR"):
                raise AssertionError(line)

    def ask(self, subject, request):
        self.send(b"SUB answers 1\r\nPUB %s answers %d\r\n%s\r\n"
                  % (subject.encode(), len(request), request))
        while not (line := self.lines.readline()).startswith(b"MSG answers"):
            if not line or line.startswith((b"-ERR", b"HMSG")):
                raise AssertionError(line)
        answer = json.loads(self.lines.read(int(line.split()[-1]) + 2))
        self.send(b"UNSUB 1\r\n")
        return answer

    def add_stream(self, name, *subjects, **more):
        def made():
            try:
                return self.ask(f"$JS.API.STREAM.CREATE.{name}",
                                json.dumps({"name": name, "subjects": subjects, "storage": "file",
                                            **more}).encode())
            except AssertionError:  # it is not ready
                return None
        answer = until(made, "the stream")
        assert "error" not in answer, answer

    def stream(self, name):
        return self.ask(f"$JS.API.STREAM.INFO.{name}", b"")["state"]

    def close(self):
        self.lines.close()
        self.connection.close()
