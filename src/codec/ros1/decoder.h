#pragma once

#include "kitbag/codec.h"

namespace kitbag::ros1 {

class Decoder final : public kitbag::Decoder {
 public:
  /// Throws Error (unsupported) for types that ROS 1 does not have.
  explicit Decoder(TypePtr type);
  void decode(ByteView payload, Visitor& visitor) override;

 private:
  TypePtr type_;
};

/// Throws Error (unsupported) for a type that has unions, optional fields or recursion in it.
void require_ros1(const Type& type);

}  // namespace kitbag::ros1
