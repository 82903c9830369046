#include "cli/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/terminal/print.h"
#include "cli/terminal/terminal_line.h"
#include "kitbag/text.h"

// A stage, because it sees each batch pass and needs no thread. The clock is read once per batch.
// The time is checked and not the number of messages: bags have ten messages a second or a million.

namespace kitbag::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kQuietTime = 1s;
constexpr auto kRedrawTime = 100ms;
constexpr Duration kLongest = 1000h;  // what takes longer is not worth a guess

class Progress final : public Stage {
 public:
  Progress(std::uint64_t expected, Clock& clock, Draw draw)
      : expected_(expected),
        clock_(clock),
        draw_(std::move(draw)),
        start_(clock.steady()),
        next_(start_ + kQuietTime) {}

  ~Progress() override {
    if (is_drawn_) draw_(nullptr);
  }

  void apply(Batch& batch) override {
    messages_ += batch.messages().size();
    bytes_ += batch.payload();
    SteadyTime now = clock_.steady();
    if (now < next_) return;
    next_ = now + kRedrawTime;
    is_drawn_ = true;
    StatusText text = text_at(now);
    draw_(&text);
  }

 private:
  StatusText text_at(SteadyTime now) const {
    double seconds = std::chrono::duration<double>(now - start_).count();
    auto speed = static_cast<std::uint64_t>(static_cast<double>(bytes_) / seconds);
    std::string messages = counted(messages_, "message");
    std::string speed_text = fmt::format(", {}/s", format_size(speed));
    // A pipe does not say how many messages will come.
    if (expected_ == 0) return {.parts = {{messages}, {speed_text, 1}}};
    double share = static_cast<double>(messages_) / static_cast<double>(expected_);
    // The number expected is an estimate when a time range is cut out: never say that it is done.
    share = std::min(share, 0.99);
    bool may_end = messages_ < expected_;
    return {.share = share,
            .parts = {{fmt::format("{:2} %", static_cast<int>(share * 100))},
                      {"  " + messages, 1},
                      {speed_text, 2},
                      {may_end ? time_left(now - start_, share) : ""}}};
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

}  // namespace

std::string time_left(Duration elapsed, double share) {
  // Also for NaN, which no comparison lets through.
  if (!(share > 0) || share >= 1) return {};
  double seconds = std::chrono::duration<double>(elapsed).count() * (1 - share) / share;
  if (seconds > std::chrono::duration<double>(kLongest).count()) return {};
  auto whole = std::chrono::seconds(static_cast<std::int64_t>(std::ceil(seconds)));
  return fmt::format(", {} left", format_duration(whole));
}

std::unique_ptr<Stage> progress(std::uint64_t expected, Clock& clock, Draw draw) {
  return std::make_unique<Progress>(expected, clock, std::move(draw));
}

std::unique_ptr<Source> watched(std::unique_ptr<Source> source, std::uint64_t expected,
                                const Context& context) {
  auto line = std::make_shared<TerminalLine>();
  if (!line->is_watched()) return source;
  auto draw = [line](const StatusText* text) { text ? line->draw(*text) : line->erase(); };
  return through(std::move(source), progress(expected, context.clock, draw));
}

}  // namespace kitbag::cli
