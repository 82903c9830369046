#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/picture.h"
#include "kitbag/session.h"

namespace kitbag::catalog {

/// A small picture of a bag that is being added.
struct NewPicture {
  std::uint32_t slot = 0;  ///< of the channel in the bag
  Time time{};             ///< log time of its message
  std::vector<std::byte> jpeg;
};

inline constexpr std::size_t kMostPictures = 128;              ///< of a bag
inline constexpr std::size_t kMostPicturesOfCamera = 8;        ///< of a topic
inline constexpr std::uint32_t kPictureSize = 160;             ///< pixels, wide and high
inline constexpr std::size_t kMostPictureBytes = 16 << 10;     ///< of a JPEG
inline constexpr std::uint64_t kMostPicturePixels = 64 << 20;  ///< of the message
inline constexpr std::uint64_t kTinyPicturePixels = 4 << 20;   ///< that any message may have
inline constexpr std::uint64_t kMostPixelsOfByte = 256;        ///< and these for each of its bytes
inline constexpr std::size_t kMostBrokenOfCamera = 8;          ///< tries until a topic is given up

/// Makes small pictures of the cameras in a bag while its messages pass by: evenly spaced from its
/// start to its end, a few of each topic with images or a video.
///
/// A bag comes from strangers. What it can cost is bounded: the number of pictures, their bytes,
/// the pixels that a message may claim to have for its bytes, and the number of failures. A message
/// without a picture that can be shown is no error; the next one is tried.
class PictureTaker {
 public:
  /// `bag` and `session` must outlive it.
  PictureTaker(const Bag& bag, const Session& session, std::stop_token stop);

  /// Takes messages in the order of their log times. Throws Error as is_final() says.
  void take(const Message& message);
  /// Reads the videos, of which the times are known by now, and returns all pictures.
  std::vector<NewPicture> finish();

 private:
  struct Camera {
    std::string topic;
    bool is_video = false;
    std::size_t next = 0;                     ///< the next of its times that has no picture
    std::size_t broken = 0;                   ///< messages without a picture that can be shown
    std::vector<NewPicture> key_frames = {};  ///< of a video; without pictures
  };

  Time time_of(std::size_t index) const;
  bool is_wanted(const Camera& camera, Time time) const;
  void take_picture(const Message& message, Camera& camera);
  void note_key_frame(const Message& message, Camera& camera);
  void skip_to(Time time, Camera& camera) const;

  const Bag& bag_;
  const Session& session_;
  std::stop_token stop_;
  std::size_t of_camera_ = 0;  ///< pictures of each
  std::map<std::string, Camera> cameras_;
  std::vector<Camera*> by_slot_;  ///< null: no camera
  std::vector<NewPicture> made_;
};

}  // namespace kitbag::catalog
