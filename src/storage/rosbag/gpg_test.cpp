#include "storage/rosbag/gpg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include "io/local/child.h"
#include "kitbag/error.h"
#include "tests/support/skip_or_fail.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag {
namespace {

using test::thrown_by;
using ::testing::HasSubstr;

/// An environment variable that is set, or with nullptr unset, while this lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

/// A gpg that answers as `script` says.
class FakeGpg {
 public:
  explicit FakeGpg(const std::string& script)
      : path_("PATH", (folder_.path() + ":" + std::getenv("PATH")).c_str()) {
    std::string program = folder_.write("gpg", "#!/bin/sh\n" + script);
    ::chmod(program.c_str(), 0755);
  }

 private:
  TemporaryFolder folder_;
  Variable path_;
};

const std::string kOpens = "echo '[GNUPG:] DECRYPTION_OKAY' >&2; printf 0123456789abcdef\n";

TEST(FakeGpg, OpensWithWhateverFits) {
  FakeGpg gpg("test \"$(cat)\" = message || exit 1\n" + kOpens);
  auto secret = open_with_gpg(as_bytes("message"), "*", "x.bag");
  EXPECT_EQ(as_text(secret), "0123456789abcdef");
}

TEST(FakeGpg, IsGivenThePassphraseWhereNobodySeesIt) {
  FakeGpg gpg(
      "case \"$*\" in *sesame*) exit 1;; *--passphrase-fd\\ 3*) ;; *) exit 1;; esac\n"
      "test \"$(cat <&3)\" = sesame || exit 1\n" +
      kOpens);
  Variable passphrase("ROSBAG_GPG_PASSPHRASE", "sesame");
  EXPECT_EQ(open_with_gpg(as_bytes("message"), "*", "x.bag").size(), 16U);
}

TEST(FakeGpg, ThatIsNotThereIsSaid) {
  Variable path("PATH", "/nowhere");
  for (const Error& error : {thrown_by([] { open_with_gpg(as_bytes("message"), "*", "x.bag"); }),
                             thrown_by([] { open_with_gpg(as_bytes("message"), "jane", "x.bag"); }),
                             thrown_by([] { seal_with_gpg(as_bytes("secret"), "jane"); })}) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
    EXPECT_THAT(error.what(), HasSubstr("gpg is not installed"));
  }
}

TEST(FakeGpg, FailuresAreTold) {
  Variable passphrase("ROSBAG_GPG_PASSPHRASE", nullptr);
  auto error_of = [](const std::string& script) {
    FakeGpg gpg(script);
    return thrown_by([] { open_with_gpg(as_bytes("message"), "*", "x.bag"); });
  };
  Error missing = error_of("echo '[GNUPG:] NO_SECKEY 0DD0146832DF2021' >&2; exit 2\n");
  EXPECT_EQ(missing.code(), ErrorCode::locked);
  EXPECT_EQ(missing.file(), "x.bag");
  EXPECT_THAT(missing.what(), HasSubstr("encrypted for key 0DD0146832DF2021"));
  Error passphraseless = error_of(
      "echo 'gpg: public key decryption failed: Bad passphrase' >&2\n"
      "echo '[GNUPG:] ERROR pkdecrypt_failed 67108875' >&2; exit 2\n");
  EXPECT_EQ(passphraseless.code(), ErrorCode::locked);
  EXPECT_THAT(passphraseless.what(), HasSubstr("Bad passphrase"));
  EXPECT_THAT(passphraseless.what(), HasSubstr("ROSBAG_GPG_PASSPHRASE"));
  EXPECT_EQ(error_of("echo '[GNUPG:] NODATA 1' >&2; exit 2\n").code(), ErrorCode::corrupt);
  EXPECT_EQ(error_of("exit 1\n").code(), ErrorCode::locked);
  EXPECT_EQ(error_of("kill -KILL $$\n").code(), ErrorCode::locked);
  EXPECT_EQ(error_of("cat /dev/zero\n").code(), ErrorCode::io) << "an OpenPGP bomb";
}

TEST(FakeGpg, LinesOfAnyShapeAreSurvived) {
  FakeGpg gpg(
      "echo 'sec'; echo 'sec:::::'; echo ':::'; echo 'fpr'; echo; printf 'uid:\\000::::'\n"
      "echo '[GNUPG:] ' >&2; echo '[GNUPG:] DECRYPTION_KEY' >&2\n"
      "echo '[GNUPG:] DECRYPTION_KEY abc' >&2; echo '[GNUPG:] ENC_TO' >&2\n"
      "echo '[GNUPG:] DECRYPTION_OKAY' >&2\n");
  EXPECT_ERROR(locked, open_with_gpg(as_bytes("message"), "jane", "x.bag"));
  EXPECT_ERROR(not_found, seal_with_gpg(as_bytes("secret"), "*"));
}

/// A gpg of the system with a home of its own, and keys of Jane, and of Joe with a passphrase.
class RealGpg : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    Variable home("GNUPGHOME", folder_->path().c_str());
    try {
      make_key("Jane Doe <jane@example.com>", "");
      make_key("Joe Doe <joe@example.com>", "sesame");
    } catch (const Error& error) {
      why_not_ = error.what();
    }
  }
  static void TearDownTestSuite() {
    Variable home("GNUPGHOME", folder_->path().c_str());
    if (why_not_.empty()) run_child({"gpgconf", "--kill", "gpg-agent"}, {});
    delete folder_;
    folder_ = nullptr;
  }
  void SetUp() override {
    if (!why_not_.empty()) KITBAG_SKIP(why_not_);
  }

  static void make_key(const std::string& user, const std::string& passphrase) {
    Finished made = run_child({"gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase",
                               passphrase, "--quick-generate-key", user, "future-default"},
                              {});
    if (made.exit_code != 0) throw Error(ErrorCode::io, "gpg makes no key: " + made.err);
  }
  /// The agent remembers passphrases.
  static void forget_passphrases() { run_child({"gpgconf", "--reload", "gpg-agent"}, {}); }

  static inline TemporaryFolder* folder_ = nullptr;
  static inline std::string why_not_;
  Variable home_{"GNUPGHOME", folder_->path().c_str()};
  Variable passphrase_{"ROSBAG_GPG_PASSPHRASE", nullptr};
};

TEST_F(RealGpg, OpensWhatItSealed) {
  for (std::string user : {"jane@example.com", "Jane Doe", "*"}) {
    Sealed sealed = seal_with_gpg(as_bytes("sixteen bytes...\0"), user);
    EXPECT_THAT(sealed.message, HasSubstr("BEGIN PGP MESSAGE"));
    EXPECT_EQ(sealed.user, user == "*" ? "Jane Doe <jane@example.com>" : user);
    for (std::string opener : {"jane@example.com", "Jane Doe <jane@example.com>", "*"}) {
      EXPECT_EQ(as_text(open_with_gpg(as_bytes(sealed.message), opener, "x.bag")),
                "sixteen bytes...");
    }
  }
}

TEST_F(RealGpg, AnotherOnesKeyIsRefused) {
  Sealed sealed = seal_with_gpg(as_bytes("secret"), "jane@example.com");
  auto error_of = [&](const std::string& user) {
    Error error = thrown_by([&] { open_with_gpg(as_bytes(sealed.message), user, "x.bag"); });
    EXPECT_EQ(error.code(), ErrorCode::locked);
    EXPECT_EQ(error.file(), "x.bag");
    return error.message();
  };
  EXPECT_EQ(error_of("joe@example.com"), "the key of \"joe@example.com\" does not decrypt the bag");
  EXPECT_EQ(error_of("nobody@example.com"), "gpg has no secret key of \"nobody@example.com\"");
  EXPECT_EQ(error_of("--version"), "gpg has no secret key of \"--version\"");
}

TEST_F(RealGpg, TakesThePassphraseFromTheEnvironment) {
  Sealed sealed = seal_with_gpg(as_bytes("secret"), "joe@example.com");
  auto open = [&] { return open_with_gpg(as_bytes(sealed.message), "*", "x.bag"); };
  {
    Variable passphrase("ROSBAG_GPG_PASSPHRASE", "wrong");
    forget_passphrases();
    Error error = thrown_by(open);
    EXPECT_EQ(error.code(), ErrorCode::locked);
    EXPECT_THAT(error.message(), HasSubstr("ROSBAG_GPG_PASSPHRASE"));
  }
  Variable passphrase("ROSBAG_GPG_PASSPHRASE", "sesame");
  EXPECT_EQ(as_text(open()), "secret");
}

TEST_F(RealGpg, KeysThatAreNotThere) {
  for (std::string user : {"nobody@example.com", "--version"}) {
    Error error = thrown_by([&] { seal_with_gpg(as_bytes("secret"), user); });
    EXPECT_EQ(error.code(), ErrorCode::not_found) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("\"" + user + "\""));
  }
  TemporaryFolder empty;
  Variable home("GNUPGHOME", empty.path().c_str());
  Error error = thrown_by([&] { seal_with_gpg(as_bytes("secret"), "*"); });
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_THAT(error.what(), HasSubstr("no secret key"));
}

TEST_F(RealGpg, WhatIsNoMessageIsCorrupt) {
  for (std::string message : {"", "garbage", "-----BEGIN PGP MESSAGE-----\n\nAAAA\n"}) {
    Error error = thrown_by([&] { open_with_gpg(as_bytes(message), "*", "x.bag"); });
    EXPECT_TRUE(error.code() == ErrorCode::corrupt || error.code() == ErrorCode::locked)
        << message << ": " << error.what();
  }
}

}  // namespace
}  // namespace kitbag::rosbag
