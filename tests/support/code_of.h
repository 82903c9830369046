#pragma once

#include "tests/support/thrown_by.h"

namespace kitbag::test {

/// The code of the Error that `action` throws; the test fails when it throws none.
template <class Action>
ErrorCode code_of(Action action) {
  return thrown_by(action).code();
}

}  // namespace kitbag::test
