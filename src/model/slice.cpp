#include <utility>

#include "kitbag/stream.h"

namespace kitbag {
namespace {

/// Of a source's messages: skips `nth`, then gives `count`.
class Slice final : public Source {
 public:
  Slice(std::unique_ptr<Source> source, std::uint64_t nth, std::uint64_t count)
      : source_(std::move(source)), skip_(nth), left_(count) {}

  ChannelsPtr channels() const override { return source_->channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    while (left_ > 0 && source_->read(batch, wait)) {
      bool is_pause = batch.empty();
      batch.drop_if([this](const Message& message) {
        bool is_state = (message.flags & kState) != 0;
        return !is_state && !is_within();
      });
      if (is_pause || !batch.empty() || !batch.extras.empty()) return true;
      batch.clear();
    }
    return false;
  }

 private:
  /// Counts one message.
  bool is_within() {
    if (skip_ > 0) return skip_--, false;
    return left_ > 0 ? left_--, true : false;
  }

  std::unique_ptr<Source> source_;
  std::uint64_t skip_;
  std::uint64_t left_;
};

}  // namespace

std::unique_ptr<Source> slice(std::unique_ptr<Source> source, std::uint64_t nth,
                              std::uint64_t count) {
  return std::make_unique<Slice>(std::move(source), nth, count);
}

}  // namespace kitbag
