#include "server/api/kept_series.h"

#include <algorithm>

namespace kitbag::server {
namespace {

std::size_t bytes_of(const ReadSeries& finest) {
  std::size_t bytes = sizeof finest;
  for (const FieldSeries& field : finest.series.fields) {
    bytes += sizeof field + field.buckets.capacity() * sizeof(SeriesBucket);
  }
  return bytes;
}

}  // namespace

std::shared_ptr<const ReadSeries> KeptSeries::find(const std::string& key) {
  std::lock_guard lock(mutex_);
  auto is_it = [&](const Kept& each) { return each.key == key; };
  auto found = std::find_if(kept_.begin(), kept_.end(), is_it);
  if (found == kept_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found);
  return found->series;
}

void KeptSeries::keep(const std::string& key, std::shared_ptr<const ReadSeries> series) {
  std::size_t bytes = key.size() + bytes_of(*series);
  if (bytes > max_bytes_ || find(key)) return;
  std::lock_guard lock(mutex_);
  kept_.push_front({key, std::move(series), bytes});
  bytes_ += bytes;
  while (bytes_ > max_bytes_) {
    bytes_ -= kept_.back().bytes;
    kept_.pop_back();
  }
}

}  // namespace kitbag::server
