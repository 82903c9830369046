#pragma once

#include <memory>
#include <span>

#include "kitbag/bag.h"
#include "kitbag/export.h"

namespace kitbag {

/// A Writer that implements append(), reserve() and commit() with batches of one message, which it
/// passes to write(). Base class for formats that have no chunk in which a payload could be built.
/// Payloads in several pieces are copied together.
class KITBAG_API BatchWriter : public Writer {
 public:
  BatchWriter();
  ~BatchWriter() override;

  void append(const ChannelPtr& channel, const Stamp& stamp,
              std::span<const ByteView> pieces) final;
  std::span<std::byte> reserve(const ChannelPtr& channel, const Stamp& stamp,
                               std::size_t size) final;
  void commit(std::size_t size) final;

 private:
  struct KITBAG_PRIVATE State;

  void write_one(const ChannelPtr& channel, const Stamp& stamp, ByteView data);

  std::unique_ptr<State> state_;
};

}  // namespace kitbag
