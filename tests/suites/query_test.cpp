// Every format answers a query as a plain list would.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <stop_token>

#include "kitbag/kitbag.h"
#include "tests/support/bags.h"
#include "tests/support/thrown_by.h"

namespace kitbag::testing {
namespace {

/// What a query means, said as simply as possible.
std::vector<TestMessage> answer(std::vector<TestMessage> messages, const Query& query) {
  const std::vector<std::string>& topics = query.select.topics;
  std::erase_if(messages, [&](const TestMessage& message) {
    std::string topic = message.channel == 0 ? "/a" : "/b";
    bool selected =
        topics.empty() || std::find(topics.begin(), topics.end(), topic) != topics.end();
    Time time = from_ns(message.time_ns);
    return !selected || time < query.begin || (time >= query.end && query.end != Time::max());
  });
  if (query.order != Order::file) {
    std::stable_sort(messages.begin(), messages.end(),
                     [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  }
  if (query.order == Order::reverse_time) std::reverse(messages.begin(), messages.end());
  std::size_t skipped = std::min<std::size_t>(query.nth, messages.size());
  messages.erase(messages.begin(), messages.begin() + static_cast<std::ptrdiff_t>(skipped));
  if (query.count < messages.size()) messages.resize(query.count);
  return messages;
}

/// Times wander: `spread` says how far chunks overlap.
std::vector<TestMessage> wandering_messages(std::mt19937& random, std::int64_t spread) {
  std::vector<TestMessage> messages;
  for (int i = 0; i < 400; ++i) {
    std::int64_t time =
        1'000'000 + i * 10 + static_cast<std::int64_t>(random() % 1000) * spread / 10;
    // Payloads of 0 to 40 bytes: empty ones share their place with what follows.
    auto channel = i < 3 ? static_cast<std::uint32_t>(i) : static_cast<std::uint32_t>(random() % 3);
    messages.push_back(
        {channel, time / 20 * 20, std::string(random() % 41, static_cast<char>('a' + i % 26))});
  }
  return messages;
}

Query random_query(std::mt19937& random) {
  Query query;
  if (random() % 3 == 0) query.select.topics = {random() % 2 == 0 ? "/a" : "/b"};
  if (random() % 2 == 0)
    query.begin = from_ns(1'000'000 + static_cast<std::int64_t>(random() % 6000));
  if (random() % 2 == 0)
    query.end = from_ns(1'000'000 + static_cast<std::int64_t>(random() % 6000));
  query.order = static_cast<Order>(random() % 3);
  if (random() % 2 == 0) query.nth = random() % 450;
  if (random() % 2 == 0) query.count = random() % 20;
  return query;
}

std::string text_of(const Query& query) {
  return "topics " + std::to_string(query.select.topics.size()) + " begin " +
         std::to_string(to_ns(query.begin)) + " end " + std::to_string(to_ns(query.end)) +
         " order " + std::to_string(static_cast<int>(query.order)) + " nth " +
         std::to_string(query.nth) + " count " + std::to_string(query.count);
}

class QuerySuite : public ::testing::TestWithParam<FormatCase> {
 protected:
  WriteOptions options() const { return GetParam().options(1'500, 1); }
  Session session_;
};

TEST_P(QuerySuite, AnswersAsAListWould) {
  std::mt19937 random(11);
  for (std::int64_t spread : {0, 5, 60}) {
    auto messages = wandering_messages(random, spread);
    auto stored = GetParam().store(options(), messages);
    auto bag = stored.open();
    for (int i = 0; i < 200; ++i) {
      Query query = random_query(random);
      ASSERT_EQ(read_messages(*bag, query), answer(messages, query))
          << text_of(query) << " spread " << spread;
    }
  }
}

TEST_P(QuerySuite, ReverseIsTheExactReverse) {
  std::mt19937 random(13);
  auto stored = GetParam().store(options(), wandering_messages(random, 40));
  auto bag = stored.open();
  auto forward = read_messages(*bag);
  Query query;
  query.order = Order::reverse_time;
  auto backward = read_messages(*bag, query);
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
}

TEST_P(QuerySuite, DroppedChannelsAreNullInTheTable) {
  std::mt19937 random(17);
  auto stored = GetParam().store(options(), wandering_messages(random, 0));
  auto bag = stored.open();
  Query query;
  query.select.exclude = {"/b"};
  auto channels = bag->read(query)->channels();
  ASSERT_EQ(channels->size(), 3U);
  EXPECT_NE((*channels)[0], nullptr);
  EXPECT_EQ((*channels)[1], nullptr);
  EXPECT_EQ((*channels)[2], nullptr);
}

TEST_P(QuerySuite, BatchesOutliveSourceAndBag) {
  std::mt19937 random(19);
  auto messages = wandering_messages(random, 60);
  auto stored = GetParam().store(options(), messages);
  std::vector<Batch> batches;
  {
    auto bag = stored.open();
    auto source = bag->read();
    bag.reset();
    for (Batch batch; source->read(batch, {}); batch = Batch()) batches.push_back(std::move(batch));
  }
  std::vector<TestMessage> seen;
  for (Batch& batch : batches) {
    batch.compact();
    for (const Message& message : batch.messages()) {
      seen.push_back(
          {message.channel->slot, to_ns(message.log_time), std::string(as_text(message.data))});
    }
  }
  EXPECT_EQ(seen, answer(messages, {}));
}

TEST_P(QuerySuite, BatchesStayWithinTheirBounds) {
  std::vector<TestMessage> messages;
  for (int i = 0; i < 2000; ++i) messages.push_back({0, i, std::string(i % 2 ? 10 : 100'000, 'x')});
  auto stored = GetParam().store(options(), messages);
  auto source = stored.open()->read();
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    ASSERT_LE(batch.messages().size(), kBatchMessages);
    ASSERT_LE(batch.payload(), kBatchBytes + 100'000);
    ASSERT_FALSE(batch.empty());
  }
}

class LatchedQuery : public QuerySuite {};

TEST_P(LatchedQuery, GivesLatchedMessagesFromBeforeTheRange) {
  std::vector<TestMessage> messages;
  for (std::uint32_t i = 0; i < 30; ++i) {
    messages.push_back({i % 3, 1'000 + i, std::to_string(i)});  // channel 2 is latched
  }
  auto stored = GetParam().store(GetParam().options(100), messages);
  std::vector<BagPtr> bags = {stored.open()};
  Query query;
  query.begin = from_ns(1'010);
  query.count = 2;
  query.latched_before = true;
  auto source = read(bags, query);
  std::vector<std::string> reported;
  for (Batch batch; source->read(batch, {}); batch.clear()) {
    for (const Message& message : std::as_const(batch).messages()) {
      reported.push_back(((message.flags & kState) != 0 ? "state " : "") +
                         std::string(as_text(message.data)));
      EXPECT_EQ((*source->channels())[message.channel->slot].get(), message.channel);
    }
  }
  EXPECT_EQ(reported, (std::vector<std::string>{"state 8", "10", "11"}));
  query.begin = from_ns(1'002);  // nothing latched before
  EXPECT_EQ(read_messages(*read(bags, query)).size(), 2U);
}

TEST_P(QuerySuite, LatchedMessagesFromBeforeComeInTheOrderOfTimeOnly) {
  auto stored = GetParam().store(options(), {{0, 1'000, "a"}});
  auto bag = stored.open();
  Query query;
  query.begin = from_ns(1'010);
  query.latched_before = true;
  for (Order order : {Order::file, Order::reverse_time}) {
    query.order = order;
    EXPECT_EQ(test::thrown_by([&] { bag->read(query); }).code(), ErrorCode::invalid);
  }
}

/// The last message of each channel before `time`, in the order of their times.
std::vector<TestMessage> last_before(const std::vector<TestMessage>& messages, std::int64_t time,
                                     const std::string& topic) {
  std::map<std::uint32_t, TestMessage> last;
  std::vector<TestMessage> ordered = messages;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; });
  for (const TestMessage& message : ordered) {
    bool is_selected = topic.empty() || topic == (message.channel == 0 ? "/a" : "/b");
    if (is_selected && message.time_ns < time) last[message.channel] = message;
  }
  std::vector<TestMessage> answer;
  for (const auto& [channel, message] : last) answer.push_back(message);
  std::sort(answer.begin(), answer.end(), [](const auto& a, const auto& b) {
    return std::pair(a.time_ns, a.channel) < std::pair(b.time_ns, b.channel);
  });
  return answer;
}

TEST_P(QuerySuite, TheLastMessagesBeforeATime) {
  std::mt19937 random(23);
  for (std::int64_t spread : {0, 5, 60}) {
    auto messages = wandering_messages(random, spread);
    // What came once, at the beginning, is looked for far back.
    std::erase_if(messages, [seen = 0](const TestMessage& message) mutable {
      return message.channel == 2 && seen++ > 0;
    });
    auto stored = GetParam().store(options(), messages);
    auto bag = stored.open();
    for (int i = 0; i < 100; ++i) {
      std::int64_t time = 999'990 + static_cast<std::int64_t>(random() % 6'000);
      std::string topic = i % 3 == 0 ? "/a" : i % 3 == 1 ? "/b" : "";
      Selection select;
      if (!topic.empty()) select.topics = {topic};
      Batch batch = bag->last_before(from_ns(time), select);
      std::vector<TestMessage> found;
      for (const Message& message : batch.messages()) {
        EXPECT_EQ((*batch.channels)[message.channel->slot].get(), message.channel);
        found.push_back(
            {message.channel->slot, to_ns(message.log_time), std::string(as_text(message.data))});
      }
      std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return std::pair(a.time_ns, a.channel) < std::pair(b.time_ns, b.channel);
      });
      ASSERT_EQ(found, last_before(messages, time, topic)) << time << topic << " spread " << spread;
    }
  }
}

TEST_P(QuerySuite, AReaderThatIsStoppedGoesOnWhereItWas) {
  std::mt19937 random(29);
  for (Order order : {Order::time, Order::file, Order::reverse_time}) {
    auto messages = wandering_messages(random, 5);
    auto stored = GetParam().store(options(), messages);
    auto bag = stored.open();
    Query query;
    query.order = order;
    auto source = bag->read(query);
    std::vector<TestMessage> found;
    bool is_stopped = true;
    for (Batch batch;; batch.clear()) {
      std::stop_source stop;
      if (is_stopped) stop.request_stop();
      if (!source->read(batch, Wait{stop.get_token()})) break;
      ASSERT_LT(found.size(), messages.size() + 1);
      for (const Message& message : std::as_const(batch).messages()) {
        found.push_back(
            {message.channel->slot, to_ns(message.log_time), std::string(as_text(message.data))});
      }
      is_stopped = !is_stopped;
    }
    EXPECT_EQ(found, answer(messages, query));
  }
}

TEST_P(QuerySuite, AStopEndsTheSearchForTheLastMessages) {
  std::mt19937 random(31);
  auto stored = GetParam().store(options(), wandering_messages(random, 0));
  std::stop_source stop;
  stop.request_stop();
  auto bag = stored.open();
  auto search = [&] { bag->last_before(from_ns(1'002'000), {}, Wait{stop.get_token()}); };
  EXPECT_EQ(test::thrown_by(search).code(), ErrorCode::cancelled);
}

INSTANTIATE_TEST_SUITE_P(Formats, QuerySuite, ::testing::ValuesIn(formats_and_directories()),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Formats, LatchedQuery,
                         ::testing::ValuesIn(cases_that(formats_and_directories(),
                                                        [](const FormatCase& one) {
                                                          return one.version.holds_metadata;
                                                        })),
                         case_name);

}  // namespace
}  // namespace kitbag::testing
