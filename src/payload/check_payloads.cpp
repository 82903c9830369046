#include "payload/check_payloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/transcode.h"

// The first messages of a channel may be anywhere, so the bag is read in the order of the file
// until each channel has had its messages. If most of what comes belongs to channels that have had
// theirs, the bag is read again from its beginning with the others alone: a format with an index
// then leaves out what holds none of them. Each such reading may pass over twice as many bytes as
// the one before, so that all of them together cost no more than reading the bag twice.

namespace kitbag {
namespace {

/// Bytes that the first reading may pass over before another begins.
constexpr std::uint64_t kFirstPassedOver = std::uint64_t{32} << 20;

/// Takes the values of a message and forgets them.
class Discard final : public LeafVisitor<Discard> {
 public:
  void begin_struct(const Type&) override {}
  void field(const Field&) override {}
  void end_struct() override {}
  void begin_array(const Type&, std::size_t) override {}
  void end_array() override {}
  void packed(const Type&, ByteView) override {}
  template <class Value>
  void leaf(const Type&, Value) {}
};

class PayloadCheck {
 public:
  PayloadCheck(const Bag& bag, std::uint64_t most, const Session& session);

  void run(const Wait& wait);
  void report_all(const std::string& path, const OnProblem& on_finding) const;

 private:
  struct Lane {
    ChannelPtr channel;
    std::unique_ptr<Decoder> decoder;  ///< null: its messages cannot be decoded
    std::uint64_t wanted = 0;
    std::uint64_t decoded = 0;
    std::uint64_t unfit = 0;
    std::optional<Error> first;  ///< of the unfit ones

    bool is_done() const { return decoded >= wanted; }
  };

  std::unique_ptr<Decoder> decoder_of_channel(const Channel& channel);
  Query begin_reading();
  bool read(const Wait& wait, std::uint64_t most_passed_over);
  void take(const Message& message);

  const Bag& bag_;
  const Session& session_;
  std::vector<Lane> lanes_;  ///< by slot
  std::size_t waiting_ = 0;  ///< lanes that are not done
  std::uint64_t passed_over_ = 0;
  std::vector<std::string> unusable_;  ///< why the definitions of channels are
  Discard discard_;
};

PayloadCheck::PayloadCheck(const Bag& bag, std::uint64_t most, const Session& session)
    : bag_(bag), session_(session) {
  const Summary& summary = bag.summary();
  for (const ChannelPtr& channel : *summary.channels) {
    Lane& lane = lanes_.emplace_back();
    lane.channel = channel;
    if (!channel) continue;
    lane.decoder = decoder_of_channel(*channel);
    if (!lane.decoder) continue;
    std::size_t slot = lanes_.size() - 1;
    bool is_counted = slot < summary.message_counts.size();
    lane.wanted = is_counted ? std::min(most, summary.message_counts[slot]) : most;
  }
}

std::unique_ptr<Decoder> PayloadCheck::decoder_of_channel(const Channel& channel) {
  if (!is_decodable(channel, session_)) return nullptr;
  try {
    return decoder_of(channel, session_);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    const Language* language =
        channel.schema ? find_language(session_.registry(), channel.schema->language) : nullptr;
    bool is_checked = language && language->files && language->files->are_in_every_bag;
    if (!is_checked) unusable_.push_back(error.message());  // else check_definitions() tells it
    return nullptr;
  }
}

void PayloadCheck::run(const Wait& wait) {
  std::uint64_t most_passed_over = kFirstPassedOver;
  while (!read(wait, most_passed_over)) most_passed_over *= 2;
}

/// Selects the lanes that are not done; they begin anew.
Query PayloadCheck::begin_reading() {
  Query query;
  query.order = Order::file;
  query.on_problem = [](const Error&) {};  // the check of the format has reported it
  waiting_ = 0;
  passed_over_ = 0;
  for (Lane& lane : lanes_) {
    if (lane.is_done()) continue;
    lane.decoded = lane.unfit = 0;
    lane.first.reset();
    query.select.topics.push_back(lane.channel->topic);
    ++waiting_;
  }
  return query;
}

/// False: too much was passed over, so another reading is to follow.
bool PayloadCheck::read(const Wait& wait, std::uint64_t most_passed_over) {
  Query query = begin_reading();
  if (waiting_ == 0) return true;
  std::size_t all = waiting_;
  std::unique_ptr<Source> source = bag_.read(query, wait);
  for (Batch batch; source->read(batch, wait); batch.clear()) {
    throw_if_stopped(wait);
    for (const Message& message : std::as_const(batch).messages()) take(message);
    if (waiting_ == 0) return true;
    // A reading with the same topics would be the same again, so at least one of them must be done.
    if (passed_over_ > most_passed_over && waiting_ < all) return false;
  }
  return true;
}

void PayloadCheck::take(const Message& message) {
  std::uint32_t slot = message.channel->slot;
  if (slot >= lanes_.size() || lanes_[slot].is_done()) {
    passed_over_ += message.data.size();
    return;
  }
  Lane& lane = lanes_[slot];
  ++lane.decoded;
  if (lane.is_done()) --waiting_;
  try {
    lane.decoder->decode(message.data, discard_);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    if (++lane.unfit == 1) lane.first = located(error, message, *lane.decoder);
  }
}

void PayloadCheck::report_all(const std::string& path, const OnProblem& on_finding) const {
  for (const std::string& why : unusable_) {
    report(on_finding, Error(ErrorCode::corrupt, why + "; its messages cannot be decoded", path));
  }
  for (const Lane& lane : lanes_) {
    if (!lane.first) continue;
    // It was delivered, and may be damaged: no message is known to be lost.
    report(on_finding,
           Error(ErrorCode::corrupt,
                 fmt::format("{}; {} of the {} messages on {} that were decoded do not fit their "
                             "definition",
                             lane.first->message(), lane.unfit, lane.decoded, lane.channel->topic),
                 path, Error::kNoOffset, Loss{.messages = 0}));
  }
}

}  // namespace

void check_payloads(const Bag& bag, std::uint64_t most, const std::string& path,
                    const ReadOptions& options, const Session& session) {
  if (most == 0 || !bag.channels()) return;
  PayloadCheck check(bag, most, session);
  check.run({.stop = options.stop});
  check.report_all(path, options.on_problem);
}

}  // namespace kitbag
