#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "kitbag/codec.h"
#include "model/type/value_budget.h"
#include "payload/mapping.h"
#include "payload/tape.h"

namespace kitbag {

/// Receives values of one type and passes them on as values of another. Fields that come in another
/// order are kept until it is their turn.
class Carrier final : public LeafVisitor<Carrier> {
 public:
  /// `root` and `target` must outlive it.
  Carrier(const Mapping& root, Visitor& target);
  ~Carrier() override;

  /// To be called before each message. `sequence` is the counter of a leading header that the
  /// source lacks.
  void begin(std::uint32_t sequence, std::size_t payload_bytes);
  /// The counter of the leading header that the target lacks.
  std::optional<std::uint32_t> sequence() const { return found_sequence_; }
  /// Counters of other headers that the target lacks, and that were not 0.
  bool has_lost_counters() const { return has_lost_counters_; }

  void begin_struct(const Type& type) override;
  void field(const Field& field) override;
  void end_struct() override;
  void begin_array(const Type& type, std::size_t count) override;
  void end_array() override;
  void packed(const Type& type, ByteView bytes) override;

  template <class Value>
  void leaf(const Type& type, Value value);

 private:
  struct Level {
    const Mapping* mapping;
    std::size_t next = 0;    ///< of a structure: the target's fields before this one are done
    std::size_t source = 0;  ///< index of the source's field that was begun last
  };
  /// How the next value is converted.
  enum class Fate : std::uint8_t { passed_on, dropped, counted };

  /// True: the target has no place for the value that begins or ends.
  bool passes_over(int depth_change);
  /// True: the structure is kept on tape until it is whole.
  bool is_recording() const { return recording_depth_ > 0; }
  void end_level();
  void fill_until(Level& level, std::size_t end);
  bool is_leading_header() const;
  void count(std::uint64_t counter);
  /// Pass a value on to the target.
  template <class Value>
  void tell_number(Value value);
  void tell(bool value) { target_.boolean(*next_->target, value); }
  void tell(std::int64_t value) { tell_number(value); }
  void tell(std::uint64_t value) { tell_number(value); }
  void tell(double value) { target_.real(*next_->target, value); }
  void tell(std::string_view value);
  void tell(std::nullopt_t);
  void replay();

  const Mapping& root_;
  Visitor& target_;
  const Mapping* next_ = nullptr;      ///< of the value to come
  const Field* next_field_ = nullptr;  ///< of the target; null: an element, or the whole
  std::vector<Level> levels_;
  Fate fate_ = Fate::passed_on;
  std::size_t dropped_depth_ = 0;
  Tape tape_;
  std::size_t recording_depth_ = 0;
  bool is_replayed_ = false;  ///< the structure to begin is in order by now
  std::uint32_t sequence_ = 0;
  std::optional<std::uint32_t> found_sequence_;
  bool has_lost_counters_ = false;
  ValueBudget budget_{0};  ///< of fields that the source does not have
};

}  // namespace kitbag
