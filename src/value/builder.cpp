#include <algorithm>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/value.h"
#include "value/scalars.h"

// Between values and visitors: what a decoder gives becomes a value, and a value is given to an
// encoder.
//
// Lists of numbers stay bytes. Those within the payload are not copied: the value shares the
// payload's owner, so an image costs nothing, and a value that is kept for long keeps the chunk
// that it came in. Other bytes are copied, because a decoder may use its memory again for the next
// list.

namespace kitbag {

/// A structure or list that has begun and not ended.
struct ValueBuilder::Level {
  const Type* type;
  std::shared_ptr<Value::Structure> structure = nullptr;
  std::shared_ptr<Value::List> list = nullptr;
  std::optional<PackedNumbers> numbers = std::nullopt;
  std::shared_ptr<std::vector<std::byte>> own = nullptr;  ///< holds `numbers`
  std::size_t field = 0;                                  ///< that comes next
};

ValueBuilder::ValueBuilder() = default;
ValueBuilder::~ValueBuilder() = default;

void ValueBuilder::begin(ByteView payload, Owner owner) {
  levels_.clear();
  whole_ = Value();
  payload_ = payload;
  owner_ = std::move(owner);
}

Value ValueBuilder::end() {
  owner_ = nullptr;
  return std::exchange(whole_, Value());
}

void ValueBuilder::begin_struct(const Type& type) {
  auto structure = std::make_shared<Value::Structure>();
  structure->values.reserve(type.fields.size());
  for (const Field& field : type.fields) {
    structure->values.emplace_back(*field.type, Value::Content());
  }
  levels_.push_back({&type, std::move(structure)});
}

void ValueBuilder::field(const Field& field) {
  Level& level = levels_.back();
  level.field = field.index;
  if (level.type->kind != Kind::any) return;
  level.field = level.structure->values.size();
  level.structure->names.push_back(field.name);
  level.structure->values.emplace_back();
}

void ValueBuilder::end_struct() {
  Value value(*levels_.back().type, std::move(levels_.back().structure));
  levels_.pop_back();
  put(std::move(value));
}

void ValueBuilder::begin_array(const Type& type, std::size_t count) {
  constexpr std::size_t kMostReserved = 4096;  // the count is what a payload claims
  auto list = std::make_shared<Value::List>();
  bool is_packed = type.element && is_packable(*type.element);
  if (!is_packed) list->reserve(std::min(count, kMostReserved));
  levels_.push_back({&type, nullptr, std::move(list)});
}

void ValueBuilder::end_array() {
  Level level = std::move(levels_.back());
  levels_.pop_back();
  const Type& type = *level.type;
  if (level.numbers) return put(Value(type, *std::move(level.numbers)));
  Value value(type, std::move(level.list));
  // Numbers that came one by one are packed too, so that all lists of numbers are alike.
  put(type.element && is_packable(*type.element) ? fit(value, type) : std::move(value));
}

void ValueBuilder::packed(const Type& type, ByteView bytes) {
  bool is_list = !levels_.empty() && levels_.back().list && levels_.back().list->empty();
  if (!is_list || !is_packable(type)) return unpack(type, bytes, *this);
  bool is_in_payload = owner_ && !bytes.empty() && bytes.data() >= payload_.data() &&
                       bytes.data() + bytes.size() <= payload_.data() + payload_.size();
  if (is_in_payload && !levels_.back().numbers) {
    levels_.back().numbers = PackedNumbers{&type, bytes, owner_};
    return;
  }
  // A list may come in several calls: protobuf has lists that are not packed.
  auto& own = levels_.back().own;
  if (!own) own = std::make_shared<std::vector<std::byte>>();
  if (auto& given = levels_.back().numbers; given && given->owner != own) {
    own->assign(given->bytes.begin(), given->bytes.end());
  }
  own->insert(own->end(), bytes.begin(), bytes.end());
  levels_.back().numbers = PackedNumbers{&type, *own, own};
}

void ValueBuilder::put(Value value) {
  if (levels_.empty()) {
    whole_ = std::move(value);
  } else if (Level& level = levels_.back(); level.structure) {
    level.structure->values[level.field] = std::move(value);
  } else {
    level.list->push_back(std::move(value));
  }
}

namespace {

void visit_structure(const Value& value, const Value::Structure& structure, Visitor& visitor) {
  const Type& type = value.type();
  bool is_union = type.kind == Kind::tagged_union;
  visitor.begin_struct(type);
  for (std::size_t i = 0; i < structure.values.size(); ++i) {
    const Value& each = structure.values[i];
    if (is_union && i > 0 && each.is_nothing()) continue;  // not the branch that is present
    if (structure.names.empty()) {
      visitor.field(type.fields[i]);
      visit(each, visitor);
    } else {
      Field field;
      field.name = structure.names[i];
      field.type = &builtin_type(Kind::any);
      visitor.field(field);
      visit(each, visitor);
    }
  }
  visitor.end_struct();
}

}  // namespace

void visit(const Value& value, Visitor& visitor) {
  const Type& type = value.type();
  struct Give {
    const Value& value;
    const Type& type;
    Visitor& visitor;

    void operator()(std::monostate) const { visitor.nothing(type); }
    void operator()(bool yes) const { visitor.boolean(type, yes); }
    void operator()(std::int64_t number) const { visitor.integer(type, number); }
    void operator()(std::uint64_t number) const { visitor.unsigned_integer(type, number); }
    void operator()(double number) const { visitor.real(type, number); }
    void operator()(const std::string& text) const { visitor.text(type, text); }
    void operator()(const std::shared_ptr<Value::Structure>& structure) const {
      visit_structure(value, *structure, visitor);
    }
    void operator()(const std::shared_ptr<Value::List>& list) const {
      visitor.begin_array(type, list->size());
      for (const Value& each : *list) visit(each, visitor);
      visitor.end_array();
    }
    void operator()(const PackedNumbers& numbers) const {
      visitor.begin_array(type, numbers.size());
      visitor.packed(*numbers.element, numbers.bytes);
      visitor.end_array();
    }
  };
  std::visit(Give{value, type, visitor}, value.content());
}

}  // namespace kitbag
