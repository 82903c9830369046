#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kitbag/message.h"

namespace kitbag {

inline constexpr std::uint32_t kUnknownSlot = UINT32_MAX;

/// The head of one record of a file that is a plain run of records, without chunks.
struct RunRecord {
  enum class Kind {
    message,
    other,    ///< a definition, an index, a header; what note() needs of it is in its head
    cut,      ///< the head goes on behind the bytes given: `bytes` are needed at least
    damaged,  ///< no record begins here
  };

  /// A head that is cut off: with `bytes` there is more to say.
  static RunRecord needs(std::uint64_t bytes) {
    RunRecord record;
    record.kind = Kind::cut;
    record.bytes = bytes;
    return record;
  }

  /// The head is there; the data behind it may not be.
  bool is_known() const { return kind == Kind::message || kind == Kind::other; }

  Kind kind = Kind::damaged;
  std::uint64_t bytes = 0;  ///< of the record; perhaps more than were given
  /// What stands in front of the data. A search behind damage sees heads of at most 1 MiB.
  std::size_t head_bytes = 0;
  /// The channel, if the parser has learned it; else `key` identifies it.
  std::uint32_t slot = kUnknownSlot;
  /// Messages with equal keys are of one channel. Valid until the next parse() with this scratch.
  std::string_view key;
  Time time{};
};

/// What parse() keeps between calls of one thread.
struct RunScratch {
  std::string key;       ///< room for one
  std::size_t last = 0;  ///< what was met last: the parser looks behind it first
};

/// What a format knows of its records. The const members may be called from many threads.
class RunParser {
 public:
  virtual ~RunParser() = default;

  /// The record at the front of `bytes`, which are never empty.
  virtual RunRecord parse(ByteView bytes, RunScratch& scratch) const = 0;

  /// A message of the channel `slot` has this head: parse() may give the slot from now on.
  virtual void learn(ByteView /*head*/, std::uint32_t /*slot*/) {}
  /// Takes note of the head of a record of another kind, once, in file order.
  virtual void note(ByteView /*head*/) {}

  /// The channel of a key, when all was noted. If its definition is lost, what the key says of it.
  virtual Channel describe(std::string_view key) const = 0;
  /// Channels that are described but have no messages, in addition to those that are `known`.
  virtual std::vector<Channel> silent_channels(const Channels& /*known*/) const { return {}; }

  /// The first place in `bytes` where a record might begin; their size if there is none. It may be
  /// wrong: a search requires `chain()` records in a row from there on. Places less than
  /// kJudgedBytes before the end may be left out.
  virtual std::size_t find_record(ByteView bytes) const = 0;
  static constexpr std::size_t kJudgedBytes = 4096;
  /// How many records in a row are no accident.
  virtual std::size_t chain() const { return 2; }
};

/// The keys of a run, and the slots of their channels in the order in which they came.
class RunKeys {
 public:
  /// The slot of `key`; a new one where it is not known.
  std::uint32_t add(std::string_view key) {
    auto it = slots_.find(key);
    if (it == slots_.end()) {
      it = slots_.emplace(std::string(key), static_cast<std::uint32_t>(slots_.size())).first;
    }
    return it->second;
  }
  /// kUnknownSlot where it is not known.
  std::uint32_t find(std::string_view key) const {
    auto it = slots_.find(key);
    return it == slots_.end() ? kUnknownSlot : it->second;
  }
  std::size_t size() const { return slots_.size(); }
  auto begin() const { return slots_.begin(); }
  auto end() const { return slots_.end(); }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> slots_;
};

}  // namespace kitbag
