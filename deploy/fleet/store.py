"""The object store of a fleet: a Ceph Object Gateway in memory, with two buckets, and a user for
each task who may do what store/*.json says and nothing else. It is the store of the tests, so what
is tried here is what is tested."""

import json
import subprocess
import sys
from urllib.parse import urlencode

from place import FILES

sys.path.insert(0, str(FILES.parents[1] / "tests" / "support"))

from object_store import ObjectStore  # noqa: E402

FOLDER = "/var/lib/ceph"
BUCKETS = "bags", "converted"
AWS = "/usr/bin/aws"
TASKS = "server", "catalog", "batch"


class Store:
    """`keys` are {user: [key, secret]}, with those of "admin", whose the buckets are."""

    def __init__(self, place, keys):
        self.place, self.keys = place, keys
        self.engine = None

    def is_running(self):
        return self.place.process(f"{FOLDER}/run/rgw.pid") is not None

    def start(self):
        key, secret = self.keys["admin"]
        self.engine = ObjectStore(self.place.path(FOLDER), key, secret, size_bytes=8 << 30,
                                  most_listed=1000)
        self.engine.ceph("radosgw-admin", "caps", "add", "--uid=bag", "--caps=user-policy=*")
        for bucket in BUCKETS:
            self.engine.make_bucket(bucket)
        for user in TASKS:
            self.make_user(user)
        for bucket in BUCKETS:
            self.put(f"/{bucket}", "policy=", self.text(f"{bucket}-policy.json"))
            self.put_lifecycle(bucket)
        return self.engine.url

    def text(self, name):
        return (FILES / "store" / name).read_text()

    def put(self, path, query, text):
        status, body = self.engine.request("PUT", path, text.encode(), query)
        if status not in (200, 204):
            raise AssertionError(f"{path}?{query}: {status} {body}")

    def put_lifecycle(self, bucket):
        """By the tool of AWS, since stores take XML."""
        subprocess.run(
            [AWS, "s3api", "put-bucket-lifecycle-configuration", "--bucket", bucket,
             "--endpoint-url", self.engine.url, "--lifecycle-configuration",
             f"file://{FILES}/store/lifecycle.json"], check=True, stdout=subprocess.DEVNULL,
            env=self.place.environment(**self.engine.environment()), timeout=120)

    def make_user(self, name):
        key, secret = self.keys[name]
        self.engine.ceph("radosgw-admin", "user", "create", f"--uid={name}",
                         f"--display-name={name}", f"--access-key={key}", f"--secret={secret}")
        self.place.write(f"/etc/kitbag/aws-{name}", f"[default]\naws_access_key_id = {key}\n"
                         f"aws_secret_access_key = {secret}\n", 0o600)

    def make_robot(self, name):
        """A user with a policy of its own, which names its folder."""
        self.make_user(name)
        policy = self.text("robot-policy.json").replace("ROBOT", name)
        asked = urlencode({"Action": "PutUserPolicy", "UserName": name, "PolicyName": "robot",
                           "PolicyDocument": json.dumps(json.loads(policy))})
        status, body = self.engine.request("POST", "/", asked.encode())
        if status != 200:
            raise AssertionError(f"{name}: {status} {body}")

    def stop(self):
        processes = {name: self.place.process(f"{FOLDER}/run/{name}.pid")
                     for name in ("rgw", "osd", "mon")}
        return [process for process in processes.values() if process]
