#include "value/scalars.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "kitbag/escape.h"
#include "kitbag/text.h"

// Where something does not fit, the error shows what it is, in a few words: texts are cut and
// control characters escaped, since both may come from a bag; a structure shows its type and a list
// its length. A name that is unknown comes with the nearest ones, as most of them are misspelt.

namespace kitbag {

namespace {

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(T value, std::vector<std::byte>& to) {
  std::size_t at = to.size();
  to.resize(at + sizeof value);
  std::memcpy(to.data() + at, &value, sizeof value);
}

std::string short_text(const std::string& text) {
  constexpr std::size_t kMost = 40;
  bool is_long = text.size() > kMost;
  return escaped(is_long ? text.substr(0, kMost) + "..." : text);
}

std::string fields_of(const Value& value) {
  std::string all;
  for (std::size_t i = 0; i < value.size() && i < 20; ++i) {
    all += fmt::format("{}{}", i == 0 ? "" : ", ", value.name(i));
  }
  return value.size() > 20 ? all + ", ..." : all;
}

}  // namespace

std::string what_is(const Value& value) {
  struct Words {
    const Value& value;

    std::string operator()(std::monostate) const { return "nothing"; }
    std::string operator()(bool yes) const { return yes ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(std::uint64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const {
      return fmt::format("\"{}\"", short_text(text));
    }
    std::string operator()(const std::shared_ptr<Value::Structure>&) const {
      const std::string& name = value.type().name;
      return name.empty() ? "a structure" : fmt::format("a structure ({})", short_text(name));
    }
    std::string operator()(const std::shared_ptr<Value::List>& list) const {
      return fmt::format("a list of {}", list->size());
    }
    std::string operator()(const PackedNumbers& numbers) const {
      return fmt::format("a list of {}", numbers.size());
    }
  };
  return std::visit(Words{value}, value.content());
}

Error unexpected(std::string_view what, const Value& value) {
  return {ErrorCode::invalid, fmt::format("expected {}, got {}", what, what_is(value))};
}

Error no_such(const Value& parent, const std::vector<PathStep>& steps, std::size_t count) {
  std::string path = path_of(steps, count);
  const PathStep& step = steps[count - 1];
  if (!step.name.empty() && parent.is_structure()) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < parent.size(); ++i) names.emplace_back(parent.name(i));
    auto nearest = nearest_texts(step.name, names, 3);
    return {ErrorCode::not_found,
            fmt::format("no field \"{}\"; {}", path,
                        nearest.empty() ? "fields: " + fields_of(parent)
                                        : fmt::format("similar: {}", fmt::join(nearest, ", ")))};
  }
  if (step.name.empty() && parent.is_list()) {
    return {ErrorCode::not_found,
            fmt::format("no element \"{}\"; the list has {}", path, parent.size())};
  }
  return {ErrorCode::not_found,
          fmt::format("no field \"{}\": {} is {}", path,
                      count > 1 ? path_of(steps, count - 1) : "the value", what_is(parent))};
}

std::optional<WholeNumber> integer_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.content())) {
    return WholeNumber{*number};
  }
  if (const auto* number = std::get_if<std::uint64_t>(&value.content())) {
    return WholeNumber{static_cast<std::int64_t>(*number), *number > INT64_MAX};
  }
  return std::nullopt;
}

std::optional<std::size_t> index_of(const Value& value, std::string_view name) {
  const auto* structure = std::get_if<std::shared_ptr<Value::Structure>>(&value.content());
  if (!structure) return std::nullopt;
  // A value without a type has its names itself; any other one has them in its type.
  const auto& names = (*structure)->names;
  if (!names.empty()) {
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::size_t>(found - names.begin());
  }
  const auto& fields = value.type().fields;
  auto found = std::find_if(fields.begin(), fields.end(),
                            [&](const Field& field) { return field.name == name; });
  if (found == fields.end()) return std::nullopt;
  return static_cast<std::size_t>(found - fields.begin());
}

Value packed_at(const PackedNumbers& numbers, std::size_t index) {
  const Type& type = *numbers.element;
  const std::byte* at = numbers.bytes.data() + index * type.flat_bytes;
  auto content = [&]() -> Value::Content {
    switch (type.kind == Kind::enumeration ? type.base : type.kind) {
      case Kind::boolean:
        return load<std::uint8_t>(at) != 0;
      case Kind::int8:
        return std::int64_t{load<std::int8_t>(at)};
      case Kind::int16:
        return std::int64_t{load<std::int16_t>(at)};
      case Kind::int32:
        return std::int64_t{load<std::int32_t>(at)};
      case Kind::int64:
        return load<std::int64_t>(at);
      case Kind::uint16:
      case Kind::wide_char:
        return std::uint64_t{load<std::uint16_t>(at)};
      case Kind::uint32:
        return std::uint64_t{load<std::uint32_t>(at)};
      case Kind::uint64:
        return load<std::uint64_t>(at);
      case Kind::float32:
        return double{load<float>(at)};
      case Kind::float64:
        return load<double>(at);
      default:
        return std::uint64_t{load<std::uint8_t>(at)};
    }
  };
  return {type, content()};
}

void append_packed(const Type& type, const Value& value, std::vector<std::byte>& to) {
  if (type.kind == Kind::boolean) return store(std::uint8_t{value.as<bool>()}, to);
  if (type.kind == Kind::float32) return store(value.as<float>(), to);
  if (type.kind == Kind::float64) return store(value.as<double>(), to);
  auto number = integer_of(value).value_or(WholeNumber{}).value;
  std::size_t at = to.size();
  to.resize(at + type.flat_bytes);
  std::memcpy(to.data() + at, &number, type.flat_bytes);  // little-endian: the low bytes
}

bool is_packable(const Type& element) {
  return is_scalar(element.kind) && element.flat_bytes > 0;
}

}  // namespace kitbag
