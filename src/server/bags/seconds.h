#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kitbag/time.h"

namespace kitbag::server {

/// Parses seconds since 1970 as a decimal, such as "1674650010.123" or "1.5e9", to the nanosecond
/// below, without the rounding of a double. Absent: no such number, or not within what a Time can
/// represent.
std::optional<Time> parse_seconds(std::string_view text);

/// "1674650010.123000000": seconds with nine decimals, exactly; of a time those since 1970.
std::string seconds_text(Duration duration);
std::string seconds_text(Time time);

/// The seconds since 1970, rounded down.
std::int64_t whole_seconds(Time time);

}  // namespace kitbag::server
