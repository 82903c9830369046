#pragma once

#include <gtest/gtest.h>

#include <string>

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

/// What that Error says.
template <class Action>
std::string sentence_of(Action action) {
  return thrown_by(action).what();
}

}  // namespace kitbag::test

/// The statement throws an Error of the code: EXPECT_ERROR(not_found, bag->open("x")). Without the
/// code, any mistake in the statement would pass for the error that is expected.
#define EXPECT_ERROR(code_name, ...) KITBAG_THROWS(EXPECT_STREQ, code_name, __VA_ARGS__)
#define ASSERT_ERROR(code_name, ...) KITBAG_THROWS(ASSERT_STREQ, code_name, __VA_ARGS__)

#define KITBAG_THROWS(compare, code_name, ...)                                         \
  compare(::kitbag::to_string(::kitbag::test::thrown_by([&] { __VA_ARGS__; }).code()), \
          ::kitbag::to_string(::kitbag::ErrorCode::code_name))
