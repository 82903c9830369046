#include <thread>
#include <utility>

#include "kitbag/pipeline.h"

// The thread runs the same loop as everybody else, run(source, queue): the queue holds it back when
// `bytes` are full, and OnFull::block loses nothing. An error on the way waits in the queue behind
// the batches that were read before it, so a player sends all that could be read.
//
// The first write declares the channels before the thread begins, so channels() is right at once.
// The order of the end matters: a stop request for a source that waits, then abandon() for a thread
// that waits for room, then the join.

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
