#include "transport/ros2/type_object.h"

#include <dds/ddsi/ddsi_sertype.h>  // what the next two rely on

#include <dds/ddsi/ddsi_typelib.h>
#include <dds/ddsi/ddsi_xt_impl.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/type.h"

// A participant has each of its types as a TypeObject (XTypes 1.3, 7.3), by a TypeIdentifier.
// Numbers, strings and plain collections are told by the identifier itself; structures, unions and
// the like have to be asked for, one after the other, and may come over the network.
//
// Only the complete form has names; the minimal one has hashes of them, and is refused.
//
// IDL wants a type before it is used. So a definition is printed behind the members, depth first:
// spec() of a member appends what the member needs to text_ before define() appends the type
// itself.
//
// Annotations carry what decides the encoding: @final, @appendable or @mutable, @id, @key,
// @optional, @bit_bound. Without them, payloads in XCDR2 could not be decoded.

namespace kitbag::ros2 {

namespace {

using TypeId = DDS_XTypes_TypeIdentifier;

constexpr dds_duration_t kPatience = DDS_SECS(1);
constexpr int kInt8 = 0x0c;  // XTypes 1.3, 7.2.2.4.2; Cyclone 0.10 has no names for them
constexpr int kUint8 = 0x0d;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::unsupported, "the DDS type " + what);
}

const char* word_of(int kind) {
  static const std::map<int, const char*> words = {{DDS_XTypes_TK_BOOLEAN, "boolean"},
                                                   {DDS_XTypes_TK_BYTE, "octet"},
                                                   {DDS_XTypes_TK_INT16, "int16"},
                                                   {DDS_XTypes_TK_INT32, "int32"},
                                                   {DDS_XTypes_TK_INT64, "int64"},
                                                   {DDS_XTypes_TK_UINT16, "uint16"},
                                                   {DDS_XTypes_TK_UINT32, "uint32"},
                                                   {DDS_XTypes_TK_UINT64, "uint64"},
                                                   {DDS_XTypes_TK_FLOAT32, "float"},
                                                   {DDS_XTypes_TK_FLOAT64, "double"},
                                                   {DDS_XTypes_TK_CHAR8, "char"},
                                                   {DDS_XTypes_TK_CHAR16, "wchar"},
                                                   {kInt8, "int8"},
                                                   {kUint8, "uint8"}};
  auto word = words.find(kind);
  return word == words.end() ? nullptr : word->second;
}

struct FreeTypeObject {
  void operator()(ddsi_typeobj_t* object) const { dds_free_typeobj(object); }
};

std::string bounded(const std::string& word, std::uint32_t bound) {
  return bound == 0 ? word : word + "<" + std::to_string(bound) + ">";
}

/// Writes types down as IDL, each behind those that it needs.
class Writer {
 public:
  explicit Writer(dds_entity_t participant) : participant_(participant) {}

  /// How a member of that type is declared.
  struct Spec {
    std::string type;
    std::string dimensions = {};  ///< "[3]", behind the name
  };
  Spec spec(const TypeId& id);
  std::string text() { return std::move(text_); }

 private:
  Spec sequence_of(const TypeId& element, std::uint32_t bound);
  template <class Bounds>
  Spec array_of(const TypeId& element, const Bounds& bounds);
  std::string add(const TypeId& id);
  void define(const std::string& name, const std::string& annotations, const std::string& head,
              const std::vector<std::string>& lines);
  void add_structure(const DDS_XTypes_CompleteStructType& type);
  void add_union(const DDS_XTypes_CompleteUnionType& type);
  void add_enumeration(const DDS_XTypes_CompleteEnumeratedType& type);
  void add_bitmask(const DDS_XTypes_CompleteBitmaskType& type);
  void add_alias(const DDS_XTypes_CompleteAliasType& type);

  dds_entity_t participant_;
  std::size_t depth_ = 0;
  std::set<std::string> defined_;
  std::string text_;
};

Writer::Spec Writer::sequence_of(const TypeId& element, std::uint32_t bound) {
  Spec of = spec(element);
  if (!of.dimensions.empty()) refuse("has a sequence of arrays without a name");
  std::string limit = bound == 0 ? "" : ", " + std::to_string(bound);
  return {"sequence<" + of.type + limit + ">"};
}

template <class Bounds>
Writer::Spec Writer::array_of(const TypeId& element, const Bounds& bounds) {
  Spec of = spec(element);
  // An array of arrays: IDL has the bounds of the outer one first, and all of them behind the name.
  std::string dimensions;
  for (std::uint32_t i = 0; i < bounds._length; ++i) {
    dimensions += "[" + std::to_string(bounds._buffer[i]) + "]";
  }
  return {of.type, dimensions + of.dimensions};
}

Writer::Spec Writer::spec(const TypeId& id) {
  if (const char* word = word_of(id._d)) return {word};
  switch (id._d) {
    case DDS_XTypes_TI_STRING8_SMALL:
      return {bounded("string", id._u.string_sdefn.bound)};
    case DDS_XTypes_TI_STRING8_LARGE:
      return {bounded("string", id._u.string_ldefn.bound)};
    case DDS_XTypes_TI_STRING16_SMALL:
      return {bounded("wstring", id._u.string_sdefn.bound)};
    case DDS_XTypes_TI_STRING16_LARGE:
      return {bounded("wstring", id._u.string_ldefn.bound)};
    case DDS_XTypes_TI_PLAIN_SEQUENCE_SMALL:
      return sequence_of(*id._u.seq_sdefn.element_identifier, id._u.seq_sdefn.bound);
    case DDS_XTypes_TI_PLAIN_SEQUENCE_LARGE:
      return sequence_of(*id._u.seq_ldefn.element_identifier, id._u.seq_ldefn.bound);
    case DDS_XTypes_TI_PLAIN_ARRAY_SMALL:
      return array_of(*id._u.array_sdefn.element_identifier, id._u.array_sdefn.array_bound_seq);
    case DDS_XTypes_TI_PLAIN_ARRAY_LARGE:
      return array_of(*id._u.array_ldefn.element_identifier, id._u.array_ldefn.array_bound_seq);
    case DDS_XTypes_EK_COMPLETE:
      return {add(id)};
    default:
      refuse("has a member of the unsupported kind " + std::to_string(id._d));
  }
}

/// The name of a type that has one, which is defined by then.
std::string Writer::add(const TypeId& id) {
  if (++depth_ > kMaxTypeDepth) refuse("is recursive or nested too deep");
  ddsi_typeid_t wanted{};
  wanted.x = id;
  ddsi_typeobj_t* found = nullptr;
  dds_return_t result = dds_get_typeobj(participant_, &wanted, kPatience, &found);
  if (result != DDS_RETCODE_OK) {
    throw Error(ErrorCode::not_found, std::string("the participant does not provide the type: ") +
                                          dds_strretcode(result));
  }
  std::unique_ptr<ddsi_typeobj_t, FreeTypeObject> object(found);
  if (object->x._d != DDS_XTypes_EK_COMPLETE) refuse("is provided without names");
  const DDS_XTypes_CompleteTypeObject& type = object->x._u.complete;
  std::string name;
  auto define_once = [&](const auto& part, auto add_part) {
    name = part.header.detail.type_name;
    if (defined_.insert(name).second) (this->*add_part)(part);
  };
  switch (type._d) {
    case DDS_XTypes_TK_STRUCTURE:
      define_once(type._u.struct_type, &Writer::add_structure);
      break;
    case DDS_XTypes_TK_UNION:
      define_once(type._u.union_type, &Writer::add_union);
      break;
    case DDS_XTypes_TK_ENUM:
      define_once(type._u.enumerated_type, &Writer::add_enumeration);
      break;
    case DDS_XTypes_TK_BITMASK:
      define_once(type._u.bitmask_type, &Writer::add_bitmask);
      break;
    case DDS_XTypes_TK_ALIAS:
      define_once(type._u.alias_type, &Writer::add_alias);
      break;
    default:
      refuse("has a member of the unsupported kind " + std::to_string(type._d));
  }
  --depth_;
  return name;
}

/// `head` has a "*" where the name goes.
void Writer::define(const std::string& name, const std::string& annotations,
                    const std::string& head, const std::vector<std::string>& lines) {
  std::string indent;
  std::string rest = name;
  std::string closing;
  for (std::size_t at = 0; (at = rest.find("::")) != std::string::npos; rest.erase(0, at + 2)) {
    text_ += indent + "module " + rest.substr(0, at) + " {\n";
    closing.insert(0, indent + "};\n");
    indent += "  ";
  }
  std::size_t star = head.find('*');
  text_ += indent + annotations + head.substr(0, star) + rest + head.substr(star + 1);
  if (!lines.empty()) {
    text_ += " {\n";
    for (const std::string& line : lines) text_ += indent + "  " + line + "\n";
    text_ += indent + "}";
  }
  text_ += ";\n" + closing;
}

std::string extensibility_of(unsigned flags) {
  return (flags & DDS_XTypes_IS_FINAL) != 0     ? "@final "
         : (flags & DDS_XTypes_IS_MUTABLE) != 0 ? "@mutable "
                                                : "@appendable ";
}

void Writer::add_structure(const DDS_XTypes_CompleteStructType& type) {
  std::string base;
  if (type.header.base_type._d == DDS_XTypes_EK_COMPLETE) base = " : " + add(type.header.base_type);
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < type.member_seq._length; ++i) {
    const DDS_XTypes_CompleteStructMember& member = type.member_seq._buffer[i];
    unsigned flags = member.common.member_flags;
    Spec of = spec(member.common.member_type_id);
    std::string line = "@id(" + std::to_string(member.common.member_id) + ") ";
    if ((flags & DDS_XTypes_IS_KEY) != 0) line += "@key ";
    if ((flags & DDS_XTypes_IS_OPTIONAL) != 0) line += "@optional ";
    lines.push_back(line + of.type + " " + member.detail.name + of.dimensions + ";");
  }
  if (lines.empty() && base.empty()) refuse("is a structure without members");
  define(type.header.detail.type_name, extensibility_of(type.struct_flags), "struct *" + base,
         lines);
}

void Writer::add_union(const DDS_XTypes_CompleteUnionType& type) {
  std::vector<std::string> lines;
  std::string by = spec(type.discriminator.common.type_id).type;
  for (std::uint32_t i = 0; i < type.member_seq._length; ++i) {
    const auto& member = type.member_seq._buffer[i];
    Spec of = spec(member.common.type_id);
    std::string line;
    for (std::uint32_t k = 0; k < member.common.label_seq._length; ++k) {
      line += "case " + std::to_string(member.common.label_seq._buffer[k]) + ": ";
    }
    if ((member.common.member_flags & DDS_XTypes_IS_DEFAULT) != 0) line += "default: ";
    lines.push_back(line + of.type + " " + member.detail.name + of.dimensions + ";");
  }
  define(type.header.detail.type_name, extensibility_of(type.union_flags),
         "union * switch (" + by + ")", lines);
}

/// "@value(3) NAME," for each; `value_of` returns the number.
template <class Sequence, class Value>
std::vector<std::string> names(const Sequence& sequence, const std::string& annotation,
                               Value value_of) {
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < sequence._length; ++i) {
    const auto& each = sequence._buffer[i];
    std::string comma = i + 1 < sequence._length ? "," : "";
    lines.push_back(annotation + "(" + std::to_string(value_of(each)) + ") " + each.detail.name +
                    comma);
  }
  return lines;
}

void Writer::add_enumeration(const DDS_XTypes_CompleteEnumeratedType& type) {
  define(type.header.detail.type_name,
         "@bit_bound(" + std::to_string(type.header.common.bit_bound) + ") ", "enum *",
         names(type.literal_seq, "@value", [](const auto& each) { return each.common.value; }));
}

void Writer::add_bitmask(const DDS_XTypes_CompleteBitmaskType& type) {
  define(type.header.detail.type_name,
         "@bit_bound(" + std::to_string(type.header.common.bit_bound) + ") ", "bitmask *",
         names(type.flag_seq, "@position", [](const auto& each) { return each.common.position; }));
}

void Writer::add_alias(const DDS_XTypes_CompleteAliasType& type) {
  Spec of = spec(type.body.common.related_type);
  define(type.header.detail.type_name, "", "typedef " + of.type + " *" + of.dimensions, {});
}

}  // namespace

SchemaPtr schema_of(dds_entity_t participant, dds_builtintopic_endpoint_t& endpoint) {
  const dds_typeinfo_t* info = nullptr;
  if (dds_builtintopic_get_endpoint_type_info(&endpoint, &info) != DDS_RETCODE_OK || !info) {
    return nullptr;
  }
  const ddsi_typeid_t* id = ddsi_typeinfo_complete_typeid(info);
  if (!id) return nullptr;
  Writer writer(participant);
  std::string name = writer.spec(id->x).type;
  return std::make_shared<const Schema>(Schema{name, "ros2idl", writer.text()});
}

}  // namespace kitbag::ros2
