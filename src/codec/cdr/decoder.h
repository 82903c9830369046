#pragma once

#include <vector>

#include "kitbag/codec.h"

namespace kitbag::cdr {

class Decoder final : public kitbag::Decoder {
 public:
  explicit Decoder(TypePtr type);
  void decode(ByteView payload, Visitor& visitor) override;

 private:
  TypePtr type_;
  /// The types that have lists in them which XCDR2 frames: there these are not flat. Sorted.
  std::vector<const Type*> framed_;
};

}  // namespace kitbag::cdr
