#include <utility>

#include "capi/handles.h"
#include "capi/numbers.h"

// A path is looked up for each call; a program that reads many values of one message takes the
// whole structure with kitbag_visit(), or a list with kitbag_get_numbers().
//
// C wants pointers that stay valid, while Value gives parts by value. So each handle keeps the part
// that was asked for last (`last`): text and numbers point into it until the next call with the
// handle. This makes reading a change of the handle; two threads need a handle each.

using kitbag::Error;
using kitbag::ErrorCode;
using kitbag::Type;
using kitbag::Value;

namespace kitbag::c {

namespace {

kitbag_kind kind_of(const Value& value) {
  if (value.is_nothing()) return KITBAG_NOTHING;
  if (value.is_structure()) return KITBAG_STRUCTURE;
  if (value.is_list()) return KITBAG_LIST;
  if (kitbag_kind kind = number_kind(value.type()); kind != KITBAG_NOTHING) return kind;
  if (std::holds_alternative<std::string>(value.content())) return KITBAG_TEXT;
  if (std::holds_alternative<bool>(value.content())) return KITBAG_BOOL;
  if (std::holds_alternative<double>(value.content())) return KITBAG_FLOAT64;
  return std::holds_alternative<std::int64_t>(value.content()) ? KITBAG_INT64 : KITBAG_UINT64;
}

/// Gives what is at the path to `action`; the value stays in the handle, so that pointers into it
/// are valid for a while.
template <class Action>
kitbag_code get(const kitbag_value* value, const char* path, kitbag_error** error,
                const Action& action) {
  return call(error, [&] {
    const kitbag_value& from = require(value, "value");
    from.last = from.value.get(text_of(path));
    try {
      action(std::as_const(from.last));
    } catch (const Error& failure) {
      if (!path || !*path) throw;
      throw Error(failure.code(), std::string(path) + ": " + failure.message());
    }
  });
}

kitbag_code set(kitbag_value* value, const char* path, kitbag_error** error, const Value& to) {
  return call(error, [&] { require(value, "value").value.set(text_of(path), to); });
}

}  // namespace

}  // namespace kitbag::c

using kitbag::c::call;
using kitbag::c::get;
using kitbag::c::require;
using kitbag::c::set;

void kitbag_value_free(kitbag_value* value) {
  delete value;
}

kitbag_code kitbag_value_copy(const kitbag_value* value, kitbag_value** copy,
                              kitbag_error** error) {
  return call(error, [&] {
    require(copy, "copy") = new kitbag_value(require(value, "value").value, value->keep);
  });
}

kitbag_code kitbag_get_kind(const kitbag_value* value, const char* path, kitbag_kind* kind,
                            kitbag_error** error) {
  return get(value, path, error,
             [&](const Value& at) { require(kind, "kind") = kitbag::c::kind_of(at); });
}

kitbag_code kitbag_get_bool(const kitbag_value* value, const char* path, bool* out,
                            kitbag_error** error) {
  return get(value, path, error, [&](const Value& at) { require(out, "out") = at.as<bool>(); });
}

kitbag_code kitbag_get_int64(const kitbag_value* value, const char* path, int64_t* out,
                             kitbag_error** error) {
  return get(value, path, error,
             [&](const Value& at) { require(out, "out") = at.as<std::int64_t>(); });
}

kitbag_code kitbag_get_uint64(const kitbag_value* value, const char* path, uint64_t* out,
                              kitbag_error** error) {
  return get(value, path, error,
             [&](const Value& at) { require(out, "out") = at.as<std::uint64_t>(); });
}

kitbag_code kitbag_get_double(const kitbag_value* value, const char* path, double* out,
                              kitbag_error** error) {
  return get(value, path, error, [&](const Value& at) { require(out, "out") = at.as<double>(); });
}

kitbag_code kitbag_get_time(const kitbag_value* value, const char* path, int64_t* out,
                            kitbag_error** error) {
  return get(value, path, error, [&](const Value& at) { require(out, "out") = at.nanoseconds(); });
}

kitbag_code kitbag_get_text(const kitbag_value* value, const char* path, const char** text,
                            uint64_t* size, kitbag_error** error) {
  return get(value, path, error, [&](const Value& at) {
    const auto* found = std::get_if<std::string>(&at.content());
    if (!found) at.as<std::string>();  // says what it is instead
    require(text, "text") = found->c_str();
    if (size) *size = found->size();
  });
}

kitbag_code kitbag_get_size(const kitbag_value* value, const char* path, uint64_t* size,
                            kitbag_error** error) {
  return get(value, path, error, [&](const Value& at) {
    if (!at.is_list() && !at.is_structure()) {
      throw Error(ErrorCode::invalid, "neither a list nor a structure");
    }
    require(size, "size") = at.size();
  });
}

kitbag_code kitbag_get_name(const kitbag_value* value, const char* path, uint64_t index,
                            const char** name, kitbag_error** error) {
  return get(value, path, error, [&](const Value& at) {
    // Names end with a zero byte: they are strings of the type or of the value.
    require(name, "name") = at.name(static_cast<std::size_t>(index)).data();
  });
}

kitbag_code kitbag_get_numbers(const kitbag_value* value, const char* path, kitbag_kind* kind,
                               const void** data, uint64_t* count, kitbag_error** error) {
  return get(value, path, error, [&](const Value& at) {
    // A list of which single elements were set is packed again.
    bool is_loose = std::holds_alternative<std::shared_ptr<Value::List>>(at.content());
    if (is_loose && at.type().element) value->last = kitbag::fit(at, at.type());
    kitbag::PackedNumbers numbers = value->last.numbers();
    require(kind, "kind") = kitbag::c::number_kind(*numbers.element);
    require(data, "data") = numbers.bytes.data();
    require(count, "count") = numbers.size();
  });
}

kitbag_code kitbag_set_bool(kitbag_value* value, const char* path, bool to, kitbag_error** error) {
  return set(value, path, error, to);
}

kitbag_code kitbag_set_int64(kitbag_value* value, const char* path, int64_t to,
                             kitbag_error** error) {
  return set(value, path, error, to);
}

kitbag_code kitbag_set_uint64(kitbag_value* value, const char* path, uint64_t to,
                              kitbag_error** error) {
  return set(value, path, error, to);
}

kitbag_code kitbag_set_double(kitbag_value* value, const char* path, double to,
                              kitbag_error** error) {
  return set(value, path, error, to);
}

kitbag_code kitbag_set_text(kitbag_value* value, const char* path, const char* text, uint64_t size,
                            kitbag_error** error) {
  return call(error, [&] {
    if (size > 0) require(text, "text");
    std::string_view all(size > 0 ? text : "", static_cast<std::size_t>(size));
    require(value, "value").value.set(kitbag::c::text_of(path), all);
  });
}

kitbag_code kitbag_set_numbers(kitbag_value* value, const char* path, kitbag_kind kind,
                               const void* data, uint64_t count, kitbag_error** error) {
  return call(error, [&] {
    const Type& type = kitbag::c::type_of_numbers(kind);
    if (count > 0) require(static_cast<const std::byte*>(data), "data");
    if (count > SIZE_MAX / type.flat_bytes) {
      throw Error(ErrorCode::invalid, "there cannot be so many numbers");
    }
    const auto* bytes = static_cast<const std::byte*>(data);
    auto kept = std::make_shared<std::vector<std::byte>>(bytes, bytes + count * type.flat_bytes);
    kitbag::ByteView view(*kept);
    kitbag::PackedNumbers numbers{&type, view, std::move(kept)};
    require(value, "value").value.set(kitbag::c::text_of(path), numbers);
  });
}

kitbag_code kitbag_resize(kitbag_value* value, const char* path, uint64_t size,
                          kitbag_error** error) {
  return call(error, [&] {
    require(value, "value").value.resize(kitbag::c::text_of(path), static_cast<std::size_t>(size));
  });
}
