#include "storage/rosbag/old/run_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "storage/rosbag/old/run_lines.h"

// These versions are written for programs of their time, so a bag must not hold anything that those
// do not expect. Everything without a place is left out and counted by kind, and one warning at the
// end lists the kinds. Only what would make the bag wrong (other encodings, compression, a message
// above 1 GiB) is refused, before or while it is written.

namespace kitbag::rosbag {

void LeftOut::tell(std::string_view version, const std::string& path,
                   const OnWarning& on_warning) const {
  if (channels_.empty() || !on_warning) return;
  std::vector<std::string> parts;
  for (const auto& [what, channels] : channels_) {
    parts.push_back(fmt::format("{} ({})", what, channels));
  }
  on_warning(
      Error(ErrorCode::unsupported,
            fmt::format(
                "a bag of version {} cannot store the following; left out (number of channels): {}",
                version, fmt::join(parts, ", ")),
            path));
}

RunWriter::RunWriter(std::unique_ptr<WriteFile> file, std::string path, std::string_view version,
                     const WriteOptions& options)
    : file_(std::move(file)),
      path_(std::move(path)),
      version_(version),
      on_warning_(options.on_warning),
      pace_(options) {
  if (options.compression != "none" || !options.gpg_key.empty()) {
    throw Error(ErrorCode::invalid,
                fmt::format("a bag of version {} cannot be compressed or encrypted", version),
                path_);
  }
}

void RunWriter::write(Batch&& batch) {
  sticky_.run([&] {
    places_.declare(batch.channels,
                    [this](const ChannelPtr& channel) { return add_channel(*channel); });
    left_out_extras_.add(batch.extras);
    for (const Message& message : std::as_const(batch).messages()) {
      left_out_extras_.add(message);
      if (message.data.size() > kMaxRunMessage) {
        throw Error(ErrorCode::unsupported,
                    fmt::format("a message of {} bytes on {} is too large for a ROS 1 bag",
                                message.data.size(), message.channel->topic),
                    path_);
      }
      put(places_[message.channel->slot], message);
    }
    if (!batch.empty()) pace_.note();
  });
}

/// There are no chunks: what is handed over counts as one.
void RunWriter::tick(SteadyTime now) {
  WritePace::Work work = pace_.tick(now);
  bool syncs = work.sync || (work.flush && pace_.syncs_chunks());
  if (work.flush) flush();
  if (syncs) sticky_.run([&] { file_->begin_sync(); });
}

void RunWriter::flush() {
  sticky_.run([&] { file_->flush(); });
}

void RunWriter::close() {
  sticky_.run([&] {
    finish();  // which finds what else is left out
    left_out_.tell(version_, path_, on_warning_);
    left_out_extras_.tell(fmt::format("rosbag {}", version_), path_, on_warning_);
    file_->commit();
  });
}

std::uint32_t RunWriter::add_channel(const Channel& channel) {
  if (channel.encoding != "ros1") {
    throw Error(
        ErrorCode::unsupported,
        fmt::format(
            "a ROS 1 bag of this version holds only ROS 1 messages, but {} has the encoding '{}'",
            channel.topic, channel.encoding),
        path_);
  }
  declare(channel);
  return channels_++;
}

}  // namespace kitbag::rosbag
