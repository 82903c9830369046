#include "kitbag/moment_cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "kitbag/error.h"
#include "kitbag/paths.h"
#include "kitbag/pipeline.h"
#include "kitbag/registry.h"
#include "kitbag/text.h"
#include "kitbag/video.h"

// The name of a cut follows from the bag and the time, so that the same question asked again leads
// to the same files. Two bags may have one name, or another question may have led to a range with
// the same begin: so each cut says in its metadata what it is, and a file that says something else
// is never taken for it.
//
// The values of a cut also hold how many frames of videos were added in front of it, so a cut that
// was made without them is another one.
//
// A cut is MCAP whatever its bag is, since that holds every encoding and can be written to an
// object store.

namespace kitbag {
namespace {

constexpr const char* kMetadataName = "kitbag_cut";

using Values = std::map<std::string, std::string>;

/// What a cut says of itself. Where its bag lies is no part of it, since bags are moved.
Values values_of(const Bag& bag, const CutRange& range) {
  const Summary& summary = bag.summary();
  return {{"begin_ns", std::to_string(to_ns(range.begin))},
          {"end_ns", std::to_string(to_ns(range.end))},
          {"bag_start_ns", std::to_string(to_ns(summary.start))},
          {"bag_end_ns", std::to_string(to_ns(summary.end))},
          {"bag_messages", std::to_string(summary.messages)}};
}

/// "drive" for "/data/drive.bag" and for "/data/drive.bag.gz".
std::string stem_of(const std::string& path, const Session& session) {
  std::filesystem::path name = name_at(path);
  const auto& formats = session.registry().formats;
  auto is_of_bags = [&](const std::filesystem::path& extension) {
    return std::any_of(formats.begin(), formats.end(),
                       [&](const Format& each) { return each.extension == extension.string(); });
  };
  std::filesystem::path inner = name.stem();
  if (is_of_bags(inner.extension())) return inner.stem().string();
  std::string stem = is_of_bags(name.extension()) ? inner.string() : name.string();
  return stem.empty() ? "bag" : stem;
}

/// A time as a part of a name of a file: "2026-11-20T14-30-00.5Z".
std::string name_of(Time time) {
  std::string text = format_time(time);
  std::replace(text.begin(), text.end(), ':', '-');
  text.pop_back();  // Z
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + "Z";
}

/// The number of messages of the cut at `path`, if it is the one with these values.
std::optional<std::uint64_t> messages_of_cut(const std::string& path, const Values& values,
                                             const Session& session) {
  try {
    BagPtr bag = session.open(path);
    for (const Extra& extra : bag->extras()) {
      const auto* metadata = std::get_if<Metadata>(&extra);
      if (metadata && metadata->name == kMetadataName && metadata->values == values) {
        return bag->summary().messages;
      }
    }
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
  }
  return std::nullopt;
}

class CutWriter {
 public:
  CutWriter(const std::string& path, const Bag& bag, const CutOptions& options,
            const Session& session, const std::stop_token& stop)
      : bag_(bag),
        options_(options),
        session_(session),
        stop_(stop),
        stem_(stem_of(path, session)),
        folder_(session.path_of(options.folder)) {
    while (folder_.size() > 1 && folder_.ends_with('/')) folder_.pop_back();
  }

  /// The cut as it is to be.
  Cut planned(CutRange range) const {
    const Summary& summary = bag_.summary();
    range.begin = std::max(range.begin, summary.start);
    range.end = std::min(range.end, summary.end);
    std::string name = fmt::format("{}-{}.mcap", stem_, name_of(range.begin));
    return {folder_.ends_with('/') ? folder_ + name : folder_ + "/" + name, range};
  }

  void write(Cut& cut) const {
    Query query;
    query.begin = cut.range.begin;
    // The end of a range is its last message, that of a query is excluded.
    query.end = saturating_add(cut.range.end, Duration(1));
    query.latched_before = true;
    const Wait wait{stop_, kNever};
    const std::vector<BagPtr> bags = {BagPtr(BagPtr(), &bag_)};  // which the caller has
    KeyFrameReport report;
    auto source = options_.has_key_frames
                      ? read_from_key_frames(bags, query, &report, session_, wait)
                      : bag_.read(query, wait);
    cut.frames_before = report.frames;
    cut.missing = std::move(report.missing);
    Values values = values_of(bag_, cut.range);
    if (cut.frames_before > 0) values.emplace("frames_before", std::to_string(cut.frames_before));
    if (session_.file_system(cut.path)->status(cut.path)) {
      if (auto messages = messages_of_cut(cut.path, values, session_)) {
        cut.messages = *messages;
        cut.was_there = true;
        return;
      }
      if (!options_.may_replace) {
        throw Error(ErrorCode::exists, "already exists, and is not this cut", cut.path);
      }
    }
    make_folders(folder_, *session_.file_system(folder_));
    WriteOptions how;
    how.may_replace = options_.may_replace;
    auto writer = session_.create(cut.path, how);
    cut.messages = run(*source, *writer, *session_.clock(), stop_).messages;
    throw_if_stopped(wait);
    Batch about;
    about.channels = source->channels();
    about.extras.emplace_back(Metadata{kMetadataName, std::move(values)});
    writer->write(std::move(about));
    writer->close();
  }

 private:
  const Bag& bag_;
  const CutOptions& options_;
  const Session& session_;
  std::stop_token stop_;
  std::string stem_;
  std::string folder_;
};

}  // namespace

void CutRanges::add(const Moment& moment) {
  CutRange added{saturating_add(moment.start, -around_), saturating_add(moment.end, around_), 1};
  // Ranges never overlap, so only the one before can reach into the new one, and those that begin
  // inside of it are next to each other.
  auto first = ranges_.upper_bound(added.begin);
  if (first != ranges_.begin() && std::prev(first)->second.end >= added.begin) --first;
  auto last = first;
  for (; last != ranges_.end() && last->second.begin <= added.end; ++last) {
    added.begin = std::min(added.begin, last->second.begin);
    added.end = std::max(added.end, last->second.end);
    added.moments += last->second.moments;
  }
  ranges_.erase(first, last);
  ranges_.emplace(added.begin, added);
}

std::vector<CutRange> CutRanges::take() {
  std::vector<CutRange> all;
  all.reserve(ranges_.size());
  for (const auto& [begin, range] : ranges_) all.push_back(range);
  ranges_.clear();
  return all;
}

void write_cuts(const std::string& path, const Bag& bag, const std::vector<CutRange>& ranges,
                const CutOptions& options, const Session& session,
                const std::function<void(const Cut& cut, const Error* error)>& on_cut,
                const std::stop_token& stop) {
  CutWriter writer(path, bag, options, session, stop);
  for (const CutRange& range : ranges) {
    Cut cut = writer.planned(range);
    try {
      writer.write(cut);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::cancelled) throw;
      on_cut(cut, &error);
      continue;
    }
    on_cut(cut, nullptr);
  }
}

}  // namespace kitbag
