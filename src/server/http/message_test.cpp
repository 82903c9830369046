#include "server/http/message.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include "tests/support/temporary_folder.h"

namespace kitbag::server {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(ParseTarget, GivesSegmentsAndParameters) {
  Request request;
  ASSERT_TRUE(parse_target("/bags/a%20b.bag/player?start_time=1.5&end_time=2&x", request));
  EXPECT_THAT(request.path, ElementsAre("bags", "a b.bag", "player"));
  EXPECT_THAT(request.query,
              ElementsAre(Pair("start_time", "1.5"), Pair("end_time", "2"), Pair("x", "")));
  EXPECT_EQ(*request.parameter("end_time"), "2");
  EXPECT_EQ(request.parameter("y"), nullptr);
}

TEST(ParseTarget, KeepsTheSlashAtTheEnd) {
  Request request;
  ASSERT_TRUE(parse_target("/bags/", request));
  EXPECT_THAT(request.path, ElementsAre("bags", ""));
  ASSERT_TRUE(parse_target("/", request));
  EXPECT_THAT(request.path, ElementsAre(""));
  ASSERT_TRUE(parse_target("/bags", request));
  EXPECT_THAT(request.path, ElementsAre("bags"));
}

TEST(ParseTarget, AnEncodedSlashDoesNotDivide) {
  Request request;
  ASSERT_TRUE(parse_target("/bags/..%2f..%2Fetc", request));
  EXPECT_THAT(request.path, ElementsAre("bags", "../../etc"));
}

TEST(ParseTarget, DecodesPlusInTheQueryOnly) {
  Request request;
  ASSERT_TRUE(parse_target("/a+b?c+d=e+f", request));
  EXPECT_THAT(request.path, ElementsAre("a+b"));
  EXPECT_THAT(request.query, ElementsAre(Pair("c d", "e f")));
}

TEST(ParseTarget, RefusesWhatIsMalformed) {
  Request request;
  for (const char* target : {"", "bags", "/%", "/%4", "/%zz", "/a%00b", "/a?b=%1", "*"}) {
    EXPECT_FALSE(parse_target(target, request)) << target;
  }
}

std::string text_of(const Content& content) {
  std::string text;
  for (const Part& part : content.parts()) text += part.text->substr(part.offset, part.size);
  return text;
}

TEST(Content, ARangeIsCutOutOfItsParts) {
  Content content;
  content.add("abc").add("").add("defg").add("h");
  EXPECT_EQ(content.size(), 8U);
  EXPECT_EQ(content.parts().size(), 3U);
  for (std::uint64_t offset = 0; offset <= 8; ++offset) {
    for (std::uint64_t size = 0; offset + size <= 8; ++size) {
      Content range = content.range(offset, size);
      EXPECT_EQ(range.size(), size);
      EXPECT_EQ(text_of(range), std::string("abcdefgh").substr(offset, size));
    }
  }
}

TEST(OpenFile, AClosedOneGivesNothingMore) {
  TemporaryFolder folder;
  auto kept = std::make_shared<int>(0);
  std::weak_ptr<int> is_kept = kept;
  std::string path = folder.write("x", "abcdef");
  auto file = std::make_unique<OpenFile>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  file->keep(std::move(kept));
  char text[3] = {};
  ASSERT_EQ(file->read(text, 3, 2), 3);
  EXPECT_EQ(std::string_view(text, 3), "cde");
  file->close();
  // The next file gets its number.
  OpenFile other(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(file->read(text, 3, 0), -1);
  EXPECT_EQ(file->send(1, 0, 3), -1);
  file->close();
  EXPECT_EQ(other.read(text, 3, 0), 3);
  EXPECT_FALSE(is_kept.expired());
  file.reset();
  EXPECT_TRUE(is_kept.expired());
}

TEST(OpenFile, OneThatMustNotChangeFailsOnceItHas) {
  TemporaryFolder folder;
  std::string path = folder.write("x", "abcdef");
  OpenFile lax(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  OpenFile strict(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  strict.must_not_change();
  char text[3] = {};
  EXPECT_EQ(strict.read(text, 3, 0), 3);
  folder.write("x", "uvwxyz!");
  EXPECT_EQ(strict.read(text, 3, 3), -1);
  EXPECT_EQ(strict.send(1, 3, 3), -1);
  EXPECT_EQ(lax.read(text, 3, 3), 3);
}

TEST(Response, RefusesControlCharactersInHeaders) {
  Response response;
  EXPECT_THROW(response.set("X", "a\r\nSet-Cookie: b"), std::invalid_argument);
  EXPECT_THROW(response.set("X", "a\x7f"), std::invalid_argument);
  EXPECT_NO_THROW(response.set("X", "caf\xc3\xa9"));
}

}  // namespace
}  // namespace kitbag::server
