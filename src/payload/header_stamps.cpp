#include "payload/header_stamps.h"

#include <utility>

#include "kitbag/fields.h"
#include "kitbag/transcode.h"

// Only types with a field header.stamp are decoded; of a channel without one, the type is looked at
// once. A stamp of zero is what drivers leave that do not set it, and counts as none.
//
// The first problem is reported and no other, because a channel that cannot be decoded has the same
// one in each message.

namespace kitbag {
namespace {

bool has_stamp(const Type& type) {
  for (const Field& header : type.fields) {
    if (header.name != "header" || header.type->kind != Kind::structure) continue;
    for (const Field& stamp : header.type->fields) {
      if (stamp.name == "stamp") return stamp.type->role == Role::time;
    }
  }
  return false;
}

}  // namespace

/// Takes the stamp of a header: two numbers, the seconds and the nanoseconds.
class HeaderStamps::Taker final : public LeafVisitor<Taker> {
 public:
  void begin() { numbers_ = 0; }
  /// Absent: there was none, or it was not set.
  std::optional<Time> stamp() const {
    if (numbers_ < 2 || (seconds_ == 0 && nanoseconds_ == 0)) return std::nullopt;
    std::int64_t ns = 0;
    if (__builtin_mul_overflow(seconds_, std::int64_t{1'000'000'000}, &ns)) return std::nullopt;
    return saturating_add(from_ns(ns), Duration(nanoseconds_));
  }

  void begin_struct(const Type&) override {}
  void field(const Field&) override {}
  void end_struct() override {}
  void begin_array(const Type&, std::size_t) override {}
  void end_array() override {}
  template <class Value>
  void leaf(const Type&, Value value) {
    if constexpr (std::is_integral_v<Value>) {
      if (numbers_ == 0) seconds_ = static_cast<std::int64_t>(value);
      if (numbers_ == 1) nanoseconds_ = static_cast<std::int64_t>(value);
      ++numbers_;
    }
  }

 private:
  unsigned numbers_ = 0;
  std::int64_t seconds_ = 0;
  std::int64_t nanoseconds_ = 0;
};

class HeaderStamps::Reader {
 public:
  explicit Reader(std::unique_ptr<Decoder> decoder)
      : decoder_(std::move(decoder)), selected_(select_fields({"header.stamp"}, taker_)) {}

  std::optional<Time> read(const Message& message) {
    taker_.begin();
    try {
      decoder_->decode(message.data, *selected_);
    } catch (const Error& error) {
      if (is_final(error.code())) throw;
      selected_ = select_fields({"header.stamp"}, taker_);  // this one stands within a message
      throw located(error, message, *decoder_);
    }
    return taker_.stamp();
  }

 private:
  std::unique_ptr<Decoder> decoder_;
  Taker taker_;
  std::unique_ptr<Visitor> selected_;  ///< passes header.stamp to `taker_`
};

HeaderStamps::HeaderStamps(Session session, OnProblem on_problem)
    : session_(std::move(session)), on_problem_(std::move(on_problem)) {}
HeaderStamps::~HeaderStamps() = default;

std::optional<Time> HeaderStamps::of(const Message& message) {
  Reader* reader = reader_of(*message.channel);
  if (!reader) return std::nullopt;
  try {
    return reader->read(message);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    report_once(error);
    return std::nullopt;
  }
}

HeaderStamps::Reader* HeaderStamps::reader_of(const Channel& channel) {
  if (readers_.size() <= channel.slot) {
    readers_.resize(channel.slot + 1);
    are_known_.resize(channel.slot + 1);
  }
  auto& reader = readers_[channel.slot];
  // Null is an answer, too: there is no stamp.
  if (are_known_[channel.slot]) return reader.get();
  are_known_[channel.slot] = true;
  if (!is_decodable(channel, session_)) return nullptr;
  try {
    TypePtr type = type_of(channel, session_);
    if (type && has_stamp(*type)) reader = std::make_unique<Reader>(decoder_of(channel, session_));
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    report_once(error);
  }
  return reader.get();
}

void HeaderStamps::report_once(const Error& error) {
  if (!std::exchange(has_reported_, true) && on_problem_) on_problem_(error);
}

}  // namespace kitbag
