// Every codec of the registry: messages of random types become a table, in memory and as a Parquet
// file, and the rows become the same messages again.

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kitbag/kitbag.h"
#include "tests/support/values.h"

namespace kitbag::test {
namespace {

constexpr int kTableTypes = 150;
constexpr int kRowsOfType = 20;

/// Messages of one channel.
class Payloads final : public Source {
 public:
  Payloads(const ChannelPtr& channel, const std::vector<std::string>& payloads)
      : payloads_(payloads), channels_(std::make_shared<Channels>(1, channel)) {}

  ChannelsPtr channels() const override { return channels_; }
  bool read(Batch& batch, const Wait&) override {
    batch.channels = channels_;
    if (next_ == payloads_.size()) return false;
    for (; next_ < payloads_.size() && !batch.full(); ++next_) {
      Time time = from_ns(1'700'000'000'000'000'000 + static_cast<std::int64_t>(next_ * 7));
      batch.add({channels_->front().get(), 0, 0, time, time, as_bytes(payloads_[next_])});
    }
    return true;
  }

 private:
  const std::vector<std::string>& payloads_;
  ChannelsPtr channels_;
  std::size_t next_ = 0;
};

class TableSuite : public ::testing::TestWithParam<Codec> {
 protected:
  /// A channel for a random type; null: its language cannot say it.
  ChannelPtr random_channel(std::mt19937& random) const {
    bool has_idl = GetParam().encoding == "cdr" && random() % 2 == 0;  // optional fields, ids
    TypePtr type = TypeMaker(random, has_idl).make();
    try {
      if (has_idl) return idl_channel(*type);
      return channel_for("/x", GetParam().encoding.data(), type, session_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
      return nullptr;
    }
  }

  ChannelPtr idl_channel(const Type& type) const {
    const Language& idl = *find_language(session_.registry(), "ros2idl");
    auto channel = std::make_shared<Channel>(Channel{.topic = "/x", .encoding = "cdr"});
    channel->schema = std::make_shared<const Schema>(idl.print(*idl.adapt(type)));
    return channel;
  }

  std::vector<std::string> random_payloads(const TypePtr& type, std::mt19937& random) const {
    auto encoder = GetParam().encoder(type, {});
    Arena arena;
    std::vector<std::string> payloads;
    for (int i = 0; i < kRowsOfType; ++i) {
      encoder->begin(arena);
      tell_random(*type, random, *encoder);
      payloads.emplace_back(as_text(encoder->end()));
    }
    return payloads;
  }

  std::unique_ptr<Columns> columns_of_messages(const ChannelPtr& channel,
                                               const std::vector<std::string>& payloads) const {
    return columns(std::make_unique<Payloads>(channel, payloads),
                   {.has_topic = false, .batch_rows = 7}, session_);
  }

  std::string listed(const TypePtr& type, ByteView payload) const {
    Listing listing;
    GetParam().decoder(type)->decode(payload, listing);
    return listing.values;
  }

  void require_same(TableFile table, const ChannelPtr& channel, const TypePtr& type,
                    const std::vector<std::string>& payloads) const {
    table.name = "x.parquet";
    table.key_values = table_key_values(*channel, session_);
    std::string told;
    ImportRequest request;
    request.on_warning = [&](const Error& error) { told += error.what(); };
    auto source = messages_from(std::move(table), request, session_);
    EXPECT_EQ(told, "");
    EXPECT_TRUE(same_content(*source->channels()->front(), *channel));
    std::size_t count = 0;
    for (Batch batch; source->read(batch, {}); batch.clear()) {
      for (const Message& message : std::as_const(batch).messages()) {
        ASSERT_LT(count, payloads.size());
        ASSERT_EQ(to_ns(message.log_time),
                  1'700'000'000'000'000'000 + static_cast<std::int64_t>(count * 7));
        ASSERT_EQ(listed(type, message.data), listed(type, as_bytes(payloads[count])));
        ++count;
      }
    }
    ASSERT_EQ(count, payloads.size());
    EXPECT_EQ(told, "");
  }

  Session session_;
};

TEST_P(TableSuite, RowsBecomeTheMessagesThatTheyWere) {
  std::mt19937 random(23);
  int types = 0;
  for (int i = 0; i < kTableTypes; ++i) {
    ChannelPtr channel = random_channel(random);
    if (!channel) continue;
    ++types;
    TypePtr type = type_of(*channel, session_);
    auto payloads = random_payloads(type, random);
    SCOPED_TRACE(::testing::Message() << "type " << i << ": " << channel->schema->text);
    TableFile table;
    table.columns = columns_of_messages(channel, payloads);
    if (i % 2 == 0) {  // as another library would hand them over
      ArrowArrayStream stream;
      to_arrow_stream(std::move(table.columns), {}, &stream);
      table.columns = columns_of(&stream);
    }
    require_same(std::move(table), channel, type, payloads);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(types, kTableTypes / 2);
}

TEST_P(TableSuite, RowsOfAParquetFileBecomeTheMessagesThatTheyWere) {
  std::mt19937 random(29);
  for (int i = 0; i < kTableTypes; ++i) {
    ChannelPtr channel = random_channel(random);
    if (!channel) continue;
    TypePtr type = type_of(*channel, session_);
    auto payloads = random_payloads(type, random);
    SCOPED_TRACE(::testing::Message() << "type " << i << ": " << channel->schema->text);
    std::string file;
    ParquetOptions options;
    options.zstd_level = static_cast<int>(random() % 2);
    options.page_bytes = random() % 2 == 0 ? 1 : 1 << 20;
    options.row_group_bytes = random() % 2 == 0 ? 500 : 64 << 20;
    write_parquet(
        *columns_of_messages(channel, payloads), [&](ByteView bytes) { file += as_text(bytes); },
        options);
    TableFile table;
    table.columns =
        parquet_reader(memory_file(as_bytes(file)), "x.parquet", {.batch_rows = 1 + random() % 30});
    require_same(std::move(table), channel, type, payloads);
    if (HasFatalFailure()) return;
  }
}

/// What random types do not have: unions, enumerations, times with more nanoseconds than a second
/// has, characters and texts of other widths.
TEST(Tables, WhatOnlyIdlCanSay) {
  Session session;
  Channel made{.topic = "/x", .encoding = "cdr"};
  made.schema = std::make_shared<const Schema>(Schema{"test/msg/All", "ros2idl", R"(
module builtin_interfaces { module msg {
  struct Time { int32 sec; uint32 nanosec; };
  struct Duration { int32 sec; uint32 nanosec; };
}; };
module test { module msg {
  enum Color { RED, GREEN, BLUE };
  union Choice switch (Color) { case RED: long number; case BLUE: string text; };
  struct All {
    Color color;
    Choice choice;
    sequence<Choice> choices;
    wstring wide;
    wchar letter;
    char narrow;
    builtin_interfaces::msg::Time stamp;
    builtin_interfaces::msg::Duration lasting[2];
    @optional long maybe;
    @optional string maybe_text;
    string<5> few;
    octet raw[3];
    uint64 large[2];
  };
}; };)"});
  ChannelPtr channel = std::make_shared<const Channel>(made);
  TypePtr type = type_of(*channel, session);
  const Codec& cdr = *find_codec(session.registry(), "cdr");
  std::string selector = type->fields[1].type->fields[0].name;
  auto union_of = [&](int label) {
    std::string branch = label == 0 ? R"(,"number":-5)" : label == 2 ? R"(,"text":"\u00e9\"")" : "";
    return "{\"" + selector + "\":" + std::to_string(label) + branch + "}";
  };
  auto decoder = find_codec(session.registry(), "json")->decoder(type);
  auto encoder = cdr.encoder(type, {});
  Arena arena;
  std::vector<std::string> payloads;
  for (int i = 0; i < 12; ++i) {
    std::string json =
        R"({"color":)" + std::to_string(i % 3) + R"(,"choice":)" + union_of(i % 3) +
        R"(,"choices":[)" + union_of(2) + "," + union_of(1) + "," + union_of(0) +
        R"(],"wide":"\u20ac","letter":8364,"narrow":200,)"
        R"("stamp":{"sec":-1,"nanosec":4294967295},"lasting":[)"
        R"({"sec":2147483647,"nanosec":4294967295},{"sec":-2147483648,"nanosec":0}])";
    if (i % 2 == 0) json += R"(,"maybe":7)";
    if (i % 3 == 0) json += R"(,"maybe_text":"there")";
    json += R"(,"few":"12345","raw":"AAD/","large":[18446744073709551615,9223372036854775808]})";
    encoder->begin(arena);
    decoder->decode(as_bytes(json), *encoder);
    payloads.emplace_back(as_text(encoder->end()));
  }
  std::string file;
  write_parquet(
      *columns(std::make_unique<Payloads>(channel, payloads), {.has_topic = false}, session),
      [&](ByteView bytes) { file += as_text(bytes); });
  TableFile table;
  table.columns = parquet_reader(memory_file(as_bytes(file)), "x.parquet");
  table.key_values = table_key_values(*channel, session);
  auto source = messages_from(std::move(table), {}, session);
  Batch batch;
  ASSERT_TRUE(source->read(batch, {}));
  ASSERT_EQ(batch.messages().size(), payloads.size());
  auto listed = [&](ByteView payload) {
    Listing listing;
    cdr.decoder(type)->decode(payload, listing);
    return listing.values;
  };
  for (std::size_t i = 0; i < payloads.size(); ++i) {
    // The same nanoseconds, with a second more.
    std::string wanted = listed(as_bytes(payloads[i]));
    std::string was = "sec:-1 nanosec:4294967295 ";
    std::size_t at = wanted.find(was);
    ASSERT_NE(at, std::string::npos) << wanted;
    wanted.replace(at, was.size(), "sec:3 nanosec:294967295 ");
    EXPECT_EQ(listed(batch.messages()[i].data), wanted);
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, TableSuite, ::testing::ValuesIn(standard_registry().codecs),
                         [](const auto& each) { return std::string(each.param.encoding); });

}  // namespace
}  // namespace kitbag::test
