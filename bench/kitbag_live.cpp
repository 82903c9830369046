// kitbag's side of the benchmark of recording: 2,000 messages of 100 kB a second come in on one
// thread while another writes them to a bag, and the disk stops for 300 ms every second.
//
// usage: kitbag_live live rosbag|mcap FILE push

#include <cstdio>
#include <exception>
#include <string>
#include <thread>

#include "bench/bag_bench.h"
#include "bench/latencies.h"

namespace {

using std::chrono::milliseconds;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kFeedBytes = 64 << 20;

/// A sink whose disk stops now and then.
class StallingSink final : public kitbag::Sink {
 public:
  explicit StallingSink(kitbag::Writer& writer) : writer_(writer) {}

  void write(kitbag::Batch&& batch) override {
    if (SteadyClock::now() >= next_) {
      std::this_thread::sleep_for(milliseconds(300));
      next_ = SteadyClock::now() + milliseconds(700);
    }
    writer_.write(std::move(batch));
  }
  void close() override {}

 private:
  kitbag::Writer& writer_;
  SteadyClock::time_point next_ = SteadyClock::now() + milliseconds(700);
};

void record(const std::string& format, const std::string& path) {
  const bench::Workload work = bench::workload("live");
  const auto pool = bench::make_pool(work);
  const auto clock = kitbag::system_clock();
  kitbag::Feed feed(kFeedBytes, kitbag::OnFull::drop_newest, clock);
  const auto channel = feed.add(*bench::make_channels(work, {{"md5sum", bench::kMd5}})->front());
  kitbag::WriteOptions options;
  options.io = kitbag::Io::direct;
  options.format = format;
  auto writer = kitbag::Session().create(path, options);
  StallingSink sink(*writer);
  bench::Latencies latencies(work.messages);
  bench::Meter meter;
  std::thread recorder([&] { kitbag::run(feed, sink, *clock); });
  for (std::uint64_t i = 0; i < work.messages; ++i) {
    const kitbag::Time time = bench::time_of(work.time_ns(i));
    latencies.pace();
    feed.push({channel.get(), 0, 0, time, time, {pool->data() + work.offset_of(i), work.bytes}});
    latencies.note();
  }
  feed.close();
  recorder.join();
  writer->close();
  meter.messages = work.messages;
  meter.bytes = work.messages * work.bytes;
  meter.stop();
  meter.dropped = feed.dropped().front();
  meter.latency_us = latencies.of_thousand(999);
  meter.report();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    record(arguments[2], arguments[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
