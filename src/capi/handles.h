#pragma once

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "capi/call.h"
#include "kitbag/bag.h"
#include "kitbag/bag_info.h"
#include "kitbag/definitions.h"
#include "kitbag/value.h"

// What is behind the handles. A topic is of one name: of a bag that is read it stands for all
// connections of that name, of one that is written for one channel. Iterators share the topics of
// their bag, so that what they give stays valid after the bag was closed.

struct kitbag_topic {
  explicit kitbag_topic(kitbag::ChannelPtr described);

  kitbag::ChannelPtr channel;  ///< the first one of the topic
  std::string md5_sum;
  std::string qos;
  kitbag_connection_header header;
};

namespace kitbag::c {

/// The topics of a bag. From any thread.
class Topics {
 public:
  /// Of a channel that is read: the one of its name, new if there is none.
  const kitbag_topic* of(const ChannelPtr& channel);
  /// Of a channel that is written.
  kitbag_topic* add(const ChannelPtr& channel);
  kitbag_topic* find(const std::string& name);
  std::vector<std::string> names() const;
  bool has(const kitbag_topic* topic) const;

 private:
  mutable std::mutex mutex_;
  std::deque<kitbag_topic> all_;
  std::map<std::string, kitbag_topic*> by_name_;
};

/// Throws Error (not_found) for a name that the bag does not have; a glob may match nothing, and of
/// a bag without messages nobody knows the topics.
void require_topics(const kitbag_bag& bag, const Selection& select);

/// What kitbag_info() gave, and the texts that it points at.
struct KeptInfo {
  explicit KeptInfo(const BagInfo& about, const std::vector<Extra>& extras);

  BagInfo bag;
  std::vector<TopicInfo> topics_of_bag;
  std::deque<std::string> texts;
  std::vector<const char*> topics;
  std::vector<const char*> types;
  std::vector<const char*> encodings;
  std::vector<std::uint64_t> counts;
  std::vector<std::uint8_t> latched;
  std::vector<const char*> keys;
  std::vector<const char*> values;
  kitbag_bag_info info;
};

}  // namespace kitbag::c

struct kitbag_bag {
  std::string path;
  kitbag_mode mode = KITBAG_READ;
  kitbag::ReadOptions reading;
  kitbag::DefinitionPaths definitions;  ///< where those are that the bag lacks
  kitbag::WriteOptions writing;

  kitbag::BagPtr bag;                           ///< while it is read
  std::unique_ptr<kitbag::Writer> writer;       ///< while it is written
  std::vector<kitbag::ChannelPtr> channels;     ///< that were created
  std::map<const kitbag_topic*, bool> written;  ///< whether a topic has messages
  bool has_messages = false;
  std::shared_ptr<kitbag::c::Topics> topics = std::make_shared<kitbag::c::Topics>();
  std::map<const kitbag_topic*, kitbag::ValueWriter> encoders;
  std::unique_ptr<kitbag::c::KeptInfo> info;

  std::mutex stop_mutex;
  std::stop_source stop;

  /// Throws Error (invalid) after a recording that has failed.
  void require_open() const;
  /// Throws Error (invalid) if the bag is not open for that.
  const kitbag::Bag& to_read() const;
  kitbag::Writer& to_write() const;
  void open_for_reading();
  /// Begins to write, or begins again, before the first message.
  void open_for_writing();
  /// Completes what is written.
  void complete();
};

struct kitbag_value {
  /// `types` keeps alive what the value refers to.
  kitbag_value(kitbag::Value holds, kitbag::Owner types)
      : value(std::move(holds)), keep(std::move(types)) {}

  kitbag::Value value;
  kitbag::Owner keep;
  mutable kitbag::Value last;  ///< that was given out: texts and numbers are in it
};
