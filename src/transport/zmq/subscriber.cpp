#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <deque>
#include <thread>
#include <unordered_map>
#include <vector>

#include "model/selector.h"
#include "transport/zmq/endpoint.h"
#include "transport/zmq/framing.h"
#include "transport/zmq/transport.h"
#include "transport/zmq/wake.h"

// One thread takes frames and pushes messages. A message of a channel whose description has not
// come yet is held until it comes, for a while: a subscriber may be there before it hears of all.

namespace kitbag::zmq_transport {

namespace {

constexpr Duration kMostHeldTime = std::chrono::seconds(2);
constexpr std::size_t kMostHeldBytes = 16 << 20;
/// What a socket may hold that a stopped one still gives.
constexpr int kQueuedMessages = 1000;
constexpr std::size_t kMessageFrames = 3;

/// A message on its way.
struct Arrived {
  std::string topic;
  Header header;
  zmq::message_t payload;
  Time log_time = {};
  Steady at = {};
};

std::string_view text(const zmq::message_t& frame) {
  return {frame.data<char>(), frame.size()};
}

class ZmqSubscriber final : public Subscriber {
 public:
  ZmqSubscriber(Endpoint endpoint, const Subscription& wanted, Clock& clock, Feed& feed)
      : endpoint_(std::move(endpoint)),
        selector_(wanted.select),
        on_warning_(wanted.on_warning),
        clock_(clock),
        feed_(feed),
        socket_(context_, endpoint_.is_pubsub ? zmq::socket_type::sub : zmq::socket_type::pull) {
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvhwm, kQueuedMessages);
    if (endpoint_.is_pubsub) socket_.set(zmq::sockopt::subscribe, "");
    endpoint_.attach(socket_);
    thread_ = std::thread([this] { listen(); });
  }
  ~ZmqSubscriber() override {
    stop();
    thread_.join();
  }

  void stop() override {
    is_stopped_ = true;
    wake_.set();
  }

 private:
  void listen() {
    try {
      bool has_ended = false;
      while (!is_stopped_ && !has_ended) {
        try {
          await();
          has_ended = take_all();
        } catch (const zmq::error_t& cause) {
          if (cause.num() != EINTR) throw;
        }
      }
      give_up_waiting(Steady::max());
      feed_.close();
    } catch (const zmq::error_t& cause) {
      feed_.fail(std::make_exception_ptr(endpoint_.error("cannot be listened to", cause)));
    } catch (...) {
      feed_.fail(std::current_exception());
    }
  }

  void await() {
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0},
                               {nullptr, wake_.file(), ZMQ_POLLIN, 0}};
    bool holds = !held_.empty();
    zmq::poll(items, 2, holds ? std::chrono::milliseconds(100) : std::chrono::milliseconds(-1));
  }

  /// All that is there; when it was stopped no more than what may have come before. True: the
  /// sender has ended.
  bool take_all() {
    for (int left = kQueuedMessages; left > 0; left -= is_stopped_ ? 1 : 0) {
      zmq::message_t topic;
      if (!socket_.recv(topic, zmq::recv_flags::dontwait)) break;
      if (take(std::move(topic))) return true;
    }
    if (!held_.empty()) give_up_waiting(clock_.steady() - kMostHeldTime);
    return false;
  }

  /// A message that begins with this frame. True: the sender has ended.
  bool take(zmq::message_t first) {
    frames_.clear();
    frames_.push_back(std::move(first));
    bool goes_on = frames_.back().more();
    while (goes_on) {
      zmq::message_t frame;
      if (!socket_.recv(frame)) break;
      goes_on = frame.more();
      if (frames_.size() <= kMessageFrames) frames_.push_back(std::move(frame));
    }
    std::optional<Header> header = header_of_frames();
    if (!header) {
      warn();
    } else if (header->is_end) {
      return endpoint_.is_once;
    } else if (frames_.size() < kMessageFrames) {
      describe({std::string(text(frames_[0])), std::move(*header), {}});
    } else {
      accept({std::string(text(frames_[0])), std::move(*header), std::move(frames_[2])});
    }
    return false;
  }

  /// Nothing where the frames are no message and no description.
  std::optional<Header> header_of_frames() const {
    bool are_plausible = (frames_.size() == kMessageFrames || frames_.size() == 2) &&
                         frames_[0].size() <= kMostTopicBytes &&
                         frames_[1].size() <= kMostHeaderBytes;
    return are_plausible ? parse_header(text(frames_[1])) : std::nullopt;
  }

  void warn() {
    if (has_warned_ || !on_warning_) return;
    has_warned_ = true;
    on_warning_(Error(ErrorCode::corrupt,
                      "something came that is no message: a topic, a header in JSON and a payload",
                      endpoint_.uri));
  }

  void describe(const Arrived& description) {
    const std::string& id = description.header.id;
    if (described_.contains(id)) return;
    described_.emplace(id, channel_of(description));
    std::deque<Arrived> rest;
    for (Arrived& held : held_) {
      if (held.header.id == id) {
        held_bytes_ -= held.payload.size();
        push(described_.at(id), held);
      } else {
        rest.push_back(std::move(held));
      }
    }
    held_ = std::move(rest);
  }

  void accept(Arrived arrived) {
    arrived.log_time = clock_.wall();
    if (arrived.header.id.empty()) return push(channel_of(arrived), arrived);
    auto known = described_.find(arrived.header.id);
    if (known != described_.end()) return push(known->second, arrived);
    arrived.at = clock_.steady();
    held_bytes_ += arrived.payload.size();
    held_.push_back(std::move(arrived));
    while (held_bytes_ > kMostHeldBytes) give_up_waiting(held_.front().at);
  }

  /// Messages that came until then are of channels as their own headers have them.
  void give_up_waiting(Steady until) {
    while (!held_.empty() && held_.front().at <= until) {
      Arrived arrived = std::move(held_.front());
      held_.pop_front();
      held_bytes_ -= arrived.payload.size();
      push(channel_of(arrived), arrived);
    }
  }

  /// The channel of such a header; null: it is not wanted.
  const Channel* channel_of(const Arrived& arrived) {
    Channel channel;
    channel.topic = arrived.topic;
    channel.encoding = arrived.header.encoding;
    if (arrived.header.schema) {
      channel.schema = std::make_shared<const Schema>(*arrived.header.schema);
    }
    channel.metadata = arrived.header.metadata;
    for (const auto& [known, pushed] : channels_) {
      if (same_content(*known, channel)) return pushed.get();
    }
    auto wanted = selector_.matches(channel) ? feed_.add(channel) : nullptr;
    channels_.emplace_back(std::make_shared<const Channel>(std::move(channel)), wanted);
    return wanted.get();
  }

  void push(const Channel* channel, Arrived& arrived) {
    if (!channel) return;
    Message message{};
    message.channel = channel;
    message.sequence = arrived.header.sequence;
    message.log_time = arrived.log_time;
    if (endpoint_.keeps_time && arrived.header.log_time)
      message.log_time = *arrived.header.log_time;
    message.publish_time = arrived.header.publish_time.value_or(message.log_time);
    message.data = {arrived.payload.data<std::byte>(), arrived.payload.size()};
    if (message.data.size() < kLendBytes) {
      feed_.push(message);
    } else {
      feed_.push(message, std::make_shared<zmq::message_t>(std::move(arrived.payload)));
    }
  }

  Endpoint endpoint_;
  Selector selector_;
  OnProblem on_warning_;
  Clock& clock_;
  Feed& feed_;
  Wake wake_;
  std::atomic<bool> is_stopped_ = false;
  zmq::context_t context_;
  zmq::socket_t socket_;                                     ///< the thread's, once it runs
  std::vector<zmq::message_t> frames_;                       ///< of one message
  std::vector<std::pair<ChannelPtr, ChannelPtr>> channels_;  ///< as described, as in the feed
  std::unordered_map<std::string, const Channel*> described_;
  std::deque<Arrived> held_;  ///< in the order in which they came
  std::size_t held_bytes_ = 0;
  bool has_warned_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Subscriber> subscribe(const Location& location, const Subscription& wanted,
                                      Clock& clock, Feed& feed) {
  return std::make_unique<ZmqSubscriber>(Endpoint::of(location), wanted, clock, feed);
}

}  // namespace kitbag::zmq_transport
