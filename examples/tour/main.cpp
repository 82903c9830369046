// Records a robot for a second, prints and converts a part of the recording, and plays it.

#include <kitbag/kitbag.h>

#include <cstdio>

using namespace kitbag;

int main(int, char** arguments) {
  Session session;
  Recorder({.from = {"demo://?seconds=1&seed=7"}, .target = {.path = "drive.mcap"}}, session)
      .run({});
  auto bag = session.open("drive.mcap");
  for (const Message& message : bag->messages({.topics = {"/battery"}})) {
    std::puts(to_json(message, session).c_str());
  }
  auto ros2 = session.create("odom.db3");
  auto odom = bag->read({.select = {.topics = {"/odom"}}});
  run(*through(std::move(odom), transcode({.encoding = "cdr"}, session)), *ros2, *session.clock());
  ros2->close();
  auto from = [&](Time begin) { return bag->read({.begin = begin}); };
  PlayOptions play{.open = from, .begin = bag->summary().start, .end = bag->summary().end};
  Player(play, session.publish(arguments[1]), session.clock()).run({});
}
