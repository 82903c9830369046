#include "language/ros2idl/parser.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "base/lines.h"
#include "kitbag/error.h"
#include "language/ros2/adapt.h"
#include "language/ros2/names.h"
#include "language/ros2idl/tokens.h"

namespace kitbag::ros2idl {

namespace {

/// Deeper modules, sequences of sequences and expressions are nobody's definition.
constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxLength = UINT32_MAX;
/// What ROS 2 puts into a message without fields, since IDL had none.
constexpr std::string_view kPlaceholder = "structure_needs_at_least_one_member";
/// What 32-bit member ids that are hashes of names have set aside (XTypes 1.3, 7.3.1.2.1.1).
constexpr std::uint32_t kHashMask = 0x0fffffff;

/// "@default (value=5)": its name, and what stands in the parentheses by name; what has none is
/// under "value".
struct Annotation {
  std::string name;
  std::map<std::string, std::vector<Token>> values;

  const Token* value() const {
    auto found = values.find("value");
    return found == values.end() || found->second.empty() ? nullptr : &found->second.back();
  }
};
using Annotations = std::vector<Annotation>;

const Annotation* find(const Annotations& annotations, std::string_view name) {
  for (const Annotation& each : annotations) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

/// A value that a constant, a bound or a label has.
struct Value {
  Kind kind = Kind::int64;
  Literal literal;
};

class Parser {
 public:
  explicit Parser(const Schema& schema) : schema_(schema) {
    if (schema.language == "omgidl") default_ = Extensibility::appendable;
  }

  void add(std::vector<Token> file) { files_.push_back(std::move(file)); }
  /// Of all files.
  TypePtr parse();

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::corrupt, fmt::format("definition of {}, line {}: {}",
                                                printable(schema_.name), token().line, what));
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorCode::unsupported, fmt::format("definition of {}, line {}: {}",
                                                    printable(schema_.name), token().line, what));
  }

  const Token& token(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool is_at(std::string_view text) const {
    const Token& here = token();
    bool is_word = here.what == Token::What::sign || here.what == Token::What::name;
    return is_word && here.text == text;
  }
  bool take(std::string_view text) {
    if (!is_at(text)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    if (!take(text)) {
      fail(fmt::format("\"{}\" should be where \"{}\" is", text, printable(token().text)));
    }
  }
  std::string name() {
    if (token().what != Token::What::name) {
      fail(fmt::format("a name should be where \"{}\" is", printable(token().text)));
    }
    std::string text = tokens_[at_++].text;
    bool is_escaped = text.size() > 1 && text[0] == '_';  // a name that is a word of IDL else
    return is_escaped ? text.substr(1) : text;
  }
  std::string scoped_name();
  std::string full(const std::string& name) const {
    return scope_.empty() ? name : fmt::format("{}::{}", fmt::join(scope_, "::"), name);
  }

  Annotations annotations();
  void definition();
  void module();
  void constant();
  void structure(const Annotations& annotations);
  void union_type(const Annotations& annotations);
  void enumeration(const Annotations& annotations);
  void bitmask(const Annotations& annotations);
  void type_definition();
  void declare(const std::string& name, const Type& type);
  void member(std::vector<Field>& fields, bool is_hashed);
  std::vector<std::int64_t> labels(const Type& discriminator, bool& is_default);
  const Type& type_spec();
  std::optional<Kind> primitive();
  const Type& dimensions(const Type& element);
  std::uint64_t bound();
  Value expression();
  Value sum();
  Value product();
  Value factor();
  template <class Part>
  Value operation(Part part, std::string_view signs);
  std::int64_t integer(const Value& value) const;
  Extensibility extensibility(const Annotations& annotations) const;
  void number_members(std::vector<Field>& fields, const std::vector<Annotations>& annotations,
                      bool is_hashed) const;
  Literal literal_for(const Type& type, const std::vector<Token>& tokens) const;
  template <class Table>
  const typename Table::mapped_type* resolve(const Table& table, const std::string& name) const;

  void parse_files();

  const Schema& schema_;
  std::vector<std::vector<Token>> files_;
  std::vector<Token> tokens_;  ///< of the file that is being parsed
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  Extensibility default_ = Extensibility::fixed;
  std::vector<std::string> scope_;
  TypeBuilder builder_;
  std::map<std::string, const Type*> types_;
  std::map<std::string, Value> constants_;
  std::map<std::string, std::vector<Constant>> constants_of_;  ///< by module
};

/// By its full name, or the nearest scope's that has it.
template <class Table>
const typename Table::mapped_type* Parser::resolve(const Table& table,
                                                   const std::string& name) const {
  for (std::size_t depth = scope_.size() + 1; depth-- > 0;) {
    std::string whole =
        depth == 0
            ? name
            : fmt::format("{}::{}",
                          fmt::join(scope_.begin(),
                                    scope_.begin() + static_cast<std::ptrdiff_t>(depth), "::"),
                          name);
    auto found = table.find(whole);
    if (found != table.end()) return &found->second;
  }
  return nullptr;
}

std::string Parser::scoped_name() {
  take("::");
  std::string whole = name();
  while (take("::")) whole += "::" + name();
  return whole;
}

Annotations Parser::annotations() {
  Annotations found;
  while (take("@")) {
    Annotation annotation;
    annotation.name = scoped_name();
    if (take("(")) {
      std::string key = "value";
      for (std::size_t depth = 1; depth > 0; ++at_) {
        const Token& here = token();
        if (here.what == Token::What::end) fail("an annotation is not closed");
        bool is_sign = here.what == Token::What::sign;
        if (is_sign && here.text == "(") ++depth;
        if (is_sign && here.text == ")" && --depth == 0) continue;
        if (here.what == Token::What::name && token(1).text == "=" && depth == 1) {
          key = here.text;
          ++at_;
        } else if (!(is_sign && here.text == "," && depth == 1)) {
          annotation.values[key].push_back(here);
        }
      }
    }
    found.push_back(std::move(annotation));
  }
  return found;
}

/// In whatever order they come: a file that needs another waits until that has been parsed.
void Parser::parse_files() {
  while (!files_.empty()) {
    std::vector<std::vector<Token>> waiting;
    std::optional<Error> missing;
    for (auto& file : files_) {
      tokens_ = file;
      at_ = depth_ = 0;
      scope_.clear();
      try {
        while (token().what != Token::What::end) definition();
      } catch (const Error& error) {
        if (error.code() != ErrorCode::not_found) throw;
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
  std::string wanted = ros2::full_name(schema_.name);
  const Type* root = nullptr;
  for (const auto& [name, type] : types_) {
    bool is_it = name == schema_.name || ros2::full_name(name) == wanted;
    if (is_it && is_compound(type->kind)) root = type;
  }
  if (!root) {
    throw Error(ErrorCode::not_found,
                fmt::format("there is no definition of {}", printable(schema_.name)));
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
  fail(fmt::format("\"{}\" begins no definition", printable(token().text)));
}

void Parser::module() {
  if (++depth_ > kMaxDepth) fail("modules lie too deep in one another");
  expect("module");
  scope_.push_back(name());
  expect("{");
  while (!is_at("}")) {
    if (token().what == Token::What::end) fail("a module is not closed");
    definition();
  }
  expect("}");
  scope_.pop_back();
  --depth_;
}

void Parser::constant() {
  expect("const");
  const Type& type = type_spec();
  std::string own = name();
  expect("=");
  std::size_t begin = at_;
  Value value = expression();
  value.kind = type.kind;
  std::string text = tokens_[begin].text;
  if (at_ - begin > 1) {
    text.clear();
    for (std::size_t i = begin; i < at_; ++i) text += tokens_[i].text;
  }
  expect(";");
  constants_[full(own)] = std::move(value);
  constants_of_[fmt::format("{}", fmt::join(scope_, "::"))].push_back({type.kind, own, text});
}

void Parser::declare(const std::string& name, const Type& type) {
  types_[full(name)] = &type;
}

Extensibility Parser::extensibility(const Annotations& annotations) const {
  if (find(annotations, "mutable")) return Extensibility::by_id;
  if (find(annotations, "appendable")) return Extensibility::appendable;
  if (find(annotations, "final")) return Extensibility::fixed;
  const Annotation* named = find(annotations, "extensibility");
  if (!named || !named->value()) return default_;
  const std::string& value = named->value()->text;
  if (value == "MUTABLE") return Extensibility::by_id;
  return value == "APPENDABLE" ? Extensibility::appendable : Extensibility::fixed;
}

/// By @id or @hashid; else one more than the one before, or under @autoid(HASH) a hash of the name.
void Parser::number_members(std::vector<Field>& fields, const std::vector<Annotations>& annotations,
                            bool is_hashed) const {
  auto hash = [](const std::string& text) {
    std::array<unsigned char, 16> digest;
    // A checksum that XTypes prescribes; nothing is kept safe by it.
    EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_md5(), nullptr);
    std::uint32_t id = 0;
    for (std::size_t i = 4; i-- > 0;) id = id << 8 | digest[i];
    return id & kHashMask;
  };
  std::size_t begin = fields.size() - annotations.size();
  std::uint32_t next = begin == 0 ? 0 : fields[begin - 1].id + 1;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    Field& field = fields[begin + i];
    const Annotation* id = find(annotations[i], "id");
    const Annotation* hash_id = find(annotations[i], "hashid");
    field.id = is_hashed ? hash(field.name) : next;
    if (hash_id) field.id = hash(hash_id->value() ? hash_id->value()->text : field.name);
    if (id && id->value()) {
      const std::string& text = id->value()->text;
      bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
      const char* first = text.data() + (is_hexadecimal ? 2 : 0);
      std::from_chars(first, text.data() + text.size(), field.id, is_hexadecimal ? 16 : 10);
    }
    next = field.id + 1;
  }
}

Literal Parser::literal_for(const Type& type, const std::vector<Token>& tokens) const {
  if (tokens.empty()) return Literal{std::int64_t{0}};
  const Token& first = tokens.front();
  bool is_negative = first.text == "-" && tokens.size() > 1;
  const std::string& text = is_negative ? tokens[1].text : first.text;
  if (is_text(type.kind)) return Literal{first.text};
  if (type.kind == Kind::boolean) return Literal{text == "TRUE" || text == "true"};
  if (type.kind == Kind::enumeration) {
    std::string own = tokens.back().text;
    for (const Enumerator& one : type.enumerators) {
      if (one.name == own) return Literal{one.value};
    }
  }
  if (is_real(type.kind)) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return Literal{is_negative ? -value : value};
  }
  std::uint64_t value = 0;
  bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const char* begin = text.data() + (is_hexadecimal ? 2 : 0);
  std::from_chars(begin, text.data() + text.size(), value, is_hexadecimal ? 16 : 10);
  if (type.kind == Kind::uint64) return Literal{value};
  auto number = static_cast<std::int64_t>(value);
  return Literal{is_negative ? -number : number};
}

void Parser::member(std::vector<Field>& fields, bool is_hashed) {
  Annotations annotations = this->annotations();
  const Type& element = type_spec();
  std::vector<Annotations> of_each;
  do {
    Field field;
    field.name = name();
    field.type = &dimensions(element);
    bool is_known = std::any_of(fields.begin(), fields.end(),
                                [&](const Field& other) { return other.name == field.name; });
    if (is_known) fail(fmt::format("a second member {}", field.name));
    field.is_optional = find(annotations, "optional") != nullptr;
    field.is_key = find(annotations, "key") != nullptr;
    const Annotation* by_default = find(annotations, "default");
    if (by_default && by_default->value() && !is_list(field.type->kind)) {
      field.default_value = literal_for(*field.type, by_default->values.at("value"));
    }
    fields.push_back(std::move(field));
    of_each.push_back(annotations);
  } while (take(","));
  expect(";");
  number_members(fields, of_each, is_hashed);
}

bool is_autoid_hash(const Annotations& annotations) {
  const Annotation* autoid = find(annotations, "autoid");
  return autoid && (!autoid->value() || autoid->value()->text == "HASH");
}

void Parser::structure(const Annotations& annotations) {
  expect("struct");
  std::string own = name();
  if (take(";")) return;  // declared ahead: known when it is defined
  std::string whole = full(own);
  std::string type_name = ros2::full_name(whole);
  if (schema_.language == "omgidl") type_name = whole;
  Type& type = builder_.add(Kind::structure, type_name);
  std::vector<Field> fields;
  if (take(":")) {
    std::string parent = scoped_name();
    const Type* const* found = resolve(types_, parent);
    if (!found || (*found)->kind != Kind::structure) fail(fmt::format("no structure {}", parent));
    fields = (*found)->fields;
  }
  expect("{");
  declare(own, type);  // sequences of its own kind may lie in it
  while (!is_at("}")) {
    if (token().what == Token::What::end) fail(fmt::format("{} is not closed", own));
    member(fields, is_autoid_hash(annotations));
  }
  expect("}");
  expect(";");
  bool is_empty = fields.size() == 1 && fields[0].name == kPlaceholder;
  if (!is_empty) type.fields = std::move(fields);
  type.extensibility = extensibility(annotations);
  if (type.fields.size() == 2) type.role = ros2::role_of(type.name);
  auto constants = constants_of_.find(whole + "_Constants");
  if (constants != constants_of_.end()) type.constants = constants->second;
}

void Parser::union_type(const Annotations& annotations) {
  expect("union");
  std::string own = name();
  if (take(";")) return;
  std::string type_name = ros2::full_name(full(own));
  if (schema_.language == "omgidl") type_name = full(own);
  Type& type = builder_.add(Kind::tagged_union, type_name);
  declare(own, type);
  expect("switch");
  expect("(");
  this->annotations();
  const Type& discriminator = type_spec();
  if (!is_scalar(discriminator.kind) || is_real(discriminator.kind)) {
    fail("a union is switched by an integer, a boolean, a character or an enumeration");
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
    if (fields.size() != before + 1) fail("a branch has one member");
    fields.back().labels = std::move(its_labels);
    fields.back().is_default = is_default;
  }
  expect("}");
  expect(";");
  type.fields = std::move(fields);
  type.extensibility = extensibility(annotations);
}

std::vector<std::int64_t> Parser::labels(const Type& discriminator, bool& is_default) {
  std::vector<std::int64_t> found;
  for (;;) {
    if (take("default")) {
      is_default = true;
    } else if (take("case")) {
      bool is_named = false;
      for (const Enumerator& one : discriminator.enumerators) {
        std::size_t ahead = 0;
        while (token(ahead + 1).text == "::") ahead += 2;
        if (token(ahead).text != one.name) continue;
        found.push_back(one.value);
        at_ += ahead + 1;
        is_named = true;
        break;
      }
      if (!is_named) found.push_back(integer(expression()));
    } else {
      break;
    }
    expect(":");
  }
  if (found.empty() && !is_default) fail("a branch of a union begins with \"case\" or \"default\"");
  return found;
}

Kind base_of(std::int64_t bits, bool is_mask) {
  if (bits <= 8) return is_mask ? Kind::uint8 : Kind::int8;
  if (bits <= 16) return is_mask ? Kind::uint16 : Kind::int16;
  if (bits <= 32) return is_mask ? Kind::uint32 : Kind::int32;
  return Kind::uint64;
}

std::int64_t bit_bound(const Annotations& annotations) {
  const Annotation* bound = find(annotations, "bit_bound");
  std::int64_t bits = 32;
  if (bound && bound->value()) {
    const std::string& text = bound->value()->text;
    std::from_chars(text.data(), text.data() + text.size(), bits);
  }
  return bits;
}

void Parser::enumeration(const Annotations& annotations) {
  expect("enum");
  std::string own = name();
  Type& type = builder_.add(Kind::enumeration, full(own));
  type.base = base_of(bit_bound(annotations), false);
  expect("{");
  std::int64_t next = 0;
  while (!is_at("}")) {
    Annotations of_value = this->annotations();
    std::string value_name = name();
    const Annotation* value = find(of_value, "value");
    if (value && value->value()) {
      Literal literal = literal_for(builtin_type(Kind::int64), value->values.at("value"));
      next = std::get<std::int64_t>(literal.value);
    }
    if (take("=")) next = integer(expression());
    type.enumerators.push_back({value_name, next});
    constants_[full(value_name)] = {Kind::int64, Literal{next}};
    constants_[full(own) + "::" + value_name] = {Kind::int64, Literal{next}};
    ++next;
    if (!take(",")) break;
  }
  expect("}");
  expect(";");
  declare(own, type);
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
  declare(own, builtin_type(base_of(bit_bound(annotations), true)));
}

void Parser::type_definition() {
  expect("typedef");
  const Type& type = type_spec();
  do {
    std::string own = name();
    declare(own, dimensions(type));
  } while (take(","));
  expect(";");
}

/// "[2][3]" behind a name: a list of two lists of three.
const Type& Parser::dimensions(const Type& element) {
  std::vector<std::uint64_t> lengths;
  while (take("[")) {
    lengths.push_back(bound());
    expect("]");
    if (lengths.size() > kMaxDepth) fail("too many dimensions");
  }
  const Type* type = &element;
  for (std::size_t i = lengths.size(); i-- > 0;) type = &builder_.array(*type, lengths[i]);
  return *type;
}

std::uint64_t Parser::bound() {
  std::int64_t length = integer(expression());
  if (length <= 0 || static_cast<std::uint64_t>(length) > kMaxLength) {
    fail(fmt::format("{} is no length", length));
  }
  return static_cast<std::uint64_t>(length);
}

std::optional<Kind> Parser::primitive() {
  struct Word {
    std::string_view name;
    Kind kind;
  };
  static constexpr std::array<Word, 16> kWords = {{{"boolean", Kind::boolean},
                                                   {"octet", Kind::octet},
                                                   {"char", Kind::character},
                                                   {"wchar", Kind::wide_char},
                                                   {"short", Kind::int16},
                                                   {"float", Kind::float32},
                                                   {"double", Kind::float64},
                                                   {"int8", Kind::int8},
                                                   {"uint8", Kind::uint8},
                                                   {"int16", Kind::int16},
                                                   {"uint16", Kind::uint16},
                                                   {"int32", Kind::int32},
                                                   {"uint32", Kind::uint32},
                                                   {"int64", Kind::int64},
                                                   {"uint64", Kind::uint64},
                                                   {"any", Kind::any}}};
  if (token().what != Token::What::name) return std::nullopt;
  if (take("unsigned")) {
    if (take("short")) return Kind::uint16;
    expect("long");
    return take("long") ? Kind::uint64 : Kind::uint32;
  }
  if (take("long")) {
    if (is_at("double")) refuse("long double is not supported");
    return take("long") ? Kind::int64 : Kind::int32;
  }
  for (const Word& word : kWords) {
    if (!is_at(word.name)) continue;
    if (word.kind == Kind::any) refuse("any is not supported");
    ++at_;
    return word.kind;
  }
  return std::nullopt;
}

const Type& Parser::type_spec() {
  if (++depth_ > kMaxDepth) fail("types lie too deep in one another");
  const Type* type = nullptr;
  if (auto kind = primitive()) {
    type = &builtin_type(*kind);
  } else if (is_at("string") || is_at("wstring")) {
    Kind text = is_at("string") ? Kind::text : Kind::wide_text;
    ++at_;
    std::uint64_t length = 0;
    if (take("<")) {
      length = bound();
      expect(">");
    }
    type = &builder_.text(text, length);
  } else if (take("sequence")) {
    expect("<");
    annotations();
    const Type& element = type_spec();
    std::uint64_t length = take(",") ? bound() : 0;
    expect(">");
    type = &builder_.sequence(element, length);
  } else if (is_at("map") || is_at("fixed")) {
    refuse(fmt::format("{} is not supported", token().text));
  } else {
    std::string whole = scoped_name();
    const Type* const* found = resolve(types_, whole);
    if (!found) {
      throw Error(ErrorCode::not_found,
                  fmt::format("definition of {}, line {}: {} is missing", printable(schema_.name),
                              token().line, printable(whole)));
    }
    type = *found;
  }
  --depth_;
  return *type;
}

std::int64_t Parser::integer(const Value& value) const {
  if (const auto* number = std::get_if<std::int64_t>(&value.literal.value)) return *number;
  if (const auto* truth = std::get_if<bool>(&value.literal.value)) return *truth ? 1 : 0;
  if (const auto* text = std::get_if<std::string>(&value.literal.value)) {
    if (text->size() == 1) return static_cast<unsigned char>(text->front());
  }
  fail("an integer should be here");
}

Value Parser::expression() {
  if (++depth_ > kMaxDepth) fail("an expression is too deep");
  Value value = operation([this] { return sum(); }, "|^&");
  --depth_;
  return value;
}
Value Parser::sum() {
  return operation([this] { return product(); }, "+-");
}
Value Parser::product() {
  return operation([this] { return factor(); }, "*/%");
}

template <class Part>
Value Parser::operation(Part part, std::string_view signs) {
  Value value = part();
  for (;;) {
    bool is_shift = is_at("<<") && signs == "+-";
    bool is_sign = token().what == Token::What::sign && token().text.size() == 1 &&
                   signs.find(token().text[0]) != std::string_view::npos;
    if (!is_shift && !is_sign) return value;
    char sign = token().text[0];
    ++at_;
    // As unsigned: what overflows is wrapped, not undefined.
    auto a = static_cast<std::uint64_t>(integer(value));
    auto b = static_cast<std::uint64_t>(integer(part()));
    if ((sign == '/' || sign == '%') && b == 0) fail("a division by 0");
    std::uint64_t result = 0;
    switch (sign) {
      case '|':
        result = a | b;
        break;
      case '^':
        result = a ^ b;
        break;
      case '&':
        result = a & b;
        break;
      case '+':
        result = a + b;
        break;
      case '-':
        result = a - b;
        break;
      case '*':
        result = a * b;
        break;
      case '/':
        result = a / b;
        break;
      case '%':
        result = a % b;
        break;
      default:
        result = b < 64 ? a << b : 0;
    }
    value = {Kind::int64, Literal{static_cast<std::int64_t>(result)}};
  }
}

Value Parser::factor() {
  if (++depth_ > kMaxDepth) fail("an expression is too deep");
  Value value;
  const Token here = token();
  if (take("(")) {
    value = expression();
    expect(")");
  } else if (take("-")) {
    value = factor();
    if (auto* real = std::get_if<double>(&value.literal.value)) {
      *real = -*real;
    } else {
      value.literal.value =
          static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(integer(value)));
    }
  } else if (take("+")) {
    value = factor();
  } else if (here.what == Token::What::text) {
    ++at_;
    value = {Kind::text, Literal{here.text}};
  } else if (here.what == Token::What::number) {
    ++at_;
    bool is_hexadecimal = here.text.starts_with("0x") || here.text.starts_with("0X");
    bool is_real = !is_hexadecimal && here.text.find_first_of(".eEdDfF") != std::string::npos;
    Kind kind = is_real ? Kind::float64 : Kind::int64;
    value = {kind, literal_for(builtin_type(kind), {here})};
  } else if (take("TRUE") || take("FALSE")) {
    value = {Kind::boolean, Literal{here.text == "TRUE"}};
  } else {
    std::string whole = scoped_name();
    const Value* found = resolve(constants_, whole);
    if (!found) fail(fmt::format("there is no constant {}", printable(whole)));
    value = *found;
  }
  --depth_;
  return value;
}

/// A bag's text holds several files, each behind "====" and "IDL: package/msg/Type".
std::vector<std::string> files_in(std::string_view text) {
  std::vector<std::string> files(1);
  bool is_behind_separator = false;
  for (std::string_view line : lines_of(text)) {
    std::string_view clean = trimmed(line);
    bool is_separator = clean.size() > 1 && clean.find_first_not_of('=') == std::string_view::npos;
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
