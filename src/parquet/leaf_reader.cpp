#include "parquet/leaf_reader.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "kitbag/error.h"
#include "parquet/page_bytes.h"

// A column chunk is a row of pages: a dictionary, perhaps, and data. One page is in memory at a
// time, beside the dictionary.
//
//     data page      repetition levels, definition levels, values: all of it compressed
//     data page v2   repetition levels, definition levels | values: these alone compressed
//
// Levels are decoded in portions of kLevels and values when they are taken, so a page that claims a
// billion nulls in a few bytes costs what somebody asks for. The footer bounds all of it: pages
// must lie within the bytes of the chunk and must not have more values than it says.
//
// An error in a page gets the offset of the page in the file. One of the disk keeps its own.

namespace kitbag::parquet {

namespace {

/// Levels behind their length, as the first kind of data pages has them.
RunDecoder take_levels_of(ByteView& page, std::int32_t encoding, std::uint8_t most) {
  if (most == 0) return {};
  if (encoding != PageHeader::kRuns) {
    throw Error(ErrorCode::unsupported, "levels are packed in the way of before 2014");
  }
  return {take_sized(page), static_cast<unsigned>(std::bit_width(most))};
}

void require_levels(std::span<const std::uint8_t> levels, std::uint8_t most) {
  bool is_sound =
      std::all_of(levels.begin(), levels.end(), [&](std::uint8_t level) { return level <= most; });
  if (!is_sound) fail_corrupt("a level that is higher than the column is nested");
}

}  // namespace

LeafReader::LeafReader(const ReadFile& file, const StoredLeaf& leaf, const StoredChunk& chunk)
    : file_(file),
      leaf_(leaf),
      offset_(static_cast<std::uint64_t>(chunk.offset)),
      end_(offset_ + static_cast<std::uint64_t>(chunk.packed_bytes)),
      values_left_(static_cast<std::uint64_t>(chunk.values)),
      codec_(chunk.codec) {
  if (chunk.type != leaf.stored.type)
    fail_corrupt("a column has another type than the schema says");
  if (end_ > file.size()) fail_truncated("the file ends within a column");
}

bool LeafReader::has_more(const std::stop_token& stop) {
  while (level_ == level_count_) {
    if (page_left_ == 0 && !next_page(stop)) return false;
    level_ = 0;
    level_count_ = static_cast<std::size_t>(std::min<std::uint64_t>(page_left_, kLevels));
    page_left_ -= level_count_;
    try {
      if (leaf_.most_repetition > 0) {
        auto levels = std::span(repetitions_).first(level_count_);
        repetition_runs_.read(levels);
        require_levels(levels, leaf_.most_repetition);
      }
      if (leaf_.most_definition > 0) {
        auto levels = std::span(definitions_).first(level_count_);
        definition_runs_.read(levels);
        require_levels(levels, leaf_.most_definition);
      }
    } catch (const Error& error) {
      rethrow_at(error, page_offset_);
    }
  }
  return true;
}

void LeafReader::rethrow_at(const Error& error, std::uint64_t offset) const {
  throw Error(error.code(), error.message(), {}, offset);
}

void LeafReader::read_fixed(std::byte* out, std::size_t count) {
  try {
    values().read_fixed(out, count);
  } catch (const Error& error) {
    rethrow_at(error, page_offset_);
  }
}

ByteView LeafReader::read_bytes() {
  try {
    return values().read_bytes();
  } catch (const Error& error) {
    rethrow_at(error, page_offset_);
  }
}

/// Most headers are small, but one may have texts of any length as the range of its values.
PageHeader LeafReader::read_header() {
  constexpr std::uint64_t kUsualBytes = 1 << 10;
  constexpr std::uint64_t kMostBytes = 16 << 20;
  for (std::uint64_t wanted = kUsualBytes;; wanted *= 16) {
    std::uint64_t size = std::min(wanted, end_ - offset_);
    packed_.resize(static_cast<std::size_t>(size));
    packed_.resize(file_.read(offset_, packed_.span()));
    try {
      auto [header, bytes] = read_page_header(packed_.view());
      offset_ += bytes;
      return header;
    } catch (const Error& error) {
      bool is_longer = error.code() == ErrorCode::truncated && packed_.size() == size &&
                       size < end_ - offset_ && size < kMostBytes;
      if (!is_longer) throw;
    }
  }
}

bool LeafReader::next_page(const std::stop_token& stop) {
  for (;;) {
    throw_if_stopped({.stop = stop, .until = kNever});
    if (values_left_ == 0) return false;
    page_offset_ = offset_;
    try {
      if (offset_ >= end_) fail_truncated("a column ends before its last value");
      PageHeader header = read_header();
      auto size = static_cast<std::uint64_t>(header.packed_bytes);
      if (size > end_ - offset_) fail_corrupt("a page is longer than its column");
      packed_.resize(static_cast<std::size_t>(size));
      if (file_.read(offset_, packed_.span()) != size)
        fail_truncated("the file ends within a page");
      offset_ += size;
      auto values = static_cast<std::uint64_t>(header.values);
      switch (header.kind) {
        case PageHeader::Kind::index:
          break;
        case PageHeader::Kind::dictionary: {
          if (dictionary_) fail_corrupt("a column has two dictionaries");
          ByteView page = unpacked(packed_.view(), header.unpacked_bytes, stop);
          // A copy, because both buffers are used for the next page.
          Buffer own;
          own.append(page);
          dictionary_.emplace(leaf_.stored, std::move(own), values);
          break;
        }
        default:
          if (values > values_left_) fail_corrupt("a column has more values than it says");
          if (header.kind == PageHeader::Kind::data) {
            begin_data(header, packed_.view(), stop);
          } else {
            begin_data_v2(header, packed_.view(), stop);
          }
          values_left_ -= values;
          page_left_ = values;
          if (values > 0) return true;
      }
    } catch (const Error& error) {
      if (error.code() == ErrorCode::io || is_final(error.code())) throw;
      rethrow_at(error, page_offset_);
    }
  }
}

ByteView LeafReader::unpacked(ByteView page, std::int32_t size, const std::stop_token& stop) {
  if (!codec_.is_packed()) return page;
  codec_.unpack(page, static_cast<std::size_t>(size), page_, stop);
  return page_.view();
}

void LeafReader::begin_data(const PageHeader& header, ByteView page, const std::stop_token& stop) {
  ByteView rest = unpacked(page, header.unpacked_bytes, stop);
  repetition_runs_ = take_levels_of(rest, header.repetition_encoding, leaf_.most_repetition);
  definition_runs_ = take_levels_of(rest, header.definition_encoding, leaf_.most_definition);
  begin_values(header, rest);
}

/// Its levels are never compressed.
void LeafReader::begin_data_v2(const PageHeader& header, ByteView page,
                               const std::stop_token& stop) {
  ByteView rest = page;
  auto width = [](std::uint8_t most) { return static_cast<unsigned>(std::bit_width(most)); };
  ByteView repetitions = take_front(rest, static_cast<std::uint64_t>(header.repetition_bytes));
  ByteView definitions = take_front(rest, static_cast<std::uint64_t>(header.definition_bytes));
  repetition_runs_ = {repetitions, width(leaf_.most_repetition)};
  definition_runs_ = {definitions, width(leaf_.most_definition)};
  std::int64_t size =
      std::int64_t{header.unpacked_bytes} - header.repetition_bytes - header.definition_bytes;
  if (size < 0) fail_corrupt("a page has more levels than bytes");
  // A page of nulls has no values to unpack.
  if (header.is_compressed && !rest.empty()) {
    rest = unpacked(rest, static_cast<std::int32_t>(size), stop);
  }
  begin_values(header, rest);
}

void LeafReader::begin_values(const PageHeader& header, ByteView values) {
  stored_values_ = values;
  encoding_ = header.encoding;
  values_.reset();
}

/// A page of nulls may have nothing where the values would be.
ValueDecoder& LeafReader::values() {
  if (!values_) {
    values_ = make_decoder(encoding_, leaf_.stored, stored_values_,
                           dictionary_ ? &*dictionary_ : nullptr);
  }
  return *values_;
}

}  // namespace kitbag::parquet
