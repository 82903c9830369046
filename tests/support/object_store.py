"""A Ceph Object Gateway for the length of a test: a monitor, an OSD in memory, a gateway. And a
client for S3 of a few lines, which signs on its own."""

import contextlib
import datetime
import hashlib
import hmac
import http.client
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time
import uuid
from pathlib import Path
from urllib.parse import quote

KEY = "bagaccess"
SECRET = "bagsecret123"
REGION = "us-east-1"
MOST_LISTED = 40  # names on a page of a list
# A store in memory is small, but takes what it was told of its size for granted.
CONFIG = """[global]
fsid = {fsid}
mon host = [v2:127.0.0.1:{mon},v1:127.0.0.1:{old_mon}]
public addr = 127.0.0.1
ms bind ipv6 = false
run dir = {folder}/run
admin socket = {folder}/run/$name.asok
log file = {folder}/log/$name.log
keyring = {folder}/keyring
crash dir = {folder}/log
mon data = {folder}/mon
osd data = {folder}/osd
mon data avail warn = 1
mon data avail crit = 1
mon allow pool size one = true
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = {size_bytes}
osd memory target = 939524096
osd class load list = *
osd class default list = *
paxos propose interval = 0.02
paxos min wait = 0.01
[client.rgw]
rgw max listing results = {most_listed}
rgw frontends = beast endpoint=127.0.0.1:{port}
"""
MON_PORTS = range(13300, 32000)  # above begin those that clients get, and Ceph wants two for good


def is_installed():
    return all(shutil.which(name) for name in ("ceph-mon", "ceph-osd", "radosgw", "radosgw-admin"))


def is_free(port):
    with contextlib.closing(socket.socket()) as found, contextlib.suppress(OSError):
        found.bind(("127.0.0.1", port))
        return True
    return False


def free_port(ports, count=1):
    """The first of `count` free ones; another each time, since others look at the same moment."""
    for _ in range(1000):
        port = random.choice(ports[:-count])
        if all(is_free(port + i) for i in range(count)):
            return port
    raise AssertionError("no free port")


class ObjectStore:
    """`url` is where it answers to its user "bag", who has that key. What was deleted counts to its
    size for hours."""

    def __init__(self, folder, key=KEY, secret=SECRET, size_bytes=2 << 30,
                 most_listed=MOST_LISTED):
        self.folder, self.key, self.secret = Path(folder), key, secret
        self.config = self.folder / "ceph.conf"
        for name in "run", "log", "mon", "osd":
            (self.folder / name).mkdir(parents=True)
        mon = free_port(MON_PORTS, 2)
        self.port = free_port([port for port in MON_PORTS if port not in (mon, mon + 1)])
        self.url = f"http://127.0.0.1:{self.port}"
        fsid = str(uuid.uuid4())
        self.config.write_text(CONFIG.format(folder=folder, fsid=fsid, mon=mon, old_mon=mon + 1,
                                             port=self.port, most_listed=most_listed,
                                             size_bytes=size_bytes))
        self.make_keys()
        self.tool("monmaptool", "--create", "--fsid", fsid, "--addv", "a",
                  f"[v2:127.0.0.1:{mon},v1:127.0.0.1:{mon + 1}]", self.folder / "monmap")
        self.ceph("ceph-mon", "-i", "a", "--mkfs", "--monmap", self.folder / "monmap")
        self.ceph("ceph-mon", "-i", "a", "--pid-file", self.folder / "run/mon.pid")
        osd = str(uuid.uuid4())
        self.ceph("ceph", "osd", "new", osd)
        self.ceph("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd, "--no-mon-config")
        self.ceph("ceph-osd", "-i", "0", "--pid-file", self.folder / "run/osd.pid")
        self.ceph("radosgw-admin", "user", "create", "--uid=bag", "--display-name=bag",
                  f"--access-key={key}", f"--secret={secret}")
        self.ceph("radosgw", "-n", "client.rgw", "--pid-file", self.folder / "run/rgw.pid")
        self.wait()

    def make_keys(self):
        keyring = self.folder / "keyring"
        self.tool("ceph-authtool", "-C", keyring)
        everything = {name: "allow *" for name in ("mon", "osd", "mgr")}
        for name, may in {"mon.": {"mon": "allow *"}, "client.admin": everything,
                          "client.rgw": everything, "osd.0": everything}.items():
            caps = [word for service, what in may.items() for word in ("--cap", service, what)]
            self.tool("ceph-authtool", keyring, "--gen-key", "-n", name, *caps)

    def tool(self, *command):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              timeout=120)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")

    def ceph(self, program, *arguments):
        self.tool(program, "-c", self.config, *arguments)

    def wait(self):
        for _ in range(600):
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.request("GET", "/")[0] == 200:
                    return
            time.sleep(0.1)
        raise AssertionError(f"radosgw does not answer; see {self.folder}/log")

    def end(self):
        for name in "rgw", "osd", "mon":
            file = self.folder / f"run/{name}.pid"
            with contextlib.suppress(OSError, ValueError):
                os.kill(int(file.read_text()), signal.SIGKILL)  # what it holds is thrown away

    def restart_gateway(self):
        """Kills it, and starts it again."""
        os.kill(int((self.folder / "run/rgw.pid").read_text()), signal.SIGKILL)
        with contextlib.suppress(FileNotFoundError):
            (self.folder / "run/rgw.pid").unlink()
        for _ in range(100):  # until its port is free
            try:
                self.ceph("radosgw", "-n", "client.rgw", "--pid-file", self.folder / "run/rgw.pid")
                return self.wait()
            except AssertionError:
                time.sleep(0.1)
        raise AssertionError("radosgw does not start again")

    def environment(self):
        """With which clients find it."""
        return {"AWS_ACCESS_KEY_ID": self.key, "AWS_SECRET_ACCESS_KEY": self.secret,
                "AWS_ENDPOINT_URL": self.url, "AWS_REGION": REGION}

    def put(self, bucket, key, content):
        status, body = self.request("PUT", f"/{bucket}/{quote(key)}", content)
        assert status == 200, (status, body)

    def make_bucket(self, bucket):
        status, body = self.request("PUT", f"/{bucket}")
        assert status == 200, (status, body)

    def delete(self, bucket, key):
        self.request("DELETE", f"/{bucket}/{quote(key)}")

    def get(self, bucket, key):
        """Its content; nothing: there is none."""
        status, body = self.request("GET", f"/{bucket}/{quote(key)}")
        assert status in (200, 404), (status, body)
        return body if status == 200 else None

    def keys(self, bucket, prefix):
        """The first of those that begin so."""
        status, body = self.request("GET", f"/{bucket}", query=f"prefix={quote(prefix, safe='')}")
        assert status == 200, (status, body)
        return re.findall("<Key>(.*?)</Key>", body.decode())

    def uploads(self, bucket):
        """The uploads in parts that have begun and not ended."""
        status, body = self.request("GET", f"/{bucket}", query="uploads=")
        assert status == 200, (status, body)
        return re.findall("<Key>(.*?)</Key>", body.decode())

    def request(self, method, path, content=b"", query=""):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        host = f"127.0.0.1:{self.port}"
        digest = hashlib.sha256(content).hexdigest()
        headers = {"host": host, "x-amz-content-sha256": digest, "x-amz-date": now}
        names = ";".join(sorted(headers))
        lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
        canonical = f"{method}\n{path}\n{query}\n{lines}\n{names}\n{digest}"
        scope = f"{now[:8]}/{REGION}/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope,
                          hashlib.sha256(canonical.encode()).hexdigest()])
        key = b"AWS4" + self.secret.encode()
        for part in now[:8], REGION, "s3", "aws4_request":
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        headers["authorization"] = (f"AWS4-HMAC-SHA256 Credential={self.key}/{scope}, "
                                    f"SignedHeaders={names}, Signature={signature}")
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, f"{path}?{query}" if query else path, content, headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
