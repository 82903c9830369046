#include <gmock/gmock.h>

#include <functional>

#include "tests/support/source_rules.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using test::collect;
using test::memory_source;
using test::Sample;
using test::Samples;
using test::topics_of;
using testing::ElementsAre;

/// Maps by a function, and counts.
class Mapping final : public Stage {
 public:
  using Map = std::function<ChannelPtr(const ChannelPtr&)>;
  explicit Mapping(Map map, std::vector<std::string>* mapped = nullptr)
      : map_(std::move(map)), mapped_(mapped) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    if (mapped_) mapped_->push_back(channel->topic);
    return map_(channel);
  }

 private:
  Map map_;
  std::vector<std::string>* mapped_;
};

ChannelPtr upper(const ChannelPtr& channel) {
  auto changed = std::make_shared<Channel>(*channel);
  for (char& c : changed->topic) c = static_cast<char>(std::toupper(c));
  return changed;
}

ChannelPtr without_b(const ChannelPtr& channel) {
  return channel->topic == "/b" ? nullptr : channel;
}

std::unique_ptr<Source> mapped(std::unique_ptr<Source> source, Mapping::Map map) {
  return through(std::move(source), std::make_unique<Mapping>(std::move(map)));
}

const Samples kThree = {{"/a", 1, "x"}, {"/b", 2, "yy"}, {"/c", 3, "zzz"}, {"/b", 4, "w"}};

TEST(Through, AStageThatDoesNothingChangesNothing) {
  auto source = through(memory_source(kThree), std::make_unique<Stage>());
  EXPECT_EQ(collect(*source), kThree);
}

TEST(Through, DropsTheMessagesOfDroppedChannels) {
  auto source = mapped(memory_source(kThree), without_b);
  EXPECT_THAT(topics_of(source->channels()), ElementsAre("/a", "-", "/c"));
  Batch batch;
  ASSERT_TRUE(source->read(batch, {}));
  EXPECT_THAT(test::samples_of(batch), ElementsAre(kThree[0], kThree[2]));
  EXPECT_EQ(batch.payload(), 4U);
  EXPECT_EQ(batch.channels, source->channels());
}

TEST(Through, PutsMessagesOnMappedChannels) {
  auto source = mapped(memory_source(kThree), upper);
  EXPECT_THAT(collect(*source), ElementsAre(Sample{"/A", 1, "x"}, Sample{"/B", 2, "yy"},
                                            Sample{"/C", 3, "zzz"}, Sample{"/B", 4, "w"}));
}

TEST(Through, MapsOnlyNewChannelsWhenTheTableGrows) {
  std::vector<std::string> seen;
  auto source = through(memory_source(kThree, {.batch_messages = 1, .declares_late = true}),
                        std::make_unique<Mapping>(upper, &seen));
  EXPECT_THAT(topics_of(source->channels()), ElementsAre());
  Batch batch;
  ASSERT_TRUE(source->read(batch, {}));
  EXPECT_THAT(topics_of(source->channels()), ElementsAre("/A"));
  ChannelPtr first = source->channels()->front();
  EXPECT_EQ(collect(*source).size(), 3U);
  EXPECT_THAT(topics_of(source->channels()), ElementsAre("/A", "/B", "/C"));
  EXPECT_EQ(source->channels()->front(), first);
  EXPECT_THAT(seen, ElementsAre("/a", "/b", "/c"));
}

TEST(Through, ChannelsDroppedBeforeStayDroppedAndAreNotMapped) {
  std::vector<std::string> seen;
  auto source =
      through(mapped(memory_source(kThree), without_b), std::make_unique<Mapping>(upper, &seen));
  EXPECT_THAT(topics_of(source->channels()), ElementsAre("/A", "-", "/C"));
  EXPECT_THAT(seen, ElementsAre("/a", "/c"));
  EXPECT_THAT(collect(*source), ElementsAre(Sample{"/A", 1, "x"}, Sample{"/C", 3, "zzz"}));
}

TEST(Through, AnEmptyReadStillDeclares) {
  auto source = mapped(memory_source(kThree, {.empty_reads = 1}), upper);
  Batch batch;
  ASSERT_TRUE(source->read(batch, {}));
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.channels, source->channels());
  EXPECT_EQ(collect(*source).size(), 4U);
}

TEST(Through, ABatchUsedBeforeBringsNoStaleTable) {
  Batch batch = test::batch_of({{"/x", 1, ""}, {"/y", 1, ""}, {"/z", 1, ""}, {"/z/z", 1, ""}});
  batch.clear();
  auto source = mapped(memory_source({{"/a", 1, "x"}}, {.empty_reads = 1}), upper);
  ASSERT_TRUE(source->read(batch, {}));
  EXPECT_THAT(topics_of(source->channels()), ElementsAre("/A"));
}

TEST(Through, RefusesAStageThatMovesSlots) {
  auto to_slot_nine = [](const ChannelPtr& channel) {
    auto moved = std::make_shared<Channel>(*channel);
    moved->slot = 9;
    return moved;
  };
  Error error = test::thrown_by([&] { mapped(memory_source(kThree), to_slot_nine); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_EQ(error.message(),
            "a stage moved /a from slot 0 to slot 9; a stage must not change slots");
}

TEST(Through, KeepsTheRulesOfSources) {
  for (std::size_t batch_messages : {1U, 3U, 256U}) {
    test::expect_source_rules([&] {
      return mapped(memory_source(kThree, {batch_messages, true}),
                    [](const ChannelPtr& channel) { return without_b(upper(channel)); });
    });
  }
}

}  // namespace
}  // namespace kitbag
