#include "definitions/definition_finder.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "kitbag/session.h"
#include "tests/support/temporary_folder.h"

namespace kitbag {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Finder : public testing::Test {
 protected:
  void make(const std::string& file) const {
    std::filesystem::path path = folder_.path(file);
    std::filesystem::create_directories(path.parent_path());
    folder_.write(file, "int8 x");
  }

  /// The files found, from the folder on.
  std::vector<std::string> found(const DefinitionPaths& paths, const std::string& name) const {
    std::vector<std::string> files;
    for (const auto& file : DefinitionFinder(paths).files(language_, name)) {
      files.push_back(file.path.substr(folder_.path().size() + 1));
    }
    return files;
  }
  DefinitionPaths at(const std::string& path, unsigned levels = 0) const {
    return {{folder_.path(path), levels}};
  }

  TemporaryFolder folder_;
  Session session_;
  Language language_ = *find_language(session_.registry(), "ros2msg");
};

TEST_F(Finder, KnowsTheUsualPlaces) {
  for (const char* each : {"d/pkg/msg/T.msg", "d/pkg/T.msg", "d/share/pkg/msg/T.msg"}) make(each);
  EXPECT_THAT(found(at("d"), "pkg/T"),
              ElementsAre("d/pkg/msg/T.msg", "d/pkg/T.msg", "d/share/pkg/msg/T.msg"));
  EXPECT_THAT(found(at("d"), "pkg/U"), IsEmpty());
  EXPECT_THAT(found(at("d"), "other/T"), IsEmpty());
}

TEST_F(Finder, MayBeGivenThePackageItself) {
  make("pkg/msg/T.msg");
  for (const char* path : {"pkg", "pkg/", "./pkg/.", "pkg/msg", "pkg/msg/"}) {
    EXPECT_THAT(found(at(path), "pkg/T"), ElementsAre("pkg/msg/T.msg")) << path;
    EXPECT_THAT(found(at(path), "other/T"), IsEmpty()) << path;
  }
}

TEST_F(Finder, GoesByTheOrderOfTheFolders) {
  make("a/pkg/msg/T.msg");
  make("b/pkg/msg/T.msg");
  DefinitionPaths paths = {at("b")[0], at("nowhere")[0], at("a")[0], at("b")[0]};
  EXPECT_THAT(found(paths, "pkg/T"), ElementsAre("b/pkg/msg/T.msg", "a/pkg/msg/T.msg"));
  EXPECT_EQ(DefinitionFinder(paths).files(language_, "pkg/T")[1].folder, 2U);
}

TEST_F(Finder, LooksFoldersDownWhereToldTo) {
  make("ws/repo/stack/pkg/msg/T.msg");
  make("ws/zoo/pkg/msg/T.msg");
  make("ws/.hidden/pkg/msg/T.msg");
  EXPECT_THAT(found(at("ws"), "pkg/T"), IsEmpty());
  EXPECT_THAT(found(at("ws", 2), "pkg/T"), ElementsAre("ws/zoo/pkg/msg/T.msg"));
  EXPECT_THAT(found(at("ws", 3), "pkg/T"),
              ElementsAre("ws/zoo/pkg/msg/T.msg", "ws/repo/stack/pkg/msg/T.msg"));
}

TEST_F(Finder, FindsServicesAndActionsByTheirMessages) {
  make("d/pkg/srv/Add.srv");
  make("d/share/pkg/action/Go.action");
  make("ws/repo/only/srv/Add.srv");
  EXPECT_THAT(found(at("d"), "pkg/srv/Add_Event"), ElementsAre("d/pkg/srv/Add.srv"));
  EXPECT_THAT(found(at("d"), "pkg/action/Go_Goal"), ElementsAre("d/share/pkg/action/Go.action"));
  EXPECT_THAT(found(at("d/pkg"), "pkg/srv/Add_Event"), ElementsAre("d/pkg/srv/Add.srv"));
  EXPECT_THAT(found(at("ws", 2), "only/srv/Add_Event"), ElementsAre("ws/repo/only/srv/Add.srv"));
}

TEST_F(Finder, KnowsNoFoldersButThoseOfTheLanguage) {
  make("ws/repo/pkg/def/T.def");
  EXPECT_THAT(found(at("ws", 2), "pkg/T"), IsEmpty());
  language_.files->folders = {"def"};
  language_.files->place = [](const std::string&) {
    return DefinitionPlace{"pkg", "def", "T.def"};
  };
  EXPECT_THAT(found(at("ws", 2), "T"), ElementsAre("ws/repo/pkg/def/T.def"));
}

TEST_F(Finder, EndsWhereALinkLeadsBack) {
  make("ws/pkg/msg/T.msg");
  std::filesystem::create_directory_symlink(folder_.path("ws"), folder_.path("ws/again"));
  EXPECT_EQ(found(at("ws", 8), "pkg/T").front(), "ws/pkg/msg/T.msg");
}

TEST_F(Finder, DoesNotFollowANameOutOfTheFolder) {
  make("d/pkg/msg/T.msg");
  make("T.msg");
  for (const char* name : {"../T", "pkg/../../T", "/T", "T", "", "pkg/", "..", "d*/T"}) {
    EXPECT_THAT(found({{folder_.path("d"), 3}, {folder_.path("d/pkg"), 3}}, name), IsEmpty())
        << name;
  }
}

TEST_F(Finder, TakesFilesOnly) {
  std::filesystem::create_directories(folder_.path("d/pkg/msg/T.msg"));
  EXPECT_THAT(found(at("d"), "pkg/T"), IsEmpty());
}

TEST(NamesOf, AreItsOwnAndThoseSince) {
  DefinitionFiles language;
  EXPECT_THAT(names_of(language, "a/Old"), ElementsAre("a/Old"));
  language.later_names = [](const std::string& name) {
    return std::vector<std::string>{name + "er", name + "est"};
  };
  EXPECT_THAT(names_of(language, "a/Old"), ElementsAre("a/Old", "a/Older", "a/Oldest"));
}

}  // namespace
}  // namespace kitbag
