#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/codec.h"
#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/type.h"

// A Value holds what a message says: a tree of structures, lists, numbers and texts, which is read
// by the names of fields and changed in the same way.
//
//   ValueReader reader(session);
//   for (const Message& message : bag->messages({.topics = {"/odom"}})) {
//     auto x = reader.read(message).get<double>("pose.pose.position.x");
//   }
//
//   ValueWriter odometry(channel, session);
//   Value value = odometry.make();  // zeros, empty texts, or what the definition says
//   value.set("pose.pose.position.x", 1.5);
//   ByteView payload[] = {odometry.write(value)};
//   writer->append(channel, {.log_time = now}, payload);
//
// It is the comfortable way, and costs an allocation for each structure and list. Whoever needs
// single fields of many messages takes columns() (columns.h), and whoever passes messages on takes
// a Visitor (codec.h). A path names fields and elements: "pose.position.x", "ranges[3]".

namespace kitbag {

/// Numbers of one type, one after the other, little-endian: the elements of a list.
struct PackedNumbers {
  /// A number, a boolean or an enumeration; never null.
  const Type* element = &builtin_type(Kind::uint8);
  ByteView bytes = {};    ///< the numbers; their size is a multiple of the element's
  Owner owner = nullptr;  ///< keeps `bytes` alive

  /// Returns how many numbers there are.
  std::size_t size() const { return bytes.size() / element->flat_bytes; }
  /// Returns whether both have elements of the same kind with the same values.
  KITBAG_API bool operator==(const PackedNumbers& other) const;
};

/// A value: a scalar, a text, a structure, a list, or nothing. Copies are cheap: they share what
/// they hold until one is changed. One thread at a time, also for copies of one value. The Type
/// that it refers to must outlive it: that of the ValueReader or ValueWriter that it comes from.
class KITBAG_API Value {
 public:
  using List = std::vector<Value>;  ///< elements, each with a type of its own
  /// The values of fields. Without `names`, those of the fields of type(), by index; fields that a
  /// union does not have at the moment are nothing.
  struct Structure {
    std::vector<Value> values;       ///< of the fields
    std::vector<std::string> names;  ///< of the fields; empty: those of type()
  };
  /// What a value holds; std::monostate is nothing.
  using Content =
      std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string,
                   std::shared_ptr<Structure>, std::shared_ptr<List>, PackedNumbers>;

  /// Nothing.
  Value() = default;
  /// Whatever a value can be made of is one, so that it can be passed to set().
  /// @{
  Value(bool value) : content_(value) {}                                        // NOLINT
  Value(std::signed_integral auto value) : content_(std::int64_t{value}) {}     // NOLINT
  Value(std::unsigned_integral auto value) : content_(std::uint64_t{value}) {}  // NOLINT
  Value(std::floating_point auto value) : content_(double{value}) {}            // NOLINT
  Value(std::string value) : content_(std::move(value)) {}                      // NOLINT
  Value(std::string_view value) : content_(std::string(value)) {}               // NOLINT
  Value(const char* value) : content_(std::string(value)) {}                    // NOLINT
  Value(List values);                                                           // NOLINT
  Value(PackedNumbers numbers) : content_(std::move(numbers)) {}                // NOLINT
  /// @}
  /// A structure with these fields, in this order.
  static Value structure(std::initializer_list<std::pair<std::string_view, Value>> fields = {});
  /// The value that a field of this type has by default: zeros, empty texts, empty sequences.
  static Value of(const Type& type);
  /// A value as a visitor that was filled has it; for those who build values (ValueBuilder).
  Value(const Type& type, Content content) : type_(&type), content_(std::move(content)) {}

  /// Its type; that of Kind::any if it was made without one.
  const Type& type() const { return *type_; }
  /// Returns what it holds. Valid until the value is changed.
  const Content& content() const { return content_; }
  /// Returns whether there is no value.
  bool is_nothing() const { return std::holds_alternative<std::monostate>(content_); }
  /// Returns whether it has fields.
  bool is_structure() const { return std::holds_alternative<std::shared_ptr<Structure>>(content_); }
  /// Returns whether it has elements.
  bool is_list() const;

  /// The number of fields or elements; 0 of anything else.
  std::size_t size() const;
  /// The field or element with that index. Throws Error (not_found).
  Value at(std::size_t index) const;
  /// The name of the field with that index. Throws Error (not_found).
  std::string_view name(std::size_t index) const;
  /// What is at `path`; "" is the value itself. Nothing if it does not exist. Throws Error
  /// (invalid) for what is no path.
  std::optional<Value> find(std::string_view path) const;
  /// The same. Throws Error (not_found), which names the fields that there are.
  Value get(std::string_view path) const;

  /// The value as a bool, a number, or a std::string. Throws Error (invalid) if it is something
  /// else or does not fit: a real number does not become an integer.
  template <class T>
  T as() const;
  /// get(path).as<T>().
  template <class T>
  T get(std::string_view path) const {
    return get(path).as<T>();
  }
  /// The elements of a list of numbers, booleans or enumerations. Throws Error (invalid) for
  /// anything else.
  PackedNumbers numbers() const;
  /// A time or duration (Role) in nanoseconds; also an integer, as it is. Throws Error (invalid).
  std::int64_t nanoseconds() const;

  /// Sets what is at `path`. A value with a type only takes what fits it: numbers in their range,
  /// the name or the number of an enumerator, a list with the length of an array, a structure with
  /// fields of these names (others have their defaults), nanoseconds for a time. A structure
  /// without a type gets a new field. Throws Error: not_found if there is no such field or element,
  /// invalid if the value does not fit, naming the path.
  void set(std::string_view path, const Value& value);
  /// Makes the list at `path` have `size` elements; new ones have defaults. Throws Error as set().
  void resize(std::string_view path, std::size_t size);

  bool operator==(const Value& other) const;

 private:
  std::int64_t signed_integer(std::int64_t least, std::int64_t most) const;
  std::uint64_t unsigned_integer(std::uint64_t most) const;
  double real() const;
  bool boolean() const;
  const std::string& text() const;
  friend class ValueEditor;

  const Type* type_ = &builtin_type(Kind::any);
  Content content_;
};

template <class T>
T Value::as() const {
  if constexpr (std::same_as<T, bool>) {
    return boolean();
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<T>(
        signed_integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (std::unsigned_integral<T>) {
    return static_cast<T>(unsigned_integer(std::numeric_limits<T>::max()));
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(real());
  } else {
    return T(text());
  }
}

/// Returns `value` as a value of `type`, by the rules of Value::set(). Throws Error (invalid) that
/// names the path of what does not fit.
KITBAG_API Value fit(const Value& value, const Type& type);

/// Passes `value` to `visitor`, as a decoder would.
KITBAG_API void visit(const Value& value, Visitor& visitor);

/// Makes a Value of what a decoder gives it. One thread.
class KITBAG_API ValueBuilder final : public LeafVisitor<ValueBuilder> {
 public:
  ValueBuilder();
  ~ValueBuilder() override;

  /// Begins a value. Numbers that lie in `payload` are not copied if `owner`, which keeps it alive,
  /// is not null.
  void begin(ByteView payload = {}, Owner owner = nullptr);
  /// Returns the value that was given.
  Value end();

  void begin_struct(const Type& type) override;
  void field(const Field& field) override;
  /// As Visitor.
  void end_struct() override;
  void begin_array(const Type& type, std::size_t count) override;
  /// As Visitor.
  void end_array() override;
  void packed(const Type& type, ByteView bytes) override;

  /// As LeafVisitor asks for.
  template <class T>
  void leaf(const Type& type, T value) {
    put(Value(type, Value::Content(value)));
  }
  /// As LeafVisitor asks for.
  void leaf(const Type& type, std::string_view value) { put(Value(type, std::string(value))); }
  /// As LeafVisitor asks for.
  void leaf(const Type& type, std::nullopt_t) { put(Value(type, {})); }

 private:
  struct KITBAG_PRIVATE Level;

  void put(Value value);

  std::vector<Level> levels_;
  Value whole_;
  ByteView payload_;
  Owner owner_;
};

/// Reads messages of any channels as values. Keeps a decoder for each channel that it has met: read
/// the messages of one source with one reader. One thread.
class KITBAG_API ValueReader {
 public:
  /// Decodes with the parts of `session`.
  explicit ValueReader(Session session);
  ~ValueReader();
  /// A moved-from reader can only be destroyed or assigned to.
  ValueReader(ValueReader&&) noexcept;
  ValueReader& operator=(ValueReader&&) noexcept;

  /// Returns what `message` says. The value refers to types that this reader keeps. If `owner`,
  /// which keeps the payload alive, is given, long lists of numbers refer to the payload instead of
  /// copying it. Throws Error: as decoder_of(), and what is wrong with the payload, with topic,
  /// time and field.
  Value read(const Message& message, const Owner& owner = nullptr);
  /// Returns the type of the channel's messages, or null if they describe themselves. Throws Error
  /// as decoder_of().
  TypePtr type(const Channel& channel);

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

/// Makes payloads for one channel of values. One thread.
class KITBAG_API ValueWriter {
 public:
  /// Throws Error as type_of(), and unsupported if the encoding is not known or cannot hold the
  /// type.
  ValueWriter(const Channel& channel, const Session& session);
  ~ValueWriter();
  /// A moved-from writer can only be destroyed or assigned to.
  ValueWriter(ValueWriter&&) noexcept;
  ValueWriter& operator=(ValueWriter&&) noexcept;

  /// Returns a value whose fields all have their defaults. It refers to types that this writer
  /// keeps.
  Value make() const;
  /// Returns the payload, which is valid until the next call. Throws Error (invalid) if the value
  /// does not fit the type; the message names the field.
  ByteView write(const Value& value);

 private:
  struct KITBAG_PRIVATE State;
  std::unique_ptr<State> state_;
};

}  // namespace kitbag
