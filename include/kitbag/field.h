#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/describe.h"
#include "kitbag/error.h"
#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/value.h"

// Fields of messages, decoded one by one and passed over otherwise:
//
//   for (const Message& message : session.open("drive.bag")->messages({.topics = {"/imu"}})) {
//     sum += message.field<double>("linear_acceleration.x");
//   }
//
// How a field is found in the payloads of a channel is worked out once, and kept with the channel
// (ChannelFields). For ros1, CDR, protobuf and JSON it then takes about as long as reading the
// bytes in front of the field; messages of other encodings, and fields that are structures, are
// decoded as a whole. A FieldReader does the same without a lock, and gives spans too. Fields of a
// million messages are faster still as columns (columns.h).
//
// A path names fields and elements: "pose.position.x", "ranges[3]"; "" is the whole message. T is
//
//   bool, integers, double, float   numbers in their range: a real number is no integer
//   enumerations                    by their numbers
//   std::string                     texts
//   Time, Duration                  times, durations; integers are nanoseconds
//   std::vector, std::array         lists, of any of these; std::byte and std::uint8_t for bytes
//   std::optional                   a field that a message may lack
//   a struct with a Describe<T>     a structure with at least these fields (describe.h)
//   Value                           whatever is there; valid as long as the channel
//
// Everything here throws Error: not_found if there is no such field, with similar names; invalid if
// the field is something else than a T or out of its range; unsupported or not_found if messages of
// the channel cannot be decoded; truncated or corrupt for a damaged payload. The sentence begins
// with the topic.

namespace kitbag {

/// How field_value() gives times and durations.
enum class TimeForm {
  nanoseconds,  ///< as an integer
  structure,    ///< as their type says
};

/// Returns the field at `path` as a Value, which is valid as long as the channel. Decodes with the
/// parts of the session that opened the bag; messages of other origin with the built-in parts. Any
/// thread.
KITBAG_API Value field_value(const Message& message, std::string_view path,
                             TimeForm form = TimeForm::structure);

/// Throws `error` with the topic of the message and the path in front of its sentence.
[[noreturn]] KITBAG_API void throw_for_field(const Error& error, const Message& message,
                                             std::string_view path);

/// Finds a field in messages of any channels. One thread.
class KITBAG_API FieldFinder {
 public:
  /// Without a session: decodes with that of the message, as field_value() does.
  explicit FieldFinder(std::string path);
  /// Decodes with the parts of `session`.
  FieldFinder(std::string path, Session session);
  ~FieldFinder();
  /// Moving keeps what is known of channels.
  FieldFinder(FieldFinder&&) noexcept;
  FieldFinder& operator=(FieldFinder&&) noexcept;

  /// Returns the path that it was made with.
  const std::string& path() const { return path_; }
  /// Returns the field of that message. Valid as long as the channel, and as this object.
  Value find(const Message& message, TimeForm form = TimeForm::structure);

 private:
  struct KITBAG_PRIVATE State;

  std::string path_;
  std::unique_ptr<State> state_;
};

namespace describing {

template <class T>
inline constexpr bool kIsSpan = false;
template <class T>
inline constexpr bool kIsSpan<std::span<const T>> = true;

/// Seconds and nanoseconds are wanted one by one only where the structure itself is wanted.
template <class T>
constexpr TimeForm time_form() {
  if constexpr (kIsOptional<T>) {
    return time_form<typename T::value_type>();
  } else {
    return std::same_as<T, Value> || Described<T> ? TimeForm::structure : TimeForm::nanoseconds;
  }
}

template <class T>
T convert(const Value& value, const Message& message, std::string_view path) {
  try {
    return from_value<T>(value);
  } catch (const Error& error) {
    throw_for_field(error, message, path);
  }
}

}  // namespace describing

/// Reads one field of many messages, of any channels:
///
///   FieldReader<double> x("linear_acceleration.x");
///   for (const Message& message : messages) sum += x(message);
///
/// Takes no lock, unlike Message::field(), and keeps its own copy of what it found out. T is as
/// above, or a std::span<const Number>, which is valid until the next call. One thread.
template <class T>
class FieldReader {
 public:
  /// The session is that which opened the bag of a message, or the built-in parts.
  explicit FieldReader(std::string path) : finder_(std::move(path)) {}
  /// For messages that come from elsewhere and need codecs of a plugin.
  FieldReader(std::string path, Session session) : finder_(std::move(path), std::move(session)) {}

  /// Returns the field of that message. Throws Error as described above.
  T operator()(const Message& message) {
    Value value = finder_.find(message, describing::time_form<T>());
    if constexpr (describing::kIsSpan<T>) {
      elements_ = describing::convert<Elements>(value, message, finder_.path());
      return elements_;
    } else {
      return describing::convert<T>(value, message, finder_.path());
    }
  }

 private:
  template <class S>
  struct ElementsOf {
    using Type = std::monostate;
  };
  template <class S>
  struct ElementsOf<std::span<const S>> {
    using Type = std::vector<S>;
  };
  using Elements = typename ElementsOf<T>::Type;

  FieldFinder finder_;
  [[no_unique_address]] Elements elements_;
};

template <class T>
T Message::field(std::string_view path) const {
  Value value = field_value(*this, path, describing::time_form<T>());
  return describing::convert<T>(value, *this, path);
}

template <class T>
T Message::as() const {
  return field<T>({});
}

}  // namespace kitbag
