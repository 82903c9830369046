#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

/// The one message type of the benchmarks: on the wire a u32 length, then the bytes.
inline constexpr const char* kType = "bench/Bytes";
inline constexpr const char* kMd5 = "f43a8e1b362b75baa741461b46adc7e0";
inline constexpr const char* kDefinition = "uint8[] data\n";

inline constexpr std::uint64_t kStartNs = 1'700'000'000'000'000'000;
inline constexpr std::uint64_t kStepNs = 1'000'000;

/// What is written and read: message i goes to topic i modulo `topics`, one millisecond after the
/// one before, with payload i modulo the pool's size.
struct Workload {
  std::uint64_t messages;
  std::size_t bytes;  ///< of one payload
  std::size_t topics;
  std::size_t pool;  ///< distinct payloads, so that compression has real work
  /// Messages of 1 MiB, 10 KiB and 100 B, each size on a topic of its own: 70, 20 and 10 % of the
  /// bytes.
  bool is_mixed = false;

  std::size_t topic_of(std::uint64_t i) const {
    if (!is_mixed) return i % topics;
    constexpr std::uint64_t kRound = 1530;
    if (i % kRound == 0) return 0;
    return i % 51 == 25 ? 1 : 2;
  }
  std::size_t bytes_of(std::uint64_t i) const {
    constexpr std::size_t kSizes[] = {1 << 20, 10 << 10, 100};
    return is_mixed ? kSizes[topic_of(i)] : bytes;
  }
  /// Of the payload in the pool.
  std::size_t offset_of(std::uint64_t i) const {
    if (!is_mixed) return i % pool * bytes;
    return i * 4096 % (pool * bytes - bytes_of(i));
  }
  std::uint64_t time_ns(std::uint64_t i) const { return kStartNs + i * kStepNs; }
  /// The middle hundredth of the time, end excluded.
  std::uint64_t query_begin_ns() const { return time_ns(messages / 2); }
  std::uint64_t query_end_ns() const { return time_ns(messages / 2 + messages / 100); }
};

inline Workload workload(std::string_view name) {
  if (name == "a") return {1'000'000, 100, 10, 16384};
  if (name == "b") return {2'000, 1'000'000, 1, 16};
  if (name == "large") return {4'000, 1 << 20, 1, 16};
  if (name == "live") return {12'000, 100'000, 1, 16};
  if (name == "mixed") return {267'750, 1 << 20, 3, 16, true};
  throw std::invalid_argument("no such workload");
}

inline std::string topic(std::size_t i) {
  return "/bench/topic" + std::to_string(i);
}

/// Fills a payload like a sensor's: of every 8 bytes, 4 change slowly and 4 are random.
inline void fill(std::byte* to, std::size_t bytes, std::uint64_t seed) {
  const auto length = static_cast<std::uint32_t>(bytes - sizeof(std::uint32_t));
  std::memcpy(to, &length, sizeof(length));
  std::uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
  for (std::size_t at = sizeof(length); at < bytes; at += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const std::uint32_t group[2] = {static_cast<std::uint32_t>(at / 64),
                                    static_cast<std::uint32_t>(state)};
    std::memcpy(to + at, group, std::min<std::size_t>(sizeof(group), bytes - at));
  }
}

/// All distinct payloads of a workload, one behind the other.
inline std::shared_ptr<const std::vector<std::byte>> make_pool(const Workload& work) {
  auto pool = std::make_shared<std::vector<std::byte>>(work.pool * work.bytes);
  for (std::size_t i = 0; i < work.pool; ++i)
    fill(pool->data() + i * work.bytes, work.bytes, i + 1);
  return pool;
}

/// Touches every 64th byte: the least that any use of the data costs. The sum shows whether both
/// sides read the same.
inline std::uint64_t touch(const std::byte* data, std::size_t bytes) {
  std::uint64_t sum = bytes;
  for (std::size_t at = 0; at < bytes; at += 64) sum += std::to_integer<std::uint64_t>(data[at]);
  return sum;
}

}  // namespace bench
