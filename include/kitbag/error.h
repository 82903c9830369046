#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "kitbag/export.h"
#include "kitbag/time.h"

namespace kitbag {

/// The kind of failure of an Error. Callers can branch on it.
enum class ErrorCode {
  io,           ///< the operating system refused a read, write, sync or rename
  corrupt,      ///< bytes that contradict the format
  truncated,    ///< the file ends before its content is complete
  unsupported,  ///< valid, but kitbag or the target format cannot handle it
  invalid,      ///< the caller's request makes no sense
  not_found,    ///< a file, topic or message does not exist
  cancelled,    ///< stopped on request
  locked,       ///< encrypted, and the key is not available
  busy,         ///< another program is writing the file
  limit,        ///< takes more memory, elements or time than the caller allows
  exists,       ///< the target exists, and the caller has not allowed its replacement
  remark,       ///< nothing is wrong, but worth knowing; only reported, never thrown
};

/// Returns the code for people: "corrupt", "not found".
KITBAG_API const char* to_string(ErrorCode code);

/// Returns true for faults in the data of a bag (corrupt, truncated, unsupported, limit): a reader
/// that can report them may continue. Returns false for failures of the system or the caller (io,
/// invalid, not_found, cancelled, locked, busy, exists): they always end the operation. Returns
/// false for a remark, too.
KITBAG_API bool is_damage(ErrorCode code);

/// Returns true for errors that must not be skipped (io, busy, cancelled, locked): skipping a
/// payload, a type or a definition does not help against them. Code that skips what it cannot read
/// must rethrow them.
KITBAG_API bool is_final(ErrorCode code);

/// What a bag has lost by one damage, as far as it is known.
struct Loss {
  /// Bytes of the file in which nothing intact was found. What is missing at the end of a cut-off
  /// file does not count.
  std::uint64_t bytes = 0;
  std::optional<std::uint64_t> messages = std::nullopt;  ///< absent: the number is not known
  /// Log times between which the lost messages were; absent: not known.
  std::optional<Time> from = std::nullopt;
  std::optional<Time> to = std::nullopt;  ///< the last one
};

/// How grave a finding is.
enum class Severity {
  note,     ///< nothing is wrong, but worth knowing
  warning,  ///< something is wrong, but no message is missing or damaged
  error,    ///< messages are missing or damaged, or may be
};

/// Returns the severity for people: "note".
KITBAG_API const char* to_string(Severity severity);

/// The only exception that kitbag throws, and the form in which it reports damage. what() is one
/// line: the file, the byte offset if it is known, and a sentence that says what is wrong and, if
/// possible, what to do.
class KITBAG_API Error : public std::runtime_error {
 public:
  /// Stands for an offset that is not known.
  static constexpr std::uint64_t kNoOffset = UINT64_MAX;

  /// `message` is the sentence without file and offset. `file` may be empty.
  Error(ErrorCode code, const std::string& message, const std::string& file = {},
        std::uint64_t offset = kNoOffset, const std::optional<Loss>& loss = std::nullopt);

  /// Returns the kind of failure.
  ErrorCode code() const { return code_; }
  /// Returns the sentence alone, without file and offset.
  const std::string& message() const { return message_; }
  /// Returns the path of the file, or an empty string.
  const std::string& file() const { return file_; }
  /// Returns the byte offset in that file, or kNoOffset.
  std::uint64_t offset() const { return offset_; }
  /// Returns what is lost. Absent: nothing is lost; all affected messages are delivered.
  const std::optional<Loss>& loss() const { return loss_; }

 private:
  ErrorCode code_;
  std::string message_;
  std::string file_;
  std::uint64_t offset_;
  std::optional<Loss> loss_;
};

/// Called with each damage, so that reading can continue, and with remarks (ErrorCode::remark).
/// Runs on the thread that reads. It may throw to end the reading. Empty: the first damage is
/// thrown, and remarks are ignored. (RepairOptions::on_problem is the exception: repair() goes on
/// after damage and returns it.)
using OnProblem = std::function<void(const Error&)>;

/// Returns how grave `finding` is, which Session::check() or a reader has reported: a remark is a
/// note; what is corrupt or truncated, but without a Loss, is a warning; all else is an error.
KITBAG_API Severity severity_of(const Error& finding);

/// Called with what is worth knowing although the work goes on. It may throw to end the work.
/// Empty: warnings are ignored.
using OnWarning = std::function<void(const Error&)>;

/// Calls `on_problem` with `problem`. If `on_problem` is empty, throws `problem`, unless it is a
/// remark.
KITBAG_API void report(const OnProblem& on_problem, const Error& problem);

/// Throws Error (cancelled) if `wait.stop` is requested.
KITBAG_API void throw_if_stopped(const Wait& wait);

}  // namespace kitbag
