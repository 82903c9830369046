#pragma once

#include <map>
#include <vector>

#include "codec/protobuf/wire.h"
#include "kitbag/codec.h"

namespace kitbag::protobuf {

class Encoder final : public kitbag::Encoder {
 public:
  /// Throws Error (unsupported) for types that protobuf does not have.
  explicit Encoder(TypePtr type);

  void begin(Arena& arena) override;
  ByteView end() override { return arena_->end(); }

  void begin_struct(const Type& type) override;
  void field(const Field& field) override;
  void end_struct() override;
  void begin_array(const Type& type, std::size_t count) override;
  void end_array() override;
  void boolean(const Type& type, bool value) override;
  void integer(const Type& type, std::int64_t value) override;
  void unsigned_integer(const Type& type, std::uint64_t value) override;
  void real(const Type& type, double value) override;
  void text(const Type& type, std::string_view value) override;
  void nothing(const Type&) override {}
  void packed(const Type& type, ByteView bytes) override;

 private:
  /// What has been begun: a message, a list of one tag a value, a list in one sized field.
  enum class Open : char { message, list, packed };
  struct Level {
    Open open;
    bool is_sized;                    ///< its length goes in front of it when it ends
    std::size_t content = 0;          ///< where its content begins
    const FieldPlan* plan = nullptr;  ///< of the field that is open in it
  };

  void tag(WireType type);
  void varint(std::uint64_t value);
  void number(std::uint64_t value, bool is_zero);
  void put(ByteView bytes);
  void begin_sized(Open open);
  void end_sized();
  const FieldPlan& plan_for(const Field& field);

  TypePtr type_;
  std::map<const Field*, FieldPlan> plans_;
  Arena* arena_ = nullptr;
  std::vector<Level> levels_;
};

}  // namespace kitbag::protobuf
