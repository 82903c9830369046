"""nginx for the length of a test: on sockets in a folder, so that it needs no port and no root."""

import contextlib
import http.client
import os
import shutil
import socket
import subprocess
import time

CONFIG = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
{user}
events {{ worker_connections 64; }}
http {{
  access_log off;
  {temporary}
  types {{ application/octet-stream bag; }}
  default_type application/octet-stream;
  {servers}
}}
"""


def find_nginx():
    """Its path, or None; Debian has it where users need not look."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


class Nginx:
    """`servers` are server blocks; {folder} in them is the folder of the sockets."""

    def __init__(self, folder, servers):
        self.folder = folder
        parts = ("client_body", "proxy", "fastcgi", "scgi", "uwsgi")
        temporary = " ".join(f"{part}_temp_path {folder}/{part};" for part in parts)
        user = "user root;" if os.geteuid() == 0 else ""
        config = folder / "nginx.conf"
        config.write_text(CONFIG.format(folder=folder, user=user, temporary=temporary,
                                        servers=servers.replace("{folder}", str(folder))))
        self.process = subprocess.Popen([find_nginx(), "-p", folder, "-c", config],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait_for(self, name):
        """Until it listens on the socket of that name, whose path this is."""
        path = self.folder / name
        for _ in range(200):
            with contextlib.closing(socket.socket(socket.AF_UNIX)) as client:
                with contextlib.suppress(OSError):
                    client.connect(str(path))
                    return path
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        log = self.folder / "nginx.log"
        raise AssertionError(f"no nginx: {log.read_text() if log.exists() else ''}")

    def end(self):
        self.process.terminate()
        self.process.wait(10)


class Connection(http.client.HTTPConnection):
    """HTTP to a socket in the file system."""

    def __init__(self, path, host="localhost"):
        super().__init__(host, timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(str(self.path))
