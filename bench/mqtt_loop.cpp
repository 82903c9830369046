// libmosquitto in a bare loop: the load of a broker on 127.0.0.1:1883, and the peer of the
// recorder, which counts what comes and keeps nothing.
//
// usage: mqtt_loop send COUNT HZ BYTES TOPICS
//        mqtt_loop receive
//
// `send` prints "sent COUNT" when the broker has acknowledged all. `receive` prints "ready", and
// until it is interrupted "got COUNT" every 100 ms.

#include <mosquitto.h>
#include <mqtt_protocol.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include "bench/load_pace.h"

namespace {

std::atomic<long> counted = 0;
std::atomic<bool> is_ready = false;
std::atomic<bool> is_over = false;

mosquitto* connect(const char* name) {
  mosquitto_lib_init();
  mosquitto* client = mosquitto_new(name, true, nullptr);
  mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
  mosquitto_int_option(client, MOSQ_OPT_RECEIVE_MAXIMUM, 500);
  mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, 500);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  mosquitto_connect_callback_set(client, [](mosquitto*, void*, int) { is_ready = true; });
  mosquitto_publish_callback_set(client, [](mosquitto*, void*, int) { ++counted; });
  mosquitto_message_callback_set(client,
                                 [](mosquitto*, void*, const mosquitto_message*) { ++counted; });
  mosquitto_connect(client, "127.0.0.1", 1883, 60);
  mosquitto_loop_start(client);
  while (!is_ready) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return client;
}

void send(const bench::Load& load) {
  mosquitto* client = connect("load");
  const std::vector<char> payload(load.bytes, 'x');
  long sent = 0;
  load.run([&](const std::string& topic) {
    while (sent - counted > 1000) std::this_thread::sleep_for(std::chrono::microseconds(100));
    ++sent;
    mosquitto_publish(client, nullptr, topic.c_str(), static_cast<int>(payload.size()),
                      payload.data(), 1, false);
  });
  while (counted < sent) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  bench::say_sent(sent);
}

void receive() {
  std::signal(SIGINT, [](int) { is_over = true; });
  mosquitto* client = connect("bare");
  is_ready = false;
  mosquitto_subscribe_callback_set(
      client, [](mosquitto*, void*, int, int, const int*) { is_ready = true; });
  mosquitto_subscribe(client, nullptr, "#", 1);
  while (!is_ready) std::this_thread::sleep_for(std::chrono::milliseconds(1));
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
