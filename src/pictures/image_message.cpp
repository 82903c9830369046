#include "pictures/image_message.h"

#include <fmt/format.h>

#include <functional>
#include <utility>

#include "kitbag/base64.h"
#include "kitbag/error.h"
#include "kitbag/escape.h"

// An image in ROS's encodings or Protobuf is one list of bytes within the payload, and is used
// where it is. JSON has it as base64, which is in memory of the decoder, or number by number: both
// are copied. Only fields of the outermost structure count, since a header has fields too.

namespace kitbag {

std::optional<RawImage> ImageMessage::raw() const {
  if (!data || !width || !height || !encoding) return std::nullopt;
  return RawImage{.width = *width,
                  .height = *height,
                  .encoding = *encoding,
                  .step = step.value_or(0),
                  .is_big_endian = is_bigendian.value_or(0) != 0,
                  .data = *data};
}

void refuse_without_picture() {
  throw Error(ErrorCode::unsupported,
              "the message has no picture; a picture has the fields width, height, encoding and "
              "data, or format and data");
}

void refuse_compressed(ByteView data, std::string_view format) {
  if (data.empty()) throw Error(ErrorCode::corrupt, "the picture is empty: it has no data");
  throw Error(ErrorCode::unsupported,
              fmt::format("the picture is neither a JPEG nor a PNG; its format is \"{}\"",
                          escaped(format)));
}

void ImageMessage::begin_struct(const Type&) {
  ++depth_;
}

void ImageMessage::end_struct() {
  --depth_;
}

void ImageMessage::field(const Field& field) {
  if (depth_ != 1) return;
  const std::string& name = field.name;
  number_ = name == "width"          ? &width
            : name == "height"       ? &height
            : name == "step"         ? &step
            : name == "is_bigendian" ? &is_bigendian
                                     : nullptr;
  text_ = name == "encoding" ? &encoding : name == "format" ? &format : nullptr;
  wanted_ = number_          ? Wanted::number
            : text_          ? Wanted::text
            : name == "data" ? Wanted::data
                             : Wanted::none;
}

void ImageMessage::begin_array(const Type&, std::size_t) {
  ++depth_;
  if (depth_ != 2 || wanted_ != Wanted::data) return;
  copied_.clear();
  data.emplace();
}

void ImageMessage::end_array() {
  --depth_;
}

void ImageMessage::packed(const Type& type, ByteView bytes) {
  if (depth_ != 2 || wanted_ != Wanted::data) {
    if (depth_ <= 1) unpack(type, bytes, *this);
    return;
  }
  if (type.flat_bytes != 1) {
    throw Error(ErrorCode::unsupported, "the field data of the picture is no list of bytes");
  }
  std::less_equal<> is_not_after;
  bool is_in_payload = is_not_after(payload_.data(), bytes.data()) &&
                       is_not_after(bytes.data() + bytes.size(), payload_.data() + payload_.size());
  // A list may come in several pieces; only one alone is used where it is.
  if (is_in_payload && copied_.empty() && data->empty()) {
    data = bytes;
    return;
  }
  if (copied_.empty()) copied_.assign(data->begin(), data->end());
  copied_.insert(copied_.end(), bytes.begin(), bytes.end());
  data = copied_;
}

void ImageMessage::take(std::uint64_t number) {
  *number_ = number;
}

/// JSON without a schema does not say that a text is base64.
void ImageMessage::take(std::string_view text) {
  if (wanted_ == Wanted::text) *text_ = std::string(text);
  if (wanted_ != Wanted::data) return;
  auto decoded = decode_base64(text);
  if (!decoded) {
    throw Error(ErrorCode::corrupt, "the field data of the picture is a text, and not base64");
  }
  copied_ = std::move(*decoded);
  data = copied_;
}

void ImageMessage::add_byte(std::uint64_t value) {
  if (value > 255) {
    throw Error(ErrorCode::corrupt, "the field data of the picture has a number that is no byte");
  }
  copied_.push_back(static_cast<std::byte>(value));
  data = copied_;
}

}  // namespace kitbag
