#include "server/api/kept_series.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "kitbag/bytes.h"

// Three places, from fast to slow: memory, a file of the cache, the bag. The finest series of a
// whole bag takes a read of the bag; each zoom is then computed from it. Use from memory is noted
// at the file too, or the cache would remove files that are asked for all the time.
//
// Storing is a favour: a full disk is a warning, and the request gets its answer.

namespace kitbag::server {
namespace {

std::size_t bytes_of(const ReadSeries& finest) {
  std::size_t bytes = sizeof finest;
  for (const FieldSeries& field : finest.series.fields) {
    bytes += sizeof field + field.buckets.capacity() * sizeof(SeriesBucket);
  }
  for (const std::string& sentence : finest.damage) bytes += sizeof sentence + sentence.size();
  return bytes;
}

std::string file_name_of(const std::string& key) {
  return key + std::string(kSeriesExtension);
}

/// Absent: it cannot be read.
std::optional<std::string> content_of(const OpenedFile& file) {
  std::string bytes(static_cast<std::size_t>(file.size), '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    ssize_t more = file.file->read(bytes.data() + size, bytes.size() - size, size);
    if (more <= 0) return std::nullopt;
    size += static_cast<std::size_t>(more);
  }
  return bytes;
}

}  // namespace

/// `mutex_` is locked.
ReadSeriesPtr KeptSeries::kept(const std::string& key) {
  auto is_it = [&](const Kept& each) { return each.key == key; };
  auto found = std::find_if(kept_.begin(), kept_.end(), is_it);
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return found->series;
}

ReadSeriesPtr KeptSeries::find_in_memory(const std::string& key) {
  ReadSeriesPtr found;
  {
    std::lock_guard lock(mutex_);
    found = kept(key);
  }
  if (found) files_.note_use(file_name_of(key));
  return found;
}

ReadSeriesPtr KeptSeries::find(const std::string& key) {
  if (ReadSeriesPtr known = find_in_memory(key)) return known;
  ReadSeriesPtr stored = load(key);
  if (stored) keep(key, stored);
  return stored;
}

ReadSeriesPtr KeptSeries::get(const std::string& key, const Read& read,
                              const std::stop_token& stop) {
  if (ReadSeriesPtr known = find_in_memory(key)) return known;
  // One of those who ask for the same reads; the others wait for it. It stops only if all have
  // gone.
  auto work = [&](const std::stop_token& none_waits) {
    if (ReadSeriesPtr found = find(key)) return found;
    Made made = read(none_waits);
    auto series = std::make_shared<const ReadSeries>(std::move(made.series));
    if (!made.may_be_kept) return ReadSeriesPtr(series);
    store(key, *series);
    keep(key, series);
    return ReadSeriesPtr(series);
  };
  return reading_.get(key, work, stop);
}

void KeptSeries::keep(const std::string& key, ReadSeriesPtr series) {
  std::size_t bytes = key.size() + bytes_of(*series);
  std::lock_guard lock(mutex_);
  if (bytes > max_bytes_ || kept(key)) return;
  kept_.push_front({key, std::move(series), bytes});
  bytes_ += bytes;
  while (bytes_ > max_bytes_) {
    bytes_ -= kept_.back().bytes;
    kept_.pop_back();
  }
}

ReadSeriesPtr KeptSeries::load(const std::string& key) const {
  auto file = files_.find(file_name_of(key));
  if (!file || file->size > kMostSeriesFileBytes) return nullptr;
  auto bytes = content_of(*file);
  auto series = bytes ? parse_series_file(*bytes) : std::nullopt;
  return series ? std::make_shared<const ReadSeries>(std::move(*series)) : nullptr;
}

void KeptSeries::store(const std::string& key, const ReadSeries& series) {
  std::string reason;
  try {
    auto bytes = series_file(series);
    if (!bytes) return;
    files_.store(file_name_of(key), as_bytes(*bytes));
    has_warned_ = false;
  } catch (const Refusal& refusal) {
    reason = refusal.what();
  } catch (const Error& error) {
    reason = error.message();
  }
  if (reason.empty() || !on_warning_ || has_warned_.exchange(true)) return;
  on_warning_(Error(ErrorCode::io, "a plot is not kept: " + reason, files_.folder()));
}

}  // namespace kitbag::server
