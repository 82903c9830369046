#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kitbag/message.h"
#include "payload/expression.h"
#include "payload/field_collector.h"

namespace kitbag {

/// What an expression means for the messages of one channel. What is known of the channel, its
/// topic and type, is decided beforehand, so that `topic != "/imu" || linear_acceleration.z > 9`
/// looks for fields only in messages on /imu. One thread.
class Condition {
 public:
  /// `type` is null for payloads that describe themselves. Throws Error: not_found if the type has
  /// no such field, invalid if values are compared that cannot be.
  Condition(const ExpressionNode& expression, const Channel& channel, const Type* type);
  ~Condition();

  /// Set: it is so for all messages.
  std::optional<bool> decided() const { return decided_; }
  /// Messages must be decoded; else the collector receives nothing.
  bool has_fields() const { return !wanted_.empty(); }
  FieldCollector& collector() { return *collector_; }
  /// Whether the message whose values the collector has received meets it.
  bool is_met(const Message& message);

  struct Node;

 private:
  friend class ConditionBuilder;

  bool is_true(const Node& node, std::size_t index) const;
  bool is_any_true(const Node& node) const;
  bool is_within(const Node& node) const;
  Scalar value(const Node& node, std::size_t index) const;
  Scalar called(const Node& node, std::size_t index) const;
  /// Of a node that has one value for all elements, kept for the message.
  Scalar single(const Node& node) const;
  Scalar reduced(const Node& node) const;
  std::size_t count(const Node& node) const;

  std::optional<bool> decided_;
  std::vector<FieldCollector::Wanted> wanted_;
  std::unique_ptr<FieldCollector> collector_;
  std::unique_ptr<Node> root_;
  Time time_{};

  struct Single {
    std::uint64_t message = 0;  ///< for which it was calculated
    Scalar value;
  };
  mutable std::vector<Single> singles_;
  std::uint64_t message_ = 0;
};

}  // namespace kitbag
