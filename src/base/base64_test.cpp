#include "kitbag/base64.h"

#include <gtest/gtest.h>

#include <string>

#include "kitbag/bytes.h"

namespace kitbag {
namespace {

std::string decoded(std::string_view text) {
  auto bytes = decode_base64(text);
  return bytes ? std::string(as_text(*bytes)) : "malformed";
}

TEST(Base64, DecodesTheVectorsOfTheStandard) {
  EXPECT_EQ(decoded(""), "");
  EXPECT_EQ(decoded("Zg=="), "f");
  EXPECT_EQ(decoded("Zm8="), "fo");
  EXPECT_EQ(decoded("Zm9v"), "foo");
  EXPECT_EQ(decoded("Zm9vYg=="), "foob");
  EXPECT_EQ(decoded("Zm9vYmE="), "fooba");
  EXPECT_EQ(decoded("Zm9vYmFy"), "foobar");
}

TEST(Base64, RefusesWhatIsMalformed) {
  EXPECT_EQ(decoded("Zg"), "malformed");
  EXPECT_EQ(decoded("Zm9-"), "malformed");
}

}  // namespace
}  // namespace kitbag
