#include "catalog/pyramid_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "catalog/succeeds.h"
#include "kitbag/codec.h"
#include "kitbag/stream.h"
#include "kitbag/transcode.h"

// One pass over the bag, whatever the number of topics: each message is decoded into a visitor that
// follows the structures and keeps the numbers it meets outside of lists. Large lists come in one
// call, which it ignores, so pictures and point clouds cost little.

namespace kitbag::catalog {
namespace {

/// A place in the messages of a channel. What is below it is found by the fields of its type.
struct Place {
  std::map<const Field*, Place*> below = {};
  std::string path = {};
  std::vector<NumberPart>* numbers = nullptr;  ///< null: no number was met here so far
};

class NumberVisitor final : public LeafVisitor<NumberVisitor> {
 public:
  NumberVisitor(const Parts& parts, Pyramid& pyramid)
      : parts_(parts), pyramid_(pyramid), value_(&root_) {
    pyramid_.messages.assign(parts.count, 0);
  }

  void begin(Time time) {
    part_ = parts_.index_of(time);
    ++pyramid_.messages[part_];
    stack_.clear();
    value_ = &root_;
    outside_ = 0;
  }

  void begin_struct(const Type& type) override {
    // The numbers of a time or duration say nothing one by one.
    if (outside_ > 0 || type.role != Role::none) {
      ++outside_;
      return;
    }
    stack_.push_back(value_);
  }
  void field(const Field& field) override {
    if (outside_ > 0) return;
    // Places are found by the address of the field in its type, so no path is built for each
    // message. A type may occur at several places of a message; the place above distinguishes their
    // fields.
    Place*& place = stack_.back()->below[&field];
    if (!place) place = add_place(*stack_.back(), field);
    value_ = place;
  }
  void end_struct() override {
    if (outside_ > 0) {
      --outside_;
      return;
    }
    stack_.pop_back();
  }
  void begin_array(const Type&, std::size_t) override { ++outside_; }
  void end_array() override { --outside_; }
  void packed(const Type& type, ByteView bytes) override {
    if (outside_ == 0) unpack(type, bytes, *this);
  }

  void leaf(const Type&, bool) {}
  void leaf(const Type&, std::string_view) {}
  void leaf(const Type&, std::nullopt_t) {}
  void leaf(const Type&, double value) {
    if (outside_ == 0 && !std::isnan(value)) add(value, value, value);
  }
  void leaf(const Type& type, std::int64_t value) {
    if (outside_ == 0 && type.kind != Kind::enumeration) add_whole(double(value));
  }
  void leaf(const Type&, std::uint64_t value) {
    if (outside_ == 0) add_whole(double(value));
  }

 private:
  Place* add_place(const Place& above, const Field& field) {
    places_.push_back(std::make_unique<Place>());
    places_.back()->path = above.path.empty() ? field.name : above.path + "." + field.name;
    return places_.back().get();
  }
  /// A whole number that a double does not have lies beside it.
  void add_whole(double value) {
    constexpr double kExact = 9007199254740992.0;  // 2^53
    if (std::abs(value) < kExact) return add(value, value, value);
    using Limits = std::numeric_limits<double>;
    add(std::nextafter(value, -Limits::infinity()), std::nextafter(value, Limits::infinity()),
        value);
  }
  void add(double least, double most, double value) {
    if (value_->path.empty()) return;  // a message that is one number has no fields
    if (!value_->numbers) {
      value_->numbers = &pyramid_.fields[value_->path];
      value_->numbers->resize(parts_.count);
    }
    NumberPart& part = (*value_->numbers)[part_];
    ++part.count;
    part.least = part.count == 1 ? least : std::min(part.least, least);
    part.most = part.count == 1 ? most : std::max(part.most, most);
    part.mean += (value - part.mean) / double(part.count);
  }

  const Parts& parts_;
  Pyramid& pyramid_;
  Place root_;
  std::vector<std::unique_ptr<Place>> places_;
  std::vector<Place*> stack_;
  Place* value_;
  std::size_t outside_ = 0;  ///< levels inside of what is left out
  std::size_t part_ = 0;
};

/// A channel is given up after so many messages of which none could be decoded.
constexpr std::uint64_t kMostTries = 1000;

/// A channel while it is read. Without a decoder it is given up.
struct Channeled {
  std::unique_ptr<Decoder> decoder;
  std::unique_ptr<NumberVisitor> visitor;
  std::uint64_t messages = 0;
};

}  // namespace

std::vector<ChannelNumbers> read_numbers(
    const Bag& bag, const Parts& parts, const Session& session,
    const std::function<void(const Message& message)>& on_message, const std::stop_token& stop) {
  std::vector<ChannelNumbers> numbers(bag.channels()->size());
  std::vector<std::optional<Channeled>> channels(numbers.size());
  auto source = bag.read();
  for (Batch batch; source->read(batch, Wait{stop, kNever}); batch.clear()) {
    throw_if_stopped({stop, kNever});  // a read that is stopped gives an empty batch
    for (const Message& message : std::as_const(batch).messages()) {
      on_message(message);
      std::size_t slot = message.channel->slot;
      if (slot >= numbers.size()) continue;
      if (!channels[slot]) {
        Channeled made;
        numbers[slot].is_decoded = is_decodable(*message.channel, session) && succeeds([&] {
                                     made.decoder = decoder_of(*message.channel, session);
                                   });
        made.visitor = std::make_unique<NumberVisitor>(parts, numbers[slot].pyramid);
        channels[slot] = std::move(made);
      }
      Channeled& channel = *channels[slot];
      ++channel.messages;
      if (!numbers[slot].is_decoded) {
        ++numbers[slot].undecoded;
        continue;
      }
      channel.visitor->begin(message.log_time);
      if (succeeds([&] { channel.decoder->decode(message.data, *channel.visitor); })) continue;
      // It meets no condition (kitbag/find.h), so the numbers of the others are all that count.
      std::uint64_t undecoded = ++numbers[slot].undecoded;
      numbers[slot].is_decoded = undecoded < kMostTries || undecoded < channel.messages;
    }
  }
  if (stop.stop_requested()) throw Error(ErrorCode::cancelled, "interrupted");
  return numbers;
}

}  // namespace kitbag::catalog
