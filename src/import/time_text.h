#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kitbag {

/// Returns the number in `text` times `unit_ns`, in nanoseconds, exactly; what is finer than that
/// is rounded. Nothing if it is no decimal number, or does not fit.
std::optional<std::int64_t> scaled_number(std::string_view text, std::int64_t unit_ns);

/// Returns the nanoseconds of a real times `unit_ns`; nothing if they do not fit.
std::optional<std::int64_t> scaled_number(double value, std::int64_t unit_ns);

/// How a text writes a number.
enum class NumberForm : std::uint8_t { none, whole, fraction };

/// Returns `fraction` for a decimal number with a point or an exponent, and `none` for what is no
/// number alone, as a date.
NumberForm number_form(std::string_view text);

/// Returns the nanoseconds since 1970 of a text: a time as parse_time() reads it, also with a blank
/// between the date and the time of day; or a number, in seconds if it has a point, otherwise in
/// nanoseconds. `unit_ns`, if it is not 0, is the unit of numbers. Nothing for anything else.
std::optional<std::int64_t> time_of_text(std::string_view text, std::int64_t unit_ns);

/// The same for a duration: a number likewise, or "1 days 02:03:04.5" as pandas writes it.
std::optional<std::int64_t> duration_of_text(std::string_view text, std::int64_t unit_ns);

}  // namespace kitbag
