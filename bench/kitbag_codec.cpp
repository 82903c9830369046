// kitbag's side of the codec benchmark, through the public headers only: one message, decoded or
// transcoded again and again. The same message, and its definition, are left for the peers.
//
// usage: kitbag_codec KIND FILE PHASE
// PHASE: prepare (writes FILE, the payload in ROS 1's encoding, and FILE.json), visit, json, cdr

#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>

#include "bench/meter.h"
#include "kitbag/kitbag.h"

namespace {

/// Serializes as ROS 1 does: all little-endian, one behind the other.
class Bytes {
 public:
  template <class T>
  Bytes& put(T value) {
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
    return *this;
  }
  Bytes& text(const std::string& value) {
    put(static_cast<std::uint32_t>(value.size()));
    for (char c : value) put(c);
    return *this;
  }
  Bytes& header() {
    return put<std::uint32_t>(7).put(1'700'000'000U).put(250'000'123U).text("base_link");
  }
  Bytes& doubles(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) put(0.001 * static_cast<double>(next() % 100'000) - 50);
    return *this;
  }
  /// Of a range finder: metres, all different.
  Bytes& floats(std::size_t count) {
    put(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) {
      put(0.05F + 0.0001F * static_cast<float>(next() % 300'000));
    }
    return *this;
  }
  Bytes& noise(std::size_t count) {
    put(static_cast<std::uint32_t>(count));
    for (std::size_t i = 0; i < count; ++i) put(static_cast<std::uint8_t>(next()));
    return *this;
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::uint32_t next() { return state_ = state_ * 1'664'525U + 1'013'904'223U, state_ >> 8; }

  std::uint32_t state_ = 1;
  std::vector<std::byte> bytes_;
};

Bytes image() {
  return Bytes().header().put(1000U).put(1000U).text("mono8").put<std::uint8_t>(0).put(1000U).noise(
      1'000'000);
}

Bytes cloud() {
  constexpr std::uint32_t kPoints = 62'500;
  constexpr std::uint8_t kFloat32 = 7;
  Bytes bytes;
  bytes.header().put(1U).put(kPoints).put(4U);
  for (std::uint32_t i = 0; i < 4; ++i) {
    bytes.text(std::string(1, "xyzi"[i])).put(4 * i).put(kFloat32).put(1U);
  }
  return bytes.put<std::uint8_t>(0)
      .put(16U)
      .put(16 * kPoints)
      .noise(16 * kPoints)
      .put<std::uint8_t>(1);
}

Bytes scan() {
  Bytes bytes;
  bytes.header();
  for (float each : {-2.35F, 2.35F, 0.00436F, 0.F, 0.025F, 0.1F, 30.F}) bytes.put(each);
  return bytes.floats(1080).put(0U);
}

Bytes odometry() {
  return Bytes().header().text("base_footprint").doubles(7 + 36 + 6 + 36);
}

Bytes transforms() {
  Bytes bytes;
  bytes.put(20U);
  for (std::size_t i = 0; i < 20; ++i) bytes.header().text("link_" + std::to_string(i)).doubles(7);
  return bytes;
}

/// Enough copies of a payload that they come from memory, not from a cache.
class Payloads {
 public:
  explicit Payloads(std::vector<std::byte> payload) : size_(payload.size()) {
    constexpr std::size_t kBytes = 64 << 20;
    count_ = std::max<std::size_t>(1, kBytes / size_);
    all_.reserve(count_ * size_);
    for (std::size_t i = 0; i < count_; ++i)
      all_.insert(all_.end(), payload.begin(), payload.end());
  }

  kitbag::ByteView operator[](std::uint64_t i) const {
    return kitbag::ByteView(all_).subspan(i % count_ * size_, size_);
  }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::size_t count_;
  std::vector<std::byte> all_;
};

struct Kind {
  const char* type;
  Bytes (*make)();
  std::map<std::string, std::uint64_t> rounds;  ///< by phase
};

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> kKinds = {
      {"image",
       {"sensor_msgs/Image", image, {{"visit", 2'000'000}, {"json", 500}, {"cdr", 5'000}}}},
      {"cloud",
       {"sensor_msgs/PointCloud2", cloud, {{"visit", 2'000'000}, {"json", 500}, {"cdr", 5'000}}}},
      {"scan",
       {"sensor_msgs/LaserScan", scan, {{"visit", 5'000'000}, {"json", 20'000}, {"cdr", 500'000}}}},
      {"odometry",
       {"nav_msgs/Odometry",
        odometry,
        {{"visit", 3'000'000}, {"json", 200'000}, {"cdr", 2'000'000}}}},
      {"transforms",
       {"tf2_msgs/TFMessage",
        transforms,
        {{"visit", 300'000}, {"json", 40'000}, {"cdr", 200'000}}}},
  };
  return kKinds;
}

/// A channel of that type: the simulated robot has them all.
kitbag::ChannelPtr channel_of(const std::string& type, const kitbag::Session& session) {
  auto bag = session.open("demo://?seconds=1");
  const kitbag::ChannelsPtr channels = bag->read()->channels();
  for (const kitbag::ChannelPtr& each : *channels) {
    if (each->type() != type) continue;
    auto channel = std::make_shared<kitbag::Channel>(*each);
    channel->slot = 0;
    return channel;
  }
  throw std::runtime_error("there is no channel of " + type);
}

/// Takes every value one by one, but lists of numbers in one call.
class Counter final : public kitbag::LeafVisitor<Counter> {
 public:
  std::uint64_t count = 0;

  void begin_struct(const kitbag::Type&) override {}
  void field(const kitbag::Field&) override {}
  void end_struct() override {}
  void begin_array(const kitbag::Type&, std::size_t) override {}
  void end_array() override {}
  void packed(const kitbag::Type& type, kitbag::ByteView bytes) override {
    if (!kitbag::is_scalar(type.kind)) return unpack(type, bytes, *this);
    count += bytes.size() / type.flat_bytes;
  }

  template <class Value>
  void leaf(const kitbag::Type&, Value) {
    ++count;
  }
};

void visit(const kitbag::Channel& channel, const Payloads& payloads, std::uint64_t rounds,
           const kitbag::Session& session, bench::Meter& meter) {
  auto decoder = kitbag::decoder_of(channel, session);
  Counter counter;
  for (std::uint64_t i = 0; i < rounds; ++i) decoder->decode(payloads[i], counter);
  meter.messages = rounds;
  meter.bytes = rounds * payloads.size();
  if (counter.count == 0) throw std::runtime_error("nothing was counted");
}

/// `bytes` are those of the JSON.
void to_json(const kitbag::Channel& channel, const Payloads& payloads, std::uint64_t rounds,
             const kitbag::Session& session, bench::Meter& meter) {
  auto decoder = kitbag::decoder_of(channel, session);
  auto encoder = kitbag::find_codec(session.registry(), "json")->encoder(nullptr, {});
  kitbag::Arena arena;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    encoder->begin(arena);
    decoder->decode(payloads[i], *encoder);
    meter.bytes += encoder->end().size();
    arena.drop();
  }
  meter.messages = rounds;
}

/// Through the stage that `convert --encoding cdr` goes through, a batch at a time.
void to_cdr(const kitbag::ChannelPtr& channel, const Payloads& payloads, std::uint64_t rounds,
            const kitbag::Session& session, bench::Meter& meter) {
  kitbag::TranscodeOptions options;
  options.encoding = "cdr";
  auto stage = kitbag::transcode(options, session);
  auto mapped = stage->map(channel);
  auto channels = std::make_shared<const kitbag::Channels>(kitbag::Channels{mapped});
  kitbag::Batch batch;
  while (meter.messages < rounds) {
    batch.clear();
    batch.channels = channels;
    while (!batch.full() && meter.messages + batch.messages().size() < rounds) {
      std::uint64_t i = meter.messages + batch.messages().size();
      batch.add({mapped.get(), 7, 0, {}, {}, payloads[i]});
    }
    meter.messages += batch.messages().size();
    meter.bytes += batch.payload();
    stage->apply(batch);
  }
}

void prepare(const kitbag::Channel& channel, kitbag::ByteView payload, const std::string& path) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(payload.data()),
             static_cast<std::streamsize>(payload.size()));
  std::ofstream(path + ".msg") << channel.schema->text;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count != 4) throw std::invalid_argument("usage: kitbag_codec KIND FILE PHASE");
  const Kind& kind = kinds().at(arguments[1]);
  const std::string phase = arguments[3];
  const kitbag::Session session;
  auto channel = channel_of(kind.type, session);
  const Payloads payloads(kind.make().take());
  if (phase == "prepare") {
    prepare(*channel, payloads[0], arguments[2]);
    return 0;
  }
  const std::uint64_t rounds = kind.rounds.at(phase);
  bench::Meter meter;
  if (phase == "visit") visit(*channel, payloads, rounds, session, meter);
  if (phase == "json") to_json(*channel, payloads, rounds, session, meter);
  if (phase == "cdr") to_cdr(channel, payloads, rounds, session, meter);
  meter.sum = payloads.size();
  meter.report();
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
