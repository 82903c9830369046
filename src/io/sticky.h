#pragma once

#include <exception>

namespace kitbag {

/// Keeps the first exception of the calls that pass through it, and throws it again ever after.
class Sticky {
 public:
  template <class Call>
  void run(Call&& call) {
    if (error_) std::rethrow_exception(error_);
    try {
      call();
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
  }

 private:
  std::exception_ptr error_;
};

}  // namespace kitbag
