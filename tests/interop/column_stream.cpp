#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/columns.h"
#include "kitbag/export.h"
#include "kitbag/session.h"

// What a program in another language needs to read a bag as columns: one function with C types. The
// stream that it fills is all that the two sides share.

namespace {

std::vector<std::string> list_of(const char* const* texts) {
  std::vector<std::string> all;
  while (texts && *texts) all.emplace_back(*texts++);
  return all;
}

}  // namespace

/// Opens the bag at `path`. `topics` and `fields` end with a null pointer; none: all. Messages that
/// cannot be decoded are an error of the stream, or are left out with `skip_errors`. Returns null,
/// or why there is no stream, valid until the next call of this thread.
extern "C" KITBAG_API const char* open_column_stream(const char* path, const char* const* topics,
                                                     const char* const* fields,
                                                     std::uint64_t batch_rows, bool skip_errors,
                                                     ArrowArrayStream* out) {
  thread_local std::string error;
  try {
    kitbag::Session session;
    auto bag = session.open(path);
    kitbag::ColumnsRequest request{.fields = list_of(fields), .batch_rows = batch_rows};
    if (skip_errors) request.on_error = kitbag::OnError::skip;
    auto table = kitbag::columns(*bag, {.select = {.topics = list_of(topics)}}, request, session);
    kitbag::to_arrow_stream(std::move(table), {}, out);
    return nullptr;
  } catch (const std::exception& thrown) {
    error = thrown.what();
    return error.c_str();
  }
}
