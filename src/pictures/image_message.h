#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/codec.h"
#include "pictures/raw_image.h"

namespace kitbag {

/// Receives the values of a message, in whatever encoding, and keeps the fields that messages with
/// a picture have, by their names: those of sensor_msgs and foxglove are the same.
class ImageMessage final : public LeafVisitor<ImageMessage> {
 public:
  /// `payload` is what is decoded; it must outlive this.
  explicit ImageMessage(ByteView payload) : payload_(payload) {}

  // Absent: the message has no such field.
  std::optional<std::uint64_t> width;
  std::optional<std::uint64_t> height;
  std::optional<std::uint64_t> step;
  std::optional<std::uint64_t> is_bigendian;
  std::optional<std::string> encoding;
  std::optional<std::string> format;
  std::optional<ByteView> data;

  /// The values of a picture in them; nothing if the message is of no such type. Valid as long as
  /// this.
  std::optional<RawImage> raw() const;
  /// Whether it may have a picture in a format of files: `data` and `format` are there.
  bool is_compressed() const { return data && format; }

  void begin_struct(const Type& type) override;
  void field(const Field& field) override;
  void end_struct() override;
  void begin_array(const Type& type, std::size_t count) override;
  void end_array() override;
  void packed(const Type& type, ByteView bytes) override;

  template <class Value>
  void leaf(const Type& type, Value value);

 private:
  enum class Wanted : std::uint8_t { none, number, text, data };

  void take(std::uint64_t number);
  void take(std::string_view text);
  void add_byte(std::uint64_t value);

  ByteView payload_;
  std::vector<std::byte> copied_;  ///< `data`, where it is not in the payload as it is
  int depth_ = 0;                  ///< of structures and lists
  Wanted wanted_ = Wanted::none;   ///< of the field that was begun last
  std::optional<std::uint64_t>* number_ = nullptr;
  std::optional<std::string>* text_ = nullptr;
};

template <class Value>
void ImageMessage::leaf(const Type&, Value value) {
  if constexpr (std::is_same_v<Value, std::string_view>) {
    if (depth_ == 1) take(value);
  } else if constexpr (!std::is_same_v<Value, std::nullopt_t>) {
    // What is no such number contradicts itself in what follows.
    bool is_valid = value >= Value{} && static_cast<double>(value) < 1e18;
    std::uint64_t number = is_valid ? static_cast<std::uint64_t>(value) : UINT64_MAX;
    if (depth_ == 1 && wanted_ == Wanted::number) take(number);
    if (depth_ == 2 && wanted_ == Wanted::data) add_byte(number);
  }
}

/// Throws Error (unsupported): the message has neither ImageMessage::raw() nor is it compressed.
[[noreturn]] void refuse_without_picture();
/// Throws Error (unsupported, corrupt): the data are neither a JPEG nor a PNG.
[[noreturn]] void refuse_compressed(ByteView data, std::string_view format);

}  // namespace kitbag
