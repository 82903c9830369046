#include "server/http/ranges.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "server/http/words.h"

// The order of conditions is that of RFC 9110, 13.2.2: If-Match, If-Unmodified-Since,
// If-None-Match, If-Modified-Since, If-Range. Ranges are only for GET (14.2). Whatever is malformed
// is ignored, which gives the whole body: 416 is only for ranges that are well formed and lie
// outside.
//
// Tags are compared weakly for If-None-Match and strongly for the others: parts of two states must
// not be joined, while "nothing relevant has changed" suffices to keep a copy. Dates have seconds
// only, so times are cut to seconds before they are compared.
//
// The boundary of a multipart body is made from the ETag, so that the same request gives the same
// bytes.

namespace kitbag::server {
namespace {

/// A client that wants more pieces than this gets the whole: each costs a header of its own.
constexpr std::size_t kMostRanges = 32;

/// Calls `take` with each element of a list with commas.
template <class Take>
void for_each_element(std::string_view list, Take take) {
  while (!list.empty()) {
    std::string_view element = trimmed(take_until(list, ','));
    if (!element.empty()) take(element);
  }
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  // More digits than 64 bits hold mean "to the end", as other large numbers do.
  if (error == std::errc::result_out_of_range) return UINT64_MAX;
  return value;
}

/// "a-b", "a-" or "-n". Absent: malformed. A size of 0: it cannot be satisfied.
std::optional<ByteRange> parse_range(std::string_view text, std::uint64_t size) {
  std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::string_view first = trimmed(text.substr(0, dash));
  std::string_view last = trimmed(text.substr(dash + 1));
  if (first.empty()) {
    auto suffix = parse_number(last);
    if (!suffix) return std::nullopt;
    std::uint64_t length = std::min(*suffix, size);
    return ByteRange{size - length, length};
  }
  auto begin = parse_number(first);
  auto end = last.empty() ? std::optional(UINT64_MAX) : parse_number(last);
  if (!begin || !end || *end < *begin) return std::nullopt;
  if (*begin >= size) return ByteRange{};
  return ByteRange{*begin, std::min(*end, size - 1) - *begin + 1};
}

/// Whether a list of tags holds `etag`. `weak` compares W/"a" like "a".
bool holds(std::string_view list, const std::string& etag, bool weak) {
  bool found = false;
  for_each_element(list, [&](std::string_view each) {
    if (weak && each.starts_with("W/")) each.remove_prefix(2);
    found = found || each == "*" || each == etag;
  });
  return found;
}

/// Ranges that overlap would send the same bytes more than once: they become one, in order.
std::vector<ByteRange> without_overlaps(const std::vector<ByteRange>& ranges) {
  std::vector<ByteRange> sorted = ranges;
  std::sort(sorted.begin(), sorted.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.offset < b.offset; });
  std::vector<ByteRange> joined;
  for (const ByteRange& range : sorted) {
    bool overlaps = !joined.empty() && range.offset < joined.back().offset + joined.back().size;
    if (!overlaps) {
      joined.push_back(range);
      continue;
    }
    std::uint64_t end =
        std::max(joined.back().offset + joined.back().size, range.offset + range.size);
    joined.back().size = end - joined.back().offset;
  }
  return joined.size() == ranges.size() ? ranges : joined;
}

Time in_seconds(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

/// A resource that has changed since the client chose it (412).
bool is_precondition_failed(const Request& request, const Validator& validator) {
  if (const std::string* match = request.header("if-match")) {
    return !holds(*match, validator.etag, false);
  }
  const std::string* since = request.header("if-unmodified-since");
  if (!since || !validator.modified) return false;
  auto time = parse_http_date(*since);
  return time && in_seconds(*validator.modified) > *time;
}

/// Whether ranges are to be given, or the client's part is of another state (If-Range).
bool ranges_apply(const Request& request, const Validator& validator) {
  const std::string* condition = request.header("if-range");
  if (!condition) return true;
  if (condition->starts_with('"')) return *condition == validator.etag;
  auto time = parse_http_date(*condition);
  return time && validator.modified && in_seconds(*validator.modified) == *time;
}

std::string content_range(const ByteRange& range, std::uint64_t size) {
  return fmt::format("bytes {}-{}/{}", range.offset, range.offset + range.size - 1, size);
}

/// Several ranges as one body (multipart/byteranges).
void set_ranges(Response& response, const Content& content, const std::vector<ByteRange>& ranges,
                const Validator& validator) {
  std::string boundary = "kitbag_";
  for (char c : validator.etag) {
    if (std::isalnum(static_cast<unsigned char>(c))) boundary += c;
  }
  std::string type = "application/octet-stream";
  for (auto& [name, value] : response.headers) {
    if (name != "Content-Type") continue;
    type = value;
    value = "multipart/byteranges; boundary=" + boundary;
  }
  for (const ByteRange& range : ranges) {
    response.content
        .add(fmt::format("\r\n--{}\r\nContent-Type: {}\r\nContent-Range: {}\r\n\r\n", boundary,
                         type, content_range(range, content.size())))
        .add(content.range(range.offset, range.size));
  }
  response.content.add(fmt::format("\r\n--{}--\r\n", boundary));
}

}  // namespace

std::optional<std::vector<ByteRange>> parse_ranges(std::string_view header, std::uint64_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!header.starts_with(kUnit)) return std::nullopt;
  std::vector<ByteRange> ranges;
  std::size_t asked = 0;
  bool is_sound = true;
  for_each_element(header.substr(kUnit.size()), [&](std::string_view each) {
    auto range = parse_range(each, size);
    is_sound = is_sound && range && ++asked <= kMostRanges;
    if (is_sound && range->size > 0) ranges.push_back(*range);
  });
  if (!is_sound || asked == 0) return std::nullopt;
  return without_overlaps(ranges);
}

std::string http_date(Time time) {
  std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(in_seconds(time)));
  return fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(seconds));
}

std::optional<Time> parse_http_date(std::string_view text) {
  std::tm parts{};
  std::string copy(trimmed(text));
  const char* end = strptime(copy.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  if (!end || *end != '\0') return std::nullopt;
  // Some dates are meant for "never", beyond what a Time can represent.
  constexpr auto kLast = std::chrono::floor<std::chrono::seconds>(Time::max());
  constexpr auto kFirst = std::chrono::ceil<std::chrono::seconds>(Time::min());
  return Time(
      std::clamp(std::chrono::sys_seconds(std::chrono::seconds(timegm(&parts))), kFirst, kLast));
}

bool is_not_modified(const Request& request, const Validator& validator) {
  if (const std::string* tags = request.header("if-none-match")) {
    return holds(*tags, validator.etag, true);
  }
  const std::string* since = request.header("if-modified-since");
  if (!since || !validator.modified) return false;
  auto time = parse_http_date(*since);
  return time && in_seconds(*validator.modified) <= *time;
}

Response answer(const Request& request, const Content& content, const Validator& validator,
                TextPairs headers) {
  Response response;
  response.headers = std::move(headers);
  response.set("ETag", validator.etag);
  response.set("Accept-Ranges", "bytes");
  if (validator.modified) response.set("Last-Modified", http_date(*validator.modified));
  if (is_precondition_failed(request, validator)) {
    response.status = 412;
    return response;
  }
  if (is_not_modified(request, validator)) {
    response.status = 304;
    return response;
  }
  const std::string* header = request.header("range");
  std::optional<std::vector<ByteRange>> ranges;
  if (header && request.method == "GET" && ranges_apply(request, validator)) {
    ranges = parse_ranges(*header, content.size());
  }
  if (!ranges) {
    response.content = content;
  } else if (ranges->empty()) {
    response.status = 416;
    response.set("Content-Range", fmt::format("bytes */{}", content.size()));
  } else if (ranges->size() == 1) {
    response.status = 206;
    response.set("Content-Range", content_range(ranges->front(), content.size()));
    response.content = content.range(ranges->front().offset, ranges->front().size);
  } else {
    response.status = 206;
    set_ranges(response, content, *ranges, validator);
  }
  return response;
}

}  // namespace kitbag::server
