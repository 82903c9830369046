#include "parquet/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/little_endian.h"
#include "kitbag/error.h"

// The opposite of the shredder. The levels of a leaf say, for each value, which list it continues
// and how much of its path is there. What is above a leaf is seen at the first leaf below it: all
// leaves of a structure say the same of the structure itself. A file that says different things is
// damaged, which is found where one of them is taken.
//
// The columns of a table do not depend on each other. So a batch is read by columns, some rows of
// each at a time: the more of them the smaller they have been, so that a batch does not become
// much larger than it may.

namespace kitbag::parquet {

namespace {

using arrow::Column;

/// A value costs so much at least, whatever it is: levels, offsets, a bit for whether it is there.
constexpr std::uint64_t kCostOfValue = 4;
/// What one batch may take. A few bytes of a file may stand for any number of nulls.
constexpr std::uint64_t kMostBatchBytes = std::uint64_t{512} << 20;
constexpr std::size_t kMostRawBytes = 64 << 10;
constexpr std::uint64_t kMostStepRows = 4096;

[[noreturn]] void disagree() {
  throw Error(ErrorCode::corrupt, "the levels of columns that belong together disagree");
}

std::int64_t int96_ns(const std::byte* from) {
  // The Julian day of 1970-01-01.
  constexpr std::int64_t kDayOfEpoch = 2'440'588;
  constexpr std::int64_t kNsPerDay = 86'400'000'000'000;
  auto in_day = load_le<std::int64_t>(from);
  auto day = std::int64_t{load_le<std::int32_t>(from + sizeof in_day)};
  std::int64_t ns = 0;
  bool is_out = __builtin_mul_overflow(day - kDayOfEpoch, kNsPerDay, &ns) ||
                __builtin_add_overflow(ns, in_day, &ns);
  if (is_out) throw Error(ErrorCode::corrupt, "a time that is out of range");
  return ns;
}

float half_to_float(std::uint16_t half) {
  int exponent = half >> 10 & 0x1F;
  int fraction = half & 0x3FF;
  float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                : exponent == 0x1F
                    ? (fraction == 0 ? INFINITY : NAN)
                    : std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  return (half & 0x8000) != 0 ? -value : value;
}

/// Two's complement, the highest byte first.
double decimal_of(ByteView bytes, double scale) {
  if (bytes.empty()) return 0;
  double value = 0;
  // ~x is -x - 1, so the bytes of a negative number are inverted and read as those of a positive
  // one.
  bool is_negative = (bytes.front() & std::byte{0x80}) != std::byte{0};
  for (std::byte each : bytes) {
    constexpr double kBase = 256;
    value = value * kBase + std::to_integer<int>(is_negative ? ~each : each);
  }
  return (is_negative ? -value - 1 : value) / scale;
}

}  // namespace

TableReader::TableReader(const ReadFile& file, const TableSchema& schema, const StoredGroup& group)
    : schema_(schema), rows_left_(static_cast<std::uint64_t>(group.rows)) {
  if (group.chunks.size() != schema.leaves.size()) {
    throw Error(ErrorCode::corrupt, fmt::format("a row group has {} columns, and the schema has {}",
                                                group.chunks.size(), schema.leaves.size()));
  }
  for (std::size_t i = 0; i < group.chunks.size(); ++i) {
    const StoredLeaf& leaf = schema.leaves[i];
    std::int64_t values = group.chunks[i].values;
    if (leaf.most_repetition == 0 ? values != group.rows : values < group.rows) {
      throw Error(ErrorCode::corrupt,
                  fmt::format("a column has {} values for {} rows", values, group.rows));
    }
    leaves_.push_back(std::make_unique<LeafReader>(file, leaf, group.chunks[i]));
  }
}

void TableReader::charge(std::uint64_t bytes) {
  if (bytes > budget_) {
    throw Error(ErrorCode::limit,
                fmt::format("a few rows take more than {} MiB in memory", kMostBatchBytes >> 20));
  }
  budget_ -= bytes;
}

LeafReader& TableReader::leaf_with_more(std::size_t index) {
  LeafReader& leaf = *leaves_[index];
  if (!leaf.has_more(stop_)) {
    throw Error(ErrorCode::truncated, "a column has fewer values than rows");
  }
  return leaf;
}

void TableReader::read(Column& table, std::uint64_t most_rows, std::uint64_t most_bytes,
                       const std::stop_token& stop) {
  stop_ = stop;
  budget_ = kMostBatchBytes;
  std::uint64_t rows = 0;
  while (rows < most_rows && rows_left_ > 0) {
    throw_if_stopped({.stop = stop, .until = kNever});
    std::uint64_t taken = kMostBatchBytes - budget_;
    if (taken >= most_bytes) break;
    // At most twice as many rows as are known to be small.
    std::uint64_t row_bytes = known_rows_ == 0 ? most_bytes : known_bytes_ / known_rows_ + 1;
    std::uint64_t step = std::clamp<std::uint64_t>((most_bytes - taken) / row_bytes, 1,
                                                   std::min(kMostStepRows, known_rows_ + 1));
    step = std::min({step, most_rows - rows, rows_left_});
    for (std::size_t i = 0; i < schema_.root.children.size(); ++i) {
      read_rows(schema_.root.children[i], table.children()[i], step);
    }
    table.add_parents(step);
    rows += step;
    rows_left_ -= step;
    known_rows_ += step;
    known_bytes_ += kMostBatchBytes - budget_ - taken;
  }
}

void TableReader::read_rows(const TableNode& node, Column& column, std::uint64_t rows) {
  if (node.kind == TableNode::Kind::leaf) return read_flat_rows(node, column, rows);
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::size_t i = node.first_leaf; i < node.end_leaf; ++i) {
      if (leaf_with_more(i).repetition() != 0) disagree();
    }
    read_value(node, column);
  }
}

void TableReader::read_flat_rows(const TableNode& node, Column& column, std::uint64_t rows) {
  while (rows > 0) {
    LeafReader& leaf = leaf_with_more(node.first_leaf);
    auto count = static_cast<std::size_t>(std::min<std::uint64_t>(rows, leaf.at_hand()));
    add_levels(node, column, count);
    rows -= count;
  }
}

/// Levels at hand, each of which is a value or a null of the leaf.
void TableReader::add_levels(const TableNode& node, Column& column, std::size_t count) {
  LeafReader& leaf = *leaves_[node.first_leaf];
  charge(count * kCostOfValue);
  for (std::size_t i = 0; i < count;) {
    std::size_t begin = i;
    while (i < count && leaf.definition(i) == node.definition) ++i;
    if (i > begin) add_values(node, column, i - begin);
    while (i < count && leaf.definition(i) != node.definition) {
      if (!node.is_optional) disagree();
      charge(node.null_bytes);
      column.add_null();
      ++i;
    }
  }
  leaf.take_levels(count);
}

void TableReader::skip_missing(const TableNode& node, std::uint8_t definition) {
  for (std::size_t i = node.first_leaf; i < node.end_leaf; ++i) {
    LeafReader& leaf = leaf_with_more(i);
    if (leaf.definition() != definition) disagree();
    leaf.take_levels(1);
  }
}

void TableReader::read_value(const TableNode& node, Column& column) {
  LeafReader& first = leaf_with_more(node.first_leaf);
  if (node.kind == TableNode::Kind::leaf) return add_levels(node, column, 1);
  std::uint8_t definition = first.definition();
  if (definition < node.definition) {
    if (!node.is_optional) disagree();
    charge(kCostOfValue + node.null_bytes);
    column.add_null();
    return skip_missing(node, definition);
  }
  if (node.kind == TableNode::Kind::list) return read_list(node, column);
  charge(kCostOfValue);
  column.add_parent();
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    read_value(node.children[i], column.children()[i]);
  }
}

void TableReader::read_list(const TableNode& node, Column& column) {
  charge(kCostOfValue);
  column.begin_list(0);
  std::uint8_t definition = leaves_[node.first_leaf]->definition();
  if (definition < node.repeated_definition) return skip_missing(node, definition);
  const TableNode& element = node.children.front();
  if (element.kind == TableNode::Kind::leaf) return read_leaf_elements(node, column);
  // All leaves below the list must agree on where it ends.
  for (bool is_more = true; is_more;) {
    read_value(element, column.element());
    column.extend_list(1);
    LeafReader& first = *leaves_[node.first_leaf];
    is_more = first.has_more(stop_) && first.repetition() == node.repetition;
    for (std::size_t i = node.first_leaf; i < node.end_leaf; ++i) {
      LeafReader& leaf = *leaves_[i];
      std::uint8_t repetition = leaf.has_more(stop_) ? leaf.repetition() : std::uint8_t{0};
      if (repetition > node.repetition || (repetition == node.repetition) != is_more) disagree();
    }
  }
}

void TableReader::read_leaf_elements(const TableNode& list, Column& column) {
  const TableNode& element = list.children.front();
  LeafReader& leaf = *leaves_[list.first_leaf];
  for (bool is_first = true;;) {
    std::size_t count = is_first ? 1 : 0;
    while (count < leaf.at_hand() && leaf.repetition(count) == list.repetition) ++count;
    add_levels(element, column.element(), count);
    column.extend_list(count);
    is_first = false;
    if (!leaf.has_more(stop_) || leaf.repetition() != list.repetition) return;
  }
}

/// Values of a leaf that are there.
void TableReader::add_values(const TableNode& node, Column& column, std::size_t count) {
  const std::size_t width = leaves_[node.first_leaf]->leaf().stored.value_bytes();
  if (width == 0) return add_texts(node, column, count);
  charge(count * width);
  const std::size_t most = std::max<std::size_t>(1, kMostRawBytes / width);
  while (count > 0) {
    std::size_t part = std::min(count, most);
    add_fixed(node, column, part, width);
    count -= part;
  }
}

/// Values of any length.
void TableReader::add_texts(const TableNode& node, Column& column, std::size_t count) {
  LeafReader& leaf = *leaves_[node.first_leaf];
  auto each_of_bytes = [&](auto add) {
    for (std::size_t i = 0; i < count; ++i) {
      ByteView bytes = leaf.read_bytes();
      charge(bytes.size());
      add(bytes);
    }
  };
  switch (node.conversion) {
    case Conversion::text:
      return each_of_bytes([&](ByteView bytes) { column.add_text(as_text(bytes)); });
    case Conversion::bytes_decimal:
      return each_of_bytes([&](ByteView bytes) { column.add(decimal_of(bytes, node.scale)); });
    default:
      return each_of_bytes([&](ByteView bytes) { column.add_bytes(bytes); });
  }
}

/// Values of `width` bytes.
void TableReader::add_fixed(const TableNode& node, Column& column, std::size_t count,
                            std::size_t width) {
  raw_.resize(std::max(raw_.size(), count * width));
  leaves_[node.first_leaf]->read_fixed(raw_.data(), count);
  auto each_of = [&](auto add) {
    for (std::size_t i = 0; i < count; ++i) add(raw_.data() + i * width);
  };
  switch (node.conversion) {
    case Conversion::narrow:
      if (column.type().width == 1) {
        return each_of([&](const std::byte* at) { column.add(load_le<std::uint8_t>(at)); });
      }
      if (column.type().width == 2) {
        return each_of([&](const std::byte* at) { column.add(load_le<std::uint16_t>(at)); });
      }
      return each_of([&](const std::byte* at) { column.add(load_le<std::uint32_t>(at)); });
    case Conversion::fixed_bytes:
      return each_of([&](const std::byte* at) { column.add_bytes({at, width}); });
    case Conversion::int96_time:
      return each_of([&](const std::byte* at) { column.add(int96_ns(at)); });
    case Conversion::half:
      return each_of(
          [&](const std::byte* at) { column.add(half_to_float(load_le<std::uint16_t>(at))); });
    case Conversion::integer_decimal:
      return each_of([&](const std::byte* at) {
        double value = width == sizeof(std::int32_t)
                           ? load_le<std::int32_t>(at)
                           : static_cast<double>(load_le<std::int64_t>(at));
        column.add(value / node.scale);
      });
    case Conversion::bytes_decimal:
      return each_of([&](const std::byte* at) { column.add(decimal_of({at, width}, node.scale)); });
    default:
      column.add_packed({raw_.data(), count * width});
  }
}

}  // namespace kitbag::parquet
