#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "bench/load_pace.h"

// A client of a broker in a bare loop: the load of the broker, and the peer of the recorder, which
// counts what comes and keeps nothing. mqtt_loop.cpp and nats_loop.cpp add the client.
//
// usage: NAME_loop send COUNT HZ BYTES TOPICS
//        NAME_loop receive
//
// `send` prints "sent COUNT" when the broker has all, and ends when standard input does. `receive`
// prints "ready", and until it is interrupted "got COUNT" every 100 ms.

namespace bench {

inline std::atomic<bool> is_interrupted = false;
inline std::atomic<long> counted = 0;  ///< what has come

/// `Client` has:
///   Client(const char* name)    connects to the broker of this machine
///   void send(const std::string& topic, const std::vector<char>& payload)
///   void await_sent()           returns when the broker has all
///   void receive()              returns when all that comes is counted from now on
/// It is not destroyed, as threads of a library use it until the program ends.
template <class Client>
int run_loop(int count, char** words) {
  if (count == 6 && std::strcmp(words[1], "send") == 0) {
    const Load load = Load::of(words + 2);
    const std::vector<char> payload(load.bytes, 'x');
    Client& client = *new Client("load");
    load.run([&](std::size_t topic) { client.send("load" + std::to_string(topic), payload); });
    client.await_sent();
    say_sent(load.messages);
    return 0;
  }
  if (count == 2 && std::strcmp(words[1], "receive") == 0) {
    std::signal(SIGINT, [](int) { is_interrupted = true; });
    (new Client("bare"))->receive();
    std::cout << "ready" << std::endl;
    while (!is_interrupted) {
      std::cout << "got " << counted << std::endl;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return 0;
  }
  return 2;
}

}  // namespace bench
