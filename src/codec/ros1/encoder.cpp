#include "codec/ros1/encoder.h"

#include <fmt/format.h>

#include "codec/ros1/decoder.h"
#include "kitbag/error.h"
#include "model/type/positional_encoder.h"

namespace kitbag::ros1 {

namespace {

class Encoder final : public PositionalEncoder<Encoder> {
 public:
  static constexpr const char* kName = "ROS 1";

  explicit Encoder(const TypePtr& type) : type_(type) { require_ros1(*type_); }

  void begin(Arena& arena) override { open(arena); }

  void begin_struct(const Type&) override {}
  void field(const Field&) override {}
  void end_struct() override {}

  void text(const Type&, std::string_view value) override {
    put_count(value.size());
    arena_->put(as_bytes(value));
  }

  void nothing(const Type& type) override {
    throw Error(ErrorCode::unsupported,
                fmt::format("ROS 1 cannot omit a value of type {}", type_name(type)));
  }

  void packed(const Type&, ByteView bytes) override { arena_->put(bytes); }

  std::byte* room(std::size_t bytes) { return arena_->extend(bytes); }

 private:
  TypePtr type_;
};

}  // namespace

std::unique_ptr<kitbag::Encoder> make_encoder(const TypePtr& type) {
  return std::make_unique<Encoder>(type);
}

}  // namespace kitbag::ros1
