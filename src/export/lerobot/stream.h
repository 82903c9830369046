#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "export/lerobot/config.h"
#include "export/video_frames.h"
#include "kitbag/exporter.h"
#include "kitbag/field.h"
#include "kitbag/picture.h"

namespace kitbag::lerobot {

/// What a row has of a topic: numbers, or a picture.
struct Sample {
  std::vector<double> numbers = {};
  Picture picture = {};
  std::vector<std::byte> png = {};
};

/// The messages of a topic that rows may need, and the sample of a row. One for each feature and
/// each camera.
class Stream {
 public:
  Stream(std::string name, std::string topic, Sampling sampling, const ExportJob& job)
      : name_(std::move(name)), topic_(std::move(topic)), sampling_(sampling), job_(job) {}
  virtual ~Stream() = default;

  const std::string& name() const { return name_; }
  const std::string& topic() const { return topic_; }
  /// Takes a message of the topic; its data is valid during the call. `due` is the time of the next
  /// row: what is not needed from there on is forgotten.
  virtual void take(const Message& message, Time due);
  /// Sees a message of the topic between episodes.
  virtual void pass(const Message& /*message*/) {}
  bool has_message() const { return !held_.empty(); }
  /// No message of the episode comes any more.
  virtual void end() {}
  /// For another episode.
  virtual void forget();
  /// Whether the messages that a row of that time needs are there, if all up to then are.
  virtual bool is_ready(Time time) const;
  /// Makes the sample of `time`, which is not before the last one.
  void sample(Time time);
  const Sample& sampled() const { return *sampled_; }
  /// Bytes of messages that wait.
  std::uint64_t held_bytes() const { return held_bytes_; }
  /// What is to be said of messages that were far from the times of rows; empty: nothing.
  std::string remark() const;

 protected:
  struct Held {
    Message message;  ///< its data are elsewhere
    std::vector<std::byte> data;
    std::optional<Picture> frame = {};               ///< of a video, in place of data
    std::shared_ptr<const Sample> sample = nullptr;  ///< null: not decoded yet
    std::uint64_t bytes = 0;                         ///< of what waits
  };

  virtual Sample decode(Held& held) = 0;
  /// Holds a message in the order of time, and forgets as take() does.
  void hold(Held held, Time due);
  /// Counts a message that is left out; throws `error` again if none is to be.
  void skip(const Error& error);
  const ExportJob& job() const { return job_; }

 private:
  using Place = std::deque<Held>::iterator;

  bool decode_held(Held& held, bool can_skip);
  Place erase(Place first, Place last);
  Place after();
  void interpolate(Time time);

  std::string name_;
  std::string topic_;
  Sampling sampling_;
  const ExportJob& job_;
  std::deque<Held> held_;  ///< in the order of time
  std::uint64_t held_bytes_ = 0;
  std::shared_ptr<const Sample> sampled_;
  Duration worst_age_{};  ///< the farthest from a row, or between messages with a row between them
};

/// Numbers.
class NumberStream final : public Stream {
 public:
  NumberStream(const Feature& feature, const ExportJob& job);
  const std::vector<double>& values() const { return sampled().numbers; }
  /// "position[0]", or as the feature says. Throws Error (invalid) if these are not as many.
  std::vector<std::string> names() const;
  const Feature& feature() const { return feature_; }

 protected:
  Sample decode(Held& held) override;

 private:
  Feature feature_;
  std::vector<FieldFinder> fields_;
  std::vector<std::size_t> counts_;  ///< of each field; empty: not known yet
};

/// Pictures in colour, all of one size. Frames of a video are decoded as they come, those between
/// episodes too, because each is a change to the one before it.
class PictureStream final : public Stream {
 public:
  PictureStream(const Camera& camera, const ExportJob& job);
  void take(const Message& message, Time due) override;
  void pass(const Message& message) override;
  void end() override;
  void forget() override;
  bool is_ready(Time time) const override;
  /// Frames that came without the key frame that they are a change to.
  std::uint64_t without_key_frame() const { return without_key_frame_; }
  const Picture& picture() const { return sampled().picture; }
  /// Empty if it is a video.
  const std::vector<std::byte>& png() const { return sampled().png; }
  bool is_video() const { return is_video_; }

 protected:
  Sample decode(Held& held) override;

 private:
  bool is_frame(const Message& message) const;
  void decode_frame(const Message& message);
  void come(std::unique_ptr<const VideoFrame> frame);

  bool is_video_;
  std::uint32_t width_ = 0;  ///< of the first one
  std::uint32_t height_ = 0;
  VideoFrames videos_;
  std::multiset<Time> coming_;        ///< times of frames that the decoder holds back
  const Channel* channel_ = nullptr;  ///< of the last frame
  std::optional<Time> begin_;         ///< of the episode; absent: frames are not held
  Time due_{};
  std::uint64_t without_key_frame_ = 0;
};

}  // namespace kitbag::lerobot
