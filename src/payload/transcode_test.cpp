#include "kitbag/transcode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "kitbag/fields.h"
#include "kitbag/session.h"
#include "kitbag/stream.h"
#include "payload/carrier.h"
#include "payload/mapping.h"
#include "tests/support/thrown_by.h"
#include "tests/support/values.h"

namespace kitbag {
namespace {

using test::Listing;
using ::testing::HasSubstr;

TypePtr ros1_type(const std::string& text) {
  Session session;
  return find_language(session.registry(), "ros1msg")->parse({"test/T", "ros1msg", text});
}

/// `payload` of type `from`, passed on as one of type `to`.
std::string carried(const std::string& from, const std::string& to,
                    const std::vector<unsigned char>& payload, const Migration& migration = {},
                    Fit fit = Fit::evolution) {
  TypePtr source = ros1_type(from);
  TypePtr target = ros1_type(to);
  Session session;
  Mappings mappings(fit, migration, *find_language(session.registry(), "ros1msg"), nullptr);
  Listing listing;
  Carrier carrier(mappings.compile(*source, *target), listing);
  carrier.begin(0, 0);
  find_codec(session.registry(), "ros1")
      ->decoder(source)
      ->decode(std::as_bytes(std::span(payload)), carrier);
  return listing.values;
}

std::string refusal(const std::string& from, const std::string& to) {
  try {
    carried(from, to, {});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Carrier, CarriesFieldsByName) {
  EXPECT_EQ(carried("int8 a\nint8 b\n", "int8 b\nint8 new\nint8 a\n", {1, 2}), "{b:2 new:0 a:1 } ");
  EXPECT_EQ(
      carried("int8 a\nint8 gone\nstring s\n", "int8 a\nstring s\n", {1, 2, 2, 0, 0, 0, 'h', 'i'}),
      "{a:1 s:\"hi\" } ");
}

TEST(Carrier, WidensNumbers) {
  EXPECT_EQ(
      carried("int8 a\nuint8 b\nint16 c\n", "int64 a\nint16 b\nfloat32 c\n", {255, 255, 2, 0}),
      "{a:-1 b:255 c:1073741824 } ");
}

TEST(Carrier, OrderMattersNotEvenInside) {
  EXPECT_EQ(carried("P p\nint8 z\n================\nMSG: test/P\nstring s\nint8[] n\nint8 k\n",
                    "int8 z\nP p\n================\nMSG: test/P\nint8 k\nint16[] n\nstring s\n",
                    {1, 0, 0, 0, 's', 2, 0, 0, 0, 5, 6, 7, 8}),
            "{z:8 p:{k:7 n:[2 5 6 ] s:\"s\" } } ");
}

TEST(Carrier, ListsKeepTheirElements) {
  EXPECT_EQ(carried("P[] p\n================\nMSG: test/P\nint8 a\nint8 b\n",
                    "P[] p\n================\nMSG: test/P\nint8 b\n", {2, 0, 0, 0, 1, 2, 3, 4}),
            "{p:[2 {b:2 } {b:4 } ] } ");
}

TEST(Carrier, HeedsRules) {
  Migration migration = parse_migration(
      "fields: {test/T: {old: new}}\nfill: {test/T: {name: hello, list: [1, 2]}}\n");
  EXPECT_EQ(carried("int8 old\n", "int8 new\nstring name\nint8[] list\n", {4}, migration),
            "{new:4 name:\"hello\" list:[2 1 2 ] } ");
}

TEST(Carrier, RefusesRulesThatFitNoFieldOrNoValue) {
  auto refused = [](const std::string& from, const std::string& to, const char* rules) {
    return std::string(test::thrown_by([&] {
                         carried(from, to, {4, 5}, parse_migration(rules));
                       }).what());
  };
  EXPECT_THAT(refused("int8 a\nint8 b\n", "int8 b\n", "fields: {test/T: {a: b}}\n"),
              HasSubstr("fields a and b of test/T would both become b"));
  EXPECT_THAT(refused("int8 a\nint8 b\n", "int8 b\n", "fields: {test/T: {a: typo}}\n"),
              HasSubstr("rename field a to typo, which test/T does not have"));
  EXPECT_THAT(refused("int8 a\n", "int8 b\n", "fill: {test/T: {typo: 1}}\n"),
              HasSubstr("fill field typo, which test/T does not have"));
  for (const char* value : {"300", "-1", "0x100"}) {
    std::string rules = "fill: {test/T: {b: " + std::string(value) + "}}\n";
    EXPECT_THAT(refused("int8 a\n", "uint8 b\n", rules.c_str()), HasSubstr("out of the range"));
  }
  Migration edges = parse_migration("fill: {test/T: {a: -128, b: 255, c: 18446744073709551615}}\n");
  EXPECT_EQ(carried("int8 x\n", "int8 a\nuint8 b\nuint64 c\n", {4}, edges),
            "{a:-128 b:255 c:18446744073709551615 } ");
}

TEST(Carrier, RefusesWhatCannotBeCarriedWithThePathAndBothTypes) {
  EXPECT_THAT(refusal("int32 a\n", "int16 a\n"),
              HasSubstr("a: int32 cannot be converted to int16"));
  EXPECT_THAT(refusal("int32 a\n", "uint64 a\n"), HasSubstr("cannot be converted to"));
  EXPECT_THAT(refusal("int32 a\n", "float32 a\n"), HasSubstr("cannot be converted to"));
  EXPECT_THAT(refusal("bool a\n", "int8 a\n"), HasSubstr("cannot be converted to"));
  EXPECT_THAT(refusal("int8[3] a\n", "int8[4] a\n"),
              HasSubstr("int8[3] cannot be converted to int8[4]"));
  EXPECT_THAT(refusal("P p\n================\nMSG: test/P\nint8 x\n",
                      "P p\n================\nMSG: test/P\nstring x\n"),
              HasSubstr("p.x: int8 cannot be converted to string"));
}

TEST(Carrier, AnotherEncodingOfTheSameChecksEachValueThatIsNarrowed) {
  EXPECT_EQ(carried("int32 a\n", "uint8 a\n", {200, 0, 0, 0}, {}, Fit::same), "{a:200 } ");
  EXPECT_ERROR(unsupported, carried("int32 a\n", "uint8 a\n", {0, 1, 0, 0}, {}, Fit::same));
  EXPECT_ERROR(unsupported, carried("int32 a\n", "uint8 a\n", {255, 255, 255, 255}, {}, Fit::same));
}

TEST(Carrier, AListThatIsTooLongForAnArrayIsRefused) {
  EXPECT_EQ(carried("int8[] a\n", "int8[2] a\n", {2, 0, 0, 0, 1, 2}), "{a:[2 1 2 ] } ");
  EXPECT_ERROR(unsupported, carried("int8[] a\n", "int8[2] a\n", {1, 0, 0, 0, 1}));
}

TEST(Migration, RulesThatMakeNoSenseAreRefusedWithTheirLine) {
  for (const char* text : {"types: 5\n", "unknown: {}\n", "fields: {a: b}\n", "[1]\n", "a: [\n"}) {
    try {
      parse_migration(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("rules, line ")) << text;
    }
  }
}

/// Gives one batch.
class OneBatch final : public Source {
 public:
  OneBatch(ChannelPtr channel, std::vector<std::string> payloads)
      : channels_(std::make_shared<const Channels>(Channels{std::move(channel)})),
        payloads_(std::move(payloads)) {}

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait&) override {
    if (std::exchange(is_read_, true)) return false;
    batch.channels = channels_;
    for (const std::string& payload : payloads_) {
      batch.add(
          {channels_->front().get(), 7, 0, from_ns(1'500'000'000), from_ns(0), as_bytes(payload)});
    }
    return true;
  }

 private:
  ChannelsPtr channels_;
  std::vector<std::string> payloads_;
  bool is_read_ = false;
};

ChannelPtr ros1_channel(const std::string& text, std::map<std::string, std::string> metadata = {}) {
  auto channel = std::make_shared<Channel>();
  channel->topic = "/t";
  channel->encoding = "ros1";
  channel->schema = std::make_shared<const Schema>(Schema{"test/T", "ros1msg", text});
  channel->metadata = std::move(metadata);
  return channel;
}

struct Transcoded {
  ChannelPtr channel;
  std::vector<std::string> payloads;
  std::vector<std::uint32_t> sequences;
};

Transcoded transcoded(const ChannelPtr& channel, std::vector<std::string> payloads,
                      TranscodeOptions options) {
  Session session;
  auto source = through(std::make_unique<OneBatch>(channel, std::move(payloads)),
                        transcode(std::move(options), session));
  Transcoded found{source->channels()->front(), {}, {}};
  Batch batch;
  source->read(batch, {});
  for (const Message& message : std::as_const(batch).messages()) {
    found.payloads.emplace_back(as_text(message.data));
    found.sequences.push_back(message.sequence);
  }
  std::size_t bytes = 0;
  for (const std::string& payload : found.payloads) bytes += payload.size();
  EXPECT_EQ(batch.payload(), bytes);
  return found;
}

TranscodeOptions to(const std::string& encoding) {
  TranscodeOptions options;
  options.encoding = encoding;
  return options;
}

TEST(Transcode, TheCounterOfALeadingHeaderTravelsInTheSequence) {
  std::string header =
      "Header header\n================\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\n"
      "string frame_id\n";
  std::string payload("\x05\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\0\0f", 17);
  auto cdr = transcoded(ros1_channel(header, {{"latching", "1"}}), {payload}, to("cdr"));
  EXPECT_EQ(cdr.sequences.front(), 5U);
  EXPECT_EQ(cdr.channel->schema->name, "test/msg/T");
  EXPECT_EQ(cdr.channel->metadata.count("latching"), 0U);
  EXPECT_TRUE(is_latched(*cdr.channel));
  EXPECT_EQ(cdr.channel->metadata.at("topic_type_hash").substr(0, 7), "RIHS01_");
}

TEST(Transcode, AnEmptyTextInALanguageIsADefinition) {
  Session session;
  Channel channel;  // as rosbag2 writes std_msgs/msg/Empty into MCAP
  channel.topic = "/e";
  channel.encoding = "cdr";
  auto decodable_as = [&](const char* language, std::map<std::string, std::string> metadata = {}) {
    channel.schema = std::make_shared<const Schema>(Schema{"std_msgs/msg/Empty", language, ""});
    channel.metadata = std::move(metadata);
    return is_decodable(channel, session);
  };
  EXPECT_TRUE(decodable_as("ros2msg"));
  EXPECT_FALSE(decodable_as(""));
  EXPECT_FALSE(decodable_as("ros2msg", {{"topic_type_hash", "RIHS01_00"}}));
  channel.encoding = "ros1";
  EXPECT_TRUE(decodable_as("ros1msg"));
  EXPECT_TRUE(decodable_as("ros1msg", {{"md5sum", "d41d8cd98f00b204e9800998ecf8427e"}}));
  EXPECT_FALSE(decodable_as("ros1msg", {{"md5sum", "*"}}));
  EXPECT_FALSE(decodable_as("ros1msg", {{"md5sum", "992ce8a1687cec8c8bd883ec73ca41d1"}}));
}

TEST(Transcode, ErrorsTellTopicTimeAndField) {
  try {
    transcoded(ros1_channel("int8 a\nint32[] list\n"), {std::string("\x01\x05\0\0\0\x02", 6)},
               to("json"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/t at 1970-01-01T00:00:01.500000000Z, field list: "));
  }
}

TEST(Transcode, WhatCannotBeDecodedIsSkippedAndCounted) {
  for (OnError on_error : {OnError::skip, OnError::raw}) {
    TranscodeReport report;
    TranscodeOptions options = to("json");
    options.on_error = on_error;
    options.report = &report;
    auto found = transcoded(
        ros1_channel("string s\n"),
        {std::string("\x01\0\0\0x", 5), "short", std::string("\xff\xff\xff\xffx", 5)}, options);
    EXPECT_EQ(found.payloads, std::vector<std::string>{R"({"s":"x"})"});
    EXPECT_EQ(report.topics.at("/t").skipped, 2U);
  }
}

TEST(Transcode, WhatHasNoPlaceIsNamedOnceForAllChannelsOfATopic) {
  auto channel = std::make_shared<Channel>(*ros1_channel(""));
  channel->schema = std::make_shared<const Schema>(
      Schema{"rosgraph_msgs/Log", "ros1msg",
             "Header header\nbyte level\nstring name\nstring msg\nstring file\nstring function\n"
             "uint32 line\nstring[] topics\n================\nMSG: std_msgs/Header\nuint32 seq\n"
             "time stamp\nstring frame_id\n"});
  TranscodeReport report;
  TranscodeOptions options = to("cdr");
  options.report = &report;
  for (int connection = 0; connection < 2; ++connection) transcoded(channel, {}, options);
  EXPECT_EQ(report.topics.at("/t").left_out, "frame_id, topics");
}

TEST(Transcode, AnUnknownEncodingIsRefusedAtOnce) {
  Session session;
  EXPECT_ERROR(invalid, transcode(to("morse"), session));
}

TEST(Transcode, WithoutADefinitionTheErrorSaysWhatHelps) {
  auto channel = std::make_shared<Channel>(*ros1_channel(""));
  channel->metadata["md5sum"] = "0123456789abcdef0123456789abcdef";
  try {
    transcoded(channel, {}, to("cdr"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/t: no definition of test/T found; specify a folder"));
  }
}

std::vector<std::string> where_true(const std::string& condition) {
  Session session;
  ChannelPtr channel = ros1_channel("int8 a\nstring s\nint8[] list\n");
  auto payload = [](char a, char s, char element) {
    return std::string{a, 1, 0, 0, 0, s, 1, 0, 0, 0, element};
  };
  auto source =
      through(std::make_unique<OneBatch>(
                  channel, std::vector<std::string>{payload(1, 'x', 5), payload(-2, 'y', 6)}),
              where(condition, OnError::stop, nullptr, session));
  std::vector<std::string> found;
  Batch batch;
  source->read(batch, {});
  for (const Message& message : std::as_const(batch).messages()) {
    found.push_back(std::string(1, as_text(message.data)[5]));
  }
  return found;
}

TEST(Where, KeepsWhatTheConditionIsTrueFor) {
  using Found = std::vector<std::string>;
  EXPECT_EQ(where_true("a > 0"), Found{"x"});
  EXPECT_EQ(where_true("a < 0.5"), Found{"y"});
  EXPECT_EQ(where_true("a == 1 || s == 'y'"), (Found{"x", "y"}));
  EXPECT_EQ(where_true("!(a == 1) && s != \"z\""), Found{"y"});
  EXPECT_EQ(where_true("list == 6"), Found{"y"});
  EXPECT_EQ(where_true("list[0] >= 6"), Found{"y"});
  EXPECT_EQ(where_true("list[1] >= 0"), Found{});
  EXPECT_EQ(where_true("s =~ '^[x]$'"), Found{"x"});
  EXPECT_EQ(where_true("s > 5"), Found{});
  EXPECT_EQ(where_true("nothing == 1"), Found{});  // the channel has no such field
}

TEST(Where, WhatIsNoConditionIsRefusedWithItsPlace) {
  for (const char* text :
       {"", "a >", "a = 1", "(a == 1", "a == 'x", "a == 1 b", "s =~ 5", "s =~ '['", "a[ == 1"}) {
    EXPECT_ERROR(invalid, where_true(text)) << text;
  }
  EXPECT_ERROR(invalid, where_true(std::string(1000, '(')));
  EXPECT_ERROR(invalid, where_true(std::string(1000, '!')));
}

TEST(SelectFields, TellsOnlyWhatIsAskedFor) {
  TypePtr type = ros1_type(
      "P p\nP[] all\nint8 z\n================\nMSG: test/P\nint8 x\nstring s\nfloat64[2] f\n");
  std::string p("\x01\x01\0\0\0s", 6);
  p += std::string(16, '\0');
  std::string one("\x01\0\0\0", 4);
  std::string payload = p + one + p;
  payload += '\x09';
  auto text_of = [&](const std::vector<std::string>& paths) {
    Listing listing;
    Session session;
    auto selector = select_fields(paths, listing);
    find_codec(session.registry(), "ros1")->decoder(type)->decode(as_bytes(payload), *selector);
    return listing.values;
  };
  EXPECT_EQ(text_of({"z"}), "{z:9 } ");
  EXPECT_EQ(text_of({"p.x", "all.s"}), "{p:{x:1 } all:[1 {s:\"s\" } ] } ");
  EXPECT_EQ(text_of({"p.f"}), "{p:{f:[2 0 0 ] } } ");
  EXPECT_EQ(text_of({"p.x", "p"}), text_of({"p"})) << "a wider path has the narrower one in it";
  EXPECT_EQ(text_of({"p", "p.x"}), text_of({"p"}));
  EXPECT_EQ(text_of({"z", "p.s", "p.x"}), "{z:9 p:{s:\"s\" x:1 } } ") << "in the order asked for";
  EXPECT_EQ(text_of({"all[0].x", "all.s"}), "{all:[1 {x:1 s:\"s\" } ] } ");
  EXPECT_EQ(text_of({"p.f[-1]"}), "{p:{f:[1 0 ] } } ");
  EXPECT_EQ(text_of({"all[3].s", "z"}), "{all:[0 ] z:9 } ");
  EXPECT_ERROR(not_found, require_field(*type, "p.y"));
  EXPECT_NO_THROW(require_field(*type, "all.s"));
}

TEST(SelectFields, AnElementCountedFromBothEndsIsWantedForBothReasons) {
  TypeBuilder builder;
  Type& type = builder.add(Kind::structure, "test/T");
  const Type& row = builder.sequence(builtin_type(Kind::int8));
  type.fields.push_back({.name = "m", .type = &builder.sequence(row)});
  TypePtr finished = builder.finish(type);
  auto text_of = [&](const std::vector<std::string>& paths) {
    Listing listing;
    Session session;
    auto selector = select_fields(paths, listing);
    find_codec(session.registry(), "json")
        ->decoder(finished)
        ->decode(as_bytes(R"({"m":[[1,2,3],[4,5,6]]})"), *selector);
    return listing.values;
  };
  EXPECT_EQ(text_of({"m[0][1]", "m[-2][0]"}), "{m:[1 [2 1 2 ] ] } ");
  EXPECT_EQ(text_of({"m[-1][2]", "m[1][0]", "m[0][0]"}), "{m:[2 [1 1 ] [2 4 6 ] ] } ");
}

}  // namespace
}  // namespace kitbag
