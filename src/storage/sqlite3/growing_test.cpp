#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/session.h"
#include "storage/sqlite3/database.h"
#include "storage/sqlite3/format.h"
#include "storage/sqlite3/reader.h"
#include "storage/sqlite3/verify.h"
#include "tests/support/temporary_folder.h"

namespace kitbag::sqlite3 {
namespace {

/// A bag that is being recorded, and read meanwhile.
class Growing : public testing::TestWithParam<const char*> {
 protected:
  Growing() {
    WriteOptions options{.is_visible = true};
    options.preset = GetParam();
    writer_ = sqlite3_format().create(path_, options, session_);
    declare("/first");
  }

  static bool has_log() { return std::string_view(GetParam()) == "resilient"; }

  void declare(const std::string& topic) {
    auto channels = std::make_shared<Channels>(*channels_);
    Channel channel;
    channel.slot = static_cast<std::uint32_t>(channels->size());
    channel.topic = topic;
    channel.encoding = "cdr";
    channels->push_back(std::make_shared<const Channel>(std::move(channel)));
    channels_ = std::move(channels);
  }
  /// Messages of all sizes on the last topic, some of them earlier than others before them.
  void write(std::size_t count) {
    Batch batch;
    batch.channels = channels_;
    for (std::size_t i = 0; i < count; ++i) {
      auto number = static_cast<std::int64_t>(written_.size());
      std::int64_t time = number * 1000 - (number % 5 == 0 ? 20'000 : 0);
      std::size_t bytes = number % 16 == 0 ? 50'000 : 200;
      batch.add({channels_->back().get(), 0, 0, from_ns(time), from_ns(time + number % 3),
                 as_bytes(data_).first(bytes)});
      written_.push_back({time, number % 3});
    }
    writer_->write(std::move(batch));
  }
  void commit() {
    writer_->flush();
    committed_ = written_;
  }

  Input input() const { return {path_, {}, open_file(path_), local_file_system()}; }
  BagPtr open() { return open_bag(input(), {.on_problem = throw_unless_unclosed}); }
  using Times = std::vector<std::pair<std::int64_t, std::int64_t>>;  ///< log time, delay

  /// Damage of any kind ends the test. `meanwhile` runs after the first batch.
  static Times read(const Bag& bag, Order order, const std::function<void()>& meanwhile = {}) {
    Query query;
    query.order = order;
    Times times;
    auto source = bag.read(query);
    for (Batch batch; source->read(batch, {}); batch.clear()) {
      bool is_first = times.empty();
      for (const Message& message : std::as_const(batch).messages()) {
        times.emplace_back(to_ns(message.log_time),
                           (message.publish_time - message.log_time).count());
      }
      if (is_first && meanwhile) meanwhile();
    }
    return times;
  }
  static Times sorted(Times times, Order order) {
    if (order != Order::file) std::sort(times.begin(), times.end());
    if (order == Order::reverse_time) std::reverse(times.begin(), times.end());
    return times;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("bag.db3");
  Session session_{Registry()};
  std::unique_ptr<Writer> writer_;
  ChannelsPtr channels_ = std::make_shared<const Channels>();
  std::string data_ = std::string(50'000, 'x');
  Times written_;
  Times committed_;
};

TEST_P(Growing, BetweenTwoCommitsItIsWhatWasCommitted) {
  for (int round = 0; round < 40; ++round) {
    write(300);  // 1 MB; the cache of SQLite is full after two of them
    if (round % 7 == 6) commit();
    BagPtr bag = open();
    ASSERT_EQ(bag->summary().messages, committed_.size()) << round;
    ASSERT_EQ(read(*bag, Order::time), sorted(committed_, Order::time)) << round;
    check_bag(input(), {.on_problem = throw_unless_unclosed});
  }
}

TEST_P(Growing, WhatComesWhileItIsReadIsNotOfThatBag) {
  write(5'000);
  commit();
  for (Order order : {Order::file, Order::time, Order::reverse_time}) {
    BagPtr bag = open();
    Times before = sorted(committed_, order);
    auto add = [&] {
      declare("/later");
      write(1'000);
      commit();
    };
    EXPECT_EQ(read(*bag, order, add), before) << static_cast<int>(order);
    EXPECT_EQ(bag->summary().messages, before.size());
    EXPECT_EQ(read(*open(), order), sorted(committed_, order));
  }
}

TEST_P(Growing, AnIndexThatChangesIsNotComparedAndTheCheckSaysSo) {
  write(5'000);
  commit();
  std::vector<ErrorCode> said;
  Store store(open_pages(input(), {}), {});
  bool has_written = false;
  verify(
      store, [&](const Error& problem) { said.push_back(problem.code()); },
      [&](std::uint64_t, Time) {
        if (std::exchange(has_written, true)) return;
        write(1'000);
        commit();
      });
  if (has_log()) {
    EXPECT_THAT(said, testing::Each(ErrorCode::busy));  // or nothing: the log has the old pages
  } else {
    EXPECT_THAT(said, testing::ElementsAre(ErrorCode::busy));
  }
}

TEST_P(Growing, ThatItWasNotClosedIsSaidUntilItIs) {
  write(10);
  commit();
  std::vector<std::string> said;
  ReadOptions options;
  options.on_problem = [&](const Error& problem) {
    if (problem.code() != ErrorCode::remark) said.push_back(problem.message());
  };
  open_bag(input(), options);
  check_bag(input(), options);
  EXPECT_THAT(said, testing::ElementsAre(testing::HasSubstr("the bag was not closed"),
                                         testing::HasSubstr("the bag was not closed")));
  writer_->close();
  said.clear();
  open_bag(input(), options);
  check_bag(input(), options);
  EXPECT_THAT(said, testing::IsEmpty());
}

TEST_P(Growing, AWriterThatIsKilledLeavesWhatWasCommitted) {
  write(3'000);
  commit();
  write(1'000);
  std::string copy = folder_.path("killed.db3");
  save_file(*open_file(path_), copy);
  if (has_log()) save_file(*open_file(path_ + "-wal"), copy + "-wal");
  Database database(copy, copy, false);
  Statement damage = database.prepare(
      "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok';");
  EXPECT_EQ(damage.number(), 0);
  EXPECT_EQ(database.prepare("SELECT count(*) FROM messages;").number(), 3'000);
}

INSTANTIATE_TEST_SUITE_P(Presets, Growing, testing::Values("none", "resilient"));

}  // namespace
}  // namespace kitbag::sqlite3
