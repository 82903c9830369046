#pragma once

#include <map>
#include <vector>

#include "codec/protobuf/field_numbers.h"
#include "codec/protobuf/wire.h"
#include "kitbag/codec.h"

namespace kitbag::protobuf {

/// What has to be known of a message's type to read it.
struct MessagePlan {
  std::vector<FieldPlan> fields;  ///< in the order of the type
  FieldNumbers numbers;

  /// Of the field with that number, or null.
  const FieldPlan* find(std::uint32_t number) const;
};

class Decoder final : public kitbag::Decoder {
 public:
  /// Throws Error (unsupported) for types that protobuf does not have.
  explicit Decoder(TypePtr type);
  void decode(ByteView payload, Visitor& visitor) override;

 private:
  const MessagePlan& add(const Type& type);

  TypePtr type_;
  std::map<const Type*, MessagePlan> plans_;
};

}  // namespace kitbag::protobuf
