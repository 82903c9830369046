#include "cli/terminal/width.h"

#include <sys/ioctl.h>

#include <algorithm>
#include <clocale>
#include <cwchar>

// The widths are those of the C library, which follow Unicode's East Asian Width. They depend on
// the locale, and the program keeps the locale "C", in which numbers are printed as files need
// them. So C.UTF-8 is set for the calling thread, and for these calls alone.

namespace kitbag::cli {
namespace {

constexpr std::size_t kUsualColumns = 80;
constexpr std::size_t kUsualLines = 24;
constexpr std::string_view kEllipsis = "…";

/// C.UTF-8; null where the system has none. It is kept to the end.
locale_t utf8_locale() {
  static const locale_t kept = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return kept;
}

/// The locale of this thread, while it lives.
class Utf8Locale {
 public:
  Utf8Locale() : before_(utf8_locale() ? uselocale(utf8_locale()) : nullptr) {}
  ~Utf8Locale() {
    if (before_) uselocale(before_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t before_;
};

/// The bytes of a character, and its columns.
struct Extent {
  std::size_t bytes;
  std::size_t columns;
};

/// Of the character at the beginning of `text`, below a Utf8Locale. A byte that is none is taken
/// for one.
Extent first_extent(std::string_view text) {
  wchar_t character = 0;
  std::mbstate_t state{};
  std::size_t bytes = std::mbrtowc(&character, text.data(), text.size(), &state);
  // Invalid and incomplete characters are -1 and -2, which are large numbers here.
  if (bytes == 0 || bytes > text.size()) return {1, 1};
  int columns = wcwidth(character);
  return {bytes, columns < 0 ? 1 : static_cast<std::size_t>(columns)};
}

}  // namespace

std::size_t display_width(std::string_view text) {
  auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return text.size();
  Utf8Locale locale;
  std::size_t columns = 0;
  while (!text.empty()) {
    Extent first = first_extent(text);
    columns += first.columns;
    text.remove_prefix(first.bytes);
  }
  return columns;
}

std::string cut_to_width(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  Utf8Locale locale;
  std::size_t end = 0;
  std::size_t taken = 0;
  while (true) {
    Extent next = first_extent(text.substr(end));
    if (taken + next.columns + 1 > columns) break;  // one is the ellipsis
    end += next.bytes;
    taken += next.columns;
  }
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsualColumns;
  return size.ws_col;
}

std::size_t terminal_lines(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return kUsualLines;
  return size.ws_row;
}

}  // namespace kitbag::cli
