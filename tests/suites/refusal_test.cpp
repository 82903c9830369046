// A message whose time a format cannot store is refused, and the bag goes on as if it had not come.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"

namespace kitbag::testing {
namespace {

using ::testing::HasSubstr;

class Refusals : public ::testing::TestWithParam<FormatCase> {
 protected:
  static constexpr std::int64_t kLongAgo = -1;

  std::string target() const {
    const FormatCase& one = GetParam();
    return folder_ / (one.is_directory ? "bag/" : "bag" + std::string(one.format.extension));
  }

  bool stores_before_1970() const { return GetParam().format.name == "sqlite3"; }

  void expect_refused(const std::function<void()>& write) const {
    try {
      write();
      EXPECT_TRUE(stores_before_1970());
    } catch (const Error& error) {
      EXPECT_FALSE(stores_before_1970());
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      EXPECT_THAT(error.message(), HasSubstr("/b"));
      EXPECT_THAT(error.message(), HasSubstr("-1 ns"));
      EXPECT_THAT(error.file(), HasSubstr("bag"));
    }
  }

  TempFolder folder_;
};

TEST_P(Refusals, LeaveTheBagAsItWas) {
  ChannelsPtr channels = GetParam().channels();
  Session session;
  auto writer = session.create(target(), GetParam().options(10'000));
  ByteView payload[] = {as_bytes("payload")};
  auto append = [&](std::size_t channel, std::int64_t ns) {
    writer->append((*channels)[channel], {from_ns(ns), from_ns(ns), 0}, payload);
  };
  for (std::size_t i = 0; i < channels->size(); ++i) append(i, 1'000);
  expect_refused([&] { append(1, kLongAgo); });
  expect_refused([&] {
    std::span<std::byte> room =
        writer->reserve((*channels)[1], {from_ns(kLongAgo), from_ns(kLongAgo), 0}, 7);
    std::copy_n(payload[0].begin(), room.size(), room.begin());
    writer->commit(room.size());
  });
  expect_refused([&] {
    write_messages(*writer, channels, {{0, 2'000, "payload"}, {1, kLongAgo, "payload"}});
  });
  append(0, 3'000);
  writer->close();

  std::vector<TestMessage> messages = read_messages(*session.open(target()));
  EXPECT_EQ(messages.size(), stores_before_1970() ? 8U : 4U);
  EXPECT_EQ(messages.back(), (TestMessage{0, 3'000, "payload"}));
  if (stores_before_1970()) return;  // they are out of order
  session.check(target(), {.on_problem = [](const Error& e) { ADD_FAILURE() << e.what(); }},
                {.decoded_messages = 0});  // its payloads are any bytes
}

INSTANTIATE_TEST_SUITE_P(Formats, Refusals, ::testing::ValuesIn(formats_and_directories()),
                         case_name);

}  // namespace
}  // namespace kitbag::testing
