#include "lazy/lazy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag::lazy {
namespace {

using test::thrown_by;
using testing::HasSubstr;

TEST(Lazy, FindsAFunctionOfALibraryThatIsLoadedForIt) {
  auto* cosine = reinterpret_cast<double (*)(double)>(find("libm.so.6", "cos"));
  EXPECT_EQ(cosine(0), 1);
}

TEST(Lazy, NamesALibraryThatIsMissing) {
  Error error = thrown_by([] { find("libof-nobody.so.7", "anything"); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("libof-nobody.so.7"));
}

TEST(Lazy, NamesAFunctionThatTheLibraryLacks) {
  Error error = thrown_by([] { find("libm.so.6", "no_such_function"); });
  EXPECT_EQ(error.code(), ErrorCode::unsupported);
  EXPECT_THAT(error.what(), HasSubstr("no_such_function"));
}

TEST(Lazy, WhatTheSystemRefusesIsNotAMissingLibrary) {
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit none {
    0, before.rlim_max
  };
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  Error error = thrown_by([] { find("libutil.so.1", "openpty"); });
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(error.code(), ErrorCode::io);
  EXPECT_THAT(error.what(), HasSubstr("Too many open files"));
}

}  // namespace
}  // namespace kitbag::lazy
