#include "kitbag/encode_video.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/escape.h"
#include "kitbag/picture.h"
#include "kitbag/registry.h"
#include "kitbag/selector.h"
#include "kitbag/transcode.h"
#include "pictures/fit_for_video.h"
#include "pictures/picture_type.h"
#include "video/encoding_threads.h"

// source -> held_: batches in their order, whose pictures are jobs of the threads -> read().
//
// A batch leaves when all its pictures are encoded, and none before those in front of it. So the
// order stays, and what comes between two pictures waits for the encoder. How much is held is
// bounded. If more came, a source that can wait is not read on; for a live system, pictures are
// dropped before that, since a topic has few that wait.
//
// Whether pictures are fit for a video is known with the first message. So a topic with pictures is
// declared when that has come, and the table of channels has its own slots.

namespace kitbag {
namespace {

/// While pictures are being encoded, a live source is looked at this often.
constexpr std::chrono::milliseconds kLook{5};
constexpr unsigned kMostThreads = 64;

unsigned thread_count(unsigned asked) {
  unsigned count = asked > 0 ? asked : std::max(1U, std::thread::hardware_concurrency());
  return std::min(count, kMostThreads);
}

/// What becomes of a channel of the source.
struct Way {
  ChannelPtr from;
  const EncodedTopics* how = nullptr;  ///< null: it stays as it is
  ChannelPtr to = nullptr;             ///< null: not decided yet
  std::unique_ptr<EncodedTopic> topic = nullptr;
  std::size_t thread = 0;
  std::size_t waiting = 0;  ///< pictures that are not encoded yet
};

/// A picture in a batch that is held.
struct HeldPicture {
  EncodingJob job;
  bool is_done = false;
  Way* way = nullptr;
  std::size_t index = 0;  ///< in the batch
};

struct HeldBatch {
  Batch batch;
  std::deque<HeldPicture> pictures;  ///< which stay where they are
  std::set<std::size_t> left_out;    ///< messages of it, by index
  std::size_t bytes = 0;
};

class EncodedSource final : public Source {
 public:
  EncodedSource(std::unique_ptr<Source> source, EncodeVideoOptions options,
                EncodeVideoReport& report, const Session& session)
      : options_(std::move(options)),
        report_(report),
        session_(session),
        source_(std::move(source)),
        threads_(thread_count(options_.threads), session.clock()) {
    for (const EncodedTopics& each : options_.topics) {
      const VideoCodec* codec = session_.find_video_codec(each.format);
      if (!codec || !codec->encode) {
        throw Error(ErrorCode::unsupported,
                    fmt::format("there is no encoder for video in the format \"{}\"; supported: "
                                "h264, h265",
                                escaped(each.format)));
      }
      codecs_.push_back(codec);
      VideoEncoding tried = each.encoding;  // wrong settings are an error at once
      tried.width = 64;
      tried.height = 64;
      codec->encode(tried);
    }
    used_.resize(options_.topics.size());
    declare(*source_->channels());
  }

  ChannelsPtr channels() const override { return table_; }

  bool read(Batch& batch, const Wait& wait) override {
    while (true) {
      if (!held_.empty() && is_front_done()) {
        give(batch);
        return true;
      }
      if (is_at_end_ && held_.empty()) return end(batch);
      bool has_room = held_bytes_ < options_.held_bytes;
      if (is_at_end_ || !has_room) {
        if (!await_front(wait)) return nothing(batch);
        continue;
      }
      Batch next;
      Wait look = wait;
      if (!held_.empty()) look.until = std::min(wait.until, session_.clock()->steady() + kLook);
      if (!source_->read(next, look)) {
        is_at_end_ = true;
        continue;
      }
      take(std::move(next));
      bool has_ended = wait.stop.stop_requested() || session_.clock()->steady() >= wait.until;
      if (has_ended) return nothing(batch);
    }
  }

 private:
  bool nothing(Batch& batch) const {
    batch.channels = table_;
    return true;
  }

  bool is_front_done() const {
    const auto& pictures = held_.front().pictures;
    return std::all_of(pictures.begin(), pictures.end(),
                       [&](const HeldPicture& each) { return threads_.is_done(each.is_done); });
  }

  /// For one picture of it. False: `wait` ended first.
  bool await_front(const Wait& wait) {
    for (const HeldPicture& each : held_.front().pictures) {
      if (!threads_.is_done(each.is_done)) return threads_.await(each.is_done, wait);
    }
    return true;
  }

  // --- channels ---

  void declare(const Channels& channels) {
    for (std::size_t slot = ways_.size(); slot < channels.size(); ++slot) {
      Way& way = ways_.emplace_back();
      way.from = channels[slot];
      if (!way.from) continue;
      way.how = rule_for(*way.from);
      if (!way.how) add(way, *way.from);
    }
  }

  const EncodedTopics* rule_for(const Channel& channel) {
    for (std::size_t i = 0; i < options_.topics.size(); ++i) {
      const EncodedTopics& rule = options_.topics[i];
      if (!matches_glob(rule.topics, channel.topic)) continue;
      if (has_video(channel, session_)) used_[i] = true;  // it is one already
      return has_pictures(channel, session_) ? &rule : nullptr;
    }
    return nullptr;
  }

  /// Adds the channel to the table.
  void add(Way& way, const Channel& channel) {
    auto added = std::make_shared<Channel>(channel);
    auto longer = std::make_shared<Channels>(*table_);
    added->slot = static_cast<std::uint32_t>(longer->size());
    longer->push_back(added);
    way.to = std::move(added);
    table_ = std::move(longer);
  }

  /// By the first message that can be read. False: this one cannot.
  bool decide(Way& way, const Message& message) {
    std::string reason;
    try {
      auto decoder = decoder_of(*way.from, session_);
      ImageMessage fields = image_fields(message, *decoder);
      if (!format_of_frame(*way.from, fields)) reason = reason_against_video(fields);
    } catch (const Error& error) {
      lose(way, error);
      return false;
    }
    std::size_t rule = static_cast<std::size_t>(way.how - options_.topics.data());
    used_[rule] = true;
    if (reason.empty()) {
      try {
        way.topic = std::make_unique<EncodedTopic>(way.from, *way.how, *codecs_[rule], session_);
        way.thread = threads_.add_topic();
        add(way, way.topic->channel());
        return true;
      } catch (const Error& error) {
        if (is_final(error.code())) throw;
        reason = error.message();
      }
    }
    report_.remarks.push_back(fmt::format("{} stays as it is, and does not become a video: {}",
                                          escaped(way.from->topic), reason));
    way.how = nullptr;
    add(way, *way.from);
    return true;
  }

  // --- messages ---

  void take(Batch&& batch) {
    if (batch.channels) declare(*batch.channels);
    if (batch.empty() && batch.extras.empty()) return;
    HeldBatch& held = held_.emplace_back();
    held.batch = std::move(batch);
    held.bytes = std::max(held.batch.pinned(), held.batch.payload()) +
                 held.batch.messages().size() * sizeof(Message);
    held_bytes_ += held.bytes;
    report_.held += held.batch.messages().size();
    std::size_t index = 0;
    for (Message& message : held.batch.messages()) take(message, index++, held);
  }

  void take(Message& message, std::size_t index, HeldBatch& held) {
    Way& way = ways_.at(message.channel->slot);
    if (!way.to && !decide(way, message)) {
      held.left_out.insert(index);
      return;
    }
    // `waiting` goes down when a batch is given. To count it anew looks at all that is held, so
    // that is done only before a picture would be dropped.
    if (way.topic && options_.may_drop && way.waiting >= options_.most_waiting) count_done(way);
    if (way.topic && options_.may_drop && way.waiting >= options_.most_waiting) {
      held.left_out.insert(index);
      ++report_.dropped[way.from->topic];
      return;
    }
    if (way.topic) {
      HeldPicture& picture = held.pictures.emplace_back();
      picture.way = &way;
      picture.index = index;
      picture.job.topic = way.topic.get();
      picture.job.message = message;
      picture.job.message.channel = way.from.get();
      ++way.waiting;
      threads_.give(way.thread, picture.job, picture.is_done);
    }
    message.channel = way.to.get();
  }

  /// Those of the way that wait for others of their batches, not for the encoder.
  void count_done(Way& way) {
    way.waiting = 0;
    for (const HeldBatch& held : held_) {
      for (const HeldPicture& picture : held.pictures) {
        if (picture.way == &way && !threads_.is_done(picture.is_done)) ++way.waiting;
      }
    }
  }

  void give(Batch& batch) {
    HeldBatch held = std::move(held_.front());
    held_.pop_front();
    held_bytes_ -= held.bytes;
    report_.held -= held.batch.messages().size();
    for (HeldPicture& picture : held.pictures) finish(picture, held);
    std::size_t index = 0;
    held.batch.drop_if([&](const Message&) { return held.left_out.contains(index++); });
    // The pictures are in memory that would stay with their frames.
    if (!held.pictures.empty()) held.batch.compact();
    held.batch.channels = table_;
    batch = std::move(held.batch);
  }

  void finish(HeldPicture& picture, HeldBatch& held) {
    Way& way = *picture.way;
    if (way.waiting > 0) --way.waiting;
    if (picture.job.error) {
      lose(way, *picture.job.error);
      held.left_out.insert(picture.index);
      return;
    }
    EncodedMessage& made = picture.job.made;
    auto payload = std::make_shared<const std::vector<std::byte>>(std::move(made.payload));
    held.batch.set_data(held.batch.messages()[picture.index], *payload);
    held.batch.keep(payload, payload->size());
    ++report_.frames[way.from->topic];
    if (made.width % 2 != 0 || made.height % 2 != 0) tell_padding(way, made);
  }

  void tell_padding(const Way& way, const EncodedMessage& made) {
    if (!padded_.insert(way.from->topic).second) return;
    report_.remarks.push_back(fmt::format(
        "{}: the pictures have {} x {} pixels, and a video has an even number; the last "
        "{} repeated",
        escaped(way.from->topic), made.width, made.height,
        made.width % 2 == 0    ? "row is"
        : made.height % 2 == 0 ? "column is"
                               : "column and row are"));
  }

  void lose(const Way& way, const Error& error) {
    if (options_.on_error == OnError::stop || is_final(error.code())) throw error;
    if (!options_.losses) return;
    TranscodeReport::Topic& topic = options_.losses->topics[way.from->topic];
    if (topic.skipped++ == 0) topic.first_error = error.message();
  }

  /// Topics without messages stay declared.
  bool end(Batch& batch) {
    bool has_more = false;
    for (Way& way : ways_) {
      if (!way.from || way.to) continue;
      add(way, *way.from);
      has_more = true;
    }
    if (!std::exchange(has_ended_, true)) {
      for (std::size_t i = 0; i < used_.size(); ++i) {
        if (used_[i]) continue;
        report_.remarks.push_back(fmt::format("no messages with pictures on {}: nothing is encoded",
                                              escaped(options_.topics[i].topics)));
      }
    }
    return has_more && nothing(batch);
  }

  EncodeVideoOptions options_;
  EncodeVideoReport& report_;
  Session session_;
  std::unique_ptr<Source> source_;
  std::vector<const VideoCodec*> codecs_;  ///< by number in options_.topics
  std::vector<bool> used_;                 ///< likewise: a topic that it is for has come
  ChannelsPtr table_ = std::make_shared<const Channels>();
  std::deque<Way> ways_;  ///< by slot of the source
  std::deque<HeldBatch> held_;
  std::size_t held_bytes_ = 0;
  std::set<std::string> padded_;  ///< topics of which it was told
  bool is_at_end_ = false;
  bool has_ended_ = false;
  EncodingThreads threads_;  ///< the last one, as they work on all that
};

}  // namespace

std::unique_ptr<Source> encode_video(std::unique_ptr<Source> source,
                                     const EncodeVideoOptions& options, EncodeVideoReport& report,
                                     const Session& session) {
  return std::make_unique<EncodedSource>(std::move(source), options, report, session);
}

}  // namespace kitbag
