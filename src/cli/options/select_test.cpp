#include "cli/options/select.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A bag that has a summary and no messages to read.
class SummaryBag final : public Bag {
 public:
  explicit SummaryBag(Summary summary) : summary_(std::move(summary)) {}
  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query&, const Wait&) const override {
    return nullptr;
  }

 private:
  Summary summary_;
};

/// From second 100 + `start` to 100 + `end`, with 10 messages on each topic.
BagPtr bag_with(std::vector<std::string> topics, int start = 0, int end = 10) {
  Channels channels;
  Summary summary;
  for (std::string& topic : topics) {
    auto slot = static_cast<std::uint32_t>(channels.size());
    auto schema = std::make_shared<const Schema>(Schema{"pkg/T", "ros1msg", ""});
    channels.push_back(
        std::make_shared<const Channel>(Channel{std::move(topic), "ros1", schema, {}, slot}));
    summary.message_counts.push_back(10);
    summary.messages += 10;
  }
  summary.channels = std::make_shared<const Channels>(std::move(channels));
  summary.start = Time(100s + start * 1s);
  summary.end = Time(100s + end * 1s);
  return std::make_shared<SummaryBag>(std::move(summary));
}

std::string error_of(const SelectOptions& options, const std::vector<BagPtr>& bags) {
  try {
    make_query(options, bags);
  } catch (const Error& error) {
    return std::string(to_string(error.code())) + ": " + error.message();
  }
  return "no error";
}

TEST(MakeQuery, TakesEverythingByDefault) {
  std::vector<BagPtr> bags = {bag_with({"/a"})};
  Query query = make_query({}, bags);
  EXPECT_EQ(query.begin, Time::min());
  EXPECT_EQ(query.end, Time::max());
  EXPECT_EQ(query.count, UINT64_MAX);
}

TEST(MakeQuery, CountsFromTheEarliestStartAndTheLatestEnd) {
  std::vector<BagPtr> bags = {bag_with({"/a"}, 5, 20), bag_with({"/a"}, 0, 10)};
  SelectOptions options;
  options.start = parse_time("+3s");
  options.end = parse_time("-4s");
  Query query = make_query(options, bags);
  EXPECT_EQ(query.begin, Time(103s));
  EXPECT_EQ(query.end, Time(116s));
}

TEST(MakeQuery, ADurationRunsFromTheStartOrUpToTheEnd) {
  std::vector<BagPtr> bags = {bag_with({"/a"})};
  SelectOptions options;
  options.duration = 2s;
  Query query = make_query(options, bags);
  EXPECT_EQ(query.begin, Time(100s));
  EXPECT_EQ(query.end, Time(102s));
  options.end = parse_time("-1s");
  query = make_query(options, bags);
  EXPECT_EQ(query.begin, Time(107s));
  EXPECT_EQ(query.end, Time(109s));
  options.end.reset();
  options.start = parse_time("105");
  query = make_query(options, bags);
  EXPECT_EQ(query.begin, Time(105s));
  EXPECT_EQ(query.end, Time(107s));
}

TEST(MakeQuery, StopsAtTheEndOfTime) {
  std::vector<BagPtr> bags = {bag_with({"/a"})};
  SelectOptions options;
  options.start = parse_time("+1s");
  options.duration = Duration::max();
  EXPECT_EQ(make_query(options, bags).end, Time::max());
}

TEST(MakeQuery, IgnoresTheTimesOfEmptyBags) {
  std::vector<BagPtr> bags = {bag_with({}, -100, -100), bag_with({"/a"})};
  SelectOptions options;
  options.start = parse_time("+3s");
  EXPECT_EQ(make_query(options, bags).begin, Time(103s));
}

TEST(MakeQuery, RefusesARangeWithoutTime) {
  SelectOptions options;
  options.start = parse_time("+8s");
  options.end = parse_time("-8s");
  EXPECT_THAT(error_of(options, {bag_with({"/a"})}), HasSubstr("invalid: the time range is empty"));
}

TEST(MakeQuery, NamesAPatternThatMatchesNothing) {
  SelectOptions options;
  options.select.topics = {"/a", "/nowhere*"};
  EXPECT_THAT(error_of(options, {bag_with({"/a"}), bag_with({"/b"})}),
              AllOf(HasSubstr("not found"), HasSubstr("\"/nowhere*\""), HasSubstr("/a, /b")));
  options.select = {};
  options.select.types = {"pkg/Other"};
  EXPECT_THAT(error_of(options, {bag_with({"/a"})}), HasSubstr("\"pkg/Other\""));
  options.select = {};
  options.select.topic_expressions = {"/x+"};
  EXPECT_THAT(error_of(options, {bag_with({"/a"})}), HasSubstr("expression \"/x+\""));
}

TEST(MakeQuery, OneBagOfSeveralMayHaveTheTopic) {
  SelectOptions options;
  options.select.topics = {"/b"};
  EXPECT_EQ(error_of(options, {bag_with({"/a"}), bag_with({"/b"})}), "no error");
}

TEST(MakeQuery, ExcludingWhatIsNotThereIsFine) {
  SelectOptions options;
  options.select.exclude = {"/b"};
  EXPECT_EQ(error_of(options, {bag_with({"/a"})}), "no error");
}

TEST(MakeQuery, ListsTenTopicsAtMost) {
  std::vector<std::string> topics;
  for (char letter = 'a'; letter <= 'm'; ++letter) topics.push_back(std::string(1, letter));
  SelectOptions options;
  options.select.topics = {"zz"};
  EXPECT_THAT(error_of(options, {bag_with(topics)}), HasSubstr("i, j and 3 more"));
}

TEST(MakeQuery, RefusesABadExpression) {
  SelectOptions options;
  options.select.topic_expressions = {"("};
  EXPECT_THAT(error_of(options, {bag_with({"/a"})}), HasSubstr("invalid"));
}

TEST(RequireTopic, IsExact) {
  std::vector<BagPtr> bags = {bag_with({"/a"})};
  EXPECT_NO_THROW(require_topic("/a", bags));
  EXPECT_ERROR(not_found, require_topic("/*", bags));
}

TEST(ExpectedMessages, CountsWhatIsSelected) {
  std::vector<BagPtr> bags = {bag_with({"/a", "/b"}), bag_with({"/a"})};
  Query query;
  EXPECT_EQ(expected_messages(query, bags), 30);
  query.select.topics = {"/a"};
  EXPECT_EQ(expected_messages(query, bags), 20);
  query.begin = Time(105s);
  EXPECT_EQ(expected_messages(query, bags), 10);
  query.count = 4;
  EXPECT_EQ(expected_messages(query, bags), 4);
}

}  // namespace
}  // namespace kitbag::cli
