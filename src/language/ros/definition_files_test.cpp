#include "language/ros/definition_files.h"

#include <gmock/gmock.h>

namespace kitbag::ros {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string place(const std::string& name) {
  auto found = definition_place(name);
  if (!found) return {};
  return found->package + " " + found->folder + " " + found->file + (found->is_part ? " part" : "");
}

TEST(DefinitionPlace, IsTheFileOfAMessage) {
  EXPECT_EQ(place("std_msgs/String"), "std_msgs msg String.msg");
  EXPECT_EQ(place("std_msgs/msg/String"), "std_msgs msg String.msg");
}

TEST(DefinitionPlace, IsThatOfTheServiceOrActionForTheirMessages) {
  for (const char* part : {"Request", "Response", "Event"}) {
    EXPECT_EQ(place(std::string("pkg/srv/Add_") + part), "pkg srv Add.srv part");
  }
  for (const char* part : {"Goal", "Result", "Feedback", "FeedbackMessage", "SendGoal_Request",
                           "SendGoal_Event", "GetResult_Response"}) {
    EXPECT_EQ(place(std::string("pkg/action/Go_") + part), "pkg action Go.action part");
  }
}

TEST(DefinitionPlace, IsNoneForWhatIsNoName) {
  for (const char* name : {"../T", "pkg/../../T", "/T", "T", "", "pkg/", "..", "d*/T",
                           "pkg/srv/../Add_Event", "pkg/srv/_Event", "pkg/srv/", "/srv/Add_Event",
                           "pkg/srv/x/Add_Event", "../srv/Add_Event"}) {
    EXPECT_EQ(place(name), "") << name;
  }
}

TEST(LaterNames, LeadToTodaysName) {
  EXPECT_THAT(later_names("std_msgs/String"), IsEmpty());
  EXPECT_THAT(later_names("roslib/Log"), ElementsAre("rosgraph_msgs/Log"));
  EXPECT_THAT(later_names("rostools/Header"), ElementsAre("roslib/Header", "std_msgs/Header"));
  EXPECT_THAT(later_names("rostools/Time"), ElementsAre("roslib/Time"));
}

}  // namespace
}  // namespace kitbag::ros
