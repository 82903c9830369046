#include "payload/carrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kitbag/error.h"

// A decoder passes values in the order of the source type, and an encoder needs them in that of the
// target type. If the orders agree, which the Mapping says for each structure, values are passed on
// at once: fields that the target lacks are dropped, and fields that only the target has are filled
// in before the next one. A structure whose order differs goes onto a tape first, with all that is
// in it, and is replayed in the order of the target. So memory is needed for such structures only.
//
// The counter `seq` in a ROS 1 header has no field in ROS 2. It is taken out of the header that a
// message begins with and becomes the sequence number of the message, and the other way round.

namespace kitbag {

namespace {

bool is_signed_kind(const Type& type) {
  Kind kind = type.kind == Kind::enumeration ? type.base : type.kind;
  return kind == Kind::int8 || kind == Kind::int16 || kind == Kind::int32 || kind == Kind::int64;
}

[[noreturn]] void refuse_value(const std::string& value, const Type& type) {
  throw Error(ErrorCode::unsupported,
              fmt::format("{} does not fit into {}", value, type_name(type)));
}

template <class Value>
void require_in_range(Value value, const Type& type) {
  Kind kind = type.kind == Kind::enumeration ? type.base : type.kind;
  auto bits = static_cast<unsigned>(8 * scalar_bytes(kind)) - (is_signed_kind(type) ? 1 : 0);
  auto magnitude = static_cast<std::uint64_t>(value);
  if constexpr (std::is_signed_v<Value>) {
    if (value < 0 && !is_signed_kind(type)) refuse_value(std::to_string(value), type);
    // ~x is -x - 1: there is one negative number more than there are positive ones.
    if (value < 0) magnitude = ~magnitude;
  }
  if (bits < 64 && magnitude >> bits != 0) refuse_value(std::to_string(value), type);
}

}  // namespace

// leaf() is defined only here, where it is inlined, so everything that needs it is here too.
Carrier::Carrier(const Mapping& root, Visitor& target) : root_(root), target_(target) {}
Carrier::~Carrier() = default;

void Carrier::begin(std::uint32_t sequence, std::size_t payload_bytes) {
  budget_ = ValueBudget(payload_bytes);
  sequence_ = sequence;
  found_sequence_.reset();
  has_lost_counters_ = false;
  next_ = &root_;
  next_field_ = nullptr;
  levels_.clear();
  fate_ = Fate::passed_on;
  dropped_depth_ = 0;
  tape_.clear();
  recording_depth_ = 0;
  is_replayed_ = false;
}

/// The header of a message is its first field, or all of it.
bool Carrier::is_leading_header() const {
  return levels_.size() == 1 || (levels_.size() == 2 && levels_.front().source == 0);
}

bool Carrier::passes_over(int depth_change) {
  if (fate_ == Fate::passed_on) return false;
  dropped_depth_ += static_cast<std::size_t>(depth_change);
  if (dropped_depth_ == 0) fate_ = Fate::passed_on;
  return true;
}

void Carrier::count(std::uint64_t counter) {
  if (fate_ != Fate::counted) return;
  if (is_leading_header()) {
    found_sequence_ = static_cast<std::uint32_t>(counter);
  } else if (counter != 0) {
    has_lost_counters_ = true;
  }
}

void Carrier::begin_struct(const Type& type) {
  if (is_recording() || (fate_ == Fate::passed_on && !next_->is_in_order && !is_replayed_)) {
    ++recording_depth_;
    return tape_.begin_struct(type);
  }
  if (passes_over(1)) return;
  is_replayed_ = false;
  levels_.push_back({next_});
  target_.begin_struct(*next_->target);
}

void Carrier::field(const Field& field) {
  if (is_recording()) return tape_.field(field);
  if (fate_ != Fate::passed_on) return;
  Level& level = levels_.back();
  level.source = field.index;
  if (level.mapping->source->kind == Kind::any) return target_.field(field);
  std::size_t place = level.mapping->targets[field.index];
  if (place == Mapping::kDropped) {
    fate_ = field.is_sequence ? Fate::counted : Fate::dropped;
    return;
  }
  fill_until(level, place);
  next_field_ = &level.mapping->target->fields[place];
  target_.field(*next_field_);
  level.next = place + 1;
  next_ = level.mapping->fields[field.index];
}

/// The target's fields that the source does not have.
void Carrier::fill_until(Level& level, std::size_t end) {
  const Type& type = *level.mapping->target;
  if (type.kind != Kind::structure) return;
  for (; level.next < end; ++level.next) {
    const Field& field = type.fields[level.next];
    target_.field(field);
    if (field.is_sequence) {
      target_.unsigned_integer(*field.type, is_leading_header() ? sequence_ : 0);
    } else if (const auto& fill = level.mapping->fills[level.next]) {
      visit_literal(*field.type, *fill, target_);
    } else {
      budget_.charge(field.type->default_values);
      visit_default(field, target_);
    }
  }
}

void Carrier::end_struct() {
  if (is_recording()) {
    tape_.end_struct();
    if (--recording_depth_ == 0) replay();
    return;
  }
  if (passes_over(-1)) return;
  fill_until(levels_.back(), levels_.back().mapping->target->fields.size());
  target_.end_struct();
  end_level();
}

void Carrier::end_level() {
  levels_.pop_back();
  if (!levels_.empty() && levels_.back().mapping->element) next_ = levels_.back().mapping->element;
}

/// Replays the structure on tape with its fields in the order of the target.
void Carrier::replay() {
  Tape tape = std::exchange(tape_, Tape());
  auto parts = tape.parts();
  const std::vector<std::size_t>& targets = next_->targets;
  std::stable_sort(parts.begin(), parts.end(), [&](const Tape::Part& a, const Tape::Part& b) {
    return targets[a.field->index] < targets[b.field->index];
  });
  is_replayed_ = true;
  tape.play(0, 1, *this);
  for (const Tape::Part& part : parts) tape.play(part.begin, part.end, *this);
  tape.play(tape.size() - 1, tape.size(), *this);
}

void Carrier::begin_array(const Type& type, std::size_t count) {
  if (is_recording()) {
    ++recording_depth_;
    return tape_.begin_array(type, count);
  }
  if (passes_over(1)) return;
  const Type& target = *next_->target;
  bool is_wrong = target.kind == Kind::array ? count != target.length
                                             : target.length > 0 && count > target.length;
  if (is_wrong) refuse_value(fmt::format("a list of {}", count), target);
  levels_.push_back({next_});
  next_field_ = nullptr;
  target_.begin_array(target, count);
  if (next_->element) next_ = next_->element;
}

void Carrier::end_array() {
  if (is_recording()) {
    --recording_depth_;
    return tape_.end_array();
  }
  if (passes_over(-1)) return;
  target_.end_array();
  end_level();
}

template <class Value>
void Carrier::leaf(const Type& type, Value value) {
  if (is_recording()) return tape_.leaf(type, value);
  if constexpr (std::is_same_v<Value, std::int64_t> || std::is_same_v<Value, std::uint64_t>) {
    count(static_cast<std::uint64_t>(value));
  }
  if (passes_over(0)) return;
  tell(value);
}

template <class Value>
void Carrier::tell_number(Value value) {
  const Type& type = *next_->target;
  if (next_->values) {
    auto other = next_->values->find(static_cast<std::int64_t>(value));
    if (other != next_->values->end()) value = static_cast<Value>(other->second);
  }
  if (next_->may_narrow) require_in_range(value, type);
  if (is_real(type.kind)) {
    target_.real(type, static_cast<double>(value));
  } else if (is_signed_kind(type) || (type.kind == Kind::any && std::is_signed_v<Value>)) {
    target_.integer(type, static_cast<std::int64_t>(value));
  } else {
    target_.unsigned_integer(type, static_cast<std::uint64_t>(value));
  }
}

void Carrier::tell(std::string_view value) {
  const Type& target = *next_->target;
  if (target.length > 0 && value.size() > target.length) {
    refuse_value(fmt::format("a text of {} bytes", value.size()), target);
  }
  target_.text(target, value);
}

void Carrier::tell(std::nullopt_t) {
  bool is_field = !levels_.empty() && next_field_;
  // The target cannot do without a value, so the field has its default.
  if (is_field && !next_field_->is_optional) {
    budget_.charge(next_field_->type->default_values);
    return visit_default(*next_field_, target_);
  }
  target_.nothing(*next_->target);
}

void Carrier::packed(const Type& type, ByteView bytes) {
  if (is_recording()) return tape_.packed(type, bytes);
  if (fate_ == Fate::counted) return unpack(type, bytes, *this);
  if (passes_over(0)) return;
  // Otherwise the values come back here one by one, and each is converted.
  if (next_->is_flat_copy) return target_.packed(*next_->target, bytes);
  unpack(type, bytes, *this);
}

}  // namespace kitbag
