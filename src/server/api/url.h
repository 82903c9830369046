#pragma once

#include <string>
#include <string_view>

namespace kitbag::server {

/// `text` as one segment of the path of a URL: all but letters, digits and "-._~" become %XX.
std::string encode_segment(std::string_view text);

/// An IP address as a URL has it: "[::1]".
std::string host_text(const std::string& address);

/// The value of Content-Disposition for a file of that name (RFC 6266): in ASCII, and as UTF-8
/// where the name has more.
std::string attachment_of(std::string_view name);

}  // namespace kitbag::server
