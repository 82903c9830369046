#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/exporter.h"

// The source is read once. Messages wait until there are enough of them that each topic gets many
// at a time: what each call costs is shared by these.
//
// Each topic may hold what it has not written yet, such as a row group. Where these take too much
// together, the one that holds most is flushed, and the next, until half is free.
//
//     source -> waiting_ -> Topic::messages -> TopicExport::write()
//
// Topics may come up while the source is read, as in a stream. A topic whose writer is null is left
// out from its first message on.

namespace kitbag {
namespace {

/// Messages wait until there are this many, or until they take so much.
constexpr std::size_t kMostWaiting = 1 << 15;
constexpr std::size_t kMostWaitingBytes = 8 << 20;
/// A few messages may hold the memory of whole chunks.
constexpr std::size_t kMostPinnedBytes = 32 << 20;

/// The channels of one topic, in their slots.
ChannelsPtr channels_of(const std::string& topic, const Channels& channels) {
  auto own = std::make_shared<Channels>(channels);
  for (ChannelPtr& channel : *own) {
    if (channel && channel->topic != topic) channel = nullptr;
  }
  return own;
}

class TopicsExport {
 public:
  TopicsExport(const ExportJob& job, const MakeTopicExport& make) : job_(job), make_(make) {}

  std::vector<Exported> write() {
    channels_ = job_.source.channels();
    add_channels();
    Batch batch;
    for (bool is_more = true; is_more;) {
      throw_if_stopped(job_.wait);
      batch.clear();
      is_more = job_.source.read(batch, job_.wait);
      if (is_more) take(batch);
    }
    throw_if_stopped(job_.wait);
    pass_on();
    std::vector<Exported> written;
    for (auto& [topic, own] : topics_) {
      if (own.writer) written.push_back(own.writer->finish());
      own.writer.reset();
    }
    return written;
  }

 private:
  struct Topic {
    std::unique_ptr<TopicExport> writer;  ///< null: left out
    std::vector<Message> messages;        ///< that wait; `waiting_` has their data
  };

  void take(Batch& batch) {
    if (batch.channels) channels_ = batch.channels;
    batch.extras.clear();
    waiting_.take_front(batch, batch.messages().size());
    bool is_enough = waiting_.messages().size() >= kMostWaiting ||
                     waiting_.payload() >= kMostWaitingBytes ||
                     waiting_.pinned() >= kMostPinnedBytes;
    if (is_enough) pass_on();
  }

  void pass_on() {
    if (channels_->size() > known_channels_) add_channels();
    for (const Message& message : std::as_const(waiting_).messages()) {
      Topic* topic = by_slot_[message.channel->slot];
      if (topic->writer) topic->messages.push_back(message);
    }
    for (auto& [name, topic] : topics_) {
      if (topic.messages.empty()) continue;
      throw_if_stopped(job_.wait);
      topic.writer->write(topic.messages, channels_);
      topic.messages.clear();
    }
    waiting_.clear();
    free_memory();
  }

  void free_memory() {
    std::vector<std::pair<std::uint64_t, TopicExport*>> held;
    std::uint64_t all = 0;
    for (auto& [name, topic] : topics_) {
      if (!topic.writer) continue;
      held.emplace_back(topic.writer->held_bytes(), topic.writer.get());
      all += held.back().first;
    }
    if (all <= job_.request.held_bytes) return;
    std::sort(held.begin(), held.end(), std::greater<>());
    for (auto& [bytes, writer] : held) {
      if (all <= job_.request.held_bytes / 2) return;
      writer->flush();
      all -= bytes;
    }
  }

  /// Begins topics that are new.
  void add_channels() {
    by_slot_.resize(channels_->size());
    for (; known_channels_ < channels_->size(); ++known_channels_) {
      const ChannelPtr& channel = (*channels_)[known_channels_];
      if (!channel) continue;
      auto [place, is_new] = topics_.try_emplace(channel->topic);
      if (is_new) {
        place->second.writer = make_(channel->topic, channels_of(channel->topic, *channels_));
      }
      by_slot_[known_channels_] = &place->second;
    }
  }

  const ExportJob& job_;
  const MakeTopicExport& make_;
  ChannelsPtr channels_;
  std::size_t known_channels_ = 0;
  std::map<std::string, Topic> topics_;
  std::vector<Topic*> by_slot_;
  Batch waiting_;
};

}  // namespace

std::vector<Exported> export_topics(const ExportJob& job, const MakeTopicExport& make) {
  return TopicsExport(job, make).write();
}

}  // namespace kitbag
