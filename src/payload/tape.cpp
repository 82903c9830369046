#include "payload/tape.h"

#include <bit>

// Events with what the visitor was given: types and fields by address, since they belong to the
// type, numbers as 64 bits, texts and packed bytes as places in one buffer. Copies are needed:
// texts and packed bytes of a decoder may lie in memory that it uses again for the next value. A
// part is replayed by its range of events, so putting fields into another order moves nothing.

namespace kitbag {

void Tape::add(What what, const void* about, std::uint64_t value) {
  events_.push_back({what, about, value});
}

void Tape::add_bytes(What what, const Type& type, ByteView bytes) {
  events_.push_back({what, &type, bytes_.size(), bytes.size()});
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::vector<Tape::Part> Tape::parts() const {
  std::vector<Part> parts;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const Event& event = events_[i];
    bool begins = event.what == What::begin_struct || event.what == What::begin_array;
    bool ends = event.what == What::end_struct || event.what == What::end_array;
    if (ends) --depth;
    // A part ends where the next field of the same structure begins, or the structure ends.
    if (!parts.empty() && (depth == 0 || (depth == 1 && event.what == What::field))) {
      parts.back().end = i;
    }
    if (depth == 1 && event.what == What::field) {
      parts.push_back({static_cast<const Field*>(event.about), i, i});
    }
    // Behind the tests: the structure itself begins at depth 0, and its fields are at depth 1.
    if (begins) ++depth;
  }
  return parts;
}

void Tape::play(std::size_t begin, std::size_t end, Visitor& visitor) const {
  for (std::size_t i = begin; i < end; ++i) play(events_[i], visitor);
}

void Tape::play(const Event& event, Visitor& visitor) const {
  auto type = [&]() -> const Type& { return *static_cast<const Type*>(event.about); };
  auto bytes = [&] { return ByteView(bytes_).subspan(event.value, event.size); };
  switch (event.what) {
    case What::begin_struct:
      return visitor.begin_struct(type());
    case What::field:
      return visitor.field(*static_cast<const Field*>(event.about));
    case What::end_struct:
      return visitor.end_struct();
    case What::begin_array:
      return visitor.begin_array(type(), event.value);
    case What::end_array:
      return visitor.end_array();
    case What::boolean:
      return visitor.boolean(type(), event.value != 0);
    case What::integer:
      return visitor.integer(type(), static_cast<std::int64_t>(event.value));
    case What::unsigned_integer:
      return visitor.unsigned_integer(type(), event.value);
    case What::real:
      return visitor.real(type(), std::bit_cast<double>(event.value));
    case What::text:
      return visitor.text(type(), as_text(bytes()));
    case What::nothing:
      return visitor.nothing(type());
    case What::packed:
      return visitor.packed(type(), bytes());
  }
}

void Tape::clear() {
  events_.clear();
  bytes_.clear();
}

}  // namespace kitbag
