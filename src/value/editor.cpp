#include "value/editor.h"

#include <fmt/format.h>

#include <utility>

#include "kitbag/error.h"
#include "value/fit.h"
#include "value/scalars.h"

// A value is changed from the top down: each level that other values share is copied before it is
// changed, so that they keep what they have. Packed numbers become a list of values when a single
// one is set; fit() packs them again when the message is written.

namespace kitbag {

Value::Structure& ValueEditor::own_structure(Value& value) {
  auto& structure = std::get<std::shared_ptr<Value::Structure>>(value.content_);
  if (structure.use_count() > 1) structure = std::make_shared<Value::Structure>(*structure);
  return *structure;
}

Value::List& ValueEditor::own_list(Value& value) {
  if (std::holds_alternative<PackedNumbers>(value.content_)) {
    auto list = std::make_shared<Value::List>();
    list->reserve(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) list->push_back(value.at(i));
    value.content_ = std::move(list);
  }
  auto& list = std::get<std::shared_ptr<Value::List>>(value.content_);
  if (list.use_count() > 1) list = std::make_shared<Value::List>(*list);
  return *list;
}

Value& ValueEditor::field_of(Value& value, std::size_t done) const {
  const PathStep& step = steps_[done];
  bool is_typed = value.type_->kind != Kind::any;
  if (value.is_nothing()) {
    if (is_typed) {
      value = Value::of(value.type());  // an optional structure that is there from now on
    } else {
      value = Value::structure();
    }
  }
  auto index = index_of(value, step.name);
  if (!index && (is_typed || !value.is_structure())) throw no_such(value, steps_, done + 1);
  Value::Structure& structure = own_structure(value);
  if (!index) {
    structure.names.emplace_back(step.name);
    structure.values.emplace_back();
    return structure.values.back();
  }
  if (value.type_->kind == Kind::tagged_union && *index > 0) {
    const Field& field = value.type_->fields[*index];
    const Field* present =
        find_branch(*value.type_,
                    structure.values[0].is_nothing() ? 0 : structure.values[0].as<std::int64_t>());
    if (present != &field) {
      if (field.labels.empty()) {
        throw Error(ErrorCode::invalid,
                    fmt::format("\"{}\" is the branch of no value; set \"{}\" first", field.name,
                                value.type_->fields[0].name));
      }
      // Setting a field of another branch selects it, and the branch that was there is gone.
      for (Value& each : structure.values) each = Value(each.type(), {});
      structure.values[0] = fit(field.labels.front(), *value.type_->fields[0].type);
    }
  }
  return structure.values[*index];
}

Value& ValueEditor::element_of(Value& value, std::size_t done) const {
  const PathStep& step = steps_[done];
  if (!value.is_list() || step.index >= value.size()) throw no_such(value, steps_, done + 1);
  return own_list(value)[step.index];
}

template <class Change>
void ValueEditor::descend(Value& value, std::size_t done, const Change& change, bool is_optional) {
  if (done == steps_.size()) return change(value, is_optional);
  Value& next = steps_[done].name.empty() ? element_of(value, done) : field_of(value, done);
  // A field that is not there yet has the type of its place.
  bool is_typed_field = !steps_[done].name.empty() && value.type_->kind != Kind::any;
  const Field* field =
      is_typed_field ? &value.type_->fields[*index_of(value, steps_[done].name)] : nullptr;
  if (field && next.is_nothing()) next.type_ = field->type;
  descend(next, done + 1, change, field && field->is_optional);
}

void ValueEditor::set(Value& root, const Value& value) {
  auto change = [&](Value& at, bool is_optional) {
    bool is_free = at.type_->kind == Kind::any;
    if (is_optional && value.is_nothing()) {
      at = Value(*at.type_, {});
      return;
    }
    try {
      at = is_free ? value : fit(value, *at.type_);
    } catch (const Error& error) {
      if (steps_.empty()) throw;
      throw Error(error.code(), under(path_of(steps_, steps_.size()), error.message()));
    }
  };
  descend(root, 0, change, false);
}

void ValueEditor::resize(Value& root, std::size_t size) {
  auto change = [&](Value& at, bool) {
    bool is_fixed = at.type_->kind == Kind::array && size != at.type_->length;
    bool is_beyond =
        at.type_->kind == Kind::sequence && at.type_->length > 0 && size > at.type_->length;
    if (!at.is_list() || is_fixed || is_beyond) {
      throw Error(ErrorCode::invalid,
                  fmt::format("{}: {} cannot have {} elements", path_of(steps_, steps_.size()),
                              is_list(at.type_->kind) ? type_name(*at.type_) : what_is(at), size));
    }
    Value fill = at.type_->element ? Value::of(*at.type_->element) : Value();
    // New elements are what the type has as its default; of a list without a type, they are
    // nothing.
    own_list(at).resize(size, fill);
  };
  descend(root, 0, change, false);
}

}  // namespace kitbag
