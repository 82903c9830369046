#include "export/lerobot/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "kitbag/error.h"
#include "kitbag/text.h"

// What rows may still need of a topic:
//
//     held_   | before | message | message |    in the order of time
//                   ^ next row
//
// That is the last message at or before the row, and those behind it. Payloads are copied as they
// come and decoded when a row uses them: of a topic that is faster than the rows, most never are.
// (Frames of a video are decoded at once, as each is a change to the one before it.) A message that
// proves to be damaged is left out, and the one before it is used instead. So the last one that was
// decoded stays until another one has been.

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

void Stream::take(const Message& message, Time due) {
  hold({.message = message,
        .data = {message.data.begin(), message.data.end()},
        .bytes = message.data.size()},
       due);
}

void Stream::hold(Held taken, Time due) {
  auto later = held_.end();
  // A decoder may give frames late, behind what has come meanwhile.
  while (later != held_.begin() && (later - 1)->message.log_time > taken.message.log_time) --later;
  Held& held = *held_.insert(later, std::move(taken));
  held.message.data = held.data;
  held_bytes_ += held.bytes;
  // One that was decoded takes the place of damaged ones.
  std::ptrdiff_t kept = held_.front().sample ? 1 : 0;
  auto first = held_.begin() + kept;
  auto last = first;
  while (held_.end() - last > 1 && (last + 1)->message.log_time <= due) ++last;
  erase(first, last);
}

void Stream::forget() {
  erase(held_.begin(), held_.end());
}

bool Stream::is_ready(Time time) const {
  return sampling_ == Sampling::last || held_.back().message.log_time >= time;
}

void Stream::sample(Time time) {
  auto before = held_.begin();
  while (held_.end() - before > 1 && (before + 1)->message.log_time <= time) ++before;
  while (!decode_held(*before, before != held_.begin())) before = erase(before, before + 1) - 1;
  before = erase(held_.begin(), before);
  auto from_before = Duration(time - before->message.log_time);
  if (sampling_ == Sampling::interpolate && from_before > Duration(0)) return interpolate(time);
  if (sampling_ == Sampling::nearest) {
    auto next = held_.begin() + 1;
    bool is_nearer = next != held_.end() && next->message.log_time - time < from_before;
    if (is_nearer && decode_held(*next, true)) {
      sampled_ = next->sample;
      worst_age_ = std::max(worst_age_, Duration(next->message.log_time - time));
      return;
    }
    if (is_nearer) erase(next, next + 1);
  }
  worst_age_ = std::max(worst_age_, from_before);
  sampled_ = before->sample;
}

/// Between the first message that is held and the next one.
void Stream::interpolate(Time time) {
  auto next = held_.begin() + 1;
  while (next != held_.end() && !decode_held(*next, true)) next = erase(next, next + 1);
  const Held& before = held_.front();
  sampled_ = before.sample;
  if (next == held_.end()) {
    worst_age_ = std::max(worst_age_, Duration(time - before.message.log_time));
    return;
  }
  Duration apart = next->message.log_time - before.message.log_time;
  worst_age_ = std::max(worst_age_, apart);
  double share = static_cast<double>((time - before.message.log_time).count()) /
                 static_cast<double>(apart.count());
  auto between = std::make_shared<Sample>(*before.sample);
  for (std::size_t i = 0; i < between->numbers.size(); ++i) {
    between->numbers[i] += (next->sample->numbers[i] - between->numbers[i]) * share;
  }
  sampled_ = std::move(between);
}

/// Returns false for a damaged message that is left out.
bool Stream::decode_held(Held& held, bool can_skip) {
  if (held.sample) return true;
  try {
    held.sample = std::make_shared<Sample>(decode(held));
  } catch (const Error& error) {
    if (!can_skip) throw;
    skip(error);
    return false;
  }
  held_bytes_ -= std::exchange(held.bytes, 0);
  held.data = {};
  held.frame.reset();
  return true;
}

void Stream::skip(const Error& error) {
  bool is_skipped = job_.request.columns.on_error == OnError::skip && is_damage(error.code());
  if (!is_skipped) throw Error(error);
  if (!job_.request.columns.report) return;
  TranscodeReport::Topic& counts = job_.request.columns.report->topics[topic_];
  ++counts.skipped;
  if (counts.first_error.empty()) counts.first_error = error.message();
}

Stream::Place Stream::erase(Place first, Place last) {
  for (auto each = first; each != last; ++each) held_bytes_ -= each->bytes;
  return held_.erase(first, last);
}

std::string Stream::remark() const {
  constexpr auto kFar = std::chrono::milliseconds(500);
  if (worst_age_ <= kFar) return {};
  std::string far = format_duration(worst_age_);
  switch (sampling_) {
    case Sampling::nearest:
      return fmt::format("{}: the nearest message of {} is up to {} from its row", name_, topic_,
                         far);
    case Sampling::interpolate:
      return fmt::format("{}: messages of {} with rows between them are up to {} apart", name_,
                         topic_, far);
    case Sampling::last:
      break;
  }
  return fmt::format("{}: a message of {} is used for up to {}, until the next one comes", name_,
                     topic_, far);
}

NumberStream::NumberStream(const Feature& feature, const ExportJob& job)
    : Stream(feature.name, feature.topic, feature.sampling, job), feature_(feature) {
  for (const std::string& path : feature.fields) fields_.emplace_back(path, job.session);
}

Sample NumberStream::decode(Held& held) {
  const Message& message = held.message;
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
    throw Error(ErrorCode::invalid,
                fmt::format("{}: the fields {} had {} values and now have {}; a column of LeRobot "
                            "has as many in each row",
                            topic(), fmt::join(feature_.fields, ", "),
                            std::accumulate(counts_.begin(), counts_.end(), std::size_t{0}),
                            values.size()));
  }
  if (values.empty()) {
    throw Error(ErrorCode::invalid, fmt::format("{}: the fields {} are empty lists", topic(),
                                                fmt::join(feature_.fields, ", ")));
  }
  counts_ = std::move(counts);
  return {.numbers = std::move(values)};
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
    : Stream(camera.name, camera.topic, camera.sampling, job),
      is_video_(camera.is_video),
      videos_(job.session) {}

void PictureStream::take(const Message& message, Time due) {
  if (!is_frame(message)) return Stream::take(message, due);
  if (!begin_) begin_ = message.log_time;
  due_ = due;
  decode_frame(message);
}

void PictureStream::pass(const Message& message) {
  if (is_frame(message)) decode_frame(message);
}

/// What cannot be read counts as a picture; its error says why there is none.
bool PictureStream::is_frame(const Message& message) const {
  if (has_video(*message.channel, job().session)) return true;
  if (!may_have_video(*message.channel, job().session)) return false;
  try {
    return video_frame_of(message, job().session).has_value();
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    return false;
  }
}

void PictureStream::decode_frame(const Message& message) {
  channel_ = message.channel;
  try {
    EncodedFrame frame = encoded_frame_of(message, job().session);
    if (videos_.needs_key_frame(*channel_) && !is_key_frame(frame.format, frame.data)) {
      ++without_key_frame_;
      return;
    }
    coming_.insert(message.log_time);
    videos_.decode(message, frame.format, frame.data, message.log_time,
                   [this](std::unique_ptr<const VideoFrame> each) { come(std::move(each)); });
  } catch (const Error& error) {
    coming_.clear();
    if (begin_) skip(error);
  }
}

void PictureStream::come(std::unique_ptr<const VideoFrame> frame) {
  // What was before this one is not waited for any more.
  coming_.erase(coming_.begin(), coming_.upper_bound(frame->time()));
  if (!begin_ || frame->time() < *begin_) return;
  Held held{.message = {channel_, 0, 0, frame->time(), frame->time(), {}}, .data = {}};
  held.frame = frame->picture();
  held.bytes = held.frame->pixels.size();
  hold(std::move(held), due_);
}

/// A frame that the decoder has not given yet may be the one that the row needs.
bool PictureStream::is_ready(Time time) const {
  return (coming_.empty() || *coming_.begin() > time) && Stream::is_ready(time);
}

void PictureStream::end() {
  if (coming_.empty()) return;
  try {
    videos_.finish([this](std::unique_ptr<const VideoFrame> each) { come(std::move(each)); });
  } catch (const Error& error) {
    skip(error);
  }
  coming_.clear();
}

void PictureStream::forget() {
  begin_.reset();
  Stream::forget();
}

Sample PictureStream::decode(Held& held) {
  Sample sample{
      .picture = in_colours(held.frame ? *held.frame
                                       : picture_of(held.message, {}, job().session, job().wait))};
  const Picture& picture = sample.picture;
  bool is_first = width_ == 0;
  if (!is_first && (picture.width != width_ || picture.height != height_)) {
    throw Error(ErrorCode::invalid,
                fmt::format("{}: pictures of {} x {} pixels after some of {} x {}; those of a "
                            "camera of LeRobot have one size",
                            topic(), picture.width, picture.height, width_, height_));
  }
  width_ = picture.width;
  height_ = picture.height;
  // Once for a message, whatever the number of rows that show it.
  if (!is_video_) sample.png = encode_picture(picture, PictureFormat::png);
  return sample;
}

}  // namespace kitbag::lerobot
