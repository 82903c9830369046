#include "codec/protobuf/row_reader.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/little_endian.h"
#include "base/protobuf_wire.h"
#include "codec/keyed/row_value.h"
#include "codec/protobuf/field_numbers.h"
#include "codec/protobuf/wire.h"
#include "kitbag/error.h"
#include "model/type/value_budget.h"

// Reads some fields without visiting the others. Fields may come in any order and more than once,
// so a pass over the tags of a message notes where the wanted ones are, and they go into the
// columns after it. A nested message that nobody wants is skipped by its size, and so damage in it
// is not noticed. Messages that come in pieces are left to the decoder, which joins them.
//
//     spans_    for each wanted field of the messages that are open: its first and last occurrence
//     found_    the occurrences in the order of the payload, each with the next one of its field
//
// Both are stacks: a message takes off what it has put on. So they keep their memory from payload
// to payload.

namespace kitbag::protobuf {

namespace {

using arrow::Column;
using keyed::RowValue;

class RowReader final : public arrow::RowReader {
 public:
  RowReader(TypePtr type, std::unique_ptr<RowValue> root)
      : type_(std::move(type)), root_(std::move(root)) {}

  /// False: the values take the decoder.
  bool compile() { return add(*root_); }

  bool read(ByteView payload) override {
    if (found_.capacity() > kMostKept) std::vector<Found>().swap(found_);
    found_.clear();
    spans_.clear();
    budget_ = ValueBudget(payload.size());
    return message(*root_, payload.data(), payload.data() + payload.size());
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  /// A list that is not packed takes more room here than in its payload; it is not kept.
  static constexpr std::size_t kMostKept = 1 << 16;

  struct MessageTable {
    std::vector<FieldPlan> plans;  ///< beside RowValue::fields
    FieldNumbers numbers;          ///< of all fields of the type; kNone: not wanted
  };
  /// An occurrence of a wanted field.
  struct Found {
    const std::byte* begin;  ///< of its content
    const std::byte* end;
    WireType type;
    std::uint32_t next;  ///< occurrence of the same field
  };
  /// The occurrences of a field, in `found_`.
  struct Span {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  bool add(const RowValue& value) {
    if (tables_.size() <= value.id) tables_.resize(value.id + 1);
    for (const Field& field : value.type->fields) tables_[value.id].numbers.set(field.id, kNone);
    std::vector<FieldPlan> plans;
    for (const RowValue& part : value.fields) {
      FieldPlan plan = plan_of(*part.field);
      if (!is_usual(plan)) return false;
      plans.push_back(plan);
      if (!add(part)) return false;
    }
    // Of fields with the same number, the last one has it, wanted or not.
    for (const Field& field : value.type->fields) {
      auto part = std::find_if(value.fields.begin(), value.fields.end(),
                               [&](const RowValue& one) { return one.field == &field; });
      auto index = static_cast<std::uint32_t>(part - value.fields.begin());
      tables_[value.id].numbers.set(field.id, part == value.fields.end() ? kNone : index);
    }
    tables_[value.id].plans = std::move(plans);
    if (value.each && !add(*value.each)) return false;
    return std::all_of(value.elements.begin(), value.elements.end(),
                       [&](const auto& element) { return add(element.second); });
  }

  static bool is_usual(const FieldPlan& plan) {
    const Type& type = *plan.element;
    if (plan.is_repeated && is_byte(type.kind)) return false;
    if (type.kind == Kind::float32) return plan.wire == Wire::fixed32;
    if (type.kind == Kind::float64) return plan.wire == Wire::fixed64;
    bool is_fixed = plan.wire == Wire::fixed32 || plan.wire == Wire::fixed64;
    return type.kind != Kind::enumeration || !is_fixed;
  }

  /// Notes where the wanted fields are, in the spans from `base` on.
  bool find(const MessageTable& table, std::size_t base, const std::byte* at,
            const std::byte* end) {
    while (at < end) {
      std::uint64_t tag = 0;
      if (!load_varint(at, end, tag)) return false;
      std::uint64_t number = tag >> 3;
      if (number == 0 || number > UINT32_MAX >> 3) return false;
      const std::byte* begin = at;
      if (!skip_value(at, end, tag, 0)) return false;
      std::uint32_t index = table.numbers.find(static_cast<std::uint32_t>(number));
      if (index == kNone) continue;
      const FieldPlan& plan = table.plans[index];
      auto type = static_cast<WireType>(tag & 7);
      bool is_packed = plan.is_repeated && type == kSized && is_packable(plan.wire);
      if (type != wire_type(plan.wire) && !is_packed) continue;
      const std::byte* last = at;
      std::uint64_t size = 0;
      if (type == kSized) load_varint(begin, end, size);
      if (type == kBeginGroup) {  // without the tag of its end
        do {
          --last;
        } while (last > begin && (std::to_integer<unsigned>(last[-1]) & 0x80) != 0);
      }
      Span& span = spans_[base + index];
      auto here = static_cast<std::uint32_t>(found_.size());
      (span.first == kNone ? span.first : found_[span.last].next) = here;
      span.last = here;
      found_.push_back({begin, last, type, kNone});
    }
    return true;
  }

  bool message(RowValue& value, const std::byte* at, const std::byte* end) {
    const MessageTable& table = tables_[value.id];
    std::size_t base = spans_.size();
    std::size_t found = found_.size();
    if (!budget_.try_charge(value.fields.size())) return false;
    spans_.resize(base + value.fields.size());
    if (!find(table, base, at, end)) return false;
    value.begin_struct();
    for (std::size_t i = 0; i < value.fields.size(); ++i) {
      if (!field(table.plans[i], value.fields[i], spans_[base + i])) return false;
    }
    spans_.resize(base);
    found_.resize(found);
    return value.end_struct();
  }

  bool field(const FieldPlan& plan, RowValue& value, Span span) {
    if (plan.is_repeated) return list(plan, value, span);
    bool has_no_default = plan.wire == Wire::bytes && value.type->kind == Kind::array;
    if (span.first == kNone) return !has_no_default && value.add_default();
    bool is_message = plan.wire == Wire::message;
    if (is_message && span.first != span.last) return false;
    return single(plan, value, found_[span.last]);
  }

  bool list(const FieldPlan& plan, RowValue& value, Span span) {
    value.begin_list();
    std::uint64_t count = 0;
    for (std::uint32_t at = span.first; at != kNone; at = found_[at].next) {
      Found found = found_[at];
      bool is_packed = found.type == kSized && is_packable(plan.wire);
      bool is_read = is_packed ? packed(plan, value, found, count)
                               : value.element(count++, [&](RowValue& element) {
                                   return single(plan, element, found);
                                 });
      if (!is_read) return false;
    }
    return value.end_list(count);
  }

  bool packed(const FieldPlan& plan, RowValue& value, const Found& found, std::uint64_t& count) {
    bool is_copy = is_flat(plan) && value.each && value.each->is_alike && value.elements.empty();
    if (is_copy) {
      std::size_t width = plan.wire == Wire::fixed32 ? 4 : 8;
      auto size = static_cast<std::size_t>(found.end - found.begin);
      if (size % width != 0) return false;
      for (Column* column : value.each->columns) column->add_packed({found.begin, size});
      count += size / width;
      return true;
    }
    for (const std::byte* at = found.begin; at < found.end;) {
      std::uint64_t bits = 0;
      if (!scalar(plan, at, found.end, bits)) return false;
      bool is_added =
          value.element(count++, [&](RowValue& one) { return number(plan, one, bits); });
      if (!is_added) return false;
    }
    return true;
  }

  bool single(const FieldPlan& plan, RowValue& value, const Found& found) {
    switch (plan.wire) {
      case Wire::message:
      case Wire::group:
        return message(value, found.begin, found.end);
      case Wire::text:
        value.add_text(as_text({found.begin, found.end}));
        return true;
      case Wire::bytes:
        return value.add_bytes({found.begin, found.end});
      default: {
        const std::byte* at = found.begin;
        std::uint64_t bits = 0;
        return scalar(plan, at, found.end, bits) && number(plan, value, bits);
      }
    }
  }

  static bool scalar(const FieldPlan& plan, const std::byte*& at, const std::byte* end,
                     std::uint64_t& bits) {
    if (plan.wire == Wire::varint || plan.wire == Wire::zigzag) return load_varint(at, end, bits);
    std::ptrdiff_t size = plan.wire == Wire::fixed32 ? 4 : 8;
    if (end - at < size) return false;
    bits = size == 4 ? load_le<std::uint32_t>(at) : load_le<std::uint64_t>(at);
    at += size;
    return true;
  }

  static bool number(const FieldPlan& plan, RowValue& value, std::uint64_t bits) {
    if (plan.wire == Wire::zigzag) bits = (bits >> 1) ^ (~(bits & 1) + 1);
    auto number = static_cast<std::int64_t>(bits);
    switch (value.type->kind) {
      case Kind::boolean:
        return value.add_boolean(bits != 0);
      case Kind::float32: {
        auto narrow = static_cast<std::uint32_t>(bits);
        if (!value.is_alike)
          return value.add_real(static_cast<double>(std::bit_cast<float>(narrow)));
        for (Column* column : value.columns) column->add(narrow);
        return true;
      }
      case Kind::float64:
        if (!value.is_alike) return value.add_real(std::bit_cast<double>(bits));
        for (Column* column : value.columns) column->add(bits);
        return true;
      case Kind::enumeration:
      case Kind::int32:
        return value.add_integer(static_cast<std::int32_t>(bits));
      case Kind::int64:
        return value.add_integer(number);
      case Kind::int8:
        return number >= INT8_MIN && number <= INT8_MAX && value.add_integer(number);
      case Kind::int16:
        return number >= INT16_MIN && number <= INT16_MAX && value.add_integer(number);
      case Kind::uint32:
        return value.add_unsigned(static_cast<std::uint32_t>(bits));
      case Kind::uint64:
        return value.add_unsigned(bits);
      case Kind::uint16:
      case Kind::wide_char:
        return bits <= UINT16_MAX && value.add_unsigned(bits);
      default:
        return bits <= UINT8_MAX && value.add_unsigned(bits);
    }
  }

  TypePtr type_;
  std::unique_ptr<RowValue> root_;
  std::vector<MessageTable> tables_;  ///< by RowValue::id
  std::vector<Found> found_;          ///< of the messages that are open
  std::vector<Span> spans_;           ///< likewise, one for each wanted field
  ValueBudget budget_{0};
};

}  // namespace

std::unique_ptr<arrow::RowReader> make_row_reader(const TypePtr& type,
                                                  const arrow::Target& target) {
  try {
    require_protobuf(*type);
  } catch (const Error&) {
    return nullptr;
  }
  auto root = keyed::compile_row(*type, target);
  if (!root) return nullptr;
  auto reader = std::make_unique<RowReader>(type, std::move(root));
  if (!reader->compile()) return nullptr;
  return reader;
}

}  // namespace kitbag::protobuf
