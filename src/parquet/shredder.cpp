#include "parquet/shredder.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "kitbag/error.h"

// Parquet stores only the leaves of nested values, each with two numbers beside it. The repetition
// level says which list a value continues; 0 begins a row. The definition level says how much of
// its path is there: less than all of it is a null, or an empty list.
//
// So a table is read from its root to the leaves. On the way there is a place for each value and
// each null that a leaf will have: its levels, and which value of the array it is. In nearly all
// tables nothing is missing. Then the values are those of the array from a first one on, and no
// place needs a number of its own; only lists need repetition levels.
//
// Levels are shared by the fields of a structure, which all begin with those of the structure.
//
// For example a list that may be null, of numbers that may be null:
//
//     row         repetition    definition    value
//     [7, 8]      0, 1          3, 3          7, 8
//     [null]      0             2
//     []          0             1
//     null        0             0

namespace kitbag::parquet {

namespace {

using arrow::IpcField;
using arrow::IpcLayout;

using Levels = std::vector<std::uint8_t>;
constexpr std::int64_t kMissing = -1;

/// Places for values on the way to a leaf.
struct Places {
  std::int64_t count = 0;
  /// The value of the array that comes first, if `indexes` is null: others follow it.
  std::int64_t first = 0;
  /// The value of each place, or kMissing. Null: nothing is missing.
  std::shared_ptr<const std::vector<std::int64_t>> indexes = nullptr;
  /// The definition level of each place. Null if `indexes` is: all have `level`.
  std::shared_ptr<const Levels> definitions = nullptr;
  /// The repetition level of each place. Null: all are 0.
  std::shared_ptr<const Levels> repetitions = nullptr;
  std::uint8_t level = 0;  ///< the definition level of places with a value
  std::uint8_t lists = 0;  ///< around

  std::int64_t index(std::int64_t place) const {
    return indexes ? (*indexes)[static_cast<std::size_t>(place)] : first + place;
  }
};

/// A part of an array.
struct Range {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

[[noreturn]] void fail(const IpcField& field, const char* what) {
  throw Error(ErrorCode::invalid, fmt::format("the column \"{}\" {}", field.name, what));
}

bool bit_at(const void* bits, std::int64_t index) {
  unsigned byte = static_cast<const std::uint8_t*>(bits)[index / 8];
  return (byte >> (index % 8) & 1U) != 0;
}

template <class T>
T value_at(const void* values, std::int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const T*>(values) + index, sizeof value);
  return value;
}

template <class Offset>
Range range_at(const IpcField& field, const ArrowArray& array, std::int64_t index) {
  auto begin = std::int64_t{value_at<Offset>(array.buffers[1], array.offset + index)};
  auto end = std::int64_t{value_at<Offset>(array.buffers[1], array.offset + index + 1)};
  if (begin < 0 || end < begin) fail(field, "has offsets that are out of order");
  return {begin, end - begin};
}

/// Where no value is missing, and where one is.
template <class IsThere>
Places without(const Places& places, IsThere is_there) {
  auto indexes = std::make_shared<std::vector<std::int64_t>>();
  auto definitions = std::make_shared<Levels>();
  auto count = static_cast<std::size_t>(places.count);
  indexes->reserve(count);
  definitions->reserve(count);
  auto there = static_cast<std::uint8_t>(places.level + 1);
  for (std::int64_t i = 0; i < places.count; ++i) {
    std::int64_t index = places.index(i);
    bool was_there = index != kMissing;
    bool is = was_there && is_there(index);
    indexes->push_back(is ? index : kMissing);
    definitions->push_back(is          ? there
                           : was_there ? places.level
                                       : (*places.definitions)[static_cast<std::size_t>(i)]);
  }
  Places result = places;
  result.level = there;
  result.indexes = std::move(indexes);
  result.definitions = std::move(definitions);
  return result;
}

/// The same without the values of `array` that are null, if there may be any.
Places valid_places(const IpcField& field, const ArrowArray& array, const Places& places) {
  bool has_nulls = array.null_count != 0 && array.buffers[0] != nullptr;
  auto is_valid = [&](std::int64_t index) {
    return !has_nulls || bit_at(array.buffers[0], array.offset + index);
  };
  bool is_complete = places.indexes == nullptr;
  // A bitmap need not have a zero in these rows. Then the places stay as they are.
  for (std::int64_t i = 0; has_nulls && is_complete && i < places.count; ++i) {
    is_complete = is_valid(places.first + i);
  }
  if (!field.is_nullable) {
    if (!is_complete && !places.indexes) fail(field, "has a null and says that it has none");
    return places;
  }
  if (!is_complete) return without(places, is_valid);
  Places result = places;
  ++result.level;
  return result;
}

/// Places for the elements of lists; `range_of` gives those of the list with that index.
template <class RangeOf>
Places elements(const Places& places, RangeOf range_of) {
  Places result;
  result.lists = static_cast<std::uint8_t>(places.lists + 1);
  result.level = static_cast<std::uint8_t>(places.level + 1);
  bool is_complete = places.indexes == nullptr;
  std::int64_t end = 0;
  for (std::int64_t i = 0; i < places.count; ++i) {
    std::int64_t index = places.index(i);
    Range range = index == kMissing ? Range{} : range_of(index);
    is_complete = is_complete && range.count > 0 && (i == 0 || range.begin == end);
    if (i == 0) result.first = range.begin;
    end = range.begin + range.count;
    result.count += std::max<std::int64_t>(range.count, 1);
  }
  auto repetitions = std::make_shared<Levels>();
  auto definitions = std::make_shared<Levels>();
  auto indexes = std::make_shared<std::vector<std::int64_t>>();
  auto count = static_cast<std::size_t>(result.count);
  repetitions->reserve(count);
  if (!is_complete) definitions->reserve(count);
  if (!is_complete) indexes->reserve(count);
  for (std::int64_t i = 0; i < places.count; ++i) {
    auto place = static_cast<std::size_t>(i);
    std::int64_t index = places.index(i);
    Range range = index == kMissing ? Range{} : range_of(index);
    repetitions->push_back(places.repetitions ? (*places.repetitions)[place] : 0);
    if (range.count > 1) {
      repetitions->resize(repetitions->size() + static_cast<std::size_t>(range.count) - 1,
                          result.lists);
    }
    if (is_complete) continue;
    if (range.count == 0) {
      indexes->push_back(kMissing);
      definitions->push_back(index == kMissing ? (*places.definitions)[place] : places.level);
      continue;
    }
    definitions->resize(definitions->size() + static_cast<std::size_t>(range.count), result.level);
    for (std::int64_t k = 0; k < range.count; ++k) indexes->push_back(range.begin + k);
  }
  result.repetitions = std::move(repetitions);
  if (is_complete) return result;
  result.definitions = std::move(definitions);
  result.indexes = std::move(indexes);
  return result;
}

/// Calls `take` with ranges of the values that are there.
template <class Take>
std::int64_t for_each_range(const Places& places, Take take) {
  if (!places.indexes) {
    if (places.count > 0) take(Range{places.first, places.count});
    return places.count;
  }
  std::int64_t values = 0;
  Range open;
  for (std::int64_t index : *places.indexes) {
    if (index == kMissing) continue;
    ++values;
    if (open.count > 0 && index == open.begin + open.count) {
      ++open.count;
      continue;
    }
    if (open.count > 0) take(open);
    open = {index, 1};
  }
  if (open.count > 0) take(open);
  return values;
}

class Shredder {
 public:
  explicit Shredder(std::span<ColumnChunk> chunks) : chunks_(chunks) {}

  void shred(const IpcField& field, const ArrowArray& array, const Places& places) {
    Places valid = valid_places(field, array, places);
    if (field.dictionary) return put_indexed(field, array, valid);
    switch (field.type.layout) {
      case IpcLayout::structure:
        return shred_structure(field, array, std::move(valid));
      case IpcLayout::list:
        return shred_list(field, array, elements(valid, [&](std::int64_t index) {
                            return range_at<std::int32_t>(field, array, index);
                          }));
      case IpcLayout::large_list:
        return shred_list(field, array, elements(valid, [&](std::int64_t index) {
                            return range_at<std::int64_t>(field, array, index);
                          }));
      case IpcLayout::fixed_list:
        return shred_list(field, array, elements(valid, [&](std::int64_t index) {
                            std::int64_t width = field.type.width;
                            return Range{(array.offset + index) * width, width};
                          }));
      default:
        return put_leaf(field, array, valid);
    }
  }

 private:
  void shred_list(const IpcField& field, const ArrowArray& array, const Places& places) {
    shred(field.children.front(), *array.children[0], places);
  }

  void shred_structure(const IpcField& field, const ArrowArray& array, Places places) {
    if (field.children.empty()) {
      ColumnChunk& chunk = put_levels(places);
      std::int64_t values = for_each_range(places, [&](Range range) {
        std::memset(chunk.extend(size_of(range.count)), 0, size_of(range.count));
      });
      return chunk.count(places.count, places.count - values);
    }
    move_by(places, array.offset);
    for (std::size_t i = 0; i < field.children.size(); ++i) {
      shred(field.children[i], *array.children[i], places);
    }
  }

  /// A structure that is part of a longer array: its fields are as well.
  static void move_by(Places& places, std::int64_t offset) {
    places.first += offset;
    if (!places.indexes || offset == 0) return;
    auto moved = std::make_shared<std::vector<std::int64_t>>(*places.indexes);
    for (std::int64_t& index : *moved) {
      if (index != kMissing) index += offset;
    }
    places.indexes = std::move(moved);
  }

  ColumnChunk& put_levels(const Places& places) {
    ColumnChunk& chunk = chunks_[next_++];
    auto count = static_cast<std::uint64_t>(places.count);
    if (places.repetitions) {
      chunk.repetitions().add(std::span<const std::uint8_t>(*places.repetitions));
    } else {
      chunk.repetitions().add(0, count);
    }
    if (places.definitions) {
      chunk.definitions().add(std::span<const std::uint8_t>(*places.definitions));
    } else {
      chunk.definitions().add(places.level, count);
    }
    return chunk;
  }

  void put_leaf(const IpcField& field, const ArrowArray& array, const Places& places) {
    ColumnChunk& chunk = put_levels(places);
    std::int64_t values =
        for_each_range(places, [&](Range range) { put_values(field, array, range, chunk); });
    chunk.count(places.count, places.count - values);
  }

  void put_indexed(const IpcField& field, const ArrowArray& array, const Places& places) {
    ColumnChunk& chunk = put_levels(places);
    std::int64_t values = for_each_range(places, [&](Range range) {
      for (std::int64_t i = 0; i < range.count; ++i) {
        std::int64_t at = index_at(field, array, array.offset + range.begin + i);
        if (at < 0 || at >= array.dictionary->length) fail(field, "has an index that is too large");
        put_texts(*field.dictionary, *array.dictionary, {at, 1}, chunk);
      }
    });
    chunk.count(places.count, places.count - values);
  }

  static std::int64_t index_at(const IpcField& field, const ArrowArray& array, std::int64_t at) {
    const void* indexes = array.buffers[1];
    switch (field.type.width) {
      case 1:
        return value_at<std::uint8_t>(indexes, at);
      case 2:
        return value_at<std::uint16_t>(indexes, at);
      case 4:
        return value_at<std::uint32_t>(indexes, at);
      default:
        return value_at<std::int64_t>(indexes, at);
    }
  }

  static std::size_t size_of(std::int64_t count) { return static_cast<std::size_t>(count); }

  static void put_values(const IpcField& field, const ArrowArray& array, Range range,
                         ColumnChunk& chunk) {
    switch (field.type.layout) {
      case IpcLayout::bits: {
        std::byte* to = chunk.extend(size_of(range.count));
        for (std::int64_t i = 0; i < range.count; ++i) {
          to[i] = std::byte{bit_at(array.buffers[1], array.offset + range.begin + i)};
        }
        return;
      }
      case IpcLayout::fixed:
        return put_fixed(field, array, range, chunk);
      default:
        return put_texts(field, array, range, chunk);
    }
  }

  static void put_texts(const IpcField& field, const ArrowArray& array, Range range,
                        ColumnChunk& chunk) {
    using arrow::IpcTypeNumber;
    IpcTypeNumber number = field.type.number;
    bool is_text = number == IpcTypeNumber::utf8 || number == IpcTypeNumber::large_utf8;
    bool is_large = field.type.layout == IpcLayout::large_bytes;
    const auto* data = static_cast<const std::byte*>(array.buffers[2]);
    for (std::int64_t i = 0; i < range.count; ++i) {
      std::int64_t index = range.begin + i;
      Range of = is_large ? range_at<std::int64_t>(field, array, index)
                          : range_at<std::int32_t>(field, array, index);
      ByteView bytes = of.count == 0 ? ByteView{} : ByteView(data + of.begin, size_of(of.count));
      if (is_text) {
        chunk.add_text(as_text(bytes));
      } else {
        chunk.add_bytes(bytes);
      }
    }
  }

  template <class From>
  static void widen(const ArrowArray& array, Range range, ColumnChunk& chunk) {
    std::byte* to = chunk.extend(size_of(range.count) * sizeof(std::int32_t));
    for (std::int64_t i = 0; i < range.count; ++i) {
      auto value = static_cast<std::int32_t>(
          value_at<From>(array.buffers[1], array.offset + range.begin + i));
      std::memcpy(to + i * 4, &value, sizeof value);
    }
  }

  static void put_fixed(const IpcField& field, const ArrowArray& array, Range range,
                        ColumnChunk& chunk) {
    using arrow::IpcTypeNumber;
    const std::int64_t width = field.type.width;
    bool is_integer = field.type.number == IpcTypeNumber::integer;
    if (is_integer && width < 4) {
      bool is_signed = std::get<bool>(field.type.parameters.at(1));
      if (width == 1) {
        return is_signed ? widen<std::int8_t>(array, range, chunk)
                         : widen<std::uint8_t>(array, range, chunk);
      }
      return is_signed ? widen<std::int16_t>(array, range, chunk)
                       : widen<std::uint16_t>(array, range, chunk);
    }
    if (width == 0) {  // bytes of no length
      for (std::int64_t i = 0; i < range.count; ++i) chunk.add_bytes({});
      return;
    }
    const auto* from =
        static_cast<const std::byte*>(array.buffers[1]) + (array.offset + range.begin) * width;
    std::size_t bytes = size_of(range.count * width);
    std::memcpy(chunk.extend(bytes), from, bytes);
  }

  std::span<ColumnChunk> chunks_;
  std::size_t next_ = 0;
};

}  // namespace

void shred(const arrow::IpcField& root, const ArrowArray& batch, std::int64_t begin,
           std::int64_t rows, std::span<ColumnChunk> chunks) {
  Shredder shredder(chunks);
  Places places{.count = rows, .first = batch.offset + begin};
  for (std::size_t i = 0; i < root.children.size(); ++i) {
    shredder.shred(root.children[i], *batch.children[i], places);
  }
}

}  // namespace kitbag::parquet
