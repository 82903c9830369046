#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "export/lerobot/config.h"
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
  void take(const Message& message, Time due);
  bool has_message() const { return !held_.empty(); }
  /// For another episode.
  void forget();
  /// Whether the messages that a row of that time needs are there, if all up to then are.
  bool is_ready(Time time) const;
  /// Makes the sample of `time`, which is not before the last one.
  void sample(Time time);
  const Sample& sampled() const { return *sampled_; }
  /// Bytes of messages that wait.
  std::uint64_t held_bytes() const { return held_bytes_; }
  /// What is to be said of messages that were far from the times of rows; empty: nothing.
  std::string remark() const;

 protected:
  virtual Sample decode(const Message& message) = 0;
  const ExportJob& job() const { return job_; }

 private:
  struct Held {
    Message message;
    std::vector<std::byte> data;
    std::shared_ptr<const Sample> sample = nullptr;  ///< null: not decoded yet
  };
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
  Sample decode(const Message& message) override;

 private:
  Feature feature_;
  std::vector<FieldFinder> fields_;
  std::vector<std::size_t> counts_;  ///< of each field; empty: not known yet
};

/// Pictures in colour, all of one size.
class PictureStream final : public Stream {
 public:
  PictureStream(const Camera& camera, const ExportJob& job);
  const Picture& picture() const { return sampled().picture; }
  /// Empty if it is a video.
  const std::vector<std::byte>& png() const { return sampled().png; }
  bool is_video() const { return is_video_; }

 protected:
  Sample decode(const Message& message) override;

 private:
  bool is_video_;
  std::uint32_t width_ = 0;  ///< of the first one
  std::uint32_t height_ = 0;
};

}  // namespace kitbag::lerobot
