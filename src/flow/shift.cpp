#include <fmt/format.h>

#include <variant>

#include "kitbag/pipeline.h"
#include "kitbag/text.h"

namespace kitbag {
namespace {

class Shift final : public Stage {
 public:
  explicit Shift(Duration by) : by_(by) {}

  void apply(Batch& batch) override {
    for (Message& message : batch.messages()) {
      message.log_time = shifted(message.log_time);
      message.publish_time = shifted(message.publish_time);
    }
    for (Extra& extra : batch.extras) {
      auto* attachment = std::get_if<Attachment>(&extra);
      if (!attachment || attachment->log_time == Time()) continue;  // not known
      attachment->log_time = shifted(attachment->log_time);
    }
  }

 private:
  Time shifted(Time time) const {
    std::int64_t ns = 0;
    if (!__builtin_add_overflow(to_ns(time), by_.count(), &ns)) return from_ns(ns);
    throw Error(ErrorCode::invalid, fmt::format("{} cannot be shifted by {}; times are from 1677 "
                                                "to 2262",
                                                format_time(time), format_duration(by_)));
  }

  Duration by_;
};

}  // namespace

std::unique_ptr<Stage> shift(Duration by) {
  return std::make_unique<Shift>(by);
}

}  // namespace kitbag
