"""What tests with a real object store share: one store, and kitbag as its client."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import object_store
from object_store import KEY, SECRET, ObjectStore
from peers import need, program


class StoreCase(unittest.TestCase):
    """`store` has the bucket "bags"; `folder` is for files, and HOME."""

    @classmethod
    def setUpClass(cls):
        plugin = Path(program()).resolve().parent / "plugins/files_remote.so"
        need(plugin.exists(), "libcurl4-openssl-dev and libexpat1-dev are not installed")
        need(object_store.is_installed(), "ceph-mon, ceph-osd and radosgw are not installed")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.store = ObjectStore(cls.folder / "store")
        cls.addClassCleanup(cls.store.end)
        cls.store.make_bucket("bags")

    def environment(self, **more):
        names = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return names | {"HOME": str(self.folder)} | self.store.environment() | more

    def require_no_secrets(self, text):
        self.assertNotIn(SECRET, text)
        self.assertNotIn(KEY, text)
        self.assertNotRegex(text, "Signature=[0-9a-f]")

    def run_kitbag(self, *arguments, code=0, **environment):
        """Standard output; what it says of an error, if `code` is not 0."""
        done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                              check=False, cwd=self.folder, env=self.environment(**environment))
        self.require_no_secrets(done.stdout + done.stderr)
        self.assertEqual(done.returncode, code, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout if code == 0 else done.stderr

    def digest(self, bag, **environment):
        return self.run_kitbag("cat", bag, "--format", "digest", **environment)
