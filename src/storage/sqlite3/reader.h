#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "kitbag/bag.h"
#include "kitbag/registry.h"
#include "storage/sqlite3/salvage.h"
#include "storage/sqlite3/tables.h"
#include "storage/sqlite3/time_index.h"

namespace kitbag::sqlite3 {

/// What all sources of a bag share.
///
/// A SQLite bag is read by its pages, without SQLite: rows in order of their ids by going along the
/// leaves of `messages`, rows in order of time by going along `timestamp_idx` and looking each up,
/// which mostly is the row behind the last. Payloads that are whole in their page are given where
/// they are. So opening looks at a handful of pages whatever the bag's size, the file may be
/// anywhere, a write-ahead log is read without a writable folder, and where pages are damaged the
/// rest is found. Refused: SQLite's own reading (decision 007).
class Store {
 public:
  Store(std::shared_ptr<const PageFile> file, ReadOptions options);

  const std::shared_ptr<const PageFile>& file() const { return file_; }
  const Content& content() const { return content_; }
  const ChannelsPtr& channels() const { return channels_; }
  const ReadOptions& options() const { return options_; }
  /// Of a topic id; nothing for one that no topic has.
  std::optional<std::uint32_t> slot(std::int64_t topic_id) const;
  /// Payloads of it are compressed one by one where they begin as zstd does.
  bool may_be_compressed(std::uint32_t slot) const { return may_be_compressed_[slot] != 0; }

  /// Reports `damage` to `on_problem`, and from then on the messages are those that are found by
  /// looking at every page. Throws `damage` where reading is strict. Any thread.
  std::shared_ptr<const TableTree> salvaged(const Error& damage, const OnProblem& on_problem) const;

 private:
  std::optional<Error> loss_of(std::uint64_t found, std::uint64_t missing) const;
  std::optional<std::uint64_t> count_in_index() const;
  std::optional<std::uint64_t> declared_count() const;

  std::shared_ptr<const PageFile> file_;
  ReadOptions options_;
  Content content_;
  ChannelsPtr channels_;
  std::map<std::int64_t, std::uint32_t> slots_;
  std::vector<char> may_be_compressed_;
  mutable std::mutex mutex_;
  mutable std::optional<Salvage> salvaged_;
  mutable std::optional<Error> loss_;  ///< of what was salvaged
};

std::unique_ptr<Source> read_rows(std::shared_ptr<const Store> store, const Query& query,
                                  std::vector<Extra> extras, const Wait& wait = {});

/// Reports a bag that has messages, and only the metadata that its writer embeds at the start.
void report_unclosed(const Store& store, const OnProblem& on_problem);

/// Throws `problem`, unless it is a remark or says that the bag was not closed. A listener for
/// strict reading of bags that may not be closed.
void throw_unless_unclosed(const Error& problem);

/// Opens the bag in `input`, whose write-ahead log lies beside it.
BagPtr open_bag(const Input& input, const ReadOptions& options);

/// The pages of `input`, and those of its log.
std::shared_ptr<const PageFile> open_pages(const Input& input, const OnProblem& on_problem);

}  // namespace kitbag::sqlite3
