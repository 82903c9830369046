#!/usr/bin/env python3
"""What a catalog keeps of a bag beside its index: pictures, checksums, what recorders dropped,
damage. Catalogs of older kitbags. In SQLite and in PostgreSQL."""

import hashlib
import os
import shutil
import sqlite3
import struct
import subprocess
from pathlib import Path

from catalog_case import STEP_NS, Catalogs, InPostgres, InSqlite
from cli import START_NS, BagFile, CliTest, main, u32
from peers import need, program
from videos import HEIGHT, KEYS, WIDTH, videos

IMAGE = ("uint32 height\nuint32 width\nstring encoding\nuint8 is_bigendian\nuint32 step\n"
         "uint8[] data\n")
COMPRESSED = "string format\nuint8[] data\n"
SECOND_NS = 10**9
NOBODY = 65534


def text(value):
    return u32(len(value)) + value


def image(width, height, data, encoding=b"rgb8"):
    return u32(height) + u32(width) + text(encoding) + b"\0" + u32(width * 3 % 2**32) + text(data)


def png_header(width, height):
    """The first bytes of a PNG, and nothing of its content."""
    return (b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" +
            struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0) + b"\0\0\0\0")


def size_of_jpeg(data):
    """Width and height, as its header says."""
    assert data[:2] == b"\xff\xd8" and data[-2:] == b"\xff\xd9"
    at = 2
    while data[at + 1] not in (0xc0, 0xc2):
        at += 2 + struct.unpack(">H", data[at + 2:at + 4])[0]
    height, width = struct.unpack(">HH", data[at + 5:at + 9])
    return width, height


def flip_byte(path, at):
    """Silently: the size and the time stay."""
    before = os.stat(path)
    data = bytearray(Path(path).read_bytes())
    data[at] ^= 0x40
    Path(path).write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def sha256_of(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class Contents(Catalogs):
    """What every kind of catalog must do."""

    def drive(self, name, *arguments):
        """A simulated drive of a few seconds, with a camera."""
        self.kitbag("convert", "demo://?seconds=4&seed=7", name, *arguments)

    def test_pictures_of_cameras(self):
        self.drive("drive.mcap")
        self.catalog("init")
        self.catalog("add", "drive.mcap")
        (bag,) = self.listed()
        counts = {each["topic"]: each["pictures"] for each in bag["topics"]}
        self.assertEqual({topic: count for topic, count in counts.items() if count > 0},
                         {"/camera/image": 8})
        times = set()
        for offset_ns in (-SECOND_NS, 0, 2 * SECOND_NS, 99 * SECOND_NS):
            at = bag["start_ns"] + offset_ns
            out = self.catalog("picture", "drive.mcap", "-o", "small.jpg", "--force", "--topic",
                               "/camera/image", "--at", f"{at // SECOND_NS}.{at % SECOND_NS:09}")
            self.assertRegex(out, r"small\.jpg: /camera/image at 2026-\S+, ")
            times.add(out.split()[3])
            data = Path(self.path("small.jpg")).read_bytes()
            self.assertEqual(max(size_of_jpeg(data)), 160)
            self.assertLess(len(data), 16 * 1024)
        self.assertEqual(len(times), 3)  # of the first two, one is the first picture
        done = self.run_program("catalog", "picture", self.address, "drive.mcap", "-o", "-",
                                text=False)
        self.assertEqual(max(size_of_jpeg(done.stdout)), 160)
        self.fails("catalog", "picture", self.address, "drive.mcap", "-o", "small.jpg",
                   saying="exists")
        self.fails("catalog", "picture", self.address, "drive.mcap", "-o", "x.jpg", "--topic",
                   "/imu", saying="no picture of /imu")
        self.fails("catalog", "picture", self.address, "drive.mcap", "-o", "x.png",
                   saying="pictures of a catalog are JPEG; end the name with .jpg, not .png")

    def test_pictures_of_a_video_are_its_key_frames(self):
        need((Path(program()).resolve().parent / "plugins/video_libav.so").exists(),
             "libavcodec-dev is not installed")
        bag = BagFile(self.path("video.bag"))
        video = bag.connection("/video", "foxglove_msgs/CompressedVideo", definition=COMPRESSED)
        bag.add_chunk([(video, START_NS + i * STEP_NS, text(b"h264") + text(frame))
                       for i, frame in enumerate(videos()["h264"])])
        bag.close()
        self.catalog("init")
        self.catalog("add", "video.bag")
        self.assertEqual(self.listed()[0]["topics"][0]["pictures"], len(KEYS))
        out = self.catalog("picture", "video.bag", "--at", "2024-01-01T00:00:00Z", "-o", "x.jpg")
        self.assertIn("/video at 2023-11-14T22:13:20.6", out)
        self.assertEqual(size_of_jpeg(Path(self.path("x.jpg")).read_bytes()), (WIDTH, HEIGHT))

    def test_images_that_are_broken_or_huge_cost_nothing(self):
        bag = BagFile(self.path("broken.bag"))
        raw = bag.connection("/raw", "sensor_msgs/Image", definition=IMAGE)
        png = bag.connection("/png", "sensor_msgs/CompressedImage", definition=COMPRESSED)
        good = bag.connection("/good", "sensor_msgs/Image", definition=IMAGE)
        bag.add_chunk([
            *[(raw, START_NS + i, image(2**32 - 1, 2**32 - 1, b"abc")) for i in range(20)],
            *[(png, START_NS + 100 + i, text(b"png") + text(png_header(60000, 60000)))
              for i in range(20)],
            (good, START_NS + 200, image(640, 480, b"short")),
            (good, START_NS + 201, b"\x01"),
            (good, START_NS + 202, image(40, 30, bytes(40 * 30 * 3))),
            (raw, START_NS + SECOND_NS, b"")])
        bag.close()
        self.catalog("init")
        self.assertEqual(self.catalog("add", "broken.bag"), "broken.bag: added\n1 added\n")
        counts = {each["topic"]: each["pictures"] for each in self.listed()[0]["topics"]}
        self.assertEqual(counts, {"/raw": 0, "/png": 0, "/good": 1})
        self.catalog("picture", "broken.bag", "-o", "small.jpg")
        data = Path(self.path("small.jpg")).read_bytes()
        self.assertEqual(size_of_jpeg(data), (40, 30))  # none is scaled up

    def test_messages_that_cannot_be_decoded_are_counted(self):
        bag = BagFile(self.path("odd.bag"))
        number = bag.connection("/number", "std_msgs/Int32", definition="int32 data\n")
        bag.add_chunk([(number, START_NS + i, b"\1\2" if i == 5 else u32(i)) for i in range(10)])
        bag.close()
        self.catalog("init")
        self.catalog("add", "odd.bag")
        self.assertEqual(self.listed()[0]["topics"][0]["undecoded"], 1)
        found, said = self.found("--where", "data > 500")
        self.assertEqual(found, [])
        self.assertIn("1 bag: 1 ruled out by the catalog, 0 opened", said)
        self.assertIn("1 message cannot be decoded", said)
        found, _ = self.found("--where", "data == 6")
        self.assertEqual(len(found), 1)

    def test_checksums_find_one_flipped_byte(self):
        self.drive("drive.mcap", "--compression", "none")
        self.drive("parts/", "--split-duration", "2s")
        self.catalog("init")
        self.catalog("add", "run.bag")
        self.catalog("add", "drive.mcap", "parts", "--checksums")
        bags = {Path(bag["files"][0]).name: bag["checksums"] for bag in self.listed()}
        self.assertEqual(bags["run.bag"], [])
        self.assertEqual(bags["drive.mcap"], [
            {"file": "drive.mcap", "size_bytes": os.path.getsize(self.path("drive.mcap")),
             "sha256": sha256_of(self.path("drive.mcap"))}])
        self.assertEqual({each["file"]: each["sha256"] for each in bags["parts"]},
                         {path.name: sha256_of(path)
                          for path in (self.folder / "parts").glob("*.mcap")})
        self.assertEqual(self.catalog("check"), "3 paths: 0 missing, 0 changed or unreadable\n")
        done = self.run_program("catalog", "check", self.address, "--checksums")
        self.assertEqual((done.returncode, done.stdout),
                         (0, "3 paths: 0 missing, 0 changed or unreadable, 0 damaged\n"))
        self.assertIn("1 path without checksums", done.stderr)
        # The ones that lack checksums get them, once.
        self.assertEqual(self.catalog("scan", ".", "--checksums"),
                         "./run.bag: updated\n2 unchanged, 1 updated\n")
        self.assertEqual(self.catalog("scan", ".", "--checksums"), "3 unchanged\n")

        # In the middle, which is no part of what bags are known by.
        at = os.path.getsize(self.path("drive.mcap")) // 2
        shutil.copy(self.path("drive.mcap"), self.path("copy.mcap"))
        flip_byte(self.path("copy.mcap"), at)
        part = sorted((self.folder / "parts").glob("*.mcap"))[1]
        flip_byte(part, os.path.getsize(part) // 2)
        os.utime(self.path("drive.mcap"))  # its time alone
        done = self.run_program("catalog", "add", self.address, "copy.mcap")
        self.assertIn("copy.mcap: copied", done.stdout)
        done = self.run_program("catalog", "check", self.address, "--checksums")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[-1], "4 paths: 0 missing, 0 changed or unreadable, 2 damaged")
        self.assertRegex(lines[0], r"copy\.mcap: is damaged: copy\.mcap has other bytes")
        self.assertRegex(lines[1], rf"parts: is damaged: {part.name} has other bytes")
        self.assertEqual(len(lines), 3)
        Path(self.path("copy.mcap")).write_bytes(b"another")
        done = self.run_program("catalog", "check", self.address, "--checksums")
        self.assertRegex(done.stdout, r"copy\.mcap: has changed since it was added")
        self.assertIn("1 changed or unreadable, 1 damaged", done.stdout)

    def test_what_recorders_dropped(self):
        self.kitbag("convert", "run.bag", "run.mcap")
        self.kitbag("add", "run.mcap", "metadata", "kitbag_recording", "dropped=9", "lost=3",
                    "dropped /count=7", "dropped /gone=2", "lost /count=3", "dropped /tick=0",
                    "dropped /odd=many", f"lost /huge={2**64 - 1}")
        self.catalog("init")
        self.catalog("add", "run.mcap", "run.bag")
        (bag,) = self.listed("--dropped")
        self.assertEqual(bag["files"], [self.path("run.mcap")])
        self.assertEqual(bag["drops"], [
            {"topic": "/count", "dropped": 7, "lost": 3},
            {"topic": "/gone", "dropped": 2, "lost": 0},
            {"topic": "/huge", "dropped": 0, "lost": 2**63 - 1}])
        self.assertIn("  missing of /count: 7 dropped, 3 lost\n", self.catalog("list"))

    def test_damage_is_said_when_a_bag_is_added(self):
        self.drive("drive.mcap", "--compression", "none")
        self.cut_off("cut.bag")
        flip_byte(self.path("drive.mcap"), os.path.getsize(self.path("drive.mcap")) // 2)
        self.catalog("init")
        code = 0
        for name in ("cut.bag", "drive.mcap"):
            read = self.run_program("cat", name, stdout=subprocess.DEVNULL)
            done = self.run_program("catalog", "add", self.address, name)
            self.assertEqual((done.returncode, done.stdout), (read.returncode,
                                                              f"{name}: added\n1 added\n"))
            self.assertRegex(done.stderr, rf"\Akitbag: warning: \S*/{name} [^\n]*\n\Z")
            code = max(code, done.returncode)
            # It is told once, when it is read.
            self.assertEqual(self.catalog("add", name), "1 unchanged\n")
        self.assertEqual(code, 1)
        self.catalog("add", "run.bag")
        damaged = self.listed("--damaged")
        self.assertEqual({Path(bag["files"][0]).name for bag in damaged}, {"cut.bag", "drive.mcap"})
        for bag in damaged:
            self.assertGreater(bag["problems"], 0)
            self.assertNotEqual(bag["damage"], "")
        self.assertIn("  damage: ", self.catalog("list", "--damaged"))
        self.catalog("remove", "drive.mcap")
        done = self.run_program("catalog", "add", self.address, "drive.mcap", "--strict")
        self.assertEqual((done.returncode, done.stdout), (2, "1 failed\n"))
        self.assertEqual(len(self.listed("--damaged")), 1)

    def test_a_copy_that_is_intact_again(self):
        """A hole in the middle leaves the fingerprint as it is."""
        self.drive("drive.mcap", "--compression", "none")
        at = os.path.getsize(self.path("drive.mcap")) // 2
        whole = Path(self.path("drive.mcap")).read_bytes()
        flip_byte(self.path("drive.mcap"), at)
        self.catalog("init")
        self.run_program("catalog", "add", self.address, "drive.mcap")
        self.assertEqual(len(self.listed("--damaged")), 1)
        Path(self.path("drive.mcap")).write_bytes(whole)
        self.assertEqual(self.catalog("add", "drive.mcap"), "drive.mcap: updated\n1 updated\n")
        self.assertEqual(self.listed("--damaged"), [])

    def old_catalog(self):
        """One of version 1, as an older kitbag has left it, with run.bag."""
        script = Path(__file__).with_name(f"catalog_version_1_{self.engine}.sql").read_text()
        self.run_sql(script.replace("@FOLDER@", str(self.folder)))
        state = os.stat(self.bag)
        self.run_sql(f"UPDATE files SET size_bytes = {state.st_size}, "
                     f"modified_ns = {state.st_mtime_ns}")

    def test_a_catalog_of_an_older_kitbag_is_brought_up_to_date(self):
        self.old_catalog()
        # By several at once: one does it, and the others wait.
        lists = [subprocess.Popen([program(), "catalog", "list", self.address],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                 for _ in range(6)]
        said = [each.communicate(timeout=60) for each in lists]
        self.assertEqual([each.returncode for each in lists], [0] * 6, said)
        self.assertEqual(len(set(said)), 1)
        for part in ("note: the wheel slips", "tags: robot=r7", "slip", "300 messages, 3 topics"):
            self.assertIn(part, said[0][0])
        self.assertGreater(self.run_sql("SELECT version FROM kitbag_catalog")[0][0], 1)
        found, told = self.found("--where", "data == 100", "--topics", "/count")
        self.assertEqual((len(found), "1 opened" in told), (1, True))

        # What it did not keep is filled in by the next scan; what was noted stays.
        self.assertEqual(self.catalog("scan", ".", "--index-only"),
                         "./run.bag: updated\n1 updated\n")
        self.assertEqual(self.run_sql("SELECT COUNT(*) FROM pyramids"), [(3,)])  # they stay
        self.assertEqual(self.catalog("scan", "."), "./run.bag: updated\n1 updated\n")
        self.assertEqual(self.catalog("scan", "."), "1 unchanged\n")
        (bag,) = self.listed()
        self.assertEqual((bag["note"], bag["tags"], len(bag["events"]), bag["problems"]),
                         ("the wheel slips", {"robot": "r7"}, 1, 0))
        self.catalog("add", "run.bag", "--tag", "site=hall")

    def test_an_interrupted_update_leaves_the_old_version(self):
        self.old_catalog()
        self.run_sql("CREATE TABLE checksums (x BIGINT)")
        done = self.run_program("catalog", "list", self.address)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "older kitbag, and its tables cannot be brought up to date")
        self.assertEqual(self.run_sql("SELECT version FROM kitbag_catalog"), [(1,)])
        with self.assertRaises((sqlite3.OperationalError, subprocess.CalledProcessError)):
            self.run_sql("SELECT detail FROM bags")
        self.run_sql("DROP TABLE checksums")
        self.assertEqual(len(self.listed()), 1)

    def test_what_the_database_answers_is_not_trusted(self):
        self.catalog("init")
        self.drive("drive.mcap")
        self.numbers("number.bag", [1, 2, 3])
        self.catalog("add", "number.bag", "drive.mcap")
        self.run_sql("UPDATE pyramids SET data = substr(data, 1, 9)")
        done = self.run_program("find", "--catalog", self.address, "--where", "data > 7",
                                "--topics", "/number")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"number\.bag: what the catalog knows .* is damaged; remove")
        self.run_sql("UPDATE pictures SET data = substr(data, 1, 100)")
        self.fails("catalog", "picture", self.address, "drive.mcap", "-o", "x.jpg",
                   saying="a small picture in the catalog is damaged")
        self.assertNotIn("x.jpg", self.files())
        self.run_sql("UPDATE bag_channels SET density = substr(density, 1, 9)")
        self.fails("catalog", "list", self.address, saying="damaged; remove")
        self.run_sql("UPDATE bag_channels SET density = NULL, messages = -5")
        self.fails("catalog", "list", self.address, saying="number below 0")
        # What is damaged can be removed and added again.
        self.catalog("remove", "drive.mcap")
        self.catalog("remove", "number.bag")
        self.catalog("add", "number.bag")
        self.assertEqual(len(self.found("--where", "data == 3")[0]), 1)

    def test_misuse(self):
        for arguments in (["list", "--checksums"], ["add", "run.bag", "--damaged"],
                          ["check", "--dropped"], ["picture", "run.bag"],
                          ["picture", "a", "b", "-o", "x.jpg"], ["add", "run.bag", "-o", "x"],
                          ["list", "--topic", "/a"], ["check", "--at", "2026-01-01T00:00:00Z"],
                          ["list", "--force"]):
            done = self.run_program("catalog", arguments[0], self.address, *arguments[1:])
            self.assertEqual(done.returncode, 2, arguments)


class SqliteContentsTest(InSqlite, Contents, CliTest):
    engine = "sqlite"

    def test_a_catalog_that_cannot_be_written_is_read(self):
        self.catalog("init")
        self.numbers("number.bag", [1, 2, 3])
        self.catalog("add", "number.bag")
        listed = self.catalog("list")
        other = {"user": NOBODY} if os.geteuid() == 0 else {}
        database = Path(self.address)
        self.addCleanup(self.folder.chmod, 0o755)

        def protect(of_file, of_folder=0o555):
            database.chmod(of_file)
            self.folder.chmod(of_folder)

        protect(0o444)
        self.assertEqual(self.catalog("list", **other), listed)
        self.assertIn("number.bag", self.kitbag("find", "--catalog", self.address, **other))
        self.fails("catalog", "set", self.address, "number.bag", "--note", "x",
                   saying="the file or its folder cannot be written", **other)
        protect(0o666)  # a file that can be written, in a folder that cannot
        self.assertEqual(self.catalog("list", **other), listed)
        protect(0o444, 0o777)  # and the other way round
        self.assertEqual(self.catalog("list", **other), listed)

        # What a writer has left beside it is not passed over.
        self.folder.chmod(0o755)
        log = Path(self.address + "-wal")
        log.write_bytes(b"changes")
        protect(0o444)
        self.fails("catalog", "list", self.address, saying="log, NAME-wal", **other)

        # An old one cannot be brought up to date.
        self.folder.chmod(0o755)
        log.unlink()
        database.unlink()
        self.old_catalog()
        protect(0o444)
        self.fails("catalog", "list", self.address, saying="cannot be brought up to date", **other)


class PostgresContentsTest(InPostgres, Contents, CliTest):
    engine = "postgres"

    def test_a_database_without_an_encoding(self):
        """SQL_ASCII takes any bytes, and gives them as they are."""
        self.server.ask("CREATE DATABASE anyhow ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' "
                        "TEMPLATE template0")
        self.address = self.server.url("anyhow")
        self.catalog("init")
        self.catalog("add", "run.bag", "--tag", "site=Zürich")
        self.server.ask(r"UPDATE bags SET note = E'\xff\xfe\xc3'", "anyhow")
        self.assertRegex(self.catalog("list"), r"note: \S*\\xff")
        (bag,) = self.listed("--tag", "site=Zürich")
        self.assertIn("\ufffd", bag["note"])
        self.assertEqual(len(self.listed("--text", "run")), 1)

    def test_who_may_only_read(self):
        self.catalog("init")
        self.catalog("add", "run.bag")
        self.server.ask("CREATE USER reader; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
                        self.database)
        owner, self.address = self.address, self.address.replace("bag:secret@", "reader@")
        self.assertEqual(len(self.listed()), 1)
        self.fails("catalog", "remove", self.address, "run.bag", saying="permission denied")
        self.address = owner


if __name__ == "__main__":
    main()
