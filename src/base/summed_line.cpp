#include "base/summed_line.h"

#include <fmt/format.h>

#include <charconv>

#include "base/crc32.h"
#include "kitbag/bytes.h"

namespace kitbag {
namespace {

/// As %09: a tab separates fields, a newline ends the line, and '%' begins an escape.
void append_escaped(std::string& line, std::string_view text) {
  for (char c : text) {
    if (c == '%' || c == '\t' || c == '\n') {
      line += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      line += c;
    }
  }
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, code, 16).ec == std::errc()) {
      result += static_cast<char>(code);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace

std::string summed_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    append_escaped(line, field);
    line += '\t';
  }
  return fmt::format("{}{:08x}\n", line, crc32(as_bytes(line)));
}

std::optional<std::vector<std::string>> fields_of_summed_line(std::string_view line) {
  std::size_t end = line.rfind('\t');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(0, end + 1);
  if (line.substr(end + 1) != fmt::format("{:08x}", crc32(as_bytes(rest)))) return std::nullopt;
  std::vector<std::string> fields;
  while (!rest.empty()) {
    std::size_t tab = rest.find('\t');
    fields.push_back(unescaped(rest.substr(0, tab)));
    rest.remove_prefix(tab + 1);
  }
  return fields;
}

}  // namespace kitbag
