#pragma once

#include "kitbag/codec.h"

namespace kitbag::cdr {

class Decoder final : public kitbag::Decoder {
 public:
  explicit Decoder(TypePtr type) : type_(std::move(type)) {}
  void decode(ByteView payload, Visitor& visitor) override;

 private:
  TypePtr type_;
};

}  // namespace kitbag::cdr
