#include "server/api/link_signer.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/manual_clock.h"

namespace kitbag::server {
namespace {

Request request_for(const std::string& target) {
  Request request;
  request.method = "GET";
  EXPECT_TRUE(parse_target(target, request)) << target;
  return request;
}

class LinkSignerTest : public testing::Test {
 protected:
  std::shared_ptr<ManualClock> clock_ = std::make_shared<ManualClock>();
  LinkSigner signer_{"secret", clock_};
};

TEST_F(LinkSignerTest, ALinkIsGoodForOneBag) {
  std::string query = "?" + signer_.query_for("bags", "a b.bag");
  EXPECT_TRUE(signer_.has_signature(request_for("/bags/a%20b.bag/download" + query)));
  EXPECT_TRUE(signer_.has_signature(request_for("/bags/a%20b.bag/player" + query)));
  for (const char* path : {"/bags/b.bag/download", "/bags/", "/bags", "/view/a%20b.bag",
                           "/api/recorder/a%20b.bag", "/bags/a/download"}) {
    EXPECT_FALSE(signer_.has_signature(request_for(path + query))) << path;
  }
}

TEST_F(LinkSignerTest, ALinkExpires) {
  Request request = request_for("/bags/a.bag/download?" + signer_.query_for("bags", "a.bag"));
  clock_->advance(std::chrono::seconds(signer_.expires() - 1));
  EXPECT_TRUE(signer_.has_signature(request));
  clock_->advance(std::chrono::seconds(1));
  EXPECT_FALSE(signer_.has_signature(request));
}

TEST_F(LinkSignerTest, LinksOfOneDayAreTheSame) {
  std::string query = signer_.query_for("bags", "a.bag");
  clock_->advance(std::chrono::hours(23));
  EXPECT_EQ(signer_.query_for("bags", "a.bag"), query);
  clock_->advance(std::chrono::hours(1));
  EXPECT_NE(signer_.query_for("bags", "a.bag"), query);
  Request request = request_for("/bags/a.bag/download?" + query);
  EXPECT_TRUE(signer_.has_signature(request));
}

TEST_F(LinkSignerTest, WhatWasChangedIsNotAccepted) {
  std::string query = signer_.query_for("bags", "a.bag");
  std::string later = query;
  std::size_t digit = query.find('&') - 1;
  later[digit] = later[digit] == '9' ? '8' : '9';
  std::string other = query;
  other.back() = other.back() == '0' ? '1' : '0';
  for (const std::string& changed :
       {later, other, query.substr(0, query.size() - 1), std::string("expires=1&signature="),
        std::string("expires=x&signature=y"), query.substr(query.find('&') + 1)}) {
    EXPECT_FALSE(signer_.has_signature(request_for("/bags/a.bag/download?" + changed))) << changed;
  }
  EXPECT_FALSE(
      LinkSigner("other", clock_).has_signature(request_for("/bags/a.bag/download?" + query)));
}

TEST_F(LinkSignerTest, ALinkOnlyReads) {
  Request request = request_for("/bags/a.bag/events?" + signer_.query_for("bags", "a.bag"));
  request.method = "POST";
  EXPECT_FALSE(signer_.has_signature(request));
}

TEST_F(LinkSignerTest, ACookieIsGoodForThisToken) {
  std::string cookie = signer_.cookie(true);
  EXPECT_TRUE(cookie.ends_with("; Path=/; HttpOnly; SameSite=Strict; Secure")) << cookie;
  std::string pair = cookie.substr(0, cookie.find(';'));
  Request request = request_for("/bags/");
  request.headers = {{"cookie", "other=1; " + pair}};
  EXPECT_TRUE(signer_.has_cookie(request));
  EXPECT_FALSE(LinkSigner("other", clock_).has_cookie(request));
  request.headers = {{"cookie", pair.substr(0, pair.find('=')) + "=secret"}};
  EXPECT_FALSE(signer_.has_cookie(request));
}

TEST_F(LinkSignerTest, WithoutATokenNothingIsSigned) {
  LinkSigner open("", clock_);
  EXPECT_EQ(open.query_for("bags", "a.bag"), "");
  Request request = request_for("/bags/a.bag/download?expires=99999999999&signature=");
  request.headers = {{"cookie", "kitbag_session="}};
  EXPECT_FALSE(open.has_signature(request));
  EXPECT_FALSE(open.has_cookie(request));
}

}  // namespace
}  // namespace kitbag::server
