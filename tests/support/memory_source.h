#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/stream.h"

namespace kitbag::test {

/// A message as a test writes it.
struct Sample {
  std::string topic;
  std::int64_t time = 0;  ///< log time in nanoseconds
  std::string data;
  std::string type = "test/Type";
  std::optional<std::int64_t> publish_time = std::nullopt;  ///< none: equal to the log time

  bool operator==(const Sample&) const = default;

  friend std::ostream& operator<<(std::ostream& out, const Sample& sample) {
    out << sample.topic << '@' << sample.time << '=' << sample.data;
    if (sample.type != "test/Type") out << ':' << sample.type;
    if (sample.publish_time) out << " published " << *sample.publish_time;
    return out;
  }
};
using Samples = std::vector<Sample>;

inline Sample to_sample(const Message& message) {
  Sample sample{message.channel->topic, to_ns(message.log_time), std::string(as_text(message.data)),
                message.channel->type()};
  if (message.publish_time != message.log_time) sample.publish_time = to_ns(message.publish_time);
  return sample;
}

/// How a MemorySource behaves.
struct MemoryOptions {
  std::size_t batch_messages = kBatchMessages;
  bool declares_late = false;  ///< a channel appears with its first message, not at the start
  std::map<std::string, std::string> metadata = {};    ///< of every channel
  std::optional<std::size_t> fails_at = std::nullopt;  ///< read() throws before this message
  std::size_t empty_reads = 0;  ///< before each batch: true and empty, as if `until` had come
};

/// Gives samples in the order in which they are listed. The payloads of a batch live in a block of
/// their own that is freed with the last owner, so that a sanitizer sees every late use.
class MemorySource final : public Source {
 public:
  explicit MemorySource(Samples samples, MemoryOptions options = {})
      : samples_(std::move(samples)), options_(std::move(options)) {
    if (options_.declares_late) return;
    for (const Sample& sample : samples_) declare(sample);
  }

  ChannelsPtr channels() const override { return channels_; }

  bool read(Batch& batch, const Wait&) override {
    if (empty_reads_left_ > 0) {
      --empty_reads_left_;
      return true;  // the channels are not set: it need not
    }
    empty_reads_left_ = options_.empty_reads;
    std::size_t end = end_of_batch();
    if (end == next_) return false;
    std::size_t bytes = 0;
    for (std::size_t i = next_; i < end; ++i) bytes += samples_[i].data.size();
    auto block = std::make_shared<std::byte[]>(bytes);
    std::byte* place = block.get();
    batch.keep(block, bytes);
    for (; next_ < end; ++next_) {
      add(batch, samples_[next_], place);
      place += samples_[next_].data.size();
    }
    batch.channels = channels_;
    return true;
  }

 private:
  std::size_t end_of_batch() {
    if (options_.fails_at == next_) {
      samples_.resize(next_);
      options_.fails_at.reset();
      throw Error(ErrorCode::corrupt, "the source failed as told");
    }
    std::size_t end = next_;
    std::size_t bytes = 0;
    while (end < samples_.size() && end - next_ < options_.batch_messages && bytes < kBatchBytes &&
           options_.fails_at != end) {
      bytes += samples_[end++].data.size();
    }
    return end;
  }

  void add(Batch& batch, const Sample& sample, std::byte* place) {
    if (!sample.data.empty()) std::memcpy(place, sample.data.data(), sample.data.size());
    std::uint32_t slot = declare(sample);
    const Channel* channel = (*channels_)[slot].get();
    batch.add({channel,
               static_cast<std::uint32_t>(next_),
               0,
               from_ns(sample.time),
               from_ns(sample.publish_time.value_or(sample.time)),
               {place, sample.data.size()}});
  }

  std::uint32_t declare(const Sample& sample) {
    auto slot = static_cast<std::uint32_t>(channels_->size());
    auto [found, is_new] = slots_.try_emplace({sample.topic, sample.type}, slot);
    if (!is_new) return found->second;
    auto schema = std::make_shared<const Schema>(Schema{sample.type, "ros1msg", ""});
    auto longer = std::make_shared<Channels>(*channels_);
    longer->push_back(std::make_shared<const Channel>(
        Channel{sample.topic, "ros1", schema, options_.metadata, slot}));
    channels_ = std::move(longer);
    return slot;
  }

  Samples samples_;
  MemoryOptions options_;
  std::size_t next_ = 0;
  std::size_t empty_reads_left_ = options_.empty_reads;
  std::map<std::pair<std::string, std::string>, std::uint32_t> slots_;
  ChannelsPtr channels_ = std::make_shared<const Channels>();
};

inline std::unique_ptr<Source> memory_source(Samples samples, MemoryOptions options = {}) {
  return std::make_unique<MemorySource>(std::move(samples), std::move(options));
}

/// The first batch that `samples` give.
inline Batch batch_of(Samples samples, MemoryOptions options = {}) {
  Batch batch;
  MemorySource(std::move(samples), std::move(options)).read(batch, Wait{});
  return batch;
}

inline Samples samples_of(const Batch& batch) {
  Samples samples;
  for (const Message& message : batch.messages()) samples.push_back(to_sample(message));
  return samples;
}

/// Reads `source` to its end.
inline Samples collect(Source& source) {
  Samples samples;
  for (Batch batch; source.read(batch, Wait{}); batch.clear()) {
    for (const Message& message : batch.messages()) samples.push_back(to_sample(message));
  }
  return samples;
}

/// The topics of a table, by slot; "-" where a channel was dropped.
inline std::vector<std::string> topics_of(const ChannelsPtr& channels) {
  std::vector<std::string> topics;
  for (const ChannelPtr& channel : *channels) topics.push_back(channel ? channel->topic : "-");
  return topics;
}

}  // namespace kitbag::test
