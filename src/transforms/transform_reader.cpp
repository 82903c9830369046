#include "transforms/transform_reader.h"

#include <limits>

#include "kitbag/error.h"

// Messages of ROS and of Foxglove are read by one visitor, which looks at the names of fields:
//
//   transforms[]  header.{stamp, frame_id}     child_frame_id  transform.{translation, rotation}
//   [transforms[]]  timestamp, parent_frame_id   child_frame_id  translation, rotation
//
// A structure is a transform if it is the message or an element of its list `transforms`, and names
// a child. So the encoding does not matter, nor the order of fields in JSON and protobuf.

namespace kitbag {

const std::vector<TransformForm>& transform_forms() {
  static const std::vector<TransformForm> forms = {
      {.types = {"tf2_msgs/TFMessage", "tf2_msgs/msg/TFMessage", "tf2_msgs.TFMessage",
                 "tf/tfMessage"},
       .list = "transforms[].",
       .stamp = "header.stamp",
       .parent = "header.frame_id",
       .child = "child_frame_id",
       .translation = "transform.translation",
       .rotation = "transform.rotation"},
      {.types = {"foxglove.FrameTransforms", "foxglove_msgs/FrameTransforms",
                 "foxglove_msgs/msg/FrameTransforms"},
       .list = "transforms[].",
       .stamp = "timestamp",
       .parent = "parent_frame_id",
       .child = "child_frame_id",
       .translation = "translation",
       .rotation = "rotation"},
      {.types = {"foxglove.FrameTransform", "foxglove_msgs/FrameTransform",
                 "foxglove_msgs/msg/FrameTransform"},
       .list = "",
       .stamp = "timestamp",
       .parent = "parent_frame_id",
       .child = "child_frame_id",
       .translation = "translation",
       .rotation = "rotation"},
  };
  return forms;
}

bool is_static_topic(std::string_view topic) {
  return topic.ends_with("tf_static");
}

void TransformVisitor::begin(bool is_static) {
  places_.clear();
  name_ = {};
  transform_.is_static = is_static;
}

TransformVisitor::Place TransformVisitor::below(bool is_list) const {
  if (places_.empty()) return Place::message;
  switch (here()) {
    case Place::list:
      return is_list ? Place::other : Place::element;
    case Place::message:
      if (is_list) return name_ == "transforms" ? Place::list : Place::other;
      [[fallthrough]];
    case Place::element:
      if (is_list) return Place::other;
      if (name_ == "header") return Place::header;
      if (name_ == "timestamp") return Place::stamp;
      if (name_ == "transform") return Place::parts;
      [[fallthrough]];
    case Place::parts:
      if (is_list) return Place::other;
      if (name_ == "translation") return Place::vector;
      return name_ == "rotation" ? Place::quaternion : Place::other;
    case Place::header:
      return !is_list && name_ == "stamp" ? Place::stamp : Place::other;
    case Place::vector:
    case Place::quaternion:
    case Place::stamp:
    case Place::other:
      break;
  }
  return Place::other;
}

void TransformVisitor::begin_struct(const Type&) {
  Place place = below(false);
  places_.push_back(place);
  if (place != Place::message && place != Place::element) return;
  transform_.parent.clear();
  transform_.child.clear();
  transform_.transform = {.translation = {}, .rotation = {}};
  seconds_ = nanoseconds_ = 0;
}

void TransformVisitor::end_struct() {
  Place place = here();
  places_.pop_back();
  if ((place != Place::message && place != Place::element) || transform_.child.empty()) return;
  std::int64_t ns = 0;
  bool fits = !__builtin_mul_overflow(seconds_, 1'000'000'000, &ns) &&
              !__builtin_add_overflow(ns, nanoseconds_, &ns);
  if (!fits) return;  // no time of a clock
  transform_.stamp = from_ns(ns);
  on_transform_(transform_);
  transform_.child.clear();
}

void TransformVisitor::begin_array(const Type&, std::size_t) {
  places_.push_back(below(true));
}

void TransformVisitor::packed(const Type& type, ByteView bytes) {
  // Elements of lists that are not wanted, such as bytes.
  if (here() == Place::other && !places_.empty()) return;
  unpack(type, bytes, *this);
}

double* TransformVisitor::part() {
  auto& translation = transform_.transform.translation;
  auto& rotation = transform_.transform.rotation;
  bool is_vector = here() == Place::vector;
  if (!is_vector && here() != Place::quaternion) return nullptr;
  if (name_ == "x") return is_vector ? &translation[0] : &rotation[0];
  if (name_ == "y") return is_vector ? &translation[1] : &rotation[1];
  if (name_ == "z") return is_vector ? &translation[2] : &rotation[2];
  return name_ == "w" && !is_vector ? &rotation[3] : nullptr;
}

void TransformVisitor::take_number(double value) {
  if (double* number = part()) *number = value;
}

void TransformVisitor::take_integer(std::int64_t value) {
  if (here() != Place::stamp) return;
  // sec and nsec in ROS 1 and JSON, sec and nanosec in ROS 2, seconds and nanos in protobuf.
  (name_.starts_with("sec") ? seconds_ : nanoseconds_) = value;
}

void TransformVisitor::take_text(std::string_view value) {
  bool is_frame = here() == Place::message || here() == Place::element;
  if (is_frame && name_ == "child_frame_id") transform_.child = value;
  if (is_frame && name_ == "parent_frame_id") transform_.parent = value;
  if (here() == Place::header && name_ == "frame_id") transform_.parent = value;
  take_nothing();  // JSON writes NaN as a text
}

void TransformVisitor::take_nothing() {
  if (double* number = part()) *number = std::numeric_limits<double>::quiet_NaN();
}

TransformReader::TransformReader(Session session, OnError on_error, TranscodeReport* report,
                                 TransformVisitor::OnTransform on_transform)
    : session_(std::move(session)),
      on_error_(on_error),
      report_(report),
      visitor_(std::move(on_transform)) {}

void TransformReader::leave_out(const std::string& topic, const Error& error, bool is_channel) {
  if (on_error_ == OnError::stop || is_final(error.code())) throw error;
  if (!report_) return;
  TranscodeReport::Topic& lost = report_->topics[topic];
  if (lost.first_error.empty()) lost.first_error = error.what();
  if (is_channel) {
    lost.is_dropped = true;
  } else {
    ++lost.skipped;
  }
}

const TransformReader::KnownChannel& TransformReader::known(const Channel& channel) {
  if (channels_.size() <= channel.slot) channels_.resize(channel.slot + 1);
  auto& known = channels_[channel.slot];
  if (known) return *known;
  known.emplace();
  known->is_static = is_static_topic(channel.topic);
  try {
    known->decoder = decoder_of(channel, session_);
  } catch (const Error& error) {
    leave_out(channel.topic, error, true);
  }
  return *known;
}

void TransformReader::read(const Message& message) {
  const KnownChannel& channel = known(*message.channel);
  if (!channel.decoder) return;
  visitor_.begin(channel.is_static);
  try {
    channel.decoder->decode(message.data, visitor_);
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    // Without the visitor: it has the transforms before the damage.
    leave_out(message.channel->topic, located(error, message, *channel.decoder), false);
  }
}

}  // namespace kitbag
