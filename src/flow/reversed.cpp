#include <fmt/format.h>

#include <iterator>
#include <utility>
#include <vector>

#include "kitbag/pipeline.h"
#include "kitbag/text.h"

// For sources that cannot be read backwards: all is read, and then given from the end. Batches are
// made compact first, as a few selected messages would otherwise keep whole chunks in memory. A
// stop in between loses nothing: the next call goes on reading.

namespace kitbag {
namespace {

class Reversed final : public Source {
 public:
  Reversed(std::unique_ptr<Source> source, std::size_t most_bytes)
      : source_(std::move(source)), most_bytes_(most_bytes) {}

  ChannelsPtr channels() const override { return source_->channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    if (source_is_read_ || take_all(wait)) return give(batch);
    batch.channels = source_->channels();
    return true;  // stopped; a later call goes on
  }

 private:
  /// Returns false if it was stopped, or has waited long enough, before the end.
  bool take_all(const Wait& wait) {
    for (Batch batch; source_->read(batch, wait); batch.clear()) {
      for (Extra& extra : batch.extras) extras_.push_back(std::move(extra));
      bool is_empty = batch.empty();
      if (!is_empty) keep(std::move(batch));
      if (wait.stop.stop_requested() || (is_empty && wait.until != kNever)) return false;
    }
    source_is_read_ = true;
    return true;
  }

  void keep(Batch&& batch) {
    batch.extras.clear();
    batch.compact();
    bytes_ += batch.payload() + batch.messages().size() * sizeof(Message);
    if (bytes_ > most_bytes_) {
      throw Error(ErrorCode::limit, fmt::format("these messages take more than {} of memory; ask "
                                                "for fewer of them",
                                                format_size(most_bytes_)));
    }
    batches_.push_back(std::move(batch));
  }

  bool give(Batch& batch) {
    batch.channels = source_->channels();
    bool has_extras = !extras_.empty();
    batch.extras = std::exchange(extras_, {});
    if (batches_.empty()) return has_extras;
    Batch last = std::move(batches_.back());
    batches_.pop_back();
    batch.keep(last);
    auto messages = last.messages();
    for (auto at = messages.rbegin(); at != messages.rend(); ++at) batch.add(*at);
    return true;
  }

  std::unique_ptr<Source> source_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  bool source_is_read_ = false;
  std::vector<Batch> batches_;
  std::vector<Extra> extras_;
};

}  // namespace

std::unique_ptr<Source> reversed(std::unique_ptr<Source> source, std::size_t most_bytes) {
  return std::make_unique<Reversed>(std::move(source), most_bytes);
}

}  // namespace kitbag
