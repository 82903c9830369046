"""A network between a client and a server that can be cut: a TCP forwarder."""

import contextlib
import socket
import threading


class Network:
    """Forwards what is sent to `url` to the port of this machine. While it is cut, connections that
    exist end, and new ones are refused."""

    def __init__(self, port):
        self.target = port
        self.lock = threading.Lock()
        self.sockets = set()
        self.listener = self.listen(0)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.accept()

    def listen(self, port):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(16)
        return listener

    def accept(self):
        threading.Thread(target=self.accept_all, args=(self.listener,), daemon=True).start()

    def accept_all(self, listener):
        while True:
            try:
                client = listener.accept()[0]
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                if self.listener is not listener:
                    return
                with contextlib.suppress(UnboundLocalError, OSError):
                    client.close()
                continue
            with self.lock:
                self.sockets |= {client, server}
            for pair in (client, server), (server, client):
                threading.Thread(target=self.forward, args=pair, daemon=True).start()

    def forward(self, source, sink):
        with contextlib.suppress(OSError):
            while piece := source.recv(1 << 16):
                sink.sendall(piece)
        with contextlib.suppress(OSError):
            sink.shutdown(socket.SHUT_WR)

    def cut(self):
        listener, self.listener = self.listener, None
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        with self.lock:
            for each in self.sockets:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
                each.close()
            self.sockets.clear()

    def restore(self):
        self.listener = self.listen(self.port)
        self.accept()

    def end(self):
        if self.listener:
            self.cut()
