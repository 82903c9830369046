#include "storage/writing/run_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

namespace kitbag {

void LeftOut::tell(std::string_view target, const std::string& path,
                   const OnWarning& on_warning) const {
  if (channels_.empty() || !on_warning) return;
  std::vector<std::string> parts;
  for (const auto& [what, channels] : channels_) {
    parts.push_back(fmt::format("{} ({})", what, channels));
  }
  on_warning(Error(ErrorCode::unsupported,
                   fmt::format("{} cannot store the following; left out (number of channels): {}",
                               target, fmt::join(parts, ", ")),
                   path));
}

RunWriter::RunWriter(std::unique_ptr<WriteFile> file, std::string path, std::string target,
                     std::uint64_t max_message_bytes, const StoredTimes& times,
                     const WriteOptions& options)
    : file_(std::move(file)),
      path_(std::move(path)),
      target_(std::move(target)),
      max_message_bytes_(max_message_bytes),
      times_(times),
      on_warning_(options.on_warning),
      pace_(options) {}

void RunWriter::write(Batch&& batch) {
  sticky_.run([&] {
    require_stored(times_, batch, path_);
    places_.declare(batch.channels, [this](const ChannelPtr& channel) {
      declare(*channel);
      return channels_++;
    });
    left_out_extras_.add(batch.extras);
    for (const Message& message : std::as_const(batch).messages()) {
      left_out_extras_.add(message);
      if (message.data.size() > max_message_bytes_) {
        throw Error(ErrorCode::unsupported,
                    fmt::format("a message of {} bytes on {} is too large for {}",
                                message.data.size(), message.channel->topic, target_),
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
    left_out_.tell(target_, path_, on_warning_);
    left_out_extras_.tell(target_, path_, on_warning_);
    file_->commit();
  });
}

}  // namespace kitbag
