#include "cli/terminal/status_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/terminal/width.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"

// One line has to fit the terminal at any width. What is left out follows from ranks and not from
// positions: a recorder's state and its losses stay, how much is buffered goes first. The bar gets
// what columns are left, between kLeastBar and kMostBar; where even the least has no room beside
// the parts that must stay, there is none.

namespace kitbag::cli {
namespace {

constexpr std::size_t kMostBar = 30;
constexpr std::size_t kLeastBar = 10;
constexpr std::size_t kAroundBar = 3;  // "[", "] "

std::string bar_of(double share, std::size_t width) {
  auto done =
      static_cast<std::size_t>((share > 0 ? std::min(share, 1.0) : 0) * static_cast<double>(width));
  return fmt::format("[{:.<{}}] ", std::string(done, '#'), width);
}

std::string joined(const std::vector<StatusPart>& parts) {
  std::string text;
  for (const StatusPart& part : parts) text += part.text;
  return text;
}

/// Leaves out the least important part; false if all that are left must stay.
bool shorten(std::vector<StatusPart>& parts) {
  auto least =
      std::max_element(parts.begin(), parts.end(),
                       [](const StatusPart& a, const StatusPart& b) { return a.rank < b.rank; });
  if (least == parts.end() || least->rank == 0) return false;
  parts.erase(least);
  return true;
}

}  // namespace

std::string fitted(const StatusText& text, std::size_t columns) {
  std::vector<StatusPart> parts = text.parts;
  for (StatusPart& part : parts) part.text = escaped(part.text);
  const std::size_t least_bar = text.share ? kLeastBar + kAroundBar : 0;
  while (display_width(joined(parts)) + least_bar > columns && shorten(parts)) {
  }
  std::string line = joined(parts);
  std::size_t width = display_width(line);
  if (!text.share || width + least_bar > columns) return cut_to_width(line, columns);
  return bar_of(*text.share, std::min(kMostBar, columns - width - kAroundBar)) + line;
}

std::string passed(Duration duration) {
  constexpr Duration kTenth = std::chrono::milliseconds(100);
  return format_duration(duration - duration % kTenth);
}

}  // namespace kitbag::cli
