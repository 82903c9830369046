#!/usr/bin/env python3
"""Encrypted bags, both ways with the real rosbag: its C++ encrypt and decrypt, its Python reader
and writer."""

import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import gpg_home as gpg  # noqa: E402
import peers  # noqa: E402
import ros1  # noqa: E402
from peers import digest, kitbag, kitbag_digest, run  # noqa: E402

COMPRESSIONS = {"none": [], "bz2": ["--bz2"], "lz4": ["--lz4"]}
SECRETS = (b"/chatter", b"std_msgs", b"sentence", b"callerid", b"string data")


class WithKeys(unittest.TestCase):
    """A plain bag of the real rosbag, and a gpg with keys."""

    @classmethod
    def setUpClass(cls):
        ros1.need_rosbag()
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        gpg.home_for(cls, (f"{gpg.USER} <{gpg.ADDRESS}>",), (gpg.LOCKED, gpg.PASSPHRASE))
        cls.plain = cls.folder / "plain.bag"
        ros1.write_bag(cls.plain)
        cls.messages = ros1.messages(cls.plain)

    def real_encrypt(self, name, *options, user=gpg.USER):
        """A copy of the plain bag that `rosbag encrypt` has encrypted."""
        bag = self.folder / name
        shutil.copy(self.plain, bag)
        run("rosbag", "encrypt", "-q", "-f", "-r", user, *options, bag)
        self.assertGreater(bag.stat().st_size, 10_000, "the real rosbag failed and did not say so")
        return bag

    def real_decrypt(self, bag):
        copy = bag.with_name("decrypted_" + bag.name)
        shutil.copy(bag, copy)
        run("rosbag", "decrypt", "-q", "-f", copy)
        return copy

    def assert_secret(self, bag):
        content = bag.read_bytes()
        for secret in SECRETS:
            self.assertNotIn(secret, content)


class ReadHere(WithKeys):
    def assert_readable(self, bag, user, compression, *notes):
        for key in ("*", gpg.ADDRESS, gpg.USER):
            self.assertEqual(kitbag_digest(bag, "--gpg-key", key), digest(self.messages))
        info = peers.run_json(peers.program(), "info", "--json", bag, "--gpg-key", "*")
        self.assertEqual((info["encryption"], info["gpg_user"]), ("rosbag/AesCbcEncryptor", user))
        self.assertEqual(info["compression"], compression)
        self.assertTrue(info["indexed"])
        found = kitbag("check", bag, "--gpg-key", "*").splitlines()[:-1]
        self.assertEqual(len(found), len(notes), found)
        for note, line in zip(notes, found):
            self.assertIn(note, line)

    def test_what_the_program_encrypts(self):
        for compression, options in COMPRESSIONS.items():
            with self.subTest(compression):
                bag = self.real_encrypt(f"real_{compression}.bag", *options)
                self.assert_readable(bag, gpg.USER, compression)

    def test_what_python_encrypts(self):
        for compression in COMPRESSIONS:
            with self.subTest(compression):
                bag = self.folder / f"python_{compression}.bag"
                ros1.write_bag(bag, compression, gpg_user=gpg.ADDRESS)
                self.assert_readable(bag, gpg.ADDRESS, compression, "come after later ones")

    def test_without_a_name(self):
        # For the first key of a ring, when that has no name, the real one stores an empty user;
        # then it cannot read its own bag.
        home = gpg.Home()
        self.addCleanup(home.close)
        home.make_key(gpg.ADDRESS)
        bag = self.real_encrypt("nameless.bag", user="*")
        self.assertEqual(kitbag_digest(bag, "--gpg-key", gpg.ADDRESS), digest(self.messages))

    def test_an_empty_bag(self):
        bag = self.folder / "empty.bag"
        with ros1.Recorder(bag) as recorder:
            recorder.encrypt_for(gpg.ADDRESS)
        self.assertEqual(kitbag_digest(bag, "--gpg-key", "*"), {})

    def test_with_a_passphrase(self):
        bag = self.folder / "locked.bag"
        ros1.write_bag(bag, gpg_user=gpg.LOCKED)
        with mock.patch.dict(os.environ, ROSBAG_GPG_PASSPHRASE=gpg.PASSPHRASE):
            self.assertEqual(kitbag_digest(bag, "--gpg-key", "*"), digest(self.messages))

    def test_decrypt(self):
        bag = self.real_encrypt("to_decrypt.bag", "--lz4")
        out = self.folder / "decrypted_here.bag"
        kitbag("decrypt", "-f", bag, "-o", out, "--compression", "bz2")
        self.assertEqual(digest(ros1.messages(out)), digest(self.messages))
        self.assertEqual(ros1.connections(out), ros1.connections(self.plain))
        self.assertEqual(ros1.check(out), [])

    def test_a_recorder_that_died(self):
        # While it appended, for the real one stores the key of a new bag only when it closes it.
        # The last chunk is not encrypted yet: that too comes at its close.
        bag, copy = self.folder / "run.bag", self.folder / "died.bag"
        with ros1.Recorder(bag, chunk_threshold=2000) as recorder:
            recorder.encrypt_for(gpg.ADDRESS)
            for i in range(100):
                recorder.write("/chatter", ros1.std.String(f"sentence {i}"), 10**18 + i)
        with ros1.Recorder(bag, "a", chunk_threshold=2000) as recorder:
            for i in range(100, 200):
                recorder.write("/chatter", ros1.std.String(f"sentence {i}"), 10**18 + i)
            recorder.flush_file()
            shutil.copy(bag, copy)
        self.assertNotIn(b"sentence 150", copy.read_bytes())
        self.assertIn(b"sentence 199", copy.read_bytes())
        self.assertEqual(kitbag_digest(copy, "--gpg-key", "*"), digest(ros1.messages(bag)))


class WrittenHere(WithKeys):
    def test_encrypt(self):
        for compression in COMPRESSIONS:
            with self.subTest(compression):
                out = self.folder / f"ours_{compression}.bag"
                kitbag("encrypt", "-f", self.plain, "-o", out, "--gpg-key", gpg.ADDRESS,
                       "--chunk-size=2kB", "--compression", compression)
                self.assert_secret(out)
                self.assertEqual(digest(ros1.messages(out)), digest(self.messages))
                self.assertEqual(ros1.connections(out), ros1.connections(self.plain))
                self.assertEqual(ros1.check(out), [])
                self.assertIn(f"GPG key user: {gpg.ADDRESS}", run("rosbag", "info", out))
                self.assertEqual(digest(ros1.messages(self.real_decrypt(out))),
                                 digest(self.messages))
                self.assertEqual(kitbag_digest(out, "--gpg-key", gpg.ADDRESS),
                                 digest(self.messages))

    def test_encrypt_anew(self):
        bag = self.real_encrypt("first.bag")
        out = self.folder / "second.bag"
        kitbag("encrypt", "-f", bag, "-o", out, "--gpg-key", gpg.LOCKED, "--topics", "/chatter")
        self.assert_secret(out)
        with mock.patch.dict(os.environ, ROSBAG_GPG_PASSPHRASE=gpg.PASSPHRASE):
            self.assertEqual(digest(ros1.messages(out)),
                             digest([m for m in self.messages if m[0] == "/chatter"]))

    def test_split(self):
        kitbag("encrypt", "-f", self.plain, "-o", self.folder / "part.bag", "--gpg-key", "*",
               "--split-messages", "150")
        parts = sorted(self.folder.glob("part_*.bag"))
        self.assertEqual(len(parts), 3)
        for part in parts:
            self.assert_secret(part)
        found = sum(map(ros1.messages, parts), [])
        self.assertEqual(digest(found), digest(self.messages))

    def test_an_empty_bag(self):
        out = self.folder / "ours_empty.bag"
        kitbag("encrypt", "-f", self.plain, "-o", out, "--gpg-key", "*", "--count", "0")
        self.assertEqual(ros1.messages(out), [])
        self.assertEqual(ros1.messages(self.real_decrypt(out)), [])


if __name__ == "__main__":
    peers.main()
