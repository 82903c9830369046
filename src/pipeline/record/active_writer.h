#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kitbag/bag.h"

namespace kitbag {

/// A bag that has kActiveSuffix behind its name until it is whole. `on_whole` is told the name that
/// it has then: `path`, or one beside it where somebody has taken that.
class ActiveWriter final : public Writer {
 public:
  ActiveWriter(std::unique_ptr<Writer> writer, std::string path,
               std::function<void(const std::string&)> on_whole)
      : writer_(std::move(writer)), path_(std::move(path)), on_whole_(std::move(on_whole)) {}

  void write(Batch&& batch) override { writer_->write(std::move(batch)); }
  Steady due() const override { return writer_->due(); }
  void tick(Steady now) override { writer_->tick(now); }
  void flush() override { writer_->flush(); }
  void close() override;
  std::uint64_t size_bytes() const override { return writer_->size_bytes(); }
  void append(const ChannelPtr& channel, const Stamp& stamp, std::span<const ByteView> pieces,
              const Owner& owner) override {
    writer_->append(channel, stamp, pieces, owner);
  }
  std::span<std::byte> reserve(const ChannelPtr& channel, const Stamp& stamp,
                               std::size_t size) override {
    return writer_->reserve(channel, stamp, size);
  }
  void commit(std::size_t size) override { writer_->commit(size); }

 private:
  std::unique_ptr<Writer> writer_;
  std::string path_;
  std::function<void(const std::string&)> on_whole_;
};

}  // namespace kitbag
