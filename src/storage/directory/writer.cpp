#include "storage/directory/writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "compress/stream.h"
#include "io/staged_folder.h"
#include "io/write_file.h"
#include "kitbag/rosbag2.h"
#include "storage/directory/store.h"

namespace kitbag::directory {

namespace fs = std::filesystem;

namespace {

constexpr const char* kMemberFormat = "mcap";
constexpr const char* kPackFile = "zstd_file";

/// `path` without a "/" at its end.
fs::path folder_at(const std::string& path) {
  fs::path folder(path);
  return folder.has_filename() ? folder : folder.parent_path();
}

const Format& member_format(const WriteOptions& options, const Registry& registry) {
  const std::string& name = options.member_format.empty() ? kMemberFormat : options.member_format;
  const Format* format = find_format(registry, name);
  if (!format || !format->create || format->is_container) {
    throw Error(ErrorCode::invalid, fmt::format("a directory cannot have files of \"{}\"", name));
  }
  return *format;
}

WriteOptions member_options(const WriteOptions& options) {
  WriteOptions member = options;
  member.member_format.clear();
  if (member.compression == kPackFile) member.compression = "none";
  return member;
}

int metadata_version(const WriteOptions& options) {
  int version = options.metadata_version == 0 ? rosbag2::kNewestMetadata : options.metadata_version;
  if (version >= 1 && version <= rosbag2::kNewestMetadata) return version;
  throw Error(ErrorCode::invalid, fmt::format("there is no metadata version {}; there are 1 to {}",
                                              version, rosbag2::kNewestMetadata));
}

/// The number of the next file.
std::uint64_t next_number(const rosbag2::BagMetadata& metadata) {
  std::uint64_t next = metadata.paths.size();
  for (const std::string& path : metadata.paths) {
    if (auto number = number_of(path)) next = std::max(next, *number + 1);
  }
  return next;
}

/// Compresses the file at `from` to a new one at `to`.
void pack_file(const std::string& from, const std::string& to) {
  constexpr std::size_t kStepBytes = 1 << 20;
  auto file = open_file(from);
  auto packed = create_file(to);
  StreamCompressor stream;
  std::vector<std::byte> input(kStepBytes);
  std::vector<std::byte> output(kStepBytes);
  StreamStep step;
  for (std::uint64_t at = 0; step.state != StreamStep::State::ended;) {
    ByteView left = ByteView(input).first(file->read(at, input));
    at += left.size();
    bool is_last = left.size() < input.size();
    do {
      step = stream.step(left, output, is_last);
      left = left.subspan(step.taken);
      packed->append(ByteView(output).first(step.given));
    } while (!left.empty() || (is_last && step.state != StreamStep::State::ended));
  }
  packed->commit();
}

}  // namespace

void write_metadata(const fs::path& folder, const rosbag2::BagMetadata& metadata, int version) {
  std::string text = rosbag2::print_metadata(metadata, version, false);
  auto file = create_file((folder / kMetadataName).string(), {.io = Io::buffered});
  file->append(as_bytes(text));
  file->commit();
}

std::unique_ptr<DirectoryWriter> DirectoryWriter::create(const std::string& path,
                                                         const WriteOptions& options,
                                                         const Registry& registry) {
  fs::path target = folder_at(path);
  std::error_code ignored;
  bool is_there = fs::exists(target, ignored);
  if (is_there && !(fs::is_directory(target, ignored) && fs::is_empty(target, ignored))) {
    throw Error(ErrorCode::invalid, "exists already; a directory is not replaced", path);
  }
  return std::unique_ptr<DirectoryWriter>(
      new DirectoryWriter(std::move(target), {}, options, registry, true));
}

std::unique_ptr<DirectoryWriter> DirectoryWriter::append(const std::string& path,
                                                         const WriteOptions& options,
                                                         const Registry& registry) {
  Store old(path, {}, registry);
  WriteOptions like_old = options;
  if (like_old.member_format.empty()) like_old.member_format = old.metadata().storage;
  return std::unique_ptr<DirectoryWriter>(
      new DirectoryWriter(folder_at(path), old.metadata(), like_old, registry, false));
}

DirectoryWriter::DirectoryWriter(fs::path target, rosbag2::BagMetadata metadata,
                                 const WriteOptions& options, const Registry& registry, bool is_new)
    : target_(std::move(target)),
      folder_(target_),
      is_visible_(options.is_visible),
      packs_file_(options.compression == kPackFile),
      metadata_version_(metadata_version(options)),
      metadata_(std::move(metadata)) {
  const Format& format = member_format(options, registry);
  WriteOptions of_member = member_options(options);
  check_options(format, of_member);
  metadata_.version = metadata_version_;
  metadata_.storage = format.name;
  if (packs_file_) {
    metadata_.compression_mode = "FILE";
    metadata_.compression_format = "zstd";
  } else if (format.compresses_messages && of_member.compression != "none") {
    metadata_.compression_mode = "MESSAGE";
    metadata_.compression_format = of_member.compression;
  }
  name_ =
      fmt::format("{}_{}{}", target_.filename().string(), next_number(metadata_), format.extension);
  is_staged_ = is_new && !is_visible_;
  if (is_staged_) {
    folder_ = stage_folder(target_);
  } else if (is_new) {
    make_folder(target_);
  }
  try {
    member_ = format.create((folder_ / name_).string(), of_member, registry);
    file_ = {name_, rosbag2::kNoStart, Duration::zero(), 0};
    metadata_.paths.push_back(name_);
    metadata_.files.push_back(file_);
    if (is_visible_) put_metadata();
  } catch (const Error& error) {
    member_.reset();
    if (is_staged_) remove_folder(folder_);  // no destructor runs
    throw told(error);
  }
}

/// Of the file as it will be called.
Error DirectoryWriter::told(const Error& error) const {
  if (!is_staged_) return error;
  return {error.code(), error.message(), (target_ / name_).string(), error.offset()};
}

DirectoryWriter::~DirectoryWriter() {
  member_.reset();
  if (is_staged_ && !is_closed_) remove_folder(folder_);
}

void DirectoryWriter::write(Batch&& batch) {
  run([&] {
    if (is_closed_) throw Error(ErrorCode::invalid, "a bag that is closed was written to");
    places_.declare(batch.channels,
                    [this](const ChannelPtr& channel) { return add_topic(*channel); });
    take_metadata(batch.extras);
    for (const Message& message : batch.messages()) {
      count(places_[message.channel->slot], message.log_time);
    }
    member_->write(std::move(batch));
  });
}

void DirectoryWriter::append(const ChannelPtr& channel, const Stamp& stamp,
                             std::span<const ByteView> pieces, const Owner& owner) {
  run([&] {
    count_one(channel, stamp.log_time);
    member_->append(channel, stamp, pieces, owner);
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

/// What a bag of rosbag2 says of itself is taken over; the rest is for the file.
void DirectoryWriter::take_metadata(std::vector<Extra>& extras) {
  std::erase_if(extras, [this](const Extra& extra) {
    if (!is_rosbag2(extra)) return false;
    const auto& values = std::get<Metadata>(extra).values;
    auto text = values.find("serialized_metadata");
    if (text == values.end()) return false;
    try {
      rosbag2::BagMetadata told = rosbag2::parse_metadata(text->second, {});
      metadata_.custom_data.merge(told.custom_data);
      if (metadata_.ros_distro.empty()) metadata_.ros_distro = told.ros_distro;
      return true;
    } catch (const Error&) {
      return false;
    }
  });
}

/// Each channel has an entry; those that differ in what metadata.yaml does not tell are told by
/// their order.
std::uint32_t DirectoryWriter::add_topic(const Channel& channel) {
  is_taken_.resize(metadata_.topics.size());
  for (std::uint32_t i = 0; i < metadata_.topics.size(); ++i) {
    const auto& topic = metadata_.topics[i];
    if (is_taken_[i] || topic.name != channel.topic || topic.type != channel.type()) continue;
    is_taken_[i] = true;
    return i;
  }
  auto hash = channel.metadata.find("topic_type_hash");
  metadata_.topics.push_back({channel.topic, channel.type(), channel.encoding,
                              rosbag2::qos_of(channel, rosbag2::qos_form(metadata_version_)),
                              hash == channel.metadata.end() ? std::string() : hash->second, 0});
  is_taken_.push_back(true);
  return static_cast<std::uint32_t>(metadata_.topics.size() - 1);
}

void DirectoryWriter::count_one(const ChannelPtr& channel, Time log_time) {
  count(places_.find(channel, [this](const ChannelPtr& added) { return add_topic(*added); }),
        log_time);
}

void DirectoryWriter::count(std::uint32_t topic, Time log_time) {
  ++metadata_.topics[topic].messages;
  bool is_first = file_.messages++ == 0;
  file_.start = is_first ? log_time : std::min(file_.start, log_time);
  file_end_ = is_first ? log_time : std::max(file_end_, log_time);
}

void DirectoryWriter::put_metadata() {
  if (file_.messages > 0) file_.duration = file_end_ - file_.start;
  metadata_.files.back() = file_;
  metadata_.messages = 0;
  metadata_.start = rosbag2::kNoStart;
  Time end = Time::min();
  for (const auto& file : metadata_.files) {
    metadata_.messages += file.messages;
    if (file.messages == 0) continue;
    metadata_.start = std::min(metadata_.start, file.start);
    end = std::max(end, file.start + file.duration);
  }
  metadata_.duration = metadata_.messages > 0 ? end - metadata_.start : Duration::zero();
  write_metadata(folder_, metadata_, metadata_version_);
}

void DirectoryWriter::tick(Steady now) {
  run([&] { member_->tick(now); });
}

void DirectoryWriter::flush() {
  run([&] { member_->flush(); });
}

void DirectoryWriter::close() {
  run([&] {
    if (is_closed_) return;
    member_->close();
    if (packs_file_) {
      std::string plain = (folder_ / name_).string();
      pack_file(plain, plain + kPackedExtension);
      fs::remove(plain);
      metadata_.paths.back() += kPackedExtension;
    }
    put_metadata();
    if (is_staged_) publish_folder(folder_, target_);
    is_closed_ = true;
  });
}

}  // namespace kitbag::directory
