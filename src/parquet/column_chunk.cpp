#include "parquet/column_chunk.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <utility>

#include "base/crc32.h"
#include "base/little_endian.h"
#include "kitbag/error.h"
#include "parquet/delta.h"
#include "parquet/varint.h"

// Pages are of version 1, which every reader knows. Each begins with a row, so that the indexes can
// say which rows it has.
//
// Texts are indexes of a dictionary until that does not pay any more; the pages behind are plain,
// and so are those of the next row group from its beginning. Integers and times are differences
// where these take at most three quarters of the plain bytes: whether they do is tried, page by
// page.
//
//     chunk    dictionary page, if there is one | data page | data page | ...
//     page     header | repetition levels | definition levels | values
//
// Levels are behind their length, and are left out in columns that have none. All that is behind
// the header is compressed together.

namespace kitbag::parquet {

namespace {

constexpr std::size_t kMostPageBytes = std::numeric_limits<std::int32_t>::max();
/// More than a header takes. The indexes have one size of 32 bits for header and page.
constexpr std::size_t kMostHeaderBytes = 64;

/// The enumeration PageType of parquet.thrift.
enum PageType : std::int32_t { kDataPage = 0, kDictionaryPage = 2 };

std::int32_t number_of(Encoding encoding) {
  return static_cast<std::int32_t>(encoding);
}

void put_text(Buffer& to, ByteView text) {
  store_le(to.extend(sizeof(std::uint32_t)), static_cast<std::uint32_t>(text.size()));
  to.append(text);
}

bool has_deltas(const Leaf& leaf) {
  return leaf.type == Physical::int32 || leaf.type == Physical::int64;
}

}  // namespace

ColumnChunk::ColumnChunk(const Leaf& leaf, const PageOptions& options)
    : leaf_(leaf),
      options_(options),
      has_dictionary_(leaf.may_have_dictionary),
      statistics_(leaf),
      entry_{.statistics = Statistics(leaf)} {
  begin_page();
}

void ColumnChunk::begin_page() {
  repetitions_.begin(static_cast<unsigned>(std::bit_width(leaf_.most_repetition)));
  definitions_.begin(static_cast<unsigned>(std::bit_width(leaf_.most_definition)));
  data_.clear();
  index_.clear();
  values_ = nulls_ = 0;
  statistics_.clear();
}

void ColumnChunk::add_text(std::string_view text) {
  statistics_.add_text(text);
  if (has_dictionary_) {
    if (auto number = dictionary_.number_of(text)) return index_.push_back(*number);
    // The indexes of this page become texts again: there is one encoding for a page.
    for (std::uint32_t index : std::exchange(index_, {})) {
      put_text(data_, as_bytes(dictionary_.texts()[index]));
    }
    has_dictionary_ = false;
  }
  put_text(data_, as_bytes(text));
}

void ColumnChunk::add_bytes(ByteView bytes) {
  put_text(data_, bytes);
}

void ColumnChunk::end_rows(std::int64_t rows) {
  if (open_bytes() >= options_.page_bytes) end_page(rows);
}

/// Of the page that is filled. Levels take a few bits each, or less.
std::uint64_t ColumnChunk::open_bytes() const {
  return data_.size() + index_.size() * sizeof(std::uint32_t) +
         static_cast<std::uint64_t>(values_) / 8;
}

std::uint64_t ColumnChunk::unpacked_bytes() const {
  return static_cast<std::uint64_t>(entry_.unpacked_bytes) + open_bytes() + dictionary_.bytes();
}

std::uint64_t ColumnChunk::held_bytes() const {
  return pages_.size() + open_bytes() + dictionary_.bytes();
}

void ColumnChunk::end_page(std::int64_t rows) {
  if (values_ == 0) return;
  page_.clear();
  if (leaf_.most_repetition > 0) add_runs(repetitions_);
  if (leaf_.most_definition > 0) add_runs(definitions_);
  statistics_.add_values(data_.view());
  Encoding encoding = add_values();
  std::size_t begin = pages_.size();
  std::size_t unpacked = put_page(pages_, false, values_, encoding, page_.view());
  entry_.encodings.insert(encoding);
  entry_.values += values_;
  entry_.nulls += nulls_;
  entry_.unpacked_bytes += static_cast<std::int64_t>(unpacked);
  entry_.statistics.add(statistics_);
  entry_.pages.push_back({.offset = static_cast<std::int64_t>(begin),
                          .bytes = static_cast<std::int32_t>(pages_.size() - begin),
                          .first_row = first_row_,
                          .values = values_,
                          .nulls = nulls_,
                          .statistics = statistics_});
  first_row_ = rows;
  begin_page();
}

void ColumnChunk::add_runs(RunEncoder& runs) {
  put_text(page_, runs.end());
}

Encoding ColumnChunk::add_values() {
  if (has_dictionary_ && !index_.empty()) {
    std::size_t most = dictionary_.texts().size() - 1;
    auto width = static_cast<unsigned>(std::bit_width(most));
    put_byte(page_, static_cast<std::uint8_t>(width));
    indexes_.begin(width);
    indexes_.add(std::span<const std::uint32_t>(index_));
    page_.append(indexes_.end());
    return Encoding::dictionary;
  }
  if (leaf_.type == Physical::boolean) {
    std::span bits(reinterpret_cast<const std::uint8_t*>(data_.data()), data_.size());
    put_bits(page_, bits, 1);
    return Encoding::plain;
  }
  if (has_deltas(leaf_) && add_deltas()) return Encoding::deltas;
  page_.append(data_.view());
  return Encoding::plain;
}

bool ColumnChunk::add_deltas() {
  std::size_t begin = page_.size();
  auto as = [&]<class T>(T) {
    return std::span(reinterpret_cast<const T*>(data_.data()), data_.size() / sizeof(T));
  };
  if (data_.size() == 0) return false;
  if (leaf_.type == Physical::int32) {
    put_deltas(page_, as(std::uint32_t{}));
  } else {
    put_deltas(page_, as(std::uint64_t{}));
  }
  bool pays = (page_.size() - begin) * 4 <= data_.size() * 3;
  if (!pays) page_.resize(begin);
  return pays;
}

std::size_t ColumnChunk::put_page(Buffer& to, bool is_dictionary, std::int64_t values,
                                  Encoding encoding, ByteView page) {
  ByteView packed = page;
  if (options_.compressor) {
    options_.compressor->compress(page, packed_);
    packed = packed_.view();
  }
  bool fits = page.size() <= kMostPageBytes && packed.size() <= kMostPageBytes - kMostHeaderBytes &&
              values <= std::numeric_limits<std::int32_t>::max();
  if (!fits) {
    throw Error(ErrorCode::limit,
                fmt::format("the rows of the column \"{}\" are too large for a page of Parquet, "
                            "which holds 2 GiB",
                            fmt::join(leaf_.path, ".")));
  }
  std::size_t begin = to.size();
  ThriftWriter header(to);
  header.begin_struct();
  header.add(1, std::int32_t{is_dictionary ? kDictionaryPage : kDataPage});
  header.add(2, static_cast<std::int32_t>(page.size()));
  header.add(3, static_cast<std::int32_t>(packed.size()));
  // Of the page as it is in the file.
  header.add(4, static_cast<std::int32_t>(crc32(packed)));
  header.begin_struct(is_dictionary ? 7 : 5);
  header.add(1, static_cast<std::int32_t>(values));
  header.add(2, number_of(encoding));
  if (!is_dictionary) {
    header.add(3, number_of(Encoding::runs));
    header.add(4, number_of(Encoding::runs));
  }
  header.end_struct();
  header.end_struct();
  std::size_t header_bytes = to.size() - begin;
  to.append(packed);
  return header_bytes + page.size();
}

ChunkEntry ColumnChunk::end(std::int64_t rows, std::int64_t offset, const BytesOut& out) {
  end_page(rows);
  Buffer front;
  // The dictionary is complete only now and stands in front of the pages, which were held for it.
  if (!dictionary_.texts().empty()) {
    page_.clear();
    for (const std::string& text : dictionary_.texts()) put_text(page_, as_bytes(text));
    auto count = static_cast<std::int64_t>(dictionary_.texts().size());
    std::size_t unpacked = put_page(front, true, count, Encoding::plain, page_.view());
    entry_.unpacked_bytes += static_cast<std::int64_t>(unpacked);
    entry_.dictionary_offset = offset;
    entry_.encodings.insert(Encoding::plain);
    out(front.view());
    dictionary_.clear();
  }
  entry_.encodings.insert(Encoding::runs);
  for (PageEntry& page : entry_.pages) {
    page.offset += offset + static_cast<std::int64_t>(front.size());
  }
  entry_.packed_bytes = static_cast<std::int64_t>(front.size() + pages_.size());
  if (pages_.size() > 0) out(pages_.view());
  pages_.clear();
  first_row_ = 0;
  return std::exchange(entry_, {.statistics = Statistics(leaf_)});
}

}  // namespace kitbag::parquet
