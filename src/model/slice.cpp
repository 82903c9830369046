#include <utility>

#include "kitbag/stream.h"
#include "model/slice_count.h"

namespace kitbag {
namespace {

class Slice final : public Source {
 public:
  Slice(std::unique_ptr<Source> source, std::uint64_t nth, std::uint64_t count)
      : source_(std::move(source)), count_(nth, count) {}

  ChannelsPtr channels() const override { return source_->channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    while (!count_.is_complete() && source_->read(batch, wait)) {
      // A batch that came empty says that nothing is at hand, and is passed on. One that is empty
      // behind apply() says nothing.
      bool is_pause = batch.empty();
      count_.apply(batch);
      if (is_pause || !batch.empty() || !batch.extras.empty()) return true;
      batch.clear();
    }
    return false;
  }

 private:
  std::unique_ptr<Source> source_;
  SliceCount count_;
};

}  // namespace

std::unique_ptr<Source> slice(std::unique_ptr<Source> source, std::uint64_t nth,
                              std::uint64_t count) {
  bool is_all = nth == 0 && count == UINT64_MAX;
  if (is_all) return source;
  return std::make_unique<Slice>(std::move(source), nth, count);
}

}  // namespace kitbag
