#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kitbag/bytes.h"
#include "kitbag/export.h"
#include "kitbag/message.h"
#include "kitbag/time.h"

// The messages of the Foxglove WebSocket protocol, for both sides of a connection: texts, which are
// JSON objects with an `op`, and frames, which begin with an opcode and are little endian. Nothing
// here uses sockets. The protocol has two names, which a client offers and a server selects from:
// `foxglove.websocket.v1`, and `foxglove.sdk.v1`, which adds playback control.
//
// Sources: docs/spec.md of github.com/foxglove/ws-protocol; rust/foxglove/src/protocol of
// github.com/foxglove/foxglove-sdk.

namespace kitbag::foxglove {

/// The subprotocols of the WebSocket handshake.
inline constexpr std::string_view kWebSocketProtocol = "foxglove.websocket.v1";
inline constexpr std::string_view kSdkProtocol = "foxglove.sdk.v1";

/// The longest text that parse_text() takes.
inline constexpr std::size_t kMostTextBytes = 16 << 20;

// --- texts ---

/// The first text of a server: what it is, and which optional parts of the protocol it has.
struct ServerInfo {
  std::string name = {};  ///< of the server, for people
  /// "clientPublish", "time", "connectionGraph", "playbackControl". (The SDK renamed the last one
  /// from "rangedPlayback" before its release: foxglove-sdk, pull request 879.)
  std::vector<std::string> capabilities = {};
  std::vector<std::string> encodings = {};  ///< of messages that clients may publish
  /// The first and the last time of data that can be played; needed by "playbackControl".
  std::optional<std::pair<Time, Time>> range = std::nullopt;
  std::string session_id = {};  ///< equal after a reconnection to the same server; may be empty

  /// Returns whether the server has that capability.
  KITBAG_API bool can(std::string_view capability) const;
  bool operator==(const ServerInfo&) const = default;
};

/// A text for people.
struct Status {
  int level = 0;             ///< 0: information, 1: warning, 2: error
  std::string message = {};  ///< the text

  bool operator==(const Status&) const = default;
};

/// A channel that one side offers, with an id of its own. The protocol has no place for metadata.
struct AdvertisedChannel {
  std::uint64_t id = 0;  ///< as `channelId` on the wire
  Channel channel = {};  ///< without metadata
};

/// New channels: of a server that sends messages on them, or of a client that publishes.
struct Advertise {
  std::vector<AdvertisedChannel> channels = {};  ///< at least one
};

/// Channels that are no longer available.
struct Unadvertise {
  std::vector<std::uint64_t> ids = {};  ///< of AdvertisedChannel::id
};

/// A client wants the messages of channels; each message names the subscription.
struct Subscribe {
  /// A subscription.
  struct One {
    std::uint32_t id = 0;       ///< chosen by the client
    std::uint64_t channel = 0;  ///< AdvertisedChannel::id
  };
  std::vector<One> subscriptions = {};  ///< at least one
};

/// The client no longer wants them.
struct Unsubscribe {
  std::vector<std::uint32_t> ids = {};  ///< of Subscribe::One::id
};

/// The client wants to know who sends and receives what behind the server ("connectionGraph").
struct SubscribeConnectionGraph {};

/// What has changed of that since the last one; of the first one, all of it.
struct ConnectionGraphUpdate {
  /// Who sends a topic, or receives it: all of them.
  struct Topic {
    std::string name = {};                ///< of the topic
    std::vector<std::string> nodes = {};  ///< as their own system names them
  };
  std::vector<Topic> published = {};      ///< by whom topics are sent
  std::vector<Topic> subscribed = {};     ///< by whom they are received
  std::vector<std::string> removed = {};  ///< topics that nobody sends or receives any more
};

/// Another text, of parts of the protocol that kitbag does not have.
struct OtherText {
  std::string op = {};  ///< its kind
};

using Text = std::variant<OtherText, ServerInfo, Status, Advertise, Unadvertise, Subscribe,
                          Unsubscribe, SubscribeConnectionGraph, ConnectionGraphUpdate>;

/// Parses a text of either side. Throws Error (corrupt) if it is longer than kMostTextBytes, not a
/// JSON object with an `op`, or if a member is missing or has the wrong type. Members that are not
/// known are ignored. A definition in base64 (protobuf) is decoded. A channel without
/// `schemaEncoding` gets the language that belongs to its encoding.
KITBAG_API Text parse_text(std::string_view json);

/// Returns the text as JSON. OtherText has no members but `op`.
KITBAG_API std::string to_json(const Text& text);

// --- frames ---

/// A message, from a server.
struct MessageData {
  std::uint32_t subscription = 0;  ///< Subscribe::One::id
  Time log_time{};                 ///< of the message
  ByteView payload = {};           ///< valid as long as the frame
};

/// The time of the server. With recorded data it is in the past.
struct TimeUpdate {
  Time now{};  ///< the current time there
};

/// The state of the playing of recorded data.
struct PlaybackState {
  /// Whether time goes on.
  enum class Status : std::uint8_t { playing = 0, paused = 1, buffering = 2, ended = 3 };

  Status status = Status::playing;  ///< see Status
  Time now{};                       ///< in the data
  float speed = 1;                  ///< 1: as it was recorded
  bool did_seek = false;            ///< the time has changed by a jump
  std::string request_id = {};      ///< of the request that this answers; empty: of none
};

/// A message, from a client.
struct PublishedData {
  std::uint32_t channel = 0;  ///< AdvertisedChannel::id of the client
  ByteView payload = {};      ///< valid as long as the frame
};

/// A command for the playing of recorded data. All of it applies, also if nothing has changed.
struct PlaybackRequest {
  /// What to do.
  enum class Command : std::uint8_t { play = 0, pause = 1 };

  Command command = Command::play;          ///< see Command
  float speed = 1;                          ///< 1: as it was recorded
  std::optional<Time> seek = std::nullopt;  ///< go there first; absent: go on from where it is
  std::string request_id = {};              ///< comes back in PlaybackState
};

/// A frame with an opcode of parts of the protocol that kitbag does not have.
struct OtherFrame {
  std::uint8_t opcode = 0;  ///< first byte of the frame
};

using ServerFrame = std::variant<OtherFrame, MessageData, TimeUpdate, PlaybackState>;
using ClientFrame = std::variant<OtherFrame, PublishedData, PlaybackRequest>;

/// Parses a binary message of a server, or of a client. Payloads point into `bytes`. Throws Error
/// (corrupt) for a frame that is too short, or has an invalid time, command or status.
KITBAG_API ServerFrame parse_server_frame(ByteView bytes);
KITBAG_API ClientFrame parse_client_frame(ByteView bytes);

/// Returns the bytes in front of the payload of a MessageData.
KITBAG_API std::array<std::byte, 13> message_head(std::uint32_t subscription, Time log_time);
/// Returns the bytes in front of the payload of a PublishedData.
KITBAG_API std::array<std::byte, 5> published_head(std::uint32_t channel);
/// Return a whole frame.
KITBAG_API std::string to_frame(const TimeUpdate& update);
KITBAG_API std::string to_frame(const PlaybackState& state);
KITBAG_API std::string to_frame(const PlaybackRequest& request);

}  // namespace kitbag::foxglove
