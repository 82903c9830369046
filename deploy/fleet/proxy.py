"""nginx before the servers, with nginx/kitbag.conf, in the folder of a fleet."""

import os
import shutil
import subprocess

# What Debian's own nginx.conf has around it, with paths of the folder.
MAIN = """pid /run/nginx.pid;
error_log /var/log/nginx.log;
{user}
events {{ worker_connections 1024; }}
http {{
  access_log /var/log/nginx-access.log;
  {temporary}
  include /etc/nginx/conf.d/*.conf;
}}
"""
PARTS = "client_body", "proxy", "fastcgi", "scgi", "uwsgi"


class Proxy:
    def __init__(self, place, port, servers):
        self.place, self.port, self.servers = place, port, servers
        self.url = f"http://127.0.0.1:{port}"

    def is_running(self):
        return self.place.process("/run/nginx.pid") is not None

    def start(self):
        first, second = self.servers
        self.place.install("nginx/kitbag.conf", "/etc/nginx/conf.d/kitbag.conf",
                           {"127.0.0.1:8080;": f"127.0.0.1:{self.port};",
                            "127.0.0.1:8091 ": f"127.0.0.1:{first} ",
                            "127.0.0.1:8092 ": f"127.0.0.1:{second} "})
        folder = self.place.folder("/var/lib/nginx")
        temporary = " ".join(f"{part}_temp_path {folder}/{part};" for part in PARTS)
        user = "user root;" if os.geteuid() == 0 else ""
        self.place.folder("/var/log")
        config = self.place.write("/etc/nginx/nginx.conf", self.place.rooted(
            MAIN.format(user=user, temporary=temporary)))
        program = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin")
        with self.place.log("nginx-start") as log:
            subprocess.run([program, "-p", self.place.root, "-c", config], check=True, stdout=log,
                           stderr=log, stdin=subprocess.DEVNULL, env=self.place.environment(),
                           timeout=60)
