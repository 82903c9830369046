#include "lazy/lazy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace kitbag::lazy {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Lazy, FindsAFunctionOfALibraryThatIsLoadedForIt) {
  auto* cosine = reinterpret_cast<double (*)(double)>(find("libm.so.6", "cos"));
  EXPECT_EQ(cosine(0), 1);
}

TEST(Lazy, NamesALibraryThatIsMissing) {
  EXPECT_THAT([] { find("libof-nobody.so.7", "anything"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("libof-nobody.so.7")));
}

TEST(Lazy, NamesAFunctionThatTheLibraryLacks) {
  EXPECT_THAT([] { find("libm.so.6", "no_such_function"); },
              ThrowsMessage<std::runtime_error>(HasSubstr("no_such_function")));
}

}  // namespace
}  // namespace kitbag::lazy
