#include "live/upload/target_names.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/path.h"
#include "kitbag/error.h"
#include "kitbag/text.h"

//   s3://bags/{robot}/{date}/             the target as it is given
//   s3://bags/rover-7/{date}/             pattern_: robot and host are replaced once
//   s3://bags/rover-7/2026-11-26/x.mcap   path_of(): date and time of the first message, in UTC
//
// A file's name depends on what is in the file and not on when it is sent. So after a restart the
// uploader finds the files that it has sent. A misspelled placeholder is an error at the start:
// taken as a part of the path, it would fill a wrong folder before anybody notices.

namespace kitbag {
namespace {

constexpr const char* kPlaceholders = "{robot}, {host}, {date} and {time}";

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

/// Names come from the environment or the host. One with a slash or of two dots would lead into the
/// folder of another robot.
void require_part(const std::string& name, const char* what) {
  bool is_safe = !name.empty() && name != "." && name != "..";
  for (char c : name) {
    if (c == '/' || c == '{' || c == '}' || static_cast<unsigned char>(c) < ' ') is_safe = false;
  }
  if (is_safe) return;
  throw Error(
      ErrorCode::invalid,
      fmt::format("\"{}\" cannot be the name of a {}: it becomes a part of a path", name, what));
}

/// `text` with each placeholder replaced by what `value` says; one for which it says nothing stays.
template <typename Value>
std::string replaced(std::string_view text, const Value& value) {
  std::string result;
  while (true) {
    std::size_t open = text.find('{');
    std::size_t close = text.find('}', open);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    std::string_view name = text.substr(open + 1, close - open - 1);
    result += text.substr(0, open);
    std::optional<std::string> by = value(name);
    result += by ? *by : fmt::format("{{{}}}", name);
    text.remove_prefix(close + 1);
  }
  return result.append(text);
}

}  // namespace

UploadNames upload_names(const UploadOptions& options) {
  UploadNames names{options.robot, host_name()};
  if (names.robot.empty()) {
    const char* robot = std::getenv("KITBAG_ROBOT");
    names.robot = robot != nullptr && *robot != '\0' ? robot : names.host;
  }
  require_part(names.robot, "robot");
  require_part(names.host, "machine");
  return names;
}

TargetNames::TargetNames(const std::string& target, const UploadNames& names) {
  if (target.empty()) throw Error(ErrorCode::invalid, "the target of uploads is empty");
  pattern_ = replaced(target, [&](std::string_view name) -> std::optional<std::string> {
    if (name == "robot") return names.robot;
    if (name == "host") return names.host;
    if (name == "date" || name == "time") return std::nullopt;
    throw Error(ErrorCode::invalid,
                fmt::format("unknown placeholder {{{}}}; there are {}", name, kPlaceholders),
                target);
  });
  std::string rest = replaced(pattern_, [](std::string_view) { return std::string(); });
  if (rest.find_first_of("{}") != std::string::npos) {
    throw Error(ErrorCode::invalid,
                fmt::format("a brace is not part of a placeholder; there are {}", kPlaceholders),
                target);
  }
  if (!pattern_.ends_with('/')) pattern_ += '/';
  base_ = folder_part(target + "/");
}

/// Up to the last slash before the first placeholder.
std::string TargetNames::folder_part(const std::string& target) {
  std::size_t end = target.rfind('/', target.find('{'));
  return end == std::string::npos ? std::string() : target.substr(0, end + 1);
}

std::string TargetNames::path_of(const std::string& name, Time begin) const {
  std::string text = format_time(begin);  // "2026-11-26T14:30:00..."
  std::string date = text.substr(0, text.find('T'));
  std::string time = text.substr(date.size() + 1, 8);
  for (char& c : time) {
    // Some file systems allow no colon in names.
    if (c == ':') c = '-';
  }
  return replaced(pattern_,
                  [&](std::string_view each) -> std::optional<std::string> {
                    return each == "date" ? date : time;
                  }) +
         name;
}

std::string marked_path(const std::string& path, const std::string& mark) {
  std::string_view end = extension(path);
  return fmt::format("{}-{}{}", std::string_view(path).substr(0, path.size() - end.size()), mark,
                     end);
}

}  // namespace kitbag
