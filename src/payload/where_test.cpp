#include <gmock/gmock.h>

#include "kitbag/fields.h"
#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

using ::testing::ElementsAre;

TEST(FieldsOfCondition, AreNamedOnceAndWithoutIndexes) {
  EXPECT_THAT(fields_of_condition("a.b > 1 && (c[2] == a.b || c[3] =~ 'x')"),
              ElementsAre("a.b", "c"));
  EXPECT_ERROR(invalid, fields_of_condition("a >"));
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
