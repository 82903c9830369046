#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/text.h"
#include "present/base64.h"
#include "present/decoding_printer.h"

// The emitter of yaml-cpp decides about layout; what it would print differently from other tools is
// given as text: numbers in their shortest exact form, NaN and infinities as YAML 1.2 has them
// (.nan, .inf), texts in double quotes, so that "1" and "yes" stay texts. yaml-cpp counts what it
// has written, which bounds a message whose field names are longer than its payload.

namespace kitbag {
namespace {

/// Scalars stand without quotes as they are; texts always in quotes, so that "1" stays a text.
class YamlWriter final : public Visitor {
 public:
  /// `most_bytes` of text may be written; `replaced` counts bytes that are not UTF-8.
  YamlWriter(YAML::Emitter& yaml, CodecOptions options, std::size_t most_bytes,
             std::size_t& replaced)
      : yaml_(yaml), options_(options), most_bytes_(most_bytes), replaced_(replaced) {}

  void begin_struct(const Type&) override {
    require_room();
    yaml_ << YAML::BeginMap;
  }
  void field(const Field& field) override {
    require_room();
    yaml_ << YAML::Key;
    if (escaped(field.name) != field.name) yaml_ << YAML::DoubleQuoted;
    yaml_ << valid_utf8(field.name) << YAML::Value;
  }
  void end_struct() override { yaml_ << YAML::EndMap; }

  void begin_array(const Type& type, std::size_t count) override {
    bool is_bytes =
        type.element && (type.element->kind == Kind::uint8 || type.element->kind == Kind::octet);
    is_bytes_ = is_bytes && options_.bytes != CodecOptions::Bytes::array;
    bytes_.clear();
    if (is_bytes_) return;
    // A list of numbers is one line, one of structures a block.
    bool is_flat = count == 0 || (type.element && is_scalar(type.element->kind));
    yaml_ << (is_flat ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
  }
  void end_array() override {
    if (!is_bytes_) {
      yaml_ << YAML::EndSeq;
      return;
    }
    is_bytes_ = false;
    if (options_.bytes == CodecOptions::Bytes::omit) return nothing(builtin_type(Kind::any));
    yaml_ << YAML::DoubleQuoted << base64(bytes_);
  }

  void boolean(const Type&, bool value) override { yaml_ << (value ? "true" : "false"); }
  void integer(const Type&, std::int64_t value) override {
    if (is_bytes_) return bytes_.push_back(static_cast<std::byte>(value));
    yaml_ << value;
  }
  void unsigned_integer(const Type&, std::uint64_t value) override {
    if (is_bytes_) return bytes_.push_back(static_cast<std::byte>(value));
    yaml_ << value;
  }
  void real(const Type& type, double value) override {
    if (std::isnan(value)) {
      yaml_ << ".nan";
    } else if (std::isinf(value)) {
      yaml_ << (value > 0 ? ".inf" : "-.inf");
    } else if (type.kind == Kind::float32) {
      yaml_ << shortest(static_cast<float>(value));
    } else {
      yaml_ << shortest(value);
    }
  }
  void text(const Type&, std::string_view value) override {
    yaml_ << YAML::DoubleQuoted << valid_utf8(value, &replaced_);
  }
  void nothing(const Type&) override { yaml_ << "null"; }
  void packed(const Type& type, ByteView bytes) override {
    if (is_bytes_) {
      bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    } else {
      unpack(type, bytes, *this);
    }
  }

 private:
  template <class T>
  static std::string shortest(T value) {
    std::array<char, 32> room;
    char* end = std::to_chars(room.data(), room.data() + room.size(), value).ptr;
    return {room.data(), end};
  }

  /// Names of fields are repeated for each element, and may be long.
  void require_room() const {
    if (yaml_.size() <= most_bytes_) return;
    throw Error(ErrorCode::limit,
                fmt::format("the printed message exceeds {} bytes, far more than the payload",
                            most_bytes_));
  }

  YAML::Emitter& yaml_;
  CodecOptions options_;
  std::size_t most_bytes_;
  std::size_t& replaced_;
  bool is_bytes_ = false;
  std::vector<std::byte> bytes_;
};

class YamlPrinter final : public DecodingPrinter {
 public:
  using DecodingPrinter::DecodingPrinter;

 protected:
  void print(const Message& message, Decoder& decoder, const TypePtr&) override {
    YAML::Emitter yaml;
    begin(yaml, message);
    yaml << YAML::Key << "data" << YAML::Value;
    YamlWriter writer(yaml, options().codec, Arena::most_for(message.data.size()),
                      replaced_bytes());
    decode(message, decoder, writer);
    end(yaml, message.channel->topic);
  }

  void print_raw(const Message& message) override {
    YAML::Emitter yaml;
    begin(yaml, message);
    yaml << YAML::Key << "data_base64" << YAML::Value << YAML::DoubleQuoted << base64(message.data);
    end(yaml, message.channel->topic);
  }

 private:
  void begin(YAML::Emitter& yaml, const Message& message) const {
    auto put = [&](const char* key, const std::string& value) {
      yaml << YAML::Key << key << YAML::Value << YAML::DoubleQuoted << valid_utf8(value);
    };
    yaml << YAML::BeginMap;
    if (auto file = file_of(message)) put("file", *file);
    put("topic", message.channel->topic);
    put("type", message.channel->type());
    yaml << YAML::Key << "log_time_ns" << YAML::Value << to_ns(message.log_time);
    yaml << YAML::Key << "publish_time_ns" << YAML::Value << to_ns(message.publish_time);
    yaml << YAML::Key << "sequence" << YAML::Value << message.sequence;
  }

  void end(YAML::Emitter& yaml, std::string_view topic) {
    yaml << YAML::EndMap;
    // What yaml-cpp leaves, DEL and directional marks, stands in double quotes, where YAML has the
    // same escapes.
    std::string document = escaped_lines({yaml.c_str(), yaml.size()});
    constexpr std::string_view kKey = "\ntopic: ";  // behind the file, or first
    std::size_t begin = options().file_of ? document.find(kKey) + kKey.size() : kKey.size() - 1;
    begin = std::min(begin, document.size());
    std::size_t end = std::min(document.find('\n', begin), document.size());
    text() += document.substr(0, begin);
    text() += in_color(std::string_view(document).substr(begin, end - begin), topic);
    text() += document.substr(end);
    text() += "\n---\n";
  }
};

}  // namespace

std::unique_ptr<Sink> yaml_printer(const PrintOptions& options, TextOut out,
                                   TranscodeReport& report, const Session& session) {
  return std::make_unique<YamlPrinter>(options, std::move(out), report, session);
}

}  // namespace kitbag
