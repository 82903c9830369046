// Texts as subtitles (SubRip, .srt), which players show over a video of the same time: what a robot
// said while it drove. Each text is shown until the next one comes, and at most five seconds.

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kitbag/exporter.h"
#include "kitbag/field.h"
#include "kitbag/kitbag.h"

namespace {

using namespace kitbag;

constexpr auto kLongestShown = std::chrono::seconds(5);
/// Where messages have their text: logs of ROS and of Foxglove, std_msgs/String.
constexpr std::array<std::string_view, 3> kTextFields = {"msg", "message", "data"};

/// The field of the type that has the text; nothing: there is none.
std::optional<std::string> text_field(const Channel& channel, const Session& session) {
  TypePtr type = type_of(channel, session);
  if (!type) return std::nullopt;
  for (std::string_view name : kTextFields) {
    for (const Field& field : type->fields) {
      if (field.name == name && field.type->kind == Kind::text) return std::string(name);
    }
  }
  return std::nullopt;
}

/// "01:02:03,004"
std::string subtitle_time(Duration time) {
  auto ms = static_cast<long long>(std::chrono::floor<std::chrono::milliseconds>(time).count());
  char text[32];
  std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld,%03lld", ms / 3'600'000, ms / 60'000 % 60,
                ms / 1000 % 60, ms % 1000);
  return text;
}

/// In one line: an empty one would end the subtitle, and the text is from a bag.
std::string in_one_line(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

class Subtitles final : public TopicExport {
 public:
  Subtitles(std::string topic, const std::string& field, const ExportJob& job)
      : topic_(std::move(topic)),
        text_(field, job.session),
        name_(job.folder.name_of(topic_, ".srt")),
        path_(job.folder.path_of(name_)),
        file_(job.folder.create(name_)) {}

  void write(std::span<const Message> messages, const ChannelsPtr&) override {
    for (const Message& message : messages) {
      std::string text = in_one_line(text_(message));
      if (!start_) start_ = message.log_time;
      show_last(message.log_time);
      last_ = std::move(text);
      shown_ = message.log_time;
    }
  }

  Exported finish() override {
    show_last(Time::max());
    Exported written{.topic = topic_, .path = path_, .messages = count_};
    written.size_bytes = file_->size();
    file_->commit();
    return written;
  }

 private:
  void show_last(Time end) {
    if (!last_) return;
    end = std::min(end, shown_ + kLongestShown);
    file_->append(as_bytes(std::to_string(++count_) + "\n" + subtitle_time(shown_ - *start_) +
                           " --> " + subtitle_time(end - *start_) + "\n" + *last_ + "\n\n"));
  }

  std::string topic_;
  FieldReader<std::string> text_;
  std::string name_;
  std::string path_;
  std::unique_ptr<WriteFile> file_;
  std::optional<Time> start_;
  std::optional<std::string> last_;  ///< the text that is shown
  Time shown_{};                     ///< since when
  std::uint64_t count_ = 0;
};

std::vector<Exported> export_srt(ExportJob& job) {
  auto make = [&](const std::string& topic,
                  const ChannelsPtr& channels) -> std::unique_ptr<TopicExport> {
    for (const ChannelPtr& channel : *channels) {
      if (!channel) continue;
      if (auto field = text_field(*channel, job.session)) {
        return std::make_unique<Subtitles>(topic, *field, job);
      }
    }
    if (job.request.columns.on_warning) {
      job.request.columns.on_warning(
          Error(ErrorCode::remark, topic + " has no texts; it is left out"));
    }
    return nullptr;
  };
  std::vector<Exported> written = export_topics(job, make);
  if (written.empty()) throw Error(ErrorCode::not_found, "none of the topics has texts");
  return written;
}

void add_srt(Registry& registry) {
  registry.export_formats.push_back(
      {"srt", "texts, as subtitles for a video of the same time", export_srt});
}

}  // namespace

KITBAG_PLUGIN(add_srt);
