#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "kitbag/damage.h"
#include "kitbag/error.h"
#include "kitbag/session.h"
#include "storage/sqlite3/database.h"
#include "storage/sqlite3/format.h"
#include "storage/sqlite3/reader.h"
#include "storage/sqlite3/test_channels.h"
#include "storage/sqlite3/verify.h"
#include "tests/support/temporary_folder.h"

// SQLite has no checksums: which bits of a bag are damaged is seen by what contradicts them, or not
// at all. That may cost what a message says, but no message is lost without a word.

namespace kitbag::sqlite3 {
namespace {

constexpr std::uint64_t kMessages = 600;
constexpr std::size_t kPageBytes = 4096;

class FlippedBits : public ::testing::Test {
 protected:
  void SetUp() override {
    auto writer = sqlite3_format().create(path_, {}, Session(Registry()));
    Batch batch;
    batch.channels = two_channels();
    std::vector<std::string> payloads(kMessages);
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      Time time = from_ns(1'700'000'000'000'000'000 + std::int64_t{i} * 10'000'000);
      payloads[i] = "message " + std::to_string(i);
      batch.add({(*batch.channels)[i % 2].get(), i, 0, time, time, as_bytes(payloads[i])});
    }
    writer->write(std::move(batch));
    writer->close();
  }

  std::string whole() const {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  /// Reads the bag in `bytes`, and returns the number of messages that it has. Nothing: it is not
  /// to be read as a bag.
  static std::optional<std::uint64_t> read(const std::string& bytes, Order order, Damage& damage) {
    std::uint64_t found = 0;
    ReadOptions options{.on_problem = [&](const Error& problem) { damage.add(problem); }};
    try {
      auto bag = open_bag({"memory", {}, memory_file(as_bytes(bytes)), nullptr}, options);
      Query query;
      query.order = order;
      auto source = bag->read(query);
      for (Batch batch; source->read(batch, {}); batch.clear()) found += batch.messages().size();
    } catch (const Error&) {
      return std::nullopt;
    }
    return found;
  }

  /// What the bag in `bytes` lost must have been told.
  static void expect_no_silent_loss(const std::string& bytes, Order order) {
    Damage damage;
    std::uint64_t found = read(bytes, order, damage).value_or(kMessages);
    if (found >= kMessages) return;
    ASSERT_GT(damage.losses(), 0U) << found;
    ASSERT_TRUE(!damage.is_exact() || damage.lost_messages() >= kMessages - found) << found;
  }

  /// What the bag in `bytes` lost must have been counted once, by readers and by checks.
  static void expect_exact_loss(const std::string& bytes) {
    for (Order order : {Order::file, Order::time}) {
      Damage damage;
      auto found = read(bytes, order, damage);
      ASSERT_TRUE(found);
      ASSERT_GT(damage.losses(), 0U);
      ASSERT_TRUE(damage.is_exact());
      ASSERT_EQ(damage.lost_messages(), kMessages - *found) << int(order);
    }
    Damage met;
    Damage checked;
    auto found = read(bytes, Order::file, met);
    check_bag({"memory", {}, memory_file(as_bytes(bytes)), nullptr},
              {.on_problem = [&](const Error& problem) { checked.add(problem); }});
    ASSERT_EQ(checked.lost_messages(), kMessages - *found);
  }

  /// Where the record of message `i` of the first topic begins: its id of two bytes is in front of
  /// it.
  static std::size_t record_of(const std::string& bytes, std::uint64_t i) {
    constexpr std::size_t kBeforePayload = 13;  // a head of five bytes, the time
    std::size_t payload = bytes.find("message " + std::to_string(i));
    EXPECT_NE(payload, std::string::npos);
    return payload - kBeforePayload;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("bag.db3");
};

TEST_F(FlippedBits, LoseNoMessageInSilence) {
  const std::string sound = whole();
  constexpr std::size_t kStep = 97;
  constexpr std::size_t kHeadBytes = 12;
  std::vector<std::size_t> places;
  for (std::size_t at = 0; at < sound.size(); at += kStep) places.push_back(at);
  for (std::size_t page = kPageBytes; page < sound.size(); page += kPageBytes) {
    for (std::size_t i = 0; i < kHeadBytes; ++i) places.push_back(page + i);
  }
  for (std::size_t at : places) {
    for (char bits : {'\x01', '\x10', '\xff'}) {
      std::string damaged = sound;
      damaged[at] = static_cast<char>(damaged[at] ^ bits);
      for (Order order : {Order::file, Order::time, Order::reverse_time}) {
        SCOPED_TRACE(::testing::Message() << at << " " << int{bits} << " " << int(order));
        expect_no_silent_loss(damaged, order);
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// The columns of topics are found by their names.
TEST_F(FlippedBits, LoseNothingOfTopicsInSilence) {
  {
    std::filesystem::remove(path_);
    auto writer = sqlite3_format().create(path_, {}, Session(Registry()));
    auto channel = std::make_shared<Channel>(*two_channels()->front());
    channel->encoding = "json";
    channel->metadata = {{"offered_qos_profiles", "[]"}, {"topic_type_hash", "RIHS01_00"}};
    Batch batch;
    batch.channels = std::make_shared<const Channels>(Channels{channel});
    batch.add({channel.get(), 0, 0, from_ns(1), from_ns(1), as_bytes("{}")});
    writer->write(std::move(batch));
    writer->close();
  }
  std::string bytes = whole();
  auto topics_of = [](const std::string& bag, std::size_t& problems) {
    ReadOptions options{.on_problem = [&](const Error&) { ++problems; }};
    auto opened = open_bag({"memory", {}, memory_file(as_bytes(bag)), nullptr}, options);
    std::vector<std::string> found;
    for (const ChannelPtr& channel : *opened->summary().channels) {
      found.push_back(channel->topic + " " + channel->encoding + " " + channel->type());
      for (const auto& [key, value] : channel->metadata) found.back() += " " + key + "=" + value;
    }
    return found;
  };
  std::size_t none = 0;
  auto whole_topics = topics_of(bytes, none);
  EXPECT_EQ(none, 0U);
  std::size_t begin = bytes.find("CREATE TABLE topics(");
  ASSERT_NE(begin, std::string::npos);
  std::size_t end = bytes.find(')', begin);
  for (std::size_t bit = 8 * begin; bit < 8 * end; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    std::size_t problems = 0;
    std::vector<std::string> found;
    try {
      found = topics_of(damaged, problems);
    } catch (const Error&) {
      continue;
    }
    ASSERT_TRUE(found == whole_topics || problems > 0) << damaged.substr(begin, end - begin);
  }
}

TEST_F(FlippedBits, TwoOfThemCountNoMessageTwice) {
  std::string damaged = whole();
  for (std::uint64_t i : {200U, 400U}) {
    std::size_t record = record_of(damaged, i);
    if (i == 200U) damaged[record + 2] = '\x07';   // the topic's id is not an integer
    if (i == 400U) damaged[record - 2] ^= '\x7f';  // the row's id
  }
  expect_exact_loss(damaged);
}

/// Rows behind it in its page are found, so they are not lost.
TEST_F(FlippedBits, ADamagedIdCostsItsMessageOnly) {
  std::string damaged = whole();
  damaged[record_of(damaged, 400) - 2] ^= '\x7f';
  expect_exact_loss(damaged);
  Damage damage;
  EXPECT_EQ(read(damaged, Order::file, damage), kMessages - 1);
}

TEST_F(FlippedBits, MessagesOfNoTopicAreTold) {
  {
    Database database(path_, path_);
    database.run("DELETE FROM topics WHERE name = '/b'");
  }
  for (Order order : {Order::file, Order::time}) expect_no_silent_loss(whole(), order);
}

TEST_F(FlippedBits, MessagesThatTheIndexLeavesOutAreTold) {
  {
    Database database(path_, path_);
    database.run("DROP INDEX timestamp_idx");
    database.run("CREATE INDEX timestamp_idx ON messages (timestamp) WHERE topic_id = 1");
  }
  expect_no_silent_loss(whole(), Order::time);
}

}  // namespace
}  // namespace kitbag::sqlite3
