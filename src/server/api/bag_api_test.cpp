#include "server/api/bag_api.h"
#include "server/live/live.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "server/live/live.h"
#include "tests/support/temporary_folder.h"

namespace kitbag::server {
namespace {

/// A bag in memory, and one in a folder there.
class BagsElsewhere : public ::testing::Test {
 protected:
  BagsElsewhere() {
    auto demo = session_.open("demo://?seconds=0.5&seed=3");
    for (const char* path : {"memory://bags/a.mcap", "memory://bags/d/"}) {
      auto writer = session_.create(path);
      run(*demo->read(), *writer, *session_.clock());
      writer->close();
    }
    BagApiOptions options;
    options.places = {"memory://bags"};
    options.cache_folder = folder_.path("cache");
    api_ = std::make_unique<BagApi>(options, LiveData(), session_, [] { return HttpCounts(); });
  }

  static Session session_with_memory() {
    Registry registry = standard_registry();
    registry.file_systems.push_back(memory_file_system());
    return Session(std::move(registry));
  }

  Response get(const std::string& target, TextPairs headers = {}) {
    Request request;
    request.method = "GET";
    request.headers = std::move(headers);
    EXPECT_TRUE(parse_target(target, request));
    return api_->handle(request);
  }
  /// As the server would send it.
  static std::string body_of(const Response& response) {
    std::string body;
    for (const Part& part : response.content.parts()) {
      if (part.text) {
        body.append(*part.text, part.offset, part.size);
        continue;
      }
      EXPECT_FALSE(part.file->is_local());
      std::string piece(part.size, '\0');
      EXPECT_EQ(part.file->read(piece.data(), piece.size(), part.offset),
                static_cast<ssize_t>(piece.size()));
      body += piece;
    }
    return body;
  }
  std::string stored(const std::string& path) const {
    auto file = session_.file_system(path)->open(path);
    std::string bytes(file->size(), '\0');
    file->read(0, std::as_writable_bytes(std::span(bytes)));
    return bytes;
  }

  TemporaryFolder folder_;
  Session session_ = session_with_memory();
  std::unique_ptr<BagApi> api_;
};

TEST_F(BagsElsewhere, AreDownloaded) {
  std::string bytes = stored("memory://bags/a.mcap");
  Response whole = get("/bags/a.mcap/download");
  EXPECT_EQ(whole.status, 200);
  EXPECT_TRUE(body_of(whole) == bytes);
  Response part = get("/bags/a.mcap/download", {{"range", "bytes=1000-2999"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_TRUE(body_of(part) == bytes.substr(1000, 2000));
}

TEST_F(BagsElsewhere, AreDownloadedAsATar) {
  Response tar = get("/bags/d/download");
  EXPECT_EQ(tar.status, 200);
  EXPECT_NE(body_of(tar).find(stored("memory://bags/d/metadata.yaml")), std::string::npos);
}

TEST_F(BagsElsewhere, HaveViews) {
  Response view = get("/view/a.mcap");
  EXPECT_EQ(view.status, 200);
  EXPECT_TRUE(body_of(view) == stored("memory://bags/a.mcap"));
}

}  // namespace
}  // namespace kitbag::server
