#include "storage/sqlite3/format.h"

#include <filesystem>

#include "io/local/write_file.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "model/with_head.h"
#include "storage/sqlite3/reader.h"
#include "storage/sqlite3/tables.h"
#include "storage/sqlite3/verify.h"
#include "storage/sqlite3/write/settings.h"
#include "storage/sqlite3/write/writer.h"

namespace kitbag {

namespace sqlite3 {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".db3";

/// "x.db3", and "x.db3.active" of a recorder.
bool is_named_as_bag(std::string_view path) {
  return path.ends_with(kExtension) || path.find(std::string(kExtension) + ".") != path.npos;
}

/// Many programs have a database, so that one is a bag shows in its tables. What is named as a bag
/// is taken for one: if it is not, an error says why.
bool has_tables_of_bag(const Input& input) {
  if (is_named_as_bag(input.path) || input.file->is_forward_only()) return true;
  try {
    return may_be_bag(open_pages(input, [](const Error&) {}));
  } catch (const Error&) {
    return true;  // opening it reports the reason
  }
}

/// Whether the file is of SQLite: 100, 0, or 10 if it is too short to say.
int matches_head(const Input& input) {
  if (!input.file || input.head.empty()) return 0;
  std::string_view head = as_text(input.head);
  if (head.starts_with(kMagic)) return 100;
  return kMagic.starts_with(head) ? 10 : 0;
}

int matches(const Input& input) {
  int of_head = matches_head(input);
  return of_head == 100 && !has_tables_of_bag(input) ? 0 : of_head;
}

/// `input`, with its magic put right where a few bytes of that are damaged, which is reported: but
/// only if somebody has said that this is SQLite.
Input mended(const Input& input, const ReadOptions& options) {
  bool is_known = input.file && !options.format.empty() && !input.file->is_forward_only();
  bool is_damaged = is_known && matches_head(input) == 0 &&
                    difference_to_head(input, kMagic) <= kMostDamagedBytes;
  if (!is_damaged) return input;
  report(options.on_problem,
         Error(ErrorCode::corrupt, "the first bytes are damaged; the file is read as SQLite",
               input.path, 0));
  return with_head(input, kMagic);
}

BagPtr open(const Input& input, const ReadOptions& options, const Session&) {
  return open_bag(mended(input, options), options);
}

void check_input(const Input& input, const ReadOptions& options, const Session&) {
  check_bag(mended(input, options), options);
}

/// Throws for what SQLite cannot write to.
void require_place(const std::string& path) {
  std::error_code ignored;
  auto status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw Error(ErrorCode::io, "is a directory", path);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw Error(ErrorCode::unsupported, "SQLite can write only to regular files", path);
  }
}

std::unique_ptr<Writer> create(const std::string& path, const WriteOptions& options,
                               const Session&) {
  make_settings(options);  // refuses what it does not know before there is a file
  require_place(path);
  if (options.is_visible) {
    return std::make_unique<BagWriter>(create_visible_file(path, options.on_warning), path,
                                       options);
  }
  auto file = std::make_unique<StagedFile>(path, options.may_replace, options.on_warning);
  return std::make_unique<BagWriter>(std::move(file), path, options, false);
}

/// Appends to a copy, which replaces the bag when it is closed: until then the bag is unchanged.
/// (SQLite's own rollback needs a second file beside the bag.)
std::unique_ptr<Writer> append(const std::string& path, const WriteOptions& options,
                               const Session&) {
  make_settings(options);
  WriteLock lock = lock_to_append(path, options.on_warning);
  if (fs::exists(path + "-wal") && fs::file_size(path + "-wal") > 0) {
    throw Error(ErrorCode::unsupported,
                "the bag is being written, or its writer was killed (a -wal file exists beside "
                "it); convert it to a new bag first",
                path);
  }
  auto file = std::make_unique<StagedFile>(path, std::move(lock), options.on_warning);
  std::error_code error;
  fs::copy_file(path, file->name(), fs::copy_options::overwrite_existing, error);
  if (error) throw system_error("copy the file", error.value(), path);
  return std::make_unique<BagWriter>(std::move(file), path, options, true);
}

}  // namespace
}  // namespace sqlite3

Format sqlite3_format() {
  Format format;
  format.name = "sqlite3";
  format.extension = ".db3";
  format.description = "SQLite, what ROS 2 recorded up to Humble; schema versions 1 to 4";
  format.matches = sqlite3::matches;
  format.open = sqlite3::open;
  format.check = sqlite3::check_input;
  format.create = sqlite3::create;
  format.append = sqlite3::append;
  format.compressions = {"none", "zstd"};
  for (std::string_view version : {"4", "3", "2", "1"}) {
    // Metadata that can describe compressed messages came with version 2.
    FormatVersion known{version, format.compressions};
    if (version == "1") known.compressions = {"none"};
    known.is_redundant = false;  // the topic of a message is stored once
    format.versions.push_back(known);
  }
  format.presets = {"none", "resilient"};
  format.compresses_messages = true;
  format.needs_local_file = true;
  format.media_type = "application/vnd.sqlite3";
  return format;
}

}  // namespace kitbag
