#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/buffer.h"
#include "kitbag/error.h"
#include "kitbag/file.h"

namespace kitbag::sqlite3 {

inline constexpr std::string_view kMagic("SQLite format 3\0", 16);
inline constexpr std::size_t kHeadBytes = 100;  ///< of the database, at the front of page 1

// Types of pages above the leaves: the first byte of the page.
inline constexpr std::uint8_t kIndexInterior = 2;
inline constexpr std::uint8_t kTableInterior = 5;

/// The pages of a SQLite database as they are now: those of the file, and over them what was
/// committed to its write-ahead log. https://www.sqlite.org/fileformat2.html, sections 1.3 and 4.
///
/// The file may grow meanwhile, by a writer that changes old pages only at the end of a
/// transaction, as kitbag's does: then each page that another one refers to is there. Any thread.
class PageFile {
 public:
  /// `log` may be null. Throws Error (truncated, corrupt) where there is no database.
  PageFile(std::shared_ptr<const ReadFile> file, std::string path,
           std::shared_ptr<const ReadFile> log);

  const std::string& path() const { return path_; }
  std::uint32_t page_bytes() const { return page_bytes_; }
  /// Of a page, without what is reserved at its end.
  std::uint32_t usable_bytes() const { return usable_bytes_; }
  /// Pages that were there when it was opened.
  std::uint32_t count() const { return count_; }
  /// Pages that the database has, as it says.
  std::uint32_t promised_count() const { return promised_count_; }
  std::uint64_t file_bytes() const { return file_->size(); }
  /// Of the file and its log: no row is larger.
  std::uint64_t stored_bytes() const { return file_->size() + (log_ ? log_->size() : 0); }
  bool has_log() const { return !logged_.empty(); }
  /// Whether a transaction has ended since it was opened, so that pages that are read now may not
  /// fit those that were read before. Throws Error (io).
  bool has_changed() const;

  /// Page `number`, from 1, and up to `most` - 1 that follow it; only those that are there and lie
  /// together. Empty: there is none. Throws Error (io).
  void read(std::uint32_t number, std::uint32_t most, Buffer& into) const;

  std::uint64_t offset_of(std::uint32_t number) const {
    return std::uint64_t{number - 1} * page_bytes_;
  }
  Error error(ErrorCode code, std::uint32_t page, const std::string& what,
              const std::optional<Loss>& loss = std::nullopt) const;

 private:
  void read_head();
  void read_log();
  bool read_logged(std::uint64_t place, Buffer& into) const;

  std::shared_ptr<const ReadFile> file_;
  std::string path_;
  std::shared_ptr<const ReadFile> log_;
  std::string identity_;  ///< of the file, when it was opened
  std::uint32_t page_bytes_ = 0;
  std::uint32_t usable_bytes_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t promised_count_ = 0;
  std::uint32_t changes_ = 0;                                ///< transactions until now
  std::array<std::byte, 8> salts_{};                         ///< of all frames of the log
  std::unordered_map<std::uint32_t, std::uint64_t> logged_;  ///< page to its frame in the log
};

}  // namespace kitbag::sqlite3
