#include "live/upload/upload_journal.h"

#include <charconv>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/path.h"
#include "base/summed_line.h"
#include "kitbag/bytes.h"

// One summed line (base/summed_line.h) a file: NAME, SIZE, MODIFIED_NS, NUMBER, PATTERN,
// TARGET.
//
// The whole file is replaced each time, in one step: there are at most as many lines
// as files in the folder. The number of the disk is left out, since it may be another one after a
// restart.

namespace kitbag {
namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;
constexpr std::size_t kFields = 6;

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string content_of(const FileSystem& files, const std::string& path) {
  auto there = files.status(path);
  if (!there || !there->is_regular || there->size_bytes > kMostBytes) return {};
  auto file = files.open(path);
  std::string text(static_cast<std::size_t>(there->size_bytes), '\0');
  text.resize(file->read(0, std::as_writable_bytes(std::span(text))));
  return text;
}

}  // namespace

UploadJournal::UploadJournal(FileSystemPtr files, std::string folder)
    : files_(std::move(files)), folder_(std::move(folder)) {
  std::string text;
  try {
    text = content_of(*files_, join(folder_, kName));
  } catch (const Error&) {
    return;  // nothing is known, then
  }
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    take_line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

void UploadJournal::take_line(std::string_view line) {
  auto found = fields_of_summed_line(line);
  if (!found || found->size() != kFields) return;
  const std::vector<std::string>& fields = *found;
  auto size = number<std::uint64_t>(fields[1]);
  auto modified = number<std::int64_t>(fields[2]);
  auto file = number<std::uint64_t>(fields[3]);
  if (!size || !modified || !file) return;
  entries_[fields[0]] = {*size, *modified, *file, fields[4], fields[5]};
}

UploadJournal::Entry UploadJournal::entry_of(const FileStatus& status, const std::string& pattern,
                                             const std::string& target) {
  // The number of the file tells one that took the place of another of the same size and time.
  return {status.size_bytes, to_ns(status.modified), status.id.number, pattern, target};
}

std::string UploadJournal::find(const std::string& name, const FileStatus& status,
                                const std::string& pattern) const {
  auto found = entries_.find(name);
  if (found == entries_.end()) return {};
  const std::string& target = found->second.target;
  return found->second == entry_of(status, pattern, target) ? target : std::string();
}

void UploadJournal::put(const std::string& name, const FileStatus& status,
                        const std::string& pattern, const std::string& target) {
  entries_[name] = entry_of(status, pattern, target);
  is_changed_ = true;
}

std::string UploadJournal::text() const {
  std::string text;
  for (const auto& [name, entry] : entries_) {
    text += summed_line({name, std::to_string(entry.size_bytes), std::to_string(entry.modified_ns),
                         std::to_string(entry.number), entry.pattern, entry.target});
  }
  return text;
}

void UploadJournal::save() noexcept {
  if (!std::exchange(is_changed_, false)) return;
  try {
    std::erase_if(entries_,
                  [this](const auto& each) { return !files_->status(join(folder_, each.first)); });
    auto file = files_->create(join(folder_, kName), {});
    file->append(as_bytes(text()));
    file->commit();
  } catch (const std::exception&) {
    is_changed_ = true;  // the disk is full, for example
  }
}

}  // namespace kitbag
