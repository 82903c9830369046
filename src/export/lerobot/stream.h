#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "export/lerobot/config.h"
#include "kitbag/exporter.h"
#include "kitbag/field.h"
#include "kitbag/picture.h"

namespace kitbag::lerobot {

/// What a topic says at a time: its last message. One for each feature and each camera.
class Stream {
 public:
  Stream(std::string name, std::string topic, const ExportJob& job)
      : name_(std::move(name)), topic_(std::move(topic)), job_(job) {}
  virtual ~Stream() = default;

  const std::string& name() const { return name_; }
  const std::string& topic() const { return topic_; }
  /// Takes a message of the topic; its data is valid during the call.
  void take(const Message& message);
  bool has_message() const { return has_message_; }
  /// For another episode.
  void forget();
  /// Makes the value of `time` ready, which is not before the last message.
  void sample(Time time);
  /// How old the oldest value was that was taken.
  Duration worst_age() const { return worst_age_; }

 protected:
  /// Decodes the message that is given, or the last one that was copied.
  virtual void decode(const Message& message) = 0;
  const ExportJob& job() const { return job_; }

 private:
  std::string name_;
  std::string topic_;
  const ExportJob& job_;
  Message message_{};  ///< the last one, with `data_`
  std::vector<std::byte> data_;
  bool has_message_ = false;
  bool is_decoded_ = false;
  bool has_value_ = false;
  Duration worst_age_{};
};

/// Numbers.
class NumberStream final : public Stream {
 public:
  NumberStream(const Feature& feature, const ExportJob& job);
  const std::vector<double>& values() const { return values_; }
  /// "position[0]", or as the feature says. Throws Error (invalid) if these are not as many.
  std::vector<std::string> names() const;
  const Feature& feature() const { return feature_; }

 protected:
  void decode(const Message& message) override;

 private:
  Feature feature_;
  std::vector<FieldFinder> fields_;
  std::vector<std::size_t> counts_;  ///< of each field; empty: not known yet
  std::vector<double> values_;
};

/// Pictures in colour, all of one size.
class PictureStream final : public Stream {
 public:
  PictureStream(const Camera& camera, const ExportJob& job);
  const Picture& picture() const { return picture_; }
  const std::vector<std::byte>& png() const { return png_; }

 protected:
  void decode(const Message& message) override;

 private:
  Picture picture_;
  std::vector<std::byte> png_;
};

}  // namespace kitbag::lerobot
