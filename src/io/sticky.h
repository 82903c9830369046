#pragma once

#include <exception>

#include "kitbag/error.h"

namespace kitbag {

/// A writer does not take what it was given, and is as it was before: it goes on with the next one.
class Refusal final : public Error {
 public:
  using Error::Error;
  explicit Refusal(const Error& error) : Error(error) {}
};

/// Keeps the first exception of the calls that pass through it, and throws it again ever after. A
/// Refusal is not kept.
class Sticky {
 public:
  template <class Call>
  void run(Call&& call) {
    if (error_) std::rethrow_exception(error_);
    try {
      call();
    } catch (const Refusal&) {
      throw;
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
  }

 private:
  std::exception_ptr error_;
};

}  // namespace kitbag
