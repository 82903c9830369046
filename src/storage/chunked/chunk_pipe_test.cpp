#include "storage/chunked/chunk_pipe.h"

#include <gtest/gtest.h>

namespace kitbag {
namespace {

class Pipe : public testing::Test {
 protected:
  static WriteOptions options() {
    WriteOptions options;
    options.chunk_bytes = 1000;
    return options;
  }
  void put(std::size_t bytes) {
    ChunkBuilder& chunk = pipe_.chunk(0);
    chunk.bytes.extend(bytes);
    chunk.add({}, Time());
  }

  ChunkPipe pipe_{options(), 5000, [](ChunkBuilder&) {}};
};

TEST_F(Pipe, ARecordThatFillsAChunkGetsOneOfItsOwn) {
  EXPECT_FALSE(pipe_.closes_before(0, 2000)) << "there is nothing to close";
  put(200);
  EXPECT_FALSE(pipe_.closes_before(0, 2000)) << "what is there is worth no chunk";
  put(100);
  EXPECT_FALSE(pipe_.closes_before(0, 900));
  EXPECT_TRUE(pipe_.closes_before(0, 1000));
}

TEST_F(Pipe, AChunkStaysBelowItsLimit) {
  put(200);
  EXPECT_FALSE(pipe_.closes_before(0, 4800));
  EXPECT_TRUE(pipe_.closes_before(0, 4801));
}

}  // namespace
}  // namespace kitbag
