#include "language/protobuf/adapt.h"

#include <fmt/format.h>

#include <vector>

#include "kitbag/error.h"
#include "model/type/type_adapter.h"

// Fields are numbered in the order of the type. The numbers are no promise to other versions of the
// type, as they are in a .proto file that people maintain: the descriptor in the bag says which
// they are.

namespace kitbag::protobuf {

namespace {

class Adapter final : public TypeAdapter {
 public:
  Adapter() : TypeAdapter("protobuf") {}

 private:
  const Type& list(const Type& type) override {
    if (!is_list(type.element->kind)) return TypeAdapter::list(type);
    throw Error(ErrorCode::unsupported,
                fmt::format("{} does not support lists of lists: {}", world(), type_name(type)));
  }

  const Type& make_time(Role role) override {
    bool is_time = role == Role::time;
    Type& made = builder().add(Kind::structure,
                               is_time ? "google.protobuf.Timestamp" : "google.protobuf.Duration");
    made.role = role;
    made.fields = {
        {.name = "seconds", .type = &builtin_type(Kind::int64), .id = 1, .word = "int64"},
        {.name = "nanos", .type = &builtin_type(Kind::int32), .id = 2, .word = "int32"}};
    return made;
  }

  /// "std_msgs/msg/String" and "std_msgs/String" as "std_msgs.String".
  std::string name_of(const std::string& name) const override {
    auto parts = name_parts(name);
    if (parts.size() == 1) parts.insert(parts.begin(), "unknown");
    if (parts.size() == 3 && is_interface_folder(parts[1])) parts.erase(parts.begin() + 1);
    return fmt::format("{}", fmt::join(parts, "."));
  }

  std::vector<Field> fields_of(const Type& type, const std::string&) override {
    std::vector<Field> fields;
    fields.reserve(type.fields.size());
    for (const Field& field : type.fields) {
      Field made;
      made.name = field.name;
      made.id = static_cast<std::uint32_t>(fields.size() + 1);
      made.type = &of(*field.type);
      made.is_optional = field.is_optional;
      made.is_sequence = field.is_sequence;
      made.alias = field.alias;
      if (made.alias.word.empty()) made.alias.word = field.word;
      fields.push_back(std::move(made));
    }
    return fields;
  }
};

}  // namespace

TypePtr adapt(const Type& type) {
  return Adapter().adapt(type);
}

}  // namespace kitbag::protobuf
