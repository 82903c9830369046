#!/usr/bin/env python3
"""Encrypted bags: --gpg-key, and the verbs encrypt and decrypt."""

import json
import os
import resource
import shutil
import signal
from pathlib import Path

from cli import CliTest, main  # first: it knows where the support lies
import gpg_home as gpg

OTHER = "other@example.com"


class EncryptionTest(CliTest):
    """With a gpg that has keys of two users, one of them with a passphrase."""

    @classmethod
    def setUpClass(cls):
        cls.home = gpg.home_for(cls, (f"{gpg.USER} <{gpg.ADDRESS}>",), (OTHER,),
                                (gpg.LOCKED, gpg.PASSPHRASE))

    def encrypted(self, name="secret.bag", user=gpg.ADDRESS, *options):
        self.kitbag("encrypt", self.bag, "-o", name, "--gpg-key", user, *options)
        return name

    def contents(self):
        return {name: (self.folder / name).read_bytes() for name in self.files()}

    def leaves_all(self, *arguments, saying, **more):
        """A run that fails, and every file is as it was."""
        before = self.contents()
        self.fails(*arguments, saying=saying, **more)
        self.assertEqual(self.contents(), before)

    def every_reading_verb(self, bag):
        return (["info", bag], ["cat", bag], ["nth", bag, "/tick", "0"], ["check", bag],
                ["diff", bag, self.bag], ["convert", bag, "out.bag"],
                ["filter", bag, "out.bag", "--topics", "/tick"],
                ["merge", bag, self.bag, "out.bag"])


class RoundTripTest(EncryptionTest):
    def test_every_reading_verb_takes_the_key(self):
        secret = self.encrypted()
        for key in ("*", gpg.ADDRESS, gpg.USER):
            for arguments in self.every_reading_verb(secret):
                self.kitbag(*arguments, "--gpg-key", key)
                (self.folder / "out.bag").unlink(missing_ok=True)

    def test_what_is_read_is_what_was_there(self):
        secret = self.encrypted()
        self.assertEqual(self.digest(secret, "--gpg-key", "*"), self.digest(self.bag))
        self.kitbag("diff", self.bag, secret, "--gpg-key", "*")
        self.assertEqual(self.kitbag("nth", secret, "/tick", "-1", "--gpg-key", "*"),
                         self.kitbag("nth", self.bag, "/tick", "-1"))
        self.assertRegex(self.kitbag("check", secret, "--gpg-key", "*"), "sound, 300 messages")

    def test_what_repair_saves_of_a_secret_stays_secret(self):
        secret = self.encrypted()
        whole = (self.folder / secret).read_bytes()
        (self.folder / "cut.bag").write_bytes(whole[:len(whole) * 9 // 10])
        self.leaves_all("repair", "cut.bag", "saved.bag", saying="encrypted")
        self.run_program("repair", "cut.bag", "saved.bag", "--gpg-key", gpg.ADDRESS)
        self.assertEqual(self.info_with_key("saved.bag")["gpg_user"], gpg.ADDRESS)
        self.kitbag("diff", self.bag, "saved.bag", "--gpg-key", "*", "--count", "10")

    def info_with_key(self, bag):
        return json.loads(self.kitbag("info", "--json", bag, "--gpg-key", "*"))

    def test_info(self):
        text = self.kitbag("info", self.encrypted(), "--gpg-key", "*")
        self.assertIn(f"encryption:  rosbag/AesCbcEncryptor, for {gpg.ADDRESS}\n", text)
        self.assertNotIn("encryption", self.kitbag("info", self.bag))

    def test_decrypt_needs_no_user(self):
        secret = self.encrypted()
        for options in ([], ["--gpg-key", gpg.ADDRESS]):
            self.kitbag("decrypt", secret, "-o", "plain.bag", "-f", *options)
            self.kitbag("diff", self.bag, "plain.bag")
            self.assertNotIn("encryption", self.info("plain.bag"))

    def test_options_of_convert_work(self):
        self.encrypted("secret.bag", "*", "--compression", "lz4", "--topics", "/tick",
                       "--rename", "/tick:=/tock", "--start", "+1s")
        out = self.kitbag("decrypt", "secret.bag", "-o", "plain.bag", "--compression", "bz2")
        self.assertIn("plain.bag: 67 messages, 1 topic", out)
        self.assertEqual(self.info("plain.bag")["compression"], "bz2")

    def test_encrypting_anew(self):
        secret = self.encrypted()
        self.kitbag("encrypt", secret, "-o", "again.bag", "--gpg-key", OTHER)
        self.kitbag("diff", self.bag, "again.bag", "--gpg-key", OTHER)

    def test_for_the_first_key(self):
        self.assertIn(f"for {gpg.USER} <{gpg.ADDRESS}>",
                      self.kitbag("info", self.encrypted("secret.bag", "*"), "--gpg-key", "*"))

    def test_a_plain_bag_does_not_mind_a_key(self):
        self.assertEqual(self.digest(self.bag, "--gpg-key", "nobody@example.com"),
                         self.digest(self.bag))
        self.kitbag("decrypt", self.bag, "-o", "copy.bag")
        self.kitbag("diff", self.bag, "copy.bag")

    def test_nothing_can_be_read_without(self):
        content = Path(self.path(self.encrypted())).read_bytes()
        for secret in (b"/tick", b"std_msgs", b"message 1", b"string data"):
            self.assertNotIn(secret, content)

    def test_a_passphrase_from_the_environment(self):
        secret = self.encrypted("secret.bag", gpg.LOCKED)
        for passphrase, code in ((gpg.PASSPHRASE, 0), ("wrong", 2)):
            self.home.forget_passphrases()
            done = self.run_program("check", secret, "--gpg-key", "*",
                                    env={**os.environ, "ROSBAG_GPG_PASSPHRASE": passphrase})
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertRegex(done.stderr, r"\Akitbag: secret\.bag: .*passphrase[^\n]*\n\Z")


class RefusalTest(EncryptionTest):
    def test_without_a_key(self):
        secret = self.encrypted()
        for arguments in self.every_reading_verb(secret):
            self.leaves_all(*arguments, saying=r"secret\.bag at byte 13: the bag is encrypted by "
                            rf"rosbag/AesCbcEncryptor for {gpg.ADDRESS}; [^\n]*--gpg-key USER")

    def test_another_ones_key(self):
        secret = self.encrypted()
        for arguments in self.every_reading_verb(secret):
            self.leaves_all(*arguments, "--gpg-key", OTHER,
                            saying=rf'secret\.bag: the key of "{OTHER}" does not decrypt the bag')

    def test_keys_that_are_not_there(self):
        secret = self.encrypted()
        self.leaves_all("decrypt", secret, "-o", "plain.bag", "--gpg-key", "nobody@example.com",
                        saying='no secret key of "nobody@example.com"')
        self.leaves_all("encrypt", self.bag, "-o", "new.bag", "--gpg-key", "nobody@example.com",
                        saying='no public key of "nobody@example.com"')
        home = gpg.Home()  # without any
        self.addCleanup(home.close)
        for key in ([], ["--gpg-key", "*"]):
            self.leaves_all("decrypt", secret, "-o", "plain.bag", *key, saying="no secret key")
        self.leaves_all("encrypt", self.bag, "-o", "new.bag", "--gpg-key", "*",
                        saying="no secret key")

    def test_without_gpg(self):
        secret = self.encrypted()
        os.mkdir(self.path("bin"))
        self.addCleanup(os.rmdir, self.path("bin"))
        env = {**os.environ, "PATH": self.path("bin")}
        before = {name: (self.folder / name).read_bytes() for name in (secret, "run.bag")}
        for arguments in (["encrypt", self.bag, "-o", "new.bag", "--gpg-key", gpg.ADDRESS],
                          ["encrypt", self.bag, "-o", secret, "-f", "--gpg-key", "*"],
                          ["decrypt", secret, "-o", "plain.bag"],
                          ["info", secret, "--gpg-key", "*"],
                          ["check", secret, "--gpg-key", gpg.ADDRESS]):
            self.fails(*arguments, saying="gpg is not installed", env=env)
        self.kitbag("check", self.bag, "--gpg-key", "*", env=env)
        self.assertEqual(self.files(), ["bin", "run.bag", secret])
        for name, content in before.items():
            self.assertEqual((self.folder / name).read_bytes(), content)

    def test_mistakes(self):
        secret = self.encrypted()
        self.leaves_all("encrypt", self.bag, "-o", "new.bag",
                        saying="encrypt: specify the recipient")
        self.leaves_all("encrypt", self.bag, "-o", "new.bag", "--gpg-key", "",
                        saying="--gpg-key: expected")
        self.leaves_all("encrypt", self.bag, "-o", self.bag, "--gpg-key", "*",
                        saying="is also the input")
        self.leaves_all("decrypt", secret, "-o", secret, saying="is also the input")
        self.leaves_all("encrypt", self.bag, "-o", "new.bag", "--gpg-key", "*",
                        "--format-version", "1.2",
                        saying=r"rosbag 1\.2 cannot be encrypted")

    def test_appending(self):
        secret = self.encrypted()
        self.kitbag("convert", self.bag, "plain.bag")
        for key in ([], ["--gpg-key", "*"]):
            self.leaves_all("convert", self.bag, secret, "--append", *key,
                            saying=r"secret\.bag at byte 13: .*decrypt it first")
        self.leaves_all("encrypt", self.bag, "-o", "plain.bag", "--append", "--gpg-key", "*",
                        saying=r"plain\.bag: an append cannot encrypt")

    def test_a_full_disk(self):
        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        secret = self.encrypted()
        shutil.copy(self.bag, self.path("old.bag"))
        for arguments in (["encrypt", self.bag, "-o", "new.bag", "--gpg-key", gpg.ADDRESS],
                          ["encrypt", self.bag, "-o", "old.bag", "-f", "--gpg-key", gpg.ADDRESS],
                          ["decrypt", secret, "-o", "new.bag"],
                          ["decrypt", secret, "-o", "old.bag", "-f"]):
            self.leaves_all(*arguments, saying=r"(new|old)\.bag.*file too large",
                            preexec_fn=limit_files)

    def test_damage(self):
        secret = Path(self.path(self.encrypted("secret.bag", "*", "--chunk-size", "2kB")))
        whole = secret.read_bytes()
        secret.write_bytes(whole[:len(whole) * 6 // 10])
        done = self.run_program("decrypt", secret, "-o", "plain.bag")
        self.assertEqual(done.returncode, 1)  # messages are lost
        self.assertRegex(done.stderr, r"\Akitbag: warning: .*secret\.bag at byte \d+: [^\n]+\n\Z")
        self.assertGreater(self.info("plain.bag")["messages"], 100)
        self.leaves_all("decrypt", secret, "-o", "strict.bag", "--strict",
                        saying=r"at byte \d+: \w")
        self.assertEqual(self.run_program("check", secret, "--gpg-key", "*").returncode, 1)


if __name__ == "__main__":
    main()
