#include "parquet/metadata.h"

#include <algorithm>
#include <optional>

#include "parquet/thrift.h"

// Structs and their fields are in the order of parquet.thrift, whose numbers are written here:
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
//
// Old readers know ConvertedType and not LogicalType; both are written where there are both.
//
//     FileMetaData       the schema, a tree in depth-first order; row groups; keys and values
//       RowGroup         a chunk for each leaf of the schema, in its order
//         ColumnChunk    type, encodings, sizes, range, and where its pages and indexes are

namespace kitbag::parquet {

namespace {

constexpr std::int32_t kVersion = 2;
constexpr std::int32_t kZstd = 6;

/// The enumeration ConvertedType; nothing: it has no such meaning.
std::optional<std::int32_t> converted_type(const Element& element) {
  enum : std::int32_t {
    kUtf8 = 0,
    kList = 3,
    kTimeMillis = 9,
    kTimeMicros = 10,
    kUint8 = 11,
    kInt8 = 15,
    kJson = 19
  };
  switch (element.meaning) {
    case Meaning::text:
      return kUtf8;
    case Meaning::json:
      return kJson;
    case Meaning::list:
      return kList;
    case Meaning::integer: {
      std::int32_t place = element.bits == 8    ? 0
                           : element.bits == 16 ? 1
                           : element.bits == 32 ? 2
                                                : 3;
      return (element.is_signed ? kInt8 : kUint8) + place;
    }
    case Meaning::time:
      // Only times in UTC, and no nanoseconds.
      if (!element.is_in_utc || element.unit > 2) return std::nullopt;
      return element.unit == 1 ? kTimeMillis : kTimeMicros;
    case Meaning::none:
      return std::nullopt;
  }
  return std::nullopt;
}

void put_logical_type(ThriftWriter& to, const Element& element) {
  if (element.meaning == Meaning::none) return;
  to.begin_struct(10);
  switch (element.meaning) {
    case Meaning::text:
      to.add_empty(1);
      break;
    case Meaning::list:
      to.add_empty(3);
      break;
    case Meaning::time:
      to.begin_struct(8);
      to.add(1, element.is_in_utc);
      to.begin_struct(2);
      to.add_empty(static_cast<std::int16_t>(element.unit));
      to.end_struct();
      to.end_struct();
      break;
    case Meaning::integer:
      to.begin_struct(10);
      to.add(1, element.bits);
      to.add(2, element.is_signed);
      to.end_struct();
      break;
    case Meaning::json:
      to.add_empty(12);
      break;
    case Meaning::none:
      break;
  }
  to.end_struct();
}

void put_element(ThriftWriter& to, const Element& element, bool is_root) {
  to.begin_struct();
  if (element.type) to.add(1, static_cast<std::int32_t>(*element.type));
  if (element.width > 0) to.add(2, element.width);
  if (!is_root) to.add(3, static_cast<std::int32_t>(element.repetition));
  to.add(4, std::string_view(element.name));
  if (!element.type) to.add(5, element.children);
  if (auto converted = converted_type(element)) to.add(6, *converted);
  put_logical_type(to, element);
  to.end_struct();
}

void put_statistics(ThriftWriter& to, const ChunkEntry& chunk) {
  const Statistics& range = chunk.statistics;
  to.begin_struct(12);
  to.add(3, chunk.nulls);
  if (range.has_range()) {
    to.add(5, std::string_view(range.most()));
    to.add(6, std::string_view(range.least()));
    to.add(7, range.is_most_exact());
    to.add(8, range.is_least_exact());
  }
  to.end_struct();
}

void put_chunk(ThriftWriter& to, const Leaf& leaf, const ChunkEntry& chunk, bool is_compressed) {
  to.begin_struct();
  to.add(2, std::int64_t{0});  // file_offset, which is not used any more
  to.begin_struct(3);
  to.add(1, static_cast<std::int32_t>(leaf.type));
  to.begin_list(2, ThriftWriter::kInt32, chunk.encodings.size());
  for (Encoding encoding : chunk.encodings) to.element(static_cast<std::int64_t>(encoding));
  to.begin_list(3, ThriftWriter::kBinary, leaf.path.size());
  for (const std::string& name : leaf.path) to.element(std::string_view(name));
  to.add(4, is_compressed ? kZstd : 0);
  to.add(5, chunk.values);
  to.add(6, chunk.unpacked_bytes);
  to.add(7, chunk.packed_bytes);
  to.add(9, chunk.pages.front().offset);
  if (chunk.dictionary_offset > 0) to.add(11, chunk.dictionary_offset);
  put_statistics(to, chunk);
  to.end_struct();
  to.add(4, chunk.offset_index_offset);
  to.add(5, chunk.offset_index_bytes);
  if (chunk.column_index_bytes > 0) {
    to.add(6, chunk.column_index_offset);
    to.add(7, chunk.column_index_bytes);
  }
  to.end_struct();
}

void put_group(ThriftWriter& to, const RowGroupEntry& group, const Footer& footer) {
  std::int64_t unpacked = 0;
  std::int64_t packed = 0;
  to.begin_struct();
  to.begin_list(1, ThriftWriter::kStruct, group.chunks.size());
  for (std::size_t i = 0; i < group.chunks.size(); ++i) {
    const ChunkEntry& chunk = group.chunks[i];
    put_chunk(to, footer.schema->leaves[i], chunk, footer.is_compressed);
    unpacked += chunk.unpacked_bytes;
    packed += chunk.packed_bytes;
  }
  to.add(2, unpacked);
  to.add(3, group.rows);
  to.add(5, group.offset);
  to.add(6, packed);
  to.end_struct();
}

}  // namespace

void put_footer(Buffer& out, const Footer& footer) {
  ThriftWriter to(out);
  to.begin_struct();
  to.add(1, kVersion);
  const auto& elements = footer.schema->elements;
  to.begin_list(2, ThriftWriter::kStruct, elements.size());
  for (const Element& element : elements) put_element(to, element, &element == &elements.front());
  to.add(3, footer.rows);
  to.begin_list(4, ThriftWriter::kStruct, footer.groups.size());
  for (const RowGroupEntry& group : footer.groups) put_group(to, group, footer);
  to.begin_list(5, ThriftWriter::kStruct, footer.metadata.size());
  for (const auto& [key, value] : footer.metadata) {
    to.begin_struct();
    to.add(1, std::string_view(key));
    to.add(2, std::string_view(value));
    to.end_struct();
  }
  to.add(6, std::string_view(footer.created_by));
  to.begin_list(7, ThriftWriter::kStruct, footer.schema->leaves.size());
  for (std::size_t i = 0; i < footer.schema->leaves.size(); ++i) {
    to.begin_struct();
    to.add_empty(1);  // the order that the type defines
    to.end_struct();
  }
  to.end_struct();
}

bool put_column_index(Buffer& out, const ChunkEntry& chunk) {
  auto is_null = [](const PageEntry& page) { return page.nulls == page.values; };
  bool has_all = std::all_of(chunk.pages.begin(), chunk.pages.end(), [&](const PageEntry& page) {
    return is_null(page) || page.statistics.has_range();
  });
  if (!has_all) return false;
  // A page of nulls has bounds too, which are empty and not looked at.
  auto bound = [&](const PageEntry& page, const std::string& value) {
    return is_null(page) ? std::string_view() : std::string_view(value);
  };
  ThriftWriter to(out);
  to.begin_struct();
  to.begin_list(1, ThriftWriter::kTrue, chunk.pages.size());
  for (const PageEntry& page : chunk.pages) to.element(is_null(page));
  to.begin_list(2, ThriftWriter::kBinary, chunk.pages.size());
  for (const PageEntry& page : chunk.pages) to.element(bound(page, page.statistics.least()));
  to.begin_list(3, ThriftWriter::kBinary, chunk.pages.size());
  for (const PageEntry& page : chunk.pages) to.element(bound(page, page.statistics.most()));
  to.add(4, std::int32_t{0});  // the pages are in no order
  to.begin_list(5, ThriftWriter::kInt64, chunk.pages.size());
  for (const PageEntry& page : chunk.pages) to.element(page.nulls);
  to.end_struct();
  return true;
}

void put_offset_index(Buffer& out, const ChunkEntry& chunk) {
  ThriftWriter to(out);
  to.begin_struct();
  to.begin_list(1, ThriftWriter::kStruct, chunk.pages.size());
  for (const PageEntry& page : chunk.pages) {
    to.begin_struct();
    to.add(1, page.offset);
    to.add(2, page.bytes);
    to.add(3, page.first_row);
    to.end_struct();
  }
  to.end_struct();
}

}  // namespace kitbag::parquet
