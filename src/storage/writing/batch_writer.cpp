#include "kitbag/batch_writer.h"

#include <utility>

#include "base/buffer.h"
#include "storage/writing/channel_places.h"
#include "storage/writing/reservation.h"

// append() and reserve() for formats that only know batches: each message becomes a batch of one.
// The payload is copied only if it is in several pieces. The table of channels is never changed,
// since writers compare its address to see whether there are new ones; it is replaced by a longer
// one.

namespace kitbag {

struct BatchWriter::State {
  ChannelPtr reserved_channel;  ///< null: nothing is reserved
  Stamp reserved_stamp;
  Buffer bytes;                                            ///< of a payload being put together
  ChannelPlaces places;                                    ///< slots of `table`
  ChannelsPtr table = std::make_shared<const Channels>();  ///< of the batches of one
};

BatchWriter::BatchWriter() : state_(std::make_unique<State>()) {}

BatchWriter::~BatchWriter() = default;

void BatchWriter::append(const ChannelPtr& channel, const Stamp& stamp,
                         std::span<const ByteView> pieces) {
  state_->reserved_channel = nullptr;
  if (pieces.size() == 1) return write_one(channel, stamp, pieces.front());
  state_->bytes.clear();
  for (ByteView piece : pieces) state_->bytes.append(piece);
  write_one(channel, stamp, state_->bytes.view());
}

std::span<std::byte> BatchWriter::reserve(const ChannelPtr& channel, const Stamp& stamp,
                                          std::size_t size) {
  state_->reserved_channel = channel;
  state_->reserved_stamp = stamp;
  state_->bytes.resize(size);
  return state_->bytes.span();
}

void BatchWriter::commit(std::size_t size) {
  ChannelPtr channel = std::exchange(state_->reserved_channel, nullptr);
  if (!channel || size > state_->bytes.size()) throw not_reserved();
  write_one(channel, state_->reserved_stamp, state_->bytes.view().first(size));
}

void BatchWriter::write_one(const ChannelPtr& channel, const Stamp& stamp, ByteView data) {
  std::uint32_t slot = state_->places.find(channel, [this](const ChannelPtr& added) {
    auto longer = std::make_shared<Channels>(*state_->table);
    auto own = std::make_shared<Channel>(*added);
    own->slot = static_cast<std::uint32_t>(longer->size());
    longer->push_back(std::move(own));
    state_->table = std::move(longer);
    return state_->table->back()->slot;
  });
  Batch batch;
  batch.channels = state_->table;
  batch.add(
      {(*state_->table)[slot].get(), stamp.sequence, 0, stamp.log_time, stamp.publish_time, data});
  write(std::move(batch));
}

}  // namespace kitbag
