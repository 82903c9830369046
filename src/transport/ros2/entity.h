#pragma once

#include <dds/dds.h>

#include <memory>
#include <string>
#include <utility>

namespace kitbag::ros2 {

/// Something of DDS that is deleted with this.
class Entity {
 public:
  Entity() = default;
  /// Throws Error (io) for what is none: "cannot make WHAT: ...".
  Entity(dds_entity_t handle, const std::string& what);
  Entity(Entity&& other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
  Entity& operator=(Entity&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Entity() {
    if (handle_ > 0) dds_delete(handle_);
  }

  dds_entity_t get() const { return handle_; }
  explicit operator bool() const { return handle_ > 0; }

 private:
  dds_entity_t handle_ = 0;
};

/// Throws Error (io) for a failure: "cannot WHAT: ...".
void require(dds_return_t result, const std::string& what);

struct DeleteQos {
  void operator()(dds_qos_t* qos) const { dds_delete_qos(qos); }
};
using Qos = std::unique_ptr<dds_qos_t, DeleteQos>;

}  // namespace kitbag::ros2
