#include "catalog/stored_text.h"

#include <gtest/gtest.h>

#include <string>

namespace kitbag::catalog {
namespace {

TEST(StoredText, UsualNamesStayAsTheyAre) {
  EXPECT_EQ(stored_text("/camera/left"), "/camera/left");
  EXPECT_EQ(stored_text("Zürich/走る.bag"), "Zürich/走る.bag");
  EXPECT_EQ(stored_text(""), "");
}

TEST(StoredText, AnyBytesComeBack) {
  for (const std::string& bytes :
       {std::string("a\xff\xfe.bag"), std::string("a\0b", 3), std::string("\xc3"),
        std::string("\xed\xa0\x80"), std::string("\xef\x9c\x80"), std::string("\xef\x9f\xbf x")}) {
    std::string stored = stored_text(bytes);
    EXPECT_EQ(stored.find('\0'), std::string::npos);
    EXPECT_NE(stored, bytes);
    EXPECT_EQ(bytes_of(stored), bytes);
  }
}

}  // namespace
}  // namespace kitbag::catalog
