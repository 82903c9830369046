#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace kitbag::protobuf {

/// What one set may declare: files, imports, messages, fields and so on, and parts of packages.
inline constexpr std::size_t kMaxDeclarations = 1 << 19;

/// Fields of google/protobuf/descriptor.proto, of which a set of descriptors consists. Source:
/// https://github.com/protocolbuffers/protobuf/blob/v21.12/src/google/protobuf/descriptor.proto
namespace number {
inline constexpr std::uint32_t kSetFile = 1;

inline constexpr std::uint32_t kFileName = 1;
inline constexpr std::uint32_t kFilePackage = 2;
inline constexpr std::uint32_t kFileImport = 3;
inline constexpr std::uint32_t kFileMessage = 4;
inline constexpr std::uint32_t kFileEnum = 5;
inline constexpr std::uint32_t kFileService = 6;
inline constexpr std::uint32_t kFilePublicImport = 10;
inline constexpr std::uint32_t kFileSyntax = 12;

inline constexpr std::uint32_t kMessageName = 1;
inline constexpr std::uint32_t kMessageField = 2;
inline constexpr std::uint32_t kMessageMessage = 3;
inline constexpr std::uint32_t kMessageEnum = 4;
inline constexpr std::uint32_t kMessageOptions = 7;
inline constexpr std::uint32_t kMessageOneof = 8;
inline constexpr std::uint32_t kMapEntryOption = 7;

inline constexpr std::uint32_t kFieldName = 1;
inline constexpr std::uint32_t kFieldNumber = 3;
inline constexpr std::uint32_t kFieldLabel = 4;
inline constexpr std::uint32_t kFieldType = 5;
inline constexpr std::uint32_t kFieldTypeName = 6;
inline constexpr std::uint32_t kFieldDefault = 7;
inline constexpr std::uint32_t kFieldOptions = 8;
inline constexpr std::uint32_t kFieldOneof = 9;
inline constexpr std::uint32_t kFieldProto3Optional = 17;

inline constexpr std::uint32_t kEnumName = 1;
inline constexpr std::uint32_t kEnumValue = 2;
inline constexpr std::uint32_t kValueName = 1;
inline constexpr std::uint32_t kValueNumber = 2;

inline constexpr std::uint32_t kServiceName = 1;
inline constexpr std::uint32_t kOneofName = 1;
}  // namespace number

/// As descriptors number them.
enum class FieldType : std::uint8_t {
  real64 = 1,
  real32,
  int64,
  uint64,
  int32,
  fixed64,
  fixed32,
  boolean,
  text,
  group,
  message,
  bytes,
  uint32,
  enumeration,
  sfixed32,
  sfixed64,
  sint32,
  sint64,
};
enum class Label : std::uint8_t { optional = 1, required, repeated };

struct Symbol;

struct EnumValue {
  std::string_view name;
  std::int32_t number = 0;
};

struct EnumDescriptor {
  std::string_view name;
  std::vector<EnumValue> values;
};

/// A field of a message.
struct FieldDescriptor {
  std::string_view name;
  std::int32_t number = 0;
  Label label = Label::optional;
  bool is_proto3_optional = false;
  std::optional<FieldType> type;  ///< link() fills it in where only `type_name` is there
  std::optional<std::string_view> type_name;
  std::optional<std::string_view> default_value;
  std::optional<std::int32_t> oneof;              ///< an index of MessageDescriptor::oneofs
  std::optional<std::string_view> declared;       ///< the first kTypeOption
  const Symbol* target = nullptr;                 ///< what `type_name` means, from link() on
  const EnumValue* default_enumerator = nullptr;  ///< what `default_value` means, from link() on
};

struct MessageDescriptor {
  std::string_view name;
  std::vector<FieldDescriptor> fields;
  std::vector<std::string_view> oneofs;
  std::vector<MessageDescriptor> messages;
  std::vector<EnumDescriptor> enums;
  std::vector<std::string_view> constants;  ///< each kConstantOption
  bool is_map_entry = false;
};

struct FileDescriptor {
  std::string_view name;
  std::string_view package;
  std::string_view syntax;
  std::vector<std::string_view> imports;
  std::vector<std::int32_t> public_imports;  ///< indexes of `imports`
  std::vector<MessageDescriptor> messages;
  std::vector<EnumDescriptor> enums;
  std::vector<std::string_view> services;
  const Symbol* scope = nullptr;  ///< its package, from link() on
};

/// The files of a set by name; of two with one name, the last.
using Files = std::map<std::string_view, FileDescriptor>;

/// Reads a serialized FileDescriptorSet; what its names refer to is not looked at. All texts are
/// views of `set`. Throws Error: corrupt if it is none, or is nested deeper than kMaxDepth; limit
/// if it declares more than kMaxDeclarations.
Files read_files(std::string_view set);

}  // namespace kitbag::protobuf
