#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/registry.h"
#include "kitbag/selector.h"
#include "storage/mcap/chunk_file.h"
#include "storage/mcap/definitions.h"
#include "storage/mcap/write/summed_file.h"

namespace kitbag::mcap {

/// Messages in memory, in the order in which they are to be given.
struct Gathered {
  Owner owner;
  std::size_t bytes_pinned = 0;
  std::vector<Message> messages;
  std::uint64_t read_at = 0;  ///< how far the file was read
  std::size_t front = 0;

  bool is_empty() const { return front == messages.size(); }
};

/// Reads the records of a pipe one after the other, and collects the messages that the query
/// selects, as stored: those of a chunk, or some outside of chunks. Damage is reported to the
/// listener of the options.
class StreamReader {
 public:
  StreamReader(const Input& input, const ReadOptions& options, const Query& query);

  /// Reads on until there is something to give. Nothing: the end, or `stop` was requested.
  std::vector<Gathered> gather(const std::stop_token& stop);
  /// The channels found so far; null in the slots of those that are not selected.
  const Channels& channels() const { return table_; }
  /// The extras found since the last call.
  std::vector<Extra> take_extras() { return std::exchange(extras_, {}); }

 private:
  bool take_record();
  std::optional<ChunkPlace> read_place(std::uint64_t offset, std::uint64_t size);
  void take_chunk(const ChunkPlace& place);
  void take_definition(const Record& record, std::uint64_t offset);
  void take_extra(std::uint8_t op, std::shared_ptr<Buffer> content, std::uint64_t offset);
  void take_message(const MessageHead& head, ByteView data, Gathered& into);
  void take_loose(const std::shared_ptr<Buffer>& content);
  void close_loose();
  void add(Gathered gathered);
  bool end(ErrorCode code, const std::string& what, std::uint64_t offset);
  bool pass_over(std::uint8_t op, std::uint64_t offset, std::uint64_t size);
  void drain(bool is_verified);
  void compare(const Statistics& statistics, bool is_verified);

  std::string path_;
  ReadOptions options_;
  std::shared_ptr<const SummedFile> summed_;
  MemoryLimit limit_;
  ChunkFile file_;
  std::uint64_t at_ = kMagic.size();
  bool is_at_end_ = false;
  std::shared_ptr<bool> is_loss_reported_ = std::make_shared<bool>(false);
  std::uint64_t met_ = 0;     ///< messages, wanted or not
  std::uint64_t beyond_ = 0;  ///< of these, by exceeds_time(), since the last were reported
  Definitions definitions_;
  Query query_;
  Selector selector_;
  Channels table_;
  std::vector<std::uint8_t> wanted_;  ///< by slot
  std::vector<Extra> extras_;
  std::vector<Gathered> ready_;
  Gathered loose_;
  std::vector<std::shared_ptr<Buffer>> loose_contents_;
  std::size_t loose_bytes_ = 0;
};

}  // namespace kitbag::mcap
