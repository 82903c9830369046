#pragma once

#include <exception>
#include <utility>

#include "kitbag/batch_writer.h"
#include "tests/support/memory_source.h"

namespace kitbag::test {

/// What a MemoryWriter was given; outlives it.
struct Written {
  Samples samples;
  ChannelsPtr channels;              ///< the last table
  std::vector<std::size_t> batches;  ///< messages of each, declaring ones too
  std::vector<SteadyTime> ticks;
  std::size_t flushes = 0;
  bool is_closed = false;
};

/// Keeps what is written. Its size is kHeaderBytes, the payloads and kMessageBytes for each.
class MemoryWriter final : public BatchWriter {
 public:
  static constexpr std::uint64_t kHeaderBytes = 100;
  static constexpr std::uint64_t kMessageBytes = 10;

  explicit MemoryWriter(Written& written) : written_(written) {}

  void write(Batch&& batch) override {
    if (next_error) throw *next_error;
    if (next_refusal) std::rethrow_exception(std::exchange(next_refusal, nullptr));
    written_.channels = batch.channels;
    written_.batches.push_back(batch.messages().size());
    for (const Message& message : batch.messages()) {
      written_.samples.push_back(to_sample(message));
      size_bytes_ += message.data.size() + kMessageBytes;
    }
  }
  SteadyTime due() const override { return next_due; }
  void tick(SteadyTime now) override { written_.ticks.push_back(now); }
  void flush() override { ++written_.flushes; }
  void close() override { written_.is_closed = true; }
  std::uint64_t size_bytes() const override { return size_bytes_; }

  SteadyTime next_due = kNever;
  std::optional<Error> next_error;  ///< thrown by write()
  std::exception_ptr next_refusal;  ///< thrown by one write()

 private:
  Written& written_;
  std::uint64_t size_bytes_ = kHeaderBytes;
};

}  // namespace kitbag::test
