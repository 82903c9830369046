#include <memory>
#include <string>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/fields.h"
#include "server/api/bag_api.h"
#include "server/api/parameters.h"
#include "server/slices/slice_form.h"

// Messages with a certain content: those for which a condition is true, with the fields that it
// names; or those with a text that contains a word.
//
// A search is a slice with a filter: messages are sent as they are found, and the end of the answer
// tells whether `limit` was reached. Lists of bytes are left out of it, which would be most of its
// size, and nobody searches for a word to get a picture.

namespace kitbag::server {
namespace {

constexpr std::uint64_t kDefaultLimit = 100;
constexpr std::uint64_t kMostLimit = 100'000;

Response search(Served& served, const Call& call) {
  OpenBagPtr open = open_readable(served, call.bag);
  const Summary& summary = open->bag->summary();
  std::vector<std::string> fields = words_of(call.request, "fields");
  SliceRequest asked{.slice = slice_of(call.request).value_or(Slice()),
                     .select = selection_of(call.request, summary, served.session, fields),
                     .limit = number_of(call.request, "limit", kDefaultLimit, 1, kMostLimit)};
  FormRequest form{.tells_limit = true, .fields = std::move(fields)};
  form.codec.bytes = CodecOptions::Bytes::omit;
  const std::string* word = call.request.parameter("text");
  std::string condition = where_of(call.request, "q", summary, served.session);
  if (condition.empty() == (word == nullptr)) {
    throw Error(ErrorCode::invalid, "a search needs q, a condition on fields, or text, a word");
  }
  if (word) {
    containing(*word, OnError::skip, nullptr, served.session);  // refuses what it cannot search for
    asked.filter = [word = *word, session = served.session](TranscodeReport& report) {
      return containing(word, OnError::skip, &report, session);
    };
  } else {
    if (form.fields.empty()) form.fields = fields_of_condition(condition);
    asked.filter = [condition, session = served.session](TranscodeReport& report) {
      return where(condition, OnError::skip, &report, session);
    };
  }
  return answer_about(served, call, [&](Response& response) {
    response.set("Content-Type", "application/json");
    response.stream =
        slice_stream(SliceReader(open, std::move(asked), served.open_slices, served.session),
                     make_form(form, served.session), served);
  });
}

}  // namespace

void add_search(Routes& routes, Served& served) {
  routes.add(
      {.method = "GET",
       .path = "/bags/{bag}/search",
       .summary = "Messages for which a condition is true, or with a text that contains a word",
       .media_type = "application/json",
       .parameters = {{"q", "string", "a condition on fields, as where of the player"},
                      {"text", "string", "instead of q: a word, in any field"},
                      {"topics", "string", "only these topics: names and globs, with commas",
                       kList},
                      {"start_time", "number", "only messages from here on, in seconds"},
                      {"end_time", "number", "only messages before this"},
                      {"fields", "string", "only these fields, with commas; default: those in q",
                       kList},
                      {"limit", "integer", "at most this many messages; default 100"}},
       .answer = [&served](const Call& call) { return search(served, call); }});
}

}  // namespace kitbag::server
