#include "kitbag/bag_options.h"

#include <gmock/gmock.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag::rosbag2 {
namespace {

using test::thrown_by;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(BagOptions, AreKeysWithTheirValuesInOrder) {
  auto bags = parse_bag_options(
      "output_bags:\n- uri: a\n  topics: [/x, /y]\n  custom_data: {k: v, l: w}\n- storage_id: ~\n"
      "  all: true\n",
      "output_bags");
  EXPECT_THAT(
      bags, ElementsAre(
                ElementsAre(Pair("uri", ElementsAre("a")), Pair("topics", ElementsAre("/x", "/y")),
                            Pair("custom_data", ElementsAre("k=v", "l=w"))),
                ElementsAre(Pair("storage_id", IsEmpty()), Pair("all", ElementsAre("true")))));
  EXPECT_THAT(parse_bag_options("input_bags: []", "input_bags"), IsEmpty());
}

TEST(BagOptions, OtherYamlIsAnError) {
  for (const char* text :
       {"", "- a", "bags", "output_bags: 3", "output_bags: [a]", "output_bags: [{a: [[b]]}]",
        "output_bags: [{[a]: b}]", "output_bags: [{a: {b: [c]}}]", "output_bags: ["}) {
    Error error = thrown_by([&] { parse_bag_options(text, "output_bags"); });
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << text;
  }
}

}  // namespace
}  // namespace kitbag::rosbag2
