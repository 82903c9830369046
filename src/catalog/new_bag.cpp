#include "catalog/new_bag.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "base/sha256.h"
#include "catalog/drops.h"
#include "catalog/fingerprint.h"
#include "catalog/pyramid_reader.h"
#include "kitbag/damage.h"
#include "kitbag/error.h"
#include "kitbag/message_timeline.h"
#include "kitbag/transcode.h"
#include "payload/field_steps.h"

// A bag is opened once, and read once unless only its index is wanted: numbers and pictures are
// taken in the same pass. Damage that comes up on the way is gathered from on_problem; remarks are
// none.
//
// Channels that are one for the catalog are added up. If messages of one of them cannot be decoded,
// nothing is known of the numbers of all, so there is no pyramid.

namespace kitbag::catalog {
namespace {

std::string hash_of(const Schema* schema) {
  if (!schema || schema->language.empty()) return {};
  ByteView pieces[] = {as_bytes(schema->language), as_bytes("\n"), as_bytes(schema->text)};
  return sha256(pieces);
}

/// A line for each field that messages of the channel can have.
std::optional<std::string> fields_of(const Channel& channel, const Session& session) {
  if (!is_decodable(channel, session)) return std::nullopt;
  try {
    TypePtr type = type_of(channel, session);
    if (!type) return std::nullopt;
    return fmt::format("{}", fmt::join(all_paths(*type), "\n"));
  } catch (const Error& error) {
    if (is_final(error.code())) throw;
    return std::nullopt;
  }
}

/// Channels of one topic, type and definition are one: the publishers of a topic are not told
/// apart.
using Key = std::tuple<std::string, std::string, std::string, std::string>;

Key key_of(const Channel& channel) {
  return {channel.topic, channel.type(), channel.encoding, hash_of(channel.schema.get())};
}

void add(const Pyramid& from, Pyramid& to) {
  to.messages.resize(from.messages.size());
  for (std::size_t i = 0; i < from.messages.size(); ++i) to.messages[i] += from.messages[i];
  for (const auto& [path, parts] : from.fields) {
    auto& sums = to.fields[path];
    sums.resize(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      NumberPart& sum = sums[i];
      const NumberPart& part = parts[i];
      if (part.count == 0) continue;
      bool is_first = sum.count == 0;
      sum.least = is_first ? part.least : std::min(sum.least, part.least);
      sum.most = is_first ? part.most : std::max(sum.most, part.most);
      sum.count += part.count;
      sum.mean += (part.mean - sum.mean) * double(part.count) / double(sum.count);
    }
  }
}

std::vector<NewChannel> channels_of(const Bag& bag, const Parts& parts,
                                    const CatalogAddOptions& options, const Session& session) {
  const Summary& summary = bag.summary();
  std::vector<ChannelNumbers> numbers;
  std::vector<std::vector<NewPicture>> pictures(summary.channels->size());
  if (options.reads_messages) {
    PictureTaker taker(bag, session, options.stop);
    numbers = read_numbers(
        bag, parts, session, [&](const Message& message) { taker.take(message); }, options.stop);
    for (NewPicture& each : taker.finish()) pictures.at(each.slot).push_back(std::move(each));
  }
  std::map<Key, NewChannel> made;
  for (std::size_t slot = 0; slot < summary.channels->size(); ++slot) {
    const ChannelPtr& channel = (*summary.channels)[slot];
    if (!channel) continue;
    Key key = key_of(*channel);
    auto [place, is_new] = made.try_emplace(key);
    NewChannel& of_key = place->second;
    if (is_new) {
      of_key.topic = {channel->topic, channel->type(), channel->encoding, std::get<3>(key)};
      of_key.fields = fields_of(*channel, session);
      of_key.schema = channel->schema;
      if (options.reads_messages) {
        of_key.pyramid.emplace().messages.assign(parts.count, 0);
      }
    }
    if (slot < summary.message_counts.size()) {
      of_key.topic.messages += summary.message_counts[slot];
    }
    std::move(pictures[slot].begin(), pictures[slot].end(), std::back_inserter(of_key.pictures));
    if (options.reads_messages) of_key.topic.undecoded += numbers[slot].undecoded;
    if (!of_key.pyramid) continue;
    // Without messages there is nothing to decode, and all is known.
    std::uint64_t messages =
        slot < summary.message_counts.size() ? summary.message_counts[slot] : 1;
    if (!numbers[slot].is_decoded && messages > 0) {
      of_key.pyramid.reset();
    } else if (numbers[slot].is_decoded) {
      add(numbers[slot].pyramid, *of_key.pyramid);
    }
  }
  std::vector<NewChannel> channels;
  channels.reserve(made.size());
  for (auto& [key, channel] : made) channels.push_back(std::move(channel));
  return channels;
}

void add_densities(const Bag& bag, const Parts& parts, const CatalogAddOptions& options,
                   const Session& session, std::vector<NewChannel>& channels) {
  if (bag.summary().messages == 0) return;
  TimelineOptions timeline;
  timeline.buckets = parts.count;
  MessageTimeline over_time = message_timeline(bag, timeline, session, Wait{options.stop, kNever});
  for (const TopicTimeline& topic : over_time.topics) {
    for (NewChannel& channel : channels) {
      bool is_it = channel.topic.topic == topic.topic && channel.topic.type == topic.type;
      if (is_it) channel.topic.density = topic.counts;
    }
  }
}

}  // namespace

NewBag look_at_bag(const std::string& path, const CatalogAddOptions& options,
                   const DefinitionPaths& definitions, const Session& session) {
  NewBag made;
  ReadOptions read = options.read;
  OnProblem given = options.read.on_problem;
  auto damage = std::make_shared<Damage>();
  read.on_problem = [damage, given](const Error& problem) {
    if (problem.code() != ErrorCode::remark) damage->add(problem);
    if (given) given(problem);
  };
  BagPtr bag = session.open(path, read);
  const Summary& summary = bag->summary();
  made.bag.fingerprint = fingerprint(path, *bag, session);
  made.bag.format = summary.format;
  made.bag.size_bytes = summary.size_bytes;
  made.bag.start = summary.start;
  made.bag.end = summary.end;
  made.bag.messages = summary.messages;
  made.bag.added = session.clock()->wall();
  made.parts = parts_of(summary.start, summary.end);
  bag = defined(std::move(bag), definitions, session);
  made.channels = channels_of(*bag, made.parts, options, session);
  add_densities(*bag, made.parts, options, session, made.channels);
  made.bag.drops = drops_of(*bag);
  made.detail = options.reads_messages ? Detail::messages : Detail::index;
  made.bag.problems = damage->count();
  if (damage->count() > 0) made.bag.damage = damage->worst().message();
  return made;
}

}  // namespace kitbag::catalog
