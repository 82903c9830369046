#include "language/ros2msg/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_set>

#include "base/lines.h"
#include "kitbag/error.h"
#include "language/ros/names.h"
#include "language/ros2msg/sections.h"
#include "model/type/literal.h"

// The rules are those of rosidl_adapter (parser.py): a line is a field with perhaps a default, or a
// constant if a '=' follows its name.
//
// The file of a service has two parts, that of an action three, with "---" between. What is sent
// are messages that no file has: requests and responses, which for an action have a goal's id
// beside its parts, and events, which hold a request and a response as lists of one at most. They
// are generated here as rosidl generates them, because a bag has the channel of an event or a
// feedback with the text of the whole service or action. Parts that a text leaves out at its end
// are empty.

namespace kitbag::ros2msg {

namespace {

bool is_word_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name(std::string_view text) {
  bool starts_well =
      !text.empty() && is_word_part(text.front()) && !(text.front() >= '0' && text.front() <= '9');
  return starts_well && std::all_of(text.begin(), text.end(), is_word_part);
}

std::string_view next_word(std::string_view& line) {
  line = trimmed(line);
  std::size_t end = std::min(line.find_first_of(" \t"), line.size());
  std::string_view word = line.substr(0, end);
  line = trimmed(line.substr(end));
  return word;
}

/// The alias in the comment after a declaration.
Alias alias_in(std::string_view comment) {
  std::size_t begin = comment.find_first_not_of(" \t#");
  if (begin == std::string_view::npos) return {};
  comment.remove_prefix(begin);
  if (!comment.starts_with(kAlias)) return {};
  comment.remove_prefix(kAlias.size());
  std::string_view first = next_word(comment);
  std::string_view second = next_word(comment);
  if (second.empty()) std::swap(first, second);
  if (!is_name(second) || !comment.empty()) return {};
  return {std::string(second), std::string(first)};
}

/// Parses a section, and adds the messages that middlewares generate for it.
class SectionParser {
 public:
  SectionParser(const Section& section, std::size_t& declarations, Definitions& into)
      : section_(section), declarations_(declarations), into_(into) {}

  void parse();

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::corrupt, fmt::format("definition of {}, line {}: {}",
                                                printable(section_.name), line_number_, what));
  }
  void begin(const std::string& suffix) {
    current_ = &into_[section_.name + suffix];
    *current_ = Definition{section_.name + suffix, {}, {}};
    names_.clear();
  }
  void next_part();
  void complete();
  void take_line(std::string_view line, const Alias& alias);
  void take_type(Field& field, std::string_view type) const;
  void take_array(Field& field, std::string_view bracket) const;
  std::uint64_t number(std::string_view text) const;
  void take_constant(const Field& field, std::string_view value);

  const Section& section_;
  std::size_t& declarations_;
  Definitions& into_;
  Definition* current_ = nullptr;
  std::unordered_set<std::string> names_;  ///< of its fields
  std::size_t part_ = 0;
  std::size_t line_number_ = 0;
};

constexpr std::array<std::string_view, 2> kServiceParts = {"_Request", "_Response"};
constexpr std::array<std::string_view, 3> kActionParts = {"_Goal", "_Result", "_Feedback"};

void SectionParser::parse() {
  line_number_ = section_.first_line;
  if (section_.kind == SectionKind::message) {
    begin("");
  } else {
    next_part();
  }
  for (std::string_view line : section_.lines) {
    std::string_view clean = without_comment(line);
    if (clean == "---" && section_.kind != SectionKind::message) {
      next_part();
    } else if (!clean.empty()) {
      take_line(clean, alias_in(line.substr(line.find(clean) + clean.size())));
    }
    ++line_number_;
  }
  complete();
}

void SectionParser::next_part() {
  bool is_service = section_.kind == SectionKind::service;
  std::size_t parts = is_service ? kServiceParts.size() : kActionParts.size();
  if (part_ == parts) fail("unexpected '---'");
  begin(std::string(is_service ? kServiceParts[part_] : kActionParts[part_]));
  ++part_;
}

Field plain_field(std::string type, std::string name) {
  Field field;
  field.type = std::move(type);
  field.name = std::move(name);
  return field;
}

/// The messages that middlewares generate for services (service_msgs) and actions (action_msgs).
void SectionParser::complete() {
  const std::string& name = section_.name;
  auto add = [&](const std::string& suffix, std::vector<Field> fields) {
    into_[name + suffix] = Definition{name + suffix, std::move(fields), {}};
  };
  auto one_at_most = [](std::string type, std::string field_name) {
    Field field = plain_field(std::move(type), std::move(field_name));
    field.array = Array::bounded;
    field.length = 1;
    return field;
  };
  auto add_event = [&](const std::string& base) {
    add(base + "_Event", {plain_field("service_msgs/ServiceEventInfo", "info"),
                          one_at_most(name + base + "_Request", "request"),
                          one_at_most(name + base + "_Response", "response")});
  };
  if (section_.kind == SectionKind::service) {
    while (part_ < kServiceParts.size()) next_part();
    add_event("");
  } else if (section_.kind == SectionKind::action) {
    while (part_ < kActionParts.size()) next_part();
    Field id = plain_field("unique_identifier_msgs/UUID", "goal_id");
    add("_SendGoal_Request", {id, plain_field(name + "_Goal", "goal")});
    add("_SendGoal_Response",
        {plain_field("bool", "accepted"), plain_field("builtin_interfaces/Time", "stamp")});
    add("_GetResult_Request", {id});
    add("_GetResult_Response",
        {plain_field("int8", "status"), plain_field(name + "_Result", "result")});
    add("_FeedbackMessage", {id, plain_field(name + "_Feedback", "feedback")});
    add_event("_SendGoal");
    add_event("_GetResult");
  }
}

void SectionParser::take_line(std::string_view line, const Alias& alias) {
  if (++declarations_ > kMaxDeclarations) {
    fail(fmt::format("more than {} fields and constants", kMaxDeclarations));
  }
  Field field;
  field.alias = alias;
  std::string_view word = next_word(line);
  for (; word.starts_with('@'); word = next_word(line)) {
    field.is_key |= word == "@key";
    field.is_optional |= word == "@optional";
  }
  if (word.empty()) return;
  take_type(field, word);
  std::size_t end = 0;
  while (end < line.size() && is_word_part(line[end])) ++end;
  field.name = line.substr(0, end);
  if (!is_name(field.name)) fail(fmt::format("'{}' is not a valid field name", printable(line)));
  // The comment may give another word for the type alone (alias_in()).
  if (field.alias.name == field.name) field.alias.name.clear();
  std::string_view rest = trimmed(line.substr(end));
  if (rest.starts_with('=')) return take_constant(field, trimmed(rest.substr(1)));
  if (!names_.insert(field.name).second) fail(fmt::format("duplicate field '{}'", field.name));
  if (!rest.empty()) field.default_text = rest;
  current_->fields.push_back(std::move(field));
}

std::uint64_t SectionParser::number(std::string_view text) const {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value > UINT32_MAX) {
    fail(fmt::format("'{}' is not a valid length", printable(text)));
  }
  return value;
}

void SectionParser::take_array(Field& field, std::string_view bracket) const {
  if (!bracket.ends_with(']')) fail(fmt::format("'{}' is not a valid array", printable(bracket)));
  std::string_view inside = bracket.substr(1, bracket.size() - 2);
  if (inside.empty()) {
    field.array = Array::unbounded;
  } else if (inside.starts_with("<=")) {
    field.array = Array::bounded;
    field.length = number(inside.substr(2));
  } else {
    field.array = Array::fixed;
    field.length = number(inside);
  }
}

void SectionParser::take_type(Field& field, std::string_view type) const {
  std::size_t bracket = std::min(type.find('['), type.size());
  if (bracket < type.size()) take_array(field, type.substr(bracket));
  type = type.substr(0, bracket);
  std::size_t bound = type.find("<=");
  if (bound != std::string_view::npos) {
    field.text_bound = number(type.substr(bound + 2));
    type = type.substr(0, bound);
    auto kind = kind_of(type);
    if (!kind || !is_text(*kind)) fail(fmt::format("{} cannot have a bound", printable(type)));
  }
  std::size_t parts = 1;
  std::size_t begin = 0;
  for (std::size_t slash = 0; (slash = type.find('/', begin)) != std::string_view::npos; ++parts) {
    // One more than may be there, so that it is refused below.
    if (!is_name(type.substr(begin, slash - begin))) parts = 3;
    begin = slash + 1;
  }
  if (!is_name(type.substr(begin)) || parts > 3) {
    fail(fmt::format("'{}' is not a valid type", printable(type)));
  }
  field.type = type;
}

void SectionParser::take_constant(const Field& field, std::string_view value) {
  auto kind = kind_of(field.type);
  if (!kind || field.array != Array::none) {
    fail(fmt::format("the constant {} does not have a primitive type", field.name));
  }
  if (value.empty()) fail(fmt::format("the constant {} has no value", field.name));
  Constant constant{*kind, field.name, std::string(value), "", field.alias};
  if (field.type == "char") constant.word = field.type;
  if (is_text(*kind)) {
    constant.text = std::get<std::string>(parse_literal(builtin_type(*kind), value).value);
  }
  current_->constants.push_back(std::move(constant));
}

}  // namespace

std::optional<Kind> kind_of(std::string_view word) {
  if (word == "char") return Kind::uint8;
  auto kind = kind_named(word);
  return kind == Kind::wide_char ? std::nullopt : kind;  // a word of other languages
}

Definitions parse(std::string_view name, std::string_view text) {
  std::vector<Section> sections = sections_of(name, text);
  const Section& first = sections.front();
  bool is_empty = std::all_of(first.lines.begin(), first.lines.end(),
                              [](std::string_view line) { return trimmed(line).empty(); });
  Definitions definitions;
  std::size_t declarations = 0;
  // From the last to the first: of two definitions of one name, the first one counts.
  for (std::size_t i = sections.size(); i-- > 1;) {
    SectionParser(sections[i], declarations, definitions).parse();
  }
  if (!is_empty || definitions.count(first.name) == 0) {
    // A text that begins with a separator has an empty first section, which is no message without
    // fields.
    bool is_part = is_empty && definitions.count(ros::full_name(name)) > 0;
    if (!is_part) SectionParser(first, declarations, definitions).parse();
  }
  return definitions;
}

}  // namespace kitbag::ros2msg
