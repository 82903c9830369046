#include <bit>
#include <cstring>
#include <limits>

#include "base/cursor.h"
#include "kitbag/error.h"
#include "kitbag/foxglove.h"

// Binary frames, little-endian; the first byte is the opcode, which has its own meaning on each
// side.
//
//   from the server
//     01  subscription 4 | log time 8 | payload ...
//     02  time 8
//     05  status 1 | time 8 | speed 4 | did seek 1 | length 4 | request id ...
//   from the client
//     01  channel 4 | payload ...
//     03  command 1 | speed 4 | has seek 1 | seek time 8 | length 4 | request id ...
//
// Times are unsigned nanoseconds. Ours are signed, so one beyond 2^63 is refused, and one before
// 1970 is sent as zero. Speeds are floats of 32 bits. An unknown opcode is no error. Payloads are
// views into the frame, and heads are built apart from payloads, so that a payload is not copied to
// be sent.

namespace kitbag::foxglove {
namespace {

namespace server {
enum Opcode : std::uint8_t { message_data = 1, time = 2, playback_state = 5 };
}
namespace client {
enum Opcode : std::uint8_t { message_data = 1, playback_request = 3 };
}

[[noreturn]] void refuse(const char* what) {
  throw Error(ErrorCode::corrupt, std::string("malformed message: ") + what);
}

template <class Value>
Value needed(std::optional<Value> value) {
  if (!value) refuse("it ends too early");
  return *value;
}

Time time_of(Cursor& cursor) {
  std::uint64_t ns = needed(cursor.number<std::uint64_t>());
  if (ns > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) refuse("its time is too large");
  return from_ns(static_cast<std::int64_t>(ns));
}

float float_of(Cursor& cursor) {
  return std::bit_cast<float>(needed(cursor.number<std::uint32_t>()));
}

PlaybackState playback_state_of(Cursor& cursor) {
  PlaybackState state;
  auto status = needed(cursor.number<std::uint8_t>());
  if (status > static_cast<std::uint8_t>(PlaybackState::Status::ended)) refuse("unknown status");
  state.status = static_cast<PlaybackState::Status>(status);
  state.now = time_of(cursor);
  state.speed = float_of(cursor);
  state.did_seek = needed(cursor.number<std::uint8_t>()) != 0;
  state.request_id = as_text(needed(cursor.sized_bytes()));
  return state;
}

PlaybackRequest playback_request_of(Cursor& cursor) {
  PlaybackRequest request;
  auto command = needed(cursor.number<std::uint8_t>());
  if (command > static_cast<std::uint8_t>(PlaybackRequest::Command::pause)) {
    refuse("unknown command");
  }
  request.command = static_cast<PlaybackRequest::Command>(command);
  request.speed = float_of(cursor);
  bool has_seek = needed(cursor.number<std::uint8_t>()) != 0;
  if (has_seek) {
    request.seek = time_of(cursor);
  } else {
    needed(cursor.number<std::uint64_t>());
  }
  request.request_id = as_text(needed(cursor.sized_bytes()));
  return request;
}

template <class Number>
void append(std::string& frame, Number value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  frame.append(bytes, sizeof value);
}

std::uint64_t unsigned_ns(Time time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(to_ns(time), 0));
}

}  // namespace

ServerFrame parse_server_frame(ByteView bytes) {
  Cursor cursor(bytes);
  auto opcode = needed(cursor.number<std::uint8_t>());
  switch (opcode) {
    case server::message_data: {
      MessageData message;
      message.subscription = needed(cursor.number<std::uint32_t>());
      message.log_time = time_of(cursor);
      message.payload = bytes.subspan(cursor.position());
      return message;
    }
    case server::time:
      return TimeUpdate{time_of(cursor)};
    case server::playback_state:
      return playback_state_of(cursor);
    default:
      return OtherFrame{opcode};
  }
}

ClientFrame parse_client_frame(ByteView bytes) {
  Cursor cursor(bytes);
  auto opcode = needed(cursor.number<std::uint8_t>());
  switch (opcode) {
    case client::message_data: {
      PublishedData message;
      message.channel = needed(cursor.number<std::uint32_t>());
      message.payload = bytes.subspan(cursor.position());
      return message;
    }
    case client::playback_request:
      return playback_request_of(cursor);
    default:
      return OtherFrame{opcode};
  }
}

std::array<std::byte, 13> message_head(std::uint32_t subscription, Time log_time) {
  std::array<std::byte, 13> head;
  head[0] = std::byte{server::message_data};
  store_le(store_le(&head[1], subscription), unsigned_ns(log_time));
  return head;
}

std::array<std::byte, 5> published_head(std::uint32_t channel) {
  std::array<std::byte, 5> head;
  head[0] = std::byte{client::message_data};
  store_le(&head[1], channel);
  return head;
}

std::string to_frame(const TimeUpdate& update) {
  std::string frame(1, static_cast<char>(server::time));
  append(frame, unsigned_ns(update.now));
  return frame;
}

std::string to_frame(const PlaybackState& state) {
  std::string frame(1, static_cast<char>(server::playback_state));
  append(frame, state.status);
  append(frame, unsigned_ns(state.now));
  append(frame, state.speed);
  append(frame, static_cast<std::uint8_t>(state.did_seek));
  append(frame, static_cast<std::uint32_t>(state.request_id.size()));
  return frame + state.request_id;
}

std::string to_frame(const PlaybackRequest& request) {
  std::string frame(1, static_cast<char>(client::playback_request));
  append(frame, request.command);
  append(frame, request.speed);
  append(frame, static_cast<std::uint8_t>(request.seek.has_value()));
  append(frame, unsigned_ns(request.seek.value_or(Time())));
  append(frame, static_cast<std::uint32_t>(request.request_id.size()));
  return frame + request.request_id;
}

}  // namespace kitbag::foxglove
