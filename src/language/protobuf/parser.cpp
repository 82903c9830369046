#include "language/protobuf/parser.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/unknown_field_set.h>

#include <charconv>
#include <map>
#include <optional>

#include "base/lines.h"
#include "kitbag/error.h"
#include "language/protobuf/language.h"

// A schema is a serialized FileDescriptorSet. The library builds descriptors out of it and checks
// that its files fit together, but it needs each file behind those that it imports. Writers put
// them in any order, so they are added depth first. A file that is not in the set is left to the
// library, which names it in its error.
//
// Types of other worlds that were converted to protobuf are in options of fields and messages.
// These are not declared anywhere, so the library keeps them as unknown fields. Their numbers are
// in the range that protobuf leaves to private use (50000 to 99999).

namespace kitbag::protobuf {

namespace {

namespace pb = google::protobuf;
using pb::FieldDescriptor;

class Errors final : public pb::DescriptorPool::ErrorCollector {
 public:
  void AddError(const std::string& file, const std::string& element, const pb::Message*,
                ErrorLocation, const std::string& message) override {
    if (first_.empty()) first_ = fmt::format("{}: {}: {}", file, element, message);
  }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

/// The value of an option that is not declared here.
std::vector<std::string> options(const pb::UnknownFieldSet& fields, int number) {
  std::vector<std::string> texts;
  for (int i = 0; i < fields.field_count(); ++i) {
    const pb::UnknownField& field = fields.field(i);
    bool is_it =
        field.number() == number && field.type() == pb::UnknownField::TYPE_LENGTH_DELIMITED;
    if (is_it) texts.push_back(field.length_delimited());
  }
  return texts;
}

/// "uint8[3]", "int16", "wstring<=10[]": the type of a field in the language it was converted from.
struct Declared {
  Kind kind = Kind::any;  ///< any: a message, or not specified
  bool is_array = false;
  std::uint64_t length = 0;  ///< of the list
  std::uint64_t text_bound = 0;
};

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return std::min<std::uint64_t>(number, UINT32_MAX);
}

Declared parse_declared(std::string_view text) {
  Declared declared;
  text = text.substr(0, text.find(' '));
  if (text.ends_with('?')) text.remove_suffix(1);
  std::size_t bracket = std::min(text.find('['), text.size());
  std::string_view list = text.substr(bracket);
  std::string_view element = text.substr(0, bracket);
  std::size_t bound = std::min(element.find("<="), element.size());
  if (bound < element.size()) declared.text_bound = number_in(element.substr(bound + 2));
  declared.kind = kind_named(element.substr(0, bound)).value_or(Kind::any);
  if (list.starts_with("[<=")) {
    declared.length = number_in(list.substr(3));
  } else if (list.size() > 2) {
    declared.is_array = true;
    declared.length = number_in(list.substr(1));
  }
  return declared;
}

class Parser {
 public:
  TypePtr parse(const pb::Descriptor& root) { return builder_.finish(of(root)); }

 private:
  const Type& of(const pb::Descriptor& message) {
    auto known = types_.find(&message);
    if (known != types_.end()) return *known->second;
    Type& type = builder_.add(Kind::structure, message.full_name());
    types_[&message] = &type;  // before its fields, which may be of this type
    std::vector<Field> fields;
    fields.reserve(static_cast<std::size_t>(message.field_count()));
    for (int i = 0; i < message.field_count(); ++i) fields.push_back(made(*message.field(i)));
    type.fields = std::move(fields);
    type.role = role_of(message);
    for (const std::string& text : options(message.options().unknown_fields(), kConstantOption)) {
      take_constant(text, type);
    }
    return type;
  }

  static Role role_of(const pb::Descriptor& message) {
    if (message.field_count() != 2) return Role::none;
    if (message.full_name() == "google.protobuf.Timestamp") return Role::time;
    return message.full_name() == "google.protobuf.Duration" ? Role::duration : Role::none;
  }

  static void take_constant(std::string_view text, Type& type) {
    std::size_t space = std::min(text.find(' '), text.size());
    std::size_t sign = std::min(text.find('=', space), text.size());
    std::size_t second = text.find('=', sign + 1);
    auto kind = kind_named(text.substr(0, space));
    if (!kind || second == std::string_view::npos) return;
    std::string_view alias = text.substr(sign + 1, second - sign - 1);
    std::size_t middle = std::min(alias.find(' '), alias.size());
    Constant& constant = type.constants.emplace_back();
    constant.kind = *kind;
    constant.name = text.substr(space + 1, sign - space - 1);
    constant.text = text.substr(second + 1);
    constant.word = alias.substr(0, middle);
    constant.alias.name = alias.substr(std::min(middle + 1, alias.size()));
  }

  Field made(const FieldDescriptor& field) {
    Field made;
    made.name = field.name();
    made.id = static_cast<std::uint32_t>(field.number());
    made.is_optional = !field.is_repeated() && field.has_presence() && !field.is_required();
    made.word = field.type_name();
    auto texts = options(field.options().unknown_fields(), kTypeOption);
    Declared declared = texts.empty() ? Declared() : parse_declared(texts.front());
    made.type = &type_of(field, declared);
    made.is_sequence =
        made.name == "seq" && field.containing_type()->full_name() == "std_msgs.Header";
    if (!texts.empty()) {
      std::string_view text = texts.front();
      std::size_t space = std::min(text.find(' '), text.size());
      made.is_optional &= text.substr(0, space).ends_with('?');
      std::string_view alias = text.substr(std::min(space + 1, text.size()));
      std::size_t middle = std::min(alias.find(' '), alias.size());
      made.alias = {std::string(alias.substr(std::min(middle + 1, alias.size()))),
                    std::string(alias.substr(0, middle))};
    }
    if (field.has_default_value()) made.default_value = default_of(field);
    return made;
  }

  const Type& type_of(const FieldDescriptor& field, const Declared& declared) {
    const Type& element = element_of(field, declared);
    bool is_bytes = field.type() == FieldDescriptor::TYPE_BYTES;
    if (!field.is_repeated() && !is_bytes) return element;
    const Type& inner = is_bytes && field.is_repeated() ? builder_.sequence(element) : element;
    return declared.is_array ? builder_.array(inner, declared.length)
                             : builder_.sequence(inner, declared.length);
  }

  const Type& element_of(const FieldDescriptor& field, const Declared& declared) {
    switch (field.type()) {
      case FieldDescriptor::TYPE_MESSAGE:
      case FieldDescriptor::TYPE_GROUP:
        return of(*field.message_type());
      case FieldDescriptor::TYPE_ENUM:
        return of(*field.enum_type());
      case FieldDescriptor::TYPE_BYTES:
        return builtin_type(is_byte(declared.kind) ? declared.kind : Kind::uint8);
      case FieldDescriptor::TYPE_STRING:
        return builder_.text(is_text(declared.kind) ? declared.kind : Kind::text,
                             declared.text_bound);
      default:
        return builtin_type(is_scalar(declared.kind) ? declared.kind : kind_of(field));
    }
  }

  static Kind kind_of(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return Kind::int32;
      case FieldDescriptor::CPPTYPE_INT64:
        return Kind::int64;
      case FieldDescriptor::CPPTYPE_UINT32:
        return Kind::uint32;
      case FieldDescriptor::CPPTYPE_UINT64:
        return Kind::uint64;
      case FieldDescriptor::CPPTYPE_FLOAT:
        return Kind::float32;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return Kind::float64;
      default:
        return Kind::boolean;
    }
  }

  const Type& of(const pb::EnumDescriptor& enumeration) {
    auto known = enumerations_.find(&enumeration);
    if (known != enumerations_.end()) return *known->second;
    Type& type = builder_.add(Kind::enumeration, enumeration.full_name());
    for (int i = 0; i < enumeration.value_count(); ++i) {
      type.enumerators.push_back({enumeration.value(i)->name(), enumeration.value(i)->number()});
    }
    enumerations_[&enumeration] = &type;
    return type;
  }

  static std::optional<Literal> default_of(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_BOOL:
        return Literal{field.default_value_bool()};
      case FieldDescriptor::CPPTYPE_INT32:
        return Literal{std::int64_t{field.default_value_int32()}};
      case FieldDescriptor::CPPTYPE_INT64:
        return Literal{std::int64_t{field.default_value_int64()}};
      case FieldDescriptor::CPPTYPE_UINT32:
        return Literal{std::uint64_t{field.default_value_uint32()}};
      case FieldDescriptor::CPPTYPE_UINT64:
        return Literal{std::uint64_t{field.default_value_uint64()}};
      case FieldDescriptor::CPPTYPE_FLOAT:
        return Literal{static_cast<double>(field.default_value_float())};
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return Literal{field.default_value_double()};
      case FieldDescriptor::CPPTYPE_ENUM:
        return Literal{std::int64_t{field.default_value_enum()->number()}};
      case FieldDescriptor::CPPTYPE_STRING:
        if (field.type() == FieldDescriptor::TYPE_BYTES) return std::nullopt;
        return Literal{field.default_value_string()};
      default:
        return std::nullopt;
    }
  }

  TypeBuilder builder_;
  std::map<const pb::Descriptor*, const Type*> types_;
  std::map<const pb::EnumDescriptor*, const Type*> enumerations_;
};

/// Adds the files, each after those that it imports.
class Files {
 public:
  Files(const pb::FileDescriptorSet& set, pb::DescriptorPool& pool, Errors& errors)
      : pool_(pool), errors_(errors) {
    for (const auto& file : set.file()) by_name_[file.name()] = &file;
  }

  /// False: the files are inconsistent; `errors` says why.
  bool add_all() {
    for (const auto& [name, file] : by_name_) {
      if (!add(*file, 0)) return false;
    }
    return true;
  }

 private:
  bool add(const pb::FileDescriptorProto& file, std::size_t depth) {
    if (pool_.FindFileByName(file.name())) return true;
    // A file is in the pool only when it is built, so a cycle goes on down to here.
    if (depth > by_name_.size()) return false;  // files that import each other
    for (const std::string& name : file.dependency()) {
      auto found = by_name_.find(name);
      if (found != by_name_.end() && !add(*found->second, depth + 1)) return false;
    }
    return pool_.BuildFileCollectingErrors(file, &errors_) != nullptr;
  }

  pb::DescriptorPool& pool_;
  Errors& errors_;
  std::map<std::string, const pb::FileDescriptorProto*> by_name_;
};

}  // namespace

TypePtr parse(const Schema& schema) {
  auto fail = [&](ErrorCode code, const std::string& what) {
    throw Error(code, fmt::format("definition of {}: {}", printable(schema.name), what));
  };
  pb::LogSilencer silencer;  // errors are thrown, not printed
  pb::FileDescriptorSet set;
  bool is_set = schema.text.size() <= kMaxSetBytes && set.ParseFromString(schema.text);
  if (!is_set) fail(ErrorCode::corrupt, "it is not a FileDescriptorSet");
  pb::DescriptorPool pool;
  Errors errors;
  if (!Files(set, pool, errors).add_all()) {
    fail(ErrorCode::corrupt,
         errors.first().empty() ? "its files depend on each other" : errors.first());
  }
  const pb::Descriptor* root = pool.FindMessageTypeByName(schema.name);
  if (!root) fail(ErrorCode::not_found, "its FileDescriptorSet does not contain the message");
  return Parser().parse(*root);
}

}  // namespace kitbag::protobuf
