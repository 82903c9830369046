#include "compress/xxh32.h"

#include <bit>

#include "base/little_endian.h"

// liblz4 has this too, and keeps it to itself. Distributions compile it so that the compiler turns
// its four lanes into one vector; without a vector multiplication in the baseline of x86-64 that is
// 1.9 GB/s, where LZ4 itself reads at 8 and stores what does not compress at 11. Four plain numbers
// give four times as much, and the checksum is no longer what reading a bag waits for.

namespace kitbag {
namespace {

constexpr std::uint32_t kPrime1 = 2654435761U;
constexpr std::uint32_t kPrime2 = 2246822519U;
constexpr std::uint32_t kPrime3 = 3266489917U;
constexpr std::uint32_t kPrime4 = 668265263U;
constexpr std::uint32_t kPrime5 = 374761393U;

constexpr std::size_t kStripe = 16;

std::uint32_t lane_round(std::uint32_t lane, const std::byte* from) {
  lane = std::rotl(lane + load_le<std::uint32_t>(from) * kPrime2, 13) * kPrime1;
  __asm__("" : "+r"(lane));  // keeps the lane a plain number
  return lane;
}

std::uint32_t hash_stripes(const std::byte* at, const std::byte* end) {
  std::uint32_t a = kPrime1 + kPrime2;
  std::uint32_t b = kPrime2;
  std::uint32_t c = 0;
  std::uint32_t d = 0U - kPrime1;
  for (; at != end; at += kStripe) {
    a = lane_round(a, at);
    b = lane_round(b, at + 4);
    c = lane_round(c, at + 8);
    d = lane_round(d, at + 12);
  }
  return std::rotl(a, 1) + std::rotl(b, 7) + std::rotl(c, 12) + std::rotl(d, 18);
}

}  // namespace

std::uint32_t xxh32(ByteView bytes) {
  const std::byte* at = bytes.data();
  const std::byte* stripes_end = at + bytes.size() / kStripe * kStripe;
  const std::byte* end = at + bytes.size();
  std::uint32_t hash = at == stripes_end ? kPrime5 : hash_stripes(at, stripes_end);
  hash += static_cast<std::uint32_t>(bytes.size());
  at = stripes_end;
  for (; end - at >= 4; at += 4) {
    hash = std::rotl(hash + load_le<std::uint32_t>(at) * kPrime3, 17) * kPrime4;
  }
  for (; at != end; ++at) {
    hash = std::rotl(hash + std::to_integer<std::uint32_t>(*at) * kPrime5, 11) * kPrime1;
  }
  hash = (hash ^ hash >> 15U) * kPrime2;
  hash = (hash ^ hash >> 13U) * kPrime3;
  return hash ^ hash >> 16U;
}

}  // namespace kitbag
