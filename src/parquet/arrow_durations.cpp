#include "parquet/arrow_durations.h"

#include <algorithm>
#include <optional>
#include <string>

#include "arrow/ipc_field.h"
#include "base/little_endian.h"
#include "kitbag/base64.h"
#include "kitbag/bytes.h"

// Of what writers with Arrow put beside Parquet's schema, durations alone change a value: they are
// plain integers otherwise, of which nobody knows whether they are seconds or nanoseconds. Zones of
// timestamps are names for the same instants, dictionaries and large lists another layout of the
// same values.
//
// The schema is a message of Arrow's IPC format, which is a FlatBuffer: tables that point to their
// values. Its columns lie in the order of Parquet's, so both are walked together, which also bounds
// the depth.

namespace kitbag::parquet {

namespace {

using arrow::ColumnType;
using arrow::IpcTypeNumber;

/// Something is not where the schema says.
struct Damaged {};

/// A place in a FlatBuffer.
class Flat {
 public:
  explicit Flat(ByteView bytes) : bytes_(bytes) {}

  /// The table that the buffer is.
  static Flat root(ByteView bytes) { return Flat(bytes).pointed(); }

  template <std::integral T>
  T value() const {
    if (at_ > bytes_.size() || bytes_.size() - at_ < sizeof(T)) throw Damaged();
    return load_le<T>(bytes_.data() + at_);
  }
  /// What an offset here leads to.
  Flat pointed() const { return moved(value<std::uint32_t>()); }

  /// The place of a field of the table that begins here; nothing: it has its default.
  std::optional<Flat> field(std::size_t index) const {
    Flat layout = *this;
    layout.at_ = at_ - static_cast<std::size_t>(std::int64_t{value<std::int32_t>()});
    std::size_t entry = 4 + 2 * index;
    if (entry + 2 > layout.value<std::uint16_t>()) return std::nullopt;
    auto offset = layout.moved(entry).value<std::uint16_t>();
    if (offset == 0) return std::nullopt;
    return moved(offset);
  }
  /// The number of elements of the list that begins here.
  std::size_t count() const { return value<std::uint32_t>(); }
  /// An element of a list of tables.
  Flat element(std::size_t index) const { return moved(4 + 4 * index).pointed(); }

 private:
  Flat moved(std::size_t offset) const {
    Flat other = *this;
    other.at_ += offset;
    if (other.at_ < at_ || other.at_ > bytes_.size()) throw Damaged();
    return other;
  }

  ByteView bytes_;
  std::size_t at_ = 0;
};

// Indexes of fields, and values of enumerations, in Message.fbs and Schema.fbs.
constexpr std::size_t kHeaderType = 1;
constexpr std::size_t kHeader = 2;
constexpr std::uint8_t kSchema = 1;
constexpr std::size_t kFields = 1;
constexpr std::size_t kTypeType = 2;
constexpr std::size_t kType = 3;
constexpr std::size_t kChildren = 5;
constexpr std::size_t kUnit = 0;
constexpr std::int16_t kMilliseconds = 1;

void take_field(const Flat& field, ColumnType& column);

void take_fields(const std::optional<Flat>& list, ColumnType& parent) {
  if (!list) return;
  Flat fields = list->pointed();
  if (fields.count() != parent.children.size()) return;
  for (std::size_t i = 0; i < parent.children.size(); ++i) {
    take_field(fields.element(i), parent.children[i]);
  }
}

void take_field(const Flat& field, ColumnType& column) {
  auto number = field.field(kTypeType);
  bool is_duration =
      number && number->value<std::uint8_t>() == static_cast<std::uint8_t>(IpcTypeNumber::duration);
  if (!is_duration) return take_fields(field.field(kChildren), column);
  if (column.format != "l") return;
  auto type = field.field(kType);
  if (!type) throw Damaged();
  auto unit = type->pointed().field(kUnit);
  std::int16_t of = unit ? unit->value<std::int16_t>() : kMilliseconds;
  if (of < 0 || of > 3) throw Damaged();
  column.format = std::string("tD") + "smun"[of];
}

}  // namespace

void take_arrow_durations(std::string_view base64, ColumnType& table) {
  constexpr std::int32_t kContinues = -1;
  auto bytes = decode_base64(base64);
  if (!bytes) return;
  ByteView message(*bytes);
  // A length in front, and in newer files a mark in front of it.
  for (int i = 0; i < 2 && message.size() >= 8; ++i) {
    bool is_mark = load_le<std::int32_t>(message.data()) == kContinues;
    message = message.subspan(sizeof(std::int32_t));
    if (!is_mark) break;
  }
  ColumnType changed = table;
  try {
    Flat root = Flat::root(message);
    auto kind = root.field(kHeaderType);
    auto header = root.field(kHeader);
    if (!kind || kind->value<std::uint8_t>() != kSchema || !header) return;
    take_fields(header->pointed().field(kFields), changed);
  } catch (const Damaged&) {
    return;
  }
  table = std::move(changed);
}

}  // namespace kitbag::parquet
