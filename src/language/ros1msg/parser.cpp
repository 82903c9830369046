#include "language/ros1msg/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "base/lines.h"
#include "kitbag/error.h"
#include "language/ros/definition_text.h"
#include "language/ros/names.h"

// The rules are genmsg's (msg_loader.py), because the MD5 sum of a definition depends on how it was
// read: a comment ends a line except in a string constant, a line with '=' is a constant, a string
// constant's value goes to the end of the line. More generous than genmsg: tabs separate too.

namespace kitbag::ros1msg {
namespace {

constexpr std::string_view kBlanks = " \t\r\n\v\f";

/// What is left of a line before a comment.
std::string_view without_comment(std::string_view line) {
  return trimmed(line.substr(0, line.find('#')));
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trimmed(line)).empty()) {
    std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::string_view value_of(std::string_view line) {
  return trimmed(line.substr(line.find('=') + 1));
}

/// gentools takes a string constant's name from behind the first space of its line, which an
/// indented line has in front of the type.
std::string md5_name(std::string_view line) {
  std::string_view left = line.substr(0, line.find('='));
  std::size_t space = left.find(' ');
  return std::string(trimmed(left.substr(space + 1)));
}

class DefinitionParser {
 public:
  DefinitionParser(std::string_view name, std::string_view text) : main_(name), text_(text) {}

  Definitions parse();

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::corrupt,
                fmt::format("definition of {}, line {}: {}", printable(main_), line_number_, what));
  }
  bool next_line(std::string_view& line);
  void begin(std::string_view name);
  void end(std::size_t at) { current().text = text_.substr(begin_, at - std::min(at, begin_)); }
  void take_header();
  void take_constant(std::string_view line, std::string_view clean);
  void take_field(std::string_view clean);
  void take_type(Field& field, std::string_view type) const;
  void count_declaration();
  Definition& current() { return definitions_.back(); }

  std::string_view main_;
  std::string_view text_;
  std::size_t line_begin_ = 0;  ///< of the line given last
  std::size_t next_ = 0;        ///< where the next one begins
  std::size_t line_number_ = 0;
  std::size_t begin_ = 0;  ///< of the current definition's text
  std::size_t declarations_ = 0;
  std::unordered_set<std::string> names_;  ///< of the current definition's fields
  Definitions definitions_;
};

Definitions DefinitionParser::parse() {
  if (text_.size() > kMaxTextBytes) {
    fail(fmt::format("it has {} bytes, more than {}", text_.size(), kMaxTextBytes));
  }
  begin(main_);
  for (std::string_view line; next_line(line);) {
    if (ros::is_separator(line)) {
      // The newline in front belongs to the separator (ros::nested_head()). md5sum_v1() is over the
      // texts without it.
      end(line_begin_ == 0 ? 0 : line_begin_ - 1);
      take_header();
      continue;
    }
    std::string_view clean = without_comment(line);
    if (clean.empty()) continue;
    if (clean.find('=') != std::string_view::npos) {
      take_constant(line, clean);
    } else {
      take_field(clean);
    }
  }
  end(text_.size());
  return std::move(definitions_);
}

bool DefinitionParser::next_line(std::string_view& line) {
  if (next_ >= text_.size()) return false;
  std::size_t end = std::min(text_.find('\n', next_), text_.size());
  line = text_.substr(next_, end - next_);
  line_begin_ = next_;
  next_ = end + 1;
  ++line_number_;
  return true;
}

void DefinitionParser::begin(std::string_view name) {
  if (definitions_.size() == kMaxDefinitions) {
    fail(fmt::format("more than {} messages", kMaxDefinitions));
  }
  definitions_.emplace_back().name = name;
  begin_ = std::min(next_, text_.size());
  names_.clear();
}

void DefinitionParser::take_header() {
  constexpr std::string_view kHeader = "MSG:";
  std::string_view line;
  if (!next_line(line) || !line.starts_with(kHeader)) {
    fail("a line 'MSG: package/Type' must follow the separator");
  }
  std::string_view name = trimmed(line.substr(kHeader.size()));
  if (!ros::is_type_name(name))
    fail(fmt::format("'{}' is not a valid message name", printable(name)));
  begin(name);
}

void DefinitionParser::count_declaration() {
  if (++declarations_ > kMaxDeclarations) {
    fail(fmt::format("more than {} fields and constants", kMaxDeclarations));
  }
}

void DefinitionParser::take_constant(std::string_view line, std::string_view clean) {
  count_declaration();
  auto words = words_of(clean.substr(0, clean.find('=')));
  if (words.empty() || !kind_of(words.front())) {
    fail(fmt::format("'{}' is not a valid constant", printable(clean)));
  }
  if (words.size() == 1) fail(fmt::format("the constant '{}' has no name", printable(clean)));
  Constant constant;
  constant.type = words.front();
  constant.name = fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
  bool is_string = constant.type == "string";
  constant.value = value_of(is_string ? line : clean);
  if (!is_string && (constant.value.empty() || constant.value.find('=') != std::string::npos)) {
    fail(fmt::format("the constant '{}' has no value", printable(clean)));
  }
  std::string name = is_string ? md5_name(line) : constant.name;
  constant.declaration = fmt::format("{} {}={}", constant.type, name, constant.value);
  current().constants.push_back(std::move(constant));
}

void DefinitionParser::take_field(std::string_view clean) {
  count_declaration();
  auto words = words_of(clean);
  if (words.size() != 2) {
    fail(fmt::format("'{}' is not a type and a name", printable(clean)));
  }
  Field field;
  take_type(field, words[0]);
  if (!ros::is_name(words[1]))
    fail(fmt::format("'{}' is not a valid field name", printable(words[1])));
  field.name = words[1];
  if (!names_.insert(field.name).second) fail(fmt::format("duplicate field '{}'", field.name));
  current().fields.push_back(std::move(field));
}

void DefinitionParser::take_type(Field& field, std::string_view type) const {
  std::size_t bracket = std::min(type.find('['), type.size());
  field.type = type.substr(0, bracket);
  field.brackets = type.substr(bracket);
  if (!ros::is_type_name(field.type))
    fail(fmt::format("'{}' is not a valid type", printable(type)));
  if (field.brackets.empty()) return;
  field.array = field.brackets == "[]" ? Array::dynamic : Array::fixed;
  if (field.array == Array::dynamic) return;
  const char* begin = field.brackets.data() + 1;
  const char* end = field.brackets.data() + field.brackets.size() - 1;
  // Of a lone "[", the end lies in front of the beginning.
  auto [rest, error] = std::from_chars(begin, std::max(begin, end), field.length);
  if (error != std::errc() || rest != end || *end != ']') {
    fail(fmt::format("'{}' is not a valid array length", printable(field.brackets)));
  }
}

}  // namespace

Definitions parse(std::string_view name, std::string_view text) {
  return DefinitionParser(name, text).parse();
}

bool is_builtin(std::string_view type) {
  return kind_of(type) || type == "time" || type == "duration";
}

std::optional<Kind> kind_of(std::string_view word) {
  if (word == "byte") return Kind::int8;
  if (word == "char") return Kind::uint8;
  auto kind = kind_named(word);
  bool is_wide = kind == Kind::wide_char || kind == Kind::wide_text;  // of other languages
  return is_wide ? std::nullopt : kind;
}

std::string_view package_of(std::string_view name) {
  std::size_t slash = name.find('/');
  return slash == std::string_view::npos ? std::string_view() : name.substr(0, slash);
}

std::vector<std::string> meanings(const Field& field, std::string_view package) {
  // Header may be written without its package (REP 100), which was roslib before 2011.
  constexpr const char* kHeader = "std_msgs/Header";
  constexpr const char* kOldHeader = "roslib/Header";
  if (field.type == kHeader) return {kHeader, kOldHeader};
  if (field.type == kOldHeader) return {kOldHeader, kHeader};
  if (field.type.find('/') != std::string::npos) return {field.type};
  std::string own = package.empty() ? field.type : fmt::format("{}/{}", package, field.type);
  if (field.type != "Header") return {own};
  if (field.array != Array::none) return {own, kHeader, kOldHeader};
  return {kHeader, kOldHeader, own};
}

Names by_name(const Definitions& definitions) {
  Names names;
  for (const Definition& each : definitions) names[each.name] = &each;
  return names;
}

const Definition* find(const Names& names, const Field& field, const Definition& user) {
  for (const std::string& name : meanings(field, package_of(user.name))) {
    auto found = names.find(name);
    if (found != names.end()) return found->second;
  }
  return nullptr;
}

}  // namespace kitbag::ros1msg
