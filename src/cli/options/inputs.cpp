#include "cli/options/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cli/options/definitions.h"
#include "cli/options/select.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"
#include "cli/verbs.h"
#include "kitbag/bag_folder.h"
#include "kitbag/file_system.h"
#include "kitbag/open.h"
#include "kitbag/pipeline.h"
#include "kitbag/system_error.h"

// Damage is gathered while a bag is read and reported at the end as one line, the worst problem
// first: a bag with a hole may have thousands. The exit code says whether messages may be lost, so
// scripts need not read the sentence. Damage objects have addresses of their own, as bags call back
// to them for as long as they live.

namespace kitbag::cli {
namespace {

constexpr const char* kFileKey = "kitbag_file";

/// Notes in the channels of a bag which file they come from.
class TellFile final : public Stage {
 public:
  explicit TellFile(std::string path) : path_(std::move(path)) {}

  ChannelPtr map(const ChannelPtr& channel) override {
    auto told = std::make_shared<Channel>(*channel);
    told->metadata[kFileKey] = path_;
    return told;
  }

 private:
  std::string path_;
};

/// Whether `path` is a folder without bags, and there are folders in it.
bool has_only_folders(const std::string& path, const Session& session) {
  if (!is_folder_of_bags(path, session) || !bags_in(path, session).empty()) return false;
  std::string place = session.path_of(path);
  bool has_folders = false;
  session.file_system(place)->visit(place, [&](const FolderEntry& entry) {
    has_folders |= entry.status.is_folder && !entry.name.starts_with('.');
  });
  return has_folders;
}

}  // namespace

std::string file_of(const Channel& channel) {
  auto found = channel.metadata.find(kFileKey);
  return found == channel.metadata.end() ? std::string() : found->second;
}

std::string problem_text(const Error& problem) {
  std::string text = problem.what();
  // A limit that is met at a place in the file is one of memory; those of definitions, values and
  // YAML are met elsewhere and are fixed. A bag that is locked at a place in the file was given no
  // key; what gpg refuses has no place.
  bool has_place = problem.offset() != Error::kNoOffset;
  if (problem.code() == ErrorCode::limit && has_place) {
    text += "; increase --max-memory to read it";
  }
  if (problem.code() == ErrorCode::locked && has_place) {
    text += "; use --gpg-key USER, or --gpg-key '*' for any key that gpg has";
  }
  return text;
}

std::string error_text(const Error& error) {
  std::string text = problem_text(error);
  if (error.code() == ErrorCode::exists) text += "; use --force to replace it";
  return text;
}

int warn_of(const Damage& damage) {
  if (damage.count() == 0) return kDone;
  std::string text = problem_text(damage.worst());
  if (damage.count() > 1)
    text += fmt::format(" (and {})", counted(damage.count() - 1, "more problem"));
  print_warning(text);
  return damage.is_costly() ? kNotSo : kDone;
}

void warn_of(const KeyFrameReport& report, const std::string& about) {
  for (const auto& [topic, why] : report.missing) {
    print_note(fmt::format("{}the first frames of {} cannot be decoded: {}", about, topic, why));
  }
}

ReadOptions ReadingOptions::with(OnProblem on_problem) const {
  ReadOptions options;
  options.on_problem = std::move(on_problem);
  options.check_crc = check_crc;
  options.format = format;
  options.gpg_key = gpg_key;
  options.threads = threads;
  options.allow_outside = allow_outside;
  options.max_memory_bytes = max_memory_bytes;
  return options;
}

void require_one_bag(const std::string& path, const Session& session) {
  auto bags = unrelated_bags_in(path, session);
  if (bags.empty()) return;
  throw Error(
      ErrorCode::invalid,
      fmt::format("a folder of {}, not a bag; name the bags in it (or use -r, where the verb has "
                  "it)",
                  counted(bags.size(), "bag")),
      path);
}

Inputs::Inputs(const std::vector<std::string>& paths, const ReadingOptions& reading,
               const Context& context, InputOptions options)
    : options_(options) {
  // To open a bag without an index is to read it, and nothing has been written yet.
  ExitOnStop nothing_to_clean_up(context.stop);
  // The last error is held back: where no bag is left, it is thrown, and is not said twice.
  std::optional<Error> last;
  for (const std::string& path : paths) {
    try {
      open(path, reading, context);
    } catch (const Error& error) {
      if (paths.size() == 1) throw;
      Error explained = with_topic(error, path);
      if (!options_.skips_unreadable) throw_as(explained, error);
      if (last) print_error(error_text(*last));
      last = explained;
    }
  }
  if (last && bags_.empty()) throw Error(*last);
  if (last) print_error(error_text(*last));
  is_complete_ = !last;
}

Error Inputs::with_topic(const Error& error, const std::string& path) const {
  bool is_topic = error.code() == ErrorCode::not_found &&
                  std::any_of(bags_.begin(), bags_.end(), [&](const BagPtr& bag) {
                    const Channels& channels = *bag->channels();
                    return std::any_of(channels.begin(), channels.end(), [&](const auto& channel) {
                      return channel && channel->topic == path;
                    });
                  });
  if (!is_topic) return error;
  return {error.code(), fmt::format("{}; to select a topic: --topics {}", error.message(), path),
          error.file()};
}

BagPtr Inputs::open_bag(const std::string& path, const ReadOptions& options,
                        const Session& session) const {
  try {
    return session.open(path, options);
  } catch (const Error& error) {
    bool is_unsupported = error.code() == ErrorCode::unsupported && options.format.empty();
    if (!is_unsupported || options_.recursive.empty() || !has_only_folders(path, session)) throw;
    throw Error(error.code(),
                fmt::format("{}; use {} to read the bags in the folders below", error.message(),
                            options_.recursive),
                error.file());
  }
}

void Inputs::open(const std::string& path, const ReadingOptions& reading, const Context& context) {
  if (path == "-" && stream_) {
    throw Error(ErrorCode::invalid, "standard input can be used for only one bag", path);
  }
  if (reading.format.empty()) require_one_bag(path, context.session);
  Damage* damage = damage_.emplace_back(std::make_unique<Damage>()).get();
  OnProblem on_problem;
  if (!reading.is_strict) on_problem = [damage](const Error& found) { damage->add(found); };
  ReadOptions options = reading.with(std::move(on_problem));
  options.stop = context.stop;
  BagPtr bag = open_bag(path, options, context.session);
  if (options_.definitions) bag = options_.definitions->supply(std::move(bag));
  if (options_.tells_files) {
    bag = through(std::move(bag), [path] { return std::make_unique<TellFile>(path); });
  }
  if (bag->summary().is_stream) {
    stream_ = std::make_shared<const StreamedBag>(std::move(bag));
    bag = stream_;
  }
  bags_.push_back(std::move(bag));
}

std::vector<Extra> Inputs::read_remaining_extras(const std::stop_token& stop) const {
  return stream_ ? stream_->read_remaining_extras(stop) : std::vector<Extra>();
}

void Inputs::read_stream(const std::stop_token& stop) const {
  if (stream_) stream_->read_whole(stop);
}

std::unique_ptr<Source> Inputs::read(const Query& query) const {
  return kitbag::read(bags_, query);
}

std::unique_ptr<Source> Inputs::read_from_key_frames(const Query& query, KeyFrameReport& report,
                                                     const Context& context) const {
  return kitbag::read_from_key_frames(bags_, query, &report, context.session,
                                      {context.stop, kNever});
}

int Inputs::warn() const {
  int code = is_complete_ ? kDone : kFailed;
  for (const auto& damage : damage_) code = std::max(code, warn_of(*damage));
  return code;
}

}  // namespace kitbag::cli
