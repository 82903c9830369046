#pragma once

#include <optional>

#include "kitbag/error.h"
#include "storage/chunked/loss.h"
#include "storage/chunked/run_walk.h"
#include "storage/mcap/chunk_file.h"
#include "storage/mcap/content.h"
#include "storage/mcap/record_parser.h"

namespace kitbag::mcap {

/// Walks over the damaged records of a chunk and gives those that are whole, as walk_content()
/// does; what is lost.
template <class OnMessage, class OnRecord>
Loss salvage_content(ByteView content, OnMessage&& on_message, OnRecord&& on_record) {
  class Listener final : public RunListener {
   public:
    Listener(ByteView bytes, OnMessage& message, OnRecord& record)
        : content_(bytes), on_message_(message), on_record_(record) {}
    void on_message(std::uint64_t offset, std::uint64_t bytes, std::uint32_t, Time) override {
      Record record = record_at(offset, bytes);
      on_message_(MessageHead::load(record.content.data()), static_cast<std::size_t>(offset),
                  record.content.subspan(MessageHead::kBytes));
    }
    void on_other(std::uint64_t offset, std::uint64_t bytes, ByteView head) override {
      if (!may_be_in_chunk(std::to_integer<std::uint8_t>(head[0]))) return;
      on_record_(record_at(offset, bytes), static_cast<std::size_t>(offset));
    }

   private:
    Record record_at(std::uint64_t offset, std::uint64_t bytes) const {
      return *parse_record(
          content_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes)));
    }
    ByteView content_;
    OnMessage& on_message_;
    OnRecord& on_record_;
  };
  Loss loss;
  auto file = memory_file(content);
  RecordParser parser;
  RunKeys keys;
  Listener listener(content, on_message, on_record);
  auto add = [&](const Error& problem) {
    if (!problem.loss()) return;
    if (loss.bytes == 0) loss.from = problem.loss()->from;
    loss.bytes += problem.loss()->bytes;
    loss.to = problem.loss()->to;
  };
  walk_run(*file, {}, 0, parser, keys, add, listener);
  return loss;
}

/// How many messages the index records that begin at `offset` list, those behind a chunk; nothing
/// if there are none, or one is damaged.
std::optional<std::uint64_t> indexed_messages(const ReadFile& file, std::uint64_t offset);

/// `place` with the ends that are to be believed where those in the file contradict one another, or
/// lead beyond `records_end`. Nothing if there are none.
std::optional<ChunkPlace> settle(const ChunkFile& file, ChunkPlace place,
                                 std::uint64_t records_end);

}  // namespace kitbag::mcap
