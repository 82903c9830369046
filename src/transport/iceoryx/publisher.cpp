#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kitbag/session.h"
#include "transport/broker/fields.h"
#include "transport/framing/framing.h"
#include "transport/iceoryx/header.h"
#include "transport/iceoryx/runtime.h"
#include "transport/iceoryx/transport.h"

// Each channel has a port of iceoryx. One more has the descriptions of all channels, as a few pages
// that iceoryx gives to who comes later; they are sent again, all of them, when a channel is added.
//
// Ports are always made so that they wait for the subscribers that want that. This costs the others
// nothing, and a listener with full=wait hears no other port. A port that waits is freed by RouDi
// when it is not offered any more, which is how a stop ends it.
//
// RouDi takes 100 ms to connect who is there to a new port, and what is sent before is lost. So
// after new ports the first message waits until all have a subscriber: for a second after the last
// one came, or for five at most until the first one where a listener hears the descriptions.
//
// The library prints something where memory is short. So what it has is looked at before it is
// asked; it takes a chunk of the smallest size that fits, and none that is larger if those are used
// up.

namespace kitbag::iceoryx_transport {

namespace {

using iox::popo::PublisherPortData;
using iox::popo::PublisherPortUser;

constexpr std::size_t kPages = 16;  ///< of descriptions, that iceoryx keeps for those to come
constexpr std::size_t kPageBytes = 64 << 10;
constexpr Duration kFirstSubscriber = std::chrono::seconds(5);
constexpr Duration kNextSubscriber = std::chrono::seconds(1);
constexpr Duration kLook = std::chrono::milliseconds(5);
/// How long memory may be short until it is told.
constexpr Duration kShort = std::chrono::seconds(1);
static_assert(kPages <= iox::MAX_PUBLISHER_HISTORY);

class SendingPort {
 public:
  explicit SendingPort(PublisherPortData* data) : data_(data), port_(data) {}
  ~SendingPort() {
    port_.stopOffer();
    port_.destroy();
  }
  SendingPort(const SendingPort&) = delete;
  SendingPort& operator=(const SendingPort&) = delete;

  /// From any thread.
  void stop_offer() { port_.stopOffer(); }
  bool has_subscribers() const { return port_.hasSubscribers(); }
  bool is_offered() const { return port_.isOffered(); }

  /// What there is of the memory for a message.
  enum class Room { there, none_now, none_ever };
  Room room(std::uint32_t chunk_bytes) const {
    const iox::mepoo::MemoryManager& memory = *data_->m_chunkSenderData.m_memoryMgr.get();
    for (std::uint32_t i = 0; i < memory.getNumberOfMemPools(); ++i) {
      auto pool = memory.getMemPoolInfo(i);
      if (pool.m_chunkSize < chunk_bytes) continue;
      return pool.m_usedChunks < pool.m_numChunks ? Room::there : Room::none_now;
    }
    return Room::none_ever;
  }
  /// Of the payload, together with what is sent beside it.
  std::uint32_t largest_chunk() const {
    const iox::mepoo::MemoryManager& memory = *data_->m_chunkSenderData.m_memoryMgr.get();
    std::uint32_t largest = 0;
    for (std::uint32_t i = 0; i < memory.getNumberOfMemPools(); ++i) {
      largest = std::max(largest, memory.getMemPoolInfo(i).m_chunkSize);
    }
    return largest;
  }

  /// Sends it, and waits for subscribers that want that. False: there is no memory now.
  bool send(ByteView payload, const UserHeader& header) {
    auto header_bytes = static_cast<std::uint32_t>(size_of(header));
    auto chunk = port_.tryAllocateChunk(static_cast<std::uint32_t>(payload.size()),
                                        iox::CHUNK_DEFAULT_USER_PAYLOAD_ALIGNMENT, header_bytes,
                                        kHeaderAlignment);
    if (chunk.has_error()) return false;
    put(header, static_cast<std::byte*>((*chunk)->userHeader()));
    if (!payload.empty()) {
      std::memcpy((*chunk)->userPayload(), payload.data(), payload.size());
    }
    port_.sendChunk(*chunk);
    return true;
  }

 private:
  PublisherPortData* data_;
  PublisherPortUser port_;
};

/// A channel as this side sends it.
struct Sent {
  explicit Sent(const Channel& channel) : topic(channel.topic), header(channel) {}

  std::string topic;
  framing::ChannelHeader header;
  std::unique_ptr<SendingPort> port;  ///< null: its messages are left out
  bool is_left_out = false;           ///< some were, which is reported
};

/// All that a call may use that is left alone in the library.
struct Sender {
  Endpoint endpoint;
  Publication how;
  Session session;
  std::shared_ptr<Runtime> runtime;
  std::vector<std::optional<Sent>> channels{};  ///< by slot
  std::unique_ptr<SendingPort> descriptions{};
  std::uint64_t left_out = 0;
  std::int64_t last_ns = 0;
  std::atomic<bool> is_stopped = false;
  std::mutex mutex{};
  std::vector<SendingPort*> ports{};  ///< with the lock

  ~Sender() {
    if (runtime->failure().empty()) return;
    // What RouDi gave is not touched, as RouDi may have given it to others since.
    for (auto& sent : channels) {
      if (sent) [[maybe_unused]]
        SendingPort* left = sent->port.release();
    }
    [[maybe_unused]] SendingPort* left = descriptions.release();
  }

  Clock& clock() const { return *session.clock(); }

  /// From any thread: no call stays in the library.
  void stop() {
    is_stopped = true;
    if (!runtime->failure().empty()) return;
    std::lock_guard lock(mutex);
    for (SendingPort* port : ports) port->stop_offer();
  }
  void throw_if_stopped() const {
    if (!is_stopped) return;
    throw Error(ErrorCode::cancelled, "stopped while waiting for subscribers", endpoint.shown);
  }
  void warn(ErrorCode code, const std::string& what) const {
    if (how.on_warning) how.on_warning(Error(code, what, endpoint.shown));
  }
  void pause(Duration time) const {
    throw_if_stopped();
    clock().sleep({how.stop, clock().steady() + time});
    throw_if_stopped();
  }

  std::unique_ptr<SendingPort> make_port(const Name& name, std::uint64_t history) {
    iox::popo::PublisherOptions options;
    options.historyCapacity = history;
    options.subscriberTooSlowPolicy = iox::popo::ConsumerTooSlowPolicy::WAIT_FOR_CONSUMER;
    auto port = std::make_unique<SendingPort>(runtime->publisher(name, options));
    std::lock_guard lock(mutex);
    ports.push_back(port.get());
    // A stop that came before the lock has not seen this port.
    if (is_stopped) port->stop_offer();
    return port;
  }

  void leave_out(Sent& sent, const std::string& why) {
    if (std::exchange(sent.is_left_out, true)) return;
    warn(ErrorCode::unsupported, fmt::format("{}: left out; {}", sent.topic, why));
  }

  /// True: there is a new port.
  bool declare(const ChannelPtr& channel) {
    if (!channel) return false;
    if (channels.size() <= channel->slot) channels.resize(channel->slot + 1);
    auto& sent = channels[channel->slot];
    if (sent) return false;
    sent.emplace(*channel);
    auto name = name_of(endpoint.prefix, channel->topic);
    if (!name) {
      leave_out(*sent, "each part of a name of iceoryx has at most 100 bytes, and no zero byte");
      return false;
    }
    sent->port = make_port(*name, is_latched(*channel) ? 1 : 0);
    return true;
  }

  std::int64_t now_ns() {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    // Never the same twice, because receivers order messages on several names by it.
    last_ns = std::max(last_ns + 1, std::int64_t{std::chrono::nanoseconds(now).count()});
    return last_ns;
  }

  void describe() {
    std::size_t bytes = 0;
    for (const auto& sent : channels) {
      if (sent) bytes += 8 + sent->topic.size() + sent->header.description().size();
    }
    // Half of the pages that iceoryx keeps hold all descriptions, so who comes later gets all of
    // them.
    std::size_t page_bytes = std::max(kPageBytes, bytes / (kPages / 2) + 1);
    std::string prefix = endpoint.prefix_text();
    std::string page;
    auto send_page = [&] {
      bool is_sent = send(*descriptions, as_bytes(page), {now_ns(), prefix, {}});
      if (!is_sent) too_large(*descriptions, page.size(), "descriptions of channels");
      page.clear();
    };
    for (const auto& sent : channels) {
      if (!sent) continue;
      append({sent->topic, sent->header.description()}, page);
      if (page.size() >= page_bytes) send_page();
    }
    if (!page.empty()) send_page();
  }

  [[noreturn]] void too_large(const SendingPort& port, std::size_t bytes,
                              const std::string& what) const {
    throw Error(ErrorCode::unsupported,
                fmt::format("cannot send {}: {}", what, too_large_text(port, bytes)),
                endpoint.shown);
  }
  static std::string too_large_text(const SendingPort& port, std::size_t bytes) {
    return fmt::format(
        "a message of {} bytes is larger than RouDi's largest chunk, which has {} bytes; add a "
        "[[segment.mempool]] with a larger size to the configuration of iox-roudi",
        bytes, port.largest_chunk());
  }

  /// Waits for memory. False: no chunk is as large as that.
  bool send(SendingPort& port, ByteView payload, const UserHeader& header) {
    if (payload.size() > UINT32_MAX) return false;
    auto settings = iox::mepoo::ChunkSettings::create(
        static_cast<std::uint32_t>(payload.size()), iox::CHUNK_DEFAULT_USER_PAYLOAD_ALIGNMENT,
        static_cast<std::uint32_t>(size_of(header)), kHeaderAlignment);
    if (settings.has_error()) return false;
    std::uint32_t bytes = settings->requiredChunkSize();
    SteadyTime since = clock().steady();
    bool is_told = false;
    while (true) {
      throw_if_stopped();
      SendingPort::Room room = port.room(bytes);
      if (room == SendingPort::Room::none_ever) return false;
      if (room == SendingPort::Room::there && port.send(payload, header)) break;
      if (!is_told && clock().steady() - since >= kShort) {
        is_told = true;
        warn(
            ErrorCode::remark,
            fmt::format("all chunks of RouDi for messages of {} bytes are in use; waiting for one. "
                        "A larger count in the configuration of iox-roudi gives more",
                        payload.size()));
      }
      pause(kLook);
    }
    throw_if_stopped();
    return true;
  }

  void send_all(const Batch& batch) {
    bool is_new = false;
    for (const auto& channel : batch.channels ? *batch.channels : Channels()) {
      is_new = declare(channel) || is_new;
    }
    if (is_new) {
      describe();
      await_connections();
    }
    for (const Message& message : batch.messages()) {
      Sent& sent = *channels[message.channel->slot];
      bool is_sent = sent.port && send(*sent.port, message.data,
                                       {now_ns(), sent.topic, sent.header.of(message)});
      if (is_sent) continue;
      ++left_out;
      if (sent.port) {
        leave_out(sent,
                  too_large_text(*sent.port, message.data.size()) + "; further ones are counted");
      }
    }
  }

  std::size_t connected() const {
    return static_cast<std::size_t>(std::count_if(
        channels.begin(), channels.end(),
        [](const auto& sent) { return sent && sent->port && sent->port->has_subscribers(); }));
  }
  std::size_t ports_of_channels() const {
    return static_cast<std::size_t>(std::count_if(
        channels.begin(), channels.end(), [](const auto& sent) { return sent && sent->port; }));
  }

  void await_connections() {
    std::size_t known = 0;
    SteadyTime began = clock().steady();
    SteadyTime last = began;
    while (true) {
      std::size_t now = connected();
      if (now == ports_of_channels()) return;
      if (now != known) last = clock().steady();
      known = now;
      bool awaits_listener = known == 0 && descriptions->has_subscribers();
      Duration patience = awaits_listener ? kFirstSubscriber : kNextSubscriber;
      if (clock().steady() - (awaits_listener ? began : last) >= patience) return;
      pause(kLook);
    }
  }

  void end() {
    std::string prefix = endpoint.prefix_text();
    send(*descriptions, {}, {now_ns(), prefix, framing::kEndHeader});
  }
};

class IceoryxPublisher final : public Publisher {
 public:
  IceoryxPublisher(const Endpoint& endpoint, const Publication& how, const Session& session)
      : shown_(endpoint.shown),
        how_(how),
        session_(session),
        sender_(new Sender{endpoint, how, session, Runtime::join(endpoint.shown, how.stop)}),
        on_stop_(how.stop, [sender = sender_] { sender->stop(); }) {
    do_within(kRoudiPatience, [](Sender& sender) {
      sender.descriptions = sender.make_port(descriptions_of(broker::random_sender()), kPages);
    });
  }
  ~IceoryxPublisher() override { sender_->stop(); }

  bool await_subscribers(const Wait& wait) override {
    while (true) {
      std::size_t ports = sender_->ports_of_channels();
      bool is_there =
          ports > 0 ? sender_->connected() == ports : sender_->descriptions->has_subscribers();
      if (is_there) return true;
      sender_->runtime->check(shown_);
      SteadyTime now = clock_.steady();
      if (wait.stop.stop_requested() || now >= wait.until) return false;
      clock_.sleep({wait.stop, std::min(wait.until, now + 4 * kLook)});
    }
  }

  void write(Batch&& batch) override {
    // The call may be left alone in the library, so it has to own the batch.
    auto shared = std::make_shared<const Batch>(std::move(batch));
    do_within(Duration::max(), [shared](Sender& sender) { sender.send_all(*shared); });
  }

  void close() override {
    if (std::exchange(is_closed_, true)) return;
    do_within(Duration::max(), [](Sender& sender) { sender.end(); });
    if (sender_->left_out > 0) {
      sender_->warn(ErrorCode::unsupported,
                    fmt::format("{} messages were left out", sender_->left_out));
    }
  }

 private:
  void do_within(Duration patience, const std::function<void(Sender&)>& what) {
    sender_->runtime->within<bool>(patience, how_.stop, shown_, [sender = sender_, what] {
      what(*sender);
      return true;
    });
  }

  std::string shown_;
  Publication how_;
  Session session_;
  Clock& clock_ = *session_.clock();
  std::shared_ptr<Sender> sender_;
  std::stop_callback<std::function<void()>> on_stop_;
  bool is_closed_ = false;
};

}  // namespace

std::unique_ptr<Publisher> publish(const Location& location, const Publication& how,
                                   const Session& session) {
  return std::make_unique<IceoryxPublisher>(Endpoint::of(location), how, session);
}

}  // namespace kitbag::iceoryx_transport
