#include "language/ros1msg/md5.h"

#include <gmock/gmock.h>

#include "tests/support/thrown_by.h"

namespace kitbag::ros1msg {
namespace {

const std::string kNextMessage = "\n" + std::string(80, '=') + "\nMSG: ";
const std::string kHeaderText = "# Standard metadata\nuint32 seq\ntime stamp\nstring frame_id\n";

std::string sum(const std::string& name, const std::string& text) {
  return md5sum(parse(name, text));
}

// The expected sums are those that ROS publishes for its own messages, or genmsg's.

TEST(Md5, OfFlatMessages) {
  EXPECT_EQ(sum("std_msgs/String", "string data\n"), "992ce8a1687cec8c8bd883ec73ca41d1");
  EXPECT_EQ(sum("std_msgs/Header", kHeaderText), "2176decaecbce78abc3b96ef049fabed");
  EXPECT_EQ(sum("std_msgs/Empty", ""), kEmptyMd5);
  EXPECT_EQ(sum("geometry_msgs/Point", "float64 x\nfloat64 y\nfloat64 z"),
            "4a842b65f413084dc2b10fb484ea7f17");
}

TEST(Md5, CommentsAndSpacesDoNotCount) {
  EXPECT_EQ(sum("std_msgs/String", "\n#a string\n  string   data # the text\r\n\n"),
            "992ce8a1687cec8c8bd883ec73ca41d1");
}

TEST(Md5, OfNestedMessages) {
  std::string text = "Header header\nPose pose" + kNextMessage + "std_msgs/Header\n" + kHeaderText +
                     kNextMessage + "geometry_msgs/Pose\nPoint position\nQuaternion orientation" +
                     kNextMessage + "geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z" +
                     kNextMessage +
                     "geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w";
  EXPECT_EQ(sum("geometry_msgs/PoseStamped", text), "d3812c3cbc69362b77dc0b19b345f8f5");
}

TEST(Md5, ConstantsComeFirst) {
  std::string text =
      "byte DEBUG=1 #debug level\nbyte INFO=2\nbyte WARN=4\nbyte ERROR=8\nbyte FATAL=16\n"
      "Header header\nbyte level\nstring name # name of the node\nstring msg\nstring file\n"
      "string function\nuint32 line\nstring[] topics\n" +
      kNextMessage + "std_msgs/Header\n" + kHeaderText;
  EXPECT_EQ(sum("rosgraph_msgs/Log", text), "acffd30cd6b6de30f120938c17c593fb");
  std::size_t header = text.find("Header header");
  std::size_t level = text.find("byte level");
  std::string moved =
      text.substr(header, level - header) + text.substr(0, header) + text.substr(level);
  EXPECT_EQ(sum("rosgraph_msgs/Log", moved), "acffd30cd6b6de30f120938c17c593fb");
}

TEST(Md5, AHeaderOfOldTimes) {
  std::string modern = sum("a/B", "Header h" + kNextMessage + "std_msgs/Header\n" + kHeaderText);
  EXPECT_EQ(modern, "2fb230b1c292dc29f6aeb6a8ee50c6d0");
  EXPECT_EQ(sum("a/B", "Header h" + kNextMessage + "roslib/Header\n" + kHeaderText), modern);
  EXPECT_EQ(sum("a/B", "roslib/Header h" + kNextMessage + "std_msgs/Header\n" + kHeaderText),
            modern);
}

TEST(Md5, BracketsCountForBuiltinTypesOnly) {
  EXPECT_NE(sum("a/B", "uint8[3] x"), sum("a/B", "uint8[03] x"));
  std::string nested = kNextMessage + "a/C\nint8 y";
  EXPECT_EQ(sum("a/B", "C[3] x" + nested), sum("a/B", "C x" + nested));
}

TEST(Md5, StringConstantsAsGenmsgReadsThem) {
  EXPECT_EQ(sum("a/B", "string A=x # y"), "ef0c72b98c0b65b1512f8ad76b5d866e");
  EXPECT_EQ(sum("a/B", "  string A=x"), "364ba9b2bcc97e59f204b1b6461081b2");
}

TEST(Md5, TellsWhatIsMissing) {
  Error error = test::thrown_by([] { sum("a/B", "C c" + kNextMessage + "a/C\nd/E[] e"); });
  EXPECT_EQ(error.code(), ErrorCode::not_found);
  EXPECT_EQ(error.message(), "definition of a/C: it uses d/E, which is missing");
}

TEST(Md5, RefusesTypesThatContainOneAnother) {
  Error error = test::thrown_by(
      [] { sum("a/B", "C c" + kNextMessage + "a/C\nB b" + kNextMessage + "a/B\nC c"); });
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  EXPECT_THAT(error.message(), testing::HasSubstr("contains itself"));
}

TEST(Md5, RefusesDeepNesting) {
  std::string text = "T0 x";
  for (int i = 0; i < 5000 && i < static_cast<int>(kMaxDefinitions) - 1; ++i) {
    text += kNextMessage + "a/T" + std::to_string(i) + "\nT" + std::to_string(i + 1) + " x";
  }
  EXPECT_THAT(test::thrown_by([&] { sum("a/B", text); }).message(),
              testing::HasSubstr("more than 64 levels deep"));
}

TEST(Md5, ManyPathsToOneTypeCostNothing) {
  std::string text = "T0 a\nT0 b";
  for (int i = 0; i < 60; ++i) {
    std::string next = "T" + std::to_string(i + 1);
    text += kNextMessage + "a/T" + std::to_string(i) + "\n" + next + " a\n" + next + " b";
  }
  EXPECT_EQ(sum("a/B", text + kNextMessage + "a/T60\nint8 x").size(), 32U);  // 2^61 paths
}

TEST(Md5V1, IsOverTheTextsAsTheyAre) {
  // md5 of "Header h # stamped\n" and of the header's text behind it.
  Definitions definitions =
      parse("a/B", "Header h # stamped\n" + kNextMessage + "roslib/Header\n" + kHeaderText);
  EXPECT_EQ(md5sum_v1(definitions), "048bd4c1b68e0f8c59fc12fe80fa9a47");
}

}  // namespace
}  // namespace kitbag::ros1msg
