#include "export/lerobot/lerobot.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "export/lerobot/camera_video.h"
#include "export/lerobot/dataset_files.h"
#include "export/lerobot/episodes.h"
#include "export/lerobot/parquet_rows.h"
#include "export/lerobot/stream.h"
#include "export/topic_fields.h"
#include "kitbag/error.h"
#include "kitbag/text.h"
#include "kitbag/video.h"

// A dataset has rows at a rate: row k of an episode is the state at t0 + k / fps. t0 is the time at
// which all topics have said something, because a dataset has no nulls. A row has the last message
// of each topic at its time, as a policy that runs at that rate would have seen it; what comes
// later is used only where the description asks for it (Sampling).
//
// Messages come in the order of time. A row is due when a message with a later time comes, and
// waits until each topic has what it needs of the messages behind it.
//
// An episode is never divided between files, and a row group ends with it. So a reader that wants
// one episode reads no others.
//
//     /joints    j1    j2    j3    j4
//     /camera       c1          c2
//     rows          0     1     2       t0 is the time of c1; row 1 has j2 and c1

namespace kitbag::lerobot {
namespace {

/// Of messages that wait for the next one of another topic.
constexpr std::uint64_t kMostHeldBytes = 512 << 20;

class Writer {
 public:
  Writer(Config config, const ExportJob& job)
      : config_(std::move(config)), job_(job), turns_(episode_turns(config_, job)) {
    for (const Feature& feature : config_.features) numbers_.emplace_back(feature, job);
    for (const Camera& camera : config_.cameras) {
      pictures_.emplace_back(camera, job);
      if (camera.is_video) videos_.emplace_back(camera.name, config_.fps, job);
    }
    for (NumberStream& stream : numbers_) streams_.push_back(&stream);
    for (PictureStream& stream : pictures_) streams_.push_back(&stream);
    if (videos_.empty() && job.request.video != VideoOptions()) {
      throw Error(ErrorCode::invalid,
                  "the dataset has no camera as a video, which would be encoded so");
    }
  }

  std::vector<Exported> write() {
    require_topics();
    Batch batch;
    while (true) {
      throw_if_stopped(job_.wait);
      batch.clear();
      if (!job_.source.read(batch, job_.wait)) break;
      for (const Message& message : std::as_const(batch).messages()) take(message);
    }
    throw_if_stopped(job_.wait);
    if (is_open_) end_episode();
    turns_->end();
    if (episodes_.empty()) throw Error(ErrorCode::not_found, "there are no messages");
    return finish();
  }

 private:
  void require_topics() const {
    std::vector<std::string> known;
    for (const ChannelPtr& channel : *job_.source.channels()) {
      if (channel) known.push_back(channel->topic);
    }
    if (known.empty()) return;  // a stream: the end of an episode tells
    auto require = [&](const std::string& name, const std::string& topic) {
      if (std::find(known.begin(), known.end(), topic) != known.end()) return;
      auto similar = nearest_texts(topic, known, 3);
      throw Error(
          ErrorCode::not_found,
          fmt::format(
              "{}: there is no topic {}{}", name, topic,
              similar.empty() ? "" : fmt::format("; similar: {}", fmt::join(similar, ", "))));
    };
    for (const Stream* stream : streams_) require(stream->name(), stream->topic());
    if (config_.events) require("episodes", config_.events->topic);
    for (const PictureStream& stream : pictures_) {
      for (const ChannelPtr& channel : *job_.source.channels()) {
        if (!channel || channel->topic != stream.topic()) continue;
        bool is_shown = has_pictures(*channel, job_.session) || has_video(*channel, job_.session);
        if (is_shown) continue;
        throw Error(ErrorCode::invalid,
                    fmt::format("{}: {} has no pictures; it has messages of "
                                "{}",
                                stream.name(), stream.topic(), channel->type()));
      }
    }
  }

  void take(const Message& message) {
    Turn turn = turns_->take(message);
    if (turn.ends) end_episode();
    if (turn.begins) begin_episode(std::move(turn));
    if (!is_open_) {
      for (Stream* stream : streams_) {
        if (stream->topic() == message.channel->topic) stream->pass(message);
      }
      return;
    }
    if (message.log_time < last_) {
      throw Error(ErrorCode::invalid,
                  fmt::format("{}: a message comes after later ones; name each bag once, and sort "
                              "bags that are not in the order of time",
                              message.channel->topic));
    }
    last_ = message.log_time;
    bool is_used = false;
    for (Stream* stream : streams_) {
      if (stream->topic() != message.channel->topic) continue;
      is_used = true;
      stream->take(message, is_running_ ? time_of(frames_) : message.log_time);
    }
    // Other topics do not make an episode longer.
    if (!is_used) return;
    ++messages_;
    end_ = message.log_time;
    if (is_running_) return write_rows_before(message.log_time, false);
    run_if_ready();
  }

  void run_if_ready() {
    is_running_ = std::all_of(streams_.begin(), streams_.end(),
                              [](const Stream* stream) { return stream->has_message(); });
    // The time of the message by which the last stream has got its first one.
    begin_ = end_;
  }

  void begin_episode(Turn turn) {
    for (Stream* stream : streams_) stream->forget();
    is_open_ = true;
    is_running_ = false;
    name_ = std::move(turn.name);
    last_ = Time::min();
    frames_ = 0;
    episodes_.push_back({.task = turn.task, .begin = rows_});
    bool is_new = std::find(tasks_.begin(), tasks_.end(), turn.task) == tasks_.end();
    if (is_new) tasks_.push_back(turn.task);
    if (data_ && data_->size_bytes() >= kDataFileBytes) {
      written_.size_bytes += data_->finish();
      ++written_.files;
      data_.reset();
      ++file_;
    }
    episodes_.back().file = file_;
    for (CameraVideo& video : videos_) video.begin();
  }

  void end_episode() {
    for (Stream* stream : streams_) stream->end();
    if (!is_running_) run_if_ready();
    if (!is_running_) {
      for (const Stream* stream : streams_) {
        if (stream->has_message()) continue;
        throw Error(ErrorCode::invalid,
                    fmt::format("episode {}{} has no message of {}; leave it out",
                                episodes_.size() - 1, name_, stream->topic()));
      }
    }
    // The time of the last message has a row, too, if one falls on it.
    write_rows_before(end_ + Duration(1), true);
    is_open_ = is_running_ = false;
    data_->end_row_group();
    Episode& episode = episodes_.back();
    episode.end = rows_;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      episode.statistics.push_back(of_numbers_[i].take());
    }
    // As columns_: features, cameras, and behind them LeRobot's own.
    for (Colours& colours : of_pictures_) episode.statistics.push_back(colours.take());
    for (std::size_t i = numbers_.size(); i < of_numbers_.size(); ++i) {
      episode.statistics.push_back(of_numbers_[i].take());
    }
    for (const CameraVideo& video : videos_) episode.videos.push_back(video.end());
  }

  Time time_of(std::uint64_t frame) const { return time_of_row(begin_, frame, config_.fps); }

  /// Rows whose messages are there. `is_end`: no others will come.
  void write_rows_before(Time end, bool is_end) {
    std::uint64_t held_bytes = 0;
    for (const Stream* stream : streams_) held_bytes += stream->held_bytes();
    for (; time_of(frames_) < end; ++frames_) {
      throw_if_stopped(job_.wait);
      Time time = time_of(frames_);
      auto late = std::find_if(streams_.begin(), streams_.end(), [&](const Stream* stream) {
        return !is_end && !stream->is_ready(time);
      });
      if (late != streams_.end()) {
        if (held_bytes <= kMostHeldBytes) return;
        throw Error(ErrorCode::limit,
                    fmt::format("{}: the next message of {} is so late that more than {} of other "
                                "messages wait for it; its sampling can be \"last\"",
                                (*late)->name(), (*late)->topic(), format_size(kMostHeldBytes)));
      }
      for (Stream* stream : streams_) stream->sample(time);
      write_row(time);
      ++rows_;
    }
  }

  void write_row(Time time) {
    if (columns_.empty()) describe_columns();
    if (!data_) begin_data();
    auto column = data_->columns().begin();
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      add_numbers(*column++, i, numbers_[i].values(), columns_[i].dtype);
    }
    auto video = videos_.begin();
    for (std::size_t k = 0; k < pictures_.size(); ++k) {
      of_pictures_[k].add(pictures_[k].picture());
      if (pictures_[k].is_video()) {
        (video++)->add(pictures_[k].picture(), time);
        continue;
      }
      column->add_parent();
      column->children()[0].add_bytes(pictures_[k].png());
      // The path of a file: the picture is in the row itself.
      column->children()[1].add_null();
      ++column;
    }
    auto task = std::find(tasks_.begin(), tasks_.end(), episodes_.back().task) - tasks_.begin();
    double timestamp = static_cast<double>(frames_) / config_.fps;
    // As doubles, since add_numbers() takes these; they are exact up to 2^53.
    double own[] = {timestamp, static_cast<double>(frames_),
                    static_cast<double>(episodes_.size() - 1), static_cast<double>(rows_),
                    static_cast<double>(task)};
    for (std::size_t k = 0; k < std::size(own); ++k) {
      add_numbers(*column++, numbers_.size() + k, {own[k]}, k == 0 ? "float32" : "int64");
    }
    data_->end_row();
  }

  void add_numbers(arrow::Column& column, std::size_t at, const std::vector<double>& values,
                   const std::string& dtype) {
    // Statistics are of what is stored: float32 rounds, and a bool is 0 or 1.
    std::vector<double> stored = values;
    for (double& value : stored) {
      if (dtype == "float32") value = static_cast<float>(value);
      if (dtype == "bool") value = value != 0 ? 1 : 0;
    }
    if (stored.size() == 1) {
      add_number(column, stored.front());
    } else {
      column.add_parent();
      for (double value : stored) add_number(column.element(), value);
    }
    of_numbers_[at].add(stored);
  }

  void describe_columns() {
    for (const NumberStream& stream : numbers_) {
      columns_.push_back(
          {stream.name(), stream.feature().dtype, {stream.values().size()}, stream.names()});
    }
    for (const PictureStream& stream : pictures_) {
      const Picture& picture = stream.picture();
      bool is_video = stream.is_video();
      columns_.push_back({stream.name(),
                          is_video ? "video" : "image",
                          {is_video ? video_size(picture.height) : picture.height,
                           is_video ? video_size(picture.width) : picture.width, 3},
                          {"height", "width", "channels"}});
    }
    columns_.push_back({"timestamp", "float32", {1}, {}});
    for (const char* name : {"frame_index", "episode_index", "index", "task_index"}) {
      columns_.push_back({name, "int64", {1}, {}});
    }
    of_numbers_.resize(columns_.size() - pictures_.size());
    of_pictures_.resize(pictures_.size());
  }

  void begin_data() {
    arrow::ColumnType type{"", "+s"};
    for (const ColumnInfo& column : columns_) {
      if (column.dtype == "video") continue;
      type.children.push_back(column.dtype == "image"
                                  ? picture_column(column.name)
                                  : number_column(column.name, column.dtype, column.shape[0]));
    }
    data_.emplace("data/" + file_in_chunk(file_), std::move(type), job_.folder,
                  job_.request.parquet);
  }

  std::vector<Exported> finish() {
    written_.size_bytes += data_->finish();
    ++written_.files;
    for (CameraVideo& video : videos_) {
      Exported files = video.finish();
      written_.files += files.files;
      written_.size_bytes += files.size_bytes;
    }
    Exported meta = write_meta(config_, columns_, episodes_, job_);
    written_.files += meta.files;
    written_.size_bytes += meta.size_bytes;
    written_.path = job_.folder.path_of("");
    written_.messages = messages_;
    for (const Stream* stream : streams_) {
      std::string remark = stream->remark();
      if (!remark.empty()) warn(job_.request.columns, remark);
    }
    for (const PictureStream& stream : pictures_) {
      if (stream.without_key_frame() == 0) continue;
      warn(job_.request.columns,
           fmt::format("{}: frames of {} without their key frame are left out: {}", stream.name(),
                       stream.topic(), stream.without_key_frame()));
    }
    return {written_};
  }

  Config config_;
  const ExportJob& job_;
  std::deque<NumberStream> numbers_;
  std::deque<PictureStream> pictures_;
  std::deque<CameraVideo> videos_;  ///< of the pictures that are videos
  std::vector<Stream*> streams_;    ///< all of them
  std::unique_ptr<EpisodeTurns> turns_;
  std::string name_;  ///< of the episode

  bool is_open_ = false;     ///< an episode has begun
  bool is_running_ = false;  ///< and all streams have a message
  Time begin_{};             ///< of its first row
  Time last_{};              ///< of its last message
  Time end_{};               ///< of the last one that is used
  std::uint64_t frames_ = 0;

  std::vector<ColumnInfo> columns_;
  std::vector<Numbers> of_numbers_;  ///< of the features, and of LeRobot's own columns
  std::vector<Colours> of_pictures_;
  std::vector<Episode> episodes_;
  std::vector<std::string> tasks_;
  std::optional<ParquetRows> data_;
  std::uint64_t file_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t messages_ = 0;
  Exported written_{.topic = {}, .path = {}, .files = 0};
};

}  // namespace
}  // namespace kitbag::lerobot

namespace kitbag {

std::vector<Exported> export_lerobot(ExportJob& job) {
  if (job.request.dataset.empty()) {
    throw Error(ErrorCode::invalid,
                "lerobot needs a description of the dataset: which topics, at "
                "which rate");
  }
  if (job.request.columns.on_error == OnError::raw) {
    throw Error(ErrorCode::invalid,
                "a dataset cannot hold messages that cannot be decoded; skip "
                "them");
  }
  if (job.request.columns.time != RowTime::log_time) {
    throw Error(ErrorCode::invalid, "the rows of a dataset are by log time");
  }
  if (!job.request.columns.fields.empty()) {
    throw Error(ErrorCode::invalid, "the fields of a dataset are those that its description names");
  }
  return lerobot::Writer(lerobot::parse_config(job.request.dataset), job).write();
}

}  // namespace kitbag
