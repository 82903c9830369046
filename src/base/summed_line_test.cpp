#include "base/summed_line.h"

#include <gmock/gmock.h>

namespace kitbag {
namespace {

using testing::ElementsAre;
using testing::Optional;

std::string without_end(std::string line) {
  EXPECT_TRUE(line.ends_with('\n'));
  line.pop_back();
  return line;
}

TEST(SummedLine, GivesItsFieldsBack) {
  std::string line = without_end(summed_line({"a\tb\nc%09", "", "\xff\x01"}));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_THAT(fields_of_summed_line(line), Optional(ElementsAre("a\tb\nc%09", "", "\xff\x01")));
}

TEST(SummedLine, IsNoneWithoutItsEnd) {
  std::string line = without_end(summed_line({"run.bag", "12"}));
  for (std::size_t size = 0; size < line.size(); ++size) {
    EXPECT_FALSE(fields_of_summed_line(std::string_view(line).substr(0, size))) << size;
  }
}

TEST(SummedLine, IsNoneWithAnotherByte) {
  std::string line = without_end(summed_line({"run.bag", "12"}));
  for (char& c : line) {
    c ^= 1;
    EXPECT_FALSE(fields_of_summed_line(line)) << line;
    c ^= 1;
  }
}

}  // namespace
}  // namespace kitbag
