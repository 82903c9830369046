#include "storage/writing/topic_encodings.h"

#include <gtest/gtest.h>

#include "kitbag/error.h"

namespace kitbag {
namespace {

Channel channel_of(const std::string& topic, const std::string& encoding) {
  return {topic, encoding, nullptr, {}};
}

TEST(TopicEncodings, ChannelsOfOneTopicShareAnEncoding) {
  TopicEncodings encodings("out.mcap");
  encodings.add(channel_of("/a", "cdr"));
  encodings.add(channel_of("/a", "cdr"));
  encodings.add(channel_of("/b", "json"));
}

TEST(TopicEncodings, ASecondEncodingIsRefusedWithBothNames) {
  TopicEncodings encodings("out.mcap");
  encodings.add(channel_of("/a", "cdr"));
  try {
    encodings.add(channel_of("/a", "ros1"));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    EXPECT_EQ(error.file(), "out.mcap");
    EXPECT_NE(error.message().find("cdr and ros1"), std::string::npos) << error.what();
    EXPECT_NE(error.message().find("rename"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kitbag
