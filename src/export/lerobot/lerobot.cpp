#include "export/lerobot/lerobot.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <utility>

#include "export/lerobot/dataset_files.h"
#include "export/lerobot/parquet_rows.h"
#include "export/lerobot/stream.h"
#include "export/topic_fields.h"
#include "kitbag/error.h"
#include "kitbag/text.h"

// A dataset has rows at a rate: row k of an episode is the state at t0 + k / fps. t0 is the time at
// which all topics have said something, because a dataset has no nulls. A row has the last message
// of each topic at its time, as a policy that runs at that rate would have seen it; what comes
// later is not used.
//
// Messages come in the order of time. Rows are due before a message with a later time is taken.

namespace kitbag::lerobot {
namespace {

constexpr auto kLongHeld = std::chrono::milliseconds(500);

class Writer {
 public:
  Writer(Config config, const ExportJob& job) : config_(std::move(config)), job_(job) {
    for (const Feature& feature : config_.features) numbers_.emplace_back(feature, job);
    for (const Camera& camera : config_.cameras) pictures_.emplace_back(camera, job);
    for (NumberStream& stream : numbers_) streams_.push_back(&stream);
    for (PictureStream& stream : pictures_) streams_.push_back(&stream);
    if (config_.ranges.empty() && !job.request.bag_of) {
      throw Error(ErrorCode::invalid,
                  "messages do not say which bag they are of; name the times "
                  "of the episodes");
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
    if (range_ < resolved_.size()) {
      throw Error(ErrorCode::invalid, fmt::format("there are no messages in episode {}", range_));
    }
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
    for (const Stream* stream : streams_) {
      if (std::find(known.begin(), known.end(), stream->topic()) != known.end()) continue;
      auto similar = nearest_texts(stream->topic(), known, 3);
      throw Error(
          ErrorCode::not_found,
          fmt::format(
              "{}: there is no topic {}{}", stream->name(), stream->topic(),
              similar.empty() ? "" : fmt::format("; similar: {}", fmt::join(similar, ", "))));
    }
    for (const PictureStream& stream : pictures_) {
      for (const ChannelPtr& channel : *job_.source.channels()) {
        if (!channel || channel->topic != stream.topic()) continue;
        if (has_pictures(*channel, job_.session)) continue;
        throw Error(ErrorCode::invalid,
                    fmt::format("{}: {} has no pictures; it has messages of "
                                "{}",
                                stream.name(), stream.topic(), channel->type()));
      }
    }
  }

  void take(const Message& message) {
    if (!is_in_episode(message)) return;
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
      if (!is_used && is_running_) write_rows_before(message.log_time);
      is_used = true;
      stream->take(message);
    }
    if (!is_used) return;
    ++messages_;
    end_ = message.log_time;
    if (is_running_) return;
    is_running_ = std::all_of(streams_.begin(), streams_.end(),
                              [](const Stream* stream) { return stream->has_message(); });
    begin_ = message.log_time;
  }

  /// Begins and ends episodes.
  bool is_in_episode(const Message& message) {
    if (config_.ranges.empty()) {
      std::string bag = job_.request.bag_of(*message.channel);
      if (is_open_ && bag == bag_) return true;
      if (is_open_) end_episode();
      if (!bags_.insert(bag).second) {
        throw Error(ErrorCode::invalid,
                    "bags that are episodes are to be read one after the other");
      }
      bag_ = bag;
      begin_episode(config_.task);
      return true;
    }
    if (resolved_.empty()) resolve_ranges(message.log_time);
    while (range_ < resolved_.size() && message.log_time >= resolved_[range_].second) {
      if (!is_open_) {
        throw Error(ErrorCode::invalid, fmt::format("there are no messages in episode {}", range_));
      }
      end_episode();
      ++range_;
    }
    if (range_ == resolved_.size() || message.log_time < resolved_[range_].first) return false;
    if (!is_open_) {
      const std::string& task = config_.ranges[range_].task;
      begin_episode(task.empty() ? config_.task : task);
    }
    return true;
  }

  void resolve_ranges(Time start) {
    Time before = Time::min();
    for (const Range& range : config_.ranges) {
      resolved_.emplace_back(range.start.resolve(start, start), range.end.resolve(start, start));
      auto [begin, end] = resolved_.back();
      if (begin >= end || begin < before) {
        throw Error(ErrorCode::invalid,
                    fmt::format("episode {} ends before it begins, or begins before the end of the "
                                "one before",
                                resolved_.size() - 1));
      }
      before = end;
    }
  }

  void begin_episode(const std::string& task) {
    for (Stream* stream : streams_) stream->forget();
    is_open_ = true;
    is_running_ = false;
    last_ = Time::min();
    frames_ = 0;
    episodes_.push_back({.task = task, .begin = rows_});
    bool is_new = std::find(tasks_.begin(), tasks_.end(), task) == tasks_.end();
    if (is_new) tasks_.push_back(task);
    if (data_ && data_->size_bytes() >= kDataFileBytes) {
      written_.size_bytes += data_->finish();
      ++written_.files;
      data_.reset();
      ++file_;
    }
    episodes_.back().file = file_;
  }

  void end_episode() {
    if (!is_running_) {
      for (const Stream* stream : streams_) {
        if (stream->has_message()) continue;
        std::string of = config_.ranges.empty() ? fmt::format(" ({})", bag_) : "";
        throw Error(ErrorCode::invalid,
                    fmt::format("episode {}{} has no message of {}; leave it out",
                                episodes_.size() - 1, of, stream->topic()));
      }
    }
    write_rows_before(end_ + Duration(1));
    is_open_ = is_running_ = false;
    data_->end_row_group();
    Episode& episode = episodes_.back();
    episode.end = rows_;
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      episode.statistics.push_back(of_numbers_[i].take());
    }
    for (Colours& colours : of_pictures_) episode.statistics.push_back(colours.take());
    for (std::size_t i = numbers_.size(); i < of_numbers_.size(); ++i) {
      episode.statistics.push_back(of_numbers_[i].take());
    }
  }

  /// Times are exact to the nanosecond, whatever 1 / fps is.
  Time time_of(std::uint64_t frame) const {
    constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
    std::uint64_t whole = frame / config_.fps * kNsPerSecond;
    std::uint64_t part = (frame % config_.fps * kNsPerSecond + config_.fps / 2) / config_.fps;
    return begin_ + Duration(static_cast<std::int64_t>(whole + part));
  }

  void write_rows_before(Time end) {
    for (; time_of(frames_) < end; ++frames_) {
      throw_if_stopped(job_.wait);
      for (Stream* stream : streams_) stream->sample(time_of(frames_));
      write_row();
      ++rows_;
    }
  }

  void write_row() {
    if (columns_.empty()) describe_columns();
    if (!data_) begin_data();
    auto column = data_->columns().begin();
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      add_numbers(*column++, i, numbers_[i].values(), columns_[i].dtype);
    }
    for (std::size_t k = 0; k < pictures_.size(); ++k) {
      column->add_parent();
      column->children()[0].add_bytes(pictures_[k].png());
      column->children()[1].add_null();
      ++column;
      of_pictures_[k].add(pictures_[k].picture());
    }
    auto task = std::find(tasks_.begin(), tasks_.end(), episodes_.back().task) - tasks_.begin();
    double timestamp = static_cast<double>(frames_) / config_.fps;
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
      columns_.push_back({stream.name(),
                          "image",
                          {stream.picture().height, stream.picture().width, 3},
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
    Exported meta = write_meta(config_, columns_, episodes_, job_);
    written_.files += meta.files;
    written_.size_bytes += meta.size_bytes;
    written_.path = job_.folder.path_of("");
    written_.messages = messages_;
    for (const Stream* stream : streams_) {
      if (stream->worst_age() <= kLongHeld) continue;
      warn(job_.request.columns,
           fmt::format("{}: a message of {} is used for up to {}, until the next one comes",
                       stream->name(), stream->topic(), format_duration(stream->worst_age())));
    }
    return {written_};
  }

  Config config_;
  const ExportJob& job_;
  std::deque<NumberStream> numbers_;
  std::deque<PictureStream> pictures_;
  std::vector<Stream*> streams_;  ///< all of them

  std::vector<std::pair<Time, Time>> resolved_;  ///< Config::ranges
  std::size_t range_ = 0;
  std::set<std::string> bags_;
  std::string bag_;  ///< of the episode

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
