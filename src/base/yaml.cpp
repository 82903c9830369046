#include "base/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <istream>
#include <map>
#include <streambuf>

#include "kitbag/error.h"

// A document of a few lines can stand for any amount of values: an alias is a copy, and copies may
// have aliases in them. What is copied is charged as if it had been written out, before the copy is
// made. An anchor costs a copy too, as it is kept for aliases to come, so it is charged in the same
// way. Texts are charged separately, against the size of the document, or one long text could be
// repeated a million times. An alias within the value that it names is unknown at that point, so
// cycles cannot come about.
//
// Values are built by the events of the parser and not by its own tree: limits stop it at the value
// that exceeds them, and lists lose the memory that they have grown beyond their end.

namespace kitbag {
namespace {

/// `text` as a stream, without a copy.
class TextBuffer final : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // a streambuf that is read from writes nothing
    setg(begin, begin, begin + text.size());
  }
};

/// Makes values of the parser's events, and stops it at the limits.
class Builder final : public YAML::EventHandler {
 public:
  Builder(std::size_t text_bytes, const YamlLimits& limits)
      : limits_(limits), bytes_left_(text_bytes) {}

  Yaml take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(value_at(Yaml::Kind::null, mark), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                const std::string& text) override {
    Yaml value = value_at(Yaml::Kind::scalar, mark);
    value.scalar = text;
    add(std::move(value), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail("an alias refers to a value that contains it", mark);
    charge(found->second);
    add(Yaml(found->second), 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(value_at(Yaml::Kind::list, mark), anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(value_at(Yaml::Kind::map, mark), anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Yaml value;
    YAML::anchor_t anchor;
  };

  [[noreturn]] static void fail(std::string_view what, const YAML::Mark& mark) {
    throw Error(ErrorCode::corrupt, fmt::format("line {}: {}", mark.line + 1, what));
  }

  Yaml value_at(Yaml::Kind kind, const YAML::Mark& mark) {
    take_values(1);
    Yaml value;
    value.kind = kind;
    value.line = static_cast<std::uint32_t>(mark.line + 1);
    return value;
  }

  void take_values(std::size_t count) {
    values_ += count;
    if (values_ <= limits_.values) return;
    throw Error(
        ErrorCode::limit,
        fmt::format("the document has more than {} values, including each expansion of an alias",
                    limits_.values));
  }

  /// What is copied counts as if it stood there; copies of texts may be as large as the document.
  void charge(const Yaml& copied) {
    take_values(1);
    if (copied.scalar.size() > bytes_left_) {
      throw Error(ErrorCode::limit, "the document's aliases expand to more text than the limit");
    }
    bytes_left_ -= copied.scalar.size();
    for (const Yaml& part : copied.parts) charge(part);
  }

  void open(Yaml value, YAML::anchor_t anchor) {
    if (open_.size() >= limits_.depth) {
      throw Error(
          ErrorCode::limit,
          fmt::format("the document's values are nested more than {} levels deep", limits_.depth));
    }
    open_.push_back({std::move(value), anchor});
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    closed.value.parts.shrink_to_fit();
    add(std::move(closed.value), closed.anchor);
  }

  void add(Yaml value, YAML::anchor_t anchor) {
    if (anchor != 0) {
      charge(value);
      anchors_[anchor] = value;
    }
    (open_.empty() ? root_ : open_.back().value.parts.emplace_back()) = std::move(value);
  }

  const YamlLimits& limits_;
  std::size_t bytes_left_;  ///< of texts that aliases repeat
  std::size_t values_ = 0;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Yaml> anchors_;
  Yaml root_;
};

}  // namespace

void print_yaml(const Yaml& value, YAML::Emitter& out) {
  switch (value.kind) {
    case Yaml::Kind::scalar:
      out << value.scalar;
      return;
    case Yaml::Kind::list:
      out << YAML::BeginSeq;
      for (const Yaml& part : value.parts) print_yaml(part, out);
      out << YAML::EndSeq;
      return;
    case Yaml::Kind::map:
      out << YAML::BeginMap;
      for (std::size_t i = 0; i + 1 < value.parts.size(); i += 2) {
        out << YAML::Key;
        print_yaml(value.parts[i], out);
        out << YAML::Value;
        print_yaml(value.parts[i + 1], out);
      }
      out << YAML::EndMap;
      return;
    default:
      out << YAML::Null;
  }
}

const Yaml& Yaml::operator[](std::string_view key) const {
  static const Yaml kMissing;
  if (is_scalar() || is_list()) {
    throw Error(ErrorCode::corrupt, fmt::format("line {}: expected a map with \"{}\"", line, key));
  }
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    if (parts[i].is_scalar() && parts[i].scalar == key) return parts[i + 1];
  }
  return kMissing;
}

Yaml load_yaml(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    throw Error(ErrorCode::limit,
                fmt::format("the document is longer than {} bytes", limits.bytes));
  }
  TextBuffer buffer(text);
  std::istream stream(&buffer);
  Builder builder(text.size(), limits);
  try {
    YAML::Parser(stream).HandleNextDocument(builder);
  } catch (const YAML::Exception& error) {
    throw Error(ErrorCode::corrupt,
                fmt::format("line {}: invalid YAML: {}", error.mark.line + 1, error.msg));
  }
  return builder.take();
}

std::string print_yaml(const Yaml& value) {
  YAML::Emitter out;
  print_yaml(value, out);
  return out.c_str();
}

std::string text_of(const Yaml& value) {
  return value.scalar;
}

namespace {

template <class Number>
Number number_of(const Yaml& value) {
  if (!value) return 0;
  Number number = 0;
  const std::string& text = value.scalar;
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!text.empty() && error == std::errc() && rest == text.data() + text.size()) return number;
  throw Error(ErrorCode::corrupt, fmt::format("\"{}\" is not a number", text));
}

}  // namespace

std::uint64_t unsigned_of(const Yaml& value) {
  return number_of<std::uint64_t>(value);
}

std::int64_t integer_of(const Yaml& value) {
  return number_of<std::int64_t>(value);
}

}  // namespace kitbag
