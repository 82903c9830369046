#pragma once

#include <vector>

#include "kitbag/codec.h"

namespace kitbag::cdr {

class Encoder final : public kitbag::Encoder {
 public:
  explicit Encoder(TypePtr type);

  void begin(Arena& arena) override;
  ByteView end() override { return arena_->end(); }

  void begin_struct(const Type& type) override;
  void field(const Field& field) override;
  void end_struct() override;
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
  /// A structure that has been begun.
  struct Open {
    const Type* type;
    std::size_t origin;           ///< of alignment, before its open member
    std::size_t member_size = 0;  ///< where the open member's length stands; 0: none is open
  };

  std::size_t position() { return arena_->open().size(); }
  void align(std::size_t to);
  std::byte* room(std::size_t bytes, std::size_t alignment);
  void count(std::size_t count);
  void begin_member(const Field& field);
  void end_member();

  TypePtr type_;
  Arena* arena_ = nullptr;
  std::size_t origin_ = 0;
  std::vector<Open> open_;
};

}  // namespace kitbag::cdr
