#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "files/remote/object_requests.h"
#include "files/remote/part_data.h"
#include "files/remote/tries.h"

namespace kitbag::remote {

/// What a store knows of an object that has been written.
struct WrittenObject {
  std::uint64_t size_bytes = 0;
  std::string etag;  ///< without quotation marks
};

/// Returns what is there now; nothing: no such object. Throws Error (io).
std::optional<WrittenObject> look_at(const ObjectRequests& object, Client& client,
                                     const Retries& retries);

/// Returns whether a write that has failed is worth another try.
bool is_worth_another_write(const Reply& reply);

/// An upload in parts, several of which are on their way at a time. One thread, except for abort().
/// The client outlives it.
class MultipartUpload : public std::enable_shared_from_this<MultipartUpload> {
 public:
  MultipartUpload(ObjectRequestsPtr object, Client& client, const Retries& retries);

  /// Asks the store to begin. Throws Error (io).
  void begin();
  /// Begins to send the part `number`, 1 at first. Waits while kMostInFlight parts are on their
  /// way. Throws Error (io) for it, or for a part before it.
  void send(std::size_t number, std::shared_ptr<const PartData> part);
  /// Waits for all parts, and makes them the object. `may_replace` false: nothing may be there, as
  /// far as the store can tell. Throws Error (io, exists).
  void complete(bool may_replace);
  /// Ends what is on its way, and has the store throw away the parts that it has. Returns whether
  /// nothing remains there; false also if `limit` has passed before. Any thread.
  bool abort(std::chrono::milliseconds limit) noexcept;

  static constexpr std::size_t kMostInFlight = 4;

 private:
  class Beginning;
  struct Part {
    std::string md5;   ///< 16 bytes
    std::string etag;  ///< as the store gives it
    std::uint64_t size_bytes = 0;
  };

  void end_part(std::size_t number, const Reply& reply);
  std::string list_of_parts() const;
  void judge(const Reply& reply) const;

  ObjectRequestsPtr object_;
  Client& client_;
  Retries retries_;
  std::shared_ptr<std::atomic<bool>> is_cancelled_ = std::make_shared<std::atomic<bool>>(false);
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string id_;
  bool is_beginning_ = false;
  std::size_t in_flight_ = 0;
  std::exception_ptr error_;
  std::map<std::size_t, Part> parts_;
};

}  // namespace kitbag::remote
