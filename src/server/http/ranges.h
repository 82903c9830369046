#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kitbag/time.h"
#include "server/http/message.h"

// Conditional requests and ranges (RFC 9110, chapters 13 and 14) for whatever has a length and a
// validator. Every download goes through answer(), so that files, tars and views behave alike.

namespace kitbag::server {

/// Of a header Range: what is asked for of `size` bytes.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t size = 0;

  bool operator==(const ByteRange&) const = default;
};

/// What a header Range means. Absent: it is to be ignored (malformed, another unit, or more than 32
/// ranges). Empty: none of the ranges can be satisfied.
std::optional<std::vector<ByteRange>> parse_ranges(std::string_view header, std::uint64_t size);

/// "Tue, 31 Oct 2023 14:36:17 GMT".
std::string http_date(Time time);
/// The time of an HTTP date in that form; absent for anything else.
std::optional<Time> parse_http_date(std::string_view text);

/// What identifies a state of a resource.
struct Validator {
  std::string etag;  ///< strong, with its quotes
  std::optional<Time> modified = std::nullopt;
};

/// True if the request's conditions say that the client has this state already (304).
bool is_not_modified(const Request& request, const Validator& validator);

/// The answer to GET or HEAD for `content`: 200, 206 for one range or several, 304, 412, or 416.
/// `headers` holds Content-Type, which a body of several ranges repeats for each.
Response answer(const Request& request, const Content& content, const Validator& validator,
                TextPairs headers);

}  // namespace kitbag::server
