#include "files/remote/network.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

// IANA's registries of special-purpose addresses say which are not public. Of IPv6, only 2000::/3
// is given out; what carries an IPv4 address in it is judged by that.

namespace kitbag::remote {
namespace {

struct Range {
  std::uint32_t first;
  int bits;
};

constexpr std::array kPrivate = {
    Range{0x00000000, 8},   // this network
    Range{0x0a000000, 8},   // private
    Range{0x64400000, 10},  // of providers
    Range{0x7f000000, 8},   // this machine
    Range{0xa9fe0000, 16},  // link-local, and the metadata of clouds
    Range{0xac100000, 12},  // private
    Range{0xc0000000, 24},  // protocols
    Range{0xc0000200, 24},  // documentation
    Range{0xc0586300, 24},  // relays of 6to4
    Range{0xc0a80000, 16},  // private
    Range{0xc6120000, 15},  // measurements
    Range{0xc6336400, 24},  // documentation
    Range{0xcb007100, 24},  // documentation
    Range{0xe0000000, 4},   // multicast
    Range{0xf0000000, 4},   // reserved, and broadcast
};

bool is_public_v4(std::uint32_t address) {
  return std::none_of(kPrivate.begin(), kPrivate.end(), [&](const Range& range) {
    return (address >> (32 - range.bits)) == (range.first >> (32 - range.bits));
  });
}

std::uint32_t number_at(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

bool is_public_v6(const std::array<unsigned char, 16>& bytes) {
  auto begins_with = [&](std::initializer_list<unsigned char> head) {
    return std::equal(head.begin(), head.end(), bytes.begin());
  };
  bool is_mapped = begins_with({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff});
  bool is_translated = begins_with({0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0});
  if (is_mapped || is_translated) return is_public_v4(number_at(bytes.data() + 12));
  if (begins_with({0x20, 0x02})) return is_public_v4(number_at(bytes.data() + 2));  // 6to4
  // 2001::/23 is for protocols; the others are documentation, with a little around it.
  bool is_special = begins_with({0x20, 0x01, 0x00}) || begins_with({0x20, 0x01, 0x01}) ||
                    begins_with({0x20, 0x01, 0x0d, 0xb8}) || begins_with({0x3f, 0xff});
  return (bytes[0] & 0xe0) == 0x20 && !is_special;
}

std::optional<sockaddr_storage> parsed(const std::string& numeric) {
  sockaddr_storage storage{};
  auto* v4 = reinterpret_cast<sockaddr_in*>(&storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&storage);
  if (::inet_pton(AF_INET, numeric.c_str(), &v4->sin_addr) == 1) {
    storage.ss_family = AF_INET;
  } else if (::inet_pton(AF_INET6, numeric.substr(0, numeric.find('%')).c_str(), &v6->sin6_addr) ==
             1) {
    storage.ss_family = AF_INET6;
  } else {
    return std::nullopt;
  }
  return storage;
}

}  // namespace

bool is_public(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return is_public_v4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family != AF_INET6) return false;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  std::array<unsigned char, 16> bytes{};
  std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
  return is_public_v6(bytes);
}

bool is_same(const std::string& literal, const sockaddr& address) {
  auto named = parsed(literal);
  if (!named || named->ss_family != address.sa_family) return false;
  if (address.sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(*named).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr;
  }
  return std::memcmp(&reinterpret_cast<const sockaddr_in6&>(*named).sin6_addr,
                     &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr,
                     sizeof(in6_addr)) == 0;
}

bool may_be_reached(const std::string& numeric, const std::string& literal) {
  auto address = parsed(numeric);
  if (!address) return false;
  const auto& generic = reinterpret_cast<const sockaddr&>(*address);
  return is_public(generic) || is_same(literal, generic);
}

}  // namespace kitbag::remote
