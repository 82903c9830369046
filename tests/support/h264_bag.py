"""A bag with one film of H.264 on topics of every kind, made by ffmpeg with a key frame in thirty,
and what ffmpeg makes of frames."""

import base64
import json
import struct
import subprocess

from mcap_file import McapFile
from peers import program

START = 1_700_000_000 * 10**9
GOP = 30
FRAMES = 150  # 5 s
TIMES = [START + i * 33_333_333 + (i * 7919) % 31 * 10_000 for i in range(FRAMES)]
HEADER = "std_msgs/Header header\n"
OF_HEADER = f"{'=' * 80}\nMSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n"
VIDEO = ("foxglove_msgs/CompressedVideo", "ros1msg",
         "time timestamp\nstring frame_id\nuint8[] data\nstring format\n")
COMPRESSED = ("sensor_msgs/CompressedImage", "ros1msg",
              HEADER + "string format\nuint8[] data\n" + OF_HEADER)
PACKET = ("ffmpeg_image_transport_msgs/FFMPEGPacket", "ros1msg",
          HEADER + "int32 width\nint32 height\nstring encoding\nuint64 pts\nuint8 flags\n"
          "bool is_bigendian\nuint8[] data\n" + OF_HEADER)
TICK = ("std_msgs/Int32", "ros1msg", "int32 data\n")
TOPICS = ("/video", "/compressed", "/packet", "/nvenc")


def text(value):
    return struct.pack("<I", len(value)) + value


def header(stamp_ns):
    return struct.pack("<III", 0, *divmod(stamp_ns, 10**9)) + text(b"camera")


def video(data, when, form=b"h264"):
    return struct.pack("<II", *divmod(when, 10**9)) + text(b"camera") + text(data) + text(form)


def compressed(data, when, form=b"h264"):
    return header(when) + text(form) + text(data)


def packet(data, when, encoding=b"h264;yuv420p;bgr8;bgr8", key=False):
    return (header(when) + struct.pack("<ii", 160, 120) + text(encoding) +
            struct.pack("<QBB", when, key, 0) + text(data))


def film():
    """The frames as ffmpeg encodes them. Each begins with a delimiter."""
    stream = subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=30", "-frames:v",
         str(FRAMES), "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g",
         str(GOP), "-x264-params", "aud=1:scenecut=0", "-f", "h264", "-"],
        stdout=subprocess.PIPE, check=True).stdout
    delimiter = b"\0\0\0\1\x09"
    frames = [delimiter + each for each in stream.split(delimiter)[1:]]
    assert len(frames) == FRAMES, len(frames)
    return frames


def write_film(path, frames):
    """On all of TOPICS, and a number at each time."""
    file = McapFile(path)
    channels = [file.channel("/video", "ros1", *VIDEO),
                file.channel("/compressed", "ros1", *COMPRESSED),
                file.channel("/packet", "ros1", *PACKET), file.channel("/nvenc", "ros1", *PACKET)]
    tick = file.channel("/tick", "ros1", *TICK)
    for i, (frame, when) in enumerate(zip(frames, TIMES)):
        is_key = i % GOP == 0
        payloads = (video(frame, when), compressed(frame, when), packet(frame, when, key=is_key),
                    packet(frame, when, b"h264_nvenc", is_key))
        for channel, payload in zip(channels, payloads):
            file.message(channel, when, payload)
        file.message(tick, when, struct.pack("<i", i))
    file.close()
    return path


def messages(bag, topic, key="data"):
    """(log time, bytes of a field) of the messages, in the order in which they are stored."""
    out = subprocess.run([program(), "cat", str(bag), "--topics", topic, "--order", "file"],
                         capture_output=True, text=True, check=True).stdout
    found = [json.loads(line) for line in out.splitlines()]
    return [(each["log_time_ns"], base64.b64decode(each["data"][key])) for each in found]


def hashes(frames, form="h264"):
    """Of the pictures that ffmpeg decodes, which must have nothing to say against any."""
    done = subprocess.run(
        ["ffmpeg", "-v", "error", "-xerror", "-f", {"h265": "hevc"}.get(form, form), "-i", "-",
         "-fps_mode", "passthrough", "-f", "framemd5", "-"], input=b"".join(frames),
        capture_output=True, check=False)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"ffmpeg: {done.stderr.decode()}")
    return [line.split(",")[-1].strip() for line in done.stdout.decode().splitlines()
            if not line.startswith("#")]
