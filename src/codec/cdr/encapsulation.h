#pragma once

#include <cstddef>
#include <cstdint>

#include "kitbag/bytes.h"

namespace kitbag::cdr {

/// The first four bytes of a payload, as DDS has them (RTPS 2.5, 10.5; XTypes 1.3, 7.6.3.1.2).
struct Encapsulation {
  bool is_big_endian = false;
  bool is_version_2 = false;  ///< XCDR2: nothing is aligned to more than 4
  bool is_delimited = false;  ///< the outermost type, if it is appendable
  bool is_list = false;       ///< the outermost type, if its members have ids

  static constexpr std::size_t kBytes = 4;
};

/// Throws Error: truncated for fewer than four bytes, unsupported for what is no CDR.
Encapsulation parse_encapsulation(ByteView payload);

/// Parameter ids of XCDR1 that are no member's (XTypes 1.3, 7.4.1.2.1).
inline constexpr std::uint16_t kExtendedId = 0x3f01;
inline constexpr std::uint16_t kSentinelId = 0x3f02;
inline constexpr std::uint16_t kIdMask = 0x3fff;

}  // namespace kitbag::cdr
