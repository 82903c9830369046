#include "kitbag/bag_stream.h"

#include <gtest/gtest.h>

#include <string>

#include "kitbag/error.h"
#include "kitbag/file.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

TEST(BagStream, IsABagThatCanBeRead) {
  Session session;
  std::string bytes;
  auto write = [&](ByteView more) { bytes += as_text(more); };
  auto writer = create_bag_stream(write, {.format = "mcap", .chunk_bytes = 1000}, session);
  auto channel = std::make_shared<Channel>();
  channel->topic = "/a";
  channel->encoding = "json";
  std::string payload(600, 'x');
  ByteView piece = as_bytes(payload);
  for (int i = 0; i < 10; ++i) writer->append(channel, {from_ns(i), from_ns(i), 0}, {&piece, 1});
  EXPECT_GT(bytes.size(), 4000U);  // chunks leave when they are full
  writer->close();
  Input input;
  input.path = "streamed";
  input.file = memory_file(as_bytes(bytes));
  BagPtr bag = session.open(input);
  EXPECT_EQ(bag->summary().messages, 10U);
  EXPECT_TRUE(bag->summary().indexed);
}

TEST(BagStream, IsRefusedForFormatsThatGoBack) {
  Session session;
  auto ignore = [](ByteView) {};
  EXPECT_ERROR(unsupported, create_bag_stream(ignore, {.format = "rosbag"}, session));
  EXPECT_ERROR(invalid, create_bag_stream(ignore, {.format = "none"}, session));
}

}  // namespace
}  // namespace kitbag
