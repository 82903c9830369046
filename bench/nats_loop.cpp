// broker_loop.h with libnats, at 127.0.0.1:4222.

#include <nats/nats.h>

#include <cstdlib>

#include "bench/broker_loop.h"

namespace {

class Client {
 public:
  explicit Client(const char* /*name*/) {
    check(natsConnection_ConnectTo(&connection_, "nats://127.0.0.1:4222"));
  }

  void send(const std::string& subject, const std::vector<char>& payload) {
    natsConnection_Publish(connection_, subject.c_str(), payload.data(),
                           static_cast<int>(payload.size()));
  }

  void await_sent() { check(natsConnection_FlushTimeout(connection_, 60'000)); }

  void receive() {
    natsSubscription* subscription = nullptr;
    natsConnection_Subscribe(
        &subscription, connection_, ">",
        [](natsConnection*, natsSubscription*, natsMsg* message, void*) {
          ++bench::counted;
          natsMsg_Destroy(message);
        },
        nullptr);
    natsSubscription_SetPendingLimits(subscription, -1, 128 << 20);
    await_sent();
  }

 private:
  static void check(natsStatus status) {
    if (status != NATS_OK) std::exit(1);
  }

  natsConnection* connection_ = nullptr;
};

}  // namespace

int main(int count, char** words) {
  return bench::run_loop<Client>(count, words);
}
