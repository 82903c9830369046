#pragma once

#include <sqlite3.h>

#include <bitset>
#include <cstddef>
#include <map>
#include <vector>

namespace kitbag::sqlite3 {

/// A place in a file, as SQLite gives it.
using Offset = sqlite3_int64;

/// New pages that lie near each other. Its functions return result codes of SQLite.
class Window {
 public:
  static constexpr Offset kBytes = 1 << 20;
  /// The smallest page that SQLite has. Pages begin and end at multiples of it.
  static constexpr std::size_t kUnitBytes = 512;

  /// `file` must outlive it.
  explicit Window(sqlite3_file* file) : file_(file) {}

  /// Keeps a page that fits it, and moves to where it lies; writes one before the window at once.
  int write(const std::byte* data, std::size_t size, Offset at);
  /// Writes what is kept.
  int flush();

 private:
  static constexpr std::size_t kUnits = kBytes / kUnitBytes;

  int write_kept(std::size_t begin_unit, std::size_t end_unit);

  sqlite3_file* file_;
  Offset begin_ = 0;
  bool is_empty_ = true;
  std::bitset<kUnits> is_kept_;
  std::byte bytes_[kBytes];
};

/// Pages that replace those of a file. Its functions return result codes of SQLite.
class Replacements {
 public:
  /// `file` must outlive it.
  explicit Replacements(sqlite3_file* file) : file_(file) {}

  bool is_full() const;
  /// SQLITE_IOERR_NOMEM leaves what was kept there before.
  int keep(const std::byte* data, std::size_t size, Offset at);
  /// Whether kept pages have some of the bytes at [at, at + size).
  bool overlap(std::size_t size, Offset at) const;
  /// The kept bytes at [at, at + size); null where they are not all of one kept page. They are
  /// valid until the next call.
  const std::byte* find(std::size_t size, Offset at) const;
  /// Writes what is kept: leaves in order of the file, whose first page counts as one, then the
  /// pages above them from its end.
  int flush();

 private:
  using Pages = std::map<Offset, std::vector<std::byte>>;

  int write(const Pages::value_type& page);

  sqlite3_file* file_;
  Pages pages_;
  std::size_t bytes_ = 0;
};

/// A database file of the default VFS, and what is kept of its pages until their transaction ends.
/// Its functions return result codes of SQLite. One thread at a time.
class GatheredPages {
 public:
  /// `file` must outlive it, and be open from take_end() on.
  explicit GatheredPages(sqlite3_file* file) : file_(file), window_(file), replacements_(file) {}

  sqlite3_file* file() { return file_; }

  /// Takes the file as it is for what was committed.
  int take_end();
  int write(const void* data, int size, Offset at);
  int read(void* to, int size, Offset at);
  /// Writes all that is kept. The file then has what was committed.
  int flush();

 private:
  int write_kept();

  sqlite3_file* file_;
  Offset committed_end_ = 0;
  Window window_;
  Replacements replacements_;
};

}  // namespace kitbag::sqlite3
