#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Lines of journals: fields between tabs, and a sum at the end, so that a torn line is none.
//
//   FIELD \t FIELD \t ... \t CRC32 \n

namespace kitbag {

/// Returns the line, with its end.
std::string summed_line(const std::vector<std::string>& fields);
/// Returns the fields of a line without its end; nothing if the sum is not right.
std::optional<std::vector<std::string>> fields_of_summed_line(std::string_view line);

}  // namespace kitbag
