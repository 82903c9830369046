#include "storage/rosbag/recovery/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "storage/chunked/loss.h"

// A scan meets damage first and the index of the file last. So findings wait until the end. Then
// the chunk infos say how many messages each place once had, and what was saved there is
// subtracted.
//
//     met first    damage from byte 4117 to 204,000; 720 messages saved
//     met last     chunk info: the chunk at byte 4117 has 1000 messages     => 280 are lost
//
// A finding for which the subtraction gives 0 costs nothing and is reported without a loss, except
// if the data itself is doubtful (a compressed stream whose checksum is wrong). Only if the index
// is whole, the absence of a promise means that no message was there.
//
// The number of findings is bounded; those beyond are added to the last one.

namespace kitbag::rosbag {

namespace {

/// More places than a person looks at; a file of garbage must not fill the memory with them.
constexpr std::size_t kMaxFindings = 10'000;

void add_to(Finding& last, const Finding& more) {
  last.end = more.end;
  last.messages += more.messages;
  if (!more.loss) return;
  if (!last.loss) last.loss = Loss{};
  last.loss->bytes += more.loss->bytes;
  last.loss->messages = std::nullopt;
  last.loss->to = more.loss->to;
}

}  // namespace

void GapTimes::put_into(Loss& loss) const {
  if (!has_gap_) return;
  loss.from = from_;
  loss.to = to_;
}

void Findings::add(Finding finding) {
  // A damaged chunk is read twice.
  bool is_reported = !findings_.empty() && findings_.back().begin == finding.begin &&
                     findings_.back().what == finding.what;
  if (is_reported && !finding.loss) return;
  if (findings_.size() < kMaxFindings) {
    findings_.push_back(std::move(finding));
  } else {
    add_to(findings_.back(), finding);
    ++unlisted_;
  }
}

void Findings::note_messages(Time first, Time last) {
  last_time_ = last;
  if (findings_.empty()) return;
  std::optional<Loss>& loss = findings_.back().loss;
  if (loss && !loss->to) loss->to = first;
}

void Findings::report(const ChunkFile& file, bool is_index_whole, const OnProblem& on_problem) {
  auto by_offset = [](const Promise& a, const Promise& b) { return a.offset < b.offset; };
  std::sort(promises_.begin(), promises_.end(), by_offset);
  if (unlisted_ > 0) {
    findings_.back().what += fmt::format(", and the same at {} later places", unlisted_);
  }
  for (Finding& finding : findings_) {
    settle(finding, is_index_whole);
    kitbag::report(on_problem, Error(finding.code, finding.what + "; " + describe(finding.loss),
                                     file.path(), finding.begin, finding.loss));
  }
}

/// What the index promises for the damaged part, less what was saved from it, is lost.
void Findings::settle(Finding& finding, bool is_index_whole) const {
  if (!finding.loss) return;
  auto promised = finding.is_counted ? std::nullopt : promised_for(finding, is_index_whole);
  if (promised) finding.loss->messages = *promised - std::min(*promised, finding.messages);
  if (finding.loss->messages != 0U) return;
  finding.loss->messages.reset();
  if (!finding.is_doubtful) finding.loss.reset();
}

/// Nothing: no index describes that part.
std::optional<std::uint64_t> Findings::promised_for(const Finding& finding,
                                                    bool is_index_whole) const {
  auto lies_before = [](const Promise& promise, std::uint64_t offset) {
    return promise.offset < offset;
  };
  auto it = std::lower_bound(promises_.begin(), promises_.end(), finding.begin, lies_before);
  bool is_promised = it != promises_.end() && it->offset < finding.end;
  if (!is_promised && !is_index_whole) return std::nullopt;
  std::uint64_t messages = 0;
  for (; it != promises_.end() && it->offset < finding.end; ++it) messages += it->messages;
  return messages;
}

void put_times(const std::vector<IndexPlace>& missed, Loss& loss) {
  loss.from = Time::max();
  loss.to = Time::min();
  for (const IndexPlace& place : missed) {
    loss.from = std::min(*loss.from, time_of(place.time));
    loss.to = std::max(*loss.to, time_of(place.time));
  }
}

}  // namespace kitbag::rosbag
