#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "kitbag/session.h"

namespace kitbag {

/// What is plugged into a session.
class Session::Parts {
 public:
  explicit Parts(Registry registry) : registry_(std::move(registry)) {}
  virtual ~Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  const Registry& registry() const { return registry_; }
  /// A transport that is not in the registry; null: there is none. Any thread.
  virtual const Transport* load_transport(std::string_view /*scheme*/) { return nullptr; }

 private:
  Registry registry_;
};

}  // namespace kitbag
