#pragma once

#include "kitbag/codec.h"

namespace kitbag::ros1 {

class Encoder final : public kitbag::Encoder {
 public:
  /// Throws Error (unsupported) for types that ROS 1 does not have.
  explicit Encoder(const TypePtr& type);

  void begin(Arena& arena) override;
  ByteView end() override { return arena_->end(); }

  void begin_struct(const Type&) override {}
  void field(const Field&) override {}
  void end_struct() override {}
  void begin_array(const Type& type, std::size_t count) override;
  void end_array() override {}
  void boolean(const Type& type, bool value) override;
  void integer(const Type& type, std::int64_t value) override;
  void unsigned_integer(const Type& type, std::uint64_t value) override;
  void real(const Type& type, double value) override;
  void text(const Type& type, std::string_view value) override;
  void nothing(const Type& type) override;
  void packed(const Type& type, ByteView bytes) override;

 private:
  void count(std::size_t count);

  TypePtr type_;
  Arena* arena_ = nullptr;
};

}  // namespace kitbag::ros1
