"""WebSocket (RFC 6455) by Python's standard library, both sides, frame by frame: what it sends can
be as wrong as a test wants it."""

import base64
import hashlib
import json
import os
import socket
import struct

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
PROTOCOLS = ("foxglove.sdk.v1", "foxglove.websocket.v1")


def accept_key(key):
    digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
    return base64.b64encode(digest).decode()


class Closed(Exception):
    """The other side has ended the connection; `code` is that of its close frame, if any."""

    def __init__(self, code=None):
        super().__init__(f"closed, code {code}")
        self.code = code


class WebSocket:
    """A connection after its handshake."""

    def __init__(self, connection, masks):
        self.connection = connection
        self.masks = masks  # clients do
        self.rest = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def take(self, size):
        while len(self.rest) < size:
            more = self.connection.recv(65536)
            if not more:
                raise Closed()
            self.rest += more
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken

    def send_frame(self, opcode, payload, head=None, is_final=True):
        """`head` replaces what the frame says of itself."""
        if head is None:
            size = len(payload)
            mask = 0x80 if self.masks else 0
            head = bytes([opcode | (0x80 if is_final else 0)])
            if size < 126:
                head += bytes([mask | size])
            elif size < 65536:
                head += struct.pack("!BH", mask | 126, size)
            else:
                head += struct.pack("!BQ", mask | 127, size)
            if self.masks:  # by zeros, which leave the payload as it is
                head += bytes(4)
        self.connection.sendall(head + payload)

    def send(self, message):
        if isinstance(message, bytes):
            self.send_frame(BINARY, message)
        else:
            text = message if isinstance(message, str) else json.dumps(message)
            self.send_frame(TEXT, text.encode())

    def receive_frame(self):
        first, second = self.take(2)
        size = second & 0x7f
        if size == 126:
            size, = struct.unpack("!H", self.take(2))
        elif size == 127:
            size, = struct.unpack("!Q", self.take(8))
        mask = self.take(4) if second & 0x80 else None
        payload = self.take(size)
        if mask:
            key = (mask * (size // 4 + 1))[:size]
            payload = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(
                size, "big")
        return first & 0x0f, payload, bool(first & 0x80)

    def receive(self):
        """The next message: a dict of a text, or bytes. Answers pings."""
        message, kind = b"", None
        while True:
            opcode, payload, is_final = self.receive_frame()
            if opcode == PING:
                self.send_frame(PONG, payload)
            elif opcode == CLOSE:
                raise Closed(struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else None)
            elif opcode != PONG:
                kind = opcode or kind
                message += payload
                if is_final:
                    return json.loads(message) if kind == TEXT else message

    def receive_text(self, op):
        """The next text with that `op`, past everything else."""
        while True:
            message = self.receive()
            if isinstance(message, dict) and message["op"] == op:
                return message


def connect(host, target="/", protocols=PROTOCOLS, timeout=20, **headers):
    """A connection to a server; `host` is "127.0.0.1:8090". What refuses it is raised as a Refused
    with the status."""
    address, port = host.rsplit(":", 1)
    connection = socket.create_connection((address, int(port)), timeout=timeout)
    lines = [f"GET {target} HTTP/1.1", f"Host: {host}", "Connection: Upgrade", "Upgrade: websocket",
             "Sec-WebSocket-Version: 13",
             f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}"]
    if protocols:
        lines.append(f"Sec-WebSocket-Protocol: {', '.join(protocols)}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
    web_socket = WebSocket(connection, masks=True)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += web_socket.take(1)
    web_socket.head = head.decode()
    status = int(web_socket.head.split()[1])
    if status != 101:
        connection.close()
        raise Refused(status, web_socket.head)
    return web_socket


class Refused(Exception):
    def __init__(self, status, head):
        super().__init__(f"refused with {status}")
        self.status = status
        self.head = head


class Listener:
    """Waits for clients on a port of its own."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.socket.settimeout(30)
        self.port = self.socket.getsockname()[1]

    def close(self):
        self.socket.close()

    def accept_raw(self):
        """A client's connection, and the head of its request."""
        connection, _ = self.socket.accept()
        connection.settimeout(30)
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            more = connection.recv(1)
            if not more:
                raise Closed()
            head += more
        return connection, head.decode()

    def accept(self, protocol="foxglove.websocket.v1"):
        """A client after its handshake; `protocol` None: none is selected."""
        connection, head = self.accept_raw()
        fields = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        answer = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade",
                  f"Sec-WebSocket-Accept: {accept_key(fields['Sec-WebSocket-Key'])}"]
        if protocol:
            answer.append(f"Sec-WebSocket-Protocol: {protocol}")
        connection.sendall(("\r\n".join(answer) + "\r\n\r\n").encode())
        web_socket = WebSocket(connection, masks=False)
        web_socket.head = head
        return web_socket
