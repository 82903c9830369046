// Every format that can be written, with each compression: what is whole in a damaged bag is saved.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "kitbag/base64.h"
#include "kitbag/kitbag.h"
#include "tests/support/bags.h"
#include "tests/support/thrown_by.h"

namespace kitbag::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPageBytes = 4096;  // of SQLite, which is read by whole pages

class Repair : public ::testing::TestWithParam<FormatCase> {
 protected:
  /// Two hundred messages in some twenty chunks, in the file `name`.
  std::string write_bag(const std::string& name) {
    auto bytes = GetParam().bytes(GetParam().options(2'000), messages_);
    return write_file(name, bytes);
  }
  std::string write_file(const std::string& name, ByteView bytes) {
    std::string path = folder_ / (name + std::string(GetParam().format.extension));
    std::ofstream(path, std::ios::binary) << as_text(bytes);
    return path;
  }
  Repaired repair_bag(const std::string& from, const std::string& to) {
    RepairOptions options;
    return repair(from, to, options, session_);
  }
  std::vector<TestMessage> stored(const std::string& path) {
    Query query;
    query.order = Order::file;
    return read_messages(*session_.open(path), query);
  }

  /// Where to cut the bag at `path` in two, and how many of its messages are whole before that.
  struct Cut {
    std::size_t size = 0;
    std::uint64_t messages = 0;
  };
  Cut middle_of(const std::string& path) {
    auto bytes = file_bytes(path);
    auto chunks = session_.open(path)->chunks();
    if (chunks.empty()) {
      std::size_t size = bytes.size() / 2;
      if (GetParam().format.name == "sqlite3") size -= size % kPageBytes;
      return {size, payloads_in(as_text(bytes).substr(0, size))};
    }
    const ChunkSummary& chunk = chunks[chunks.size() / 2];
    Cut cut{chunk.offset + chunk.stored_bytes / 2, 0};
    for (const ChunkSummary* whole = chunks.data(); whole != &chunk; ++whole) {
      cut.messages += whole->messages;
    }
    // LZ4 keeps noise as it is, and is unpacked as far as it goes; the others are lost whole.
    if (chunk.compression == "none" || chunk.compression == "lz4") {
      cut.messages += payloads_in(as_text(bytes).substr(chunk.offset, cut.size - chunk.offset));
    }
    return cut;
  }
  /// How many payloads lie whole in `text`, as they are or in base64.
  std::uint64_t payloads_in(std::string_view text) const {
    return static_cast<std::uint64_t>(
        std::count_if(messages_.begin(), messages_.end(), [&](const TestMessage& message) {
          auto has = [&](std::string_view payload) { return text.find(payload) != text.npos; };
          return has(message.payload) || has(encode_base64(as_bytes(message.payload)));
        }));
  }

  static std::vector<TestMessage> make_messages() {
    std::mt19937 random(3);
    std::vector<TestMessage> messages;
    for (std::uint32_t i = 0; i < 200; ++i) {
      std::string payload(200, '\0');
      for (char& c : payload) c = static_cast<char>(random() % 256);  // does not compress
      messages.push_back({i % 3, 1'000'000'000 + i, payload});
    }
    return messages;
  }

  TempFolder folder_;
  Session session_;
  std::vector<TestMessage> messages_ = make_messages();
};

TEST_P(Repair, ASoundBagIsCopiedWhole) {
  std::string from = write_bag("from");
  std::string to = folder_ / "to";
  Repaired repaired = repair_bag(from, to);
  EXPECT_EQ(repaired.damage.losses(), 0U);
  EXPECT_EQ(repaired.totals.messages, messages_.size());
  EXPECT_TRUE(repaired.is_written);
  EXPECT_EQ(stored(to), messages_);
}

TEST_P(Repair, OfACutBagTheBeginningIsSavedAndTheLossTold) {
  std::string whole = write_bag("from");
  Cut middle = middle_of(whole);
  auto bytes = file_bytes(whole);
  std::string cut = write_file("cut", ByteView(bytes).first(middle.size));
  std::string to = folder_ / "to";
  Repaired repaired = repair_bag(cut, to);
  EXPECT_TRUE(repaired.is_written);
  EXPECT_GT(repaired.damage.losses(), 0U);
  auto saved = stored(to);
  ASSERT_GT(middle.messages, 0U);
  ASSERT_LT(middle.messages, messages_.size());
  ASSERT_EQ(saved.size(), middle.messages);
  messages_.resize(saved.size());
  EXPECT_EQ(saved, messages_);
}

TEST_P(Repair, InPlaceACutBagIsReplacedAndASoundOneIsLeftAlone) {
  std::string path = write_bag("from");
  auto bytes = file_bytes(path);
  write_file("from", ByteView(bytes).first(bytes.size() / 2));
  EXPECT_TRUE(repair_bag(path, path).is_written);
  auto repaired_bytes = file_bytes(path);
  EXPECT_NO_THROW(session_.check(path, {}, {.decoded_messages = 0}));
  Repaired again = repair_bag(path, path);
  EXPECT_EQ(again.damage.losses(), 0U);
  EXPECT_FALSE(again.is_written);
  EXPECT_EQ(file_bytes(path), repaired_bytes);
}

TEST_P(Repair, DamagedFirstBytesLoseNothing) {
  std::string path = write_bag("from");
  auto bytes = file_bytes(path);
  std::string to = folder_ / "to";
  for (std::size_t at : {0U, 1U, 4U, 6U}) {
    for (int bit : {0, 5, 7}) {
      auto damaged = bytes;
      damaged[at] ^= static_cast<std::byte>(1 << bit);
      write_file("from", damaged);
      Repaired repaired = repair_bag(path, to);
      EXPECT_EQ(repaired.damage.losses(), 0U) << at;
      EXPECT_EQ(repaired.damage.count(), 1U) << at;
      EXPECT_EQ(stored(to), messages_) << at;
    }
  }
}

TEST_P(Repair, WhereThereIsNothingToSaveNothingIsWritten) {
  std::string whole = write_bag("from");
  auto bytes = file_bytes(whole);
  std::string cut = write_file("cut", ByteView(bytes).first(40));
  std::string to = folder_ / "to";
  EXPECT_TRUE(is_damage(test::thrown_by([&] { repair_bag(cut, to); }).code()));
  EXPECT_FALSE(fs::exists(to));
}

TEST_P(Repair, EachDamageIsToldOnce) {
  std::string path = write_bag("from");
  auto bytes = file_bytes(path);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), 300, std::byte{0});
  write_file("from", bytes);
  RepairOptions options;
  std::vector<std::string> reported;
  options.on_problem = [&](const Error& problem) { reported.emplace_back(problem.what()); };
  Repaired repaired = repair(path, folder_ / "to", options, session_);
  EXPECT_EQ(reported.size(), repaired.damage.count());
  EXPECT_GT(repaired.damage.losses(), 0U);
  EXPECT_GT(repaired.totals.messages, messages_.size() / 2);
}

TEST_P(Repair, AStopLeavesTheTargetAsItWas) {
  std::string from = write_bag("from");
  std::string to = write_file("to", as_bytes("as it was"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_ERROR(cancelled, repair(from, to, {}, session_, stop.get_token()));
  EXPECT_EQ(as_text(file_bytes(to)), "as it was");
}

/// Forgets the first message.
class ForgetfulWriter final : public Writer {
 public:
  explicit ForgetfulWriter(std::unique_ptr<Writer> writer) : writer_(std::move(writer)) {}

  void write(Batch&& batch) override {
    Batch kept;
    kept.channels = batch.channels;
    for (const Message& message : batch.messages()) {
      if (std::exchange(has_begun_, true)) kept.add(message);
    }
    writer_->write(std::move(kept));
  }
  void close() override { writer_->close(); }
  std::uint64_t size_bytes() const override { return writer_->size_bytes(); }
  void append(const ChannelPtr&, const Stamp&, std::span<const ByteView>) override { abort(); }
  std::span<std::byte> reserve(const ChannelPtr&, const Stamp&, std::size_t) override { abort(); }
  void commit(std::size_t) override { abort(); }

 private:
  std::unique_ptr<Writer> writer_;
  bool has_begun_ = false;
};

TEST_P(Repair, WhatHasFewerMessagesThanWereReadReplacesNothing) {
  Registry registry = standard_registry();
  for (Format& format : registry.formats) {
    if (format.name != GetParam().format.name) continue;
    format.create = [create = format.create](const std::string& path, const WriteOptions& options,
                                             const Session& session) {
      return std::make_unique<ForgetfulWriter>(create(path, options, session));
    };
  }
  Session forgetful(std::move(registry));
  std::string path = write_bag("from");
  auto bytes = file_bytes(path);
  write_file("from", ByteView(bytes).first(bytes.size() / 2));
  bytes = file_bytes(path);
  EXPECT_THAT(test::thrown_by([&] { repair(path, path, {}, forgetful); }).what(),
              ::testing::HasSubstr("stays as it is, because the new bag has"));
  EXPECT_EQ(file_bytes(path), bytes);

  std::string whole = write_bag("whole");
  bytes = file_bytes(whole);
  auto writer = rewrite(whole, GetParam().options(2'000), forgetful);
  auto source = session_.open(whole)->read();
  run(*source, *writer, *session_.clock());
  EXPECT_ERROR(corrupt, writer->close());
  EXPECT_EQ(file_bytes(whole), bytes);
  EXPECT_FALSE(fs::exists(original_path(whole)));
}

INSTANTIATE_TEST_SUITE_P(AllFormats, Repair, ::testing::ValuesIn(writable_formats()), case_name);

}  // namespace
}  // namespace kitbag::testing
