#include "kitbag/registry.h"

#include <gtest/gtest.h>

namespace kitbag {
namespace {

TEST(FindFormat, ByItsName) {
  Registry registry;
  for (std::string_view name : {"rosbag", "mcap"}) {
    Format format{};
    format.name = name;
    registry.formats.push_back(format);
  }
  EXPECT_EQ(find_format(registry, "mcap"), &registry.formats[1]);
  EXPECT_EQ(find_format(registry, "mca"), nullptr);
  EXPECT_EQ(find_format(registry, ""), nullptr);
  EXPECT_EQ(find_format({}, "rosbag"), nullptr);
}

}  // namespace
}  // namespace kitbag
