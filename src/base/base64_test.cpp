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

TEST(Base64, EncodesTheVectorsOfTheStandard) {
  for (const char* text : {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"}) {
    EXPECT_EQ(encode_base64(as_bytes(decoded(text))), text);
  }
}

TEST(Base64, EncodesMoreThanOnePiece) {
  std::string bytes;
  for (int i = 0; i < 2'000'000; ++i) bytes += static_cast<char>(i * 7);
  std::string text = encode_base64(as_bytes(bytes));
  EXPECT_EQ(text.size(), (bytes.size() + 2) / 3 * 4);
  EXPECT_EQ(decoded(text), bytes);
}

TEST(Base64, RefusesWhatIsMalformed) {
  EXPECT_EQ(decoded("Zg"), "malformed");
  EXPECT_EQ(decoded("Zm9-"), "malformed");
  for (const char* text :
       {"Zm8=\n\n\n\n", "Zm9v    ", "    Zm9v", "Zm8=Zm9v", "Zm=v", "Z===", "===="}) {
    EXPECT_EQ(decoded(text), "malformed") << text;
  }
}

}  // namespace
}  // namespace kitbag
