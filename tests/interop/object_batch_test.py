#!/usr/bin/env python3
"""kitbag batch from and to a real object store: killed, started again, and without the store."""

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from make_bag import make_bag  # noqa: E402
from peers import main, program  # noqa: E402
from store_case import StoreCase  # noqa: E402

BAGS = 30


class ObjectBatchTest(StoreCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for i in range(BAGS):
            path = cls.folder / "x.bag"
            make_bag(path, start_ns=(1_700_000_000 + i) * 10**9, messages=30)
            cls.store.put("bags", f"in/day {i % 3}/{i:03}.bag", path.read_bytes())
        cls.store.put("bags", "bad/a.bag", b"no bag" * 1000)
        cls.store.put("bags", "bad/b.bag", path.read_bytes())

    def objects(self, prefix):
        """{key: (version, time)} of what is visible there."""
        status, body = self.store.request("GET", "/bags", query=f"prefix={quote(prefix, safe='')}")
        self.assertEqual(status, 200)
        return {key: (etag, time) for key, time, etag in re.findall(
            "<Key>(.*?)</Key><LastModified>(.*?)</LastModified><ETag>(.*?)</ETag>", body.decode())
            if ".kitbag-batch" not in key}

    def batch(self, *arguments, code=0, **environment):
        done = subprocess.run([program(), "batch", *arguments], capture_output=True, text=True,
                              cwd=self.folder, env=self.environment(**environment))
        self.require_no_secrets(done.stdout + done.stderr)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def test_killed_and_started_again(self):
        command = ["convert", "--from", "s3://bags/in/**/*.bag", "--to", "s3://bags/out", "-j", "2"]
        seen = {}
        for count in 3, 12, 20:
            process = subprocess.Popen([program(), "batch", *command], cwd=self.folder,
                                       env=self.environment(), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            while len(self.objects("out/")) < count and process.poll() is None:
                pass
            process.kill()
            process.wait()
            for key, version in self.objects("out/").items():
                self.assertEqual(seen.setdefault(key, version), version)
        out, _ = self.batch(*command)
        self.assertRegex(out, rf"\A{BAGS} bags: {BAGS} done")
        objects = self.objects("out/")
        self.assertEqual(len(objects), BAGS)
        for key, version in seen.items():
            self.assertEqual(objects[key], version, "made again")
        self.assertEqual(self.digest("s3://bags/out/day 1/004.bag"),
                         self.digest("s3://bags/in/day 1/004.bag"))
        out, _ = self.batch(*command)  # from anywhere: the job is in the store, too
        self.assertRegex(out, f"{BAGS} done; {BAGS} of them before, ")
        self.assertEqual(self.objects("out/"), objects)
        self.store.put("bags", "out/day 0/000.bag", b"another")
        _, err = self.batch(*command, code=1)
        self.assertRegex(err, "000.bag: the target is there with another content")
        self.assertEqual(self.store.get("bags", "out/day 0/000.bag"), b"another")

    def test_the_other_verbs(self):
        out, err = self.batch("check", "--from", "s3://bags/bad/*", "--to", "s3://bags/checks",
                              code=1)
        self.assertRegex(out, r"\A2 bags: 1 done, 1 damaged, ")
        self.assertRegex(err, "s3://bags/bad/a.bag: ")
        self.assertEqual(set(self.objects("checks/")), {"checks/a.bag.check.json",
                                                        "checks/b.bag.check.json"})
        for _ in range(2):
            self.batch("export", "--from", "s3://bags/bad/b.bag", "--to", "s3://bags/tables", "--",
                       "--format", "csv")
        tables = self.objects("tables/")
        self.assertGreater(len(tables), 1)
        # A folder of files that a killed run has left in part is completed.
        gone = sorted(tables)[0]
        self.store.delete("bags", gone)
        out, _ = self.batch("export", "--from", "s3://bags/bad/b.bag", "--to", "s3://bags/tables",
                            "--", "--format", "csv")
        after = self.objects("tables/")
        self.assertEqual({key for key in after if after[key] != tables[key]}, {gone})
        self.assertEqual(set(after), set(tables))

    def test_a_store_that_is_gone_ends_the_job(self):
        make_bag(self.folder / "here.bag", messages=30)
        _, err = self.batch("convert", "--from", "here.bag", "--to", "s3://bags/gone", "--job",
                            "job", code=2, AWS_ENDPOINT_URL="http://127.0.0.1:9")
        self.assertRegex(err, r"\Akitbag: [^\n]*127.0.0.1[^\n]*\n\Z")
        out, _ = self.batch("--job", "job")
        self.assertRegex(out, r"\A1 bag: 1 done, ")


if __name__ == "__main__":
    main()
