#include "export/message_files.h"

#include <fmt/format.h>

#include <span>

#include "kitbag/error.h"

// A file for each message, named by its time. Ten digits of seconds make names sort as the times
// do, until the year 2286. Nanoseconds make it rare that two have one name; the second one gets
// "_1".

namespace kitbag {

Time time_in(const Value& stamp) {
  auto seconds = stamp.find("sec");
  auto rest = stamp.find("nsec");
  if (!seconds || !rest) return from_ns(stamp.nanoseconds());
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(seconds->as<std::int64_t>(), std::int64_t{1'000'000'000}, &ns)) {
    throw Error(ErrorCode::invalid, "the time is out of range");
  }
  return saturating_add(from_ns(ns), Duration(rest->as<std::int64_t>()));
}

MessageTimes::MessageTimes(const ExportRequest& request, const Session& session)
    : time_(request.columns.time), stamps_(session, {}), timestamp_("timestamp", session) {}

Time MessageTimes::of(const Message& message) {
  if (time_ == RowTime::log_time) return message.log_time;
  if (time_ == RowTime::publish_time) return message.publish_time;
  if (std::optional<Time> stamp = stamps_.of(message)) return *stamp;
  const std::uint32_t slot = message.channel->slot;
  if (have_none_.size() <= slot) have_none_.resize(slot + 1);
  if (have_none_[slot]) return message.log_time;
  try {
    return time_in(timestamp_(message));
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    // The type has no such field, which is not looked for in each message.
    have_none_[slot] = error.code() == ErrorCode::not_found;
    return message.log_time;
  }
}

std::string name_of_time(Time time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t ns = to_ns(time);
  // Without a sign, as the least number of 64 bits has no positive counterpart.
  auto magnitude = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  return fmt::format("{}{:010}.{:09}", ns < 0 ? "-" : "", magnitude / kSecond, magnitude % kSecond);
}

MessageFiles::MessageFiles(const std::string& topic, const ExportJob& job)
    : topic_(topic), job_(job), folder_(job.folder.name_of(topic, "")) {}

std::string MessageFiles::write(Time time, std::string_view extension,
                                std::initializer_list<ByteView> pieces) {
  throw_if_stopped(job_.wait);
  std::uint32_t before = used_[to_ns(time)]++;
  std::string name = name_of_time(time);
  if (before > 0) name += fmt::format("_{}", before);
  name += extension;
  auto file = job_.folder.create(folder_ + "/" + name);
  file->append(std::span(pieces.begin(), pieces.size()));
  size_bytes_ += file->size();
  file->commit();
  ++files_;
  ++messages_;
  return name;
}

std::unique_ptr<WriteFile> MessageFiles::create(const std::string& name) {
  ++files_;
  return job_.folder.create(folder_ + "/" + name);
}

Exported MessageFiles::finish(std::uint64_t more_bytes) {
  return {topic_, job_.folder.path_of(folder_) + "/", messages_, files_, size_bytes_ + more_bytes};
}

void TopicFiles::write(std::span<const Message> messages, const ChannelsPtr&) {
  for (const Message& message : messages) {
    throw_if_stopped(job_.wait);
    left_out_.unless([&] { write_one(message); });
  }
}

}  // namespace kitbag
