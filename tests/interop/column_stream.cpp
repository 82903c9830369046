#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/arrow_ipc.h"
#include "kitbag/bag.h"
#include "kitbag/columns.h"
#include "kitbag/export.h"
#include "kitbag/file_system.h"
#include "kitbag/session.h"

// What a program in another language needs to read a bag as columns: one function with C types. The
// stream that it fills is all that the two sides share.

namespace {

std::vector<std::string> list_of(const char* const* texts) {
  std::vector<std::string> all;
  while (texts && *texts) all.emplace_back(*texts++);
  return all;
}

std::unique_ptr<kitbag::Columns> table_of(const char* path, const char* const* topics,
                                          const char* const* fields, std::uint64_t batch_rows,
                                          bool skip_errors) {
  kitbag::Session session;
  auto bag = session.open(path);
  kitbag::ColumnsRequest request{.fields = list_of(fields), .batch_rows = batch_rows};
  if (skip_errors) request.on_error = kitbag::OnError::skip;
  return kitbag::columns(*bag, {.select = {.topics = list_of(topics)}}, request, session);
}

/// Returns null, or what went wrong.
template <class Work>
const char* guarded(Work work) {
  thread_local std::string error;
  try {
    work();
    return nullptr;
  } catch (const std::exception& thrown) {
    error = thrown.what();
    return error.c_str();
  }
}

}  // namespace

/// Opens the bag at `path`. `topics` and `fields` end with a null pointer; none: all. Messages that
/// cannot be decoded are an error of the stream, or are left out with `skip_errors`. Returns null,
/// or why there is no stream, valid until the next call of this thread.
extern "C" KITBAG_API const char* open_column_stream(const char* path, const char* const* topics,
                                                     const char* const* fields,
                                                     std::uint64_t batch_rows, bool skip_errors,
                                                     ArrowArrayStream* out) {
  return guarded([&] {
    kitbag::to_arrow_stream(table_of(path, topics, fields, batch_rows, skip_errors), {}, out);
  });
}

/// Writes the same columns to the file at `target`, as Parquet.
extern "C" KITBAG_API const char* write_column_parquet(const char* path, const char* const* topics,
                                                       const char* const* fields,
                                                       std::uint64_t batch_rows, bool skip_errors,
                                                       int zstd_level, std::uint64_t group_bytes,
                                                       std::uint64_t page_bytes,
                                                       const char* target) {
  return guarded([&] {
    auto table = table_of(path, topics, fields, batch_rows, skip_errors);
    auto file = kitbag::local_file_system()->create(target, {});
    kitbag::write_parquet(
        *table, [&](kitbag::ByteView bytes) { file->append(bytes); },
        {.zstd_level = zstd_level, .row_group_bytes = group_bytes, .page_bytes = page_bytes});
    file->commit();
  });
}

/// Writes the same columns to the file at `target`, in the Arrow IPC format.
extern "C" KITBAG_API const char* write_column_ipc(const char* path, const char* const* topics,
                                                   const char* const* fields,
                                                   std::uint64_t batch_rows, bool skip_errors,
                                                   bool is_file, const char* target) {
  return guarded([&] {
    auto table = table_of(path, topics, fields, batch_rows, skip_errors);
    auto file = kitbag::local_file_system()->create(target, {});
    kitbag::write_arrow_ipc(
        *table, [&](kitbag::ByteView bytes) { file->append(bytes); },
        is_file ? kitbag::ArrowIpcForm::file : kitbag::ArrowIpcForm::stream);
    file->commit();
  });
}
