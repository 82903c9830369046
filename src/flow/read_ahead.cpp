#include <thread>
#include <utility>

#include "kitbag/pipeline.h"

namespace kitbag {
namespace {

class AheadSource final : public Source {
 public:
  AheadSource(std::unique_ptr<Source> source, std::size_t bytes, const ClockPtr& clock)
      : clock_(clock), queue_(bytes, OnFull::block, clock), source_(std::move(source)) {
    Batch declares;
    declares.channels = source_->channels();
    queue_.write(std::move(declares));
    reader_ = std::jthread([this](const std::stop_token& stop) { read_all(stop); });
  }
  ~AheadSource() override {
    reader_.request_stop();
    queue_.abandon();
  }

  ChannelsPtr channels() const override { return queue_.channels(); }
  bool read(Batch& batch, const Wait& wait) override { return queue_.read(batch, wait); }

 private:
  void read_all(const std::stop_token& stop) {
    try {
      run(*source_, queue_, *clock_, stop);
      queue_.close();
    } catch (...) {
      queue_.fail(std::current_exception());
    }
  }

  ClockPtr clock_;
  Queue queue_;
  std::unique_ptr<Source> source_;
  std::jthread reader_;  ///< last: it ends before the rest is gone
};

}  // namespace

std::unique_ptr<Source> read_ahead(std::unique_ptr<Source> source, std::size_t bytes,
                                   ClockPtr clock) {
  return std::make_unique<AheadSource>(std::move(source), bytes, clock);
}

}  // namespace kitbag
