#include "storage/chunked/loss.h"

#include <fmt/format.h>

namespace kitbag {

std::string describe(const std::optional<Loss>& loss) {
  if (!loss) return "no messages are lost";
  std::string bytes = loss->bytes > 0 ? fmt::format("{} bytes are left out, ", loss->bytes) : "";
  if (!loss->messages) return bytes + "the number of lost or damaged messages is unknown";
  return fmt::format("{}{} message{} lost", bytes, *loss->messages,
                     *loss->messages == 1 ? " is" : "s are");
}

}  // namespace kitbag
