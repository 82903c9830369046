#include "io/local/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "io/local/child_process.h"
#include "io/posix.h"
#include "kitbag/error.h"

// What the child reads lies whole in memory files before it starts, and only its answers come
// through pipes. So nobody has to write and read at once, no pipe is ever full, and a child that
// ends early gives us no SIGPIPE, which a library must not handle for its process.

namespace kitbag {
namespace {

constexpr std::size_t kMostSaid = 1 << 20;
constexpr std::size_t kReadBytes = 4096;
/// Descriptors of ours begin here, out of the way of those that the child gets.
constexpr int kFirstOwnDescriptor = 16;

Descriptor lifted(const Descriptor& low, const std::string& program) {
  int high = low ? ::fcntl(low.get(), F_DUPFD_CLOEXEC, kFirstOwnDescriptor) : -1;
  // EINVAL: so high numbers are not allowed at all.
  if (high < 0) throw system_error("prepare to run it", errno == EINVAL ? EMFILE : errno, program);
  return Descriptor(high);
}

/// An anonymous file that holds `bytes`, to be read from its beginning.
Descriptor memory_of(ByteView bytes, const std::string& program) {
  Descriptor file = lifted(Descriptor(::memfd_create("kitbag", MFD_CLOEXEC)), program);
  if (int number = write_at(file.get(), 0, bytes)) {
    throw system_error("prepare to run it", number, program);
  }
  return file;
}

struct Pipe {
  Descriptor from;
  Descriptor to;
};

Pipe make_pipe(const std::string& program) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("prepare to run it", errno, program);
  Descriptor from(ends[0]);
  Descriptor to(ends[1]);
  return {lifted(from, program), lifted(to, program)};
}

/// One answer of the child, as it comes.
struct Answer {
  Descriptor from;
  std::string& text;

  /// Takes what is there; closed at its end.
  void take(const std::string& program) {
    std::array<char, kReadBytes> bytes;
    ssize_t count = ::read(from.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) return;
    if (count < 0) throw system_error("read its output", errno, program);
    if (count == 0) from = Descriptor();
    text.append(bytes.data(), static_cast<std::size_t>(count));
    if (text.size() > kMostSaid) {
      throw Error(ErrorCode::io, "the program printed too much output and was stopped", program);
    }
  }
};

void take_all(std::array<Answer, 2>& answers, const std::string& program) {
  while (answers[0].from || answers[1].from) {
    std::array<pollfd, 2> waited{};
    for (std::size_t i = 0; i < answers.size(); ++i) {
      waited[i] = {answers[i].from.get(), POLLIN, 0};  // a closed one is -1, which poll() skips
    }
    if (::poll(waited.data(), waited.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw system_error("wait for it", errno, program);
    }
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (waited[i].revents != 0) answers[i].take(program);
    }
  }
}

}  // namespace

Finished run_child(const std::vector<std::string>& arguments, ByteView input,
                   std::optional<ByteView> secret) {
  const std::string& program = arguments.at(0);
  Finished finished;
  Pipe out = make_pipe(program);
  Pipe err = make_pipe(program);
  ChildStart start;
  Descriptor in = memory_of(input, program);
  Descriptor hidden = secret ? memory_of(*secret, program) : Descriptor();
  start.give(in, STDIN_FILENO);
  start.give(out.to, STDOUT_FILENO);
  start.give(err.to, STDERR_FILENO);
  if (secret) start.give(hidden, kSecretDescriptor);
  start.close_from(secret ? kSecretDescriptor + 1 : kSecretDescriptor);
  ChildProcess child(arguments, start);
  out.to = Descriptor();  // the child's copies are the last: their end is the end of its answers
  err.to = Descriptor();
  std::array<Answer, 2> answers{Answer{std::move(out.from), finished.out},
                                Answer{std::move(err.from), finished.err}};
  take_all(answers, program);
  finished.exit_code = child.wait();
  return finished;
}

}  // namespace kitbag
