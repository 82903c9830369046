#include "repair/read_back.h"

#include <fmt/format.h>

#include "kitbag/error.h"

// The bag that is replaced may hold what nobody else holds. So a writer is not trusted here: what
// it has written is opened as any reader opens it, by its index, which takes no time where there is
// one.

namespace kitbag {

namespace {

[[noreturn]] void throw_unchanged(const std::string& original, const std::string& what) {
  throw Error(ErrorCode::corrupt,
              fmt::format("stays as it is, because the new bag {}; please report this as a bug of "
                          "kitbag",
                          what),
              original);
}

}  // namespace

void read_back(const std::string& path, const std::string& original, std::uint64_t messages,
               const ReadOptions& reading, const Session& session) {
  ReadOptions strictly;
  strictly.format = reading.format;
  strictly.gpg_key = reading.gpg_key;
  strictly.max_memory_bytes = reading.max_memory_bytes;
  std::uint64_t held = 0;
  try {
    held = session.open(path, strictly)->summary().messages;
  } catch (const Error& error) {
    // Encrypted for somebody else: the public key was enough to write it, and no key here reads it.
    if (error.code() == ErrorCode::locked) return;
    if (!is_damage(error.code())) throw;
    throw_unchanged(original, "cannot be read: " + error.message());
  }
  if (held == messages) return;
  throw_unchanged(original, fmt::format("has {} messages instead of {}", held, messages));
}

}  // namespace kitbag
