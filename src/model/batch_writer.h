#pragma once

#include <memory>

#include "base/buffer.h"
#include "kitbag/bag.h"
#include "model/channel_places.h"

namespace kitbag {

/// A Writer that takes messages one by one as batches of one, which it puts together itself: for
/// those that have no chunk in which a payload could be made.
class BatchWriter : public Writer {
 public:
  void append(const ChannelPtr& channel, const Stamp& stamp, std::span<const ByteView> pieces,
              const Owner& owner) final;
  std::span<std::byte> reserve(const ChannelPtr& channel, const Stamp& stamp,
                               std::size_t size) final;
  void commit(std::size_t size) final;

 private:
  struct Reserved {
    ChannelPtr channel;  ///< null: nothing is reserved
    Stamp stamp;
    Buffer bytes;
  };

  void write_one(const ChannelPtr& channel, const Stamp& stamp, ByteView data);

  Reserved reserved_;
  ChannelPlaces places_;                                    ///< slots of table_
  ChannelsPtr table_ = std::make_shared<const Channels>();  ///< of the batches of one
};

/// What commit() throws where there is nothing to commit.
Error not_reserved();

}  // namespace kitbag
