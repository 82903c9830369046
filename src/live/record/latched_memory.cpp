#include "live/record/latched_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "kitbag/batch_writer.h"
#include "kitbag/calls.h"
#include "kitbag/escape.h"

// A file's table of channels, twice as long as the source's:
//
//   slot      0      1            2      3            4
//   channel   /map   /map again   /odom  -            /tf_static ...
//
// A channel's slot is fixed once a batch has declared it, and a latched channel may appear at any
// time. With pairs, the slot of the repeat is known from the start, and no message has to be
// renumbered later. An empty place costs a null pointer.
//
// What is remembered is copied out of its batch: a batch keeps a whole chunk or a block of the feed
// alive, and a map from the beginning would hold it for hours. The copy is shared, so that the
// repeats of many files cost one copy. kMostBytes bounds the sum, since everybody may publish
// latched messages.
//
// A file that gets no message repeats nothing: repeats carry the time of the file's first message,
// which is only known then. Until then the writer holds declarations and extras back.

namespace kitbag {

namespace {

class RepeatingWriter final : public BatchWriter {
 public:
  RepeatingWriter(std::unique_ptr<Writer> writer, std::shared_ptr<LatchedMemory> memory)
      : writer_(std::move(writer)), memory_(std::move(memory)) {}

  /// What is repeated is known with the first message; until then nothing is declared.
  void write(Batch&& batch) override {
    if (!has_begun_ && batch.empty()) {
      if (batch.channels) pending_ = batch.channels;
      std::move(batch.extras.begin(), batch.extras.end(), std::back_inserter(extras_));
      return;
    }
    if (!has_begun_) begin(batch);
    memory_->remember(batch);
    batch.channels = declared(batch.channels);
    writer_->write(std::move(batch));
  }
  SteadyTime due() const override { return writer_->due(); }
  void tick(SteadyTime now) override { writer_->tick(now); }
  void flush() override { writer_->flush(); }
  void close() override {
    if (!has_begun_) {
      Batch declares;
      declares.channels = declared(pending_);
      declares.extras = std::move(extras_);
      writer_->write(std::move(declares));
    }
    writer_->close();
  }
  std::uint64_t size_bytes() const override { return writer_->size_bytes(); }

 private:
  void begin(const Batch& batch) {
    has_begun_ = true;
    if (batch.channels) pending_ = batch.channels;
    Batch repeated = memory_->repeat(pending_, batch.messages().front().log_time);
    table_ = *repeated.channels;
    seen_ = pending_;
    shared_ = repeated.channels;
    repeated.extras = std::exchange(extras_, {});
    writer_->write(std::move(repeated));
  }

  /// Of a table, what this file has.
  ChannelsPtr declared(const ChannelsPtr& wide) {
    if (!wide || wide == seen_) return wide ? shared_ : nullptr;
    seen_ = wide;
    for (std::size_t slot = table_.size(); slot < wide->size(); ++slot) {
      table_.push_back(slot % 2 == 0 ? (*wide)[slot] : nullptr);
    }
    shared_ = std::make_shared<const Channels>(table_);
    return shared_;
  }

  std::unique_ptr<Writer> writer_;
  std::shared_ptr<LatchedMemory> memory_;
  bool has_begun_ = false;
  ChannelsPtr pending_;        ///< declared before the first message
  std::vector<Extra> extras_;  ///< that came before it
  ChannelsPtr seen_;
  Channels table_;
  ChannelsPtr shared_;
};

}  // namespace

void LatchedMemory::add(const ChannelPtr& channel) {
  auto slot = static_cast<std::uint32_t>(wide_.size());
  if (!channel) {
    wide_.insert(wide_.end(), 2, nullptr);
    return;
  }
  Channel own = *channel;
  own.slot = slot;
  wide_.push_back(std::make_shared<const Channel>(own));
  if (!is_state(own)) {
    wide_.push_back(nullptr);
    return;
  }
  own.slot = slot + 1;
  own.metadata.emplace(kRepeatedKey, "1");
  wide_.push_back(std::make_shared<const Channel>(std::move(own)));
}

void LatchedMemory::widen(Batch& batch) {
  if (batch.channels && batch.channels != narrow_) {
    narrow_ = batch.channels;
    for (std::size_t slot = wide_.size() / 2; slot < narrow_->size(); ++slot) {
      add((*narrow_)[slot]);
    }
    shared_ = std::make_shared<const Channels>(wide_);
  }
  if (batch.channels) batch.channels = shared_;
  for (Message& message : batch.messages()) {
    message.channel = wide_[std::size_t{message.channel->slot} * 2].get();
  }
}

void LatchedMemory::remember(const Batch& batch) {
  for (const Message& message : batch.messages()) {
    std::uint32_t slot = message.channel->slot;
    bool is_repeatable = slot + 1 < wide_.size() && wide_[slot + 1];
    if (!is_repeatable) continue;
    forget(slot);
    if (message.data.size() > most_bytes_ - bytes_) {
      tell(*message.channel);
      continue;
    }
    bytes_ += message.data.size();
    auto data =
        std::make_shared<const std::vector<std::byte>>(message.data.begin(), message.data.end());
    Kept& kept = latest_[slot];
    kept = {message, std::move(data)};
    kept.message.channel = wide_[slot + 1].get();
    kept.message.data = *kept.data;
  }
}

void LatchedMemory::forget(std::uint32_t slot) {
  auto kept = latest_.find(slot);
  if (kept == latest_.end()) return;
  bytes_ -= kept->second.data->size();
  latest_.erase(kept);
}

void LatchedMemory::tell(const Channel& channel) {
  if (std::exchange(has_warned_, true) || !tell_) return;
  tell_(Error(ErrorCode::limit,
              fmt::format("latched messages (such as on {}) exceed {} bytes in total; later files "
                          "of this recording do not repeat all of them",
                          escaped(channel.topic), most_bytes_)));
}

Batch LatchedMemory::repeat(const ChannelsPtr& wide, Time first) const {
  Channels table = *wide;
  for (std::size_t slot = 1; slot < table.size(); slot += 2) {
    if (!latest_.contains(static_cast<std::uint32_t>(slot - 1))) table[slot] = nullptr;
  }
  Batch batch;
  batch.channels = std::make_shared<const Channels>(std::move(table));
  for (const auto& [slot, kept] : latest_) {
    Message message = kept.message;
    message.log_time = first;
    batch.keep(kept.data, kept.data->size());
    batch.add(message);
  }
  return batch;
}

std::unique_ptr<Writer> with_repeats(std::unique_ptr<Writer> writer,
                                     std::shared_ptr<LatchedMemory> memory) {
  return std::make_unique<RepeatingWriter>(std::move(writer), std::move(memory));
}

}  // namespace kitbag
