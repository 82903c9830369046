#include "server/http/encoding.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <string>
#include <vector>

namespace kitbag::server {
namespace {

TEST(PreferredCoding, IsTheOneWithTheHighestQ) {
  EXPECT_EQ(preferred_coding(""), Coding::identity);
  EXPECT_EQ(preferred_coding("gzip"), Coding::gzip);
  EXPECT_EQ(preferred_coding("X-GZIP"), Coding::gzip);
  EXPECT_EQ(preferred_coding("gzip, deflate, br, zstd"), Coding::zstd);
  EXPECT_EQ(preferred_coding("gzip;q=0.9, zstd;q=0.5"), Coding::gzip);
  EXPECT_EQ(preferred_coding("gzip ; q=0.2 , zstd; Q=0.300"), Coding::zstd);
  EXPECT_EQ(preferred_coding("br"), Coding::identity);
  EXPECT_EQ(preferred_coding("gzip;q=0"), Coding::identity);
  EXPECT_EQ(preferred_coding("gzip;q=2"), Coding::identity);
  EXPECT_EQ(preferred_coding("gzip;q=x"), Coding::identity);
  EXPECT_EQ(preferred_coding("*"), Coding::zstd);
  EXPECT_EQ(preferred_coding("zstd;q=0, *"), Coding::gzip);
  EXPECT_EQ(preferred_coding("identity, gzip;q=0.5"), Coding::identity);
  EXPECT_EQ(preferred_coding("identity;q=0.5, gzip;q=0.5"), Coding::gzip);
  EXPECT_EQ(preferred_coding(",;,=,"), Coding::identity);
}

/// What has come of a gzip so far.
std::string unpacked(std::string bytes) {
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::array<char, 1 << 16> room;
  stream.next_out = reinterpret_cast<Bytef*>(room.data());
  stream.avail_out = static_cast<uInt>(room.size());
  inflate(&stream, Z_SYNC_FLUSH);
  std::string text(room.data(), room.size() - stream.avail_out);
  inflateEnd(&stream);
  return text;
}

Request asking(std::string accepted) {
  Request request;
  request.headers = {{"accept-encoding", std::move(accepted)}};
  return request;
}

Response json_of(std::size_t bytes) {
  Response response = text_response(200, "application/json", std::string(bytes, 'x'));
  return std::move(response.set("ETag", "\"1-2\"").set("Accept-Ranges", "bytes"));
}

const std::string* header_of(const Response& response, std::string_view name) {
  for (const auto& [key, value] : response.headers) {
    if (key == name) return &value;
  }
  return nullptr;
}

TEST(Encode, ChangesBodyLengthAndTag) {
  Response response = json_of(5000);
  encode(asking("gzip"), response);
  EXPECT_EQ(*header_of(response, "Content-Encoding"), "gzip");
  EXPECT_EQ(*header_of(response, "ETag"), "\"1-2-gzip\"");
  EXPECT_EQ(header_of(response, "Accept-Ranges"), nullptr);
  EXPECT_LT(response.content.size(), 200U);
  EXPECT_EQ(unpacked(*response.content.parts().front().text), std::string(5000, 'x'));
}

TEST(Encode, MakesEachEncodingOfATextOnce) {
  EncodedText text(std::string(5000, 'x'));
  std::vector<const std::string*> bodies;
  for (const char* accepted : {"gzip", "zstd", "gzip", "zstd"}) {
    Response response = json_of(5000);
    encode(asking(accepted), response, text);
    encode(asking(accepted), response);
    EXPECT_EQ(*header_of(response, "Content-Encoding"), accepted);
    EXPECT_EQ(*header_of(response, "ETag"), std::string("\"1-2-") + accepted + "\"");
    bodies.push_back(response.content.parts().front().text.get());
  }
  EXPECT_EQ(unpacked(*bodies[0]), *text.plain());
  EXPECT_NE(bodies[0], bodies[1]);
  EXPECT_EQ(bodies[0], bodies[2]);
  EXPECT_EQ(bodies[1], bodies[3]);
  Response part = json_of(5000);
  part.status = 206;
  encode(asking("gzip"), part, text);
  EXPECT_EQ(header_of(part, "Content-Encoding"), nullptr);
}

TEST(Encode, LeavesAloneWhatIsNotWorthIt) {
  Response small = json_of(1000);
  Response failed = text_response(400, "application/json", std::string(5000, 'x'));
  Response bag = text_response(200, "application/octet-stream", std::string(5000, 'x'));
  for (Response* each : {&small, &failed, &bag}) {
    std::uint64_t size = each->content.size();
    encode(asking("gzip, zstd"), *each);
    EXPECT_EQ(header_of(*each, "Content-Encoding"), nullptr);
    EXPECT_EQ(each->content.size(), size);
  }
}

class TwoPieces final : public BodyStream {
 public:
  bool next(std::string& text, std::stop_token) override {
    text += is_first_ ? "one," : "two";
    return std::exchange(is_first_, false);
  }

 private:
  bool is_first_ = true;
};

TEST(Encode, APieceOfAStreamCanBeDecodedWhenItHasCome) {
  Response response;
  response.set("Content-Type", "application/x-ndjson");
  response.stream = std::make_unique<TwoPieces>();
  encode(asking("gzip"), response);
  std::string body;
  EXPECT_TRUE(response.stream->next(body, {}));
  EXPECT_EQ(unpacked(body), "one,");
  EXPECT_FALSE(response.stream->next(body, {}));
  EXPECT_EQ(unpacked(body), "one,two");
}

TEST(Encode, ConditionsKnowTheTagsOfBothRepresentations) {
  Request request;
  request.headers = {{"if-none-match", "\"0\", W/\"1-2-zstd\", \"3-gzip\""}};
  EXPECT_EQ(*with_plain_tags(request).header("if-none-match"), "\"0\", W/\"1-2\", \"3\"");
  Response response;
  response.status = 304;
  response.set("ETag", "\"1-2\"");
  encode(request, response);
  EXPECT_EQ(*header_of(response, "ETag"), "\"1-2-zstd\"");
}

}  // namespace
}  // namespace kitbag::server
