#include "value/field_decoder.h"

#include <cstring>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/registry.h"
#include "kitbag/transcode.h"
#include "value/scalars.h"

// The codecs have readers that fill columns with single fields and pass over all else
// (arrow/row_reader.h). Here such a reader fills a column of one row, whose value is then taken
// out. It serves numbers, texts, times and lists of numbers, in payloads as they usually are.
// Everything else is decoded as a whole, and so is a payload that the reader does not understand:
// what is wrong with it is then said as everywhere.

namespace kitbag {

namespace {

template <class T>
T load(ByteView bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

Value::Content number(const Type& type, ByteView bytes) {
  switch (type.kind) {
    case Kind::enumeration: {  // signed, as a visitor gets it
      Value::Content base = number(builtin_type(type.base), bytes);
      const auto* value = std::get_if<std::uint64_t>(&base);
      return value ? Value::Content(static_cast<std::int64_t>(*value)) : base;
    }
    case Kind::int8:
      return std::int64_t{load<std::int8_t>(bytes)};
    case Kind::int16:
      return std::int64_t{load<std::int16_t>(bytes)};
    case Kind::int32:
      return std::int64_t{load<std::int32_t>(bytes)};
    case Kind::int64:
      return load<std::int64_t>(bytes);
    case Kind::uint16:
    case Kind::wide_char:
      return std::uint64_t{load<std::uint16_t>(bytes)};
    case Kind::uint32:
      return std::uint64_t{load<std::uint32_t>(bytes)};
    case Kind::uint64:
      return load<std::uint64_t>(bytes);
    case Kind::float32:
      return double{load<float>(bytes)};
    case Kind::float64:
      return load<double>(bytes);
    default:
      return std::uint64_t{load<std::uint8_t>(bytes)};
  }
}

/// Lists whose elements lie in a column as they do in PackedNumbers.
bool is_list_of_numbers(const Type& type) {
  return is_list(type.kind) && is_packable(*type.element) && type.element->kind != Kind::boolean;
}

const Field* field_named(const Type& type, std::string_view name) {
  for (const Field& field : type.fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

}  // namespace

FieldDecoder::FieldDecoder(const Channel& channel, std::string path, const Session& session,
                           std::shared_ptr<ValueReader> values)
    : path_(std::move(path)), steps_(steps_of(path_)), values_(std::move(values)) {
  TypePtr type = values_->type(channel);
  if (!type) return;
  leaf_ = bind(*type);
  const Codec* codec = find_codec(session.registry(), channel.encoding);
  if (leaf_ && codec && codec->row_reader) bind_column(*leaf_, *codec, type);
}

/// Follows the path. Null: where it leads depends on the message.
const Type* FieldDecoder::bind(const Type& type) {
  const Type* at = &type;
  bound_ = &target_;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const PathStep& step = steps_[i];
    if (at->kind == Kind::any || at->kind == Kind::tagged_union) return nullptr;
    if (step.name.empty()) {
      bool has_element =
          at->kind == Kind::sequence || (at->kind == Kind::array && step.index < at->length);
      if (!has_element) throw no_such(Value::of(*at), steps_, i + 1);
      bound_ = &bound_->elements[step.index];
      at = at->element;
    } else {
      const Field* field = is_compound(at->kind) ? field_named(*at, step.name) : nullptr;
      if (!field) throw no_such(Value::of(*at), steps_, i + 1);
      bound_ = &bound_->fields[field->index];
      at = field->type;
    }
  }
  return at;
}

void FieldDecoder::bind_column(const Type& leaf, const Codec& codec, const TypePtr& type) {
  bool is_single = is_scalar(leaf.kind) || is_text(leaf.kind) || leaf.role != Role::none;
  if (!is_single && !is_list_of_numbers(leaf)) return;
  column_type_ = arrow::column_type(leaf, "field");
  if (column_type_.layout == arrow::Layout::structure) return;
  column_.emplace(column_type_, std::make_shared<arrow::MemoryPool>(0), replaced_bytes_);
  bound_->columns.push_back(&*column_);
  if (!column_->children().empty()) {
    bound_->each = std::make_unique<arrow::Target>();
    bound_->each->columns.push_back(&column_->element());
  }
  reader_ = codec.row_reader(type, target_);
}

/// Nothing: there is no value, or a text that is not UTF-8.
std::optional<Value::Content> FieldDecoder::content() const {
  if (column_->length() != 1 || column_->has_nulls() || replaced_bytes_ > 0) return std::nullopt;
  ByteView bytes = column_->values();
  switch (column_type_.layout) {
    case arrow::Layout::bits:
      return (load<std::uint8_t>(bytes) & 1) != 0;
    case arrow::Layout::fixed:
      if (leaf_->role != Role::none) return load<std::int64_t>(bytes);
      return number(*leaf_, bytes);
    case arrow::Layout::text:
      return std::string(as_text(bytes));
    case arrow::Layout::binary:
    case arrow::Layout::fixed_binary:
      break;
    default:
      bytes = column_->element_values();
  }
  if (!is_list(leaf_->kind)) return std::nullopt;
  auto own = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  ByteView view(*own);
  return PackedNumbers{leaf_->element, view, std::move(own)};
}

Value FieldDecoder::read(const Message& message) {
  if (reader_) {
    column_->truncate(0);
    replaced_bytes_ = 0;
    bool is_read = reader_->read(message.data);
    auto value = is_read ? content() : std::nullopt;
    if (value) return {leaf_->role == Role::none ? *leaf_ : builtin_type(Kind::int64), *value};
  }
  return read_whole(message);
}

Value FieldDecoder::read_whole(const Message& message) {
  return values_->read(message).get(path_);
}

}  // namespace kitbag
