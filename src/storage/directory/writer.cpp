#include "storage/directory/writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/path.h"
#include "kitbag/rosbag2.h"
#include "kitbag/session.h"
#include "storage/directory/change_metadata.h"
#include "storage/directory/store.h"
#include "storage/rosbag2/conventions.h"
#include "storage/rosbag2/declared_topics.h"
#include "storage/writing/create_by.h"
#include "storage/writing/pack_file.h"

// A new directory is written in a hidden folder. A recording is not: it must be a bag whenever the
// program dies. So metadata.yaml is written when a file is begun, with zero messages for it, and
// again when the file is closed. In between a reader finds a file that has more than is declared,
// does not trust the metadata, and looks into the file.
//
// metadata.yaml is replaced as a whole. Its entries of other files are read again each time,
// because somebody may have removed files meanwhile (a recorder that keeps only the newest ones).
// Reading it for each of thousands of files would make a recording slower and slower;
// WrittenMetadata remembers what this process wrote last.
//
// At the end, the file and its entry belong together, so nobody leaves the process between the two.

namespace kitbag::directory {

namespace {

constexpr const char* kMemberFormat = "mcap";
constexpr const char* kPackFile = "zstd_file";

const Format& member_format(const WriteOptions& options, const Session& session) {
  const std::string& name = options.member_format.empty() ? kMemberFormat : options.member_format;
  const Format* format = find_format(session.registry(), name);
  if (!format || !format->create || format->is_container) {
    throw Error(ErrorCode::invalid,
                fmt::format("a directory cannot contain files of the format \"{}\"", name));
  }
  return *format;
}

WriteOptions member_options(const WriteOptions& options) {
  WriteOptions member = options;
  member.member_format.clear();
  if (member.compression == kPackFile) member.compression = "none";
  return member;
}

/// The number of the next file.
std::uint64_t next_number(const rosbag2::BagMetadata& metadata) {
  std::uint64_t next = metadata.paths.size();
  for (const std::string& path : metadata.paths) {
    if (auto number = number_of(path)) next = std::max(next, *number + 1);
  }
  return next;
}

/// The options for one more file beside those of `old`. metadata.yaml says for all of them how they
/// are compressed, but for chunks inside of them.
WriteOptions options_like(const rosbag2::BagMetadata& old, const WriteOptions& options,
                          const std::string& path, const Session& session) {
  WriteOptions like_old = options;
  if (like_old.member_format.empty()) like_old.member_format = old.storage;
  auto told = [&](const std::string& compression) -> std::string {
    bool is_told = compression == kPackFile || member_format(like_old, session).compresses_messages;
    return is_told ? compression : "none";
  };
  std::string theirs = "none";
  if (old.compression_mode == "FILE") theirs = kPackFile;
  if (old.compression_mode == "MESSAGE") theirs = old.compression_format;
  if (options.compression == "none") like_old.compression = theirs;
  if (told(like_old.compression) == theirs) return like_old;
  throw Error(ErrorCode::invalid,
              fmt::format("metadata.yaml gives one compression for all files, which is {}; add "
                          "messages without another one",
                          theirs),
              path);
}

}  // namespace

std::unique_ptr<DirectoryWriter> DirectoryWriter::create(const std::string& path,
                                                         const WriteOptions& options,
                                                         const Session& session) {
  std::string target = without_slash(path);
  FileSystemPtr files = session.file_system(path);
  auto there = files->status(target);
  if (there && !(there->is_folder && files->list(target).empty())) {
    throw Error(ErrorCode::invalid, "already exists; a directory is not replaced", path);
  }
  return std::unique_ptr<DirectoryWriter>(
      new DirectoryWriter(std::move(target), {}, options, session, Kind::first));
}

std::unique_ptr<DirectoryWriter> DirectoryWriter::append(const std::string& path,
                                                         const WriteOptions& options,
                                                         const Session& session) {
  std::string target = without_slash(path);
  auto old = WrittenMetadata::shared()->find(*session.file_system(path), target);
  if (!old) old = Store(path, {}, session).metadata();
  WriteOptions like_old = options_like(*old, options, path, session);
  return std::unique_ptr<DirectoryWriter>(
      new DirectoryWriter(std::move(target), std::move(*old), like_old, session, Kind::appended));
}

DirectoryWriter::DirectoryWriter(std::string target, rosbag2::BagMetadata metadata,
                                 const WriteOptions& options, const Session& session, Kind kind)
    : session_(session),
      files_(session.file_system(target)),
      on_warning_(options.on_warning),
      kind_(kind),
      target_(std::move(target)),
      folder_(target_),
      is_visible_(options.is_visible),
      packs_file_(options.compression == kPackFile),
      metadata_version_(rosbag2::conventions_of(options).metadata_version),
      others_(std::move(metadata)) {
  const Format& format = member_format(options, session);
  WriteOptions of_member = member_options(options);
  check_options(format, of_member);
  if (kind_ == Kind::joined) {
    if (others_.version >= kLeastJoined) metadata_version_ = others_.version;
    lock_ = lock_as_one_of_several(target_, session, on_warning_);
  }
  others_.version = metadata_version_;
  others_.storage = format.name;
  if (kind_ == Kind::joined) {
    others_.compression_mode.clear();
    others_.compression_format.clear();
  }
  if (packs_file_) {
    others_.compression_mode = "FILE";
    others_.compression_format = "zstd";
  } else if (format.compresses_messages && of_member.compression != "none") {
    others_.compression_mode = "MESSAGE";
    others_.compression_format = of_member.compression;
  }
  if (kind_ == Kind::joined) return;
  number_ = next_number(others_);
  name_ = fmt::format("{}_{}{}", file_name(target_), number_, format.extension);
  bool is_new = kind_ == Kind::first;
  if (is_new && !is_visible_) {
    staged_ = files_->stage(target_, options.on_warning);
    folder_ = without_slash(staged_->place(target_ + "/", true));
  }
  if (staged_ && of_member.on_warning) {
    of_member.on_warning = [staged = staged_.get(), tell = on_warning_](const Error& warning) {
      tell(staged->with_final_name(warning));
    };
  }
  if (is_new) files_->make_folder(folder_);
  try {
    member_ = create_by(format, join(folder_, name_), of_member, session);
    // Where files appear when they are complete, metadata.yaml does not name one before.
    if (is_visible_ && files_->can_rename()) put_metadata();
  } catch (const Error& error) {
    throw_as(with_final_name(error), error);
  }
}

Error DirectoryWriter::with_final_name(const Error& error) const {
  return staged_ ? staged_->with_final_name(error) : error;
}

DirectoryWriter::~DirectoryWriter() {
  if (kind_ == Kind::joined && !is_closed_ && messages_ == 0) give_up();
}

void DirectoryWriter::write(Batch&& batch) {
  run([&] {
    if (is_closed_) throw Error(ErrorCode::invalid, "cannot write to a closed bag");
    take_metadata(batch.extras);
    ChannelsPtr channels = batch.channels;
    // Noted before the batch is moved away, and counted only when the file has taken it.
    written_messages_.clear();
    for (const Message& message : batch.messages()) {
      written_messages_.emplace_back(message.channel->slot, message.log_time);
    }
    member_->write(std::move(batch));  // which may refuse it
    places_.declare(channels, [this](const ChannelPtr& channel) { return add_topic(*channel); });
    for (const auto& [slot, time] : written_messages_) count(places_[slot], time);
  });
}

void DirectoryWriter::append(const ChannelPtr& channel, const Stamp& stamp,
                             std::span<const ByteView> pieces) {
  run([&] {
    member_->append(channel, stamp, pieces);  // which may refuse it
    count_one(channel, stamp.log_time);
  });
}

std::span<std::byte> DirectoryWriter::reserve(const ChannelPtr& channel, const Stamp& stamp,
                                              std::size_t size) {
  std::span<std::byte> room;
  run([&] {
    room = member_->reserve(channel, stamp, size);
    reserved_ = {channel, stamp.log_time};
  });
  return room;
}

void DirectoryWriter::commit(std::size_t size) {
  run([&] {
    member_->commit(size);
    count_one(reserved_.first, reserved_.second);
  });
}

/// What a bag of rosbag2 says about itself is taken over; all else is for the file.
void DirectoryWriter::take_metadata(std::vector<Extra>& extras) {
  std::erase_if(extras, [this](const Extra& extra) {
    const auto* record = std::get_if<Metadata>(&extra);
    return record && taken_over_.take(*record, {});
  });
}

std::uint32_t DirectoryWriter::add_topic(const Channel& channel) {
  auto hash = channel.metadata.find("topic_type_hash");
  topics_.push_back({{channel.topic, channel.type(), channel.encoding,
                      rosbag2::qos_of(channel, rosbag2::qos_form(metadata_version_)),
                      hash == channel.metadata.end() ? std::string() : hash->second, 0},
                     is_repeated(channel)});
  return static_cast<std::uint32_t>(topics_.size() - 1);
}

void DirectoryWriter::count_one(const ChannelPtr& channel, Time log_time) {
  count(places_.find(channel, [this](const ChannelPtr& added) { return add_topic(*added); }),
        log_time);
}

void DirectoryWriter::count(std::uint32_t topic, Time log_time) {
  ++topics_[topic].declared.messages;
  bool is_first = messages_++ == 0;
  start_ = is_first ? log_time : std::min(start_, log_time);
  end_ = is_first ? log_time : std::max(end_, log_time);
}

/// The current entries of the other files: some may have been removed meanwhile.
rosbag2::BagMetadata DirectoryWriter::others() const {
  if (!is_listed_) return others_;
  auto now = written_->find(*files_, folder_);
  if (!now) now = read_metadata(*files_, folder_, {});
  if (!now) return others_;
  if (now->files.empty()) {  // before version 5
    for (std::size_t i = 0; i < others_.files.size(); ++i) {
      if (place_of(*now, others_.paths[i])) now->files.push_back(others_.files[i]);
    }
  }
  if (auto own = place_of(*now, name_)) remove_file(*now, *own);
  return std::move(*now);
}

/// Each channel has an entry; channels that differ only in what metadata.yaml does not contain are
/// distinguished by their order.
void DirectoryWriter::put_metadata() {
  if (kind_ == Kind::joined) return put_joined_metadata();
  rosbag2::BagMetadata all = others();
  add_own(all);
  write_metadata(*files_, folder_, all, metadata_version_);
  written_->keep(*files_, folder_, std::move(all));
  is_listed_ = true;
}

void DirectoryWriter::add_own(rosbag2::BagMetadata& all) const {
  bool gives_repeats = is_first(all);
  rosbag2::BagMetadata::File file{name_, rosbag2::kNoStart, Duration::zero(), 0};
  rosbag2::DeclaredTopics listed(all.topics);
  rosbag2::QosForm form = rosbag2::qos_form(metadata_version_);
  for (const Topic& topic : topics_) {
    if (topic.is_repeat && !gives_repeats) continue;
    file.messages += topic.declared.messages;
    auto place = kind_ == Kind::joined ? listed.take_alike(topic.declared, form)
                                       : listed.take(topic.declared.name, topic.declared.type);
    if (place) {
      all.topics[*place].messages += topic.declared.messages;
    } else {
      all.topics.push_back(topic.declared);
    }
  }
  if (file.messages > 0) {
    file.start = start_;
    file.duration = end_ - start_;
  }
  all.paths.push_back(is_packed_ ? name_ + kPackedExtension : name_);
  all.files.push_back(file);
  for (const auto& [key, value] : taken_over_.custom_data) all.custom_data.emplace(key, value);
  if (all.ros_distro.empty()) all.ros_distro = taken_over_.ros_distro;
  sum_up(all);
}

bool DirectoryWriter::is_first(const rosbag2::BagMetadata& all) const {
  std::string own = writer_of(name_);
  return std::none_of(all.paths.begin(), all.paths.end(),
                      [&](const std::string& path) { return writer_of(path) == own; });
}

std::string DirectoryWriter::path() const {
  return join(folder_, packs_file_ ? name_ + kPackedExtension : name_);
}

void DirectoryWriter::tick(SteadyTime now) {
  run([&] { member_->tick(now); });
}

void DirectoryWriter::flush() {
  run([&] { member_->flush(); });
}

void DirectoryWriter::close() {
  run([&] {
    if (is_closed_) return;
    std::optional<NoLeave> both;  // the file and its entry in metadata.yaml
    if (!staged_) both.emplace();
    member_->close();
    if (packs_file_) {
      std::string plain = join(folder_, name_);
      pack_file(*files_, plain, plain + kPackedExtension);
      // Only now: a writer that dies in between leaves both, and readers take one of them
      // (files.cpp).
      files_->remove(plain);
      is_packed_ = true;
    }
    put_metadata();
    if (staged_) staged_->publish();
    is_closed_ = true;
    lock_.reset();
  });
}

}  // namespace kitbag::directory
