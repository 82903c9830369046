#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kitbag/error.h"
#include "kitbag/file.h"
#include "storage/chunked/run_parser.h"

namespace kitbag {

/// Gets the records of a run in file order.
class RunListener {
 public:
  virtual ~RunListener() = default;

  /// A whole message record of `bytes` at `offset`.
  virtual void on_message(std::uint64_t offset, std::uint64_t bytes, std::uint32_t slot,
                          Time time) = 0;
  /// Any other whole record; its data is not read. `head` is valid during the call.
  virtual void on_other(std::uint64_t offset, std::uint64_t bytes, ByteView head) = 0;
  /// No whole record begins at `offset`. A listener that can handle this reports the damage itself,
  /// and returns the place where the walk continues.
  virtual std::optional<std::uint64_t> on_damage(std::uint64_t /*offset*/) { return std::nullopt; }
};

/// Goes through the run that begins at `begin`, to the end of the file, once. Reads heads; data
/// larger than the window is stepped over. Teaches `parser`, and collects the channels in `keys`.
///
/// Damage goes to `on_problem`, and the walk goes on where records begin again. A record behind
/// which none begins may itself be the damaged one, its length grown over others: when records
/// begin inside it and go on without a break beyond its end, they are believed, and it is not.
void walk_run(const ReadFile& file, const std::string& path, std::uint64_t begin, RunParser& parser,
              RunKeys& keys, const OnProblem& on_problem, RunListener& listener);

}  // namespace kitbag
