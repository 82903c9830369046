#!/usr/bin/env python3
"""Directories of rosbag2, and single SQLite bags, as targets and as bags."""

import os
import re
import resource
import shutil
import signal
import sqlite3
from pathlib import Path

from cli import CliTest, main


class TargetTest(CliTest):
    def names(self, folder="out"):
        return sorted(file.name for file in (self.folder / folder).iterdir())

    def metadata(self, folder="out"):
        return (self.folder / folder / "metadata.yaml").read_text()

    def test_a_slash_makes_a_directory_of_mcap(self):
        self.kitbag("convert", self.bag, "out/")
        self.assertEqual(self.names(), ["metadata.yaml", "out_0.mcap"])
        self.assertIn("  version: 5\n  storage_identifier: mcap\n", self.metadata())
        self.assertEqual(self.digest("out"), self.digest(self.bag))
        self.assertEqual(self.files(), ["out", "run.bag"])

    def test_the_format_is_that_of_the_files(self):
        self.kitbag("convert", self.bag, "out/", "--format", "sqlite3")
        self.assertEqual(self.names(), ["metadata.yaml", "out_0.db3"])
        info = self.info("out")
        self.assertEqual([info["format"], info["member_format"], info["files"], info["messages"]],
                         ["directory", "sqlite3", 1, 300])
        self.assertIn("directory 5, 1 file of sqlite3", self.kitbag("info", "out"))

    def test_info_has_no_number_of_chunks_of_a_directory(self):
        self.kitbag("convert", self.bag, "out/")
        self.assertNotIn("chunks:", self.kitbag("info", "out"))
        self.assertNotIn("chunks", self.info("out"))
        self.assertIn("chunks:", self.kitbag("info", "out/out_0.mcap"))

    def test_warnings_name_the_directory_and_not_where_it_is_staged(self):
        (self.folder / "note.txt").write_text("hi")
        self.kitbag("convert", self.bag, "run.mcap")
        self.kitbag("add", "run.mcap", "attachment", "note.txt")
        for out, more in (("one", ()), ("two", ("--split-messages", "200"))):
            done = self.run_program("convert", "run.mcap", f"{out}/", "--format", "sqlite3", *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr,
                             rf"(?m)^kitbag: warning: {out}/{out}_0\.db3: .*1 attachment")

    def test_a_split_goes_into_one_directory(self):
        self.kitbag("split", self.bag, "out/", "--split-messages", "100")
        self.assertEqual(self.names(), ["metadata.yaml"] + [f"out_{i}.mcap" for i in range(3)])
        self.assertEqual(re.findall(r"message_count: (\d+)", self.metadata())[-3:], ["100"] * 3)
        self.assertEqual(self.info("out")["messages"], 300)
        self.assertEqual(self.digest("out"), self.digest(self.bag))

    def test_appending_adds_a_file(self):
        self.kitbag("cut", self.bag, "out/", "--end", "+1s")
        self.kitbag("cut", self.bag, "out", "--start", "+1s", "--append")
        self.assertEqual(self.names(), ["metadata.yaml", "out_0.mcap", "out_1.mcap"])
        self.assertEqual(self.digest("out"), self.digest(self.bag))

    def test_what_is_added_is_compressed_as_the_metadata_says(self):
        for compression, mode in (("none", ""), ("zstd", "MESSAGE"), ("zstd_file", "FILE")):
            out = f"{compression}.d"
            sqlite = ("--format", "sqlite3")
            self.kitbag("convert", self.bag, f"{out}/", *sqlite, "--compression", compression)
            self.kitbag("convert", self.bag, out, "--append")
            self.assertEqual(self.info(out)["messages"], 600)
            self.assertIn(f"compression_mode: {mode}",
                          (self.folder / out / "metadata.yaml").read_text().replace('"', ""))
            names = sorted(path.name for path in (self.folder / out).glob("*db3*"))
            self.assertEqual([name.endswith(".zstd") for name in names],
                             [mode == "FILE"] * 2)
            other = "zstd" if compression != "zstd" else "zstd_file"
            self.fails("convert", self.bag, out, "--append", "--compression", other,
                       saying="gives one compression for all files")
            self.assertEqual(self.info(out)["messages"], 600)

    def test_check_compares_each_file_with_the_metadata(self):
        self.kitbag("split", self.bag, "out/", "--split-messages", "100")
        self.kitbag("cut", "out/out_1.mcap", "less.mcap", "--start", "+0.1s")
        os.replace(self.path("less.mcap"), self.path("out/out_1.mcap"))
        done = self.run_program("check", "out")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout,
                         r"metadata.yaml gives 100 messages of the file, which has \d\d")

    def test_a_file_that_is_listed_twice_is_read_once(self):
        self.kitbag("split", self.bag, "out/", "--split-messages", "150")
        path = self.folder / "out" / "metadata.yaml"
        path.write_text(path.read_text().replace("out_1.mcap", "out_0.mcap"))
        done = self.run_program("info", "out")
        self.assertIn("lists out_0.mcap twice", done.stderr)

    def test_a_folder_of_unrelated_bags_does_not_become_one(self):
        (self.folder / "all").mkdir()
        self.kitbag("convert", self.bag, "all/monday.mcap")
        self.kitbag("convert", self.bag, "all/tuesday.mcap")
        self.fails("repair", "all", "--in-place", saying="not called as those of one bag")
        self.assertEqual(self.names("all"), ["monday.mcap", "tuesday.mcap"])

    def test_files_that_are_compressed_as_a_whole_are_repaired_in_their_place(self):
        for kind, name in (("mcap", "out_0.mcap.zstd"), ("sqlite3", "out_0.db3.zstd")):
            shutil.rmtree(self.path("out"), ignore_errors=True)
            self.kitbag("split", "demo://?seconds=4&seed=7", "out/", "--split-duration", "2s",
                        "--format", kind, "--compression", "zstd_file")
            names, whole = self.names(), self.digest("out")
            messages = set(self.kitbag("cat", "out").splitlines())
            before = {each: (self.folder / "out" / each).read_bytes() for each in names}
            self.assertEqual(self.kitbag("repair", "out", "--in-place"),
                             "out: sound; not changed\n")
            self.assertEqual({each: (self.folder / "out" / each).read_bytes() for each in names},
                             before)

            (self.folder / "out" / "metadata.yaml").unlink()
            self.kitbag("repair", "out", "--in-place")
            self.assertEqual((self.names(), self.digest("out")), (names, whole))
            self.assertIn("compression_mode: FILE", self.metadata().replace('"', ""))
            self.kitbag("check", "out")

            file = self.folder / "out" / name
            file.write_bytes(before[name][:len(before[name]) // 2])
            self.kitbag("repair", "out", "--in-place", code=1)
            self.assertEqual(self.names(), names)
            self.assertEqual(file.read_bytes()[:4], b"\x28\xb5\x2f\xfd")
            self.kitbag("check", "out")
            saved = set(self.kitbag("cat", "out").splitlines())
            self.assertGreater(len(saved), len(messages) // 3)
            self.assertLess(saved, messages)

    def test_files_outside_are_read_only_where_that_is_allowed(self):
        self.kitbag("convert", self.bag, "out/")
        self.kitbag("convert", self.bag, "other.mcap")
        whole = self.digest("out")
        path = self.folder / "out" / "metadata.yaml"
        text = path.read_text()
        (self.folder / "out" / "out_0.mcap").unlink()
        for told in ("../other.mcap", self.path("other.mcap"), "x/../../other.mcap"):
            (self.folder / "out" / "x").mkdir(exist_ok=True)
            path.write_text(text.replace("out_0.mcap", told))
            for verb in ("info", "cat", "check", "du"):
                self.fails(verb, "out", saying="names .*other.mcap, which is outside the")
            self.assertEqual(self.digest("out", "--allow-outside"), whole)
        (self.folder / "other.mcap").rename(self.folder / "out" / "out_0.mcap")
        for told in ("out/out_0.mcap", "/data/runs/out/out_0.mcap", "../out/out_0.mcap"):
            path.write_text(text.replace("out_0.mcap", told))
            self.assertEqual(self.digest("out"), whole)

    def test_metadata_versions(self):
        for version in range(1, 10):
            out = f"v{version}/"
            self.kitbag("convert", self.bag, out, "--metadata-version", version)
            text = self.metadata(out)
            self.assertIn(f"  version: {version}\n", text)
            for key, since in (("compression_mode", 3), ("offered_qos_profiles", 4),
                               ("\n  files:", 5), ("custom_data", 6),
                               ("type_description_hash", 7), ("ros_distro", 8)):
                self.assertEqual(key in text, version >= since, (key, version))
            self.assertEqual(self.info(out)["version"], str(version))
            self.assertEqual(self.digest(out), self.digest(self.bag))
        self.fails("convert", self.bag, "no/", "--metadata-version", "10", saying="from 1 to 9")

    QOS = "history: keep_last", "history: 1"  # by name, by number

    def written_for(self, out, *options):
        """Of a latched channel: how its QoS is written in the file and in metadata.yaml, and the
        version of that."""
        self.kitbag("convert", self.native, out, *options)
        folder = self.folder / out
        file = next(file for file in folder.iterdir() if file.name != "metadata.yaml")
        content = file.read_bytes()
        text = self.metadata(out)
        found = []
        for where in (content, text.encode()):
            by_name, by_number = (where.count(form.encode()) for form in self.QOS)
            self.assertEqual((by_name > 0) + (by_number > 0), 1, out)
            found.append("names" if by_name else "numbers")
        version = int(re.search(r"  version: (\d+)", text).group(1))
        return (*found, version)

    def test_releases_of_ros_2(self):
        self.native = self.path("native.mcap")
        self.kitbag("convert", "demo://?seconds=0.2", self.native, "--encoding", "cdr",
                    "--exclude", "/rosout")
        named = self.path("named.mcap")
        self.kitbag("convert", self.native, named, "--ros-distro", "jazzy")
        self.assertIn(self.QOS[0].encode(), Path(named).read_bytes())
        self.assertNotIn(self.QOS[0].encode(), Path(self.native).read_bytes())
        for source in (self.native, named):
            self.native = source
            for kind in ("mcap", "sqlite3"):
                for distro, form, version in (
                        ("", "numbers", 5), ("foxy", "numbers", 4), ("galactic", "numbers", 4),
                        ("humble", "numbers", 5), ("iron", "numbers", 7), ("jazzy", "names", 9),
                        ("kilted", "names", 9), ("rolling", "names", 9)):
                    out = f"{Path(source).stem}-{kind}-{distro}/"
                    options = ["--ros-distro", distro] if distro else []
                    self.assertEqual(self.written_for(out, "--format", kind, *options),
                                     (form, form, version), out)
        self.assertEqual(self.written_for("nine/", "--metadata-version", "9"),
                         ("names", "names", 9))
        self.assertEqual(
            self.written_for("less/", "--ros-distro", "jazzy", "--metadata-version", "5"),
            ("numbers", "numbers", 5))

    def test_contradictions_between_releases_and_versions(self):
        for options, saying in (
                (["--ros-distro", "humble", "--metadata-version", "9"], "contradicts .* humble"),
                (["--ros-distro", "humble", "--format", "sqlite3", "--schema-version", "4"],
                 "schema version 4 contradicts"),
                (["--ros-distro", "hydro"], "unknown release of ROS 2 \"hydro\"")):
            self.fails("convert", self.bag, "out/", *options, saying=saying)
        self.fails("convert", self.bag, "out.bag", "--ros-distro", "humble",
                   saying="cannot read the format rosbag")
        self.assertEqual(self.files(), ["run.bag"])

    def test_older_versions_keep_what_newer_ones_say(self):
        self.kitbag("convert", "demo://?seconds=0.2", "native.mcap", "--encoding", "cdr",
                    "--exclude", "/rosout")
        self.kitbag("convert", "native.mcap", "out/")
        self.assertIn("type_description_hash: RIHS01_", self.metadata())

    def test_compression(self):
        self.kitbag("convert", self.bag, "out/", "--compression", "zstd_file")
        self.assertEqual(self.names(), ["metadata.yaml", "out_0.mcap.zstd"])
        self.assertIn("compression_mode: FILE", self.metadata())
        self.assertEqual(self.digest("out"), self.digest(self.bag))
        self.kitbag("convert", self.bag, "each/", "--compression", "zstd", "--format", "sqlite3")
        self.assertIn("compression_mode: MESSAGE", self.metadata("each"))
        self.assertIn("each message by zstd", self.kitbag("info", "each"))
        self.assertEqual(self.digest("each"), self.digest(self.bag))
        self.fails("convert", self.bag, "no/", "--compression", "bz2",
                   saying="mcap does not support")

    def test_a_directory_is_not_replaced(self):
        self.kitbag("convert", self.bag, "out/")
        before = self.names()
        self.fails("convert", self.bag, "out/", saying="out/: already exists")
        self.assertEqual(self.names(), before)

    def test_a_full_disk(self):
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        for out, *options in (["out/"], ["out/", "--format", "sqlite3"], ["out.db3"],
                              ["out.db3", "--preset", "resilient"]):
            self.fails("convert", self.bag, out, *options, saying=r"out.*: ",
                       preexec_fn=limit_files)
            self.assertEqual(self.files(), ["run.bag"])


class BagTest(CliTest):
    def setUp(self):
        super().setUp()
        self.kitbag("split", self.bag, "dir/", "--split-messages", "100", "--format", "sqlite3")
        self.yaml = self.folder / "dir" / "metadata.yaml"

    def warned(self, *arguments):
        """What the program says when all is well but for a warning."""
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Akitbag: warning: [^\n]+\n\Z")
        return done

    def test_every_reading_verb(self):
        for verb in ("info", "cat", "du", "check"):
            self.kitbag(verb, "dir")
        self.kitbag("nth", "dir", "/tick", "7")
        self.kitbag("list", "dir", "topics")
        self.kitbag("diff", "dir", self.bag)
        self.kitbag("filter", "dir", "tick.mcap", "--topics", "/tick")
        self.assertEqual(self.info("tick.mcap")["messages"], 100)
        self.kitbag("cut", "dir", "cut.db3", "--start", "+1s", "--end", "+2s")
        self.assertEqual(self.info("cut.db3")["messages"], 100)
        self.kitbag("merge", self.bag, "tick.mcap", "dir", "out.mcap")
        self.assertEqual(self.info("out.mcap")["messages"], 700)
        self.kitbag("sort", "dir", "sorted.bag")
        self.kitbag("compress", "dir", "-o", "small.mcap")

    def test_without_metadata(self):
        expected = self.yaml.read_text()
        self.yaml.unlink()
        done = self.warned("info", "dir")
        self.assertIn("metadata.yaml is missing", done.stderr)
        self.fails("info", "--strict", "dir", saying="metadata.yaml is missing")
        self.assertEqual(self.run_program("check", "dir").returncode, 1)
        self.run_program("repair", "--in-place", "dir")
        self.assertEqual(self.yaml.read_text(), expected)
        self.kitbag("check", "dir")

    def test_metadata_that_is_not_true(self):
        """A recorder that has crashed has listed less than there is."""
        lines = self.yaml.read_text()
        stale = lines.replace("    - dir_2.db3\n", "")
        stale = re.sub(r"\n    - path: dir_2.db3(\n      .*)+", "", stale)
        self.assertNotIn("dir_2", stale)
        self.yaml.write_text(stale)
        done = self.warned("cat", "--format", "digest", "dir")
        self.assertIn("does not match the files", done.stderr)
        self.assertEqual(done.stdout, self.digest(self.bag))

    def unlist(self, number):
        """Takes a file out of both lists of metadata.yaml, and leaves the sums."""
        lines = self.yaml.read_text().replace(f"    - dir_{number}.db3\n", "")
        lines = re.sub(rf"\n    - path: dir_{number}.db3(\n      .*)+", "", lines)
        self.assertNotIn(f"dir_{number}", lines)
        self.yaml.write_text(lines)

    def test_a_file_that_is_not_listed_is_read_if_its_messages_are_promised(self):
        for number in (0, 1):
            with self.subTest(number):
                whole = self.yaml.read_text()
                self.unlist(number)
                done = self.warned("cat", "--format", "digest", "dir")
                self.assertIn("does not match the files", done.stderr)
                self.assertEqual(done.stdout, self.digest(self.bag))
                self.run_program("repair", "--in-place", "dir")
                self.assertEqual(self.yaml.read_text(), whole)

    def test_a_file_that_is_not_listed_is_left_out_if_nothing_is_missing(self):
        self.unlist(1)
        self.yaml.write_text(self.yaml.read_text().replace("message_count: 300",
                                                           "message_count: 200"))
        done = self.run_program("info", "dir")
        self.assertIn("metadata.yaml does not list dir_1.db3, which is left out", done.stderr)
        self.assertRegex(done.stdout, r"messages: +200")

    def test_a_missing_file_is_told(self):
        (self.folder / "dir" / "dir_1.db3").unlink()
        done = self.run_program("info", "dir")
        self.assertIn("lists dir_1.db3, which does not exist", done.stderr)
        self.assertRegex(done.stdout, r"messages: +200")

    def test_a_damaged_file_is_repaired_in_its_place(self):
        damaged = Path(self.path("dir/dir_1.db3"))
        damaged.write_bytes(damaged.read_bytes()[:-4096])
        self.assertEqual(self.run_program("check", "dir").returncode, 1)
        others = [Path(self.path(f"dir/dir_{i}.db3")).read_bytes() for i in (0, 2)]
        self.run_program("repair", "--in-place", "dir")
        self.kitbag("check", "dir")
        self.assertEqual(others, [Path(self.path(f"dir/dir_{i}.db3")).read_bytes()
                                  for i in (0, 2)])

    def test_a_file_that_has_lost_its_end_is_compared_with_the_metadata(self):
        self.kitbag("split", self.bag, "cut/", "--split-messages", "100")
        Path(self.path("cut/cut_1.mcap")).write_bytes(b"")
        done = self.run_program("convert", "cut", "out.mcap")
        self.assertEqual(done.returncode, 1)
        self.assertIn("metadata.yaml gives 100 messages of this file, of which 0 were found",
                      self.run_program("check", "cut").stdout + done.stderr)
        for target in (["-o", "saved.mcap"], ["--in-place"]):
            done = self.run_program("repair", "cut", *target)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, "lost: 100 messages at 1 place")
        self.kitbag("check", "cut")
        self.assertEqual(self.info("cut")["messages"], 200)

    def test_a_file_that_cannot_be_saved_keeps_no_other_one_from_it(self):
        garbage, cut = Path(self.path("dir/dir_1.db3")), Path(self.path("dir/dir_2.db3"))
        garbage.write_bytes(b"garbage" * 1000)
        cut.write_bytes(cut.read_bytes()[:-4096])
        done = self.run_program("repair", "--in-place", "dir")
        self.assertEqual(done.returncode, 1)
        self.assertIn("dir_1.db3", done.stderr + done.stdout)
        self.kitbag("check", "dir/dir_2.db3")
        self.assertEqual(garbage.read_bytes(), b"garbage" * 1000)

    def test_files_without_counts_are_not_read_to_open_the_directory(self):
        """As rosbag2 before Iron writes them: only metadata.yaml has counts. Each message has a
        page of its own here, and one of them is damaged."""
        self.kitbag("convert", self.bag, "old/", "--format", "sqlite3", "--split-messages", "100")
        for i in range(3):
            database = sqlite3.connect(self.path(f"old/old_{i}.db3"), isolation_level=None)
            database.execute("DELETE FROM metadata")
            database.execute("UPDATE messages SET data = CAST(printf('%.3000c', 'x') AS BLOB)")
            database.execute("VACUUM")
            database.close()
        first = Path(self.path("old/old_0.db3"))
        content = bytearray(first.read_bytes())
        place = content.index(b"x" * 3000, len(content) // 2) // 4096 * 4096
        content[place:place + 4096] = bytes(4096)
        first.write_bytes(content)
        self.assertRegex(self.kitbag("info", "old"), r"messages: +300")
        done = self.run_program("cat", "old", "--format", "digest")
        self.assertEqual(done.returncode, 1)
        self.assertIn("old_0.db3", done.stderr)

    def test_storage_format_forces_that_of_the_files(self):
        self.kitbag("info", "--storage-format", "sqlite3", "dir")
        self.fails("info", "--strict", "--storage-format", "mcap", "dir", saying="MCAP")

    def test_no_bag(self):
        (self.folder / "empty").mkdir()
        self.fails("info", "empty", saying="not a bag: it contains neither metadata.yaml nor files"
                                           r" in a supported format\n")

    def test_a_folder_of_folders_with_bags(self):
        (self.folder / "days/monday").mkdir(parents=True)
        self.kitbag("convert", "run.bag", "days/monday/run.mcap")
        for verb, *options in (("info",), ("du",), ("cat",), ("stats",), ("list", "topics"),
                               ("export", "-o", "out"), ("convert", "--output-dir", "out")):
            arguments = [verb, *options[:1], "days"] if verb == "list" else [verb, "days", *options]
            self.fails(*arguments, saying="days: not a bag: .*; use -r to read the bags in the "
                                          r"folders below\n")
            self.assertEqual(self.run_program(*arguments, "-r").returncode, 0, arguments)
        self.fails("convert", "days", "x.mcap", saying="; use --output-dir DIR and -r to read the")
        self.fails("nth", "days", "/tick", "0", saying=r"in a supported format\n")


if __name__ == "__main__":
    main()
