#include "transport/ros2/intake.h"

#include <algorithm>

// A sample is stamped and copied where DDS receives it (raw_type.cpp), so that it may wait in its
// reader meanwhile; the large ones go into the feed as they are, without another copy.
//
// Readers are emptied one after the other, so the samples of a turn are sorted by arrival before
// they are pushed. Across turns the order may be wrong by the length of a turn.
//
// DDS counts lost samples only as far as it knows of them, so gaps in the writers' own numbers are
// counted here. A publisher is known by its handle; what comes from one that discovery has not
// shown yet counts in the reader that has it first.

namespace kitbag::ros2 {

void Intake::take_all() {
  for (Topic& topic : readers_.topics()) {
    if (!topic.channel) continue;
    for (Reader& reader : topic.readers) take(reader);
  }
  push_taken();
  hear_reliably();
}

void Intake::take(Reader& reader) {
  Topic& topic = *reader.topic;
  take_raw(reader.has_samples.get(), [&](RawSamplePtr sample, const dds_sample_info_t& info) {
    // Of a publisher that was not heard of yet, the first reader that has something.
    auto talker = topic.talkers.find(info.publication_handle);
    if (talker == topic.talkers.end()) {
      Talker unknown{{}, reader.offer, Arrivals(&reader)};
      talker = topic.talkers.emplace(info.publication_handle, unknown).first;
    }
    auto verdict = talker->second.arrivals.arrived(&reader, sample->number);
    if (!verdict.counts) return;
    if (verdict.missing > 0) count_missing(topic, talker->second, verdict.missing);
    taken_.push_back({&topic, std::move(sample), from_ns(info.source_timestamp)});
  });
}

void Intake::push_taken() {
  std::stable_sort(taken_.begin(), taken_.end(), [](const Taken& a, const Taken& b) {
    return a.sample->received < b.sample->received;
  });
  for (Taken& each : taken_) {
    Message message{};
    message.channel = each.topic->channel.get();
    message.sequence = each.topic->sequence++;
    message.log_time = each.sample->received;
    message.publish_time = each.publish_time;
    message.data = each.sample->data();
    Owner owner;
    if (message.data.size() >= kLendBytes) owner = Owner(std::move(each.sample));
    feed_.push(message, owner);
  }
  taken_.clear();
}

/// `missing` messages before the last one that came. DDS itself does not report them: a publisher
/// that keeps the last ten says of earlier ones only that they are not available.
void Intake::count_missing(Topic& topic, Talker& talker, std::uint64_t missing) {
  std::uint64_t last = talker.arrivals.last();
  if (topic.is_keyed) missing -= topic.raw.disposals_between(talker.guid, last - missing - 1, last);
  if (missing == 0) return;
  feed_.count_lost(*topic.channel, missing);
  if (talker.offer.is_reliable) unreliable_.emplace_back(&topic, &talker);
}

/// From now on, those of which something is missing although it need not be.
void Intake::hear_reliably() {
  bool is_new = false;
  for (auto [topic, talker] : std::exchange(unreliable_, {})) {
    std::size_t readers = topic->readers.size();
    talker->arrivals.move_to(&readers_.reader_for(*topic, talker->offer));
    is_new |= topic->readers.size() > readers;
  }
  if (is_new) participant_.announce();
}

}  // namespace kitbag::ros2
