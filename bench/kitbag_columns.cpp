// kitbag's side of the benchmark of columns, through the public headers only.
//
// usage: kitbag_columns FILE PHASE
// PHASE: prepare   writes 1,000,000 messages of nav_msgs/Odometry to FILE
//        visit     decodes the same payloads from memory to a visitor that takes three fields
//        memory    reads them from memory to columns: three fields and the stamp
//        file      reads them from FILE to columns
//        read      reads the messages of FILE and decodes none

#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/meter.h"
#include "kitbag/kitbag.h"

namespace {

constexpr std::uint64_t kMessages = 1'000'000;
constexpr std::size_t kPool = 4096;
const std::vector<std::string> kFields = {"pose.pose.position.x", "pose.pose.position.y",
                                          "twist.twist.linear.x"};

/// A channel of odometry: the simulated robot has one.
kitbag::ChannelPtr odometry_channel(const kitbag::Session& session) {
  auto bag = session.open("demo://?seconds=1");
  const kitbag::ChannelsPtr channels = bag->read()->channels();
  for (const kitbag::ChannelPtr& each : *channels) {
    if (each->type() != "nav_msgs/Odometry") continue;
    auto channel = std::make_shared<kitbag::Channel>(*each);
    channel->slot = 0;
    return channel;
  }
  throw std::runtime_error("there is no odometry");
}

/// Payloads of the robot, changed so that all differ.
class Payloads {
 public:
  explicit Payloads(const kitbag::Session& session) {
    auto bag = session.open("demo://?seconds=1");
    std::vector<std::byte> first;
    for (const kitbag::Message& message : bag->messages()) {
      if (message.channel->type() == "nav_msgs/Odometry") {
        first.assign(message.data.begin(), message.data.end());
        break;
      }
    }
    size_ = first.size();
    all_.resize(size_ * kPool);
    for (std::size_t i = 0; i < kPool; ++i) {
      std::memcpy(&all_[i * size_], first.data(), size_);
      std::uint32_t number = static_cast<std::uint32_t>(i) * 2'654'435'761U;
      for (std::size_t at = size_ - 8 * 36; at + 8 < size_; at += 24) {
        std::memcpy(&all_[i * size_ + at], &number, 3);
        number = number * 1'664'525U + 1'013'904'223U;
      }
    }
  }
  kitbag::ByteView operator[](std::uint64_t i) const {
    return kitbag::ByteView(all_).subspan(i % kPool * size_, size_);
  }
  std::size_t bytes() const { return size_; }

 private:
  std::size_t size_ = 0;
  std::vector<std::byte> all_;
};

/// The same messages from memory.
class MemorySource final : public kitbag::Source {
 public:
  MemorySource(const kitbag::ChannelPtr& channel, const Payloads& payloads)
      : channels_(std::make_shared<kitbag::Channels>(kitbag::Channels{channel})),
        payloads_(payloads) {}

  kitbag::ChannelsPtr channels() const override { return channels_; }
  bool read(kitbag::Batch& batch, const kitbag::Wait&) override {
    if (next_ == kMessages) return false;
    batch.channels = channels_;
    for (; next_ < kMessages && !batch.full(); ++next_) {
      auto time = kitbag::from_ns(static_cast<std::int64_t>(1'700'000'000'000'000'000 + next_));
      batch.add({channels_->front().get(), 0, 0, time, time, payloads_[next_]});
    }
    return true;
  }

 private:
  std::shared_ptr<kitbag::Channels> channels_;
  const Payloads& payloads_;
  std::uint64_t next_ = 0;
};

void prepare(const std::string& path, const kitbag::Session& session) {
  const Payloads payloads(session);
  MemorySource source(odometry_channel(session), payloads);
  kitbag::WriteOptions options;
  options.compression = path.ends_with(".zstd.mcap") ? "zstd" : "none";
  auto writer = session.create(path, options);
  kitbag::run(source, *writer, *session.clock());
  writer->close();
}

/// Adds up what the columns say, as a reader of them would.
void count_rows(std::unique_ptr<kitbag::Columns> table, bench::Meter& meter) {
  ArrowArray batch;
  while (table->next(&batch)) {
    meter.messages += static_cast<std::uint64_t>(batch.length);
    const auto* x = static_cast<const double*>(batch.children[1]->buffers[1]);
    double sum = 0;
    for (std::int64_t i = 0; i < batch.length; ++i) sum += x[i];
    meter.sum += static_cast<std::uint64_t>(sum * 1000);
    batch.release(&batch);
  }
}

kitbag::ColumnsRequest request() {
  kitbag::ColumnsRequest request;
  request.fields = kFields;
  request.time = kitbag::RowTime::header_stamp;
  request.has_topic = false;
  return request;
}

/// Takes single values, as scripts do.
class Taker final : public kitbag::LeafVisitor<Taker> {
 public:
  double sum = 0;

  void begin_struct(const kitbag::Type&) override {}
  void field(const kitbag::Field&) override {}
  void end_struct() override {}
  void begin_array(const kitbag::Type&, std::size_t) override {}
  void end_array() override {}
  template <class Value>
  void leaf(const kitbag::Type&, Value value) {
    if constexpr (std::is_same_v<Value, double>) sum += value;
  }
};

void visit(const kitbag::Session& session, bench::Meter& meter) {
  const Payloads payloads(session);
  auto channel = odometry_channel(session);
  auto decoder = kitbag::decoder_of(*channel, session);
  Taker taker;
  auto selected =
      kitbag::select_fields({"header.stamp", kFields[0], kFields[1], kFields[2]}, taker);
  for (std::uint64_t i = 0; i < kMessages; ++i) decoder->decode(payloads[i], *selected);
  meter.messages = kMessages;
  meter.sum = static_cast<std::uint64_t>(taker.sum);
}

void read(const std::string& path, const kitbag::Session& session, bench::Meter& meter) {
  auto bag = session.open(path);
  auto source = bag->read({.order = kitbag::Order::file});
  kitbag::Batch batch;
  while (source->read(batch, {})) {
    meter.messages += batch.messages().size();
    batch.clear();
  }
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 3) throw std::invalid_argument("usage: kitbag_columns FILE PHASE");
  const std::string path = arguments[1];
  const std::string phase = arguments[2];
  const kitbag::Session session;
  if (phase == "prepare") {
    prepare(path, session);
    return 0;
  }
  bench::Meter meter;
  if (phase == "visit") visit(session, meter);
  if (phase == "memory") {
    const Payloads payloads(session);
    auto source = std::make_unique<MemorySource>(odometry_channel(session), payloads);
    bench::Meter timed;
    count_rows(kitbag::columns(std::move(source), request(), session), timed);
    meter = timed;
  }
  if (phase == "file") {
    auto bag = session.open(path);
    count_rows(kitbag::columns(*bag, {.order = kitbag::Order::file}, request(), session), meter);
  }
  if (phase == "read") read(path, session, meter);
  meter.report();
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
