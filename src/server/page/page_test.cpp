#include "server/page/page.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace kitbag::server {
namespace {

Request get(std::string_view target) {
  Request request;
  request.method = "GET";
  EXPECT_TRUE(parse_target(target, request));
  return request;
}

std::string header(const Response& response, std::string_view name) {
  for (const auto& [each, value] : response.headers) {
    if (each == name) return value;
  }
  return "";
}

TEST(Page, KnowsItsFilesAndNoOthers) {
  Page page(PageFiles{{"index.html", "<p>"}, {"assets/a-1.js", "1"}});
  EXPECT_TRUE(page.has(get("/")));
  EXPECT_TRUE(page.has(get("/?bag=a.bag&t=1")));
  EXPECT_TRUE(page.has(get("/assets/a-1.js")));
  EXPECT_FALSE(page.has(get("/assets/")));
  EXPECT_FALSE(page.has(get("/bags/")));
  EXPECT_FALSE(page.has(get("/assets/../index.html")));
}

TEST(Page, OnlyNamesWithAHashAreKept) {
  Page page(PageFiles{{"index.html", "<p>"}, {"assets/a-1.js", "1"}});
  Response start = page.handle(get("/"));
  EXPECT_EQ(header(start, "Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(header(start, "Cache-Control"), "no-cache");
  EXPECT_NE(header(start, "Content-Security-Policy").find("default-src 'self'"), std::string::npos);
  Response script = page.handle(get("/assets/a-1.js"));
  EXPECT_EQ(header(script, "Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(header(script, "Cache-Control"), "public, max-age=31536000, immutable");
}

TEST(Page, AFileThatTheClientHasIsNotSentAgain) {
  Page page(PageFiles{{"index.html", "<p>"}});
  Request request = get("/");
  request.headers.emplace_back("if-none-match", header(page.handle(request), "ETag"));
  EXPECT_EQ(page.handle(request).status, 304);
}

TEST(Page, TakesNoOtherMethod) {
  Page page(PageFiles{{"index.html", "<p>"}});
  Request request = get("/");
  request.method = "POST";
  EXPECT_EQ(page.handle(request).status, 405);
}

TEST(Page, TheProgramHasOne) {
  PageFiles files = embedded_page();
  ASSERT_TRUE(files.contains("index.html"));
  EXPECT_GT(files.size(), 2u);
  EXPECT_NE(files["index.html"].find("<title>kitbag"), std::string::npos);
}

TEST(Page, AFolderIsOneIfItHasAStart) {
  namespace fs = std::filesystem;
  fs::path folder = fs::path(testing::TempDir()) / "page_test";
  fs::create_directories(folder / "assets");
  std::ofstream(folder / "assets" / "a-1.js") << "1";
  EXPECT_TRUE(page_in_folder(folder.string()).empty());
  std::ofstream(folder / "index.html") << "<p>";
  EXPECT_EQ(page_in_folder(folder.string()),
            (PageFiles{{"assets/a-1.js", "1"}, {"index.html", "<p>"}}));
  fs::remove_all(folder);
  EXPECT_TRUE(page_in_folder(folder.string()).empty());
}

}  // namespace
}  // namespace kitbag::server
