#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kitbag/arrow.h"

namespace kitbag::sql {

/// The functions of DuckDB's C API that are needed, from a library that is loaded when a query asks
/// for it: kitbag does not need DuckDB to be installed. Source: https://duckdb.org/docs/api/c/api
struct DuckDbLibrary {
  /// duckdb_result.
  struct Result {
    std::uint64_t deprecated[3];
    void* deprecated_columns;
    char* deprecated_message;
    void* data;
  };
  /// Of functions that return a state: everything else is a failure.
  static constexpr int kSuccess = 0;
  /// Of result_return_type: the statement gives rows.
  static constexpr int kRows = 3;

  int (*open)(const char* path, void** database);
  void (*close)(void** database);
  int (*connect)(void* database, void** connection);
  void (*disconnect)(void** connection);
  void (*interrupt)(void* connection);
  int (*query)(void* connection, const char* text, Result* result);
  std::uint64_t (*extract_statements)(void* connection, const char* text, void** statements);
  const char* (*extract_statements_error)(void* statements);
  void (*destroy_extracted)(void** statements);
  int (*prepare_extracted_statement)(void* connection, void* statements, std::uint64_t index,
                                     void** prepared);
  const char* (*prepare_error)(void* prepared);
  int (*execute_prepared)(void* prepared, Result* result);
  void (*destroy_prepare)(void** prepared);
  int (*result_return_type)(Result result);
  const char* (*result_error)(Result* result);
  void (*destroy_result)(Result* result);
  std::uint64_t (*column_count)(Result* result);
  const char* (*column_name)(Result* result, std::uint64_t column);
  void* (*column_logical_type)(Result* result, std::uint64_t column);
  void (*destroy_logical_type)(void** type);
  void* (*fetch_chunk)(Result result);
  void (*destroy_data_chunk)(void** chunk);
  void* (*result_get_arrow_options)(Result* result);
  void (*destroy_arrow_options)(void** options);
  void* (*to_arrow_schema)(void* options, void** types, const char** names, std::uint64_t count,
                           ArrowSchema* schema);
  void* (*data_chunk_to_arrow)(void* options, void* chunk, ArrowArray* array);
  const char* (*error_data_message)(void* error);
  void (*destroy_error_data)(void** error);
  int (*arrow_scan)(void* connection, const char* view, ArrowArrayStream* stream);
};

/// Loads the library at `path`, or with a name that the system finds; empty: libduckdb.so. It stays
/// loaded. Throws Error (not_found, unsupported) that says what to install.
std::shared_ptr<const DuckDbLibrary> load_duckdb(const std::string& path);

}  // namespace kitbag::sql
