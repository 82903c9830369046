#include <gmock/gmock.h>

#include <array>

#include "kitbag/fields.h"
#include "payload/field_collector.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using ::testing::ElementsAre;

TEST(FieldsOfCondition, AreNamedOnceAndWithoutIndexes) {
  EXPECT_THAT(fields_of_condition("a.b > 1 && (c[2] == a.b || c[3] =~ 'x')"),
              ElementsAre("a.b", "c"));
  EXPECT_ERROR(invalid, fields_of_condition("a >"));
}

/// As protobuf has them, if a list is not packed.
TEST(FieldCollector, CountsTheElementsOfAListThatComesInPieces) {
  TypeBuilder types;
  const Type& list = types.sequence(builtin_type(Kind::uint8));
  Type& root = types.add(Kind::structure);
  root.fields.push_back({.name = "v", .type = &list});
  TypePtr type = types.finish(root);
  std::array first = {std::byte{10}};
  std::array others = {std::byte{11}, std::byte{12}};
  std::vector<FieldCollector::Wanted> wanted;
  for (const char* path : {"v[0]", "v[1]", "v[2]", "v[3]", "v[-1]", "v"}) {
    wanted.push_back({field_steps(path)});
  }
  wanted.push_back({field_steps("v"), FieldCollector::Part::length});
  FieldCollector fields(wanted);
  fields.begin();
  fields.begin_struct(*type);
  fields.field(type->fields[0]);
  fields.begin_array(list, 3);
  fields.packed(*list.element, first);
  fields.packed(*list.element, others);
  fields.end_array();
  fields.end_struct();
  std::vector<std::vector<std::uint64_t>> values;
  for (const PathValues& each : fields.values()) {
    auto& some = values.emplace_back();
    for (std::size_t i = 0; i < each.size(); ++i)
      some.push_back(std::get<std::uint64_t>(each.at(i)));
  }
  using Some = std::vector<std::uint64_t>;
  EXPECT_THAT(values, ElementsAre(Some{10}, Some{11}, Some{12}, Some{}, Some{12}, Some{10, 11, 12},
                                  Some{3}));
}

/// Messages in JSON with these payloads, and those that the stage keeps.
std::vector<std::string> kept(Stage& stage, const std::vector<std::string>& payloads) {
  Channel channel;
  channel.topic = "/a";
  channel.encoding = "json";
  auto shared = std::make_shared<const Channel>(channel);
  EXPECT_EQ(stage.map(shared), shared);
  Batch batch;
  for (const std::string& payload : payloads) {
    batch.add({shared.get(), 0, 0, from_ns(1), from_ns(1), as_bytes(payload)});
  }
  stage.apply(batch);
  std::vector<std::string> left;
  for (const Message& message : batch.messages()) left.emplace_back(as_text(message.data));
  return left;
}

TEST(Containing, KeepsMessagesWithTheWordInAnyText) {
  Session session;
  TranscodeReport report;
  auto stage = containing("Error", OnError::skip, &report, session);
  std::vector<std::string> payloads = {R"({"x":{"y":["no","an ERROR!"]}})", R"({"error":"no"})",
                                       R"({"x":7})", R"({"x":)", R"({"x":"error"})"};
  EXPECT_THAT(kept(*stage, payloads), ElementsAre(payloads[0], payloads[4]));
  EXPECT_EQ(report.topics["/a"].skipped, 1U);
  EXPECT_ERROR(invalid, containing("", OnError::skip, nullptr, session));
}

}  // namespace
}  // namespace kitbag
