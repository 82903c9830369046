#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kitbag/codec.h"

namespace kitbag {

/// Keeps what a visitor was told, to tell it again, as a whole or in parts.
class Tape final : public Visitor {
 public:
  /// The field of the outermost structure that begins at an event, by index.
  struct Part {
    const Field* field;
    std::size_t begin;  ///< the event of the field itself
    std::size_t end;
  };

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
  void nothing(const Type& type) override;
  void packed(const Type& type, ByteView bytes) override;

  std::size_t size() const { return events_.size(); }
  /// Those of the structure with which the tape begins.
  std::vector<Part> parts() const;
  /// Tells the events from `begin` to `end`.
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
