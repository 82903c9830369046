#include "capi/call.h"

#include <array>

// What crosses the border. Out: no exception, only a code and, if the caller wants it, an object
// with the sentence. An error that cannot be stored for lack of memory is still a code. In: structs
// of the caller, each of which begins with its size.
//
//   caller's struct, of an older version    size | a | b
//   ours                                    size | a | b | c     c keeps its default
//
// So members can be added behind, and a program that was compiled before goes on to work. A size
// below that of the size itself, or far too large, is a struct that was not initialized.
//
// The codes of C are an interface and keep their numbers. The table between them and ErrorCode is
// checked by its length.

namespace kitbag::c {

namespace {

constexpr std::array kCodes = {KITBAG_IO,          KITBAG_CORRUPT, KITBAG_TRUNCATED,
                               KITBAG_UNSUPPORTED, KITBAG_INVALID, KITBAG_NOT_FOUND,
                               KITBAG_CANCELLED,   KITBAG_LOCKED,  KITBAG_BUSY,
                               KITBAG_LIMIT,       KITBAG_EXISTS,  KITBAG_REMARK};
static_assert(kCodes.size() == static_cast<std::size_t>(ErrorCode::remark) + 1);

}  // namespace

kitbag_code code_of(ErrorCode code) {
  return kCodes.at(static_cast<std::size_t>(code));
}

kitbag_error error_of(const Error& error) {
  return {code_of(error.code()), error.what(), error.file(), error.offset()};
}

kitbag_code fail(kitbag_error** error, const Error& failure) noexcept {
  try {
    if (error) *error = new kitbag_error(error_of(failure));
    return code_of(failure.code());
  } catch (const std::exception&) {
    return KITBAG_NO_MEMORY;
  }
}

kitbag_code fail_without_memory(kitbag_error** error) noexcept {
  try {
    if (error) {
      *error = new kitbag_error{KITBAG_NO_MEMORY, "the system has no more memory", {}, UINT64_MAX};
    }
  } catch (const std::exception&) {
    if (error) *error = nullptr;
  }
  return KITBAG_NO_MEMORY;
}

const Session& session() {
  // Never destroyed: threads of the caller may read while the process ends.
  static const auto* const all = new Session();
  return *all;
}

}  // namespace kitbag::c

const char* kitbag_version(void) {
  return KITBAG_VERSION;
}

const char* kitbag_code_name(kitbag_code code) {
  if (code == KITBAG_OK) return "ok";
  if (code == KITBAG_NO_MEMORY) return "no memory";
  if (code == KITBAG_END) return "end";
  for (std::size_t i = 0; i < kitbag::c::kCodes.size(); ++i) {
    if (kitbag::c::kCodes[i] == code) return kitbag::to_string(static_cast<kitbag::ErrorCode>(i));
  }
  return "unknown";
}

kitbag_code kitbag_error_code(const kitbag_error* error) {
  return error ? error->code : KITBAG_OK;
}

const char* kitbag_error_message(const kitbag_error* error) {
  return error ? error->message.c_str() : "";
}

const char* kitbag_error_file(const kitbag_error* error) {
  return error ? error->file.c_str() : "";
}

uint64_t kitbag_error_offset(const kitbag_error* error) {
  return error ? error->offset : UINT64_MAX;
}

void kitbag_error_free(kitbag_error* error) {
  delete error;
}
