#pragma once

#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "kitbag/c.h"
#include "kitbag/error.h"
#include "kitbag/session.h"

/// An Error behind a pointer.
struct kitbag_error {
  kitbag_code code;
  std::string message;
  std::string file;
  std::uint64_t offset;
};

namespace kitbag::c {

kitbag_code code_of(ErrorCode code);
kitbag_error error_of(const Error& error);

/// Puts a copy of `failure` where the caller wants it, and returns its code. If there is no memory
/// even for that, the caller gets no object.
kitbag_code fail(kitbag_error** error, const Error& failure) noexcept;
kitbag_code fail_without_memory(kitbag_error** error) noexcept;

/// Calls `action`, which may return a kitbag_code. Nothing leaves a C function but its result.
template <class Action>
kitbag_code call(kitbag_error** error, Action action) noexcept {
  try {
    if constexpr (std::is_void_v<decltype(action())>) {
      action();
      return KITBAG_OK;
    } else {
      return action();
    }
  } catch (const Error& failure) {
    return fail(error, failure);
  } catch (const std::bad_alloc&) {
    return fail_without_memory(error);
  } catch (const std::length_error&) {
    return fail(error, Error(ErrorCode::limit, "more elements than any memory has room for"));
  } catch (const std::exception& failure) {
    return fail(error, Error(ErrorCode::io, failure.what()));
  }
}

/// Throws Error (invalid) if a pointer is null that must not be.
template <class T>
T& require(T* pointer, const char* name) {
  if (pointer) return *pointer;
  throw Error(ErrorCode::invalid, std::string(name) + " is NULL");
}

/// A struct that the caller filled, with the defaults of `known` for members that the caller's
/// version does not have. Throws Error (invalid).
template <class T>
T versioned(const void* given, T known, const char* name) {
  if (!given) return known;
  std::size_t size = 0;
  std::memcpy(&size, given, sizeof size);
  if (size < sizeof size || size > 4096) {
    throw Error(ErrorCode::invalid, std::string(name) + " does not begin with its size");
  }
  std::memcpy(static_cast<void*>(&known), given, std::min(size, sizeof known));
  return known;
}

inline std::string text_of(const char* text) {
  return text ? text : "";
}

/// The session of all bags that C opens: plugins are loaded once, and readers share chunks.
const Session& session();

}  // namespace kitbag::c
