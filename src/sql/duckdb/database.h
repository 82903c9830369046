#pragma once

#include <memory>
#include <string>

#include "sql/answer.h"
#include "sql/bag_set.h"
#include "sql/duckdb/library.h"

namespace kitbag::sql {

/// Bags as a database of DuckDB in memory: the topics are tables, as columns() gives them, so
/// structures are structs and lists are lists. A query loads the topics that it names. It reaches
/// no file. One thread.
class DuckDbDatabase {
 public:
  /// Throws Error.
  DuckDbDatabase(std::shared_ptr<const BagSet> set, std::shared_ptr<const DuckDbLibrary> library);
  ~DuckDbDatabase();
  DuckDbDatabase(const DuckDbDatabase&) = delete;
  DuckDbDatabase& operator=(const DuckDbDatabase&) = delete;

  /// Carries out all statements; the answer is that of the last one. For one query. Throws Error:
  /// invalid for what DuckDB refuses, cancelled, and what reading the bags throws. The answer must
  /// not outlive the database.
  std::unique_ptr<Answer> query(const std::string& text);

 private:
  void open();
  void close();
  void load_topics(const std::string& query);
  void load_topic(const std::string& topic, const std::string& name);
  void load_piece(const Bag& bag, const std::string& topic, const std::string& name);
  /// The answer of the last statement; those before it may give no rows.
  DuckDbLibrary::Result run(const std::string& text);
  DuckDbLibrary::Result run_one(void* statements, std::uint64_t index);
  [[noreturn]] void fail(const char* reason) const;
  void execute(const std::string& text);

  std::shared_ptr<const BagSet> set_;
  std::shared_ptr<const DuckDbLibrary> library_;
  void* database_ = nullptr;
  void* connection_ = nullptr;
  std::size_t pieces_ = 0;  ///< tables, each a topic of a bag
};

}  // namespace kitbag::sql
