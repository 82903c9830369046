#include "files/remote/multipart.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <new>
#include <string>

namespace kitbag::remote {
namespace {

using namespace std::chrono_literals;

/// No request can be made.
class NoRequests final : public ObjectRequests {
 public:
  Request request(std::uint64_t, std::optional<std::uint64_t>,
                  const std::vector<std::string>&) const override {
    throw std::bad_alloc();
  }
  Request request(const ObjectCall&) const override { throw std::bad_alloc(); }
  std::string shown() const override { return "s3://none/bag"; }
  std::string identity() const override { return shown(); }
  std::string reason(long, std::string_view) const override { return {}; }
};

TEST(MultipartUpload, ThatCouldNotBeginIsAbortedAtOnce) {
  Client client;
  auto upload =
      std::make_shared<MultipartUpload>(std::make_shared<NoRequests>(), client, Retries());
  EXPECT_THROW(upload->begin(), std::bad_alloc);
  auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(upload->abort(10s));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
}

}  // namespace
}  // namespace kitbag::remote
