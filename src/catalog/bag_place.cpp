#include "catalog/bag_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "kitbag/error.h"

namespace kitbag::catalog {
namespace {

constexpr std::size_t kDigits = 16;  // of a number of 64 bits

std::int64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return static_cast<std::int64_t>(number);
}

}  // namespace

std::string cursor_of(const BagPlace& place) {
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(place.start_ns),
                     static_cast<std::uint64_t>(place.bag));
}

BagPlace place_of_cursor(const std::string& cursor) {
  bool is_one = cursor.size() == 2 * kDigits &&
                cursor.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_one) throw Error(ErrorCode::invalid, "that is no cursor of a list of bags");
  std::string_view digits = cursor;
  return {number_of(digits.substr(0, kDigits)), number_of(digits.substr(kDigits))};
}

}  // namespace kitbag::catalog
