#pragma once

// For tests of writers: a file on a machine whose power goes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "io/local/write_file.h"
#include "kitbag/registry.h"
#include "kitbag/session.h"

namespace kitbag::test {

/// What was done to a file, in order.
struct FileLog {
  struct Step {
    bool is_sync = false;
    std::uint64_t offset = 0;
    std::vector<std::byte> bytes = {};
  };
  std::vector<Step> steps;
};

/// Writes nothing, and remembers everything.
class LoggedFile final : public WriteFile {
 public:
  explicit LoggedFile(std::shared_ptr<FileLog> log) : log_(std::move(log)) {}

  std::uint64_t size() const override { return size_; }
  using WriteFile::append;
  void append(std::span<const ByteView> pieces) override {
    for (ByteView piece : pieces) {
      log_->steps.push_back({false, size_, {piece.begin(), piece.end()}});
      size_ += piece.size();
    }
  }
  void rewrite(std::uint64_t offset, ByteView bytes) override {
    log_->steps.push_back({false, offset, {bytes.begin(), bytes.end()}});
  }
  void flush() override {}
  void sync() override { log_->steps.push_back({.is_sync = true}); }
  void commit() override { sync(); }

 private:
  std::shared_ptr<FileLog> log_;
  std::uint64_t size_ = 0;
};

/// The file as a disk may have it when the power goes behind `end` steps: all that was synced is
/// there; of the rest each block of 4 KiB is there or not, whatever the order in which they came,
/// and one that is there may be torn after any sector.
inline std::string after_power_loss(const FileLog& log, std::size_t end, std::mt19937& random) {
  constexpr std::size_t kBlock = 4096;
  constexpr std::size_t kSector = 512;
  std::size_t synced = end;
  while (synced > 0 && !log.steps[synced - 1].is_sync) --synced;
  std::string content;
  auto put = [&](std::uint64_t offset, ByteView bytes) {
    auto at = static_cast<std::size_t>(offset);
    content.resize(std::max(content.size(), at + bytes.size()), '\0');
    std::memcpy(content.data() + at, bytes.data(), bytes.size());
  };
  for (std::size_t i = 0; i < end; ++i) {
    const FileLog::Step& step = log.steps[i];
    ByteView bytes = step.bytes;
    if (i < synced && !bytes.empty()) put(step.offset, bytes);
    for (std::size_t at = 0; i >= synced && at < bytes.size();) {
      std::size_t part = std::min(bytes.size() - at, kBlock - (step.offset + at) % kBlock);
      std::size_t kept = random() % 2 == 0 ? part : random() % (part / kSector + 1) * kSector;
      if (random() % 2 == 0 && kept > 0) put(step.offset + at, bytes.subspan(at, kept));
      at += part;
    }
  }
  return content;
}

/// "<17>": stands once in a bag.
inline std::string marked_payload(int number) {
  return '<' + std::to_string(number) + '>' +
         std::string(static_cast<std::size_t>(number % 300), 'x');
}

/// Writes messages by `make`, which syncs each chunk, and cuts the power a hundred times: what was
/// synced is read, each message once. What was not may be torn, which formats with checksums
/// report.
inline void check_power_loss(
    const Format& format, bool has_checksums,
    const std::function<std::unique_ptr<Writer>(std::unique_ptr<WriteFile>, const WriteOptions&)>&
        make) {
  constexpr int kMessages = 600;
  auto log = std::make_shared<FileLog>();
  WriteOptions options;
  options.chunk_bytes = 6'000;
  options.is_visible = true;
  options.sync.when = SyncPolicy::When::chunk;
  auto writer = make(std::make_unique<LoggedFile>(log), options);
  auto channel = std::make_shared<Channel>();
  channel->topic = "/a";
  channel->encoding = "ros1";
  channel->schema = std::make_shared<Schema>(Schema{"test/Text", "ros1msg", "uint8[] data\n"});
  channel->metadata = {{"md5sum", "f43a8e1b362b75baa741461b46adc7e0"}};
  auto channels = std::make_shared<const Channels>(Channels{channel});
  for (int i = 0; i < kMessages; ++i) {
    std::string payload = marked_payload(i);
    Batch batch;
    batch.channels = channels;
    batch.add({channel.get(), 0, 0, from_ns(1'000 + i), from_ns(1'000 + i), as_bytes(payload)});
    writer->write(std::move(batch));
  }
  writer->close();
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    std::size_t end = round == 0 ? log->steps.size() : random() % (log->steps.size() + 1);
    std::size_t synced = end;
    while (synced > 0 && !log->steps[synced - 1].is_sync) --synced;
    std::mt19937 nothing(0);
    std::string sure = after_power_loss(*log, synced, nothing);
    std::string content = after_power_loss(*log, end, random);
    std::set<std::string> found;
    ReadOptions reading;
    reading.trust_index = false;
    bool is_reported = false;
    reading.on_problem = [&](const Error&) { is_reported = true; };
    ByteView head = as_bytes(content).first(std::min(content.size(), Input::kHeadBytes));
    Input input{"lost", {head.begin(), head.end()}, memory_file(as_bytes(content))};
    try {
      auto source = format.open(input, reading, Session(Registry()))->read();
      for (Batch batch; source->read(batch, {}); batch.clear()) {
        for (const Message& message : std::as_const(batch).messages()) {
          std::string payload(as_text(message.data));
          int number = payload.size() > 1 ? std::atoi(payload.c_str() + 1) : -1;
          if (payload == marked_payload(number)) {
            EXPECT_TRUE(found.insert(payload).second) << "round " << round;
          } else if (has_checksums) {
            EXPECT_TRUE(is_reported) << "round " << round;
          }
        }
      }
    } catch (const Error& error) {
      EXPECT_EQ(sure.find('<'), std::string::npos) << "round " << round << ": " << error.what();
    }
    for (int i = 0; i < kMessages; ++i) {
      if (sure.find(marked_payload(i)) == std::string::npos) break;
      EXPECT_TRUE(found.contains(marked_payload(i))) << "round " << round << ": message " << i;
    }
  }
}

}  // namespace kitbag::test
