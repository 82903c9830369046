#include "transport/ros1/services.h"

#include <boost/make_shared.hpp>
#include <cstring>

#include "kitbag/error.h"
#include "transport/ros1/master.h"

// roscpp hands a service its request as bytes and takes the reply as bytes, so no generated code is
// needed. A reply on the wire is a byte that says whether the call was successful, the size, and
// the content.
//
// The callbacks have a queue and a thread of their own: a snapshot takes time, and messages should
// be taken meanwhile.

namespace kitbag::ros1 {

namespace {

/// How often the thread looks whether it is to end.
constexpr double kLookSeconds = 0.05;

class RawService final : public ros::ServiceCallbackHelper {
 public:
  RawService(Service::Answer answer, std::stop_token stop)
      : answer_(std::move(answer)), stop_(std::move(stop)) {}

  bool call(ros::ServiceCallbackHelperCallParams& call) override {
    ByteView request(reinterpret_cast<const std::byte*>(call.request.message_start),
                     call.request.num_bytes);
    std::optional<std::vector<std::byte>> reply;
    try {
      reply = answer_(request, stop_);
    } catch (const Error&) {
      // It is no request of this service.
    }
    call.response = serialized(reply.value_or(std::vector<std::byte>()), reply.has_value());
    return reply.has_value();
  }

 private:
  static ros::SerializedMessage serialized(const std::vector<std::byte>& content, bool is_done) {
    auto size = static_cast<std::uint32_t>(content.size());
    constexpr std::size_t kBefore = 1 + sizeof size;
    boost::shared_array<std::uint8_t> bytes(new std::uint8_t[kBefore + content.size()]);
    bytes[0] = is_done ? 1 : 0;
    std::memcpy(bytes.get() + 1, &size, sizeof size);
    if (size > 0) std::memcpy(bytes.get() + kBefore, content.data(), size);
    ros::SerializedMessage message(bytes, kBefore + content.size());
    message.message_start = bytes.get() + kBefore;
    return message;
  }

  Service::Answer answer_;
  std::stop_token stop_;
};

}  // namespace

Services::Services(ros::NodeHandle& node, const std::vector<Service>& services) {
  auto held = hold_master();
  for (const Service& service : services) {
    ros::AdvertiseServiceOptions options;
    bool is_private = service.name.starts_with('~');
    options.service =
        is_private ? ros::this_node::getName() + "/" + service.name.substr(1) : service.name;
    options.md5sum = service.md5sum;
    options.datatype = service.type;
    options.req_datatype = service.type + "Request";
    options.res_datatype = service.type + "Response";
    options.helper = boost::make_shared<RawService>(service.answer, stop_.get_token());
    options.callback_queue = &queue_;
    servers_.push_back(node.advertiseService(options));
  }
  thread_ = std::thread([this] {
    while (!stop_.stop_requested()) queue_.callAvailable(ros::WallDuration(kLookSeconds));
  });
}

Services::~Services() {
  stop_.request_stop();
  queue_.disable();
  thread_.join();
}

}  // namespace kitbag::ros1
