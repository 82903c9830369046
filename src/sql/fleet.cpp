#include "sql/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kitbag/error.h"

// What tables are there, and which columns they have, follows from the catalog alone: it has the
// definitions of all topics, each once. Only a topic whose definition neither the catalog nor its
// bags have, or that an older kitbag has added, costs that one of its bags is opened.

namespace kitbag::sql {
namespace {

/// Open bags hold files and memory.
constexpr std::size_t kMostRecent = 8;

}  // namespace

class Fleet::OneBag final : public ClosedBag {
 public:
  OneBag(Fleet& fleet, CatalogBag known, Summary summary)
      : fleet_(fleet), known_(std::move(known)), summary_(std::move(summary)) {}

  const CatalogBag& known() const override { return known_; }
  const Summary& summary() const override { return summary_; }
  std::optional<CatalogTimes> possible_times(const FindQuery& query) const override {
    try {
      return fleet_.catalog_.possible_times(known_, query);
    } catch (const Error& error) {
      if (fleet_.ends_all(error)) throw;
      return CatalogTimes{query.begin, query.end};  // opening the bag says what is wrong
    }
  }
  BagPtr open() const override { return fleet_.open(known_); }

 private:
  Fleet& fleet_;
  CatalogBag known_;
  Summary summary_;
};

Fleet::Fleet(Catalog& catalog, std::string address, ReadOptions read, Complete complete)
    : catalog_(catalog),
      address_(std::move(address)),
      read_(std::move(read)),
      complete_(std::move(complete)) {
  std::vector<CatalogBag> known;
  catalog_.find({.is_newest_first = false}, [&](const CatalogBag& bag) {
    throw_if_stopped({read_.stop, kNever});
    known.push_back(bag);
  });
  for (CatalogBag& bag : known) {
    // Not asked for here, and a number for each part of each bag.
    for (CatalogTopic& topic : bag.topics) topic.density.clear();
    std::string name = bag.paths.empty() ? fmt::format("bag {}", bag.number) : bag.paths.front();
    Summary summary = summary_of(bag);
    bags_.push_back(
        {name, nullptr, std::make_shared<OneBag>(*this, std::move(bag), std::move(summary))});
  }
}

BagPtr Fleet::open(const CatalogBag& bag) {
  auto recent = std::find_if(recent_.begin(), recent_.end(),
                             [&](const auto& each) { return each.first == bag.number; });
  if (recent != recent_.end()) {
    std::rotate(recent_.begin(), recent, recent + 1);
    return recent_.front().second;
  }
  if (unreadable_.contains(bag.number)) return nullptr;
  try {
    CatalogOpened opened = catalog_.open(bag, read_);
    opened_.insert(bag.number);
    if (opened.has_changed) changed_.insert(bag.number);
    BagPtr complete = complete_ ? complete_(opened.bag) : opened.bag;
    recent_.insert(recent_.begin(), {bag.number, complete});
    if (recent_.size() > kMostRecent) recent_.pop_back();
    return complete;
  } catch (const Error& error) {
    if (ends_all(error)) throw;
    // It is reported once, and not tried again for each table.
    unreadable_.insert(bag.number);
    failed_.push_back(error);
    return nullptr;
  }
}

bool Fleet::ends_all(const Error& error) const {
  return error.code() == ErrorCode::cancelled || error.file() == address_;
}

Summary Fleet::summary_of(const CatalogBag& bag) {
  Summary summary;
  summary.format = bag.format;
  summary.size_bytes = bag.size_bytes;
  summary.messages = bag.messages;
  summary.start = bag.start;
  summary.end = bag.end;
  Channels channels;
  for (const CatalogTopic& topic : bag.topics) {
    channels.push_back(channel_of(bag, topic));
    summary.message_counts.push_back(topic.messages);
  }
  summary.channels = std::make_shared<const Channels>(std::move(channels));
  return summary;
}

ChannelPtr Fleet::channel_of(const CatalogBag& bag, const CatalogTopic& topic) {
  ChannelPtr& channel = channels_[{topic.topic, topic.type, topic.encoding, topic.schema_hash}];
  if (!channel) {
    channel = std::make_shared<Channel>(
        Channel{.topic = topic.topic, .encoding = topic.encoding, .schema = schema_of(bag, topic)});
  }
  return channel;
}

SchemaPtr Fleet::schema_of(const CatalogBag& bag, const CatalogTopic& topic) {
  if (!topic.schema_hash.empty()) {
    if (SchemaPtr known = catalog_.definition(topic.schema_hash, topic.type)) return known;
  }
  if (topic.type.empty()) return nullptr;
  if (BagPtr opened = open(bag)) {
    for (const ChannelPtr& channel : *opened->channels()) {
      bool is_it = channel && channel->topic == topic.topic && channel->type() == topic.type &&
                   channel->encoding == topic.encoding;
      if (is_it) return channel->schema;
    }
  }
  return std::make_shared<Schema>(Schema{.name = topic.type, .language = {}, .text = {}});
}

}  // namespace kitbag::sql
