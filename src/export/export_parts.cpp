#include <fmt/format.h>

#include <map>
#include <utility>

#include "export/topic_fields.h"
#include "kitbag/error.h"
#include "kitbag/exporter.h"
#include "kitbag/text.h"

// The parts of a topic, in the way of Hive: the value by which they are divided is in the name of a
// folder, odom/day=2026-11-24/part.parquet, and DuckDB, polars and Spark make it a column.
//
// A topic has one part open at a time, so hundreds of bags need no more files and memory than one.
// Where a day or a bag comes again, it gets another file beside its first one.

namespace kitbag {
namespace {

constexpr std::size_t kLongestValue = 200;  // a file system takes 255 bytes

/// The name of a bag in that of a folder, with %2F for "/": readers give it back as it was.
std::string folder_value(const std::string& bag) {
  std::string value;
  for (char c : bag) value += c == '/' ? "%2F" : export_name(std::string{'x', c}).substr(1);
  if (value.size() > kLongestValue) {
    throw Error(ErrorCode::invalid,
                fmt::format("the name of the bag {} is too long for a folder; rename it", bag));
  }
  return value;
}

class PartsExport final : public TopicExport {
 public:
  PartsExport(std::string topic, const ExportJob& job, const MakePartExport& make)
      : topic_(std::move(topic)), job_(job), make_(make), folder_(job.folder.name_of(topic_, "")) {}

  void write(std::span<const Message> messages, const ChannelsPtr& channels) override {
    while (!messages.empty()) {
      std::size_t count = 1;
      std::string value = value_of(messages.front());
      while (count < messages.size() && is_same_part(messages[count - 1], messages[count])) ++count;
      if (!is_begun_ || value != value_) begin(value, channels);
      if (part_) part_->write(messages.first(count), channels);
      messages = messages.subspan(count);
    }
  }

  std::uint64_t held_bytes() const override { return part_ ? part_->held_bytes() : 0; }
  void flush() override {
    if (part_) part_->flush();
  }

  Exported finish() override {
    end();
    if (!is_begun_) {
      warn(job_.request.columns, fmt::format("{} has no messages, so it has no files", topic_));
    }
    written_.topic = topic_;
    written_.path = job_.folder.path_of(folder_) + "/";
    return written_;
  }

 private:
  bool is_by_day() const { return job_.request.partition == Partition::by_day; }

  bool is_same_part(const Message& a, const Message& b) const {
    // A channel is of one bag. Most messages need no more than that, and no texts are made.
    if (!is_by_day()) return a.channel == b.channel || value_of(a) == value_of(b);
    return std::chrono::floor<std::chrono::days>(a.log_time) ==
           std::chrono::floor<std::chrono::days>(b.log_time);
  }

  std::string value_of(const Message& message) const {
    constexpr std::size_t kDate = 10;  // 2026-11-24
    return is_by_day() ? "day=" + format_time(message.log_time).substr(0, kDate)
                       : "bag=" + folder_value(job_.request.bag_of(*message.channel));
  }

  void begin(const std::string& value, const ChannelsPtr& channels) {
    end();
    std::uint64_t before = files_[value]++;
    std::string number = before == 0 ? "" : fmt::format("-{}", before);
    part_ =
        make_({topic_, fmt::format("{}/{}/part{}", folder_, value, number), !is_begun_}, channels);
    is_begun_ = true;
    value_ = value;
  }

  void end() {
    if (!part_) return;
    Exported each = part_->finish();
    part_.reset();
    written_.messages += each.messages;
    written_.files += each.files;
    written_.size_bytes += each.size_bytes;
  }

  std::string topic_;
  const ExportJob& job_;
  const MakePartExport& make_;
  std::string folder_;
  std::unique_ptr<TopicExport> part_;  ///< null: the topic is left out
  bool is_begun_ = false;
  std::string value_;                           ///< of `part_`
  std::map<std::string, std::uint64_t> files_;  ///< how many there are, by value
  Exported written_{.topic = {}, .path = {}, .files = 0};
};

/// The channels of a topic, of all that are known.
MakePartExport of_topic(const MakePartExport& make) {
  return [&make](const ExportPart& part, const ChannelsPtr& channels) {
    auto own = std::make_shared<Channels>(*channels);
    for (ChannelPtr& channel : *own) {
      if (channel && channel->topic != part.topic) channel = nullptr;
    }
    return make(part, own);
  };
}

}  // namespace

std::string part_name(const ExportPart& part, std::string_view extension, ExportFolder& folder) {
  if (part.file.empty()) return folder.name_of(part.topic, extension);
  return part.file + std::string(extension);
}

std::vector<Exported> export_parts(const ExportJob& job, const MakePartExport& make) {
  if (job.request.partition == Partition::none) {
    return export_topics(job, [&](const std::string& topic, const ChannelsPtr& channels) {
      return make({topic}, channels);
    });
  }
  if (job.request.partition == Partition::by_bag && !job.request.bag_of) {
    throw Error(ErrorCode::invalid, "messages do not say which bag they are of");
  }
  MakePartExport make_part = of_topic(make);
  auto written = export_topics(job, [&](const std::string& topic, const ChannelsPtr&) {
    return std::make_unique<PartsExport>(topic, job, make_part);
  });
  std::erase_if(written, [](const Exported& each) { return each.files == 0; });
  return written;
}

}  // namespace kitbag
