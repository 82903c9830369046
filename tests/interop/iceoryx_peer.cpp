// A program that knows iceoryx and not kitbag:
//
//   iceoryx_peer send SERVICE INSTANCE EVENT COUNT BYTES wait|drop|later
//       waits for a subscriber and sends; later: drops, and sends all but the first message when it
//       has read a line; a payload begins with its number (8 bytes) and goes on
//       with bytes that follow from it
//   iceoryx_peer send_points SERVICE INSTANCE EVENT COUNT
//       the same with a type of C++, as most programs do it
//   iceoryx_peer hear SERVICE INSTANCE EVENT COUNT wait|drop
//       prints a line for each message: its bytes, and a hash of them
//   iceoryx_peer hold SERVICE INSTANCE EVENT COUNT wait|drop
//       as hear, but takes nothing before it has read a line
//   iceoryx_peer hear_points SERVICE INSTANCE EVENT COUNT
//       prints the numbers of points
//
// It prints "ready" when it has its port.

#include <unistd.h>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iceoryx_posh/popo/publisher.hpp>
#include <iceoryx_posh/popo/subscriber.hpp>
#include <iceoryx_posh/popo/untyped_publisher.hpp>
#include <iceoryx_posh/popo/untyped_subscriber.hpp>
#include <iceoryx_posh/runtime/posh_runtime.hpp>
#include <iostream>
#include <string>
#include <thread>

namespace {

struct Point {
  std::uint64_t number;
  double x;
  double y;
};

void pause() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

std::uint64_t hash(const void* data, std::size_t bytes) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < bytes; ++i) {
    value = (value ^ static_cast<const unsigned char*>(data)[i]) * 0x100000001b3;
  }
  return value;
}

void fill(void* into, std::uint64_t number, std::size_t bytes) {
  auto* out = static_cast<unsigned char*>(into);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(number + i * 7);
  std::memcpy(out, &number, std::min(bytes, sizeof number));
}

void ready() {
  std::cout << "ready" << std::endl;
}

void send(const iox::capro::ServiceDescription& service, std::uint64_t count, std::uint32_t bytes,
          const std::string& policy) {
  iox::popo::PublisherOptions options;
  if (policy == "wait")
    options.subscriberTooSlowPolicy = iox::popo::ConsumerTooSlowPolicy::WAIT_FOR_CONSUMER;
  iox::popo::UntypedPublisher publisher(service, options);
  ready();
  while (!publisher.hasSubscribers()) pause();
  for (std::uint64_t number = 0; number < count;) {
    publisher.loan(bytes)
        .and_then([&](void* payload) {
          fill(payload, number, bytes);
          publisher.publish(payload);
          std::string line;
          if (number == 0 && policy == "later") std::getline(std::cin, line);
          ++number;
        })
        .or_else([](iox::popo::AllocationError) { pause(); });
  }
}

void send_points(const iox::capro::ServiceDescription& service, std::uint64_t count) {
  iox::popo::PublisherOptions options;
  options.subscriberTooSlowPolicy = iox::popo::ConsumerTooSlowPolicy::WAIT_FOR_CONSUMER;
  iox::popo::Publisher<Point> publisher(service, options);
  ready();
  while (!publisher.hasSubscribers()) pause();
  for (std::uint64_t number = 0; number < count;) {
    publisher.loan()
        .and_then([&](auto& sample) {
          *sample = {number, 0.5 * static_cast<double>(number), -1};
          sample.publish();
          ++number;
        })
        .or_else([](iox::popo::AllocationError) { pause(); });
  }
}

iox::popo::SubscriberOptions subscriber_options(bool waits) {
  iox::popo::SubscriberOptions options;
  options.historyRequest = 1;
  if (waits) options.queueFullPolicy = iox::popo::QueueFullPolicy::BLOCK_PRODUCER;
  return options;
}

void hear(const iox::capro::ServiceDescription& service, std::uint64_t count, bool waits,
          bool holds) {
  iox::popo::UntypedSubscriber subscriber(service, subscriber_options(waits));
  ready();
  std::string line;
  if (holds) std::getline(std::cin, line);
  for (std::uint64_t heard = 0; heard < count;) {
    subscriber.take()
        .and_then([&](const void* payload) {
          auto bytes = iox::mepoo::ChunkHeader::fromUserPayload(payload)->userPayloadSize();
          std::cout << bytes << ' ' << std::hex << hash(payload, bytes) << std::dec << std::endl;
          subscriber.release(payload);
          ++heard;
        })
        .or_else([](iox::popo::ChunkReceiveResult) { pause(); });
  }
}

void hear_points(const iox::capro::ServiceDescription& service, std::uint64_t count) {
  iox::popo::Subscriber<Point> subscriber(service, subscriber_options(true));
  ready();
  for (std::uint64_t heard = 0; heard < count;) {
    subscriber.take()
        .and_then([&](const auto& sample) {
          std::cout << sample->number << ' ' << sample->x << std::endl;
          ++heard;
        })
        .or_else([](iox::popo::ChunkReceiveResult) { pause(); });
  }
}

iox::capro::IdString_t text(const char* given) {
  return {iox::cxx::TruncateToCapacity, given};
}

}  // namespace

int main(int count, char** words) {
  if (count < 6) return 64;
  std::string verb = words[1];
  std::string own = "peer-" + std::to_string(getpid());
  iox::runtime::PoshRuntime::initRuntime({iox::cxx::TruncateToCapacity, own.c_str()});
  iox::capro::ServiceDescription service(text(words[2]), text(words[3]), text(words[4]));
  std::uint64_t messages = std::stoull(words[5]);
  if (verb == "send" && count == 8) {
    send(service, messages, static_cast<std::uint32_t>(std::stoul(words[6])), words[7]);
  } else if (verb == "send_points") {
    send_points(service, messages);
  } else if ((verb == "hear" || verb == "hold") && count == 7) {
    hear(service, messages, std::string(words[6]) == "wait", verb == "hold");
  } else if (verb == "hear_points") {
    hear_points(service, messages);
  } else {
    return 64;
  }
  return 0;
}
