#pragma once

#include <cstdint>
#include <vector>

#include "kitbag/codec.h"
#include "payload/field_steps.h"

namespace kitbag {

/// Passes on only what a path leads to, without the structures around it. Of a path through lists,
/// it passes on a list of the values.
class FieldExtractor final : public LeafVisitor<FieldExtractor> {
 public:
  /// `target` must outlive it.
  FieldExtractor(FieldSteps steps, Visitor& target) : steps_(std::move(steps)), target_(target) {}

  /// Before each message.
  void begin();
  /// The message has the field.
  bool has_value() const { return has_value_; }

  void begin_struct(const Type& type) override;
  void field(const Field& field) override;
  void end_struct() override;
  void begin_array(const Type& type, std::size_t count) override;
  void end_array() override;
  void packed(const Type& type, ByteView bytes) override;

  template <class Value>
  void leaf(const Type& type, Value value) {
    if (inside_ > 0) return visit_leaf(type, value, target_);
    if (outside_ > 0) return;
    if (next_ == steps_.size()) {
      has_value_ = true;
      visit_leaf(type, value, target_);
    }
    end_value();
  }

 private:
  enum class What : std::uint8_t { structure, all_elements, one_element };
  struct Level {
    What what;
    std::size_t step;  ///< the first one that is not yet taken
    std::int64_t wanted = 0;
    std::int64_t element = 0;
  };
  static constexpr std::size_t kNothing = SIZE_MAX;

  void end_value();
  /// True: the value that begins is passed on or left out as a whole.
  bool begins_whole();
  /// True: a value ends that was passed on, if `is_inside`, or left out as a whole.
  bool ends_whole(bool& is_inside);

  FieldSteps steps_;
  Visitor& target_;
  std::vector<Level> levels_;
  std::size_t next_ = 0;     ///< the step that the value to come is at; kNothing: it is not wanted
  std::size_t inside_ = 0;   ///< levels inside of the value
  std::size_t outside_ = 0;  ///< levels inside of what is left out
  bool has_value_ = false;
};

}  // namespace kitbag
