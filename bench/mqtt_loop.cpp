// broker_loop.h with libmosquitto, at 127.0.0.1:1883.

#include <mosquitto.h>
#include <mqtt_protocol.h>

#include "bench/broker_loop.h"

namespace {

class Client {
 public:
  explicit Client(const char* name) {
    mosquitto_lib_init();
    client_ = mosquitto_new(name, true, this);
    mosquitto_int_option(client_, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
    mosquitto_int_option(client_, MOSQ_OPT_RECEIVE_MAXIMUM, 500);
    mosquitto_int_option(client_, MOSQ_OPT_SEND_MAXIMUM, 500);
    mosquitto_int_option(client_, MOSQ_OPT_TCP_NODELAY, 1);
    mosquitto_connect_callback_set(client_, [](mosquitto*, void* me, int) { of(me).be_ready(); });
    mosquitto_subscribe_callback_set(
        client_, [](mosquitto*, void* me, int, int, const int*) { of(me).be_ready(); });
    mosquitto_publish_callback_set(client_,
                                   [](mosquitto*, void* me, int) { ++of(me).acknowledged_; });
    mosquitto_message_callback_set(
        client_, [](mosquitto*, void*, const mosquitto_message*) { ++bench::counted; });
    mosquitto_connect(client_, "127.0.0.1", 1883, 60);
    mosquitto_loop_start(client_);
    await_ready();
  }

  void send(const std::string& topic, const std::vector<char>& payload) {
    while (sent_ - acknowledged_ > 1000) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    ++sent_;
    mosquitto_publish(client_, nullptr, topic.c_str(), static_cast<int>(payload.size()),
                      payload.data(), 1, false);
  }

  void await_sent() const {
    while (acknowledged_ < sent_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  void receive() {
    is_ready_ = false;
    mosquitto_subscribe(client_, nullptr, "#", 1);
    await_ready();
  }

 private:
  static Client& of(void* me) { return *static_cast<Client*>(me); }
  void be_ready() { is_ready_ = true; }
  void await_ready() const {
    while (!is_ready_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  mosquitto* client_ = nullptr;
  std::atomic<bool> is_ready_ = false;
  std::atomic<long> acknowledged_ = 0;
  long sent_ = 0;
};

}  // namespace

int main(int count, char** words) {
  return bench::run_loop<Client>(count, words);
}
