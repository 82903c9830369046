#pragma once

#include <string>
#include <string_view>

namespace kitbag::catalog {

/// Returns a text that every database takes: names of files and topics may be any bytes, but
/// PostgreSQL takes only UTF-8 without NUL. Bytes that are not, and characters that stand for such
/// bytes, become characters of the private area, U+F700 to U+F7FF; all others stay.
std::string stored_text(std::string_view bytes);
/// Returns the bytes of a text that stored_text() has returned.
std::string bytes_of(std::string_view stored);

}  // namespace kitbag::catalog
