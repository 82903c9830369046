#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arrow/target.h"
#include "kitbag/bytes.h"
#include "kitbag/type.h"

namespace kitbag::positional {

/// What encodings that identify fields by their position differ in.
struct Rules {
  std::size_t most_alignment = 1;  ///< numbers begin at a multiple of their size, up to this one
  bool has_nul = false;            ///< texts may end with a NUL, which their length counts
  bool has_wide_text = false;      ///< wide texts are not UTF-8
  bool has_delimiters = false;     ///< XCDR2: sizes before appendable structures and most lists
  /// With `has_delimiters`: the outermost structure, if it is appendable, has a size as well, and
  /// with it all others.
  bool is_delimited = false;
  bool has_empty_byte = false;  ///< a structure without fields takes one byte

  bool operator==(const Rules&) const = default;
};

/// How deep lists and structures may be nested.
inline constexpr std::size_t kMostDepth = 2 * kMaxTypeDepth;

/// What the integers have that a time or an enumeration consists of, beside their size.
inline constexpr std::uint32_t kSecondsSigned = 1;
inline constexpr std::uint32_t kNanosecondsSigned = 2;
inline constexpr std::uint32_t kSigned = 0x100;

/// The steps that read the wanted fields of a payload, and pass over the others.
class RowProgram {
 public:
  /// Returns nothing if something that stands before the last wanted field, or that field itself,
  /// takes more than steps by position: unions, members by id, values to be converted.
  static std::optional<RowProgram> compile(const Type& type, const arrow::Target& target,
                                           const Rules& rules);

  /// Adds a row. Alignment is counted from the beginning of `payload`. Returns false if that is not
  /// as expected; some columns may have got a value by then.
  bool run(ByteView payload, bool is_big_endian) const;

 private:
  friend class Compiler;
  friend class StepList;

  enum class Op : std::uint8_t {
    block,  ///< the next `a` bytes, in which loads have offsets
    load_1,
    load_2,
    load_4,
    load_8,         ///< a number at offset `a` of the block, into `column`
    load_bit,       ///< a boolean at offset `a`
    load_time,      ///< seconds and nanoseconds at offset `a`; `b` 1: the seconds have a sign
    check_value,    ///< the number of `b` bytes at offset `a` is in the table `index`
    align,          ///< to a multiple of `a`
    read_text,      ///< a length, and the value
    put_text,       ///< the value, into `column`
    read_count,     ///< the number of elements, which take at least `a` bytes each
    set_count,      ///< `a` elements
    begin_list,     ///< that many, of `column`
    take_elements,  ///< of `b` bytes each, the first aligned to `a`: the value
    put_packed,     ///< the value, numbers of `a` bytes each, into `column`
    put_bytes,      ///< the value, into `column`
    element,        ///< element `a` of the value, of `b` bytes, is the block; else jumps to `index`
    loop,           ///< for each element; if there are none, jumps to `index`
    next,           ///< the next element, at step `index`
    enter,          ///< a size, and that many bytes, until `leave`
    leave,          ///< goes on behind them
    skip_delimited,  ///< a size, and that many bytes
    optional,        ///< a byte; if it is 0, jumps to `index`
    jump,            ///< to step `index`
    add_parent,      ///< of `column`
    add_null,        ///< of `column`
    add_nulls,       ///< to all columns of `target`
  };
  struct Step {
    Op op;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t index = 0;
    arrow::Column* column = nullptr;
    const arrow::Target* target = nullptr;
  };

  template <bool kSwap>
  bool run(ByteView payload) const;

  std::vector<Step> steps_;
  std::vector<std::vector<std::int64_t>> values_;  ///< of enumerations, sorted
  Rules rules_;
};

}  // namespace kitbag::positional
