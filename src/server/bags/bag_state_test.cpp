#include "server/bags/bag_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "tests/support/temporary_folder.h"

namespace kitbag::server {
namespace {

class OfARecording : public testing::Test {
 protected:
  OfARecording() {
    auto demo = session_.open("demo://?seconds=3&seed=3");
    auto writer = session_.create(bag_);
    run(*demo->read(), *writer, *session_.clock());
    writer->close();
    std::filesystem::resize_file(bag_, begin_of_the_last_chunk());  // its writer has come so far
  }

  /// Records are an opcode, a length of eight bytes, and as many bytes. Chunks have the opcode 6.
  std::uint64_t begin_of_the_last_chunk() const {
    std::string bytes = folder_.read("a.mcap");
    std::uint64_t last = 0;
    for (std::size_t at = 8; at + 9 <= bytes.size();) {
      if (bytes[at] == 6) last = at;
      std::uint64_t length = 0;
      std::memcpy(&length, &bytes[at + 1], sizeof length);
      at += 9 + length;
    }
    return last;
  }

  /// Turns bytes of the file around; a second time, back.
  void harm(double where) {
    std::fstream file(bag_, std::ios::in | std::ios::out | std::ios::binary);
    auto at =
        static_cast<std::streamoff>(static_cast<double>(std::filesystem::file_size(bag_)) * where);
    std::string bytes(100, '\0');
    file.seekg(at).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    for (char& byte : bytes) byte = static_cast<char>(~byte);
    file.seekp(at).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  std::shared_ptr<BagEntry> look(const BagEntry* before) {
    auto entry = state_of(bag_, "a.mcap", true, session_);
    EXPECT_TRUE(describe(*entry, session_, before));
    EXPECT_TRUE(entry->is_recording);
    EXPECT_GT(entry->messages, 0);
    return entry;
  }

  Session session_;
  TemporaryFolder folder_;
  std::string bag_ = folder_.path("a.mcap");
};

TEST_F(OfARecording, DamageIsListedWhenItIsStillThere) {
  harm(0.5);
  auto first = look(nullptr);
  EXPECT_THAT(first->damage.sentences(), testing::IsEmpty());
  EXPECT_FALSE(first->is_certain);
  auto second = look(first.get());
  EXPECT_THAT(second->damage.sentences(), testing::SizeIs(1));
  EXPECT_TRUE(second->is_certain);
}

TEST_F(OfARecording, WhatIsInTheMiddleOfAWriteIsNoDamage) {
  harm(0.5);
  auto first = look(nullptr);
  harm(0.5);
  harm(0.4);
  auto second = look(first.get());
  EXPECT_THAT(second->damage.sentences(), testing::IsEmpty());
  EXPECT_FALSE(second->is_certain);
  harm(0.4);
  auto third = look(second.get());
  EXPECT_THAT(third->damage.sentences(), testing::IsEmpty());
  EXPECT_TRUE(third->is_certain);
}

}  // namespace
}  // namespace kitbag::server
