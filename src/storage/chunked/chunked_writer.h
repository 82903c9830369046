#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "io/sticky.h"
#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "model/extras.h"
#include "storage/chunked/chunk_pipe.h"
#include "storage/chunked/unclaimed_channels.h"
#include "storage/writing/channel_places.h"
#include "storage/writing/reservation.h"
#include "storage/writing/stored_times.h"
#include "storage/writing/topic_encodings.h"
#include "storage/writing/write_pace.h"

namespace kitbag {

/// A channel of the file being written. Slots of batches are mapped to its index in the list of
/// them, which is its slot in chunks.
struct WrittenChannel {
  ChannelPtr channel;
  std::uint32_t lane = 0;     ///< of ChunkPipe
  bool is_described = false;  ///< its record is in the file, or in a chunk
};

/// The Writer of every format made of chunks.
///
/// A message takes the same way in all of them: it goes into the open chunk of its channel's lane,
/// after the record of the channel if it is the first. A full chunk is packed while the next one is
/// filled, and written with its index after it. If a file is appended to, its channels are claimed
/// one by one. The first error sticks, and tick() flushes and syncs as often as the options say.
///
/// `Format`, which derives from this class, defines how this looks in the file. It is a template
/// parameter because two of its functions are called for each message:
///
///     kTimes                                   the StoredTimes; others are refused
///     kFrameBytes                              what precedes the payload in a message record
///     put_frame(to, channel, message, size)    writes it; the log time as the format stores it
///     check_payload(channel, bytes)            throws if a message is too large for any chunk
///     describe(channel, into)                  appends the record of a channel
///     kHasEmptyChunks                          a chunk may contain records of channels only
///     make_channel(channel)                    adds what a new channel has in the file
///     write_chunk(chunk)                       writes it to the file, with its index
///     take(extra)                              writes it, or notes that it is left out
///     tell_warnings()                          warns of what is left out; may throw
///     write_end()                              writes what follows the last chunk
///
/// and may replace these members:
///
///     stored_form(channel)                     the channel as the file describes it
///     before_flush()                           writes what must be in the file by then
///
/// Refused: virtual functions, which cost more than the rest of what is done for a small message.
template <class Format, class Channel>
class ChunkedWriter : public Writer {
 public:
  void write(Batch&& batch) final;
  void append(const ChannelPtr& channel, const Stamp& stamp,
              std::span<const ByteView> pieces) final;
  std::span<std::byte> reserve(const ChannelPtr& channel, const Stamp& stamp,
                               std::size_t size) final;
  void commit(std::size_t size) final;
  SteadyTime due() const final { return pace_.due(); }
  void tick(SteadyTime now) final;
  void flush() final;
  void close() final;
  std::uint64_t size_bytes() const final;

 protected:
  /// `most_chunk_bytes`, `make_packer` and `packs_all` are those of ChunkPipe.
  ChunkedWriter(std::unique_ptr<WriteFile> file, const std::string& path,
                const WriteOptions& options, std::size_t most_chunk_bytes,
                ChunkPipe::MakeCompressor make_packer = {}, bool packs_all = false);

  WriteFile& file() { return *file_; }
  const std::string& path() const { return path_; }
  LeftOutExtras& left_out() { return left_out_; }
  void tell(const Error& warning) const {
    if (on_warning_) on_warning_(warning);
  }
  void tell_left_out(std::string_view target) const { left_out_.tell(target, path_, on_warning_); }
  /// In the order in which they were added.
  std::vector<Channel>& channels() { return channels_; }
  const std::vector<Channel>& channels() const { return channels_; }
  /// Adds a channel of the file appended to, whose stored form is `form`.
  void add_known(Channel channel, const ChannelPtr& form);
  /// Returns when all chunks are written.
  void drain() { pipe_.drain(); }
  /// A chunk as it goes into the file, between `before` and `behind`, which may be empty. Valid
  /// until the next call.
  std::span<const ByteView> pieces_of(ByteView before, const ChunkBuilder& chunk, ByteView behind);

  const ChannelPtr& stored_form(const ChannelPtr& channel) { return channel; }
  void before_flush() {}

 private:
  Format& format() { return static_cast<Format&>(*this); }
  std::uint32_t place_of(const ChannelPtr& channel);
  std::uint32_t find_channel(const ChannelPtr& given);
  std::uint32_t add_channel(Channel channel);
  ChunkBuilder& chunk_for(const Channel& channel, std::size_t payload_bytes);
  void describe(Channel& channel, ChunkBuilder& chunk);
  void put(std::uint32_t place, const Message& head, std::span<const ByteView> pieces);
  void drop_reserved();
  void write_chunk(ChunkBuilder& chunk);

  std::unique_ptr<WriteFile> file_;
  std::string path_;
  OnWarning on_warning_;
  LeftOutExtras left_out_;
  TopicEncodings encodings_;
  ChannelPlaces places_;  ///< in channels_
  std::vector<Channel> channels_;
  UnclaimedChannels unclaimed_;
  std::optional<Reservation> reserved_;
  std::vector<ByteView> pieces_;
  std::uint64_t stored_bytes_ = 0;  ///< of chunks written, compressed
  std::uint64_t packed_bytes_ = 0;  ///< the same, uncompressed
  WritePace pace_;
  Sticky sticky_;
  ChunkPipe pipe_;
};

template <class Format, class Channel>
ChunkedWriter<Format, Channel>::ChunkedWriter(std::unique_ptr<WriteFile> file,
                                              const std::string& path, const WriteOptions& options,
                                              std::size_t most_chunk_bytes,
                                              ChunkPipe::MakeCompressor make_packer, bool packs_all)
    : file_(std::move(file)),
      path_(path),
      on_warning_(options.on_warning),
      encodings_(path),
      pace_(options),
      pipe_(
          options, most_chunk_bytes, [this](ChunkBuilder& chunk) { write_chunk(chunk); },
          std::move(make_packer), packs_all) {}

template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::write(Batch&& batch) {
  sticky_.run([&] {
    require_stored(Format::kTimes, batch, path_);
    drop_reserved();
    places_.declare(batch.channels,
                    [this](const ChannelPtr& channel) { return find_channel(channel); });
    for (const Extra& extra : batch.extras) format().take(extra);
    for (const Message& message : std::as_const(batch).messages()) {
      put(places_[message.channel->slot], message, std::span(&message.data, 1));
    }
    if (!batch.empty()) pace_.note();
  });
}

template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::append(const ChannelPtr& channel, const Stamp& stamp,
                                            std::span<const ByteView> pieces) {
  sticky_.run([&] {
    require_stored(Format::kTimes, *channel, stamp, path_);
    drop_reserved();
    put(place_of(channel), head_of(*channel, stamp), pieces);
    pace_.note();
  });
}

template <class Format, class Channel>
std::span<std::byte> ChunkedWriter<Format, Channel>::reserve(const ChannelPtr& channel,
                                                             const Stamp& stamp, std::size_t size) {
  std::span<std::byte> room;
  sticky_.run([&] {
    require_stored(Format::kTimes, *channel, stamp, path_);
    drop_reserved();
    std::uint32_t place = place_of(channel);
    Channel& written = channels_[place];
    ChunkBuilder& chunk = chunk_for(written, size);
    std::size_t before = chunk.bytes.size();
    if (!written.is_described) describe(written, chunk);
    std::size_t record_at = chunk.bytes.size();
    reserved_ = {place, stamp, size, Format::kHasEmptyChunks ? record_at : before, record_at};
    room = {chunk.bytes.extend(Format::kFrameBytes + size) + Format::kFrameBytes, size};
  });
  return room;
}

template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::commit(std::size_t size) {
  if (!reserved_ || size > reserved_->size) throw not_reserved();
  sticky_.run([&] {
    Reservation made = *std::exchange(reserved_, std::nullopt);
    Channel& channel = channels_[made.place];
    ChunkBuilder& chunk = pipe_.chunk(channel.lane);
    Time log_time = made.stamp.log_time;
    std::uint64_t time = format().put_frame(chunk.bytes.data() + made.record_at, channel,
                                            head_of(*channel.channel, made.stamp), size);
    chunk.bytes.resize(made.record_at + Format::kFrameBytes + size);
    bool closes_chunk = pipe_.fills(channel.lane, chunk.bytes.size(), log_time);
    chunk.add({time, static_cast<std::uint32_t>(made.record_at), made.place}, log_time);
    if (closes_chunk) pipe_.close_chunk(channel.lane);
    pace_.note();
  });
}

template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::tick(SteadyTime now) {
  WritePace::Work work = pace_.tick(now);
  if (work.flush || work.sync) flush();
  if (work.sync) sticky_.run([&] { file_->begin_sync(); });
}

template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::flush() {
  sticky_.run([&] {
    drop_reserved();
    pipe_.drain();
    format().before_flush();
    file_->flush();
  });
}

template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::close() {
  sticky_.run([&] {
    drop_reserved();
    format().tell_warnings();  // if it throws, nothing is written
    pipe_.drain();
    format().write_end();
    file_->commit();
  });
}

/// Data that is not written yet is assumed to shrink as much as the data written.
template <class Format, class Channel>
std::uint64_t ChunkedWriter<Format, Channel>::size_bytes() const {
  std::uint64_t pending = pipe_.pending_bytes();
  if (packed_bytes_ == 0) return file_->size() + pending;
  double ratio = static_cast<double>(stored_bytes_) / static_cast<double>(packed_bytes_);
  return file_->size() + static_cast<std::uint64_t>(static_cast<double>(pending) * ratio);
}

template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::add_known(Channel channel, const ChannelPtr& form) {
  encodings_.add(*form);
  unclaimed_.add(form, add_channel(std::move(channel)));
}

template <class Format, class Channel>
std::uint32_t ChunkedWriter<Format, Channel>::place_of(const ChannelPtr& channel) {
  return places_.find(channel, [this](const ChannelPtr& added) { return find_channel(added); });
}

/// A channel of the file appended to if one is equal, else a new one.
template <class Format, class Channel>
std::uint32_t ChunkedWriter<Format, Channel>::find_channel(const ChannelPtr& given) {
  ChannelPtr channel = format().stored_form(given);
  if (auto claimed = unclaimed_.claim(channel)) return *claimed;
  encodings_.add(*channel);
  return add_channel(format().make_channel(channel));
}

template <class Format, class Channel>
std::uint32_t ChunkedWriter<Format, Channel>::add_channel(Channel channel) {
  channel.lane = pipe_.lane_of(channel.channel->topic);
  channels_.push_back(std::move(channel));
  return static_cast<std::uint32_t>(channels_.size() - 1);
}

/// The chunk that takes a message of the channel.
template <class Format, class Channel>
ChunkBuilder& ChunkedWriter<Format, Channel>::chunk_for(const Channel& channel,
                                                        std::size_t payload_bytes) {
  format().check_payload(channel, payload_bytes);
  if (pipe_.closes_before(channel.lane, Format::kFrameBytes + payload_bytes)) {
    pipe_.close_chunk(channel.lane);
  }
  return pipe_.chunk(channel.lane);
}

/// A channel's record goes into the first chunk that holds a message of it, so that a file without
/// an index can be read.
template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::describe(Channel& channel, ChunkBuilder& chunk) {
  format().describe(channel, chunk.bytes);
  channel.is_described = true;
}

template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::put(std::uint32_t place, const Message& head,
                                         std::span<const ByteView> pieces) {
  constexpr std::size_t kFrame = Format::kFrameBytes;
  Channel& channel = channels_[place];
  std::size_t size = total_bytes(pieces);
  ChunkBuilder& chunk = chunk_for(channel, size);
  if (!channel.is_described) describe(channel, chunk);
  std::size_t offset = chunk.bytes.size();
  bool closes_chunk = pipe_.fills(channel.lane, offset + kFrame + size, head.log_time);
  // The payload that fills a chunk is not copied into it where the chunk is written at once.
  bool stays_outside = closes_chunk && pipe_.writes_at_once();
  std::byte* record = chunk.bytes.extend(kFrame + (stays_outside ? 0 : size));
  std::uint64_t time = format().put_frame(record, channel, head, size);
  if (!stays_outside) copy_pieces(record + kFrame, pieces);
  chunk.add({time, static_cast<std::uint32_t>(offset), place}, head.log_time);
  if (stays_outside) {
    pipe_.close_chunk(channel.lane, {pieces, size});
  } else if (closes_chunk) {
    pipe_.close_chunk(channel.lane);
  }
}

/// With the channel's record in front of it, where no chunk may be without a message.
template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::drop_reserved() {
  if (!reserved_) return;
  Channel& channel = channels_[reserved_->place];
  pipe_.chunk(channel.lane).bytes.resize(reserved_->bytes_before);
  if (reserved_->bytes_before < reserved_->record_at) channel.is_described = false;
  reserved_.reset();
}

template <class Format, class Channel>
void ChunkedWriter<Format, Channel>::write_chunk(ChunkBuilder& chunk) {
  format().write_chunk(chunk);
  stored_bytes_ += chunk.stored_size();
  packed_bytes_ += chunk.size();
  if (pace_.syncs_chunks()) file_->begin_sync();
}

template <class Format, class Channel>
std::span<const ByteView> ChunkedWriter<Format, Channel>::pieces_of(ByteView before,
                                                                    const ChunkBuilder& chunk,
                                                                    ByteView behind) {
  pieces_.clear();
  if (!before.empty()) pieces_.push_back(before);
  pieces_.push_back(chunk.stored());
  pieces_.insert(pieces_.end(), chunk.tail.pieces.begin(), chunk.tail.pieces.end());
  if (!behind.empty()) pieces_.push_back(behind);
  return pieces_;
}

}  // namespace kitbag
