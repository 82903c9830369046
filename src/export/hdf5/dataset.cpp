#include "export/hdf5/dataset.h"

#include <algorithm>
#include <functional>
#include <numeric>

// libhdf5 has a cache of chunks for each open dataset. A bag may have thousands of fields, so there
// is none: rows wait here until they fill a chunk, where they are counted, and a chunk that is
// written early is read again.

namespace kitbag::hdf5 {
namespace {

/// A chunk has about this many bytes. Of a few rows, it takes as much memory, but not on the disk.
constexpr std::size_t kChunkBytes = 1 << 16;
constexpr unsigned kGzipLevel = 1;
constexpr std::uint64_t kMostWaitingTexts = 1 << 20;  // bytes

/// The part of a row that is in one chunk: all of it, unless that is much.
Dimensions chunk_of(Dimensions dimensions, std::size_t value_bytes) {
  auto bytes = [&] {
    return std::accumulate(dimensions.begin(), dimensions.end(), hsize_t{value_bytes},
                           std::multiplies<>());
  };
  for (hsize_t& size : dimensions) {
    while (size > 1 && bytes() > kChunkBytes) size = (size + 1) / 2;
  }
  return dimensions;
}

Dimensions with_rows(std::uint64_t rows, const Dimensions& dimensions) {
  Dimensions all{rows};
  all.insert(all.end(), dimensions.begin(), dimensions.end());
  return all;
}

}  // namespace

Dataset::Dataset(hid_t group, const std::string& name, hid_t type, std::size_t value_bytes,
                 const Dimensions& dimensions, const void* fill)
    : type_(H5Tcopy(type), H5Tclose), dimensions_(dimensions) {
  for (hsize_t size : dimensions) values_of_a_row_ *= size;
  row_bytes_ = value_bytes * values_of_a_row_;
  Dimensions chunk = chunk_of(dimensions, value_bytes);
  chunk_rows_ = std::max<std::uint64_t>(1, kChunkBytes / row_bytes_);

  auto rank = static_cast<int>(dimensions.size() + 1);
  Id space(H5Screate_simple(rank, with_rows(0, dimensions).data(),
                            with_rows(H5S_UNLIMITED, dimensions).data()),
           H5Sclose);
  Id how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  check(H5Pset_chunk(how.get(), rank, with_rows(chunk_rows_, chunk).data()));
  if (value_bytes > 1) check(H5Pset_shuffle(how.get()));
  check(H5Pset_deflate(how.get(), kGzipLevel));
  if (fill) check(H5Pset_fill_value(how.get(), type, fill));
  Id access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  check(H5Pset_chunk_cache(access.get(), 0, 0, 1));
  id_ = Id(H5Dcreate2(group, name.c_str(), type, space.get(), utf8_links().get(), how.get(),
                      access.get()),
           H5Dclose);
}

void Dataset::append(ByteView values) {
  waiting_.insert(waiting_.end(), values.begin(), values.end());
  write_waiting(false);
}

void Dataset::skip(std::uint64_t rows) {
  written_ += rows;
  check(H5Dset_extent(id_.get(), with_rows(written_, dimensions_).data()));
}

void Dataset::write_waiting(bool with_part_of_chunk) {
  std::uint64_t end = written_ + waiting_.size() / row_bytes_;
  if (!with_part_of_chunk) end = end / chunk_rows_ * chunk_rows_;
  if (end <= written_) return;
  std::uint64_t rows = end - written_;
  write(rows, waiting_.data());
  waiting_.erase(waiting_.begin(),
                 waiting_.begin() + static_cast<std::ptrdiff_t>(rows * row_bytes_));
  if (waiting_.empty()) std::vector<std::byte>().swap(waiting_);
}

void Dataset::write(std::uint64_t rows, const void* values) {
  check(H5Dset_extent(id_.get(), with_rows(written_ + rows, dimensions_).data()));
  Dimensions first(dimensions_.size() + 1, 0);
  first.front() = written_;
  Dimensions count = with_rows(rows, dimensions_);
  Id in_file(H5Dget_space(id_.get()), H5Sclose);
  check(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, first.data(), nullptr, count.data(),
                            nullptr));
  Id in_memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
  check(H5Dwrite(id_.get(), type_.get(), in_memory.get(), in_file.get(), H5P_DEFAULT, values));
  written_ += rows;
}

TextDataset::TextDataset(hid_t group, const std::string& name, const Dimensions& dimensions)
    : Dataset(group, name, text_type().get(), sizeof(char*), dimensions) {}

void TextDataset::add(std::string_view text, std::size_t& replaced) {
  texts_.push_back(c_text(text, replaced));
  held_bytes_ += text.size() + sizeof(std::string);
  bool is_chunk = texts_.size() >= chunk_rows() * values_of_a_row();
  bool is_row = texts_.size() % values_of_a_row() == 0;
  if (is_row && (is_chunk || held_bytes_ >= kMostWaitingTexts)) flush_texts();
}

void TextDataset::flush_texts() {
  if (texts_.empty()) return;
  std::vector<const char*> begins;
  begins.reserve(texts_.size());
  for (const std::string& text : texts_) begins.push_back(text.c_str());
  write(texts_.size() / values_of_a_row(), begins.data());
  std::vector<std::string>().swap(texts_);
  held_bytes_ = 0;
}

}  // namespace kitbag::hdf5
