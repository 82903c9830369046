#include "model/batch_writer.h"

#include <utility>

namespace kitbag {

void BatchWriter::append(const ChannelPtr& channel, const Stamp& stamp,
                         std::span<const ByteView> pieces, const Owner&) {
  reserved_.channel = nullptr;
  if (pieces.size() == 1) return write_one(channel, stamp, pieces.front());
  reserved_.bytes.clear();
  for (ByteView piece : pieces) reserved_.bytes.append(piece);
  write_one(channel, stamp, reserved_.bytes.view());
}

std::span<std::byte> BatchWriter::reserve(const ChannelPtr& channel, const Stamp& stamp,
                                          std::size_t size) {
  reserved_.channel = channel;
  reserved_.stamp = stamp;
  reserved_.bytes.resize(size);
  return reserved_.bytes.span();
}

void BatchWriter::commit(std::size_t size) {
  ChannelPtr channel = std::exchange(reserved_.channel, nullptr);
  if (!channel || size > reserved_.bytes.size()) throw not_reserved();
  write_one(channel, reserved_.stamp, reserved_.bytes.view().first(size));
}

void BatchWriter::write_one(const ChannelPtr& channel, const Stamp& stamp, ByteView data) {
  std::uint32_t slot = places_.find(channel, [this](const ChannelPtr& added) {
    auto longer = std::make_shared<Channels>(*table_);
    auto own = std::make_shared<Channel>(*added);
    own->slot = static_cast<std::uint32_t>(longer->size());
    longer->push_back(std::move(own));
    table_ = std::move(longer);
    return table_->back()->slot;
  });
  Batch batch;
  batch.channels = table_;
  batch.add({(*table_)[slot].get(), stamp.sequence, 0, stamp.log_time, stamp.publish_time, data});
  write(std::move(batch));
}

Error not_reserved() {
  return {ErrorCode::invalid, "a message was to be committed that was not reserved, or is longer"};
}

}  // namespace kitbag
