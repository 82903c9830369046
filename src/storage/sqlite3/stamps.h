#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "storage/sqlite3/pages/table.h"

/// What rosbag2's tables have no place for: when a message was sent, and its number. Kept in a
/// table of its own, `kitbag_stamps(first_id INTEGER PRIMARY KEY, stamps BLOB)`: one row for a run
/// of messages whose ids begin at `first_id`, two numbers a message (see record.h): publish time
/// less log time, its sign in the last bit; and the sequence. Runs in which publish and log time
/// are equal and sequences zero have no row. A row a message would halve the speed.
namespace kitbag::sqlite3 {

struct Stamp {
  std::int64_t delay_ns = 0;  ///< from publish_time to log_time, negated
  std::uint32_t sequence = 0;
};

/// A run being written.
class StampRun {
 public:
  void add(const Stamp& stamp);
  /// All that was added says something.
  bool is_needed() const { return is_needed_; }
  ByteView bytes() const { return ByteView(bytes_); }
  void clear();

 private:
  std::vector<std::byte> bytes_;
  bool is_needed_ = false;
};

/// Nothing where the run makes no sense.
bool parse_stamps(ByteView bytes, std::vector<Stamp>& stamps);

/// Looks up the stamps of messages whose ids ascend, mostly. One thread at a time.
class StampReader {
 public:
  StampReader(std::shared_ptr<const PageFile> file, std::shared_ptr<const TableTree> tree);

  /// Of message `id`; nothing special where none is kept. Throws Error (corrupt).
  Stamp of(std::int64_t id);

 private:
  void load(std::int64_t id);

  std::shared_ptr<const PageFile> file_;
  TableCursor cursor_;
  std::int64_t first_ = 0;   ///< of the run at hand
  std::int64_t behind_ = 0;  ///< up to here the run at hand is all there is to know
  std::vector<Stamp> stamps_;
  Buffer record_;
  Buffer scratch_;
};

}  // namespace kitbag::sqlite3
