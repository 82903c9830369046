#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "storage/rosbag/recovery/search.h"

namespace kitbag::rosbag {

/// Where the index behind a chunk places a message.
struct IndexPlace {
  std::uint64_t offset;  ///< from the begin of the chunk's content
  std::uint32_t connection;
  std::uint64_t time;  ///< as stored
};

/// The index records behind a chunk, in the order of the messages.
struct IndexPlaces {
  std::vector<IndexPlace> places;
  bool is_whole = false;  ///< sound records of index, then a record of another kind or the end
};

/// Reads the index records from `offset` on, `most` entries at most.
IndexPlaces read_places(const ChunkFile& file, std::uint64_t offset, std::uint64_t most);
/// The index records behind the chunk of `head`; none if they do not belong to its `content`.
/// `is_end_known`: they begin where the data ends, and only must not contradict the content.
IndexPlaces places_behind(const ChunkFile& file, const ChunkHead& head, ByteView content,
                          bool is_end_known);

/// A record that is whole.
struct FoundRecord {
  std::uint64_t offset = 0;
  std::uint64_t data_offset = 0;
  std::uint64_t end = 0;
  std::uint64_t gap = 0;  ///< bytes left out before it
  Op op = Op::message;
  // Of messages:
  std::optional<std::uint32_t> connection = std::nullopt;
  std::string_view topic = {};  ///< where there is no connection: version 1.3; until the next call
  std::uint64_t time = 0;       ///< as stored
};

/// What a walk over damage has left out.
struct Gaps {
  std::uint64_t bytes = 0;
  std::uint64_t first = 0;       ///< where the first gap begins
  std::uint64_t last_bytes = 0;  ///< of the gap before the end
  /// The last gap is one message that is cut off, and nothing else.
  bool ends_in_message = false;
  bool is_counted = false;         ///< the index places every message that there was
  std::vector<IndexPlace> missed;  ///< of these, those where none was found
};

/// Walks over damaged records and gives those that are whole.
///
/// A record is taken when the next one begins where it ends. Where that is not so, either its own
/// length is damaged or what follows it: it is taken unless another record begins inside it.
/// If the index has the places of the messages, it decides: between a length and the next
/// place, and what a message's connection and time are whose own header is damaged. Bytes that no
/// record claims are gaps. Chunk records are stepped into.
class Salvage {
 public:
  /// The records between `begin` and `end` of `file`, which must outlive it. Offsets of `places`
  /// count from `begin`.
  Salvage(const ReadFile& file, std::uint64_t begin, std::uint64_t end, IndexPlaces places = {});

  /// The next whole record; nothing at the end.
  std::optional<FoundRecord> next();

  /// Complete once next() has given nothing.
  const Gaps& gaps() const { return gaps_; }

 private:
  std::optional<FoundRecord> whole_record(std::uint64_t offset);
  std::optional<FoundRecord> indexed_record(std::uint64_t offset);
  bool is_believable(const FoundRecord& record);
  bool contradicts_index(const FoundRecord& record);
  bool is_boundary(std::uint64_t offset);
  bool begins_record(std::uint64_t offset);
  bool may_be_cut_short(const FoundRecord& record);
  const IndexPlace* place_at(std::uint64_t offset) const;
  std::uint64_t next_place(std::uint64_t from) const;
  std::uint64_t next_header(std::uint64_t from);
  void take(FoundRecord& record);
  void note_gap(std::uint64_t begin, std::uint64_t end);

  std::uint64_t at_;
  std::uint64_t gap_begin_ = 0;  ///< where the last record ended
  std::uint64_t end_;
  RecordSearch search_;
  RecordSearch peek_;                ///< looks at single places, so that search_ keeps its window
  IndexPlaces index_;                ///< offsets in the file
  std::size_t next_unmet_ = 0;       ///< of the places
  std::uint64_t searched_from_ = 1;  ///< the next header from here on
  std::uint64_t found_header_ = 0;   ///< is here
  std::string topic_;
  Gaps gaps_;
};

/// As walk_chunk(), over damage, led by `places`, those of the index behind the chunk. `on_message`
/// gets one more argument: the bytes left out right before the message.
template <class OnMessage, class OnRecord, class IdOfTopic>
Gaps salvage_chunk(ByteView chunk, IndexPlaces places, OnMessage&& on_message, OnRecord&& on_record,
                   IdOfTopic&& id_of) {
  auto file = memory_file(chunk);
  Salvage walk(*file, 0, chunk.size(), std::move(places));
  while (auto found = walk.next()) {
    auto offset = static_cast<std::size_t>(found->offset);
    if (found->op != Op::message) {
      if (auto record = parse_record(chunk.subspan(offset))) on_record(*record, offset);
      continue;
    }
    auto data_at = static_cast<std::size_t>(found->data_offset);
    ByteView data = chunk.subspan(data_at, static_cast<std::size_t>(found->end) - data_at);
    auto connection = found->connection ? found->connection : id_of(found->topic);
    if (connection) on_message(*connection, found->time, offset, data, found->gap);
  }
  return walk.gaps();
}

}  // namespace kitbag::rosbag
