// Records a robot for a second, prints and converts a part of the recording, and plays it to the
// live system at a URI: tour zmq+tcp://127.0.0.1:7913. It writes drive.mcap and odom.db3.

#include <kitbag/kitbag.h>

#include <cstdio>

using namespace kitbag;

void tour(const char* uri) {
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
  Player(play, session.publish(uri), session.clock()).run({});
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: tour URI, such as zmq+tcp://127.0.0.1:7913\n", stderr);
    return 2;
  }
  try {
    tour(arguments[1]);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
