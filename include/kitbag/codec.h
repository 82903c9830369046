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

// How payloads are encoded and how message types are described. A Decoder reads a payload and
// passes its values to a Visitor, in the order of the type. An Encoder is a Visitor that writes a
// payload. So any encoding can be converted to any other, value by value, without a tree in
// between:
//
//   encoder->begin(arena);
//   decoder->decode(message.data, *encoder);
//   ByteView payload = encoder->end();
//
// A Codec makes decoders and encoders for one encoding; a Language parses the definitions of one
// schema language into a Type (type.h) and prints them. Decoding costs one virtual call per value;
// arrays of numbers, and structures with the same layout in memory and in the payload, are passed
// in one call (packed()). Nothing is allocated per message.

namespace kitbag {

namespace arrow {
class RowReader;
struct Target;
}  // namespace arrow

/// Receives the values of a message in the order of its type. A value is one of: a scalar; a text;
/// a structure, between begin_struct() and end_struct(), with a field() before each of its values;
/// a list, between begin_array() and end_array(); or nothing(). A union is a structure with two
/// fields: the discriminator, which is fields[0], and the branch that it selects, if there is one.
/// One thread.
class KITBAG_API Visitor {
 public:
  virtual ~Visitor() = default;

  /// A structure or union begins.
  virtual void begin_struct(const Type& type) = 0;
  /// The value of this field follows.
  virtual void field(const Field& field) = 0;
  /// The structure that began last ends.
  virtual void end_struct() = 0;
  /// `type` is the type of the list. `count` elements follow.
  virtual void begin_array(const Type& type, std::size_t count) = 0;
  /// The list that began last ends.
  virtual void end_array() = 0;
  /// A boolean.
  virtual void boolean(const Type& type, bool value) = 0;
  /// A signed integer or an enumeration.
  virtual void integer(const Type& type, std::int64_t value) = 0;
  /// An unsigned integer, an octet or a character.
  virtual void unsigned_integer(const Type& type, std::uint64_t value) = 0;
  /// A floating-point number.
  virtual void real(const Type& type, double value) = 0;
  /// A text, in UTF-8 if the payload is valid. The view is valid during the call.
  virtual void text(const Type& type, std::string_view value) = 0;
  /// An optional field without a value.
  virtual void nothing(const Type& type) = 0;
  /// Many values in one call: all elements of the list that has begun, or one value that is not a
  /// list. They have the flat type `type` (Type::flat_bytes) and are stored one after the other,
  /// little-endian. `bytes` is valid during the call. By default, unpack() passes them on one by
  /// one.
  virtual void packed(const Type& type, ByteView bytes);
};

/// Passes the values of the flat type `type` in `bytes` to `visitor`, one by one.
KITBAG_API void unpack(const Type& type, ByteView bytes, Visitor& visitor);

/// Passes to `visitor` the value of a field that a payload lacks: the default in its definition;
/// else nothing() if it is optional; else zeros, empty texts and empty sequences, and for an
/// enumeration its first value.
KITBAG_API void visit_default(const Field& field, Visitor& visitor);

/// Passes to `visitor` a value of `type` that a definition contains.
KITBAG_API void visit_literal(const Type& type, const Literal& literal, Visitor& visitor);

/// Passes a single value to `visitor`: a scalar or a text of `type`, or std::nullopt for nothing().
/// @{
inline void visit_leaf(const Type& type, bool value, Visitor& visitor) {
  visitor.boolean(type, value);
}
inline void visit_leaf(const Type& type, std::int64_t value, Visitor& visitor) {
  visitor.integer(type, value);
}
inline void visit_leaf(const Type& type, std::uint64_t value, Visitor& visitor) {
  visitor.unsigned_integer(type, value);
}
inline void visit_leaf(const Type& type, double value, Visitor& visitor) {
  visitor.real(type, value);
}
inline void visit_leaf(const Type& type, std::string_view value, Visitor& visitor) {
  visitor.text(type, value);
}
inline void visit_leaf(const Type& type, std::nullopt_t, Visitor& visitor) {
  visitor.nothing(type);
}
/// @}

/// A Visitor that does much the same with every single value. `Derived` has, instead of the six
/// functions for them, one function for all types of values (or overloads), which is public and
/// defined where LeafVisitor's constructor is called:
///
///     template <class Value>
///     void leaf(const Type& type, Value value);  // Value: as for visit_leaf()
template <class Derived>
class LeafVisitor : public Visitor {
 public:
  /// Calls Derived::leaf().
  void boolean(const Type& type, bool value) final { derived().leaf(type, value); }
  /// Calls Derived::leaf().
  void integer(const Type& type, std::int64_t value) final { derived().leaf(type, value); }
  /// Calls Derived::leaf().
  void unsigned_integer(const Type& type, std::uint64_t value) final {
    derived().leaf(type, value);
  }
  /// Calls Derived::leaf().
  void real(const Type& type, double value) final { derived().leaf(type, value); }
  /// Calls Derived::leaf().
  void text(const Type& type, std::string_view value) final { derived().leaf(type, value); }
  /// Calls Derived::leaf().
  void nothing(const Type& type) final { derived().leaf(type, std::nullopt); }

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }
};

/// Memory for the encoded payloads of a batch. A payload does not move after end(), and is valid
/// until the owner that release() returns is destroyed; the memory is then reused. One thread;
/// owners may be destroyed on any thread.
class KITBAG_API Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Limits the payloads that follow, until the next call: a payload that is made from one of
  /// `payload_bytes` may grow to 4 MiB plus 256 times that size. (In JSON, the repeated field names
  /// can be much longer than the values.) Beyond the limit, extend() throws Error (limit). Without
  /// a call there is no limit.
  void limit_for(std::size_t payload_bytes) { most_ = most_for(payload_bytes); }
  /// Returns the limit that limit_for() sets, in bytes.
  static constexpr std::size_t most_for(std::size_t payload_bytes) {
    constexpr std::size_t kFreeBytes = 4 << 20;
    constexpr std::size_t kBytesPerByte = 256;
    return kFreeBytes + kBytesPerByte * payload_bytes;
  }
  /// Begins a new payload.
  void begin() { begin_ = at_; }
  /// Appends `count` uninitialized bytes to the open payload and returns a pointer to them. This
  /// may move the payload.
  std::byte* extend(std::size_t count) {
    if (static_cast<std::size_t>(end_ - at_) < count) grow(count);
    return std::exchange(at_, at_ + count);
  }
  /// Appends `bytes` to the open payload; they may be empty.
  void put(ByteView bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  /// Removes the last `count` bytes of the open payload.
  void shrink(std::size_t count) { at_ -= count; }
  /// Returns the open payload as it is so far. Valid until the next extend().
  std::span<std::byte> open() { return {begin_, at_}; }
  /// Returns the finished payload.
  ByteView end() { return {begin_, at_}; }
  /// Discards the open payload.
  void drop() { at_ = begin_; }
  /// Returns the size of the memory in use, in bytes.
  std::size_t size() const { return size_; }
  /// Returns the owner of all payloads made so far. The arena is empty then and can be used again.
  Owner release();

 private:
  class KITBAG_PRIVATE Pool;
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };

  void grow(std::size_t count);

  std::shared_ptr<Pool> pool_;
  std::byte* begin_ = nullptr;
  std::byte* at_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t most_ = SIZE_MAX;  ///< limit for one payload
  std::size_t size_ = 0;
  std::vector<Block> blocks_;
};

/// Decodes payloads of one type. One thread.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Passes the values of `payload` to `visitor`. Throws Error (truncated, corrupt) with the offset
  /// in `payload`; the visitor may have received some of the values by then. Lengths are checked
  /// before they are passed on.
  virtual void decode(ByteView payload, Visitor& visitor) = 0;
};

/// Encodes payloads of one type. It receives the values of one message between begin() and end().
/// One thread.
class Encoder : public Visitor {
 public:
  /// Begins a payload in `arena`, which must live until end().
  virtual void begin(Arena& arena) = 0;
  /// Returns the payload. It is in the arena.
  virtual ByteView end() = 0;

  /// Returns how many bytes of text, in all payloads so far, were not UTF-8 although the encoding
  /// requires it. Each was replaced with U+FFFD.
  std::uint64_t replaced_bytes() const { return replaced_bytes_; }

 protected:
  std::uint64_t replaced_bytes_ = 0;  ///< what replaced_bytes() returns
};

/// Options of the JSON encoder. Other codecs use those that apply to them.
struct CodecOptions {
  /// How NaN and infinities are written. `null_nan`: NaN as null, infinities as texts, so that all
  /// come back.
  enum class NotANumber {
    text,
    null,
    null_nan
  } not_a_number = NotANumber::text;  ///< see NotANumber
  /// How byte arrays are written.
  enum class Bytes { base64, array, omit } bytes = Bytes::base64;  ///< see Bytes
};

/// A payload encoding: one folder under codec/ and one line in the registry, or a plugin. The
/// functions can be called from any thread.
struct Codec {
  std::string_view encoding;  ///< as in Channel::encoding: "cdr"
  /// The language of the schemas that kitbag writes for this encoding: "ros2msg".
  std::string_view language;
  /// Returns a decoder for `type`, which may be null if `is_self_describing`. Throws Error
  /// (unsupported) if the encoding cannot hold the type.
  std::function<std::unique_ptr<Decoder>(const TypePtr& type)> decoder;
  /// Returns an encoder for `type`. Throws as `decoder` does.
  std::function<std::unique_ptr<Encoder>(const TypePtr& type, const CodecOptions& options)> encoder;
  /// True: payloads can be decoded without a schema.
  bool is_self_describing = false;
  /// For the library's own encodings, whose fields columns.h reads without a decoder: returns a
  /// reader of the fields in `target`, which must outlive it, or null if they need the decoder.
  std::function<std::unique_ptr<arrow::RowReader>(const TypePtr& type, const arrow::Target& target)>
      row_reader = nullptr;
};

/// Returns the definition of the type with that full name, without nested types; nothing if there
/// is none.
using FindText = std::function<std::optional<std::string>(const std::string& name)>;

/// Where folders of definitions contain the definition of a type.
struct DefinitionPlace {
  std::string package;  ///< name of the package's folder: "std_msgs"
  std::string folder;   ///< folder in that one: "msg"
  std::string file;     ///< "String.msg"
  /// True: the file defines more than the type, which is one message of a service or an action.
  bool is_part = false;
};

/// For a language whose definitions are files, such as `package/msg/Type.msg`, and which identifies
/// versions of a type by a fingerprint.
struct DefinitionFiles {
  /// Returns `text`, the definition of `name`, followed by the definitions of all nested types, in
  /// the form that bags contain. Throws Error: not_found if `find` does not know a nested type,
  /// corrupt if a text does not parse.
  std::function<std::string(const std::string& name, const std::string& text, const FindText& find)>
      full_text;
  std::string_view fingerprint;      ///< what people call the fingerprint: "MD5 sum"
  std::string_view fingerprint_key;  ///< its key in Channel::metadata: "md5sum"
  /// Returns the fingerprints that a definition may have, the current one first. Throws Error as
  /// Language::parse does.
  std::function<std::vector<std::string>(const Schema& schema)> fingerprints;
  /// Returns where the definition of the type with that full name is; nothing if this is not the
  /// name of a type. Names come from bags: no part of the result may lead out of its folder.
  std::function<std::optional<DefinitionPlace>(const std::string& name)> place;
  /// All values of DefinitionPlace::folder.
  std::vector<std::string_view> folders;
  /// Returns the full names that the type has had since it had this one, in that order. Null: types
  /// keep their names.
  std::function<std::vector<std::string>(const std::string& name)> later_names = nullptr;
  /// True: each bag contains the definitions and fingerprints of its channels. Checking a bag finds
  /// those that are missing or do not agree.
  bool are_in_every_bag = false;
};

/// A schema language: one folder under language/ and one line in the registry, or a plugin. The
/// functions can be called from any thread.
struct Language {
  std::string_view name;  ///< as in Schema::language: "ros2msg"
  /// Returns the type that a schema defines. Throws Error: corrupt, with the line number if the
  /// language has lines; not_found if a nested type is neither in the schema nor built in.
  std::function<TypePtr(const Schema& schema)> parse;
  /// Returns the canonical schema of a type that adapt() returned. Null: kitbag cannot write this
  /// language.
  std::function<Schema(const Type& type)> print = nullptr;
  /// Returns the closest type that the language can express, with names as they are usual there.
  /// Null: the language can express every type.
  std::function<TypePtr(const Type& type)> adapt = nullptr;
  /// Returns the name by which people call a type, "package/Type", of the full name that schemas
  /// use; any other name unchanged. Null: both are the same.
  std::function<std::string(std::string_view full_name)> short_name = nullptr;
  /// Returns what a channel with such a schema has in its metadata: `md5sum`, `topic_type_hash`.
  std::function<std::map<std::string, std::string>(const Schema& schema, const Type& type)>
      metadata = nullptr;
  /// Keys of Channel::metadata that have a meaning only together with this language.
  std::vector<std::string_view> metadata_keys = {};
  /// Other names of the language.
  std::vector<std::string_view> aliases = {};
  /// True: schemas are text that people can read.
  bool is_text = true;
  /// Absent: definitions are not files, and have no fingerprints.
  std::optional<DefinitionFiles> files = std::nullopt;
};

}  // namespace kitbag
