#include "server/api/routes.h"

#include <gtest/gtest.h>

#include "kitbag/error.h"
#include "tests/support/thrown_by.h"

namespace kitbag::server {
namespace {

/// Routes that answer with their own path, and one bag, "a.bag".
class RoutesTest : public testing::Test {
 protected:
  RoutesTest() {
    add("GET", "/bags/", {});
    add("GET", "/bags/{bag}/player", {{"limit", "integer", ""}, {"topics", "string", "", kList}});
    add("GET", "/bags/{bag}/download/{file}", {});
    add("POST", "/api/recorder/stop", {});
    routes_.add({.method = "GET",
                 .path = "/view/{file}",
                 .summary = "",
                 .media_type = "",
                 .takes_any_parameter = true,
                 .answer = [](const Call& call) {
                   return text_response(200, "text/plain", call.names.at("file"));
                 }});
  }

  void add(std::string method, std::string path, std::vector<Parameter> parameters) {
    routes_.add({.method = std::move(method),
                 .path = path,
                 .summary = "",
                 .media_type = "",
                 .parameters = std::move(parameters),
                 .unknown_bag = path.ends_with("player") ? 400 : 404,
                 .answer = [path](const Call& call) {
                   std::string bag = call.bag ? " of " + call.bag->name : "";
                   return text_response(200, "text/plain", path + bag);
                 }});
  }

  Response ask(const std::string& target, const std::string& method = "GET") {
    Request request;
    request.method = method;
    EXPECT_TRUE(parse_target(target, request)) << target;
    return routes_.handle(request);
  }

  std::string text_of(const std::string& target, const std::string& method = "GET") {
    Response response = ask(target, method);
    EXPECT_EQ(response.status, 200) << target;
    return *response.content.parts().at(0).text;
  }

  BagEntryPtr bag_ =
      std::make_shared<BagEntry>(BagEntry{.name = "a.bag", .path = "", .version = ""});
  Routes routes_{[this](std::string_view name) { return name == "a.bag" ? bag_ : nullptr; }};
};

TEST_F(RoutesTest, FindsARouteByItsSegments) {
  EXPECT_EQ(text_of("/bags/"), "/bags/");
  EXPECT_EQ(text_of("/bags/a.bag/player"), "/bags/{bag}/player of a.bag");
  EXPECT_EQ(text_of("/bags/a.bag/download/x"), "/bags/{bag}/download/{file} of a.bag");
  EXPECT_EQ(text_of("/view/x%2Fy"), "x/y");
}

TEST_F(RoutesTest, AnotherPathIsNotFound) {
  for (const char* target :
       {"/", "/bags", "/bags//", "/bags/a.bag", "/bags/a.bag/player/", "/bags/a.bag/download/",
        "/bags/a.bag/download/x/y", "/view/", "/view", "/bags/a.bag%2Fplayer"}) {
    EXPECT_EQ(ask(target).status, 404) << target;
  }
}

TEST_F(RoutesTest, HeadGoesWhereGetGoes) {
  EXPECT_EQ(ask("/bags/", "HEAD").status, 200);
  EXPECT_EQ(ask("/api/recorder/stop", "HEAD").status, 405);
}

TEST_F(RoutesTest, AnotherMethodIsRefusedWithThoseThatAreAllowed) {
  Response response = ask("/bags/", "DELETE");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.back(), (std::pair<std::string, std::string>("Allow", "GET, HEAD")));
  response = ask("/api/recorder/stop");
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(response.headers.back(), (std::pair<std::string, std::string>("Allow", "POST")));
}

TEST_F(RoutesTest, TheRouteSaysWhatAnUnknownBagIs) {
  EXPECT_EQ(ask("/bags/b.bag/player").status, 400);
  EXPECT_EQ(ask("/bags/b.bag/download/x").status, 404);
}

TEST_F(RoutesTest, AParameterThatTheRouteLacksIsAnError) {
  EXPECT_EQ(ask("/bags/a.bag/player?limit=3&topics=x&token=y").status, 200);
  EXPECT_EQ(ask("/view/x?anything=1").status, 200);
  EXPECT_ERROR(invalid, ask("/bags/?x=1"));
  Error error = test::thrown_by([this] { ask("/bags/a.bag/player?topic=/odom"); });
  EXPECT_EQ(error.message(), "unknown parameter \"topic\"; there are limit, topics");
}

TEST_F(RoutesTest, OnlyAListMayBeGivenTwice) {
  EXPECT_EQ(ask("/bags/a.bag/player?topics=x&limit=3&topics=y").status, 200);
  EXPECT_EQ(ask("/view/x?anything=1&anything=2").status, 200);
  Error error = test::thrown_by([this] { ask("/bags/a.bag/player?limit=3&topics=x&limit=3"); });
  EXPECT_EQ(error.code(), ErrorCode::invalid);
  EXPECT_EQ(error.message(), "limit is given twice");
}

}  // namespace
}  // namespace kitbag::server
