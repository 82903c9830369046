#include "language/protobuf/descriptors.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "base/protobuf_wire.h"
#include "kitbag/bytes.h"
#include "kitbag/error.h"
#include "language/protobuf/language.h"

// As in protobuf's own readers, a field of another wire type than its own is one that is not known,
// the last of several values counts, and several messages in one field are one message in pieces.
// Much of a descriptor says nothing about payloads, such as comments, methods and extensions: it is
// skipped by its size, and damage in it is not noticed.
//
// What is read (descriptor.proto), each with its name:
//
//     FileDescriptorSet    files
//     FileDescriptor       package, syntax, imports, and which of them are public; messages, enums,
//                          services
//     MessageDescriptor    fields, oneofs, messages and enums in it; whether it is a map's entry
//     FieldDescriptor      number, label, type or the name of one, default, oneof
//     EnumDescriptor       values with their numbers

namespace kitbag::protobuf {

namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorCode::corrupt, "it is not a FileDescriptorSet");
}

/// A field of a message with its value.
struct WireField {
  std::uint32_t tag = 0;
  std::uint64_t value = 0;  ///< of a varint
  std::string_view text;    ///< of what is sized

  std::int32_t int32() const { return static_cast<std::int32_t>(value); }
};

constexpr std::uint32_t varint(std::uint32_t field) {
  return field << 3 | kVarint;
}
constexpr std::uint32_t sized(std::uint32_t field) {
  return field << 3 | kSized;
}

/// Calls `take` with each field of a message that is nested so deep.
template <class Take>
void read(std::string_view message, std::size_t depth, const Take& take) {
  if (depth > kMaxDepth) refuse();
  const std::byte* at = as_bytes(message).data();
  const std::byte* end = at + message.size();
  while (at < end) {
    std::uint64_t tag = 0;
    if (!load_varint(at, end, tag) || tag > UINT32_MAX || tag >> 3 == 0) refuse();
    WireField field;
    field.tag = static_cast<std::uint32_t>(tag);
    const std::byte* begin = at;
    if (!skip_value(at, end, tag, depth + 1)) refuse();
    std::uint32_t type = field.tag & 7;
    if (type == kVarint || type == kSized) load_varint(begin, end, field.value);
    if (type == kSized) field.text = as_text({begin, at});
    take(field);
  }
}

/// Nameless descriptors have two bytes, and would take a hundred times as much memory.
void require_name(std::string_view name, const char* what) {
  if (name.empty()) throw Error(ErrorCode::corrupt, fmt::format("{} has no name", what));
}

/// The name in a message of which nothing else is wanted.
std::string_view read_name(std::string_view message, std::size_t depth, std::uint32_t number) {
  std::string_view name;
  read(message, depth, [&](const WireField& field) {
    if (field.tag == sized(number)) name = field.text;
  });
  return name;
}

/// An enumerator that is not known is no value, as enumerations of proto2 are.
template <class Enum>
void set_known(const WireField& field, Enum last, auto& target) {
  std::int32_t value = field.int32();
  if (value >= 1 && value <= static_cast<std::int32_t>(last)) target = static_cast<Enum>(value);
}

FieldDescriptor read_field(std::string_view message, std::size_t depth) {
  FieldDescriptor made;
  read(message, depth, [&](const WireField& field) {
    switch (field.tag) {
      case sized(number::kFieldName):
        made.name = field.text;
        break;
      case varint(number::kFieldNumber):
        made.number = field.int32();
        break;
      case varint(number::kFieldLabel):
        set_known(field, Label::repeated, made.label);
        break;
      case varint(number::kFieldType):
        set_known(field, FieldType::sint64, made.type);
        break;
      case sized(number::kFieldTypeName):
        made.type_name = field.text;
        break;
      case sized(number::kFieldDefault):
        made.default_value = field.text;
        break;
      case sized(number::kFieldOptions):
        read(field.text, depth + 1, [&](const WireField& option) {
          bool is_it = option.tag == sized(kTypeOption) && !made.declared;
          if (is_it) made.declared = option.text;
        });
        break;
      case varint(number::kFieldOneof):
        made.oneof = field.int32();
        break;
      case varint(number::kFieldProto3Optional):
        made.is_proto3_optional = field.value != 0;
        break;
      default:
        break;
    }
  });
  require_name(made.name, "a field");
  return made;
}

/// Reads the messages of which a set consists. `depth` is how deep a message is nested.
class Reader {
 public:
  Files files(std::string_view set) {
    Files files;
    read(set, 0, [&](const WireField& field) {
      if (field.tag != sized(number::kSetFile)) return;
      FileDescriptor file = read_file(field.text, 1);
      count();
      std::string_view name = file.name;
      files.insert_or_assign(name, std::move(file));
    });
    return files;
  }

 private:
  void count() {
    if (++count_ <= kMaxDeclarations) return;
    throw Error(ErrorCode::limit, fmt::format("it declares more than {} names", kMaxDeclarations));
  }

  template <class Item>
  void add(std::vector<Item>& list, Item item) {
    count();
    list.push_back(std::move(item));
  }

  EnumDescriptor read_enum(std::string_view message, std::size_t depth) {
    EnumDescriptor made;
    read(message, depth, [&](const WireField& field) {
      if (field.tag == sized(number::kEnumName)) made.name = field.text;
      if (field.tag != sized(number::kEnumValue)) return;
      EnumValue value;
      read(field.text, depth + 1, [&](const WireField& part) {
        if (part.tag == sized(number::kValueName)) value.name = part.text;
        if (part.tag == varint(number::kValueNumber)) value.number = part.int32();
      });
      require_name(value.name, "a value of an enum");
      add(made.values, value);
    });
    require_name(made.name, "an enum");
    return made;
  }

  MessageDescriptor read_message(std::string_view message, std::size_t depth) {
    MessageDescriptor made;
    read(message, depth, [&](const WireField& field) {
      switch (field.tag) {
        case sized(number::kMessageName):
          made.name = field.text;
          break;
        case sized(number::kMessageField):
          add(made.fields, read_field(field.text, depth + 1));
          break;
        case sized(number::kMessageMessage):
          add(made.messages, read_message(field.text, depth + 1));
          break;
        case sized(number::kMessageEnum):
          add(made.enums, read_enum(field.text, depth + 1));
          break;
        case sized(number::kMessageOptions):
          read(field.text, depth + 1, [&](const WireField& option) {
            bool is_entry = option.tag == varint(number::kMapEntryOption);
            if (is_entry) made.is_map_entry = option.value != 0;
            if (option.tag == sized(kConstantOption)) add(made.constants, option.text);
          });
          break;
        case sized(number::kMessageOneof):
          add(made.oneofs, read_name(field.text, depth + 1, number::kOneofName));
          break;
        default:
          break;
      }
    });
    require_name(made.name, "a message");
    return made;
  }

  /// A list of numbers may be packed or not.
  void read_numbers(const WireField& field, std::vector<std::int32_t>& numbers) {
    if ((field.tag & 7) == kVarint) return add(numbers, field.int32());
    const std::byte* at = as_bytes(field.text).data();
    const std::byte* end = at + field.text.size();
    while (at < end) {
      std::uint64_t value = 0;
      if (!load_varint(at, end, value)) refuse();
      add(numbers, static_cast<std::int32_t>(value));
    }
  }

  FileDescriptor read_file(std::string_view message, std::size_t depth) {
    FileDescriptor made;
    read(message, depth, [&](const WireField& field) {
      switch (field.tag) {
        case sized(number::kFileName):
          made.name = field.text;
          break;
        case sized(number::kFilePackage):
          made.package = field.text;
          break;
        case sized(number::kFileSyntax):
          made.syntax = field.text;
          break;
        case sized(number::kFileImport):
          add(made.imports, field.text);
          break;
        case varint(number::kFilePublicImport):
        case sized(number::kFilePublicImport):
          read_numbers(field, made.public_imports);
          break;
        case sized(number::kFileMessage):
          add(made.messages, read_message(field.text, depth + 1));
          break;
        case sized(number::kFileEnum):
          add(made.enums, read_enum(field.text, depth + 1));
          break;
        case sized(number::kFileService):
          add(made.services, read_name(field.text, depth + 1, number::kServiceName));
          break;
        default:
          break;
      }
    });
    return made;
  }

  std::size_t count_ = 0;
};

}  // namespace

Files read_files(std::string_view set) {
  return Reader().files(set);
}

}  // namespace kitbag::protobuf
