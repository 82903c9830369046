#include "kitbag/system_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace kitbag {
namespace {

/// The errno of what `action` throws; -1: nothing.
template <class Action>
int number_thrown_by(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return errno_of(error);
  }
  return -1;
}

const Error kFull(ErrorCode::io, "cannot write: no space left on device", "run.bag", 7);

TEST(SystemErrors, AreErrorsThatKnowTheirNumber) {
  SystemError full(kFull, ENOSPC);
  EXPECT_EQ(full.number(), ENOSPC);
  EXPECT_STREQ(full.what(), kFull.what());
  EXPECT_EQ(full.code(), ErrorCode::io);
  EXPECT_EQ(full.offset(), 7U);
  EXPECT_EQ(errno_of(kFull), 0);  // the text says nothing
  EXPECT_EQ(number_thrown_by([&] { throw SystemError(kFull, ENOSPC); }), ENOSPC);
}

TEST(SystemErrors, KeepTheirNumberUnderAnotherName) {
  Error named(ErrorCode::io, kFull.message(), "other.bag");
  SystemError full(kFull, ENOSPC);
  EXPECT_EQ(number_thrown_by([&] { throw_as(named, full); }), ENOSPC);
  EXPECT_EQ(number_thrown_by([&] { throw_as(named, kFull); }), 0);
  try {
    throw_as(named, full);
  } catch (const Error& error) {
    EXPECT_EQ(error.file(), "other.bag");
  }
}

}  // namespace
}  // namespace kitbag
