#include "definitions/check_definitions.h"

#include <gmock/gmock.h>

namespace kitbag {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kMd5Declared = "992ce8a1687cec8c8bd883ec73ca41d1";

/// A bag of which only its channels are asked for.
class ChannelsBag final : public Bag {
 public:
  explicit ChannelsBag(Channels channels, bool holds_definitions = true) {
    summary_.holds_definitions = holds_definitions;
    summary_.channels = std::make_shared<const Channels>(std::move(channels));
  }
  const Summary& summary() const override { return summary_; }
  std::unique_ptr<Source> read_messages(const Query&, const Wait&) const override {
    return nullptr;
  }

 private:
  Summary summary_;
};

ChannelPtr checked_channel(std::string topic, std::string type, std::string md5sum,
                           std::string text) {
  auto made = std::make_shared<Channel>();
  made->topic = std::move(topic);
  made->encoding = "ros1";
  made->schema = std::make_shared<Schema>(Schema{std::move(type), "ros1msg", std::move(text)});
  made->metadata = {{"md5sum", std::move(md5sum)}};
  return made;
}

std::vector<std::string> definition_findings(const Bag& bag) {
  std::vector<std::string> found;
  auto take = [&](const Error& finding) {
    EXPECT_EQ(finding.file(), "x.bag");
    found.push_back(finding.message());
  };
  check_definitions(bag, "x.bag", take, Session());
  return found;
}

std::vector<std::string> definition_findings(ChannelPtr one) {
  return definition_findings(ChannelsBag({std::move(one)}));
}

TEST(CheckDefinitions, ASoundOneIsNoFinding) {
  EXPECT_THAT(definition_findings(
                  checked_channel("/a", "std_msgs/String", kMd5Declared, "string data # it")),
              IsEmpty());
  EXPECT_THAT(definition_findings(checked_channel(
                  "/a", "std_msgs/String", "992CE8A1687CEC8C8BD883EC73CA41D1", "string data")),
              IsEmpty());
  EXPECT_THAT(definition_findings(checked_channel("/a", "std_msgs/String", "*", "string data")),
              IsEmpty());
}

TEST(CheckDefinitions, AMessageWithoutFieldsNeedsNone) {
  EXPECT_THAT(definition_findings(
                  checked_channel("/a", "std_msgs/Empty", "d41d8cd98f00b204e9800998ecf8427e", "")),
              IsEmpty());
}

TEST(CheckDefinitions, FindsAMissingOne) {
  EXPECT_THAT(definition_findings(checked_channel("/a", "std_msgs/String", kMd5Declared, "")),
              ElementsAre("/a: the definition of its type std_msgs/String is missing"));
  EXPECT_THAT(definition_findings(checked_channel("/a", "unknown/Unknown", "*", " \n")),
              ElementsAre("/a: the definition of its type unknown/Unknown is missing"));
}

TEST(CheckDefinitions, SomeFormatsHaveNoPlaceForThem) {
  ChannelPtr undefined = checked_channel("/a", "std_msgs/String", kMd5Declared, "");
  EXPECT_THAT(definition_findings(ChannelsBag({undefined}, false)), IsEmpty());
  EXPECT_EQ(definition_findings(ChannelsBag({undefined}, true)).size(), 1U);
}

TEST(CheckDefinitions, FindsAnotherMd5Sum) {
  EXPECT_THAT(
      definition_findings(checked_channel("/a", "std_msgs/String", kMd5Declared, "string text")),
      ElementsAre("/a: the MD5 sum of its definition of std_msgs/String is "
                  "74697ed3d931f6eede8bf3a8dfeca160, not " +
                  kMd5Declared));
}

TEST(CheckDefinitions, FindsWhatCannotBeUsed) {
  EXPECT_THAT(definition_findings(checked_channel("/a", "a/B", kMd5Declared, "int8 x\nstring")),
              ElementsAre("/a: definition of a/B, line 2: 'string' is not a type and a name"));
  EXPECT_THAT(definition_findings(checked_channel("/a", "a/B", "*", "C c")),
              ElementsAre("/a: definition of a/B: it uses C, which is missing"));
}

TEST(CheckDefinitions, FindsTwoUnderOneMd5Sum) {
  ChannelsBag bag({checked_channel("/a", "std_msgs/String", kMd5Declared, "string data"),
                   checked_channel("/b", "std_msgs/String", kMd5Declared, "string data # the same"),
                   checked_channel("/c", "std_msgs/String", kMd5Declared, "int8 data"), nullptr});
  EXPECT_THAT(definition_findings(bag),
              ElementsAre(HasSubstr("/c: the MD5 sum of its definition"),
                          "/c: its definition of std_msgs/String differs from that of /a, but both "
                          "have the MD5 sum " +
                              kMd5Declared));
}

TEST(CheckDefinitions, TypesOfOneShapeHaveOneMd5SumByRight) {
  const std::string shape = "4a842b65f413084dc2b10fb484ea7f17";
  EXPECT_THAT(
      definition_findings(ChannelsBag(
          {checked_channel("/a", "geometry_msgs/Point", shape, "float64 x\nfloat64 y\nfloat64 z"),
           checked_channel("/b", "geometry_msgs/Vector3", shape,
                           "# a vector\nfloat64 x\nfloat64 y\nfloat64 z")})),
      IsEmpty());
}

TEST(CheckDefinitions, TellsOnceWhatManyChannelsShare) {
  ChannelPtr a = checked_channel("/a", "std_msgs/String", kMd5Declared, "");
  ChannelPtr b = checked_channel("/b", "std_msgs/String", kMd5Declared, "");
  EXPECT_EQ(definition_findings(ChannelsBag({a, b})).size(), 1U);
}

TEST(CheckDefinitions, LooksWhereEveryBagHasThemOnly) {
  auto other = std::make_shared<Channel>();
  other->encoding = "cdr";
  other->schema = std::make_shared<Schema>(Schema{"std_msgs/msg/String", "ros2msg", ""});
  EXPECT_THAT(definition_findings(other), IsEmpty());
  EXPECT_THAT(definition_findings(std::make_shared<Channel>()), IsEmpty());
}

}  // namespace
}  // namespace kitbag
