// Publishes one message each through two publishers of a plugin: udp_senders PLUGIN URI.

#include <kitbag/kitbag.h>

using namespace kitbag;

int main(int, char** arguments) {
  Session session({.plugins = {arguments[1]}});
  auto first = session.publish(arguments[2]);
  auto second = session.publish(arguments[2]);
  Channel channel{.topic = "/a", .encoding = "bytes"};
  auto channels = std::make_shared<Channels>(Channels{std::make_shared<Channel>(channel)});
  for (auto& publisher : {first.get(), second.get()}) {
    Batch batch;
    batch.channels = channels;
    batch.add({channels->front().get(), 0, 0, Time(), Time(), as_bytes("hello")});
    publisher->write(std::move(batch));
    publisher->close();
  }
}
