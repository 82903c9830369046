#include "storage/directory/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>

#include "base/path.h"
#include "kitbag/rosbag2.h"
#include "model/empty_bag.h"
#include "model/open_by.h"
#include "storage/rosbag2/declared_topics.h"
#include "storage/rosbag2/embedded.h"
#include "stream/repeats.h"

// What metadata.yaml says is checked as far as it costs two open files:
//
//     a listed file is missing                   not trusted, the file is a loss
//     counts of the files do not add up          not trusted
//     first or last file says something else     not trusted
//     a later file is not listed                 read too, with a remark; then all files are opened
//     before version 5, no times of files        all files are opened
//
// A writer that died has left the last file wrong, and a user who moved files has most likely moved
// the first or the last one. A file in the middle is compared when it is opened, so a wrong time is
// reported then, but messages may have come out of order already.
//
// If it is not trusted, the metadata is computed from the files. What only metadata.yaml can know
// is kept: topics without messages, custom_data and ros_distro.
//
// Bags are kept open for those who seek, up to 16. A file that is compressed as a whole takes the
// room of its content while it is open, so then only one is kept.

namespace kitbag::directory {

Store::Store(std::string path, ReadOptions options, Session session)
    : Store(std::move(path), std::move(options), std::move(session), false) {}

Store Store::without_held(std::string path, ReadOptions options, Session session) {
  return {std::move(path), std::move(options), std::move(session), true};
}

Store::Store(std::string path, ReadOptions options, Session session, bool leaves_held)
    : path_(std::move(path)),
      options_(std::move(options)),
      session_(std::move(session)),
      files_(session_.file_system(path_)) {
  read_members();
  opened_.resize(members_.size());
  mark_first(members_);
  if (leaves_held) find_held();
  if (!is_stale_) check_edges();
  report_state();
  is_stale_ |= unlisted_ > 0;
  if (is_stale_) {
    rebuild();
  } else {
    for (const auto& [member, bag] : grown_) add_grown(member);
  }
  fill_declared();
  join_channels();
  summarize();
}

/// Says what metadata.yaml lacks. If files are being written, or their writer has died, that is no
/// damage: the files themselves say what they hold.
void Store::report_state() {
  if (is_stale_) {
    report(
        options_.on_problem,
        Error(ErrorCode::corrupt,
              fmt::format("{} {}; using the contents of the files; repair the bag to rewrite it",
                          kMetadataName, has_metadata_ ? "does not match the files" : "is missing"),
              path_));
  } else if (unlisted_ > 0) {
    report(options_.on_problem,
           Error(ErrorCode::remark,
                 fmt::format("{} does not list the last files, because their writer "
                             "was killed; they are read nevertheless",
                             kMetadataName),
                 path_));
  } else if (std::any_of(grown_.begin(), grown_.end(),
                         [](const auto& grown) { return grown.second->outline().messages > 0; })) {
    report(options_.on_problem,
           Error(ErrorCode::remark,
                 fmt::format("{} lacks the messages of files that are being written, or whose "
                             "writer was killed; they are read nevertheless",
                             kMetadataName),
                 path_));
  }
}

void Store::find_held() {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const auto& declared = members_[i].declared;
    bool may_grow = !declared || declared->messages == 0;
    if (!may_grow || !is_held(*files_, members_[i].path)) continue;
    held_.insert(i);
    members_[i].declared = Member::Declared{};
  }
}

void Store::read_members() {
  if (auto metadata = read_metadata(*files_, path_, options_.on_problem)) {
    metadata_ = std::move(*metadata);
    has_metadata_ = true;
    members_ = listed_members(*files_, path_, metadata_, options_.on_problem,
                              options_.allow_outside, is_stale_, unlisted_);
    if (members_.empty()) {  // it names none, or none that exists
      members_ = found_members(path_, session_);
      is_stale_ |= !members_.empty();
    }
  } else {
    is_stale_ = true;
    members_ = found_members(path_, session_);
  }
  if (members_.empty() && !has_metadata_) {
    throw Error(ErrorCode::unsupported,
                fmt::format("not a bag: it contains neither {} nor files in a supported format",
                            kMetadataName),
                path_);
  }
}

BagPtr Store::open(std::size_t member) const {
  std::lock_guard lock(mutex_);
  BagPtr bag = opened_[member].lock();
  if (!bag) opened_[member] = bag = open_alone(member, options_);
  if (bag) keep(bag);
  return bag;
}

/// One that its writer may still write to: that it has no end, and perhaps half a record at its
/// end, is no damage then.
BagPtr Store::open_growing(std::size_t member) const {
  struct Problems {
    std::vector<Error> found;
    bool are_kept_back = true;
  };
  BagPtr bag;
  for (bool is_last_try : {false, true}) {
    auto problems = std::make_shared<Problems>();
    ReadOptions options = options_;
    options.on_problem = [problems, next = options_.on_problem](const Error& problem) {
      if (!problems->are_kept_back) return report(next, problem);
      problems->found.push_back(problem);
    };
    bag = open_alone(member, options);
    problems->are_kept_back = false;
    if (problems->found.empty() || is_held(*files_, members_[member].path)) break;
    if (!is_last_try) continue;  // its writer may have completed it just now
    for (const Error& problem : problems->found) report(options_.on_problem, problem);
  }
  std::lock_guard lock(mutex_);
  opened_[member] = bag;
  if (bag) keep(bag);
  return bag;
}

void Store::keep(BagPtr bag) const {
  constexpr std::size_t kMostKept = 16;
  auto known = std::find(kept_.begin(), kept_.end(), bag);
  if (known != kept_.end()) kept_.erase(known);
  // One that is compressed as a whole takes the room of its content while it is open.
  std::size_t most = bag->outline().whole_file_compression.empty() ? kMostKept : 1;
  kept_.push_front(std::move(bag));
  if (kept_.size() > most) kept_.resize(most);
}

std::optional<std::uint32_t> Store::find_slot(const ChannelPtr& channel) const {
  auto known = slots_.find(channel);
  if (known == slots_.end()) return std::nullopt;
  return known->second;
}

/// Damage in a file says what it costs as far as the file itself knows. How much was behind the end
/// of one that was cut off, only metadata.yaml knows. Of a file that has its end, it may be wrong.
void Store::tell_cut(std::size_t member, const Bag& bag, const ReadOptions& options) const {
  const auto& declared = members_[member].declared;
  if (!declared || declared->messages == 0 || bag.outline().indexed) return;
  std::uint64_t found = found_in(member, bag).messages;
  if (found >= declared->messages) return;
  report(
      options.on_problem,
      Error(ErrorCode::truncated,
            fmt::format("{} gives {} messages of this file, of which {} were found", kMetadataName,
                        declared->messages, found),
            members_[member].path, Error::kNoOffset, Loss{.messages = declared->messages - found}));
}

BagPtr Store::open_alone(std::size_t member, const ReadOptions& options) const {
  const std::string& path = members_[member].path;
  try {
    Input input = session_.input_at(path);
    auto has_loss = std::make_shared<std::atomic<bool>>(false);
    ReadOptions noting = options;
    if (options.on_problem) {
      noting.on_problem = [has_loss, next = options.on_problem](const Error& problem) {
        if (problem.loss()) *has_loss = true;
        next(problem);
      };
    }
    if (input.file && input.file->size() == 0) {
      BagPtr empty = open_empty(input, metadata_.storage, noting);
      tell_cut(member, *empty, options);
      return empty;
    }
    const Format* format = match_format(session_.registry(), input);
    bool is_forced = !options.format.empty() && !(format && format->is_container);
    if (is_forced) format = find_format(session_.registry(), options.format);
    if (!format) {
      throw Error(ErrorCode::unsupported, "unrecognized format", path);
    }
    BagPtr bag = open_by(*format, input, noting, session_);
    if (!*has_loss) tell_cut(member, *bag, options);
    return bag;
  } catch (const Error& error) {
    // One that has gone since the folder was looked through is missing, as it would be now.
    bool is_missing = error.code() == ErrorCode::not_found && error.file() == path;
    if (!is_damage(error.code()) && !is_missing) throw;
    std::optional<std::uint64_t> lost;
    if (members_[member].declared) lost = members_[member].declared->messages;
    report(options.on_problem,
           Error(is_missing ? ErrorCode::corrupt : error.code(), error.message(), error.file(),
                 error.offset(), Loss{.messages = lost}));
    return nullptr;
  }
}

bool Store::is_given(std::size_t member, const Channel& channel) const {
  return members_[member].is_first || !is_repeated(channel);
}

Member::Declared Store::declared_by(std::size_t member, const Summary& summary) const {
  std::uint64_t hidden = members_[member].is_first ? 0 : repeats_in(summary);
  return {summary.start, summary.end, summary.messages - hidden};
}

/// rosbag2 before Iron writes counts to metadata.yaml alone. Counting would read the file, which
/// may be large, so the outline is compared. Repeats have to be counted, but whoever writes them
/// writes counts, too.
Member::Declared Store::found_in(std::size_t member, const Bag& bag) const {
  bool needs_counts = !members_[member].is_first && has_repeats(*bag.channels());
  return declared_by(member, needs_counts ? bag.summary() : bag.outline());
}

/// Checking the ends is enough: a user who moved files has moved the first or the last. A file that
/// is listed as empty is looked into too: its writer writes to it, or has crashed.
void Store::check_edges() {
  std::size_t listed = members_.size() - unlisted_;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < listed; ++i) {
    if (!members_[i].declared) return;  // nothing is declared of files before version 5
    sum += members_[i].declared->messages;
  }
  if (listed > 0 && sum != metadata_.messages) is_stale_ = true;
  for (std::size_t i = 0; i < listed; ++i) {
    bool is_edge = i == 0 || i + 1 == listed;
    bool may_grow = members_[i].declared->messages == 0;
    if (held_.contains(i) || (options_.trust_index && !is_edge && !may_grow)) continue;
    BagPtr bag = may_grow ? open_growing(i) : open(i);
    if (bag && may_grow && (bag->outline().messages > 0 || bag->growth() != Growth::complete)) {
      grown_.emplace(i, bag);
    } else if (bag && !members_[i].declared->agrees(found_in(i, *bag)))
      is_stale_ = true;
  }
}

std::optional<Error> Store::wrong_entry(std::size_t member) const {
  const auto& declared = members_[member].declared;
  if (is_stale_ || !declared || held_.contains(member) || has_grown(member)) return std::nullopt;
  ReadOptions options = options_;
  options.on_problem = [](const Error&) {};  // what is wrong with the file itself
  BagPtr bag = open_alone(member, options);
  if (!bag) return std::nullopt;
  Member::Declared found = declared_by(member, bag->summary());
  if (declared->agrees(found)) return std::nullopt;
  std::uint64_t lost = declared->messages - std::min(declared->messages, found.messages);
  std::string what = declared->messages == found.messages
                         ? std::string("other times than the file has")
                         : fmt::format("{} messages of the file, which has {}", declared->messages,
                                       found.messages);
  return Error(ErrorCode::corrupt, fmt::format("{} gives {}", kMetadataName, what),
               members_[member].path, Error::kNoOffset,
               lost > 0 ? std::optional(Loss{.messages = lost}) : std::nullopt);
}

/// What metadata.yaml should say. Values that only it can know are kept.
void Store::rebuild() {
  std::vector<rosbag2::BagMetadata::Topic> declared = std::move(metadata_.topics);
  metadata_.topics.clear();
  metadata_.paths.clear();
  metadata_.messages = 0;
  metadata_.compression_mode.clear();
  metadata_.compression_format.clear();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    metadata_.paths.push_back(std::string(file_name(members_[i].path)));
    if (held_.contains(i)) continue;
    BagPtr bag = open(i);
    members_[i].declared.reset();  // not before: a file that was cut off is compared with it
    if (!bag) continue;
    if (bag->growth() != Growth::complete) grown_.emplace(i, bag);
    const Summary& summary = bag->summary();
    if (metadata_.version == 0) take_embedded(*bag);
    metadata_.storage = summary.format;
    if (!summary.whole_file_compression.empty()) {
      metadata_.compression_mode = "FILE";
      metadata_.compression_format = summary.whole_file_compression;
    }
    if (!summary.message_compression.empty()) {
      metadata_.compression_mode = "MESSAGE";
      metadata_.compression_format = summary.message_compression;
    }
    metadata_.messages += declared_by(i, summary).messages;
    for (const ChannelPtr& channel : *summary.channels) {
      if (!is_given(i, *channel)) continue;
      std::uint32_t slot = slot_of(channel);
      if (slot >= metadata_.topics.size()) {
        auto hash = channel->metadata.find("topic_type_hash");
        metadata_.topics.push_back({channel->topic, channel->type(), channel->encoding,
                                    rosbag2::qos_of(*channel, rosbag2::qos_form(metadata_.version)),
                                    hash == channel->metadata.end() ? std::string() : hash->second,
                                    0});
      }
      metadata_.topics[slot].messages += summary.message_counts[channel->slot];
    }
  }
  if (metadata_.version == 0) metadata_.version = rosbag2::kCommonMetadata;
  // A topic without messages may be declared of there alone.
  for (auto& topic : declared) {
    if (known_topics_.contains(key_of(topic)) || topic.messages > 0) continue;
    add_channel(channel_of(topic, static_cast<std::uint32_t>(channels_->size())));
    metadata_.topics.push_back(std::move(topic));
  }
}

/// The messages of a file are added to what metadata.yaml says of all others.
void Store::add_grown(std::size_t member) {
  const Summary& summary = grown_.at(member)->summary();
  rosbag2::QosForm form = rosbag2::qos_form(metadata_.version);
  rosbag2::DeclaredTopics declared(metadata_.topics);
  for (const ChannelPtr& channel : *summary.channels) {
    if (!channel || !is_given(member, *channel)) continue;
    auto hash = channel->metadata.find("topic_type_hash");
    rosbag2::BagMetadata::Topic topic{
        channel->topic,
        channel->type(),
        channel->encoding,
        rosbag2::qos_of(*channel, form),
        hash == channel->metadata.end() ? std::string() : hash->second,
        summary.message_counts[channel->slot]};
    auto place = declared.take_alike(topic, form);
    if (!place && writer_of(members_[member].path).empty()) {
      place = declared.take(topic.name, topic.type);
    }
    if (place) {
      metadata_.topics[*place].messages += topic.messages;
    } else {
      metadata_.topics.push_back(std::move(topic));
    }
  }
  members_[member].declared = declared_by(member, summary);
  metadata_.messages += members_[member].declared->messages;
}

/// What otherwise only metadata.yaml knows.
void Store::take_embedded(const Bag& bag) {
  for (const Extra& extra : bag.extras()) {
    const auto* record = std::get_if<Metadata>(&extra);
    const std::string* text = record ? rosbag2::embedded_text(*record) : nullptr;
    if (!text) continue;
    try {
      rosbag2::BagMetadata declared = rosbag2::parse_metadata(*text, path_);
      metadata_.version = declared.version;
      metadata_.custom_data = std::move(declared.custom_data);
      metadata_.ros_distro = std::move(declared.ros_distro);
    } catch (const Error& error) {
      if (!is_damage(error.code())) throw;
      report(options_.on_problem, error);
    }
  }
}

/// Times and counts of each file that metadata.yaml does not describe: before version 5, or
/// rebuilt.
void Store::fill_declared() {
  metadata_.files.clear();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    if (!member.declared) {
      BagPtr bag = open(i);
      member.declared = Member::Declared{};
      if (bag) member.declared = is_stale_ ? declared_by(i, bag->summary()) : found_in(i, *bag);
    }
    const Member::Declared& declared = *member.declared;
    bool has_messages = declared.messages > 0;
    metadata_.files.push_back(
        {std::string(file_name(member.path)), has_messages ? declared.start : rosbag2::kNoStart,
         has_messages ? declared.end - declared.start : Duration::zero(), declared.messages});
  }
}

void Store::summarize() {
  summary_.format = "directory";
  summary_.version = std::to_string(metadata_.version);
  summary_.member_format = metadata_.storage;
  summary_.files = members_.size();
  if (metadata_.compression_mode == "FILE") {
    summary_.whole_file_compression = metadata_.compression_format;
  } else if (metadata_.compression_mode == "MESSAGE") {
    summary_.message_compression = metadata_.compression_format;
  }
  summary_.channels = channels_;
  count_channels();
  bool is_first = true;
  for (const Member& member : members_) {
    if (auto status = files_->status(member.path)) summary_.size_bytes += status->size_bytes;
    if (member.declared->messages == 0) continue;
    summary_.messages += member.declared->messages;
    summary_.start =
        is_first ? member.declared->start : std::min(summary_.start, member.declared->start);
    summary_.end = is_first ? member.declared->end : std::max(summary_.end, member.declared->end);
    is_first = false;
  }
  metadata_.messages = summary_.messages;
  metadata_.start = is_first ? rosbag2::kNoStart : summary_.start;
  metadata_.duration = is_first ? Duration::zero() : summary_.end - summary_.start;
}

}  // namespace kitbag::directory
