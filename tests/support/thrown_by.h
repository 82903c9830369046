#pragma once

#include <gtest/gtest.h>

#include "kitbag/error.h"

namespace kitbag::test {

/// The Error that `action` throws; the test fails when it throws none.
template <class Action>
Error thrown_by(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return {ErrorCode::invalid, "none"};
}

}  // namespace kitbag::test
