#include "language/ros1msg/full_text.h"

#include <fmt/format.h>

#include <set>

#include "kitbag/error.h"
#include "language/ros/definition_text.h"
#include "language/ros1msg/parser.h"

// A bag's definition is the text of the message, comments and all, and the texts of what it needs:
//
//     std_msgs/Header header
//     ================================================================================
//     MSG: std_msgs/Header
//     uint32 seq
//
// They come depth first, each one once, where it is needed first: this is the order of rosbag, and
// sums of before ROS 0.6 are computed over the texts in this order. A text that holds other
// definitions already is no file of a message; it would bring them in twice.

namespace kitbag::ros1msg {
namespace {

class FullText {
 public:
  FullText(const std::string& name, const FindText& find) : main_(name), find_(find) {}

  std::string of(const std::string& text) {
    full_ = text;
    add_nested(parse_alone(main_, text), 1);
    return std::move(full_);
  }

 private:
  static Definition parse_alone(const std::string& name, const std::string& text) {
    Definitions definitions = parse(name, text);
    if (definitions.size() == 1) return std::move(definitions.front());
    throw Error(ErrorCode::corrupt,
                fmt::format("definition of {}: it contains other definitions", name));
  }

  void add_nested(const Definition& user, std::size_t nesting) {
    if (nesting > kMaxNesting) {
      throw Error(ErrorCode::corrupt,
                  fmt::format("definition of {}: types are nested more than {} levels deep", main_,
                              kMaxNesting));
    }
    for (const Field& field : user.fields) {
      if (!is_builtin(field.type)) add(field, user, nesting);
    }
  }

  void add(const Field& field, const Definition& user, std::size_t nesting) {
    for (const std::string& name : meanings(field, package_of(user.name))) {
      if (added_.contains(name)) return;
      std::optional<std::string> text = find_(name);
      if (!text) continue;
      added_.insert(name);
      full_ += ros::nested_head(name) + *text;
      if (full_.size() > kMaxTextBytes) {
        throw Error(ErrorCode::corrupt, fmt::format("definition of {}: with its nested types it "
                                                    "has more than {} bytes",
                                                    main_, kMaxTextBytes));
      }
      return add_nested(parse_alone(name, *text), nesting + 1);
    }
    throw Error(ErrorCode::not_found, fmt::format("definition of {}: it uses {}, which is missing",
                                                  user.name, field.type));
  }

  const std::string& main_;
  const FindText& find_;
  std::string full_;
  std::set<std::string> added_;
};

}  // namespace

std::string full_text(const std::string& name, const std::string& text, const FindText& find) {
  return FullText(name, find).of(text);
}

}  // namespace kitbag::ros1msg
