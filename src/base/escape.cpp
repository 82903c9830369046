#include "kitbag/escape.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "base/utf8.h"

// What is escaped goes to people, on one line or several, and must show what the bytes are without
// the terminal obeying them. A backslash is doubled, so that what was escaped can be told from what
// looked so before. In several lines a '\r' stays only in front of a '\n': alone it lets a terminal
// write over the line that is there.
//
// JSON has no form for a byte that is not UTF-8. Such a byte becomes U+FFFD and is counted, so that
// callers can warn.

namespace kitbag {
namespace {

/// Calls `plain(part)` for parts of `text` that need no escape, and for every character between
/// them `special(character, bytes)`, with length 0 for a byte that is no UTF-8.
template <class Plain, class Special>
void take_apart(std::string_view text, Plain plain, Special special) {
  while (!text.empty()) {
    std::size_t length = plain_length(text);
    plain(text.substr(0, length));
    text.remove_prefix(length);
    if (text.empty()) break;
    Utf8Character character = decode_utf8(text);
    std::string_view bytes = text.substr(0, character.length == 0 ? 1 : character.length);
    special(character, bytes);
    text.remove_prefix(bytes.size());
  }
}

/// One that is neither printable nor one of \n, \r and \t.
void append_escape(std::string& line, const Utf8Character& character, std::string_view bytes) {
  if (bytes.size() == 1) {
    line += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes.front()));
  } else if (character.value <= 0xffff) {
    line += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character.value));
  } else {
    line += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(character.value));
  }
}

void append_json_escape(std::string& json, char32_t character) {
  auto value = static_cast<std::uint32_t>(character);
  if (value > 0xffff) {
    value -= 0x10000;
    json += fmt::format("\\u{:04x}\\u{:04x}", 0xd800 + (value >> 10), 0xdc00 + (value & 0x3ff));
  } else {
    json += fmt::format("\\u{:04x}", value);
  }
}

/// 'n' for a newline, ...: the letter behind the backslash, or 0.
char short_escape(char32_t character) {
  switch (character) {
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  take_apart(
      text, [&](std::string_view plain) { line += plain; },
      [&](const Utf8Character& character, std::string_view bytes) {
        if (bytes == "\"") {
          line += '"';
        } else if (bytes == "\\") {
          line += "\\\\";
        } else if (char letter = short_escape(character.value); character.length > 0 && letter) {
          line += '\\';
          line += letter;
        } else {
          append_escape(line, character, bytes);
        }
      });
  return line;
}

std::string escaped_lines(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  take_apart(
      text, [&](std::string_view plain) { lines += plain; },
      [&](const Utf8Character& character, std::string_view bytes) {
        const char* behind = bytes.data() + bytes.size();
        bool ends_line = bytes == "\r" && behind < text.data() + text.size() && *behind == '\n';
        if (ends_line || bytes == "\"" || bytes == "\\" || bytes == "\n" || bytes == "\t") {
          lines += bytes;
        } else {
          append_escape(lines, character, bytes);
        }
      });
  return lines;
}

std::string json_quoted(std::string_view text, std::size_t* replaced) {
  std::string json;
  json.reserve(text.size() + 2);
  json += '"';
  take_apart(
      text, [&](std::string_view plain) { json += plain; },
      [&](const Utf8Character& character, std::string_view bytes) {
        if (character.length == 0) {
          json += kReplacement;
          if (replaced) ++*replaced;
        } else if (bytes == "\"" || bytes == "\\") {
          json += '\\';
          json += bytes;
        } else if (char letter = short_escape(character.value)) {
          json += '\\';
          json += letter;
        } else {
          append_json_escape(json, character.value);
        }
      });
  json += '"';
  return json;
}

std::string valid_utf8(std::string_view text, std::size_t* replaced) {
  std::string valid;
  valid.reserve(text.size());
  take_apart(
      text, [&](std::string_view plain) { valid += plain; },
      [&](const Utf8Character& character, std::string_view bytes) {
        bool is_bad = character.length == 0;
        valid += is_bad ? kReplacement : bytes;
        if (is_bad && replaced) ++*replaced;
      });
  return valid;
}

}  // namespace kitbag
