#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "kitbag/bag.h"
#include "kitbag/calls.h"
#include "kitbag/export.h"
#include "kitbag/session.h"

// What a bag says about itself: its format, size and times, its topics and its schemas, as a struct
// and as the JSON that `kitbag info --json` and `kitbag serve` give.

namespace kitbag {

/// A channel and the number of its messages.
struct ChannelInfo {
  ChannelPtr channel;          ///< never null
  std::uint64_t messages = 0;  ///< how many it has
};

/// What is known about a bag without reading its messages.
struct BagInfo {
  std::string path;  ///< as it was given to describe_bag(), by shown_path()
  Summary summary;   ///< as Bag::summary() gives it
  /// Compression of the chunks that were looked at; "mixed" if they differ.
  std::string compression;
  /// Uncompressed size divided by stored size; absent if no chunk is compressed.
  std::optional<double> ratio;
  std::vector<ChannelInfo> channels;  ///< by slot
  /// How many the bag has. Absent as the number of chunks is, see has_chunk_count().
  std::optional<std::uint64_t> attachments = std::nullopt;
  std::optional<std::uint64_t> metadata = std::nullopt;  ///< see attachments
};

/// What was recorded on one topic with one type.
struct TopicInfo {
  std::string topic;              ///< its name
  std::string type;               ///< name of the type; "" without a schema
  std::uint64_t messages = 0;     ///< of all its connections
  std::uint64_t connections = 0;  ///< how many publishers, as far as the bag tells them apart
  std::uint64_t latched = 0;      ///< number of the connections that are latched
  /// Messages per second, over the duration of the bag; 0 if there are fewer than two messages.
  double rate_hz = 0;
};

/// What was recorded of a service or action of ROS 2.
struct CallInfo {
  CallTopic::Of of = CallTopic::Of::service;  ///< which of both
  std::string name;                           ///< "/add"
  std::string type;  ///< "example_interfaces/srv/AddTwoInts"; "": the bag does not say
  /// Messages by CallTopic::part; of a service there is one, with the name "".
  std::map<std::string, std::uint64_t> messages;
};

/// Reads the summary and the headers of chunks, of some chunks only if there are many; reads
/// messages only if the bag comes from a pipe. `path` is what the bag is called. Throws Error
/// (cancelled) on `stop`.
KITBAG_API BagInfo describe_bag(const std::string& path, const Bag& bag,
                                const std::stop_token& stop = {});

/// Returns whether Summary::chunks is known: not for a pipe, nor for a directory, whose files would
/// have to be opened.
KITBAG_API bool has_chunk_count(const Summary& summary);

/// Returns the topics of `info`, sorted by topic, then type.
KITBAG_API std::vector<TopicInfo> topics_of(const BagInfo& info);

/// Returns the services in `info`, then the actions, sorted by name. Their topics are among
/// topics_of() too.
KITBAG_API std::vector<CallInfo> calls_of(const BagInfo& info);

/// Returns one bag as a JSON object, several as a JSON array of objects, without a final newline.
KITBAG_API std::string info_json(std::span<const BagInfo> bags);

/// Returns topics_of() as a JSON array of objects.
KITBAG_API std::string topics_json(const BagInfo& info);

/// Returns the schemas as a JSON array of objects: name, language, text, and the topics that use
/// it. A schema that is not text has `data_base64` instead of `text`. Sorted by name.
KITBAG_API std::string schemas_json(const BagInfo& info, const Session& session);

}  // namespace kitbag
