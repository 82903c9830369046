#include "transport/ros2/services/reply_marks.h"

#include <array>
#include <cstring>

// An RTPS message is a header and submessages, one of which carries a sample:
//
//   "RTPS" version vendor prefix(12) | id flags length | id flags length | ...
//
//   DATA: id flags length | extra(2) to_inline_qos(2) reader(4) writer(4) number(8)
//         | inline QoS, if flag 2 is set: parameters, and the last one | payload
//
// Two parameters say the same, related_sample_identity: that of DDS-RPC, which newer releases of
// Fast DDS read, and the one that is Fast DDS's own. Who knows neither passes over them. They go in
// front of the inline QoS that there is, or become all of it.

namespace kitbag::ros2 {

namespace {

constexpr std::size_t kHeaderBytes = 20;
constexpr std::size_t kPrefixAt = 8;
constexpr std::size_t kPrefixBytes = 12;
constexpr std::size_t kSubmessageBytes = 4;
constexpr std::size_t kDataBytes = 24;  ///< of DATA, up to inline QoS or payload
constexpr std::size_t kWriterAt = 12;
constexpr std::size_t kNumberAt = 16;
constexpr unsigned kData = 0x15;
constexpr unsigned kPad = 0x01;
constexpr unsigned kInfoTime = 0x09;
constexpr unsigned kLittleEndian = 0x01;
constexpr unsigned kInlineQos = 0x02;
constexpr std::array<std::uint16_t, 2> kRelatedSampleIdentity = {0x0083, 0x800f};
constexpr std::uint16_t kSentinel = 0x0001;
constexpr std::size_t kIdentityBytes = 24;
/// A datagram holds no more.
constexpr std::size_t kMostBytes = 65'507;

using Bytes = std::vector<std::byte>;

unsigned byte_at(ByteView packet, std::size_t at) {
  return std::to_integer<unsigned>(packet[at]);
}

/// Numbers in the order that the submessage's flags tell.
class Order {
 public:
  explicit Order(bool is_little) : is_little_(is_little) {}

  std::uint32_t read(ByteView packet, std::size_t at, std::size_t bytes) const {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value |= byte_at(packet, at + i) << (8 * (is_little_ ? i : bytes - 1 - i));
    }
    return value;
  }
  void write(Bytes& into, std::size_t at, std::size_t bytes, std::uint32_t value) const {
    for (std::size_t i = 0; i < bytes; ++i) {
      into[at + i] = static_cast<std::byte>(value >> (8 * (is_little_ ? i : bytes - 1 - i)));
    }
  }
  void add(Bytes& into, std::size_t bytes, std::uint32_t value) const {
    into.resize(into.size() + bytes);
    write(into, into.size() - bytes, bytes, value);
  }

 private:
  bool is_little_;
};

const ReplyMark* mark_of(ByteView packet, std::size_t at, const Order& order,
                         const std::vector<ReplyMark>& marks) {
  std::uint64_t number = std::uint64_t{order.read(packet, at + kNumberAt, 4)} << 32 |
                         order.read(packet, at + kNumberAt + 4, 4);
  for (const ReplyMark& mark : marks) {
    bool is_writer =
        std::memcmp(packet.data() + kPrefixAt, mark.writer.data(), kPrefixBytes) == 0 &&
        std::memcmp(packet.data() + at + kWriterAt, mark.writer.data() + kPrefixBytes, 4) == 0;
    if (is_writer && mark.number == number) return &mark;
  }
  return nullptr;
}

Bytes parameters_of(const ReplyMark& mark, const Order& order, bool is_all) {
  Bytes parameters;
  for (std::uint16_t id : kRelatedSampleIdentity) {
    order.add(parameters, 2, id);
    order.add(parameters, 2, kIdentityBytes);
    parameters.insert(parameters.end(), mark.client.begin(), mark.client.end());
    order.add(parameters, 4, static_cast<std::uint32_t>(mark.request_number >> 32));
    order.add(parameters, 4, static_cast<std::uint32_t>(mark.request_number));
  }
  if (is_all) {
    order.add(parameters, 2, kSentinel);
    order.add(parameters, 2, 0);
  }
  return parameters;
}

}  // namespace

std::optional<std::vector<std::byte>> with_marks(ByteView packet,
                                                 const std::vector<ReplyMark>& marks) {
  if (packet.size() < kHeaderBytes || std::memcmp(packet.data(), "RTPS", 4) != 0) return {};
  Bytes made(packet.begin(), packet.begin() + kHeaderBytes);
  bool is_marked = false;
  for (std::size_t at = kHeaderBytes; at < packet.size();) {
    if (packet.size() - at < kSubmessageBytes) return {};
    unsigned id = byte_at(packet, at);
    unsigned flags = byte_at(packet, at + 1);
    Order order((flags & kLittleEndian) != 0);
    std::size_t length = order.read(packet, at + 2, 2);
    bool is_last = length == 0 && id != kPad && id != kInfoTime;
    std::size_t size = is_last ? packet.size() - at : kSubmessageBytes + length;
    if (size > packet.size() - at) return {};
    ByteView submessage = packet.subspan(at, size);
    const ReplyMark* mark =
        id == kData && size >= kDataBytes ? mark_of(packet, at, order, marks) : nullptr;
    if (!mark) {
      made.insert(made.end(), submessage.begin(), submessage.end());
    } else {
      Bytes parameters = parameters_of(*mark, order, (flags & kInlineQos) == 0);
      std::size_t begin = made.size();
      made.insert(made.end(), submessage.begin(), submessage.begin() + kDataBytes);
      made.insert(made.end(), parameters.begin(), parameters.end());
      made.insert(made.end(), submessage.begin() + kDataBytes, submessage.end());
      made[begin + 1] = static_cast<std::byte>(flags | kInlineQos);
      if (!is_last) {
        if (length + parameters.size() > UINT16_MAX) return {};
        order.write(made, begin + 2, 2, static_cast<std::uint32_t>(length + parameters.size()));
      }
      is_marked = true;
    }
    at += size;
  }
  if (!is_marked || made.size() > kMostBytes) return {};
  return made;
}

}  // namespace kitbag::ros2
