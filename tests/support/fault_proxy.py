"""A proxy in front of an object store, which has bad days by rules: it answers instead of the store,
loses answers, cuts connections, is slow, or lies."""

import asyncio
import re
import threading
from dataclasses import dataclass, field

PIECE = 64 << 10

ERRORS = {
    500: ("500 Internal Server Error", "InternalError", "Try again."),
    503: ("503 Slow Down", "SlowDown", "Please reduce your request rate."),
    "expired": ("403 Forbidden", "RequestTimeTooSkewed",
                "The difference between the request time and the current time is too large."),
    "denied": ("403 Forbidden", "AccessDenied", "Access Denied"),
    "damaged": ("400 Bad Request", "BadDigest", "The Content-MD5 does not match."),
    "error in success": ("200 OK", "InternalError", "We encountered an internal error."),
    "unknown condition": ("501 Not Implemented", "NotImplemented", "A header is not implemented."),
}


@dataclass
class Rule:
    """What happens to the next `times` requests, after `after` others, whose method and target match
    `pattern`, such as "PUT .*partNumber=2". `kind` is one of ERRORS, or

    "cut request"  the connection ends when half of what is sent has come
    "lost answer"  the store gets the request, and nobody its answer
    "cut answer"   the connection ends in the middle of the answer
    "trickle"      both go on slowly
    "wrong ETag"   of the answer, in its head and in its body
    "silence"      nothing comes, and the word is among the requests
    "same answer"  as to the first request that matched
    """

    pattern: str
    kind: object
    times: int = 1
    after: int = 0
    seen: int = field(default=0, init=False)
    kept: bytes = field(default=b"", init=False)

    def strikes(self, what):
        if not re.search(self.pattern, what):
            return False
        self.seen += 1
        return self.after < self.seen <= self.after + self.times


class FaultProxy:
    """`url` is where it answers for the store at `port`; `requests` are the methods and targets
    that it has seen."""

    def __init__(self, port):
        self.store_port = port
        self.rules = []
        self.requests = []
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(started,), daemon=True)
        self.thread.start()
        started.wait()
        self.url = f"http://127.0.0.1:{self.port}"

    def run(self, started):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        self.loop.run_forever()

    def end(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

    def use(self, *rules):
        self.rules = list(rules)
        self.requests = []

    def rule_for(self, what):
        return next((rule for rule in self.rules if rule.strikes(what)), None)

    async def serve(self, reader, writer):
        try:
            await self.answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # a client that has gone
        finally:
            writer.close()

    async def answer(self, reader, writer):
        """One request for each connection, which is allowed to servers."""
        head = await reader.readuntil(b"\r\n\r\n")
        method, target, _ = head.split(b"\r\n", 1)[0].decode().split(" ", 2)
        what = f"{method} {target}"
        self.requests.append(what)
        rule = self.rule_for(what)
        kind = rule.kind if rule else None
        length = int(value_of(head, "content-length") or 0)
        if kind == "cut request":
            await read(reader, length // 2, False)
            return
        body = await read(reader, length, kind == "trickle")
        if kind == "silence":
            self.requests.append(kind)
            await reader.read()  # until the client goes
            return
        if kind in ERRORS:
            writer.write(error_answer(kind, value_of(head, "authorization") or ""))
            await writer.drain()
            return
        if kind == "same answer" and rule.kept:
            writer.write(rule.kept)
            await writer.drain()
            return
        answer = await self.ask_store(head, body, method == "HEAD")
        if kind == "lost answer":
            return
        if kind == "same answer":
            rule.kept = answer
        if kind == "wrong ETag":
            answer = with_wrong_etag(answer)
        if kind == "cut answer":
            begin = answer.index(b"\r\n\r\n") + 4
            answer = answer[:begin + (len(answer) - begin) // 2]
        step = PIECE if kind == "trickle" else len(answer)
        for at in range(0, len(answer), step):
            writer.write(answer[at:at + step])
            await writer.drain()
            if kind == "trickle":
                await asyncio.sleep(0.005)

    async def ask_store(self, head, body, is_head):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.store_port)
        try:
            writer.write(with_header(head, b"Connection: close") + body)
            await writer.drain()
            begin = await reader.readuntil(b"\r\n\r\n")
            length = value_of(begin, "content-length")
            if is_head or begin.split(b" ", 2)[1] in (b"204", b"304"):
                content = b""
            elif length is None:
                content = await reader.read()  # to the end, whatever its coding
            else:
                content = await reader.readexactly(int(length))
            return with_header(begin, b"Connection: close") + content
        finally:
            writer.close()


def value_of(head, name):
    found = re.search(rb"(?im)^" + name.encode() + rb": *([^\r\n]*)", head)
    return found and found[1].decode()


def with_header(head, line):
    head = re.sub(rb"(?im)^connection:[^\n]*\n", b"", head)
    return head[:-2] + line + b"\r\n\r\n"


def with_wrong_etag(answer):
    answer = re.sub(rb'(?im)^(etag: *"?)[0-9a-f]{6}', rb"\1abcdef", answer)
    return re.sub(rb"(<ETag>(?:&quot;|\")?)[0-9a-f]{6}", rb"\1abcdef", answer)


def error_answer(kind, authorization):
    """It tells what it was sent, as a store may do."""
    status, code, message = ERRORS[kind]
    body = (f'<?xml version="1.0" encoding="UTF-8"?><Error><Code>{code}</Code>'
            f"<Message>{message} {authorization}</Message></Error>")
    return (f"HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {len(body)}\r\n"
            f"Connection: close\r\n\r\n{body}").encode()


async def read(reader, length, is_slow):
    body = b""
    while len(body) < length:
        piece = await reader.read(min(PIECE, length - len(body)))
        if not piece:
            raise asyncio.IncompleteReadError(body, length)
        body += piece
        if is_slow:
            await asyncio.sleep(0.005)
    return body
