#include "language/ros2idl/parser.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/lines.h"
#include "kitbag/error.h"
#include "language/ros/definition_text.h"
#include "language/ros/names.h"
#include "language/ros2/adapt.h"
#include "language/ros2idl/expression.h"
#include "language/ros2idl/names.h"
#include "language/ros2idl/reader.h"
#include "language/ros2idl/type_specs.h"

// A schema holds several IDL files, in any order. The parser has no symbols that are resolved
// later: a declaration needs types and constants that are known. So a file that names an unknown
// one waits, and all files that wait are parsed again from their first token, until a pass makes no
// progress. Files are few, and nest only some levels deep.
//
// The two sources of IDL differ in what they leave unsaid. A structure without an annotation is
// final in that of ROS 2 and appendable in that of plain DDS ("omgidl"), which decides whether
// payloads in XCDR2 have sizes. Names of ROS 2 are those of messages, p/msg/T, and the others stay
// p::T. Constants of a message stand in a module T_Constants in front of it, and a message without
// fields has a placeholder, as rosidl translates .msg files.

namespace kitbag::ros2idl {

namespace {

/// What ROS 2 puts into a message without fields, since IDL had none.
constexpr std::string_view kPlaceholder = "structure_needs_at_least_one_member";

/// Each name in them is looked up with these in front of it.
constexpr std::size_t kMaxModuleBytes = 1 << 10;

/// Parses the declarations; TypeSpecs parses the types in them.
class Parser : Reader {
 public:
  explicit Parser(const Schema& schema) : Reader(schema.name), schema_(schema) {
    if (schema.language == "omgidl") default_ = Extensibility::appendable;
  }

  void add(std::vector<Token> file) { files_.push_back(std::move(file)); }
  /// Of all files.
  TypePtr parse();

 private:
  void definition();
  void module();
  void constant();
  void structure(const Annotations& annotations);
  void union_type(const Annotations& annotations);
  void enumeration(const Annotations& annotations);
  void bitmask(const Annotations& annotations);
  void type_definition();
  void member(std::vector<Field>& fields, bool is_hashed);
  void require_unique(const std::vector<Field>& fields) const;
  std::vector<std::int64_t> labels(const Type& discriminator, bool& is_default);
  void parse_files();

  const Schema& schema_;
  std::vector<std::vector<Token>> files_;
  Extensibility default_ = Extensibility::fixed;
  TypeBuilder builder_;
  Names names_;
  FindConstant find_constant_ = [this](const std::string& name) { return names_.constant(name); };
  Expressions expressions_{*this, find_constant_};
  TypeSpecs types_{*this, names_, expressions_, builder_};
  std::map<std::string, std::vector<Constant>> constants_of_;  ///< by module
  /// Of the enumerations that unions are switched by.
  std::map<const Type*, std::map<std::string_view, std::int64_t>> enumerators_of_;
  std::string open_;  ///< the full name of the structure or union that is being read
  std::size_t inherited_fields_ = 0;
};

void Parser::parse_files() {
  // Each pass parses the files that need only known types: one more level of nesting.
  for (std::size_t level = 0; !files_.empty(); ++level) {
    if (level > 2 * kMaxTypeDepth) {
      throw Error(
          ErrorCode::limit,
          fmt::format("definition of {}: its files depend on each other more than {} levels deep",
                      printable(schema_.name), 2 * kMaxTypeDepth));
    }
    std::vector<std::vector<Token>> waiting;
    std::optional<Error> missing;
    for (auto& file : files_) {
      read(file);
      names_.leave_all();
      try {
        while (token().what != Token::What::end) definition();
      } catch (const Error& error) {
        if (error.code() != ErrorCode::not_found) throw;
        // Other files must not take it for a structure without members.
        names_.forget(std::exchange(open_, {}));
        missing = error;
        waiting.push_back(std::move(file));
      }
    }
    if (missing && waiting.size() == files_.size()) throw *missing;
    files_ = std::move(waiting);
  }
}

TypePtr Parser::parse() {
  parse_files();
  std::string wanted = ros::full_name(schema_.name);
  const Type* root = nullptr;
  for (const auto& [name, type] : names_.types()) {
    bool is_it = name == schema_.name || ros::full_name(name) == wanted;
    if (is_it && is_compound(type->kind)) root = type;
  }
  if (!root) {
    throw Error(ErrorCode::not_found,
                fmt::format("no definition of {} found", printable(schema_.name)));
  }
  return builder_.finish(*root);
}

void Parser::definition() {
  if (take(";")) return;
  Annotations annotations = this->annotations();
  if (is_at("module")) return module();
  if (is_at("const")) return constant();
  if (is_at("struct")) return structure(annotations);
  if (is_at("union")) return union_type(annotations);
  if (is_at("enum")) return enumeration(annotations);
  if (is_at("bitmask")) return bitmask(annotations);
  if (is_at("typedef")) return type_definition();
  if (is_at("bitset")) refuse("bit sets are not supported");
  fail(fmt::format("expected a definition, got \"{}\"", printable(token().text)));
}

void Parser::module() {
  enter();
  expect("module");
  names_.enter(name());
  if (names_.module().size() > kMaxModuleBytes) {
    throw Error(ErrorCode::limit, fmt::format("definition of {}: the names of its modules have "
                                              "more than {} bytes",
                                              printable(schema_.name), kMaxModuleBytes));
  }
  expect("{");
  while (!is_at("}")) {
    if (token().what == Token::What::end) fail("a module is not closed");
    definition();
  }
  expect("}");
  names_.leave();
  leave();
}

void Parser::constant() {
  expect("const");
  const Type& type = types_.type();
  std::string own = name();
  expect("=");
  std::size_t begin = position();
  Value value = expressions_.value();
  value.kind = type.kind;
  std::string text = text_since(begin);
  expect(";");
  // A file that waited for another one is parsed again.
  bool is_new = names_.declare(own, std::move(value));
  if (is_new) constants_of_[names_.module()].push_back({type.kind, own, text});
}

void Parser::member(std::vector<Field>& fields, bool is_hashed) {
  Annotations annotations = this->annotations();
  const Type& element = types_.type();
  std::vector<Annotations> of_each;
  do {
    Field field;
    field.name = name();
    field.type = &types_.dimensions(element);
    field.is_optional = find(annotations, "optional") != nullptr;
    field.is_key = find(annotations, "key") != nullptr;
    const Annotation* by_default = find(annotations, "default");
    if (by_default && by_default->value() && !is_list(field.type->kind)) {
      field.default_value = literal_of(*field.type, by_default->values.at("value"));
    }
    fields.push_back(std::move(field));
    of_each.push_back(annotations);
  } while (take(","));
  expect(";");
  number_members(fields, of_each, is_hashed);
}

void Parser::structure(const Annotations& annotations) {
  expect("struct");
  std::string own = name();
  if (take(";")) return;  // declared ahead: known when it is defined
  std::string whole = names_.full(own);
  std::string type_name = ros::full_name(whole);
  if (schema_.language == "omgidl") type_name = whole;
  Type& type = builder_.add(Kind::structure, type_name);
  std::vector<Field> fields;
  if (take(":")) {
    std::string parent = scoped_name();
    const Type* found = names_.type(parent);
    if (!found) miss(parent);
    if (found->kind != Kind::structure) fail(fmt::format("{} is not a structure", parent));
    fields = found->fields;
    // Fields are copied, so a chain of structures that inherit from one another would cost their
    // square.
    inherited_fields_ += fields.size();
    if (inherited_fields_ > kMaxTypeFields) {
      throw Error(ErrorCode::limit,
                  fmt::format("definition of {}: its structures inherit more than "
                              "{} members",
                              printable(schema_.name), kMaxTypeFields));
    }
  }
  expect("{");
  names_.declare(own, type);  // sequences of its own kind may lie in it
  open_ = whole;
  while (!is_at("}")) {
    if (token().what == Token::What::end) fail(fmt::format("{} is not closed", own));
    member(fields, is_autoid_hash(annotations));
  }
  expect("}");
  expect(";");
  require_unique(fields);
  bool is_empty = fields.size() == 1 && fields[0].name == kPlaceholder;
  if (!is_empty) type.fields = std::move(fields);
  type.extensibility = extensibility_of(annotations, default_);
  if (type.fields.size() == 2) type.role = ros2::role_of(type.name);
  auto constants = constants_of_.find(whole + "_Constants");
  if (constants != constants_of_.end()) type.constants = constants->second;
  open_.clear();
}

void Parser::union_type(const Annotations& annotations) {
  expect("union");
  std::string own = name();
  if (take(";")) return;
  std::string type_name = ros::full_name(names_.full(own));
  if (schema_.language == "omgidl") type_name = names_.full(own);
  Type& type = builder_.add(Kind::tagged_union, type_name);
  names_.declare(own, type);
  open_ = names_.full(own);
  expect("switch");
  expect("(");
  this->annotations();
  const Type& discriminator = types_.type();
  if (!is_scalar(discriminator.kind) || is_real(discriminator.kind)) {
    fail(
        "the discriminator of a union must be an integer, a boolean, a character or an "
        "enumeration");
  }
  expect(")");
  expect("{");
  std::vector<Field> fields(1);
  fields[0].name = "$discriminator";
  fields[0].type = &discriminator;
  while (!is_at("}")) {
    if (token().what == Token::What::end) fail(fmt::format("{} is not closed", own));
    bool is_default = false;
    auto its_labels = labels(discriminator, is_default);
    std::size_t before = fields.size();
    member(fields, is_autoid_hash(annotations));
    if (fields.size() != before + 1) fail("a branch of a union must have one member");
    fields.back().labels = std::move(its_labels);
    fields.back().is_default = is_default;
  }
  expect("}");
  expect(";");
  require_unique(fields);
  type.fields = std::move(fields);
  type.extensibility = extensibility_of(annotations, default_);
  open_.clear();
}

void Parser::require_unique(const std::vector<Field>& fields) const {
  std::set<std::string_view> names;
  for (const Field& field : fields) {
    if (!names.insert(field.name).second) fail(fmt::format("duplicate member {}", field.name));
  }
}

std::vector<std::int64_t> Parser::labels(const Type& discriminator, bool& is_default) {
  auto [values, is_new] = enumerators_of_.try_emplace(&discriminator);
  if (is_new) {
    for (const Enumerator& one : discriminator.enumerators) {
      values->second.emplace(one.name, one.value);
    }
  }
  std::vector<std::int64_t> found;
  for (;;) {
    if (take("default")) {
      is_default = true;
    } else if (take("case")) {
      std::size_t ahead = 0;
      // Color::RED is RED: its last part is looked at.
      while (token(ahead + 1).text == "::") ahead += 2;
      auto named = values->second.find(token(ahead).text);
      if (named == values->second.end()) {
        found.push_back(expressions_.integer());
      } else {
        found.push_back(named->second);
        pass(ahead + 1);
      }
    } else {
      break;
    }
    expect(":");
  }
  if (found.empty() && !is_default) {
    fail("a branch of a union must begin with \"case\" or \"default\"");
  }
  return found;
}

Kind base_of(std::int64_t bits, bool is_mask) {
  if (bits <= 8) return is_mask ? Kind::uint8 : Kind::int8;
  if (bits <= 16) return is_mask ? Kind::uint16 : Kind::int16;
  if (bits <= 32) return is_mask ? Kind::uint32 : Kind::int32;
  return Kind::uint64;
}

void Parser::enumeration(const Annotations& annotations) {
  expect("enum");
  std::string own = name();
  Type& type = builder_.add(Kind::enumeration, names_.full(own));
  type.base = base_of(bit_bound(annotations), false);
  expect("{");
  std::int64_t next = 0;
  while (!is_at("}")) {
    Annotations of_value = this->annotations();
    std::string value_name = name();
    const Annotation* value = find(of_value, "value");
    if (value && value->value()) {
      Literal literal = literal_of(builtin_type(Kind::int64), value->values.at("value"));
      next = std::get<std::int64_t>(literal.value);
    }
    if (take("=")) next = expressions_.integer();
    type.enumerators.push_back({value_name, next});
    // Both are written: RED, as in C, and Color::RED.
    names_.declare(value_name, Value{Kind::int64, Literal{next}});
    names_.declare(own + "::" + value_name, Value{Kind::int64, Literal{next}});
    ++next;
    if (!take(",")) break;
  }
  expect("}");
  expect(";");
  names_.declare(own, type);
}

void Parser::bitmask(const Annotations& annotations) {
  expect("bitmask");
  std::string own = name();
  expect("{");
  while (!is_at("}")) {
    this->annotations();
    name();
    if (!take(",")) break;
  }
  expect("}");
  expect(";");
  // A payload has the number, and nobody asks for the names of its bits.
  names_.declare(own, builtin_type(base_of(bit_bound(annotations), true)));
}

void Parser::type_definition() {
  expect("typedef");
  const Type& type = types_.type();
  do {
    std::string own = name();
    names_.declare(own, types_.dimensions(type));
  } while (take(","));
  expect(";");
}

/// A bag's text holds several files, each behind "====" and "IDL: package/msg/Type".
std::vector<std::string> files_in(std::string_view text) {
  std::vector<std::string> files(1);
  bool is_behind_separator = false;
  for (std::string_view line : lines_of(text)) {
    std::string_view clean = trimmed(line);
    bool is_separator = ros::is_separator(line);
    if (is_behind_separator && clean.starts_with("IDL:")) {
      files.emplace_back();
    } else if (!is_separator) {
      files.back() += line;
    }
    files.back() += '\n';
    is_behind_separator = is_separator;
  }
  return files;
}

}  // namespace

TypePtr parse(const Schema& schema) {
  if (schema.text.size() > kMaxTextBytes) {
    throw Error(ErrorCode::corrupt, fmt::format("definition of {}: it has more than {} bytes",
                                                printable(schema.name), kMaxTextBytes));
  }
  Parser parser(schema);
  for (const std::string& file : files_in(schema.text)) {
    parser.add(tokens_of(file, schema.name));
  }
  return parser.parse();
}

}  // namespace kitbag::ros2idl
