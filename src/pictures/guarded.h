#pragma once

#include <array>
#include <csetjmp>
#include <cstdio>

#include "kitbag/error.h"

// libjpeg and libpng report an error by a function that must not return. It jumps out of the
// library, back to guarded(), where the error becomes an exception. No exception passes through the
// C code, and the jump passes no object that has a destructor: what guarded() calls makes calls of
// the library, nothing else.

namespace kitbag {

/// Where a library jumps to, and why it did.
struct Guard {
  std::jmp_buf back;
  ErrorCode code = ErrorCode::corrupt;
  std::array<char, 256> text{};
};

[[noreturn]] inline void jump_back(Guard& guard, ErrorCode code, const char* text) {
  guard.code = code;
  std::snprintf(guard.text.data(), guard.text.size(), "%s", text);
  std::longjmp(guard.back, 1);
}

/// Calls `call`, whose objects must have no destructors. Throws Error if it jumps back.
template <class Call>
void guarded(Guard& guard, const Call& call) {
  if (setjmp(guard.back) == 0) {
    call();
    return;
  }
  throw Error(guard.code, guard.text.data());
}

}  // namespace kitbag
