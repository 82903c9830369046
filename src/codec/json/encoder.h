#pragma once

#include <vector>

#include "kitbag/codec.h"

namespace kitbag::json {

class Encoder final : public kitbag::Encoder {
 public:
  explicit Encoder(const CodecOptions& options) : options_(options) {}

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
  void nothing(const Type& type) override;
  void packed(const Type& type, ByteView bytes) override;

 private:
  /// What is being written: an object, a list, or bytes that become one string.
  enum class Open : char { object, list, bytes, omitted };
  struct Level {
    Open open;
    bool is_first;
  };

  /// The comma before a value of a list.
  void separate();
  void put(std::string_view text);
  void put_string(std::string_view text);
  template <class T>
  void put_number(T value);
  template <class T>
  void put_real(T value);
  template <class T>
  void put_numbers(ByteView bytes);

  CodecOptions options_;
  Arena* arena_ = nullptr;
  std::vector<Level> levels_;
  std::vector<std::byte> bytes_;  ///< of the string that is being gathered
};

/// `bytes` in base64 (RFC 4648, section 4), with padding, behind what `arena` has.
void put_base64(ByteView bytes, Arena& arena);

}  // namespace kitbag::json
