#pragma once

#include <memory>

#include "kitbag/codec.h"

namespace kitbag::json {

class Decoder final : public kitbag::Decoder {
 public:
  /// `type` may be null: all values are passed on as they come.
  explicit Decoder(TypePtr type) : type_(std::move(type)) {}
  void decode(ByteView payload, Visitor& visitor) override;

 private:
  TypePtr type_;
};

}  // namespace kitbag::json
