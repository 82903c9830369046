// kitbag's side of the benchmark of live systems: the simulated robot recorded at 200 MB/s, and
// played to nobody.
//
// usage: kitbag_record SECONDS FORMAT FILE record|play

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/meter.h"
#include "kitbag/kitbag.h"

namespace {

void record(const std::string& seconds, const std::string& format, const std::string& path) {
  std::remove(path.c_str());
  kitbag::RecordOptions options;
  options.from = {"demo://?seed=7&image=3500&seconds=" + seconds};
  options.target.path = path;
  options.target.write.format = format;
  kitbag::Recorder recorder(options, kitbag::Session());
  bench::Meter meter;
  const kitbag::RecordStatus status = recorder.run({});
  meter.stop();
  meter.messages = status.messages;
  meter.bytes = status.bytes;
  for (const auto& [topic, count] : status.dropped) meter.dropped += count;
  meter.report();
}

/// Takes note of how far from its time each message comes.
class Listener final : public kitbag::Publisher {
 public:
  explicit Listener(std::vector<double>& errors_us) : errors_us_(errors_us) {}

  bool await_subscribers(const kitbag::Wait&) override { return true; }
  void write(kitbag::Batch&& batch) override {
    const auto now = std::chrono::steady_clock::now();
    for (const auto& message : batch.messages()) {
      if (errors_us_.empty()) {
        start_ = now;
        first_ = message.log_time;
      }
      const std::chrono::duration<double, std::micro> error =
          (now - start_) - (message.log_time - first_);
      errors_us_.push_back(std::abs(error.count()));
    }
  }
  void close() override {}

 private:
  std::vector<double>& errors_us_;
  std::chrono::steady_clock::time_point start_;
  kitbag::Time first_{};
};

/// How many errors there are up to each bound, and beyond the last.
std::string histogram_of(const std::vector<double>& errors_us) {
  constexpr std::array kBounds = {10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10'000};
  std::array<std::size_t, kBounds.size() + 1> counts{};
  for (double error : errors_us) {
    const auto* bound = std::lower_bound(kBounds.begin(), kBounds.end(), error);
    ++counts[static_cast<std::size_t>(bound - kBounds.begin())];
  }
  std::string json;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::string bound = i < kBounds.size() ? std::to_string(kBounds[i]) : "null";
    json += (i > 0 ? ", [" : "[") + bound + ", " + std::to_string(counts[i]) + "]";
  }
  return "[" + json + "]";
}

void play(const std::string& seconds) {
  const auto clock = kitbag::system_clock();
  const auto bag = kitbag::Session().open("demo://?seed=7&seconds=" + seconds);
  kitbag::PlayOptions options;
  options.begin = bag->summary().start;
  options.end = bag->summary().end;
  options.open = [&](kitbag::Time begin) {
    kitbag::Query query;
    query.begin = begin;
    return bag->read(query);
  };
  std::vector<double> errors_us;
  kitbag::Player player(options, std::make_unique<Listener>(errors_us), clock);
  bench::Meter meter;
  const kitbag::PlayStatus status = player.run({});
  meter.stop();
  meter.messages = status.messages;
  meter.bytes = status.bytes;
  const std::vector<double> last(errors_us.end() - std::ssize(errors_us) / 100, errors_us.end());
  double drift = 0;
  for (double error : last) drift += error / static_cast<double>(last.size());
  meter.histogram = histogram_of(errors_us);
  const auto place = errors_us.begin() + std::ssize(errors_us) * 99 / 100;
  std::nth_element(errors_us.begin(), place, errors_us.end());
  meter.latency_us = *place;
  meter.drift_us = drift;
  meter.report();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return 2;
  try {
    const std::string phase = arguments[4];
    if (phase == "record") record(arguments[1], arguments[2], arguments[3]);
    if (phase == "play") play(arguments[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
