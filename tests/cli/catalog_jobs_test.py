#!/usr/bin/env python3
"""What a catalog knows of the jobs of `kitbag batch`, in SQLite and in PostgreSQL."""

import json
import shutil

from catalog_case import Catalogs, InPostgres, InSqlite
from cli import CliTest, main
from make_bag import make_bag

TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z"


class Jobs(Catalogs):
    def make_bags(self):
        self.catalog("init")
        (self.folder / "in").mkdir()
        self.bags = [self.folder / f"in/{number}.bag" for number in range(4)]
        for number, path in enumerate(self.bags):
            make_bag(path, start_ns=(1_700_000_000 + number) * 10**9, messages=3)

    def batch(self, verb, job, *options, code=0):
        done = self.run_program("batch", verb, "--from", "in/*.bag", "--to", f"to {job}", "--job",
                                job, "--catalog", self.address, *options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def jobs(self, *arguments):
        return [json.loads(line)
                for line in self.catalog("jobs", "--json", *arguments).splitlines()]

    def test_a_job_and_what_has_failed(self):
        self.make_bags()
        self.assertEqual(self.catalog("jobs"), "")
        whole = self.bags[1].read_bytes()
        self.bags[1].write_bytes(whole[:4200])
        self.bags[2].write_bytes(b"no bag" * 1000)
        self.batch("convert", "job", code=1)
        [job] = self.jobs()
        began, changed = job.pop("began_ns"), job.pop("changed_ns")
        self.assertLessEqual(began, changed)
        self.assertEqual(job, {"job": self.path("job"), "verb": "convert",
                               "target": self.path("to job"), "state": "ended", "bags": 4,
                               "done": 2, "damaged": 1, "failed": 1, "left": 0})
        damaged, failed = self.jobs("job")
        for bag, path, state in ((damaged, self.bags[1], "damaged"),
                                 (failed, self.bags[2], "failed")):
            self.assertEqual((bag["source"], bag["target"], bag["state"], set(bag)),
                             (str(path), self.path(f"to job/{path.name}"), state,
                              {"source", "target", "state", "reason"}))
            self.assertIn(path.name, bag["reason"])
        text = self.catalog("jobs", self.path("job"))
        self.assertRegex(text, rf"""\A{self.path("job")}: convert to {self.path("to job")}, ended
  4 bags: 2 done, 1 damaged, 1 failed
  begun {TIME}, last change {TIME}
  damaged: {self.bags[1]}[: ][^\n]+
  failed: {self.bags[2]}[: ][^\n]+
\Z""")
        self.assertTrue(text.startswith(self.catalog("jobs")))
        # The bags that were made are in the catalog; those that are mended are no longer listed.
        self.assertEqual(len(self.listed()), 3)
        shutil.copy(self.bags[0], self.bags[2])
        self.batch("convert", "job", "--retry", code=1)
        [job] = self.jobs()
        self.assertEqual((job["done"], job["damaged"], job["failed"]), (3, 1, 0))
        self.assertGreater(job["began_ns"], began)
        self.assertEqual([bag["source"] for bag in self.jobs("job")], [str(self.bags[1])])

    def test_several_jobs_and_their_names(self):
        self.make_bags()
        for job in "a/one", "b/one", "b/two":
            self.batch("check", job)
        self.assertEqual([job["job"] for job in self.jobs()],
                         [self.path(job) for job in ("b/two", "b/one", "a/one")])
        self.batch("check", "a/one", "--replace")  # nothing is left to do, and that is noted
        self.assertEqual(self.jobs()[0]["job"], self.path("a/one"))
        for name in "two", "b/two", "b/two/", self.path("b/two"):
            self.assertTrue(self.catalog("jobs", name).startswith(f"{self.path('b/two')}: "), name)
        for name, saying in (("one", "one: is the name of 2 jobs"),
                             ("wo", "wo: the catalog does not know this job"),
                             ("", "does not know this job"), ("/", "does not know this job")):
            self.fails("catalog", "jobs", self.address, name, saying=saying)

    def test_a_job_at_work(self):
        """Or one that was killed, which a catalog cannot tell apart."""
        self.make_bags()
        self.batch("check", "job")
        self.run_sql("UPDATE jobs SET is_at_work = 1, done = 1, failed = 1;\nSELECT 1")
        self.assertEqual(self.jobs()[0]["state"], "at work")
        self.assertEqual(self.jobs()[0]["left"], 2)
        self.assertRegex(self.catalog("jobs"),
                         r", at work\n  4 bags: 1 done, 1 failed, 2 left\n")

    def test_names_and_reasons_are_hostile(self):
        self.make_bags()
        name = "in/\udcff\x1b]0;x\x07 'quoted\"; DROP TABLE jobs; --.bag"
        (self.folder / name).write_bytes(b"no bag" * 1000)
        self.batch("convert", "it's \udcfe", code=1)
        [bag] = self.jobs("it's \udcfe")
        self.assertIn("DROP TABLE jobs", bag["source"])
        text = self.catalog("jobs", "it's \udcfe")
        self.assertNotIn("\x1b", text)
        self.assertIn(r"failed: /", text)
        self.assertIn(r"/in/\xff\x1b]0;x\x07 'quoted", text)
        # What somebody else has written there is not trusted.
        self.run_sql("UPDATE jobs SET failed = 7, began_ns = -9223372036854775808;\nSELECT 1")
        [job] = self.jobs()
        self.assertEqual([job[key] for key in ("bags", "failed", "left")], [5, 7, 0])
        self.run_sql("UPDATE jobs SET done = -9223372036854775808;\nSELECT 1")
        self.fails("catalog", "jobs", self.address, saying="the catalog has a number below 0")

    def test_misuse(self):
        self.make_bags()
        self.fails("batch", "check", "--from", "in", "--to", "out", "--catalog", "none.db",
                   saying="none.db")
        for arguments, saying in ((["jobs", "none.db"], "none.db"),
                                  (["jobs", self.address, "a", "b"], "the name of one job"),
                                  (["jobs", self.address, "--tag", "a=b"], "--tag is for"),
                                  (["jobs", self.address, "--damaged"], "are for list")):
            self.fails("catalog", *arguments, saying=saying)


class SqliteJobsTest(InSqlite, Jobs, CliTest):
    def test_values_of_another_kind_are_damage(self):
        """Columns of SQLite take any."""
        self.make_bags()
        self.bags[0].write_bytes(b"no bag" * 1000)
        self.batch("check", "job", code=1)
        for table, column, arguments in (("jobs", "done", []), ("jobs", "verb", []),
                                         ("job_bags", "reason", ["job"])):
            self.run_sql(f"UPDATE {table} SET {column} = x'00ff';\nSELECT 1")
            self.fails("catalog", "jobs", self.address, *arguments,
                       saying="the catalog has a value of another kind")
            self.run_sql(f"UPDATE {table} SET {column} = 1;\nSELECT 1")


class PostgresJobsTest(InPostgres, Jobs, CliTest):
    pass


if __name__ == "__main__":
    main()
