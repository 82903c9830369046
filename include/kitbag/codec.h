#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/type.h"

namespace kitbag {

/// Is told a message's values in the order of its type. One value is: a scalar, a text, a structure
/// between begin_struct() and end_struct() with a field() before each of its values, a list between
/// begin_array() and end_array(), or nothing(). Of a union there are two fields: the first, which
/// says which, and that one.
class KITBAG_API Visitor {
 public:
  virtual ~Visitor() = default;

  virtual void begin_struct(const Type& type) = 0;
  virtual void field(const Field& field) = 0;
  virtual void end_struct() = 0;
  /// `type` is the list's; `count` elements follow.
  virtual void begin_array(const Type& type, std::size_t count) = 0;
  virtual void end_array() = 0;
  virtual void boolean(const Type& type, bool value) = 0;
  /// Signed ones, and enumerations.
  virtual void integer(const Type& type, std::int64_t value) = 0;
  virtual void unsigned_integer(const Type& type, std::uint64_t value) = 0;
  virtual void real(const Type& type, double value) = 0;
  /// UTF-8, if the payload keeps what its encoding promises; the view lives for the call.
  virtual void text(const Type& type, std::string_view value) = 0;
  /// An optional field that is not there.
  virtual void nothing(const Type& type) = 0;
  /// One call for many values: all elements of the list that has begun, or one value that is no
  /// list, of the flat type `type`, little-endian and one behind the other; `bytes` lives for the
  /// call. Unless overridden, unpack()ed.
  virtual void packed(const Type& type, ByteView bytes);
};

/// Tells `visitor` the values of the flat type `type` that `bytes` holds, one by one.
KITBAG_API void unpack(const Type& type, ByteView bytes, Visitor& visitor);

/// Tells `visitor` the value of a field that a payload does not have: its default, nothing() where
/// it is optional, else zeros, empty texts and lists.
KITBAG_API void visit_default(const Field& field, Visitor& visitor);

/// Tells `visitor` a value of `type` that a definition says.
KITBAG_API void visit_literal(const Type& type, const Literal& literal, Visitor& visitor);

/// Memory for the payloads of one batch after the other; they stay where they are once ended, until
/// their owner goes, which gives the memory back to be used anew. One thread; owners may go on any.
class KITBAG_API Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Payloads made from one of `payload_bytes` may take 4 MiB and 256 times that, until this is
  /// called again: names of fields, which JSON repeats, may be long and payloads short. Beyond it
  /// extend() throws Error (limit). Nothing is limited before.
  void limit_for(std::size_t payload_bytes) { most_ = most_for(payload_bytes); }
  static constexpr std::size_t most_for(std::size_t payload_bytes) {
    constexpr std::size_t kFreeBytes = 4 << 20;
    constexpr std::size_t kBytesPerByte = 256;
    return kFreeBytes + kBytesPerByte * payload_bytes;
  }
  /// A new payload begins.
  void begin() { begin_ = at_; }
  /// Room for `count` bytes more behind those of the open payload, which may move.
  std::byte* extend(std::size_t count) {
    if (static_cast<std::size_t>(end_ - at_) < count) grow(count);
    return std::exchange(at_, at_ + count);
  }
  /// Adds `bytes` to the open payload; there may be none.
  void put(ByteView bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  /// Takes the last `count` bytes of the open payload back.
  void shrink(std::size_t count) { at_ -= count; }
  /// What the open payload has so far; valid until the next extend().
  std::span<std::byte> open() { return {begin_, at_}; }
  ByteView end() { return {begin_, at_}; }
  /// Forgets the open payload.
  void drop() { at_ = begin_; }
  /// Bytes held.
  std::size_t size() const { return size_; }
  /// All that was made so far; the arena begins anew.
  Owner release();

 private:
  class Pool;
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };

  void grow(std::size_t count);

  std::shared_ptr<Pool> pool_;
  std::byte* begin_ = nullptr;
  std::byte* at_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t most_ = SIZE_MAX;  ///< of one payload
  std::size_t size_ = 0;
  std::vector<Block> blocks_;
};

/// Reads payloads of one type. One thread.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Throws Error (truncated, corrupt), with the offset in `payload`; the visitor may have been
  /// told a part by then. Lengths are checked before they are told.
  virtual void decode(ByteView payload, Visitor& visitor) = 0;
};

/// Writes payloads of one type: it is told the values of one message between begin() and end().
class Encoder : public Visitor {
 public:
  virtual void begin(Arena& arena) = 0;
  /// The payload, in the arena.
  virtual ByteView end() = 0;

  /// Bytes of texts that were not UTF-8 where the encoding takes nothing else, of all payloads so
  /// far. Each became U+FFFD.
  std::uint64_t replaced_bytes() const { return replaced_bytes_; }

 protected:
  std::uint64_t replaced_bytes_ = 0;
};

/// What a JSON encoder leaves open; other codecs take what applies to them.
struct CodecOptions {
  enum class NotANumber { text, null } not_a_number = NotANumber::text;
  enum class Bytes { base64, array, omit } bytes = Bytes::base64;
};

/// A way to encode payloads: one folder under codec/, one line in the registry.
struct Codec {
  std::string_view encoding;  ///< as Channel::encoding: "cdr"
  /// Of the schemas that go with payloads which kitbag encodes so: "ros2msg".
  std::string_view language;
  /// `type` may be null where `is_self_describing`. Throws Error (unsupported) for a type that the
  /// encoding cannot hold.
  std::function<std::unique_ptr<Decoder>(const TypePtr& type)> decoder;
  std::function<std::unique_ptr<Encoder>(const TypePtr& type, const CodecOptions& options)> encoder;
  /// Payloads can be decoded without a schema.
  bool is_self_describing = false;
};

/// The text of the type of that full name alone, or nothing.
using FindText = std::function<std::optional<std::string>(const std::string& name)>;

/// Of a language whose types lie in files of their own, `package/msg/Type.msg`, and which tells
/// versions of a type apart.
struct DefinitionFiles {
  /// `text`, the definition of `name`, with those of all nested types behind it, as bags hold it.
  /// Throws Error: not_found for a nested type that `find` does not know, corrupt for a text that
  /// does not parse.
  std::function<std::string(const std::string& name, const std::string& text, const FindText& find)>
      full_text;
  std::string_view fingerprint;      ///< what tells versions apart, to people: "MD5 sum"
  std::string_view fingerprint_key;  ///< of Channel::metadata: "md5sum"
  /// Those that a definition goes by, today's first. Throws Error as Language::parse does.
  std::function<std::vector<std::string>(const Schema& schema)> fingerprints;
};

/// A language in which schemas are written: one folder under language/, one line in the registry.
struct Language {
  std::string_view name;  ///< as Schema::language: "ros2msg"
  /// Throws Error (corrupt) with the line where it has lines, or (not_found) for a type that is
  /// neither there nor known.
  std::function<TypePtr(const Schema& schema)> parse;
  /// The canonical text of a type that adapt() gave. Null: it is not written.
  std::function<Schema(const Type& type)> print = nullptr;
  /// The type that comes nearest to `type` of those that the language has, with names as its world
  /// writes them. Null: it has them all.
  std::function<TypePtr(const Type& type)> adapt = nullptr;
  /// What a channel of such a type has in its metadata: `md5sum`, `topic_type_hash`.
  std::function<std::map<std::string, std::string>(const Schema& schema, const Type& type)>
      metadata = nullptr;
  /// The keys of Channel::metadata that mean something in its world alone.
  std::vector<std::string_view> metadata_keys = {};
  /// Other names by which it is known.
  std::vector<std::string_view> aliases = {};
  /// Schemas are text for people.
  bool is_text = true;
  std::optional<DefinitionFiles> files = std::nullopt;
};

}  // namespace kitbag
