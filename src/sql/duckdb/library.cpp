#include "sql/duckdb/library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "kitbag/error.h"

// Loaded at run time, because most users do not need DuckDB. Its header is not used for the same
// reason: the few types of its stable C API are handles, declared here as void pointers. All
// functions are looked up at once, so that an old library fails at the start and not in the middle
// of an answer.

namespace kitbag::sql {

namespace {

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function) return;
  throw Error(
      ErrorCode::unsupported,
      fmt::format("the DuckDB library has no function {}; version 1.4 or newer is needed", name));
}

}  // namespace

std::shared_ptr<const DuckDbLibrary> load_duckdb(const std::string& path) {
  // Never closed: DuckDB has threads of its own.
  void* library = ::dlopen(path.empty() ? "libduckdb.so" : path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = ::dlerror();
    throw Error(ErrorCode::not_found,
                fmt::format("DuckDB's library cannot be loaded: {}; install libduckdb.so (from "
                            "duckdb.org), or set KITBAG_DUCKDB to its path",
                            reason ? reason : "no reason is known"));
  }
  auto found = std::make_shared<DuckDbLibrary>();
  find(library, "duckdb_open", found->open);
  find(library, "duckdb_close", found->close);
  find(library, "duckdb_connect", found->connect);
  find(library, "duckdb_disconnect", found->disconnect);
  find(library, "duckdb_interrupt", found->interrupt);
  find(library, "duckdb_query", found->query);
  find(library, "duckdb_extract_statements", found->extract_statements);
  find(library, "duckdb_extract_statements_error", found->extract_statements_error);
  find(library, "duckdb_destroy_extracted", found->destroy_extracted);
  find(library, "duckdb_prepare_extracted_statement", found->prepare_extracted_statement);
  find(library, "duckdb_prepare_error", found->prepare_error);
  find(library, "duckdb_execute_prepared", found->execute_prepared);
  find(library, "duckdb_destroy_prepare", found->destroy_prepare);
  find(library, "duckdb_result_return_type", found->result_return_type);
  find(library, "duckdb_result_error", found->result_error);
  find(library, "duckdb_destroy_result", found->destroy_result);
  find(library, "duckdb_column_count", found->column_count);
  find(library, "duckdb_column_name", found->column_name);
  find(library, "duckdb_column_logical_type", found->column_logical_type);
  find(library, "duckdb_destroy_logical_type", found->destroy_logical_type);
  find(library, "duckdb_fetch_chunk", found->fetch_chunk);
  find(library, "duckdb_destroy_data_chunk", found->destroy_data_chunk);
  find(library, "duckdb_result_get_arrow_options", found->result_get_arrow_options);
  find(library, "duckdb_destroy_arrow_options", found->destroy_arrow_options);
  find(library, "duckdb_to_arrow_schema", found->to_arrow_schema);
  find(library, "duckdb_data_chunk_to_arrow", found->data_chunk_to_arrow);
  find(library, "duckdb_error_data_message", found->error_data_message);
  find(library, "duckdb_destroy_error_data", found->destroy_error_data);
  find(library, "duckdb_arrow_scan", found->arrow_scan);
  return found;
}

}  // namespace kitbag::sql
