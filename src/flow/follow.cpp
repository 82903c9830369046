#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/error.h"
#include "kitbag/file_system.h"
#include "kitbag/merge.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "kitbag/session.h"
#include "model/slice_count.h"
#include "storage/directory/files.h"
#include "stream/channel_table.h"
#include "stream/repeats.h"

// When a bag has grown, it is opened again and read from where the last look ended: what a file
// already contains does not move. Channels are identified by their content, since their slots may
// change when the bag gets its index.
//
// The place to go on from is a count of messages, in the order of the file: it holds for every
// format, and it survives that the file gets its index. It relies on a writer that only appends and
// on a selection that stays the same. An offset would depend on the format, and a time would be
// ambiguous, as messages may have equal times. The cost: each look opens the bag and skips over
// what was given; so the pause between looks is four times as long as the last look took, at least
// 200 ms.
//
// A directory is read file by file, with a place in each: several programs may write to it at the
// same time. What a look finds in all of them comes in the order of time; files that were complete
// at an earlier look are not opened again. A file that the recorder compresses when it is complete
// gets another name, and stays the same part.
//
// A bag that is being written has no end, which looks like damage: problems of a look are thrown
// away by the next one. Only those of the last look are reported, when the bag is complete or is
// gone.

namespace kitbag {
namespace {

/// The shortest time between two looks, and its ratio to the time that the last look took.
constexpr Duration kLeastPause = std::chrono::milliseconds(200);
constexpr int kPauseFactor = 4;

class Follow final : public Source {
 public:
  Follow(std::string uri, const Query& query, ReadOptions options, const Session& session)
      : uri_(std::move(uri)),
        query_(query),
        options_(std::move(options)),
        session_(session),
        slice_(query.nth, query.count) {
    query_.order = Order::file;
    if (options_.on_problem) on_problem_ = std::exchange(options_.on_problem, {});
    options_.on_problem = [this](const Error& problem) { problems_.push_back(problem); };
    look();
  }

  ChannelsPtr channels() const override { return table_.channels(); }

  bool read(Batch& batch, const Wait& wait) override {
    for (;;) {
      if (source_ && read_known(batch, wait)) return true;
      if (has_ended_ || given_ == query_.count) return end();
      if (!has_grown(wait)) return true;
    }
  }

 private:
  /// A file of a directory.
  struct Part {
    std::uint64_t given = 0;
    bool is_complete = false;          ///< and everything in it was given
    std::vector<Error> problems = {};  ///< when it was opened last
  };

  /// The path, without the extension of a file that is compressed as a whole.
  static std::string name_of_part(std::string_view path) {
    std::string_view packed = directory::kPackedExtension;
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
    return std::string(path);
  }

  /// Counts what is given of a part.
  class PartSource final : public Source {
   public:
    PartSource(std::unique_ptr<Source> source, Part& part)
        : source_(std::move(source)), part_(part) {}

    ChannelsPtr channels() const override { return source_->channels(); }
    bool read(Batch& batch, const Wait& wait) override {
      while (source_->read(batch, wait)) {
        batch.extras.clear();
        part_.given += batch.messages().size();
        if (!batch.empty() || wait.stop.stop_requested()) return true;
        batch.clear();
      }
      return false;
    }

   private:
    std::unique_ptr<Source> source_;
    Part& part_;
  };

  /// Opens the bag as it is now.
  void look() {
    SteadyTime begin = session_.clock()->steady();
    problems_.clear();
    bag_ = session_.open(uri_, options_);
    source_ = read_rest();
    mapped_.clear();
    take_channels(source_->channels());
    pause_ = std::max(kLeastPause, kPauseFactor * Duration(session_.clock()->steady() - begin));
    next_look_ = session_.clock()->steady() + pause_;
  }

  std::unique_ptr<Source> read_rest() {
    Input input = session_.input_at(session_.path_of(uri_));
    const Format* format = match_format(session_.registry(), input);
    if (!format || !format->parts) {
      Query rest = query_;
      rest.nth += given_;
      if (rest.count != UINT64_MAX) rest.count -= given_;
      return bag_->read(rest);
    }
    is_directory_ = true;
    return read_parts(format->parts(input, session_));
  }

  /// What is new in the files of a directory.
  std::unique_ptr<Source> read_parts(const std::vector<std::string>& paths) {
    std::vector<std::unique_ptr<Source>> sources;
    for (const std::string& path : paths) {
      std::string name = name_of_part(path);
      Part& part = parts_[name];
      if (part.is_complete) continue;
      BagPtr bag = open_part(path, part);
      if (!bag) continue;
      // Of all looks: the recorder may delete its first files meanwhile.
      bool is_first =
          first_parts_.try_emplace(directory::writer_of(path), name).first->second == name;
      part.is_complete = bag->growth() == Growth::complete;
      Query rest = query_;
      rest.nth = 0;
      rest.count = UINT64_MAX;
      // Repeats of later files are left out, so messages are counted without them.
      bool skips = is_first || !has_repeats(*bag->channels());
      rest.nth = skips ? part.given : 0;
      auto source = bag->read(rest);
      if (!skips) source = slice(without_repeats(std::move(source)), part.given, UINT64_MAX);
      sources.push_back(std::make_unique<PartSource>(std::move(source), part));
    }
    return merge(std::move(sources), Order::time);
  }

  /// Null: a recorder has deleted the file, or it has no content yet.
  BagPtr open_part(const std::string& path, Part& part) {
    part.problems.clear();
    ReadOptions options = options_;
    options.on_problem = [&part](const Error& problem) { part.problems.push_back(problem); };
    try {
      return session_.open(path, options);
    } catch (const Error& error) {
      bool is_passing = error.code() == ErrorCode::not_found || is_damage(error.code());
      if (!is_passing) throw;
      if (error.code() != ErrorCode::not_found) part.problems.push_back(error);
      return nullptr;
    }
  }

  bool read_known(Batch& batch, const Wait& wait) {
    if (!source_->read(batch, wait)) {
      source_.reset();
      return false;
    }
    if (batch.channels) take_channels(batch.channels);
    for (Message& message : batch.messages()) message.channel = mapped_[message.channel->slot];
    batch.channels = table_.channels();
    if (is_directory_) slice_.apply(batch);
    if (is_directory_ && !has_given_extras_) batch.extras = bag_->extras();
    if (has_given_extras_) batch.extras.clear();
    has_given_extras_ = true;
    given_ += batch.messages().size();
    return true;
  }

  void take_channels(const ChannelsPtr& given) { table_.add(*given, mapped_); }

  /// Waits until the bag has grown, and looks at it. False: the wait ended before.
  bool has_grown(const Wait& wait) {
    Growth growth = bag_->growth();
    if (growth == Growth::complete) {
      has_ended_ = true;
      return true;
    }
    session_.clock()->sleep({wait.stop, std::min(wait.until, next_look_)});
    if (wait.stop.stop_requested() || session_.clock()->steady() < next_look_) return false;
    next_look_ = session_.clock()->steady() + pause_;
    if (bag_->growth() == Growth::unchanged) return true;
    try {
      look();
    } catch (const Error& error) {  // closed under another name, or taken away
      if (error.code() != ErrorCode::not_found) throw;
      has_ended_ = !look_under_final_name();
    }
    return true;
  }

  /// A recorder has completed the bag and renamed it: what came since the last look is there.
  bool look_under_final_name() {
    if (!uri_.ends_with(kActiveSuffix)) return false;
    uri_.resize(uri_.size() - std::string_view(kActiveSuffix).size());
    try {
      look();
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found) throw;
      return false;
    }
  }

  /// Damage that is still there at the end is reported.
  bool end() {
    has_ended_ = true;
    source_.reset();
    auto problems = std::exchange(problems_, {});
    for (auto& [path, part] : parts_) {
      for (Error& problem : part.problems) {
        auto is_same = [&](const Error& other) {
          return std::string_view(other.what()) == problem.what();
        };
        bool is_known = std::any_of(problems.begin(), problems.end(), is_same);
        if (!is_known) problems.push_back(std::move(problem));
      }
    }
    parts_.clear();
    if (problems.empty()) return false;
    if (!on_problem_) throw problems.front();
    for (const Error& problem : problems) on_problem_(problem);
    return false;
  }

  std::string uri_;
  Query query_;
  ReadOptions options_;
  Session session_;
  OnProblem on_problem_;
  std::vector<Error> problems_;  ///< of the last look
  BagPtr bag_;
  std::unique_ptr<Source> source_;  ///< null: everything that the last look found was given
  ChannelTable table_;
  std::vector<const Channel*> mapped_;  ///< by slot of bag_
  std::uint64_t given_ = 0;
  bool is_directory_ = false;
  SliceCount slice_;                   ///< of a directory
  std::map<std::string, Part> parts_;  ///< of a directory, by name
  /// The name of the first part of each writer, whose repeats are given.
  std::map<std::string, std::string> first_parts_;
  bool has_given_extras_ = false;
  bool has_ended_ = false;
  Duration pause_{};
  SteadyTime next_look_{};
};

}  // namespace

std::unique_ptr<Source> follow(const std::string& uri, const Query& query,
                               const ReadOptions& options, const Session& session) {
  return std::make_unique<Follow>(uri, query, options, session);
}

}  // namespace kitbag
