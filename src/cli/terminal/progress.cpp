#include "cli/terminal/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/terminal/output.h"
#include "cli/terminal/print.h"
#include "cli/terminal/standard_streams.h"
#include "kitbag/text.h"

// A stage, because it sees each batch pass and needs no thread. The clock is read once per batch.
// The time is checked and not the number of messages: bags have ten messages a second or a million.

namespace kitbag::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kQuietTime = 1s;
constexpr auto kRedrawTime = 100ms;
constexpr std::size_t kBarWidth = 30;
constexpr const char* kEraseLine = "\r\x1b[K";

class Progress final : public Stage {
 public:
  Progress(std::uint64_t expected, Clock& clock, Draw draw)
      : expected_(expected),
        clock_(clock),
        draw_(std::move(draw)),
        start_(clock.steady()),
        next_(start_ + kQuietTime) {}

  ~Progress() override {
    if (is_drawn_) draw_(kEraseLine);
  }

  void apply(Batch& batch) override {
    messages_ += batch.messages().size();
    bytes_ += batch.payload();
    SteadyTime now = clock_.steady();
    if (now < next_) return;
    next_ = now + kRedrawTime;
    is_drawn_ = true;
    draw_(kEraseLine + line(now));
  }

 private:
  std::string line(SteadyTime now) const {
    double seconds = std::chrono::duration<double>(now - start_).count();
    auto speed = static_cast<std::uint64_t>(static_cast<double>(bytes_) / seconds);
    // The number expected is an estimate when a time range is cut out: never say that it is done.
    std::uint64_t percent = expected_ == 0 ? 0 : std::min<std::uint64_t>(99, percent_done());
    std::string bar(kBarWidth * percent / 100, '#');
    return fmt::format("[{:.<{}}] {:2} %  {}, {}/s", bar, kBarWidth, percent,
                       counted(messages_, "message"), format_size(speed));
  }

  std::uint64_t percent_done() const {
    return static_cast<std::uint64_t>(100.0 * static_cast<double>(messages_) /
                                      static_cast<double>(expected_));
  }

  std::uint64_t expected_;
  Clock& clock_;
  Draw draw_;
  SteadyTime start_;
  SteadyTime next_;
  bool is_drawn_ = false;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

void draw_on_stderr(const std::string& text) {
  write_error(text);
}

}  // namespace

std::unique_ptr<Stage> progress(std::uint64_t expected, Clock& clock, Draw draw) {
  return std::make_unique<Progress>(expected, clock, std::move(draw));
}

std::unique_ptr<Source> watched(std::unique_ptr<Source> source, std::uint64_t expected,
                                const Context& context) {
  if (isatty(STDERR_FILENO) != 1) return source;
  return through(std::move(source), progress(expected, context.clock, draw_on_stderr));
}

}  // namespace kitbag::cli
