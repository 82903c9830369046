#include "storage/chunked/run_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "storage/chunked/file_window.h"

// A record's length says where the next one begins, and nothing else proves it. So a record is held
// back until another one begins where it ends, and only then passed on:
//
//     [held][next ...          fine: the held one is passed on, the next one is held
//     [held]???                either the length of `held` is wrong, or what follows is damaged
//
// In the second case records are searched for inside the held one first. If they follow one another
// beyond its end, its length has swallowed them, and it is given up. Otherwise it is passed on and
// the damage lies behind it.
//
// A wrong length can also lead to a place that looks like a record, if payloads are text. That is
// suspected only when the next record is the first of a new channel, which is rare in a sound file,
// so the search costs little. Records above 1 MiB are exempt: an image would have to be read.
//
// A search believes chain() records in a row. Enough records that end too early are skipped as a
// whole.

namespace kitbag {

namespace {

/// What is read at once: fits a core's cache.
constexpr std::size_t kWindowBytes = 256 << 10;
/// What is read first to try whether a record begins somewhere, and how long a head is believed.
constexpr std::size_t kProbeBytes = 4 << 10;
constexpr std::size_t kMostProbeBytes = 1 << 20;
/// Larger records are not searched for others that they may have swallowed unnoticed: images are
/// stepped over, not read.
constexpr std::size_t kMostSwallowedBytes = 1 << 20;

class RunWalk {
 public:
  RunWalk(const ReadFile& file, const std::string& path, RunParser& parser, RunKeys& keys,
          const OnProblem& on_problem, RunListener& listener)
      : file_(file),
        path_(path),
        size_(file.size()),
        parser_(parser),
        keys_(keys),
        on_problem_(on_problem),
        listener_(listener) {}

  void run(std::uint64_t begin);

 private:
  using Kind = RunRecord::Kind;

  /// A record that was found, and is passed on as soon as another one begins after it.
  struct Held {
    std::uint64_t offset = 0;
    RunRecord record;
    std::string head;  ///< where the slot is not known, or the record is no message
  };
  /// How far whole records follow one another.
  struct Chain {
    std::uint64_t end = 0;
    std::size_t records = 0;
    bool is_enough = false;
  };

  RunRecord next();
  void hold(const RunRecord& record);
  void tell_held();
  std::uint32_t slot_of(ByteView head);
  void get_over(const RunRecord& record);
  bool give_up_held();
  bool begins_channel(const RunRecord& record) const;
  bool give_up_swallower();
  void let_go_of_held(std::uint64_t inside);
  Loss loss_of(std::uint64_t bytes);
  std::uint64_t find_chain(std::uint64_t from, std::uint64_t to, std::uint64_t beyond);
  Chain chain_at(std::uint64_t offset, std::uint64_t beyond);
  RunRecord probe(std::uint64_t offset);

  const ReadFile& file_;
  const std::string& path_;
  std::uint64_t size_;
  RunParser& parser_;
  RunKeys& keys_;
  const OnProblem& on_problem_;
  RunListener& listener_;

  std::uint64_t at_ = 0;
  FileWindow window_;
  FileWindow probed_;
  RunScratch scratch_;
  RunScratch probe_scratch_;
  std::optional<Held> held_;
  std::optional<Time> last_time_;  ///< of the last message passed on
};

void RunWalk::run(std::uint64_t begin) {
  at_ = begin;
  while (at_ < size_) {
    RunRecord record = next();
    if (record.is_known()) {
      if (begins_channel(record) && give_up_swallower()) continue;
      tell_held();
      hold(record);
    } else {
      get_over(record);
    }
  }
  tell_held();
}

/// The record at `at_`. Cut: the file ends in it.
RunRecord RunWalk::next() {
  std::uint64_t wanted = 1;
  for (;;) {
    ByteView bytes = window_.at(file_, size_, at_, wanted, kWindowBytes);
    if (bytes.size() < std::min(wanted, size_ - at_)) size_ = at_ + bytes.size();
    if (bytes.empty()) return RunRecord::needs(1);
    RunRecord record = parser_.parse(bytes, scratch_);
    bool goes_beyond = record.bytes > size_ - at_;
    if (record.is_known() && goes_beyond) return RunRecord::needs(record.bytes);
    if (record.kind != Kind::cut || goes_beyond || bytes.size() == size_ - at_) return record;
    wanted = std::max<std::uint64_t>(record.bytes, bytes.size() + 1);
  }
}

/// Keeps the record at `at_` and steps over it.
void RunWalk::hold(const RunRecord& record) {
  if (!held_) held_ = Held{0, {}, {}};
  held_->offset = at_;
  held_->record = record;
  held_->head.clear();
  if (record.kind == Kind::other || record.slot == kUnknownSlot) {
    ByteView bytes = window_.at(file_, size_, at_, record.head_bytes, kWindowBytes);
    held_->head = as_text(bytes.first(record.head_bytes));
  }
  at_ += record.bytes;
}

void RunWalk::tell_held() {
  if (!held_) return;
  RunRecord& record = held_->record;
  ByteView head = as_bytes(held_->head);
  if (record.kind == Kind::other) {
    parser_.note(head);
    listener_.on_other(held_->offset, record.bytes, head);
  } else {
    if (record.slot == kUnknownSlot) record.slot = slot_of(head);
    listener_.on_message(held_->offset, record.bytes, record.slot, record.time);
    last_time_ = record.time;
  }
  held_.reset();
}

/// Of the message with this head, which the parser did not know when it met it.
std::uint32_t RunWalk::slot_of(ByteView head) {
  RunRecord record = parser_.parse(head, probe_scratch_);
  if (record.slot != kUnknownSlot) return record.slot;
  std::uint32_t slot = keys_.add(record.key);
  parser_.learn(head, slot);
  return slot;
}

/// No whole record begins at `at_`: moves on to where the next ones do, and reports what lies
/// between.
void RunWalk::get_over(const RunRecord& record) {
  if (held_ && give_up_held()) return;
  tell_held();
  if (auto behind = listener_.on_damage(at_)) {
    at_ = std::clamp(*behind, at_ + 1, size_);
    return;
  }
  std::uint64_t damage = at_;
  at_ = find_chain(damage + 1, size_, 0);
  bool is_tail = at_ == size_;
  std::uint64_t lost = at_ - damage;
  if (is_tail && record.kind == Kind::cut) {
    report(on_problem_,
           Error(ErrorCode::truncated,
                 fmt::format("the file ends within a record; {} bytes are left out", lost), path_,
                 damage, loss_of(lost)));
  } else {
    report(on_problem_, Error(ErrorCode::corrupt,
                              fmt::format("no complete record begins here; {} bytes are left out{}",
                                          lost, is_tail ? ", up to the end of the file" : ""),
                              path_, damage, loss_of(lost)));
  }
}

/// True: the record held has swallowed others, and `at_` is where they begin.
bool RunWalk::give_up_held() {
  std::uint64_t inside = find_chain(held_->offset + 1, at_, at_);
  if (inside == at_) return false;
  let_go_of_held(inside);
  return true;
}

/// Whether `record` is the first one of a channel.
bool RunWalk::begins_channel(const RunRecord& record) const {
  return record.kind == Kind::message && record.slot == kUnknownSlot && !record.key.empty() &&
         keys_.find(record.key) == kUnknownSlot;
}

/// Where a damaged length leads into a payload of text, what follows there may pass for the name of
/// a new channel. As above, if the record held has swallowed whole ones that lead past this place;
/// those of a bag inside a payload lead to it.
bool RunWalk::give_up_swallower() {
  if (!held_ || held_->record.bytes > kMostSwallowedBytes) return false;
  std::uint64_t inside = find_chain(held_->offset + held_->record.head_bytes, at_, at_);
  std::uint64_t end = inside;
  std::size_t swallowed = 0;
  for (; end < at_; ++swallowed) end += probe(end).bytes;
  bool is_sound = end == size_ || (end > at_ && probe(end).is_known());
  if (swallowed < 2 || !is_sound) return false;
  let_go_of_held(inside);
  return true;
}

/// Goes on at `inside`, where a record begins that the one held has swallowed.
void RunWalk::let_go_of_held(std::uint64_t inside) {
  std::uint64_t offset = held_->offset;
  held_.reset();
  at_ = inside;
  report(on_problem_,
         Error(ErrorCode::corrupt,
               fmt::format("the length of the record here is damaged; {} bytes are left out",
                           inside - offset),
               path_, offset, loss_of(inside - offset)));
}

/// The loss of `bytes` before `at_`, with an unknown number of messages.
Loss RunWalk::loss_of(std::uint64_t bytes) {
  Loss loss{.bytes = bytes, .from = last_time_};
  if (at_ < size_) {
    RunRecord next = probe(at_);
    if (next.kind == Kind::message) loss.to = next.time;
  }
  return loss;
}

/// The first place in [from, to) where records follow one another beyond `beyond`; `to` if none.
std::uint64_t RunWalk::find_chain(std::uint64_t from, std::uint64_t to, std::uint64_t beyond) {
  std::uint64_t at = from;
  while (at < to) {
    ByteView bytes = window_.at(file_, size_, at, 2 * RunParser::kJudgedBytes, kWindowBytes);
    if (bytes.empty()) return to;
    std::size_t found = parser_.find_record(bytes);
    if (found < bytes.size()) {
      at += found;
      if (at >= to) return to;
      Chain chain = chain_at(at, beyond);
      if (chain.is_enough) return at;
      // Records that follow each other but end too early need not be searched one by one.
      at = chain.records >= parser_.chain() ? chain.end : at + 1;
    } else {
      bool is_end = at + bytes.size() >= size_;
      if (is_end || bytes.size() <= RunParser::kJudgedBytes) return to;
      at += bytes.size() - RunParser::kJudgedBytes;
    }
  }
  return to;
}

RunWalk::Chain RunWalk::chain_at(std::uint64_t offset, std::uint64_t beyond) {
  Chain chain{offset, 0, false};
  while (chain.end < size_ && (chain.records < parser_.chain() || chain.end <= beyond)) {
    RunRecord record = probe(chain.end);
    if (!record.is_known() || record.bytes > size_ - chain.end) return chain;
    chain.end += record.bytes;
    ++chain.records;
  }
  chain.is_enough = true;
  return chain;
}

/// parse() at `offset`, away from the window; a head that is too long is none.
RunRecord RunWalk::probe(std::uint64_t offset) {
  std::uint64_t wanted = kProbeBytes;
  for (;;) {
    ByteView bytes = probed_.at(file_, size_, offset, wanted, kProbeBytes);
    if (bytes.empty()) return {};
    RunRecord record = parser_.parse(bytes, probe_scratch_);
    if (record.kind != Kind::cut || bytes.size() >= std::min(kMostProbeBytes, size_ - offset)) {
      return record;
    }
    wanted = std::max<std::uint64_t>(record.bytes, bytes.size() * 2);
    if (wanted > kMostProbeBytes && bytes.size() == kMostProbeBytes) return {};
    wanted = std::min<std::uint64_t>(wanted, kMostProbeBytes);
  }
}

}  // namespace

void walk_run(const ReadFile& file, const std::string& path, std::uint64_t begin, RunParser& parser,
              RunKeys& keys, const OnProblem& on_problem, RunListener& listener) {
  RunWalk(file, path, parser, keys, on_problem, listener).run(begin);
}

}  // namespace kitbag
