#include "model/empty_bag.h"

#include <utility>

#include "kitbag/error.h"

namespace kitbag {

namespace {

class EmptySource final : public Source {
 public:
  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& /*batch*/, const Wait& /*wait*/) override { return false; }

 private:
  ChannelsPtr channels_ = std::make_shared<const Channels>();
};

class EmptyBag final : public Bag {
 public:
  /// `size`: that of the file when its content was looked at.
  EmptyBag(std::shared_ptr<const ReadFile> file, std::string format, std::uint64_t size)
      : file_(std::move(file)) {
    summary_.format = std::move(format);
    summary_.size_bytes = size;
    summary_.indexed = false;
    summary_.channels = std::make_shared<const Channels>();
  }

  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query& /*query*/,
                                        const Wait& /*wait*/) const override {
    return std::make_unique<EmptySource>();
  }
  /// Its writer may be about to begin.
  Growth growth() const override {
    return file_->size() == summary_.size_bytes ? Growth::unchanged : Growth::possible;
  }

 private:
  std::shared_ptr<const ReadFile> file_;
  Summary summary_;
};

}  // namespace

BagPtr open_empty(const Input& input, std::string format, const ReadOptions& options) {
  std::uint64_t size = input.head.size();  // all of it
  const char* what =
      size == 0
          ? "the file is empty; its writer ended before it wrote anything"
          : "the file ends within its first bytes; its writer ended before it wrote a message";
  report(options.on_problem, Error(ErrorCode::truncated, what, input.path, size));
  return std::make_shared<EmptyBag>(input.file, std::move(format), size);
}

}  // namespace kitbag
