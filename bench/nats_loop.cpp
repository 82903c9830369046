// libnats in a bare loop: the load of a server on 127.0.0.1:4222, and the peer of the recorder,
// which counts what comes and keeps nothing.
//
// usage: nats_loop send COUNT HZ BYTES TOPICS
//        nats_loop receive
//
// `send` prints "sent COUNT" when the server has all. `receive` prints "ready", and until it is
// interrupted "got COUNT" every 100 ms.

#include <nats/nats.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bench/load_pace.h"

namespace {

std::atomic<long> counted = 0;
std::atomic<bool> is_over = false;

natsConnection* connect() {
  natsConnection* connection = nullptr;
  if (natsConnection_ConnectTo(&connection, "nats://127.0.0.1:4222") != NATS_OK) std::exit(1);
  return connection;
}

void send(const bench::Load& load) {
  natsConnection* connection = connect();
  const std::vector<char> payload(load.bytes, 'x');
  load.run([&](const std::string& subject) {
    natsConnection_Publish(connection, subject.c_str(), payload.data(),
                           static_cast<int>(payload.size()));
  });
  if (natsConnection_FlushTimeout(connection, 60'000) != NATS_OK) std::exit(1);
  bench::say_sent(load.messages);
}

void receive() {
  std::signal(SIGINT, [](int) { is_over = true; });
  natsConnection* connection = connect();
  natsSubscription* subscription = nullptr;
  natsConnection_Subscribe(
      &subscription, connection, ">",
      [](natsConnection*, natsSubscription*, natsMsg* message, void*) {
        ++counted;
        natsMsg_Destroy(message);
      },
      nullptr);
  natsSubscription_SetPendingLimits(subscription, -1, 128 << 20);
  if (natsConnection_FlushTimeout(connection, 60'000) != NATS_OK) std::exit(1);
  std::printf("ready\n");
  while (!is_over) {
    std::printf("got %ld\n", counted.load());
    std::fflush(stdout);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace

int main(int count, char** words) {
  if (count == 6 && std::strcmp(words[1], "send") == 0) {
    send(bench::Load::of(words + 2));
  } else if (count == 2 && std::strcmp(words[1], "receive") == 0) {
    receive();
  } else {
    return 2;
  }
  std::fflush(stdout);
  return 0;
}
