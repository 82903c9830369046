#include "language/protobuf/printer.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/unknown_field_set.h>

#include <algorithm>
#include <set>

#include "kitbag/error.h"
#include "language/protobuf/language.h"

// Each message has a file of its own, named after it. Types may come from several packages, and a
// file can have only one; and a type that two schemas need is the same file in both, so that all
// schemas of a bag can be put into one pool.
//
// What is optional in proto3 must stand in a oneof of its own ("synthetic"), as protoc makes it.
// Readers that do not know proto3_optional then see a oneof, which has presence too.

namespace kitbag::protobuf {

namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptorProto;

FieldDescriptorProto::Type wire_type(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return FieldDescriptorProto::TYPE_BOOL;
    case Kind::int8:
    case Kind::int16:
    case Kind::int32:
      return FieldDescriptorProto::TYPE_INT32;
    case Kind::int64:
      return FieldDescriptorProto::TYPE_INT64;
    case Kind::uint64:
      return FieldDescriptorProto::TYPE_UINT64;
    case Kind::float32:
      return FieldDescriptorProto::TYPE_FLOAT;
    case Kind::float64:
      return FieldDescriptorProto::TYPE_DOUBLE;
    case Kind::text:
    case Kind::wide_text:
      return FieldDescriptorProto::TYPE_STRING;
    case Kind::structure:
      return FieldDescriptorProto::TYPE_MESSAGE;
    default:
      return FieldDescriptorProto::TYPE_UINT32;
  }
}

/// What the descriptor alone says of the field.
std::string plain_name(const Type& element, bool is_list) {
  Kind kind = element.kind;
  if (is_list && kind == Kind::uint8) return "uint8[]";
  bool says_all = kind == Kind::boolean || kind == Kind::int32 || kind == Kind::uint32 ||
                  kind == Kind::int64 || kind == Kind::uint64 || is_real(kind) ||
                  (kind == Kind::text && element.length == 0);
  if (!says_all) return {};
  return std::string(kind_name(kind)) + (is_list ? "[]" : "");
}

class Printer {
 public:
  std::string print(const Type& root) {
    add(root);
    // Same type, same bytes, whatever the library's order of maps.
    std::string text;
    {
      pb::io::StringOutputStream stream(&text);
      pb::io::CodedOutputStream coded(&stream);
      coded.SetSerializationDeterministic(true);
      set_.SerializeToCodedStream(&coded);
    }
    return text;
  }

 private:
  static std::string file_of(const Type& type) {
    std::string name = type.name;
    for (char& c : name) c = c == '.' ? '/' : c;
    return name + ".proto";
  }

  void add(const Type& type) {
    if (!added_.insert(&type).second) return;
    pb::FileDescriptorProto file;
    file.set_name(file_of(type));
    file.set_syntax("proto3");
    std::size_t dot = type.name.rfind('.');
    if (dot != std::string::npos) file.set_package(type.name.substr(0, dot));
    pb::DescriptorProto& message = *file.add_message_type();
    message.set_name(type.name.substr(dot + 1));
    for (const Constant& constant : type.constants) {
      message.mutable_options()->mutable_unknown_fields()->AddLengthDelimited(
          kConstantOption,
          fmt::format("{} {}={}{}{}={}", kind_name(constant.kind), constant.name,
                      constant.alias.word.empty() ? constant.word : constant.alias.word,
                      constant.alias.name.empty() ? "" : " ", constant.alias.name, constant.text));
    }
    for (const Field& field : type.fields) add_field(field, type, file, message);
    *set_.add_file() = std::move(file);
  }

  void add_field(const Field& field, const Type& owner, pb::FileDescriptorProto& file,
                 pb::DescriptorProto& message) {
    bool is_of_many = is_list(field.type->kind);
    const Type& element = is_of_many ? *field.type->element : *field.type;
    bool is_bytes = is_of_many && is_byte(element.kind);
    FieldDescriptorProto& made = *message.add_field();
    made.set_name(field.name);
    made.set_number(static_cast<int>(field.id));
    made.set_type(is_bytes ? FieldDescriptorProto::TYPE_BYTES : wire_type(element.kind));
    made.set_label(is_of_many && !is_bytes ? FieldDescriptorProto::LABEL_REPEATED
                                           : FieldDescriptorProto::LABEL_OPTIONAL);
    if (element.kind == Kind::structure) {
      made.set_type_name("." + element.name);
      // A file must not import itself.
      if (&element != &owner) {
        add(element);
        bool is_known = false;
        for (const std::string& name : file.dependency()) is_known |= name == file_of(element);
        if (!is_known) file.add_dependency(file_of(element));
      }
    } else if (field.is_optional && !is_of_many) {
      made.set_proto3_optional(true);
      made.set_oneof_index(message.oneof_decl_size());
      message.add_oneof_decl()->set_name("_" + field.name);
    }
    tell_type(field, element, is_of_many, made);
  }

  /// What protobuf has no word for, in an option.
  static void tell_type(const Field& field, const Type& element, bool is_of_many,
                        FieldDescriptorProto& made) {
    std::string name = element.kind == Kind::structure
                           ? std::string("message") + (is_of_many ? "[]" : "")
                           : type_name(*field.type);
    if (element.kind == Kind::structure && field.type->kind == Kind::array) {
      name = fmt::format("message[{}]", field.type->length);
    } else if (element.kind == Kind::structure && field.type->length > 0) {
      name = fmt::format("message[<={}]", field.type->length);
    }
    const Alias& alias = field.alias;
    if (!alias.empty()) name += fmt::format(" {} {}", alias.word, alias.name);
    bool is_foreign = element.kind == Kind::structure && !is_of_many && field.is_optional;
    if (is_foreign || (name == plain_name(element, is_of_many))) return;
    if (field.is_optional) name.insert(std::min(name.find(' '), name.size()), 1, '?');
    made.mutable_options()->mutable_unknown_fields()->AddLengthDelimited(kTypeOption, name);
  }

  pb::FileDescriptorSet set_;
  std::set<const Type*> added_;
};

}  // namespace

std::string print(const Type& type) {
  return Printer().print(type);
}

}  // namespace kitbag::protobuf
