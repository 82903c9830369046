#pragma once

#include "python.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kitbag/codec.h"
#include "kitbag/message.h"

namespace kitbag::python {

/// A field of a message class of kitbag.rosbag, and the form of its values.
struct Ros1Slot;
/// A message class of kitbag.rosbag, and where the values of a structure in payloads go in it.
struct Ros1Shape;

/// Makes messages of one class of kitbag.rosbag from payloads, whatever their encoding. Values get
/// the forms that they have in ROS 1: tuples of numbers, bytes, lists of messages. Fields that a
/// payload lacks get their defaults. Lives as long as the payloads of one connection are read.
/// Needs the GIL.
class Ros1Messages {
 public:
  /// `type` is what the class was made of, `channel` one of such messages as ROS 1 encodes them.
  /// `classes` has the class of each structure by its name;
  /// `time` and `duration` are classes with the slots secs and nsecs.
  Ros1Messages(ChannelPtr channel, TypePtr type, py::dict classes, py::object time,
               py::object duration);
  ~Ros1Messages();

  /// Makes the message of a payload that is encoded as ROS 1 does it. Throws Error.
  py::object of_payload(const py::buffer& payload);
  /// Makes the message that a kitbag.Message contains; None if it cannot be decoded. What ROS 2
  /// counts beside the message becomes header.seq. Throws Error.
  py::object of_message(py::handle message);

 private:
  /// How messages of one channel are decoded.
  struct Decoding {
    ChannelPtr channel;
    TypePtr type;
    std::unique_ptr<Decoder> decoder;
    const Ros1Shape* shape = nullptr;
    const Ros1Slot* header = nullptr;  ///< gets the message's number; null: it has its own
  };

  Decoding& decoding_of(const ChannelPtr& channel);
  const Ros1Shape& shape_of(const Type& ros1, const Type& given);
  py::object made(Decoding& decoding, const Message& message);

  ChannelPtr channel_;
  TypePtr type_;
  py::dict classes_;
  py::object time_;
  py::object duration_;
  std::map<const Channel*, std::unique_ptr<Decoding>> decodings_;
  std::vector<std::unique_ptr<Ros1Shape>> shapes_;
};

}  // namespace kitbag::python
