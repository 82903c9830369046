#pragma once

#include <cstdint>
#include <string>

#include "transport/ros2/entity.h"
#include "transport/ros2/participant.h"
#include "transport/ros2/raw_type.h"
#include "transport/ros2/rpc.h"

namespace kitbag::ros2 {

/// A client of a service, as nodes of ROS 2 have them. One thread.
class ServiceClient {
 public:
  /// What the servers that are there speak.
  enum class Server {
    none,     ///< there is no server yet, or it has not heard of the client
    cyclone,  ///< rmw_cyclonedds, with a Call in front of requests and replies
    fast,     ///< rmw_fastrtps, without
    unknown,  ///< another middleware, whose requests have yet another form
  };

  /// Of the service `name`, "/add", of the type "std_srvs/srv/SetBool" with that hash, or "".
  /// `participant` must outlive it. Throws Error (io).
  ServiceClient(const Participant& participant, const std::string& name, const std::string& type,
                const std::string& type_hash);

  /// What is sent before there is a server is lost.
  Server server() const;
  /// A number for the next request.
  Call next_call() { return {id_, ++last_sequence_}; }
  /// Call::client of its calls; replies reach all clients of a service.
  std::uint64_t id() const { return id_; }
  /// Sends a whole payload, in the form that the server takes. What dds_writecdr() gives.
  dds_return_t send(ByteView payload) const;

  const Entity& writer() const { return writer_; }
  const Entity& reader() const { return reader_; }

 private:
  RawTopic request_topic_;
  RawTopic reply_topic_;
  Entity writer_;
  Entity reader_;
  std::uint64_t id_ = 0;
  std::int64_t last_sequence_ = 0;
};

}  // namespace kitbag::ros2
