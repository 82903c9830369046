#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/codec.h"

namespace kitbag {

/// Records the calls of a visitor, to replay them as a whole or in parts.
class Tape final : public LeafVisitor<Tape> {
 public:
  /// The field of the outermost structure that begins at an event, by index.
  struct Part {
    const Field* field;
    std::size_t begin;  ///< the event of the field itself
    std::size_t end;
  };

  void begin_struct(const Type& type) override { add(What::begin_struct, &type); }
  void field(const Field& field) override { add(What::field, &field); }
  void end_struct() override { add(What::end_struct); }
  void begin_array(const Type& type, std::size_t count) override {
    add(What::begin_array, &type, count);
  }
  void end_array() override { add(What::end_array); }
  void packed(const Type& type, ByteView bytes) override { add_bytes(What::packed, type, bytes); }

  void leaf(const Type& type, bool value) { add(What::boolean, &type, value ? 1 : 0); }
  void leaf(const Type& type, std::int64_t value) {
    add(What::integer, &type, static_cast<std::uint64_t>(value));
  }
  void leaf(const Type& type, std::uint64_t value) { add(What::unsigned_integer, &type, value); }
  void leaf(const Type& type, double value) {
    add(What::real, &type, std::bit_cast<std::uint64_t>(value));
  }
  void leaf(const Type& type, std::string_view value) {
    add_bytes(What::text, type, as_bytes(value));
  }
  void leaf(const Type& type, std::nullopt_t) { add(What::nothing, &type); }

  std::size_t size() const { return events_.size(); }
  /// The fields of the structure that the tape begins with.
  std::vector<Part> parts() const;
  /// Replays the events from `begin` to `end`.
  void play(std::size_t begin, std::size_t end, Visitor& visitor) const;
  void clear();

 private:
  enum class What : std::uint8_t {
    begin_struct,
    field,
    end_struct,
    begin_array,
    end_array,
    boolean,
    integer,
    unsigned_integer,
    real,
    text,
    nothing,
    packed
  };
  struct Event {
    What what;
    const void* about;    ///< the Type, or the Field
    std::uint64_t value;  ///< or where text and bytes stand in `bytes_`
    std::size_t size = 0;
  };

  void add(What what, const void* about = nullptr, std::uint64_t value = 0);
  void add_bytes(What what, const Type& type, ByteView bytes);
  void play(const Event& event, Visitor& visitor) const;

  std::vector<Event> events_;
  std::vector<std::byte> bytes_;
};

}  // namespace kitbag
