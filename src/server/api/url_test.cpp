#include "server/api/url.h"

#include <gtest/gtest.h>

namespace kitbag::server {
namespace {

TEST(EncodeSegment, LeavesOnlyWhatIsSafe) {
  EXPECT_EQ(encode_segment("2023-10-31_14-30-00.bag"), "2023-10-31_14-30-00.bag");
  EXPECT_EQ(encode_segment("a b/c?d#e%f"), "a%20b%2Fc%3Fd%23e%25f");
  EXPECT_EQ(encode_segment("f\xc3\xbcr.bag"), "f%C3%BCr.bag");
}

TEST(AttachmentOf, CannotBreakTheHeader) {
  EXPECT_EQ(attachment_of("a.bag"), "attachment; filename=\"a.bag\"");
  EXPECT_EQ(attachment_of("a\"\r\nb.bag"),
            "attachment; filename=\"a___b.bag\"; filename*=UTF-8''a%22%0D%0Ab.bag");
}

}  // namespace
}  // namespace kitbag::server
