#include "files/remote/sigv4.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// The examples in the reference of Amazon S3, "Signature Calculations for the Authorization
// Header", and the first one of AWS's suite of tests for Signature Version 4.

namespace kitbag::remote {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const Credentials kExample = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                              ""};
constexpr std::string_view kDate = "20130524T000000Z";

SignedRequest example(std::string path) {
  SignedRequest request;
  request.host = "examplebucket.s3.amazonaws.com";
  request.path = std::move(path);
  request.payload_sha256 = kSha256OfNothing;
  request.headers = {{"x-amz-content-sha256", std::string(kSha256OfNothing)},
                     {"x-amz-date", std::string(kDate)}};
  return request;
}

std::string authorize(const SignedRequest& request) {
  return authorization(request, kExample, "us-east-1", "s3", kDate);
}

TEST(SigV4, AnObjectWithARange) {
  SignedRequest request = example("/test.txt");
  request.headers["range"] = "bytes=0-9";
  EXPECT_EQ(authorize(request),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(SigV4, AQueryWithoutAValue) {
  SignedRequest request = example("/");
  request.query = {{"lifecycle", ""}};
  EXPECT_THAT(authorize(request),
              EndsWith("fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"));
}

TEST(SigV4, AList) {
  SignedRequest request = example("/");
  request.query = {{"prefix", "J"}, {"max-keys", "2"}};
  EXPECT_THAT(authorize(request),
              EndsWith("34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"));
}

TEST(SigV4, AnObjectThatIsWritten) {
  SignedRequest request = example("/test%24file.text");
  request.method = "PUT";
  request.payload_sha256 = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
  request.headers = {{"date", "Fri, 24 May 2013 00:00:00 GMT"},
                     {"x-amz-content-sha256", request.payload_sha256},
                     {"x-amz-date", std::string(kDate)},
                     {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};
  EXPECT_THAT(authorize(request),
              EndsWith("98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"));
}

TEST(SigV4, AnotherService) {
  SignedRequest request;
  request.host = "example.amazonaws.com";
  request.path = "/";
  request.payload_sha256 = kSha256OfNothing;
  request.headers = {{"x-amz-date", "20150830T123600Z"}};
  Credentials credentials = {"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};
  EXPECT_THAT(authorization(request, credentials, "us-east-1", "service", "20150830T123600Z"),
              EndsWith("5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"));
}

// From "Authenticating Requests: Using Query Parameters".
TEST(SigV4, AnAddressThatIsSigned) {
  SignedRequest request;
  request.host = "examplebucket.s3.amazonaws.com";
  request.path = "/test.txt";
  EXPECT_EQ(
      presigned_query(request, kExample, "us-east-1", "s3", kDate, std::chrono::seconds(86400)),
      "X-Amz-Algorithm=AWS4-HMAC-SHA256&"
      "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&"
      "X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&"
      "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}

TEST(SigV4, AnAddressOfASession) {
  SignedRequest request;
  request.host = "examplebucket.s3.amazonaws.com";
  request.path = "/test.txt";
  Credentials session = kExample;
  session.token = "a+b/c=";
  auto lifetime = std::chrono::seconds(60);
  std::string query = presigned_query(request, session, "us-east-1", "s3", kDate, lifetime);
  EXPECT_THAT(query, HasSubstr("&X-Amz-Security-Token=a%2Bb%2Fc%3D&X-Amz-SignedHeaders=host&"));
  std::string other = presigned_query(request, kExample, "us-east-1", "s3", kDate, lifetime);
  EXPECT_NE(query.substr(query.rfind('=')), other.substr(other.rfind('=')));
}

TEST(SigV4, Encoding) {
  EXPECT_EQ(uri_encoded("a/b c+é~", true), "a/b%20c%2B%C3%A9~");
  EXPECT_EQ(uri_encoded("a/b", false), "a%2Fb");
  EXPECT_EQ(canonical_query({{"b", "2 3"}, {"a", ""}}), "a=&b=2%203");
}

}  // namespace
}  // namespace kitbag::remote
