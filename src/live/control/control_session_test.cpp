#include "live/control/control_session.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace kitbag {
namespace {

using namespace std::chrono_literals;

std::string echo(const std::string& command) {
  return "<" + command + ">";
}

/// Takes all that waits, and says that it was sent.
std::string take_answers(ControlSession& session, SteadyTime now = {}) {
  std::string all;
  while (!session.unsent().empty()) {
    std::size_t size = session.unsent().size();
    all += session.unsent();
    session.sent(size, now, echo);
  }
  return all;
}

TEST(ControlLines, ComeInAnyPieces) {
  ControlLines lines;
  lines.add("sta");
  EXPECT_EQ(lines.next(), std::nullopt);
  lines.add("tus\r\npau");
  EXPECT_EQ(lines.next(), "status");
  EXPECT_EQ(lines.next(), std::nullopt);
  lines.add("se\n\n");
  EXPECT_EQ(lines.next(), "pause");
  EXPECT_EQ(lines.next(), "");
  EXPECT_TRUE(lines.empty());
}

TEST(ControlLines, AreBounded) {
  ControlLines lines;
  lines.add(std::string(ControlLines::kMostLineBytes, 'x'));
  EXPECT_FALSE(lines.is_too_long());
  EXPECT_EQ(lines.room(), 1U);
  lines.add("\n");
  EXPECT_FALSE(lines.is_too_long());
  EXPECT_EQ(lines.next()->size(), ControlLines::kMostLineBytes);
  lines.add(std::string(lines.room(), 'x'));
  EXPECT_TRUE(lines.is_too_long());
  EXPECT_EQ(lines.room(), 0U);
}

TEST(ControlSession, AnswersLineByLineInTheirOrder) {
  ControlSession session({});
  session.take("a\nb\nc", {}, echo);
  EXPECT_EQ(session.unsent(), "<a>\n");  // no more than one answer waits
  EXPECT_EQ(session.room(), 0U);
  session.sent(2, {}, echo);
  EXPECT_EQ(session.unsent(), ">\n");
  session.sent(2, {}, echo);
  EXPECT_EQ(session.unsent(), "<b>\n");
  EXPECT_EQ(take_answers(session), "<b>\n");
  session.take("\n", {}, echo);
  EXPECT_EQ(take_answers(session), "<c>\n");
}

TEST(ControlSession, WhoSendsNoMoreStillGetsTheAnswers) {
  ControlSession session({});
  session.take("a\nb\nc", {}, echo);
  session.end();
  EXPECT_FALSE(session.is_over());
  EXPECT_EQ(take_answers(session), "<a>\n<b>\n");
  EXPECT_TRUE(session.is_over());
}

TEST(ControlSession, ALineThatIsTooLongEndsIt) {
  ControlSession session({});
  while (session.room() > 0) session.take(std::string(session.room(), 'x'), {}, echo);
  EXPECT_EQ(take_answers(session), "error: the command is longer than 4096 bytes\n");
  EXPECT_TRUE(session.is_over());
}

TEST(ControlSession, AnAnswerIsOneLineThatIsBounded) {
  ControlSession session({});
  session.take("x\n", {}, [](const std::string&) { return "two\nlines\r"; });
  EXPECT_EQ(take_answers(session), "two lines \n");
  session.take("x\n", {},
               [](const std::string&) -> std::string { throw std::runtime_error("no\nthing"); });
  EXPECT_EQ(take_answers(session), "error: no thing\n");
  session.take("x\n", {}, [](const std::string&) {
    return std::string(ControlSession::kMostAnswerBytes, 'x');
  });
  EXPECT_EQ(take_answers(session), "error: the answer is too long\n");
}

TEST(ControlSession, OnlyWhoOwesSomethingHasADeadline) {
  SteadyTime start{};
  ControlSession session(start);
  EXPECT_EQ(session.deadline(), kNever);
  session.take("sta", start + 1s, echo);
  EXPECT_EQ(session.deadline(), start + 1s + ControlSession::kPatience);
  session.take("tus\n", start + 2s, echo);
  EXPECT_EQ(session.deadline(), start + 2s + ControlSession::kPatience);
  session.sent(0, start + 3s, echo);
  EXPECT_EQ(session.deadline(), start + 2s + ControlSession::kPatience);
  session.sent(1, start + 3s, echo);
  EXPECT_EQ(session.deadline(), start + 3s + ControlSession::kPatience);
  take_answers(session, start + 3s);
  EXPECT_EQ(session.deadline(), kNever);
}

}  // namespace
}  // namespace kitbag
