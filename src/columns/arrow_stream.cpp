#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "arrow/owned.h"
#include "kitbag/columns.h"
#include "kitbag/error.h"
#include "kitbag/parquet.h"

// Columns for consumers that speak C: pyarrow, DuckDB and others pull batches through an
// ArrowArrayStream. The stream owns the columns and its consumer owns the stream; a batch that was
// given outlives both. An exception must not pass through C, so an error becomes an errno and a
// text that is valid until the next call. EINTR stands for the stop of the program itself.
//
// The writers below pull in the same way, batch by batch, and hold one batch at a time.

namespace kitbag {

namespace {

struct HeldStream {
  std::unique_ptr<Columns> columns;
  std::stop_token stop;
  std::string error;
};

/// Errors do not leave a C function as exceptions.
template <class Work>
int guarded(ArrowArrayStream* stream, Work work) noexcept {
  auto* held = static_cast<HeldStream*>(stream->private_data);
  held->error.clear();
  try {
    work(*held);
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  } catch (const Error& error) {
    held->error = error.what();
    return error.code() == ErrorCode::cancelled ? EINTR : EIO;
  } catch (const std::exception& error) {
    held->error = error.what();
    return EIO;
  }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  return guarded(stream, [&](HeldStream& held) { held.columns->schema(out); });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
  return guarded(stream, [&](HeldStream& held) { held.columns->next(out, {held.stop, kNever}); });
}

const char* get_last_error(ArrowArrayStream* stream) {
  const auto* held = static_cast<const HeldStream*>(stream->private_data);
  return held->error.empty() ? nullptr : held->error.c_str();
}

void release(ArrowArrayStream* stream) {
  delete static_cast<HeldStream*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void to_arrow_stream(std::unique_ptr<Columns> columns, const std::stop_token& stop,
                     ArrowArrayStream* out) {
  auto held = std::make_unique<HeldStream>(HeldStream{std::move(columns), stop, {}});
  *out = {get_schema, get_next, get_last_error, release, held.release()};
}

void write_arrow_ipc(Columns& columns, BytesOut out, ArrowIpcForm form, const Wait& wait) {
  arrow::Owned<ArrowSchema> schema;
  columns.schema(schema.get());
  auto writer = arrow_ipc_writer(*schema, std::move(out), form);
  for (;;) {
    arrow::Owned<ArrowArray> batch;
    if (!columns.next(batch.get(), wait)) break;
    writer->write(*batch);
  }
  writer->finish();
}

void write_parquet(Columns& columns, BytesOut out, const ParquetOptions& options,
                   const Wait& wait) {
  arrow::Owned<ArrowSchema> schema;
  columns.schema(schema.get());
  auto writer = parquet_writer(*schema, std::move(out), options);
  for (;;) {
    arrow::Owned<ArrowArray> batch;
    if (!columns.next(batch.get(), wait)) break;
    writer->write(*batch);
  }
  writer->finish();
}

}  // namespace kitbag
