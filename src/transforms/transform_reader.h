#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/message.h"
#include "kitbag/session.h"
#include "kitbag/transcode.h"
#include "kitbag/transforms.h"

namespace kitbag {

/// Takes the transforms out of messages while they are decoded.
class TransformVisitor final : public LeafVisitor<TransformVisitor> {
 public:
  using OnTransform = std::function<void(const FrameTransform&)>;

  explicit TransformVisitor(OnTransform on_transform) : on_transform_(std::move(on_transform)) {}

  /// Before each message.
  void begin(bool is_static);
  void begin_struct(const Type& type) override;
  void field(const Field& field) override { name_ = field.name; }
  void end_struct() override;
  void begin_array(const Type& type, std::size_t count) override;
  void end_array() override { places_.pop_back(); }
  void packed(const Type& type, ByteView bytes) override;

  template <class Value>
  void leaf(const Type&, Value value) {
    if constexpr (std::is_same_v<Value, std::string_view>) {
      take_text(value);
    } else if constexpr (std::is_same_v<Value, std::nullopt_t>) {
      take_nothing();
    } else {
      take_number(static_cast<double>(value));
      if constexpr (!std::is_same_v<Value, double>) take_integer(static_cast<std::int64_t>(value));
    }
  }

 private:
  /// What a structure or list is, by the names of the fields that lead to it.
  enum class Place { message, list, element, header, parts, vector, quaternion, stamp, other };

  Place here() const { return places_.empty() ? Place::other : places_.back(); }
  Place below(bool is_list) const;
  double* part();
  void take_number(double value);
  void take_integer(std::int64_t value);
  void take_text(std::string_view value);
  void take_nothing();

  OnTransform on_transform_;
  std::vector<Place> places_;  ///< of the structures and lists that are open
  std::string_view name_;      ///< of the field whose value follows
  FrameTransform transform_;
  std::int64_t seconds_ = 0;
  std::int64_t nanoseconds_ = 0;
};

/// Passes on the transforms in the messages of one source. One thread.
class TransformReader {
 public:
  TransformReader(Session session, OnError on_error, TranscodeReport* report,
                  TransformVisitor::OnTransform on_transform);

  /// Throws Error if the message cannot be decoded and OnError::stop was asked for.
  void read(const Message& message);

 private:
  struct KnownChannel {
    std::unique_ptr<Decoder> decoder;  ///< null: its messages cannot be decoded
    bool is_static = false;
  };
  const KnownChannel& known(const Channel& channel);
  void leave_out(const std::string& topic, const Error& error, bool is_channel);

  Session session_;
  OnError on_error_;
  TranscodeReport* report_;
  TransformVisitor visitor_;
  std::vector<std::optional<KnownChannel>> channels_;  ///< by slot
};

}  // namespace kitbag
