#pragma once

#include <memory>
#include <utility>

#include "kitbag/bag.h"
#include "kitbag/file_system.h"
#include "kitbag/system_error.h"

namespace kitbag {

/// A writer of a file of a Staging: its errors name the file as it will be called.
class StagedWriter final : public Writer {
 public:
  StagedWriter(std::unique_ptr<Writer> writer, std::shared_ptr<const Staging> set)
      : set_(std::move(set)), writer_(std::move(writer)) {}

  void write(Batch&& batch) override {
    run_renaming([&] { writer_->write(std::move(batch)); });
  }
  SteadyTime due() const override { return writer_->due(); }
  void tick(SteadyTime now) override {
    run_renaming([&] { writer_->tick(now); });
  }
  void flush() override {
    run_renaming([&] { writer_->flush(); });
  }
  void close() override {
    run_renaming([&] { writer_->close(); });
  }
  std::uint64_t size_bytes() const override { return writer_->size_bytes(); }
  void append(const ChannelPtr& channel, const Stamp& stamp,
              std::span<const ByteView> pieces) override {
    run_renaming([&] { writer_->append(channel, stamp, pieces); });
  }
  std::span<std::byte> reserve(const ChannelPtr& channel, const Stamp& stamp,
                               std::size_t size) override {
    std::span<std::byte> room;
    run_renaming([&] { room = writer_->reserve(channel, stamp, size); });
    return room;
  }
  void commit(std::size_t size) override {
    run_renaming([&] { writer_->commit(size); });
  }

 private:
  template <class Call>
  void run_renaming(Call&& call) const {
    try {
      call();
    } catch (const Error& error) {
      throw_as(set_->with_final_name(error), error);
    }
  }

  std::shared_ptr<const Staging> set_;
  std::unique_ptr<Writer> writer_;
};

/// What `make` gives for these options, as a part of `set`.
template <class Make>
std::unique_ptr<Writer> staged_writer(const std::shared_ptr<const Staging>& set,
                                      WriteOptions options, Make&& make) {
  if (options.on_warning) {
    options.on_warning = [set, tell = std::move(options.on_warning)](const Error& warning) {
      tell(set->with_final_name(warning));
    };
  }
  try {
    return std::make_unique<StagedWriter>(make(options), set);
  } catch (const Error& error) {
    throw_as(set->with_final_name(error), error);
  }
}

}  // namespace kitbag
