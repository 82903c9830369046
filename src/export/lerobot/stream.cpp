#include "export/lerobot/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"

namespace kitbag::lerobot {
namespace {

double number_of(const Value& value) {
  return value.type().kind == Kind::boolean ? (value.as<bool>() ? 1 : 0) : value.as<double>();
}

/// A gray picture in colours, which LeRobot has alone.
Picture in_colours(Picture picture) {
  if (picture.channels == 3) return picture;
  Picture coloured{.width = picture.width, .height = picture.height};
  coloured.pixels.reserve(picture.pixels.size() * 3);
  for (std::byte gray : picture.pixels) coloured.pixels.insert(coloured.pixels.end(), 3, gray);
  return coloured;
}

}  // namespace

void Stream::take(const Message& message) {
  message_ = message;
  data_.assign(message.data.begin(), message.data.end());
  message_.data = data_;
  has_message_ = true;
  is_decoded_ = false;
}

void Stream::forget() {
  has_message_ = is_decoded_ = has_value_ = false;
}

void Stream::sample(Time time) {
  worst_age_ = std::max(worst_age_, Duration(time - message_.log_time));
  if (is_decoded_) return;
  is_decoded_ = true;
  try {
    decode(message_);
    has_value_ = true;
  } catch (const Error& error) {
    bool is_skipped = job_.request.columns.on_error == OnError::skip && is_damage(error.code());
    if (!is_skipped || !has_value_) throw;
    if (!job_.request.columns.report) return;
    TranscodeReport::Topic& counts = job_.request.columns.report->topics[topic_];
    ++counts.skipped;
    if (counts.first_error.empty()) counts.first_error = error.message();
  }
}

NumberStream::NumberStream(const Feature& feature, const ExportJob& job)
    : Stream(feature.name, feature.topic, job), feature_(feature) {
  for (const std::string& path : feature.fields) fields_.emplace_back(path, job.session);
}

void NumberStream::decode(const Message& message) {
  std::vector<double> values;
  std::vector<std::size_t> counts;
  for (FieldFinder& field : fields_) {
    Value value = field.find(message, TimeForm::nanoseconds);
    try {
      std::size_t before = values.size();
      if (value.is_list()) {
        for (std::size_t i = 0; i < value.size(); ++i) values.push_back(number_of(value.at(i)));
      } else {
        values.push_back(number_of(value));
      }
      counts.push_back(values.size() - before);
    } catch (const Error& error) {
      throw_for_field(error, message, field.path());
    }
  }
  if (!counts_.empty() && counts_ != counts) {
    throw Error(
        ErrorCode::invalid,
        fmt::format("{}: the fields {} had {} values and now have {}; a column of LeRobot "
                    "has as many in each row",
                    topic(), fmt::join(feature_.fields, ", "), values_.size(), values.size()));
  }
  if (values.empty()) {
    throw Error(ErrorCode::invalid, fmt::format("{}: the fields {} are empty lists", topic(),
                                                fmt::join(feature_.fields, ", ")));
  }
  counts_ = std::move(counts);
  values_ = std::move(values);
}

std::vector<std::string> NumberStream::names() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const std::string& field = feature_.fields[i];
    if (counts_[i] == 1) names.push_back(field);
    for (std::size_t k = 0; counts_[i] != 1 && k < counts_[i]; ++k) {
      names.push_back(fmt::format("{}[{}]", field, k));
    }
  }
  if (feature_.names.empty()) return names;
  if (feature_.names.size() != names.size()) {
    throw Error(ErrorCode::invalid, fmt::format("{} has {} names, but {} values", name(),
                                                feature_.names.size(), names.size()));
  }
  return feature_.names;
}

PictureStream::PictureStream(const Camera& camera, const ExportJob& job)
    : Stream(camera.name, camera.topic, job) {}

void PictureStream::decode(const Message& message) {
  Picture picture = in_colours(picture_of(message, {}, job().session, job().wait));
  bool is_first = png_.empty();
  if (!is_first && (picture.width != picture_.width || picture.height != picture_.height)) {
    throw Error(
        ErrorCode::invalid,
        fmt::format("{}: pictures of {} x {} pixels after some of {} x {}; those of a "
                    "camera of LeRobot have one size",
                    topic(), picture.width, picture.height, picture_.width, picture_.height));
  }
  png_ = encode_picture(picture, PictureFormat::png);
  picture_ = std::move(picture);
}

}  // namespace kitbag::lerobot
