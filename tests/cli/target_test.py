#!/usr/bin/env python3
"""The verbs that write: what becomes of OUT."""

import json
import os
import resource
import signal
import subprocess
from pathlib import Path

from cli import WRITING_VERBS, CliTest, main
from peers import program


class StorageTest(CliTest):
    def test_compression(self):
        for name in ("none", "lz4", "bz2"):
            self.kitbag("convert", self.bag, "out.bag", "-f", "--compression", name, "--threads",
                        "2")
            self.assertEqual(self.info("out.bag")["compression"], name)
            self.kitbag("diff", self.bag, "out.bag")

    def test_defaults(self):
        self.kitbag("compress", self.bag, "-o", "lz4.bag")
        self.kitbag("decompress", "lz4.bag", "-o", "plain.bag")
        self.assertEqual(self.info("lz4.bag")["compression"], "lz4")
        self.assertEqual(self.info("plain.bag")["compression"], "none")

    def test_chunk_size(self):
        self.kitbag("convert", self.bag, "out.bag")
        self.assertEqual(self.info("out.bag")["chunks"], 1)
        self.kitbag("convert", self.bag, "out.bag", "--chunk-size", "1KiB", "-f")
        self.assertGreater(self.info("out.bag")["chunks"], 10)

    def test_chunks_of_topics(self):
        for name in ("out.bag", "out.mcap"):
            self.kitbag("convert", self.bag, name, "--chunk-size", "2kB,/ti*=700,/chatter=5kB")
            self.kitbag("diff", self.bag, name)
            chunks = json.loads(self.kitbag("list", name, "chunks", "--json"))
            self.assertEqual(max(chunk["bytes"] for chunk in chunks) // 1000, 5)
        self.kitbag("convert", self.bag, "timed.bag", "--chunk-duration", "1s")
        self.assertEqual(self.info("timed.bag")["chunks"], 3)

    def test_sync(self):
        for when in ("none", "interval=1ms", "chunk"):
            for name in ("out.bag", "out.mcap", "out.db3"):
                self.kitbag("convert", self.bag, name, "-f", "--sync", when, "--chunk-size", "2kB")
                self.kitbag("diff", self.bag, name)

    def test_io(self):
        self.kitbag("convert", self.bag, "auto.bag", "--chunk-size", "1KiB")
        expected = Path(self.path("auto.bag")).read_bytes()
        for io in ("auto", "buffered", "direct"):
            self.kitbag("convert", self.bag, "out.bag", "-f", "--chunk-size", "1KiB", "--io", io)
            self.assertEqual(Path(self.path("out.bag")).read_bytes(), expected)
            self.kitbag("convert", self.bag, "out.bag", "--append", "--io", io)
            self.assertEqual(self.info("out.bag")["messages"], 600)
        self.fails("convert", self.bag, "out.bag", "--io", "tape", saying='"tape"')

    def test_format(self):
        self.fails("convert", self.bag, "out", saying="extension")
        self.kitbag("convert", self.bag, "out", "--format", "rosbag")
        self.kitbag("diff", self.bag, "out")
        self.fails("convert", self.bag, "out.bag", "--format", "tape", saying='"tape"')

    def test_presets_of_mcap(self):
        sizes = {}
        for preset, chunks, compression in (("none", 1, "none"), ("fastwrite", 0, "none"),
                                            ("zstd_fast", 1, "zstd"), ("zstd_small", 1, "zstd")):
            self.kitbag("convert", self.bag, "out.mcap", "-f", "--preset", preset)
            info = self.info("out.mcap")
            self.assertEqual((info["chunks"], info["compression"]), (chunks, compression), preset)
            sizes[preset] = info["size_bytes"]
            self.kitbag("diff", self.bag, "out.mcap")
        self.assertLess(sizes["zstd_small"], sizes["none"])
        self.fails("convert", self.bag, "no.mcap", "--preset", "tape", saying='"tape"; supported:')
        self.fails("convert", self.bag, "out.bag", "--preset", "fastwrite",
                   saying="does not support presets")

    def test_without_chunks_and_checksums(self):
        self.kitbag("convert", self.bag, "out.mcap", "--no-chunks")
        self.assertEqual(self.info("out.mcap")["chunks"], 0)
        self.kitbag("diff", self.bag, "out.mcap")
        damaged = {}
        for name, options in (("crc", []), ("plain", ["--no-crc"])):
            path = Path(self.path(f"{name}.mcap"))
            self.kitbag("convert", self.bag, path, *options)
            content = path.read_bytes()
            at = content.rindex(b"message ")
            path.write_bytes(content[:at] + b"Message " + content[at + 8:])
            damaged[name] = path
        self.fails("cat", damaged["crc"], "--strict", "--format", "digest", saying="its CRC is")
        self.kitbag("cat", damaged["crc"], "--ignore-crc", "--strict", "--format", "digest")
        self.kitbag("cat", damaged["plain"], "--strict", "--format", "digest")

    def test_threads_change_nothing(self):
        contents = set()
        for threads in ("1", "3"):
            self.kitbag("convert", self.bag, "packed.mcap", "--compression", "zstd", "--threads",
                        threads, "--chunk-size", "1KiB", "--force")
            self.kitbag("convert", "packed.mcap", "plain.bag", "--read-threads", threads, "--force")
            contents.add(Path(self.path("plain.bag")).read_bytes())
        self.assertEqual(len(contents), 1)
        self.fails("cat", self.bag, "--read-threads", "2000", saying="--read-threads")

    def test_totals(self):
        for verb in ("convert", "compress", "decompress", "merge", "sort"):
            line = self.kitbag(verb, self.bag, "-o", "out.bag", "-f")
            self.assertRegex(line, r"\Aout\.bag: 300 messages, 3 topics, \d+\.\d KiB payload, "
                                   r"\d+\.\d KiB on disk, \d+\.\d\d s\n\Z")

    def test_sort_stores_by_time(self):
        self.kitbag("convert", self.bag, "backward.bag", "--order", "reverse_time")
        stored = self.messages("backward.bag", "--order", "file")
        self.assertEqual(stored, self.messages(self.bag)[::-1])
        self.kitbag("sort", "backward.bag", "forward.bag")
        self.assertEqual(self.messages("forward.bag", "--order", "file"), stored[::-1])


class RenameTest(CliTest):
    def topics(self, *renames):
        self.kitbag("convert", self.bag, "out.bag", *renames)
        channels = self.info("out.bag")["channels"]
        return {channel["topic"]: channel["messages"] for channel in channels}

    def test_several(self):
        topics = self.topics("--rename", "/count:=/a/b", "/tick:=/tock")
        self.assertEqual(topics, {"/chatter": 100, "/a/b": 100, "/tock": 100})

    def test_two_topics_may_become_one(self):
        done = self.run_program("convert", self.bag, "out.bag", "--rename", "/count:=/tick")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--rename: /tick gets messages of 2 types", done.stderr)
        self.assertEqual(len(self.messages("out.bag", "--topics", "/tick")), 200)

    def test_patterns(self):
        topics = self.topics("--rename", "/c*:=/old/c*", "/count:=/n")
        self.assertEqual(topics, {"/n": 100, "/old/chatter": 100, "/tick": 100})

    def test_prefix(self):
        topics = self.topics("--rename", "/count:=/n", "--prefix", "/old")
        self.assertEqual(topics, {"/old/n": 100, "/old/chatter": 100, "/old/tick": 100})

    def test_mistakes_in_patterns(self):
        self.fails("convert", self.bag, "out.bag", "--rename", "/x*:=/y*", saying="no topic fits")
        self.fails("convert", self.bag, "out.bag", "--rename", "/c*:=/y", saying="unknown topic")
        self.assertEqual(self.files(), ["run.bag"])

    def test_a_topic_without_a_name_gets_one(self):
        text = b"\0\0\0\0"
        records = ((1, text * 2), (4, bytes(4) + text + b"\4\0\0\0ros1" + text),
                   (5, bytes(22) + text), (15, text), (2, bytes(20)))
        magic = b"\x89MCAP0\r\n"
        Path(self.path("bare.mcap")).write_bytes(
            magic + b"".join(bytes([op]) + len(data).to_bytes(8, "little") + data
                             for op, data in records) + magic)
        old_bag = ("bare.mcap", "out.bag", "--format-version", "1.1")
        self.fails("convert", *old_bag, saying="rename the topic")
        self.kitbag("convert", *old_bag, "--rename", ":=/named")
        self.assertIn('"/named"', self.kitbag("cat", "out.bag"))

    def test_mistakes(self):
        for rename, saying in (("/count", "OLD:=NEW"), ("/x:=", "OLD:=NEW"),
                               (":=/x", 'unknown topic ""'),
                               ("/nowhere:=/x", 'unknown topic "/nowhere"')):
            self.fails("convert", self.bag, "out.bag", "--rename", rename, saying=saying)
        self.fails("convert", self.bag, "out.bag", "--rename", "/count:=/x", "/count:=/y",
                   saying="--rename gives /count two new names")
        self.assertEqual(self.files(), ["run.bag"])


class SplitTest(CliTest):
    def parts(self, *options):
        self.kitbag("split", self.bag, "part.bag", *options)
        names = [name for name in self.files() if name.startswith("part")]
        self.assertEqual(names, [f"part_{i}.bag" for i in range(len(names))])
        counts = [self.info(name)["messages"] for name in names]
        self.assertEqual(self.digest(*names), self.digest(self.bag))
        for name in names:
            (self.folder / name).unlink()
        return counts

    def test_messages(self):
        self.assertEqual(self.parts("--split-messages", "120"), [120, 120, 60])

    def test_duration(self):
        counts = self.parts("--split-duration", "1s")
        self.assertEqual(sum(counts), 300)
        self.assertEqual(len(counts), 3)

    def test_size(self):
        counts = self.parts("--split-size", "12kB", "--chunk-size", "1kB")
        self.assertEqual(sum(counts), 300)
        self.assertGreater(len(counts), 2)

    def test_totals_name_all_files(self):
        line = self.kitbag("split", self.bag, "part.bag", "--split-messages", "100")
        self.assertRegex(line, r"\Apart_0\.bag to part_2\.bag: 300 messages, ")

    def test_files_of_an_earlier_split_are_pointed_out(self):
        self.kitbag("split", self.bag, "part.bag", "--split-messages", "50")
        done = self.run_program("split", self.bag, "part.bag", "--split-messages", "100", "-f")
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: part_3.bag and 2 more files remain", done.stderr)


class OverwriteTest(CliTest):
    def refuses(self, *arguments, saying):
        """It says why, and every file is as it was."""
        before = {name: (self.folder / name).read_bytes() for name in self.files()}
        self.fails(*arguments, saying=saying)
        after = {name: (self.folder / name).read_bytes() for name in self.files()}
        self.assertEqual(after, before)

    def test_what_exists_is_replaced_only_by_force(self):
        options = {"filter": ["--topics", "/tick"], "cut": ["--start", "+1s"],
                   "encrypt": ["--gpg-key", "*"]}
        for name in ("out.bag", "out.mcap", "out.db3"):
            (self.folder / name).write_text("somebody's\n")
            for verb in (*WRITING_VERBS, "repair", "reindex", "recover"):
                if verb in ("split", "encrypt") or (verb == "recover" and name != "out.bag"):
                    continue
                self.refuses(verb, self.bag, "-o", name, *options.get(verb, []),
                             saying=rf"{name}: already exists; use --force to replace it")
        self.kitbag("filter", self.bag, "out.bag", "--topics", "/tick", "--force")
        self.assertEqual(self.info("out.bag")["messages"], 100)
        self.kitbag("repair", self.bag, "out.mcap", "-f", "--format", "mcap")
        self.assertEqual(self.info("out.mcap")["messages"], 300)

    def test_it_is_refused_before_any_work(self):
        (self.folder / "out.mcap").write_text("somebody's\n")
        self.refuses("merge", "nowhere.bag", self.bag, "out.mcap",
                     saying="the last name is the output")

    def test_a_target_that_appears_meanwhile_is_not_replaced(self):
        self.kitbag("convert", self.bag, "in.mcap")
        content = (self.folder / "in.mcap").read_bytes()
        for name in ("out.bag", "out.mcap", "out.db3", "old.bag"):
            options = ["--format-version", "1.2"] if name == "old.bag" else []
            process = subprocess.Popen([program(), "convert", "-", name, *options],
                                       cwd=self.folder, stdin=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=False)
            process.stdin.write(content[:-100])
            process.stdin.flush()
            while not list(self.folder.glob(f".{name}.*.part")):
                self.assertIsNone(process.poll())
            (self.folder / name).write_text("somebody's\n")
            _, said = process.communicate(content[-100:])
            self.assertEqual(process.returncode, 2, name)
            self.assertIn(b"another program has created the file", said)
            self.assertEqual((self.folder / name).read_text(), "somebody's\n")
            self.assertEqual(list(self.folder.glob(".*.part")), [])

    def test_devices_and_pipes_are_no_targets_that_exist(self):
        self.kitbag("convert", self.bag, "/dev/null", "--format", "mcap")
        os.mkfifo(self.folder / "pipe.mcap")
        reader = subprocess.Popen(["cat", "pipe.mcap"], cwd=self.folder, stdout=subprocess.PIPE)
        self.kitbag("convert", self.bag, "pipe.mcap")
        piped = reader.communicate()[0]
        (self.folder / "piped.mcap").write_bytes(piped)
        self.kitbag("diff", self.bag, "piped.mcap")

    def test_recordings_and_snapshots(self):
        demo = ("record", "-a", "--from", "demo://?seconds=0.2", "-o", "out.mcap")
        (self.folder / "out.mcap").write_text("somebody's\n")
        self.refuses(*demo, saying=r"out\.mcap: already exists; use --force to replace it")
        self.kitbag(*demo, "--force")
        self.assertGreater(self.info("out.mcap")["messages"], 0)
        (self.folder / "part_0.mcap").write_text("somebody's\n")
        self.refuses(*demo[:-1], "part.mcap", "--split-messages", "10", saying="part_0.*--force")

    def test_what_get_writes(self):
        (self.folder / "text").write_text("a map\n")
        self.kitbag("convert", self.bag, "in.mcap")
        self.kitbag("add", "in.mcap", "attachment", "text")
        (self.folder / "out").write_text("somebody's\n")
        get = ("get", "in.mcap", "attachment", "text", "--output", "out")
        self.refuses(*get, saying="out: already exists; use --force to replace it")
        self.kitbag(*get, "--force")
        self.assertEqual((self.folder / "out").read_text(), "a map\n")
        self.fails("get", "in.mcap", "attachment", "none", "--output", "new", saying="none")
        self.assertFalse((self.folder / "new").exists())

    def test_files_of_a_split(self):
        self.kitbag("convert", self.bag, "a.bag")
        self.kitbag("convert", self.bag, "out_1.bag")
        for inputs in ((self.bag,), (self.bag, "a.bag")):
            arguments = ("split", *inputs, "out.bag", "--split-messages", "200")
            self.refuses(*arguments, saying=r"out_1\.bag: already exists")
        self.kitbag(*arguments, "--force")

    def test_a_directory_is_never_replaced(self):
        self.kitbag("convert", self.bag, "out/")
        before = (self.folder / "out/metadata.yaml").read_bytes()
        for options in ([], ["--force"]):
            self.fails("convert", self.bag, "out/", *options, saying="a directory is not replaced")
        self.assertEqual((self.folder / "out/metadata.yaml").read_bytes(), before)

    def test_a_target_is_never_its_source(self):
        os.symlink("run.bag", self.path("link.bag"))
        os.link(self.bag, self.path("twin.bag"))
        for verb in WRITING_VERBS:
            if verb == "split":
                continue  # its files have other names; below
            options = {"filter": ["--topics", "/tick"], "cut": ["--start", "+1s"],
                       "encrypt": ["--gpg-key", "*"]}.get(verb, [])
            for name in ("run.bag", "./run.bag", self.bag, f"file://{self.bag}", "link.bag",
                         "twin.bag"):
                self.refuses(verb, self.bag, "-o", name, *options, saying="is also the input ")
        self.refuses("convert", self.bag, "link.bag", "--force", saying="is also the input")
        self.refuses("convert", self.bag, "twin.bag", "--append", saying="is also the input")
        self.refuses("convert", "twin.bag", "link.bag", saying="is also the input")

    def test_no_part_of_a_split_is_its_source(self):
        os.symlink("run.bag", self.path("out_7.bag"))
        self.refuses("split", self.bag, "out.bag", "--split-messages", "9", saying=r"out_7\.bag")

    def test_a_link_is_followed(self):
        self.kitbag("convert", self.bag, "out.bag", "--topics", "/tick")
        os.symlink("out.bag", self.path("link.bag"))
        self.kitbag("convert", self.bag, "link.bag", "--force")
        self.assertTrue((self.folder / "link.bag").is_symlink())
        self.assertEqual(self.info("out.bag")["messages"], 300)


class AppendTest(CliTest):
    def test_adds(self):
        self.kitbag("cut", self.bag, "out.bag", "--end", "+1s")
        line = self.kitbag("convert", self.bag, "out.bag", "--append", "--start", "+1s")
        self.assertIn("out.bag: 200 messages", line)
        self.kitbag("diff", self.bag, "out.bag")
        self.kitbag("check", "out.bag")

    def test_several_inputs_need_no_force(self):
        self.kitbag("convert", self.bag, "a.bag")
        self.kitbag("convert", self.bag, "out.bag")
        self.kitbag("convert", self.bag, "a.bag", "out.bag", "--append")
        self.assertEqual(self.info("out.bag")["messages"], 900)

    def test_needs_a_bag(self):
        self.fails("convert", self.bag, "out.bag", "--append", saying=r"out\.bag: .*no such file")

    def test_excludes_splitting(self):
        self.kitbag("convert", self.bag, "out.bag")
        for option in ("--split-size", "--split-duration", "--split-messages"):
            self.fails("convert", self.bag, "out.bag", "--append", option, "5", saying="excludes")


class FailureTest(CliTest):
    """A target that cannot be completed leaves everything as it was."""

    def run_limited(self, *arguments):
        def limit_files():  # as on a disk that is full after this
            resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        return self.fails(*arguments, saying=r"out\.bag.*: .*file too large",
                          preexec_fn=limit_files)

    def test_the_limit_for_files_is_no_full_disk(self):
        def limit_files():  # above what an empty database takes
            resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for out in "out.db3", "out.mcap":
            self.fails("convert", "demo://?seconds=2&seed=7", out,
                       saying=rf"{out}: cannot write: file too large", preexec_fn=limit_files)

    def test_a_full_disk(self):
        self.run_limited("convert", self.bag, "out.bag")
        self.assertEqual(self.files(), ["run.bag"])

    def test_a_full_disk_keeps_the_old_target(self):
        self.kitbag("filter", self.bag, "out.bag", "--topics", "/tick")
        before = Path(self.path("out.bag")).read_bytes()
        for options in ([], ["--append"]):
            self.run_limited("convert", self.bag, "out.bag", *(options or ["--force"]))
            self.assertEqual(Path(self.path("out.bag")).read_bytes(), before)
        self.assertEqual(self.files(), ["out.bag", "run.bag"])

    def test_no_folder(self):
        self.fails("convert", self.bag, "nowhere/out.bag", saying="nowhere")
        self.fails("convert", self.bag, self.folder, "--format", "rosbag", saying="director")


if __name__ == "__main__":
    main()
