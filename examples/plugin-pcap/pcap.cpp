// Classic pcap captures as bags, read-only: one channel, because a classic capture is of one
// interface, and each packet a message. The bytes of a packet are the payload, its link type is the
// encoding, as tcpdump's developers name it.
//
// The file: a header of 24 bytes (u32 magic, u16 x 2 version, i32 zone, u32 accuracy, u32 most
// bytes of a packet, u32 link type), then packets, each behind u32 seconds, u32 microseconds (or
// nanoseconds, by the magic), u32 bytes here, u32 bytes on the wire. All of it in the byte order of
// the machine that wrote it, which the magic shows.

#include <kitbag/pipeline.h>
#include <kitbag/plugin.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace {

using namespace kitbag;

constexpr std::uint32_t kMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kNanoseconds = 0xa1b23c4d;
constexpr std::size_t kFileHeader = 24;
constexpr std::size_t kPacketHeader = 16;
constexpr std::uint32_t kMostOfPacket = 1 << 24;  // tcpdump's own limit is 256 KiB

std::uint32_t swapped(std::uint32_t value) {
  return value >> 24 | (value >> 8 & 0xff00) | (value << 8 & 0xff0000) | value << 24;
}

/// How a capture's numbers are to be read.
struct Dialect {
  bool is_known = false;
  bool is_swapped = false;
  bool has_nanoseconds = false;

  std::uint32_t number(const std::byte* from) const {
    std::uint32_t value;
    std::memcpy(&value, from, sizeof(value));
    return is_swapped ? swapped(value) : value;
  }
};

Dialect dialect_of(ByteView head) {
  if (head.size() < kFileHeader) return {};
  for (bool is_swapped : {false, true}) {
    Dialect dialect{true, is_swapped, false};
    std::uint32_t magic = dialect.number(head.data());
    dialect.has_nanoseconds = magic == kNanoseconds;
    if (magic == kMicroseconds || magic == kNanoseconds) return dialect;
  }
  return {};
}

std::string link_name(std::uint32_t type) {
  switch (type) {
    case 1:
      return "ethernet";
    case 101:
      return "raw_ip";
    case 105:
      return "ieee802_11";
    case 113:
      return "linux_sll";
    case 227:
      return "can_socketcan";
    default:
      return "linktype_" + std::to_string(type);
  }
}

/// Where a packet is.
struct Packet {
  Time time;
  std::uint64_t offset;  ///< of its bytes
  std::uint32_t bytes;
};

class PcapBag;

/// Packets in the order of a list. Each batch owns a copy of its packets' bytes.
class PcapSource final : public Source {
 public:
  PcapSource(std::shared_ptr<const ReadFile> file, ChannelsPtr channels,
             std::vector<Packet> packets)
      : file_(std::move(file)), channels_(std::move(channels)), packets_(std::move(packets)) {}

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait&) override {
    batch.channels = channels_;
    const Channel* channel = channels_->front().get();
    while (next_ < packets_.size() && !batch.full()) {
      const Packet& packet = packets_[next_++];
      auto bytes = std::make_shared<std::vector<std::byte>>(packet.bytes);
      bytes->resize(file_->read(packet.offset, *bytes));
      batch.keep(bytes, bytes->size());
      batch.add({channel, 0, 0, packet.time, packet.time, *bytes});
    }
    return !batch.empty();
  }

 private:
  std::shared_ptr<const ReadFile> file_;
  ChannelsPtr channels_;
  std::vector<Packet> packets_;
  std::size_t next_ = 0;
};

class PcapBag final : public Bag {
 public:
  PcapBag(const Input& input, const ReadOptions& options) : file_(input.file) {
    Dialect dialect = dialect_of(input.head);
    auto channel = std::make_shared<Channel>();
    channel->topic = "/packets";
    channel->encoding = link_name(dialect.number(input.head.data() + 20));
    summary_.channels = std::make_shared<const Channels>(Channels{channel});
    summary_.format = "pcap";
    summary_.version = "2.4";
    summary_.size_bytes = file_->size();
    find_packets(dialect, input.path, options.on_problem);
    summary_.messages = packets_.size();
    summary_.message_counts = {packets_.size()};
    auto by_time = [](const Packet& a, const Packet& b) { return a.time < b.time; };
    auto [first, last] = std::minmax_element(packets_.begin(), packets_.end(), by_time);
    if (packets_.empty()) return;
    summary_.start = first->time;
    summary_.end = last->time;
  }

  const Summary& summary() const override { return summary_; }

  std::unique_ptr<Source> read_messages(const Query& query, const Wait& /*wait*/) const override {
    std::vector<Packet> wanted;
    for (const Packet& packet : packets_) {
      bool is_before_end = packet.time < query.end || query.end == Time::max();
      if (packet.time >= query.begin && is_before_end) wanted.push_back(packet);
    }
    auto by_time = [](const Packet& a, const Packet& b) { return a.time < b.time; };
    if (query.order != Order::file) std::stable_sort(wanted.begin(), wanted.end(), by_time);
    if (query.order == Order::reverse_time) std::reverse(wanted.begin(), wanted.end());
    auto channels = std::make_shared<Channels>(*summary_.channels);
    if (!Selector(query.select).matches(*channels->front())) {
      channels->front() = nullptr;  // a source's table has the selected channels only
      wanted.clear();
    }
    wanted.erase(wanted.begin(),
                 wanted.begin() + static_cast<std::ptrdiff_t>(
                                      std::min<std::uint64_t>(query.nth, wanted.size())));
    wanted.resize(static_cast<std::size_t>(std::min<std::uint64_t>(query.count, wanted.size())));
    return std::make_unique<PcapSource>(file_, std::move(channels), std::move(wanted));
  }

 private:
  void find_packets(const Dialect& dialect, const std::string& path, const OnProblem& on_problem) {
    std::uint64_t size = file_->size();
    std::array<std::byte, kPacketHeader> header;
    for (std::uint64_t at = kFileHeader; at < size;) {
      bool has_header = file_->read(at, header) == header.size();
      std::uint32_t bytes = has_header ? dialect.number(header.data() + 8) : 0;
      if (!has_header || bytes > kMostOfPacket || bytes > size - at - kPacketHeader) {
        report(on_problem, Error(ErrorCode::truncated, "the capture ends within this packet", path,
                                 at, Loss{.bytes = size - at}));
        return;
      }
      Duration fraction(dialect.number(header.data() + 4) *
                        (dialect.has_nanoseconds ? 1LL : 1000LL));
      Time time = Time(std::chrono::seconds(dialect.number(header.data()))) + fraction;
      packets_.push_back({time, at + kPacketHeader, bytes});
      at += kPacketHeader + bytes;
    }
  }

  std::shared_ptr<const ReadFile> file_;
  Summary summary_;
  std::vector<Packet> packets_;  ///< in file order
};

Format pcap_format() {
  Format format{};
  format.name = "pcap";
  format.extension = ".pcap";
  format.description = "classic pcap capture, read-only";
  format.matches = [](const Input& input) {
    return input.file && dialect_of(input.head).is_known ? 100 : 0;
  };
  format.open = [](const Input& input, const ReadOptions& options, const Session&) -> BagPtr {
    if (!dialect_of(input.head).is_known) {
      throw Error(ErrorCode::unsupported, "is not a classic pcap capture", input.path);
    }
    return std::make_shared<PcapBag>(input, options);
  };
  return format;
}

void add_pcap(Registry& registry) {
  registry.formats.push_back(pcap_format());
}

}  // namespace

KITBAG_PLUGIN(add_pcap);
