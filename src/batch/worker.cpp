#include "batch/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "batch/frames.h"
#include "io/local/temporary_file.h"
#include "kitbag/batch.h"
#include "kitbag/system_error.h"

// A process a bag would be the simplest, but starting one costs more than a small bag does. So a
// process takes many, and what isolation is for remains: if a bag ends it, that bag is at fault,
// and the next one gets a new process.
//
// The socket is the standard input of the process; what it prints goes into files without names,
// which are emptied before each command. When this process is gone, the system sends SIGTERM to
// the worker, which gives up what it does and leaves nothing behind.

namespace kitbag::batch {
namespace {

constexpr std::size_t kMostSaid = 4096;
/// Descriptors of ours begin here, out of the way of those that the process gets.
constexpr int kFirstOwnDescriptor = 16;
/// After a stop, until a process that has not ended is killed.
constexpr auto kPatience = std::chrono::milliseconds(600);
constexpr int kPollMs = 100;
/// An answer: the exit code, the code of an error or "", its errno, its text.
constexpr std::size_t kAnswerTexts = 4;

Descriptor lifted(int low, const char* what) {
  int high = low < 0 ? -1 : ::fcntl(low, F_DUPFD_CLOEXEC, kFirstOwnDescriptor);
  // EINVAL: so high numbers are not allowed at all.
  if (high < 0) throw system_error(what, errno == EINVAL ? EMFILE : errno, "");
  return Descriptor(high);
}

Descriptor unnamed_file() {
  Descriptor file = open_unnamed(temporary_folder());
  return lifted(file.get(), "create a temporary file");
}

void make_empty(const Descriptor& file) {
  if (::ftruncate(file.get(), 0) != 0 || ::lseek(file.get(), 0, SEEK_SET) != 0) {
    throw system_error("empty a temporary file", errno, temporary_folder());
  }
}

/// What was printed.
class Printed final : public ReadFile {
 public:
  explicit Printed(int file) : file_(file) {}

  std::uint64_t size() const override {
    off_t end = ::lseek(file_, 0, SEEK_END);
    if (end < 0) throw system_error("read a temporary file", errno, temporary_folder());
    return static_cast<std::uint64_t>(end);
  }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    return read_at(file_, offset, into, "what the command has printed");
  }

 private:
  int file_;
};

int number_in(const std::string& text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Worker::Worker(std::vector<std::string> program)
    : program_(std::move(program)), out_(unnamed_file()), err_(unnamed_file()) {
  start();
}

Worker::~Worker() {
  socket_ = Descriptor();  // it ends when nobody asks any more
  if (child_) child_->wait();
}

void Worker::start() {
  std::array<int, 2> ends{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw system_error("prepare to run it", errno, program_.front());
  }
  Descriptor near(ends[0]);
  Descriptor far(ends[1]);
  socket_ = lifted(near.get(), "prepare to run it");
  Descriptor given = lifted(far.get(), "prepare to run it");
  ChildStart start;
  start.give(given, STDIN_FILENO);
  start.give(out_, STDOUT_FILENO);
  start.give(err_, STDERR_FILENO);
  start.close_from(STDERR_FILENO + 1);
  child_.emplace(program_, start);
}

std::shared_ptr<const ReadFile> Worker::printed() const {
  return std::make_shared<Printed>(out_.get());
}

std::string Worker::said() const {
  std::string text(kMostSaid, '\0');
  text.resize(read_at(err_.get(), 0, std::as_writable_bytes(std::span(text)), "standard error"));
  return text;
}

Outcome Worker::run(const std::vector<std::string>& arguments, const std::stop_token& stop) {
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
  make_empty(out_);
  make_empty(err_);
  if (!child_) start();
  std::optional<Outcome> outcome;
  if (send_frame(socket_.get(), arguments)) outcome = receive(stop);
  if (!outcome) outcome = crash();
  if (stop.stop_requested() && (outcome->has_crashed || outcome->error == ErrorCode::cancelled)) {
    throw Error(ErrorCode::cancelled, "interrupted");
  }
  outcome->said = said();
  return std::move(*outcome);
}

std::optional<Outcome> Worker::receive(const std::stop_token& stop) {
  // The id cannot belong to another process yet: only wait() releases it, and that is called later,
  // on this thread.
  std::stop_callback on_stop(stop, [id = child_->id()] { ::kill(id, SIGTERM); });
  std::optional<std::chrono::steady_clock::time_point> deadline;
  for (;;) {
    pollfd waited{socket_.get(), POLLIN, 0};
    if (::poll(&waited, 1, kPollMs) > 0) break;
    if (!stop.stop_requested()) continue;
    auto now = std::chrono::steady_clock::now();
    if (!deadline) deadline = now + kPatience;
    if (now > *deadline) ::kill(child_->id(), SIGKILL);
  }
  auto answer = receive_frame(socket_.get());
  if (!answer || answer->size() != kAnswerTexts) return std::nullopt;
  Outcome outcome;
  outcome.exit_code = number_in((*answer)[0]);
  if (!(*answer)[1].empty()) outcome.error = static_cast<ErrorCode>(number_in((*answer)[1]));
  outcome.number = number_in((*answer)[2]);
  outcome.text = (*answer)[3];
  return outcome;
}

Outcome Worker::crash() {
  socket_ = Descriptor();
  // The socket is closed by now. A process that lives on after an answer that is none finds its end
  // there, or this would wait forever.
  int code = child_->wait();
  child_.reset();
  Outcome outcome{.exit_code = code, .has_crashed = true};
  constexpr int kSignals = 128;
  if (code > kSignals) {
    const char* name = ::sigabbrev_np(code - kSignals);
    outcome.text = fmt::format(
        "ended the program by SIG{}{}", name ? name : "?",
        code - kSignals == SIGKILL ? ": it may have taken too much memory" : "; please report it");
  } else {
    outcome.text = fmt::format("ended the program with exit code {}", code);
  }
  return outcome;
}

}  // namespace kitbag::batch

namespace kitbag {

void serve_batch(const BatchCommand& command) {
  // If the parent has died before this call, no signal comes, but the socket has its end.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  while (auto arguments = batch::receive_frame(STDIN_FILENO)) {
    int exit_code = 2;
    std::optional<ErrorCode> error;
    int number = 0;
    std::string text;
    try {
      exit_code = command(*arguments);
    } catch (const Error& thrown) {
      error = thrown.code();
      number = errno_of(thrown);
      text = thrown.what();
    } catch (const std::bad_alloc&) {
      error = ErrorCode::limit;
      text = "out of memory";
    } catch (const std::exception& thrown) {
      error = ErrorCode::unsupported;
      text = thrown.what();
    }
    std::string code = error ? std::to_string(static_cast<int>(*error)) : "";
    if (!batch::send_frame(STDIN_FILENO,
                           {std::to_string(exit_code), code, std::to_string(number), text})) {
      return;
    }
    // A stop request stays; each further command would be cancelled at once.
    if (error == ErrorCode::cancelled) return;
  }
}

}  // namespace kitbag
