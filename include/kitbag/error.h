#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "kitbag/export.h"
#include "kitbag/time.h"

namespace kitbag {

/// What kind of failure an Error is; what a caller may branch on.
enum class ErrorCode {
  io,           ///< the operating system refused a read, write, sync or rename
  corrupt,      ///< bytes that contradict the format
  truncated,    ///< the file ends before what it promises
  unsupported,  ///< valid, but not something kitbag or the target format can hold
  invalid,      ///< the caller asked for something that has no meaning
  not_found,    ///< a file, topic or message that is not there
  cancelled,    ///< stopped on request
  locked,       ///< encrypted, and the key is not to be had
  busy,         ///< another program is writing it
  limit,        ///< takes more memory, elements or time than the caller allows
  exists,       ///< the target is there already, and the caller has not allowed to replace it
};

/// "corrupt", "not found", ... : the code as a person reads it.
KITBAG_API const char* to_string(ErrorCode code);

/// True for faults in the bytes of a bag (corrupt, truncated, unsupported, limit): a reader with
/// somebody to report to may go on without them. False for what the system or the caller is at
/// fault for (io, invalid, not_found, cancelled, locked, busy, exists): such an error always ends
/// the work.
KITBAG_API bool is_damage(ErrorCode code);

/// True for what passing over a payload, a type or a definition does not help against: a refusal of
/// the system (io, busy), a stop that was asked for, a key that is not to be had. Code that passes
/// over what makes no sense throws such an error on.
KITBAG_API bool is_final(ErrorCode code);

/// What a damage has taken from a bag, as far as it is known.
struct Loss {
  /// Of the file: those in which nothing whole was found. What a cut-off file lacks is not counted.
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> messages = std::nullopt;  ///< absent: nobody knows how many
  /// Log times between which they were; absent: not known.
  std::optional<Time> from = std::nullopt;
  std::optional<Time> to = std::nullopt;
};

/// The one exception of kitbag, and the form in which damage is reported.
/// `what()` is one line: the file, the byte offset where one is known, and a sentence that says
/// what is wrong and, where there is one, the remedy.
class KITBAG_API Error : public std::runtime_error {
 public:
  static constexpr std::uint64_t kNoOffset = UINT64_MAX;

  Error(ErrorCode code, const std::string& message, const std::string& file = {},
        std::uint64_t offset = kNoOffset, const std::optional<Loss>& loss = std::nullopt);

  ErrorCode code() const { return code_; }
  /// The sentence alone, without file and offset.
  const std::string& message() const { return message_; }
  /// Path of the file concerned, or empty.
  const std::string& file() const { return file_; }
  /// Byte offset in that file, or kNoOffset.
  std::uint64_t offset() const { return offset_; }
  /// What is lost by this damage. Absent: nothing is, all messages concerned are given.
  const std::optional<Loss>& loss() const { return loss_; }

 private:
  ErrorCode code_;
  std::string message_;
  std::string file_;
  std::uint64_t offset_;
  std::optional<Loss> loss_;
};

/// Where damage is reported by a caller that wants to go on. Called on the thread that reads;
/// it may throw to stop the reading.
using OnProblem = std::function<void(const Error&)>;

/// Reports `problem` to `on_problem`, or throws it where there is none (strict reading).
KITBAG_API void report(const OnProblem& on_problem, const Error& problem);

/// Throws Error (cancelled) if `wait.stop` is requested.
KITBAG_API void throw_if_stopped(const Wait& wait);

}  // namespace kitbag
