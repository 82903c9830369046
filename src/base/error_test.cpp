#include "kitbag/error.h"

#include <gmock/gmock.h>

#include <set>

#include "tests/support/thrown_by.h"

namespace kitbag {
namespace {

TEST(Error, TellsFileAndOffsetInOneLine) {
  Error error(ErrorCode::corrupt, "chunk runs past the file", "run.bag", 4117);
  EXPECT_STREQ(error.what(), "run.bag at byte 4117: chunk runs past the file");
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  EXPECT_EQ(error.message(), "chunk runs past the file");
  EXPECT_EQ(error.file(), "run.bag");
  EXPECT_EQ(error.offset(), 4117U);
}

TEST(Error, IsAsGraveAsWhatItCosts) {
  auto severity = [](ErrorCode code, const std::optional<Loss>& loss = std::nullopt) {
    return std::string(to_string(severity_of(Error(code, "x", "", Error::kNoOffset, loss))));
  };
  EXPECT_EQ(severity(ErrorCode::remark), "note");
  EXPECT_EQ(severity(ErrorCode::corrupt), "warning");
  EXPECT_EQ(severity(ErrorCode::truncated), "warning");
  EXPECT_EQ(severity(ErrorCode::corrupt, Loss{.messages = 0}), "error");
  EXPECT_EQ(severity(ErrorCode::truncated, Loss{}), "error");
  EXPECT_EQ(severity(ErrorCode::limit), "error");
  EXPECT_EQ(severity(ErrorCode::unsupported), "error");
}

TEST(Error, LeavesOutWhatIsNotKnown) {
  EXPECT_STREQ(Error(ErrorCode::io, "is a directory", "run.bag").what(), "run.bag: is a directory");
  EXPECT_STREQ(Error(ErrorCode::invalid, "no topics").what(), "no topics");
  EXPECT_STREQ(Error(ErrorCode::corrupt, "bad op", "", 0).what(), "at byte 0: bad op");
  EXPECT_EQ(Error(ErrorCode::invalid, "no topics").offset(), Error::kNoOffset);
}

TEST(Error, TellsWhatIsLostByIt) {
  EXPECT_FALSE(Error(ErrorCode::corrupt, "bad op").loss().has_value());
  Error error(ErrorCode::corrupt, "a hole", "run.bag", 13, Loss{.bytes = 40, .messages = 2});
  ASSERT_TRUE(error.loss().has_value());
  EXPECT_EQ(error.loss()->bytes, 40U);
  EXPECT_EQ(error.loss()->messages, 2U);
  EXPECT_FALSE(error.loss()->from.has_value());
}

TEST(Error, EveryCodeHasItsName) {
  std::set<std::string> names;
  for (auto code :
       {ErrorCode::io, ErrorCode::corrupt, ErrorCode::truncated, ErrorCode::unsupported,
        ErrorCode::invalid, ErrorCode::not_found, ErrorCode::cancelled, ErrorCode::locked,
        ErrorCode::busy, ErrorCode::limit, ErrorCode::exists, ErrorCode::remark}) {
    names.insert(to_string(code));
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("io", "corrupt", "truncated", "unsupported",
                                                   "invalid", "not found", "cancelled", "locked",
                                                   "busy", "limit", "exists", "remark"));
}

TEST(Error, TheEnvironmentAndTheCallerAreNotDamage) {
  for (auto code :
       {ErrorCode::corrupt, ErrorCode::truncated, ErrorCode::unsupported, ErrorCode::limit}) {
    EXPECT_TRUE(is_damage(code)) << to_string(code);
  }
  for (auto code : {ErrorCode::io, ErrorCode::invalid, ErrorCode::not_found, ErrorCode::cancelled,
                    ErrorCode::locked, ErrorCode::busy, ErrorCode::exists, ErrorCode::remark}) {
    EXPECT_FALSE(is_damage(code)) << to_string(code);
  }
}

TEST(Report, GivesTheProblemToWhoListens) {
  std::vector<std::string> heard;
  report([&](const Error& problem) { heard.emplace_back(problem.what()); },
         Error(ErrorCode::corrupt, "bad op", "run.bag", 13));
  EXPECT_THAT(heard, testing::ElementsAre("run.bag at byte 13: bad op"));
}

TEST(Report, ThrowsWhereNobodyListens) {
  EXPECT_ERROR(corrupt, report({}, Error(ErrorCode::corrupt, "bad op")));
}

TEST(Report, NeverThrowsARemark) {
  Error remark(ErrorCode::remark, "an append was not completed");
  EXPECT_NO_THROW(report({}, remark));
  int heard = 0;
  report([&](const Error&) { ++heard; }, remark);
  EXPECT_EQ(heard, 1);
}

TEST(Report, LetsTheListenerStopTheReading) {
  auto stop = [](const Error& problem) { throw Error(problem); };
  EXPECT_ERROR(corrupt, report(stop, Error(ErrorCode::corrupt, "bad op")));
}

}  // namespace
}  // namespace kitbag
