#include "cli/options/live_system.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "cli/terminal/print.h"
#include "kitbag/error.h"
#include "kitbag/live.h"
#include "kitbag/open.h"
#include "kitbag/play.h"
#include "kitbag/session.h"

namespace kitbag::cli {

std::string SystemOptions::complete() const {
  const char* master = std::getenv("ROS_MASTER_URI");
  std::string complete = !uri.empty() ? uri : master && *master ? "ros1://" : "ros2://";
  for (const auto& [name, value] : parameters) complete = with_parameter(complete, name, value);
  return complete;
}

double parse_rate(const std::string& text, double most) {
  double number = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && rest == end && number >= Player::kLeastRate && number <= most) {
    return number;
  }
  throw Error(ErrorCode::invalid,
              fmt::format("invalid rate \"{}\"; expected a number above 0", text));
}

void warn_of_system(const Error& warning) {
  print_warning(warning.what());
}

void throw_invalid_command(const std::string& command, const std::string& there_are) {
  throw Error(ErrorCode::invalid,
              fmt::format("unknown command \"{}\"; available commands: {}", command, there_are));
}

TranscodingOptions encoded_for(const std::string& uri, const TranscodingOptions& options,
                               const Session& session) {
  TranscodingOptions all = options;
  auto encodings = session.encodings_of(uri);
  if (all.encoding.empty() && !encodings.empty()) all.encoding = encodings.front();
  return all;
}

}  // namespace kitbag::cli
