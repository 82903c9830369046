#include "language/ros2idl/reader.h"

#include <fmt/format.h>

#include "base/lines.h"

// There is no tree of the text: Parser, TypeSpecs and Expressions take tokens from one Reader in
// turn.
//
// The code of an error matters. `not_found` comes from miss() alone and means a type or constant
// that no file has declared so far; the file then waits for the others (parser.cpp). Everything
// else ends the parsing.

namespace kitbag::ros2idl {

void Reader::fail(ErrorCode code, const std::string& what) const {
  throw Error(code,
              fmt::format("definition of {}, line {}: {}", printable(name_), token().line, what));
}

void Reader::fail(const std::string& what) const {
  fail(ErrorCode::corrupt, what);
}

void Reader::refuse(const std::string& what) const {
  fail(ErrorCode::unsupported, what);
}

void Reader::miss(const std::string& name) const {
  fail(ErrorCode::not_found, fmt::format("{} is missing", printable(name)));
}

bool Reader::is_at(std::string_view text) const {
  const Token& here = token();
  bool is_word = here.what == Token::What::sign || here.what == Token::What::name;
  return is_word && here.text == text;
}

bool Reader::take(std::string_view text) {
  if (!is_at(text)) return false;
  ++at_;
  return true;
}

void Reader::expect(std::string_view text) {
  if (take(text)) return;
  fail(fmt::format("expected \"{}\", got \"{}\"", text, printable(token().text)));
}

std::string Reader::text_since(std::size_t position) const {
  std::string text;
  for (std::size_t i = position; i < at_; ++i) text += tokens_[i].text;
  return text;
}

std::string Reader::name() {
  if (token().what != Token::What::name) {
    fail(fmt::format("expected a name, got \"{}\"", printable(token().text)));
  }
  std::string text = tokens_[at_++].text;
  bool is_escaped = text.size() > 1 && text[0] == '_';  // without "_" it would be a keyword of IDL
  return is_escaped ? text.substr(1) : text;
}

std::string Reader::scoped_name() {
  take("::");
  std::string whole = name();
  while (take("::")) whole += "::" + name();
  return whole;
}

Annotations Reader::annotations() {
  Annotations found;
  while (take("@")) {
    Annotation annotation;
    annotation.name = scoped_name();
    if (take("(")) {
      std::string key = "value";
      // Values are kept as tokens, parentheses and all: annotations of other vendors may have
      // anything in them, and nobody asks for it.
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

}  // namespace kitbag::ros2idl
