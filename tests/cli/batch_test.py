#!/usr/bin/env python3
"""kitbag batch on this machine: a thousand bags, ten of them bad; killed, and started again."""

import errno
import fcntl
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

from cli import CliTest, main
from make_bag import make_bag
from peers import need, preloaded, program

BAGS = 1000
GARBAGE = (3, 250, 251, 252, 700)
CUT_OFF = (10, 400, 401, 800, 999)


class BatchTest(CliTest):
    def bags(self, count, name="{:04}.bag", folder="in"):
        """Small bags of different content; their paths."""
        (self.folder / folder).mkdir(exist_ok=True)
        paths = [self.folder / folder / name.format(i) for i in range(count)]
        for i, path in enumerate(paths):
            make_bag(path, start_ns=(1_700_000_000 + i) * 10**9, messages=3)
        return paths

    def targets(self, folder="out"):
        """What is visible in the folder, by path: which file it is, and when it was written."""
        found = {}
        for place, folders, files in os.walk(self.folder / folder):
            folders[:] = [each for each in folders if not each.startswith(".")]  # come and go
            for path in (Path(place) / each for each in files if not each.startswith(".")):
                name = str(path.relative_to(self.folder / folder))
                found[name] = (path.stat().st_ino, path.stat().st_mtime_ns)
        return found

    def leftovers(self, folder="out"):
        return [str(path) for path in (self.folder / folder).rglob(".*")
                if path.name != ".kitbag-batch"]

    def batch(self, *arguments, code=0, **more):
        """Standard output and standard error."""
        done = self.run_program("batch", *arguments, **more)
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr[:2000]))
        return done.stdout, done.stderr

    def started(self, *arguments, **more):
        return subprocess.Popen([program(), "batch", *map(str, arguments)], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)

    def wait_for(self, condition, process=None):
        for _ in range(3000):
            if condition() or (process and process.poll() is not None):
                return
            time.sleep(0.01)  # another process is waited for
        self.fail("nothing happens")

    def workers(self, process):
        """The processes that it has started."""
        children = Path(f"/proc/{process.pid}/task").glob("*/children")
        found = []
        for file in children:
            try:
                found += [int(word) for word in file.read_text().split()]
            except OSError:
                pass  # a thread has ended
        return found

    def test_a_thousand_bags_killed_ten_times(self):
        paths = self.bags(BAGS)
        for i in GARBAGE:
            paths[i].write_bytes(b"no bag \x1b]0;x\x07 at all" * 100)
        for i in CUT_OFF:
            paths[i].write_bytes(paths[i].read_bytes()[:4200])
        command = ["convert", "--from", "in/*.bag", "--to", "out", "-j", "2", "--", "--format",
                   "mcap"]
        seen = {}
        chance = random.Random(7)
        kills = 0
        while kills < 10:
            process = self.started(*command)
            goal = len(self.targets()) + chance.randrange(0, 60)
            self.wait_for(lambda: len(self.targets()) > goal, process)
            workers = self.workers(process)
            process.kill()
            process.communicate()
            kills += 1
            self.wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))
            for name, file in self.targets().items():
                self.assertEqual(seen.setdefault(name, file), file, "made again")
        self.assertLess(len(seen), BAGS)
        out, err = self.batch(*command, code=1)
        targets = self.targets()
        for name, file in seen.items():
            self.assertEqual(targets[name], file, "made again")
        self.assertEqual(len(targets), BAGS - len(GARBAGE))
        self.assertEqual(self.leftovers(), [])
        self.assertRegex(out, r"\A1,000 bags: 990 done, 5 damaged, 5 failed; \d+ of them before, ")
        for i in GARBAGE:
            self.assertRegex(err, rf"kitbag: /[^\n]*/in/{i:04}.bag: ")
        for i in CUT_OFF:
            self.assertRegex(err, rf"kitbag: warning: /[^\n]*/in/{i:04}.bag")
        self.assertNotIn("\x1b", err)
        self.assertEqual(len(err.splitlines()), 11, err)
        # The same content as of the verb itself.
        self.kitbag("convert", "in/0500.bag", "one.mcap")
        self.assertEqual((self.folder / "out/0500.mcap").read_bytes(),
                         (self.folder / "one.mcap").read_bytes())
        # Nothing is done again, and what has failed is still said.
        again, said = self.batch(*command, code=1)
        self.assertEqual(self.targets(), targets)
        self.assertRegex(again, r"990 done, 5 damaged, 5 failed; 1,000 of them before, ")
        self.assertEqual(len(said.splitlines()), 11)
        # What was failed is tried again, alone.
        for i in GARBAGE[1:]:
            shutil.copy(paths[0], paths[i])
        out, err = self.batch("--retry", *command, code=1)
        self.assertRegex(out, r"994 done, 5 damaged, 1 failed; 99\d of them before, ")
        self.assertEqual(len(self.targets()), BAGS - 1)

    def test_a_target_with_other_content_is_kept(self):
        self.bags(3)
        out = self.folder / "out"
        out.mkdir()
        (out / "0001.bag").write_bytes(b"mine")
        shutil.copy(self.folder / "in/0002.bag", out / "0002.bag")
        command = ["convert", "--from", "in", "--to", "out"]
        said, err = self.batch(*command, code=1)
        self.assertIn("0001.bag: the target is there with another content; it is kept", err)
        self.assertEqual((out / "0001.bag").read_bytes(), b"mine")
        self.assertRegex(said, r"\A3 bags: [12] done, [12] failed, ")
        self.batch(*command, "--retry", "--replace")
        self.assertEqual(self.digest("in/0001.bag"), self.digest("out/0001.bag"))
        self.assertEqual(self.leftovers(), [])
        # A target that was damaged since is not made again over it.
        (out / "0000.bag").write_bytes(b"broken")
        said, err = self.batch(*command, code=1)
        self.assertIn("0000.bag: the target is there with another content", err)
        self.assertEqual((out / "0000.bag").read_bytes(), b"broken")
        # One that was removed is.
        (out / "0000.bag").unlink()
        self.batch(*command, "--retry")
        self.assertEqual(self.digest("in/0000.bag"), self.digest("out/0000.bag"))
        # One that was only touched is known by its content.
        os.utime(out / "0000.bag", ns=(1, 1))
        self.batch(*command)
        self.assertEqual((out / "0000.bag").stat().st_mtime_ns, 1)
        # A bag that has changed is another bag.
        make_bag(self.folder / "in/0000.bag", start_ns=5 * 10**9, messages=9)
        said, err = self.batch(*command, code=1)
        self.assertIn("0000.bag: the target is there with another content", err)

    def test_what_a_killed_run_has_left_is_known_by_its_content(self):
        self.bags(4)
        command = ["convert", "--from", "in", "--to", "out", "--json", "--job", "job"]
        self.batch(*command)
        targets = self.targets()
        shutil.rmtree(self.folder / "job/records")  # as if it had been killed before it noted them
        lines = [json.loads(line) for line in self.batch(*command)[0].splitlines()]
        self.assertEqual([line["was_there"] for line in lines], [True] * 4)
        self.assertEqual(self.targets(), targets)
        # A torn line is none.
        [journal] = (self.folder / "job/records").iterdir()
        journal.write_bytes(journal.read_bytes()[:-3])
        lines = self.batch(*command)[0].splitlines()
        self.assertEqual((len(lines), self.targets()), (1, targets))

    def test_the_verbs(self):
        paths = self.bags(3)
        whole = Path(self.bag).read_bytes()
        paths[1].write_bytes(whole[:len(whole) * 6 // 10])
        (self.folder / "in/deep").mkdir()
        shutil.copy(paths[0], self.folder / "in/deep/0000.bag")
        names = ["0000", "0001", "0002", "deep/0000"]
        for verb, options, target in (
                ("repair", [], "{}.bag"), ("export", ["--format", "csv"], "{}"),
                ("check", [], "{}.bag.check.json"),
                ("find", ["--topics", "/tick"], "{}.bag.found.jsonl")):
            with self.subTest(verb=verb):
                self.batch(verb, "--from", "in", "--to", verb, "--", *options, code=1)
                for name in names:
                    found = self.folder / verb / target.format(name)
                    source = self.folder / f"in/{name}.bag"
                    if verb == "repair":
                        self.run_program("repair", source, "one.bag")
                        self.assertEqual(found.read_bytes(),
                                         (self.folder / "one.bag").read_bytes())
                        (self.folder / "one.bag").unlink()
                    elif verb == "export":
                        self.run_program("export", source, "-o", "one", *options)
                        one = self.folder / "one"
                        content = {each.name: each.read_bytes() for each in one.iterdir()} \
                            if one.exists() else {}
                        there = {each.name: each.read_bytes() for each in found.iterdir()} \
                            if found.exists() else {}
                        self.assertEqual(there, content)
                        shutil.rmtree(one, ignore_errors=True)
                    else:
                        done = self.run_program(verb, *options, "--json", source)
                        self.assertEqual(found.read_text(), done.stdout)
                before = self.targets(verb)
                self.batch(verb, "--from", "in", "--to", verb, "--", *options, code=1)
                self.assertEqual(self.targets(verb), before)

    def test_a_folder_of_files_that_is_there_in_part(self):
        self.bags(2)
        command = ["export", "--from", "in", "--to", "out", "--job", "job", "--", "--format",
                   "csv"]
        self.batch(*command)
        targets = self.targets()
        shutil.rmtree(self.folder / "job")
        gone = self.folder / "out" / sorted(targets)[0]
        gone.unlink()
        self.batch(*command)
        after = self.targets()
        self.assertEqual(set(after), set(targets))
        self.assertEqual([name for name in targets if targets[name] != after[name]],
                         [sorted(targets)[0]])
        shutil.rmtree(self.folder / "job")
        (gone.parent / "mine.txt").write_text("x")
        _, err = self.batch(*command, code=1)
        self.assertIn("the target has another file: mine.txt", err)

    def test_directories_are_bags(self):
        self.bags(1)
        (self.folder / "dirs").mkdir()
        self.kitbag("split", "in/0000.bag", "dirs/run/", "--split-messages", "2")
        self.batch("convert", "--from", "dirs", "--to", "out")
        self.assertEqual(self.digest("out/run"), self.digest("in/0000.bag"))
        self.assertTrue((self.folder / "out/run/metadata.yaml").exists())
        self.assertIn("1 of them before", self.batch("convert", "--from", "dirs", "--to", "out")[0])

    def test_hostile_names(self):
        (self.folder / "in").mkdir()
        names = ["-o.bag", "[a].bag", "a\nb\t%09.bag", "\x1b]0;x\x07.bag", "'\"$(touch x).bag",
                 b"\xff\xfe.bag"]
        for name in names:
            path = os.path.join(os.fsencode(self.folder), b"in", os.fsencode(name))
            shutil.copy(self.bag, path)
        out, err = self.batch("convert", "--from", "in", "--to", "out")
        self.assertRegex(out, r"\A6 bags: 6 done, ")
        self.assertEqual(sorted(os.listdir(os.fsencode(self.folder / "out"))),
                         sorted([b".kitbag-batch", *map(os.fsencode, names)]))
        out, _ = self.batch("convert", "--from", "in", "--to", "out", "--plan")
        self.assertNotIn("\x1b", out)
        self.assertEqual(len(out.splitlines()), 6)
        self.assertIn("6 of them before", self.batch("convert", "--from", "in", "--to", "out")[0])

    def test_the_plan(self):
        self.bags(2)
        (self.folder / "in/0001.bag").write_bytes(b"no bag" * 1000)
        command = ["convert", "--from", "in/*.bag", "--to", "out", "--", "--format=mcap"]
        out, _ = self.batch("--plan", *command)
        self.assertEqual(out, "".join(
            f"{self.folder}/in/{name}.bag -> {self.folder}/out/{name}.mcap: waiting\n"
            for name in ("0000", "0001")))
        self.assertFalse((self.folder / "out").exists())
        self.batch(*command, code=1)
        lines = [json.loads(line) for line in self.batch("--plan", "--json", *command)[0]
                 .splitlines()]
        self.assertEqual([line["state"] for line in lines], ["done", "failed"])
        self.assertIn("0001.bag", lines[1]["reason"])
        # The job alone is enough to go on with it.
        [job] = (self.folder / "out/.kitbag-batch").iterdir()
        out, _ = self.batch("--job", job, code=1)
        self.assertRegex(out, r"\A2 bags: 1 done, 1 failed; 2 of them before, ")

    def test_mistakes_are_found_before_the_first_bag(self):
        self.bags(2)
        base = ["batch", "convert", "--from", "in", "--to", "out"]
        for arguments, saying in (
                (["batch", "filter", "--from", "in", "--to", "out"], "cannot be done in a batch"),
                (["batch", "convert", "--to", "out"], "no bags are named"),
                (["batch", "convert", "--from", "in"], "name the target folder with --to"),
                (["batch"], "name a VERB"), ([*base, "--", "more.bag"], "unexpected argument"),
                ([*base, "--", "--no-such"], "--no-such"), ([*base, "--", "-o", "x"], "-o"),
                ([*base, "--", "-ox"], "-o"), ([*base, "--", "--split-size=5"], "--split-size"),
                ([*base, "--", "--format", "none"], "none"), ([*base, "-j", "0"], "--jobs"),
                ([*base, "--sbatch=--x"], "--on slurm"),
                ([*base, "--bags-per-task", "3"], "--on slurm"),
                ([*base, "--on", "moon"], "expected one of local"),
                (["batch", "convert", "--from", "none/*", "--to", "out"], "no bags"),
                (["batch", "convert", "--from", "in", "--to", "in"], "a bag itself"),
                (["batch", "--job", "nowhere"], "not the folder of a job"),
                (["--batch-serve"], "kitbag batch alone"),
                (["--batch-task", "x"], "kitbag batch alone")):
            with self.subTest(arguments=arguments):
                self.fails(*arguments, saying=saying)
        self.assertFalse((self.folder / "out").exists())
        shutil.copy(self.folder / "in/0000.bag", self.folder / "in/0000.mcap")
        self.fails(*base, "--", "--format", "mcap", saying="would be the target of")
        self.batch("check", "--from", "in/*.bag", "--to", "c", "--job", "job")
        self.fails("batch", "check", "--from", "in", "--to", "c", "--job", "job",
                   saying="other arguments")

    def test_a_file_that_is_named_itself(self):
        self.bags(1)
        out, _ = self.batch("--plan", "convert", "--from", "in/0000.bag", "--to", "out")
        self.assertEqual(
            out, f"{self.folder}/in/0000.bag -> {self.folder}/out/0000.bag: waiting\n")
        for _ in range(2):  # also below the targets' folder
            self.batch("convert", "--from", "in/0000.bag", "--to", "in", "--", "--format", "mcap")
        self.assertEqual(sorted(self.targets("in")), ["0000.bag", "0000.mcap"])

    def test_targets_beside_the_bags(self):
        self.bags(2)
        for _ in range(2):
            self.batch("convert", "--from", "in/*.bag", "--to", "in", "--", "--format", "mcap")
        self.assertEqual(sorted(self.targets("in")), ["0000.bag", "0000.mcap", "0001.bag",
                                                      "0001.mcap"])
        for _ in range(2):  # earlier targets are no sources
            self.batch("convert", "--from", "in/**/*.bag", "--to", "in/copies")
        self.assertEqual(sorted(self.targets("in/copies")), ["0000.bag", "0001.bag"])

    def held(self):
        """A lock, and the environment in which nothing is written to out/ while it is held."""
        lock = open(self.path("lock"), "w", encoding="utf-8")
        self.addCleanup(lock.close)
        fcntl.flock(lock, fcntl.LOCK_EX)
        shim = preloaded("held_writes", self.folder)
        return lock, os.environ | {"LD_PRELOAD": str(shim), "KITBAG_HOLD_LOCK": self.path("lock"),
                                   "KITBAG_HOLD_UNDER": self.path("out/")}

    def is_writing(self):
        return (self.folder / "out").exists() and bool(self.leftovers())

    def test_one_run_at_a_time_and_ctrl_c(self):
        self.bags(40)
        command = ["convert", "--from", "in", "--to", "out", "--job", "job", "-j", "2"]
        lock, environment = self.held()
        process = self.started(*command, env=environment)
        self.wait_for(lambda: len(self.leftovers() if self.is_writing() else []) == 2)
        self.fails("batch", *command, saying="another kitbag is at work on this job")
        workers = self.workers(process)
        self.assertEqual(len(workers), 2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 2)
        self.assertIn("interrupted; 40 of 40 bags are left to the next run", err)
        self.assertFalse(any(Path(f"/proc/{pid}").exists() for pid in workers))
        self.assertEqual((self.leftovers(), self.targets()), ([], {}))
        lock.close()
        self.batch(*command)
        self.assertEqual(len(self.targets()), 40)

    def test_a_bag_that_ends_its_process(self):
        self.bags(20)
        command = ["convert", "--from", "in", "--to", "out", "--job", "job", "-j", "1"]
        lock, environment = self.held()
        process = self.started(*command, env=environment)
        self.wait_for(self.is_writing)
        [worker] = self.workers(process)
        os.kill(worker, signal.SIGSEGV)
        lock.close()
        out, err = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 1, err)
        self.assertRegex(err, r"\Akitbag: [^\n]*/in/0000.bag: ended the program by SIGSEGV; ")
        self.assertIn("20 bags: 19 done, 1 failed", out)
        self.batch(*command, "--retry")
        self.assertEqual((len(self.targets()), self.leftovers()), (20, []))

    def test_what_is_no_bags_fault_ends_the_job(self):
        self.bags(30)
        command = ["batch", "convert", "--from", "in", "--to", "out", "-j", "1"]

        def limit():  # every target is too large, and no bag is to blame
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))

        done = self.fails(*command, saying="10 bags in a row could not be done", preexec_fn=limit)
        self.assertEqual(done.stdout, "")
        out, _ = self.batch(*command[1:], "--plan")
        self.assertEqual(out.count(": waiting\n"), 30)
        self.batch(*command[1:])

    def test_too_few_open_files_are_told(self):
        self.bags(2)

        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))

        self.fails("batch", "check", "--from", "in", "--to", "out", preexec_fn=limit,
                   saying=r"\Akitbag: cannot create a temporary file: too many open files; raise "
                          r"the limit with ulimit -n\n\Z")

    def test_names_that_read_like_errors_of_the_system(self):
        """Whose fault a failure is, is decided by numbers: a text may come from a bag's name."""
        names = [f"{errno.errorcode[number]} {os.strerror(number)}" for number in
                 (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE,
                  errno.ENOMEM)]
        source = self.bags(1)[0]
        for name in names:
            shutil.copy(source, source.with_name(f"{name}.bag"))
            (self.folder / f"out/{name}.bag").mkdir(parents=True)  # in the way of the target
        out, err = self.batch("convert", "--from", "in", "--to", "out", "-j", "1", code=1)
        self.assertRegex(out, r"\A7 bags: 1 done, 6 failed, ")
        for name in names:
            self.assertRegex(err, rf"kitbag: /[^\n]*/{name}.bag: is a directory")
        for name in names:
            (self.folder / f"out/{name}.bag").rmdir()
        out, _ = self.batch("convert", "--from", "in", "--to", "out", "--retry")
        self.assertRegex(out, r"\A7 bags: 7 done; 1 of them before, ")

    def test_a_full_disk_ends_the_job(self):
        self.bags(50)
        disk = self.folder / "disk"
        disk.mkdir()
        for number, (verb, *options) in enumerate((
                ["convert"], ["convert", "--format", "sqlite3"], ["export", "--format", "csv"],
                ["export", "--format", "hdf5"], ["check"])):
            with self.subTest(verb=verb, options=options):
                job = f"job {number}"
                mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk],
                                         capture_output=True)
                need(mounted.returncode == 0, "only root can mount a small disk", "mount")
                try:
                    done = self.fails("batch", verb, "--from", "in", "--to", f"disk/{job}", "--job",
                                      job, "--", *options, saying="(?i)no space left")
                    self.assertNotIn("in a row", done.stderr)  # the first one is enough
                finally:
                    subprocess.run(["umount", disk], check=True)
                plan, _ = self.batch("--plan", "--job", job)
                self.assertEqual(plan.count(": waiting\n"), 50, plan)
                out, _ = self.batch("--job", job)
                self.assertRegex(out, r"\A50 bags: 50 done, ")


if __name__ == "__main__":
    main()
