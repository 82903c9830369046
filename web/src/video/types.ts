// Which topics are cameras, by the last word of their type: many packages have an Image, and all of
// them have the fields of sensor_msgs or foxglove. A CompressedImage may be a picture or a frame of
// a video; each message says which (frame.ts).

const PICTURES = ["Image", "RawImage", "CompressedImage"];
const VIDEOS = ["CompressedVideo", "FFMPEGPacket"];
export const EITHER = "CompressedImage";
export const PACKET = "FFMPEGPacket";

/** "Image" of "sensor_msgs/msg/Image", "sensor_msgs::msg::dds_::Image_" and "foxglove.Image". */
export function lastWord(type: string): string {
  return type.slice(type.search(/[^/.:]*$/)).replace(/_$/, "");
}

/** All messages are frames of a video. */
export function isVideoType(type: string): boolean {
  return VIDEOS.includes(lastWord(type));
}

/** Messages are frames of a video, or may be. */
export function mayBeVideo(type: string): boolean {
  return isVideoType(type) || lastWord(type) === EITHER;
}

/** Messages are pictures or frames of a video. */
export function isCameraType(type: string): boolean {
  return isVideoType(type) || PICTURES.includes(lastWord(type));
}
