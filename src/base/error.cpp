#include "kitbag/error.h"

#include <fmt/format.h>

#include "kitbag/escape.h"

namespace kitbag {
namespace {

std::string error_line(const std::string& message, const std::string& file, std::uint64_t offset) {
  if (file.empty() && offset == Error::kNoOffset) return message;
  if (file.empty()) return fmt::format("at byte {}: {}", offset, message);
  if (offset == Error::kNoOffset) return fmt::format("{}: {}", file, message);
  return fmt::format("{} at byte {}: {}", file, offset, message);
}

}  // namespace

const char* to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::io:
      return "io";
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::truncated:
      return "truncated";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::invalid:
      return "invalid";
    case ErrorCode::not_found:
      return "not found";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::locked:
      return "locked";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::limit:
      return "limit";
    case ErrorCode::exists:
      return "exists";
    case ErrorCode::remark:
      return "remark";
  }
  return "unknown";
}

const char* to_string(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "unknown";
}

Severity severity_of(const Error& finding) {
  if (finding.code() == ErrorCode::remark) return Severity::note;
  // Where nothing was lost, two places of a file contradict each other: a wrong sum or count, with
  // all messages read.
  bool is_contradiction =
      finding.code() == ErrorCode::corrupt || finding.code() == ErrorCode::truncated;
  return is_contradiction && !finding.loss() ? Severity::warning : Severity::error;
}

bool is_damage(ErrorCode code) {
  switch (code) {
    case ErrorCode::corrupt:
    case ErrorCode::truncated:
    case ErrorCode::unsupported:
    case ErrorCode::limit:
      return true;
    case ErrorCode::io:
    case ErrorCode::invalid:
    case ErrorCode::not_found:
    case ErrorCode::cancelled:
    case ErrorCode::locked:
    case ErrorCode::busy:
    case ErrorCode::exists:
    case ErrorCode::remark:
      return false;
  }
  return false;
}

bool is_final(ErrorCode code) {
  return code == ErrorCode::io || code == ErrorCode::cancelled || code == ErrorCode::locked ||
         code == ErrorCode::busy;
}

Error::Error(ErrorCode code, const std::string& message, const std::string& file,
             std::uint64_t offset, const std::optional<Loss>& loss)
    // Errors go to logs, and an address may have a password in it.
    : std::runtime_error(error_line(message, shown_path(file), offset)),
      code_(code),
      message_(message),
      file_(shown_path(file)),
      offset_(offset),
      loss_(loss) {}

void throw_if_stopped(const Wait& wait) {
  if (wait.stop.stop_requested()) throw Error(ErrorCode::cancelled, "stopped on request");
}

/// Without a listener, reading is strict: the first problem ends it.
void report(const OnProblem& on_problem, const Error& problem) {
  if (on_problem) {
    on_problem(problem);
  } else if (problem.code() != ErrorCode::remark) {
    throw problem;
  }
}

}  // namespace kitbag
