// Loads a system of ROS 1: sends COUNT strings of BYTES on TOPICS topics, in turn, HZ a second.
//
// usage: ros1_sender COUNT HZ BYTES TOPICS
//
// It begins when every topic has a subscriber, prints "sent COUNT" when all are on their way, and
// ends when standard input does.

#include <ros/ros.h>

#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "bench/load_pace.h"

namespace {

/// std_msgs/String without a copy into one.
struct Text {
  std::vector<char> bytes;
};

}  // namespace

namespace ros {
namespace message_traits {
template <>
struct MD5Sum<Text> {
  static const char* value() { return "992ce8a1687cec8c8bd883ec73ca41d1"; }
  static const char* value(const Text&) { return value(); }
};
template <>
struct DataType<Text> {
  static const char* value() { return "std_msgs/String"; }
  static const char* value(const Text&) { return value(); }
};
template <>
struct Definition<Text> {
  static const char* value() { return "string data\n"; }
  static const char* value(const Text&) { return value(); }
};
}  // namespace message_traits
namespace serialization {
template <>
struct Serializer<Text> {
  template <class Stream>
  static void write(Stream& stream, const Text& text) {
    stream.next(static_cast<std::uint32_t>(text.bytes.size()));
    std::memcpy(stream.advance(static_cast<std::uint32_t>(text.bytes.size())), text.bytes.data(),
                text.bytes.size());
  }
  static std::uint32_t serializedLength(const Text& text) {
    return static_cast<std::uint32_t>(sizeof(std::uint32_t) + text.bytes.size());
  }
};
}  // namespace serialization
}  // namespace ros

int main(int count, char** words) {
  if (count != 5) return 2;
  const bench::Load load = bench::Load::of(words + 1);
  ros::init(count, words, "load", ros::init_options::NoRosout);
  ros::NodeHandle node;
  std::vector<ros::Publisher> publishers;
  for (std::size_t i = 0; i < load.topics; ++i) {
    publishers.push_back(node.advertise<Text>("/load" + std::to_string(i), 0));
  }
  for (const auto& publisher : publishers) {
    while (publisher.getNumSubscribers() == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the other side may be behind
  const Text text{std::vector<char>(load.bytes - sizeof(std::uint32_t), 'x')};
  load.run([&](std::size_t topic) { publishers[topic].publish(text); });
  bench::say_sent(load.messages);
  return 0;
}
