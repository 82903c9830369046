#include "io/local/pipe_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::thrown_by;

/// A pipe that somebody writes `text` to, some bytes at a time.
class FilledPipe {
 public:
  explicit FilledPipe(const std::string& text) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    file = std::make_unique<PipeFile>(Descriptor(ends[0]), "pipe");
    writer_ = std::thread([text, out = ends[1]] {
      sigset_t broken_pipe;  // a reader that has seen enough must not end the tests
      sigemptyset(&broken_pipe);
      sigaddset(&broken_pipe, SIGPIPE);
      pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
      for (std::size_t at = 0; at < text.size(); at += 1000) {
        auto piece = text.substr(at, 1000);
        if (::write(out, piece.data(), piece.size()) < 0) break;
      }
      ::close(out);
    });
  }
  ~FilledPipe() {
    file.reset();
    writer_.join();
  }

  std::string read(std::uint64_t offset, std::size_t count) const {
    std::string text(count, '?');
    text.resize(file->read(offset, std::as_writable_bytes(std::span(text))));
    return text;
  }

  std::unique_ptr<PipeFile> file;

 private:
  std::thread writer_;
};

std::string counting_text(std::size_t size) {
  std::string text;
  while (text.size() < size) text += std::to_string(text.size()) + " ";
  text.resize(size);
  return text;
}

TEST(PipeFile, IsReadToItsEnd) {
  std::string text = counting_text(20'000);
  FilledPipe pipe(text);
  EXPECT_TRUE(pipe.file->is_forward_only());
  EXPECT_EQ(pipe.read(0, 7'000), text.substr(0, 7'000));
  EXPECT_EQ(pipe.read(7'000, 5), text.substr(7'000, 5));
  EXPECT_EQ(pipe.read(15'000, 9'000), text.substr(15'000));
  EXPECT_EQ(pipe.read(20'000, 10), "");
}

TEST(PipeFile, ItsBeginningIsReadAgain) {
  std::string text = counting_text(10'000);
  FilledPipe pipe(text);
  EXPECT_EQ(pipe.read(0, 8), text.substr(0, 8));
  EXPECT_EQ(pipe.read(0, 4'096), text.substr(0, 4'096));
  EXPECT_EQ(pipe.read(100, 6'000), text.substr(100, 6'000));
  EXPECT_EQ(pipe.read(6'100, 10'000), text.substr(6'100));
}

TEST(PipeFile, WhatWasReadIsGone) {
  FilledPipe pipe(counting_text(10'000));
  pipe.read(0, 9'000);
  auto error = thrown_by([&] { pipe.read(5'000, 10); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
}

TEST(PipeFile, MayBeShorterThanItsHead) {
  FilledPipe pipe("short");
  EXPECT_EQ(pipe.read(0, 4'096), "short");
  EXPECT_EQ(pipe.read(0, 4'096), "short");
  EXPECT_EQ(pipe.read(2, 1), "o");
  EXPECT_EQ(pipe.read(9, 1), "");
}

}  // namespace
}  // namespace kitbag
