#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <stop_token>
#include <utility>

#include "kitbag/bag.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"

namespace kitbag {

/// A file that requests a stop whenever it is read, so that what is read is stopped behind it.
class StoppingFile final : public ReadFile {
 public:
  explicit StoppingFile(std::shared_ptr<const ReadFile> file) : file_(std::move(file)) {}

  std::uint64_t size() const override { return file_->size(); }
  std::size_t read(std::uint64_t offset, std::span<std::byte> into) const override {
    stop.request_stop();
    return file_->read(offset, into);
  }

  mutable std::stop_source stop;

 private:
  std::shared_ptr<const ReadFile> file_;
};

/// Reads the bag in `input`, whose chunks are compressed, and is stopped while its first chunk is
/// read: that gives nothing, and then all `messages` come.
inline void check_stop_within_a_chunk(const Format& format, Input input, std::size_t messages) {
  auto file = std::make_shared<StoppingFile>(input.file);
  input.file = file;
  auto source = format.open(input, {}, Session(Registry()))->read();
  file->stop = {};
  Batch batch;
  EXPECT_TRUE(source->read(batch, {file->stop.get_token()}));
  EXPECT_TRUE(batch.empty());
  std::size_t read = 0;
  for (; source->read(batch, {}); batch.clear()) read += batch.messages().size();
  EXPECT_EQ(read, messages);
}

}  // namespace kitbag
