#include <sstream>

#include "kitbag/error.h"
#include "server/bags/events.h"
#include "server/bags/seconds.h"
#include "server/http/message.h"
#include "server/http/ranges.h"
#include "tests/fuzz/targets.h"

// What clients of the server send, behind the parser of HTTP itself: URLs, ranges, conditions, and
// times.

namespace kitbag::fuzz {
namespace {

using namespace server;  // NOLINT: this file is about nothing else

constexpr std::size_t kBodyBytes = 1000;

std::string body_of(const Content& content) {
  std::string body;
  for (const Part& part : content.parts()) {
    require(part.text && part.offset <= part.text->size());
    require(part.size <= part.text->size() - part.offset);
    body += part.text->substr(static_cast<std::size_t>(part.offset),
                              static_cast<std::size_t>(part.size));
  }
  require(body.size() == content.size());
  return body;
}

/// The target in the first line, then headers: "name: value".
void run_request(ByteView bytes) {
  std::istringstream lines{std::string(as_text(bytes))};
  std::string line;
  std::getline(lines, line);
  Request request;
  if (!parse_target(line, request)) return;
  require(!request.path.empty());
  while (std::getline(lines, line)) {
    std::size_t colon = line.find(": ");
    if (colon != std::string::npos) {
      request.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
  }
  std::string whole;
  for (std::size_t i = 0; i < kBodyBytes; ++i) whole += static_cast<char>('a' + i % 26);
  Content content;
  content.add(whole.substr(0, 300)).add(whole.substr(300, 1)).add(whole.substr(301));
  Time modified{std::chrono::seconds(1'700'000'000)};
  Response response = answer(request, content, {"\"tag\"", modified}, {{"Content-Type", "a/b"}});
  std::string body = body_of(response.content);
  bool has_body = response.status == 200 || response.status == 206;
  require(has_body || response.status == 304 || response.status == 412 || response.status == 416);
  require(response.status != 200 || body == whole);
  for (const auto& [name, value] : response.headers) {
    require(value.find_first_of("\r\n") == std::string::npos);
    if (name == "Content-Range" && response.status == 206) {
      require(whole.find(body) != std::string::npos);
    }
  }
}

void run_ranges(ByteView bytes) {
  for (std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, UINT64_MAX}) {
    auto ranges = parse_ranges(as_text(bytes), size);
    if (!ranges) continue;
    require(ranges->size() <= 32);
    for (const ByteRange& range : *ranges) {
      require(range.size > 0 && range.offset < size && range.size <= size - range.offset);
    }
  }
}

void run_times(ByteView bytes) {
  if (auto time = parse_seconds(as_text(bytes))) {
    Time second{std::chrono::seconds(0)};
    require(whole_seconds(*time) <= to_ns(*time) / 1'000'000'000 || *time < second);
  }
  if (auto date = parse_http_date(as_text(bytes))) {
    require(parse_http_date(http_date(*date)) == date);
  }
}

void run_events(ByteView bytes) {
  try {
    std::string stored = events_json(parse_events(as_text(bytes)).events);
    require(events_json(parse_events(stored).events) == stored);
  } catch (const Error&) {
  }
}

}  // namespace

void add_http(std::map<std::string, Target>& all) {
  all["http-request"] = {
      run_request, [] {
        return std::vector<std::string>{
            "/bags/a%20b/player?start_time=1.5&topics=/a,/b\nrange: bytes=0-9,-5",
            "/view/x.mcap?end=1e9\nif-range: \"tag\"\nrange: bytes=10-",
            "/a?b+c=%2F\nif-none-match: W/\"tag\", *\nif-match: \"tag\"",
            "/\nif-modified-since: Tue, 14 Nov 2023 22:13:20 GMT"};
      }};
  all["http-events"] = {
      run_events, [] {
        return std::vector<std::string>{
            R"({"start_time": 1.5, "label": "x"})",
            R"({"events": [{"start_time": 1e9, "end_time": "2", "label": "x", "description": "y",
                            "metadata": {"a": "b"}}]})"};
      }};
  all["http-ranges"] = {
      run_ranges, [] {
        return std::vector<std::string>{"bytes=0-9, 5-, -7", "bytes=18446744073709551615-"};
      }};
  all["http-times"] = {run_times, [] {
                         return std::vector<std::string>{"1674650010.123", "-1.5e9", "1E+3",
                                                         "Tue, 31 Oct 2023 14:36:17 GMT"};
                       }};
}

}  // namespace kitbag::fuzz
