#include "io/local/child.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;
using ::testing::HasSubstr;

Finished run_shell(const std::string& script, std::string_view input = {},
                   std::optional<ByteView> secret = std::nullopt) {
  return run_child({"sh", "-c", script}, as_bytes(input), secret);
}

TEST(Child, GivesWhatItSaysAndItsExitCode) {
  Finished finished = run_shell("echo answer; echo trouble >&2; exit 3");
  EXPECT_EQ(finished.out, "answer\n");
  EXPECT_EQ(finished.err, "trouble\n");
  EXPECT_EQ(finished.exit_code, 3);
}

TEST(Child, ReadsInputAndSecret) {
  Finished finished = run_shell("cat; cat <&3", "input, ", as_bytes("secret"));
  EXPECT_EQ(finished.out, "input, secret");
  EXPECT_NE(run_shell("cat <&3").exit_code, 0) << "no secret was given";
}

TEST(Child, TakesArgumentsAsTheyAre) {
  std::vector<std::string> words = {"printf", "%s|", "a b", "$HOME", "", "'*;"};
  EXPECT_EQ(run_child(words, {}).out, "a b|$HOME||'*;|");
}

TEST(Child, ReadsInputOfAnySizeAndMayIgnoreIt) {
  std::string much(300'000, 'x');
  EXPECT_EQ(run_shell("cat", much).out, much);
  EXPECT_EQ(run_shell("exit 0", much).exit_code, 0);
}

TEST(Child, AnswersOnBothStreamsAtOnce) {
  Finished finished = run_shell("head -c 200000 /dev/zero >&2; head -c 200000 /dev/zero");
  EXPECT_EQ(finished.out.size(), 200'000U);
  EXPECT_EQ(finished.err.size(), 200'000U);
}

TEST(Child, IsStoppedWhenItSaysTooMuch) {
  Error error = thrown_by([] { run_shell("cat /dev/zero"); });
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), HasSubstr("sh: the program printed too much output"));
}

TEST(Child, TellsTheSignalThatEndedIt) {
  EXPECT_EQ(run_shell("kill -TERM $$").exit_code, 128 + SIGTERM);
}

TEST(Child, ProgramsThatAreNotThereAreNotFound) {
  Error error = thrown_by([] { run_child({"kitbag-no-such-program"}, {}); });
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_THAT(error.what(), HasSubstr("kitbag-no-such-program is not installed"));
}

TEST(Child, ProgramsThatCannotRunSayWhy) {
  EXPECT_EQ(thrown_by([] { run_child({"/"}, {}); }).code(), ErrorCode::io);
}

TEST(Child, InheritsNoDescriptor) {
  int open = ::open("/dev/null", O_RDONLY);
  ASSERT_GE(open, 0);
  EXPECT_EQ(run_shell("ls /proc/self/fd").out, "0\n1\n2\n3\n") << "3 is the folder itself";
  ::close(open);
}

TEST(Child, WorksWhereTheStandardStreamsAreClosed) {
  int standard_input = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  EXPECT_EQ(run_shell("cat; echo oops >&2", "input", as_bytes("x")).out, "input");
  ::dup2(standard_input, STDIN_FILENO);
  ::close(standard_input);
}

TEST(Child, BeginsWithSignalsOfItsOwn) {
  sigset_t set;
  sigset_t before;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &set, &before), 0);
  EXPECT_EQ(run_shell("kill -TERM $$").exit_code, 128 + SIGTERM);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST(Child, ManyThreadsMayRunThem) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([i] {
      std::string text = std::to_string(i);
      EXPECT_EQ(run_shell("cat", text).out, text);
    });
  }
}

}  // namespace
}  // namespace kitbag
