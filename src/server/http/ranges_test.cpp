#include "server/http/ranges.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

namespace kitbag::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

const std::string kBytes = "0123456789";
const Time kModified{std::chrono::seconds(1698762977)};  // 2023-10-31 14:36:17
const Validator kValidator{"\"v1\"", kModified + std::chrono::milliseconds(250)};

TEST(ParseRanges, FollowsTheStandard) {
  auto parse = [](std::string_view header) { return parse_ranges(header, 10); };
  EXPECT_THAT(parse("bytes=0-0"), Optional(ElementsAre(ByteRange{0, 1})));
  EXPECT_THAT(parse("bytes=2-"), Optional(ElementsAre(ByteRange{2, 8})));
  EXPECT_THAT(parse("bytes=2-99"), Optional(ElementsAre(ByteRange{2, 8})));
  EXPECT_THAT(parse("bytes=-3"), Optional(ElementsAre(ByteRange{7, 3})));
  EXPECT_THAT(parse("bytes=-99"), Optional(ElementsAre(ByteRange{0, 10})));
  EXPECT_THAT(parse("bytes= 1-2 , 4-4,,"), Optional(ElementsAre(ByteRange{1, 2}, ByteRange{4, 1})));
  EXPECT_THAT(parse("bytes=5-6,20-30"), Optional(ElementsAre(ByteRange{5, 2})));
  EXPECT_THAT(parse("bytes=0-99999999999999999999999"), Optional(ElementsAre(ByteRange{0, 10})));
}

TEST(ParseRanges, JoinsThoseThatOverlap) {
  auto parse = [](std::string_view header) { return parse_ranges(header, 10); };
  EXPECT_THAT(parse("bytes=0-,0-,0-,0-"), Optional(ElementsAre(ByteRange{0, 10})));
  EXPECT_THAT(parse("bytes=5-7,0-1,6-8"), Optional(ElementsAre(ByteRange{0, 2}, ByteRange{5, 4})));
  EXPECT_THAT(parse("bytes=2-8,3-4,-1"), Optional(ElementsAre(ByteRange{2, 7}, ByteRange{9, 1})));
  // The order of others is that of the client.
  EXPECT_THAT(parse("bytes=4-5,2-3"), Optional(ElementsAre(ByteRange{4, 2}, ByteRange{2, 2})));
}

TEST(ParseRanges, TellsWhatCannotBeSatisfied) {
  EXPECT_THAT(parse_ranges("bytes=10-", 10), Optional(IsEmpty()));
  EXPECT_THAT(parse_ranges("bytes=-0", 10), Optional(IsEmpty()));
  EXPECT_THAT(parse_ranges("bytes=0-", 0), Optional(IsEmpty()));
  EXPECT_THAT(parse_ranges("bytes=-5", 0), Optional(IsEmpty()));
}

TEST(ParseRanges, IgnoresWhatIsMalformed) {
  for (const char* header : {"", "bytes", "bytes=", "bytes=a-b", "bytes=3-1", "bytes=--1",
                             "items=0-1", "bytes=1", "bytes=0-1,x", "bytes=-", "bytes=+1-2"}) {
    EXPECT_EQ(parse_ranges(header, 10), std::nullopt) << header;
  }
  std::string many = "bytes=0-0";
  for (int i = 0; i < 40; ++i) many += ",0-0";
  EXPECT_EQ(parse_ranges(many, 10), std::nullopt);
}

TEST(HttpDate, IsReadAndWritten) {
  EXPECT_EQ(http_date(kModified), "Tue, 31 Oct 2023 14:36:17 GMT");
  EXPECT_EQ(parse_http_date("Tue, 31 Oct 2023 14:36:17 GMT"), kModified);
  EXPECT_EQ(parse_http_date("yesterday"), std::nullopt);
  EXPECT_GT(parse_http_date("Fri, 31 Dec 9999 23:59:59 GMT"), kModified);
  EXPECT_EQ(parse_http_date("Tue, 31 Oct 2023 14:36:17 GMT!"), std::nullopt);
}

class Answer : public testing::Test {
 protected:
  Response ask(TextPairs headers, std::string method = "GET") {
    Request request;
    request.method = std::move(method);
    request.headers = std::move(headers);
    Content content;
    content.add(kBytes);
    return answer(request, content, kValidator, {{"Content-Type", "text/plain"}});
  }
  static std::string body(const Response& response) {
    std::string text;
    for (const Part& part : response.content.parts()) {
      text += part.text->substr(part.offset, part.size);
    }
    return text;
  }
  static std::string header(const Response& response, const std::string& name) {
    for (const auto& [each, value] : response.headers) {
      if (each == name) return value;
    }
    return "none";
  }
};

TEST_F(Answer, GivesAllOfIt) {
  Response response = ask({});
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(body(response), kBytes);
  EXPECT_EQ(header(response, "ETag"), "\"v1\"");
  EXPECT_EQ(header(response, "Accept-Ranges"), "bytes");
  EXPECT_EQ(header(response, "Last-Modified"), "Tue, 31 Oct 2023 14:36:17 GMT");
}

TEST_F(Answer, GivesOneRange) {
  Response response = ask({{"range", "bytes=2-4"}});
  EXPECT_EQ(response.status, 206);
  EXPECT_EQ(body(response), "234");
  EXPECT_EQ(header(response, "Content-Range"), "bytes 2-4/10");
}

TEST_F(Answer, GivesSeveralRanges) {
  Response response = ask({{"range", "bytes=0-1,-2"}});
  EXPECT_EQ(response.status, 206);
  EXPECT_EQ(header(response, "Content-Type"), "multipart/byteranges; boundary=kitbag_v1");
  EXPECT_EQ(body(response),
            "\r\n--kitbag_v1\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01"
            "\r\n--kitbag_v1\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n89"
            "\r\n--kitbag_v1--\r\n");
}

TEST_F(Answer, TellsTheSizeWhereARangeIsBeyond) {
  Response response = ask({{"range", "bytes=10-"}});
  EXPECT_EQ(response.status, 416);
  EXPECT_EQ(header(response, "Content-Range"), "bytes */10");
  EXPECT_EQ(body(response), "");
}

TEST_F(Answer, IsShortWhereTheClientHasIt) {
  EXPECT_EQ(ask({{"if-none-match", "\"v1\""}}).status, 304);
  EXPECT_EQ(ask({{"if-none-match", "\"v0\", W/\"v1\""}}).status, 304);
  EXPECT_EQ(ask({{"if-none-match", "*"}}).status, 304);
  EXPECT_EQ(ask({{"if-none-match", "\"v0\""}}).status, 200);
  EXPECT_EQ(ask({{"if-modified-since", http_date(kModified)}}).status, 304);
  EXPECT_EQ(ask({{"if-modified-since", http_date(kModified - std::chrono::seconds(1))}}).status,
            200);
  // The tag decides where there are both.
  EXPECT_EQ(ask({{"if-none-match", "\"v0\""}, {"if-modified-since", http_date(kModified)}}).status,
            200);
}

TEST_F(Answer, IsRefusedWhereTheResourceHasChanged) {
  EXPECT_EQ(ask({{"if-match", "\"v0\""}}).status, 412);
  EXPECT_EQ(ask({{"if-match", "W/\"v1\""}}).status, 412);
  EXPECT_EQ(ask({{"if-match", "\"v1\""}}).status, 200);
  EXPECT_EQ(ask({{"if-unmodified-since", http_date(kModified - std::chrono::seconds(1))}}).status,
            412);
  EXPECT_EQ(ask({{"if-unmodified-since", http_date(kModified)}}).status, 200);
}

TEST_F(Answer, ARangeOfAnotherStateIsTheWhole) {
  EXPECT_EQ(ask({{"range", "bytes=0-1"}, {"if-range", "\"v0\""}}).status, 200);
  EXPECT_EQ(ask({{"range", "bytes=0-1"}, {"if-range", "W/\"v1\""}}).status, 200);
  EXPECT_EQ(ask({{"range", "bytes=0-1"}, {"if-range", "\"v1\""}}).status, 206);
  EXPECT_EQ(ask({{"range", "bytes=0-1"}, {"if-range", http_date(kModified)}}).status, 206);
}

TEST_F(Answer, ARangeOfAHeadIsIgnored) {
  EXPECT_EQ(ask({{"range", "bytes=0-1"}}, "HEAD").status, 200);
}

}  // namespace
}  // namespace kitbag::server
