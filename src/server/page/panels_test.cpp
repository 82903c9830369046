#include "server/page/panels.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/support/thrown_by.h"

namespace kitbag::server {
namespace {

namespace fs = std::filesystem;

class PanelFoldersTest : public testing::Test {
 protected:
  PanelFoldersTest() {
    add("gauge/panel.js", "export default 1;");
    add("gauge/parts/bar.mjs", "export default 2;");
    add("gauge/.git/config", "secret");
    add("gauge/hidden/.key", "secret");
    add("no_module/other.js", "3");
    add("a b/panel.js", "4");
    add("..hidden/panel.js", "5");
    folder_.write("secret.txt", "secret");
  }

  void add(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(folder_.path(name)).parent_path());
    folder_.write(name, text);
  }

  Response ask(const std::string& target, const std::string& method = "GET") const {
    Request request;
    request.method = method;
    EXPECT_TRUE(parse_target(target, request)) << target;
    EXPECT_TRUE(PanelFolders::has(request)) << target;
    return panels_.handle(request);
  }

  static std::string text_of(const Response& response) {
    std::string text;
    for (const Part& each : response.content.parts()) {
      text += each.text->substr(each.offset, each.size);
    }
    return text;
  }

  static std::string header(const Response& response, std::string_view name) {
    for (const auto& [each, value] : response.headers) {
      if (each == name) return value;
    }
    return "";
  }

  TemporaryFolder folder_;
  PanelFolders panels_{{folder_.path()}};
};

TEST_F(PanelFoldersTest, ListsFoldersThatHaveAModuleAndANameForURLs) {
  Response list = ask("/panels/");
  EXPECT_EQ(text_of(list), "[{\"name\": \"gauge\"}]\n");
  EXPECT_EQ(header(list, "Content-Type"), "application/json");
}

TEST_F(PanelFoldersTest, GivesFilesUnderThePolicyOfThePage) {
  Response module = ask("/panels/gauge/panel.js");
  EXPECT_EQ(module.status, 200);
  EXPECT_EQ(text_of(module), "export default 1;");
  EXPECT_EQ(header(module, "Content-Type"), "text/javascript; charset=utf-8");
  EXPECT_EQ(header(module, "Cache-Control"), "no-cache");
  EXPECT_EQ(header(module, "X-Content-Type-Options"), "nosniff");
  EXPECT_NE(header(module, "Content-Security-Policy").find("default-src 'self'"),
            std::string::npos);
  Response part = ask("/panels/gauge/parts/bar.mjs");
  EXPECT_EQ(text_of(part), "export default 2;");
  EXPECT_EQ(header(part, "Content-Type"), "text/javascript; charset=utf-8");
}

TEST_F(PanelFoldersTest, NothingElseCanBeReached) {
  fs::create_symlink(folder_.path("secret.txt"), folder_.path("gauge/link.js"));
  fs::create_directory_symlink(folder_.path(), folder_.path("gauge/up"));
  fs::create_directory_symlink(folder_.path("gauge"), folder_.path("linked"));
  for (const char* target : {"/panels/gauge",
                             "/panels/gauge/",
                             "/panels/gauge/parts",
                             "/panels/gauge/parts/",
                             "/panels/secret.txt",
                             "/panels/../secret.txt",
                             "/panels/gauge/../secret.txt",
                             "/panels/gauge/..%2fsecret.txt",
                             "/panels/gauge/%2e%2e/secret.txt",
                             "/panels/gauge//panel.js",
                             "/panels//gauge/panel.js",
                             "/panels/gauge/./panel.js",
                             "/panels/gauge/.git/config",
                             "/panels/gauge/hidden/.key",
                             "/panels/gauge/link.js",
                             "/panels/gauge/up/secret.txt",
                             "/panels/linked/panel.js",
                             "/panels/no_module/other.js",
                             "/panels/a%20b/panel.js",
                             "/panels/%2fetc/passwd",
                             "/panels/gauge/panel.js/x",
                             "/panels/gauge%2fpanel.js",
                             "/panels/x/panel.js"}) {
    Response response = ask(target);
    EXPECT_EQ(response.status, 404) << target;
    EXPECT_EQ(text_of(response).find("secret"), std::string::npos) << target;
  }
}

TEST_F(PanelFoldersTest, ReadsAFileWhenItIsAskedFor) {
  std::string before = header(ask("/panels/gauge/panel.js"), "ETag");
  add("gauge/panel.js", "export default 6;");
  Response after = ask("/panels/gauge/panel.js");
  EXPECT_EQ(text_of(after), "export default 6;");
  EXPECT_NE(header(after, "ETag"), before);
}

TEST_F(PanelFoldersTest, TheFirstFolderCounts) {
  TemporaryFolder other;
  fs::create_directories(other.path("gauge"));
  other.write("gauge/panel.js", "other");
  PanelFolders panels({other.path(), folder_.path()});
  Request request;
  request.method = "GET";
  ASSERT_TRUE(parse_target("/panels/gauge/panel.js", request));
  EXPECT_EQ(text_of(panels.handle(request)), "other");
}

TEST_F(PanelFoldersTest, TakesNoOtherMethodAndNoFolderThatIsNotThere) {
  EXPECT_EQ(ask("/panels/gauge/panel.js", "POST").status, 405);
  EXPECT_ERROR(not_found, PanelFolders({folder_.path("none")}));
  Request request;
  ASSERT_TRUE(parse_target("/panels", request));
  EXPECT_FALSE(PanelFolders::has(request));
}

}  // namespace
}  // namespace kitbag::server
