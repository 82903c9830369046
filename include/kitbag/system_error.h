#pragma once

#include "kitbag/error.h"
#include "kitbag/export.h"

// Why the operating system has refused something, as a number: a full disk and a file that must not
// be read are both ErrorCode::io, and what can be done about them is not the same.

namespace kitbag {

/// An Error that knows its errno.
class KITBAG_API SystemError : public Error {
 public:
  /// `number` is the errno that has led to `error`; 0: it is not known.
  SystemError(const Error& error, int number);

  /// Returns the errno, such as ENOSPC; 0: it is not known.
  int number() const { return number_; }

 private:
  int number_;
};

/// Returns the errno of an error; 0: the system was not the reason, or it is not known.
KITBAG_API int errno_of(const Error& error);

/// Throws `named`, which says in another way what `error` says, with the errno of `error`.
[[noreturn]] KITBAG_API void throw_as(const Error& named, const Error& error);

}  // namespace kitbag
