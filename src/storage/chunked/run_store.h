#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/buffer.h"
#include "kitbag/error.h"
#include "kitbag/file.h"
#include "storage/chunked/chunk_store.h"

namespace kitbag {

/// One record of a file that is a plain run of records, without chunks: views into the bytes given.
struct RunRecord {
  enum class Kind {
    message,
    other,    ///< a definition, an index, a header: whole, but no message
    cut,      ///< goes on behind the bytes given: `bytes` are needed at least
    damaged,  ///< no record begins here
  };

  /// A record that is cut off: with `bytes` there is more to say.
  static RunRecord needs(std::size_t bytes) {
    RunRecord record;
    record.kind = Kind::cut;
    record.bytes = bytes;
    return record;
  }

  Kind kind = Kind::damaged;
  std::size_t bytes = 0;
  /// What tells the channel: messages with equal keys are of one channel. Valid until the next
  /// parse() with the same scratch.
  std::string_view key;
  Time time{};
  ByteView data;
};

/// What a format knows of its records. parse() and describe() may be called from many threads.
class RunParser {
 public:
  virtual ~RunParser() = default;

  /// The record at the front of `bytes`, which are never empty. `scratch` is room for a key.
  virtual RunRecord parse(ByteView bytes, std::string& scratch) const = 0;
  /// Takes what a record of another kind tells (a definition); only while the run is scanned.
  virtual void note(ByteView /*record*/) {}
  /// A key that was not there before; only while the run is scanned.
  virtual void learn(std::string_view /*key*/) {}
  /// The channel of a key; after the scan.
  virtual Channel describe(std::string_view key) const = 0;
  /// The first place in `bytes`, behind their begin, where a record might begin; their size if
  /// there is none. It may be wrong: the scan asks for `chain()` whole records from there on.
  virtual std::size_t find_record(ByteView bytes) const = 0;
  /// How many records in a row are no accident.
  virtual std::size_t chain() const { return 2; }
};

/// A plain run of records as chunks: stretches of about a megabyte, found in one pass over the
/// file. So a bag without chunks and index is read by the engine of those that have them; it costs
/// 40 bytes of memory a megabyte and 8 for each channel in it, where a list of all messages would
/// cost 16 a message.
class RunStore final : public ChunkStore {
 public:
  /// Reads the run that begins at `begin` to the end of the file. Damage goes to
  /// `options.on_problem`; behind it the next records are searched for.
  RunStore(std::shared_ptr<const ReadFile> file, std::string path, std::uint64_t begin,
           std::unique_ptr<RunParser> parser, ReadOptions options);

  const ChunkTable& table() const override { return table_; }
  const ChannelsPtr& channels() const override { return channels_; }
  void load(std::size_t chunk, const Wanted& wanted, LoadedChunk& into) const override;
  bool positions(std::size_t chunk, const Wanted& wanted,
                 std::vector<Position>& into) const override;
  bool has_chunks() const override { return false; }
  ChunkSummary summarize(std::size_t chunk) const override;
  void report_damage(std::size_t chunk, const std::string& message) const override;

 private:
  struct KeyHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void scan(std::uint64_t begin);
  void name_channels();

  std::shared_ptr<const ReadFile> file_;
  std::string path_;
  std::unique_ptr<RunParser> parser_;
  ReadOptions options_;
  ChunkTable table_;
  std::vector<std::uint64_t> ends_;  ///< where each chunk ends in the file
  std::unordered_map<std::string, std::uint32_t, KeyHash, std::equal_to<>> slots_;  ///< by key
  ChannelsPtr channels_;
  mutable BufferPool buffers_;

  friend class RunScan;
};

}  // namespace kitbag
