#include "server/http/web_socket.h"

#include <gmock/gmock.h>

namespace kitbag::server {
namespace {

class Silent final : public WebSocketSession {
 public:
  void on_open(WebSocketSenderPtr /*sender*/) override {}
  void on_text(std::string_view /*text*/) override {}
  void on_binary(ByteView /*bytes*/) override {}
  void on_close() override {}
};

Request asks(TextPairs headers) {
  Request request;
  request.method = "GET";
  request.headers = {{"upgrade", "websocket"},
                     {"connection", "keep-alive, Upgrade"},
                     {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="},
                     {"sec-websocket-version", "13"}};
  for (auto& header : headers) request.headers.push_back(std::move(header));
  return request;
}

Response answer(const Request& request, std::string* selected = nullptr) {
  return upgrade(request, {"new.v2", "old.v1"}, [&](std::string_view subprotocol) {
    if (selected) *selected = subprotocol;
    return std::make_unique<Silent>();
  });
}

TEST(Upgrade, TheServersFirstChoiceIsSelectedOfWhatIsOffered) {
  std::string selected;
  for (const char* offered : {"old.v1, new.v2", "new.v2,old.v1", " x ,\tnew.v2 "}) {
    Response response = answer(asks({{"sec-websocket-protocol", offered}}), &selected);
    EXPECT_EQ(response.status, 101);
    EXPECT_NE(response.session, nullptr);
    EXPECT_EQ(response.subprotocol, "new.v2");
    EXPECT_EQ(selected, "new.v2");
  }
  EXPECT_EQ(answer(asks({{"sec-websocket-protocol", "old.v1"}})).subprotocol, "old.v1");
}

TEST(Upgrade, WithoutAKnownSubprotocolThereIsNone) {
  EXPECT_EQ(answer(asks({})).status, 400);
  for (const char* offered : {"", "other", "NEW.V2", "new.v2x", ",,"}) {
    Response response = answer(asks({{"sec-websocket-protocol", offered}}));
    EXPECT_EQ(response.status, 400) << offered;
    EXPECT_EQ(response.session, nullptr);
  }
}

TEST(Upgrade, AnythingElseIsNone) {
  Request plain;
  plain.method = "GET";
  EXPECT_EQ(answer(plain).status, 426);
  EXPECT_FALSE(is_upgrade(plain));
  for (std::size_t missing = 0; missing < 4; ++missing) {
    Request request = asks({{"sec-websocket-protocol", "new.v2"}});
    request.headers.erase(request.headers.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_EQ(answer(request).status, 426) << missing;
  }
  Request posted = asks({{"sec-websocket-protocol", "new.v2"}});
  posted.method = "POST";
  EXPECT_EQ(answer(posted).status, 426);
  EXPECT_TRUE(is_upgrade(posted));
}

}  // namespace
}  // namespace kitbag::server
