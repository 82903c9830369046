#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "kitbag/bag.h"

namespace kitbag {

/// A writer that counts its messages and calls `on_closed` at its close().
class ClosingWriter final : public Writer {
 public:
  /// `on_closed` gets the number of messages.
  ClosingWriter(std::unique_ptr<Writer> writer, std::function<void(std::uint64_t)> on_closed)
      : on_closed_(std::move(on_closed)), writer_(std::move(writer)) {}

  void write(Batch&& batch) override {
    messages_ += batch.messages().size();
    writer_->write(std::move(batch));
  }
  SteadyTime due() const override { return writer_->due(); }
  void tick(SteadyTime now) override { writer_->tick(now); }
  void flush() override { writer_->flush(); }
  void close() override {
    writer_->close();
    on_closed_(messages_);
  }
  std::uint64_t size_bytes() const override { return writer_->size_bytes(); }
  void append(const ChannelPtr& channel, const Stamp& stamp,
              std::span<const ByteView> pieces) override {
    ++messages_;
    writer_->append(channel, stamp, pieces);
  }
  std::span<std::byte> reserve(const ChannelPtr& channel, const Stamp& stamp,
                               std::size_t size) override {
    return writer_->reserve(channel, stamp, size);
  }
  void commit(std::size_t size) override {
    ++messages_;
    writer_->commit(size);
  }

 private:
  std::function<void(std::uint64_t)> on_closed_;
  std::unique_ptr<Writer> writer_;
  std::uint64_t messages_ = 0;
};

}  // namespace kitbag
