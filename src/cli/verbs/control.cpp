#include "kitbag/control.h"

#include <fmt/format.h>

#include "cli/terminal/output.h"
#include "cli/verbs.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"

namespace kitbag::cli {

namespace {

/// A recorder or player answers at once, unless its machine has much else to do.
constexpr Duration kAnswerWithin = std::chrono::seconds(10);

}  // namespace

int control(const ControlArguments& arguments, const Context& context) {
  std::string answer =
      send_control(arguments.socket, fmt::format("{}", fmt::join(arguments.words, " ")),
                   context.clock, {context.stop, context.clock.steady() + kAnswerWithin});
  constexpr std::string_view kError = "error: ";
  if (answer.starts_with(kError)) {
    throw Error(ErrorCode::invalid, answer.substr(kError.size()), arguments.socket);
  }
  // JSON, whose backslashes stay; what is at the other end may be anything.
  context.out.write(escaped_lines(answer) + "\n");
  return kDone;
}

}  // namespace kitbag::cli
