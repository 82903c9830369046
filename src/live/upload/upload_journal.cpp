#include "live/upload/upload_journal.h"

#include <fmt/format.h>

#include <charconv>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/crc32.h"
#include "base/path.h"
#include "kitbag/bytes.h"

// One line a file, and a sum at the end of each, so that a torn line is none:
//
//   NAME \t SIZE \t MODIFIED_NS \t NUMBER \t PATTERN \t CRC32
//
// The whole file is replaced each time, in one step: there are at most as many lines
// as files in the folder. The number of the disk is left out, since it may be another one after a
// restart.

namespace kitbag {
namespace {

constexpr std::uint64_t kMostBytes = 64 << 20;
constexpr std::size_t kFields = 6;

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '%' || c == '\t' || c == '\n') {
      fmt::format_to(std::back_inserter(result), "%{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ec == std::errc()) {
      result += static_cast<char>(code);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

template <typename Number>
std::optional<Number> number(std::string_view text, int base = 10) {
  Number value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
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
  auto fields = fields_of(line);
  if (fields.size() != kFields) return;
  auto sum = number<std::uint32_t>(fields[5], 16);
  auto size = number<std::uint64_t>(fields[1]);
  auto modified = number<std::int64_t>(fields[2]);
  auto file = number<std::uint64_t>(fields[3]);
  if (!sum || !size || !modified || !file) return;
  std::string_view summed = line.substr(0, line.size() - fields[5].size());
  if (crc32(as_bytes(summed)) != *sum) return;
  entries_[unescaped(fields[0])] = {*size, *modified, *file, unescaped(fields[4])};
}

UploadJournal::Entry UploadJournal::entry_of(const FileStatus& status, const std::string& pattern) {
  return {status.size_bytes, to_ns(status.modified), status.id.number, pattern};
}

bool UploadJournal::has(const std::string& name, const FileStatus& status,
                        const std::string& pattern) const {
  auto found = entries_.find(name);
  return found != entries_.end() && found->second == entry_of(status, pattern);
}

void UploadJournal::put(const std::string& name, const FileStatus& status,
                        const std::string& pattern) {
  entries_[name] = entry_of(status, pattern);
  is_changed_ = true;
}

std::string UploadJournal::text() const {
  std::string text;
  for (const auto& [name, entry] : entries_) {
    std::string line = fmt::format("{}\t{}\t{}\t{}\t{}\t", escaped(name), entry.size_bytes,
                                   entry.modified_ns, entry.number, escaped(entry.pattern));
    text += fmt::format("{}{:08x}\n", line, crc32(as_bytes(line)));
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
