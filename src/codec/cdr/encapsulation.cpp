#include "codec/cdr/encapsulation.h"

#include <fmt/format.h>

#include "kitbag/error.h"

// The second byte names the form; its lowest bit is set for little-endian. Two sets of numbers are
// in use for XCDR2, and they do not collide:
//
//     00  plain XCDR1             06, 10  plain XCDR2
//     02  parameter list          08, 14  XCDR2, appendable structures have sizes
//                                 0a, 12  XCDR2, members have ids
//
// Bytes three and four are options. Nothing in them is needed to read a payload, so they are
// ignored.

namespace kitbag::cdr {

Encapsulation parse_encapsulation(ByteView payload) {
  if (payload.size() < Encapsulation::kBytes) {
    throw Error(ErrorCode::truncated, "the payload ends within its encapsulation header", {},
                payload.size());
  }
  auto high = std::to_integer<std::uint8_t>(payload[0]);
  auto low = std::to_integer<std::uint8_t>(payload[1]);
  Encapsulation found;
  found.is_big_endian = (low & 1) == 0;
  switch (high == 0 ? low & 0xfe : 0xff) {
    case 0x00:
      return found;
    case 0x02:
      found.is_list = true;
      return found;
    case 0x06:  // XTypes' numbers, and those of RTPS before
    case 0x10:
      found.is_version_2 = true;
      return found;
    case 0x08:
    case 0x14:
      found.is_version_2 = found.is_delimited = true;
      return found;
    case 0x0a:
    case 0x12:
      found.is_version_2 = found.is_list = true;
      return found;
    default:
      throw Error(ErrorCode::unsupported,
                  fmt::format("the payload begins with {:02x} {:02x}, which is not CDR", high, low),
                  {}, 0);
  }
}

}  // namespace kitbag::cdr
